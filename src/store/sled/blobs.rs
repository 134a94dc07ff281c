//! The folder of values that sled keeps in files of their own, which it does not sync.
//!
//! Our values are too small for that, but a page of the tree might get there. So the folder is looked at with each sync,
//! and listed only where it may have changed.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, File},
    io,
    path::PathBuf,
    time::{Duration, Instant, SystemTime},
};

/// How coarse the times of a file system may be, and more: ext4 counts in ticks of 4 to 10 ms, others in one or two seconds.
const COARSE: Duration = Duration::from_secs(4);

/// Which files of the folder are on the device.
pub(super) struct Blobs {
    dir: PathBuf,
    /// sled writes each file once and never again.
    synced: HashSet<OsString>,
    /// When the folder was changed last, and since when that has been known.
    changed: Option<(SystemTime, Instant)>,
    /// It was listed after that change could no longer hide another.
    is_settled: bool,
}

impl Blobs {
    /// The folder `dir`, of which nothing is known to be on the device.
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir, synced: HashSet::new(), changed: None, is_settled: false }
    }

    /// Puts all files of the folder on the device that are not there yet; how many these were. An error leaves them to the
    /// next call.
    pub(super) fn sync(&mut self, now: Instant) -> io::Result<usize> {
        // Before the listing: what comes after it changes the folder later.
        let modified = fs::metadata(&self.dir)?.modified()?;
        let known = self.changed.filter(|(known, _)| *known == modified);
        if known.is_some() && self.is_settled {
            return Ok(0);
        }
        let count = self.sync_listed()?;
        let (_, since) = *self.changed.insert(known.unwrap_or((modified, now)));
        // A file that came right after a listing may bear the same time as one that came right before it.
        self.is_settled = now.saturating_duration_since(since) >= COARSE;
        Ok(count)
    }

    fn sync_listed(&mut self) -> io::Result<usize> {
        let (mut present, mut count) = (HashSet::new(), 0);
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            if !self.synced.contains(&entry.file_name()) {
                File::open(entry.path())?.sync_all()?;
                count += 1;
            }
            present.insert(entry.file_name());
        }
        if count > 0 {
            File::open(&self.dir)?.sync_all()?;
        }
        self.synced = present;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A folder whose time does not move by itself, like that of a file system with coarse times.
    struct Folder {
        dir: TempDir,
        modified: SystemTime,
    }

    impl Folder {
        fn add(&self, name: &str) {
            fs::write(self.dir.path().join(name), "page").unwrap();
            File::open(self.dir.path()).unwrap().set_modified(self.modified).unwrap();
        }
    }

    #[test]
    fn a_file_that_comes_within_the_same_tick_as_a_look_is_synced() {
        let mut folder = Folder { dir: TempDir::new().unwrap(), modified: SystemTime::UNIX_EPOCH };
        let mut blobs = Blobs::new(folder.dir.path().to_owned());
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        folder.add("one");
        assert_eq!(blobs.sync(at(0)).unwrap(), 1);
        folder.add("two");
        assert_eq!(blobs.sync(at(1)).unwrap(), 1);
        assert_eq!(blobs.sync(at(4)).unwrap(), 0);

        // A file that comes now has another time; one that has not shows that the folder is not listed.
        folder.add("three");
        assert_eq!(blobs.sync(at(5)).unwrap(), 0);
        folder.modified += Duration::from_secs(5);
        folder.add("four");
        assert_eq!(blobs.sync(at(5)).unwrap(), 2);
        folder.add("five");
        assert_eq!(blobs.sync(at(6)).unwrap(), 1);
    }
}
