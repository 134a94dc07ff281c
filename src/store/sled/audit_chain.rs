//! What one commit adds to the audit chain, as one record: facts for ever, words as long as the session's key.
//!
//! Each thing is stored once. Seals follow from the records and from the seal before them, so only that of the last
//! is kept: 32 bytes by which a change to any of the group, or to its place, is found. Digests of words are kept for
//! records that have words; salts follow from the session's key and the record's number.
//!
//! The record is the last seal (32 bytes), the number of records (2 bytes), the session (16 bytes), its slot (4 bytes,
//! zero where there is none), the length of the facts (4 bytes), the link (8 bytes, from version 2 on), the facts below,
//! compressed; then the words, compressed and sealed.
//!
//! The link is the number of the first record in the previous group of the same session, so that the records of one
//! session are found without those of all others ([`Link`]). The session's head holds the link to its latest group. No
//! seal covers a link: it only saves work, and whoever follows one checks what is there.
//!
//! ```json
//! [ { "event": "wait_answered", "at": "…", "facts": { … }, "digest": "…" } ]
//! ```

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    compression::{self, Level},
    key_store::{Key, KeyStore, Slot},
    keys::{self, ID},
    write_batch::Record,
};
use crate::{
    base::ids::{Ids, SessionId},
    model::audit::{AuditRecord, CHAIN_START, Sealed, hex},
    store::{Error, salt},
};

/// Where the audit chain goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tip {
    /// Number of the next record.
    pub(super) next: u64,
    /// Seal of the last one.
    pub(super) seal: Seal,
}

/// A seal as bytes.
pub(super) type Seal = [u8; 32];

impl Tip {
    pub(super) const START: Self = Self { next: 0, seal: [0; 32] };
}

/// Whose records they are: the session, its slot and its key.
pub(super) struct Owner<'a> {
    pub(super) session: SessionId,
    pub(super) slot: Slot,
    pub(super) key: &'a Key,
}

/// Where the previous group of a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub(super) enum Link {
    /// Nobody noted it: any group before may be one of the session.
    #[default]
    Unknown,
    /// There is none.
    None,
    /// Its first record has this number.
    At(u64),
}

impl Link {
    pub(super) const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// As a group that begins with number `index` may hold it: records after a link may have been lost to a repair.
    pub(super) const fn before(self, index: u64) -> Self {
        match self {
            Self::At(number) if number >= index => Self::Unknown,
            link => link,
        }
    }
}

impl From<u64> for Link {
    fn from(number: u64) -> Self {
        match number {
            u64::MAX => Self::None,
            UNKNOWN => Self::Unknown,
            number => Self::At(number),
        }
    }
}

impl From<Link> for u64 {
    fn from(link: Link) -> Self {
        match link {
            Link::None => Self::MAX,
            Link::Unknown => UNKNOWN,
            Link::At(number) => number,
        }
    }
}

/// How [`Link::Unknown`] is stored.
const UNKNOWN: u64 = u64::MAX - 1;

/// One record, without what can be told from its place.
#[derive(Serialize, Deserialize)]
struct Fact {
    event: String,
    at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    facts: Map<String, Value>,
    /// Of another session than the group, or of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<Of>,
    /// SHA-256 of salt and words, where there are words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// Words that belong to no session, which nothing erases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open: Option<Open>,
}

#[derive(Serialize, Deserialize)]
struct Of {
    session: Option<SessionId>,
}

#[derive(Serialize, Deserialize)]
struct Open {
    salt: String,
    words: Map<String, Value>,
}

/// What records are written with.
const VERSION: u8 = 2;

/// What records without a link were written with.
const UNLINKED: u8 = 1;

/// Bytes before the facts.
const BEFORE: usize = 32 + 2 + ID + 4 + 4 + 8;

/// Seals `records` after `tip`: the record to store under the number of the first, and where the chain goes on.
/// Words of the owner's session are sealed with its key, others stay open. `link` is that of the session.
pub(super) fn write(
    key_store: &KeyStore,
    ids: &dyn Ids,
    owner: Option<&Owner<'_>>,
    tip: &Tip,
    (records, link): (Vec<AuditRecord>, Link),
) -> Result<(Record, Tip), Error> {
    let session = owner.map(|owner| owner.session).or_else(|| records.first()?.session);
    let (mut facts, mut words) = (Vec::new(), Vec::new());
    let mut previous = seal_text(tip);
    let mut next = tip.next;
    for record in records {
        let own = owner.filter(|owner| record.session == Some(owner.session));
        let salt = match own {
            Some(owner) if !record.words.is_empty() => salt_of(owner.key, next),
            _ => salt(ids, &record),
        };
        let sealed = Sealed::seal(next, &previous, record, salt);
        let Sealed { record, salt, words_sha256, seal, .. } = sealed;
        let digest = (!record.words.is_empty()).then_some(words_sha256);
        let open = match own {
            _ if record.words.is_empty() => None,
            Some(_) => {
                words.push(record.words);
                None
            }
            None => Some(Open { salt, words: record.words }),
        };
        let of = (record.session != session).then_some(Of { session: record.session });
        let AuditRecord { event, timestamp: at, facts: told, .. } = record;
        facts.push(Fact { event, at, facts: told, of, digest, open });
        previous = seal;
        next += 1;
    }
    let tip = Tip { next, seal: seal_bytes(&previous) };
    let count = u16::try_from(facts.len()).map_err(Error::unavailable)?;
    let key = keys::audit(next - u64::from(count));
    let facts = serde_json::to_vec(&facts).map_err(Error::unavailable)?;
    let facts = compression::compress(&facts, Level::High)?;
    let words = match owner {
        Some(owner) if !words.is_empty() => {
            let text = serde_json::to_vec(&words).map_err(Error::unavailable)?;
            key_store.seal(owner.key, &key, compression::compress(&text, Level::High)?)?
        }
        _ => Vec::new(),
    };
    let slot = owner.map_or(0, |owner| owner.slot);
    let length = u32::try_from(facts.len()).map_err(Error::unavailable)?;
    let session = session.map_or(Uuid::nil(), SessionId::uuid);
    let mut bytes = Vec::with_capacity(BEFORE + facts.len() + words.len());
    bytes.extend(tip.seal);
    bytes.extend(count.to_be_bytes());
    bytes.extend(session.as_bytes());
    bytes.extend(slot.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes.extend(u64::from(link).to_be_bytes());
    bytes.extend(facts);
    bytes.extend(words);
    Ok((Record { version: VERSION, body: bytes }, tip))
}

/// The records in a group that begins with number `index`, after the seal `previous`; and the seal that was kept.
/// Where the two disagree the first of them does not hold, because nobody can say which was changed.
pub(super) fn read(
    key_store: &KeyStore,
    index: u64,
    previous: &Seal,
    group: &Record,
) -> Result<(Vec<Sealed>, Seal), Error> {
    let what = format!("audit record {index}");
    match group.version {
        UNLINKED | VERSION => {}
        0 => return Err(Error::damaged(what, "it has no version")),
        newer => return Err(Error::newer(what, newer.into())),
    }
    let short = || Error::damaged(&what, "it ends early");
    let Parts { tip, session, slot, facts, words, .. } = parts(index, group).ok_or_else(short)?;
    let facts: Vec<Fact> = serde_json::from_slice(&compression::decompress(facts, &what)?)
        .map_err(|_| Error::damaged(&what, "it has another shape"))?;
    let key = if words.is_empty() { None } else { key_store.key(slot)? };
    let mut opened = match &key {
        Some(key) => {
            let text = key
                .open(&keys::audit(index), words)
                .ok_or_else(|| Error::damaged(&what, "its words are not what was sealed"))?;
            let opened: Vec<Map<String, Value>> =
                serde_json::from_slice(&compression::decompress(&text, &what)?)
                    .map_err(|_| Error::damaged(&what, "it has another shape"))?;
            opened.into_iter()
        }
        None => Vec::new().into_iter(),
    };
    let mut records: Vec<Sealed> = Vec::new();
    let mut before = hex(previous);
    for (index, fact) in (index..).zip(facts) {
        let session = fact.of.map_or(session, |of| of.session);
        let (salt, words, erased) = match (fact.open, &fact.digest, &key) {
            (Some(open), ..) => (open.salt, open.words, false),
            (None, None, _) => (String::new(), Map::new(), false),
            (None, Some(_), Some(key)) => {
                let words = opened.next().ok_or_else(short)?;
                (salt_of(key, index), words, false)
            }
            (None, Some(_), None) => (String::new(), Map::new(), true),
        };
        let record = AuditRecord {
            event: fact.event,
            timestamp: fact.at,
            session,
            facts: fact.facts,
            words,
        };
        let sealed = Sealed::restored((index, &before), record, salt, fact.digest, erased);
        before.clone_from(&sealed.seal);
        records.push(sealed);
    }
    if (seal_bytes(&before) != tip.seal || index + records.len() as u64 != tip.next)
        && let Some(first) = records.first_mut()
    {
        first.seal = hex(&tip.seal.map(|byte| !byte));
    }
    Ok((records, tip.seal))
}

/// The facts and the words of a group, as text.
pub(super) fn texts(
    key_store: &KeyStore,
    at: &[u8],
    group: &Record,
) -> Result<Vec<Vec<u8>>, Error> {
    let Some(Parts { slot, facts, words, .. }) = parts(0, group) else {
        return Ok(Vec::new());
    };
    let mut texts = vec![compression::decompress(facts, "record")?];
    if !words.is_empty()
        && let Some(key) = key_store.key(slot)?
        && let Some(words) = key.open(at, words)
    {
        texts.push(compression::decompress(&words, "record")?);
    }
    Ok(texts)
}

/// The last seal of a group, and whose records it holds, told by its first bytes.
pub(super) fn beginning(group: &[u8]) -> Option<(Seal, Option<SessionId>)> {
    let (seal, rest) = group.split_first_chunk::<32>()?;
    let session = rest.get(2..)?.first_chunk::<ID>()?;
    Some((*seal, session_of(*session)))
}

fn session_of(bytes: [u8; ID]) -> Option<SessionId> {
    let session = Uuid::from_bytes(bytes);
    (!session.is_nil()).then(|| SessionId::from_uuid(session))
}

/// Whose records a group holds, told by its beginning.
pub(super) fn owner_of(group: &Record) -> Option<(SessionId, Slot)> {
    let parts = parts(0, group)?;
    Some((parts.session?, parts.slot))
}

/// Where the chain goes on after a group that begins with number `index`, told by its beginning.
pub(super) fn end_of(index: u64, group: &Record) -> Option<Tip> {
    parts(index, group).map(|parts| parts.tip)
}

/// Where the group before that of the same session begins, if `group` holds records of `session`; else none.
pub(super) fn link_of(session: SessionId, group: &Record) -> Option<Link> {
    let parts = parts(0, group)?;
    (parts.session == Some(session)).then_some(parts.link)
}

struct Parts<'a> {
    tip: Tip,
    session: Option<SessionId>,
    slot: Slot,
    link: Link,
    facts: &'a [u8],
    words: &'a [u8],
}

fn parts(index: u64, group: &Record) -> Option<Parts<'_>> {
    let (seal, rest) = group.body.split_first_chunk::<32>()?;
    let (count, rest) = rest.split_first_chunk::<2>()?;
    let (session, rest) = rest.split_first_chunk::<ID>()?;
    let (slot, rest) = rest.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (link, rest) = if group.version == UNLINKED {
        (Link::Unknown, rest)
    } else {
        let (link, rest) = rest.split_first_chunk()?;
        (Link::from(u64::from_be_bytes(*link)), rest)
    };
    let (facts, words) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    let next = index.checked_add(u16::from_be_bytes(*count).into())?;
    let session = session_of(*session);
    let slot = Slot::from_be_bytes(*slot);
    Some(Parts { tip: Tip { next, seal: *seal }, session, slot, link, facts, words })
}

/// As random as the key, gone with it, and not worth storing.
fn salt_of(key: &Key, index: u64) -> String {
    hex(&key.digest(&[&b"salt"[..], &index.to_be_bytes()].concat()))
}

fn seal_text(tip: &Tip) -> String {
    if tip.next == 0 { CHAIN_START.to_owned() } else { hex(&tip.seal) }
}

/// The bytes of a seal, which is always as long as this.
fn seal_bytes(text: &str) -> Seal {
    let mut seal = Seal::default();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    for (byte, pair) in seal.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let digits = pair.iter().filter_map(|byte| digit(*byte));
        *byte = digits.fold(0, |byte, digit| byte << 4 | digit);
    }
    seal
}
