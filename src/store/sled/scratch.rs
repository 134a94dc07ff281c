//! A copy of the database, to be opened in its place where nothing of it may change.
//!
//! It lies beside the database, or where there is no room, in the system's folder for temporary files. It holds only
//! what is sealed, without the keys.

use std::{
    env,
    fs::{self, DirBuilder},
    io,
    path::{Path, PathBuf},
};

use uuid::Uuid;

use super::clean_stop;

/// The copy's name in the store's directory.
const SCRATCH: &str = "scratch";

/// A copy of the database's files. Dropping it removes it.
pub(super) struct Scratch {
    pub(super) dir: PathBuf,
}

impl Scratch {
    /// Removes what a crash left of one.
    pub(super) fn remove_old(dir: &Path) -> io::Result<()> {
        match fs::remove_dir_all(dir.join(SCRATCH)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Copies the database in `dir`, without its keys.
    pub(super) fn copy(dir: &Path) -> io::Result<Self> {
        // Not the number of the process: in a container each has the same.
        let name = format!("anteroom-check-{}", Uuid::new_v4());
        let places =
            [dir.join(SCRATCH), env::temp_dir().join(&name), Path::new("/dev/shm").join(name)];
        let mut full = None;
        for place in places {
            match Self::copy_to(dir, place) {
                Err(error) if error.kind() == io::ErrorKind::StorageFull => full = Some(error),
                Err(_) if full.is_some() => {}
                other => return other,
            }
        }
        Err(full.unwrap_or_else(|| io::ErrorKind::StorageFull.into()))
    }

    fn copy_to(dir: &Path, place: PathBuf) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&place)?;
        let scratch = Self { dir: place };
        for name in clean_stop::of_the_database(dir)? {
            let to = scratch.dir.join(&name);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::copy(dir.join(&name), to)?;
        }
        Ok(scratch)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.dir) {
            tracing::warn!(%error, dir = %self.dir.display(), "a copy made for a check could not be removed");
        }
    }
}
