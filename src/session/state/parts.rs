//! What a session's state is made of.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::{
    base::ids::{EffectId, RecordId, WaitId},
    model::{
        effect::Recipient,
        session::PersonId,
        transcript::{Call, CallResult},
    },
};

/// Edits of reviewed data that were saved.
#[derive(Debug, Clone, PartialEq)]
pub struct Edits {
    /// The data as it was shown at first.
    pub draft: Value,
    /// A remark for whoever asked.
    pub notes: Option<String>,
}

/// Something that never arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedDelivery {
    /// The effect.
    pub effect: EffectId,
    /// Whom it was for.
    pub to: Recipient,
    /// Why, fit for staff.
    pub reason: String,
}

/// A call and what has come of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallState {
    /// The call; copies of the state share it.
    pub call: Arc<Call>,
    /// The wait it is suspended on, if it ever was.
    pub wait: Option<WaitId>,
    /// Its one result; copies of the state share it.
    pub result: Option<Arc<CallResult>>,
    /// The result said that the question is pending: the model goes on, and is told later what came of it.
    pub detached: bool,
    /// What came of it after that.
    pub late: Option<Arc<CallResult>>,
}

/// Stored data.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its name.
    pub id: RecordId,
    /// The flow's name of the data.
    pub data_type: String,
    /// The data.
    pub data: Value,
    /// The participant approved or modified it in a review.
    pub reviewed: bool,
    /// When it was last stored.
    pub at: DateTime<Utc>,
}

/// A message that somebody wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Words {
    /// The event that keeps it.
    pub seq: u64,
    /// Who wrote it.
    pub by: PersonId,
}

/// A person was asked for, or has taken over.
#[derive(Debug, Clone, PartialEq)]
pub struct Handoff {
    /// Why, for staff.
    pub reason: String,
    /// When a person was asked for.
    pub asked_at: DateTime<Utc>,
    /// Who took over, and what others call them.
    pub claimed_by: Option<(PersonId, String)>,
}

impl Handoff {
    /// The tool by which the model asks for a person. What it writes beside the call is not said: the participant reads
    /// what came of asking, once that is known.
    pub const TOOL: &str = "hand_to_person";

    /// The name of whoever took over.
    pub fn claimed_by(&self) -> Option<&str> {
        self.claimed_by.as_ref().map(|(_, name)| name.as_str())
    }
}
