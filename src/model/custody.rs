//! What keeps a session, and what lets it go: holds, erasures that wait for their end, and what retention removed.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::flow::{Period, Retention};

/// Something that bears on how long a session is kept.
///
/// ```json
/// { "custody": "held", "by": "operator", "reason": "claim 12/2026" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "custody", rename_all = "snake_case")]
pub enum Custody {
    /// Nothing of it may be erased until the hold is released.
    Held {
        /// On whose order: `operator`, or a member of staff.
        by: String,
        /// Why; the participant may read it.
        reason: String,
    },
    /// The hold is over.
    Released {
        /// On whose order.
        by: String,
    },
    /// The participant has asked for everything to be erased while a hold stood; it is done when that ends.
    ErasureAsked,
    /// A part of the session has been kept for as long as was promised, and is gone.
    Forgotten {
        /// Which.
        kinds: Vec<Kind>,
    },
}

impl Custody {
    /// In a sentence, for people.
    pub fn words(&self) -> String {
        match self {
            Self::Held { reason, .. } => {
                let reason = reason.trim_end_matches('.');
                format!("Nothing of this may be erased for now: {reason}.")
            }
            Self::Released { .. } => "This may be erased again.".to_owned(),
            Self::ErasureAsked => {
                "Everything is to be erased as soon as nothing stands against it.".to_owned()
            }
            Self::Forgotten { kinds } => {
                let kinds: Vec<&str> = kinds.iter().map(|kind| kind.words()).collect();
                format!("Kept for as long as was promised, and erased now: {}.", kinds.join(", "))
            }
        }
    }
}

/// What a flow's `[retention]` tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The conversation with all its answers, the files that the bot made of it, and the words of its audit records.
    Transcript,
    /// The files that were sent.
    Uploads,
    /// The stored data.
    Records,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Transcript, Self::Uploads, Self::Records];

    /// In a word, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Transcript => "the conversation",
            Self::Uploads => "files",
            Self::Records => "stored data",
        }
    }
}

impl Retention {
    /// How long a kind is kept after the last thing that somebody did in the conversation. A conversation quotes the
    /// data that was made in it, so it goes with that data at the latest.
    pub fn of(&self, kind: Kind) -> Period {
        match kind {
            Kind::Transcript => self.transcript.min(self.records),
            Kind::Uploads => self.uploads,
            Kind::Records => self.records,
        }
    }

    /// After how long nothing of a conversation is left: what people are told as `{{retention}}`.
    pub fn longest(&self) -> Period {
        self.uploads.max(self.records)
    }

    /// When a kind of a session goes that has been quiet since `since`; `None` beyond the end of the calendar.
    pub fn ends(&self, kind: Kind, since: DateTime<Utc>) -> Option<DateTime<Utc>> {
        since.checked_add_signed(self.of(kind).delta())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_reads_as_one_sentence() {
        for reason in ["A question about the contract", "A question about the contract."] {
            let held = Custody::Held { reason: reason.to_owned(), by: "Grace".to_owned() };
            let words = "Nothing of this may be erased for now: A question about the contract.";
            assert_eq!(held.words(), words);
        }
    }
}
