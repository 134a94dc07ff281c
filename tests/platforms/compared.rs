//! One flow file, the same answers: the same log of the conversation on the web, in Slack, in Discord and in a plain chat.

mod log;
mod same;
mod slack;
mod stage;
mod web;

use crate::{
    discord::bot,
    plain,
    support::{deployed, html},
};
