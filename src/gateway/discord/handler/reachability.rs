//! Places and people that come and go.

use std::{sync::Arc, time::Duration};

use crate::{
    chat::{
        announcements::{Announcement, Kept},
        form::words,
        handler::{Update, happened},
        message_index::Role,
    },
    engine::{self, Engine, Inbound, InboundKind},
    gateway::discord::{
        app::App,
        commands,
        inbound::{Ack, Actor, NotSaved},
        people,
        update::UpdateContext,
    },
    messages,
    model::{
        effect::Cause,
        session::{Head, Place, Platform, Status},
    },
    store::Note,
};

/// How often something is handed in again where too much is going on, and the pause between.
const LATER_ATTEMPTS: usize = 30;
const LATER_PAUSE: Duration = Duration::from_secs(1);

impl UpdateContext<'_> {
    /// Somebody came (back): flows that begin with that begin, once the server's own screening is passed.
    pub(super) async fn member_joined(&self, by: &Actor) -> Result<Ack, NotSaved> {
        if commands::begin_on_join(&self.library()).is_empty() {
            return self.member_changed(by).await;
        }
        // Kept until it has begun, so that whoever was here before is not begun with when their roles change.
        self.note_joined(by, Some("1")).await?;
        self.member_changed(by).await
    }

    /// Somebody is here, passed the screening, or has other roles now.
    pub(super) async fn member_changed(&self, by: &Actor) -> Result<Ack, NotSaved> {
        if by.member.as_ref().is_some_and(|member| !member.is_pending) {
            self.passed(by);
            self.begin_joined(by).await?;
        }
        let mine = self.conversations(&self.person(by)).await?;
        // Members change often: nobody but who was out of reach comes back.
        for head in mine.iter().filter(|head| head.status == Status::Paused) {
            self.about(head, InboundKind::Back).await?;
            self.let_in(head);
        }
        Ok(Ack::Nothing)
    }

    /// Begins what begins when somebody joins.
    async fn begin_joined(&self, by: &Actor) -> Result<(), NotSaved> {
        let flows = commands::begin_on_join(&self.library());
        if flows.is_empty() {
            return Ok(());
        }
        let noted = self.app.store.noted(&joined(self.guild(), &by.user)).await;
        if noted?.and_then(|note| note.value).is_none() {
            return Ok(());
        }
        for flow in &flows {
            commands::begin_for(self, flow, by).await?;
        }
        self.note_joined(by, None).await
    }

    async fn note_joined(&self, by: &Actor, value: Option<&str>) -> Result<(), NotSaved> {
        let key = joined(self.guild(), &by.user);
        let note = Note { key, session: None, value: value.map(str::to_owned) };
        self.app.store.note(note).await.map_err(|_| NotSaved)
    }

    pub(super) async fn member_left(&self, user: &str, is_banned: bool) -> Result<Ack, NotSaved> {
        let key = joined(self.guild(), user);
        // Most who leave never waited for anything; taking nothing away is a write as well.
        let noted = self.app.store.noted(&key).await?;
        if noted.is_some_and(|note| note.value.is_some()) {
            let note = Note { key, session: None, value: None };
            self.app.store.note(note).await?;
        }
        let person = people::person_id(self.guild(), user);
        let why = if is_banned { messages::staff::BANNED } else { messages::staff::LEFT };
        let mine = self.conversations(&person).await?;
        for head in mine.iter().filter(|head| !head.status.is_over()) {
            self.about(head, InboundKind::Lost { why: why.to_owned() }).await?;
        }
        Ok(Ack::Nothing)
    }

    /// The bot was removed from a server: its conversations pause.
    pub(super) async fn guild_gone(&self) -> Result<Ack, NotSaved> {
        let Some(guild) = self.guild.clone() else { return Ok(Ack::Nothing) };
        let why = messages::staff::APP_LEFT_SERVER.to_owned();
        // First of all: without it, being invited again is no news, and what has paused stays so.
        let note = Note { key: gone(&guild), session: None, value: Some("1".to_owned()) };
        self.app.store.note(note).await?;
        let kept = self.to_tell(&guild, Some(why)).await?;
        tell(self.app, kept);
        Ok(Ack::Nothing)
    }

    /// The bot is in a server. Discord says so of every server with each connection: only of one that it was removed
    /// from is it news.
    pub(super) async fn guild_back(&self) -> Result<Ack, NotSaved> {
        let Some(guild) = self.guild.clone() else { return Ok(Ack::Nothing) };
        let noted = self.app.store.noted(&gone(&guild)).await?;
        if noted.and_then(|note| note.value).is_none() {
            return Ok(Ack::Nothing);
        }
        let kept = self.to_tell(&guild, None).await?;
        let note = Note { key: gone(&guild), session: None, value: None };
        self.app.store.note(note).await?;
        tell(self.app, kept);
        Ok(Ack::Nothing)
    }

    async fn to_tell(&self, guild: &str, why: Option<String>) -> Result<Kept<String>, NotSaved> {
        let announcement = Announcement { key: self.key.clone(), why, place: guild.to_owned() };
        Ok(self.app.announcements.keep(guild, announcement).await?)
    }

    /// A channel or a thread was deleted. The thread of a conversation is made anew when there is something to say in
    /// it; the conversation itself goes on.
    pub(super) async fn channel_gone(&self, channel: String) -> Result<Ack, NotSaved> {
        let found = self.app.rooms.of(&channel).await?;
        let Some((session, Role::Conversation)) = found else { return Ok(Ack::Nothing) };
        let Some(head) = self.head(session).await? else {
            return Ok(Ack::Nothing);
        };
        if !head.status.is_over() {
            self.about(
                &head,
                InboundKind::Lost { why: messages::staff::THREAD_DELETED.to_owned() },
            )
            .await?;
        }
        Ok(Ack::Nothing)
    }

    /// Something that happened to a participant.
    ///
    /// What is not saved is sent again with all else that came since, to every server of the connection: so only what can
    /// be saved then is asked for again, and what too much is going on for is handed in a while later.
    async fn about(&self, head: &Head, what: InboundKind) -> Result<(), NotSaved> {
        let inbound = happened(head, &self.key, what);
        match self.engine.receive(inbound.clone()).await {
            Ok(_) => Ok(()),
            Err(engine::Error::Busy) if !self.engine.is_closing() => {
                self.app.afterwards.spawn_whole(hand_in_later(self.engine.clone(), inbound));
                Ok(())
            }
            Err(error) if words::may_pass(&error) => Err(NotSaved),
            Err(error) => {
                tracing::warn!(session.id = %head.id, %error, "a conversation could not be told");
                Ok(())
            }
        }
    }
}

/// Goes on with what an earlier process has not told everybody.
pub(in crate::gateway::discord) async fn tell_unfinished(app: &Arc<App>) {
    for kept in app.announcements.unfinished(app.engine()).await {
        tell(app, kept);
    }
}

/// Tells every conversation of a server, after the acknowledgement.
fn tell(app: &Arc<App>, kept: Kept<String>) {
    let to = Arc::clone(app);
    app.afterwards.spawn_whole(async move {
        let Announcement { why, place: guild, .. } = &kept.announcement;
        if why.is_none() {
            let is_back = |cause: &Cause| {
                cause.platform == Platform::Discord && cause.workspace() == Some(guild)
            };
            to.engine().mended(is_back).await;
        }
        let is_there = |head: &Head| {
            let Place { platform, workspace, .. } = &head.place;
            *platform == Platform::Discord && workspace == guild
        };
        to.announcements.tell(to.engine(), &kept, is_there).await;
    });
}

/// Hands something in once less is going on.
async fn hand_in_later(engine: Engine, inbound: Inbound) {
    let session = inbound.session;
    let mut error = engine::Error::Busy;
    for _ in 0..LATER_ATTEMPTS {
        tokio::time::sleep(LATER_PAUSE).await;
        match engine.receive(inbound.clone()).await {
            Ok(_) => return,
            Err(now) => error = now,
        }
        if !words::may_pass(&error) || engine.is_closing() {
            break;
        }
    }
    tracing::warn!(session.id = %session, %error, "a conversation could not be told");
}

/// Names the note that somebody joined, and nothing has begun with that yet.
fn joined(guild: &str, user: &str) -> String {
    format!("discord/joined/{guild}/{user}")
}

/// Names the note that the bot is not in a server any more.
fn gone(guild: &str) -> String {
    format!("discord/gone/{guild}")
}
