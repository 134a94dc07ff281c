//! What comes in from Slack: payloads, connections.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]

#[path = "slack/parse.rs"]
mod parse;
