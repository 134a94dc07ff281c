//! A résumé draft without any model: what stands in the text, and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What was found in a résumé, in the shapes of JSON Resume. What was not found is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// `{"basics": {"name", "label", "email", "phone", "url", "location", "profiles"}}`.
    pub applicant_profile: Value,
    /// `{"work": [{"name", "position", "location", "startDate", "endDate"}], "volunteer": []}`.
    pub skeleton_timeline: Value,
    /// `{"education": [{"institution", "area", "studyType", "startDate", "endDate"}]}`.
    pub education_history: Value,
    /// How sure the draft is, by path (`basics.name`, `work.0`, `education.1`).
    pub confidence: BTreeMap<String, Confidence>,
    /// What a person should look at, in words.
    pub issues: Vec<String>,
}

/// How sure a draft is of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A guess.
    Low,
    /// Likely.
    Medium,
    /// It stands there.
    High,
}

/// Makes a draft from a résumé's text. Pure.
pub fn draft(text: &str) -> Draft {
    let _ = text;
    todo!()
}
