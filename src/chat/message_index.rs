//! Which message of a chat stands for what: the root of a conversation, its progress line, the staff's thread about it.
//!
//! Everything is a note in the store, durable when it is said, sealed with its session and gone with it.
//!
//! ```text
//! slack/root/ses_…            D01/1690.0001     the first message of a conversation
//! slack/thread/T01/C01/1690.1 staff             what the thread under a message is, to the session of the note
//! ```

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    base::ids::{SessionId, WaitId},
    model::{
        posted::{Item, Posted, Reader},
        session::{Place, Platform},
    },
    store::{self, Note, Store},
};

/// A message: where, and its name there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRef {
    /// The channel, or the conversation with a person: `C01`, `D01`.
    pub channel: String,
    /// The message as the platform names it: `1690.0001`.
    pub message: String,
}

impl MessageRef {
    /// As renderings and notes name it: `D01/1690.0001`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.channel, self.message)
    }

    /// Reads what [`MessageRef::name`] wrote.
    pub fn parse(name: &str) -> Option<Self> {
        let (channel, message) = name.split_once('/')?;
        Some(Self { channel: channel.to_owned(), message: message.to_owned() })
    }
}

/// What a thread is to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The conversation itself.
    Conversation,
    /// What staff read of it, and where they write.
    Staff,
    /// The discussion under a request.
    Request(WaitId),
}

impl Role {
    fn name(self) -> String {
        match self {
            Self::Conversation => "conversation".to_owned(),
            Self::Staff => "staff".to_owned(),
            Self::Request(wait) => wait.to_string(),
        }
    }

    fn parse(name: &str) -> Option<Self> {
        match name {
            "conversation" => Some(Self::Conversation),
            "staff" => Some(Self::Staff),
            wait => wait.parse().ok().map(Self::Request),
        }
    }
}

/// A message of a session that is found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark<'a> {
    /// The first message of a direct conversation: all others stand in its thread.
    Root,
    /// How far the session is.
    Progress,
    /// The line that says how a request was decided.
    Decided(WaitId),
    /// The root of the staff's thread in a channel.
    Staff(&'a str),
}

/// Knows which message of a platform stands for what. Cheap to clone.
#[derive(Debug, Clone)]
pub struct MessageIndex {
    platform: Platform,
    store: Arc<dyn Store>,
}

impl MessageIndex {
    /// Those of a platform, over a store.
    pub fn new(platform: Platform, store: Arc<dyn Store>) -> Self {
        Self { platform, store }
    }

    /// The message that is marked so.
    pub async fn marked(
        &self,
        session: SessionId,
        mark: Mark<'_>,
    ) -> Result<Option<MessageRef>, store::Error> {
        let note = self.store.noted(&self.key_of(session, mark)).await?;
        Ok(note.and_then(|note| MessageRef::parse(&note.value?)))
    }

    /// The message under which a conversation stands: the one that took the place of the first, where that thread is
    /// closed; `None` before its first one.
    pub async fn root(
        &self,
        session: SessionId,
        place: &Place,
    ) -> Result<Option<MessageRef>, store::Error> {
        let marked = self.marked(session, Mark::Root).await?;
        let first = || {
            let message = place.thread.clone()?;
            Some(MessageRef { channel: place.channel.clone(), message })
        };
        Ok(marked.or_else(first))
    }

    /// Marks a message, in place of the one before.
    pub async fn mark(
        &self,
        session: SessionId,
        mark: Mark<'_>,
        spot: &MessageRef,
    ) -> Result<(), store::Error> {
        let (key, value) = (self.key_of(session, mark), Some(spot.name()));
        self.store.note(Note { key, session: Some(session), value }).await
    }

    /// Marks no message any more.
    pub async fn forget(&self, session: SessionId, mark: Mark<'_>) -> Result<(), store::Error> {
        let key = self.key_of(session, mark);
        self.store.note(Note { key, session: Some(session), value: None }).await
    }

    /// Says what the thread under a message is to a session.
    pub async fn belongs(
        &self,
        session: SessionId,
        (workspace, root): (&str, &MessageRef),
        role: Role,
    ) -> Result<(), store::Error> {
        let (key, value) = (self.key_of_thread(workspace, root), Some(role.name()));
        self.store.note(Note { key, session: Some(session), value }).await
    }

    /// What the thread under a message is, and to which session.
    pub async fn of(
        &self,
        workspace: &str,
        root: &MessageRef,
    ) -> Result<Option<(SessionId, Role)>, store::Error> {
        let note = self.store.noted(&self.key_of_thread(workspace, root)).await?;
        Ok(note.and_then(|note| Some((note.session?, Role::parse(&note.value?)?))))
    }

    /// What is marked of a session besides its root, with the heads in the channels of aliases: a log of posts of an
    /// older program says nothing of it. Best effort: what can't be read now is on the log of posts, or stands in a thread
    /// that is.
    pub(crate) async fn remains(
        &self,
        session: SessionId,
        channels: &BTreeMap<String, String>,
    ) -> Vec<Posted> {
        let mut found = Vec::new();
        if let Ok(Some(line)) = self.marked(session, Mark::Progress).await {
            let item = Item::Message { at: line.name() };
            found.push(Posted { item, reader: Reader::Participant });
        }
        for (alias, channel) in channels {
            if let Ok(Some(head)) = self.marked(session, Mark::Staff(channel)).await {
                let item = Item::Head { at: head.name() };
                found.push(Posted { item, reader: Reader::Staff(alias.clone()) });
            }
        }
        found
    }

    fn key_of(&self, session: SessionId, mark: Mark<'_>) -> String {
        let platform = self.platform;
        match mark {
            Mark::Root => format!("{platform}/root/{session}"),
            Mark::Progress => format!("{platform}/progress/{session}"),
            Mark::Decided(wait) => format!("{platform}/decided/{session}/{}", wait.short()),
            Mark::Staff(channel) => format!("{platform}/staff/{session}/{channel}"),
        }
    }

    fn key_of_thread(&self, workspace: &str, root: &MessageRef) -> String {
        format!("{}/thread/{workspace}/{}", self.platform, root.name())
    }
}
