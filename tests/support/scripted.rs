//! A model that plays what a story gives it: no network, no chance, no time of its own.
//!
//! Turns stand in a queue and are played in order; a rule stands beside it and answers every request it fits, before
//! the queue. Every request is kept, and one that is not in order, or that no service would take, fails
//! the story at its end, as does one that nobody expected, or a turn that was never played.
//!
//! ```ignore
//! let model = Scripted::new();
//! model.next(Turn::calls("get_user_option", json!({ … })).saying("Let me ask."));
//! model.next(Turn::fails(Error::Busy));
//! model.next(Turn::says("Thank you").in_pieces(3).held_by(&gate));
//! …
//! assert_eq!(model.seen().len(), 3);
//! model.assert_played();
//! ```

use std::{
    collections::VecDeque,
    fmt::{self, Write as _},
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

use anteroom::{
    base::ids::CallId,
    config::llm::Service,
    model::usage::Usage,
    ports::llm::{
        Completion, Embedded, Embedder, Error, Model, Request, Sink,
        chat::{Finish, Message, Part, ToolCall},
        openai::wire,
    },
};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::specification::problems;

/// Where requests would go, were there a network.
static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    serde_json::from_value(json!({ "base_url": "http://127.0.0.1:9/v1", "model": "m" })).unwrap()
});

/// How the note of the closing turn begins.
const GOODBYE: &str = "<note>The interview is over";

/// What the model does with one request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    text: String,
    pieces: usize,
    calls: Vec<(String, String)>,
    refusal: Option<String>,
    finish: Option<Finish>,
    usage: Option<Usage>,
    error: Option<Error>,
    gate: Option<Gate>,
    stall: Option<Duration>,
}

impl Turn {
    /// Says something.
    pub(crate) fn says(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Calls a tool.
    pub(crate) fn calls(tool: &str, args: &Value) -> Self {
        Self::default().and_calls(tool, args)
    }

    /// Fails; after words, if it has some.
    pub(crate) fn fails(error: Error) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// Fails in the end.
    pub(crate) fn failing(self, error: Error) -> Self {
        Self { error: Some(error), ..self }
    }

    /// Says something besides.
    pub(crate) fn saying(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    /// Calls another tool in the same message.
    pub(crate) fn and_calls(self, tool: &str, args: &Value) -> Self {
        self.and_calls_raw(tool, &args.to_string())
    }

    /// The same with arguments that may be broken.
    pub(crate) fn and_calls_raw(mut self, tool: &str, raw: &str) -> Self {
        self.calls.push((tool.to_owned(), raw.to_owned()));
        self
    }

    /// Will not answer, and says why.
    pub(crate) fn refusing(self, why: &str) -> Self {
        Self { refusal: Some(why.to_owned()), ..self }
    }

    /// Streams its words in so many pieces.
    pub(crate) fn in_pieces(self, pieces: usize) -> Self {
        Self { pieces, ..self }
    }

    /// Stops for another reason than the usual one.
    pub(crate) fn finishing(self, finish: Finish) -> Self {
        Self { finish: Some(finish), ..self }
    }

    /// Costs something else than a token for every four characters.
    pub(crate) fn costing(self, usage: Usage) -> Self {
        Self { usage: Some(usage), ..self }
    }

    /// Waits before its last piece until the gate is open.
    pub(crate) fn held_by(self, gate: &Gate) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }

    /// Waits before its last piece on tokio's clock, which a test pauses and moves.
    pub(crate) fn stalling(self, time: Duration) -> Self {
        Self { stall: Some(time), ..self }
    }
}

/// Holds a model in the middle of a turn.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    open: watch::Sender<bool>,
    reached: watch::Sender<bool>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self { open: watch::Sender::new(false), reached: watch::Sender::new(false) }
    }

    /// Lets the model go on.
    pub(crate) fn open(&self) {
        self.open.send_replace(true);
    }

    /// Returns when the model stands before it.
    pub(crate) async fn reached(&self) {
        self.reached.subscribe().wait_for(|reached| *reached).await.unwrap();
    }

    /// Stands before it until it is open.
    pub(crate) async fn pass(&self) {
        self.reached.send_replace(true);
        self.open.subscribe().wait_for(|open| *open).await.unwrap();
    }
}

type Fits = Box<dyn Fn(&Request) -> bool + Send>;

#[derive(Default)]
struct Play {
    queue: VecDeque<Turn>,
    rules: Vec<(Fits, Turn)>,
    seen: Vec<Request>,
    calls: usize,
    faults: Vec<String>,
}

/// The model.
#[derive(Default)]
pub(crate) struct Scripted(Mutex<Play>);

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scripted")
    }
}

impl Scripted {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Adds a turn to the end of the queue.
    pub(crate) fn next(&self, turn: Turn) -> &Self {
        self.0.lock().unwrap().queue.push_back(turn);
        self
    }

    /// Answers every request that fits, from now on; the first such rule wins.
    pub(crate) fn whenever(
        &self,
        fits: impl Fn(&Request) -> bool + Send + 'static,
        turn: Turn,
    ) -> &Self {
        self.0.lock().unwrap().rules.push((Box::new(fits), turn));
        self
    }

    /// Every request so far.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.0.lock().unwrap().seen.clone()
    }

    /// What it read the n-th time, from 0, without its instructions.
    pub(crate) fn read(&self, n: usize) -> String {
        let seen = self.seen();
        let request =
            seen.get(n).unwrap_or_else(|| panic!("only {} requests were made", seen.len()));
        shown(request, 1)
    }

    /// What it read the n-th time and had not read before.
    pub(crate) fn news(&self, n: usize) -> String {
        let seen = self.seen();
        // Its own answer is the first thing after what it had read.
        let known = n.checked_sub(1).map_or(1, |before| seen[before].messages.len());
        shown(&seen[n], known)
    }

    /// Everything was played, nothing came unexpected or in disorder.
    pub(crate) fn assert_played(&self) {
        let play = self.0.lock().unwrap();
        assert!(play.faults.is_empty(), "{:#?}", play.faults);
        assert!(play.queue.is_empty(), "never played: {:#?}", play.queue);
    }

    fn take(&self, request: &Request) -> Result<(Turn, usize), Error> {
        let mut play = self.0.lock().unwrap();
        play.seen.push(request.clone());
        if let Some(why) = request.disorder() {
            play.faults.push(format!("{why}: {:#?}", request.messages));
            return Err(Error::Invalid(why));
        }
        for problem in problems(&wire::chat(&SERVICE, request)) {
            play.faults.push(format!("{problem}: {:#?}", request.messages));
        }
        let ruled = play.rules.iter().find(|(fits, _)| fits(request)).map(|(_, turn)| turn.clone());
        let scripted = ruled.or_else(|| play.queue.pop_front());
        // A story that has no goodbye is over without one.
        let silent = || shown(request, 1).contains(GOODBYE).then(|| Turn::says(""));
        let Some(turn) = scripted.or_else(silent) else {
            play.faults.push(format!("unexpected: {:#?}", request.messages.last()));
            return Err(Error::Invalid("the story has no turn for this"));
        };
        let first = play.calls;
        play.calls += turn.calls.len();
        Ok((turn, first))
    }
}

#[async_trait]
impl Model for Scripted {
    async fn chat(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, Error> {
        let (turn, first_call) = self.take(request)?;
        let mut pieces = pieces(&turn.text, turn.pieces.max(1));
        let last = pieces.pop();
        for piece in &pieces {
            sink.words(piece);
        }
        if let Some(gate) = &turn.gate {
            gate.pass().await;
        }
        if let Some(time) = turn.stall {
            tokio::time::sleep(time).await;
        }
        if let Some(piece) = last {
            sink.words(&piece);
        }
        if let Some(error) = turn.error {
            return Err(error);
        }
        let calls: Vec<ToolCall> = (first_call + 1..)
            .zip(turn.calls)
            .map(|(n, (name, raw))| ToolCall { id: CallId::new(format!("call_{n}")), name, raw })
            .collect();
        let usual = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let read = format!("{:?}", request.messages).len();
        let usage = Usage {
            input: u64::try_from(read / 4).unwrap(),
            output: u64::try_from(turn.text.len() / 4 + calls.len()).unwrap(),
            ..Usage::default()
        };
        Ok(Completion {
            text: turn.text,
            refusal: turn.refusal,
            calls,
            opaque: None,
            finish: turn.finish.unwrap_or(usual),
            usage: turn.usage.unwrap_or(usage),
            request_id: None,
        })
    }
}

/// The messages of a request as they are read, from this one on.
pub(crate) fn shown(request: &Request, from: usize) -> String {
    let mut text = String::new();
    for message in request.messages.iter().skip(from) {
        match message {
            Message::System(words) => _ = writeln!(text, "system: {words}"),
            Message::User(parts) => {
                for part in parts {
                    match part {
                        Part::Text(words) => _ = writeln!(text, "{words}"),
                        other => _ = writeln!(text, "{other:?}"),
                    }
                }
            }
            Message::Assistant { text: words, calls, .. } => {
                if !words.is_empty() {
                    _ = writeln!(text, "model: {words}");
                }
                for call in calls {
                    _ = writeln!(text, "model calls {} {} {}", call.id, call.name, call.raw);
                }
            }
            Message::Tool { call, content } => _ = writeln!(text, "{call} -> {content}"),
        }
    }
    text.trim_end().to_owned()
}

/// A text in `count` pieces of about the same length; none of nothing.
fn pieces(text: &str, count: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let size = characters.len().div_ceil(count).max(1);
    characters.chunks(size).map(|piece| piece.iter().collect()).collect()
}

/// Places texts by their words: the more words two share, the nearer they are.
#[derive(Debug, Default)]
pub(crate) struct WordVectors;

#[async_trait]
impl Embedder for WordVectors {
    async fn embed(&self, texts: &[String]) -> Result<Embedded, Error> {
        let vectors = texts.iter().map(|text| placed(text)).collect();
        Ok(Embedded { vectors, space: "words".to_owned(), usage: Usage::default() })
    }
}

fn placed(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; 256];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty())
    {
        // FNV-1a: the same on every machine.
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        vector[usize::try_from(hash % 256).unwrap()] += 1.0;
    }
    vector
}
