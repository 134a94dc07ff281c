//! The database made anew, where most of its file is unused.
//!
//! sled writes each change to the end of its file and gives back what it no longer needs only a segment at a time, while
//! more is written. After a busy day most of the file is unused, and stays so while the bot has little to do. So a bot
//! that starts copies the entries into a new database, which then takes the place of the old one:
//!
//! 1. Every entry is copied as it is, the layout and the checksum with it, into a database in the folder [`COPYING`]. It
//!    is closed and opened again; what is read from its file must have the checksum that the old one has. Its files and
//!    the folder are synced. Nobody writes to the old one meanwhile.
//! 2. The folder is renamed: its new name begins with [`COMPLETE`] and says how many batches the copy has seen.
//! 3. What belongs to the old database alone, its snapshots and blobs, is removed, and that is synced. The copy has
//!    neither, and sled would take those of the old one for its own.
//! 4. `conf` and then `db` are renamed into the place of the old ones, and the folder is removed.
//!
//! Whoever takes the lock of the store comes to [`finish`] before looking at any file of the database. Up to the second
//! step, that removes the folder, and the old database is as good as before. From then on it goes on with the third step
//! as long as `db` is in the folder, else with the fourth; either may be done again. The high-water mark must say as many
//! batches as the name of the folder: otherwise something has been written to the old database since, by a program that
//! knows nothing of this, and the copy is what is removed.
//!
//! All of this comes after `clean_stop::begin` and the check of the store, so a crash in the middle looks to the next start
//! like any other: it has no note of a clean stop, and checks every entry.

use std::{
    fmt,
    fs::{self, DirBuilder, File},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Instant,
};

use sled::{Batch, Db};

use super::{
    broken, clean_stop, database,
    disk::Broken,
    fault_injection::{Faults, Touch},
    tree_checksum::TreeChecksum,
    watermark::Mark,
};
use crate::{
    base::failpoint::{self, Failpoint, hit},
    store::Error,
};

/// The folder in which a copy is made.
const COPYING: &str = "rebuilding";

/// What the name of the folder begins with once the copy is complete; the number of batches follows.
const COMPLETE: &str = "rebuilt-";

/// Keys and values may take one part in so many of the file. A new file is about three times as large as they are.
const SHARE: u64 = 8;

/// Bytes of keys and values that are copied at most, so that a start doesn't take long.
const USED_MAX: u64 = 128 * 1024 * 1024;

/// What a conversation at rest and an audit record usually take, or rather less, in bytes. They are counted already:
/// nothing is read of a store which must have more than it may.
const OF_SESSION: u64 = 1024;
const OF_RECORD: u64 = 32;

/// Bytes that are read of a store in which the conversations take much more than usual.
const READ_MAX: u64 = 8 * 1024 * 1024;

/// Bytes that must stay free.
const MARGIN: u64 = 64 * 1024 * 1024;

/// Entries that are copied at one time.
const CHUNK: usize = 256;

/// A copy of a database, complete but for its name.
pub(super) struct Copied {
    dir: PathBuf,
    /// Batches that the database has seen.
    batches: u64,
    /// Bytes of the old file.
    before: u64,
    begun: Instant,
}

/// Copies the open database in `dir`, which has come as far as `mark`, if most of its file is unused. `None` where it is to
/// be left as it is; that a copy could not be made is logged.
pub(super) fn copy(dir: &Path, db: &Db, mark: &Mark, faults: &Arc<dyn Faults>) -> Option<Copied> {
    let begun = Instant::now();
    let copied = wasted(dir, db, mark, faults.rebuilt_from()).and_then(|before| {
        let Some(before) = before else { return Ok(None) };
        make(dir, db, mark.checksum, faults)?;
        hit(Failpoint::CopyMade);
        let batches = mark.checksum.batches;
        Ok(Some(Copied { dir: dir.to_owned(), batches, before, begun }))
    });
    copied.unwrap_or_else(|error| {
        let said = Broken::of(&error).map_or_else(|| error.to_string(), |broken| broken.said);
        give_up(dir, &said);
        None
    })
}

impl Copied {
    /// Gives the copy the name of one that is complete, once nobody has the old database open any more; false where
    /// that fails, and the old one is to be used.
    pub(super) fn complete(&self, faults: &dyn Faults) -> bool {
        let name = self.dir.join(format!("{COMPLETE}{:016x}", self.batches));
        let named = clean_stop::settled(&self.dir)
            .and_then(|()| faults.strike(Touch::Replace))
            .and_then(|()| fs::rename(self.dir.join(COPYING), name))
            .and_then(|()| File::open(&self.dir)?.sync_all())
            .map(|()| hit(Failpoint::CopyNamed));
        named.inspect_err(|error| give_up(&self.dir, error)).is_ok()
    }

    /// Says what came of it, once the copy is in place.
    pub(super) fn report(&self) {
        let after = fs::metadata(self.dir.join("db")).map_or(0, |found| found.len());
        let (before, took) = (self.before, self.begun.elapsed());
        tracing::info!(
            bytes = after,
            before,
            ?took,
            "made the database anew, since most of its file was unused"
        );
    }
}

fn give_up(dir: &Path, error: &dyn fmt::Display) {
    tracing::warn!(
        %error,
        "most of the database's file is unused, but it can't be made anew; the bot goes on with it as it is"
    );
    if let Err(error) = discard(dir) {
        tracing::debug!(%error, "the copy could not be removed; the next start removes it");
    }
}

/// Brings to its end what a crash has interrupted: the copy takes the place of the database if it is complete, and is
/// removed if not. Nobody may have the database open. Again: changes nothing.
pub(super) fn finish(dir: &Path, faults: &dyn Faults) -> io::Result<()> {
    let Some((folder, batches)) = complete_one(dir)? else { return discard(dir) };
    if folder.join("db").exists() {
        let mark = Mark::read(dir).ok().flatten();
        if mark.is_none_or(|mark| mark.checksum.batches != batches) {
            return discard(dir);
        }
        faults.strike(Touch::Replace)?;
        remove_others(dir)?;
    }
    for name in ["conf", "db"] {
        faults.strike(Touch::Replace)?;
        match fs::rename(folder.join(name), dir.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => hit(Failpoint::CopyMoved),
        }
    }
    faults.strike(Touch::Replace)?;
    fs::remove_dir_all(&folder)?;
    File::open(dir)?.sync_all()
}

/// The folder with a complete copy, and how many batches that has seen.
fn complete_one(dir: &Path) -> io::Result<Option<(PathBuf, u64)>> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let batches = name.to_str().and_then(|name| name.strip_prefix(COMPLETE));
        if let Some(batches) = batches.and_then(|hex| u64::from_str_radix(hex, 16).ok()) {
            return Ok(Some((entry.path(), batches)));
        }
    }
    Ok(None)
}

/// Removes what belongs to the old database alone.
fn remove_others(dir: &Path) -> io::Result<()> {
    for name in clean_stop::of_the_database(dir)? {
        if name != "db" && name != "conf" {
            fs::remove_file(dir.join(name))?;
        }
    }
    let blobs = dir.join("blobs");
    fs::create_dir_all(&blobs)?;
    File::open(blobs)?.sync_all()?;
    // Before the copy is there: a snapshot of the old database would be taken for its own.
    File::open(dir)?.sync_all()
}

/// Removes a copy. A complete one is first made incomplete, for it counts as moved in part once its `db` is gone.
fn discard(dir: &Path) -> io::Result<()> {
    let copying = dir.join(COPYING);
    remove(&copying)?;
    if let Some((folder, _)) = complete_one(dir)? {
        fs::rename(folder, &copying)?;
        File::open(dir)?.sync_all()?;
        remove(&copying)?;
    }
    Ok(())
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Bytes of the database's file, if most of it is unused, and there is room for a copy.
fn wasted(dir: &Path, db: &Db, mark: &Mark, least: u64) -> Result<Option<u64>, Error> {
    let file = fs::metadata(dir.join("db")).map_err(Error::unavailable)?.len();
    let is_any = failpoint::is_rebuilding_always();
    if file < least && !is_any {
        return Ok(None);
    }
    let most = if is_any { USED_MAX } else { USED_MAX.min(file / SHARE) };
    let Some(used) = used(db, mark, most)? else { return Ok(None) };
    // The opening may have changed something that is not yet on the device; then it waits for the next one.
    if Mark::read(dir).map_err(Error::unavailable)?.as_ref() != Some(mark) {
        return Ok(None);
    }
    let free =
        rustix::fs::statvfs(dir).map_err(|error| Error::unavailable(io::Error::from(error)))?;
    if free.f_bavail.saturating_mul(free.f_frsize) < used * SHARE / 2 + MARGIN {
        let full = io::Error::new(io::ErrorKind::StorageFull, "there is too little free space");
        return Err(Error::unavailable(full));
    }
    Ok(Some(file))
}

/// Bytes of all keys and values, if these are at most so many.
fn used(db: &Db, mark: &Mark, most: u64) -> Result<Option<u64>, Error> {
    let sessions = mark.checksum.sessions.saturating_mul(OF_SESSION);
    let usual = sessions.saturating_add(mark.tip.next.saturating_mul(OF_RECORD));
    if usual > most {
        return Ok(None);
    }
    let most = most.min(4 * usual + READ_MAX);
    let mut used = 0;
    for entry in db.iter() {
        let (key, value) = entry.map_err(broken)?;
        used += (key.len() + value.len()) as u64;
        if used > most {
            return Ok(None);
        }
    }
    Ok(Some(used))
}

/// Makes the copy on a thread of its own: sled can panic, and on a full disk wait for ever.
fn make(
    dir: &Path,
    db: &Db,
    checksum: TreeChecksum,
    faults: &Arc<dyn Faults>,
) -> Result<(), Error> {
    let (folder, db, patience) = (dir.join(COPYING), db.clone(), faults.patience());
    let faults = Arc::clone(faults);
    let (reply, made) = mpsc::channel();
    let work = move || {
        let filled = fill(&folder, &db, &checksum, faults.as_ref());
        // Let go of before the answer: the database is about to be closed.
        drop(db);
        // Where nobody waits any more, the copy is of no use.
        _ = reply.send(filled);
    };
    thread::Builder::new()
        .name("store-rebuild".to_owned())
        .spawn(work)
        .map_err(Error::unavailable)?;
    made.recv_timeout(patience).unwrap_or_else(|gone| match gone {
        RecvTimeoutError::Timeout => {
            Err(Error::unavailable(io::Error::from(io::ErrorKind::TimedOut)))
        }
        RecvTimeoutError::Disconnected => {
            Err(Error::damaged(database::named(dir), "the database gave up on its files"))
        }
    })
}

/// Copies everything into a new database in `folder`, and returns once that is on the device and reads as it should.
fn fill(folder: &Path, db: &Db, checksum: &TreeChecksum, faults: &dyn Faults) -> Result<(), Error> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(Error::unavailable)?;
    let copy = database::open_or_mend(folder, database::SMALL_CACHE)?;
    let (mut batch, mut held) = (Batch::default(), 0);
    for entry in db.iter() {
        let (key, value) = entry.map_err(broken)?;
        batch.insert(key, value);
        held += 1;
        if held == CHUNK {
            copy.apply_batch(std::mem::take(&mut batch)).map_err(broken)?;
            held = 0;
        }
    }
    faults.strike(Touch::Copy).map_err(Error::unavailable)?;
    copy.apply_batch(batch).map_err(broken)?;
    copy.flush().map_err(broken)?;
    database::close(Some(copy));
    // Not what is in memory counts, but what is in the file.
    let copy = database::open_or_mend(folder, database::SMALL_CACHE)?;
    let is_whole = TreeChecksum::stored(&copy)? == Some(*checksum)
        && TreeChecksum::counted(&copy)?.is_same(checksum);
    database::close(Some(copy));
    if !is_whole {
        return Err(Error::damaged(
            database::named(folder),
            "its entries are not those of the old one",
        ));
    }
    settle(folder).map_err(Error::unavailable)
}

/// Puts the files of the copy on the device, and their names in it.
fn settle(folder: &Path) -> io::Result<()> {
    clean_stop::settled(folder)?;
    if fs::read_dir(folder.join("blobs"))?.next().is_some() {
        return Err(io::Error::other("a page is too large for the database's file"));
    }
    for name in ["db", "conf"] {
        File::open(folder.join(name))?.sync_all()?;
    }
    File::open(folder)?.sync_all()
}
