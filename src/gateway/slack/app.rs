//! What every part of the gateway needs, and how it is put together.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use tokio::sync::Mutex as Turn;

use super::{
    agent::Agent,
    api::{self, Api},
    files::Files,
    home::Home,
    installations::{self, Installations},
    people::People,
};
use crate::{
    base::{clock::Clock, ids::Ids},
    chat::{
        Afterwards, Deduplicator, NoticeLimiter, PossibleDuplicates, PostLog, RenderCache,
        WorkIndicators, announcements::Announcements, catch_up::LastRead,
        message_index::MessageIndex,
    },
    config::{
        Settings,
        settings::{SlackConnection, SlackTokens},
    },
    engine::{Engine, Parts},
    model::session::Platform,
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
    /// When messages were read last.
    pub(super) last_read: LastRead,
    /// Durable state.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New identifiers.
    pub ids: Arc<dyn Ids>,
    /// What is done after an acknowledgement.
    pub(super) afterwards: Afterwards,
    /// Who has been told that something did not work.
    pub(super) receipts: NoticeLimiter,
    /// Tells all conversations of a workspace or a channel.
    pub(super) announcements: Announcements,
    /// What was said outside conversations.
    pub(super) deduplicator: Deduplicator,
    /// How messages look.
    pub(super) render_cache: RenderCache,
    /// What stands outside for sessions.
    pub(super) post_log: PostLog,
    engine: Engine,
    /// Messages that are being edited, by their names.
    edited: Mutex<HashMap<String, Weak<Turn<()>>>>,
    pub(super) possible_duplicates: PossibleDuplicates,
}

/// Why the gateway cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The workspaces that have installed the app.
    #[error(transparent)]
    Installations(#[from] installations::Error),
    /// The Web API.
    #[error(transparent)]
    Api(#[from] api::Error),
    /// No client can be made.
    #[error("no TLS client: {0}")]
    Client(#[from] reqwest::Error),
}

/// Longest time for what is said or shown after an acknowledgement: a wait for a rate and a call.
const TASK_LIMIT: Duration = Duration::from_secs(30);

/// The client of Slack's Web API. It is made before the engine, which looks people up through it, and [`App`] after both.
#[derive(Debug, Clone)]
pub struct Client {
    connection: SlackConnection,
    api: Api,
    /// Who is who, and has which rights.
    pub people: People,
}

impl Client {
    /// Puts it together from the settings; `None` where Slack is not connected. It asks Slack nothing yet.
    pub async fn open(
        settings: &Settings,
        store: &Arc<dyn Store>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Option<Self>, Error> {
        let connection = settings.slack.as_ref().and_then(|slack| slack.connection.clone());
        let Some(connection) = connection else { return Ok(None) };
        let installations = match &connection.tokens {
            SlackTokens::One { bot_token, bot_token_file } => {
                Installations::plain_in(bot_token_file.clone(), bot_token.clone())
            }
            SlackTokens::Many(oauth) => {
                let (store, clock) = (Arc::clone(store), Arc::clone(clock));
                Installations::open(oauth, &connection.api_url, store, clock).await?
            }
        };
        let SlackConnection { api_url, rates, proxies, .. } = &connection;
        let api = Api::through(api_url, Arc::new(installations), rates, proxies)?;
        let people = People::new(api.clone(), settings.lists(Platform::Slack));
        Ok(Some(Self { connection, api, people }))
    }
}

impl App {
    /// Puts the gateway together for an engine. It asks Slack nothing yet.
    pub fn new(
        Client { connection, api, people }: Client,
        settings: &Arc<Settings>,
        engine: Engine,
    ) -> Result<Arc<Self>, Error> {
        let Parts { store, clock, ids, .. } = engine.parts();
        let (store, clock, ids) = (Arc::clone(store), Arc::clone(clock), Arc::clone(ids));
        let (post_log, work_indicators) =
            (PostLog::new(Arc::clone(&store)), WorkIndicators::default());
        Ok(Arc::new(Self {
            home: Home::new(api.clone(), people.clone(), Arc::clone(&store), Arc::clone(&clock)),
            people,
            files: Files::new(api.clone(), settings.uploads.max_mb * 1024 * 1024)?,
            agent: Agent::new(
                api.clone(),
                engine.clone(),
                post_log.clone(),
                work_indicators.clone(),
            ),
            work_indicators,
            threads: MessageIndex::new(Platform::Slack, Arc::clone(&store)),
            last_read: LastRead::new(Platform::Slack, Arc::clone(&store)),
            afterwards: Afterwards::new(Platform::Slack, TASK_LIMIT),
            receipts: NoticeLimiter::new(),
            announcements: Announcements::new(Platform::Slack, Arc::clone(&store)),
            deduplicator: Deduplicator::new(
                Platform::Slack,
                Arc::clone(&store),
                Arc::clone(&clock),
            ),
            render_cache: RenderCache::new(),
            post_log,
            engine,
            edited: Mutex::default(),
            possible_duplicates: PossibleDuplicates::default(),
            settings: Arc::clone(settings),
            store,
            clock,
            ids,
            connection,
            api,
        }))
    }

    /// Who decides what an update comes to.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Resolves when nothing that was begun after an acknowledgement is in flight.
    pub async fn settle_down(&self) {
        self.afterwards.settle_down().await;
    }

    /// Whoever is to edit a message waits for their turn: of several edits that say the same, one leaves.
    pub(super) fn editing(&self, message: &str) -> Arc<Turn<()>> {
        let mut edited = self.edited.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = edited.get(message).and_then(Weak::upgrade) {
            return turn;
        }
        // Few are being edited at one time.
        edited.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::default();
        edited.insert(message.to_owned(), Arc::downgrade(&turn));
        turn
    }
}
