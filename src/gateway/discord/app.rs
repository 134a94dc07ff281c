//! What every part of the gateway needs, and how it is put together.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use chrono::{DateTime, Utc};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::{
    api::{self, Api, Failure, Pace},
    commands,
    drafts::Drafts,
    files::Files,
    native::Native,
    rooms::Rooms,
    typing,
};
use crate::{
    chat::{Afterwards, Drawn, PutOff, Receipts},
    clock::Clock,
    config::{Lists, Settings, settings::DiscordConnection},
    engine::Engine,
    ids::Ids,
    model::session::Platform,
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
    /// What servers ask newcomers themselves.
    pub native: Native,
    /// Durable state.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New identifiers.
    pub ids: Arc<dyn Ids>,
    /// When this process began: what was queued before may have left already.
    pub began: DateTime<Utc>,
    /// What is done after an acknowledgement.
    pub(super) afterwards: Afterwards,
    /// Who has been told that something did not work.
    pub(super) receipts: Receipts,
    /// How messages look.
    pub(super) drawn: Drawn,
    /// What waits for a workspace.
    pub(super) put_off: PutOff,
    engine: OnceLock<Engine>,
    /// The bot's own user.
    me: OnceCell<String>,
    /// The program is to stop: what goes on for long ends.
    stopping: CancellationToken,
}

/// Longest time for what is said or shown after an acknowledgement: a wait for a rate and some calls.
const TASK_LIMIT: Duration = Duration::from_mins(1);

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
            native: Native::default(),
            began: clock.now(),
            afterwards: Afterwards::new(Platform::Discord, TASK_LIMIT),
            receipts: Receipts::new(),
            drawn: Drawn::new(),
            put_off: PutOff::default(),
            engine: OnceLock::new(),
            me: OnceCell::new(),
            stopping: CancellationToken::new(),
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

    /// Registers the commands where they have changed, and shows that the bot is writing until `shutdown`; what was
    /// begun after an acknowledgement is finished before it returns.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        let registering = async {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = commands::keep_registered(&self) => shutdown.cancelled().await,
            }
        };
        tokio::join!(registering, typing::keep_typing(&self, shutdown.clone()));
        self.stopping.cancel();
        self.afterwards.finish().await;
    }

    /// Resolves when the program is to stop.
    pub(super) async fn stopping(&self) {
        self.stopping.cancelled().await;
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

    /// Resolves when nothing that was begun after an acknowledgement is in hand.
    pub async fn settle_down(&self) {
        self.afterwards.settle_down().await;
    }
}
