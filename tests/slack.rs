//! Slack, and the whole bot in it: an emulator with state and rules, and the stories that people live through there.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]
#![expect(dead_code, reason = "what Slack can do is not all needed yet")]

#[path = "slack/agent.rs"]
mod agent;
#[path = "slack/approvals.rs"]
mod approvals;
#[path = "slack/bot.rs"]
mod bot;
#[path = "slack/candidate.rs"]
mod candidate;
#[path = "slack/cards.rs"]
mod cards;
#[path = "slack/causes.rs"]
mod causes;
#[path = "support/chromium.rs"]
mod chromium;
#[path = "slack/commands.rs"]
mod commands;
#[path = "slack/connect.rs"]
mod connect;
#[path = "slack/crowd.rs"]
mod crowd;
#[path = "slack/delivery_table.rs"]
mod delivery_of_each_kind;
#[path = "support/delivery_table.rs"]
mod delivery_table;
#[path = "support/deployed.rs"]
mod deployed;
#[path = "slack/doctor.rs"]
mod doctor;
#[path = "slack/documents.rs"]
mod documents;
#[path = "support/dribbling.rs"]
mod dribbling;
#[path = "slack/emulator.rs"]
mod emulator;
#[path = "slack/erasing.rs"]
mod erasing;
#[path = "support/faults.rs"]
mod faults;
#[path = "support/filed.rs"]
mod filed;
#[path = "slack/first_contact.rs"]
mod first_contact;
#[path = "slack/handed.rs"]
mod handed;
#[path = "slack/installs.rs"]
mod installs;
#[path = "support/judges.rs"]
mod judges;
#[path = "slack/led.rs"]
mod led;
#[path = "slack/led_and_killed.rs"]
mod led_and_killed;
#[path = "slack/manifest.rs"]
mod manifest;
#[path = "slack/matching.rs"]
mod matching;
#[path = "slack/meanwhile.rs"]
mod meanwhile;
#[path = "support/model_service.rs"]
mod model_service;
#[path = "it/world/mortal.rs"]
mod mortal;
#[path = "slack/offers.rs"]
mod offers;
#[path = "slack/operator.rs"]
mod operator;
#[path = "slack/outage.rs"]
mod outage;
#[path = "slack/parse.rs"]
mod parse;
#[path = "slack/parts.rs"]
mod parts;
#[path = "slack/people.rs"]
mod people;
#[path = "support/pictured.rs"]
mod pictured;
#[path = "slack/pictures.rs"]
mod pictures;
#[path = "slack/plan.rs"]
mod plan;
#[path = "slack/privacy.rs"]
mod privacy;
#[path = "slack/program.rs"]
mod program;
#[path = "support/provider.rs"]
mod provider;
#[path = "slack/proxy.rs"]
mod proxy;
#[path = "support/proxying.rs"]
mod proxying;
#[path = "support/questions.rs"]
mod questions;
#[path = "slack/ratings.rs"]
mod ratings;
#[path = "slack/reach.rs"]
mod reach;
#[path = "support/reader.rs"]
mod reader;
#[path = "slack/reading.rs"]
mod reading;
#[path = "slack/restarts.rs"]
mod restarts;
#[path = "slack/rows.rs"]
mod rows;
#[path = "slack/rows_deployed.rs"]
mod rows_deployed;
#[path = "slack/rows_team.rs"]
mod rows_team;
#[path = "slack/rules.rs"]
mod rules;
#[path = "slack/saving.rs"]
mod saving;
#[path = "support/scripted.rs"]
mod scripted;
#[path = "support/signs.rs"]
mod signs;
#[path = "slack/signs.rs"]
mod signs_seen;
#[path = "support/skipped.rs"]
mod skipped;
#[path = "support/specification.rs"]
mod specification;
#[path = "slack/streams.rs"]
mod streams;
#[path = "slack/streams_and_kills.rs"]
mod streams_and_kills;
#[path = "slack/streams_at_once.rs"]
mod streams_at_once;
#[path = "slack/surface.rs"]
mod surface;
#[path = "support/temperaments.rs"]
mod temperaments;
#[path = "slack/temperaments.rs"]
mod temperaments_lived_through;
#[path = "slack/troubles.rs"]
mod troubles;
#[path = "slack/workspaces.rs"]
mod workspaces;
