//! Slack, and the whole bot in it: an emulator with state and rules, and the stories that people live through there.

mod agent;
mod approvals;
pub(crate) mod bot;
mod candidate;
mod cards;
mod causes;
mod commands;
mod connect;
mod crowd;
#[path = "slack/delivery_table.rs"]
mod delivery_of_each_kind;
mod doctor;
mod documents;
pub(crate) mod emulator;
mod erasing;
mod first_contact;
mod handed;
mod installs;
mod led;
mod led_and_killed;
mod manifest;
mod matching;
mod meanwhile;
mod offers;
mod operator;
mod outage;
mod parse;
mod parts;
mod people;
mod pictures;
mod plan;
mod privacy;
mod program;
mod proxy;
mod ratings;
mod reach;
mod reading;
mod restarts;
mod rows;
mod rows_deployed;
mod rows_team;
mod rules;
mod saving;
#[path = "slack/signs.rs"]
mod signs_seen;
mod slow_device;
mod streams;
mod streams_and_kills;
mod streams_at_once;
mod surface;
#[path = "slack/temperaments.rs"]
mod temperaments_lived_through;
mod tenants;
mod troubles;
mod workspaces;

use crate::support::{
    delivery_table, dribbling, faults, filed, model_service, mortal, pictured, provider, proxying,
    questions, reader, signs, skipped, temperaments,
};
pub(crate) use crate::support::{deployed, judges, scripted};
