//! What an erasure came to on a platform: kept when everything else is gone, so without personal data.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::posted::{Item, Posted, Reader};
use crate::base::ids::{EffectId, SessionId, WaitId};

/// What was to be removed, and what is left.
///
/// ```json
/// { "receipt": "AAAA…", "by": "participant", "at": "…", "planned": { "messages": 24, "files": 2, "threads": 1 },
///   "left": [{ "effect": "eff_…", "what": "blank", "reader": { "staff": "desk" }, "messages": 2 }] }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Names the receipt in the audit chain.
    pub receipt: String,
    /// On whose order: `participant`, `operator`, `retention`.
    pub by: String,
    /// When the session was erased.
    pub at: DateTime<Utc>,
    /// What the bot had posted and was to be removed.
    pub planned: Count,
    /// What was not removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
    /// Files that people had sent.
    #[serde(default)]
    pub sent: usize,
    /// The message that says that the removal is under way, where one was posted: it goes when the receipt is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Removals that are still to be made; known only while they are.
    #[serde(skip)]
    pub pending: usize,
    /// What they wait for, in words without names.
    #[serde(skip)]
    pub causes: Vec<String>,
}

/// How many things.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Messages.
    #[serde(default)]
    pub messages: usize,
    /// Files.
    #[serde(default)]
    pub files: usize,
    /// Threads that were made for the session.
    #[serde(default)]
    pub threads: usize,
}

/// Something that is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// The effect that was to remove it.
    pub effect: EffectId,
    /// What it is.
    pub what: Remnant,
    /// Who can read it.
    #[serde(default)]
    pub reader: Reader,
    /// How much of it.
    #[serde(default, flatten)]
    pub count: Count,
    /// Why it could not be removed, in words for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What is left, by who can remove it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remnant {
    /// What people wrote or sent themselves.
    Theirs,
    /// A message of the bot's that says one neutral line now, because others have written under it; counted are theirs.
    Blank,
    /// What the bot posted, as it was or without its words.
    Ours,
    /// What the bot may have posted of which there is no record any more, for it was damaged.
    Unrecorded,
}

impl Count {
    /// One of a kind.
    pub fn of(item: &Item) -> Self {
        let none = Self::default();
        match item {
            Item::Message { .. } | Item::Head { .. } => Self { messages: 1, ..none },
            Item::File { .. } => Self { files: 1, ..none },
            Item::Room { .. } => Self { threads: 1, ..none },
            Item::Unreadable => none,
        }
    }

    /// Whether it is nothing.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            files: self.files + other.files,
            threads: self.threads + other.threads,
        }
    }

    /// What is over beside `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self {
            messages: self.messages.saturating_sub(other.messages),
            files: self.files.saturating_sub(other.files),
            threads: self.threads.saturating_sub(other.threads),
        }
    }
}

impl Left {
    /// What the bot may have posted where its list of that was damaged.
    pub fn unrecorded(effect: EffectId, reader: Reader) -> Self {
        Self { effect, what: Remnant::Unrecorded, reader, count: Count::default(), why: None }
    }

    /// What the bot posted and could not remove.
    pub fn ours(effect: EffectId, posted: &Posted, why: &str) -> Self {
        Self {
            effect,
            what: Remnant::Ours,
            reader: posted.reader.clone(),
            count: Count::of(&posted.item),
            why: Some(why.to_owned()),
        }
    }
}

/// What the keys of the notes below begin with.
pub const NOTES: &str = "erasure/";

/// The key of the note that keeps the report of a session.
pub(crate) fn report_of(session: SessionId) -> String {
    format!("{NOTES}{session}")
}

/// The key of the note that names the session which an answer to this question has erased.
pub(crate) fn erased_by(wait: WaitId) -> String {
    format!("{NOTES}{wait}")
}
