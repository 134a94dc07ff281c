//! What a participant said of the model's answers, as lines of the conversation.

use serde_json::{Value, json};

use super::Source;
use crate::model::{rating::Rating, text::quoted};

/// What was said of an answer, for people and for programs, and the last event before it.
pub(super) fn rated(source: &Source<'_>, rating: &Rating) -> (u64, String, Value) {
    let before = source.loaded.events.iter().rev().find(|recorded| recorded.at <= rating.at);
    let mut text =
        format!("Found an answer {}", if rating.is_good { "helpful" } else { "not helpful" });
    if !rating.about.is_empty() {
        text.extend([" (“", &quoted(&rating.about), "”)"]);
    }
    if let Some(reason) = &rating.reason {
        text.extend([": “", &quoted(reason), "”"]);
    }
    let data =
        json!({ "is_good": rating.is_good, "reason": rating.reason, "message": rating.message });
    (before.map_or(0, |recorded| recorded.seq), text, data)
}
