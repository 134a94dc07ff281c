//! A model and tools that give what was recorded.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use crate::{
    base::ids::CallId,
    flow::LoadedFlow,
    model::{
        session::PersonId,
        transcript::{CallResult, Event, Intent, Recorded, Thought},
        ui::Reply,
        usage::Usage,
    },
    ports::{
        contacts::{self, ContactSource, Fetched, Wanted},
        llm::{
            Completion, Error, Model, Request, Sink,
            chat::{Finish, ToolCall},
            error::{Fault, Stage, Told},
        },
    },
    tool::{Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, Toolbox},
};

/// Longer than any pause that a tool is given, so that a recorded failure is not tried again.
const NEVER: Duration = Duration::from_hours(1);

/// A contact source that served the participant. What it found is a result that was recorded.
#[derive(Debug)]
pub(super) struct Served(&'static str);

impl Served {
    /// The source of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        contacts::NAMES.into_iter().find(|known| *known == name).map(Self)
    }
}

#[async_trait]
impl ContactSource for Served {
    fn name(&self) -> &'static str {
        self.0
    }

    fn serves(&self, _person: &PersonId) -> bool {
        true
    }

    async fn fetch(&self, _wanted: &Wanted) -> Fetched {
        Fetched::not_found("what was found is in the recording")
    }
}

/// A model that is given its answers one by one; until then whoever asks waits.
#[derive(Debug)]
pub(super) struct Answers {
    queue: Mutex<VecDeque<Result<Completion, Error>>>,
    ready: Semaphore,
    /// Who waits for an answer, and how many were taken.
    count: watch::Sender<(u64, u64)>,
    /// How many were taken when the last one was given.
    before: Mutex<u64>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            queue: Mutex::default(),
            ready: Semaphore::new(0),
            count: watch::Sender::new((0, 0)),
            before: Mutex::default(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Answers {
    /// Gives the answer that led to an event; whether there was one.
    pub(super) fn give(&self, event: &Event) -> bool {
        let Some(answer) = answer(event) else { return false };
        *lock(&self.before) = self.count.borrow().1;
        lock(&self.queue).push_back(answer);
        self.ready.add_permits(1);
        true
    }

    /// Returns when the answer that was given last is taken.
    pub(super) async fn taken(&self) {
        let before = *lock(&self.before);
        // The sender lives as long as `self`.
        _ = self.count.subscribe().wait_for(|(_, taken)| *taken > before).await;
    }

    /// Forgets an answer that nobody has taken.
    pub(super) fn forget(&self) {
        let left = std::mem::take(&mut *lock(&self.queue)).len();
        self.ready.forget_permits(left);
    }

    /// Returns when somebody waits for an answer.
    pub(super) async fn asked(&self) {
        _ = self.count.subscribe().wait_for(|(waiting, _)| *waiting > 0).await;
    }

    /// Whether somebody waits for an answer.
    pub(super) fn is_asked(&self) -> bool {
        self.count.borrow().0 > 0
    }
}

/// Somebody waits, for as long as this lives.
struct Waiting<'a>(&'a Answers);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.count.send_modify(|(waiting, _)| *waiting -= 1);
    }
}

#[async_trait]
impl Model for Answers {
    async fn chat(&self, _request: &Request, _sink: &mut dyn Sink) -> Result<Completion, Error> {
        self.count.send_modify(|(waiting, _)| *waiting += 1);
        let waiting = Waiting(self);
        let gone = || Err(Error::Invalid("the recording is over"));
        let Ok(permit) = self.ready.acquire().await else { return gone() };
        permit.forget();
        let Some(answer) = lock(&self.queue).pop_front() else { return gone() };
        drop(waiting);
        self.count.send_modify(|(_, taken)| *taken += 1);
        answer
    }
}

fn said(text: &str, finish: Finish) -> Completion {
    Completion {
        text: text.to_owned(),
        refusal: None,
        calls: Vec::new(),
        opaque: None,
        finish,
        usage: Usage::default(),
        request_id: None,
    }
}

/// What the model must have answered for an event to come of it.
fn answer(event: &Event) -> Option<Result<Completion, Error>> {
    match event {
        Event::Thought(Thought { text, calls, usage, opaque, .. }) => {
            let call = |Intent { id, tool, args }: &Intent| ToolCall {
                id: id.clone(),
                name: tool.clone(),
                raw: match args {
                    Value::String(raw) => raw.clone(),
                    args => args.to_string(),
                },
            };
            let calls = calls.iter().map(call).collect();
            let opaque = opaque.clone();
            Some(Ok(Completion { calls, opaque, usage: *usage, ..said(text, Finish::Stop) }))
        }
        Event::Summarised { text, usage, .. } => {
            Some(Ok(Completion { usage: *usage, ..said(text, Finish::Stop) }))
        }
        Event::ThinkingFailed { code, .. } => match code.as_str() {
            // Decided without asking.
            "budget" => None,
            "refused" => {
                let refusal = Some("refused".to_owned());
                Some(Ok(Completion { refusal, ..said("", Finish::Stop) }))
            }
            "filtered" => Some(Ok(said("", Finish::Filtered))),
            "cut_off" => Some(Ok(said("", Finish::Length))),
            "empty_answer" => Some(Ok(said("", Finish::Stop))),
            code => Some(Err(failure(code))),
        },
        _ => None,
    }
}

/// The failure of this word.
fn failure(word: &str) -> Error {
    let told = Told::default;
    let known = [
        Error::RateLimited { told: told(), retry_after: None },
        Error::Timeout(Stage::Connect),
        Error::Timeout(Stage::FirstByte),
        Error::Timeout(Stage::Idle),
        Error::Timeout(Stage::Whole),
        Error::Cut,
        Error::BadAnswer(Fault::Shape),
        Error::Overflow(told()),
        Error::Misconfigured(told()),
        Error::Exhausted(told()),
        Error::Busy,
        Error::Resting(Duration::ZERO),
        Error::TooLarge { bytes: 0, max: 0 },
        Error::Invalid("recorded"),
    ];
    let unknown = || Error::Transient { told: told(), retry_after: None };
    known.into_iter().find(|error| error.word() == word).unwrap_or_else(unknown)
}

/// What calls came to.
#[derive(Debug, Default)]
pub(super) struct Results(HashMap<CallId, CallResult>);

impl Results {
    pub(super) fn of(events: &[Recorded]) -> Self {
        let results = events.iter().filter_map(|recorded| match &*recorded.event {
            Event::Returned { call, result } => Some((call.clone(), result.clone())),
            _ => None,
        });
        Self(results.collect())
    }

    /// The tools, of which those that look at more than the session give what was recorded.
    pub(super) fn over(self, toolbox: &Toolbox) -> Toolbox {
        let results = Arc::new(self);
        toolbox.wrapped(|tool| {
            if tool.spec().at_once {
                return Arc::clone(tool);
            }
            Arc::new(Played { tool: Arc::clone(tool), results: Arc::clone(&results) })
        })
    }
}

/// A tool that gives what was recorded.
struct Played {
    tool: Arc<dyn Tool>,
    results: Arc<Results>,
}

impl fmt::Debug for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "recorded {:?}", self.tool)
    }
}

#[async_trait]
impl Tool for Played {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn parameters_for(&self, flow: &LoadedFlow) -> Value {
        self.tool.parameters_for(flow)
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        match self.results.0.get(cx.call) {
            Some(CallResult::Ok { value }) if self.spec().enveloped => opened(value),
            Some(CallResult::Ok { value }) => Ok(Outcome::Immediate(value.clone())),
            Some(CallResult::Err { code, message }) => match failed(code, message) {
                Some(error) => Err(error),
                // It fails by itself in the same way.
                None => self.tool.execute(cx, args).await,
            },
            None => {
                let message = "no result was recorded for this call".to_owned();
                Err(ToolError::ExecutionFailed(message))
            }
        }
    }

    async fn resume(&self, cx: &ToolCx<'_>, state: Value, reply: Reply) -> ToolResult {
        self.tool.resume(cx, state, reply).await
    }
}

/// What a tool answered before it was put in the shape of its catalogue.
fn opened(value: &Value) -> ToolResult {
    match value.get("error").and_then(Value::as_str) {
        Some(error) => Err(ToolError::ExecutionFailed(error.to_owned())),
        None => Ok(Outcome::Immediate(value["data"].clone())),
    }
}

fn failed(code: &str, message: &str) -> Option<ToolError> {
    let message = message.to_owned();
    Some(match code {
        "invalid_parameters" => ToolError::InvalidParameters(message),
        "execution_failed" => ToolError::ExecutionFailed(message),
        "permission_denied" => ToolError::PermissionDenied(message),
        "user_cancelled" => ToolError::UserCancelled,
        "tool_changed" => ToolError::Changed,
        "transient" | "timeout" => ToolError::Transient { message, retry_after: Some(NEVER) },
        _ => return None,
    })
}
