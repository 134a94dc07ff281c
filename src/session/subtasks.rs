//! What a session has to do with child runs: those it has begun, and the one that it is itself.
//!
//! A child run is a session of its own kind: its own events, its own commits, its own recovery. What passes between it
//! and others stands as an event on both sides, and each side takes the same thing once, so that a crash between two
//! commits repeats a step and changes nothing:
//!
//! ```text
//! parent  Delegated ─▶ (child exists) ─▶ Begun … ─▶ Ended + Returned        Dismissed ─▶ (child told) ─▶ Recalled
//! child      Tasked … Concluded ─▶ (parent told) ─▶ Reported
//! root       Asked (for the child's wait) … Answered ─▶ (child told) ─▶ Applied
//! child   Asked ─▶ (root asks) ─▶ Raised …                      Answered ─▶ resume, as everywhere
//! ```
//!
//! A child run talks to nobody: it posts nothing, and its questions are shown in the conversation at its root. What it
//! has cost is the parent's cost when it ends. When a conversation stops, ends or moves on, its child runs are
//! dismissed, and theirs.

mod child;
mod parent;

pub use self::child::child_started;

use std::collections::BTreeSet;

use crate::{
    base::ids::{CallId, SessionId, WaitId},
    model::{
        task::{Ancestor, Assignment, Conclusion, Delegation, Subtask},
        transcript::{Event, Recorded},
    },
};

/// What a session has to do with child runs. Made by the fold alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Subtasks {
    /// What it is for, where it is a child run.
    pub parent_link: Option<Box<ParentLink>>,
    /// The child runs that it has begun, in order.
    pub children: Vec<Child>,
    /// Waits whose end has done its work: for a child's question, the child has been told.
    told: BTreeSet<WaitId>,
}

/// How a child run stands, as it sees itself.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentLink {
    /// What it is for.
    pub assignment: Assignment,
    /// Answers of the model that did not satisfy the schema.
    pub refused: u32,
    /// Questions that are shown at the root.
    pub raised: BTreeSet<WaitId>,
    /// What came of it.
    pub conclusion: Option<Conclusion>,
    /// The parent knows.
    pub reported: bool,
}

/// How a child run stands, as its parent sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Child {
    /// What was asked for.
    pub delegation: Delegation,
    /// It exists.
    pub begun: bool,
    /// Why it is not wanted any more.
    pub dismissed: Option<String>,
    /// It has been told so.
    pub recalled: bool,
    /// It is over.
    pub ended: bool,
}

impl Subtasks {
    /// Adds one event.
    pub(super) fn apply(&mut self, recorded: &Recorded) {
        match &*recorded.event {
            Event::Applied { wait } => _ = self.told.insert(*wait),
            Event::Subtask(subtask) => self.subtask(subtask),
            _ => {}
        }
    }

    fn subtask(&mut self, subtask: &Subtask) {
        match subtask {
            Subtask::Delegated(delegation) => self.children.push(Child {
                delegation: delegation.clone(),
                begun: false,
                dismissed: None,
                recalled: false,
                ended: false,
            }),
            Subtask::Begun { child } => self.with(*child, |child| child.begun = true),
            Subtask::Dismissed { child, reason } => {
                self.with(*child, |child| child.dismissed = Some(reason.clone()));
            }
            Subtask::Recalled { child } => self.with(*child, |child| child.recalled = true),
            Subtask::Ended { child, .. } => self.with(*child, |child| child.ended = true),
            Subtask::Tasked(assignment) => {
                self.parent_link.get_or_insert_with(|| {
                    Box::new(ParentLink {
                        assignment: assignment.clone(),
                        refused: 0,
                        raised: BTreeSet::new(),
                        conclusion: None,
                        reported: false,
                    })
                });
            }
            Subtask::Raised { wait } => self.with_own(|own| _ = own.raised.insert(*wait)),
            Subtask::Refused { .. } => self.with_own(|own| own.refused += 1),
            Subtask::Concluded(conclusion) => {
                self.with_own(|own| own.conclusion = Some(conclusion.clone()));
            }
            Subtask::Reported => self.with_own(|own| own.reported = true),
        }
    }

    fn with(&mut self, id: SessionId, act: impl FnOnce(&mut Child)) {
        let found = self.children.iter_mut().find(|child| child.delegation.child == id);
        if let Some(child) = found {
            act(child);
        }
    }

    fn with_own(&mut self, act: impl FnOnce(&mut ParentLink)) {
        if let Some(own) = &mut self.parent_link {
            act(own);
        }
    }

    /// A child run by its id.
    pub fn child(&self, id: SessionId) -> Option<&Child> {
        self.children.iter().find(|child| child.delegation.child == id)
    }

    /// The child run that a call waits for, while it runs.
    pub fn running(&self, call: &CallId) -> Option<&Child> {
        self.children.iter().find(|child| child.delegation.call == *call && !child.ended)
    }

    /// The runs that a session stands under, itself last; empty for a conversation.
    pub fn lineage(&self) -> &[Ancestor] {
        self.parent_link.as_ref().map_or(&[], |own| &own.assignment.lineage)
    }

    /// Whether the end of a wait has done its work.
    pub(super) fn is_told(&self, wait: WaitId) -> bool {
        self.told.contains(&wait)
    }
}
