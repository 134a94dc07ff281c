//! Discord, and the bot in it: an emulator with state and rules, and what people see and do there.
#![expect(clippy::unwrap_used, clippy::panic, reason = "how a test fails")]
#![expect(dead_code, reason = "what Discord can do is not all needed yet")]

#[path = "discord/cards.rs"]
mod cards;
#[path = "discord/emulator.rs"]
mod emulator;
#[path = "discord/judges.rs"]
mod judges;
#[path = "discord/parse.rs"]
mod parse;
#[path = "support/questions.rs"]
mod questions;
#[path = "discord/rules.rs"]
mod rules;
