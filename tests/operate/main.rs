//! The real program as an operator meets it: its health, its metrics, its log, and how it stops.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]

mod health;
#[expect(dead_code, reason = "other tests read more of a page")]
#[path = "../support/html.rs"]
mod html;
mod logs;
mod metrics;
mod program;
mod reloads;
mod stops;
