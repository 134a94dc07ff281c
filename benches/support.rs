//! What the benches have in common: a whole bot without a page, people who answer whatever they are asked, and a
//! place on a real disk.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "each bench uses a part of it; a failure ends the bench"
)]

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use anteroom::{
    base::{
        clock::Clock,
        ids::{CallId, EffectId, Ids, RandomIds, SessionId, WaitId},
    },
    engine::{Engine, Gateway, Inbound, InboundKind, Limits, Parts, Receipt},
    flow::{Library, LoadedFlow},
    gateway::web::WebGateway,
    model::{
        audit::Sealed,
        effect::{Act, Cause, Delivery, Effect, Rendering},
        file_key::{FileKey, FileKeys, KeyError},
        session::{Head, PersonId, Place, Platform},
        transcript::Via,
        ui::{Control, Decision, Reply, Verdict},
        usage::{Balance, Usage},
        wait::{Answerers, Settlement, Wait},
    },
    ports::{
        artifacts::{Artifacts, extract::Extractor},
        contacts::Contacts,
        llm::{
            self, Completion, Message, Model, Models, Request, Sink,
            chat::{Finish, ToolCall},
        },
    },
    session::{Responder, State, answer},
    store::{
        Capacity, Commit, Erasure, Error, Find, Loaded, Note, Store, Timer, TimerKind,
        health::Health, memory::MemoryStore,
    },
    tool::{Toolbox, catalog::interview},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::future::join_all;
use serde_json::json;
use tempfile::TempDir;

/// The flow that the benches run: seven questions, then a member is welcomed.
pub(crate) const FLOW: &str = "community-welcome";

/// A directory on the disk that the project is built on; `/tmp` may be memory, where a sync costs nothing.
pub(crate) fn on_disk() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// The shipped flows.
pub(crate) fn library() -> Library {
    library_with(None)
}

/// The shipped flows and those in a folder.
pub(crate) fn library_with(dir: Option<&Path>) -> Library {
    let vars = [
        ("organisation", "Example Ltd"),
        ("privacy_url", "https://example.org/privacy"),
        ("contact", "people@example.org"),
    ];
    let vars: BTreeMap<String, String> =
        vars.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Library::load(dir, &[], &vars).unwrap()
}

/// Everything that a bot is made of, with files under `dir`.
pub(crate) fn parts(
    dir: &Path,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
) -> Parts {
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let keys = Arc::clone(&store);
    let artifacts =
        Artifacts::new(dir, keys, Arc::clone(&clock), Arc::clone(&ids), extractor).unwrap();
    Parts {
        store,
        clock,
        ids,
        library: Arc::new(library()),
        toolbox: Arc::new(Toolbox::new(interview::tools()).unwrap()),
        tasks: Arc::default(),
        artifacts: Arc::new(artifacts),
        contacts: Arc::new(Contacts::new(Vec::new())),
        webhooks: Arc::default(),
        models: Models::default(),
        services: anteroom::tool::Services::default(),
    }
}

/// A bot whose messages go nowhere, and in which nobody is too fast.
pub(crate) fn engine(parts: Parts) -> Engine {
    engine_for(parts, Arc::new(WebGateway))
}

/// The same with a platform of one's own.
pub(crate) fn engine_for(parts: Parts, gateway: Arc<dyn Gateway>) -> Engine {
    let limits = Limits { per_minute: std::num::NonZeroU32::MAX, ..Limits::default() };
    Engine::limited(parts, vec![gateway], limits)
}

/// The n-th participant.
pub(crate) fn participant(n: usize) -> Responder {
    person(&format!("member-{n}"), &[], false)
}

/// May decide everything.
pub(crate) fn staff() -> Responder {
    person("staff", &["staff_approvals", "recruiting_approvals", "staff_desk"], true)
}

fn person(user: &str, approver_of: &[&str], staff: bool) -> Responder {
    let approver_of = approver_of.iter().map(|alias| (*alias).to_owned()).collect();
    Responder { person: PersonId::web(user), name: user.to_owned(), approver_of, staff }
}

/// The n-th participant's own room.
pub(crate) fn room(n: usize) -> Place {
    Place {
        platform: Platform::Web,
        workspace: "local".to_owned(),
        channel: format!("room-{n}"),
        thread: None,
    }
}

/// Starts the n-th session of a flow; its first question stands once the engine has settled down.
pub(crate) async fn start_in(engine: &Engine, flow: &str, n: usize) -> SessionId {
    engine.start(flow, &participant(n), room(n), &format!("start-{n}")).await.unwrap()
}

/// Starts the n-th session; its first question stands once the engine has settled down.
pub(crate) async fn start(engine: &Engine, n: usize) -> SessionId {
    start_in(engine, FLOW, n).await
}

/// The answer of a willing person to whatever is asked first.
pub(crate) fn willing(state: &State, n: usize) -> Option<InboundKind> {
    let wait = state.pending().next()?;
    let reply = reply(wait, n);
    Some(InboundKind::Answer { wait: wait.id, revision: wait.revision, reply, via: Via::Component })
}

/// A reply that fits.
pub(crate) fn reply(wait: &Wait, n: usize) -> Reply {
    let words = format!("I am member {n}, and I like engines and the people who build them.");
    match &wait.prompt.control {
        Control::Choose(choose) => Reply::Chosen {
            ids: choose.choices.first().map(|choice| choice.id.clone()).into_iter().collect(),
            free_text: None,
        },
        Control::Review(_) => Reply::Reviewed {
            verdict: Verdict::Modified,
            data: Some(json!({ "text": words })),
            notes: None,
        },
        Control::Ask(_) => Reply::Text { text: words },
        Control::Decide(_) => Reply::Decided { decision: Decision::Approved, feedback: None },
        Control::Confirm(_) => Reply::Confirmed { yes: true },
        control if answer::may_skip(control) => Reply::Skipped,
        other => panic!("nobody knows what to answer to {other:?}"),
    }
}

/// The next answer of the n-th session as the platform delivers it, from whoever may give it.
pub(crate) async fn next_answer(engine: &Engine, session: SessionId, n: usize) -> Option<Inbound> {
    let loaded = engine.look(session).await.unwrap().loaded;
    let state = State::fold(&loaded.events).unwrap();
    let what = willing(&state, n)?;
    let from = match state.pending().next()?.answerers {
        Answerers::Participant => participant(n),
        Answerers::Deciders { .. } => staff(),
    };
    Some(Inbound { key: format!("{session}-{}", loaded.head.seq), session, from, what })
}

/// Starts sessions `from..to` and answers `turns` questions in each, all side by side.
pub(crate) async fn play(
    engine: &Engine,
    people: Range<usize>,
    turns: usize,
) -> Vec<(usize, SessionId)> {
    let starting = people.map(|n| async move { (n, start(engine, n).await) });
    let sessions: Vec<(usize, SessionId)> = join_all(starting).await;
    engine.settle_down().await;
    for _ in 0..turns {
        let answers = answers(engine, &sessions).await;
        take_in(engine, answers).await;
        engine.settle_down().await;
    }
    sessions
}

/// The next answer of each session.
pub(crate) async fn answers(engine: &Engine, sessions: &[(usize, SessionId)]) -> Vec<Inbound> {
    let next = sessions.iter().map(|(n, session)| next_answer(engine, *session, *n));
    join_all(next).await.into_iter().flatten().collect()
}

/// All answers at once; returns when each is acknowledged, that is, durable.
pub(crate) async fn take_in(engine: &Engine, answers: Vec<Inbound>) {
    let receipts = join_all(answers.into_iter().map(|inbound| engine.receive(inbound))).await;
    for receipt in receipts {
        assert_eq!(receipt.unwrap(), Receipt::Settled(Settlement::Applied));
    }
}

/// A platform on which every message has a name, as chat platforms have.
#[derive(Debug)]
pub(crate) struct Chat;

#[async_trait]
impl Gateway for Chat {
    fn platform(&self) -> Platform {
        Platform::Web
    }

    async fn deliver(&self, effect: &Effect, _shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        let message = matches!(effect.act, Act::Show { .. } | Act::Post { .. });
        Delivery::delivered(message.then(|| "1700000000.123456".to_owned()))
    }
}

/// What a conversation asked of its store.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Commit(Box<Commit>),
    Done(EffectId, Delivery),
}

/// A store in memory that remembers what was asked of it.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    memory: MemoryStore,
    ops: Mutex<Vec<Op>>,
}

impl Recorder {
    /// What was asked so far.
    pub(crate) fn ops(&self) -> Vec<Op> {
        self.ops.lock().unwrap().clone()
    }
}

#[async_trait]
impl FileKeys for Recorder {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        self.memory.file_key(session).await
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        self.memory.link_key().await
    }
}

#[async_trait]
impl Store for Recorder {
    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        self.memory.commit(commit.clone()).await?;
        self.ops.lock().unwrap().push(Op::Commit(Box::new(commit)));
        Ok(())
    }

    async fn is_known_event(&self, key: &str) -> Result<bool, Error> {
        self.memory.is_known_event(key).await
    }

    async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error> {
        self.memory.load(session).await
    }

    async fn find(&self, by: Find) -> Result<Vec<Head>, Error> {
        self.memory.find(by).await
    }

    async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
        self.memory.wait(id).await
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
        self.memory.due(now, limit).await
    }

    async fn claim(&self, now: DateTime<Utc>, capacity: Capacity) -> Result<Vec<Effect>, Error> {
        self.memory.claim(now, capacity).await
    }

    async fn done(&self, effect: EffectId, delivery: Delivery) -> Result<(), Error> {
        self.memory.done(effect, delivery.clone()).await?;
        self.ops.lock().unwrap().push(Op::Done(effect, delivery));
        Ok(())
    }

    async fn hurry(&self, cause: &Cause, most: usize) -> Result<usize, Error> {
        self.memory.hurry(cause, most).await
    }

    async fn blocked(&self) -> Result<Vec<(Cause, usize)>, Error> {
        self.memory.blocked().await
    }

    async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error> {
        self.memory.outbox(session).await
    }

    async fn sessions(&self, after: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error> {
        self.memory.sessions(after, limit).await
    }

    async fn has(&self, session: SessionId) -> Result<bool, Error> {
        self.memory.has(session).await
    }

    async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
        self.memory.audit(from, limit).await
    }

    async fn erase(&self, erasure: Erasure) -> Result<(), Error> {
        self.memory.erase(erasure).await
    }

    async fn balance(&self, account: &str) -> Result<Balance, Error> {
        self.memory.balance(account).await
    }

    async fn note(&self, note: Note) -> Result<(), Error> {
        self.memory.note(note).await
    }

    async fn noted(&self, key: &str) -> Result<Option<Note>, Error> {
        self.memory.noted(key).await
    }

    async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error> {
        self.memory.notes(prefix).await
    }

    fn is_inherited(&self, effect: EffectId) -> bool {
        self.memory.is_inherited(effect)
    }

    fn health(&self) -> Health {
        self.memory.health()
    }
}

/// What a real conversation of `turns` turns asks of its store; its files go to `dir`.
pub(crate) async fn recording(dir: &Path, clock: Arc<dyn Clock>, turns: usize) -> Vec<Op> {
    let recorder = Arc::new(Recorder::default());
    let store = Arc::clone(&recorder) as Arc<dyn Store>;
    let engine = engine_for(parts(dir, store, clock, Arc::new(RandomIds)), Arc::new(Chat));
    play(&engine, 0..1, turns).await;
    recorder.ops()
}

/// Sessions that share their syncs while a store is filled.
const ABREAST: usize = 256;

/// Fills a store with `count` sessions that went as the recorded one did, each under names of its own.
pub(crate) async fn fill(store: &dyn Store, ops: &[Op], count: usize) {
    fill_with(store, ops, 0..count).await;
}

/// The same with the sessions of some people.
pub(crate) async fn fill_with(store: &dyn Store, ops: &[Op], people: Range<usize>) {
    for first in people.clone().step_by(ABREAST) {
        let people = first..people.end.min(first + ABREAST);
        let mut copies: Vec<Copy> = people.map(Copy::new).collect();
        for op in ops {
            let copies = copies.iter_mut().map(|copy| copy.apply(store, op));
            join_all(copies).await;
        }
    }
}

/// One more session like the recorded one.
struct Copy {
    n: usize,
    session: SessionId,
    waits: HashMap<WaitId, WaitId>,
    effects: HashMap<EffectId, EffectId>,
}

impl Copy {
    fn new(n: usize) -> Self {
        let session = SessionId::mint(&RandomIds);
        Self { n, session, waits: HashMap::new(), effects: HashMap::new() }
    }

    fn wait(&mut self, id: WaitId) -> WaitId {
        *self.waits.entry(id).or_insert_with(|| WaitId::mint(&RandomIds))
    }

    fn effect(&mut self, id: EffectId) -> EffectId {
        *self.effects.entry(id).or_insert_with(|| EffectId::mint(&RandomIds))
    }

    async fn apply(&mut self, store: &dyn Store, op: &Op) {
        match op {
            Op::Commit(commit) => store.commit(self.renamed(commit)).await.unwrap(),
            Op::Done(effect, delivery) => {
                store.done(self.effect(*effect), delivery.clone()).await.unwrap();
            }
        }
    }

    /// The names within the events stay as recorded; they are as long, and only an actor reads them.
    fn renamed(&mut self, commit: &Commit) -> Commit {
        let mut commit = commit.clone();
        commit.head.id = self.session;
        commit.head.participant = participant(self.n).person;
        commit.head.place = room(self.n);
        for wait in &mut commit.waits {
            wait.id = self.wait(wait.id);
            wait.session = self.session;
        }
        for effect in &mut commit.effects {
            effect.id = self.effect(effect.id);
            effect.session = self.session;
            effect.place = room(self.n);
            if let Act::Show { wait } = &mut effect.act {
                *wait = self.wait(*wait);
            }
        }
        for (kind, _) in &mut commit.timers {
            if let TimerKind::Remind { wait } | TimerKind::Expire { wait } = kind {
                *wait = self.wait(*wait);
            }
        }
        commit.dedup = commit.dedup.map(|key| format!("{key}-{}", self.n));
        for record in &mut commit.audit {
            record.session = record.session.map(|_| self.session);
        }
        commit
    }
}

/// One part that a model leads, with a question and an objective that it may set.
const TALK: &str = r#"
format = 1
id = "talk"
version = "1.0.0"
title = "A talk"

[limits]
model_rounds = 10
tokens = 1000000000
turns = 1000000

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Ask for pets, one after the other, and note what you hear."
tools = ["get_user_option", "request_user_input", "set_objective_status", "next_phase"]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = "model"
"#;

/// The flow that a model leads.
pub(crate) fn talk() -> Arc<LoadedFlow> {
    Arc::new(LoadedFlow::load(TALK, "talk.toml", &BTreeMap::new()).unwrap())
}

/// A model that answers whatever it is asked: after so many rounds of calls with words, each after the same time.
#[derive(Debug)]
pub(crate) struct Talker {
    /// Rounds with a call before the words.
    pub(crate) rounds: usize,
    /// How long it takes; nothing is waited for where it is none.
    pub(crate) latency: Duration,
}

#[async_trait]
impl Model for Talker {
    async fn chat(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, llm::Error> {
        if !self.latency.is_zero() {
            tokio::time::sleep(self.latency).await;
        }
        let made = request.messages.iter().rev();
        let made = made.take_while(|message| !matches!(message, Message::User(_)));
        let made = made.filter(|message| matches!(message, Message::Assistant { .. })).count();
        let mut calls = Vec::new();
        let mut text = String::new();
        if made < self.rounds {
            let raw = r#"{"objectiveId":"pet","status":"in_progress"}"#.to_owned();
            let id = CallId::new(format!("call_{}", request.messages.len()));
            calls.push(ToolCall { id, name: "set_objective_status".to_owned(), raw });
        } else {
            "I see. And do you have another pet besides that one?".clone_into(&mut text);
            sink.words(&text);
        }
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let usage = Usage { input: 1000, output: 20, ..Usage::default() };
        Ok(Completion { text, refusal: None, calls, opaque: None, finish, usage, request_id: None })
    }
}

/// The parts of a bot that a model leads.
pub(crate) fn led_by(model: Talker, parts: Parts) -> Parts {
    let mut library = library();
    library.insert(talk());
    let models = Models { interview: Some(Arc::new(model)), ..Models::default() };
    Parts { library: Arc::new(library), models, ..parts }
}

/// The n-th participant writes something.
pub(crate) fn words(session: SessionId, n: usize, turn: usize) -> Inbound {
    let what = InboundKind::Said { text: format!("Yes, number {turn}: a dog."), source: None };
    Inbound { key: format!("{session}-said-{turn}"), session, from: participant(n), what }
}
