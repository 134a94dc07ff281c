//! Settles a wait: who may answer, does the answer fit, who was first.

use crate::{
    ids::WaitId,
    model::{session::PersonId, transcript::Via, ui::Reply},
};

/// Somebody who does something, with what they may do at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Responder {
    /// Who.
    pub person: PersonId,
    /// What other people call them.
    pub name: String,
    /// Aliases of `[approvers]` that list them now.
    pub approver_of: Vec<String>,
    /// May take over conversations.
    pub staff: bool,
}

/// An attempt to answer a wait.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Which.
    pub wait: WaitId,
    /// The revision that was shown.
    pub revision: u32,
    /// The answer.
    pub reply: Reply,
    /// Who gives it.
    pub from: Responder,
    /// How it came.
    pub via: Via,
}
