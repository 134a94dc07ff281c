//! sled's database: opened and closed without a panic, after repairing what a crash can leave of its files.

use std::{
    fs::{self, File, TryLockError},
    io,
    ops::RangeInclusive,
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};

use sled::Db;

use super::{disk, disk_reserve};
use crate::store::{Error, health::Trouble};

/// Page cache of a bot, in bytes. sled writes more where it has less.
pub(super) const CACHE: u64 = 64 * 1024 * 1024;

/// Page cache where everything is read once and in order, in bytes. sled takes about twice as much memory.
pub(super) const SMALL_CACHE: u64 = 8 * 1024 * 1024;

/// How often, and how far apart, a lock is tried that a store closed just before may still hold for a moment:
/// sled's own threads let go of it last.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// Opens; where that fails because of a damaged snapshot, once more without it. A snapshot only saves time: the
/// database is whole without one.
pub(super) fn open_or_mend(dir: &Path, cache: u64) -> Result<Db, Error> {
    match open_apart(dir, cache) {
        Ok(db) => Ok(db),
        // A full disk can look like anything to sled.
        Err(Failure::Damaged(_)) if let Err(error) = disk_reserve::probe(dir) => {
            Err(unopened(dir, error))
        }
        Err(Failure::Damaged(how)) if set_aside(dir).map_err(|error| unopened(dir, error))? => {
            tracing::warn!(
                dir = %dir.display(),
                how,
                "set aside a damaged snapshot; reopening without it"
            );
            open_apart(dir, cache).map_err(|failure| failure.into_error(dir))
        }
        Err(failure) => Err(failure.into_error(dir)),
    }
}

/// Renames `snap.…` to `damaged-snap.…`, so that it is out of the way and still there to look at; false if there
/// is none.
fn set_aside(dir: &Path) -> io::Result<bool> {
    let mut any = false;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("snap.") {
            fs::rename(entry.path(), dir.join(format!("damaged-{}", name.to_string_lossy())))?;
            any = true;
        }
    }
    Ok(any)
}

/// Why sled did not open.
enum Failure {
    /// The files are not as sled left them; it may also have panicked over them.
    Damaged(String),
    /// Somebody holds sled's lock.
    Locked,
    /// The files could not be read or written.
    Other(sled::Error),
}

impl Failure {
    fn into_error(self, dir: &Path) -> Error {
        match self {
            Self::Damaged(how) => Error::damaged(named(dir), how),
            Self::Locked => {
                Error::Busy { dir: dir.display().to_string(), pid: "unknown".to_owned() }
            }
            Self::Other(sled::Error::Io(error)) => unopened(dir, error),
            Self::Other(error) => Error::Unopened {
                dir: dir.display().to_string(),
                trouble: Trouble::Database,
                source: Arc::new(error),
            },
        }
    }
}

fn open_apart(dir: &Path, cache: u64) -> Result<Db, Failure> {
    for _ in 0..LOCK_TRIES {
        match try_apart(dir, cache) {
            Err(Failure::Locked) => thread::sleep(LOCK_PAUSE),
            other => return other,
        }
    }
    Err(Failure::Locked)
}

/// How often sled tidies its file and then syncs it, in milliseconds, whether or not anything was written. It empties one
/// segment, and takes half of that time at most; what was committed is put on the device by [`disk::Disk::sync`].
const TIDY_EVERY_MS: u64 = 5_000;

/// Bytes of a segment of a new database, the unit in which sled gives space back. Beside the one each time that it tidies, it
/// empties them only while pages are written anew, so with small ones (its default is 512 KB) most of the file of a busy
/// bot came to be free: nine tenths after an hour.
const SEGMENT: usize = 8 * 1024 * 1024;

/// What bytes a segment may have.
const SEGMENTS: RangeInclusive<usize> = 256..=16 * 1024 * 1024;

/// Bytes of a segment of the database in `dir`: what its configuration says, since that never changes.
fn segment_of(dir: &Path) -> usize {
    let conf = fs::read(dir.join("conf")).unwrap_or_default();
    let known = String::from_utf8_lossy(&conf)
        .lines()
        .find_map(|line| line.strip_prefix("segment_size: ")?.parse::<usize>().ok());
    // sled says what is wrong with a configuration that is damaged.
    known.filter(|bytes| bytes.is_power_of_two() && SEGMENTS.contains(bytes)).unwrap_or(SEGMENT)
}

/// Opens on a thread of its own, because sled can panic over damaged files.
fn try_apart(dir: &Path, cache: u64) -> Result<Db, Failure> {
    let config = sled::Config::new().path(dir).cache_capacity(cache).segment_size(segment_of(dir));
    let config = config.flush_every_ms(Some(TIDY_EVERY_MS));
    let thread = thread::Builder::new().name("store-open".to_owned());
    let opening = thread
        .spawn(move || config.open())
        .map_err(|error| Failure::Other(sled::Error::Io(error)))?;
    match opening.join() {
        Ok(Ok(db)) => Ok(db),
        Ok(Err(sled::Error::Corruption { .. })) => Err(Failure::Damaged("corruption".to_owned())),
        // sled has no kind of its own for this.
        Ok(Err(sled::Error::Io(error))) if error.to_string().contains("acquire lock") => {
            Err(Failure::Locked)
        }
        Ok(Err(error)) => Err(Failure::Other(error)),
        Err(panic) if is_shortage(&*panic) => {
            Err(Failure::Other(sled::Error::Io(io::ErrorKind::OutOfMemory.into())))
        }
        Err(_) => Err(Failure::Damaged("the database gave up on its files".to_owned())),
    }
}

/// Whether sled panicked because the system had no thread or memory for it: its files are as good as before. A thread
/// that gets no stack for signals says so with the system's own number.
fn is_shortage(panic: &(dyn std::any::Any + Send)) -> bool {
    // Its list of pages does not look at what the allocator gives it, and stumbles over the null pointer.
    let words = ["converting zero into", "failed to allocate"];
    if panic.downcast_ref::<&str>().is_some_and(|text| words.iter().any(|word| text.contains(word)))
    {
        return true;
    }
    let text = panic.downcast_ref::<String>().map_or("", String::as_str);
    let kinds = ["kind: WouldBlock", "kind: OutOfMemory"];
    let numbers = [rustix::io::Errno::AGAIN, rustix::io::Errno::NOMEM];
    kinds.iter().any(|kind| text.contains(kind))
        || numbers
            .iter()
            .any(|number| text.contains(&format!("(os error {})", number.raw_os_error())))
}

/// Lets go of a database. Apart, because sled can panic over files that it could not write; then there is nothing
/// more to lose.
pub(super) fn close(db: Option<Db>) {
    let Some(db) = db else { return };
    let closing = thread::Builder::new().name("store-close".to_owned()).spawn(move || drop(db));
    if !closing.is_ok_and(|closing| closing.join().is_ok()) {
        tracing::warn!("the database broke while it was closed; it is repaired when it is opened");
    }
}

/// Puts on the device what a failed sync may have left off it.
pub(super) fn settle(dir: &Path) -> Result<(), Error> {
    let mut log = match File::options().read(true).write(true).open(dir.join("db")) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unopened(dir, error)),
    };
    match disk::lock_within(&log, disk::SLED_LOCK) {
        Ok(()) => disk::rewrite(&mut log).map_err(|error| unopened(dir, error)),
        Err(TryLockError::WouldBlock) => Err(Failure::Locked.into_error(dir)),
        Err(TryLockError::Error(error)) => Err(unopened(dir, error)),
    }
}

/// Removes snapshots that were never finished: sled would take one for the newest.
pub(super) fn repair(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "generating") {
            tracing::info!(file = %path.display(), "removed an unfinished snapshot");
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Why the store in `dir` could not be opened.
pub(super) fn unopened(dir: &Path, error: io::Error) -> Error {
    let dir = dir.display().to_string();
    Error::Unopened { dir, trouble: Trouble::of(&error), source: Arc::new(error) }
}

/// What messages call the database in `dir`.
pub(super) fn named(dir: &Path) -> String {
    format!("database `{}`", dir.display())
}

#[cfg(test)]
mod tests {
    use super::is_shortage;

    #[test]
    fn a_panic_over_missing_memory_or_threads_is_no_damage() {
        let panic = |text: &str| is_shortage(&text.to_owned());
        assert!(panic(
            "failed to allocate an alternative stack: Cannot allocate memory (os error 12)"
        ));
        assert!(panic(
            "called `Result::unwrap()` on an `Err` value: Os { code: 11, kind: WouldBlock }"
        ));
        assert!(is_shortage(&"converting zero into `Owned`"));
        assert!(is_shortage(&"failed to allocate critical IO buffer"));
        assert!(!is_shortage(&"called `Option::unwrap()` on a `None` value"));
        assert!(!panic("No such file or directory (os error 2)"));
        assert!(!panic("called `Option::unwrap()` on a `None` value"));
    }
}
