//! A rolling checksum of everything in the tree, kept in the tree itself.
//!
//! Each batch carries the checksum of what the tree holds once it is applied, under a key of its own. Batches are
//! atomic, so whatever prefix of them a crash leaves checks out; a tree from which sled dropped a page, or to which it
//! went back, does not. The checksum is the sum of a hash of every entry, so a change costs the hashes of the old value
//! and of the new one, whatever else is stored.
//!
//! The value is the number of batches (8 bytes), the checksum (16 bytes) and the number of conversations (8 bytes).

use sled::{Batch, Tree};
use xxhash_rust::xxh3::Xxh3;

use super::{
    broken, keys,
    write_batch::{Writes, is_first},
};
use crate::store::Error;

/// What a tree holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TreeChecksum {
    /// Batches applied since the store was made.
    pub(super) batches: u64,
    /// Sum of the hashes of all entries but this one.
    pub(super) sum: u128,
    /// Conversations.
    pub(super) sessions: u64,
}

impl TreeChecksum {
    /// Bytes of it, encoded.
    pub(super) const LENGTH: usize = 8 + 16 + 8;

    /// As the tree says; `None` if it does not, or in another form.
    pub(super) fn stored(tree: &Tree) -> Result<Option<Self>, Error> {
        let value = tree.get(keys::checksum()).map_err(broken)?;
        Ok(value.and_then(|value| Self::decode(&value)))
    }

    /// As the entries themselves say, read one by one; the number of batches is not known from them.
    pub(super) fn counted(tree: &Tree) -> Result<Self, Error> {
        let mut checksum = Self::default();
        for entry in tree {
            let (key, value) = entry.map_err(broken)?;
            checksum.change(&key, None, Some(&value));
        }
        Ok(checksum)
    }

    /// Whether two trees hold the same, however they came to it.
    pub(super) const fn is_same(&self, other: &Self) -> bool {
        self.sum == other.sum && self.sessions == other.sessions
    }

    /// Takes one change into account.
    fn change(&mut self, key: &[u8], old: Option<&[u8]>, new: Option<&[u8]>) {
        if key == keys::checksum() {
            return;
        }
        if let Some(old) = old {
            self.sum = self.sum.wrapping_sub(hash(key, old));
        }
        if let Some(new) = new {
            self.sum = self.sum.wrapping_add(hash(key, new));
        }
        if key.first() == Some(&keys::HEAD) && is_first(key) {
            match (old, new) {
                (None, Some(_)) => self.sessions = self.sessions.wrapping_add(1),
                (Some(_), None) => self.sessions = self.sessions.wrapping_sub(1),
                _ => {}
            }
        }
    }

    /// The batch that makes these changes, with the checksum after it, and what would undo them.
    pub(super) fn batch(&mut self, tree: &Tree, writes: &Writes) -> Result<(Batch, Writes), Error> {
        let mut batch = Batch::default();
        let mut before = Writes::new();
        for (key, value) in writes {
            let old = tree.get(key).map_err(broken)?;
            self.change(key, old.as_deref(), value.as_deref());
            before.insert(key.clone(), old.map(|old| old.to_vec()));
            match value {
                Some(value) => batch.insert(key.as_slice(), value.as_slice()),
                None => batch.remove(key.as_slice()),
            }
        }
        self.batches = self.batches.wrapping_add(1);
        batch.insert(keys::checksum(), self.encode());
        Ok((batch, before))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::LENGTH);
        bytes.extend(self.batches.to_be_bytes());
        bytes.extend(self.sum.to_be_bytes());
        bytes.extend(self.sessions.to_be_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (batches, rest) = bytes.split_first_chunk()?;
        let (sum, sessions) = rest.split_first_chunk()?;
        Some(Self {
            batches: u64::from_be_bytes(*batches),
            sum: u128::from_be_bytes(*sum),
            sessions: u64::from_be_bytes(sessions.try_into().ok()?),
        })
    }
}

/// No two entries come to the same text, since the length of the key stands first.
fn hash(key: &[u8], value: &[u8]) -> u128 {
    let mut hasher = Xxh3::new();
    hasher.update(&(key.len() as u64).to_be_bytes());
    hasher.update(key);
    hasher.update(value);
    hasher.digest128()
}

/// Changes a tree at once and whole, with its checksum; nothing else may write meanwhile.
pub(super) fn apply(
    tree: &Tree,
    checksum: &mut TreeChecksum,
    writes: &Writes,
) -> Result<(), Error> {
    let mut after = *checksum;
    let (batch, _) = after.batch(tree, writes)?;
    tree.apply_batch(batch).map_err(broken)?;
    *checksum = after;
    Ok(())
}
