//! Everything at one moment, while others write: a dump, and a store made of one again.
//!
//! A dump is `anteroom dump 1`, a line feed, and frames: what happens (1 byte), length of the key, length of the value
//! (4 bytes each), key, value. Later frames win over earlier ones of the same key; the last frame holds their number.
//!
//! It is taken in passes. The first reads everything, some keys at a time, and writers go on in between; what they
//! touch is noted ([`Touched`]). The next passes read only what was touched during the one before, until so little is
//! left that it can be read while writers wait. That last read is the moment which the dump shows.
//!
//! What is in the archive comes as entries of a family of their own ([`keys::ARCHIVE`]), before what refers to them.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read, Write},
    mem,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use super::{
    Entry, SledStore, archive,
    audit_record::Tip,
    broken, clean_stop, database,
    fault_injection::{Faults, NoFaults},
    keys::{self, Key},
    layout::{self, Layout},
    open::{self, Beside, Opened, Writing},
    read,
    tree_checksum::{self, TreeChecksum},
    watermark::Mark,
    write_batch::{Reader, Writes},
};
use crate::{base::ids::SessionId, model::audit::hex, store::Error};

const MAGIC: &[u8; 16] = b"anteroom dump 1\n";

/// Bytes before key and value of a frame.
const HEAD: usize = 9;

const END: u8 = 0;
const PUT: u8 = 1;
const REMOVE: u8 = 2;

/// Entries that are read at one time; writers wait that long.
const CHUNK: usize = 256;

/// Bytes of values after which the rest is left to the next time.
const CHUNK_BYTES: usize = 512 * 1024;

/// Touched keys that may be left for the last pass.
const LAST_MAX: usize = 1000;

/// Passes over touched keys; writers faster than that wait for the last one.
const PASSES: usize = 8;

/// Touched keys that are noted; more of them would be a dump that nobody reads from.
const TOUCHED_MAX: usize = 2_000_000;

/// Longest key and value of a frame, in bytes: far beyond what a store holds.
const PART_MAX: usize = 1024 * 1024;

/// A key, and its value where it has one.
type State = (Key, Option<Vec<u8>>);

/// What a dump holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dumped {
    /// Frames, the last one not counted.
    pub frames: u64,
    /// Sessions.
    pub sessions: u64,
    /// Audit records.
    pub audit_records: u64,
    /// Seal of the last audit record; 64 zeros where there is none.
    pub seal: String,
    /// Longest time that writers had to wait, in microseconds.
    pub longest_wait_us: u64,
}

/// What a dump that was read holds, as far as it tells by itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Frames, the last one not counted.
    pub frames: u64,
    /// The sessions.
    pub sessions: BTreeSet<SessionId>,
}

/// Why a dump was not taken or not read.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// The store's side.
    #[error(transparent)]
    Store(#[from] Error),
    /// The other side.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another dump is being taken.
    #[error("a backup is being taken already. hint: wait for it, or end it")]
    Taken,
    /// The notes became too long.
    #[error(
        "more was written meanwhile than can be noted. hint: write the backup to a faster disk"
    )]
    TooMuch,
    /// The store was opened again meanwhile, and may have lost what the dump holds.
    #[error("the store had to be mended meanwhile. hint: try again")]
    Mended,
    /// It is no dump, or not a whole one.
    #[error("the dump of the store is damaged: {0}")]
    Damaged(&'static str),
    /// A newer program wrote it.
    #[error("the dump of the store was written by a newer program. hint: use that one")]
    Newer,
}

/// Keys that were written while a dump is being taken.
#[derive(Debug, Default)]
pub(super) struct Touched(Mutex<Option<Noted>>);

/// What is noted for a dump.
#[derive(Debug, Default)]
struct Noted {
    keys: BTreeSet<Key>,
    is_spoilt: bool,
}

impl Touched {
    /// Notes keys; called while the gate is held for writing.
    pub(super) fn note<'a>(&self, keys: impl Iterator<Item = &'a Key>) {
        if let Some(touched) = self.lock().as_mut()
            && touched.keys.len() <= TOUCHED_MAX
        {
            touched.keys.extend(keys.cloned());
        }
    }

    /// The store lost what it had not synced: a dump that is being taken is of no use any more.
    pub(super) fn spoil(&self) {
        if let Some(touched) = self.lock().as_mut() {
            touched.is_spoilt = true;
        }
    }

    fn begin(&self) -> Result<Watch<'_>, DumpError> {
        match &mut *self.lock() {
            Some(_) => Err(DumpError::Taken),
            none => {
                *none = Some(Noted::default());
                Ok(Watch(self))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Noted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keys are noted as long as this lives.
struct Watch<'a>(&'a Touched);

impl Watch<'_> {
    /// What was noted since this was last asked.
    fn take(&self) -> Result<BTreeSet<Key>, DumpError> {
        let mut noted = self.0.lock();
        let Some(noted) = noted.as_mut() else { return Ok(BTreeSet::new()) };
        if noted.is_spoilt {
            return Err(DumpError::Mended);
        }
        let keys = mem::take(&mut noted.keys);
        if keys.len() > TOUCHED_MAX { Err(DumpError::TooMuch) } else { Ok(keys) }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.0.lock().take();
    }
}

impl SledStore {
    /// Writes everything to `out` as it is at one moment during this call, and says what that was. Blocks; commits go
    /// on meanwhile, and wait at most [`Dumped::longest_wait_us`]. Holds personal data. Nothing here is changed by it.
    pub fn dump(&self, out: &mut dyn Write) -> Result<Dumped, DumpError> {
        let watch = self.shared.touched.begin()?;
        let mut dump = Dump { out, frames: 0, longest: Duration::ZERO };
        dump.out.write_all(MAGIC)?;
        let mut from = Some(Key::new());
        while let Some(first) = from.take() {
            let entries = dump.gated(self, |reader| chunk(reader, &first))?;
            if let Some((last, _)) = entries.last() {
                // No key lies between one and itself with a zero appended.
                from = Some([last, &[0][..]].concat());
            }
            dump.write(entries)?;
        }
        for _ in 0..PASSES {
            let touched = watch.take()?;
            if touched.len() <= LAST_MAX {
                // The last pass sees them once more.
                self.shared.touched.note(touched.iter());
                break;
            }
            let touched: Vec<Key> = touched.into_iter().collect();
            for keys in touched.chunks(CHUNK) {
                let states = dump.gated(self, |reader| states(reader, keys))?;
                dump.write(states)?;
            }
        }
        let (states, checksum, tip) = dump.gated(self, |reader| {
            let touched: Vec<Key> = watch.take()?.into_iter().collect();
            let checksum = TreeChecksum::stored(reader.tree)?;
            Ok((states(reader, &touched)?, checksum, read::tip(reader)?))
        })?;
        drop(watch);
        dump.write(states)?;
        let checksum = checksum.ok_or(DumpError::Damaged("its checksum is missing"))?;
        dump.finish(&checksum, &tip)
    }

    /// Makes a store in `dir`, which must be empty or missing, of a dump; everything is on the device when this
    /// returns. A crash before that leaves a part of it, which is of no use.
    pub fn build(dir: &Path, dump: &mut dyn Read) -> Result<Contents, DumpError> {
        let faults = Arc::new(NoFaults) as Arc<dyn Faults>;
        let mut building = Building::begin(dir, &faults)?;
        let contents = read_dump(dump, |key, value| building.put(key, value))?;
        building.finish()?;
        Ok(contents)
    }
}

/// Makes a store in `dir` of entries; see [`SledStore::build`].
pub(super) fn build_of(
    dir: &Path,
    faults: &Arc<dyn Faults>,
    entries: impl Iterator<Item = Entry>,
) -> Result<(), Error> {
    let mut building = Building::begin(dir, faults)?;
    for (key, value) in entries {
        building.put(key, Some(value))?;
    }
    building.finish()
}

/// A store that is being made.
struct Building {
    dir: PathBuf,
    writing: Writing,
    held: Writes,
    /// What the entries should come to, where they say so.
    stated: Option<TreeChecksum>,
    beside: Beside,
    /// Held until the store is whole.
    lock: File,
}

impl Building {
    fn begin(dir: &Path, faults: &Arc<dyn Faults>) -> Result<Self, Error> {
        let Opened { writing, beside, lock } = open::open(dir, faults, database::SMALL_CACHE)?;
        let (dir, held) = (dir.to_owned(), Writes::new());
        Ok(Self { dir, writing, held, stated: None, beside, lock })
    }

    fn put(&mut self, key: Key, value: Option<Vec<u8>>) -> Result<(), Error> {
        if key == keys::layout() {
            // It is raised once everything is there.
            let layout = Layout::decode(value.as_deref().unwrap_or_default(), &self.dir)?;
            if layout.id != self.beside.key_store.id() {
                return Err(Error::damaged(database::named(&self.dir), "it goes with other keys"));
            }
        }
        if key == keys::checksum() {
            self.stated = value.as_deref().and_then(TreeChecksum::decode);
            return Ok(());
        }
        if key.first() == Some(&keys::ARCHIVE) {
            let put = self.beside.archive.put_back(&key, value.as_deref().unwrap_or_default());
            return put.map_err(Error::unavailable);
        }
        self.held.insert(key, value);
        if self.held.len() == CHUNK { self.apply() } else { Ok(()) }
    }

    fn apply(&mut self) -> Result<(), Error> {
        let held = mem::take(&mut self.held);
        tree_checksum::apply(&self.writing.db, &mut self.writing.checksum, &held)
    }

    fn finish(mut self) -> Result<(), Error> {
        self.apply()?;
        let Self {
            dir,
            writing: Writing { db, mut disk, mut checksum, .. },
            stated,
            beside: Beside { key_store, archive },
            lock,
            ..
        } = self;
        if stated.is_some_and(|stated| !stated.is_same(&checksum)) {
            return Err(Error::damaged(
                database::named(&dir),
                "its entries are not those that were saved",
            ));
        }
        let reader = Reader::new(&db, &key_store, Some(&archive));
        let settled = archive.settle(&db)?;
        if !settled.is_empty() {
            tree_checksum::apply(&db, &mut checksum, &settled)?;
        }
        layout::raise(reader, &mut checksum)?;
        let tip = read::tip(reader)?;
        let synced = disk.sync(&db, &Mark { checksum, tip });
        synced.map_err(|broken| Error::unavailable(broken.said))?;
        drop(disk);
        database::close(Some(db));
        clean_stop::end(&dir);
        drop(lock);
        Ok(())
    }
}

/// A dump that is being written.
struct Dump<'a> {
    out: &'a mut dyn Write,
    frames: u64,
    longest: Duration,
}

impl Dump<'_> {
    /// Reads while writers wait, and notes how long they did.
    fn gated<T>(
        &mut self,
        store: &SledStore,
        read: impl FnOnce(Reader<'_>) -> Result<T, DumpError>,
    ) -> Result<T, DumpError> {
        let mut found = None;
        store.shared.read_settled(|reader| {
            let since = Instant::now();
            found = Some(read(reader));
            self.longest = self.longest.max(since.elapsed());
            Ok(())
        })?;
        found.unwrap_or(Err(DumpError::Damaged("nothing was read")))
    }

    fn write(&mut self, states: impl IntoIterator<Item = State>) -> Result<(), DumpError> {
        for (key, value) in states {
            let what = if value.is_some() { PUT } else { REMOVE };
            let value = value.unwrap_or_default();
            self.frames += 1;
            self.out.write_all(&head(what, key.len(), value.len())?)?;
            self.out.write_all(&key)?;
            self.out.write_all(&value)?;
        }
        Ok(())
    }

    fn finish(self, checksum: &TreeChecksum, tip: &Tip) -> Result<Dumped, DumpError> {
        let number = self.frames.to_be_bytes();
        self.out.write_all(&head(END, 0, number.len())?)?;
        self.out.write_all(&number)?;
        self.out.flush()?;
        Ok(Dumped {
            frames: self.frames,
            sessions: checksum.sessions,
            audit_records: tip.next,
            seal: hex(&tip.seal),
            longest_wait_us: self.longest.as_micros().try_into().unwrap_or(u64::MAX),
        })
    }
}

impl Contents {
    fn see(&mut self, what: u8, key: &[u8]) {
        self.frames += 1;
        if key.first() == Some(&keys::HEAD)
            && let Some(session) = keys::session_of(key)
        {
            if what == PUT {
                self.sessions.insert(session);
            } else if is_first(key) {
                self.sessions.remove(&session);
            }
        }
    }
}

/// Whether a head begins under this key: what does not fit goes on under the key with the number of a chunk appended.
fn is_first(key: &[u8]) -> bool {
    const WHOLE: usize = 17;
    key.len() == WHOLE || (key.len() == WHOLE + 2 && key.ends_with(&[0, 0]))
}

/// Reads a dump to its end, handing out what every frame says: the key, and its value or that it has none any more.
pub fn read_dump(
    from: &mut dyn Read,
    mut frame: impl FnMut(Key, Option<Vec<u8>>) -> Result<(), Error>,
) -> Result<Contents, DumpError> {
    let mut magic = [0; MAGIC.len()];
    exactly(from, &mut magic)?;
    if magic != *MAGIC {
        let is_dump = magic.starts_with(b"anteroom dump ");
        return Err(if is_dump { DumpError::Newer } else { DumpError::Damaged("it is none") });
    }
    let mut contents = Contents::default();
    loop {
        let mut head = [0; HEAD];
        exactly(from, &mut head)?;
        let what = head[0];
        let key = part(from, &head[1..5])?;
        let value = part(from, &head[5..])?;
        match what {
            PUT | REMOVE => {
                contents.see(what, &key);
                frame(key, (what == PUT).then_some(value))?;
            }
            END if value == contents.frames.to_be_bytes() => break,
            _ => return Err(DumpError::Damaged("its frames do not fit together")),
        }
    }
    if from.read(&mut [0])? == 0 {
        Ok(contents)
    } else {
        Err(DumpError::Damaged("something follows its end"))
    }
}

fn part(from: &mut dyn Read, length: &[u8]) -> Result<Vec<u8>, DumpError> {
    let length = length.try_into().map_or(u32::MAX, u32::from_be_bytes);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length > PART_MAX {
        return Err(DumpError::Damaged("a frame is too long"));
    }
    let mut part = vec![0; length];
    exactly(from, &mut part)?;
    Ok(part)
}

fn exactly(from: &mut dyn Read, into: &mut [u8]) -> Result<(), DumpError> {
    from.read_exact(into).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => DumpError::Damaged("it ends early"),
        _ => error.into(),
    })
}

fn head(what: u8, key: usize, value: usize) -> io::Result<[u8; HEAD]> {
    let length = |length: usize| {
        u32::try_from(length).map(u32::to_be_bytes).map_err(|_| io::ErrorKind::InvalidData)
    };
    let mut head = [what; HEAD];
    head[1..5].copy_from_slice(&length(key)?);
    head[5..].copy_from_slice(&length(value)?);
    Ok(head)
}

/// The next entries from `first` on, the last of them last, and what is in the archive of them.
fn chunk(reader: Reader<'_>, first: &[u8]) -> Result<Vec<State>, DumpError> {
    let mut states = Vec::new();
    let mut bytes = 0;
    for entry in reader.tree.range(first..) {
        let (key, value) = entry.map_err(broken)?;
        let before = states.len();
        add(reader, &mut states, (key.to_vec(), Some(value.to_vec())))?;
        let added = states.iter().skip(before).filter_map(|(_, value)| value.as_ref());
        bytes += added.map(Vec::len).sum::<usize>();
        if states.len() >= CHUNK || bytes > CHUNK_BYTES {
            break;
        }
    }
    Ok(states)
}

/// What keys stand for now, and what is in the archive of them.
fn states(reader: Reader<'_>, keys: &[Key]) -> Result<Vec<State>, DumpError> {
    let mut states = Vec::new();
    for key in keys {
        let value = reader.tree.get(key).map_err(broken)?;
        add(reader, &mut states, (key.clone(), value.map(|value| value.to_vec())))?;
    }
    Ok(states)
}

/// Adds the state of a key, and before it the entry of the archive that it refers to.
fn add(reader: Reader<'_>, states: &mut Vec<State>, state: State) -> Result<(), Error> {
    if let ((at, Some(value)), Some(archive)) = (&state, reader.archive) {
        let archived = archive::dumped(archive, at, value)?;
        states.extend(archived.map(|(at, entry)| (at, Some(entry))));
    }
    states.push(state);
    Ok(())
}
