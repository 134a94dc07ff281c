//! The steps around a call.

use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};

use super::{Outcome, Toolbox};
use crate::{
    artifacts::Artifacts,
    contacts::Contacts,
    interview::Actor,
    model::{
        transcript::{Call, CallResult},
        ui::Reply,
        wait::Wait,
    },
};

/// Runs calls: validate → authorise → cache → time limit → retry → record.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// The tools.
    pub toolbox: Arc<Toolbox>,
    /// Files that were sent.
    pub artifacts: Arc<Artifacts>,
    /// Contact sources.
    pub contacts: Arc<Contacts>,
}

impl Pipeline {
    /// Runs a call up to its outcome. A failure of any kind is a result, never an error of the session.
    pub async fn execute(
        &self,
        call: &Call,
        actor: &Mutex<Actor>,
        now: DateTime<Utc>,
    ) -> Result<Outcome, CallResult> {
        todo!()
    }

    /// Finishes a suspended call with a person's answer. A tool that is gone gives `tool_unavailable`, a state it no
    /// longer understands `tool_changed` (SEMANTICS rows 28, 29).
    pub async fn resume(
        &self,
        call: &Call,
        wait: &Wait,
        reply: Reply,
        actor: &Mutex<Actor>,
        now: DateTime<Utc>,
    ) -> Result<Outcome, CallResult> {
        todo!()
    }
}
