//! One flow file, the same answers: the same log of the conversation on the web, in Slack and in Discord.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]
#![expect(dead_code, reason = "what the platforms can do is not all needed here")]

#[path = "discord/bot.rs"]
mod bot;
#[path = "support/deployed.rs"]
mod deployed;
#[path = "discord/emulator.rs"]
mod emulator;
#[path = "support/faults.rs"]
mod faults;
#[path = "support/html.rs"]
mod html;
#[path = "discord/judges.rs"]
mod judges;
#[path = "platforms/log.rs"]
mod log;
#[path = "it/world/mortal.rs"]
mod mortal;
#[path = "discord/person.rs"]
mod person;
#[path = "platforms/same.rs"]
mod same;
#[path = "support/scripted.rs"]
mod scripted;
#[path = "support/skipped.rs"]
mod skipped;
#[path = "platforms/slack.rs"]
mod slack;
#[path = "support/specification.rs"]
mod specification;
#[path = "platforms/web.rs"]
mod web;
