//! Links by which the receivers of web hooks fetch files: signed, and good until they expire.
//!
//! ```text
//! https://bot.example.org/files/ses_…/upload_…?expires=1764000000&signature=…
//! ```
//!
//! The signature is the HMAC-SHA256, in hex, of the session, the file and the expiry, with a key of the store's own. Whoever
//! has the link may fetch the file until it expires, as often as they like; so a link is in no log, and in no store.

use std::{borrow::Cow, fmt};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::Value;
use subtle::ConstantTimeEq as _;

use super::{Engine, Error, signature::signature};
use crate::{
    base::ids::{ArtifactId, SessionId},
    model::{artifact::Artifact, file_key::FileKey},
    ports::artifacts::blobs,
};

/// What the paths of links begin with.
pub const PATH: &str = "/files/";

/// Where links to files lead, and how long they are good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLinks {
    /// The public address, without a slash at its end: `https://bot.example.org`.
    pub public_url: String,
    /// How long from the moment at which a web hook is sent.
    pub expire_after: TimeDelta,
}

/// What somebody brings who follows a link.
#[derive(Clone, Copy)]
pub(crate) struct Followed<'a> {
    /// Whose file.
    pub session: SessionId,
    /// Which.
    pub file: ArtifactId,
    /// Until when the link is good, in seconds since 1970.
    pub expires: i64,
    /// What proves that the link is ours.
    pub signature: &'a str,
}

impl fmt::Debug for Followed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Followed");
        shown.field("session", &self.session).field("file", &self.file).finish_non_exhaustive()
    }
}

/// Why a link leads to no file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoFile {
    /// It was not made here.
    #[error("there is no such file")]
    Unknown,
    /// Its time is over.
    #[error("this link has expired")]
    Expired,
    /// The file is not kept any more.
    #[error("this file was deleted")]
    Erased,
    /// The file is not what was kept.
    #[error("this file was damaged where it is stored")]
    Damaged,
    /// It may be there later.
    #[error("this file can't be read right now")]
    Unreachable,
}

impl From<blobs::Error> for NoFile {
    fn from(error: blobs::Error) -> Self {
        match error {
            blobs::Error::Gone => Self::Erased,
            blobs::Error::Damaged { .. } | blobs::Error::Newer(_) => Self::Damaged,
            blobs::Error::Unreachable(_) => Self::Unreachable,
        }
    }
}

impl Engine {
    /// The body of a web hook with links to those of its files that are `linked`; `None` if that can't be done right
    /// now.
    pub(super) async fn with_links<'b>(
        &self,
        session: SessionId,
        body: &'b Value,
        linked: &[ArtifactId],
    ) -> Option<Cow<'b, Value>> {
        let parts = &self.inner.parts;
        let Some(links) = parts.webhooks.links.as_ref().filter(|_| !linked.is_empty()) else {
            return Some(Cow::Borrowed(body));
        };
        let key = match parts.artifacts.link_key().await {
            Ok(key) => key,
            Err(error) => {
                tracing::warn!(session.id = %session, %error, "could not link the files of a web hook");
                return None;
            }
        };
        let expires = parts.clock.now() + links.expire_after;
        let mut body = body.clone();
        for entry in body["files"].as_array_mut().into_iter().flatten() {
            let id = entry["id"].as_str().and_then(|id| id.parse().ok());
            if let Some(file) = id.filter(|id| linked.contains(id)) {
                entry["url"] = link(links, &key, (session, file), expires).into();
                entry["url_expires_at"] = expires.to_rfc3339_opts(SecondsFormat::Secs, true).into();
            }
        }
        Some(Cow::Owned(body))
    }

    /// The file that a link leads to, and the session under which it lies.
    pub(crate) async fn linked_file(
        &self,
        link: Followed<'_>,
    ) -> Result<(SessionId, Artifact), NoFile> {
        let Followed { session, file, expires, .. } = link;
        let artifacts = &self.inner.parts.artifacts;
        let expected = proof(&artifacts.link_key().await?, (session, file), expires);
        if !bool::from(expected.as_bytes().ct_eq(link.signature.as_bytes())) {
            return Err(NoFile::Unknown);
        }
        if self.inner.parts.clock.now().timestamp() >= expires {
            return Err(NoFile::Expired);
        }
        let look = match self.look(session).await {
            Ok(look) => look,
            Err(Error::NoSession) => return Err(NoFile::Erased),
            Err(error) => {
                tracing::warn!(session.id = %session, %error, "a linked file could not be read");
                return Err(NoFile::Unreachable);
            }
        };
        let found = look.state.artifacts.iter().find(|artifact| artifact.id == file);
        Ok((look.state.files_of(), found.ok_or(NoFile::Erased)?.clone()))
    }

    /// What stands in it.
    pub(crate) async fn linked_content(
        &self,
        (session, file): &(SessionId, Artifact),
    ) -> Result<Vec<u8>, NoFile> {
        let read = self.inner.parts.artifacts.read(*session, file).await?;
        read.ok_or(NoFile::Erased)
    }
}

fn link(
    links: &FileLinks,
    key: &FileKey,
    of: (SessionId, ArtifactId),
    expires: DateTime<Utc>,
) -> String {
    let (session, file) = of;
    let expires = expires.timestamp();
    let signature = proof(key, of, expires);
    let base = &links.public_url;
    format!("{base}{PATH}{session}/{file}?expires={expires}&signature={signature}")
}

fn proof(key: &FileKey, (session, file): (SessionId, ArtifactId), expires: i64) -> String {
    let parts = [session.to_string(), file.to_string(), expires.to_string()];
    signature(key.secret(), &parts.each_ref().map(String::as_str))
}
