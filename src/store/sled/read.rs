//! Reads. Each sees one moment: the caller keeps batches out meanwhile (`Shared`).

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use sled::Tree;

use super::{
    broken, keys,
    stage::{assemble, chunk_number, decode},
};
use crate::{
    ids::{SessionId, WaitId},
    model::{audit::Sealed, effect::Rendering, session::Head, transcript::Recorded, wait::Wait},
    store::{Error, Find, Loaded, Timer},
};

pub(super) fn load(tree: &Tree, session: SessionId) -> Result<Option<Loaded>, Error> {
    let Some(head) = head(tree, session)? else { return Ok(None) };
    let mut events: Vec<Recorded> = Vec::new();
    for bytes in records(tree, &keys::events(session))? {
        let event: Recorded = decode(&bytes, format_args!("session `{session}`"))?;
        if event.seq != events.len() as u64 + 1 {
            break;
        }
        events.push(event);
    }
    if events.len() as u64 == head.seq {
        return Ok(Some(Loaded { head, events }));
    }
    let how = format_args!("event {} is missing", events.len() + 1).to_string();
    Err(Error::damaged(format_args!("session `{session}`"), how))
}

pub(super) fn head(tree: &Tree, session: SessionId) -> Result<Option<Head>, Error> {
    record(tree, &keys::head(session), format_args!("session `{session}`"))
}

pub(super) fn find(tree: &Tree, by: &Find) -> Result<Vec<Head>, Error> {
    let index = match by {
        Find::Place(place) => keys::at_place(place),
        Find::Person(person) => keys::of_person(person),
        Find::Newest(limit) => return newest(tree, *limit),
    };
    let mut heads = Vec::new();
    for key in tree.scan_prefix(&index).keys().rev() {
        let Some(session) = keys::session_of_entry(&key.map_err(broken)?) else { continue };
        let Some(head) = readable(head(tree, session))? else { continue };
        // The index goes by a digest; the head has the last word.
        let wanted = match by {
            Find::Place(place) => head.place == *place,
            Find::Person(person) => head.participant == *person,
            Find::Newest(_) => true,
        };
        if wanted {
            heads.push(head);
        }
    }
    Ok(heads)
}

/// Ids are in the order of time, so the newest sessions are the last.
fn newest(tree: &Tree, limit: usize) -> Result<Vec<Head>, Error> {
    let mut heads = Vec::new();
    for key in tree.scan_prefix([keys::HEAD]).keys().rev() {
        if heads.len() == limit {
            break;
        }
        let key = key.map_err(broken)?;
        if chunk_number(&key) == Some(0)
            && let Some(session) = keys::session_of(&key)
        {
            heads.extend(readable(head(tree, session))?);
        }
    }
    Ok(heads)
}

pub(super) fn wait(tree: &Tree, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
    let what = format_args!("wait `{id}`").to_string();
    let Some(wait) = record(tree, &keys::wait(id), &what)? else { return Ok(None) };
    let bytes = records(tree, &keys::renderings(id))?;
    let renderings: Result<_, Error> = bytes.iter().map(|bytes| decode(bytes, &what)).collect();
    Ok(Some((wait, renderings?)))
}

pub(super) fn due(tree: &Tree, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
    let mut timers = Vec::new();
    for key in tree.range(due_range(now)).keys() {
        if timers.len() == limit {
            break;
        }
        // A kind that only a newer program knows is left to it.
        if let Some((at, session, kind)) = keys::timer_of(&key.map_err(broken)?) {
            timers.push(Timer { session, kind, at });
        }
    }
    Ok(timers)
}

fn due_range(now: DateTime<Utc>) -> RangeInclusive<keys::Key> {
    let last = [&[keys::TIMER][..], &keys::instant(now), &[u8::MAX; 64]].concat();
    vec![keys::TIMER]..=last
}

pub(super) fn sessions(
    tree: &Tree,
    after: Option<SessionId>,
    limit: usize,
) -> Result<Vec<Head>, Error> {
    let mut heads = Vec::new();
    let first = match after {
        Some(session) => keys::after(&keys::head(session)),
        None => Some(vec![keys::HEAD]),
    };
    let Some(first) = first else { return Ok(heads) };
    for key in tree.range(first..).keys() {
        let key = key.map_err(broken)?;
        if heads.len() == limit || key.first() != Some(&keys::HEAD) {
            break;
        }
        if chunk_number(&key) == Some(0)
            && let Some(session) = keys::session_of(&key)
        {
            heads.extend(readable(head(tree, session))?);
        }
    }
    Ok(heads)
}

pub(super) fn audit(tree: &Tree, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
    let mut sealed = Vec::new();
    // By what is there, not by number: a gap must not hide what comes after it.
    for key in tree.range(keys::audit(from)..).keys() {
        let key = key.map_err(broken)?;
        if sealed.len() == limit || key.first() != Some(&keys::AUDIT) {
            break;
        }
        if chunk_number(&key) == Some(0)
            && let Some(index) = keys::index_of(&key)
        {
            let what = format_args!("audit record {index}").to_string();
            sealed.extend(record(tree, &keys::audit(index), what)?);
        }
    }
    Ok(sealed)
}

/// The last record of the audit chain.
pub(super) fn last_audit(tree: &Tree) -> Result<Option<Sealed>, Error> {
    let Some(last) = tree.scan_prefix([keys::AUDIT]).keys().next_back() else { return Ok(None) };
    match keys::index_of(&last.map_err(broken)?) {
        Some(index) => record(tree, &keys::audit(index), format_args!("audit record {index}")),
        None => Ok(None),
    }
}

fn record<T: DeserializeOwned>(
    tree: &Tree,
    key: &[u8],
    what: impl std::fmt::Display,
) -> Result<Option<T>, Error> {
    match assemble(key, |key| tree.get(key).map_err(broken))? {
        None => Ok(None),
        Some(bytes) => decode(&bytes, what).map(Some),
    }
}

/// The bytes of all records under `prefix`, in order.
fn records(tree: &Tree, prefix: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let mut records: Vec<Vec<u8>> = Vec::new();
    for entry in tree.scan_prefix(prefix) {
        let (key, part) = entry.map_err(broken)?;
        match records.last_mut() {
            Some(record) if chunk_number(&key) != Some(0) => record.extend_from_slice(&part),
            _ => records.push(part.to_vec()),
        }
    }
    Ok(records)
}

/// Leaves out of a list what cannot be read: one such session must not hide the others (SEMANTICS row 30).
pub(super) fn readable<T>(read: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    match read {
        Err(error @ Error::Unreadable { .. }) => {
            tracing::warn!(%error, "left out of a list");
            Ok(None)
        }
        other => other,
    }
}
