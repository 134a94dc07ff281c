//! Runs a recording again, without network: the same things come in at the same times, the model gives the answers
//! and tools that reach outside give the results that were recorded. What people and the model see now is compared
//! with what they saw then.
//!
//! Tools that only look at the session are run as they are now. Identifiers and times of day are compared by their
//! order, since they differ in every run. Web hooks, exports and files are not looked at.

mod played;
mod seen;

use std::{
    collections::{BTreeMap, VecDeque},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use similar::TextDiff;
use uuid::Uuid;

use super::{
    super::{Gateway, Inbound, Limits, Parts},
    Begin, Engine, Header, Line, VERSION, read,
};
use crate::{
    base::{
        clock::{Clock, FixedClock},
        ids::{Ids, SessionId, WaitId},
    },
    flow::{Library, LoadedFlow},
    model::{
        effect::{Delivery, Effect, Rendering},
        session::Platform,
        transcript::{Event, Recorded},
        wait::Wait,
    },
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::{ContactSource, Contacts},
        llm::{Model, Models},
    },
    session::Responder,
    store::{Store as _, memory::MemoryStore},
    tool::{Services, Toolbox},
};

use self::{
    played::{Answers, Results, Served},
    seen::{normal, people},
};

/// Longest time for one step of a conversation; they take milliseconds.
const STEP_MAX: Duration = Duration::from_secs(20);

/// Lines around a difference.
const CONTEXT: usize = 3;

/// Why a recording could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is none, or one of another form.
    #[error("line {line}: {why}")]
    Unreadable {
        /// Which line, from 1.
        line: usize,
        /// Why not.
        why: String,
    },
    /// Its flow cannot be run by this program any more.
    #[error("the recorded flow is not valid any more: {0}")]
    Flow(String),
    /// The engine did not do as it should.
    #[error(transparent)]
    Engine(#[from] super::super::Error),
    /// A folder to run it in could not be made.
    #[error("the conversation could not be set up")]
    Setup(#[source] crate::ports::artifacts::blobs::Error),
    /// It does not come to rest.
    #[error("the conversation does not come to rest at {0}")]
    Restless(DateTime<Utc>),
}

/// What a replay came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How many conversations were run.
    pub conversations: usize,
    /// What differs, as a unified diff; empty where nothing does.
    pub diff: String,
    /// The last line was torn and is left out: conversations are compared as far as it goes.
    pub is_cut: bool,
}

/// Runs a recording. `folder` is an empty one that may be filled.
pub async fn replay(text: &str, toolbox: &Toolbox, folder: &Path) -> Result<Outcome, Error> {
    let Parsed { header, lines, is_cut } = parsed(text)?;
    let mut tapes = tapes(lines);
    if is_cut {
        // The line of its first events may be the one that was torn.
        tapes.retain(|_, tape| !tape.events.is_empty());
    }
    let mut diff = String::new();
    for (n, (session, tape)) in tapes.iter().enumerate() {
        let mut stage = Stage::set(&header, tape, toolbox, &folder.join(n.to_string()))?;
        let now = stage.play(tape).await?;
        let then = tape.shown();
        for (what, then, now) in
            [("what people saw", &then.0, &now.0), ("what the model read", &then.1, &now.1)]
        {
            let (then, mut now) = (normal(then), normal(now));
            if is_cut {
                now = as_far_as(&then, &now);
            }
            if then != now {
                let compared = TextDiff::from_lines(&then, &now);
                let mut unified = compared.unified_diff();
                let names =
                    (format!("{session}: {what}, recorded"), format!("{session}: {what}, now"));
                unified.context_radius(CONTEXT).header(&names.0, &names.1);
                diff.push_str(&unified.to_string());
            }
        }
    }
    Ok(Outcome { conversations: tapes.len(), diff, is_cut })
}

/// As many lines of `text` as `other` has.
fn as_far_as(other: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().take(other.lines().count()).collect();
    let end = if other.ends_with('\n') { "\n" } else { "" };
    lines.join("\n") + end
}

/// What was recorded of one conversation.
#[derive(Debug)]
struct Tape {
    begin: Begin,
    inbound: Vec<(DateTime<Utc>, Inbound)>,
    /// In their order: with the key of the inbound event, or what followed by itself; inbound events from which
    /// nothing came.
    steps: Vec<Step>,
    events: Vec<Recorded>,
    read: Vec<String>,
}

#[derive(Debug)]
enum Step {
    /// Somebody does something.
    In(DateTime<Utc>, Box<Inbound>),
    /// The model answers, or time passes.
    Went(Vec<Recorded>),
}

/// A recording.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) header: Header,
    pub(super) lines: Vec<Line>,
    /// The last line was torn, as a kill leaves it, and is left out.
    pub(super) is_cut: bool,
}

/// The lines of a recording. A last one that ends before its end is left out; any other that can't be read is an error.
pub(super) fn parsed(text: &str) -> Result<Parsed, Error> {
    let unreadable = |line: usize, why: String| Error::Unreadable { line: line + 1, why };
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let first = lines.next().ok_or_else(|| unreadable(0, "the file is empty".to_owned()))?;
    let header: Header = serde_json::from_str(first.1).map_err(|_| {
        let why = "this is no recording. hint: `anteroom play --record FILE` makes one";
        unreadable(first.0, why.to_owned())
    })?;
    if header.anteroom_recording != VERSION {
        let why = format!(
            "a recording of version {}, and this program reads version {VERSION}. hint: it was made by {}",
            header.anteroom_recording, header.by
        );
        return Err(unreadable(first.0, why));
    }
    let (mut read, mut lines) = (Vec::new(), lines.peekable());
    let mut is_cut = false;
    while let Some((n, line)) = lines.next() {
        match serde_json::from_str(line) {
            Ok(line) => read.push(line),
            Err(error) if error.is_eof() && lines.peek().is_none() && !text.ends_with('\n') => {
                is_cut = true;
            }
            Err(error) => return Err(unreadable(n, error.to_string())),
        }
    }
    Ok(Parsed { header, lines: read, is_cut })
}

fn tapes(lines: Vec<Line>) -> BTreeMap<SessionId, Tape> {
    let mut tapes: BTreeMap<SessionId, Tape> = BTreeMap::new();
    for line in lines {
        match line {
            Line::Begin(begin) => {
                let session = begin.session;
                let tape = Tape {
                    begin: *begin,
                    inbound: Vec::new(),
                    steps: Vec::new(),
                    events: Vec::new(),
                    read: Vec::new(),
                };
                tapes.insert(session, tape);
            }
            Line::In { at, inbound } => {
                if let Some(tape) = tapes.get_mut(&inbound.session) {
                    tape.inbound.push((at, *inbound));
                }
            }
            Line::Committed { session, key, events } => {
                if let Some(tape) = tapes.get_mut(&session) {
                    tape.committed(key.as_deref(), events);
                }
            }
            Line::Read { session, text, .. } => {
                if let Some(tape) = tapes.get_mut(&session) {
                    tape.read.push(text);
                }
            }
        }
    }
    // Nothing came of these; they are let in at the end of what they came before, which changes nothing either.
    for tape in tapes.values_mut() {
        let rest = std::mem::take(&mut tape.inbound);
        tape.steps.extend(rest.into_iter().map(|(at, inbound)| Step::In(at, Box::new(inbound))));
    }
    tapes
}

impl Tape {
    fn committed(&mut self, key: Option<&str>, events: Vec<Recorded>) {
        let is_start = key == Some(self.begin.key.as_str());
        self.events.extend(events.iter().cloned());
        let found = key.and_then(|key| {
            let at = self.inbound.iter().position(|(_, inbound)| inbound.key == key)?;
            Some(self.inbound.remove(at))
        });
        match found {
            // What became durable of it is what counts: its order among everything else, and its time.
            Some((at, inbound)) => {
                let at = events.first().map_or(at, |recorded| recorded.at);
                self.steps.push(Step::In(at, Box::new(inbound)));
            }
            None if is_start => {}
            None => self.steps.push(Step::Went(events)),
        }
    }

    fn started(&self) -> Option<(&crate::model::transcript::Started, DateTime<Utc>)> {
        let first = self.events.first()?;
        match &*first.event {
            Event::Started(started) => Some((started, first.at)),
            _ => None,
        }
    }

    /// What people saw and the model read then.
    fn shown(&self) -> (String, String) {
        (people(&self.events), self.read.join("\n"))
    }
}

/// A bot in memory.
struct Stage {
    engine: Engine,
    clock: Arc<FixedClock>,
    store: Arc<MemoryStore>,
    flow: Arc<LoadedFlow>,
    answers: Arc<Answers>,
    toolbox: Arc<Toolbox>,
}

impl Stage {
    fn set(header: &Header, tape: &Tape, toolbox: &Toolbox, folder: &Path) -> Result<Self, Error> {
        let Some((started, at)) = tape.started() else {
            let why = "a conversation without its beginning".to_owned();
            return Err(Error::Unreadable { line: 2, why });
        };
        let begin = &tape.begin;
        let flow =
            LoadedFlow::load(&begin.source, &begin.flow, &begin.vars).map_err(|problems| {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                Error::Flow(problems.join("; "))
            })?;
        let flow = Arc::new(flow);
        let mut library = Library::default();
        library.insert(Arc::clone(&flow));
        let served = started.contact_source.as_deref().and_then(Served::of);
        let served = served.map(|source| Box::new(source) as Box<dyn ContactSource>);
        let clock = Arc::new(FixedClock::new(at));
        let ids: Arc<dyn Ids> = Arc::new(AsRecorded::new(begin.session));
        let store = Arc::new(MemoryStore::default());
        let toolbox = Arc::new(Results::of(&tape.events).over(toolbox));
        let answers = Arc::new(Answers::default());
        let model: Arc<dyn Model> = Arc::<Answers>::clone(&answers);
        // Documents are not read again, so no program is needed to read them.
        let files = Artifacts::new(
            folder,
            Arc::<MemoryStore>::clone(&store),
            Arc::<FixedClock>::clone(&clock),
            Arc::clone(&ids),
            Extractor::new("anteroom"),
        );
        let parts = Parts {
            store: Arc::<MemoryStore>::clone(&store),
            clock: Arc::<FixedClock>::clone(&clock),
            ids,
            library: Arc::new(library),
            toolbox: Arc::clone(&toolbox),
            // What a child run came to was recorded as the result of its call.
            tasks: Arc::default(),
            artifacts: Arc::new(files.map_err(Error::Setup)?.without_syncs()),
            contacts: Arc::new(Contacts::new(served.into_iter().collect())),
            webhooks: Arc::default(),
            models: Models {
                interview: Some(model).filter(|_| begin.has_model),
                ..Models::default()
            },
            services: Services::default(),
        };
        let limits = Limits { window_tokens: header.window_tokens, ..Limits::default() };
        let gateway = Arc::new(Nowhere(started.place.platform));
        let engine = Engine::limited(parts, vec![gateway], limits);
        Ok(Self { engine, clock, store, flow, answers, toolbox })
    }

    /// Plays a recording; what people see and the model reads.
    async fn play(&mut self, tape: &Tape) -> Result<(String, String), Error> {
        let Some((started, _)) = tape.started() else { return Ok(Default::default()) };
        let name = started.name.clone().unwrap_or_default();
        let from = Responder {
            staff: started.staff,
            ..Responder::without_rights(started.participant.clone(), name)
        };
        let place = started.place.clone();
        let begun = self.engine.start(&tape.begin.flow, &from, place, &tape.begin.key).await?;
        self.rest().await?;
        for step in &tape.steps {
            match step {
                Step::In(at, inbound) => {
                    self.turn_to(*at);
                    let inbound = self.translated(inbound, tape, begun).await?;
                    // What was refused then is refused now.
                    drop(self.engine.receive(inbound).await);
                    self.rest().await?;
                }
                Step::Went(events) => self.went(events).await?,
            }
        }
        let events = self.events(begun).await?;
        self.engine.inner.closing.cancel();
        let (mut known, mut news): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for recorded in &events {
            let Event::Thought(thought) = &*recorded.event else { continue };
            let all = read(&self.flow, &self.toolbox, &events, thought.knew);
            let shared = known.iter().zip(&all).take_while(|(a, b)| a == b).count();
            news.push(all.get(shared..).unwrap_or_default().join("\n"));
            known = all;
        }
        let mut shown = people(&events);
        if self.answers.is_asked() {
            shown.push_str("(the model is asked once more, and no answer was recorded)\n");
        }
        Ok((shown, news.join("\n")))
    }

    /// What followed by itself: an answer of the model, or a timer.
    async fn went(&self, events: &[Recorded]) -> Result<(), Error> {
        let Some(first) = events.first() else { return Ok(()) };
        self.turn_to(first.at);
        // A timer may be what the model is asked for.
        self.engine.run_due().await;
        self.rest().await?;
        for recorded in events {
            if self.answers.give(&recorded.event) {
                self.until(recorded.at, async {
                    tokio::select! {
                        () = self.answers.taken() => {}
                        () = self.engine.settle_down() => {}
                    }
                })
                .await?;
                self.answers.forget();
            }
        }
        self.rest().await
    }

    /// Waits until nothing is to be done but what the model must say.
    async fn rest(&self) -> Result<(), Error> {
        self.until(self.clock.now(), async {
            tokio::select! {
                () = self.engine.settle_down() => {}
                () = self.answers.asked() => {}
            }
        })
        .await
    }

    async fn until(&self, at: DateTime<Utc>, work: impl Future<Output = ()>) -> Result<(), Error> {
        tokio::time::timeout(STEP_MAX, work).await.map_err(|_elapsed| Error::Restless(at))
    }

    fn turn_to(&self, at: DateTime<Utc>) {
        let ahead = at - self.clock.now();
        if ahead > chrono::TimeDelta::zero() {
            self.clock.advance(ahead);
        }
    }

    async fn events(&self, session: SessionId) -> Result<Vec<Recorded>, Error> {
        let loaded = self.store.load(session).await.map_err(super::super::Error::Store)?;
        Ok(loaded.map(|loaded| loaded.events).unwrap_or_default())
    }

    /// `inbound` with the ids of this run: the session's, and those of the cards, of which the n-th then is the n-th
    /// now.
    async fn translated(
        &self,
        inbound: &Inbound,
        tape: &Tape,
        begun: SessionId,
    ) -> Result<Inbound, Error> {
        let now = asked(&self.events(begun).await?);
        let mut text = serde_json::to_string(inbound).unwrap_or_default();
        for (then, now) in asked(&tape.events).into_iter().zip(now) {
            text = text.replace(&then.to_string(), &format!("\u{1}{now}"));
        }
        let text =
            text.replace('\u{1}', "").replace(&inbound.session.to_string(), &begun.to_string());
        Ok(serde_json::from_str(&text).unwrap_or_else(|_| inbound.clone()))
    }
}

/// Cards in the order in which they were first shown.
fn asked(events: &[Recorded]) -> VecDeque<WaitId> {
    let mut known = VecDeque::new();
    for recorded in events {
        if let Event::Asked(wait) = &*recorded.event
            && !known.contains(&wait.id)
        {
            known.push_back(wait.id);
        }
    }
    known
}

/// Identifiers that count up, after that of the conversation: what is shuffled goes by it.
#[derive(Debug)]
struct AsRecorded {
    session: SessionId,
    minted: AtomicU64,
}

impl AsRecorded {
    const fn new(session: SessionId) -> Self {
        Self { session, minted: AtomicU64::new(0) }
    }
}

impl Ids for AsRecorded {
    fn fresh(&self) -> Uuid {
        match self.minted.fetch_add(1, Ordering::Relaxed) {
            0 => self.session.uuid(),
            n => Uuid::from_u128(u128::from(n) + 1),
        }
    }
}

/// Where everything arrives and nobody is.
#[derive(Debug)]
struct Nowhere(Platform);

#[async_trait]
impl Gateway for Nowhere {
    fn platform(&self) -> Platform {
        self.0
    }

    async fn deliver(&self, effect: &Effect, _shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        Delivery::delivered(Some(effect.id.to_string()))
    }
}
