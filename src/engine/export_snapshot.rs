//! What is read of a session as a whole; who reads it leaves a record.

mod ratings;

use std::sync::Arc;

use serde_json::{Map, json};

use self::ratings::ratings;
use super::{CONFLICTS_MAX, Engine, Error, Look};
use crate::{
    base::ids::SessionId,
    engine::export::{self, Source},
    flow::LoadedFlow,
    model::{
        audit::{AuditRecord, Sealed},
        rating::Rating,
        transcript::Audience,
    },
    store::{self, Commit, Loaded},
};

/// What a copy of a session is made from, as it stood at one moment.
#[derive(Debug)]
pub struct Gathered {
    /// With its events.
    pub loaded: Loaded,
    /// What it runs.
    pub flow: Arc<LoadedFlow>,
    /// Its audit records.
    pub audit: Vec<Sealed>,
    /// What the participant said of the model's answers.
    pub ratings: Vec<Rating>,
    /// Its child runs, and theirs.
    pub children: Vec<Loaded>,
}

impl Gathered {
    /// As an export takes it.
    pub fn source(&self, reader: Audience) -> Source<'_> {
        Source {
            loaded: &self.loaded,
            flow: &self.flow,
            audit: &self.audit,
            ratings: &self.ratings,
            reader,
        }
    }

    /// What the archive of it is called: `Alice Martin - Candidate onboarding.zip`, by the name that was approved.
    pub fn archive_name(&self) -> String {
        let state = self.source(Audience::Staff).state().ok();
        let name = state.as_ref().and_then(|state| state.known_as()).unwrap_or_default();
        let parts = [name, &self.flow.flow.title].map(for_files);
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}.zip", parts.join(" - "))
    }
}

/// Words as a part of a file's name: nothing that a file system refuses.
fn for_files(words: &str) -> String {
    let is_refused = |c: char| c.is_control() || "/\\:*?\"<>|".contains(c);
    let words: String =
        words.chars().map(|c| if is_refused(c) { ' ' } else { c }).take(NAME_MAX).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ").trim_matches('.').to_owned()
}

/// Longest part of a file's name, in characters.
const NAME_MAX: usize = 60;

impl Engine {
    /// Gathers what belongs to a session.
    pub async fn gather(&self, session: SessionId) -> Result<Gathered, Error> {
        let Look { loaded, view } = self.look(session).await?;
        let audit = export::audit_of(self.inner.parts.store.as_ref(), session).await?;
        let children = self.children_of(session).await?;
        let ratings = ratings(self.inner.parts.store.as_ref(), session).await?;
        Ok(Gathered { loaded, flow: view.flow, audit, ratings, children })
    }

    /// Leaves a record that somebody has read or taken away what a session holds: `event` says what they
    /// did, `by` who they are. It changes nothing else.
    pub(crate) async fn note_reading(
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
            let expected = head.seq;
            let commit = Commit { audit: vec![record], ..Commit::new(head, expected, Vec::new()) };
            match store.commit(commit).await {
                Err(store::Error::Conflict { .. }) => {}
                done => return Ok(done?),
            }
        }
        Err(Error::Busy)
    }
}
