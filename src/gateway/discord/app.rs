//! What every part of the gateway needs, and how it is put together.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use governor::{Quota, RateLimiter, clock::DefaultClock, state::keyed::HashMapStateStore};
use tokio::sync::{OnceCell, Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    api::{self, Api, Failure, Pace},
    commands,
    drafts::Drafts,
    files::Files,
    rooms::Rooms,
};
use crate::{
    clock::Clock,
    config::{Lists, Settings, settings::DiscordConnection},
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
    pub connection: DiscordConnection,
    /// The REST API.
    pub api: Api,
    /// Files on Discord.
    pub files: Files,
    /// Who has a say.
    pub lists: Lists,
    /// Which message stands for what.
    pub threads: Threads,
    /// Where participants read.
    pub rooms: Rooms,
    /// What was entered and not sent yet.
    pub drafts: Drafts,
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
    /// The bot's own user.
    me: OnceCell<String>,
    /// How messages look that this process has edited, by their names.
    drawn: moka::sync::Cache<String, String>,
    /// Effects that wait until a server can be reached again, with the server.
    put_off: Mutex<HashMap<EffectId, String>>,
}

/// Things that are said or shown after an acknowledgement, at one time; more are left out, and said so in the log.
const TASKS_MAX: usize = 1_000;

/// Longest time for one of them: a wait for a rate and some calls.
const TASK_LIMIT: Duration = Duration::from_mins(1);

/// How often one person is told in a minute that something did not work.
const RECEIPTS_PER_MINUTE: u32 = 10;

/// People of whom it is remembered without a look at who can be forgotten.
const RECEIPTS_KEPT: usize = 1_000;

/// Messages whose look is remembered.
const DRAWN_MAX: u64 = 10_000;

/// Most effects that are remembered to wait for a server; one that is forgotten here leaves an hour later at most.
const PUT_OFF_MAX: usize = 10_000;

impl App {
    /// Puts the gateway together from the settings; none where Discord is not connected. It asks Discord nothing yet,
    /// and takes nothing in before [`App::attach`].
    pub fn open(
        settings: &Arc<Settings>,
        store: &Arc<dyn Store>,
        clock: &Arc<dyn Clock>,
        ids: &Arc<dyn Ids>,
    ) -> Result<Option<Arc<Self>>, api::Error> {
        let connection = settings.discord.as_ref().and_then(|discord| discord.connection.clone());
        let Some(connection) = connection else { return Ok(None) };
        let api = Api::new(&connection.api_base, connection.token.clone(), Pace::default())?;
        let lists = Lists {
            approvers: settings.approvers.clone(),
            staff_users: connection.staff_users.clone(),
            staff_groups: connection.staff_roles.clone(),
        };
        let per_minute = NonZeroU32::new(RECEIPTS_PER_MINUTE).unwrap_or(NonZeroU32::MIN);
        let threads = Threads::new(Platform::Discord, Arc::clone(store));
        Ok(Some(Arc::new(Self {
            files: Files::new(&connection.api_base, settings.uploads.max_mb * 1024 * 1024)?,
            rooms: Rooms::new(
                api.clone(),
                threads.clone(),
                Arc::clone(store),
                Arc::clone(settings),
            ),
            drafts: Drafts::new(Arc::clone(store)),
            began: clock.now(),
            tasks: TaskTracker::new(),
            room: Arc::new(Semaphore::new(TASKS_MAX)),
            receipts: RateLimiter::keyed(Quota::per_minute(per_minute)),
            engine: OnceLock::new(),
            me: OnceCell::new(),
            drawn: moka::sync::Cache::new(DRAWN_MAX),
            put_off: Mutex::default(),
            settings: Arc::clone(settings),
            store: Arc::clone(store),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
            threads,
            lists,
            connection,
            api,
        })))
    }

    /// Gives it the engine; the first one stays.
    pub fn attach(&self, engine: Engine) {
        if self.engine.set(engine).is_err() {
            tracing::error!("the Discord gateway has an engine already");
        }
    }

    /// The engine; none before it is attached.
    pub fn engine(&self) -> Option<&Engine> {
        self.engine.get()
    }

    /// Registers the commands where they have changed, then waits for `shutdown`; what was begun after an
    /// acknowledgement is finished before it returns.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = commands::keep_registered(&self) => shutdown.cancelled().await,
        }
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// The bot's own user.
    pub(super) async fn me(&self) -> Result<&str, Failure> {
        let ask = || async {
            let me = self.api.me().await?;
            let unclear = || Failure::Unclear { why: "the bot has no id".to_owned() };
            me["id"].as_str().map(str::to_owned).ok_or_else(unclear)
        };
        self.me.get_or_try_init(ask).await.map(String::as_str)
    }

    /// Does something after the acknowledgement. Nothing that must not be lost is done so.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            tracing::warn!("too much is going on: something was not said or shown in Discord");
            return;
        };
        self.tasks.spawn(async move {
            let done = tokio::time::timeout(TASK_LIMIT, task).await;
            drop(permit);
            if done.is_err() {
                tracing::warn!("something in Discord took too long and was given up");
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
    pub(super) fn may_tell(&self, guild: &str, user: &str) -> bool {
        // Who has been told nothing for long is forgotten.
        if self.receipts.len() > RECEIPTS_KEPT {
            self.receipts.retain_recent();
        }
        self.receipts.check_key(&(guild.to_owned(), user.to_owned())).is_ok()
    }

    /// Whether a message looks so already, as far as this process has drawn it.
    pub(super) fn is_as_drawn(&self, message: &str, digest: &str) -> bool {
        self.drawn.get(message).is_some_and(|drawn| drawn == digest)
    }

    /// Remembers how a message looks.
    pub(super) fn drawn(&self, message: String, digest: String) {
        self.drawn.insert(message, digest);
    }

    /// How a message looks is not known any more: somebody else has drawn it.
    pub(super) fn redrawn(&self, message: &str) {
        self.drawn.invalidate(message);
    }

    /// Remembers that an effect waits until a server can be reached again.
    pub(super) fn put_off(&self, guild: &str, effect: EffectId) {
        let mut put_off = self.put_off.lock().unwrap_or_else(PoisonError::into_inner);
        if put_off.len() < PUT_OFF_MAX {
            put_off.insert(effect, guild.to_owned());
        }
    }

    /// A server can be reached again: what waited for that leaves now.
    pub(super) async fn hurry(&self, guild: &str) {
        let waiting: Vec<EffectId> = {
            let mut put_off = self.put_off.lock().unwrap_or_else(PoisonError::into_inner);
            put_off.extract_if(|_, of| of == guild).map(|(effect, _)| effect).collect()
        };
        let now = Delivery::Retry { not_before: self.clock.now() };
        for effect in waiting {
            if let Err(error) = self.store.done(effect, now.clone()).await {
                tracing::warn!(effect.id = %effect, %error, "an effect leaves later than it could");
            }
        }
    }
}
