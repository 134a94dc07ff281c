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
    inbound::{Ack, Actor, Envelope, File, Inbox, Incoming, Message, NotTaken, Ticket},
    people, texts,
};
use crate::{
    base::ids::{SessionId, WaitId},
    chat::{
        form::{typed, words},
        message_index::Role,
    },
    engine::{Engine, Inbound, InboundKind, Receipt},
    flow::Library,
    model::{
        session::{Head, PersonId},
        transcript::Via,
        wait::{Settlement, Wait},
    },
    session::{Responder, answer::describe},
    store::{self, Find},
};

pub(super) use self::answers::offer;

/// What comes in, to the engine.
#[derive(Debug, Clone)]
pub struct DiscordInbox(pub Arc<App>);

#[async_trait]
impl Inbox for DiscordInbox {
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotTaken> {
        let Envelope { key, guild, what } = envelope;
        let engine = self.0.engine().ok_or(NotTaken)?;
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
            Incoming::Submitted(_) | Incoming::Command(_) => Ack::Say(texts::words(words::GOT_IT)),
            _ => Ack::Nothing,
        };
        let key = format!("discord:{key}");
        self.0.members.hear(guild.as_deref(), &what);
        let update = UpdateContext { app: &self.0, engine, key, guild, ticket, quiet };
        let about = notices::message_of(&what);
        let is_news = !matches!(what, Incoming::Begun(_));
        let ack = update.take(what).await;
        if is_news && ack.is_ok() {
            self.0.listening.heard().await;
        }
        match ack {
            // Whoever waits for an answer is told; only what nobody waits for may come again.
            Err(NotTaken) if update.ticket.is_some() => Ok(Ack::Say(texts::words(NOT_SAVED))),
            // The answer may come too late to be shown; the clock may be wrong about that, so both are done.
            Ok(Ack::Redraw(card)) if update.is_late() => {
                update.draw_late(about, card.clone());
                Ok(Ack::Redraw(card))
            }
            ack => ack,
        }
    }
}

/// What somebody pressed or sent could not be saved.
const NOT_SAVED: &str = "That couldn't be saved right now. Please try again.";

/// One thing that came in, with what is needed to deal with it; the desk at which a session is worked on is the
/// engine's.
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

/// Where somebody is told something who waits for no answer.
#[derive(Debug, Clone)]
pub(super) struct ReplyTarget {
    pub(super) user: String,
    pub(super) channel: String,
}

impl UpdateContext<'_> {
    async fn take(&self, what: Incoming) -> Result<Ack, NotTaken> {
        match what {
            Incoming::Message(message) => self.message(message).await,
            Incoming::Action(action) => self.action(action).await,
            Incoming::Submitted(submission) => self.submitted(submission).await,
            Incoming::Command(command) => commands::typed(self, *command).await,
            Incoming::Edited { channel, message, by, text } => {
                self.amended(&channel, &message, Some(&by), Some(text)).await
            }
            Incoming::Deleted { channel, messages } => {
                for message in messages {
                    self.amended(&channel, &message, None, None).await?;
                }
                Ok(Ack::Nothing)
            }
            Incoming::MemberJoined(by) => self.member_joined(&by).await,
            Incoming::MemberChanged(by) => self.member_changed(&by).await,
            Incoming::Begun(share) => {
                let app = Arc::clone(self.app);
                let since = app.listening.look_back().await.map_err(|_| NotTaken)?;
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

    /// The flows that can be started.
    pub(super) fn library(&self) -> &Library {
        &self.engine.parts().library
    }

    pub(super) fn person(&self, by: &Actor) -> PersonId {
        people::person_id(self.guild(), &by.user)
    }

    /// Whether the first answer would come too late.
    pub(super) fn is_late(&self) -> bool {
        let at = self.ticket.as_ref().and_then(|ticket| ticket.at);
        let age = at.and_then(|at| (self.app.clock.now() - at).to_std().ok());
        age.is_some_and(is_late)
    }

    async fn message(&self, message: Message) -> Result<Ack, NotTaken> {
        // A greeting delivered again is no answer to what was asked since.
        if self.app.deduplicator.is_claimed(&self.key).await.map_err(|_| NotTaken)? {
            return Ok(Ack::Nothing);
        }
        let found = self.conversation_of(&message).await.map_err(|_| NotTaken)?;
        match found {
            Some((session, Role::Conversation)) => self.heard(session, message).await,
            Some((session, Role::Staff)) => self.heard_from_staff(session, &message).await,
            Some((_, Role::Request(wait))) => self.heard_under_request(wait, &message).await,
            None if self.guild.is_none() || message.is_mention => {
                Ok(commands::approached(self, &message))
            }
            None => Ok(Ack::Nothing),
        }
    }

    /// Which session a message is for, and what the place it stands in is to that one: a channel of its own, or the
    /// message that it replies to.
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

    /// The conversations of a person here, newest first.
    pub(super) async fn conversations(&self, person: &PersonId) -> Result<Vec<Head>, store::Error> {
        self.app.store.find(Find::Person(person.clone())).await
    }

    /// A session at a glance.
    pub(super) async fn head(&self, session: SessionId) -> Result<Option<Head>, store::Error> {
        Ok(self.app.store.find(Find::One(session)).await?.pop())
    }

    /// A message was changed, or is gone.
    async fn amended(
        &self,
        channel: &str,
        message: &str,
        by: Option<&Actor>,
        text: Option<String>,
    ) -> Result<Ack, NotTaken> {
        let found = self.app.rooms.of(channel).await.map_err(|_| NotTaken)?;
        let Some((session, Role::Conversation)) = found else { return Ok(Ack::Nothing) };
        let Some(head) = self.head(session).await.map_err(|_| NotTaken)? else {
            return Ok(Ack::Nothing);
        };
        // Who deletes is not told; only what the participant wrote is known under its name.
        let from = match by {
            Some(by) => participant(&head, by),
            None => whose(&head),
        };
        let reply_target =
            ReplyTarget { user: from.person.user.clone(), channel: channel.to_owned() };
        let source = format!("{channel}/{message}");
        self.receive(session, (from, InboundKind::Amended { source, text }), &reply_target, None)
            .await
    }

    /// Words and files in a conversation.
    pub(super) async fn heard(
        &self,
        session: SessionId,
        message: Message,
    ) -> Result<Ack, NotTaken> {
        let reply_target = reply_target_of(&message);
        let Some(head) = self.head(session).await.map_err(|_| NotTaken)? else {
            return Ok(Ack::Nothing);
        };
        let is_mine = head.participant.user == message.by.user;
        let from = if is_mine {
            participant(&head, &message.by)
        } else {
            self.responder_at(&head, &message.by)
        };
        let source = format!("{}/{}", message.channel, message.id);
        let (voices, files): (Vec<File>, Vec<File>) =
            message.files.into_iter().partition(|file| file.content_type.starts_with("audio/"));
        let mut ack = self.quiet.clone();
        if !voices.is_empty() {
            ack = self.tell(&reply_target, words::NO_VOICE);
        }
        let text = Some(message.text).filter(|text| !text.trim().is_empty());
        let offers: Vec<_> = files.iter().filter(|_| is_mine).map(files::offer).collect();
        let what = if !offers.is_empty() {
            InboundKind::Offered { wait: None, files: offers, text }
        } else if let Some(text) = text {
            InboundKind::Said { text, source: Some(source) }
        } else if is_mine && ack == self.quiet {
            return self.unheard(&head, &reply_target).await;
        } else {
            return Ok(ack);
        };
        self.receive(session, (from, what), &reply_target, None).await
    }

    /// Words of a staff member in the thread about a conversation: an order, or words to pass on.
    async fn heard_from_staff(
        &self,
        session: SessionId,
        message: &Message,
    ) -> Result<Ack, NotTaken> {
        let reply_target = reply_target_of(message);
        let Some(head) = self.head(session).await.map_err(|_| NotTaken)? else {
            return Ok(Ack::Nothing);
        };
        let from = self.responder_at(&head, &message.by);
        if message.text.trim().is_empty() {
            return if from.staff {
                self.unheard_from_staff(session, &reply_target).await
            } else {
                Ok(Ack::Nothing)
            };
        }
        if !from.staff {
            return Ok(self.tell(&reply_target, words::FOR_STAFF));
        }
        let what = InboundKind::Command(typed::order(&message.text));
        self.receive(session, (from, what), &reply_target, None).await
    }

    /// Words under a request: a decision where they begin as one, otherwise talk among colleagues.
    async fn heard_under_request(&self, wait: WaitId, message: &Message) -> Result<Ack, NotTaken> {
        let Some(reply) = typed::decision(&message.text) else { return Ok(Ack::Nothing) };
        let Some((wait, _)) = self.app.store.wait(wait).await.map_err(|_| NotTaken)? else {
            return Ok(Ack::Nothing);
        };
        let Some(head) = self.head(wait.session).await.map_err(|_| NotTaken)? else {
            return Ok(Ack::Nothing);
        };
        let reply_target = reply_target_of(message);
        let from = self.responder_at(&head, &message.by);
        let (id, revision, via) = (wait.id, wait.revision, Via::Typed);
        let what = InboundKind::Answer { wait: id, revision, reply, via };
        self.receive(wait.session, (from, what), &reply_target, Some(&wait)).await
    }

    /// Hands something in; what there is to say about it is said to the one who did it.
    pub(super) async fn receive(
        &self,
        session: SessionId,
        (from, what): (Responder, InboundKind),
        reply_target: &ReplyTarget,
        about: Option<&Wait>,
    ) -> Result<Ack, NotTaken> {
        let me = from.person.clone();
        let choice = match (&what, about) {
            (InboundKind::Answer { reply, .. }, Some(wait)) => {
                Some(describe(&wait.prompt.control, reply))
            }
            _ => None,
        };
        let inbound = Inbound { key: self.key.clone(), session, from, what };
        match self.engine.receive(inbound).await {
            Ok(receipt) if is_again(&receipt, &me, choice.as_deref()) => Ok(self.quiet.clone()),
            Ok(receipt) => Ok(self.report(&receipt, about, &me, reply_target)),
            // Discord delivers it again where it was a message; who waits for an answer is told.
            Err(error) if words::may_pass(&error) => Err(NotTaken),
            Err(error) => Ok(self.tell(reply_target, &words::of_error(&error))),
        }
    }

    /// Somebody with what they may do now about a conversation: rights end where the server does.
    pub(super) fn responder_at(&self, head: &Head, by: &Actor) -> Responder {
        let guild = &head.place.workspace;
        if self.guild.as_ref().is_some_and(|here| here != guild) {
            return people::known(guild, by);
        }
        people::responder(&self.app.lists, guild, by)
    }

    /// Somebody with what they may do now.
    pub(super) fn responder(&self, by: &Actor) -> Responder {
        people::responder(&self.app.lists, self.guild(), by)
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

/// The participant of a conversation, as it knows them.
pub(super) fn whose(head: &Head) -> Responder {
    Responder::without_rights(head.participant.clone(), head.name.clone().unwrap_or_default())
}

/// The same person, the same choice, twice: nothing to tell.
fn is_again(receipt: &Receipt, me: &PersonId, choice: Option<&str>) -> bool {
    let Receipt::Settled(Settlement::AlreadySettled { by, choice: settled, .. }) = receipt else {
        return false;
    };
    by == me && choice == Some(settled)
}

fn reply_target_of(message: &Message) -> ReplyTarget {
    ReplyTarget { user: message.by.user.clone(), channel: message.channel.clone() }
}
