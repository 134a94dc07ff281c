//! What waits until a workspace can be reached again.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, Utc};

use crate::{ids::EffectId, model::effect::Delivery, store::Store};

/// Most effects that are remembered; one that is forgotten here leaves an hour later at most.
const KEPT: usize = 10_000;

/// Effects that wait until a workspace can be reached again, in this process (SEMANTICS row 34).
#[derive(Debug, Default)]
pub struct PutOff {
    waiting: Mutex<HashMap<EffectId, String>>,
}

impl PutOff {
    /// Remembers that an effect waits for a workspace.
    pub fn note(&self, workspace: &str, effect: EffectId) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < KEPT {
            waiting.insert(effect, workspace.to_owned());
        }
    }

    /// Some workspaces can be reached again: what waited for them leaves now.
    pub async fn hurry(
        &self,
        is_there: impl Fn(&str) -> bool,
        store: &dyn Store,
        now: DateTime<Utc>,
    ) {
        let waiting: Vec<EffectId> = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting
                .extract_if(|_, workspace| is_there(workspace))
                .map(|(effect, _)| effect)
                .collect()
        };
        for effect in waiting {
            if let Err(error) = store.done(effect, Delivery::Retry { not_before: now }).await {
                tracing::warn!(effect.id = %effect, %error, "an effect leaves later than it could");
            }
        }
    }
}
