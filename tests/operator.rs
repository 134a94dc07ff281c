//! What an operator does while the real program runs: commands that reach a running bot.
#![expect(clippy::unwrap_used, clippy::panic, reason = "how a test fails")]

#[path = "support/bot.rs"]
#[expect(dead_code, reason = "nobody sends files here")]
mod bot;
#[path = "operator/control.rs"]
mod control;
#[path = "support/html.rs"]
#[expect(dead_code, reason = "nobody names questions here")]
mod html;
#[path = "operator/person.rs"]
mod person;
