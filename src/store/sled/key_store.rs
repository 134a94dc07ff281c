//! The file of keys beside the database: one for each session, so that erasing 32 bytes erases all it has said.
//!
//! sled keeps old segments, and with them what was deleted. So nothing of a session reaches sled in clear: its frames,
//! head, effects and the words of its audit records are sealed with a key of its own, which lies in
//! `keys`, a file of slots of 32 bytes:
//!
//! | slot | holds |
//! |---|---|
//! | 0 | `anteroom keys 1\n`, then 16 random bytes that the database holds as well |
//! | 1 | the store's secret, for digests in keys |
//! | 2… | a session's key; zeros once it is shredded |
//!
//! Beside it lies a file of their checksums (see `sums`). Offsets never change, so the file does not get shorter; what it
//! takes of the device does (see `holes`).
//!
//! A key is on the device before anything sealed with it is written: slots are made and synced some at a time, ahead
//! of need. A slot is never used twice. Shredding overwrites it in place and syncs.
//!
//! What this promises: once an erasure is acknowledged, nobody can read the session from the files, whatever old
//! segments sled keeps, on a device and a file system that overwrite in place (ext4, xfs, APFS without snapshots of
//! the volume). What it does not: a copy-on-write file system or one that journals data (btrfs, zfs, snapshots), and
//! the spare cells of a solid-state disk, may keep the 32 bytes for a while; a backup made before keeps its own copy.

mod holes;
pub(super) mod sums;

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use self::sums::{KeySums, SUMS_FILE};
use crate::{
    base::failpoint::{Failpoint, hit},
    store::{
        Error,
        portable::Secret,
        sealing::{self, Key, SECRET as WIDTH, StoreSecret},
        unreadable::Found,
    },
};

/// The file's name in the store's directory.
pub const KEYS_FILE: &str = "keys";

/// The place of a session's key.
pub(super) type Slot = u32;

/// Tells one file of keys from another.
pub(super) type KeyStoreId = [u8; 16];

/// What the file begins with.
const MAGIC: &[u8; 16] = b"anteroom keys 1\n";

/// The store's secret.
const SECRET: Slot = 1;

/// The first slot of a session.
const FIRST: Slot = 2;

/// Slots made at a time: a sync for each is one more for every so many sessions.
const AHEAD: Slot = 64;

/// Keys that are cached, each of about a kilobyte.
const CACHED_MAX: usize = 1024;

const SHREDDED: [u8; WIDTH] = [0; WIDTH];

/// The open file of keys.
pub(super) struct KeyStore {
    file: File,
    sums: KeySums,
    path: PathBuf,
    id: KeyStoreId,
    /// The store's own secret.
    pub(super) secret: StoreSecret,
    slots: Mutex<Slots>,
    /// Keys that were read lately. Held while one is read or shredded, so that none outlives its slot.
    cache: Mutex<HashMap<Slot, Arc<Key>>>,
    /// Records that its keys could not open, or that are missing.
    pub(super) unreadable: Found,
}

/// Which slots are free: made, synced and not given to a session.
struct Slots {
    next: Slot,
    end: Slot,
}

impl KeyStore {
    /// Opens the file of keys in `dir`. `known` is what the database says about it: none for a new database, for which
    /// the file is made where it is missing. With `makes_sums` checksums are made of slots that have none: in a new store,
    /// in one that is restored, and in one of an older layout.
    pub(super) fn open(
        dir: &Path,
        known: Option<KeyStoreId>,
        makes_sums: bool,
    ) -> Result<Self, Error> {
        let path = dir.join(KEYS_FILE);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(known.is_none()).truncate(false).mode(0o600);
        let file = options.open(&path).map_err(|error| missing(&path, error))?;
        let length = file.metadata().map_err(Error::unavailable)?.len();
        if known.is_none() && length < 2 * WIDTH as u64 {
            begin(&file, dir, None).map_err(Error::unavailable)?;
        }
        let sums = KeySums::open(dir, makes_sums);
        let sums = sums.map_err(|error| missing(&dir.join(SUMS_FILE), error))?;
        if makes_sums {
            add_sums(&file, &sums, dir).map_err(Error::unavailable)?;
        }
        Self::over((file, sums), path, known)
    }

    /// Opens the file of keys in `dir` to read it; whatever would write fails.
    pub(super) fn read_only(dir: &Path, known: KeyStoreId) -> Result<Self, Error> {
        let path = dir.join(KEYS_FILE);
        let file = File::open(&path).map_err(|error| missing(&path, error))?;
        let sums = KeySums::read_only(dir);
        let sums = sums.map_err(|error| missing(&dir.join(SUMS_FILE), error))?;
        Self::over((file, sums), path, Some(known))
    }

    /// Opens the file of keys in `dir` to take over what fits it, whatever its checksums say.
    pub(super) fn unverified(dir: &Path, known: KeyStoreId) -> Result<Self, Error> {
        let path = dir.join(KEYS_FILE);
        let file = File::open(&path).map_err(|error| missing(&path, error))?;
        let sums = file.try_clone().map(KeySums::over).map_err(Error::unavailable)?;
        let key_store = Self::over((file, sums), path, None)?;
        if key_store.id != known {
            tracing::warn!("the file of keys does not name the database it belongs to");
        }
        Ok(key_store)
    }

    fn over(
        (file, sums): (File, KeySums),
        path: PathBuf,
        known: Option<KeyStoreId>,
    ) -> Result<Self, Error> {
        let what = || format!("file of keys `{}`", path.display());
        let header = read(&file, 0).map_err(|_| Error::damaged(what(), "it ends early"))?;
        let (magic, id) = header.split_at(MAGIC.len());
        let id = KeyStoreId::try_from(id).unwrap_or_default();
        if magic != MAGIC {
            return Err(Error::damaged(what(), "it does not begin as one"));
        }
        if known.is_some_and(|known| known != id) {
            return Err(Error::damaged(what(), "it belongs to another database"));
        }
        let secret = read(&file, SECRET).map_err(|_| Error::damaged(what(), "it ends early"))?;
        let length = file.metadata().map_err(Error::unavailable)?.len();
        // What a crash left of a slot that is unfinished, or has no checksum, was never used.
        let end = Slot::try_from(length / WIDTH as u64).map_err(Error::unavailable)?;
        let end = end.min(sums.count().map_err(Error::unavailable)?);
        let secret = StoreSecret::new(&secret);
        let slots = Mutex::new(Slots { next: end, end });
        let (cache, unreadable) = (Mutex::default(), Found::default());
        Ok(Self { file, sums, path, id, secret, slots, cache, unreadable })
    }

    /// Tells this file from another one.
    pub(super) const fn id(&self) -> KeyStoreId {
        self.id
    }

    /// Looks whether every slot up to `used`, the last that the database names, is as it was written; those that are
    /// about to be shredded may be so already.
    pub(super) fn verify(&self, used: Option<Slot>, doomed: &[Slot]) -> Result<(), Error> {
        let what = || format!("file of keys `{}`", self.path.display());
        let early = |_| Error::damaged(what(), "it is too short");
        // Keys are on the device before their checksums.
        let made = self.count().map_err(Error::unavailable)?;
        if made < self.sums.count().map_err(Error::unavailable)? {
            return Err(early(io::ErrorKind::UnexpectedEof.into()));
        }
        let end = used.map_or(FIRST, |used| used.saturating_add(1)).max(FIRST);
        for slot in 0..end {
            let bytes = read(&self.file, slot).map_err(early)?;
            let is_sound = self.sums.matches(slot, &bytes).map_err(Error::unavailable)?;
            let is_shredded = bytes == SHREDDED && doomed.contains(&slot);
            if !is_sound && !is_shredded {
                let how = format_args!("slot {slot} does not match its checksum").to_string();
                return Err(Error::damaged(what(), how));
            }
        }
        Ok(())
    }

    /// Goes on with the slots that were made and not given away; `used` is the last that the database names.
    pub(super) fn resume(&self, used: Option<Slot>) -> Result<(), Error> {
        let mut slots = self.slots();
        let end = self.count().map_err(Error::unavailable)?;
        let first = used.map_or(FIRST, |used| used.saturating_add(1)).max(FIRST).min(end);
        *slots = self.free(first, end).map_err(Error::unavailable)?;
        Ok(())
    }

    /// Which slots from `first` up to `end` are free; mends the checksums of those that are not.
    fn free(&self, first: Slot, end: Slot) -> io::Result<Slots> {
        // A shredded slot had a session, though the database no longer says so.
        let mut next = first;
        for slot in first..end {
            let is_zero = read(&self.file, slot)? == SHREDDED;
            if is_zero || self.sums.matches(slot, &SHREDDED)? {
                next = slot + 1;
            }
        }
        for slot in first..next {
            let bytes = read(&self.file, slot)?;
            if !self.sums.matches(slot, &bytes)? {
                write(&self.file, slot, &SHREDDED)?;
                self.file.sync_all()?;
                self.sums.write(slot, std::iter::once(&SHREDDED[..]))?;
                self.sums.sync()?;
            }
        }
        let mut sound = next;
        while sound < end && self.sums.matches(sound, &read(&self.file, sound)?)? {
            sound += 1;
        }
        if sound < self.sums.count()? {
            // A power cut came between the two files: nobody was given this one, nor any after it.
            self.sums.cut(sound)?;
        }
        Ok(Slots { next, end: sound })
    }

    /// Slots that the file has in full.
    fn count(&self) -> io::Result<Slot> {
        Slot::try_from(self.file.metadata()?.len() / WIDTH as u64).map_err(io::Error::other)
    }

    /// A slot with a new key in it, on the device already.
    pub(super) fn fresh(&self) -> Result<(Slot, Arc<Key>), Error> {
        let mut slots = self.slots();
        if slots.next == slots.end {
            let mut more = [0; WIDTH * AHEAD as usize];
            sealing::fill(&mut more)?;
            write(&self.file, slots.end, &more).map_err(Error::unavailable)?;
            hit(Failpoint::SlotsMade);
            self.file.sync_all().map_err(Error::unavailable)?;
            self.sums.write(slots.end, more.chunks(WIDTH)).map_err(Error::unavailable)?;
            self.sums.sync().map_err(Error::unavailable)?;
            hit(Failpoint::SlotsSynced);
            slots.end = slots.end.checked_add(AHEAD).ok_or_else(|| self.damaged())?;
        }
        let slot = slots.next;
        slots.next += 1;
        let key = self.key(slot)?.ok_or_else(|| self.damaged())?;
        Ok((slot, key))
    }

    /// The key in a slot; `None` once it is shredded.
    pub(super) fn key(&self, slot: Slot) -> Result<Option<Arc<Key>>, Error> {
        if slot < FIRST {
            return Err(self.damaged());
        }
        let mut keys = self.cache();
        if let Some(key) = keys.get(&slot) {
            return Ok(Some(Arc::clone(key)));
        }
        let key = match read(&self.file, slot) {
            Ok(secret) if secret == SHREDDED => return Ok(None),
            Ok(secret) => Arc::new(Key::new(&secret)?),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(self.damaged());
            }
            Err(error) => return Err(Error::unavailable(error)),
        };
        if keys.len() >= CACHED_MAX {
            keys.clear();
        }
        keys.insert(slot, Arc::clone(&key));
        Ok(Some(key))
    }

    /// Overwrites keys, and returns once that is on the device. Blocks of the file in which no key is left take no space
    /// from then on. Again: does the same.
    pub(super) fn shred(&self, doomed: &[Slot]) -> Result<(), Error> {
        let end = self.slots().end;
        let mut keys = self.cache();
        for slot in doomed.iter().filter(|slot| (FIRST..end).contains(*slot)) {
            keys.remove(slot);
            write(&self.file, *slot, &SHREDDED).map_err(Error::unavailable)?;
        }
        drop(keys);
        hit(Failpoint::KeysZeroed);
        self.file.sync_all().map_err(Error::unavailable)?;
        hit(Failpoint::KeysShredded);
        for slot in doomed.iter().filter(|slot| (FIRST..end).contains(*slot)) {
            let zeros = std::iter::once(&SHREDDED[..]);
            self.sums.write(*slot, zeros).map_err(Error::unavailable)?;
        }
        self.sums.sync().map_err(Error::unavailable)?;
        holes::punch(&self.file, doomed.iter().map(|slot| u64::from(*slot) * WIDTH as u64));
        Ok(())
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        // The numbers are changed last, after all that can fail.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<Slot, Arc<Key>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn damaged(&self) -> Error {
        Error::damaged(format_args!("file of keys `{}`", self.path.display()), "it is too short")
    }
}

/// The store's secret in the file of keys in `dir`; `None` if there is no such file, or a crash left a part of one.
pub(super) fn secret_of(dir: &Path) -> Result<Option<Secret>, Error> {
    let file = match File::open(dir.join(KEYS_FILE)) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::unavailable(error)),
    };
    match read(&file, SECRET) {
        Ok(secret) => Ok(Some(Secret(secret))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(Error::unavailable(error)),
    }
}

/// Begins a file of keys with this secret in `dir`, in place of what a crash left of one.
pub(super) fn found(dir: &Path, secret: &Secret) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(dir.join(KEYS_FILE)).map_err(Error::unavailable)?;
    begin(&file, dir, Some(secret)).map_err(Error::unavailable)
}

/// Writes the first two slots of a new file, with the secret that is given or a new one, and puts it and its name on the
/// device.
fn begin(file: &File, dir: &Path, secret: Option<&Secret>) -> io::Result<()> {
    let mut bytes = [0; 2 * WIDTH];
    sealing::fill(&mut bytes).map_err(io::Error::other)?;
    bytes[..MAGIC.len()].copy_from_slice(MAGIC);
    if let Some(Secret(secret)) = secret {
        bytes[WIDTH..].copy_from_slice(secret);
    }
    file.set_len(0)?;
    write(file, 0, &bytes)?;
    hit(Failpoint::KeysBegun);
    file.sync_all()?;
    File::open(dir)?.sync_all()?;
    hit(Failpoint::KeysSynced);
    Ok(())
}

/// Makes the checksums of slots that have none.
fn add_sums(file: &File, sums: &KeySums, dir: &Path) -> io::Result<()> {
    let first = sums.count()?;
    let end = Slot::try_from(file.metadata()?.len() / WIDTH as u64).map_err(io::Error::other)?;
    if first < end {
        let slots: Vec<_> = (first..end).map(|slot| read(file, slot)).collect::<Result<_, _>>()?;
        sums.write(first, slots.iter().map(<[u8; WIDTH]>::as_slice))?;
        sums.sync()?;
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}

fn missing(path: &Path, error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound {
        return Error::damaged(format_args!("file of keys `{}`", path.display()), "it is missing");
    }
    Error::unavailable(error)
}

fn read(file: &File, slot: Slot) -> io::Result<[u8; WIDTH]> {
    let mut bytes = [0; WIDTH];
    file.read_exact_at(&mut bytes, u64::from(slot) * WIDTH as u64)?;
    Ok(bytes)
}

fn write(file: &File, slot: Slot, bytes: &[u8]) -> io::Result<()> {
    file.write_all_at(bytes, u64::from(slot) * WIDTH as u64)
}
