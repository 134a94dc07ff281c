//! What every part of the gateway needs, and how it is put together.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use tokio::sync::{Mutex as Turn, broadcast::error::RecvError};
use tokio_util::sync::CancellationToken;

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
    chat::{Afterwards, Drawn, PutOff, Receipts},
    clock::Clock,
    config::{
        Lists, Settings,
        settings::{SlackConnection, SlackTenancy},
    },
    engine::Engine,
    ids::{EffectId, Ids},
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
    pub(super) afterwards: Afterwards,
    /// Who has been told that something did not work.
    pub(super) receipts: Receipts,
    /// How messages look.
    pub(super) drawn: Drawn,
    /// What waits for a workspace.
    pub(super) put_off: PutOff,
    engine: OnceLock<Engine>,
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

/// Longest time for what is said or shown after an acknowledgement: a wait for a rate and a call.
const TASK_LIMIT: Duration = Duration::from_secs(30);

/// Messages of which it is remembered that they are being edited.
const EDITED_MAX: u64 = 10_000;

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
        let people = People::new(api.clone(), lists);
        let (home_store, home_clock) = (Arc::clone(store), Arc::clone(clock));
        Ok(Some(Arc::new(Self {
            home: Home::new(api.clone(), people.clone(), home_store, home_clock),
            people,
            files: Files::new(api.clone(), settings.uploads.max_mb * 1024 * 1024)?,
            agent: Agent::new(api.clone(), Arc::clone(store)),
            threads: Threads::new(Platform::Slack, Arc::clone(store)),
            began: clock.now(),
            afterwards: Afterwards::new(Platform::Slack, TASK_LIMIT),
            receipts: Receipts::new(),
            drawn: Drawn::new(),
            put_off: PutOff::default(),
            engine: OnceLock::new(),
            edited: moka::sync::Cache::new(EDITED_MAX),
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

    /// Reads once what was written while nobody listened, keeps tokens and groups fresh, and brings conversations back
    /// where the app is installed again, until `shutdown`; what was begun after an acknowledgement is finished before
    /// it returns.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        let (reading, stop) = (catch_up(Arc::clone(&self)), shutdown.clone());
        self.afterwards.spawn_whole(async move {
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
        self.afterwards.finish().await;
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

    /// Resolves when nothing that was begun after an acknowledgement is in hand.
    pub async fn settle_down(&self) {
        self.afterwards.settle_down().await;
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
