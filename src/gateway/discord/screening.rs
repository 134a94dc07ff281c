//! Members whose roles wait for the server's own screening, as far as this process knows: Discord is asked about them.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::base::ids::SessionId;

/// Members who are remembered.
const MEMBERS_MAX: usize = 10_000;

/// A server, a member, and the conversation whose roles wait for them.
pub(super) type Unscreened = (String, String, SessionId);

/// Who waits; whoever was asked about longest ago comes first.
#[derive(Debug, Default)]
pub(super) struct Screening(Mutex<VecDeque<Unscreened>>);

impl Screening {
    /// Somebody waits.
    pub(super) fn add(&self, who: Unscreened) {
        let mut waiting = self.waiting();
        if waiting.len() < MEMBERS_MAX && !waiting.contains(&who) {
            waiting.push_back(who);
        }
    }

    /// Whom to ask about next; they wait no longer, unless they are added again.
    pub(super) fn next(&self) -> Option<Unscreened> {
        self.waiting().pop_front()
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.waiting().len()
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Unscreened>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
