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
//! | 0 | [`failpoint`] | places where a debug build can be made to die, for the recovery tests |
//! | 0 | [`sandbox`] | risky work in a child process with bounded memory and time |
//! | 0 | [`clock`] | the only source of the time |
//! | 0 | [`ids`] | identifier newtypes with readable prefixes; the only place that mints them |
//! | 0 | [`telemetry`] | log lines, their redaction, the names of metrics |
//! | 1 | [`model`] | plain data: all that is stored or crosses a boundary |
//! | 1 | [`config`] | what the operator wrote becomes what the program uses; every problem at once |
//! | 2 | [`flow`] | flow files: load, check, resolve; both shipped flows |
//! | 2 | [`store`] | the storage port: one atomic commit per decision; in memory and embedded |
//! | 2 | [`artifacts`] | uploads: check, keep, read in a child process |
//! | 2 | [`case_studies`] | case studies: a folder of Markdown, indexed |
//! | 2 | [`time_zones`] | time zones as places |
//! | 2 | [`grounding`] | finds numbers and quotations in a text that no source contains |
//! | 2 | [`fetch`] | the guarded client: addresses that somebody else chose, public ones only |
//! | 2 | [`contacts`] | the contacts port: where a person's contact details may come from |
//! | 2 | [`print`](mod@print) | documents and pictures that the bot makes |
//! | 2 | [`llm`] | the model port: streaming chat with tools, embeddings |
//! | 2 | [`search`] | the search port: what the web says, with where it says so |
//! | 3 | [`task`] | child runs: templates, and which one a piece of work leads to |
//! | 3 | [`session`] | the pure core: a session as a fold over its events, and every decision about it |
//! | 4 | [`tool`] | the tool protocol, the toolbox, the steps around a call |
//! | 5 | [`catalog`] | the tools: one file each, file name = tool name |
//! | 5 | [`export`] | JSON Resume, transcript, decisions, archive |
//! | 6 | [`engine`] | drives sessions: work, timers, outbox, recovery; knows no platform |
//! | 7 | [`outbound`] | outbound connections, through a proxy if one is configured |
//! | 7 | [`form`] | what the platforms share: names of controls, forms to replies, words for people |
//! | 7 | [`listener`] | inbound HTTP, with bounds on connections, time and memory |
//! | 7 | [`message_index`] | which message of a chat shows what |
//! | 8 | [`chat`] | what the gateways of chats share: signed requests, receipts, what waits for a workspace |
//! | 9 | [`gateway`] | the platforms, each in the same six parts |
//! | 10 | [`ops`] | the command line and the composition root |
//!
//! Where to begin: [`model::transcript::Event`] says what can happen, [`session::Actor`] decides,
//! [`store::Store::commit`] makes it last, [`tool::Tool`] is what a new tool implements.

pub mod artifacts;
pub mod case_studies;
pub mod catalog;
pub mod chat;
pub mod clock;
pub mod config;
pub mod contacts;
pub mod engine;
pub mod export;
pub mod failpoint;
pub mod fetch;
pub mod flow;
pub mod form;
pub mod gateway;
pub mod grounding;
pub mod ids;
pub mod listener;
pub mod llm;
pub mod message_index;
pub mod model;
pub mod ops;
pub mod outbound;
pub mod print;
pub mod sandbox;
pub mod search;
pub mod session;
pub mod store;
pub mod task;
pub mod telemetry;
pub mod time_zones;
pub mod tool;
