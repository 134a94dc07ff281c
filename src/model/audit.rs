//! Audit records: one for every transition, every refused attempt and every `next_phase` invocation.

use std::{collections::HashMap, fmt::Write as _};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::base::ids::SessionId;

/// One entry before it is sealed into the chain.
///
/// `facts` holds ids, phases, decisions; never an answer. `words` holds free text that people or the model wrote
/// (reason, feedback, note): it can be erased later without breaking the chain, which covers only its digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// What happened, in `snake_case`: `phase_advance_attempt`, `wait_answered`, `answer_refused`, …
    pub event: String,
    /// When.
    pub timestamp: DateTime<Utc>,
    /// In which session; `None` for acts of the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Ids, phases, decisions, in the order of the specification.
    pub facts: Map<String, Value>,
    /// Free text, erasable.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub words: Map<String, Value>,
}

/// A record in the chain: each seal covers the record, its place and the seal before it.
///
/// ```json
/// { "index": 7, "record": { "event": "phase_advance_attempt", … }, "salt": "…", "words_sha256": "…",
///   "previous": "…", "seal": "…", "erased": false }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    /// Place in the chain, from 0 without gaps.
    pub index: u64,
    /// What happened; `words` is empty once erased.
    pub record: AuditRecord,
    /// Random text that keeps the digest of short words from being guessed; erased with them.
    pub salt: String,
    /// SHA-256 of salt and words.
    pub words_sha256: String,
    /// Seal of the record before; 64 zeros for the first.
    pub previous: String,
    /// SHA-256 over all of the above but the words.
    pub seal: String,
    /// The words were erased at the participant's wish.
    #[serde(default)]
    pub erased: bool,
}

/// What `previous` says in the first record.
pub const CHAIN_START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

impl Sealed {
    /// Seals `record` as number `index` after the record whose seal is `previous`.
    pub fn seal(index: u64, previous: &str, record: AuditRecord, salt: String) -> Self {
        let words_sha256 = digest_of_words(&salt, &record.words);
        let mut sealed = Self {
            index,
            record,
            salt,
            words_sha256,
            previous: previous.to_owned(),
            seal: String::new(),
            erased: false,
        };
        sealed.seal = sealed.expected_seal();
        sealed
    }

    /// A record as it was sealed, from a store that keeps only what does not follow from the rest: `words_sha256` of
    /// a record that has words, or had some and is `erased`. Its seal follows; whether it is the one that was given
    /// then is for the store to compare.
    pub fn restored(
        (index, previous): (u64, &str),
        record: AuditRecord,
        salt: String,
        words_sha256: Option<String>,
        erased: bool,
    ) -> Self {
        let words_sha256 = words_sha256.unwrap_or_else(|| digest_of_words(&salt, &record.words));
        let previous = previous.to_owned();
        let mut sealed =
            Self { index, record, salt, words_sha256, previous, seal: String::new(), erased };
        sealed.seal = sealed.expected_seal();
        sealed
    }

    /// Removes the words; the chain still holds.
    pub fn erase_words(&mut self) {
        self.record.words = Map::new();
        self.salt = String::new();
        self.erased = true;
    }

    /// Whether this record is as it was sealed, after a record whose seal is `previous`.
    pub fn holds(&self, index: u64, previous: &str) -> bool {
        let words_hold =
            self.erased || digest_of_words(&self.salt, &self.record.words) == self.words_sha256;
        self.index == index
            && self.previous == previous
            && words_hold
            && self.seal == self.expected_seal()
    }

    fn expected_seal(&self) -> String {
        let record = &self.record;
        let session = record.session.map(|id| id.to_string()).unwrap_or_default();
        // `Value::to_string` of a map keeps insertion order; what was stored comes back in that order.
        let facts = Value::Object(record.facts.clone()).to_string();
        let stamp = record.timestamp.to_rfc3339();
        let index = self.index.to_string();
        let parts =
            [&index, &self.previous, &record.event, &stamp, &session, &facts, &self.words_sha256];
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part.as_bytes());
        }
        hex(&hasher.finalize())
    }
}

/// Records after which words of their session are rightly gone.
const ERASERS: [&str; 2] = ["session_erased", "retention_applied"];

/// Where a chain is not as it was sealed, and how: the first such place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The record does not match its own seal.
    #[error("record {at} was changed after it was sealed")]
    Changed {
        /// Its number.
        at: u64,
    },
    /// The words of the record are not those that were sealed.
    #[error("the words of record {at} were changed after it was sealed")]
    WordsChanged {
        /// Its number.
        at: u64,
    },
    /// The words of the record are gone, and nothing in the chain says that they were to go.
    #[error("the words of record {at} were removed, and no erasure of its session is on record")]
    WordsRemoved {
        /// Its number.
        at: u64,
    },
    /// Records are not there.
    #[error("{}", missing(*from, *to))]
    Missing {
        /// The first of them.
        from: u64,
        /// The last of them.
        to: u64,
    },
    /// A record stands in another's place.
    #[error("record {found} stands where record {at} belongs")]
    Misplaced {
        /// The place.
        at: u64,
        /// What stands there.
        found: u64,
    },
    /// The record is whole, and was sealed after another one than stands before it.
    #[error(
        "record {at} does not follow from the one before it: one of them was put in or exchanged"
    )]
    Unlinked {
        /// Its number.
        at: u64,
    },
}

fn missing(from: u64, to: u64) -> String {
    if from == to {
        format!("record {from} is missing")
    } else {
        format!("records {from} to {to} are missing")
    }
}

impl Fault {
    /// The number from which the chain proves nothing any more.
    pub const fn at(&self) -> u64 {
        match self {
            Self::Changed { at }
            | Self::WordsChanged { at }
            | Self::WordsRemoved { at }
            | Self::Misplaced { at, .. }
            | Self::Unlinked { at } => *at,
            Self::Missing { from, .. } => *from,
        }
    }
}

/// Walks a chain from its start, record by record, and holds little of it: sessions whose words were erased until the
/// erasure itself comes by. What was cut off at the end, or a chain that was made anew from some record on, shows only
/// against a seal that was kept elsewhere.
///
/// ```
/// use anteroom::model::audit::{CHAIN_START, ChainCheck};
///
/// let check = ChainCheck::default();
/// assert_eq!(check.seal(), CHAIN_START);
/// assert!(check.finish().is_ok());
/// ```
#[derive(Debug, Default)]
pub struct ChainCheck {
    /// How many records have come.
    records: u64,
    /// The last seal.
    seal: Option<String>,
    /// The first place that is not as it was sealed. Records after it still tell more about it.
    fault: Option<Fault>,
    /// The first record without its words, by sessions whose erasure has not come yet.
    wordless: HashMap<Option<SessionId>, u64>,
}

impl ChainCheck {
    /// Takes in the next record.
    pub fn add(&mut self, sealed: &Sealed) {
        let record = &sealed.record;
        if ERASERS.contains(&record.event.as_str()) {
            self.wordless.remove(&record.session);
        }
        match &self.fault {
            None => self.fault = self.examine(sealed).err(),
            Some(Fault::Missing { from, to }) if sealed.index == *from => {
                // It stands further on.
                self.fault = Some(Fault::Misplaced { at: *from, found: to.saturating_add(1) });
            }
            Some(_) => {}
        }
        self.records += 1;
        self.seal = Some(sealed.seal.clone());
    }

    /// How many records have come.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// The seal of the last record, or what stands before the first.
    pub fn seal(&self) -> &str {
        self.seal.as_deref().unwrap_or(CHAIN_START)
    }

    /// What is wrong first, now that all records have come.
    pub fn finish(&self) -> Result<(), Fault> {
        let removed = self.wordless.values().min().map(|at| Fault::WordsRemoved { at: *at });
        removed.or_else(|| self.fault.clone()).map_or(Ok(()), Err)
    }

    fn examine(&mut self, sealed: &Sealed) -> Result<(), Fault> {
        let at = self.records;
        if sealed.seal != sealed.expected_seal() {
            return Err(Fault::Changed { at });
        }
        if sealed.index != at {
            return Err(match sealed.index.checked_sub(1) {
                Some(to) if to >= at => Fault::Missing { from: at, to },
                _ => Fault::Misplaced { at, found: sealed.index },
            });
        }
        if sealed.previous != self.seal() {
            return Err(Fault::Unlinked { at });
        }
        if sealed.erased {
            if !sealed.record.words.is_empty() {
                return Err(Fault::WordsChanged { at });
            }
            self.wordless.entry(sealed.record.session).or_insert(at);
        } else if digest_of_words(&sealed.salt, &sealed.record.words) != sealed.words_sha256 {
            return Err(Fault::WordsChanged { at });
        }
        Ok(())
    }
}

fn digest_of_words(salt: &str, words: &Map<String, Value>) -> String {
    let mut hasher = Sha256::new();
    hasher.update(salt.as_bytes());
    hasher.update(Value::Object(words.clone()).to_string().as_bytes());
    hex(&hasher.finalize())
}

/// Lower-case hexadecimal of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// SHA-256 of `bytes`, in hex.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// JSON with its members in order, so that the same arguments have the same digest.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (n, (name, value)) in members.into_iter().enumerate() {
                let comma = if n > 0 { "," } else { "" };
                // Writing to a string does not fail.
                _ = write!(text, "{comma}{name:?}:");
                write_canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    text.push(',');
                }
                write_canonical(item, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            _ = write!(text, "{value}");
        }
    }
}
