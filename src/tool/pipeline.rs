//! The steps around a call: validate → authorise → cache → time limit → retry → record.

pub mod authorise;
pub mod cache;
pub mod record;
pub mod retry;
pub mod validate;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use serde_json::Value;
use tokio::{sync::broadcast, time::Instant};

use self::{
    authorise::authorise,
    cache::Cache,
    record::{Effort, Progress, Recorder},
    retry::attempts,
};
use super::{Outcome, Tool, ToolCx, ToolError, ToolResult, Toolbox, WORKING};
use crate::{
    artifacts::Artifacts,
    contacts::Contacts,
    ids::SessionId,
    interview::Actor,
    model::{
        transcript::{Call, CallResult},
        wait::Wait,
    },
};

/// How patient calls are (S4). Time spent waiting for a person never counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Most attempts of one call.
    pub attempts: u32,
    /// Time limit of each attempt.
    pub limit: Duration,
    /// Results of tools that allow it are served again.
    pub cache: bool,
}

impl Policy {
    /// For a conversation in writing.
    pub const CHAT: Self = Self { attempts: 3, limit: Duration::from_secs(25), cache: true };

    /// For a conversation by voice, which cannot wait.
    pub const REALTIME: Self = Self { attempts: 2, limit: Duration::from_secs(25), cache: false };
}

/// Runs calls; cheap to clone.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The tools.
    pub toolbox: Arc<Toolbox>,
    /// Files that were sent.
    pub artifacts: Arc<Artifacts>,
    /// Contact sources.
    pub contacts: Arc<Contacts>,
    policy: Policy,
    cache: Cache,
    recorder: Recorder,
}

impl Pipeline {
    /// A pipeline with an empty cache.
    pub fn new(
        toolbox: Arc<Toolbox>,
        artifacts: Arc<Artifacts>,
        contacts: Arc<Contacts>,
        policy: Policy,
    ) -> Self {
        Self {
            toolbox,
            artifacts,
            contacts,
            policy,
            cache: Cache::default(),
            recorder: Recorder::default(),
        }
    }

    /// Hears of every call from now on: `tool_call`, `tool_result` (S3).
    pub fn progress(&self) -> broadcast::Receiver<Progress> {
        self.recorder.subscribe()
    }

    /// The call with its arguments as the tool gets them: what [`crate::model::transcript::Event::Called`] keeps and
    /// what a digest is made of. A second time changes nothing.
    pub fn prepare(&self, call: &Call, actor: &Mutex<Actor>) -> Result<Call, CallResult> {
        let (tool, args) = self.admitted(call, actor)?;
        Ok(Call { tool: tool.spec().name.to_owned(), args, ..call.clone() })
    }

    /// Runs a call up to its outcome. A failure of any kind is a result, never an error of the session.
    pub async fn execute(
        &self,
        call: &Call,
        actor: &Mutex<Actor>,
        now: DateTime<Utc>,
    ) -> Result<Outcome, CallResult> {
        let session = lock(actor, |actor| actor.state().session);
        let began = Instant::now();
        let running = self.recorder.begun(session, call, self.doing(&call.tool));
        let (result, attempts) = match self.admitted(call, actor) {
            Ok((tool, args)) => {
                let call = Call { args, ..call.clone() };
                self.run(tool.as_ref(), &call, actor, now).await
            }
            Err(error) => (Err(error), 0),
        };
        let effort = Effort { tool: self.known(&call.tool), took: began.elapsed(), attempts };
        running.ended(&result, effort);
        result.map_err(CallResult::from)
    }

    /// Finishes a suspended call with the answer that stands in its wait. A tool that is gone gives
    /// `tool_unavailable`, a state it no longer understands `tool_changed` (SEMANTICS rows 28, 29).
    pub async fn resume(
        &self,
        call: &Call,
        wait: &Wait,
        actor: &Mutex<Actor>,
        now: DateTime<Utc>,
    ) -> Result<Outcome, CallResult> {
        let Some((reply, ..)) = wait.standing.answer() else {
            let error = ToolError::ExecutionFailed("the question is not answered".to_owned());
            return Err(error.into());
        };
        let Some(tool) = self.toolbox.get(&call.tool) else { return Err(unavailable(&call.tool)) };
        let session = lock(actor, |actor| actor.state().session);
        let began = Instant::now();
        let running = self.recorder.begun(session, call, self.doing(&call.tool));
        let cx = self.cx(call, actor, now);
        let (result, attempts) = attempts(self.policy, tool.spec().effect_class, || {
            tool.resume(&cx, wait.state.clone(), reply.clone())
        })
        .await;
        let effort = Effort { tool: self.known(&call.tool), took: began.elapsed(), attempts };
        running.ended(&result, effort);
        result.map_err(CallResult::from)
    }

    /// What runs in a session now, in words for people.
    pub fn running(&self, session: SessionId) -> Vec<&'static str> {
        self.recorder.running(session)
    }

    /// What people read while a tool runs.
    pub fn doing(&self, tool: &str) -> &'static str {
        self.toolbox.get(tool).map_or(WORKING, |tool| tool.spec().doing)
    }

    /// The tool's own name for the record.
    fn known(&self, tool: &str) -> &'static str {
        self.toolbox.get(tool).map_or("unknown", |tool| tool.spec().name)
    }

    /// Forgets the results of a session that is erased.
    pub fn forget(&self, session: SessionId) {
        self.cache.forget(session);
    }

    /// Validates and authorises.
    fn admitted(
        &self,
        call: &Call,
        actor: &Mutex<Actor>,
    ) -> Result<(&Arc<dyn Tool>, Value), ToolError> {
        let Some(tool) = self.toolbox.get(&call.tool) else {
            return Err(ToolError::InvalidParameters(format!("unknown tool `{}`", call.tool)));
        };
        let flow = lock(actor, |actor| Arc::clone(actor.flow()));
        let args = self.toolbox.prepare(&call.tool, Some(&flow), call.args.clone())?;
        lock(actor, |actor| authorise(call, tool.spec(), actor))?;
        Ok((tool, args))
    }

    async fn run(
        &self,
        tool: &dyn Tool,
        call: &Call,
        actor: &Mutex<Actor>,
        now: DateTime<Utc>,
    ) -> (ToolResult, u32) {
        let session = lock(actor, |actor| actor.state().session);
        let spec = tool.spec();
        let cached = self.policy.cache && spec.cacheable;
        if cached && let Some(value) = self.cache.get(session, call).await {
            return (Ok(Outcome::Immediate(value)), 0);
        }
        let cx = self.cx(call, actor, now);
        let (result, made) =
            attempts(self.policy, spec.effect_class, || tool.execute(&cx, call.args.clone())).await;
        if cached && let Ok(Outcome::Immediate(value)) = &result {
            self.cache.put(session, call, value.clone()).await;
        }
        (result, made)
    }

    fn cx<'a>(&'a self, call: &'a Call, actor: &'a Mutex<Actor>, now: DateTime<Utc>) -> ToolCx<'a> {
        let artifacts = &self.artifacts;
        ToolCx { call: &call.id, now, actor, artifacts, contacts: &self.contacts }
    }
}

/// What a call comes to whose tool is gone (SEMANTICS row 29).
pub fn unavailable(tool: &str) -> CallResult {
    let message = format!("there is no tool `{tool}` any more. hint: go on without it");
    CallResult::Err { code: "tool_unavailable".to_owned(), message }
}

fn lock<T>(actor: &Mutex<Actor>, read: impl FnOnce(&Actor) -> T) -> T {
    read(&actor.lock().unwrap_or_else(PoisonError::into_inner))
}
