//! Erases everything about a session and leaves a receipt without personal data.

use serde_json::{Map, json};

use super::{Changed, Engine, Error};
use crate::{
    ids::{EffectId, SessionId},
    model::audit::AuditRecord,
    store,
};

impl Engine {
    /// Erases files, events, waits, effects, timers, records and the words of audit records; `by` says on whose
    /// order (`participant`, `operator`). Returns the receipt's number. A crash in between leaves the order standing:
    /// it is carried out at the next start. Again: erases nothing, and gives another receipt.
    pub async fn erase(&self, session: SessionId, by: &str) -> Result<String, Error> {
        let parts = &self.inner.parts;
        let receipt = EffectId::mint(parts.ids.as_ref()).short();
        let facts: Map<_, _> = [("receipt", json!(receipt)), ("by", json!(by))]
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        let record = AuditRecord {
            event: "session_erased".to_owned(),
            timestamp: parts.clock.now(),
            session: Some(session),
            facts,
            words: Map::new(),
        };
        parts
            .artifacts
            .erase(session)
            .await
            .map_err(|error| Error::Store(store::Error::Unavailable(std::sync::Arc::new(error))))?;
        parts.store.erase(session, record).await?;
        tracing::info!(session.id = %session, by, "session erased");
        // Nobody listening is no failure.
        _ = self.inner.changes.send(Changed { session, seq: 0 });
        Ok(receipt)
    }
}
