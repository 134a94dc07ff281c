//! Content-addressed files: `artifacts/<session>/<sha256>` and `flows/<sha256>` under the data directory.
//!
//! [`object_store`] writes beside the file, syncs, renames and syncs the folder. Three things it leaves to us: a
//! folder that another task has just made may not be synced yet when we use it, deletions are not synced, and what
//! a crash left half written is hidden from listings, though it holds a person's data.
//!
//! Links are not followed: where one stands in place of a folder or file of ours, nothing is read or written.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File},
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use object_store::{ObjectStoreExt as _, PutPayload, local::LocalFileSystem, path};

use crate::{
    drill::{Point, pass},
    ids::SessionId,
};

/// Why a file could not be kept or read; the source is for the log.
#[derive(Debug, thiserror::Error)]
#[error(
    "could not reach the stored files. hint: check free space and rights of the data directory"
)]
pub struct Error(#[source] pub Box<dyn std::error::Error + Send + Sync>);

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Self {
        Self(Box::new(error))
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self(Box::new(error))
    }
}

impl From<tokio::task::JoinError> for Error {
    fn from(error: tokio::task::JoinError) -> Self {
        Self(Box::new(error))
    }
}

/// Files on the local disk.
#[derive(Debug)]
pub(super) struct Blobs {
    store: LocalFileSystem,
    root: PathBuf,
    /// The last file could not be kept.
    is_failing: AtomicBool,
}

impl Blobs {
    /// Opens the files under `root`, making the folders that are missing.
    pub(super) fn open(root: &Path) -> Result<Self, Error> {
        for folder in [ARTIFACTS, FLOWS] {
            // For its owner's eyes alone: what people send is theirs. The folders within get what the umask leaves.
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true).create(root.join(folder))?;
        }
        for folder in [ARTIFACTS, FLOWS] {
            no_link(&root.join(folder))?;
        }
        sync_folder(root)?;
        let store = LocalFileSystem::new_with_prefix(root)?.with_fsync(true);
        Ok(Self { store, root: root.to_owned(), is_failing: AtomicBool::new(false) })
    }

    /// Keeps bytes; what is there already under the same name is replaced whole. A crash before the return may
    /// leave nothing or everything, never a part under that name; after it, the file is on disk.
    pub(super) async fn put(&self, place: &Place<'_>, bytes: Vec<u8>) -> Result<(), Error> {
        let kept = self.write(place, bytes).await;
        self.is_failing.store(kept.is_err(), Ordering::Relaxed);
        kept
    }

    /// Whether files can be kept, as far as is known: once one could not, this tries it with an empty one.
    pub(super) async fn check(&self) -> Result<(), Error> {
        if !self.is_failing.load(Ordering::Relaxed) {
            return Ok(());
        }
        let probe = self.root.join(ARTIFACTS).join(PROBE);
        blocking(move || {
            File::create(&probe)?.sync_all()?;
            fs::remove_file(&probe)
        })
        .await?;
        self.is_failing.store(false, Ordering::Relaxed);
        Ok(())
    }

    async fn write(&self, place: &Place<'_>, bytes: Vec<u8>) -> Result<(), Error> {
        self.no_links(place).await?;
        pass(Point::FileDue);
        self.store.put(&place.path(), PutPayload::from(bytes)).await?;
        pass(Point::FileNamed);
        let mut folders = vec![self.root.join(place.folder()), self.root.clone()];
        if let Place::Artifact { session, .. } = place {
            folders.insert(0, self.folder_of(*session));
        }
        blocking(move || folders.iter().try_for_each(|folder| sync_folder(folder))).await?;
        pass(Point::FileSynced);
        Ok(())
    }

    /// Reads bytes; none if there is no such file.
    pub(super) async fn get(&self, place: &Place<'_>) -> Result<Option<Vec<u8>>, Error> {
        self.no_links(place).await?;
        match self.store.get(&place.path()).await {
            Ok(found) => Ok(Some(found.bytes().await?.to_vec())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes all files of a session, finished or not. Again: nothing. A crash in the middle leaves some of them;
    /// erasing again removes the rest.
    pub(super) async fn erase(&self, session: SessionId) -> Result<(), Error> {
        let folder = self.folder_of(session);
        let parent = self.root.join(ARTIFACTS);
        blocking(move || match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => {
                pass(Point::FilesRemoved);
                sync_folder(&parent)
            }
        })
        .await
    }

    /// Removes the files of a session that are not among `kept`, digests; what is unfinished goes too. Again: nothing.
    pub(super) async fn retain(
        &self,
        session: SessionId,
        kept: BTreeSet<String>,
    ) -> Result<(), Error> {
        let folder = self.folder_of(session);
        blocking(move || {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                if !entry.file_name().to_str().is_some_and(|name| kept.contains(name)) {
                    fs::remove_file(entry.path())?;
                }
            }
            pass(Point::FilesRemoved);
            sync_folder(&folder)
        })
        .await
    }

    /// A link in place of one of our folders or files would lead reading and writing somewhere else.
    async fn no_links(&self, place: &Place<'_>) -> Result<(), Error> {
        let (folder, file) = match place {
            Place::Artifact { session, sha256 } => (Some(self.folder_of(*session)), *sha256),
            Place::Flow { sha256 } => (None, *sha256),
        };
        let top = self.root.join(place.folder());
        let file = folder.as_ref().unwrap_or(&top).join(file);
        blocking(move || {
            [Some(top), folder, Some(file)].iter().flatten().try_for_each(|path| no_link(path))
        })
        .await
    }

    /// The sessions that have a folder.
    pub(super) async fn sessions(&self) -> Result<BTreeSet<SessionId>, Error> {
        let folder = self.root.join(ARTIFACTS);
        blocking(move || {
            let entries: io::Result<Vec<_>> = fs::read_dir(folder)?.collect();
            // Whatever else lies there is not ours.
            Ok(entries?
                .iter()
                .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
                .collect())
        })
        .await
    }

    fn folder_of(&self, session: SessionId) -> PathBuf {
        self.root.join(ARTIFACTS).join(session.to_string())
    }
}

/// Where a file lies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    /// What somebody sent.
    Artifact { session: SessionId, sha256: &'a str },
    /// A pinned flow.
    Flow { sha256: &'a str },
}

const ARTIFACTS: &str = "artifacts";
const FLOWS: &str = "flows";

/// Written and removed to see whether files can be kept.
const PROBE: &str = ".probe";

impl Place<'_> {
    /// Built from ids and digests only, never from a sender's words; the parts are escaped all the same.
    fn path(&self) -> path::Path {
        match self {
            Self::Artifact { session, sha256 } => {
                path::Path::from_iter([ARTIFACTS, &session.to_string(), *sha256])
            }
            Self::Flow { sha256 } => path::Path::from_iter([FLOWS, *sha256]),
        }
    }

    const fn folder(&self) -> &'static str {
        match self {
            Self::Artifact { .. } => ARTIFACTS,
            Self::Flow { .. } => FLOWS,
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    Ok(tokio::task::spawn_blocking(work).await??)
}

/// What is not there is no link.
fn no_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            let told = format!(
                "`{}` is a link. hint: move what it points to in its place",
                path.display()
            );
            Err(io::Error::other(told))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
