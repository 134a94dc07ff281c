//! The barrier against a power cut that sled's `flush` is not on Linux.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use sled::Db;

use crate::store::Error;

/// Second handles on the database's files.
pub(super) struct Disk {
    log: File,
    blobs: PathBuf,
    /// Files in `blobs` that are on the device; sled writes each once and never again.
    synced: HashSet<OsString>,
}

impl Disk {
    /// For a database that is open in `dir`. Puts the names of its files on the device as well.
    pub(super) fn new(dir: &Path) -> io::Result<Self> {
        let log = File::options().read(true).write(true).open(dir.join("db"))?;
        log.sync_all()?;
        File::open(dir.join("conf"))?.sync_all()?;
        File::open(dir)?.sync_all()?;
        if let Some(parent) = dir.canonicalize()?.parent() {
            File::open(parent)?.sync_all()?;
        }
        let mut disk = Self { log, blobs: dir.join("blobs"), synced: HashSet::new() };
        disk.sync_blobs()?;
        Ok(disk)
    }

    /// Returns once everything applied so far is on the device.
    pub(super) fn sync(&mut self, db: &Db) -> Result<(), Error> {
        // `flush` writes sled's buffers to the file; what the kernel then holds is ours to push on.
        db.flush().map_err(Error::unavailable)?;
        self.log.sync_data().map_err(Error::unavailable)?;
        self.sync_blobs().map_err(Error::unavailable)
    }

    /// Our values never get there, but a page of the tree might.
    fn sync_blobs(&mut self) -> io::Result<()> {
        let mut present = HashSet::new();
        let mut news = false;
        for entry in fs::read_dir(&self.blobs)? {
            let entry = entry?;
            if !self.synced.contains(&entry.file_name()) {
                File::open(entry.path())?.sync_all()?;
                news = true;
            }
            present.insert(entry.file_name());
        }
        if news {
            File::open(&self.blobs)?.sync_all()?;
        }
        self.synced = present;
        Ok(())
    }
}
