//! Opening: alone, after a check, and with what a crash has interrupted brought to its end.

use std::{
    collections::BTreeSet,
    fs::{DirBuilder, File, TryLockError},
    io::{self, Read, Seek, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

use sled::Db;

use super::{
    archive::{self, Archive},
    audit_record::Tip,
    broken, check, clean_stop, database,
    disk::{self, Broken, Disk},
    disk_reserve,
    fault_injection::{Faults, NoFaults, Touch},
    key_store::{self, KeyStore, Slot},
    keys,
    layout::{self, Layout},
    read, rebuild,
    tree_checksum::{self, TreeChecksum},
    watermark::Mark,
    write_batch::{Reader, is_first},
};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::SessionId,
    },
    store::{Error, health::Trouble, portable::Secret, queue::Queue},
};

/// How long the lock of the store is waited for: a child that is just being started holds the files of its parent until it
/// runs its own program.
const OWN_LOCK: Duration = Duration::from_millis(250);

/// What the committer takes over.
pub(super) struct Writing {
    pub(super) db: Db,
    pub(super) disk: Disk,
    pub(super) checksum: TreeChecksum,
    pub(super) tip: Tip,
    pub(super) outbox: Queue<Slot>,
    /// Sessions that are not compact.
    pub(super) loose: Vec<SessionId>,
    /// Segments of the archive that are half empty.
    pub(super) half_empty: BTreeSet<u32>,
}

/// The files beside the database, which stay open while it is opened again.
#[derive(Clone)]
pub(super) struct Beside {
    pub(super) key_store: Arc<KeyStore>,
    pub(super) archive: Arc<Archive>,
}

/// An open database that nobody else has.
pub(super) struct Opened {
    pub(super) writing: Writing,
    pub(super) beside: Beside,
    /// Held as long as the store is used.
    pub(super) lock: File,
}

/// Opens the database in `dir` with a page cache of `cache` bytes.
pub(super) fn open(dir: &Path, faults: &Arc<dyn Faults>, cache: u64) -> Result<Opened, Error> {
    create(dir).map_err(|error| database::unopened(dir, error))?;
    // Our own lock comes first: whoever holds it may repair the files.
    let lock = with_room(dir, || lock(dir))?;
    hit(Failpoint::StoreLocked);
    // Before anything is written: opening would rewrite what it cannot read.
    check::check(dir)?;
    with_room(dir, || sign(&lock).map_err(|error| database::unopened(dir, error)))?;
    clean_stop::begin(dir).map_err(|error| database::unopened(dir, error))?;
    hit(Failpoint::StoreChecked);
    let (writing, beside) = with_room(dir, || locked(dir, faults, None, cache))?;
    Ok(Opened { writing, beside, lock })
}

/// Opens the database in `dir` for a bot, and makes it anew where most of its file is unused.
pub(super) fn open_and_shrink(dir: &Path, faults: &Arc<dyn Faults>) -> Result<Opened, Error> {
    let opened = open(dir, faults, database::CACHE)?;
    let Writing { db, checksum, tip, .. } = &opened.writing;
    let mark = Mark { checksum: *checksum, tip: tip.clone() };
    let Some(copied) = rebuild::copy(dir, db, &mark, faults) else { return Ok(opened) };
    let Opened { writing, beside, lock } = opened;
    database::close(Some(writing.db));
    let unopened = |error| database::unopened(dir, error);
    if copied.complete(faults.as_ref()) {
        with_room(dir, || rebuild::finish(dir, faults.as_ref()).map_err(unopened))?;
        copied.report();
    }
    let opening = || locked(dir, faults, Some(&beside), database::CACHE);
    let (writing, beside) = with_room(dir, opening)?;
    Ok(Opened { writing, beside, lock })
}

/// Begins the store in `dir` with this secret, where there is none; refuses one that has another. Again with the same:
/// changes nothing.
pub(super) fn found(dir: &Path, secret: &Secret) -> Result<(), Error> {
    create(dir).map_err(|error| database::unopened(dir, error))?;
    let _lock = lock(dir)?;
    match key_store::secret_of(dir) {
        Ok(Some(known)) if known == *secret => Ok(()),
        Ok(None) if !dir.join("db").exists() => key_store::found(dir, secret),
        Ok(_) => Err(Error::Occupied { what: format!("`{}`", dir.display()) }),
        Err(error) => Err(error),
    }
}

/// Opens the database again after bad times, where the lock is held already, with the files that are `known` by then.
pub(super) fn again(
    dir: &Path,
    faults: &Arc<dyn Faults>,
    known: Option<&Beside>,
) -> Result<(Writing, Beside), Error> {
    locked(dir, faults, known, database::CACHE)
}

fn locked(
    dir: &Path,
    faults: &Arc<dyn Faults>,
    known: Option<&Beside>,
    cache: u64,
) -> Result<(Writing, Beside), Error> {
    let unopened = |error| database::unopened(dir, error);
    faults.strike(Touch::Open).map_err(unopened)?;
    database::repair(dir).map_err(unopened)?;
    if disk_reserve::is_unsettled(dir) {
        database::settle(dir)?;
    }
    assemble(dir, known, cache).map_err(|error| match (Broken::of(&error), error) {
        (Some(Broken { trouble, .. }), Error::Unavailable(source)) => {
            Error::Unopened { dir: dir.display().to_string(), trouble, source }
        }
        (_, other) => other,
    })
}

fn assemble(dir: &Path, known: Option<&Beside>, cache: u64) -> Result<(Writing, Beside), Error> {
    let db = database::open_or_mend(dir, cache)?;
    let key_store = match Layout::read(&db, dir)? {
        Some(found) => {
            let id = found.id;
            if let Some(known) = known.filter(|known| known.key_store.id() == id) {
                // Slots that were given away stay so, whatever became of the commits.
                Arc::clone(&known.key_store)
            } else {
                let key_store = KeyStore::open(dir, Some(id), !found.is_checked())?;
                if !found.is_checked() {
                    layout::begin(&db, layout::LOOSE, id)?;
                }
                key_store.resume(read::last_slot(Reader::new(&db, &key_store, None))?)?;
                Arc::new(key_store)
            }
        }
        // sled takes a log that it cannot read for an empty one; the reserve is made after the layout is on the device.
        None if disk_reserve::is_known(dir) => {
            return Err(Error::lost(database::named(dir), "it is empty"));
        }
        None => {
            let key_store = KeyStore::open(dir, None, true)?;
            layout::begin(&db, layout::LATEST, key_store.id())?;
            key_store.resume(None)?;
            Arc::new(key_store)
        }
    };
    let archive = match known {
        Some(known) => Arc::clone(&known.archive),
        None => Arc::new(archive_of(dir, &db, &key_store)?),
    };
    let reader = Reader::new(&db, &key_store, Some(&archive));
    hit(Failpoint::StoreOpened);
    let mut disk = Disk::new(dir).map_err(|error| database::unopened(dir, error))?;
    hit(Failpoint::FilesSettled);
    let tip = read::tip(reader)?;
    let mut checksum = check::against_mark(dir, &db, &tip)?;
    if known.is_none() {
        archive.tidy(&db)?;
    }
    // Opening and the layout are on the device; nothing else has been written.
    disk.mark(&Mark { checksum, tip: tip.clone() })
        .map_err(|error| database::unopened(dir, error))?;
    finish_shredding(reader, &mut checksum)?;
    layout::raise(reader, &mut checksum)?;
    let outbox = outbox(reader)?;
    let loose =
        reader.keys(&[keys::LOOSE])?.iter().filter_map(|key| keys::session_of(key)).collect();
    let half_empty = archive::all_half_empty(&db)?;
    let writing = Writing { db, disk, checksum, tip, outbox, loose, half_empty };
    Ok((writing, Beside { key_store, archive }))
}

/// The archive that goes with a database; refused where it is not all there.
fn archive_of(dir: &Path, db: &Db, key_store: &KeyStore) -> Result<Archive, Error> {
    let end = archive::end(db)?.unwrap_or_default();
    let archive = Archive::of(dir, key_store.id(), end);
    let refused = |how: String| Err(Error::refused(database::named(dir), how));
    for segment in archive::segments(db)? {
        let path = archive.path(segment);
        let name = path.display();
        match archive.look_at(segment) {
            Ok(begins) if begins.is_others => {
                return refused(format!("`{name}` belongs to another store"));
            }
            Ok(begins) if begins.is_cut(segment, end) => {
                return refused(format!("`{name}` ends early"));
            }
            Ok(_) => {}
            // Each conversation in it tells by itself.
            Err(error) if archive::is_damage(&error) => {
                tracing::warn!(segment = %name, %error, "a part of the archive can't be read");
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return refused(format!("`{name}` is missing"));
            }
            Err(error) => return Err(database::unopened(dir, error)),
        }
    }
    Ok(archive)
}

/// Shreds what an erasure has left to be shredded.
fn finish_shredding(reader: Reader<'_>, checksum: &mut TreeChecksum) -> Result<(), Error> {
    let left = reader.keys(&[keys::DOOMED])?;
    if left.is_empty() {
        return Ok(());
    }
    let doomed = keys::doomed_slots(&left);
    hit(Failpoint::ShredLeft);
    reader.key_store.shred(&doomed)?;
    tree_checksum::apply(
        reader.tree,
        checksum,
        &left.into_iter().map(|key| (key, None)).collect(),
    )?;
    tracing::info!(sessions = doomed.len(), "finished erasures that a crash had interrupted");
    Ok(())
}

fn outbox(reader: Reader<'_>) -> Result<Queue<Slot>, Error> {
    let mut outbox = Queue::default();
    for key in reader.tree.scan_prefix([keys::OUTBOX]).keys() {
        let key = key.map_err(broken)?;
        if is_first(&key)
            && let (Some(slot), Some(effect)) = (keys::slot_of(&key), keys::effect_of(&key))
        {
            outbox.add(slot, effect);
        }
    }
    Ok(outbox)
}

/// Tries once more with the reserve given back, where the disk is full.
fn with_room<T>(dir: &Path, act: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    match act() {
        Err(full @ Error::Unopened { trouble: Trouble::Full, .. }) => {
            match disk_reserve::give_back(dir) {
                Ok(true) => act(),
                _ => Err(full),
            }
        }
        other => other,
    }
}

/// Creates the directory, for its owner's eyes alone.
fn create(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir)
}

/// Takes the lock, which is on the file that names its holder. What a crash has interrupted while the database was made anew
/// is brought to its end.
pub(super) fn lock(dir: &Path) -> Result<File, Error> {
    let path = dir.join("pid");
    let options = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = options.map_err(|error| database::unopened(dir, error))?;
    match disk::lock_within(&file, OWN_LOCK) {
        Ok(()) => {
            let finished = rebuild::finish(dir, &NoFaults);
            finished.map(|()| file).map_err(|error| database::unopened(dir, error))
        }
        Err(TryLockError::WouldBlock) => Err(busy(dir, &mut file)),
        Err(TryLockError::Error(error)) => Err(database::unopened(dir, error)),
    }
}

/// Writes who holds the lock into its file.
fn sign(mut file: &File) -> io::Result<()> {
    file.rewind()?;
    file.set_len(0)?;
    write!(file, "{}", std::process::id())
}

fn busy(dir: &Path, holder: &mut File) -> Error {
    let mut pid = String::new();
    let read = holder.read_to_string(&mut pid);
    if read.is_err() || pid.parse::<u32>().is_err() {
        "unknown".clone_into(&mut pid);
    }
    Error::Busy { dir: dir.display().to_string(), pid }
}
