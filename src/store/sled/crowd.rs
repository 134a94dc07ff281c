//! When jobs are gathered before they are worked on.
//!
//! A group of jobs costs a batch, two syncs and some twenty switches of threads, however many share it. So while several
//! sessions write, the committer waits a little for what is about to come; one session alone waits for nothing.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::base::ids::SessionId;

/// How long jobs are gathered.
const GATHER: Duration = Duration::from_millis(2);

/// Sessions that write within this time of one another are a crowd.
const APART: Duration = Duration::from_millis(10);

/// Whether several sessions write at the same time.
#[derive(Default)]
pub(super) struct Crowd {
    last: Option<(SessionId, Instant)>,
    until: Option<Instant>,
}

impl Crowd {
    /// Waits for more jobs where there is a crowd.
    pub(super) fn gather(&self) {
        if self.is_there(Instant::now()) {
            thread::sleep(GATHER);
        }
    }

    fn is_there(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    /// Notes which sessions have written.
    pub(super) fn came(&mut self, sessions: impl Iterator<Item = SessionId>, now: Instant) {
        for session in sessions {
            let is_close = |(other, at): (SessionId, Instant)| other != session && now - at < APART;
            if self.last.is_some_and(is_close) {
                self.until = Some(now + APART);
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
    fn several_sessions_within_a_moment_are_a_crowd_and_one_is_none() {
        let [one, other] = [1, 2].map(|n| SessionId::from_uuid(Uuid::from_u128(n)));
        let begun = Instant::now();
        let at = |millis| begun + Duration::from_millis(millis);
        let mut crowd = Crowd::default();
        crowd.came([one, one].into_iter(), at(0));
        crowd.came([one].into_iter(), at(1));
        assert!(!crowd.is_there(at(1)));
        crowd.came([other].into_iter(), at(11));
        assert!(!crowd.is_there(at(11)), "too far apart");
        crowd.came([one].into_iter(), at(12));
        assert!(crowd.is_there(at(21)));
        assert!(!crowd.is_there(at(22)), "nobody has come since");
    }
}
