//! The steps around a call: validate → authorise → cache → time limit → retry → record.

pub mod authorise;
pub mod cache;
pub mod coerce;
pub mod record;
pub mod retry;
pub mod validate;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::{sync::broadcast, time::Instant};

use self::{
    authorise::{authorise, knows},
    cache::Cache,
    record::{Effort, Progress, Recorder, RunningCall},
    retry::attempts,
    validate::no_object,
};
use super::{
    Meter, Outcome, Services, Tool, ToolCx, ToolError, ToolResult, ToolSpec, Toolbox, WORKING,
};
use crate::{
    base::ids::SessionId,
    config::Tenants,
    model::{
        text::quoted,
        transcript::{Call, CallResult, Origin},
        usage::Usage,
        wait::Wait,
    },
    ports::{artifacts::Artifacts, contacts::Contacts, llm::Models},
    session::{Changes, SessionView, topics},
};

/// How patient calls are. Time spent waiting for a person never counts.
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

/// How running a call ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// What it came to; a failure of any kind is a result, never an error of the session.
    pub result: Result<Outcome, CallResult>,
    /// What models that the tool asked by itself have cost, whatever it came to.
    pub cost: Usage,
}

impl Ended {
    fn new(result: ToolResult, spec: Option<&ToolSpec>, meter: &Meter) -> Self {
        let is_enveloped = spec.is_some_and(|spec| spec.enveloped);
        let result = if is_enveloped { Ok(enveloped(result)) } else { result };
        Self { result: result.map_err(CallResult::from), cost: meter.read() }
    }

    /// A call that could not be run.
    fn failed(result: impl Into<CallResult>) -> Self {
        Self { result: Err(result.into()), cost: Usage::default() }
    }
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
    models: Models,
    tenants: Arc<Tenants>,
    services: Services,
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
            models: Models::default(),
            tenants: Arc::default(),
            services: Services::default(),
            policy,
            cache: Cache::default(),
            recorder: Recorder::default(),
        }
    }

    /// Sets the models for the tools that ask one by themselves.
    #[must_use]
    pub fn with_models(self, models: Models) -> Self {
        Self { models, ..self }
    }

    /// Sets the tenants, some of which have models of their own.
    #[must_use]
    pub(crate) fn with_tenants(self, tenants: Arc<Tenants>) -> Self {
        Self { tenants, ..self }
    }

    /// Sets what tools use besides the session.
    #[must_use]
    pub fn with_services(self, services: Services) -> Self {
        Self { services, ..self }
    }

    /// Hears of every call from now on: `tool_call`, `tool_result`.
    pub fn progress(&self) -> broadcast::Receiver<Progress> {
        self.recorder.subscribe()
    }

    /// The call with its arguments as the tool gets them: what [`crate::model::transcript::Event::Called`] keeps and
    /// what a digest is made of. A second time changes nothing.
    pub fn prepare(&self, call: &Call, changes: &Mutex<Changes>) -> Result<Call, CallResult> {
        let (tool, args) = self.admitted(call, changes)?;
        Ok(Call { tool: tool.spec().name.to_owned(), args, ..call.clone() })
    }

    /// Runs a call up to its outcome.
    pub async fn execute(
        &self,
        call: &Call,
        changes: &Mutex<Changes>,
        now: DateTime<Utc>,
    ) -> Ended {
        let session = lock(changes, |view| view.state.session);
        let meter = Meter::default();
        let began = Instant::now();
        let spec = self.found(call, changes).map(|tool| tool.spec());
        let doing = spec.map_or(WORKING, |spec| spec.doing);
        let running = self.recorder.begun(session, call, (doing, now));
        let (result, attempts) = match self.admitted(call, changes) {
            Ok((tool, args)) => {
                let call = Call { args, ..call.clone() };
                let (result, attempts) =
                    self.run(tool.as_ref(), &call, changes, (now, &meter)).await;
                (result.and_then(|outcome| allowed(&call, outcome, changes)), attempts)
            }
            Err(error) => (Err(error), 0),
        };
        let effort = Effort { tool: self.known(&call.tool), took: began.elapsed(), attempts };
        running.ended(&result, effort);
        Ended::new(result, spec, &meter)
    }

    /// Finishes a suspended call with the answer that stands in its wait. A tool that is gone gives
    /// `tool_unavailable`, a state it no longer understands `tool_changed`.
    pub async fn resume(
        &self,
        call: &Call,
        wait: &Wait,
        changes: &Mutex<Changes>,
        now: DateTime<Utc>,
    ) -> Ended {
        let Some((reply, ..)) = wait.status.answer() else {
            let error = ToolError::ExecutionFailed("the question is not answered".to_owned());
            return Ended::failed(error);
        };
        let Some(tool) = self.toolbox.get(&call.tool) else {
            return Ended::failed(unavailable(&call.tool));
        };
        let session = lock(changes, |view| view.state.session);
        let began = Instant::now();
        let running = self.recorder.begun(session, call, (self.doing(&call.tool), now));
        let meter = Meter::default();
        let cx = self.cx(call, changes, (now, &meter));
        let (result, attempts) =
            attempts(self.policy_for(tool.spec()), tool.spec().effect_class, || {
                tool.resume(&cx, wait.state.clone(), reply.clone())
            })
            .await;
        let effort = Effort { tool: self.known(&call.tool), took: began.elapsed(), attempts };
        running.ended(&result, effort);
        Ended::new(result, Some(tool.spec()), &meter)
    }

    /// The calls that run in a session now, in the order in which they began.
    pub fn running(&self, session: SessionId) -> Vec<RunningCall> {
        self.recorder.running(session)
    }

    /// What people read while a tool runs.
    pub fn doing(&self, tool: &str) -> &'static str {
        self.toolbox.get(tool).map_or(WORKING, |tool| tool.spec().doing)
    }

    /// What people read once a tool is done; empty for nothing.
    pub fn done(&self, tool: &str) -> &'static str {
        self.toolbox.get(tool).map_or("", |tool| tool.spec().done)
    }

    /// What a call has come to, in words for people; `None` if [`Pipeline::done`] says all of it.
    pub(crate) fn came_to(&self, tool: &str, response: &Value) -> Option<String> {
        self.toolbox.get(tool)?.came_to(response)
    }

    /// The tool's own name for the record.
    fn known(&self, tool: &str) -> &'static str {
        self.toolbox.get(tool).map_or("unknown", |tool| tool.spec().name)
    }

    /// Forgets the results of a session that is erased.
    pub fn forget(&self, session: SessionId) {
        self.cache.forget(session);
    }

    /// The tool that a call is for, where whoever makes the call may know that it is there.
    fn found(&self, call: &Call, changes: &Mutex<Changes>) -> Option<&Arc<dyn Tool>> {
        let tool = self.toolbox.get(&call.tool)?;
        lock(changes, |view| knows(call, tool.spec(), view)).then_some(tool)
    }

    /// Validates and authorises.
    fn admitted(
        &self,
        call: &Call,
        changes: &Mutex<Changes>,
    ) -> Result<(&Arc<dyn Tool>, Value), ToolError> {
        let Some(tool) = self.found(call, changes) else {
            return Err(ToolError::InvalidParameters(format!("unknown tool `{}`", call.tool)));
        };
        if let Value::String(raw) = &call.args {
            return Err(ToolError::InvalidParameters(no_object(raw)));
        }
        let flow = lock(changes, |view| Arc::clone(&view.flow));
        let args = call.args.clone();
        let args = match call.origin {
            Origin::Step { .. } => self.toolbox.prepare_step(&call.tool, &flow, args)?,
            Origin::Model { .. } | Origin::Person { .. } | Origin::Engine => {
                self.toolbox.prepare(&call.tool, Some(&flow), args)?
            }
        };
        lock(changes, |view| authorise(call, tool.spec(), view, &self.toolbox))?;
        Ok((tool, args))
    }

    async fn run(
        &self,
        tool: &dyn Tool,
        call: &Call,
        changes: &Mutex<Changes>,
        (now, meter): (DateTime<Utc>, &Meter),
    ) -> (ToolResult, u32) {
        let session = lock(changes, |view| view.state.session);
        let spec = tool.spec();
        let cached = self.policy.cache && spec.cacheable;
        if cached && let Some(outcome) = self.cache.get(session, call).await {
            return (Ok(outcome), 0);
        }
        let cx = self.cx(call, changes, (now, meter));
        let (result, made) = attempts(self.policy_for(spec), spec.effect_class, || {
            tool.execute(&cx, call.args.clone())
        })
        .await;
        if cached && let Ok(outcome) = &result {
            self.cache.put(session, call, outcome).await;
        }
        (result, made)
    }

    fn cx<'a>(
        &'a self,
        call: &'a Call,
        changes: &'a Mutex<Changes>,
        (now, meter): (DateTime<Utc>, &'a Meter),
    ) -> ToolCx<'a> {
        let Self { artifacts, contacts, services, .. } = self;
        let models = lock(changes, |view| self.models.of(self.tenants.at(&view.state.place)));
        ToolCx { call: &call.id, now, changes, artifacts, contacts, models, meter, services }
    }

    /// The policy with the tool's own time limit, where it has one.
    fn policy_for(&self, spec: &ToolSpec) -> Policy {
        Policy { limit: spec.limit.unwrap_or(self.policy.limit), ..self.policy }
    }
}

/// The card of a model's call, unless it asks about what the flow's `never_ask` forbids: the model reads that and asks
/// something else.
fn allowed(call: &Call, outcome: Outcome, changes: &Mutex<Changes>) -> ToolResult {
    let Outcome::Waiting(waiting) = &outcome else { return Ok(outcome) };
    if !matches!(call.origin, Origin::Model { .. }) {
        return Ok(outcome);
    }
    let (session, never) = lock(changes, |view| (view.state.session, view.never_ask().to_vec()));
    let Some(found) = topics::forbidden_on_card(&never, &waiting.prompt.body.common_mark()) else {
        return Ok(outcome);
    };
    tracing::warn!(
        session.id = %session, topic = found.topic, tool = %call.tool,
        "the model asked about something that the flow's `never_ask` forbids; the card is not shown"
    );
    Err(ToolError::ForbiddenQuestion(quoted(found.topic)))
}

/// What a call came to, in the shape of its catalogue.
fn enveloped(result: ToolResult) -> Outcome {
    let told = |value: Value| json!({ "success": true, "data": value });
    match result {
        Ok(Outcome::Immediate(value)) => Outcome::Immediate(told(value)),
        Ok(Outcome::Made { value, handed }) => Outcome::Made { value: told(value), handed },
        Ok(open @ (Outcome::Waiting(_) | Outcome::Subtask(_))) => open,
        Err(error) => Outcome::Immediate(json!({ "success": false, "error": error.to_string() })),
    }
}

/// What a call comes to whose tool is gone.
pub fn unavailable(tool: &str) -> CallResult {
    let message = format!("there is no tool `{tool}` any more. hint: go on without it");
    CallResult::Err { code: "tool_unavailable".to_owned(), message }
}

fn lock<T>(changes: &Mutex<Changes>, read: impl FnOnce(&SessionView) -> T) -> T {
    read(&changes.lock().unwrap_or_else(PoisonError::into_inner))
}
