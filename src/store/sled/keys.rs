//! How the one tree is laid out: one byte for the family, then ids and big-endian numbers, so that neighbours in
//! time and in a session are neighbours on disk.
//!
//! | family | key | value |
//! |---|---|---|
//! | `a` | number | audit record* |
//! | `d` | digest of a dedup key | nothing |
//! | `e` | session, number | event* |
//! | `f` | effect | its session |
//! | `h` | session | head* |
//! | `i` | session, number | nothing: an audit record of the session that holds words |
//! | `k` | session, kind | when that timer is due |
//! | `l` | nothing | version of this layout |
//! | `n` | digest of a person, session | nothing |
//! | `o` | session, effect | effect in the outbox* |
//! | `p` | digest of a place, session | nothing |
//! | `r` | wait, effect | the platform's reference to the message* |
//! | `s` | session, another key | nothing: the other key goes when the session is erased |
//! | `t` | when, session, kind | nothing: the timer |
//! | `w` | wait | wait* |
//!
//! A star marks a record: its key ends in the number of a chunk (see `stage`).

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    ids::{EffectId, SessionId, WaitId},
    model::session::{PersonId, Place},
    store::TimerKind,
};

pub(super) const AUDIT: u8 = b'a';
const DEDUP: u8 = b'd';
const EVENT: u8 = b'e';
const OWNER: u8 = b'f';
pub(super) const HEAD: u8 = b'h';
const WORDS: u8 = b'i';
const SLOT: u8 = b'k';
const LAYOUT: u8 = b'l';
const OF_PERSON: u8 = b'n';
pub(super) const OUTBOX: u8 = b'o';
const AT_PLACE: u8 = b'p';
const RENDERING: u8 = b'r';
const BELONGING: u8 = b's';
pub(super) const TIMER: u8 = b't';
const WAIT: u8 = b'w';

/// A key, or the beginning of some.
pub(super) type Key = Vec<u8>;

/// Bytes of a uuid.
const ID: usize = 16;

pub(super) fn audit(index: u64) -> Key {
    joined(AUDIT, &[&index.to_be_bytes()])
}

/// 16 bytes of SHA-256: keys come from platforms, may be long, and only their presence is asked for.
pub(super) fn dedup(key: &str) -> Key {
    joined(DEDUP, &[&digest(key)])
}

pub(super) fn event(session: SessionId, seq: u64) -> Key {
    joined(EVENT, &[&id(session.uuid()), &seq.to_be_bytes()])
}

pub(super) fn events(session: SessionId) -> Key {
    joined(EVENT, &[&id(session.uuid())])
}

pub(super) fn owner(effect: EffectId) -> Key {
    joined(OWNER, &[&id(effect.uuid())])
}

pub(super) fn head(session: SessionId) -> Key {
    joined(HEAD, &[&id(session.uuid())])
}

pub(super) fn words(session: SessionId, index: u64) -> Key {
    joined(WORDS, &[&id(session.uuid()), &index.to_be_bytes()])
}

pub(super) fn all_words(session: SessionId) -> Key {
    joined(WORDS, &[&id(session.uuid())])
}

/// The number of an audit record in a key of [`words`] or [`audit`].
pub(super) fn index_of(key: &[u8]) -> Option<u64> {
    let skip = if key.first() == Some(&AUDIT) { 1 } else { 1 + ID };
    number(key, skip)
}

pub(super) fn slot(session: SessionId, kind: TimerKind) -> Key {
    joined(SLOT, &[&id(session.uuid()), &kind_bytes(kind)])
}

pub(super) fn slots(session: SessionId) -> Key {
    joined(SLOT, &[&id(session.uuid())])
}

pub(super) fn layout() -> Key {
    vec![LAYOUT]
}

pub(super) fn of_person(person: &PersonId) -> Key {
    joined(OF_PERSON, &[&digest(&person.to_string())])
}

pub(super) fn outbox(session: SessionId) -> Key {
    joined(OUTBOX, &[&id(session.uuid())])
}

pub(super) fn effect(session: SessionId, effect: EffectId) -> Key {
    joined(OUTBOX, &[&id(session.uuid()), &id(effect.uuid())])
}

pub(super) fn at_place(place: &Place) -> Key {
    let Place { platform, workspace, channel, thread } = place;
    let thread = thread.as_deref().unwrap_or_default();
    // No platform has a line break in an id.
    joined(AT_PLACE, &[&digest(&format!("{platform}\n{workspace}\n{channel}\n{thread}"))])
}

/// The entry of one session in an index made by [`at_place`] or [`of_person`].
pub(super) fn indexed(index: &[u8], session: SessionId) -> Key {
    [index, &id(session.uuid())].concat()
}

/// The session in an entry made by [`indexed`].
pub(super) fn session_of_entry(key: &[u8]) -> Option<SessionId> {
    uuid(key, 1 + ID).map(SessionId::from_uuid)
}

pub(super) fn rendering(wait: WaitId, effect: EffectId) -> Key {
    joined(RENDERING, &[&id(wait.uuid()), &id(effect.uuid())])
}

pub(super) fn renderings(wait: WaitId) -> Key {
    joined(RENDERING, &[&id(wait.uuid())])
}

pub(super) fn belonging(session: SessionId, key: &[u8]) -> Key {
    joined(BELONGING, &[&id(session.uuid()), key])
}

pub(super) fn belongings(session: SessionId) -> Key {
    joined(BELONGING, &[&id(session.uuid())])
}

/// The other key in one made by [`belonging`].
pub(super) fn belonging_of(key: &[u8]) -> &[u8] {
    key.get(1 + ID..).unwrap_or_default()
}

pub(super) fn timer(at: &[u8], session: SessionId, kind: TimerKind) -> Key {
    joined(TIMER, &[at, &id(session.uuid()), &kind_bytes(kind)])
}

/// The timer that a key made by [`timer`] stands for; none for a kind that this program does not know.
pub(super) fn timer_of(key: &[u8]) -> Option<(DateTime<Utc>, SessionId, TimerKind)> {
    let at = instant_of(key.get(1..=INSTANT)?)?;
    let session = SessionId::from_uuid(uuid(key, 1 + INSTANT)?);
    Some((at, session, kind_of(key.get(1 + INSTANT + ID..)?)?))
}

/// The kind in a key made by [`slot`].
pub(super) fn kind_of_slot(key: &[u8]) -> Option<TimerKind> {
    kind_of(key.get(1 + ID..)?)
}

pub(super) fn wait(wait: WaitId) -> Key {
    joined(WAIT, &[&id(wait.uuid())])
}

/// The session right after the family, as in [`head`] and [`outbox`].
pub(super) fn session_of(key: &[u8]) -> Option<SessionId> {
    uuid(key, 1).map(SessionId::from_uuid)
}

/// The effect in a key made by [`effect`] or [`rendering`].
pub(super) fn effect_of(key: &[u8]) -> Option<EffectId> {
    uuid(key, 1 + ID).map(EffectId::from_uuid)
}

/// The first key after all that begin with `prefix`; none after the last of all.
pub(super) fn after(prefix: &[u8]) -> Option<Key> {
    let mut key = prefix.to_vec();
    while let Some(last) = key.pop() {
        if let Some(next) = last.checked_add(1) {
            key.push(next);
            return Some(key);
        }
    }
    None
}

/// Bytes of an instant.
const INSTANT: usize = 12;

/// Seconds and nanoseconds, such that bytes sort as instants do.
pub(super) fn instant(at: DateTime<Utc>) -> [u8; INSTANT] {
    let mut bytes = [0; INSTANT];
    let (seconds, nanos) = bytes.split_at_mut(8);
    // With the sign bit flipped, times before 1970 come first.
    seconds.copy_from_slice(&(at.timestamp().cast_unsigned() ^ (1 << 63)).to_be_bytes());
    nanos.copy_from_slice(&at.timestamp_subsec_nanos().to_be_bytes());
    bytes
}

fn instant_of(bytes: &[u8]) -> Option<DateTime<Utc>> {
    let seconds = u64::from_be_bytes(bytes.get(..8)?.try_into().ok()?) ^ (1 << 63);
    let nanos = u32::from_be_bytes(bytes.get(8..INSTANT)?.try_into().ok()?);
    DateTime::from_timestamp(seconds.cast_signed(), nanos)
}

fn kind_bytes(kind: TimerKind) -> Key {
    match kind {
        TimerKind::Work => vec![0],
        TimerKind::Remind { wait } => joined(1, &[&id(wait.uuid())]),
        TimerKind::Expire { wait } => joined(2, &[&id(wait.uuid())]),
        TimerKind::Pause => vec![3],
        TimerKind::Unclaimed => vec![4],
    }
}

fn kind_of(bytes: &[u8]) -> Option<TimerKind> {
    let wait = || uuid(bytes, 1).map(WaitId::from_uuid);
    match bytes.first()? {
        0 => Some(TimerKind::Work),
        1 => wait().map(|wait| TimerKind::Remind { wait }),
        2 => wait().map(|wait| TimerKind::Expire { wait }),
        3 => Some(TimerKind::Pause),
        4 => Some(TimerKind::Unclaimed),
        _ => None,
    }
}

fn joined(family: u8, parts: &[&[u8]]) -> Key {
    let mut key = vec![family];
    for part in parts {
        key.extend_from_slice(part);
    }
    key
}

fn id(uuid: Uuid) -> [u8; ID] {
    uuid.into_bytes()
}

fn uuid(key: &[u8], at: usize) -> Option<Uuid> {
    Uuid::from_slice(key.get(at..at + ID)?).ok()
}

fn number(key: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_be_bytes(key.get(at..at + 8)?.try_into().ok()?))
}

fn digest(text: &str) -> [u8; ID] {
    let mut digest = [0; ID];
    digest.copy_from_slice(&Sha256::digest(text.as_bytes())[..ID]);
    digest
}
