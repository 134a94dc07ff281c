//! The pure core: a session as a fold over its events, and every decision about it. No I/O, no clock, no chance:
//! the time and the ids come in as arguments.
//!
//! [`State`] is what the events add up to. [`Actor`] is the sole mutator: it decides, collects the events, waits,
//! effects, timers and audit records of one step, and hands them over as one [`crate::store::Commit`].
//! The phase changes only in `advance`, by a value of `Approval` that only *criteria met* or *a stored decision*
//! can make.

pub mod actor;
pub mod advance;
mod alarm;
mod amend;
pub mod answer;
mod attempts;
mod budget;
mod calls;
mod claims;
pub mod commands;
pub mod custody;
mod dates;
pub mod decision;
pub mod evidence;
pub mod family;
mod goodbye;
pub mod handover;
mod hear;
mod meanwhile;
mod mind;
mod outcome;
mod own;
mod phases;
mod quiet_hours;
mod reach;
mod records;
mod routes;
pub mod script;
pub mod settle;
mod stall;
pub mod state;
mod summary;
mod texts;
mod think;
mod timers;
pub mod topics;
pub mod typed;
mod unasked;

pub use self::{
    actor::{Actor, Next, Refusal},
    advance::{EVALUATIONS_MAX, Evaluation},
    budget::Scope,
    calls::Suspension,
    commands::Command,
    decision::Decided,
    handover::Called,
    meanwhile::Speech,
    outcome::{roles_of, titles_of},
    records::{ObjectiveReport, SavedRecord},
    routes::Asking,
    settle::{Answer, Responder},
    state::{CallState, State},
    summary::{name_of, summary},
    think::{Response, Retry},
};
