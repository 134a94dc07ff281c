//! Whether files can be kept, as far as is known. The log says once that they can't, and once that they can again.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::{ARTIFACTS, Blobs, Error, PROBE, blocking};

/// How long a bucket or database that was tried in vain is not tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// Bytes of a file that is tried: a full disk often has room for an empty one, and for a little more.
const PROBE_BYTES: usize = 1024 * 1024;

/// How the last try went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// Nobody has tried yet.
    None,
    Kept,
    Failed,
}

/// Whether files can be kept.
#[derive(Debug)]
pub(super) struct Keeping {
    last: Mutex<Last>,
    /// When a bucket or database was last tried in vain. Held while it is tried.
    refused: tokio::sync::Mutex<Option<Instant>>,
}

impl Keeping {
    /// Taken to work until a try fails, or only once a try has succeeded.
    pub(super) const fn new(is_doubted: bool) -> Self {
        let last = Mutex::new(if is_doubted { Last::None } else { Last::Kept });
        Self { last, refused: tokio::sync::Mutex::const_new(None) }
    }

    /// Whether the last try succeeded.
    pub(super) fn works(&self) -> bool {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) == Last::Kept
    }

    /// Remembers how a try went, and tells the log where it went another way than the last one.
    pub(super) fn note(&self, tried: &Result<(), Error>, hint: &str) {
        let now = if tried.is_ok() { Last::Kept } else { Last::Failed };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *last, now);
        drop(last);
        match tried {
            Err(error) if before != Last::Failed => {
                let why = std::error::Error::source(error).map(ToString::to_string);
                let why = why.unwrap_or_default();
                tracing::error!(why, "files cannot be kept. hint: {hint}");
            }
            Ok(()) if before == Last::Failed => tracing::info!("files can be kept again"),
            Ok(()) | Err(_) => {}
        }
    }
}

impl Blobs {
    /// Whether files can be kept, as far as is known: once one could not, this tries it with another one. However many
    /// ask, a bucket is tried once in five seconds: each attempt is several requests.
    pub(in crate::ports::artifacts) async fn check(&self) -> Result<(), Error> {
        if self.keeping.works() {
            return Ok(());
        }
        let mut refused = self.keeping.refused.lock().await;
        if self.keeping.works() {
            return Ok(());
        }
        if refused.is_some_and(|at| at.elapsed() < AGAIN) {
            return Err(Error::Unreachable("it was tried a moment ago".into()));
        }
        let tried = if let Some(shared) = self.shared() {
            let tried = shared.check().await;
            *refused = tried.is_err().then(Instant::now);
            tried
        } else {
            let path = self.root.join(ARTIFACTS).join(PROBE);
            blocking(move || probe(&path)).await
        };
        self.keeping.note(&tried, self.hint());
        tried
    }
}

/// Tries to keep a file at `path`, and removes it.
pub(super) fn probe(path: &Path) -> io::Result<()> {
    let written = File::create(path).and_then(|mut file| {
        file.write_all(&vec![1; PROBE_BYTES])?;
        file.sync_all()
    });
    let removed = fs::remove_file(path);
    written.and(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_try_says_how_files_are_kept_until_the_next() {
        let failed = || Err(Error::from(io::Error::from(io::ErrorKind::StorageFull)));
        let keeping = Keeping::new(true);
        assert!(!keeping.works());
        for tried in [Ok(()), failed(), failed(), Ok(())] {
            keeping.note(&tried, "free up space");
            assert_eq!(keeping.works(), tried.is_ok());
        }
    }

    #[test]
    fn a_probe_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        probe(&folder.path().join("probe")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
