//! Recordings: what went in and out of conversations, as JSON lines, so that they can be run again without network.
//!
//! ```text
//! {"anteroom_recording":1,"by":"0.1.0","window_tokens":60000}
//! {"begin":{"session":"ses_…","key":"…","from":{…},"flow":"candidate-onboarding","source":"…","vars":{…},"has_model":true}}
//! {"in":{"at":"…","inbound":{…}}}                    somebody did something
//! {"committed":{"session":"ses_…","key":"…","events":[…]}}   what became durable of it: the model's answers, tools' results
//! {"read":{"session":"ses_…","knew":11,"text":"…"}}  what the model had read when it answered
//! ```
//!
//! Conversations that begin while it records are recorded, from their first event. A recording holds everything that
//! people wrote and no key of anybody's; its file is for its owner alone. [`replay`] runs it again.

pub mod conversations;
pub mod replay;

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{self, Write as _},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Engine, Inbound, context_window};
use crate::{
    base::ids::SessionId,
    flow::LoadedFlow,
    model::{
        session::Place,
        transcript::{Event, Recorded},
    },
    ports::llm::chat::{Message, Part, Request},
    session::State,
    store::Commit,
    tool::{Partner, Toolbox},
};

/// The form of a recording that this program writes and reads.
const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Header {
    /// [`VERSION`] of the writer.
    anteroom_recording: u32,
    /// The program's version.
    by: String,
    /// [`super::Limits::window_tokens`], on which it depends when a conversation is shortened.
    window_tokens: u64,
}

/// Every other line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// A conversation begins; its first events follow.
    Begin(Box<Begin>),
    /// Somebody did something; whether anything came of it is in a commit with its key.
    In {
        /// When.
        at: DateTime<Utc>,
        /// What.
        inbound: Box<Inbound>,
    },
    /// Events became durable together.
    Committed {
        /// Whose.
        session: SessionId,
        /// Of which inbound event; `None` if they followed by themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// The events.
        events: Vec<Recorded>,
    },
    /// What the model had read, without what it had read the time before.
    Read {
        /// In which conversation.
        session: SessionId,
        /// The last event that it knew.
        knew: u64,
        /// Its words.
        text: String,
    },
}

/// How a conversation began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Begin {
    session: SessionId,
    /// Key of the inbound event.
    key: String,
    /// The flow's id, its file, and the operator's values for it.
    flow: String,
    source: String,
    vars: BTreeMap<String, String>,
    /// A model was configured.
    has_model: bool,
}

/// Writes a recording. What cannot be written is said once in the log, and ends it; conversations go on.
#[derive(Debug)]
pub struct Recorder(Mutex<Option<Tape>>);

#[derive(Debug)]
struct Tape {
    file: File,
    sessions: HashMap<SessionId, Told>,
}

/// What is known of a session that is recorded.
#[derive(Debug, Default)]
struct Told {
    events: Vec<Recorded>,
    /// What the model has read last.
    read: Vec<String>,
}

/// What was committed.
#[derive(Debug)]
pub(super) struct Committed {
    pub(super) session: SessionId,
    /// The last event before.
    pub(super) expected: u64,
    pub(super) key: Option<String>,
    pub(super) events: Vec<Recorded>,
    pub(super) place: Place,
}

impl Committed {
    pub(super) fn of(commit: &Commit) -> Self {
        Self {
            session: commit.head.id,
            expected: commit.expected,
            key: commit.dedup.clone(),
            events: commit.events.clone(),
            place: commit.head.place.clone(),
        }
    }
}

/// The text of a recording as it lies in its file: a torn last line may end within a character, which is left out.
pub fn text_of(mut file: Vec<u8>) -> io::Result<String> {
    if let Err(error) = std::str::from_utf8(&file)
        && error.error_len().is_none()
    {
        file.truncate(error.valid_up_to());
    }
    String::from_utf8(file).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

impl Recorder {
    /// Begins a recording in a file that must not be there yet; only its owner may read it.
    pub fn create(file: &Path, window_tokens: u64) -> io::Result<Self> {
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut options = File::options();
        let file = options.write(true).create_new(true).mode(0o600).open(file)?;
        let by = env!("CARGO_PKG_VERSION").to_owned();
        let mut tape = Tape { file, sessions: HashMap::new() };
        tape.write(&Header { anteroom_recording: VERSION, by, window_tokens })?;
        Ok(Self(Mutex::new(Some(tape))))
    }

    fn with(&self, act: impl FnOnce(&mut Tape) -> io::Result<()>) {
        let mut tape = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = tape.as_mut()
            && let Err(error) = act(open)
        {
            tracing::error!(%error, "the recording has ended. hint: check free space; conversations go on");
            *tape = None;
        }
    }
}

impl Tape {
    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        // One write for a line: what a crash leaves behind is whole lines, and perhaps a torn last one.
        self.file.write_all(&text)
    }

    fn committed(
        &mut self,
        committed: Committed,
        flow: &LoadedFlow,
        (toolbox, has_model): (&Toolbox, bool),
    ) -> io::Result<()> {
        let Committed { session, expected, key, events, place: _ } = committed;
        // A child run begins without anybody doing anything; what it comes to is a result of its parent's.
        if let (0, Some(key)) = (expected, &key) {
            let LoadedFlow { flow, source, vars, .. } = flow;
            let begin = Begin {
                session,
                key: key.clone(),
                flow: flow.id.clone(),
                source: source.clone(),
                vars: vars.clone(),
                has_model,
            };
            self.write(&Line::Begin(Box::new(begin)))?;
            self.sessions.insert(session, Told::default());
        }
        let Some(told) = self.sessions.get_mut(&session) else { return Ok(()) };
        told.events.extend(events.iter().cloned());
        let read: Vec<Line> = events
            .iter()
            .filter_map(|recorded| match &*recorded.event {
                Event::Thought(thought) => Some(thought.knew),
                _ => None,
            })
            .map(|knew| {
                let text = told.reads(flow, toolbox, knew);
                Line::Read { session, knew, text }
            })
            .collect();
        self.write(&Line::Committed { session, key, events })?;
        read.iter().try_for_each(|line| self.write(line))
    }
}

impl Told {
    /// What the model read up to an event, without what it had read the time before.
    fn reads(&mut self, flow: &LoadedFlow, toolbox: &Toolbox, knew: u64) -> String {
        let all = read(flow, toolbox, &self.events, knew);
        let shared = self.read.iter().zip(&all).take_while(|(before, now)| before == now).count();
        let news = all.get(shared..).unwrap_or_default().join("\n");
        self.read = all;
        news
    }
}

/// Everything that the model reads when it knows the events up to `knew`: its messages in words, its tools by name.
fn read(flow: &LoadedFlow, toolbox: &Toolbox, events: &[Recorded], knew: u64) -> Vec<String> {
    let known = events.iter().take_while(|recorded| recorded.seq <= knew);
    let known: Vec<Recorded> = known.cloned().collect();
    let state = State::fold(&known);
    let phase = state.as_ref().and_then(|state| state.phase()).unwrap_or_default();
    let partner = state.as_ref().map_or(Partner::Participant, Partner::from);
    let tools = toolbox.phase_schemas(flow, phase, partner);
    let names: Vec<&str> =
        tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
    let Request { messages, .. } = context_window::request(flow, &known, Arc::default(), false);
    let tools = format!("tools: {}", names.join(", "));
    std::iter::once(tools).chain(messages.iter().map(in_words)).collect()
}

fn in_words(message: &Message) -> String {
    match message {
        Message::System(text) => format!("system: {text}"),
        Message::User(parts) => {
            let part = |part: &Part| match part {
                Part::Text(text) => text.clone(),
                Part::Image { .. } | Part::File { .. } => format!("{part:?}"),
            };
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        Message::Assistant { text, calls, .. } => {
            let calls = calls.iter().map(|c| format!("model calls {} {} {}", c.id, c.name, c.raw));
            let words = Some(format!("model: {text}")).filter(|_| !text.is_empty());
            words.into_iter().chain(calls).collect::<Vec<_>>().join("\n")
        }
        Message::Tool { call, content } => format!("{call} -> {content}"),
    }
}

impl Engine {
    /// Records from now on; a second recorder is not taken.
    pub fn record_to(&self, recorder: Recorder) {
        _ = self.inner.recorder.set(recorder);
    }

    /// Notes what arrives, before anything is done about it.
    pub(super) fn note_inbound(&self, inbound: &Inbound) {
        if let Some(recorder) = self.inner.recorder.get() {
            let (at, inbound) = (self.inner.parts.clock.now(), Box::new(inbound.clone()));
            recorder.with(|tape| {
                let is_recorded = tape.sessions.contains_key(&inbound.session);
                if is_recorded { tape.write(&Line::In { at, inbound }) } else { Ok(()) }
            });
        }
    }

    /// Notes what has become durable.
    pub(super) fn note_commit(&self, committed: Option<Box<Committed>>, flow: &LoadedFlow) {
        if let (Some(recorder), Some(committed)) = (self.inner.recorder.get(), committed) {
            let has_model = self.has_model(&committed.place);
            let around = (self.inner.parts.toolbox.as_ref(), has_model);
            recorder.with(|tape| tape.committed(*committed, flow, around));
        }
    }

    /// Whether somebody wants to know what is committed.
    pub(super) fn is_recorded(&self) -> bool {
        self.inner.recorder.get().is_some()
    }
}
