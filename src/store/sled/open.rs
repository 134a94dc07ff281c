//! Opening: alone, after repairing what a crash can leave behind, and never with a panic.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io::{self, Read, Seek, Write},
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};

use sled::Db;

use super::{
    audit_record::Tip,
    broken, check, clean_stop,
    disk::{self, Broken, Disk},
    disk_reserve,
    fault_injection::{Faults, Touch},
    index_entries,
    key_store::{KeyStore, KeyStoreId, Slot},
    keys, read,
    tree_checksum::{self, TreeChecksum},
    watermark::Mark,
    write_batch::{Reader, Writes, is_first},
};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::SessionId,
    },
    store::{Error, health::Trouble, queue::Queue},
};

/// Page cache of a bot, in bytes. Waiting sessions are read from disk when somebody comes back to them.
pub(super) const CACHE: u64 = 64 * 1024 * 1024;

/// Page cache where everything is read once and in order, in bytes. sled takes about twice as much memory.
pub(super) const SMALL_CACHE: u64 = 8 * 1024 * 1024;

/// Version of the layout in `keys`.
pub(super) const LAYOUT: u8 = 4;

/// The one before, in which no session is compact, nor in a list; it is taken as it is and gets lists.
const LOOSE: u8 = 3;

/// The one before that, without checksums; it is taken as it is and gets them.
const UNCHECKED: u8 = 2;

/// How long the lock of the store is waited for: a child that is just being started holds the files of its parent until it
/// runs its own program.
const OWN_LOCK: Duration = Duration::from_millis(250);

/// How often, and how far apart, a lock is tried that a store closed just before may still hold for a moment:
/// sled's own threads let go of it last.
const LOCK_TRIES: u32 = 40;
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// What the committer takes over.
pub(super) struct Writing {
    pub(super) db: Db,
    pub(super) disk: Disk,
    pub(super) checksum: TreeChecksum,
    pub(super) tip: Tip,
    pub(super) outbox: Queue<Slot>,
    /// Sessions that are not compact.
    pub(super) loose: Vec<SessionId>,
}

/// An open database that nobody else has.
pub(super) struct Opened {
    pub(super) writing: Writing,
    pub(super) key_store: Arc<KeyStore>,
    /// Held as long as the store is used.
    pub(super) lock: File,
}

/// Opens the database in `dir` with a page cache of `cache` bytes.
pub(super) fn open(dir: &Path, faults: &Arc<dyn Faults>, cache: u64) -> Result<Opened, Error> {
    create(dir).map_err(|error| unopened(dir, error))?;
    // Our own lock comes first: whoever holds it may repair the files.
    let lock = with_room(dir, || lock(dir))?;
    hit(Failpoint::StoreLocked);
    // Before anything is written: opening would rewrite what it cannot read.
    check::check(dir)?;
    with_room(dir, || sign(&lock).map_err(|error| unopened(dir, error)))?;
    clean_stop::begin(dir).map_err(|error| unopened(dir, error))?;
    hit(Failpoint::StoreChecked);
    let (writing, key_store) = with_room(dir, || locked(dir, faults, None, cache))?;
    Ok(Opened { writing, key_store, lock })
}

/// Opens the database again after bad times, where the lock is held already, with the keys that are `known` by then.
pub(super) fn again(
    dir: &Path,
    faults: &Arc<dyn Faults>,
    known: Option<&Arc<KeyStore>>,
) -> Result<(Writing, Arc<KeyStore>), Error> {
    locked(dir, faults, known, CACHE)
}

fn locked(
    dir: &Path,
    faults: &Arc<dyn Faults>,
    known: Option<&Arc<KeyStore>>,
    cache: u64,
) -> Result<(Writing, Arc<KeyStore>), Error> {
    let unopened = |error| unopened(dir, error);
    faults.strike(Touch::Open).map_err(unopened)?;
    repair(dir).map_err(unopened)?;
    if disk_reserve::is_unsettled(dir) {
        settle(dir)?;
    }
    assemble(dir, known, cache).map_err(|error| match (Broken::of(&error), error) {
        (Some(Broken { trouble, .. }), Error::Unavailable(source)) => {
            Error::Unopened { dir: dir.display().to_string(), trouble, source }
        }
        (_, other) => other,
    })
}

fn assemble(
    dir: &Path,
    known: Option<&Arc<KeyStore>>,
    cache: u64,
) -> Result<(Writing, Arc<KeyStore>), Error> {
    let db = open_or_mend(dir, cache)?;
    let key_store = match layout(&db, dir)? {
        Some(Layout { version, id }) => {
            if let Some(known) = known.filter(|known| known.id() == id) {
                // Slots that were given away stay so, whatever became of the commits.
                Arc::clone(known)
            } else {
                let key_store = KeyStore::open(dir, Some(id), version == UNCHECKED)?;
                if version == UNCHECKED {
                    begin_tally(&db, LOOSE, id)?;
                }
                key_store.resume(last_slot(Reader::new(&db, &key_store))?)?;
                Arc::new(key_store)
            }
        }
        // sled takes a log that it cannot read for an empty one; the reserve is made after the layout is on the device.
        None if disk_reserve::is_known(dir) => {
            return Err(Error::lost(named(dir), "it is empty"));
        }
        None => {
            let key_store = KeyStore::open(dir, None, true)?;
            begin_tally(&db, LAYOUT, key_store.id())?;
            key_store.resume(None)?;
            Arc::new(key_store)
        }
    };
    let reader = Reader::new(&db, &key_store);
    hit(Failpoint::StoreOpened);
    let mut disk = Disk::new(dir).map_err(|error| unopened(dir, error))?;
    hit(Failpoint::FilesSettled);
    let tip = read::tip(reader)?;
    let mut checksum = check::against_mark(dir, &db, &tip)?;
    // Opening and the layout are on the device; nothing else has been written.
    disk.mark(&Mark { checksum, tip: tip.clone() }).map_err(|error| unopened(dir, error))?;
    finish_shredding(reader, &mut checksum)?;
    raise_layout(reader, &mut checksum)?;
    let outbox = outbox(reader)?;
    let loose =
        reader.keys(&[keys::LOOSE])?.iter().filter_map(|key| keys::session_of(key)).collect();
    Ok((Writing { db, disk, checksum, tip, outbox, loose }, key_store))
}

/// What the database says of itself.
pub(super) struct Layout {
    pub(super) version: u8,
    /// Which file of keys it goes with.
    pub(super) id: KeyStoreId,
}

impl Layout {
    /// Whether it has checksums.
    pub(super) const fn is_checked(&self) -> bool {
        self.version != UNCHECKED
    }
}

/// Gives a database its layout and the checksum of what it holds.
fn begin_tally(db: &Db, layout: u8, id: KeyStoreId) -> Result<(), Error> {
    let mut checksum = TreeChecksum::counted(db)?;
    let entry = [&[layout], &id[..]].concat();
    tree_checksum::apply(db, &mut checksum, &Writes::from([(keys::layout(), Some(entry))]))?;
    db.flush().map_err(broken)?;
    Ok(())
}

/// Gives a store of an older layout what it lacks, and says that an older program may not be able to read it.
fn raise_layout(reader: Reader<'_>, checksum: &mut TreeChecksum) -> Result<(), Error> {
    let (tree, id) = (reader.tree, reader.key_store.id());
    let entry = [&[LAYOUT], &id[..]].concat();
    if tree.get(keys::layout()).map_err(broken)?.as_deref() == Some(&entry) {
        return Ok(());
    }
    list_sessions(reader, checksum)?;
    tree_checksum::apply(tree, checksum, &Writes::from([(keys::layout(), Some(entry))]))
}

/// Sessions that are listed in one go.
const PAGE: usize = 256;

/// Puts the sessions of a store that had no lists into those that they belong to. Again: changes nothing.
pub(super) fn list_sessions(reader: Reader<'_>, checksum: &mut TreeChecksum) -> Result<(), Error> {
    let mut after = None;
    loop {
        let heads = read::sessions(reader, after, PAGE)?;
        let Some(last) = heads.last() else { return Ok(()) };
        after = Some(last.id);
        let entries = heads.iter().flat_map(index_entries::in_lists);
        let writes = entries.map(|entry| (entry, Some(Vec::new()))).collect();
        tree_checksum::apply(reader.tree, checksum, &writes)?;
    }
}

/// The layout of a database; none where it is new.
pub(super) fn layout(db: &Db, dir: &Path) -> Result<Option<Layout>, Error> {
    let layout = db.get(keys::layout()).map_err(broken)?;
    layout.map(|layout| check_layout(&layout, dir)).transpose()
}

/// The layout as it is written, for the database in `dir`.
pub(super) fn check_layout(layout: &[u8], dir: &Path) -> Result<Layout, Error> {
    let what = || named(dir);
    match layout.split_first() {
        Some((&version @ (UNCHECKED | LOOSE | LAYOUT), id)) => match KeyStoreId::try_from(id) {
            Ok(id) => Ok(Layout { version, id }),
            Err(_) => Err(Error::damaged(what(), "it does not say which keys it goes with")),
        },
        Some((&version, _)) if version > LAYOUT => {
            Err(Error::foreign(what(), format_args!("layout {version}")))
        }
        _ => Err(Error::outdated(what(), UNCHECKED)),
    }
}

/// The last slot that holds anything.
pub(super) fn last_slot(reader: Reader<'_>) -> Result<Option<Slot>, Error> {
    let mut last = None;
    // A slot whose key is still to be shredded has nothing else, and must not be given away once it is.
    for family in [keys::FRAME, keys::OUTBOX, keys::DOOMED] {
        let key = reader.tree.scan_prefix([family]).keys().next_back();
        last = last.max(key.transpose().map_err(broken)?.and_then(|key| keys::slot_of(&key)));
    }
    Ok(last)
}

/// Shreds what an erasure has left to be shredded.
fn finish_shredding(reader: Reader<'_>, checksum: &mut TreeChecksum) -> Result<(), Error> {
    let left = reader.keys(&[keys::DOOMED])?;
    if left.is_empty() {
        return Ok(());
    }
    let doomed = doomed(&left);
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

/// The slots in keys made by [`keys::doomed`].
pub(super) fn doomed(keys: &[keys::Key]) -> Vec<Slot> {
    keys.iter().filter_map(|key| keys::slot_of(key)).collect()
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

/// Lets go of a database. Apart, because sled can panic over files that it could not write; then there is nothing
/// more to lose.
pub(super) fn close(db: Option<Db>) {
    let Some(db) = db else { return };
    let closing = thread::Builder::new().name("store-close".to_owned()).spawn(move || drop(db));
    if !closing.is_ok_and(|closing| closing.join().is_ok()) {
        tracing::warn!("the database broke while it was closed; it is repaired when it is opened");
    }
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

pub(super) fn unopened(dir: &Path, error: io::Error) -> Error {
    let dir = dir.display().to_string();
    Error::Unopened { dir, trouble: Trouble::of(&error), source: Arc::new(error) }
}

pub(super) fn named(dir: &Path) -> String {
    format!("database `{}`", dir.display())
}

/// Puts on the device what a failed sync may have left off it.
fn settle(dir: &Path) -> Result<(), Error> {
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

/// Creates the directory, for its owner's eyes alone.
fn create(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(dir)
}

/// Takes the lock, which is on the file that names its holder.
pub(super) fn lock(dir: &Path) -> Result<File, Error> {
    let path = dir.join("pid");
    let options = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = options.map_err(|error| unopened(dir, error))?;
    match disk::lock_within(&file, OWN_LOCK) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(busy(dir, &mut file)),
        Err(TryLockError::Error(error)) => Err(unopened(dir, error)),
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

/// How often sled tidies its file and then syncs it, in milliseconds, whether or not anything was written. It tidies for half
/// of that time at most; what was committed is put on the device by [`Disk::sync`].
const TIDY_EVERY_MS: u64 = 10_000;

/// Opens on a thread of its own, because sled can panic over damaged files.
fn try_apart(dir: &Path, cache: u64) -> Result<Db, Failure> {
    let config = sled::Config::new().path(dir).cache_capacity(cache);
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
