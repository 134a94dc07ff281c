//! Takes in what people do in Discord: finds the conversation, checks rights, hands it to the engine.
//!
//! Everything here ends with a commit, then with the first answer to an interaction, well within its three seconds.
//! Forms are made from what is stored; what needs Discord is done after the answer. An interaction that comes too late
//! to be answered counts all the same: the card shows it.

mod answers;
mod missing_content;
mod notices;
mod reachability;

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    app::App,
    catch_up, commands,
    connect::is_late,
    files,
    inbound::{Ack, Actor, Envelope, File, Inbox, Incoming, Message, NotSaved, Ticket},
    people, texts,
};
use crate::{
    base::ids::SessionId,
    chat::{
        Deduplicator,
        form::Words,
        handler::{self, Messages, Update, Written},
        message_index::Role,
    },
    config::Configured,
    engine::Engine,
    flow::Library,
    messages,
    model::session::{Head, PersonId, Platform},
    session::Responder,
    store::{self, Find},
};

pub(super) use crate::chat::handler::ReplyTarget;

/// What comes in, to the engine.
#[derive(Debug, Clone)]
pub struct DiscordInbox(pub Arc<App>);

#[async_trait]
impl Inbox for DiscordInbox {
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotSaved> {
        let Envelope { key, guild, what } = envelope;
        let engine = self.0.engine();
        let ticket = match &what {
            Incoming::Action(action) => Some(action.ticket.clone()),
            Incoming::Submitted(submission) => Some(submission.ticket.clone()),
            Incoming::Command(command) => Some(command.ticket.clone()),
            _ => None,
        };
        let quiet = match &what {
            Incoming::Action(_) => Ack::Seen,
            // A form that a command opened has no message to which it belongs.
            Incoming::Submitted(submission) if submission.message.is_some() => Ack::Seen,
            Incoming::Submitted(_) | Incoming::Command(_) => {
                Ack::Say(texts::words(messages::notices::GOT_IT))
            }
            _ => Ack::Nothing,
        };
        let key = format!("discord:{key}");
        self.0.members.observe(guild.as_deref(), &what);
        let update = UpdateContext { app: &self.0, engine, key, guild, ticket, quiet };
        let about = notices::message_of(&what);
        let is_news = !matches!(what, Incoming::Begun(_));
        let ack = update.take(what).await;
        if is_news && ack.is_ok() {
            self.0.listening.touch().await;
        }
        match ack {
            // Whoever waits for an answer is told; only what nobody waits for may come again.
            Err(NotSaved) if update.ticket.is_some() => {
                Ok(Ack::Say(texts::words(messages::notices::NOT_SAVED)))
            }
            // The answer may come too late to be shown; the clock may be wrong about that, so both are done.
            Ok(Ack::Redraw(card)) if update.is_late() => {
                update.draw_late(about, card.clone());
                Ok(Ack::Redraw(card))
            }
            ack => ack,
        }
    }
}

/// One update, with what is needed to deal with it.
pub(super) struct UpdateContext<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) engine: &'a Engine,
    /// Names the event.
    pub(super) key: String,
    /// The server it came from; none in a direct conversation.
    pub(super) guild: Option<String>,
    /// How it is answered, where somebody waits for an answer.
    pub(super) ticket: Option<Ticket>,
    /// The answer where there is nothing to say.
    pub(super) quiet: Ack,
}

impl UpdateContext<'_> {
    async fn take(&self, what: Incoming) -> Result<Ack, NotSaved> {
        match what {
            Incoming::Message(message) => handler::wrote(self, &message).await,
            Incoming::Action(action) => self.action(action).await,
            Incoming::Submitted(submission) => self.submitted(submission).await,
            Incoming::Command(command) => commands::typed(self, *command).await,
            Incoming::Edited { channel, message, by, text } => {
                self.amended((&channel, &message), Some(&by), Some(text)).await
            }
            Incoming::Deleted { channel, messages } => {
                for message in messages {
                    self.amended((&channel, &message), None, None).await?;
                }
                Ok(Ack::Nothing)
            }
            Incoming::MemberJoined(by) => self.member_joined(&by).await,
            Incoming::MemberChanged(by) => self.member_changed(&by).await,
            Incoming::Begun(share) => {
                let app = Arc::clone(self.app);
                let since = app.listening.look_back().await.map_err(|_| NotSaved)?;
                self.app
                    .afterwards
                    .spawn_whole(async move { catch_up::catch_up(app, share, since).await });
                Ok(Ack::Nothing)
            }
            Incoming::MemberLeft { user, is_banned } => self.member_left(&user, is_banned).await,
            Incoming::GuildGone => self.guild_gone().await,
            Incoming::GuildBack => self.guild_back().await,
            Incoming::ChannelGone { channel } => self.channel_gone(channel).await,
            Incoming::Ping
            | Incoming::ThreadChanged { .. }
            | Incoming::RolesChanged
            | Incoming::Permitted
            | Incoming::Ignored { .. }
            | Incoming::Unknown { .. } => Ok(Ack::Nothing),
        }
    }

    /// The server, as ids name it.
    pub(super) fn guild(&self) -> &str {
        self.guild.as_deref().unwrap_or(people::NO_GUILD)
    }

    /// The flows that can be started here.
    pub(super) fn library(&self) -> Library {
        self.engine.parts().library.of(Platform::Discord, self.guild())
    }

    /// What is set up here.
    pub(super) fn configured(&self) -> Configured<'_> {
        self.app.settings.of(Platform::Discord, self.guild())
    }

    /// Whether the first answer would come too late.
    pub(super) fn is_late(&self) -> bool {
        let at = self.ticket.as_ref().and_then(|ticket| ticket.at);
        let age = at.and_then(|at| (self.app.clock.now() - at).to_std().ok());
        age.is_some_and(is_late)
    }

    /// The conversations of a person here, newest first.
    pub(super) async fn conversations(&self, person: &PersonId) -> Result<Vec<Head>, store::Error> {
        self.app.store.find(Find::Person(person.clone())).await
    }

    /// A session at a glance.
    pub(super) async fn head(&self, session: SessionId) -> Result<Option<Head>, store::Error> {
        handler::head_of(self.engine, session).await
    }

    /// A message was changed, or is gone. Who deletes is not told.
    async fn amended(
        &self,
        (channel, message): (&str, &str),
        by: Option<&Actor>,
        text: Option<String>,
    ) -> Result<Ack, NotSaved> {
        let found = self.app.rooms.of(channel).await?;
        let Some((session, Role::Conversation)) = found else { return Ok(Ack::Nothing) };
        let to = |user: &str| target(user, channel);
        handler::changed(self, session, by, (format!("{channel}/{message}"), text), to).await
    }

    /// Somebody with what they may do now.
    pub(super) fn rights(&self, by: &Actor) -> Responder {
        people::responder(self.app.lists.of(self.guild()), self.guild(), by)
    }
}

#[async_trait]
impl Update for UpdateContext<'_> {
    type Actor = Actor;
    type Ack = Ack;

    fn engine(&self) -> &Engine {
        self.engine
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn deduplicator(&self) -> &Deduplicator {
        &self.app.deduplicator
    }

    fn done(&self) -> Ack {
        self.quiet.clone()
    }

    fn tell(&self, to: &ReplyTarget, text: &str) -> Ack {
        if text.is_empty() || !self.app.receipts.may_tell(self.guild(), &to.user) {
            return self.done();
        }
        self.say(to, text)
    }

    /// To them alone where they wait for an answer, otherwise where they wrote.
    fn say(&self, to: &ReplyTarget, text: &str) -> Ack {
        self.show(to, texts::words(text))
    }

    fn sentence(&self, words: &Words) -> String {
        texts::sentence(words)
    }

    fn person(&self, by: &Actor) -> PersonId {
        people::person_id(self.guild(), &by.user)
    }

    /// A direct conversation doesn't say of which server somebody is.
    fn is_participant(&self, head: &Head, by: &Actor) -> bool {
        head.participant.user == by.user
    }

    async fn known(&self, head: &Head, by: &Actor) -> Responder {
        participant(head, by)
    }

    /// Rights end where the server does.
    async fn responder(&self, head: &Head, by: &Actor) -> Result<Responder, String> {
        let guild = &head.place.workspace;
        if self.guild.as_ref().is_some_and(|here| here != guild) {
            return Ok(people::known(guild, by));
        }
        Ok(people::responder(self.app.lists.of(guild), guild, by))
    }
}

#[async_trait]
impl Messages for UpdateContext<'_> {
    type Message = Message;

    fn written(&self, message: &Message) -> Written<Actor> {
        let (voices, files): (Vec<&File>, Vec<&File>) =
            message.files.iter().partition(|file| file.content_type.starts_with("audio/"));
        Written {
            by: message.by.clone(),
            to: target(&message.by.user, &message.channel),
            source: format!("{}/{}", message.channel, message.id),
            text: message.text.clone(),
            has_voice: !voices.is_empty(),
            files: files.into_iter().map(|file| Ok(files::offer(file))).collect(),
        }
    }

    /// By a channel of its own, or by the message that it replies to.
    async fn conversation_of(
        &self,
        message: &Message,
    ) -> Result<Option<(SessionId, Role)>, store::Error> {
        if let Some(found) = self.app.rooms.of(&message.channel).await? {
            return Ok(Some(found));
        }
        match &message.answers {
            Some(answers) => self.app.rooms.of(answers).await,
            None => Ok(None),
        }
    }

    async fn approached(&self, message: &Message) -> Result<Ack, NotSaved> {
        if self.guild.is_none() || message.is_mention {
            Ok(commands::approached(self, message))
        } else {
            Ok(Ack::Nothing)
        }
    }

    async fn without_text(
        &self,
        head: &Head,
        role: Role,
        to: &ReplyTarget,
    ) -> Result<Ack, NotSaved> {
        match role {
            Role::Staff => self.explain_unreadable_to_staff(head.id, to).await,
            Role::Conversation | Role::Request(_) => self.explain_unreadable(head, to).await,
        }
    }
}

/// The participant of a conversation, about whom nothing needs to be asked. Whoever else it is acts as themselves.
pub(super) fn participant(head: &Head, by: &Actor) -> Responder {
    let mut from = people::known(&head.place.workspace, by);
    if from.person == head.participant
        && let Some(name) = &head.name
    {
        from.name.clone_from(name);
    }
    from
}

/// Where somebody is told something.
pub(super) fn target(user: &str, channel: &str) -> ReplyTarget {
    ReplyTarget { user: user.to_owned(), channel: channel.to_owned(), thread: None }
}
