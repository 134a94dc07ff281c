//! Conversations that are due to be erased and can't be read: nobody knows what of them is to stay, so they do, until an
//! operator erases them. Found by retention, and told with what else is damaged ([`Engine::damage`]).

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Engine, Error};
use crate::{
    base::ids::SessionId,
    store::{self, unreadable::Unreadable},
};

/// Most that are remembered; the log names them all.
const KNOWN_MAX: usize = 1000;

/// Those that retention has found in this process, with what an operator is told of each.
#[derive(Debug, Default)]
pub(super) struct Overdue(Mutex<BTreeMap<SessionId, Unreadable>>);

impl Overdue {
    /// One can be read again, or is gone.
    pub(super) fn forget(&self, session: SessionId) {
        self.known().remove(&session);
    }

    /// All of them, in order.
    pub(super) fn all(&self) -> Vec<Unreadable> {
        self.known().values().cloned().collect()
    }

    /// Whether that is news.
    fn note(&self, session: SessionId, told: Unreadable) -> bool {
        let mut known = self.known();
        let has_room = known.len() < KNOWN_MAX || known.contains_key(&session);
        has_room && known.insert(session, told).is_none()
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<SessionId, Unreadable>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// Whether a conversation that is due can't be read, which is noted.
    pub(super) async fn is_overdue(&self, session: SessionId) -> bool {
        match self.look(session).await {
            Ok(_) => {
                self.inner.overdue.forget(session);
                false
            }
            Err(error) => self.note_overdue(session, &error),
        }
    }

    /// Notes a conversation that is due if an error says that it can't be read, now and later; whether it does.
    pub(super) fn note_overdue(&self, session: SessionId, error: &Error) -> bool {
        let why = match error {
            Error::Store(store::Error::Unreadable { why, .. }) => why.clone(),
            Error::BrokenFlow(_) => error.to_string(),
            _ => return false,
        };
        let why = why.split_once(". hint: ").map_or(why.as_str(), |(why, _)| why);
        let why = format!(
            "{why}; it is due to be erased, and stays. hint: `anteroom erase {session} --yes` erases it all the same"
        );
        let told = Unreadable { what: format!("session `{session}`"), why: why.clone() };
        if self.inner.overdue.note(session, told) {
            tracing::error!(session.id = %session, "a conversation can't be read: {why}");
        }
        true
    }
}
