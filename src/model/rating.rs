//! What a participant said of an answer of the model.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// How an answer was to the one who read it.
///
/// ```json
/// { "message": "D024/1690.1", "is_good": false, "reason": "I asked about holidays.", "about": "Your first day is…",
///   "at": "2026-11-21T09:00:00Z" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// The message with the answer, as the platform calls it.
    pub message: String,
    /// Whether it helped.
    pub is_good: bool,
    /// Why not, where they have said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the answer begins.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// When they said it last.
    pub at: DateTime<Utc>,
}
