//! Gives the space of keys that are gone back to the file system.

use std::{collections::BTreeSet, fs::File, io, os::unix::fs::FileExt as _};

/// Bytes of a block: what file systems give back at a time.
const BLOCK: u64 = 4096;

const ZEROS: [u8; 4096] = [0; 4096];

/// Punches holes where whole blocks of a file hold nothing but zeros, of those blocks that hold these offsets. Before
/// and after a crash zeros are read there, and the file is as long as before. Again: does the same. Where the file system
/// has no holes, nothing happens.
pub(super) fn punch(file: &File, offsets: impl Iterator<Item = u64>) {
    let blocks: BTreeSet<u64> = offsets.map(|offset| offset / BLOCK * BLOCK).collect();
    for block in blocks {
        let punched = is_zero(file, block).and_then(|is_zero| {
            if is_zero {
                punch_block(file, block)?;
            }
            Ok(())
        });
        if let Err(error) = punched {
            tracing::debug!(%error, "the space of overwritten keys is not given back");
        }
    }
}

/// Whether a block is there in full and holds zeros alone.
fn is_zero(file: &File, block: u64) -> io::Result<bool> {
    let mut bytes = ZEROS;
    match file.read_exact_at(&mut bytes, block) {
        Ok(()) => Ok(bytes == ZEROS),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(target_os = "linux")]
fn punch_block(file: &File, block: u64) -> io::Result<()> {
    use rustix::fs::FallocateFlags;

    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    Ok(rustix::fs::fallocate(file, flags, block, BLOCK)?)
}

#[cfg(not(target_os = "linux"))]
fn punch_block(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    /// Units of `st_blocks` in a block.
    const UNITS: u64 = BLOCK / 512;

    /// A file of four blocks and a half, the first of which are full and the others zeros.
    fn file(full: usize) -> File {
        let file = tempfile::tempfile().unwrap();
        let length = ZEROS.len();
        file.write_all_at(&vec![0; 4 * length + length / 2], 0).unwrap();
        file.write_all_at(&vec![b'k'; full * length], 0).unwrap();
        file.sync_all().unwrap();
        file
    }

    #[test]
    fn whole_blocks_of_zeros_are_given_back_and_nothing_else_changes() {
        let probe = file(0);
        if punch_block(&probe, 0).is_err() {
            return;
        }
        let file = file(2);
        let before = file.metadata().unwrap();
        // One key is left in the fourth block, and the last is not whole.
        file.write_all_at(b"k", 4 * BLOCK - 1).unwrap();
        for _ in 0..2 {
            punch(&file, (0..9).map(|half| half * BLOCK / 2));
            let after = file.metadata().unwrap();
            assert_eq!(after.len(), before.len());
            assert_eq!(after.blocks(), before.blocks() - UNITS);
        }
        let mut bytes = ZEROS;
        file.read_exact_at(&mut bytes, 2 * BLOCK).unwrap();
        assert_eq!(bytes, ZEROS);
        file.read_exact_at(&mut bytes, BLOCK).unwrap();
        assert_eq!(bytes, [b'k'; ZEROS.len()]);
    }
}
