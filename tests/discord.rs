//! Discord, and the bot in it: an emulator with state and rules, and what people see and do there.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]
#![expect(dead_code, reason = "what Discord can do is not all needed yet")]

#[path = "discord/away.rs"]
mod away;
#[path = "discord/bot.rs"]
mod bot;
#[path = "discord/candidate.rs"]
mod candidate;
#[path = "discord/cards.rs"]
mod cards;
#[path = "support/chromium.rs"]
mod chromium;
#[path = "discord/comings.rs"]
mod comings;
#[path = "discord/commands.rs"]
mod commands;
#[path = "discord/community.rs"]
mod community;
#[path = "discord/crowd.rs"]
mod crowd;
#[path = "discord/delivery_table.rs"]
mod delivery_of_each_kind;
#[path = "support/delivery_table.rs"]
mod delivery_table;
#[path = "support/deployed.rs"]
mod deployed;
#[path = "discord/doctor.rs"]
mod doctor;
#[path = "discord/documents.rs"]
mod documents;
#[path = "support/dribbling.rs"]
mod dribbling;
#[path = "discord/emulator.rs"]
mod emulator;
#[path = "discord/erasing.rs"]
mod erasing;
#[path = "support/faults.rs"]
mod faults;
#[path = "discord/few_calls.rs"]
mod few_calls;
#[path = "support/filed.rs"]
mod filed;
#[path = "discord/first_contact.rs"]
mod first_contact;
#[path = "discord/handed.rs"]
mod handed;
#[path = "discord/judges.rs"]
mod judges;
#[path = "discord/manifest.rs"]
mod manifest;
#[path = "discord/meanwhile.rs"]
mod meanwhile;
#[path = "support/model_service.rs"]
mod model_service;
#[path = "it/world/mortal.rs"]
mod mortal;
#[path = "discord/orders.rs"]
mod orders;
#[path = "discord/outage.rs"]
mod outage;
#[path = "discord/parse.rs"]
mod parse;
#[path = "discord/people.rs"]
mod people;
#[path = "discord/person.rs"]
mod person;
#[path = "support/pictured.rs"]
mod pictured;
#[path = "discord/pictures.rs"]
mod pictures;
#[path = "discord/profile.rs"]
mod profile;
#[path = "discord/program.rs"]
mod program;
#[path = "support/proxying.rs"]
mod proxying;
#[path = "support/questions.rs"]
mod questions;
#[path = "discord/ratings.rs"]
mod ratings;
#[path = "support/reader.rs"]
mod reader;
#[path = "discord/rest.rs"]
mod rest;
#[path = "discord/restarts.rs"]
mod restarts;
#[path = "discord/rows.rs"]
mod rows;
#[path = "discord/rows_cards.rs"]
mod rows_cards;
#[path = "discord/rows_team.rs"]
mod rows_team;
#[path = "discord/rules.rs"]
mod rules;
#[path = "support/scripted.rs"]
mod scripted;
#[path = "support/signs.rs"]
mod signs;
#[path = "discord/signs.rs"]
mod signs_seen;
#[path = "support/skipped.rs"]
mod skipped;
#[path = "support/specification.rs"]
mod specification;
#[path = "discord/staff.rs"]
mod staff;
#[path = "support/temperaments.rs"]
mod temperaments;
#[path = "discord/temperaments.rs"]
mod temperaments_lived_through;
#[path = "discord/thinking.rs"]
mod thinking;
#[path = "discord/troubles.rs"]
mod troubles;
#[path = "discord/welcome.rs"]
mod welcome;
#[path = "discord/wire.rs"]
mod wire;
#[path = "discord/without_message_content.rs"]
mod without_message_content;
#[path = "discord/working.rs"]
mod working;
