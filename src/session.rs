//! The pure core: a session as a fold over its events, and every decision about it. No I/O, no clock, no chance:
//! the time and the ids come in as arguments.
//!
//! [`State`] is what the events add up to, and [`SessionView`] that with all else that a decision reads. [`decide`] has a
//! function for each thing that can happen: from a view to [`Changes`], which are the events, waits, effects, timers and
//! audit records of one step, and become one [`crate::store::Commit`].
//! The phase changes only in `advance`, by a value of `Approval` that only *criteria met* or *a stored decision*
//! can make.

pub mod advance;
pub mod answer;
mod attempts;
mod budget;
mod calls;
mod changes;
mod claims;
mod closing_turn;
pub mod commands;
mod concurrent_input;
mod dates;
pub mod decide;
pub mod decision;
mod engine_prompts;
pub mod evidence;
pub mod grounding;
pub mod handover;
mod inbound;
mod incoming;
mod keyword_handover;
mod message_edits;
mod model_reply;
mod outcome;
mod phases;
mod quiet_hours;
mod reachability;
mod records;
pub mod retention;
pub mod script;
pub mod settle;
mod stall;
pub mod state;
pub mod subtasks;
mod summary;
mod team_requests;
mod texts;
pub mod time_zones;
mod timers;
pub mod topics;
pub mod typed;
mod unsolicited_files;
mod view;

pub use self::{
    advance::{EVALUATIONS_MAX, Evaluation},
    budget::Scope,
    calls::Suspension,
    changes::{Changes, Refusal},
    commands::Command,
    concurrent_input::Speech,
    decision::{Decided, REQUESTS_MAX},
    handover::Called,
    inbound::{Inbound, InboundKind, Receipt},
    model_reply::{Response, Retry},
    outcome::{effect_in_words, roles_of, titles_of},
    phases::questions_from,
    records::{ObjectiveReport, SavedRecord},
    settle::{Answer, Responder},
    state::{CallState, State},
    summary::{name_of, public_text, summary},
    team_requests::Asking,
    view::{Next, SessionView, Settings},
};
