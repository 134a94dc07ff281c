//! Files that every node has, in the store's own database or in a bucket: sealed as on a disk, under the same names.

use std::collections::BTreeSet;

use super::{Blobs, Error};
use crate::{
    base::ids::SessionId,
    model::{audit, file_key::FileStore},
    ports::artifacts::sealed::{Seal, Unopened},
};

/// Where files lie that every node has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared<'a>(pub(super) &'a dyn FileStore);

impl Shared<'_> {
    /// Keeps a session's file, unless it is there already, as it should be.
    pub(super) async fn keep(
        self,
        session: SessionId,
        seal: &Seal,
        content: Vec<u8>,
    ) -> Result<(), Error> {
        if let Ok(Some(_)) = self.opened(session, seal).await {
            return Ok(());
        }
        let sealing = seal.clone();
        let sealed = tokio::task::spawn_blocking(move || sealing.seal(&content)).await??;
        self.0.put_file(Some(session), seal.name(), sealed).await.map_err(Error::Unreachable)
    }

    /// The content of a session's file; `None` if there is no such file.
    pub(super) async fn opened(
        self,
        session: SessionId,
        seal: &Seal,
    ) -> Result<Option<Vec<u8>>, Error> {
        let found = self.0.file(Some(session), seal.name()).await.map_err(Error::Unreachable)?;
        let Some(sealed) = found else { return Ok(None) };
        let opening = seal.clone();
        match tokio::task::spawn_blocking(move || opening.open(&sealed[..])).await? {
            Ok(content) => Ok(Some(content)),
            Err(Unopened::Io(error)) => Err(error.into()),
            Err(Unopened::Damaged(how)) => Err(damaged(session, seal.name(), how)),
            Err(Unopened::Newer) => Err(Error::Newer(called(session, seal.name()))),
        }
    }

    /// Keeps a flow under its digest.
    pub(super) async fn pin(self, sha256: &str, source: &str) -> Result<(), Error> {
        if self.pinned(sha256).await?.is_some() {
            return Ok(());
        }
        let bytes = source.as_bytes().to_vec();
        self.0.put_file(None, sha256, bytes).await.map_err(Error::Unreachable)
    }

    /// A flow that was kept; `None` if there is none, or it is not what was kept.
    pub(super) async fn pinned(self, sha256: &str) -> Result<Option<String>, Error> {
        let found = self.0.file(None, sha256).await.map_err(Error::Unreachable)?;
        let whole = found.filter(|bytes| audit::sha256(bytes) == sha256);
        Ok(whole.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// Removes the files of a session, but for those under these names. What opened them goes with the session's key.
    pub(super) async fn retain(
        self,
        session: SessionId,
        kept: &BTreeSet<String>,
    ) -> Result<(), Error> {
        self.0.remove_files(session, kept).await.map_err(Error::Unreachable)
    }

    /// Whether files can be kept.
    pub(super) async fn check(self) -> Result<(), Error> {
        self.0.check().await.map_err(Error::Unreachable)
    }

    /// The sessions that have files.
    pub(super) async fn sessions(self) -> Result<BTreeSet<SessionId>, Error> {
        self.0.sessions_with_files().await.map_err(Error::Unreachable)
    }
}

impl Blobs {
    /// What an operator can do where files cannot be kept.
    pub(in crate::ports::artifacts) fn hint(&self) -> &'static str {
        let shared = self.keys.files();
        shared.map_or("check free space and rights of the data directory", FileStore::hint)
    }
}

/// What a file that every node has is called in messages.
fn called(session: SessionId, name: &str) -> String {
    format!("{session}/{name} in the database or bucket")
}

fn damaged(session: SessionId, name: &str, how: &'static str) -> Error {
    let file = called(session, name);
    tracing::error!(file, how, "a stored file is damaged");
    Error::Damaged { file, how }
}
