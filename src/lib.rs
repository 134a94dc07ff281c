//! Anteroom conducts onboarding interviews in Slack and Discord that survive anything.

pub mod artifacts;
pub mod catalog;
pub mod clock;
pub mod config;
pub mod contacts;
pub mod engine;
pub mod export;
pub mod flows;
pub mod gateway;
pub mod ids;
pub mod interview;
pub mod model;
pub mod ops;
pub mod store;
pub mod telemetry;
pub mod tool;
