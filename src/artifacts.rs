//! Uploads: checks them, keeps them, reads them.

pub mod blobs;
pub mod check;
pub mod extract;

use std::sync::Arc;

use crate::{
    clock::Clock,
    ids::{ArtifactId, Ids, SessionId},
    model::{
        artifact::{Artifact, Extraction},
        ui::Upload,
    },
};

/// The artifacts port in the hands of engine and tools: one content-addressed folder per session.
#[derive(Debug)]
pub struct Artifacts {}

impl Artifacts {
    /// Checks a file against what was asked for and keeps it, synced, before it returns. Pictures are re-encoded
    /// without metadata first. The same bytes again give the same digest and one file.
    pub async fn keep(
        &self,
        session: SessionId,
        asked: &Upload,
        filename: &str,
        bytes: Vec<u8>,
    ) -> Result<Artifact, check::Refused> {
        todo!()
    }

    /// The bytes of a kept file; none if they were erased.
    pub async fn read(
        &self,
        session: SessionId,
        artifact: &Artifact,
    ) -> Result<Option<Vec<u8>>, blobs::Error> {
        todo!()
    }

    /// The text of a kept document, read in a child process with limits.
    pub async fn extract(
        &self,
        session: SessionId,
        artifact: &Artifact,
    ) -> Result<Extraction, blobs::Error> {
        todo!()
    }

    /// Removes every file of a session. Again: nothing.
    pub async fn erase(&self, session: SessionId) -> Result<(), blobs::Error> {
        todo!()
    }

    /// Keeps a flow file under its digest, so that a running session finds it after an edit.
    pub async fn pin_flow(&self, digest: &str, source: &str) -> Result<(), blobs::Error> {
        todo!()
    }

    /// A pinned flow file.
    pub async fn pinned_flow(&self, digest: &str) -> Result<Option<String>, blobs::Error> {
        todo!()
    }
}
