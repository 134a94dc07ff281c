//! What a step reads and is about to change, and how records are cut into values that sled keeps in its log.
//!
//! A record is `version (1 byte) · number of chunks (2 bytes) · body`, cut into values of at most [`VALUE_MAX`]
//! bytes. The first lies under the record's key, the others under that key with the chunk's number (2 bytes) appended.
//! What is said of a session is JSON, compressed and then sealed with the session's key; it is bound to the record's key
//! and to what stands before it in clear, so that no record can be taken for another.

use std::{collections::BTreeSet, fmt::Display, ops::Bound, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use sled::{IVec, Tree};

pub(super) use super::record::{HEADER, Record, Writes, is_first};
use super::{
    archive::{Archive, Marker},
    broken,
    key_store::{KeyStore, Slot},
    keys::Key as At,
};
use crate::{
    model::STORED_VERSION,
    store::{
        Error,
        compression::{self, Level},
        sealing::Key,
    },
};

/// Largest value, in bytes. Much larger ones leave sled's log for files that nothing syncs, and enough of those
/// keep it from opening again.
pub const VALUE_MAX: usize = 4096;

/// What records are written with; a frame has the version of its events, where that is higher.
pub(super) const VERSION: u8 = 1;

/// Where entries and keys are read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) tree: &'a Tree,
    pub(super) key_store: &'a KeyStore,
    /// Where the records of sessions at rest are; none where it could not be opened.
    pub(super) archive: Option<&'a Archive>,
    ahead: Option<&'a Writes>,
}

impl<'a> Reader<'a> {
    /// A reader of what is in the tree.
    pub(super) const fn new(
        tree: &'a Tree,
        key_store: &'a KeyStore,
        archive: Option<&'a Archive>,
    ) -> Self {
        Self { tree, key_store, archive, ahead: None }
    }

    /// A reader of the records of steps and their keys for which `ahead` counts as if it were in the tree.
    pub(super) const fn with(self, ahead: &'a Writes) -> Self {
        Self { ahead: Some(ahead), ..self }
    }

    /// The value under a key.
    pub(super) fn get(&self, at: &[u8]) -> Result<Option<IVec>, Error> {
        match self.ahead.and_then(|ahead| ahead.get(at)) {
            Some(ahead) => Ok(ahead.as_deref().map(IVec::from)),
            None => self.tree.get(at).map_err(broken),
        }
    }

    /// A record; `None` if there is no such record.
    pub(super) fn record(&self, at: &[u8], what: impl Display) -> Result<Option<Record>, Error> {
        let Some(first) = self.get(at)? else { return Ok(None) };
        if let Some(marker) = Marker::decode(&first) {
            let none = || Error::damaged(&what, "its archive is not known");
            return self.archive.ok_or_else(none)?.record(at, marker, &what).map(Some);
        }
        let early = || Error::damaged(&what, "it ends early");
        let (header, body) = first.split_first_chunk::<HEADER>().ok_or_else(early)?;
        let [version, high, low] = *header;
        let mut body = body.to_vec();
        for number in 1..u16::from_be_bytes([high, low]) {
            let part = self.get(&chunk(at, number))?.ok_or_else(early)?;
            body.extend_from_slice(&part);
        }
        Ok(Some(Record { version, body }))
    }

    /// The key in a slot; an error once it is shredded, because what was sealed with it is gone.
    pub(super) fn key(&self, slot: Slot, what: impl Display) -> Result<Arc<Key>, Error> {
        self.key_store.key(slot)?.ok_or_else(|| Error::damaged(what, "its key is shredded"))
    }

    /// Reads what [`Reader::close`] wrote after `clear` bytes. Never quotes the content: it is personal data.
    pub(super) fn open<T: DeserializeOwned>(
        key: &Key,
        at: &[u8],
        record: &Record,
        clear: usize,
        what: impl Display,
    ) -> Result<T, Error> {
        let json = Self::text(key, at, record, (clear, clear), &what)?;
        serde_json::from_slice(&json).map_err(|error| {
            let how = match error.classify() {
                serde_json::error::Category::Io | serde_json::error::Category::Eof => {
                    "it ends early"
                }
                serde_json::error::Category::Syntax => "it is no JSON",
                serde_json::error::Category::Data => "it has another shape",
            };
            Error::damaged(what, format_args!("{how}, at byte {}", error.column()))
        })
    }

    /// The text of a record that is bound to its first bytes and sealed after its `clear` ones.
    pub(super) fn text(
        key: &Key,
        at: &[u8],
        record: &Record,
        (bound_to, clear): (usize, usize),
        what: impl Display,
    ) -> Result<Vec<u8>, Error> {
        if u32::from(record.version) > STORED_VERSION {
            return Err(Error::newer(what, record.version.into()));
        }
        let parts = record.body.get(..bound_to).zip(record.body.get(clear..));
        let Some((first, sealed)) = parts else {
            return Err(Error::damaged(what, "it ends early"));
        };
        let Some(compressed) = key.open(&bound(at, record.version, first), sealed) else {
            return Err(Error::damaged(what, "it is not what was sealed"));
        };
        compression::decompress(&compressed, what)
    }

    /// A body: `clear` as it is, then `value`, compressed fast and sealed: for what is soon written anew.
    pub(super) fn close(
        key: &Key,
        at: &[u8],
        version: u8,
        clear: &[u8],
        value: &impl Serialize,
    ) -> Result<Record, Error> {
        let json = serde_json::to_vec(value).map_err(Error::unavailable)?;
        Self::close_text(key, at, version, clear, (&json, Level::Fast))
    }

    /// Like [`Self::close`], for a value that is JSON already, compressed at `level`.
    pub(super) fn close_text(
        key: &Key,
        at: &[u8],
        version: u8,
        clear: &[u8],
        (json, level): (&[u8], Level),
    ) -> Result<Record, Error> {
        let compressed = compression::compress(json, level)?;
        let sealed = key.seal(&bound(at, version, clear), compressed)?;
        Ok(Record { version, body: [clear, &sealed].concat() })
    }

    /// The last entry from `first` on and before `end`.
    pub(super) fn last_before(
        &self,
        first: &[u8],
        end: &[u8],
    ) -> Result<Option<(At, Vec<u8>)>, Error> {
        last_before(self.tree, self.ahead.as_slice(), first, end)
    }

    /// The first entry from `first` on and before `end`.
    fn first_from(&self, first: &[u8], end: &[u8]) -> Result<Option<(At, Vec<u8>)>, Error> {
        let mut first = first.to_vec();
        loop {
            let range = (Bound::Included(first.as_slice()), Bound::Excluded(end));
            let stored = self.tree.range::<&[u8], _>(range).next().transpose().map_err(broken)?;
            let written = self.ahead.and_then(|ahead| ahead.range::<[u8], _>(range).next());
            match (stored, written) {
                (Some((at, value)), None) => return Ok(Some((at.to_vec(), value.to_vec()))),
                (Some((at, value)), Some((other, _))) if *at < **other => {
                    return Ok(Some((at.to_vec(), value.to_vec())));
                }
                (_, Some((at, Some(value)))) => return Ok(Some((at.clone(), value.clone()))),
                // It is removed.
                (_, Some((at, None))) => first = after(at.clone()),
                (None, None) => return Ok(None),
            }
        }
    }

    /// The entries from `first` on and before `end`, in order, from either side.
    pub(super) const fn range(self, first: At, end: At) -> Range<'a> {
        Range { reader: self, first, end }
    }

    /// The keys of the records that begin with `prefix`, in order.
    pub(super) fn records(&self, prefix: &[u8]) -> Result<Vec<At>, Error> {
        let mut keys = self.keys(prefix)?;
        keys.retain(|key| is_first(key));
        Ok(keys)
    }

    /// All keys that begin with `prefix`, in order.
    pub(super) fn keys(&self, prefix: &[u8]) -> Result<Vec<At>, Error> {
        let keys = self.tree.scan_prefix(prefix).keys();
        let mut keys: BTreeSet<At> =
            keys.map(|key| Ok(key.map_err(broken)?.to_vec())).collect::<Result<_, Error>>()?;
        for (at, value) in self.ahead.iter().flat_map(|ahead| ahead.range(prefix.to_vec()..)) {
            if !at.starts_with(prefix) {
                break;
            }
            match value {
                Some(_) => keys.insert(at.clone()),
                None => keys.remove(at),
            };
        }
        Ok(keys.into_iter().collect())
    }
}

/// Entries in the order of their keys.
pub(super) struct Range<'a> {
    reader: Reader<'a>,
    first: At,
    end: At,
}

impl Range<'_> {
    /// The next entry from one side; an error ends it.
    fn take_from(&mut self, is_back: bool) -> Option<Result<(At, Vec<u8>), Error>> {
        if self.first >= self.end {
            return None;
        }
        let found = if is_back {
            self.reader.last_before(&self.first, &self.end)
        } else {
            self.reader.first_from(&self.first, &self.end)
        };
        match &found {
            Ok(Some((at, _))) if is_back => self.end.clone_from(at),
            Ok(Some((at, _))) => self.first = after(at.clone()),
            Ok(None) | Err(_) => self.first.clone_from(&self.end),
        }
        found.transpose()
    }
}

impl Iterator for Range<'_> {
    type Item = Result<(At, Vec<u8>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.take_from(false)
    }
}

impl DoubleEndedIterator for Range<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.take_from(true)
    }
}

/// The first key after this one.
fn after(mut at: At) -> At {
    at.push(0);
    at
}

/// Changes that are applied together or not at all. What it reads is what was there before.
pub(super) struct WriteBatch<'a> {
    pub(super) reader: Reader<'a>,
    writes: Writes,
}

impl<'a> WriteBatch<'a> {
    pub(super) const fn new(reader: Reader<'a>) -> Self {
        Self { reader, writes: Writes::new() }
    }

    pub(super) fn has(&self, at: &[u8]) -> Result<bool, Error> {
        Ok(self.reader.get(at)?.is_some())
    }

    /// Whether a key is there, or is with these changes.
    pub(super) fn has_or_puts(&self, at: &[u8]) -> Result<bool, Error> {
        self.writes.get(at).map_or_else(|| self.has(at), |written| Ok(written.is_some()))
    }

    /// The last entry from `first` on and before `end`, as it is with these changes: a read that sees them.
    pub(super) fn last_before(
        &self,
        first: &[u8],
        end: &[u8],
    ) -> Result<Option<(At, Vec<u8>)>, Error> {
        match self.reader.ahead {
            Some(ahead) => last_before(self.reader.tree, &[&self.writes, ahead], first, end),
            None => last_before(self.reader.tree, &[&self.writes], first, end),
        }
    }

    /// Stores a short value as it is.
    pub(super) fn put(&mut self, at: At, value: impl Into<Vec<u8>>) {
        self.writes.insert(at, Some(value.into()));
    }

    pub(super) fn remove(&mut self, at: At) {
        self.writes.insert(at, None);
    }

    /// Removes every key that begins with `prefix`.
    pub(super) fn remove_all(&mut self, prefix: &[u8]) -> Result<(), Error> {
        for at in self.reader.keys(prefix)? {
            self.remove(at);
        }
        Ok(())
    }

    /// Removes a record, if it is there.
    pub(super) fn remove_record(&mut self, at: &[u8]) -> Result<(), Error> {
        let first = self.reader.get(at)?;
        for number in 0..first.as_deref().and_then(chunks_of).unwrap_or(0) {
            self.remove(chunk(at, number));
        }
        Ok(())
    }

    /// Stores a record, in place of one that may have been longer; once in a step.
    pub(super) fn put_record(&mut self, at: &[u8], record: &Record) -> Result<(), Error> {
        let old = self.reader.get(at)?;
        let old = old.as_deref().and_then(chunks_of).unwrap_or(0);
        let length = HEADER + record.body.len();
        let count = u16::try_from(length.div_ceil(VALUE_MAX)).map_err(Error::unavailable)?;
        let [high, low] = count.to_be_bytes();
        let bytes = [&[record.version, high, low], record.body.as_slice()].concat();
        for (number, part) in (0..count).zip(bytes.chunks(VALUE_MAX)) {
            self.put(chunk(at, number), part);
        }
        for stale in count..old {
            self.remove(chunk(at, stale));
        }
        Ok(())
    }

    /// What is to be written.
    pub(super) fn into_writes(self) -> Writes {
        self.writes
    }
}

/// The last entry from `first` on and before `end` of a tree over which writes lie, the newest first.
fn last_before(
    tree: &Tree,
    over: &[&Writes],
    first: &[u8],
    end: &[u8],
) -> Result<Option<(At, Vec<u8>)>, Error> {
    let mut end = end.to_vec();
    loop {
        let stored = tree.range(first..end.as_slice()).next_back().transpose().map_err(broken)?;
        let range = (Bound::Included(first), Bound::Excluded(end.as_slice()));
        let written = over.iter().filter_map(|writes| writes.range::<[u8], _>(range).next_back());
        let last = written.map(|(at, _)| at.as_slice()).max();
        let Some(at) = last.max(stored.as_ref().map(|(at, _)| &**at)) else { return Ok(None) };
        let value = match over.iter().find_map(|writes| writes.get(at)) {
            Some(written) => written.clone(),
            None => stored.as_ref().map(|(_, value)| value.to_vec()),
        };
        match value {
            Some(value) => return Ok(Some((at.to_vec(), value))),
            // It is about to be removed.
            None => end = at.to_vec(),
        }
    }
}

/// What a sealed text is bound to. No key begins another of its family, so no two come to the same.
fn bound(at: &[u8], version: u8, clear: &[u8]) -> Vec<u8> {
    [at, &[version], clear].concat()
}

fn chunks_of(first: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(first.get(1..HEADER)?.try_into().ok()?))
}

fn chunk(at: &[u8], number: u16) -> At {
    match number {
        0 => at.to_vec(),
        number => [at, &number.to_be_bytes()].concat(),
    }
}
