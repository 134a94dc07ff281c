//! Thousands of conversations in virtual time, on both stores, with everything going wrong at random: commits that
//! fail, commits that succeed and say they failed, conflicts, lost answers of the platform, deliveries that come twice,
//! processes that die, hours that pass. Afterwards nothing is left over.
//!
//! `cargo bench --bench soak [-- SECONDS [SEED]]`; 30 seconds without a number. Ends with a failure if anything is amiss.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a failure ends the program")]

#[path = "support.rs"]
mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{EffectId, Ids, RandomIds, SessionId, WaitId},
    },
    engine::{Engine, Gateway, Inbound, InboundKind, Receipt},
    model::{
        audit::{CHAIN_START, Sealed},
        effect::{Cause, Delivery, Effect, Rendering},
        file_key::{FileKey, FileKeys, KeyError},
        session::{Head, Platform, Status},
        transcript::Event,
        usage::Balance,
        wait::{Wait, WaitStatus},
    },
    session::State,
    store::{
        Capacity, Commit, Erasure, Error, Find, Loaded, Note, Store, Timer, TimerKind,
        health::Health, memory::MemoryStore, sled::SledStore,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use tempfile::TempDir;

/// Conversations side by side.
const ABREAST: usize = 100;

/// Rounds of random acts; the sessions are then carried to their end in peace.
const ROUNDS: usize = 14;

/// Rounds in peace, after which a session that has not ended is stuck.
const PEACE: usize = 40;

/// Waves that fill caches and pools.
const WARM: usize = 4;

/// Looks at a store that is being closed.
const CLOSING: usize = 500;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let mut numbers = args.iter().filter_map(|arg| arg.parse::<u64>().ok());
    let length = Duration::from_secs(numbers.next().unwrap_or(30));
    let seed = numbers.next().unwrap_or(1);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let begun = Instant::now();
    let mut waves = 0_usize;
    let mut tally = Tally::default();
    while begun.elapsed() < length {
        let embedded = waves % 2 == 1;
        let dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(waves as u64 + 1));
        let before = resident();
        runtime.block_on(wave(dice, embedded, &mut tally));
        let grown = resident() - before;
        waves += 1;
        if embedded {
            tally.grown_by_sled += grown;
        } else if waves > WARM {
            tally.grown += grown;
        }
    }
    println!(
        "{} sessions in {waves} waves, {} virtual days, {:?}: {tally:?}",
        waves * ABREAST,
        tally.hours / 24,
        begun.elapsed()
    );
    // In the waves on sled, memory grows with every death, which closes the database and opens it again; in those on
    // the memory store, which run the same engine, it must not.
    assert!(tally.grown <= 30_000, "memory grows by {} KB", tally.grown);
}

/// What happened.
#[derive(Debug, Default)]
struct Tally {
    acts: usize,
    refused_by_faults: usize,
    repeats: usize,
    deaths: usize,
    faults: usize,
    hours: i64,
    /// Kilobytes.
    grown: i64,
    grown_by_sled: i64,
}

/// The same numbers for the same seed.
#[derive(Debug, Clone)]
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

/// A store that fails at random while there is trouble, and belongs to one process.
#[derive(Debug)]
struct Troubled {
    disk: Arc<dyn Store>,
    dice: Mutex<Dice>,
    trouble: AtomicBool,
    dead: AtomicBool,
    faults: std::sync::atomic::AtomicUsize,
}

fn failed(why: &str) -> Error {
    Error::Unavailable(Arc::from(Box::<dyn std::error::Error + Send + Sync>::from(why.to_owned())))
}

impl Troubled {
    fn new(disk: Arc<dyn Store>, dice: Dice, trouble: bool) -> Arc<Self> {
        Arc::new(Self {
            disk,
            dice: Mutex::new(dice),
            trouble: AtomicBool::new(trouble),
            dead: AtomicBool::new(false),
            faults: 0.into(),
        })
    }

    fn alive(&self) -> Result<&dyn Store, Error> {
        if self.dead.load(Ordering::SeqCst) { Err(failed("dead")) } else { Ok(&*self.disk) }
    }

    /// Which of `sides` things happens; none of them in peace.
    fn fate(&self, sides: u64) -> u64 {
        if !self.trouble.load(Ordering::SeqCst) {
            return u64::MAX;
        }
        let fate = self.dice.lock().unwrap().roll(sides);
        self.faults.fetch_add(usize::from(fate < 3), Ordering::Relaxed);
        fate
    }
}

#[async_trait]
impl FileKeys for Troubled {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        self.alive()?.file_key(session).await
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        self.alive()?.link_key().await
    }
}

#[async_trait]
impl Store for Troubled {
    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        let disk = self.alive()?;
        match self.fate(30) {
            0 => Err(failed("the disk is full")),
            1 => {
                disk.commit(commit).await?;
                Err(failed("it was written, and nobody knows"))
            }
            2 => Err(Error::Conflict { expected: commit.expected, found: commit.expected + 1 }),
            _ => disk.commit(commit).await,
        }
    }

    async fn is_known_event(&self, key: &str) -> Result<bool, Error> {
        self.alive()?.is_known_event(key).await
    }

    async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error> {
        self.alive()?.load(session).await
    }

    async fn find(&self, by: Find) -> Result<Vec<Head>, Error> {
        self.alive()?.find(by).await
    }

    async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
        self.alive()?.wait(id).await
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
        self.alive()?.due(now, limit).await
    }

    async fn claim(&self, now: DateTime<Utc>, capacity: Capacity) -> Result<Vec<Effect>, Error> {
        self.alive()?.claim(now, capacity).await
    }

    async fn done(&self, effect: EffectId, delivery: Delivery) -> Result<(), Error> {
        let disk = self.alive()?;
        match self.fate(60) {
            0 => Err(failed("the disk is full")),
            _ => disk.done(effect, delivery).await,
        }
    }

    async fn hurry(&self, cause: &Cause, most: usize) -> Result<usize, Error> {
        self.alive()?.hurry(cause, most).await
    }

    async fn blocked(&self) -> Result<Vec<(Cause, usize)>, Error> {
        self.alive()?.blocked().await
    }

    async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error> {
        self.alive()?.outbox(session).await
    }

    async fn sessions(&self, after: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error> {
        self.alive()?.sessions(after, limit).await
    }

    async fn has(&self, session: SessionId) -> Result<bool, Error> {
        self.alive()?.has(session).await
    }

    async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
        self.alive()?.audit(from, limit).await
    }

    async fn erase(&self, erasure: Erasure) -> Result<(), Error> {
        self.alive()?.erase(erasure).await
    }

    async fn balance(&self, account: &str) -> Result<Balance, Error> {
        self.alive()?.balance(account).await
    }

    async fn note(&self, note: Note) -> Result<(), Error> {
        self.alive()?.note(note).await
    }

    async fn noted(&self, key: &str) -> Result<Option<Note>, Error> {
        self.alive()?.noted(key).await
    }

    async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error> {
        self.alive()?.notes(prefix).await
    }

    fn is_inherited(&self, effect: EffectId) -> bool {
        self.disk.is_inherited(effect)
    }

    fn health(&self) -> Health {
        self.disk.health()
    }
}

/// A platform that is busy at times, and loses answers to what it did.
#[derive(Debug)]
struct Moody {
    clock: Arc<FixedClock>,
    dice: Mutex<Dice>,
}

#[async_trait]
impl Gateway for Moody {
    fn platform(&self) -> Platform {
        Platform::Web
    }

    async fn deliver(&self, effect: &Effect, _shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        if self.dice.lock().unwrap().roll(12) == 0 {
            return Delivery::Retry { not_before: self.clock.now() + TimeDelta::seconds(5) };
        }
        Delivery::delivered(Some(effect.id.to_string()))
    }
}

/// What outlives a process.
struct World {
    dir: TempDir,
    disk: Arc<dyn Store>,
    memory: Option<Arc<MemoryStore>>,
    clock: Arc<FixedClock>,
    dice: Dice,
    store: Arc<Troubled>,
    engine: Engine,
    parts: anteroom::engine::Parts,
}

impl World {
    fn new(mut dice: Dice, embedded: bool) -> Self {
        let dir = support::on_disk();
        let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
        let ids: Arc<dyn Ids> = Arc::new(RandomIds);
        let memory = (!embedded).then(|| Arc::new(MemoryStore::default()));
        let disk: Arc<dyn Store> = match &memory {
            Some(memory) => Arc::clone(memory) as Arc<dyn Store>,
            None => Arc::new(SledStore::open(&dir.path().join("store"), Arc::clone(&ids)).unwrap()),
        };
        dice.roll(2);
        let store = Troubled::new(Arc::clone(&disk), dice.clone(), true);
        let seen = Arc::clone(&store) as Arc<dyn Store>;
        let parts = support::parts(dir.path(), seen, Arc::clone(&clock) as Arc<dyn Clock>, ids);
        let engine = moody(&parts, &clock, &dice);
        Self { dir, disk, memory, clock, dice, store, engine, parts }
    }

    /// The process dies, and the next one takes up what it left.
    async fn die(&mut self) -> usize {
        self.store.dead.store(true, Ordering::SeqCst);
        let faults = self.store.faults.load(Ordering::Relaxed);
        let trouble = self.store.trouble.load(Ordering::SeqCst);
        self.engine.settle_down().await;
        if let Some(memory) = &self.memory {
            memory.restart();
        } else {
            self.reopen().await;
        }
        self.dice.roll(2);
        self.store = Troubled::new(Arc::clone(&self.disk), self.dice.clone(), trouble);
        self.begin(Arc::clone(&self.store) as Arc<dyn Store>);
        self.pass(TimeDelta::zero()).await;
        faults
    }

    /// A new process over `store`: what keeps files asks it for their keys.
    fn begin(&mut self, store: Arc<dyn Store>) {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        self.parts = support::parts(self.dir.path(), store, clock, Arc::clone(&self.parts.ids));
        self.engine = moody(&self.parts, &self.clock, &self.dice);
    }

    /// Lets go of the embedded store, as the end of a process does, and opens it again.
    async fn reopen(&mut self) {
        let nothing: Arc<dyn Store> = Arc::new(MemoryStore::default());
        self.disk = Arc::clone(&nothing);
        self.store = Troubled::new(Arc::clone(&nothing), self.dice.clone(), false);
        self.begin(nothing);
        let path = self.dir.path().join("store");
        // The last task of the old process may hold it for a moment more.
        let open = || SledStore::open(&path, Arc::new(RandomIds));
        let mut store = open();
        for _ in 0..CLOSING {
            if !matches!(store, Err(Error::Busy { .. })) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            store = open();
        }
        self.disk = Arc::new(store.unwrap());
    }

    /// Time passes, and what comes due fires.
    async fn pass(&self, time: TimeDelta) {
        self.clock.advance(time);
        self.engine.run_due().await;
        self.engine.settle_down().await;
    }

    async fn state(&self, session: SessionId) -> State {
        let loaded = self.disk.load(session).await.unwrap().unwrap();
        State::fold(&loaded.events).unwrap()
    }
}

fn moody(parts: &anteroom::engine::Parts, clock: &Arc<FixedClock>, dice: &Dice) -> Engine {
    let gateway = Moody { clock: Arc::clone(clock), dice: Mutex::new(dice.clone()) };
    support::engine_for(parts.clone(), Arc::new(gateway))
}

/// Some sessions from the start to the end.
async fn wave(dice: Dice, embedded: bool, tally: &mut Tally) {
    let mut world = World::new(dice, embedded);
    let mut sessions = BTreeMap::new();
    while sessions.len() < ABREAST {
        let missing = (0..ABREAST).filter(|n| !sessions.contains_key(n));
        let starting = missing.map(|n| {
            let engine = &world.engine;
            async move {
                let key = format!("start-{n}");
                let from = support::participant(n);
                (n, engine.start(support::FLOW, &from, support::room(n), &key).await)
            }
        });
        let started = join_all(starting).await;
        sessions.extend(started.into_iter().filter_map(|(n, session)| Some((n, session.ok()?))));
    }
    let mut sent: Vec<Inbound> = Vec::new();
    for _ in 0..ROUNDS {
        trouble(&mut world, &sessions, &mut sent, tally).await;
    }
    world.store.trouble.store(false, Ordering::SeqCst);
    tally.deaths += 1;
    tally.faults += world.die().await;
    peace(&world, &sessions, tally).await;
    look(&world, &sessions).await;
}

/// Everybody does something, and something goes wrong.
async fn trouble(
    world: &mut World,
    sessions: &BTreeMap<usize, SessionId>,
    sent: &mut Vec<Inbound>,
    tally: &mut Tally,
) {
    let mut acts = Vec::new();
    for (n, session) in sessions {
        match world.dice.roll(10) {
            0 => {}
            1 => acts.push(said(world, *n, *session)),
            2 if !sent.is_empty() => {
                let old = world.dice.roll(sent.len() as u64);
                acts.push(sent[usize::try_from(old).unwrap()].clone());
                tally.repeats += 1;
            }
            _ => acts.extend(support::next_answer(&world.engine, *session, *n).await),
        }
    }
    tally.acts += acts.len();
    let receipts = join_all(acts.iter().map(|act| world.engine.receive(act.clone()))).await;
    for (act, receipt) in acts.into_iter().zip(receipts) {
        // What was not acknowledged is delivered again, at once or much later.
        match receipt {
            Ok(_) if world.dice.roll(4) > 0 => {}
            Ok(_) => sent.push(act),
            Err(_) => {
                tally.refused_by_faults += 1;
                sent.push(act);
            }
        }
    }
    if world.dice.roll(5) == 0 {
        tally.deaths += 1;
        tally.faults += world.die().await;
    }
    let hours = i64::try_from(world.dice.roll(9)).unwrap();
    tally.hours += hours;
    world.pass(TimeDelta::hours(hours)).await;
}

fn said(world: &mut World, n: usize, session: SessionId) -> Inbound {
    let key = format!("{session}-said-{}", world.dice.roll(u64::MAX));
    let what = InboundKind::Said { text: "Well, what do you think?".to_owned(), source: None };
    Inbound { key, session, from: support::participant(n), what }
}

/// Nothing goes wrong any more, and everybody answers until their conversation is over.
async fn peace(world: &World, sessions: &BTreeMap<usize, SessionId>, tally: &mut Tally) {
    for round in 0..PEACE {
        let mut acts = Vec::new();
        for (n, session) in sessions {
            let state = world.state(*session).await;
            let over = matches!(state.status, Status::Completed);
            // Whoever stopped, paused or asked for a person goes on with a word of their own or of the staff.
            match support::next_answer(&world.engine, *session, *n).await {
                Some(act) => acts.push(act),
                None if over => {}
                None => acts.push(Inbound {
                    key: format!("{session}-resume-{round}"),
                    session: *session,
                    from: if state.handoff.is_some() {
                        support::staff()
                    } else {
                        support::participant(*n)
                    },
                    what: InboundKind::Command(match state.handoff {
                        Some(_) => anteroom::session::Command::HandBack,
                        None => anteroom::session::Command::Resume,
                    }),
                }),
            }
        }
        if acts.is_empty() {
            return;
        }
        tally.acts += acts.len();
        for receipt in join_all(acts.into_iter().map(|act| world.engine.receive(act))).await {
            assert!(!matches!(receipt, Err(_) | Ok(Receipt::Erased { .. })), "{receipt:?}");
        }
        tally.hours += 1;
        world.pass(TimeDelta::hours(1)).await;
    }
}

/// Nothing is left over, in the store and in each session.
async fn look(world: &World, sessions: &BTreeMap<usize, SessionId>) {
    for _ in 0..30 {
        world.pass(TimeDelta::hours(1)).await;
    }
    let later = world.clock.now() + TimeDelta::days(365);
    let effects = world.disk.claim(later, Capacity::of_any(1_000)).await.unwrap();
    assert!(effects.is_empty(), "effects are left: {:?}", effects.first());
    let due = world.disk.due(later, usize::MAX).await.unwrap();
    let work = due.iter().find(|timer| timer.kind == TimerKind::Work);
    assert_eq!(work, None, "work is left");
    let heads = world.disk.sessions(None, usize::MAX).await.unwrap();
    assert_eq!(heads.len(), sessions.len(), "a start counted twice");
    for session in sessions.values() {
        let loaded = world.disk.load(*session).await.unwrap().unwrap();
        look_at(&loaded);
    }
    let mut previous = CHAIN_START.to_owned();
    for (index, sealed) in world.disk.audit(0, usize::MAX).await.unwrap().iter().enumerate() {
        assert!(sealed.holds(index as u64, &previous), "audit record {index} is not as sealed");
        previous.clone_from(&sealed.seal);
    }
}

/// The invariants of one session.
fn look_at(loaded: &Loaded) {
    let state = State::fold(&loaded.events).unwrap();
    let session = state.session;
    assert_eq!(state.status, Status::Completed, "{session} is stuck: {:?}", loaded.events.last());
    assert_eq!(state.pending().count(), 0, "{session} has open questions");
    for wait in state.waits.values() {
        let settled = !matches!(wait.status, WaitStatus::Answered { .. });
        assert!(settled, "{session}: an answer did not do its work");
    }
    let (mut called, mut returned) = (BTreeSet::new(), BTreeSet::new());
    let (mut answered, mut applied) = (BTreeSet::<WaitId>::new(), BTreeSet::<WaitId>::new());
    for recorded in &loaded.events {
        let fresh = match &*recorded.event {
            Event::Called(call) => called.insert(call.id.clone()),
            Event::Returned { call, .. } => returned.insert(call.clone()),
            Event::Answered { wait, .. } => answered.insert(*wait),
            Event::Applied { wait } => applied.insert(*wait),
            _ => true,
        };
        assert!(fresh, "{session}: something happened twice: {:?}", recorded.event);
    }
    assert_eq!(called, returned, "{session}: a call without a result");
    assert_eq!(answered, applied, "{session}: an answer without its work");
}

/// Resident kilobytes of this process.
fn resident() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}
