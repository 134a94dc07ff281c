//! One flow file, the same answers: the same log of the conversation on the web, in Slack and in Discord.

mod log;
mod same;
mod slack;
mod web;

use crate::{
    discord::bot,
    support::{deployed, html},
};
