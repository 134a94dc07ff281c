//! Story tests of the whole bot, and conformance suites of its ports.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]

mod artifacts;
mod artifacts_hostile;
mod bounded_reads;
mod catalog;
mod cli;
mod cli_troubles;
mod clock;
mod conditions;
#[expect(dead_code, reason = "what the doubles can do is not all needed here")]
#[cfg(feature = "consulting")]
mod consulting;
mod contacts;
mod conversation;
mod corpus;
mod crashes;
mod dates;
mod decisions;
mod documents;
mod evals;
mod export;
mod fetch;
mod fields;
mod flows;
mod golden;
#[cfg(feature = "consulting")]
mod hostile;
mod interview;
mod keeping;
mod later;
mod laws;
mod llm;
mod outages;
mod outbox;
mod print;
mod quiz;
mod races;
mod raw_device;
mod recordings;
mod refusals;
mod resume;
mod resumes;
mod semantics;
mod slow_files;
mod store;
mod subtasks;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "each suite needs a part of it")]
mod support;
mod tenants;
mod thinking;
mod typed;
mod visible;
mod web;
mod world;

use support::{dribbling, keys, logged, reader, skipped};
