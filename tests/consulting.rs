//! The catalogue `consulting`: each tool by a table of cases (good, edge, hostile, a provider that is down), through the
//! pipeline, with its schema, its cache, its attempts and its capability.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "how a test fails")]
#![expect(dead_code, reason = "what the doubles can do is not all needed here")]

#[path = "consulting/bench.rs"]
mod bench;
#[path = "consulting/diagrams.rs"]
mod diagrams;
#[path = "consulting/figures.rs"]
mod figures;
#[path = "consulting/offers.rs"]
mod offers;
#[path = "support/scripted.rs"]
mod scripted;
#[path = "support/specification.rs"]
mod specification;
