//! Takes in what people do in Discord: finds the conversation, checks rights, hands it to the engine.
//!
//! Everything here ends with a commit, then with the first answer to an interaction, well within its three seconds.
//! Forms are made from what is stored; what needs Discord is done after the answer. An interaction that comes too late
//! to be answered counts all the same: the card shows it.

mod answers;
mod missing_content;
mod reachability;
mod redraw;

use std::sync::Arc;

use async_trait::async_trait;

use super::{
    app::App,
    catch_up, commands, files,
    inbound::{Ack, Actor, Envelope, File, Inbox, Incoming, Message, NotSaved},
    texts,
    update::{UpdateContext, target},
};
use crate::{
    base::ids::SessionId,
    chat::{
        handler::{self, Messages, ReplyTarget, Written},
        message_index::Role,
    },
    messages,
    model::session::Head,
};

pub(super) use self::reachability::tell_unfinished;

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
        let about = redraw::message_of(&what);
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

impl UpdateContext<'_> {
    async fn take(&self, what: Incoming) -> Result<Ack, NotSaved> {
        match what {
            Incoming::Message(message) => handler::wrote(self, &message).await,
            Incoming::Action(action) => handler::chosen(self, &action.element, &action).await,
            Incoming::Submitted(submission) => self.submitted(submission).await,
            Incoming::Command(command) => commands::typed(self, *command).await,
            Incoming::Edited { channel, message, by, text } => {
                let there = Message { channel, id: message, ..Message::default() };
                handler::changed(self, &there, Some(&by), Some(text)).await
            }
            Incoming::Deleted { channel, messages } => {
                // Who deletes is not told.
                for id in messages {
                    // One event about many: without a key of its own, each but the first would pass for a repeat.
                    let key = format!("{}:{id}", self.key);
                    let (guild, quiet) = (self.guild.clone(), Ack::Nothing);
                    let one = Self { key, guild, ticket: None, quiet, ..*self };
                    let there = Message { channel: channel.clone(), id, ..Message::default() };
                    handler::changed(&one, &there, None, None).await?;
                }
                Ok(Ack::Nothing)
            }
            Incoming::MemberJoined(by) => self.member_joined(&by).await,
            Incoming::MemberChanged(by) => self.member_changed(&by).await,
            Incoming::Begun(share) => {
                let inbox = DiscordInbox(Arc::clone(self.app));
                let since = self.app.listening.look_back().await.map_err(|_| NotSaved)?;
                self.app.afterwards.spawn_whole(async move {
                    catch_up::catch_up((&inbox.0, &inbox), share, since).await;
                });
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
    ) -> Result<Option<(SessionId, Role)>, NotSaved> {
        if let Some(found) = self.app.rooms.of(&message.channel).await? {
            return Ok(Some(found));
        }
        match &message.answers {
            Some(answers) => Ok(self.app.rooms.of(answers).await?),
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
