//! What becomes of the records of sessions at rest: they move to the archive, and leave it when a session goes on.

use std::{collections::BTreeSet, mem};

use super::Committer;
use crate::{
    base::ids::SessionId,
    store::{
        Error,
        sled::{
            archive::{self, Marker},
            archiver::{Archiver, Order},
            jobs::{Archived, Moved},
            keys,
            write_batch::Writes,
        },
    },
};

/// Sessions that are moved together: each time the file is put on the device.
const TOGETHER: usize = 64;

/// What is to be done in the archive.
#[derive(Default)]
pub(super) struct Archiving {
    archiver: Option<Archiver>,
    /// The archiver has something to do.
    is_busy: bool,
    /// It began with that before the database was opened again, which may have taken back what it builds on.
    is_outdated: bool,
    /// Sessions that are compact.
    compact: Vec<SessionId>,
    /// Records that came into the archive and are not referred to, because their sessions had gone on meanwhile.
    never: Vec<Marker>,
    /// Segments that are half empty.
    half_empty: BTreeSet<u32>,
    /// The one that is being emptied, and from where on.
    emptying: Option<(u32, u32)>,
    /// Those of which nothing is needed once what was applied is on the device.
    unsynced: Vec<u32>,
    /// Those of which nothing is needed.
    empty: Vec<u32>,
}

impl Archiving {
    /// Whoever does it.
    pub(super) fn begin(&mut self, archiver: Archiver) {
        self.archiver = Some(archiver);
    }

    /// Nothing is begun any more, and what is under way is waited for.
    pub(super) fn end(&mut self) {
        self.archiver = None;
    }

    /// The database was opened, which says which segments are half empty.
    pub(super) fn reset(&mut self, half_empty: BTreeSet<u32>) {
        let (archiver, is_busy) = (self.archiver.take(), self.is_busy);
        *self = Self { archiver, is_busy, is_outdated: is_busy, half_empty, ..Self::default() };
    }

    /// A session is compact.
    pub(super) fn add(&mut self, session: SessionId) {
        self.compact.push(session);
    }

    /// What was applied is on the device.
    pub(super) fn synced(&mut self) {
        self.empty.append(&mut self.unsynced);
    }

    /// The archiver has done what it was to do; whether that counts.
    pub(super) fn answered(&mut self) -> bool {
        self.is_busy = false;
        !mem::take(&mut self.is_outdated)
    }

    /// Whether nothing is left to be done but what has to be on the device before.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_busy
            && self.compact.is_empty()
            && self.emptying.is_none()
            && self.half_empty.is_empty()
            && self.empty.is_empty()
    }

    /// Has the next be done: sessions as soon as there are enough of them, or when no other comes to rest.
    fn go_on(&mut self, is_quiet: bool) {
        if self.is_busy {
            return;
        }
        let compact = self.compact.len();
        let order = if compact >= TOGETHER || (compact > 0 && is_quiet) {
            Order::Move(self.compact.drain(..compact.min(TOGETHER)).collect())
        } else if let Some(segment) = self.empty.pop() {
            Order::Remove(segment)
        } else if let Some((segment, from)) =
            self.emptying.take().or_else(|| Some((self.half_empty.pop_first()?, 0)))
        {
            self.emptying = Some((segment, from));
            Order::Empty(segment, from)
        } else {
            return;
        };
        self.is_busy = self.archiver.as_ref().is_some_and(|archiver| archiver.order(order));
    }
}

impl Committer {
    /// Has records moved to the archive and in it.
    pub(super) fn archive(&mut self) {
        if self.bad.is_none() {
            self.archiving.go_on(self.restless.is_quiet());
        }
    }

    /// Takes in what came of it.
    pub(super) fn archived(&mut self, archived: Archived) -> Result<(), Error> {
        match archived {
            Archived::Moved(sessions, moved) => {
                self.refer_to(moved)?;
                let is_at_rest = |session: &SessionId| self.restless.is_at_rest(*session);
                let at_rest: Vec<SessionId> = sessions.into_iter().filter(is_at_rest).collect();
                self.step(|stage, _| {
                    for session in at_rest {
                        stage.remove(keys::loose(session));
                    }
                    Ok(())
                })
            }
            Archived::NotMoved(sessions) => {
                for session in sessions {
                    self.restless.touch(session);
                }
                Ok(())
            }
            Archived::Emptied(segment, moved, next) => {
                self.archiving.emptying = None;
                self.refer_to(moved)?;
                self.archiving.emptying = next.map(|next| (segment, next));
                if next.is_none() {
                    self.archiving.half_empty.remove(&segment);
                    self.step(|stage, _| {
                        stage.remove(keys::segment(segment));
                        Ok(())
                    })?;
                    self.archiving.unsynced.push(segment);
                }
                Ok(())
            }
            Archived::NotEmptied => {
                self.archiving.emptying = None;
                Ok(())
            }
            Archived::Removed => Ok(()),
            // Otherwise it would be removed at the next start.
            Archived::Needed(segment) => self.step(|stage, _| {
                stage.put(keys::segment(segment), 0_u32.to_be_bytes());
                Ok(())
            }),
        }
    }

    /// Writes markers in place of records that are in the archive now, where nothing has happened since.
    fn refer_to(&mut self, Moved { markers, end }: Moved) -> Result<(), Error> {
        let Some(end) = end else { return Ok(()) };
        let never = self.step(|stage, _| {
            let mut never = Vec::new();
            for (at, marker) in markers {
                let segment = keys::segment(marker.position.segment);
                if !stage.has_or_puts(&segment)? {
                    stage.put(segment, 0_u32.to_be_bytes());
                }
                let record = stage.reader.record(&at, "record")?;
                if record.is_some_and(|record| marker.is_of(&record)) {
                    stage.remove_record(&at)?;
                    stage.put(at, marker.encode());
                } else {
                    never.push(marker);
                }
            }
            stage.put(keys::archived(), end.encode());
            Ok(never)
        })?;
        self.archiving.never.extend(never);
        Ok(())
    }

    /// Counts in `writes` what is not needed any more in the archive once those are applied.
    pub(super) fn count_unneeded(&mut self, writes: &mut Writes) -> Result<(), Error> {
        let db = self.db()?;
        let never = mem::take(&mut self.archiving.never);
        self.archiving.half_empty.extend(archive::count_unneeded(&db, writes, never)?);
        Ok(())
    }
}
