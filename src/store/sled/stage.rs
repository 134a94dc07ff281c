//! What a step is about to change, and how records are cut into values that sled keeps in its log.
//!
//! A record is `version (1 byte) · number of chunks (2 bytes) · JSON`, cut into values of at most [`VALUE_MAX`]
//! bytes under its key with the chunk's number (2 bytes) appended.

use std::{collections::BTreeMap, fmt::Display};

use serde::{Serialize, de::DeserializeOwned};
use sled::{Batch, Tree};

use super::{broken, keys::Key};
use crate::{model::STORED_VERSION, store::Error};

/// Largest value, in bytes. Much larger ones leave sled's log for files that nothing syncs, and enough of those
/// keep it from opening again.
pub const VALUE_MAX: usize = 4096;

/// Bytes before the JSON.
const HEADER: usize = 3;

/// Changes that are applied together or not at all; reads through it see them already.
pub(super) struct Stage<'a> {
    tree: &'a Tree,
    writes: BTreeMap<Key, Option<Vec<u8>>>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self { tree, writes: BTreeMap::new() }
    }

    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        match self.writes.get(key) {
            Some(staged) => Ok(staged.clone()),
            None => Ok(self.tree.get(key).map_err(broken)?.map(|value| value.to_vec())),
        }
    }

    /// Stores a short value as it is.
    pub(super) fn put(&mut self, key: Key, value: impl Into<Vec<u8>>) {
        self.writes.insert(key, Some(value.into()));
    }

    pub(super) fn remove(&mut self, key: Key) {
        self.writes.insert(key, None);
    }

    /// Removes every key that begins with `prefix`.
    pub(super) fn remove_all(&mut self, prefix: &[u8]) -> Result<(), Error> {
        for key in self.keys(prefix)? {
            self.remove(key);
        }
        Ok(())
    }

    /// The keys that begin with `prefix`, in order.
    pub(super) fn keys(&self, prefix: &[u8]) -> Result<Vec<Key>, Error> {
        let mut keys: BTreeMap<Key, bool> = BTreeMap::new();
        for key in self.tree.scan_prefix(prefix).keys() {
            keys.insert(key.map_err(broken)?.to_vec(), true);
        }
        let staged = self.writes.range(prefix.to_vec()..);
        for (key, value) in staged.take_while(|(key, _)| key.starts_with(prefix)) {
            keys.insert(key.clone(), value.is_some());
        }
        Ok(keys.into_iter().filter_map(|(key, there)| there.then_some(key)).collect())
    }

    /// A record; `what` names it in an error.
    pub(super) fn record<T: DeserializeOwned>(
        &self,
        key: &[u8],
        what: impl Display,
    ) -> Result<Option<T>, Error> {
        match assemble(key, |key| self.get(key))? {
            None => Ok(None),
            Some(bytes) => decode(&bytes, what).map(Some),
        }
    }

    /// Stores a record, in place of one that may have been longer.
    pub(super) fn put_record(
        &mut self,
        key: &[u8],
        version: u32,
        record: &impl Serialize,
    ) -> Result<(), Error> {
        let bytes = encode(version, record)?;
        let old = self.get(&chunk(key, 0))?.as_deref().and_then(chunks_of).unwrap_or(0);
        let mut count = 0;
        for part in bytes.chunks(VALUE_MAX) {
            self.put(chunk(key, count), part);
            count += 1;
        }
        for stale in count..old {
            self.remove(chunk(key, stale));
        }
        Ok(())
    }

    pub(super) fn into_batch(self) -> Batch {
        let mut batch = Batch::default();
        for (key, value) in self.writes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        batch
    }
}

/// The bytes of a record, read with `get` chunk by chunk; none where there is no such record.
pub(super) fn assemble<V: AsRef<[u8]>>(
    key: &[u8],
    mut get: impl FnMut(&[u8]) -> Result<Option<V>, Error>,
) -> Result<Option<Vec<u8>>, Error> {
    let Some(first) = get(&chunk(key, 0))? else { return Ok(None) };
    let mut bytes = first.as_ref().to_vec();
    for number in 1..chunks_of(&bytes).unwrap_or(1) {
        match get(&chunk(key, number))? {
            Some(part) => bytes.extend_from_slice(part.as_ref()),
            // The JSON ends early and says so when it is decoded.
            None => break,
        }
    }
    Ok(Some(bytes))
}

/// Reads back what [`Stage::put_record`] wrote. Never quotes the content: it is personal data.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8], what: impl Display) -> Result<T, Error> {
    let version = bytes.first().copied().unwrap_or(0).into();
    if version > STORED_VERSION {
        return Err(Error::newer(what, version));
    }
    let json = bytes.get(HEADER..).unwrap_or_default();
    serde_json::from_slice(json).map_err(|error| {
        let how = match error.classify() {
            serde_json::error::Category::Io | serde_json::error::Category::Eof => "it ends early",
            serde_json::error::Category::Syntax => "it is no JSON",
            serde_json::error::Category::Data => "it has another shape",
        };
        Error::damaged(what, format_args!("{how}, at byte {}", error.column()))
    })
}

/// The number of the chunk that a key ends in; 0 in the first.
pub(super) fn chunk_number(key: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(*key.last_chunk()?))
}

fn encode(version: u32, record: &impl Serialize) -> Result<Vec<u8>, Error> {
    let version = u8::try_from(version).unwrap_or(u8::MAX);
    let mut bytes = vec![version, 0, 0];
    serde_json::to_writer(&mut bytes, record).map_err(Error::unavailable)?;
    let chunks = u16::try_from(bytes.len().div_ceil(VALUE_MAX)).map_err(Error::unavailable)?;
    bytes[1..HEADER].copy_from_slice(&chunks.to_be_bytes());
    Ok(bytes)
}

fn chunks_of(first: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(first.get(1..HEADER)?.try_into().ok()?))
}

fn chunk(key: &[u8], number: u16) -> Key {
    [key, &number.to_be_bytes()].concat()
}
