//! The high-water mark: what had been acknowledged when the store last synced, in a file that the database has no hand in.
//!
//! The database alone cannot tell that its end is missing. So each sync is followed by one of `high-water-mark`, which
//! says how far the store had come; a database that is behind it has lost something and is not opened.
//!
//! The file has two places, written in turn, so that a write which a power cut tears leaves the one before it. Each
//! holds `anteroom mark 1\n`, the checksum (32 bytes), the number of audit records (8 bytes), the last seal (32 bytes) and
//! a CRC-32 of all that.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::Path,
};

use super::{audit_record::Tip, tree_checksum::TreeChecksum};

/// The file's name in the store's directory.
pub(super) const MARK_FILE: &str = "high-water-mark";

const MAGIC: &[u8; 16] = b"anteroom mark 1\n";

/// Distance of the two places: no device writes so much at once that both would tear.
const APART: u64 = 4096;

/// Bytes of a mark without its checksum.
const LENGTH: usize = MAGIC.len() + TreeChecksum::LENGTH + 8 + 32;

/// How far the store had come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) checksum: TreeChecksum,
    pub(super) tip: Tip,
}

impl Mark {
    /// The highest mark in the file of `dir`: `None` if there is no file or nothing was written to it yet, an error of
    /// kind `InvalidData` where neither place holds one.
    pub(super) fn read(dir: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(dir.join(MARK_FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let mut is_blank = true;
        let marks = [0, APART].map(|at| {
            let mut bytes = [0; LENGTH + 4];
            file.read_exact_at(&mut bytes, at).ok()?;
            is_blank &= bytes.iter().all(|byte| *byte == 0);
            Self::decode(&bytes)
        });
        if is_blank {
            return Ok(None);
        }
        let highest = marks.into_iter().flatten().max_by_key(|mark| mark.checksum.batches);
        let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "it holds no mark");
        highest.ok_or_else(unreadable).map(Some)
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(LENGTH + 4);
        bytes.extend(MAGIC);
        bytes.extend(self.checksum.encode());
        bytes.extend(self.tip.next.to_be_bytes());
        bytes.extend(self.tip.seal);
        bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (bytes, sum) = bytes.split_at_checked(LENGTH)?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (checksum, rest) = rest.split_at_checked(TreeChecksum::LENGTH)?;
        let (next, seal) = rest.split_first_chunk()?;
        let tip = Tip { next: u64::from_be_bytes(*next), seal: seal.try_into().ok()? };
        let mark = Self { checksum: TreeChecksum::decode(checksum)?, tip };
        (crc32fast::hash(bytes).to_be_bytes() == sum).then_some(mark)
    }
}

/// The open file.
pub(super) struct MarkFile {
    file: File,
    /// The place that is written next.
    next: u64,
}

impl MarkFile {
    /// Opens the file in `dir`, which is made where it is missing.
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(dir.join(MARK_FILE))?;
        let length = file.metadata()?.len();
        if length < 2 * APART {
            // Written in full at once, so that no later write changes anything but its bytes; a mark that is there stays.
            let missing = usize::try_from(2 * APART - length).unwrap_or_default();
            file.write_all_at(&vec![0; missing], length)?;
            file.sync_all()?;
        }
        let mut first = [0; LENGTH + 4];
        file.read_exact_at(&mut first, 0)?;
        let mut second = first;
        file.read_exact_at(&mut second, APART)?;
        let batches = |bytes: &[u8]| Mark::decode(bytes).map(|mark| mark.checksum.batches);
        let next = if batches(&first) > batches(&second) { APART } else { 0 };
        Ok(Self { file, next })
    }

    /// Writes a mark; it is on the device when this returns.
    pub(super) fn write(&mut self, mark: &Mark) -> io::Result<()> {
        self.file.write_all_at(&mark.encode(), self.next)?;
        self.file.sync_data()?;
        self.next = APART - self.next;
        Ok(())
    }
}
