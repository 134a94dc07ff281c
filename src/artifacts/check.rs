//! What is refused, and how it is said.

/// Why a file was not taken; the text is for the person who sent it (BEHAVIOUR F1-F3).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);
