//! Group commit: how long the committer waits for more jobs before it works on those it has.
//!
//! A group costs a batch, two syncs and some twenty context switches, however many jobs share it. So while several sessions
//! write, the committer waits a little for what is about to come; a session that writes alone is not delayed.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::base::ids::SessionId;

/// How long the committer waits. Of half a millisecond to three, this one took the least processor time a turn with
/// sixteen people (`benches/README.md`).
const DELAY: Duration = Duration::from_millis(2);

/// Sessions that write within this time of one another write concurrently.
const WINDOW: Duration = Duration::from_millis(10);

/// Knows whether several sessions write concurrently.
#[derive(Default)]
pub(super) struct GroupCommit {
    last: Option<(SessionId, Instant)>,
    until: Option<Instant>,
}

impl GroupCommit {
    /// Waits for more jobs while several sessions write.
    pub(super) fn delay(&self) {
        if self.is_concurrent(Instant::now()) {
            thread::sleep(DELAY);
        }
    }

    fn is_concurrent(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// Notes which sessions have written.
    pub(super) fn record(&mut self, sessions: impl Iterator<Item = SessionId>, now: Instant) {
        for session in sessions {
            let is_close =
                |(other, at): (SessionId, Instant)| other != session && now - at < WINDOW;
            if self.last.is_some_and(is_close) {
                self.until = Some(now + WINDOW);
            }
            self.last = Some((session, now));
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn sessions_that_write_close_together_are_concurrent_and_one_alone_is_not() {
        let [one, other] = [1, 2].map(|n| SessionId::from_uuid(Uuid::from_u128(n)));
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        let mut group_commit = GroupCommit::default();
        group_commit.record([one, one].into_iter(), at(0));
        group_commit.record([one].into_iter(), at(1));
        assert!(!group_commit.is_concurrent(at(1)));
        group_commit.record([other].into_iter(), at(11));
        assert!(!group_commit.is_concurrent(at(11)), "too far apart");
        group_commit.record([one].into_iter(), at(12));
        assert!(group_commit.is_concurrent(at(21)));
        assert!(!group_commit.is_concurrent(at(22)), "nobody has come since");
    }
}
