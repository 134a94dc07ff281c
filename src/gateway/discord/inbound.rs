//! What comes in from Discord, read from raw JSON by [`super::parse`]. One shape behind both transports.

use std::{collections::BTreeMap, fmt, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use serenity::model::Permissions;

pub use crate::chat::handler::NotSaved;

use super::{
    kinds::{CallbackKind, MessageFlags},
    render,
};
use crate::chat::Drawing;

/// Something that came in.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// Our name of it: the same thing delivered again has the same key, whichever transport brings it.
    pub key: String,
    /// The server it came from; `None` in a direct conversation.
    pub guild: Option<String>,
    /// What it is.
    pub what: Incoming,
}

/// Who did it, as the payload says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    /// The user, a snowflake.
    pub user: String,
    /// What others call them here.
    pub name: String,
    /// The language that their Discord speaks: `en-US`; empty where the payload does not say.
    pub locale: String,
    /// What they are in the server; `None` outside of one.
    pub member: Option<Member>,
    /// Address of their picture.
    pub avatar: String,
}

/// What somebody is in a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Member {
    /// Snowflakes of their roles.
    pub roles: Vec<String>,
    /// What they may do in the channel, where the payload says so.
    pub permissions: Permissions,
    /// They have not passed the server's screening yet.
    pub is_pending: bool,
    /// The payload says that they have passed it; where it says nothing of it, neither is so.
    pub is_screened: bool,
    /// Discord's flags of the member, where the payload has them.
    pub flags: Option<u64>,
}

/// What came in.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// A component of a message was used.
    Action(Action),
    /// A form was sent.
    Submitted(Submission),
    /// A command.
    Command(Box<Command>),
    /// Discord asks whether we are there; only over HTTP.
    Ping,
    /// Somebody wrote, perhaps with files.
    Message(Message),
    /// A message was changed by the person who wrote it.
    Edited {
        /// Where.
        channel: String,
        /// Which.
        message: String,
        /// By whom.
        by: Actor,
        /// The words now.
        text: String,
    },
    /// Messages were deleted.
    Deleted {
        /// Where.
        channel: String,
        /// Which.
        messages: Vec<String>,
    },
    /// Somebody joined.
    MemberJoined(Actor),
    /// Somebody passed the screening, or was given or lost roles.
    MemberChanged(Actor),
    /// Somebody left, or was removed.
    MemberLeft {
        /// Who.
        user: String,
        /// They were banned.
        is_banned: bool,
    },
    /// A new session of the gateway was begun: what happened before that is told by nobody any more.
    Begun(Share),
    /// The bot was added to a server, or the server can be reached again.
    GuildBack,
    /// The bot was removed from a server.
    GuildGone,
    /// A channel or a thread was deleted.
    ChannelGone {
        /// Which.
        channel: String,
    },
    /// A thread was archived, locked, or opened again.
    ThreadChanged {
        /// Which.
        thread: String,
        /// Nothing shows it; writing to it opens it.
        is_archived: bool,
        /// Only moderators may open it.
        is_locked: bool,
    },
    /// Roles of the server changed, or which of them the bot has.
    RolesChanged,
    /// What may be done with commands changed, as the server set it.
    Permitted,
    /// Known, and nothing to do: our own messages, joins, …
    Ignored {
        /// The kind, for the log; made of `[a-z0-9_.]` only, as is that of what is unknown.
        kind: String,
    },
    /// Not known: logged by its kind and counted, never dropped silently.
    Unknown {
        /// The kind, for the log.
        kind: String,
    },
}

/// Where a session that was begun stands: Discord divides servers among the sessions of a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Its number.
    pub shard: u64,
    /// Of so many.
    pub of: u64,
}

impl Share {
    /// Whether messages of a place come over this session; those of direct conversations come over the first.
    pub(super) fn has(self, guild: &str, is_thread: bool) -> bool {
        let guild = guild.parse::<u64>().unwrap_or(0);
        let home = if is_thread { (guild >> 22) % self.of.max(1) } else { 0 };
        home == self.shard
    }
}

/// By what an interaction is answered. It works once for the first answer, within three seconds, and for a quarter of
/// an hour for what follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ticket {
    /// The interaction, a snowflake.
    pub id: String,
    /// The secret that answers it.
    pub token: Token,
    /// The application it belongs to.
    pub application: String,
    /// When the person did it, as the snowflake says; `None` if it is none.
    pub at: Option<DateTime<Utc>>,
    /// Largest file that may be sent there, in bytes, where Discord says so.
    pub file_max: Option<u64>,
}

/// A secret; it prints as stars.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Token(pub String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Where something was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct At {
    /// The channel, thread or direct conversation.
    pub channel: String,
    /// The channel that a thread belongs to.
    pub parent: Option<String>,
    /// It is a thread.
    pub is_thread: bool,
    /// A thread that is archived.
    pub is_archived: bool,
}

/// A component of a message was used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Action {
    /// By whom.
    pub by: Actor,
    /// Where.
    pub at: At,
    /// How it is answered.
    pub ticket: Ticket,
    /// Our id of the component: `v1.<wait>.<revision>.<action>`, or one that is not of a question.
    pub element: String,
    /// What was picked, under the component's id; empty for a button.
    pub inputs: Inputs,
    /// The message it stands in.
    pub message: String,
    /// What that message says. Never logged.
    pub said: String,
    /// Only the person who used it sees that message.
    pub is_ephemeral: bool,
}

/// A form was sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Submission {
    /// By whom.
    pub by: Actor,
    /// Where.
    pub at: At,
    /// How it is answered.
    pub ticket: Ticket,
    /// Our id of the form.
    pub element: String,
    /// What it holds, by the ids of the inputs without what tells one opening from another.
    pub inputs: Inputs,
    /// The message whose component opened it; `None` after a command. Only with one may the answer edit it.
    pub message: Option<String>,
    /// Only the person who used it sees that message.
    pub is_ephemeral: bool,
}

/// A command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Command {
    /// By whom.
    pub by: Actor,
    /// Where.
    pub at: At,
    /// How it is answered.
    pub ticket: Ticket,
    /// The command, and under it what was chosen: `["onboard", "start"]`.
    pub path: Vec<String>,
    /// What was given with it, by name: texts, numbers, snowflakes, as texts.
    pub options: BTreeMap<String, String>,
    /// Files given with it, by name.
    pub files: BTreeMap<String, File>,
    /// The user or the message that it was used on.
    pub target: Option<Target>,
}

/// What a command of a context menu was used on.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A user, a snowflake.
    User(String),
    /// A message, with its words.
    Message(Box<Message>),
}

/// Words, perhaps with files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    /// By whom.
    pub by: Actor,
    /// Where.
    pub channel: String,
    /// The message.
    pub id: String,
    /// The words as they read: mentions in words, a leading mention of the bot left out. Empty where Discord keeps them
    /// from us.
    pub text: String,
    /// It mentions the bot, or answers it with a ping.
    pub is_mention: bool,
    /// The message it answers.
    pub answers: Option<String>,
    /// What was sent with it.
    pub files: Vec<File>,
}

/// What a form or a menu holds: by the id of the input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inputs(pub BTreeMap<String, Typed>);

/// What one input holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Typed {
    /// Texts, values of picked options, ids of users, roles or channels; empty where nothing was entered.
    pub values: Vec<String>,
    /// Files.
    pub files: Vec<File>,
}

/// A file on Discord, not fetched yet. Never logged: its address lets anybody in for a while.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// A snowflake.
    pub id: String,
    /// The name it was given.
    pub name: String,
    /// In bytes, where Discord says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Signed, for about a day.
    #[serde(default)]
    pub url: String,
    /// What Discord takes it for.
    #[serde(default)]
    pub content_type: String,
}

/// The first answer to an interaction; the connection gives it, unless it is too late for one.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Ack {
    /// It was no interaction, or needs no answer.
    #[default]
    Nothing,
    /// Words or a card for the person alone.
    Say(render::Message),
    /// Something for the person alone comes in a moment, as an edit of this answer.
    Later,
    /// Seen; the message that was used changes by itself.
    Seen,
    /// The message that was used looks like this now.
    Redraw(render::Message),
    /// The card that was used looks like this now, and its question is over: once Discord has taken the answer, nothing
    /// else has to draw it.
    Close(render::Message, Arc<Drawing>),
    /// A form opens.
    Form(render::Modal),
}

impl Ack {
    /// The answer as Discord takes it; `None` if there is nothing to answer.
    pub fn body(&self) -> Option<Value> {
        let (kind, data) = match self {
            Self::Nothing => return None,
            Self::Say(message) => (CallbackKind::Message, Some(message.body().hidden().json())),
            Self::Later => {
                let hidden = json!({ "flags": MessageFlags::EPHEMERAL });
                (CallbackKind::MessageLater, Some(hidden))
            }
            Self::Seen => (CallbackKind::Seen, None),
            Self::Redraw(message) | Self::Close(message, _) => {
                (CallbackKind::Update, Some(message.body().json()))
            }
            Self::Form(form) => (CallbackKind::Modal, Some(json!(form))),
        };
        Some(json!(Callback { kind, data }))
    }
}

/// A first answer with what it holds.
#[derive(Debug, Serialize)]
pub(super) struct Callback {
    #[serde(rename = "type")]
    kind: CallbackKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

impl Callback {
    /// The answer to a ping.
    pub(super) const PONG: Self = Self { kind: CallbackKind::Pong, data: None };
}

/// Takes in what comes from Discord. When it returns it is durable, well within a second: nothing slow is waited for.
#[async_trait]
pub trait Inbox: fmt::Debug + Send + Sync {
    /// Takes one in. A repeat is recognised by its key and answered like the first.
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotSaved>;
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn every_place_belongs_to_one_session() {
        let guild = (7_u64 << 22).to_string();
        let of = |shard| Share { shard, of: 4 };
        let homes =
            |is_thread| (0..4).filter(|n| of(*n).has(&guild, is_thread)).collect::<Vec<_>>();
        assert_eq!(homes(true), [3]);
        assert_eq!(homes(false), [0]);
        assert!(Share { shard: 0, of: 0 }.has("direct", true));
    }
}
