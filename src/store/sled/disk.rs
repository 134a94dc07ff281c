//! The barrier against a power cut that sled's `flush` is not on Linux.

use std::{
    fmt,
    fs::{File, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use sled::Db;

use super::{
    blobs::Blobs,
    fault_injection::{Faults, Touch},
    watermark::{Mark, MarkFile},
};
use crate::{
    base::failpoint::{Failpoint, hit},
    store::{Error, health::Trouble},
};

/// How long a sync runs before sled is nudged: it does not always wake who waits for a write that failed, and finds
/// the failure only when it is asked again.
const NUDGE: Duration = Duration::from_secs(1);

/// How long sled's own lock is waited for: its threads let go of the file last.
pub(super) const SLED_LOCK: Duration = Duration::from_secs(2);

/// How often a lock is tried.
const LOCK_PAUSE: Duration = Duration::from_millis(25);

/// Locks a file, once whoever holds it has let go of it within `patience`.
pub(super) fn lock_within(file: &File, patience: Duration) -> Result<(), TryLockError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                thread::sleep(LOCK_PAUSE);
            }
            locked => return locked,
        }
    }
}

/// Why something did not reach the device: what it means, and what was said.
pub(super) struct Broken {
    pub(super) trouble: Trouble,
    pub(super) said: String,
}

impl Broken {
    pub(super) fn new(trouble: Trouble, said: &(impl fmt::Display + ?Sized)) -> Self {
        Self { trouble, said: said.to_string() }
    }
}

impl Broken {
    /// What of the device is behind an error of the store; `None` if it is not the device's.
    pub(super) fn of(error: &Error) -> Option<Self> {
        let Error::Unavailable(source) = error else { return None };
        if let Some(error) = source.downcast_ref::<io::Error>() {
            return Some(Self::new(Trouble::of(error), error));
        }
        source.downcast_ref::<sled::Error>().map(|error| error.clone().into())
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::new(Trouble::of(&error), &error)
    }
}

impl From<sled::Error> for Broken {
    fn from(error: sled::Error) -> Self {
        match &error {
            sled::Error::Io(io) => Self::new(Trouble::of(io), &error),
            _ => Self::new(Trouble::Database, &error),
        }
    }
}

/// Syncs on a thread of its own, so that a device that hangs does not take the committer with it.
///
/// Dropped in the middle of a sync, it leaves the thread to end when the device comes back.
pub(super) struct Barrier {
    orders: mpsc::Sender<(Db, Mark)>,
    done: mpsc::Receiver<Result<(), Broken>>,
    patience: Duration,
}

impl Barrier {
    pub(super) fn new(mut disk: Disk, faults: Arc<dyn Faults>) -> io::Result<Self> {
        let (orders, ordered) = mpsc::channel::<(Db, Mark)>();
        let (reply, done) = mpsc::channel();
        let patience = faults.patience();
        let work = move || {
            for (db, mark) in ordered {
                let synced = faults.strike(Touch::Sync).map_err(Broken::from);
                let synced = synced.and_then(|()| disk.sync(&db, &mark));
                // Let go of before the answer: the committer may be about to close the database.
                drop(db);
                if reply.send(synced).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name("store-sync".to_owned()).spawn(work)?;
        Ok(Self { orders, done, patience })
    }

    /// Returns once everything applied so far is on the device and `mark` says so, or when that takes too long.
    pub(super) fn sync(&self, db: &Db, mark: Mark) -> Result<(), Broken> {
        let gone = || Broken::new(Trouble::Database, "the sync thread panicked");
        self.orders.send((db.clone(), mark)).map_err(|_| gone())?;
        let begun = Instant::now();
        let mut pause = NUDGE;
        loop {
            let left = self.patience.saturating_sub(begun.elapsed());
            match self.done.recv_timeout(pause.min(left)) {
                Ok(synced) => return synced,
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) if left > pause => {
                    nudge(db.clone());
                    pause *= 2;
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Broken::new(Trouble::Slow, "a sync did not come back"));
                }
            }
        }
    }
}

/// Asks sled again, which wakes those who wait for a write that has failed.
fn nudge(db: Db) {
    let nudged = thread::Builder::new().name("store-nudge".to_owned()).spawn(move || db.flush());
    if let Err(error) = nudged {
        tracing::debug!(%error, "no thread for a nudge");
    }
}

/// Second handles on the database's files.
pub(super) struct Disk {
    log: File,
    mark: MarkFile,
    blobs: Blobs,
}

impl Disk {
    /// For a database that is open in `dir`. Puts the names of its files on the device as well.
    pub(super) fn new(dir: &Path) -> io::Result<Self> {
        let log = File::options().read(true).write(true).open(dir.join("db"))?;
        log.sync_all()?;
        File::open(dir.join("conf"))?.sync_all()?;
        let mark = MarkFile::open(dir)?;
        File::open(dir)?.sync_all()?;
        if let Some(parent) = dir.canonicalize()?.parent() {
            File::open(parent)?.sync_all()?;
        }
        let mut blobs = Blobs::new(dir.join("blobs"));
        blobs.sync(Instant::now())?;
        Ok(Self { log, mark, blobs })
    }

    /// Returns once everything applied so far is on the device and `mark` says so.
    pub(super) fn sync(&mut self, db: &Db, mark: &Mark) -> Result<(), Broken> {
        // `flush` writes sled's buffers to the file; what the kernel then holds is ours to push on.
        db.flush()?;
        hit(Failpoint::Flushed);
        self.log.sync_data()?;
        self.blobs.sync(Instant::now())?;
        hit(Failpoint::MarkDue);
        // Only now: a mark that is ahead of the database would be taken for a loss.
        Ok(self.mark.write(mark)?)
    }

    /// Writes a mark of what is on the device already.
    pub(super) fn mark(&mut self, mark: &Mark) -> io::Result<()> {
        self.mark.write(mark)
    }
}

/// Writes the log once more over itself and syncs it; nobody may have the database open.
///
/// After a failed sync the kernel may count pages as clean that never reached the device. They would be read as if
/// they were there, acknowledged as known, and gone after a power cut.
pub(super) fn rewrite(log: &mut File) -> io::Result<()> {
    let mut block = vec![0; 1024 * 1024];
    let mut at = 0;
    loop {
        log.seek(SeekFrom::Start(at))?;
        let read = log.read(&mut block)?;
        if read == 0 {
            return log.sync_all();
        }
        log.seek(SeekFrom::Start(at))?;
        log.write_all(&block[..read])?;
        at += read as u64;
    }
}
