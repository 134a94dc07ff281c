//! A file that somebody sent, and the text that was read from it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::ids::ArtifactId;

/// The kind of a résumé.
pub const RESUME: &str = "resume";

/// A file that passed the checks and is kept. Its bytes lie in the artifact store under session and digest.
///
/// ```json
/// { "id": "upload_…", "upload_type": "resume", "filename": "resume.pdf", "content_type": "application/pdf",
///   "size_bytes": 5120, "sha256": "…", "kept_at": "2026-11-21T09:00:00Z" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its opaque name, all that a model or a tool ever sees of where it lies.
    pub id: ArtifactId,
    /// What it was asked for as: `resume`, `portfolio`, `profile`, …
    pub upload_type: String,
    /// The sender's file name, reduced to one harmless path component; never used as a path.
    pub filename: String,
    /// Media type by content.
    pub content_type: String,
    /// Size in bytes, as kept.
    pub size_bytes: u64,
    /// SHA-256 of the kept bytes, in hex.
    pub sha256: String,
    /// When it was kept.
    pub kept_at: DateTime<Utc>,
}

impl Artifact {
    /// Whether it was sent as somebody's résumé.
    pub fn is_resume(&self) -> bool {
        self.upload_type == RESUME
    }

    /// `artifact:upload_…`, the only address given out.
    pub fn url(&self) -> String {
        format!("artifact:{}", self.id)
    }
}

/// What reading a document came to.
///
/// ```json
/// { "outcome": "text", "text": "Ada Byron\n…", "pages": 2, "notes": ["two columns: check the order"] }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Extraction {
    /// Text was found.
    Text {
        /// The text, at most [`TEXT_MAX`] bytes.
        text: String,
        /// Pages, where the format has them.
        pages: Option<u32>,
        /// What the reader should double-check.
        notes: Vec<String>,
    },
    /// The document can be read and holds no text: a scan.
    NoText,
    /// The document needs a password.
    Locked,
    /// The document is broken, hostile or took too long; `reason` is fit for a person.
    Unreadable {
        /// Why, in words for a person.
        reason: String,
    },
}

/// Longest text taken from one document, in bytes.
pub const TEXT_MAX: usize = 512 * 1024;

/// A file as a platform announces it, before anybody has fetched it.
///
/// ```json
/// { "id": "F01", "name": "résumé.pdf", "bytes": 51234, "url": "https://files.slack.com/…" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The platform's own name of it.
    pub id: String,
    /// The name that it was given.
    pub name: String,
    /// How large it is, where the platform says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Where it lies; empty where the platform must be asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
}
