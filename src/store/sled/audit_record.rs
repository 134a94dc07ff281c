//! How audit records lie in the tree: those of one commit as a group, and later many groups as one page.
//!
//! Each thing is stored once. Seals follow from the records and from the seal before them, so only that of the last
//! is kept: 32 bytes by which a change to any of them, or to their place, is found. Digests of words are kept for records
//! that have words; salts follow from the session's key and the record's number.
//!
//! A group is the last seal (32 bytes), the number of records (2 bytes), the session (16 bytes), its slot (4 bytes,
//! zero where there is none), the length of the facts (4 bytes), the link (8 bytes, from version 2 on), the facts below,
//! compressed; then the words, compressed and sealed under the group's key.
//!
//! ```json
//! [ { "event": "wait_answered", "at": "…", "facts": { … }, "digest": "…" } ]
//! ```
//!
//! Words are a list. Of records that were sealed in another store, each comes with its salt, which does not follow from the
//! key: `{ "copied": [ { "salt": "…", "words": { … } } ] }`.
//!
//! The link is the number of the first record in the previous group of the same session, so that the records of one
//! session are found without those of all others ([`Link`]). The session's head holds the link to its latest group. No
//! seal covers a link: it only saves work, and whoever follows one checks what is there.
//!
//! A page lies under the key of its first group. It begins with the last seal and the number of records as well; then come
//! the number of sessions (2 bytes) and for each its id, its slot and the link of its first group in the page, the length
//! of the facts (4 bytes), the facts of all groups, compressed together, and the words of each group as they were sealed.
//! The first digits of the last seal of each group tell which of them was changed.
//!
//! ```json
//! [ { "of": 0, "words": 123, "seal": "…", "facts": [ { "event": "wait_answered", … } ] } ]
//! ```

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    key_store::Slot,
    keys::ID,
    write_batch::{HEADER, Record},
};
use crate::{
    base::ids::SessionId,
    model::audit::hex,
    store::{
        Error,
        compression::{self, Level},
    },
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
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Fact {
    pub(super) event: String,
    pub(super) at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) facts: Map<String, Value>,
    /// Of another session than the group, or of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) of: Option<Of>,
    /// SHA-256 of salt and words, where there are words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<String>,
    /// Words that belong to no session, which nothing erases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<Open>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Of {
    pub(super) session: Option<SessionId>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) salt: String,
    pub(super) words: Map<String, Value>,
}

/// Whose the records of a group are, and where to look for more of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owned {
    pub(super) session: Option<SessionId>,
    pub(super) slot: Slot,
    pub(super) link: Link,
}

impl Owned {
    /// Bytes of it in a page.
    const LENGTH: usize = ID + 4 + 8;

    fn encode(&self) -> Vec<u8> {
        let session = self.session.map_or(Uuid::nil(), SessionId::uuid);
        let link = u64::from(self.link).to_be_bytes();
        [&session.as_bytes()[..], &self.slot.to_be_bytes(), &link].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (session, rest) = bytes.split_first_chunk()?;
        let (slot, rest) = rest.split_first_chunk()?;
        let link = Link::from(u64::from_be_bytes(*rest.first_chunk()?));
        Some(Self { session: session_of(*session), slot: Slot::from_be_bytes(*slot), link })
    }
}

fn session_of(bytes: [u8; ID]) -> Option<SessionId> {
    let session = Uuid::from_bytes(bytes);
    (!session.is_nil()).then(|| SessionId::from_uuid(session))
}

/// What groups are written with.
const GROUP: u8 = 2;

/// What groups without a link were written with.
const UNLINKED: u8 = 1;

/// What pages are written with.
const PAGE: u8 = 3;

/// Digits of a group's last seal that a page keeps.
const SEAL_DIGITS: usize = 16;

/// What one commit added.
pub(super) struct Group {
    pub(super) of: Owned,
    pub(super) facts: Vec<Fact>,
    /// As they were sealed.
    pub(super) words: Vec<u8>,
    /// The first digits of the seal of its last record, where they are kept.
    seal: Option<String>,
}

impl Group {
    pub(super) const fn new(of: Owned, facts: Vec<Fact>, words: Vec<u8>) -> Self {
        Self { of, facts, words, seal: None }
    }

    /// Whether the seal of its last record may be this one.
    pub(super) fn may_end_with(&self, seal: &str) -> bool {
        self.seal.as_deref().is_none_or(|digits| seal.starts_with(digits))
    }

    /// One that was read and whose last seal is this one.
    pub(super) fn ending_with(self, seal: &Seal) -> Self {
        let mut seal = hex(seal);
        seal.truncate(SEAL_DIGITS);
        Self { seal: Some(seal), ..self }
    }

    /// As a record by itself, after which the chain goes on at `tip`.
    pub(super) fn encode(&self, tip: &Tip) -> Result<Record, Error> {
        let Self { of: Owned { session, slot, link }, facts, words, .. } = self;
        let count = u16::try_from(facts.len()).map_err(Error::unavailable)?;
        let (facts, length) = compressed(facts)?;
        let session = session.map_or(Uuid::nil(), SessionId::uuid);
        let body = [
            &tip.seal[..],
            &count.to_be_bytes(),
            session.as_bytes(),
            &slot.to_be_bytes(),
            &length,
            &u64::from(*link).to_be_bytes(),
            &facts,
            words,
        ];
        Ok(Record { version: GROUP, body: body.concat() })
    }
}

/// A group of a page; facts may be borrowed.
#[derive(Serialize, Deserialize)]
struct Member<F> {
    /// Whose, by place among the sessions of the page.
    of: usize,
    /// Bytes.
    words: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seal: Option<String>,
    facts: F,
}

/// Groups that follow one another as one record, after which the chain goes on at `tip`.
pub(super) fn encode_page(groups: &[Group], tip: &Tip) -> Result<Record, Error> {
    let mut owned: Vec<Owned> = Vec::new();
    let (mut members, mut words, mut count) = (Vec::new(), Vec::new(), 0);
    for group in groups {
        // The first group of a session has the link that leads out of the page.
        let is_same =
            |known: &Owned| (known.session, known.slot) == (group.of.session, group.of.slot);
        let of = owned.iter().position(is_same).unwrap_or_else(|| {
            owned.push(group.of);
            owned.len() - 1
        });
        let Group { facts, seal, .. } = group;
        members.push(Member { of, words: group.words.len(), seal: seal.clone(), facts });
        words.extend_from_slice(&group.words);
        count += facts.len();
    }
    let count = u16::try_from(count).map_err(Error::unavailable)?;
    let sessions = u16::try_from(owned.len()).map_err(Error::unavailable)?;
    let (facts, length) = compressed(&members)?;
    let sessions =
        [&sessions.to_be_bytes()[..], &owned.iter().flat_map(Owned::encode).collect::<Vec<u8>>()];
    let body =
        [&tip.seal[..], &count.to_be_bytes(), &sessions.concat(), &length, &facts, &words].concat();
    Ok(Record { version: PAGE, body })
}

/// As compressed JSON, and how many bytes that has.
fn compressed(facts: &impl Serialize) -> Result<(Vec<u8>, [u8; 4]), Error> {
    let facts = serde_json::to_vec(facts).map_err(Error::unavailable)?;
    let facts = compression::compress(&facts, Level::High)?;
    let length = u32::try_from(facts.len()).map_err(Error::unavailable)?;
    Ok((facts, length.to_be_bytes()))
}

/// What a group or a page says in clear before its facts.
struct Header {
    tip: Tip,
    owned: Vec<Owned>,
    /// Bytes of the facts.
    facts: usize,
}

/// The header of a record that begins with number `index`, and what comes after it.
fn header(index: u64, version: u8, body: &[u8]) -> Option<(Header, &[u8])> {
    let (seal, rest) = body.split_first_chunk::<32>()?;
    let (count, rest) = rest.split_first_chunk()?;
    let next = index.checked_add(u16::from_be_bytes(*count).into())?;
    let tip = Tip { next, seal: *seal };
    let (owned, length, rest) = if version == PAGE {
        let (sessions, rest) = rest.split_first_chunk()?;
        let sessions = usize::from(u16::from_be_bytes(*sessions));
        let (owned, rest) = rest.split_at_checked(sessions * Owned::LENGTH)?;
        let (length, rest) = rest.split_first_chunk()?;
        (owned.chunks(Owned::LENGTH).map(Owned::decode).collect::<Option<_>>()?, length, rest)
    } else {
        let (session, rest) = rest.split_first_chunk()?;
        let (slot, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (link, rest) = if version == UNLINKED {
            (Link::Unknown, rest)
        } else {
            let (link, rest) = rest.split_first_chunk()?;
            (Link::from(u64::from_be_bytes(*link)), rest)
        };
        let slot = Slot::from_be_bytes(*slot);
        (vec![Owned { session: session_of(*session), slot, link }], length, rest)
    };
    Some((Header { tip, owned, facts: u32::from_be_bytes(*length) as usize }, rest))
}

/// The groups in a record.
pub(super) fn groups(record: &Record, what: &str) -> Result<Vec<Group>, Error> {
    match record.version {
        UNLINKED | GROUP | PAGE => {}
        0 => return Err(Error::damaged(what, "it has no version")),
        newer => return Err(Error::newer(what, newer.into())),
    }
    let early = || Error::damaged(what, "it ends early");
    let (Header { owned, facts, .. }, rest) =
        header(0, record.version, &record.body).ok_or_else(early)?;
    let (facts, mut words) = rest.split_at_checked(facts).ok_or_else(early)?;
    let facts = compression::decompress(facts, what)?;
    let shape = |_| Error::damaged(what, "it has another shape");
    let members: Vec<Member<Vec<Fact>>> = if record.version == PAGE {
        serde_json::from_slice(&facts).map_err(shape)?
    } else {
        let facts = serde_json::from_slice(&facts).map_err(shape)?;
        vec![Member { of: 0, words: words.len(), seal: None, facts }]
    };
    let group = |Member { of, words: length, seal, facts }| {
        let own;
        (own, words) = words.split_at_checked(length)?;
        Some(Group { of: *owned.get(of)?, facts, words: own.to_vec(), seal })
    };
    members.into_iter().map(group).collect::<Option<_>>().ok_or_else(early)
}

/// Whether it is a page.
pub(super) const fn is_page(record: &Record) -> bool {
    record.version == PAGE
}

/// Where the chain goes on after a record that begins with number `index`.
pub(super) fn end_of(index: u64, record: &Record) -> Option<Tip> {
    header(index, record.version, &record.body).map(|(header, _)| header.tip)
}

/// Whose records a record holds, with their slots.
pub(super) fn owners_of(record: &Record) -> Vec<(SessionId, Slot)> {
    let owned = header(0, record.version, &record.body).map_or_else(Vec::new, |(all, _)| all.owned);
    owned.iter().filter_map(|owned| Some((owned.session?, owned.slot))).collect()
}

/// Where the group before those in `record` of the same session begins, if it holds some of `session`; else none.
pub(super) fn link_of(session: SessionId, record: &Record) -> Option<Link> {
    let (Header { owned, .. }, _) = header(0, record.version, &record.body)?;
    owned.iter().find(|owned| owned.session == Some(session)).map(|owned| owned.link)
}

/// Whether a record may hold some of `session`, as far as its first value tells.
pub(super) fn may_hold(first: &[u8], session: SessionId) -> bool {
    let header = first.split_at_checked(HEADER).and_then(|(header, body)| {
        header.first().and_then(|version| self::header(0, *version, body))
    });
    header.is_none_or(|(Header { owned, .. }, _)| {
        owned.iter().any(|owned| owned.session.is_none_or(|owner| owner == session))
    })
}
