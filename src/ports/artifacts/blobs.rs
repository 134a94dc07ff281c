//! Content-addressed files: `artifacts/<session>/<name>`, sealed, and `flows/<sha256>` under the data directory.
//!
//! What belongs to a session is sealed with its file key before it reaches the disk, and named by a keyed digest
//! ([`sealed`]); a flow is nobody's, and lies as it is. Versions before the first that seals wrote files in clear under
//! their SHA-256: those are read as before, and the first reading seals them.
//!
//! [`object_store`] writes beside the file, syncs, renames and syncs the folder. Three things it leaves to us: a
//! folder that another task has just made may not be synced yet when we use it, deletions are not synced, and what
//! a crash left half written is hidden from listings, though it holds a person's data.
//!
//! Links are not followed: where one stands in place of a folder or file of ours, nothing is read or written.

mod keeping;
mod shared;
mod with_files;

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use object_store::{ObjectStoreExt as _, PutPayload, local::LocalFileSystem, path};
use rustix::fs::{Mode, OFlags};
use tokio::sync::Mutex;

pub use self::with_files::WithFiles;
use self::{keeping::Keeping, shared::Shared};
use super::{
    sealed::{self, Seal, Unopened},
    shred,
};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::SessionId,
    },
    model::{
        audit,
        file_key::{FileKey, FileKeys},
    },
};

/// Why a file could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk or the store failed; the source is for the log.
    #[error(
        "could not reach the stored files. hint: check free space and rights of the data directory, or the database or bucket that they are in"
    )]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The file is not what was written.
    #[error(
        "the stored file `{file}` is damaged ({how}). hint: restore a backup with `anteroom restore`"
    )]
    Damaged {
        /// Where it lies under the data directory.
        file: String,
        /// What is wrong with it.
        how: &'static str,
    },
    /// The file was written by a program newer than this one.
    #[error("the stored file `{0}` was written by a newer version. hint: run the newer program")]
    Newer(String),
    /// The session whose file it would be is gone.
    #[error("the conversation is gone, and its files with it")]
    Gone,
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Self {
        Self::Unreachable(Box::new(error))
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(Box::new(error))
    }
}

impl From<tokio::task::JoinError> for Error {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Unreachable(Box::new(error))
    }
}

/// What a look at one stored file came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// It is sealed, and every byte of it is as it was written.
    Whole,
    /// It lay in clear, as older versions wrote it, was whole, and is sealed now.
    SealedNow,
    /// There is no such file.
    Missing,
}

/// Files on the local disk.
#[derive(Debug)]
pub(super) struct Blobs {
    store: LocalFileSystem,
    root: PathBuf,
    keys: Arc<dyn FileKeys>,
    /// Whether files can be kept; what is kept elsewhere than on this disk has to show it first.
    keeping: Keeping,
    /// Puts the names within a folder on the device.
    sync_folder: fn(&Path) -> io::Result<()>,
    /// Held while a file in clear is replaced, and while files are removed: one must not bring back the other's.
    replacing: Mutex<()>,
}

impl Blobs {
    /// Opens the files under `root`, making the folders that are missing.
    pub(super) fn open(root: &Path, keys: Arc<dyn FileKeys>) -> Result<Self, Error> {
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
        let (keeping, replacing) = (Keeping::new(keys.files().is_some()), Mutex::new(()));
        Ok(Self { store, root: root.to_owned(), keys, keeping, sync_folder, replacing })
    }

    /// Keeps files without waiting for the device, so they may not survive a crash.
    pub(super) fn without_syncs(self) -> Self {
        let store = self.store.with_fsync(false);
        Self { store, sync_folder: |_| Ok(()), ..self }
    }

    /// Keeps a file of a session, sealed. A crash before the return may leave nothing or everything, never a part under
    /// its name; after it, the file is on disk. Keeping the same content again changes nothing.
    pub(super) async fn keep(
        &self,
        session: SessionId,
        sha256: &str,
        content: Vec<u8>,
    ) -> Result<(), Error> {
        let seal = self.seal(session, sha256).await?.ok_or(Error::Gone)?;
        if let Some(shared) = self.shared() {
            let kept = shared.keep(session, &seal, content).await;
            self.keeping.note(&kept, self.hint());
            return kept;
        }
        // Another copy would leave this one's blocks on the device, with the salt that opens them.
        let kept = if let Ok(Some(_)) = self.opened(session, &seal).await {
            self.sync(&Place::Artifact { session, name: seal.name() }).await
        } else {
            self.put(session, sha256, &seal, content).await
        };
        self.keeping.note(&kept, self.hint());
        kept
    }

    /// What links to files are signed with.
    pub(super) async fn link_key(&self) -> Result<FileKey, Error> {
        self.keys.link_key().await.map_err(Error::Unreachable)
    }

    /// The content of a session's file; `None` if there is no such file, or no such session.
    pub(super) async fn read(
        &self,
        session: SessionId,
        sha256: &str,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some(Found { seal, content, is_clear }) = self.find(session, sha256).await? else {
            return Ok(None);
        };
        if is_clear && let Err(error) = self.replace(session, sha256, &seal, &content).await {
            tracing::warn!(session.id = %session, %error, "a file of an older version could not be sealed");
        }
        Ok(Some(content))
    }

    /// Looks whether a session's file is as it was written; seals it where it lies in clear.
    pub(super) async fn inspect(
        &self,
        session: SessionId,
        sha256: &str,
    ) -> Result<Condition, Error> {
        let Some(Found { seal, content, is_clear }) = self.find(session, sha256).await? else {
            return Ok(Condition::Missing);
        };
        if !is_clear {
            return Ok(Condition::Whole);
        }
        self.replace(session, sha256, &seal, &content).await?;
        Ok(Condition::SealedNow)
    }

    /// Seals whatever of a session lies in clear under its digest, known to its events or not; how many files that
    /// were. What an older version left half written is removed. A file that is damaged stays as it is.
    pub(super) async fn seal_all(&self, session: SessionId) -> Result<usize, Error> {
        let folder = self.folder_of(session);
        let clear = blocking(move || in_clear(&folder)).await?;
        let mut sealed = 0;
        for name in clear {
            match self.inspect(session, &name).await {
                Ok(Condition::SealedNow) => sealed += 1,
                Ok(Condition::Whole | Condition::Missing) | Err(Error::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(sealed)
    }

    /// Keeps a flow under its digest.
    pub(super) async fn pin(&self, sha256: &str, source: &str) -> Result<(), Error> {
        let kept = match self.shared() {
            Some(shared) => shared.pin(sha256, source).await,
            None => self.write(&Place::Flow { sha256 }, source.as_bytes().to_vec()).await,
        };
        self.keeping.note(&kept, self.hint());
        kept
    }

    /// A flow that was kept; `None` if there is no such file.
    pub(super) async fn pinned(&self, sha256: &str) -> Result<Option<String>, Error> {
        if let Some(shared) = self.shared()
            && let Some(found) = shared.pinned(sha256).await?
        {
            return Ok(Some(found));
        }
        let place = Place::Flow { sha256 };
        let Some(bytes) = self.bytes(&place, sha256).await? else { return Ok(None) };
        let found = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let found = found.ok_or_else(|| damaged(&place, "it is not what was kept"))?;
        if let Some(shared) = self.shared() {
            // An earlier version kept it here alone.
            shared.pin(sha256, &found).await?;
        }
        Ok(Some(found))
    }

    /// Removes all files of a session, finished or not, overwriting what opens them. Again: nothing. A crash in the
    /// middle leaves some of them; erasing again removes the rest.
    pub(super) async fn erase(&self, session: SessionId) -> Result<(), Error> {
        if let Some(shared) = self.shared() {
            shared.retain(session, &BTreeSet::new()).await?;
        }
        let _alone = self.replacing.lock().await;
        let folder = self.folder_of(session);
        let parent = self.root.join(ARTIFACTS);
        let sync_folder = self.sync_folder;
        blocking(move || {
            shred::folder(&folder)?;
            hit(Failpoint::FilesRemoved);
            sync_folder(&parent)
        })
        .await
    }

    /// Removes the files of a session that are not among `kept`, digests; what is unfinished goes too. Again: nothing.
    pub(super) async fn retain(
        &self,
        session: SessionId,
        kept: BTreeSet<String>,
    ) -> Result<(), Error> {
        let key = self.keys.file_key(session).await.map_err(Error::Unreachable)?;
        let mut names = kept;
        if let Some(key) = key {
            let sealed: Vec<String> =
                names.iter().map(|sha256| sealed::name(&key, sha256)).collect();
            names.extend(sealed);
        }
        if let Some(shared) = self.shared() {
            shared.retain(session, &names).await?;
        }
        let _alone = self.replacing.lock().await;
        let folder = self.folder_of(session);
        let sync_folder = self.sync_folder;
        blocking(move || {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                if !entry.file_name().to_str().is_some_and(|name| names.contains(name)) {
                    shred::file(&entry.path())?;
                }
            }
            hit(Failpoint::FilesRemoved);
            sync_folder(&folder)
        })
        .await
    }

    /// The sessions that have a folder.
    pub(super) async fn with_files(&self) -> Result<WithFiles, Error> {
        let shared = match self.shared() {
            Some(shared) => shared.sessions().await?,
            None => BTreeSet::new(),
        };
        let folder = self.root.join(ARTIFACTS);
        let here = blocking(move || fs::read_dir(folder)).await?;
        Ok(WithFiles::new(shared, here))
    }

    /// Where files lie that every node has; `None` if they are in the data directory.
    fn shared(&self) -> Option<Shared<'_>> {
        self.keys.files().map(Shared)
    }

    /// What the content with this digest is sealed with; `None` without the session.
    async fn seal(&self, session: SessionId, sha256: &str) -> Result<Option<Seal>, Error> {
        let key = self.keys.file_key(session).await.map_err(Error::Unreachable)?;
        Ok(key.map(|key| Seal::new(key, session, sha256)))
    }

    /// A session's file, sealed or in clear.
    async fn find(&self, session: SessionId, sha256: &str) -> Result<Option<Found>, Error> {
        let Some(seal) = self.seal(session, sha256).await? else { return Ok(None) };
        let Some(shared) = self.shared() else {
            return self.find_here(session, sha256, seal).await;
        };
        if let Some(content) = shared.opened(session, &seal).await? {
            return Ok(Some(Found { seal, content, is_clear: false }));
        }
        let Some(found) = self.find_here(session, sha256, seal).await? else { return Ok(None) };
        // An earlier version kept it in the data directory of one node.
        let Found { seal, content, is_clear } = found;
        shared.keep(session, &seal, content.clone()).await?;
        if is_clear {
            let place = Place::Artifact { session, name: sha256 };
            let path = self.store.path_to_filesystem(&place.path())?;
            blocking(move || shred::file(&path)).await?;
        }
        Ok(Some(Found { seal, content, is_clear: false }))
    }

    /// A session's file in the data directory, sealed or in clear.
    async fn find_here(
        &self,
        session: SessionId,
        sha256: &str,
        seal: Seal,
    ) -> Result<Option<Found>, Error> {
        let clear = Place::Artifact { session, name: sha256 };
        let mut is_there = false;
        // Between the two looks somebody else may be replacing the one by the other.
        for _ in 0..2 {
            if let Some(content) = self.opened(session, &seal).await? {
                return Ok(Some(Found { seal, content, is_clear: false }));
            }
            let bytes = self.bytes(&clear, sha256).await?;
            is_there = bytes.is_some();
            if let Some(Some(content)) = bytes {
                return Ok(Some(Found { seal, content, is_clear: true }));
            }
        }
        if is_there { Err(damaged(&clear, "it is not what was kept")) } else { Ok(None) }
    }

    /// The content of a sealed file; `None` if there is no such file.
    async fn opened(&self, session: SessionId, seal: &Seal) -> Result<Option<Vec<u8>>, Error> {
        let place = Place::Artifact { session, name: seal.name() };
        let Some(file) = self.file(&place).await? else { return Ok(None) };
        let seal = seal.clone();
        match tokio::task::spawn_blocking(move || seal.open(file)).await? {
            Ok(content) => Ok(Some(content)),
            Err(Unopened::Io(error)) => Err(error.into()),
            Err(Unopened::Damaged(how)) => Err(damaged(&place, how)),
            Err(Unopened::Newer) => Err(Error::Newer(place.path().to_string())),
        }
    }

    /// The bytes of a file that is not sealed: `None` if there is no such file, and none of it if they do not have the
    /// digest that it is named by.
    async fn bytes(
        &self,
        place: &Place<'_>,
        sha256: &str,
    ) -> Result<Option<Option<Vec<u8>>>, Error> {
        let Some(mut file) = self.file(place).await? else { return Ok(None) };
        let sha256 = sha256.to_owned();
        let bytes = blocking(move || {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(Some(bytes).filter(|bytes| audit::sha256(bytes) == sha256))
        });
        bytes.await.map(Some)
    }

    /// A file, opened for reading; `None` if there is none.
    async fn file(&self, place: &Place<'_>) -> Result<Option<File>, Error> {
        self.no_links(place).await?;
        let path = self.store.path_to_filesystem(&place.path())?;
        blocking(move || {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            match rustix::fs::open(path, flags, Mode::empty()) {
                Ok(file) => Ok(Some(File::from(file))),
                Err(rustix::io::Errno::NOENT) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    /// Puts a sealed file in place of one in clear, unless that has gone meanwhile.
    async fn replace(
        &self,
        session: SessionId,
        sha256: &str,
        seal: &Seal,
        content: &[u8],
    ) -> Result<(), Error> {
        let _alone = self.replacing.lock().await;
        if self.file(&Place::Artifact { session, name: sha256 }).await?.is_none() {
            return Ok(());
        }
        self.put(session, sha256, seal, content.to_vec()).await
    }

    /// Seals content and writes it; a file in clear with the same content goes once that is on disk.
    async fn put(
        &self,
        session: SessionId,
        sha256: &str,
        seal: &Seal,
        content: Vec<u8>,
    ) -> Result<(), Error> {
        let sealing = seal.clone();
        let sealed = blocking(move || sealing.seal(&content)).await?;
        self.write(&Place::Artifact { session, name: seal.name() }, sealed).await?;
        let clear = Place::Artifact { session, name: sha256 };
        let clear = self.store.path_to_filesystem(&clear.path())?;
        let folder = self.folder_of(session);
        let sync_folder = self.sync_folder;
        blocking(move || match shred::file(&clear) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.and_then(|()| sync_folder(&folder)),
        })
        .await
    }

    async fn write(&self, place: &Place<'_>, bytes: Vec<u8>) -> Result<(), Error> {
        self.no_links(place).await?;
        hit(Failpoint::FileDue);
        self.store.put(&place.path(), PutPayload::from(bytes)).await?;
        hit(Failpoint::FileNamed);
        self.sync(place).await?;
        hit(Failpoint::FileSynced);
        Ok(())
    }

    /// Puts the names of the folders that a file lies in on the device.
    async fn sync(&self, place: &Place<'_>) -> Result<(), Error> {
        let mut folders = vec![self.root.join(place.folder()), self.root.clone()];
        if let Place::Artifact { session, .. } = place {
            folders.insert(0, self.folder_of(*session));
        }
        let sync_folder = self.sync_folder;
        blocking(move || folders.iter().try_for_each(|folder| sync_folder(folder))).await
    }

    /// A link in place of one of our folders or files would lead reading and writing somewhere else.
    async fn no_links(&self, place: &Place<'_>) -> Result<(), Error> {
        let (folder, file) = match place {
            Place::Artifact { session, name } => (Some(self.folder_of(*session)), *name),
            Place::Flow { sha256 } => (None, *sha256),
        };
        let top = self.root.join(place.folder());
        let file = folder.as_ref().unwrap_or(&top).join(file);
        blocking(move || {
            [Some(top), folder, Some(file)].iter().flatten().try_for_each(|path| no_link(path))
        })
        .await
    }

    fn folder_of(&self, session: SessionId) -> PathBuf {
        self.root.join(ARTIFACTS).join(session.to_string())
    }
}

/// A file that was found and is whole.
struct Found {
    seal: Seal,
    content: Vec<u8>,
    /// An older version wrote it, and did not seal it.
    is_clear: bool,
}

/// Where a file lies.
#[derive(Debug, Clone, Copy)]
enum Place<'a> {
    /// What belongs to a session, under a keyed digest, or under its own where an older version wrote it.
    Artifact { session: SessionId, name: &'a str },
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
            Self::Artifact { session, name } => {
                path::Path::from_iter([ARTIFACTS, &session.to_string(), *name])
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

/// Says it in the log, since whoever reads the file may only be told that it cannot be read.
fn damaged(place: &Place<'_>, how: &'static str) -> Error {
    let file = place.path().to_string();
    tracing::error!(file, how, "a stored file is damaged");
    Error::Damaged { file, how }
}

/// The names of the files in a folder that are not sealed; what an older version left half written is removed.
fn in_clear(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(names),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if !entry.file_type()?.is_file() {
            continue;
        }
        let mut beginning = Vec::new();
        File::open(entry.path())?.take(sealed::HEADER as u64).read_to_end(&mut beginning)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if sealed::is_sealed(&beginning) {
        } else if is_digest(&name) {
            names.push(name);
        } else if beginning.len() == sealed::HEADER {
            // Long enough to show that it is none of ours that is being written just now.
            shred::file(&entry.path())?;
        }
    }
    Ok(names)
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
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
