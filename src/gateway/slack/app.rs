//! What every part of the gateway needs, and how it is put together.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use chrono::{DateTime, Utc};
use tokio::sync::{Mutex as Turn, broadcast::error::RecvError};
use tokio_util::sync::CancellationToken;

use super::{
    agent::Agent,
    api::{self, Api},
    catch_up,
    files::Files,
    handler,
    home::Home,
    people::People,
    tenants::{self, Tenants},
};
use crate::{
    base::{clock::Clock, ids::Ids, telemetry::link::Link},
    chat::{
        Afterwards, Deduplicator, NoticeLimiter, PossibleDuplicates, PostLog, RenderCache,
        WorkIndicators, catch_up::Heard, message_index::MessageIndex,
    },
    config::{
        Lists, Settings,
        settings::{SlackConnection, SlackTenancy},
    },
    engine::Engine,
    model::{
        effect::{Cause, CauseKind},
        session::Platform,
    },
    store::Store,
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
    /// What shows that the bot is at work.
    pub(super) work_indicators: WorkIndicators,
    /// The app's Home.
    pub home: Home,
    /// Which message stands for what.
    pub threads: MessageIndex,
    /// When people were heard last.
    pub(super) heard: Heard,
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
    pub(super) receipts: NoticeLimiter,
    /// What was said outside conversations.
    pub(super) deduplicator: Deduplicator,
    /// How messages look.
    pub(super) drawn: RenderCache,
    /// What stands outside for sessions.
    pub(super) post_log: PostLog,
    engine: OnceLock<Engine>,
    link: OnceLock<Arc<Link>>,
    /// Messages that are being edited, by their names.
    edited: moka::sync::Cache<String, Arc<Turn<()>>>,
    pub(super) possible_duplicates: PossibleDuplicates,
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
            SlackTenancy::One { bot_token, bot_token_file } => {
                Tenants::plain_in(bot_token_file.clone(), bot_token.clone())
            }
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
        let (post_log, work_indicators) =
            (PostLog::new(Arc::clone(store)), WorkIndicators::default());
        let (home_store, home_clock) = (Arc::clone(store), Arc::clone(clock));
        Ok(Some(Arc::new(Self {
            home: Home::new(api.clone(), people.clone(), home_store, home_clock),
            people,
            files: Files::new(api.clone(), settings.uploads.max_mb * 1024 * 1024)?,
            agent: Agent::new(
                api.clone(),
                Arc::clone(store),
                post_log.clone(),
                work_indicators.clone(),
            ),
            work_indicators,
            threads: MessageIndex::new(Platform::Slack, Arc::clone(store)),
            heard: Heard::new(Platform::Slack, Arc::clone(store)),
            began: clock.now(),
            afterwards: Afterwards::new(Platform::Slack, TASK_LIMIT),
            receipts: NoticeLimiter::new(),
            deduplicator: Deduplicator::new(Platform::Slack, Arc::clone(store), Arc::clone(clock)),
            drawn: RenderCache::new(),
            post_log,
            engine: OnceLock::new(),
            link: OnceLock::new(),
            edited: moka::sync::Cache::new(EDITED_MAX),
            possible_duplicates: PossibleDuplicates::default(),
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

    /// Says how it can be seen whether Slack reaches the bot; without that, it always seems to.
    pub fn reached_over(&self, link: Arc<Link>) {
        if self.link.set(link).is_err() {
            tracing::error!("the Slack gateway is connected already");
        }
    }

    /// Resolves once Slack reaches the bot.
    pub(super) async fn connected(&self) {
        if let Some(link) = self.link.get() {
            link.up().await;
        }
    }

    /// Resolves once Slack does not reach the bot.
    pub(super) async fn disconnected(&self) {
        match self.link.get() {
            Some(link) => link.down().await,
            None => std::future::pending().await,
        }
    }

    /// The engine; none before it is attached.
    pub fn engine(&self) -> Option<&Engine> {
        self.engine.get()
    }

    /// Reads what was written while nobody listened, keeps tokens and groups fresh, and brings conversations back where
    /// the app is installed again, until `shutdown`; what was begun after an acknowledgement is finished before it
    /// returns.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        tokio::join!(
            catch_up::keep_up(&self, &shutdown),
            self.api.tenants().run(&self.api, shutdown.clone()),
            self.people.run(shutdown.clone()),
            self.welcome_back(shutdown.clone()),
            self.report_rejected(shutdown.clone()),
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

    /// A token that Slack refuses is a cause that operators and staff read of, also while nothing waits for it.
    async fn report_rejected(&self, shutdown: CancellationToken) {
        let mut rejected = self.api.tenants().rejected();
        loop {
            let team = tokio::select! {
                () = shutdown.cancelled() => return,
                team = rejected.recv() => team,
            };
            match (team, self.engine()) {
                (Ok(team), Some(engine)) => {
                    let kind = CauseKind::TokenRejected;
                    engine.report_outage(Cause::of_workspace(kind, Platform::Slack, &team));
                }
                (Ok(_), None) | (Err(RecvError::Lagged(_)), _) => {}
                (Err(RecvError::Closed), _) => return,
            }
        }
    }

    /// What has paused because the app was gone goes on.
    async fn welcome_back(self: &Arc<Self>, shutdown: CancellationToken) {
        let mut installed = self.api.tenants().installed();
        loop {
            let installation = tokio::select! {
                () = shutdown.cancelled() => return,
                installation = installed.recv() => installation,
            };
            match installation {
                Ok(installation) => handler::installed_again(self, installation),
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
}
