//! Slack: a recruiting team installs the app, invites a candidate, and the whole interview happens there.
//!
//! ```text
//! socket or http ─▶ parse ─▶ inbox ─▶ engine          (durable, then acknowledged)
//! outbox ─▶ send ─▶ render ─▶ api ─▶ Slack             (limited, timed, reconciled)
//! ```
//!
//! Every frame is kept as raw JSON and read by [`parse`]: the typed models of the client library lose answers.
//! A direct conversation's place has the person's user id as its channel, whatever id Slack gives the conversation
//! with the bot; everything of one interview stands in one thread.

pub mod agent;
pub mod answer;
pub mod api;
pub mod app;
pub mod commands;
pub mod connect;
pub mod doctor;
pub mod files;
pub mod home;
pub mod inbound;
pub mod inbox;
pub mod limits;
pub mod manifest;
pub mod mirror;
pub mod parse;
pub mod people;
pub mod render;
pub mod send;
pub mod tenants;
pub mod texts;
pub mod threads;
