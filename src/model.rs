//! Plain data: all that is stored or crosses a boundary. No I/O, no clock, no decisions.
//!
//! Every stored shape carries a version in its envelope ([`STORED_VERSION`]) and has a golden test, so that a
//! change of format is a failing test and a decision.

pub mod artifact;
pub mod audit;
pub mod contact;
pub mod custody;
pub mod effect;
pub mod file_key;
pub mod flow;
pub mod node;
pub mod opaque;
pub mod posted;
pub mod rating;
pub mod report;
pub mod review;
pub mod session;
pub mod task;
pub mod team;
pub mod text;
pub mod transcript;
pub mod ui;
pub mod usage;
pub mod wait;
pub mod words;

/// Version of every stored shape. An older binary refuses a session written with a newer one.
///
/// Version 2 stores words of the bot as a [`Text`](words::Text), which may be a list of parts where version 1 has a string.
pub const STORED_VERSION: u32 = 2;
