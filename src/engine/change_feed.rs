//! Who is told that a session has changed: everybody who looks at all of them, and whoever follows that one.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{broadcast, watch};

use super::Changed;
use crate::base::ids::SessionId;

/// Changes that a slow listener may fall behind; then it looks at everything again.
const KEPT: usize = 1024;

#[derive(Debug)]
pub(super) struct ChangeFeed {
    all: broadcast::Sender<Changed>,
    followed: Mutex<HashMap<SessionId, watch::Sender<()>>>,
}

impl Default for ChangeFeed {
    fn default() -> Self {
        Self { all: broadcast::Sender::new(KEPT), followed: Mutex::default() }
    }
}

impl ChangeFeed {
    /// Tells those who listen. Nobody listening is no failure.
    pub(super) fn tell(&self, changed: Changed) {
        if let Some(followers) = self.followed().get(&changed.session) {
            followers.send_replace(());
        }
        _ = self.all.send(changed);
    }

    /// Every change from now on.
    pub(super) fn all(&self) -> broadcast::Receiver<Changed> {
        self.all.subscribe()
    }

    /// The changes of one session from now on. Those of others wake nobody.
    pub(super) fn follow(&self, session: SessionId) -> Follower<'_> {
        let mut followed = self.followed();
        let followers = followed.entry(session).or_insert_with(|| watch::Sender::new(()));
        Follower { changes: self, session, changed: followers.subscribe() }
    }

    fn followed(&self) -> MutexGuard<'_, HashMap<SessionId, watch::Sender<()>>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Follows one session until it is dropped.
#[derive(Debug)]
pub(super) struct Follower<'a> {
    changes: &'a ChangeFeed,
    session: SessionId,
    changed: watch::Receiver<()>,
}

impl Follower<'_> {
    /// Resolves when the session has changed since the last time. Cancel-safe.
    pub(super) async fn changed(&mut self) {
        // The sender goes with the last follower.
        _ = self.changed.changed().await;
    }
}

impl Drop for Follower<'_> {
    fn drop(&mut self) {
        let mut followed = self.changes.followed();
        if followed.get(&self.session).is_some_and(|followers| followers.receiver_count() <= 1) {
            followed.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use uuid::Uuid;

    use super::*;

    fn session(number: u128) -> SessionId {
        SessionId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_follower_is_woken_by_its_own_session_alone() {
        let changes = ChangeFeed::default();
        let (mut one, mut same) = (changes.follow(session(1)), changes.follow(session(1)));
        changes.tell(Changed { session: session(2), seq: 1 });
        assert_eq!(one.changed().now_or_never(), None);
        changes.tell(Changed { session: session(1), seq: 1 });
        changes.tell(Changed { session: session(1), seq: 2 });
        assert_eq!(one.changed().now_or_never(), Some(()));
        assert_eq!(one.changed().now_or_never(), None);
        drop(one);
        assert_eq!(same.changed().now_or_never(), Some(()));
        drop(same);
        assert!(changes.followed().is_empty(), "nothing is kept of a session that nobody follows");
    }
}
