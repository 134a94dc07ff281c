//! Moves records of sessions at rest into the archive, on a thread of its own: nobody who commits waits for that file.
//!
//! It reads them, puts them on the device, and tells the committer, which writes the markers where the records are still
//! the same. What it could not do is left as it is: the sessions stay in sled, and are tried again when they have rested once
//! more.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
};

use tokio::sync::mpsc::WeakSender;

use super::{
    Shared,
    archive::{Found, Marker, RECORD_MAX},
    jobs::{Archived, Job, Moved},
    keys::{self, Key},
    read,
    write_batch::{Reader, Record},
};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::SessionId,
    },
    store::Error,
};

/// Something to do.
#[derive(Debug)]
pub(super) enum Order {
    /// Sessions that are compact go into the archive.
    Move(Vec<SessionId>),
    /// What is still needed of a segment from an offset on goes to the end of the archive.
    Empty(u32, u32),
    /// A segment of which nothing is needed, as is on the device.
    Remove(u32),
}

/// The thread. One order at a time: what came of it is a [`Job::Archived`].
pub(super) struct Archiver {
    orders: Option<mpsc::Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Archiver {
    /// Begins to work for the committer that takes jobs from `queue`.
    pub(super) fn begin(shared: &Arc<Shared>, queue: WeakSender<Job>) -> io::Result<Self> {
        let (orders, ordered) = mpsc::channel();
        let mut work = Work { shared: Arc::clone(shared), has_failed: false };
        let run = move || {
            for order in ordered {
                // sled can panic over what it reads.
                let archived = catch_unwind(AssertUnwindSafe(|| work.carry_out(order)));
                let archived = archived.unwrap_or(Archived::NotEmptied);
                // Nobody waits for it once the store is being closed.
                let Some(queue) = queue.upgrade() else { break };
                if queue.blocking_send(Job::Archived(archived)).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name("store-archiver".to_owned()).spawn(run)?;
        Ok(Self { orders: Some(orders), thread: Some(thread) })
    }

    /// Has something done; false where nobody does it any more.
    pub(super) fn order(&self, order: Order) -> bool {
        self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok())
    }
}

impl Drop for Archiver {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("moving conversations at rest had panicked");
        }
    }
}

struct Work {
    shared: Arc<Shared>,
    /// The last order failed.
    has_failed: bool,
}

impl Work {
    fn carry_out(&mut self, order: Order) -> Archived {
        match order {
            Order::Move(sessions) => match self.copied(&sessions) {
                Ok((moved, sessions)) => self.done(Archived::Moved(sessions, moved)),
                Err(error) => self.failed(&error, Archived::NotMoved(sessions)),
            },
            Order::Empty(segment, from) => match self.rescued(segment, from) {
                Ok(Some((moved, next))) => self.done(Archived::Emptied(segment, moved, next)),
                Ok(None) => self.done(Archived::NotEmptied),
                Err(error) => self.failed(&error, Archived::NotEmptied),
            },
            Order::Remove(segment) => match self.removed(segment) {
                Ok(true) => Archived::Removed,
                Ok(false) => Archived::Needed(segment),
                Err(error) => {
                    tracing::warn!(segment, %error, "a part of the archive that is no longer needed could not be removed");
                    Archived::Needed(segment)
                }
            },
        }
    }

    const fn done(&mut self, archived: Archived) -> Archived {
        self.has_failed = false;
        archived
    }

    /// Once for each time of trouble.
    fn failed(&mut self, error: &Error, archived: Archived) -> Archived {
        if !self.has_failed {
            tracing::warn!(%error, "conversations at rest could not be moved to the archive; they are where they were");
        }
        self.has_failed = true;
        archived
    }

    /// Puts the records of sessions into the archive; which sessions could be read.
    fn copied(&self, sessions: &[SessionId]) -> Result<(Moved, Vec<SessionId>), Error> {
        let (mut records, mut moved) = (Vec::new(), Vec::new());
        for session in sessions {
            match self.shared.read(|reader| records_of(reader, *session)) {
                Ok(found) => {
                    records.extend(found);
                    moved.push(*session);
                }
                // It is left where it is.
                Err(Error::Unreadable { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok((self.put(&records)?, moved))
    }

    /// Puts what is still needed of a segment at the end; `None` where some of it can't be read.
    fn rescued(&self, segment: u32, from: u32) -> Result<Option<(Moved, Option<u32>)>, Error> {
        let entries = self.shared.archive.entries(segment, from);
        let (entries, next) = entries.map_err(Error::unavailable)?;
        let read = |reader: Reader<'_>| needed(reader, entries);
        let records = match self.shared.read(read) {
            Err(Error::Unreadable { .. }) => return Ok(None),
            records => records?,
        };
        Ok(Some((self.put(&records)?, next)))
    }

    /// Removes a segment, unless a marker stands for something in it after all.
    fn removed(&self, segment: u32) -> Result<bool, Error> {
        let mut from = Some(0);
        while let Some(offset) = from.take() {
            let entries = self.shared.archive.entries(segment, offset);
            let (entries, next) = entries.map_err(Error::unavailable)?;
            if !self.shared.read(|reader| needed(reader, entries))?.is_empty() {
                return Ok(false);
            }
            from = next;
        }
        self.shared.archive.remove(segment).map_err(Error::unavailable)?;
        Ok(true)
    }

    fn put(&self, records: &[(Key, Record)]) -> Result<Moved, Error> {
        if records.is_empty() {
            return Ok(Moved::default());
        }
        hit(Failpoint::ArchiveDue);
        let appended = self.shared.archive.append(records);
        let (markers, end) = appended.map_err(Error::unavailable)?;
        hit(Failpoint::ArchiveFilled);
        let keys = records.iter().map(|(key, _)| key.clone());
        Ok(Moved { markers: keys.zip(markers).collect(), end: Some(end) })
    }
}

/// The records of a session that are not in the archive.
fn records_of(reader: Reader<'_>, session: SessionId) -> Result<Vec<(Key, Record)>, Error> {
    let Some(known) = read::known(reader, session)? else { return Ok(Vec::new()) };
    let frames = (0..known.cover.frames).map(|number| keys::frame(known.slot, number));
    let mut records = Vec::new();
    for at in [keys::head(session)].into_iter().chain(frames) {
        let first = reader.get(&at)?;
        if first.is_some_and(|first| Marker::decode(&first).is_none())
            && let Some(record) = reader.record(&at, "record")?
            && record.body.len() < RECORD_MAX
        {
            records.push((at, record));
        }
    }
    Ok(records)
}

/// The records among these entries that a marker stands for.
fn needed(reader: Reader<'_>, entries: Vec<Found>) -> Result<Vec<(Key, Record)>, Error> {
    let mut records = Vec::new();
    for (at, position) in entries {
        let marker = reader.get(&at)?.as_deref().and_then(Marker::decode);
        if marker.is_some_and(|marker| marker.position == position)
            && let Some(record) = reader.record(&at, "a conversation at rest")?
        {
            records.push((at, record));
        }
    }
    Ok(records)
}
