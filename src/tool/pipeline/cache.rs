//! Results that may be served again: five minutes, only of tools that allow it, never more than a bound (S4).

use std::time::Duration;

use moka::future;
use serde_json::Value;
use tokio::time::Instant;

use crate::{ids::SessionId, model::transcript::Call};

/// How long a result may be served again.
pub const FRESH: Duration = Duration::from_mins(5);

/// Most results kept; the least used go first.
const RESULTS_MAX: u64 = 1000;

/// Results by session, tool and arguments: one person's results never serve another.
#[derive(Debug, Clone)]
pub struct Cache {
    results: future::Cache<(SessionId, String), (Instant, Value)>,
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
    /// A fresh result of the same call.
    pub async fn get(&self, session: SessionId, call: &Call) -> Option<Value> {
        let (at, value) = self.results.get(&key(session, call)).await?;
        // The cache's own clock only frees memory; this one is what tests can move.
        (at.elapsed() < FRESH).then_some(value)
    }

    /// Keeps a result.
    pub async fn put(&self, session: SessionId, call: &Call, value: Value) {
        self.results.insert(key(session, call), (Instant::now(), value)).await;
    }

    /// Forgets every result of a session.
    pub fn forget(&self, session: SessionId) {
        let is_theirs =
            move |(owner, _): &(SessionId, String), _: &(Instant, Value)| *owner == session;
        if let Err(error) = self.results.invalidate_entries_if(is_theirs) {
            tracing::error!(%error, "cached results could not be forgotten; they go within minutes");
        }
    }
}

fn key(session: SessionId, call: &Call) -> (SessionId, String) {
    (session, format!("{} {}", call.tool, canonical(&call.args)))
}

/// The same text for the same value, whatever the order of its members.
fn canonical(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}
