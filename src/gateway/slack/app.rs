//! What every part of the gateway needs, and how it is put together.

use std::{
    collections::{HashMap, HashSet},
    num::NonZeroU32,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use governor::{Quota, RateLimiter, clock::DefaultClock, state::keyed::HashMapStateStore};
use tokio::sync::{Mutex as Turn, Semaphore, broadcast::error::RecvError};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    agent::Agent,
    api::{self, Api},
    catch_up::catch_up,
    files::Files,
    home::Home,
    inbox,
    people::People,
    tenants::{self, Tenants},
};
use crate::{
    clock::Clock,
    config::{
        Lists, Settings,
        settings::{SlackConnection, SlackTenancy},
    },
    engine::Engine,
    ids::{EffectId, Ids},
    model::{effect::Delivery, session::Platform},
    store::Store,
    threads::Threads,
};

/// The gateway, shared by what comes in and what goes out.
#[derive(Debug)]
pub struct App {
    /// What the operator decided.
    pub settings: Arc<Settings>,
    /// How the bot is connected.
    pub connection: SlackConnection,
    /// The Web API.
    pub api: Api,
    /// Who somebody is.
    pub people: People,
    /// Files on Slack.
    pub files: Files,
    /// What the agent surface shows.
    pub agent: Agent,
    /// The app's Home.
    pub home: Home,
    /// Which message stands for what.
    pub threads: Threads,
    /// Durable state.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New identifiers.
    pub ids: Arc<dyn Ids>,
    /// When this process began: what was queued before may have left already.
    pub began: DateTime<Utc>,
    /// What is done after an acknowledgement.
    tasks: TaskTracker,
    /// How many of those may run at one time.
    room: Arc<Semaphore>,
    /// How often somebody is told that something did not work.
    receipts: RateLimiter<(String, String), HashMapStateStore<(String, String)>, DefaultClock>,
    engine: OnceLock<Engine>,
    /// How messages look that this process has edited, by their names.
    drawn: moka::sync::Cache<String, String>,
    /// Effects that wait for the app to be installed again, by workspace.
    put_off: Mutex<HashMap<String, HashSet<EffectId>>>,
    /// Messages that are being edited, by their names.
    edited: moka::sync::Cache<String, Arc<Turn<()>>>,
    /// Effects of which nobody knows whether they have happened.
    in_doubt: Mutex<HashSet<EffectId>>,
}

/// Why the gateway cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The workspaces that have installed the app.
    #[error(transparent)]
    Tenants(#[from] tenants::Error),
    /// The Web API.
    #[error(transparent)]
    Api(#[from] api::Error),
    /// No client can be made.
    #[error("no TLS client: {0}")]
    Client(#[from] reqwest::Error),
}

/// Things that are said or shown after an acknowledgement, at one time; more are left out, and said so in the log.
const TASKS_MAX: usize = 1_000;

/// Longest time for one of them: a wait for a rate and a call.
const TASK_LIMIT: Duration = Duration::from_secs(30);

/// How often one person is told in a minute that something did not work.
const RECEIPTS_PER_MINUTE: u32 = 10;

/// People of whom it is remembered without a look at who can be forgotten.
const RECEIPTS_KEPT: usize = 1_000;

/// Messages whose look is remembered.
const DRAWN_MAX: u64 = 10_000;

/// Most effects of which the doubt is remembered; an effect that is forgotten here may be posted twice.
const DOUBTS_MAX: usize = 10_000;

impl App {
    /// Puts the gateway together from the settings; none where Slack is not connected. It asks Slack nothing yet, and
    /// takes nothing in before [`App::attach`].
    pub async fn open(
        settings: &Arc<Settings>,
        store: &Arc<dyn Store>,
        clock: &Arc<dyn Clock>,
        ids: &Arc<dyn Ids>,
    ) -> Result<Option<Arc<Self>>, Error> {
        let connection = settings.slack.as_ref().and_then(|slack| slack.connection.clone());
        let Some(connection) = connection else { return Ok(None) };
        let tenants = match &connection.tenancy {
            SlackTenancy::One { bot_token } => Tenants::plain(bot_token.clone()),
            SlackTenancy::Many(oauth) => {
                let (store, clock) = (Arc::clone(store), Arc::clone(clock));
                Tenants::open(oauth, &connection.api_url, store, clock).await?
            }
        };
        let SlackConnection { api_url, rates, proxies, .. } = &connection;
        let api = Api::through(api_url, Arc::new(tenants), rates, proxies)?;
        let lists = Lists {
            approvers: settings.approvers.clone(),
            staff_users: connection.staff_users.clone(),
            staff_groups: connection.staff_groups.clone(),
        };
        let per_minute = NonZeroU32::new(RECEIPTS_PER_MINUTE).unwrap_or(NonZeroU32::MIN);
        let people = People::new(api.clone(), lists);
        let (home_store, home_clock) = (Arc::clone(store), Arc::clone(clock));
        Ok(Some(Arc::new(Self {
            home: Home::new(api.clone(), people.clone(), home_store, home_clock),
            people,
            files: Files::new(api.clone(), settings.uploads.max_mb * 1024 * 1024)?,
            agent: Agent::new(api.clone(), Arc::clone(store)),
            threads: Threads::new(Platform::Slack, Arc::clone(store)),
            began: clock.now(),
            tasks: TaskTracker::new(),
            room: Arc::new(Semaphore::new(TASKS_MAX)),
            receipts: RateLimiter::keyed(Quota::per_minute(per_minute)),
            engine: OnceLock::new(),
            drawn: moka::sync::Cache::new(DRAWN_MAX),
            put_off: Mutex::default(),
            edited: moka::sync::Cache::new(DRAWN_MAX),
            in_doubt: Mutex::default(),
            settings: Arc::clone(settings),
            store: Arc::clone(store),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
            connection,
            api,
        })))
    }

    /// Gives it the engine; the first one stays.
    pub fn attach(&self, engine: Engine) {
        if self.engine.set(engine).is_err() {
            tracing::error!("the Slack gateway has an engine already");
        }
    }

    /// The engine; none before it is attached.
    pub fn engine(&self) -> Option<&Engine> {
        self.engine.get()
    }

    /// Reads once what was written while nobody listened, keeps tokens and groups fresh, and brings conversations back where the app is installed again, until
    /// `shutdown`; what was begun after an acknowledgement is finished before it returns.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        let (reading, stop) = (catch_up(Arc::clone(&self)), shutdown.clone());
        self.spawn_whole(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = reading => {}
            }
        });
        tokio::join!(
            self.api.tenants().run(shutdown.clone()),
            self.people.run(shutdown.clone()),
            self.welcome_back(shutdown.clone()),
            self.show(shutdown.clone()),
        );
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Shows what the bot does, once there is an engine.
    async fn show(&self, shutdown: CancellationToken) {
        match self.engine() {
            Some(engine) => {
                let home = self.home.run(engine.clone(), shutdown.clone());
                let work = self.agent.run(engine.clone(), shutdown);
                tokio::join!(Box::pin(work), Box::pin(home));
            }
            None => shutdown.cancelled().await,
        }
    }

    /// What has paused because the app was gone goes on (SEMANTICS row 34).
    async fn welcome_back(self: &Arc<Self>, shutdown: CancellationToken) {
        let mut installed = self.api.tenants().installed();
        loop {
            let installation = tokio::select! {
                () = shutdown.cancelled() => return,
                installation = installed.recv() => installation,
            };
            match installation {
                Ok(installation) => inbox::installed_again(self, installation),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            }
        }
    }

    /// Does something after the acknowledgement. Nothing that must not be lost is done so.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            tracing::warn!("too much is going on: something was not said or shown in Slack");
            return;
        };
        self.tasks.spawn(async move {
            let done = tokio::time::timeout(TASK_LIMIT, task).await;
            drop(permit);
            if done.is_err() {
                tracing::warn!("something in Slack took too long and was given up");
            }
        });
    }

    /// The same for what goes over every conversation, however long that takes.
    pub(super) fn spawn_whole(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }

    /// Resolves when nothing that was begun after an acknowledgement is in hand.
    pub async fn settle_down(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }

    /// Whether somebody may be told once more that something did not work (SEMANTICS row 22).
    pub(super) fn may_tell(&self, team: &str, user: &str) -> bool {
        // Who has been told nothing for long is forgotten.
        if self.receipts.len() > RECEIPTS_KEPT {
            self.receipts.retain_recent();
        }
        self.receipts.check_key(&(team.to_owned(), user.to_owned())).is_ok()
    }

    /// Whether a message looks so already, as far as this process has drawn it.
    pub(super) fn is_as_drawn(&self, message: &str, digest: &str) -> bool {
        self.drawn.get(message).is_some_and(|drawn| drawn == digest)
    }

    /// Remembers how a message looks.
    pub(super) fn drawn(&self, message: String, digest: String) {
        self.drawn.insert(message, digest);
    }

    /// Remembers that an effect waits for the app to be installed again; one that is forgotten here leaves an hour
    /// later at most.
    pub(super) fn put_off(&self, team: &str, effect: EffectId) {
        let mut put_off = self.put_off.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = put_off.entry(team.to_owned()).or_default();
        if waiting.len() < DOUBTS_MAX {
            waiting.insert(effect);
        }
    }

    /// The app is installed again in these workspaces: what waited for that leaves now.
    pub(super) async fn hurry(&self, is_there: impl Fn(&str) -> bool) {
        let waiting: Vec<EffectId> = {
            let mut put_off = self.put_off.lock().unwrap_or_else(PoisonError::into_inner);
            let there = put_off.extract_if(|team, _| is_there(team));
            there.flat_map(|(_, waiting)| waiting).collect()
        };
        let now = Delivery::Retry { not_before: self.clock.now() };
        for effect in waiting {
            if let Err(error) = self.store.done(effect, now.clone()).await {
                tracing::warn!(effect.id = %effect, %error, "an effect leaves later than it could");
            }
        }
    }

    /// Whoever is to edit a message waits for their turn: of several edits that say the same, one leaves.
    pub(super) fn editing(&self, message: &str) -> Arc<Turn<()>> {
        self.edited.get_with_by_ref(message, Arc::default)
    }

    /// Remembers that an effect may have happened.
    pub(super) fn doubt(&self, effect: EffectId) {
        let mut doubts = self.in_doubt.lock().unwrap_or_else(PoisonError::into_inner);
        if doubts.len() < DOUBTS_MAX {
            doubts.insert(effect);
        }
    }

    /// Whether an effect may have happened before.
    pub(super) fn is_doubted(&self, effect: EffectId) -> bool {
        self.in_doubt.lock().unwrap_or_else(PoisonError::into_inner).contains(&effect)
    }

    /// What became of an effect is known.
    pub(super) fn know(&self, effect: EffectId) {
        self.in_doubt.lock().unwrap_or_else(PoisonError::into_inner).remove(&effect);
    }
}
