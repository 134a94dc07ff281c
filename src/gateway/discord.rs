//! Discord: a community's members are taken through rules, questions and roles in a private thread, and staff decide in
//! a channel of theirs.
//!
//! ```text
//! gateway or http ─▶ parse ─▶ inbox ─▶ engine          (durable, then acknowledged)
//! outbox ─▶ send ─▶ render ─▶ api ─▶ Discord            (limited, timed, sent once)
//! ```
//!
//! Every frame is kept as raw JSON and read by [`parse`]: the typed models of the client libraries lose answers that are
//! given in forms. What the words of a card say is never markup, and nobody is called by it.

pub mod answer;
pub mod api;
pub mod app;
pub mod background;
mod catch_up;
pub mod commands;
pub mod connect;
pub mod doctor;
pub mod drafts;
pub mod files;
mod greeting;
pub mod handler;
pub mod inbound;
pub mod kinds;
mod last_seen;
pub mod limits;
pub mod manifest;
mod members;
pub mod parse;
pub mod people;
pub mod permissions;
pub(crate) mod private_threads;
mod profile;
pub mod render;
mod screening;
pub mod send;
pub(crate) mod server_onboarding;
pub(crate) mod staff_thread;
mod stop_button;
pub mod texts;
pub mod transcript;
mod typing;
mod update;
