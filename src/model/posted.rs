//! What stands on a platform for a session: the ledger that an erasure goes through.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::ids::{EffectId, SessionId};

/// Something that was posted, uploaded or made outside for a session.
///
/// ```json
/// { "what": "message", "at": "D024/1690.0001" }
/// { "what": "head", "at": "C01/1690.0002", "reader": { "staff": "recruiting_desk" } }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Posted {
    /// What it is, as the platform names it.
    #[serde(flatten)]
    pub item: Item,
    /// Who can read it.
    #[serde(default, skip_serializing_if = "Reader::is_participant")]
    pub reader: Reader,
}

/// A thing on a platform, by the platform's own ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Item {
    /// A message with its attachments, or one part of several.
    Message {
        /// Channel and message: `D024/1690.0001`.
        at: String,
    },
    /// A message under which others can write a thread.
    Head {
        /// Channel and message.
        at: String,
    },
    /// An uploaded file that outlives its message.
    File {
        /// Its id.
        id: String,
    },
    /// A thread that was made for the session alone.
    Room {
        /// Its id.
        id: String,
    },
    /// Whatever stood on the ledger before it was damaged.
    Unreadable,
}

/// Who can read something.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// The participant.
    #[default]
    Participant,
    /// Staff, in the channel of this alias; empty for their direct messages.
    Staff(String),
    /// Everybody who reads the channel of this alias.
    Everybody(String),
}

impl Reader {
    const fn is_participant(&self) -> bool {
        matches!(self, Self::Participant)
    }
}

/// Something that an erasure takes away. It says all there is to know: the session is gone by then.
///
/// ```json
/// { "remove": "thing", "posted": { "what": "room", "id": "1400" }, "within": ["1401", "1402"] }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "remove", rename_all = "snake_case")]
pub enum Removal {
    /// A thing that is on the ledger.
    Thing {
        /// What.
        posted: Posted,
        /// The bot's messages that stand in it, by their ids.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        within: Vec<String>,
    },
    /// What an attempt may have posted of which nobody knows: a process may have ended in between.
    Trace {
        /// The effect.
        effect: EffectId,
        /// When it was queued.
        since: DateTime<Utc>,
        /// What the ids of its buttons hold, where it has any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<String>,
    },
}

/// The key of the note in which the store keeps what deliveries left outside for a session.
pub fn ledger_of(session: SessionId) -> String {
    format!("ledger/{session}")
}

/// The key of the note about what was posted for a session without an effect of the outbox.
pub fn aside_of(session: SessionId) -> String {
    format!("ledger/{session}/aside")
}

/// What stands on a ledger for what can't be read of it.
pub(crate) const fn unreadable() -> Posted {
    Posted { item: Item::Unreadable, reader: Reader::Participant }
}

/// What a ledger begins with that is written anew because the one before was damaged.
pub(crate) fn after_damage() -> String {
    appended(None, &[unreadable()]).unwrap_or_default()
}

/// The text of a ledger that said `known` before, with `posted` added; `None` if it says all of it already.
pub(crate) fn appended(known: Option<&str>, posted: &[Posted]) -> Option<String> {
    let before = known.unwrap_or_default();
    let mut lines: BTreeSet<&str> = before.lines().collect();
    let new: Vec<String> = posted.iter().filter_map(|it| serde_json::to_string(it).ok()).collect();
    let mut text = before.to_owned();
    for line in &new {
        if lines.insert(line) {
            text.push_str(line);
            text.push('\n');
        }
    }
    (text.len() > before.len()).then_some(text)
}

/// What a ledger says. A line of a newer program that this one does not understand is passed over.
pub fn read(ledger: &str) -> impl Iterator<Item = Posted> {
    ledger.lines().filter_map(|line| serde_json::from_str(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_keeps_each_thing_once_and_reads_back_what_it_knows() {
        let message = Posted {
            item: Item::Message { at: "D024/1690.0001".to_owned() },
            reader: Reader::Participant,
        };
        let head = Posted {
            item: Item::Head { at: "C01/1690.0002".to_owned() },
            reader: Reader::Staff("desk".to_owned()),
        };
        let open = Posted {
            item: Item::Message { at: "C02/7".to_owned() },
            reader: Reader::Everybody("introductions".to_owned()),
        };
        let file = Posted { item: Item::File { id: "F1".to_owned() }, reader: Reader::default() };
        let first = appended(None, &[message.clone(), message.clone(), head.clone()]).unwrap();
        assert_eq!(appended(Some(&first), std::slice::from_ref(&head)), None);
        let text = appended(Some(&first), &[message.clone(), open.clone(), file.clone()]).unwrap();
        insta::assert_snapshot!(text, @r#"
        {"what":"message","at":"D024/1690.0001"}
        {"what":"head","at":"C01/1690.0002","reader":{"staff":"desk"}}
        {"what":"message","at":"C02/7","reader":{"everybody":"introductions"}}
        {"what":"file","id":"F1"}
        "#);
        let newer = format!("{text}{{\"what\":\"hologram\"}}\n");
        assert_eq!(read(&newer).collect::<Vec<_>>(), [message, head, open, file]);
    }
}
