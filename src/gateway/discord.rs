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
mod catch_up;
pub mod commands;
pub mod connect;
pub mod doctor;
pub mod drafts;
pub mod files;
pub mod inbound;
pub mod inbox;
pub mod limits;
mod listening;
pub mod manifest;
mod members;
pub mod mirror;
pub mod native;
pub mod parse;
pub mod people;
mod profile;
pub mod render;
pub mod rights;
pub mod rooms;
pub mod send;
pub mod texts;
pub mod transcript;
mod typing;
mod working;
