//! Uploads: checks them, keeps them, reads them.
//!
//! What a person sends passes [`check`], pictures also [`picture`]; then it is a file named by its digest
//! ([`blobs`]), sealed with a key of its session ([`sealed`]). Its text is read by [`extract`] in a child process, and [`resume`] makes a draft of that text
//! without any model.

pub mod blobs;
pub mod check;
pub mod extract;
pub mod picture;
pub mod resume;
mod sealed;
mod shred;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use tokio::sync::Semaphore;

use crate::{
    base::{
        clock::Clock,
        ids::{ArtifactId, Ids, SessionId},
    },
    model::{
        artifact::{Artifact, Extraction},
        audit,
        file_key::{FileKey, FileKeys},
        ui::Upload,
    },
};

use blobs::{Blobs, Condition, WithFiles};
use check::{Kind, Refused};
use extract::Extractor;

/// The artifacts port in the hands of engine and tools: one content-addressed folder per session.
#[derive(Debug)]
pub struct Artifacts {
    blobs: Blobs,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    extractor: Extractor,
    /// Pictures and documents take memory: so many at once, the others queue.
    heavy: Arc<Semaphore>,
}

/// Why a file was not kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The person must send something else; the text is theirs.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The disk failed; the same file may pass later.
    #[error(transparent)]
    Blobs(#[from] blobs::Error),
}

/// What a file that the program made was asked for as.
const MADE: &str = "made";

/// Pictures and documents that are worked on at the same time.
const HEAVY_MAX: usize = 2;

impl Artifacts {
    /// Opens the files under `data_dir`, sealed with `keys`, making the folders that are missing. Blocks for a moment.
    pub fn new(
        data_dir: &Path,
        keys: Arc<dyn FileKeys>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        extractor: Extractor,
    ) -> Result<Self, blobs::Error> {
        let heavy = Arc::new(Semaphore::new(HEAVY_MAX));
        Ok(Self { blobs: Blobs::open(data_dir, keys)?, clock, ids, extractor, heavy })
    }

    /// Keeps files without waiting for the device, so they may not survive a crash. For what is thrown away in the end,
    /// such as the rehearsal of a flow.
    #[must_use]
    pub fn without_syncs(self) -> Self {
        Self { blobs: self.blobs.without_syncs(), ..self }
    }

    /// Checks a file against what was asked for and keeps it, synced, before it returns. Pictures are re-encoded
    /// without metadata first. The same bytes again give the same digest and one file, under a new id.
    pub async fn keep(
        &self,
        session: SessionId,
        asked: &Upload,
        filename: &str,
        bytes: Vec<u8>,
    ) -> Result<Artifact, Error> {
        let checked = check::check(asked, filename, &bytes)?;
        let (kind, filename, bytes) = if checked.kind.is_picture() {
            let picture = self.reencode(checked.kind, checked.filename, bytes).await?;
            (picture.kind, picture.filename, picture.bytes)
        } else {
            (checked.kind, checked.filename, bytes)
        };
        let artifact = Artifact {
            id: ArtifactId::mint(self.ids.as_ref()),
            upload_type: asked.upload_type.clone(),
            filename,
            content_type: kind.content_type().to_owned(),
            size_bytes: bytes.len() as u64,
            sha256: audit::sha256(&bytes),
            kept_at: self.clock.now(),
        };
        self.blobs.keep(session, &artifact.sha256, bytes).await?;
        Ok(artifact)
    }

    /// Keeps a file that the program made itself, synced, before it returns.
    pub async fn make(
        &self,
        session: SessionId,
        filename: &str,
        kind: Kind,
        bytes: Vec<u8>,
    ) -> Result<Artifact, blobs::Error> {
        let artifact = Artifact {
            id: ArtifactId::mint(self.ids.as_ref()),
            upload_type: MADE.to_owned(),
            filename: filename.to_owned(),
            content_type: kind.content_type().to_owned(),
            size_bytes: bytes.len() as u64,
            sha256: audit::sha256(&bytes),
            kept_at: self.clock.now(),
        };
        self.blobs.keep(session, &artifact.sha256, bytes).await?;
        Ok(artifact)
    }

    /// Keeps the bytes of a file that was checked or made before, such as one of another store, synced, before it
    /// returns. Keeping them again changes nothing.
    pub async fn put(
        &self,
        session: SessionId,
        artifact: &Artifact,
        bytes: Vec<u8>,
    ) -> Result<(), blobs::Error> {
        self.blobs.keep(session, &artifact.sha256, bytes).await
    }

    /// What links to files are signed with.
    pub async fn link_key(&self) -> Result<FileKey, blobs::Error> {
        self.blobs.link_key().await
    }

    /// Whether files can be kept, as far as is known; after a failure it is tried again.
    pub async fn check(&self) -> Result<(), blobs::Error> {
        self.blobs.check().await
    }

    /// What an operator can do where files cannot be kept.
    pub fn hint(&self) -> &'static str {
        self.blobs.hint()
    }

    /// The bytes of a kept file; `None` if they were erased. One that an older version left in clear is sealed.
    pub async fn read(
        &self,
        session: SessionId,
        artifact: &Artifact,
    ) -> Result<Option<Vec<u8>>, blobs::Error> {
        self.blobs.read(session, &artifact.sha256).await
    }

    /// Verifies a kept file, and seals it where an older version left it in clear. [`blobs::Error::Damaged`] where it
    /// is not what was kept.
    pub async fn inspect(
        &self,
        session: SessionId,
        artifact: &Artifact,
    ) -> Result<Condition, blobs::Error> {
        self.blobs.inspect(session, &artifact.sha256).await
    }

    /// Seals every file of a session that an older version left in clear; how many those were.
    pub async fn seal_all(&self, session: SessionId) -> Result<usize, blobs::Error> {
        self.blobs.seal_all(session).await
    }

    /// The text of a kept document, read in a child process with limits. A picture holds no text as far as we can
    /// see. Changes nothing, so it can be repeated.
    pub async fn extract(
        &self,
        session: SessionId,
        artifact: &Artifact,
    ) -> Result<Extraction, blobs::Error> {
        let Some(kind) =
            Kind::of_content_type(&artifact.content_type).and_then(extract::Format::of)
        else {
            return Ok(Extraction::NoText);
        };
        // First, so that those who wait hold no files in memory.
        let _permit = self.heavy.acquire().await.map_err(closed)?;
        let unreadable = |reason: &str| Ok(Extraction::Unreadable { reason: reason.to_owned() });
        let bytes = match self.read(session, artifact).await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return unreadable("The file was erased."),
            Err(blobs::Error::Damaged { .. }) => return unreadable(DAMAGED),
            Err(error) => return Err(error),
        };
        Ok(self.extractor.extract(kind, bytes).await)
    }

    /// Removes every file of a session. Again: nothing.
    pub async fn erase(&self, session: SessionId) -> Result<(), blobs::Error> {
        self.blobs.erase(session).await
    }

    /// Removes the files of a session that are not among `kept`, digests. Again: nothing.
    pub async fn retain(
        &self,
        session: SessionId,
        kept: BTreeSet<String>,
    ) -> Result<(), blobs::Error> {
        self.blobs.retain(session, kept).await
    }

    /// The sessions that have files.
    pub async fn sessions(&self) -> Result<BTreeSet<SessionId>, blobs::Error> {
        let (mut all, mut listed) = (BTreeSet::new(), self.with_files().await?);
        loop {
            let page = listed.next(PAGE).await?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }

    /// The sessions that have files, to be read some at a time.
    pub async fn with_files(&self) -> Result<WithFiles, blobs::Error> {
        self.blobs.with_files().await
    }

    /// Keeps a flow file under its digest, so that a running session finds it after an edit.
    pub async fn pin_flow(&self, digest: &str, source: &str) -> Result<(), blobs::Error> {
        self.blobs.pin(digest, source).await
    }

    /// A pinned flow file; [`blobs::Error::Damaged`] where it is not what was pinned.
    pub async fn pinned_flow(&self, digest: &str) -> Result<Option<String>, blobs::Error> {
        self.blobs.pinned(digest).await
    }

    /// Off the async threads; a decoder that panics has met a broken picture.
    async fn reencode(
        &self,
        kind: Kind,
        filename: String,
        bytes: Vec<u8>,
    ) -> Result<picture::Picture, Error> {
        let heavy = Arc::clone(&self.heavy);
        let permit = heavy.acquire_owned().await.map_err(closed)?;
        let name = filename.clone();
        // The permit goes with the work, which goes on where the sender has gone.
        let work = move || {
            let _permit = permit;
            picture::reencode(kind, &name, &bytes)
        };
        tokio::task::spawn_blocking(work)
            .await
            .unwrap_or_else(|_| Err(Refused(format!("*{filename}* cannot be opened as an image."))))
            .map_err(Error::Refused)
    }
}

/// Sessions that are listed in one go.
const PAGE: usize = 1024;

/// What the sender of a damaged file is told.
const DAMAGED: &str =
    "I can no longer read this file: it was damaged where I keep it. Please send it again.";

fn closed(error: tokio::sync::AcquireError) -> blobs::Error {
    blobs::Error::Unreachable(error.into())
}
