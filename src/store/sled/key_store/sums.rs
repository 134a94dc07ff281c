//! Checksums of the file of keys: `key-sums`, four bytes for each slot, in the order of the slots.
//!
//! A changed bit in a key would be taken for a damaged record, and one in the store's secret for a store in which no
//! message was ever seen. So every slot has a CRC-32 of its number and its 32 bytes.
//!
//! Keys come first: a slot is used only once its checksum is on the device too, and what a crash left of one that has
//! none is made anew. A shredded slot is zeroed before its checksum follows; between the two the database still lists
//! it as one to shred, and that is done again when the store is opened.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::Path,
};

use super::Slot;

/// The file's name in the store's directory.
pub(in crate::store::sled) const SUMS_FILE: &str = "key-sums";

/// Bytes of a checksum.
const WIDTH: usize = 4;

/// The open file of checksums.
pub(in crate::store::sled) struct KeySums {
    file: File,
}

impl KeySums {
    /// Opens the file in `dir`; with `create`, makes it where it is missing.
    pub(in crate::store::sled) fn open(dir: &Path, create: bool) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(create).truncate(false).mode(0o600);
        Ok(Self { file: options.open(dir.join(SUMS_FILE))? })
    }

    /// Opens the file in `dir` for reading alone.
    pub(in crate::store::sled) fn read_only(dir: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(dir.join(SUMS_FILE))? })
    }

    /// Over another file, which stands in for one that is missing where no checksum is asked for.
    pub(in crate::store::sled) const fn over(file: File) -> Self {
        Self { file }
    }

    /// How many slots have a checksum.
    pub(in crate::store::sled) fn count(&self) -> io::Result<Slot> {
        let length = self.file.metadata()?.len();
        Slot::try_from(length / WIDTH as u64).map_err(io::Error::other)
    }

    /// Whether the bytes of a slot are those that were written there; false where there is no checksum of it.
    pub(in crate::store::sled) fn matches(&self, slot: Slot, bytes: &[u8]) -> io::Result<bool> {
        let mut kept = [0; WIDTH];
        match self.file.read_exact_at(&mut kept, at(slot)) {
            Ok(()) => Ok(kept == sum(slot, bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Writes the checksums of slots that follow each other from `first` on.
    pub(in crate::store::sled) fn write<'a>(
        &self,
        first: Slot,
        slots: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<()> {
        let sums: Vec<u8> =
            (first..).zip(slots).flat_map(|(slot, bytes)| sum(slot, bytes)).collect();
        self.file.write_all_at(&sums, at(first))
    }

    /// Returns once what was written is on the device.
    pub(in crate::store::sled) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Forgets the checksums from `end` on.
    pub(in crate::store::sled) fn cut(&self, end: Slot) -> io::Result<()> {
        self.file.set_len(at(end))?;
        self.file.sync_all()
    }
}

fn at(slot: Slot) -> u64 {
    u64::from(slot) * WIDTH as u64
}

fn sum(slot: Slot, bytes: &[u8]) -> [u8; WIDTH] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&slot.to_be_bytes());
    hasher.update(bytes);
    hasher.finalize().to_be_bytes()
}
