//! What staff alone begin: flows that score people.

use std::sync::Arc;

use super::Ordered;
use crate::{engine::Engine, flows::LoadedFlow, form::words};

impl Ordered<'_> {
    /// `/onboard match`: a flow that compares a person with something, for the member of staff who asks.
    pub(super) async fn matching(&self) -> String {
        match self.arrival.responder(&self.typed.by).await {
            Ok(from) if from.staff => self.start("match", scoring(self.arrival.engine)).await,
            Ok(_) => words::FOR_STAFF.to_owned(),
            Err(unchecked) => unchecked.to_string(),
        }
    }
}

fn scoring(engine: &Engine) -> Vec<Arc<LoadedFlow>> {
    let flows = engine.parts().library.iter();
    let is_theirs =
        |flow: &&Arc<LoadedFlow>| flow.flow.policy.score_people && flow.flow.start.slack.is_some();
    flows.filter(is_theirs).cloned().collect()
}
