//! Records of sessions at rest, in files beside the database that take no memory for what they hold.
//!
//! sled keeps some hundred bytes in memory for each page that it has, for good, and gives space of its file back late. So when
//! a session has come to rest and is compact (see `compaction`), its head and its frames move here (see `archiver`). In sled
//! a [`Marker`] takes the place of each, under the same key: everything else about the tree stays as it is.
//!
//! The files are segments, `archive/00000000` and so on: `anteroom records`, the number of the file of keys that they go with,
//! and entries that are never changed, each from a multiple of 16 bytes on.
//!
//! ```text
//! 0xa5 · length of the key (1 byte) · length of the text (4) · hash of these and the key (4) · key · text: version of the
//! record (1), its body
//! ```
//!
//! Entries are on the device before their markers are written. What a crash left behind the [`End`] that sled knows is
//! overwritten. sled also keeps how many bytes of each segment are no longer needed ([`keys::segment`]); of one that is half
//! empty, the rest moves to the end, and then the file is removed; not where any of it can't be read. A changed byte affects
//! the entry that it belongs to, and shows: the marker has a hash.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fmt::Display,
    fs::{self, DirBuilder, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use sled::Tree;
use xxhash_rust::xxh3::xxh3_128;

use super::{
    Entry, broken,
    key_store::{KeyStoreId, Slot},
    keys::{self, Key},
    record::{HEADER, Record, Writes, is_first},
};
use crate::store::Error;

/// The folder's name in the store's directory.
const FOLDER: &str = "archive";

const MAGIC: &[u8; 16] = b"anteroom records";

/// Bytes before the first entry.
const BEGIN: u32 = 32;

/// Bytes of a segment, unless its one entry is larger.
const SEGMENT: u32 = 32 * 1024 * 1024;

/// An entry begins at a multiple of this.
const ALIGNMENT: u32 = 16;

/// What an entry begins with; never zero, which is what lies between entries.
const ENTRY: u8 = 0xa5;

/// Bytes of an entry before its key.
const PREFIX: usize = 10;

/// Bytes of the largest record that is moved.
pub(super) const RECORD_MAX: usize = 256 * 1024;

/// Where an entry lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) segment: u32,
    offset: u32,
    /// Bytes of all of it.
    length: u32,
}

impl Position {
    /// Bytes that it takes of its segment.
    pub(super) const fn room(&self) -> u32 {
        self.length.next_multiple_of(ALIGNMENT)
    }

    /// Where the next entry may begin.
    pub(super) const fn end(&self) -> End {
        End { segment: self.segment, offset: self.offset + self.room() }
    }

    /// The key under which a dump has the entry.
    fn dumped(&self) -> Key {
        keys::in_archive(self.segment, self.offset)
    }
}

/// An entry of a segment: the key of its record, and where it lies.
pub(super) type Found = (Key, Position);

/// Where the next entry begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    pub(super) segment: u32,
    offset: u32,
}

impl End {
    pub(super) fn encode(self) -> Vec<u8> {
        [self.segment.to_be_bytes(), self.offset.to_be_bytes()].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (segment, offset) = bytes.split_first_chunk()?;
        let offset = u32::from_be_bytes(offset.try_into().ok()?);
        Some(Self { segment: u32::from_be_bytes(*segment), offset })
    }
}

/// What lies in sled in place of a record that is in the archive: a header that no record has, where it lies, a hash, and of a
/// head the slot that it begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) position: Position,
    hash: u128,
    pub(super) slot: Option<Slot>,
}

impl Marker {
    /// Version 0 and one chunk.
    const HEADER: [u8; HEADER] = [0, 0, 1];

    pub(super) fn encode(&self) -> Vec<u8> {
        let Position { segment, offset, length } = self.position;
        let mut bytes = Self::HEADER.to_vec();
        for number in [segment, offset, length] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(self.hash.to_be_bytes());
        bytes.extend(self.slot.iter().flat_map(|slot| slot.to_be_bytes()));
        bytes
    }

    /// The marker that the first value of a record is; `None` if it is the record itself.
    pub(super) fn decode(value: &[u8]) -> Option<Self> {
        let rest = value.strip_prefix(&Self::HEADER)?;
        let (segment, rest) = rest.split_first_chunk()?;
        let (offset, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (hash, rest) = rest.split_first_chunk()?;
        let slot = match rest {
            [] => None,
            slot => Some(Slot::from_be_bytes(slot.try_into().ok()?)),
        };
        let [segment, offset, length] =
            [segment, offset, length].map(|part| u32::from_be_bytes(*part));
        let position = Position { segment, offset, length };
        Some(Self { position, hash: u128::from_be_bytes(*hash), slot })
    }

    /// Whether it stands for this record.
    pub(super) fn is_of(&self, record: &Record) -> bool {
        xxh3_128(&text_of(record)) == self.hash
    }
}

fn text_of(record: &Record) -> Vec<u8> {
    [&[record.version], record.body.as_slice()].concat()
}

/// The archive of a store.
#[derive(Debug)]
pub(super) struct Archive {
    dir: PathBuf,
    keys: KeyStoreId,
    /// Of what is on the device.
    end: Mutex<End>,
}

impl Archive {
    /// That of the store in `dir`, which goes with that file of keys and ends there. Looks at nothing.
    pub(super) fn of(dir: &Path, keys: KeyStoreId, end: End) -> Self {
        Self { dir: dir.join(FOLDER), keys, end: Mutex::new(end) }
    }

    /// Removes segments of which the database knows nothing: a crash came before it did, or after it no longer did.
    pub(super) fn tidy(&self, tree: &Tree) -> Result<(), Error> {
        let known: BTreeSet<PathBuf> =
            segments(tree)?.iter().map(|number| self.path(*number)).collect();
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::unavailable(error)),
        };
        for entry in entries {
            let path = entry.map_err(Error::unavailable)?.path();
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let number = u32::from_str_radix(name, 16).ok().filter(|_| name.len() == 8);
            let is_left = number.is_some_and(|number| {
                self.look_at(number).is_ok_and(|begins| !begins.is_others) && path.is_file()
            });
            if is_left
                && !known.contains(&path)
                && let Err(error) = fs::remove_file(&path)
            {
                tracing::warn!(path = %path.display(), %error, "what a crash left could not be removed");
            }
        }
        Ok(())
    }

    /// The record under a key for which a marker stands.
    pub(super) fn record(
        &self,
        at: &[u8],
        marker: Marker,
        what: impl Display,
    ) -> Result<Record, Error> {
        let bytes = self.bytes(marker.position, &what)?;
        let text = parts(&bytes).filter(|(key, _)| *key == at).map(|(_, text)| text);
        let text = text.filter(|text| xxh3_128(text) == marker.hash);
        let other = || Error::damaged(&what, "the archive holds something else");
        let (version, body) = text.and_then(<[u8]>::split_first).ok_or_else(other)?;
        Ok(Record { version: *version, body: body.to_vec() })
    }

    /// An entry as it lies there, whether or not it is what was written.
    fn bytes(&self, position: Position, what: impl Display) -> Result<Vec<u8>, Error> {
        let read = || {
            let mut file = File::open(self.path(position.segment))?;
            file.seek(SeekFrom::Start(position.offset.into()))?;
            let mut bytes = vec![0; position.length as usize];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|error: io::Error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => {
                Error::damaged(what, "it is missing in the archive")
            }
            // What the device doesn't give is lost for this conversation, and for no other.
            _ if is_damage(&error) => Error::damaged(what, "the disk can't read it"),
            _ => Error::unavailable(Unread(error)),
        })
    }

    /// Puts records at the end, and on the device: their markers in order, and where the next goes.
    pub(super) fn append(&self, records: &[(Key, Record)]) -> io::Result<(Vec<Marker>, End)> {
        let mut known = self.lock();
        let mut end = *known;
        let (mut markers, mut file) = (Vec::with_capacity(records.len()), None);
        for (key, record) in records {
            let text = text_of(record);
            let entry = entry_of(key, &text)?;
            let length = u32::try_from(entry.len()).map_err(io::Error::other)?;
            if end.offset > BEGIN && end.offset.saturating_add(length) > SEGMENT {
                self.close(end)?;
                file = None;
                end = End { segment: end.segment + 1, offset: 0 };
            }
            if end.offset == 0 {
                file = Some(self.begin(end.segment)?);
                end.offset = BEGIN;
            }
            let position = Position { segment: end.segment, offset: end.offset, length };
            let mut writing = match file.take() {
                Some(file) => file,
                None => File::options().write(true).open(self.path(end.segment))?,
            };
            write_at(&mut writing, position, &entry)?;
            file = Some(writing);
            let slot = (key.first() == Some(&keys::HEAD)).then(|| slot_of(record)).flatten();
            markers.push(Marker { position, hash: xxh3_128(&text), slot });
            end = position.end();
        }
        file.map_or(Ok(()), |file| file.sync_data())?;
        *known = end;
        Ok((markers, end))
    }

    /// Puts a segment that is full on the device, without what a crash has left behind its end.
    fn close(&self, end: End) -> io::Result<()> {
        let file = File::options().write(true).open(self.path(end.segment))?;
        file.set_len(end.offset.into())?;
        file.sync_all()
    }

    /// Puts an entry of a dump where it lay, also one that is damaged: its marker tells. Nothing is on the device before [`Self::settle`].
    pub(super) fn put_back(&self, at: &[u8], entry: &[u8]) -> io::Result<()> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        let (segment, offset) = keys::position_of(at).ok_or_else(invalid)?;
        let length = u32::try_from(entry.len()).map_err(io::Error::other)?;
        let position = Position { segment, offset, length };
        let path = self.path(segment);
        let mut file = if path.exists() {
            File::options().write(true).open(path)?
        } else {
            self.begin(segment)?
        };
        write_at(&mut file, position, entry)?;
        let mut end = self.lock();
        *end = (*end).max(position.end());
        Ok(())
    }

    /// Puts on the device what was put back; what the database is to know of it. What is missing reads as missing from now on.
    pub(super) fn settle(&self, tree: &Tree) -> Result<Writes, Error> {
        let known = end(tree).unwrap_or_default();
        let last = known.unwrap_or_default().max(*self.lock());
        let mut writes = Writes::new();
        if last == End::default() {
            return Ok(writes);
        }
        if known != Some(last) {
            writes.insert(keys::archived(), Some(last.encode()));
        }
        let known = segments(tree)?;
        for segment in 0..=last.segment {
            let (path, at) = (self.path(segment), keys::segment(segment));
            let (is_known, is_last) = (known.contains(&segment), segment == last.segment);
            if !is_known && !is_last && !path.exists() {
                continue;
            }
            if !is_known {
                // Nobody knows how much of it is needed: what is moves to the end, and the rest goes.
                let unneeded = if is_last { 0 } else { SEGMENT };
                writes.insert(at, Some(unneeded.to_be_bytes().to_vec()));
            }
            let bytes = if is_last { last.offset } else { 0 };
            self.lengthen(segment, bytes).map_err(Error::unavailable)?;
        }
        Ok(writes)
    }

    /// Has a segment of so many bytes at least on the device: what nothing is needed of was not put back.
    fn lengthen(&self, segment: u32, bytes: u32) -> io::Result<()> {
        let path = self.path(segment);
        let file = if path.exists() {
            File::options().write(true).open(path)?
        } else {
            self.begin(segment)?
        };
        if file.metadata()?.len() < bytes.into() {
            file.set_len(bytes.into())?;
        }
        file.sync_all()
    }

    /// The entries of a segment from an offset on, some at a time, and where to go on. An error where there is something else.
    pub(super) fn entries(&self, segment: u32, from: u32) -> io::Result<(Vec<Found>, Option<u32>)> {
        const AT_ONCE: usize = 1024 * 1024;
        let mut file = File::open(self.path(segment))?;
        let mut offset = from.max(BEGIN);
        file.seek(SeekFrom::Start(offset.into()))?;
        let mut bytes = Vec::new();
        file.take((AT_ONCE + 2 * RECORD_MAX) as u64).read_to_end(&mut bytes)?;
        let (mut entries, mut rest) = (Vec::new(), bytes.as_slice());
        while !rest.is_empty() {
            if offset.saturating_sub(from) as usize >= AT_ONCE {
                return Ok((entries, Some(offset)));
            }
            let room = if let Some((key, _)) = whole_entry(rest) {
                let length = length_of(rest).unwrap_or_default();
                let length = u32::try_from(length).map_err(io::Error::other)?;
                let position = Position { segment, offset, length };
                entries.push((key.to_vec(), position));
                position.room()
            } else if rest.iter().take(ALIGNMENT as usize).all(|byte| *byte == 0) {
                // Nothing was put back there, because nothing is needed of it.
                ALIGNMENT
            } else {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "no entry begins there"));
            };
            offset += room;
            rest = rest.get(room as usize..).unwrap_or_default();
        }
        Ok((entries, None))
    }

    /// Removes a segment.
    pub(super) fn remove(&self, segment: u32) -> io::Result<()> {
        match fs::remove_file(self.path(segment)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Begins a segment, in place of what a crash may have left of it.
    fn begin(&self, segment: u32) -> io::Result<File> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        if !self.dir.exists() {
            builder.create(&self.dir)?;
        }
        self.dir.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())?;
        let mut file = File::create(self.path(segment))?;
        file.write_all(&[&MAGIC[..], &self.keys].concat())?;
        file.sync_all()?;
        File::open(&self.dir)?.sync_all()?;
        Ok(file)
    }

    /// How a segment begins.
    pub(super) fn look_at(&self, segment: u32) -> io::Result<Begins> {
        let file = File::open(self.path(segment))?;
        let length = file.metadata()?.len();
        let mut begin = Vec::new();
        file.take(BEGIN.into()).read_to_end(&mut begin)?;
        let keys = begin.strip_prefix(MAGIC);
        Ok(Begins { is_others: keys.is_some_and(|keys| *keys != self.keys), length })
    }

    pub(super) fn path(&self, segment: u32) -> PathBuf {
        self.dir.join(format!("{segment:08x}"))
    }

    fn lock(&self) -> MutexGuard<'_, End> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a segment begins.
pub(super) struct Begins {
    /// It says that it belongs to another store.
    pub(super) is_others: bool,
    /// Bytes.
    length: u64,
}

impl Begins {
    /// Whether the segment is shorter than the end of the archive says.
    pub(super) fn is_cut(&self, segment: u32, end: End) -> bool {
        segment == end.segment && self.length < end.offset.into()
    }
}

/// Whether the device says that it can't read what was written.
pub(super) fn is_damage(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let damages = [Errno::IO, Errno::BADMSG].map(Errno::raw_os_error);
    error.raw_os_error().is_some_and(|error| damages.contains(&error) || error == UNCLEAN)
}

/// What Linux says where a checksum of the file system doesn't fit: `EUCLEAN`.
const UNCLEAN: i32 = 117;

/// The archive could not be read for now. It keeps nobody from writing: the database is another file.
#[derive(Debug, thiserror::Error)]
#[error("the archive of conversations at rest cannot be read: {0}")]
struct Unread(#[source] io::Error);

fn write_at(file: &mut File, position: Position, entry: &[u8]) -> io::Result<()> {
    let mut padded = entry.to_vec();
    padded.resize(position.room() as usize, 0);
    file.seek(SeekFrom::Start(position.offset.into()))?;
    file.write_all(&padded)
}

fn entry_of(key: &[u8], text: &[u8]) -> io::Result<Vec<u8>> {
    let key_length = u8::try_from(key.len()).map_err(io::Error::other)?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    let lengths = [&[ENTRY, key_length][..], &length.to_be_bytes()].concat();
    let hash = hash_of(&lengths, key);
    Ok([&lengths, &hash[..], key, text].concat())
}

/// What tells that an entry begins here: no changed length makes it swallow those after it.
fn hash_of(lengths: &[u8], key: &[u8]) -> [u8; 4] {
    let [.., a, b, c, d] = xxh3_128(&[lengths, key].concat()).to_be_bytes();
    [a, b, c, d]
}

/// Bytes of the entry that begins here; `None` if none does.
fn length_of(bytes: &[u8]) -> Option<usize> {
    let (prefix, rest) = bytes.split_first_chunk::<PREFIX>()?;
    let (lengths, hash) = prefix.split_first_chunk::<6>()?;
    let [ENTRY, key, text @ ..] = lengths else { return None };
    let is_entry = hash_of(lengths, rest.get(..usize::from(*key))?) == hash;
    is_entry.then(|| PREFIX + usize::from(*key) + u32::from_be_bytes(*text) as usize)
}

/// Key and text of the entry that begins here; `None` if none does, or not all of it is there.
fn whole_entry(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    parts(bytes.get(..length_of(bytes)?)?)
}

/// Key and text of an entry; `None` if it is none.
fn parts(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    length_of(entry).filter(|length| *length == entry.len())?;
    let key = usize::from(*entry.get(1)?);
    entry.get(PREFIX..)?.split_at_checked(key)
}

fn slot_of(record: &Record) -> Option<Slot> {
    record.body.first_chunk().map(|slot| Slot::from_be_bytes(*slot))
}

/// Where the next entry goes, as far as the database knows; `None` if nothing was ever moved.
pub(super) fn end(tree: &Tree) -> Result<Option<End>, Error> {
    let Some(end) = tree.get(keys::archived()).map_err(broken)? else { return Ok(None) };
    let damaged = || Error::damaged("archive", "nothing says where it ends");
    End::decode(&end).map(Some).ok_or_else(damaged)
}

/// The segments that there are, as far as the database knows.
pub(super) fn segments(tree: &Tree) -> Result<Vec<u32>, Error> {
    Ok(unneeded(tree)?.into_keys().collect())
}

/// How many bytes of each segment are no longer needed.
fn unneeded(tree: &Tree) -> Result<BTreeMap<u32, u32>, Error> {
    let mut unneeded = BTreeMap::new();
    for entry in tree.scan_prefix(keys::archived()) {
        let (at, bytes) = entry.map_err(broken)?;
        if let Some(segment) = keys::segment_of(&at) {
            unneeded.insert(segment, count(&bytes));
        }
    }
    Ok(unneeded)
}

fn count(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_be_bytes)
}

/// Segments that are half empty, of these. Not the last one: there what is needed of others goes.
fn half_empty(unneeded: impl IntoIterator<Item = (u32, u32)>, last: u32) -> BTreeSet<u32> {
    let half = unneeded.into_iter().filter(|(_, bytes)| *bytes > SEGMENT / 2);
    half.map(|(segment, _)| segment).filter(|segment| *segment < last).collect()
}

/// The segments that are half empty.
pub(super) fn all_half_empty(tree: &Tree) -> Result<BTreeSet<u32>, Error> {
    Ok(half_empty(unneeded(tree)?, end(tree)?.unwrap_or_default().segment))
}

/// Counts in `writes` what is no longer needed once they are applied: what their markers take the place of, and what was
/// never referred to. Which segments are half empty by that.
pub(super) fn count_unneeded(
    tree: &Tree,
    writes: &mut Writes,
    never: Vec<Marker>,
) -> Result<BTreeSet<u32>, Error> {
    let mut gone = never;
    for (at, value) in writes.iter().filter(|(at, _)| is_archived(at)) {
        let old = tree.get(at).map_err(broken)?;
        let old = old.as_deref().and_then(Marker::decode);
        gone.extend(old.filter(|old| value.as_deref().and_then(Marker::decode) != Some(*old)));
    }
    let mut rooms = BTreeMap::<u32, u32>::new();
    for marker in gone {
        let room = rooms.entry(marker.position.segment).or_default();
        *room = room.saturating_add(marker.position.room());
    }
    let mut counted = Vec::new();
    for (segment, room) in rooms {
        let at = keys::segment(segment);
        let known = match writes.get(&at) {
            Some(written) => written.as_deref().map(count),
            None => tree.get(&at).map_err(broken)?.map(|bytes| count(&bytes)),
        };
        // The segment is gone, and all that was in it.
        let Some(known) = known else { continue };
        let unneeded = known.saturating_add(room);
        writes.insert(at, Some(unneeded.to_be_bytes().to_vec()));
        counted.push((segment, unneeded));
    }
    let last = end(tree)?.unwrap_or_default().segment;
    let next = writes.get(&keys::archived()).and_then(|end| End::decode(end.as_deref()?));
    match next.filter(|next| next.segment > last) {
        // The one that was the last may be half empty already.
        Some(next) => Ok(half_empty(unneeded(tree)?.into_iter().chain(counted), next.segment)),
        None => Ok(half_empty(counted, last)),
    }
}

/// Whether a record under this key may be in the archive.
pub(super) fn is_archived(at: &[u8]) -> bool {
    matches!(at.first(), Some(&(keys::FRAME | keys::HEAD))) && is_first(at)
}

/// What a dump says of the archive beside an entry of the database: the entry for which a marker stands, also where it is not
/// what was written; nothing where it can't be read.
pub(super) fn dumped(archive: &Archive, at: &[u8], value: &[u8]) -> Result<Option<Entry>, Error> {
    let Some(marker) = Marker::decode(value).filter(|_| is_archived(at)) else { return Ok(None) };
    match archive.bytes(marker.position, "a conversation at rest") {
        Ok(bytes) => Ok(Some((marker.position.dumped(), bytes))),
        Err(Error::Unreadable { what, why }) => {
            tracing::warn!(what, why, "a copy of the store lacks it");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
