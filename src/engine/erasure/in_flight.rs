//! Deliveries that are under way, so that an erasure neither misses what one of them posts nor is overtaken by it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::watch;

use crate::{
    base::{ids::SessionId, recent::Recent},
    model::effect::Priority,
};

/// Longest time that an erasure waits for a delivery; what comes later is looked for on the platform.
const PATIENCE: Duration = Duration::from_secs(2);

/// Erased sessions that are remembered: an effect may have been claimed right before.
const REMEMBERED: u64 = 10_000;

/// The sessions with a delivery or an erasure in progress.
#[derive(Debug)]
pub(in crate::engine) struct InFlight {
    sessions: Mutex<HashMap<SessionId, Hands>>,
    erased: Recent<SessionId, ()>,
    ended: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Hands {
    /// The priorities of which an effect is being delivered.
    delivering: Vec<Priority>,
    erasures: usize,
}

impl Default for InFlight {
    fn default() -> Self {
        let ended = watch::Sender::new(());
        Self { sessions: Mutex::default(), erased: Recent::new(REMEMBERED), ended }
    }
}

impl InFlight {
    /// Begins a delivery, once another one of the session and priority has ended. None where the session was being erased
    /// meanwhile, or is gone: then only what `outlives` it leaves, after all that is under way.
    pub(in crate::engine) async fn deliver(
        &self,
        session: SessionId,
        priority: Priority,
        outlives: bool,
    ) -> Option<Delivering<'_>> {
        let mut ended = self.ended.subscribe();
        let mut was_erased = false;
        loop {
            {
                let mut sessions = self.lock();
                let hands = sessions.get(&session);
                let is_erasing = !outlives && hands.is_some_and(|hands| hands.erasures > 0);
                was_erased |= is_erasing;
                if !outlives && self.erased.contains(&session) || was_erased && !is_erasing {
                    return None;
                }
                let is_ahead = |other: &Priority| outlives || *other == priority;
                let must_wait = hands.is_some_and(|hands| hands.delivering.iter().any(is_ahead));
                if !is_erasing && !must_wait {
                    sessions.entry(session).or_default().delivering.push(priority);
                    return Some(Delivering { all: self, session, priority });
                }
            }
            // The sender lives as long as `self`.
            _ = ended.changed().await;
        }
    }

    /// Keeps deliveries of a session back, and waits a while for the one that is under way.
    pub(super) async fn erase(&self, session: SessionId) -> Erasing<'_> {
        let mut ended = self.ended.subscribe();
        self.lock().entry(session).or_default().erasures += 1;
        let erasing = Erasing { all: self, session };
        let quiet = async {
            while self.lock().get(&session).is_some_and(|hands| !hands.delivering.is_empty()) {
                _ = ended.changed().await;
            }
        };
        if tokio::time::timeout(PATIENCE, quiet).await.is_err() {
            tracing::debug!(session.id = %session, "erased while something was being delivered");
        }
        erasing
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Hands>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, session: SessionId, end: impl FnOnce(&mut Hands)) {
        let mut sessions = self.lock();
        if let Some(hands) = sessions.get_mut(&session) {
            end(hands);
            if hands.delivering.is_empty() && hands.erasures == 0 {
                sessions.remove(&session);
            }
        }
        drop(sessions);
        self.ended.send_replace(());
    }
}

/// A delivery, for as long as it is under way.
#[derive(Debug)]
pub(in crate::engine) struct Delivering<'a> {
    all: &'a InFlight,
    session: SessionId,
    priority: Priority,
}

impl Drop for Delivering<'_> {
    fn drop(&mut self) {
        self.all.end(self.session, |hands| hands.delivering.retain(|one| *one != self.priority));
    }
}

/// An erasure, for as long as it is under way.
#[derive(Debug)]
pub(super) struct Erasing<'a> {
    all: &'a InFlight,
    session: SessionId,
}

impl Erasing<'_> {
    /// The session is gone: what was claimed of it before does not leave.
    pub(super) fn succeeded(&self) {
        self.all.erased.insert(self.session, (), 1);
    }
}

impl Drop for Erasing<'_> {
    fn drop(&mut self) {
        self.all.end(self.session, |hands| hands.erasures -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::CountingIds;

    #[tokio::test(start_paused = true)]
    async fn an_erasure_waits_for_a_delivery_and_keeps_later_ones_back() {
        let (all, session) = (InFlight::default(), SessionId::mint(&CountingIds::default()));
        let delivering = all.deliver(session, Priority::Normal, false).await.unwrap();
        let (next, erase) = (all.deliver(session, Priority::Normal, true), all.erase(session));
        tokio::pin!(next, erase);
        assert!(futures::poll!(&mut next).is_pending(), "one at a time");
        assert!(futures::poll!(&mut erase).is_pending());
        let beside = all.deliver(session, Priority::Background, false);
        tokio::pin!(beside);
        assert!(futures::poll!(&mut beside).is_pending(), "it is being erased");
        drop(delivering);
        let erasing = erase.await;
        let late = all.deliver(session, Priority::Normal, false);
        tokio::pin!(late);
        assert!(futures::poll!(&mut late).is_pending(), "it is being erased");
        let removing = next.await.unwrap();
        drop(erasing);
        assert!(late.await.is_none(), "who waited for an erasure looks again");
        let again = all.erase(session).await;
        again.succeeded();
        drop(again);
        assert!(all.deliver(session, Priority::Normal, false).await.is_none(), "it is gone");
        // One that hangs is not waited for without end.
        drop(all.erase(session).await);
        drop(removing);
        drop(all.deliver(session, Priority::Normal, true).await.unwrap());
        assert!(all.lock().is_empty());
    }
}
