//! How a session stands for whoever looks at it from the outside, whichever platform shows it. Pure.

use crate::{engine::Look, model::session::Status, session::state::CallState};

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// It is the bot's turn.
    Processing,
    /// A question is open.
    Suspended,
    /// It is the person's turn to write.
    Active,
    /// Nothing more comes.
    Closed,
}

impl Activity {
    /// Of a session as it is now.
    pub fn of(look: &Look) -> Self {
        let state = &look.state;
        match state.status {
            Status::Completed | Status::Ended | Status::Declined | Status::Stopped => Self::Closed,
            Status::Notice | Status::Paused => Self::Suspended,
            Status::Open if state.handoff.is_some() => Self::Active,
            // Also beside an open question: what somebody wrote there is being thought about.
            Status::Open if look.is_thinking() || state.calls.iter().any(is_begun) => {
                Self::Processing
            }
            Status::Open if state.pending().next().is_some() => Self::Suspended,
            Status::Open => Self::Active,
        }
    }
}

/// Whether a call is on its way: it has no result yet, and waits for nobody.
pub fn is_begun(known: &CallState) -> bool {
    known.result.is_none() && known.wait.is_none()
}
