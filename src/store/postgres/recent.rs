//! What was read or written lately. The node that writes is the only one that does, so what it knows holds for as long as
//! its lease.
//!
//! Readers and the committer don't wait for each other, so what a reader brings from the database may be older than what
//! was written meanwhile. Every change is counted; what was read is kept only where nothing has changed since.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::batch::Step;
use crate::{
    base::ids::{SessionId, WaitId},
    model::{
        posted::ledger_of,
        transcript::{Event, Recorded},
        wait::Wait,
    },
    store::{
        left_outside,
        portable::Piece,
        read_cache::{self, ReadCache, Written, size},
        rendered,
    },
};

/// In how many groups changes are counted.
const GROUPS: usize = 256;

/// Something that is kept.
#[derive(Debug, Clone, Copy, Hash)]
pub(super) enum Item<'a> {
    Session(SessionId),
    Wait(WaitId),
    Note(&'a str),
}

impl Item<'_> {
    fn group(self) -> usize {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        usize::try_from(hasher.finish() % GROUPS as u64).unwrap_or_default()
    }
}

/// How often a group had changed when somebody began to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    group: usize,
    changes: u64,
}

pub(super) struct Recent {
    cache: ReadCache,
    changes: Mutex<[u64; GROUPS]>,
}

impl Default for Recent {
    fn default() -> Self {
        Self { cache: ReadCache::default(), changes: Mutex::new([0; GROUPS]) }
    }
}

impl Recent {
    fn changes(&self) -> MutexGuard<'_, [u64; GROUPS]> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known.
    pub(super) const fn known(&self) -> &ReadCache {
        &self.cache
    }

    /// Where a reader begins.
    pub(super) fn mark(&self, item: Item<'_>) -> Mark {
        let group = item.group();
        Mark { group, changes: self.changes()[group] }
    }

    /// Keeps what was read since a mark, unless something has changed meanwhile.
    pub(super) fn keep(&self, mark: Mark, keep: impl FnOnce(&ReadCache)) {
        let changes = self.changes();
        if changes[mark.group] == mark.changes {
            keep(&self.cache);
        }
    }

    /// Adds a step that is on the device.
    pub(super) fn add(&self, step: Step) {
        let mut changes = self.changes();
        let mut count = |item: Item<'_>| changes[item.group()] += 1;
        match step {
            Step::Commit(commit) => {
                count(Item::Session(commit.head.id));
                commit.waits.iter().for_each(|wait| count(Item::Wait(wait.id)));
                let is_new = |wait: &Wait| {
                    let asked = |event: &Recorded| matches!(&*event.event, Event::Asked(asked) if asked.id == wait.id);
                    commit.events.iter().any(asked)
                };
                let written = |wait: &Wait| Written {
                    bytes: bytes(wait),
                    is_new: is_new(wait),
                    wait: wait.clone(),
                };
                let waits = commit.waits.iter().map(written).collect();
                let bytes = bytes(&commit.events);
                let (expected, head, events) = (commit.expected, commit.head, commit.events);
                self.cache.go_on(read_cache::Step { expected, head, events, bytes, waits });
            }
            Step::Note(note) => {
                count(Item::Note(&note.key));
                self.cache.noted(&note.key);
            }
            // What there is already was left as it is, and what was not there is in no cache but for the lack of notes.
            Step::Put(piece) => {
                if let Piece::Session(image) = *piece {
                    count(Item::Session(image.session()));
                    for note in &image.notes {
                        count(Item::Note(&note.key));
                        self.cache.noted(&note.key);
                    }
                }
            }
            Step::Done { effect, delivery } => {
                if let Some((wait, _)) = rendered(&effect, &delivery) {
                    count(Item::Wait(wait));
                    self.cache.delivered(&effect, &delivery);
                }
                if !left_outside(&delivery).is_empty() {
                    let ledger = ledger_of(effect.session);
                    count(Item::Note(&ledger));
                    self.cache.noted(&ledger);
                }
            }
        }
    }

    /// Forgets a session that was erased, and its waits and notes. Whatever is being read meanwhile is not kept.
    pub(super) fn erased(&self, session: SessionId) {
        self.changes().iter_mut().for_each(|group| *group += 1);
        self.cache.erased(session);
    }

    /// Forgets everything: what is on the device is not known any more.
    pub(super) fn clear(&self) {
        self.changes().iter_mut().for_each(|group| *group += 1);
        self.cache.clear();
    }
}

/// Bytes of something as text.
fn bytes(of: &impl serde::Serialize) -> usize {
    usize::try_from(size(of)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Note;

    fn note(value: &str) -> Note {
        Note { key: "key".to_owned(), session: None, value: Some(value.to_owned()) }
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let recent = Recent::default();
        let mark = recent.mark(Item::Note("key"));
        recent.add(Step::Note(Box::new(note("new"))));
        recent.keep(mark, |known| known.keep_note("key".to_owned(), Some(note("old"))));
        assert!(recent.known().note("key").is_none());

        let mark = recent.mark(Item::Note("key"));
        recent.keep(mark, |known| known.keep_note("key".to_owned(), Some(note("new"))));
        assert!(recent.known().note("key").is_some());
        let mark = recent.mark(Item::Note("key"));
        recent.clear();
        recent.keep(mark, |known| known.keep_note("key".to_owned(), Some(note("old"))));
        assert!(recent.known().note("key").is_none());
    }
}
