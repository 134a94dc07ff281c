//! The scrub: everything that is stored is read once, so that damage is found before somebody needs what it hit.
//!
//! It reads every conversation with its events and questions, every file, each flow that a conversation began with, the
//! audit chain, and the keys. Nothing is changed, but for files that an older version left in clear: those are sealed.
//! It runs every day in a bot, and whenever `anteroom scrub` asks for it; [`Engine::damage`] tells what the last one found.

use std::{
    collections::BTreeSet,
    sync::{Arc, PoisonError},
};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Engine;
use crate::{
    base::ids::SessionId,
    model::{
        artifact::Artifact,
        audit::{CHAIN_START, Sealed},
        session::{FlowPin, Head},
    },
    ports::artifacts::blobs::{self, Condition},
    session::State,
    store::{Error, unreadable::Unreadable},
};

/// Sessions or audit records that are read at a time.
const PAGE: usize = 200;

/// What a scrub has read and found.
///
/// ```json
/// { "at": "2026-11-23T04:00:00Z", "conversations": 812, "files": 96, "sealed": 0, "auditRecords": 20417,
///   "damage": [ { "what": "file `resume.pdf` of session `ses_…`", "why": "it is damaged (…)" } ] }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scrubbed {
    /// When it ended.
    pub at: DateTime<Utc>,
    /// Conversations that were read, those of subtasks among them.
    pub conversations: usize,
    /// Files that were read, those of flows not counted.
    pub files: usize,
    /// Files of an older version that are sealed now.
    pub sealed: usize,
    /// Audit records, from the first to the last that holds.
    pub audit_records: u64,
    /// What cannot be read.
    pub damage: Vec<Unreadable>,
}

/// The last scrub of this process.
pub(super) type Last = std::sync::Mutex<Option<Scrubbed>>;

impl Engine {
    /// Reads everything that is stored and says what is damaged. Takes time, and stands in nobody's way; again: the
    /// same. An error where the store cannot be read at all.
    pub async fn scrub(&self) -> Result<Scrubbed, Error> {
        let parts = &self.inner.parts;
        let mut scrub = Scrub { engine: self, files: 0, sealed: 0, damage: Vec::new() };
        let verified = parts.store.verify().await;
        scrub.note(verified)?;
        let audit_records = scrub.audit().await?;
        let (mut conversations, mut after, mut flows) = (0, None, BTreeSet::new());
        loop {
            let page = parts.store.sessions(after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            conversations += page.len();
            for head in &page {
                scrub.conversation(head).await?;
                if flows.insert(head.flow.digest.clone()) {
                    scrub.flow(&head.flow).await?;
                }
            }
        }
        let Scrub { files, sealed, mut damage, .. } = scrub;
        // Heads that lists leave out, effects, and the like.
        damage.extend(parts.store.unreadable());
        damage.sort_by(|one, other| one.what.cmp(&other.what));
        damage.dedup_by(|one, other| one.what == other.what);
        let at = parts.clock.now();
        let scrubbed = Scrubbed { at, conversations, files, sealed, audit_records, damage };
        *self.inner.scrubbed.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(scrubbed.clone());
        Ok(scrubbed)
    }

    /// What is known to be damaged: what the last scrub found, what could not be read since, and what should have been erased
    /// and can't be read.
    pub fn damage(&self) -> Vec<Unreadable> {
        let last = self.inner.scrubbed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut damage = last.as_ref().map(|last| last.damage.clone()).unwrap_or_default();
        let overdue = self.inner.overdue.all();
        damage.retain(|known| overdue.iter().all(|found| known.what != found.what));
        damage.extend(overdue);
        for found in self.inner.parts.store.unreadable() {
            if damage.iter().all(|known| known.what != found.what) {
                damage.push(found);
            }
        }
        damage
    }

    /// The last scrub of this process.
    pub fn scrubbed(&self) -> Option<Scrubbed> {
        self.inner.scrubbed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

struct Scrub<'a> {
    engine: &'a Engine,
    files: usize,
    sealed: usize,
    damage: Vec<Unreadable>,
}

impl Scrub<'_> {
    /// Goes on after what cannot be read; any other error ends the scrub.
    fn note<T>(&mut self, read: Result<T, Error>) -> Result<Option<T>, Error> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(Error::Unreadable { what, why }) => {
                self.damage.push(Unreadable { what, why });
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn note_file(
        &mut self,
        what: String,
        read: Result<Condition, blobs::Error>,
    ) -> Result<(), Error> {
        let why = match read {
            // The second was erased while it was looked for.
            Ok(Condition::Whole) | Err(blobs::Error::Gone) => return Ok(()),
            Ok(Condition::SealedNow) => {
                self.sealed += 1;
                return Ok(());
            }
            Ok(Condition::Missing) => {
                "it is missing. hint: restore a backup with `anteroom restore`".to_owned()
            }
            Err(error @ blobs::Error::Unreachable(_)) => {
                return Err(Error::Unavailable(Arc::new(error)));
            }
            Err(error) => error.to_string(),
        };
        self.damage.push(Unreadable { what, why });
        Ok(())
    }

    /// How many audit records there are up to the first that does not hold.
    async fn audit(&mut self) -> Result<u64, Error> {
        let store = Arc::clone(&self.engine.inner.parts.store);
        let (mut next, mut previous) = (0, CHAIN_START.to_owned());
        loop {
            let page = store.audit(next, PAGE).await;
            let Some(page) = self.note(page)? else { return Ok(next) };
            let is_last = page.len() < PAGE;
            for sealed in page {
                if !Sealed::holds(&sealed, next, &previous) {
                    let what = format!("audit record {next}");
                    let why = "it is not as it was sealed. hint: `anteroom audit verify` says more";
                    self.damage.push(Unreadable { what, why: why.to_owned() });
                    return Ok(next);
                }
                previous = sealed.seal;
                next += 1;
            }
            if is_last {
                return Ok(next);
            }
        }
    }

    async fn conversation(&mut self, head: &Head) -> Result<(), Error> {
        let session = head.id;
        let parts = &self.engine.inner.parts;
        let loaded = parts.store.load(session).await;
        let Some(Some(loaded)) = self.note(loaded)? else { return Ok(()) };
        let Some(state) = State::fold(&loaded.events) else {
            let why =
                "its events tell no conversation. hint: restore a backup with `anteroom restore`";
            let what = format!("session `{session}`");
            self.damage.push(Unreadable { what, why: why.to_owned() });
            return Ok(());
        };
        for wait in parts.store.waits(state.waits.keys().copied().collect()).await {
            self.note(wait)?;
        }
        let owner = state.files_of();
        for file in state.artifacts.iter().chain(&state.made) {
            self.file(session, owner, file).await?;
        }
        match parts.artifacts.seal_all(session).await {
            Ok(sealed) => self.sealed += sealed,
            Err(blobs::Error::Gone) => {}
            Err(error) => return Err(Error::Unavailable(Arc::new(error))),
        }
        Ok(())
    }

    async fn file(
        &mut self,
        session: SessionId,
        owner: SessionId,
        file: &Artifact,
    ) -> Result<(), Error> {
        let inspected = self.engine.inner.parts.artifacts.inspect(owner, file).await;
        // Erased since the events were read.
        if matches!(inspected, Ok(Condition::Missing))
            && !matches!(self.engine.inner.parts.store.load(session).await, Ok(Some(_)))
        {
            return Ok(());
        }
        self.files += 1;
        self.note_file(format!("file `{}` of session `{session}`", file.id), inspected)
    }

    async fn flow(&mut self, pin: &FlowPin) -> Result<(), Error> {
        let kept = self.engine.inner.parts.artifacts.pinned_flow(&pin.digest).await;
        let condition = kept.map(|kept| kept.map_or(Condition::Missing, |_| Condition::Whole));
        self.note_file(format!("flow `{}` ({})", pin.id, pin.digest), condition)
    }
}
