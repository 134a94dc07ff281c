//! Records as they lie in the tree; see `write_batch` for how they are cut into values.

use std::collections::BTreeMap;

use super::keys::{self, Key};

/// Bytes before the body.
pub(super) const HEADER: usize = 3;

/// A record as it lies in the tree, its chunks joined.
pub(super) struct Record {
    pub(super) version: u8,
    pub(super) body: Vec<u8>,
}

/// What is to be written, by key; `None` if the key goes.
pub(super) type Writes = BTreeMap<Key, Option<Vec<u8>>>;

/// Whether a key is that of a record, and not of one of its further chunks.
pub(super) fn is_first(key: &[u8]) -> bool {
    key.len() == keys::base_len(key)
}
