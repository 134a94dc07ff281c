//! Delivers effects to Slack: posts, edits, reconciles.
