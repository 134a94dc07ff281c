//! Room kept for bad times, and whether there is enough of it to write again.
//!
//! A full disk leaves no room even for opening the database, which writes a snapshot and the rest of a segment. So a file
//! of [`SIZE`] bytes is kept beside it and given back when opening needs the room. Writing goes on only when it has
//! been made anew: a disk with a few free bytes would be full again with the next answer.
//!
//! Its name says one thing more. After a failed sync the kernel may hold for clean what never reached the device, so
//! the file is renamed to [`UNSETTLED`], and whoever opens next, in this process or after a kill, writes the log once
//! more (`disk::rewrite`) before anything in it counts.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

/// Bytes that are kept: of a segment 8 MiB, of a snapshot 2 MiB.
pub(super) const SIZE: u64 = 10 * 1024 * 1024;

/// The file.
const KEPT: &str = "reserve";

/// The file's name while the log may not be on the device.
const UNSETTLED: &str = "reserve-unsettled";

/// The file that tries whether the device takes writes again.
const PROBE: &str = "probe";

/// Bytes that must be free beside the reserve and room for two snapshots.
const MARGIN: u64 = 1024 * 1024;

/// Makes the reserve where it is missing or was given back.
pub(super) fn make(dir: &Path) -> io::Result<()> {
    let path = dir.join(KEPT);
    if length(&path) != SIZE {
        fill(&path, SIZE)?;
    }
    match fs::remove_file(dir.join(UNSETTLED)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Gives the room back; false where there is none.
pub(super) fn give_back(dir: &Path) -> io::Result<bool> {
    let mut given = false;
    for name in [KEPT, UNSETTLED] {
        let path = dir.join(name);
        if length(&path) > 0 {
            File::options().write(true).open(&path)?.set_len(0)?;
            given = true;
        }
    }
    Ok(given)
}

/// Notes that the log may not be on the device. On a file system that takes no writes there is nothing to note.
pub(super) fn unsettle(dir: &Path) {
    if let Err(error) = fs::rename(dir.join(KEPT), dir.join(UNSETTLED)) {
        tracing::debug!(%error, "the reserve could not be renamed");
    }
}

/// Whether a store has been open here before.
pub(super) fn is_known(dir: &Path) -> bool {
    dir.join(KEPT).exists() || is_unsettled(dir)
}

/// Whether the log may not be on the device.
pub(super) fn is_unsettled(dir: &Path) -> bool {
    dir.join(UNSETTLED).exists()
}

/// Writes and syncs a file as large as what opening and going on will need, and removes it again.
pub(super) fn probe(dir: &Path) -> io::Result<()> {
    let kept = length(&dir.join(KEPT)) + length(&dir.join(UNSETTLED));
    let needed = MARGIN + SIZE.saturating_sub(kept) + 2 * snapshots(dir)?;
    let path = dir.join(PROBE);
    let filled = fill(&path, needed).and_then(|()| File::open(&path)?.sync_all());
    let removed = fs::remove_file(&path);
    filled.and(removed)
}

fn snapshots(dir: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("snap.") {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// Written in full: a file with holes reserves nothing.
fn fill(path: &Path, bytes: u64) -> io::Result<()> {
    let block = vec![0; 64 * 1024];
    let mut file = File::create(path)?;
    let mut left = bytes;
    while left > 0 {
        let part = left.min(block.len() as u64);
        file.write_all(&block[..usize::try_from(part).unwrap_or(block.len())])?;
        left -= part;
    }
    Ok(())
}
