//! What every other module may use: the clock, ids, telemetry, failpoints, compiled JSON Schemas, caches and the sandbox for risky
//! work.
//!
//! Imports nothing else of this crate.

pub mod clock;
pub mod failpoint;
pub mod ids;
pub(crate) mod json_schema;
pub(crate) mod lru;
pub(crate) mod recent;
pub mod sandbox;
pub mod telemetry;
