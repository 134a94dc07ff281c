//! The catalogue `consulting`: each tool by a table of cases (good, edge, hostile, a provider that is down), through the
//! pipeline, with its schema, its cache, its attempts and its capability.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]
#![expect(dead_code, reason = "what the doubles can do is not all needed here")]

#[path = "consulting/bench.rs"]
mod bench;
#[path = "consulting/cases.rs"]
mod cases;
#[path = "consulting/comparing.rs"]
mod comparing;
#[path = "consulting/diagrams.rs"]
mod diagrams;
#[path = "consulting/doubles.rs"]
mod doubles;
#[path = "consulting/engines.rs"]
mod engines;
#[path = "consulting/figures.rs"]
mod figures;
#[path = "consulting/guarding.rs"]
mod guarding;
#[path = "support/keys.rs"]
mod keys;
#[path = "consulting/offers.rs"]
mod offers;
#[path = "consulting/places.rs"]
mod places;
#[path = "support/provider.rs"]
mod provider;
#[path = "consulting/scanning.rs"]
mod scanning;
#[path = "support/scripted.rs"]
mod scripted;
#[path = "consulting/searching.rs"]
mod searching;
#[path = "consulting/seeing.rs"]
mod seeing;
#[path = "support/specification.rs"]
mod specification;
#[path = "consulting/writing.rs"]
mod writing;
