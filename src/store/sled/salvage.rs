//! What can still be read of a damaged store.

use std::collections::BTreeMap;

use sled::Tree;

use super::{
    audit_record,
    key_store::Slot,
    keys::{self, Key as At},
    read,
    write_batch::Reader,
};
use crate::{
    base::ids::SessionId,
    model::{audit::CHAIN_START, transcript::Recorded},
};

/// Audit records that are read at one time.
const RECORDS: usize = 500;

/// What became of a conversation.
#[derive(Debug)]
pub struct Salvaged {
    /// Which.
    pub session: SessionId,
    /// Its events up to the first that cannot be read.
    pub events: Vec<Recorded>,
    /// How many there were; `None` if its head cannot be read.
    pub expected: Option<u64>,
}

impl Salvaged {
    /// Whether all of it was read, and so was taken over.
    pub fn is_whole(&self) -> bool {
        self.expected == Some(self.events.len() as u64)
    }
}

/// The conversations that cannot be read whole.
pub(super) fn damaged(reader: Reader<'_>) -> Vec<SessionId> {
    let candidates = candidates(reader).into_iter();
    let damaged = candidates.filter(|(session, slot)| !one(reader, *session, *slot).is_whole());
    damaged.map(|(session, _)| session).collect()
}

/// Every conversation that something tells of, with its slot where its head does not tell: heads, and audit records for
/// those that have lost theirs. Not those that were erased, whose keys are shredded.
pub(super) fn candidates(reader: Reader<'_>) -> BTreeMap<SessionId, Option<Slot>> {
    let heads = keys_from_both_ends(reader.tree, keys::HEAD);
    let mut found: BTreeMap<SessionId, Option<Slot>> =
        heads.iter().filter_map(|key| Some((keys::session_of(key)?, None))).collect();
    for at in keys_from_both_ends(reader.tree, keys::AUDIT) {
        let Ok(Some(group)) = reader.record(&at, "audit record") else { continue };
        for (session, slot) in audit_record::owners_of(&group) {
            if slot > 0 && matches!(reader.key_store.key(slot), Ok(Some(_))) {
                found.entry(session).or_insert(Some(slot));
            }
        }
    }
    found
}

/// What can be read of one conversation.
pub(super) fn one(reader: Reader<'_>, session: SessionId, slot: Option<Slot>) -> Salvaged {
    match read::load(reader, session) {
        Ok(Some(loaded)) => {
            let expected = Some(loaded.head.seq);
            return Salvaged { session, events: loaded.events, expected };
        }
        // It was erased in part, and what was left went under another slot.
        Ok(None) if slot.is_none() => {
            return Salvaged { session, events: Vec::new(), expected: Some(0) };
        }
        _ => {}
    }
    let known = read::known(reader, session).ok().flatten();
    let expected = known.as_ref().map(|known| known.cover.head.seq);
    let slot = known.map(|known| known.slot).or(slot);
    let events = slot.map(|slot| read::events_until_gap(reader, slot)).unwrap_or_default();
    Salvaged { session, events, expected }
}

/// How many audit records, from the first on, form a chain that holds; whole groups and pages.
pub(super) fn sound_records(reader: Reader<'_>) -> u64 {
    let next = first_unsound(reader);
    match read::group_at_or_before(reader, Some(next)) {
        Ok(Some((first, group)))
            if audit_record::end_of(first, &group).is_none_or(|tip| tip.next > next) =>
        {
            first
        }
        _ => next,
    }
}

/// The number of the first audit record that does not hold, or is not there.
fn first_unsound(reader: Reader<'_>) -> u64 {
    let mut previous = CHAIN_START.to_owned();
    let mut next = 0;
    loop {
        // Where one of many cannot be read, those before it are read one by one.
        let page = read::audit(reader, next, RECORDS).or_else(|_| read::audit(reader, next, 1));
        let page = page.unwrap_or_default();
        if page.is_empty() {
            return next;
        }
        for sealed in page {
            if !sealed.holds(next, &previous) {
                return next;
            }
            previous = sealed.seal;
            next += 1;
        }
    }
}

/// The keys of a family: from its first one to the first that cannot be read, and the same from its end.
pub(super) fn keys_from_both_ends(tree: &Tree, family: u8) -> Vec<At> {
    let forward = tree.scan_prefix([family]).keys().map_while(Result::ok);
    let mut keys: Vec<At> = forward.map(|key| key.to_vec()).collect();
    let last = keys.last().cloned();
    let backward = tree.scan_prefix([family]).keys().rev().map_while(Result::ok);
    let rest = backward.map(|key| key.to_vec()).take_while(|key| Some(key) > last.as_ref());
    let mut rest: Vec<At> = rest.collect();
    rest.reverse();
    keys.extend(rest);
    keys
}
