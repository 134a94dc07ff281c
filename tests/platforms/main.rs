//! Slack, Discord and a plain chat, and the whole bot in them: emulators with state and rules, the stories that people live
//! through there, and that the same answers leave the same log.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]
#![expect(dead_code, reason = "what the platforms can do is not all needed yet")]

mod compared;
mod discord;
mod plain;
mod slack;
#[path = "../support/mod.rs"]
mod support;
