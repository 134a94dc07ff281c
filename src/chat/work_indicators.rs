//! What shows that the bot is at work, beside how a session stands: files on their way into it, and messages of the
//! bot's own, with which the platform takes such a sign away. Kept in memory alone; nothing depends on it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::broadcast;

use crate::{base::ids::SessionId, model::artifact::Offer};

/// Sessions that a slow listener may fall behind; they are looked at with their next change.
const TOLD_KEPT: usize = 256;

/// Tells those who show indicators of what does not stand in the session; cheap to clone.
#[derive(Debug, Clone)]
pub struct WorkIndicators(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    told: broadcast::Sender<SessionId>,
    /// The names of files that are being fetched.
    files: Mutex<HashMap<SessionId, Vec<String>>>,
}

impl Default for WorkIndicators {
    fn default() -> Self {
        let inner = Inner { told: broadcast::Sender::new(TOLD_KEPT), files: Mutex::default() };
        Self(Arc::new(inner))
    }
}

impl WorkIndicators {
    /// Sessions that are to be looked at again, at once.
    pub fn subscribe(&self) -> broadcast::Receiver<SessionId> {
        self.0.told.subscribe()
    }

    /// Something was posted, or has changed otherwise.
    pub fn changed(&self, session: SessionId) {
        // Nobody looking on is no failure.
        _ = self.0.told.send(session);
    }

    /// Files are being fetched until the guard is dropped.
    pub(crate) fn fetching(&self, session: SessionId, offers: &[Offer]) -> Fetching {
        let names = offers.iter().map(|offer| offer.name.clone()).collect();
        self.lock().insert(session, names);
        self.changed(session);
        Fetching { work_indicators: self.clone(), session }
    }

    /// The names of files that are being fetched into a session, if any.
    pub(crate) fn fetched_into(&self, session: SessionId) -> Vec<String> {
        self.lock().get(&session).cloned().unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Vec<String>>> {
        self.0.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Files on their way, as long as this lives.
#[derive(Debug)]
#[must_use]
pub(crate) struct Fetching {
    work_indicators: WorkIndicators,
    session: SessionId,
}

impl Drop for Fetching {
    fn drop(&mut self) {
        self.work_indicators.lock().remove(&self.session);
        self.work_indicators.changed(self.session);
    }
}
