//! Who reads a conversation leaves a record.

use serde_json::{Map, json};

use super::{CONFLICTS_MAX, Engine, Error};
use crate::{
    ids::SessionId,
    model::audit::AuditRecord,
    store::{self, Commit},
};

impl Engine {
    /// Leaves a record that somebody has read or taken away what a session holds (BEHAVIOUR J5): `event` says what they
    /// did, `by` who they are. It changes nothing else.
    pub async fn note_reading(
        &self,
        session: SessionId,
        event: &str,
        by: &str,
    ) -> Result<(), Error> {
        let store = &self.inner.parts.store;
        for _ in 0..CONFLICTS_MAX {
            let head = store.load(session).await?.ok_or(Error::NoSession)?.head;
            let record = AuditRecord {
                event: event.to_owned(),
                timestamp: self.inner.parts.clock.now(),
                session: Some(session),
                facts: Map::from_iter([("by".to_owned(), json!(by))]),
                words: Map::new(),
            };
            let commit = Commit {
                expected: head.seq,
                head,
                events: Vec::new(),
                waits: Vec::new(),
                effects: Vec::new(),
                timers: Vec::new(),
                audit: vec![record],
                dedup: None,
                charges: Vec::new(),
            };
            match store.commit(commit).await {
                Err(store::Error::Conflict { .. }) => {}
                done => return Ok(done?),
            }
        }
        Err(Error::Busy)
    }
}
