//! What an operator does while the real program runs: commands that reach a running bot, backups, restores.
#![expect(clippy::unwrap_used, clippy::panic, reason = "how a test fails")]

#[path = "operator/at_rest.rs"]
mod at_rest;
#[path = "operator/backup.rs"]
mod backup;
#[path = "support/bot.rs"]
mod bot;
#[path = "operator/control.rs"]
mod control;
#[path = "operator/damage.rs"]
mod damage;
#[path = "operator/dump.rs"]
mod dump;
#[path = "support/html.rs"]
mod html;
#[path = "operator/person.rs"]
mod person;
#[path = "operator/scrub.rs"]
mod scrub;
#[path = "support/skipped.rs"]
mod skipped;
#[path = "support/person.rs"]
mod visitor;
