//! How the one tree is laid out: one byte for the family, then ids and big-endian numbers, so that neighbours in
//! time and in a session are neighbours on disk.
//!
//! | family | key | value |
//! |---|---|---|
//! | `a` | number of the first | what one commit adds to the audit chain* (see `audit_chain`) |
//! | `c` | nothing | the rolling checksum (see `tree_checksum`) |
//! | `d` | digest of a dedup key | nothing |
//! | `e` | slot, number | frame: what commits say about a session* (see `record_codec`) |
//! | `g` | digest of a note's key | a note of nobody's, as it is* |
//! | `h` | session | slot, then the head and timers* |
//! | `i` | list, when, session | nothing: a list of sessions at hand, such as those that want the team (see `List`) |
//! | `k` | digest of a note's key | slot, then the note of that session* |
//! | `l` | nothing | version of this layout, then the number of the file of keys |
//! | `m` | slot, digest of a note's key | nothing |
//! | `n` | digest of a person, session | nothing |
//! | `o` | slot, effect | effect in the outbox* |
//! | `p` | digest of a place, session | nothing |
//! | `q` | session | nothing: it is to be made compact when it rests |
//! | `r` | nothing | where the next record goes in the archive (see `archive`) |
//! | `r` | segment of the archive | how many of its bytes are no longer needed |
//! | `t` | when, session, kind | nothing: the timer |
//! | `u` | digest of an account's name | what was charged to it, as it is* |
//! | `w` | wait | slot, frames that hold it, then where it was shown* |
//! | `x` | slot | nothing: that key is to be shredded |
//! | `z` | family, first key | many keys of sessions at rest (see `packed_keys`) |
//!
//! A star marks a record: it may go on under its key with the number of a chunk appended (see `write_batch`). In place of
//! those of sessions at rest there may be where they lie in the archive. A slot is the
//! place of the session's own key in the file of keys (see `key_store`); it stands for the session where nobody asks for
//! the id. Digests are keyed, so that nobody without that file can look for a person or a place in the raw data.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::key_store::Slot;
use crate::{
    base::ids::{EffectId, SessionId, WaitId},
    model::session::Platform,
    store::{TimerKind, platform_number, sealing::Digest},
};

pub(super) const AUDIT: u8 = b'a';
pub(super) const TALLY: u8 = b'c';
pub(super) const DEDUP: u8 = b'd';
pub(super) const FRAME: u8 = b'e';
pub(super) const NOTE: u8 = b'g';
pub(super) const HEAD: u8 = b'h';
pub(super) const LISTED: u8 = b'i';
pub(super) const SESSION_NOTE: u8 = b'k';
pub(super) const LAYOUT: u8 = b'l';
pub(super) const NOTE_OF: u8 = b'm';
pub(super) const OF_PERSON: u8 = b'n';
pub(super) const OUTBOX: u8 = b'o';
pub(super) const AT_PLACE: u8 = b'p';
pub(super) const LOOSE: u8 = b'q';
pub(super) const ARCHIVED: u8 = b'r';
/// In dumps alone: an entry of the archive.
pub(super) const ARCHIVE: u8 = b's';
pub(super) const TIMER: u8 = b't';
pub(super) const ACCOUNT: u8 = b'u';
pub(super) const WAIT: u8 = b'w';
pub(super) const DOOMED: u8 = b'x';
pub(super) const PACKED: u8 = b'z';

/// A key, or the beginning of some.
pub(super) type Key = Vec<u8>;

/// Bytes of a uuid, and of a digest that decides.
pub(super) const ID: usize = 16;

/// Bytes of a digest in an index, where the head has the last word.
pub(super) const HINT: usize = 8;

/// Bytes of a slot.
pub(super) const SLOT: usize = 4;

/// Bytes of what is known of a wait by its id (see `waits::Pointer`).
pub(super) const POINTER: usize = 4 + 4 + 4 + 8;

pub(super) fn audit(index: u64) -> Key {
    joined(AUDIT, &[&index.to_be_bytes()])
}

/// Behind the audit records that begin at `index` or before it; behind all without.
pub(super) fn after_audit(index: Option<u64>) -> Key {
    let mut key = audit(index.unwrap_or(u64::MAX));
    key.push(0);
    key
}

/// The number of the first audit record under a key of [`audit`].
pub(super) fn index_of(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.get(1..9)?.try_into().ok()?))
}

/// Keys come from platforms, may be long, and only their presence is asked for.
pub(super) fn dedup(digest: Digest) -> Key {
    joined(DEDUP, &[&digest])
}

pub(super) fn frame(slot: Slot, number: u32) -> Key {
    joined(FRAME, &[&slot.to_be_bytes(), &number.to_be_bytes()])
}

pub(super) fn frames(slot: Slot) -> Key {
    joined(FRAME, &[&slot.to_be_bytes()])
}

pub(super) fn head(session: SessionId) -> Key {
    joined(HEAD, &[&id(session.uuid())])
}

pub(super) fn layout() -> Key {
    vec![LAYOUT]
}

pub(super) fn checksum() -> Key {
    vec![TALLY]
}

pub(super) fn of_person(digest: Digest) -> Key {
    joined(OF_PERSON, &[&digest[..HINT]])
}

pub(super) fn at_place(digest: Digest) -> Key {
    joined(AT_PLACE, &[&digest[..HINT]])
}

pub(super) fn outbox(slot: Slot) -> Key {
    joined(OUTBOX, &[&slot.to_be_bytes()])
}

pub(super) fn effect(slot: Slot, effect: EffectId) -> Key {
    joined(OUTBOX, &[&slot.to_be_bytes(), &id(effect.uuid())])
}

/// The entry of one session in an index made by [`at_place`] or [`of_person`].
pub(super) fn indexed(index: &[u8], session: SessionId) -> Key {
    [index, &id(session.uuid())].concat()
}

/// The session in an entry made by [`indexed`] or [`listed`].
pub(super) fn session_of_entry(key: &[u8]) -> Option<SessionId> {
    let (&family, rest) = key.split_first()?;
    if family != LISTED {
        return uuid(key, 1 + HINT).map(SessionId::from_uuid);
    }
    let id = uuid(key, 2 + INSTANT)?;
    let is_newest_first = rest.first()?.is_ascii_uppercase();
    Some(SessionId::from_uuid(if is_newest_first { Uuid::from_u128(!id.as_u128()) } else { id }))
}

/// A list of sessions that is kept, so that nobody goes through all to find them.
#[derive(Debug, Clone, Copy)]
pub(super) enum List {
    /// In the order of the hour in which something of them goes.
    DueToGo,
    WantsStaff,
    Paused,
    Children,
    /// From the hour of the last update back. The letters of such lists are capitals, and the bits of their entries are
    /// inverted.
    Updated {
        platform: Platform,
        is_active: bool,
    },
}

/// Bytes of an entry of a list, with its family.
pub(super) const LIST_ENTRY: usize = 1 + 1 + INSTANT + ID;

/// The beginning of the entries of a list.
pub(super) fn list(list: List) -> Key {
    let list = match list {
        List::DueToGo => b'g',
        List::WantsStaff => b's',
        List::Paused => b'p',
        List::Children => b'c',
        List::Updated { platform, is_active: true } => b'A' + platform_number(platform),
        List::Updated { platform, is_active: false } => b'N' + platform_number(platform),
    };
    vec![LISTED, list]
}

/// The beginning of the entries of a time in a list.
pub(super) fn listed_at(list: List, at: DateTime<Utc>) -> Key {
    [self::list(list), ordered(list, instant(at))].concat()
}

/// The entry of a session in a list that is in the order of time, or in none.
pub(super) fn listed(list: List, at: DateTime<Utc>, session: SessionId) -> Key {
    [listed_at(list, at), ordered(list, id(session.uuid()))].concat()
}

/// What sorts as `bytes` do, or the other way round in a list that begins with the newest.
fn ordered<const LENGTH: usize>(list: List, bytes: [u8; LENGTH]) -> Vec<u8> {
    let is_newest_first = matches!(list, List::Updated { .. });
    bytes.map(|byte| if is_newest_first { !byte } else { byte }).to_vec()
}

pub(super) fn loose(session: SessionId) -> Key {
    joined(LOOSE, &[&id(session.uuid())])
}

/// Where it stands where the next record goes in the archive; other keys of the archive begin with it.
pub(super) fn archived() -> Key {
    vec![ARCHIVED]
}

/// A segment of the archive.
pub(super) fn segment(segment: u32) -> Key {
    joined(ARCHIVED, &[&segment.to_be_bytes()])
}

/// The segment in a key made by [`segment`].
pub(super) fn segment_of(key: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(key.get(1..)?.try_into().ok()?))
}

/// An entry of the archive, in a dump.
pub(super) fn in_archive(segment: u32, offset: u32) -> Key {
    joined(ARCHIVE, &[&segment.to_be_bytes(), &offset.to_be_bytes()])
}

/// The segment and the offset in a key made by [`in_archive`].
pub(super) fn position_of(key: &[u8]) -> Option<(u32, u32)> {
    let (segment, offset) = key.get(1..)?.split_first_chunk()?;
    Some((u32::from_be_bytes(*segment), u32::from_be_bytes(offset.try_into().ok()?)))
}

pub(super) fn doomed(slot: Slot) -> Key {
    joined(DOOMED, &[&slot.to_be_bytes()])
}

/// The slot right after the family, as in [`frame`], [`effect`] and [`doomed`].
pub(super) fn slot_of(key: &[u8]) -> Option<Slot> {
    Some(Slot::from_be_bytes(key.get(1..=SLOT)?.try_into().ok()?))
}

/// The slots in keys made by [`doomed`].
pub(super) fn doomed_slots(keys: &[Key]) -> Vec<Slot> {
    keys.iter().filter_map(|key| slot_of(key)).collect()
}

pub(super) fn timer(at: &[u8], session: SessionId, kind: TimerKind) -> Key {
    joined(TIMER, &[at, &id(session.uuid()), &kind_bytes(kind)])
}

/// The timer that a key made by [`timer`] stands for; `None` for a kind that this program does not know.
pub(super) fn timer_of(key: &[u8]) -> Option<(DateTime<Utc>, SessionId, TimerKind)> {
    let at = instant_of(key.get(1..=INSTANT)?)?;
    let session = SessionId::from_uuid(uuid(key, 1 + INSTANT)?);
    Some((at, session, kind_of(key.get(1 + INSTANT + ID..)?)?))
}

pub(super) fn note(digest: Digest) -> Key {
    joined(NOTE, &[&digest])
}

pub(super) fn session_note(digest: Digest) -> Key {
    joined(SESSION_NOTE, &[&digest])
}

pub(super) fn note_of(slot: Slot, digest: Digest) -> Key {
    joined(NOTE_OF, &[&slot.to_be_bytes(), &digest])
}

pub(super) fn notes_of(slot: Slot) -> Key {
    joined(NOTE_OF, &[&slot.to_be_bytes()])
}

/// The digest in a key made by [`note_of`].
pub(super) fn digest_of_note(key: &[u8]) -> Option<Digest> {
    key.get(1 + SLOT..)?.try_into().ok()
}

pub(super) fn account(digest: Digest) -> Key {
    joined(ACCOUNT, &[&digest])
}

/// The digest in a key made by [`account`].
pub(super) fn digest_of_account(key: &[u8]) -> Option<Digest> {
    key.get(1..=ID)?.try_into().ok()
}

pub(super) fn wait(wait: WaitId) -> Key {
    joined(WAIT, &[&id(wait.uuid())])
}

/// The session in a key made by [`head`] or [`loose`].
pub(super) fn session_of(key: &[u8]) -> Option<SessionId> {
    uuid(key, 1).map(SessionId::from_uuid)
}

/// The effect in a key made by [`effect`].
pub(super) fn effect_of(key: &[u8]) -> Option<EffectId> {
    uuid(key, 1 + SLOT).map(EffectId::from_uuid)
}

/// Bytes of a record's key before the number of a chunk.
pub(super) fn base_len(key: &[u8]) -> usize {
    match key.first() {
        Some(&(AUDIT | FRAME)) => 1 + 8,
        Some(&OUTBOX) => 1 + SLOT + ID,
        _ => 1 + ID,
    }
}

/// The first key after all that begin with `prefix`; `None` after the last of all.
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
