//! Story tests of the whole bot, and conformance suites of its ports.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]

mod artifacts;
mod artifacts_hostile;
mod catalog;
mod cli;
mod cli_troubles;
mod clock;
mod conditions;
#[expect(dead_code, reason = "what the doubles can do is not all needed here")]
mod consulting;
mod contacts;
mod conversation;
mod corpus;
mod crashes;
mod dates;
mod decisions;
mod documents;
#[path = "../support/dribbling.rs"]
mod dribbling;
mod evals;
mod export;
mod fetch;
mod fields;
mod flows;
mod golden;
mod hostile;
mod interview;
mod keeping;
#[path = "../support/keys.rs"]
mod keys;
mod later;
mod laws;
mod llm;
#[path = "../support/logged.rs"]
mod logged;
mod outages;
mod outbox;
mod print;
mod quiz;
mod races;
mod raw_device;
#[path = "../support/reader.rs"]
mod reader;
mod recordings;
mod refusals;
mod resume;
mod resumes;
mod semantics;
#[path = "../support/skipped.rs"]
mod skipped;
mod store;
mod subtasks;
mod thinking;
mod typed;
mod visible;
mod web;
mod world;
