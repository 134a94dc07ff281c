//! Removes files and overwrites them first, because unlinking leaves every byte on the device.
//!
//! Of a sealed file the beginning is enough: without its salt no key opens the rest. A file in clear is overwritten
//! whole. As with the file of keys, this holds on a device and a file system that overwrite in place (ext4, xfs); a
//! copy-on-write file system, a snapshot or the spare cells of a solid-state disk may keep the old bytes for a while.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, Write as _},
    path::Path,
};

use rustix::fs::{Mode, OFlags};

use super::sealed;

/// Bytes that are written at a time.
const BLOCK: usize = 8 * 1024;

/// Overwrites a file and removes it; a link is removed, and what it points to stays.
pub(super) fn file(path: &Path) -> io::Result<()> {
    overwritten(path);
    fs::remove_file(path)
}

/// Does the same with everything in a folder, and removes the folder. Again: nothing.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {
            for entry in fs::read_dir(path)? {
                overwritten(&entry?.path());
            }
        }
        Ok(_) | Err(_) => {}
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A file that cannot be overwritten is removed all the same.
fn overwritten(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => {
            if let Err(error) = overwrite(path) {
                tracing::warn!(file = %path.display(), %error, "a file could not be overwritten before its removal");
            }
        }
        Ok(_) | Err(_) => {}
    }
}

fn overwrite(path: &Path) -> io::Result<()> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let mut beginning = Vec::new();
    (&file).take(sealed::HEADER as u64).read_to_end(&mut beginning)?;
    let length =
        if sealed::is_sealed(&beginning) { beginning.len() as u64 } else { file.metadata()?.len() };
    file.rewind()?;
    let zeros = [0; BLOCK];
    let mut left = length;
    while left > 0 {
        let part = &zeros[..usize::try_from(left).unwrap_or(BLOCK).min(BLOCK)];
        file.write_all(part)?;
        left -= part.len() as u64;
    }
    file.sync_data()
}
