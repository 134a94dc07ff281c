//! What is told of a call while it runs: a log line, metrics, progress. Never an argument, never an answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use tokio::sync::broadcast;

use crate::{
    base::{
        ids::{CallId, SessionId},
        telemetry::metric,
    },
    model::transcript::Call,
    tool::{Outcome, ToolError},
};

/// Most progress events that a slow listener may lag behind; older ones are dropped for it.
const LAG_MAX: usize = 256;

/// Something happened to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// In which session.
    pub session: SessionId,
    /// Which call.
    pub call: CallId,
    /// Of which tool.
    pub tool: String,
    /// What happened.
    pub what: Happened,
}

/// What happened to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// It began.
    ToolCall,
    /// It came to something: `ok`, `waiting`, `subtask`, or the code of its failure.
    ToolResult {
        /// Which of them.
        outcome: &'static str,
    },
}

impl Happened {
    /// The name of the event: `tool_call` or `tool_result`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call",
            Self::ToolResult { .. } => "tool_result",
        }
    }
}

/// Tells of calls.
#[derive(Debug, Clone)]
pub struct Recorder {
    progress: broadcast::Sender<Progress>,
    running: Arc<Mutex<HashMap<SessionId, Vec<RunningCall>>>>,
}

/// A call that runs now, for those who look on.
#[derive(Debug, Clone)]
pub struct RunningCall {
    /// The call, which the session may not know of yet.
    pub call: Arc<Call>,
    /// What people read meanwhile.
    pub doing: &'static str,
    /// Since when it runs.
    pub since: DateTime<Utc>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { progress: broadcast::Sender::new(LAG_MAX), running: Arc::default() }
    }
}

/// A call that runs. Dropped without an end, it is as if it had not begun.
#[derive(Debug)]
pub struct Running<'a> {
    recorder: &'a Recorder,
    session: SessionId,
    call: &'a Call,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.recorder.with_running(|running| {
            let Some(calls) = running.get_mut(&self.session) else { return };
            if let Some(at) = calls.iter().position(|running| running.call.id == self.call.id) {
                calls.remove(at);
            }
            if calls.is_empty() {
                running.remove(&self.session);
            }
        });
    }
}

/// How a call went, apart from its content.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The tool by its own name; `unknown` where the call made one up, so that nobody adds to the names in metrics.
    pub tool: &'static str,
    /// How long it took.
    pub took: Duration,
    /// How many attempts were made; 0 for a call that was refused or served from the cache.
    pub attempts: u32,
}

impl Recorder {
    /// Hears of every call from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// The calls that run in a session now, in the order in which they began.
    pub fn running(&self, session: SessionId) -> Vec<RunningCall> {
        self.with_running(|all| all.get(&session).cloned()).unwrap_or_default()
    }

    fn with_running<T>(
        &self,
        read: impl FnOnce(&mut HashMap<SessionId, Vec<RunningCall>>) -> T,
    ) -> T {
        read(&mut self.running.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A call begins; `doing` is what people read meanwhile.
    pub fn begun<'a>(
        &'a self,
        session: SessionId,
        call: &'a Call,
        (doing, since): (&'static str, DateTime<Utc>),
    ) -> Running<'a> {
        let known = RunningCall { call: Arc::new(call.clone()), doing, since };
        self.with_running(|running| running.entry(session).or_default().push(known));
        let running = Running { recorder: self, session, call };
        self.tell(session, call, Happened::ToolCall);
        running
    }

    fn tell(&self, session: SessionId, call: &Call, what: Happened) {
        let progress = Progress { session, call: call.id.clone(), tool: call.tool.clone(), what };
        // Nobody needs to listen.
        drop(self.progress.send(progress));
    }
}

impl Running<'_> {
    /// The call came to something.
    pub fn ended(self, result: &Result<Outcome, ToolError>, effort: Effort) {
        let (recorder, session, call) = (self.recorder, self.session, self.call);
        // Whoever is told of the end does not find it running.
        drop(self);
        let outcome = match result {
            Ok(Outcome::Immediate(_) | Outcome::Made { .. }) => "ok",
            Ok(Outcome::Waiting(_)) => "waiting",
            Ok(Outcome::Subtask(_)) => "subtask",
            Err(error) => error.code(),
        };
        let duration_ms = u64::try_from(effort.took.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(
            session.id = %session,
            call.id = %call.id,
            tool.name = effort.tool,
            outcome,
            attempts = effort.attempts,
            duration_ms,
            "tool call ended"
        );
        metrics::counter!(metric::CALLS, "tool" => effort.tool, "outcome" => outcome).increment(1);
        metrics::histogram!(metric::CALL_SECONDS, "tool" => effort.tool)
            .record(effort.took.as_secs_f64());
        recorder.tell(session, call, Happened::ToolResult { outcome });
    }
}
