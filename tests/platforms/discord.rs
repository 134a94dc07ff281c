//! Discord, and the bot in it: an emulator with state and rules, and what people see and do there.

mod away;
pub(crate) mod bot;
mod candidate;
mod cards;
mod comings;
mod commands;
mod community;
mod crowd;
#[path = "discord/delivery_table.rs"]
mod delivery_of_each_kind;
mod doctor;
mod documents;
pub(crate) mod emulator;
mod erasing;
mod few_calls;
mod first_contact;
mod handed;
pub(crate) mod judges;
mod manifest;
mod meanwhile;
mod orders;
mod outage;
mod parse;
mod people;
pub(crate) mod person;
mod pictures;
mod profile;
mod program;
mod ratings;
mod rest;
mod restarts;
mod rows;
mod rows_cards;
mod rows_team;
mod rules;
#[path = "discord/signs.rs"]
mod signs_seen;
mod staff;
#[path = "discord/temperaments.rs"]
mod temperaments_lived_through;
mod tenants;
mod thinking;
mod troubles;
mod welcome;
mod wire;
mod without_message_content;
mod working;

use crate::support::{
    delivery_table, dribbling, faults, filed, model_service, mortal, pictured, proxying, questions,
    signs, skipped, temperaments,
};
pub(crate) use crate::support::{deployed, scripted};
