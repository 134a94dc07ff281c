//! Slack, as its own tests have it.

#[path = "../slack/bot.rs"]
pub(crate) mod bot;
#[path = "../slack/emulator.rs"]
pub(crate) mod emulator;
#[path = "../support/judges.rs"]
pub(crate) mod judges;

use crate::{deployed, mortal, scripted};
