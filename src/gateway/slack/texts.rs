//! Words that only Slack shows.

/// What somebody pressed or typed could not be saved, and Slack does not deliver it again.
pub const NOT_SAVED: &str = "That could not be saved just now. Please try once more.";
