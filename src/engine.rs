//! Events in, effects out: drives sessions. Knows no platform.
//!
//! What a person does is decided by the session core ([`decide`]), committed, and only then acknowledged
//! ([`Engine::receive`]). The work that follows — resuming a suspended call, the next question — is driven step by step,
//! each step committed ([`runner`]). A session has a task and a bounded queue only while it is active ([`session_task`]);
//! one that waits for a person is disk alone. Effects leave through the outbox ([`outbox`]); timers fire by the clock
//! ([`timers`]).
//!
//! After a crash, [`Engine::run`] finds what was in flight by its `Work` timer, and what had not left in the outbox.

mod budget_ledger;
mod change_feed;
pub mod context_window;
mod copies;
pub mod copying;
mod drafts;
pub mod erasure;
pub mod export;
mod export_snapshot;
pub mod file_links;
mod files;
mod flow_versions;
mod limits;
mod metrics;
mod model_turn;
mod offered_tools;
mod outages;
mod outbox;
mod overdue;
pub mod recording;
mod retention;
mod runner;
pub mod scrub;
mod session_task;
mod signature;
mod state_cache;
mod subtask;
mod timers;
mod views;
pub mod webhook;

use std::{
    collections::BTreeMap,
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use governor::{Quota, RateLimiter, clock::DefaultClock, state::keyed::HashMapStateStore};
use serde_json::Value;
use tokio::sync::{Notify, broadcast};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    base::{
        clock::Clock,
        failpoint::{Failpoint, hit},
        ids::{EffectId, Ids, SessionId},
    },
    flow::{Library, subtasks::Tasks},
    model::{
        effect::{Delivery, Effect, Rendering},
        posted::Posted,
        session::{Head, PersonId, Place, Platform, Status},
        team::Team,
        transcript::{Recorded, Started},
        wait::Wait,
    },
    ports::{artifacts::Artifacts, contacts::Contacts, llm},
    session::{Changes, Responder, SessionView, Settings, State, decide, typed::asks_for_person},
    store::{self, Find, Store},
    tool::{
        Services, Toolbox,
        pipeline::{Pipeline, Policy},
    },
};

use self::{
    change_feed::ChangeFeed,
    copies::Copies,
    drafts::Drafts,
    flow_versions::FlowVersions,
    offered_tools::OfferedTools,
    overdue::Overdue,
    session_task::{SessionTasks, TaskCommand},
    state_cache::StateCache,
};

pub use crate::session::{Inbound, InboundKind, Receipt};

pub use self::{
    copies::{CopyTo, Room, SessionCopy},
    drafts::Draft,
    export_snapshot::Gathered,
    limits::{Beginning, Begun, Limits},
    outages::Outage,
    views::Look,
};

/// Where effects leave: one per platform.
#[async_trait]
pub trait Gateway: fmt::Debug + Send + Sync {
    /// Which platform.
    fn platform(&self) -> Platform;

    /// Delivers one effect. `shown` is the wait that a [`crate::model::effect::Act::Show`] names, with where it has
    /// been shown before: if it is empty, post; otherwise edit. A repeat with the same effect id must be harmless.
    async fn deliver(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery;

    /// An effect has left the outbox for good: what was remembered for the case that it comes again is of no use.
    fn forget(&self, effect: EffectId) {
        _ = effect;
    }

    /// Whom of the team it can write to directly about a session at `place`, as far as the configuration names them.
    async fn team(&self, place: &Place) -> Team {
        _ = place;
        Team::default()
    }

    /// What a web hook would have got that has no address here. Nobody looks at it but tests of flows.
    fn see_unsent(&self, alias: &str, body: &Value) {
        _ = (alias, body);
    }

    /// What is known to stand outside for a session at `place` besides what its ledger says: an older program kept none, and
    /// a message that is being written is on it only when it is whole. Asked before the session is erased: such a message
    /// is ended, and nothing else is changed.
    async fn remains(&self, session: SessionId, place: &Place) -> Vec<Posted> {
        _ = (session, place);
        Vec::new()
    }
}

/// What an engine is made of.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Durable state.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New identifiers.
    pub ids: Arc<dyn Ids>,
    /// The flows that can be started.
    pub library: Arc<Library>,
    /// The tools.
    pub toolbox: Arc<Toolbox>,
    /// The templates of child runs.
    pub tasks: Arc<Tasks>,
    /// Files that were sent.
    pub artifacts: Arc<Artifacts>,
    /// Contact sources.
    pub contacts: Arc<Contacts>,
    /// Web hooks, if any are configured.
    pub webhooks: Arc<webhook::Webhooks>,
    /// Models by purpose; without one for the interview, scripts lead.
    pub models: llm::Models,
    /// What tools use besides the session.
    pub services: Services,
}

/// Why the engine could not do as asked; the text is fit for a person.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// There is no such session.
    #[error("there is no such conversation")]
    NoSession,
    /// There is no such flow.
    #[error("there is no flow `{0}`")]
    NoFlow(String),
    /// Nothing of the session may be erased just now.
    #[error(
        "this conversation is held: {0}. hint: release it first, with `anteroom hold SESSION --release`"
    )]
    Held(String),
    /// What was ordered does not fit how the session stands.
    #[error("{0}")]
    Refused(String),
    /// The pinned flow of a session cannot be found or read.
    #[error("the flow of this conversation cannot be read: {0}")]
    BrokenFlow(String),
    /// Nothing was saved: the event must not be acknowledged.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The engine is shutting down, or too busy: try again.
    #[error("too much is going on just now; please try again in a moment")]
    Busy,
}

/// A session changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// Which.
    pub session: SessionId,
    /// Its last event.
    pub seq: u64,
}

/// How long the current step may take after the engine is told to stop.
const GRACE: Duration = Duration::from_secs(6);

/// Locks that starts share, by place: whole classes of a place's newcomers press Start in the same second.
const STARTS: usize = 64;

/// Times that a decision is made again because somebody else has committed meanwhile.
const CONFLICTS_MAX: usize = 16;

/// Drives sessions; cheap to clone.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    parts: Parts,
    pipeline: Pipeline,
    gateways: RwLock<BTreeMap<Platform, Arc<dyn Gateway>>>,
    pinned: FlowVersions,
    states: StateCache,
    copies: Copies,
    offered_tools: OfferedTools,
    session_tasks: SessionTasks,
    tasks: TaskTracker,
    change_feed: ChangeFeed,
    drafts: Drafts,
    /// Effects were queued.
    queued: Notify,
    /// Effects that are tried again.
    late: metrics::Late,
    /// What keeps effects from leaving.
    blocked: outages::Blocked,
    /// What was told of accounts.
    told: budget_ledger::Told,
    /// Where the look at what is due to go stands.
    sweep: tokio::sync::Mutex<retention::Sweep>,
    overdue: Overdue,
    stuck: retention::Stuck,
    /// The last scrub.
    scrubbed: scrub::Last,
    /// Deliveries that the store could not note yet.
    unnoted: std::sync::Mutex<Vec<(EffectId, Delivery)>>,
    /// Writes down what goes in and out.
    recorder: OnceLock<recording::Recorder>,
    /// [`Engine::run`] runs.
    running: AtomicBool,
    /// When this process began.
    began: DateTime<Utc>,
    /// No new work is taken.
    closing: CancellationToken,
    webhooks: webhook::Client,
    /// Deliveries and erasures that are under way.
    in_flight: erasure::InFlight,
    /// Taken while the report of an erasure is changed.
    reports: tokio::sync::Mutex<()>,
    limits: Limits,
    /// What each person has sent lately.
    pace: RateLimiter<PersonId, HashMapStateStore<PersonId>, DefaultClock>,
    /// One start at a time of those that share a lock: a second one at the same place finds the first.
    starting: [tokio::sync::Mutex<()>; STARTS],
}

impl Engine {
    /// Puts an engine together with the usual [`Limits`]; nothing runs until [`Engine::run`].
    pub fn new(parts: Parts, gateways: Vec<Arc<dyn Gateway>>) -> Self {
        Self::limited(parts, gateways, Limits::default())
    }

    /// Puts an engine together with `limits`; nothing runs until [`Engine::run`].
    pub fn limited(parts: Parts, gateways: Vec<Arc<dyn Gateway>>, limits: Limits) -> Self {
        let pipeline = Pipeline::new(
            Arc::clone(&parts.toolbox),
            Arc::clone(&parts.artifacts),
            Arc::clone(&parts.contacts),
            Policy::CHAT,
        )
        .with_models(parts.models.clone())
        .with_tenants(Arc::clone(&limits.tenants))
        .with_services(parts.services.clone());
        let gateways = gateways.into_iter().map(|gateway| (gateway.platform(), gateway)).collect();
        let inner = Inner {
            pipeline,
            gateways: RwLock::new(gateways),
            pinned: FlowVersions::default(),
            states: StateCache::default(),
            copies: Copies::new(limits.copies_mib),
            offered_tools: OfferedTools::default(),
            session_tasks: SessionTasks::default(),
            tasks: TaskTracker::new(),
            change_feed: ChangeFeed::default(),
            drafts: Drafts::default(),
            queued: Notify::new(),
            late: metrics::Late::default(),
            blocked: outages::Blocked::default(),
            told: budget_ledger::Told::default(),
            sweep: tokio::sync::Mutex::default(),
            overdue: Overdue::default(),
            stuck: retention::Stuck::default(),
            scrubbed: scrub::Last::default(),
            unnoted: std::sync::Mutex::default(),
            recorder: OnceLock::new(),
            running: AtomicBool::new(false),
            began: parts.clock.now(),
            closing: CancellationToken::new(),
            webhooks: webhook::Client::default(),
            in_flight: erasure::InFlight::default(),
            reports: tokio::sync::Mutex::default(),
            pace: RateLimiter::keyed(Quota::per_minute(limits.per_minute)),
            limits,
            starting: std::array::from_fn(|_| tokio::sync::Mutex::default()),
            parts,
        };
        Self { inner: Arc::new(inner) }
    }

    /// Adds the gateway of a platform, or replaces it. A gateway that needs the engine itself is made after it and
    /// connected here. Connect every gateway before [`Engine::run`]: what is queued for a platform that has none counts as
    /// not applicable, and is not tried again.
    pub fn connect(&self, gateway: Arc<dyn Gateway>) {
        let mut gateways = self.inner.gateways.write().unwrap_or_else(PoisonError::into_inner);
        gateways.insert(gateway.platform(), gateway);
    }

    fn gateway(&self, platform: Platform) -> Option<Arc<dyn Gateway>> {
        let gateways = self.inner.gateways.read().unwrap_or_else(PoisonError::into_inner);
        gateways.get(&platform).cloned()
    }

    /// Recovers what a crash left behind, then fires timers and delivers effects until `shutdown`; finishes the step
    /// in flight before it returns. It [is running](Self::is_running) from the call on, before the future is polled: who
    /// spawns it can announce the bot as ready at once.
    pub fn run(&self, shutdown: CancellationToken) -> impl Future<Output = ()> + Send + use<> {
        let running = Running::mark(self.clone());
        async move { running.0.until(shutdown).await }
    }

    async fn until(&self, shutdown: CancellationToken) {
        hit(Failpoint::Recovering);
        let scheduler = async {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.run_scheduler() => {}
            }
        };
        let work = async {
            tokio::join!(scheduler, self.keep_delivering(&shutdown));
            self.inner.tasks.close();
            self.inner.tasks.wait().await;
        };
        let out_of_time = async {
            shutdown.cancelled().await;
            self.inner.closing.cancel();
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            () = work => {}
            () = out_of_time => {
                tracing::warn!("stopped with work in progress; it will be resumed at the next start");
            }
        }
    }

    /// Sessions with work in progress, and what is queued for them.
    pub(crate) fn load_now(&self) -> (usize, usize) {
        self.inner.session_tasks.load()
    }

    /// Whether timers fire and effects leave, and new work is taken.
    pub fn is_running(&self) -> bool {
        self.inner.running.load(Ordering::Relaxed) && !self.inner.closing.is_cancelled()
    }

    /// Whether nothing is taken in any more, for this process ends.
    pub(crate) fn is_closing(&self) -> bool {
        self.inner.closing.is_cancelled()
    }

    /// What the engine is made of.
    pub fn parts(&self) -> &Parts {
        &self.inner.parts
    }

    /// The steps around a tool call, for those who show its progress.
    pub fn pipeline(&self) -> &Pipeline {
        &self.inner.pipeline
    }

    /// Starts a session at `place`, or finds the one of the same flow that the person has open there: a repeat of
    /// the same request gives the same session. `key` names the inbound event.
    pub async fn start(
        &self,
        flow: &str,
        from: &Responder,
        place: Place,
        key: &str,
    ) -> Result<SessionId, Error> {
        Ok(self.start_with(flow, from, (place, key), Beginning::default()).await?.session)
    }

    /// Like [`Engine::start`], with more to say of how the session begins, and of whether it was there. `at` is its place
    /// and the key of the inbound event.
    pub async fn start_with(
        &self,
        flow: &str,
        from: &Responder,
        at: (Place, &str),
        beginning: Beginning<'_>,
    ) -> Result<Begun, Error> {
        let platform = from.person.platform;
        let started = self.begin(flow, from, at, beginning).await;
        let came = started.as_ref().map_or_else(metrics::failure, |_| "taken");
        metrics::inbound(platform, "start", came);
        started
    }

    async fn begin(
        &self,
        flow: &str,
        from: &Responder,
        (place, key): (Place, &str),
        Beginning { words, is_test, time_zone, invited_by }: Beginning<'_>,
    ) -> Result<Begun, Error> {
        let inner = &self.inner;
        let _one_at_a_time = inner.starting[lock_of(&place)].lock().await;
        let found = inner.parts.store.find(Find::Place(place.clone())).await?;
        let is_open = |head: &&Head| {
            head.participant == from.person && head.flow.id == flow && !head.status.is_over()
        };
        if let Some(head) = found.iter().find(is_open) {
            let is_repeat = inner.parts.store.is_known_event(key).await?;
            let before = Some(head.status).filter(|_| !is_repeat);
            return Ok(Begun { session: head.id, before });
        }
        let tenant = inner.limits.tenants.at(&place).map(Arc::as_ref);
        let library = inner.parts.library.of(place.platform, &place.workspace);
        let flow = flow_versions::begun(&library, flow, from)?;
        let pin = self.pin(&flow).await?;
        hit(Failpoint::FlowPinned);
        let started = Started {
            session: SessionId::mint(inner.parts.ids.as_ref()),
            flow: pin,
            participant: from.person.clone(),
            name: Some(from.name.clone()).filter(|name| !name.is_empty()),
            place,
            test: is_test,
            staff: from.staff,
            time_zone: time_zone.map(str::to_owned),
            contact_source: inner.parts.contacts.serving(&from.person).map(str::to_owned),
            invited_by: invited_by.cloned(),
        };
        let session = started.session;
        let (ids, now) = (Arc::clone(&inner.parts.ids), inner.parts.clock.now());
        let settings = self.settings(&started.place);
        let mut changes = decide::started(flow, started, ids, now, settings);
        // A person may be asked for before anything else.
        let counts = |words: &&str| changes.state.status == Status::Open || asks_for_person(words);
        if let Some(words) = words.filter(counts) {
            changes.receive(from, words, None);
        }
        match self.commit(changes, Some(key.to_owned())).await {
            Ok(()) => {
                hit(Failpoint::SessionStarted);
                if self.dispatch_for(session, TaskCommand::Work, tenant).is_err() {
                    // It is durable, and its timer has it taken up once there is room.
                    tracing::debug!(session.id = %session, "a session waits for its first step");
                }
                Ok(Begun { session, before: None })
            }
            // The same request again, after its session has ended.
            Err(store::Error::Duplicate) => {
                let mine = found.iter().find(|head| head.participant == from.person);
                let begun = |head: &Head| Begun { session: head.id, before: None };
                mine.map(begun).ok_or(Error::NoSession)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Takes an inbound event in: durable when this returns.
    pub async fn receive(&self, inbound: Inbound) -> Result<Receipt, Error> {
        let (platform, what) = (inbound.from.person.platform, inbound.what.name());
        if self.inner.pace.check_key(&inbound.from.person).is_err() {
            metrics::refusal("rate");
            metrics::inbound(platform, what, "too_fast");
            return Err(Error::Busy);
        }
        let received = self.take(inbound).await;
        metrics::inbound(platform, what, metrics::outcome(&received));
        received
    }

    async fn take(&self, inbound: Inbound) -> Result<Receipt, Error> {
        self.note_inbound(&inbound);
        let (answer, receipt) = tokio::sync::oneshot::channel();
        self.dispatch(inbound.session, TaskCommand::Inbound(Box::new(inbound), answer))?;
        receipt.await.map_err(|_| Error::Busy)?
    }

    /// Hears of every change.
    pub fn watch(&self) -> broadcast::Receiver<Changed> {
        self.inner.change_feed.all()
    }

    /// Resolves when no session is active and no effect can leave now.
    pub async fn settle_down(&self) {
        loop {
            self.inner.session_tasks.quiet().await;
            let delivered = self.deliver_due().await;
            if delivered == 0 && self.inner.session_tasks.is_empty() {
                return;
            }
        }
    }

    /// What the events of a session add up to.
    pub(crate) fn state_of(&self, session: SessionId, events: &[Recorded]) -> Option<Arc<State>> {
        self.inner.states.of(session, events)
    }

    /// What this engine has and allows for conversations there.
    fn settings(&self, place: &Place) -> Settings {
        let Limits { burst, budgets, time_zone, nudges, .. } = self.inner.limits;
        Settings { has_model: self.has_model(place), burst, time_zone, nudges, budgets }
    }

    /// Commits what was decided, and tells those who listen.
    async fn commit(&self, changes: Changes, dedup: Option<String>) -> Result<(), store::Error> {
        let SessionView { flow, state, .. } = changes.view().clone();
        let ended = changes.ended();
        let mut commit = changes.into_commit(dedup);
        let last = commit.events.last().map(|recorded| Arc::clone(&recorded.event));
        commit.charges = self.charges(&commit);
        let recorded = self.is_recorded().then(|| Box::new(recording::Committed::of(&commit)));
        let warnings = metrics::warnings(&commit);
        let news = Changed { session: commit.head.id, seq: commit.head.seq };
        let has_effects = !commit.effects.is_empty();
        let began = tokio::time::Instant::now();
        let committed = self.inner.parts.store.commit(commit).await;
        metrics::commit(&committed, began.elapsed());
        committed?;
        if let Some(last) = last {
            self.inner.states.keep(news.session, &last, &state);
        }
        self.note_commit(recorded, &flow);
        metrics::tell(&warnings, ended);
        self.inner.change_feed.tell(news);
        if has_effects {
            self.inner.queued.notify_one();
        }
        Ok(())
    }

    /// Decides and commits; where somebody else has committed meanwhile, decides again on what there is now. A
    /// decision that changes nothing is not committed.
    async fn decide(
        &self,
        session: SessionId,
        decide: impl Fn(SessionView) -> Changes + Send + Sync,
    ) -> Result<(), Error> {
        self.decide_saying(session, |view| ((), decide(view))).await
    }

    /// Like [`Engine::decide`], but also returns what the decision says.
    async fn decide_saying<T>(
        &self,
        session: SessionId,
        decide: impl Fn(SessionView) -> (T, Changes) + Send + Sync,
    ) -> Result<T, Error> {
        for _ in 0..CONFLICTS_MAX {
            let (said, changes) = decide(self.view(session).await?);
            if self.keep(changes, None).await? {
                return Ok(said);
            }
        }
        Err(Error::Busy)
    }

    /// Decides on what a person did and commits it, as [`Engine::decide`] does; what an answer leads to at once is in
    /// the same commit. Returns the receipt, and the session as the commit leaves it.
    async fn decide_and_apply(
        &self,
        session: SessionId,
        dedup: &str,
        decide: impl Fn(SessionView) -> (Receipt, Changes) + Send + Sync,
    ) -> Result<(Receipt, SessionView), Error> {
        for _ in 0..CONFLICTS_MAX {
            let (receipt, mut changes) = decide(self.view(session).await?);
            if !changes.is_empty() {
                changes = self.apply_at_once(changes).await;
            }
            let left = changes.view().clone();
            if self.keep(changes, Some(dedup)).await? {
                return Ok((receipt, left));
            }
        }
        Err(Error::Busy)
    }

    /// Commits what a decision has changed, if anything; not where somebody else has committed meanwhile.
    async fn keep(&self, changes: Changes, dedup: Option<&str>) -> Result<bool, Error> {
        if changes.is_empty() {
            return Ok(true);
        }
        match self.commit(changes, dedup.map(str::to_owned)).await {
            Ok(()) => Ok(true),
            Err(store::Error::Conflict { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Which lock a place shares.
fn lock_of(place: &Place) -> usize {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    usize::try_from(hasher.finish() % STARTS as u64).unwrap_or_default()
}

/// Marks the engine as running for as long as it lives, also when the task panics.
struct Running(Engine);

impl Running {
    fn mark(engine: Engine) -> Self {
        engine.inner.running.store(true, Ordering::Relaxed);
        Self(engine)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.inner.running.store(false, Ordering::Relaxed);
    }
}
