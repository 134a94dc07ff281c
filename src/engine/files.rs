//! Files that people send: checked, kept, and taken for what they are.

use std::sync::Arc;

use super::{Engine, Error, metrics};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::{SessionId, WaitId},
    },
    model::{
        artifact::{Artifact, Extraction, RESUME},
        ui::{Control, Upload},
        wait::Wait,
    },
    ports::artifacts::{self, blobs, resume},
    session::SessionView,
    store,
};

impl Engine {
    /// Checks a file against the open upload (or the phase's limits) and keeps it; the refusal is for the person.
    pub async fn keep_file(
        &self,
        session: SessionId,
        wait: Option<WaitId>,
        filename: &str,
        bytes: Vec<u8>,
    ) -> Result<Result<Artifact, String>, Error> {
        let view = self.view(session).await?;
        if let Err(why) = view.takes_files() {
            metrics::refusal("file");
            return Ok(Err(why.to_string()));
        }
        let mut asked = asked_upload(&view, wait, filename);
        asked.max_bytes = asked.max_bytes.min(self.inner.limits.file_bytes);
        match self.inner.parts.artifacts.keep(session, &asked, filename, bytes).await {
            Ok(mut artifact) => {
                if self.is_resume(&view, wait, &artifact).await? {
                    RESUME.clone_into(&mut artifact.upload_type);
                }
                if self.inner.parts.store.load(session).await?.is_none() {
                    // Erased meanwhile: the file must not outlive it.
                    self.erase_files(session).await?;
                    return Err(Error::NoSession);
                }
                hit(Failpoint::FileKept);
                Ok(Ok(artifact))
            }
            Err(artifacts::Error::Refused(refused)) => {
                metrics::refusal("file");
                Ok(Err(refused.to_string()))
            }
            Err(artifacts::Error::Blobs(blobs::Error::Gone)) => Err(Error::NoSession),
            Err(artifacts::Error::Blobs(error)) => {
                Err(Error::Store(store::Error::Unavailable(Arc::new(error))))
            }
        }
    }

    /// Whether a file that answers no card is the résumé that is still lacking, by what stands in it.
    async fn is_resume(
        &self,
        view: &SessionView,
        wait: Option<WaitId>,
        artifact: &Artifact,
    ) -> Result<bool, Error> {
        let is_upload = |wait: &Wait| matches!(wait.prompt.control, Control::Upload(_));
        let is_asked = wait.is_some() || view.state.pending().any(is_upload);
        if is_asked || artifact.upload_type == RESUME || !view.may_be_resume(&artifact.filename) {
            return Ok(false);
        }
        match self.inner.parts.artifacts.extract(view.state.session, artifact).await {
            Ok(Extraction::Text { text, .. }) => Ok(resume::reads_like_one(&text)),
            Ok(Extraction::NoText | Extraction::Locked | Extraction::Unreadable { .. }) => {
                Ok(false)
            }
            Err(error) => Err(Error::Store(store::Error::Unavailable(Arc::new(error)))),
        }
    }
}

/// What a file is checked against: the upload that it answers, or what the phase allows.
fn asked_upload(view: &SessionView, wait: Option<WaitId>, filename: &str) -> Upload {
    let asked = |wait: &Wait| match &wait.prompt.control {
        Control::Upload(upload) => Some(upload.clone()),
        _ => None,
    };
    let state = &view.state;
    let named = wait.and_then(|id| state.wait(id)).and_then(asked);
    named.or_else(|| state.pending().find_map(asked)).unwrap_or_else(|| {
        let limits = view.phase().map(|phase| phase.uploads.clone()).unwrap_or_default();
        Upload {
            upload_type: view.taken_for(filename),
            accept: limits.accept,
            max_bytes: limits.max_mb * 1024 * 1024,
            max_files: limits.max_files,
            required: false,
        }
    })
}
