//! What every part of the gateway needs, and how it is put together.

use std::{sync::Arc, time::Duration};

use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::{
    api::{self, Api, Failure, Pace},
    drafts::Drafts,
    files::Files,
    last_seen::LastSeen,
    members::Members,
    permissions::Rights,
    private_threads::PrivateThreads,
    screening::Screening,
    server_onboarding::ServerOnboarding,
};
use crate::{
    base::{
        clock::Clock,
        ids::{Ids, SessionId},
    },
    chat::{
        Afterwards, Deduplicator, NoticeLimiter, PossibleDuplicates, PostLog, RenderCache,
        WorkIndicators, announcements::Announcements, form::MessageAccess,
        message_index::MessageIndex,
    },
    config::{
        Settings, WorkspaceLists,
        settings::{DiscordConnection, DiscordTransport},
    },
    engine::{Engine, Parts},
    model::session::{Place, Platform},
    store::Store,
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
    pub lists: WorkspaceLists,
    /// Which message stands for what.
    pub threads: MessageIndex,
    /// Where participants read.
    pub rooms: PrivateThreads,
    /// What was entered and not sent yet.
    pub drafts: Drafts,
    /// What servers ask newcomers themselves.
    pub native: ServerOnboarding,
    /// What is known of members, and of the bot's rights.
    pub(super) members: Members,
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
    /// Tells all conversations of a server.
    pub(super) announcements: Announcements,
    /// What was said outside conversations.
    pub(super) deduplicator: Deduplicator,
    /// How messages look.
    pub(super) render_cache: RenderCache,
    /// What shows that the bot is at work.
    pub(super) work_indicators: WorkIndicators,
    /// Whose roles wait for the server's own screening.
    pub(super) screening: Screening,
    /// When something was received last.
    pub(super) listening: LastSeen,
    pub(super) possible_duplicates: PossibleDuplicates,
    /// What stands outside for sessions.
    pub(super) post_log: PostLog,
    engine: Engine,
    /// The bot's own user.
    me: OnceCell<String>,
    /// The program is to stop: what goes on for long ends.
    stopping: CancellationToken,
}

/// Longest time for what is said or shown after an acknowledgement: a wait for a rate and some calls.
const TASK_LIMIT: Duration = Duration::from_mins(1);

impl App {
    /// Puts the gateway together from the settings, for calls at this `pace`; `None` where Discord is not connected. It
    /// asks Discord nothing yet.
    pub fn open(
        settings: &Arc<Settings>,
        engine: Engine,
        pace: Pace,
    ) -> Result<Option<Arc<Self>>, api::Error> {
        let connection = settings.discord.as_ref().and_then(|discord| discord.connection.clone());
        let Some(connection) = connection else { return Ok(None) };
        let Parts { store, clock, ids, .. } = engine.parts();
        let (store, clock, ids) = (Arc::clone(store), Arc::clone(clock), Arc::clone(ids));
        let per_second = connection.requests_per_second.unwrap_or(pace.per_second);
        let pace = Pace { per_second, ..pace };
        let api = Api::new(&connection.api_base, connection.token.clone(), pace)?;
        let lists = settings.lists(Platform::Discord);
        let is_told =
            connection.members && matches!(connection.transport, DiscordTransport::Gateway { .. });
        let threads = MessageIndex::new(Platform::Discord, Arc::clone(&store));
        let post_log = PostLog::new(Arc::clone(&store));
        Ok(Some(Arc::new(Self {
            files: Files::new(&connection.api_base, settings.uploads.max_mb * 1024 * 1024)?,
            rooms: PrivateThreads::new(
                api.clone(),
                threads.clone(),
                post_log.clone(),
                Arc::clone(&store),
                Arc::clone(settings),
            ),
            drafts: Drafts::new(Arc::clone(&store)),
            native: ServerOnboarding::default(),
            members: Members::new(api.clone(), Arc::clone(&clock), is_told),
            afterwards: Afterwards::new(Platform::Discord, TASK_LIMIT),
            receipts: NoticeLimiter::new(),
            announcements: Announcements::new(Platform::Discord, Arc::clone(&store)),
            deduplicator: Deduplicator::new(
                Platform::Discord,
                Arc::clone(&store),
                Arc::clone(&clock),
            ),
            render_cache: RenderCache::new(),
            work_indicators: WorkIndicators::default(),
            screening: Screening::default(),
            listening: LastSeen::new(Arc::clone(&store), Arc::clone(&clock)),
            possible_duplicates: PossibleDuplicates::default(),
            post_log,
            engine,
            me: OnceCell::new(),
            stopping: CancellationToken::new(),
            settings: Arc::clone(settings),
            store,
            clock,
            ids,
            threads,
            lists,
            connection,
            api,
        })))
    }

    /// Who decides what an update comes to.
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Which written words reach the bot in a conversation. Over HTTP Discord tells of none; over the gateway of all, where
    /// it was granted, or the conversation is a direct one, and else of those that are for the bot.
    pub(super) async fn message_access(&self, session: SessionId, place: &Place) -> MessageAccess {
        match self.connection.transport {
            DiscordTransport::Http { .. } => MessageAccess::Nothing,
            DiscordTransport::Gateway { .. } if self.connection.message_content => {
                MessageAccess::All
            }
            DiscordTransport::Gateway { .. } if self.rooms.is_thread(session, place).await => {
                MessageAccess::Replies
            }
            DiscordTransport::Gateway { .. } => MessageAccess::All,
        }
    }

    /// Which written words reach the bot in staff's threads, which are in servers. Over HTTP Discord tells of none;
    /// over the gateway of all, if that was granted, and otherwise of those that are for the bot.
    pub(super) const fn hears_staff(&self) -> MessageAccess {
        match self.connection.transport {
            DiscordTransport::Http { .. } => MessageAccess::Nothing,
            DiscordTransport::Gateway { .. } if self.connection.message_content => {
                MessageAccess::All
            }
            DiscordTransport::Gateway { .. } => MessageAccess::Replies,
        }
    }

    /// Has what goes on for long end; what was begun after an acknowledgement is finished before it returns.
    pub(super) async fn finish(&self) {
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

    /// What the bot may do in a server.
    pub(super) async fn rights_in(&self, guild: &str) -> Result<Arc<Rights>, Failure> {
        self.members.rights_in(guild, self.me().await?).await
    }

    /// Resolves when nothing that was begun after an acknowledgement is in flight.
    pub async fn settle_down(&self) {
        self.afterwards.settle_down().await;
    }
}
