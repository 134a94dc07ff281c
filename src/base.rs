//! What every other module may use: the clock, ids, telemetry, failpoints, compiled JSON Schemas, caches, the allocator's
//! settings and the sandbox for risky work.
//!
//! Imports nothing else of this crate.

pub mod clock;
pub mod failpoint;
pub mod ids;
pub(crate) mod json_schema;
pub mod memory;
pub(crate) mod recent;
pub mod sandbox;
pub mod telemetry;
