//! Opening: alone, after repairing what a crash can leave behind, and never with a panic.

use std::{
    collections::HashMap,
    fs::{self, DirBuilder, File, TryLockError},
    io::{self, Read, Seek, Write},
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};

use sled::Db;

use super::{
    broken,
    committer::Writing,
    disk::Disk,
    keys, read,
    stage::{Reader, is_first},
    vault::{Slot, Vault, VaultId},
};
use crate::{ids::EffectId, store::Error};

/// Memory for pages, in bytes. Waiting sessions are read from disk when somebody comes back to them.
const CACHE: u64 = 64 * 1024 * 1024;

/// Version of the layout in `keys`.
const LAYOUT: u8 = 2;

/// How often, and how far apart, a lock is tried that a store closed just before may still hold for a moment:
/// sled's own threads let go of it last.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// Which session each effect in the outbox is of.
pub(super) type Outbox = HashMap<EffectId, Slot>;

/// An open database that nobody else has.
pub(super) struct Opened {
    pub(super) writing: Writing,
    pub(super) vault: Arc<Vault>,
    /// Held as long as the database is open.
    pub(super) lock: File,
}

pub(super) fn open(dir: &Path) -> Result<Opened, Error> {
    create(dir).map_err(Error::unavailable)?;
    // Our own lock comes first: whoever holds it may repair the files.
    let lock = lock(dir)?;
    repair(dir).map_err(Error::unavailable)?;
    let db = open_or_mend(dir)?;
    let vault = if let Some(id) = layout(&db, dir)? {
        Vault::open(dir, Some(id))?
    } else {
        let vault = Vault::open(dir, None)?;
        let entry = [&[LAYOUT], &vault.id()[..]].concat();
        db.insert(keys::layout(), entry).map_err(broken)?;
        vault
    };
    let reader = Reader { tree: &db, vault: &vault };
    vault.resume(last_slot(reader)?)?;
    let disk = Disk::new(dir).map_err(Error::unavailable)?;
    finish_shredding(reader)?;
    let tip = read::tip(reader)?;
    let outbox = outbox(reader)?;
    let writing = Writing { db, disk, tip, outbox };
    Ok(Opened { writing, vault: Arc::new(vault), lock })
}

/// Which file of keys the database goes with; none where it is new.
fn layout(db: &Db, dir: &Path) -> Result<Option<VaultId>, Error> {
    let Some(layout) = db.get(keys::layout()).map_err(broken)? else { return Ok(None) };
    let what = || format!("database `{}`", dir.display());
    match layout.split_first() {
        Some((&LAYOUT, id)) => match VaultId::try_from(id) {
            Ok(id) => Ok(Some(id)),
            Err(_) => Err(Error::damaged(what(), "it does not say which keys it goes with")),
        },
        Some((&version, _)) if version > LAYOUT => {
            Err(Error::foreign(what(), format_args!("layout {version}")))
        }
        _ => Err(Error::outdated(what(), LAYOUT)),
    }
}

/// The last slot that holds anything.
fn last_slot(reader: Reader<'_>) -> Result<Option<Slot>, Error> {
    let mut last = None;
    for family in [keys::FRAME, keys::OUTBOX] {
        let key = reader.tree.scan_prefix([family]).keys().next_back();
        last = last.max(key.transpose().map_err(broken)?.and_then(|key| keys::slot_of(&key)));
    }
    Ok(last)
}

/// Shreds what an erasure has left to be shredded.
fn finish_shredding(reader: Reader<'_>) -> Result<(), Error> {
    let left = reader.keys(&[keys::DOOMED])?;
    if left.is_empty() {
        return Ok(());
    }
    let doomed: Vec<Slot> = left.iter().filter_map(|key| keys::slot_of(key)).collect();
    reader.vault.shred(&doomed)?;
    for key in left {
        reader.tree.remove(key).map_err(broken)?;
    }
    tracing::info!(sessions = doomed.len(), "finished erasures that a crash had interrupted");
    Ok(())
}

fn outbox(reader: Reader<'_>) -> Result<Outbox, Error> {
    let mut outbox = Outbox::new();
    for key in reader.tree.scan_prefix([keys::OUTBOX]).keys() {
        let key = key.map_err(broken)?;
        if is_first(&key)
            && let (Some(slot), Some(effect)) = (keys::slot_of(&key), keys::effect_of(&key))
        {
            outbox.insert(effect, slot);
        }
    }
    Ok(outbox)
}

/// Creates the directory, for its owner's eyes alone.
fn create(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir)
}

/// Takes the lock, which is on the file that names its holder.
fn lock(dir: &Path) -> Result<File, Error> {
    let path = dir.join("pid");
    let options = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = options.map_err(Error::unavailable)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(busy(dir, &mut file)),
        Err(TryLockError::Error(error)) => return Err(Error::unavailable(error)),
    }
    let sign = |file: &mut File| {
        file.rewind()?;
        file.set_len(0)?;
        write!(file, "{}", std::process::id())
    };
    sign(&mut file).map_err(Error::unavailable)?;
    Ok(file)
}

fn busy(dir: &Path, holder: &mut File) -> Error {
    let mut pid = String::new();
    let read = holder.read_to_string(&mut pid);
    if read.is_err() || pid.parse::<u32>().is_err() {
        "unknown".clone_into(&mut pid);
    }
    Error::Busy { dir: dir.display().to_string(), pid }
}

/// Removes snapshots that were never finished: sled would take one for the newest.
fn repair(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "generating") {
            tracing::info!(file = %path.display(), "removed an unfinished snapshot");
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Opens; where that fails because of a damaged snapshot, once more without it. A snapshot only saves time: the
/// database is whole without one.
fn open_or_mend(dir: &Path) -> Result<Db, Error> {
    match open_apart(dir) {
        Ok(db) => Ok(db),
        Err(Failure::Damaged(how)) if set_aside(dir).map_err(Error::unavailable)? => {
            tracing::warn!(
                dir = %dir.display(),
                how,
                "a damaged snapshot was set aside; opening once more without it"
            );
            open_apart(dir).map_err(|failure| failure.into_error(dir))
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
            Self::Damaged(how) => Error::damaged(format_args!("database `{}`", dir.display()), how),
            Self::Locked => {
                Error::Busy { dir: dir.display().to_string(), pid: "unknown".to_owned() }
            }
            Self::Other(error) => Error::unavailable(error),
        }
    }
}

fn open_apart(dir: &Path) -> Result<Db, Failure> {
    for _ in 0..LOCK_TRIES {
        match try_apart(dir) {
            Err(Failure::Locked) => thread::sleep(LOCK_PAUSE),
            other => return other,
        }
    }
    Err(Failure::Locked)
}

/// Opens on a thread of its own, because sled can panic over damaged files.
fn try_apart(dir: &Path) -> Result<Db, Failure> {
    let config = sled::Config::new().path(dir).cache_capacity(CACHE);
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
        Err(_) => Err(Failure::Damaged("the database gave up on its files".to_owned())),
    }
}
