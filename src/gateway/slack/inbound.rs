//! What comes in from Slack, read from raw JSON by [`super::parse`], and what is answered at once. One shape behind
//! both transports.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::chat::handler::NotSaved;

/// Something that came in, with the workspace it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// Our name of it: the same thing delivered again has the same key, whichever transport brings it.
    pub key: String,
    /// Where it came from.
    pub workspace: Workspace,
    /// What it is.
    pub what: Incoming,
}

/// A workspace, or an organisation that installed the app for all of its workspaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Workspace {
    /// The workspace: `T01`.
    pub team: String,
    /// The organisation, where there is one: `E01`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enterprise: Option<String>,
    /// The app was installed for the whole organisation.
    #[serde(default)]
    pub is_enterprise_install: bool,
}

/// Who did it, as the payload says; what they may do is asked elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actor {
    /// The user: `U01`.
    pub user: String,
    /// The workspace the user belongs to; another one than the workspace's for guests of Slack Connect. Empty where the
    /// payload does not say.
    pub team: String,
    /// What the payload calls them, where it does.
    pub name: String,
}

/// What came in.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one at a time is taken in")]
pub enum Incoming {
    /// Somebody wrote, perhaps with files. A mention of the bot in a channel comes as two events of which the second
    /// is recognised by its key.
    Message(Message),
    /// A message was changed by the person who wrote it.
    Edited {
        /// Where.
        channel: String,
        /// A direct conversation with the bot.
        is_direct: bool,
        /// Which message.
        ts: String,
        /// The thread it stands in, where it does.
        thread: Option<String>,
        /// By whom.
        by: Actor,
        /// The words now.
        text: String,
    },
    /// A message was deleted, by its author or somebody else, or one of ours.
    Deleted {
        /// Where.
        channel: String,
        /// A direct conversation with the bot.
        is_direct: bool,
        /// Which message.
        ts: String,
        /// The thread it stood in, where it did.
        thread: Option<String>,
        /// Who had written it; empty where Slack does not say.
        author: String,
    },
    /// The app's Home or its messages tab was opened.
    HomeOpened {
        /// By whom.
        by: Actor,
        /// `home` or `messages`.
        tab: String,
        /// The conversation of the messages tab.
        channel: String,
    },
    /// A component was used.
    Action(Action),
    /// A form was sent.
    Submitted(Submission),
    /// A form was closed without sending it.
    Closed {
        /// By whom.
        by: Actor,
        /// The form's `callback_id`.
        callback_id: String,
        /// The form's `private_metadata`.
        private_metadata: String,
    },
    /// A slash command.
    Command(Command),
    /// A shortcut.
    Shortcut {
        /// By whom.
        by: Actor,
        /// Which.
        callback_id: String,
        /// The message it was used on: channel and ts; `None` for a global one.
        message: Option<(String, String)>,
        /// Opens a form within three seconds.
        trigger_id: String,
    },
    /// Somebody pressed the stop button of the agent.
    Stopped {
        /// By whom.
        by: Actor,
        /// Where.
        channel: String,
        /// The thread, where there is one.
        thread: Option<String>,
    },
    /// The app was uninstalled, or its tokens were revoked.
    Revoked,
    /// The organisation took the app out of some of its workspaces, or let it in.
    Access {
        /// Which.
        teams: Vec<String>,
        /// Let in.
        granted: bool,
    },
    /// A channel cannot be written to any more: archived, deleted, or the bot was removed.
    ChannelGone {
        /// Which.
        channel: String,
        /// Why, in a word: `archived`, `deleted`, `left`.
        why: &'static str,
    },
    /// A channel can be written to again.
    ChannelBack {
        /// Which.
        channel: String,
    },
    /// A user changed.
    UserChanged {
        /// Who.
        user: String,
        /// Deactivated.
        deleted: bool,
    },
    /// The members of a user group changed.
    GroupChanged {
        /// Which.
        group: String,
    },
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

/// Words, perhaps with files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Message {
    /// By whom.
    pub by: Actor,
    /// Where.
    pub channel: String,
    /// A direct conversation with the bot.
    pub is_direct: bool,
    /// Names the message in its channel.
    pub ts: String,
    /// The thread it was written in, where it was.
    pub thread: Option<String>,
    /// The words as they read: entities decoded, links and mentions in words, a leading mention of the bot left out.
    pub text: String,
    /// It mentions the bot.
    pub is_mention: bool,
    /// What was sent with it.
    pub files: Vec<File>,
}

/// A file on Slack, not fetched yet. Never logged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// `F01`.
    pub id: String,
    /// The name it was given.
    pub name: String,
    /// In bytes, where Slack says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// `url_private_download`, else `url_private`; empty where only `files.info` knows.
    #[serde(default)]
    pub url: String,
    /// What Slack takes it for.
    #[serde(default)]
    pub mimetype: String,
    /// It lies with another service; it cannot be fetched.
    #[serde(default)]
    pub is_external: bool,
    /// It was taken away, or is hidden.
    #[serde(default)]
    pub is_gone: bool,
}

/// A component of a message or of a view was used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Action {
    /// By whom.
    pub by: Actor,
    /// Our id of the component, its `action_id`: `v1.<wait>.<revision>.<action>`, or one of the home's.
    pub element: String,
    /// Its block.
    pub block_id: String,
    /// What was picked or typed, with its name as in [`Inputs`]; empty for a button.
    pub inputs: Inputs,
    /// The button's value.
    pub value: String,
    /// The message it stands in: channel and ts; `None` in a view.
    pub message: Option<(String, String)>,
    /// What that message says. Never logged.
    pub said: String,
    /// Only the person who used it sees that message: it cannot be edited but through `response_url`.
    pub is_ephemeral: bool,
    /// The thread of that message.
    pub thread: Option<String>,
    /// The view it stands in.
    pub view: Option<ViewRef>,
    /// Opens a form within three seconds.
    pub trigger_id: String,
    /// Answers only the person who used it: five times within 30 minutes.
    pub response_url: String,
}

/// A view as an interaction names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewRef {
    /// `V01`.
    pub id: String,
    /// Changes with every update.
    pub hash: String,
    /// Ours.
    pub callback_id: String,
    /// Ours: at most 3,000 characters.
    pub private_metadata: String,
}

/// A form was sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Submission {
    /// By whom.
    pub by: Actor,
    /// Which form.
    pub view: ViewRef,
    /// What it holds.
    pub inputs: Inputs,
}

/// The state of a form: by block id, then by action id, one value or several, or files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inputs(pub BTreeMap<String, BTreeMap<String, Typed>>);

/// What one input holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Typed {
    /// Texts, ids of picked options, dates (`2026-11-02`), times, user or channel ids; empty where nothing was entered.
    pub values: Vec<String>,
    /// Files.
    pub files: Vec<File>,
}

/// A slash command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// By whom.
    pub by: Actor,
    /// `/onboard`.
    pub name: String,
    /// What stands after it, as typed: mentions come as `<@U01|ada>`.
    pub text: String,
    /// Where it was typed.
    pub channel: String,
    /// Opens a form within three seconds.
    pub trigger_id: String,
    /// Answers only the person who typed it.
    pub response_url: String,
}

/// What is answered at once, in the acknowledgement.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Ack {
    /// Taken.
    #[default]
    Empty,
    /// What is wrong with a form, by block id; it stays open.
    Errors(BTreeMap<String, String>),
    /// Another view in place of the form.
    Update(Value),
    /// Another view on top of the form.
    Push(Value),
    /// Closes every form.
    Clear,
    /// A message for the one who typed the command alone.
    Ephemeral {
        /// Words, for notifications and where blocks are not drawn.
        text: String,
        /// Blocks, perhaps none.
        blocks: Vec<Value>,
    },
    /// Words in place of the message that was pressed, which one person alone sees: nothing in it can be pressed again.
    Replaced {
        /// Mrkdwn.
        text: String,
    },
}

/// Takes in what comes from Slack. When it returns it is durable, well within a second: nothing slow is waited for.
#[async_trait]
pub trait Inbox: std::fmt::Debug + Send + Sync {
    /// Takes one in. A repeat is recognised by its key and answered like the first.
    async fn take(&self, envelope: Envelope) -> Result<Ack, NotSaved>;
}
