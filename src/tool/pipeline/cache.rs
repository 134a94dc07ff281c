//! Results that may be served again: five minutes, only of tools that allow it, never more than a bound.

use std::{sync::Arc, time::Duration};

use moka::future;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    base::ids::{CallId, SessionId},
    model::transcript::Call,
    tool::Outcome,
};

/// How long a result may be served again.
pub const FRESH: Duration = Duration::from_mins(5);

/// Most results kept; the least used go first.
const RESULTS_MAX: u64 = 1000;

#[derive(Debug)]
struct Kept {
    at: Instant,
    call: CallId,
    outcome: Outcome,
}

/// Results by session, tool and arguments: one person's results never serve another.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    results: future::Cache<(SessionId, String), Arc<Kept>>,
}

impl Default for Cache {
    fn default() -> Self {
        let results = future::Cache::builder()
            .max_capacity(RESULTS_MAX)
            .time_to_live(FRESH)
            .support_invalidation_closures()
            .build();
        Self { results }
    }
}

impl Cache {
    /// A fresh result of the same tool with the same arguments. What was made with it goes out once, with the call that
    /// made it: that one gets it again where its first result could not be stored.
    pub(crate) async fn get(&self, session: SessionId, call: &Call) -> Option<Outcome> {
        let kept = self.results.get(&key(session, call)).await?;
        // The cache's own clock only frees memory; this one is what tests can move.
        (kept.at.elapsed() < FRESH).then(|| match &kept.outcome {
            Outcome::Made { value, .. } if kept.call != call.id => {
                Outcome::Immediate(value.clone())
            }
            outcome => outcome.clone(),
        })
    }

    /// Keeps a result that is final; any other is not kept.
    pub(crate) async fn put(&self, session: SessionId, call: &Call, outcome: &Outcome) {
        if matches!(outcome, Outcome::Immediate(_) | Outcome::Made { .. }) {
            let (call_id, outcome) = (call.id.clone(), outcome.clone());
            let kept = Kept { at: Instant::now(), call: call_id, outcome };
            self.results.insert(key(session, call), Arc::new(kept)).await;
        }
    }

    /// Forgets every result of a session.
    pub(crate) fn forget(&self, session: SessionId) {
        let is_theirs = move |(owner, _): &(SessionId, String), _: &Arc<Kept>| *owner == session;
        if let Err(error) = self.results.invalidate_entries_if(is_theirs) {
            tracing::error!(%error, "cached results could not be forgotten; they go within minutes");
        }
    }
}

fn key(session: SessionId, call: &Call) -> (SessionId, String) {
    (session, format!("{} {}", call.tool, canonical(&call.args)))
}

/// The value with its members sorted: equal values give the same text, whatever the order of their members.
fn canonical(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        base::ids::CountingIds,
        model::{effect::Handout, transcript::Origin},
        tool::Handed,
    };

    #[tokio::test]
    async fn what_was_made_goes_to_the_call_that_made_it_alone() {
        let session = SessionId::mint(&CountingIds::default());
        let call = |id: &str| Call {
            id: CallId::new(id),
            tool: "calculate_roi".to_owned(),
            args: json!({ "timeSavings": 1 }),
            phase: None,
            origin: Origin::Engine,
        };
        let link =
            Handout::Link { label: "Open".to_owned(), url: "https://a.example.org".to_owned() };
        let handed = vec![Handed { what: link, text: "Here.".to_owned() }];
        let made = Outcome::Made { value: json!(1), handed };
        let cache = Cache::default();
        cache.put(session, &call("a"), &made).await;
        assert_eq!(cache.get(session, &call("a")).await, Some(made));
        assert_eq!(cache.get(session, &call("b")).await, Some(Outcome::Immediate(json!(1))));
    }
}
