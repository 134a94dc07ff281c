//! Reads. Each sees one moment: the caller keeps batches out meanwhile (`Shared`).

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    audit_chain,
    audit_record::{self, Link, Seal, Tip},
    broken,
    key_store::Slot,
    keys::{self, List},
    packed_keys,
    record_codec::{Belongings, Frame, OpenFrame},
    write_batch::{Reader, Record, is_first},
};
use crate::{
    base::ids::SessionId,
    model::{
        STORED_VERSION, audit::Sealed, effect::Effect, file_key::FileKey, session::Head,
        transcript::Recorded, usage::Balance,
    },
    store::{
        Error, Find, Loaded, Timer, TimerKind, hour_of, person_text, place_text, sealing::Key,
    },
};

/// The text beside the head: what else a commit must know of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Cover {
    pub(super) head: Head,
    /// How many frames there are.
    pub(super) frames: u32,
    /// How many of them are compact and have no room for more.
    #[serde(default)]
    pub(super) compact: u32,
    /// The timers that are set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) timers: Vec<(TimerKind, DateTime<Utc>)>,
    /// The key of the files that were there before a part of the session was erased, and its own key with it; `None` if
    /// its own key gives that of its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) files: Option<FileKey>,
    /// Where its latest group of audit records begins; an older program did not note it.
    #[serde(default, skip_serializing_if = "Link::is_unknown")]
    pub(super) audit: Link,
}

/// A session and the key to it.
pub(super) struct Known {
    pub(super) slot: Slot,
    pub(super) key: Arc<Key>,
    pub(super) cover: Cover,
}

impl Known {
    /// What the session's files are sealed with.
    pub(super) fn files(&self) -> FileKey {
        self.cover.files.clone().unwrap_or_else(|| self.key.files())
    }
}

/// Bytes of the slot before a head.
pub(super) const SLOT: usize = 4;

pub(super) fn known(reader: Reader<'_>, session: SessionId) -> Result<Option<Known>, Error> {
    let what = format_args!("session `{session}`").to_string();
    let at = keys::head(session);
    let Some(record) = reader.record(&at, &what)? else { return Ok(None) };
    let slot = slot_of(&record).ok_or_else(|| Error::damaged(&what, "it ends early"))?;
    let key = reader.key(slot, &what)?;
    let cover = Reader::open(&key, &at, &record, SLOT, &what)?;
    Ok(Some(Known { slot, key, cover }))
}

/// What is still to leave for a session. Of one that is erased nothing tells where the last effects lie: all are looked
/// through, which are few but in an outage.
pub(super) fn outbox(reader: Reader<'_>, session: SessionId) -> Result<Vec<Effect>, Error> {
    let prefix = match readable(reader, known(reader, session))? {
        Some(known) => keys::outbox(known.slot),
        None => vec![keys::OUTBOX],
    };
    let mut effects = Vec::new();
    for at in reader.records(&prefix)? {
        let Some(slot) = keys::slot_of(&at) else { continue };
        let what = "effect";
        let Some(record) = reader.record(&at, what)? else { continue };
        let key = reader.key(slot, what)?;
        let effect = readable(reader, Reader::open(&key, &at, &record, 0, what).map(Some))?;
        effects.extend(effect.filter(|effect: &Effect| effect.session == session));
    }
    effects.sort_by_key(|effect| effect.id);
    Ok(effects)
}

/// The last slot that holds anything.
pub(super) fn last_slot(reader: Reader<'_>) -> Result<Option<Slot>, Error> {
    let mut last = None;
    // A slot whose key is still to be shredded has nothing else, and must not be given away once it is.
    for family in [keys::FRAME, keys::OUTBOX, keys::DOOMED] {
        let key = reader.tree.scan_prefix([family]).keys().next_back();
        last = last.max(key.transpose().map_err(broken)?.and_then(|key| keys::slot_of(&key)));
    }
    Ok(last)
}

/// The slot that stands in clear before a head, and before what is known of a wait.
pub(super) fn slot_of(record: &Record) -> Option<Slot> {
    record.body.first_chunk().map(|slot| Slot::from_be_bytes(*slot))
}

pub(super) fn file_key(reader: Reader<'_>, session: SessionId) -> Result<Option<FileKey>, Error> {
    Ok(known(reader, session)?.map(|known| known.files()))
}

pub(super) fn has(reader: Reader<'_>, session: SessionId) -> Result<bool, Error> {
    Ok(reader.get(&keys::head(session))?.is_some())
}

fn head(reader: Reader<'_>, session: SessionId) -> Result<Option<Head>, Error> {
    Ok(known(reader, session)?.map(|known| known.cover.head))
}

pub(super) fn load(reader: Reader<'_>, session: SessionId) -> Result<Option<Loaded>, Error> {
    let Some(Known { slot, key, cover }) = known(reader, session)? else { return Ok(None) };
    let what = format_args!("session `{session}`").to_string();
    let mut events = Vec::new();
    for number in 0..cover.frames {
        let Some(frame) = frame(reader, &key, slot, number, &what)? else {
            let how = format_args!("frame {number} of {} is missing", cover.frames).to_string();
            return Err(Error::damaged(what, how));
        };
        events.extend(frame.events);
    }
    let head = cover.head;
    let in_order = (1..).zip(&events).all(|(seq, event)| event.seq == seq);
    if in_order && events.len() as u64 == head.seq {
        return Ok(Some(Loaded { head, events }));
    }
    Err(Error::damaged(what, "its events are not those that the head counts"))
}

/// The events of a session up to the first frame that cannot be read, whatever its head says.
pub(super) fn events_until_gap(reader: Reader<'_>, slot: Slot) -> Vec<Recorded> {
    let what = "frame";
    let mut events: Vec<Recorded> = Vec::new();
    let Ok(key) = reader.key(slot, what) else { return events };
    for number in 0.. {
        let Ok(Some(frame)) = frame(reader, &key, slot, number, what) else { break };
        events.extend(frame.events);
    }
    let in_order = (1..).zip(&events).take_while(|(seq, event)| event.seq == *seq).count();
    events.truncate(in_order);
    events
}

pub(super) fn frame(
    reader: Reader<'_>,
    key: &Key,
    slot: Slot,
    number: u32,
    what: &str,
) -> Result<Option<Frame>, Error> {
    let at = keys::frame(slot, number);
    let Some(record) = reader.record(&at, what)? else { return Ok(None) };
    Ok(Some(opened(key, &at, &record, what)?.1))
}

/// A frame and what goes with it.
pub(super) fn opened(
    key: &Key,
    at: &[u8],
    record: &Record,
    what: &str,
) -> Result<(Belongings, Frame), Error> {
    let Some((belongings, clear)) = Belongings::decode(&record.body) else {
        return Err(Error::damaged(what, "it ends early"));
    };
    Ok((belongings, Reader::open(key, at, record, clear, what)?))
}

/// Bytes of a frame that another commit is not added to.
pub(super) const FRAME_FULL: usize = 1024;

/// Commits that go on with one frame: no more than it can name dedup keys.
pub(super) const DEDUP_MAX: usize = 64;

/// The frame that a commit goes on with, and its number: the last of `frames` while it is small, else a new one. One
/// that cannot be read is left as it is.
pub(super) fn open_frame(
    reader: Reader<'_>,
    key: &Key,
    slot: Slot,
    frames: u32,
) -> Result<OpenFrame, Error> {
    let what = "frame";
    let anew = || OpenFrame { number: frames, ..OpenFrame::default() };
    let Some(last) = frames.checked_sub(1) else { return Ok(anew()) };
    let at = keys::frame(slot, last);
    let known = readable(
        reader,
        reader.record(&at, what).and_then(|record| match record {
            Some(record) if record.body.len() < FRAME_FULL => {
                opened(key, &at, &record, what).map(Some)
            }
            _ => Ok(None),
        }),
    )?;
    Ok(match known {
        Some((belongings, frame)) if belongings.dedup.len() < DEDUP_MAX => {
            let length = serde_json::to_vec(&frame).map_err(Error::unavailable)?.len();
            OpenFrame { number: last, belongings, frame, length }
        }
        _ => anew(),
    })
}

/// Where an account lies.
pub(super) fn account(reader: Reader<'_>, name: &str) -> Vec<u8> {
    keys::account(reader.key_store.secret.digest(b'u', name))
}

pub(super) fn is_known_event(reader: Reader<'_>, key: &str) -> Result<bool, Error> {
    let digest = reader.key_store.secret.digest(b'd', key);
    packed_keys::has(reader, &keys::dedup(digest))
}

pub(super) fn balance(reader: Reader<'_>, name: &str) -> Result<Balance, Error> {
    balance_at(reader, &account(reader, name))
}

/// What was charged to the account under this key.
pub(super) fn balance_at(reader: Reader<'_>, at: &[u8]) -> Result<Balance, Error> {
    let what = "account";
    let Some(record) = reader.record(at, what)? else {
        return Ok(Balance::default());
    };
    if u32::from(record.version) > STORED_VERSION {
        return Err(Error::newer(what, record.version.into()));
    }
    serde_json::from_slice(&record.body).map_err(|_| Error::damaged(what, "it is no JSON"))
}

pub(super) fn find(reader: Reader<'_>, by: &Find) -> Result<Vec<Head>, Error> {
    let index = match by {
        Find::Place(place) => at_place(reader, &place_text(place)),
        Find::Person(person) => of_person(reader, &person_text(person)),
        Find::One(session) => {
            let head = readable(reader, head(reader, *session))?;
            return Ok(head.into_iter().filter(|head| head.parent.is_none()).collect());
        }
        Find::Newest { before, limit } => return newest(reader, *before, *limit),
        Find::WantsStaff { after, limit } => {
            return listed_by_id(reader, List::WantsStaff, *after, *limit);
        }
        Find::Paused { after, limit } => {
            return listed_by_id(reader, List::Paused, *after, *limit);
        }
        Find::Children { after, limit } => {
            return listed_by_id(reader, List::Children, *after, *limit);
        }
        Find::DueToGo { by, after, limit } => {
            return listed_from(reader, List::DueToGo, (*after, *limit), *by);
        }
        Find::RecentlyUpdated { platform, is_active, since, after, limit } => {
            let list = List::Updated { platform: *platform, is_active: *is_active };
            return listed_from(reader, list, (*after, *limit), *since);
        }
    };
    let mut entries: BTreeSet<_> = reader.keys(&index)?.into_iter().collect();
    entries.extend(packed_keys::scan(reader, &index)?);
    let mut heads = Vec::new();
    for key in entries.into_iter().rev() {
        let Some(session) = keys::session_of_entry(&key) else { continue };
        let Some(head) = readable(reader, head(reader, session))? else { continue };
        // The index goes by a digest; the head has the last word.
        let wanted = match by {
            Find::Place(place) => head.place == *place,
            Find::Person(person) => head.participant == *person,
            _ => true,
        };
        if wanted && head.parent.is_none() {
            heads.push(head);
        }
    }
    Ok(heads)
}

/// The beginning of the index entries of a person.
pub(super) fn of_person(reader: Reader<'_>, text: &str) -> keys::Key {
    keys::of_person(reader.key_store.secret.digest(keys::OF_PERSON, text))
}

/// The beginning of the index entries of a place.
pub(super) fn at_place(reader: Reader<'_>, text: &str) -> keys::Key {
    keys::at_place(reader.key_store.secret.digest(keys::AT_PLACE, text))
}

/// Sessions in a list that has no order of its own, at most so many after one of them.
fn listed_by_id(
    reader: Reader<'_>,
    list: List,
    after: Option<SessionId>,
    limit: usize,
) -> Result<Vec<Head>, Error> {
    let after = after.map(|after| (DateTime::UNIX_EPOCH, after));
    listed_from(reader, list, (after, limit), DateTime::UNIX_EPOCH)
}

/// Sessions in a list of which the order is kept, at most so many after one of them; until a time, where they have one.
fn listed_from(
    reader: Reader<'_>,
    list: List,
    (after, limit): (Option<(DateTime<Utc>, SessionId)>, usize),
    until: DateTime<Utc>,
) -> Result<Vec<Head>, Error> {
    let after = after.map(|(at, session)| keys::listed(list, hour_of(at), session));
    let mut first = after.and_then(|after| keys::after(&after)).unwrap_or_else(|| keys::list(list));
    let end = keys::after(&keys::listed_at(list, hour_of(until))).unwrap_or_default();
    let mut heads = Vec::new();
    while heads.len() < limit {
        let keys = packed_keys::range(reader, &first, &end, limit)?;
        let Some(next) = keys.last().and_then(|last| keys::after(last)) else { break };
        for session in keys.iter().filter_map(|key| keys::session_of_entry(key)) {
            let head = readable(reader, head(reader, session))?;
            heads.extend(head.filter(|head| match list {
                List::DueToGo => head.goes_at.is_some_and(|at| at <= until),
                List::Updated { .. } => head.updated_at >= until,
                _ => true,
            }));
        }
        first = next;
    }
    heads.truncate(limit);
    Ok(heads)
}

/// Ids are in the order of time, so the newest sessions are the last.
fn newest(reader: Reader<'_>, before: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error> {
    let mut heads = Vec::new();
    let end = before.map(keys::head).or_else(|| keys::after(&[keys::HEAD])).unwrap_or_default();
    for entry in reader.range(vec![keys::HEAD], end).rev() {
        if heads.len() == limit {
            break;
        }
        let head = listed(reader, &entry?.0)?;
        heads.extend(head.filter(|head| head.parent.is_none()));
    }
    Ok(heads)
}

/// The head under a key of its family; `None` for a further chunk, and for one that cannot be read.
fn listed(reader: Reader<'_>, key: &[u8]) -> Result<Option<Head>, Error> {
    match keys::session_of(key) {
        Some(session) if is_first(key) => readable(reader, head(reader, session)),
        _ => Ok(None),
    }
}

pub(super) fn due(
    reader: Reader<'_>,
    now: DateTime<Utc>,
    limit: usize,
) -> Result<Vec<Timer>, Error> {
    let mut timers = Vec::new();
    let (first, end) = due_range(now);
    for entry in reader.range(first, end) {
        if timers.len() == limit {
            break;
        }
        // A kind that only a newer program knows is left to it.
        if let Some((at, session, kind)) = keys::timer_of(&entry?.0) {
            timers.push(Timer { session, kind, at });
        }
    }
    Ok(timers)
}

/// When the earliest timer is set, of a kind that this program knows; `None` if there is none.
pub(super) fn next_timer(reader: Reader<'_>) -> Result<Option<DateTime<Utc>>, Error> {
    for entry in reader.range(vec![keys::TIMER], keys::after(&[keys::TIMER]).unwrap_or_default()) {
        if let Some((at, ..)) = keys::timer_of(&entry?.0) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn due_range(now: DateTime<Utc>) -> (keys::Key, keys::Key) {
    let end = [&[keys::TIMER][..], &keys::instant(now), &[u8::MAX; 64]].concat();
    (vec![keys::TIMER], end)
}

pub(super) fn sessions(
    reader: Reader<'_>,
    after: Option<SessionId>,
    limit: usize,
) -> Result<Vec<Head>, Error> {
    let mut heads = Vec::new();
    let first = match after {
        Some(session) => keys::after(&keys::head(session)),
        None => Some(vec![keys::HEAD]),
    };
    let (Some(first), Some(end)) = (first, keys::after(&[keys::HEAD])) else { return Ok(heads) };
    for entry in reader.range(first, end) {
        if heads.len() == limit {
            break;
        }
        heads.extend(listed(reader, &entry?.0)?);
    }
    Ok(heads)
}

pub(super) fn audit(reader: Reader<'_>, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
    let mut found = Vec::new();
    // The group that holds the record begins at it or before it.
    let first = group_at_or_before(reader, Some(from))?.map_or(from, |(index, _)| index);
    let mut previous = seal_before(reader, first)?;
    for entry in reader.range(keys::audit(first), keys::after(&[keys::AUDIT]).unwrap_or_default()) {
        let (key, _) = entry?;
        if found.len() >= limit {
            break;
        }
        let (true, Some(index)) = (is_first(&key), keys::index_of(&key)) else { continue };
        let what = format_args!("audit record {index}").to_string();
        let Some(record) = reader.record(&key, &what)? else { continue };
        let (records, seal) =
            audit_chain::read(reader.key_store, (index, &previous), &record, None)?;
        previous = seal;
        let wanted = records.into_iter().filter(|sealed| sealed.index >= from);
        found.extend(wanted.take(limit - found.len()));
    }
    Ok(found)
}

/// The last seal before the group that begins with number `first`.
pub(super) fn seal_before(reader: Reader<'_>, first: u64) -> Result<Seal, Error> {
    let before = match first.checked_sub(1) {
        Some(before) => group_at_or_before(reader, Some(before))?,
        None => None,
    };
    let tip = before.and_then(|(_, group)| audit_record::end_of(0, &group));
    Ok(tip.map_or(Tip::START.seal, |tip| tip.seal))
}

/// Where the audit chain goes on.
pub(super) fn tip(reader: Reader<'_>) -> Result<Tip, Error> {
    let Some((index, group)) = group_at_or_before(reader, None)? else {
        return Ok(Tip::START);
    };
    let damaged = || Error::damaged(format_args!("audit record {index}"), "it ends early");
    audit_record::end_of(index, &group).ok_or_else(damaged)
}

/// The last group that begins at record `index` or before it, or the last of all.
pub(super) fn group_at_or_before(
    reader: Reader<'_>,
    index: Option<u64>,
) -> Result<Option<(u64, Record)>, Error> {
    for entry in reader.range(vec![keys::AUDIT], keys::after_audit(index)).rev() {
        let (key, _) = entry?;
        if let (true, Some(index)) = (is_first(&key), keys::index_of(&key)) {
            let record = reader.record(&key, format_args!("audit record {index}"))?;
            return Ok(record.map(|record| (index, record)));
        }
    }
    Ok(None)
}

/// Leaves out of a list what cannot be read, and remembers it: one such session must not hide the others.
pub(super) fn readable<T>(
    reader: Reader<'_>,
    read: Result<Option<T>, Error>,
) -> Result<Option<T>, Error> {
    match read {
        Err(error @ Error::Unreadable { .. }) => {
            tracing::warn!(%error, "left out of a list");
            reader.key_store.unreadable.note(&error);
            Ok(None)
        }
        other => other,
    }
}
