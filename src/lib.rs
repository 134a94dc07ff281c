//! Anteroom runs durable onboarding interviews in Slack and Discord.
//!
//! A script or a language model asks; tools that need a person *wait*; a waiting tool is shown as buttons, a form, a
//! file upload or an approval card; the answer, which may come days later and in another process, finishes the call.
//! Nothing that a person has answered is ever lost or applied twice.
//!
//! ```text
//! gateway ─ inbound ─▶ engine ─▶ session (pure: state × input → events + effects) ─▶ store.commit ─▶ acknowledged
//!                         ▲                                                                 │
//!                         └──────────── tools (results come back as inputs) ◀───────────────┤
//! gateway ◀──────────────────────── outbox worker ◀─────────────────────────────────────────┘
//! ```
//!
//! # Map
//!
//! A module imports only from rows above its own; `tests/tidy.rs` checks it.
//!
//! | row | module | holds |
//! |---|---|---|
//! | 0 | [`base`] | the clock, ids, telemetry, failpoints, and the sandbox for risky work |
//! | 1 | [`model`] | plain data: all that is stored or crosses a boundary |
//! | 2 | [`messages`] | the catalogue of what people read, by reader and place |
//! | 3 | [`config`] | reads the operator's configuration and reports every problem at once |
//! | 4 | [`net`] | outbound connections, the guarded HTTP client, the bounded listener |
//! | 4 | [`store`] | the storage port: one atomic commit per decision; in memory and embedded |
//! | 4 | [`flow`] | flow files: load, check, resolve; the shipped flows; templates of subtasks |
//! | 5 | [`ports`] | models, web search, contacts, uploaded files, generated documents |
//! | 6 | [`session`] | the pure core: a session as a fold over its events, and every decision about it |
//! | 7 | [`tool`] | the tool protocol, the pipeline around a call, and the catalogue of tools |
//! | 8 | [`engine`] | runs sessions: work, timers, outbox, recovery, exports; knows no platform |
//! | 9 | [`chat`] | what the chat platforms share: forms, cards, commands, the message index |
//! | 10 | [`gateway`] | the platforms, each in the same six parts |
//! | 11 | [`ops`] | the command line and the composition root |
//!
//! Where to begin: [`model::transcript::Event`] says what can happen, [`session::decide`] decides,
//! [`store::Store::commit`] makes it last, [`tool::Tool`] is what a new tool implements.

pub mod base;
pub mod chat;
pub mod config;
pub mod engine;
pub mod flow;
pub mod gateway;
pub mod messages;
pub mod model;
pub mod net;
pub mod ops;
pub mod ports;
pub mod session;
pub mod store;
pub mod tool;
