//! The tool protocol: how the model, or a script, does things, and how a call waits for a person.
//!
//! ```text
//! call ─▶ validate ─▶ authorise ─▶ cache ─▶ time limit ─▶ retry ─▶ execute ─▶ record
//!                                                                    │
//!               Immediate(value) ◀───────────────────────────────────┤
//!               Waiting { prompt, state } ──▶ the wait is stored ──▶ days later ──▶ resume(state, reply)
//!               Subtask(request) ──▶ the engine begins a child run ──▶ its end ──▶ deliver(child, conclusion)
//! ```

pub mod catalog;
pub mod delegated;
pub mod error;
pub mod meter;
pub mod pipeline;
pub mod services;
pub mod toolbox;

use std::{fmt, sync::Mutex, time::Duration};

use async_trait::async_trait;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::{
    error::ToolError,
    meter::Meter,
    pipeline::{Pipeline, Policy},
    services::Services,
    toolbox::{Partner, Toolbox},
};
use crate::{
    base::ids::{CallId, SessionId},
    messages,
    model::{
        artifact::Artifact,
        effect::Handout,
        task::Conclusion,
        ui::{Prompt, Reply},
        wait::Answerers,
    },
    ports::{
        artifacts::{Artifacts, check::Kind},
        contacts::Contacts,
        llm::Models,
    },
    session::{Changes, SessionView},
};

/// Something the model can call. Tools hold no state of their own: what a call must remember across a person's
/// answer goes into [`Outcome::Waiting`] and comes back in [`Tool::resume`], perhaps in another process.
#[async_trait]
pub trait Tool: fmt::Debug + Send + Sync {
    /// What the tool is, to the model and to the pipeline.
    fn spec(&self) -> &ToolSpec;

    /// The parameter schema for one flow; differs from the specification's only in generated enums.
    fn parameters_for(&self, _flow: &crate::flow::LoadedFlow) -> Value {
        self.spec().parameters.clone()
    }

    /// Arguments as they are meant, before they are checked: other spellings than the schema's, where there is no doubt.
    fn understood(&self, _flow: &crate::flow::LoadedFlow, args: Value) -> Value {
        args
    }

    /// Starts the call. `args` satisfy the schema.
    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult;

    /// Finishes a call that answered [`Outcome::Waiting`]. Must tolerate being run twice. Only a tool that waits has one
    /// of its own: of any other, the call that an answer is for was made by an earlier version, which did wait.
    async fn resume(&self, _cx: &ToolCx<'_>, _state: Value, _reply: Reply) -> ToolResult {
        Err(ToolError::Changed)
    }

    /// What a call has come to, as the participant reads it beside [`ToolSpec::done`]: `Found 4 roles`. None where that
    /// says all of it, as it does for most tools.
    fn came_to(&self, _response: &Value) -> Option<String> {
        None
    }

    /// The response of a call that answered [`Outcome::Subtask`], from what came of the child run. May be made twice.
    fn deliver(&self, _child: SessionId, conclusion: &Conclusion) -> Result<Value, ToolError> {
        match conclusion {
            Conclusion::Completed { output } => Ok(output.clone()),
            Conclusion::Failed { message, .. } => Err(ToolError::ExecutionFailed(message.clone())),
            Conclusion::Cancelled { .. } => Err(ToolError::UserCancelled),
        }
    }
}

/// What a tool is.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a thing of its own")]
pub struct ToolSpec {
    /// The name the model calls, in `snake_case`; unique across all catalogues.
    pub name: &'static str,
    /// When to use it, in one or two sentences to the model.
    pub description: &'static str,
    /// What the participant reads while it runs, such as `Reading your file…`: words for people, never its name.
    pub doing: &'static str,
    /// What they read once it is done, such as `Read your file`; empty where they see for themselves, or need not know.
    pub done: &'static str,
    /// JSON Schema (2020-12) of the arguments, as the specification has it.
    pub parameters: Value,
    /// Arguments that a step of a flow may give besides, or within other bounds, by name, with their schemas. No model is
    /// shown them.
    pub for_scripts: Value,
    /// What a restart does with a call that had begun and left no result.
    pub effect_class: EffectClass,
    /// Results may be served again for five minutes.
    pub cacheable: bool,
    /// It changes the session itself: such calls of one round are made one after the other.
    pub changes_session: bool,
    /// It looks at nothing but the session and its arguments, and is done at once: it is made again without a thought,
    /// so what it comes to is committed together with the step before it.
    pub at_once: bool,
    /// Every phase that a model leads has it, whatever the flow lists. No child run has it: it talks to nobody.
    pub in_every_phase: bool,
    /// Only staff may have it called: nobody else is shown that it is there, and to their calls it is unknown.
    pub admin_only: bool,
    /// It says how well people fit: only for flows whose policy has `score_people = true`.
    pub scores_people: bool,
    /// Its own time limit for an attempt, where it asks a model by itself; `None` for the policy's.
    pub limit: Option<Duration>,
    /// What it comes to is told as `{"success": true, "data": …}` or `{"success": false, "error": "…"}`.
    pub enveloped: bool,
    /// The capability that a successful call records; `None` for most.
    pub capability: Option<&'static str>,
}

/// What people read while a tool runs that has no words of its own.
pub const WORKING: &str = messages::interview::WORKING;

impl ToolSpec {
    /// A tool for the model, whose results are not kept and which records no capability.
    pub const fn new(
        name: &'static str,
        description: &'static str,
        effect_class: EffectClass,
        parameters: Value,
    ) -> Self {
        Self {
            name,
            description,
            doing: WORKING,
            done: "",
            parameters,
            for_scripts: Value::Null,
            effect_class,
            cacheable: false,
            changes_session: false,
            at_once: false,
            in_every_phase: false,
            admin_only: false,
            scores_people: false,
            limit: None,
            enveloped: false,
            capability: None,
        }
    }
}

/// What a restart does with a call that had begun and left no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectClass {
    /// Changes nothing outside: run it again.
    Pure,
    /// Safe to repeat under the call's own id as key.
    Idempotent,
    /// Ask the outside what happened, then decide.
    Reconcile,
    /// Never repeat: report `outcome_unknown` and ask a person.
    AtMostOnce,
}

/// What a tool call came to.
pub type ToolResult = Result<Outcome, ToolError>;

/// A call that did not fail.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Done; the value goes to the model.
    Immediate(Value),
    /// A person must answer first.
    Waiting(Box<Waiting>),
    /// Done, with something for the participant.
    Made {
        /// What goes to the model.
        value: Value,
        /// What is handed over, in this order.
        handed: Vec<Handed>,
    },
    /// A child run must finish first. The engine runs it; a tool never does.
    Subtask(SubtaskRequest),
}

/// What a suspended call leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// What to show.
    pub prompt: Prompt,
    /// What to remember. Stored as is, so never a secret.
    pub state: Value,
    /// Who may answer.
    pub answerers: Answerers,
    /// When it lapses; `None` for the flow's patience alone.
    pub expires_at: Option<DateTime<Utc>>,
}

impl Outcome {
    /// Waits for the participant, for as long as the flow's patience lasts.
    pub fn ask(prompt: Prompt, state: Value) -> Self {
        let answerers = Answerers::Participant;
        Self::Waiting(Box::new(Waiting { prompt, state, answerers, expires_at: None }))
    }
}

/// What a tool hands the participant; a file is kept by [`ToolCx::make`] before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    /// What.
    pub what: Handout,
    /// What stands beside it: `CommonMark` without raw HTML.
    pub text: String,
}

/// A child run that a tool asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct SubtaskRequest {
    /// `atomic`.
    pub kind: String,
    /// What is to be done, in words.
    pub description: String,
    /// What with.
    pub inputs: Value,
    /// Words that lead to a template.
    pub template_hints: Vec<String>,
}

/// What a tool may see and use during one call.
#[derive(Debug)]
pub struct ToolCx<'a> {
    /// The call.
    pub call: &'a CallId,
    /// The time of the call.
    pub now: DateTime<Utc>,
    /// The session: read it, and propose changes that are committed together with the call's result.
    pub changes: &'a Mutex<Changes>,
    /// Files that were sent.
    pub artifacts: &'a Artifacts,
    /// Contact sources.
    pub contacts: &'a Contacts,
    /// Models, for a tool that asks one by itself.
    pub models: &'a Models,
    /// Where it notes what that cost, so that it counts for the session.
    pub meter: &'a Meter,
    /// What else there is to use: the web, what was said, what the operator set up.
    pub services: &'a Services,
}

impl ToolCx<'_> {
    /// Reads the session.
    pub fn read<T>(&self, read: impl FnOnce(&SessionView) -> T) -> T {
        self.change(|session| read(session))
    }

    /// Changes the session. That counts only if the call's result is committed.
    pub fn change<T>(&self, change: impl FnOnce(&mut Changes) -> T) -> T {
        change(&mut self.changes.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// Keeps a file that the tool made, for [`Outcome::Made`]. A call that is made again keeps another one; what no
    /// call came to goes with the session.
    pub async fn make(
        &self,
        filename: &str,
        kind: Kind,
        bytes: Vec<u8>,
    ) -> Result<Artifact, ToolError> {
        let session = self.read(|view| view.state.files_of());
        self.artifacts.make(session, filename, kind, bytes).await.map_err(|_| {
            let message = "the file could not be kept just now".to_owned();
            ToolError::Transient { message, retry_after: None }
        })
    }

    /// When the call's question was answered, so that a second `resume` says the same; the time of the call before.
    pub(crate) fn answered_at(&self) -> DateTime<Utc> {
        self.read(|view| {
            let state = &view.state;
            let wait = state.call(self.call).and_then(|call| call.wait);
            let status = wait.and_then(|id| state.waits.get(&id)).map(|wait| &wait.status);
            status.and_then(|status| status.answer()).map_or(self.now, |answer| answer.3)
        })
    }
}

/// Arguments as a tool's own type. They satisfy the schema by now, so a mismatch is a schema that says too little.
pub(crate) fn parse_args<T: DeserializeOwned>(args: Value) -> Result<T, ToolError> {
    serde_json::from_value(args).map_err(|error| ToolError::InvalidParameters(error.to_string()))
}

/// What a call remembered, as a tool's own type; [`ToolError::Changed`] if an older or newer tool wrote it.
pub(crate) fn parse_state<T: DeserializeOwned>(state: Value) -> Result<T, ToolError> {
    serde_json::from_value(state).map_err(|_| ToolError::Changed)
}

/// A moment as tool responses have it: `2025-10-24T10:30:00Z`.
pub fn stamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
