//! A cache with room for a crowd, in which little is left of people who come and go.

use std::{hash::Hash, time::Duration};

use crate::{
    base::recent::Recent,
    model::{session::Status, wait::Wait},
};

/// Something that nobody has touched for so long waits for a person.
const IDLE: Duration = Duration::from_secs(30);

/// Keeps what goes on apart from what is over, each with a bound of its own: a few people who finish quickly leave more
/// behind than a busy crowd needs, and it is hardly read again.
pub(super) struct WorkingSet<K, V> {
    busy: Recent<K, V>,
    over: Recent<K, V>,
}

/// Where something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Somebody is expected to go on with it.
    Busy,
    /// It has ended, or rests.
    Over,
}

impl From<Status> for Part {
    fn from(status: Status) -> Self {
        if status.is_over() || status.rests() { Self::Over } else { Self::Busy }
    }
}

impl From<&Wait> for Part {
    fn from(wait: &Wait) -> Self {
        if wait.status.is_pending() { Self::Busy } else { Self::Over }
    }
}

impl<K: Hash + Eq, V> WorkingSet<K, V> {
    /// Holds what weighs so much of each part, and what was put in last whatever it weighs.
    pub(super) fn new(busy_max: u64, over_max: u64) -> Self {
        Self { busy: Recent::with_age(busy_max, IDLE), over: Recent::with_age(over_max, IDLE) }
    }

    /// The value under a key, which counts as used.
    pub(super) fn get(&self, key: &K) -> Option<V>
    where
        V: Clone,
    {
        self.busy.get(key).or_else(|| self.over.get(key))
    }

    /// Takes out what is under a key.
    pub(super) fn take(&self, key: &K) -> Option<V> {
        let (busy, over) = (self.busy.remove(key), self.over.remove(key));
        busy.or(over)
    }

    /// Puts a value of some weight under a key, in place of what is there.
    pub(super) fn insert(&self, key: K, (value, weight): (V, u32), part: Part) {
        let (part, other) = match part {
            Part::Busy => (&self.busy, &self.over),
            Part::Over => (&self.over, &self.busy),
        };
        drop(other.remove(&key));
        part.insert(key, value, weight);
    }

    /// Forgets what is not to be kept. It looks at everything.
    pub(super) fn retain(&self, keep: impl Fn(&V) -> bool) {
        self.busy.retain(&keep);
        self.over.retain(keep);
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.busy.clear();
        self.over.clear();
    }

    /// Lets go of what nobody has touched lately.
    pub(super) fn tidy(&self) {
        self.busy.tidy();
        self.over.tidy();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_takes_no_room_from_what_goes_on() {
        let cache = WorkingSet::new(100, 10);
        for n in 0..40 {
            cache.insert(n, (n, 1), Part::Busy);
        }
        for n in 40..1_000 {
            cache.insert(n, (n, 1), Part::Busy);
            cache.insert(n, (n, 1), Part::Over);
        }
        assert!((0..40).all(|n| cache.get(&n) == Some(n)), "those who are busy");
        assert_eq!(cache.get(&999), Some(999), "who has just finished");
        assert_eq!(cache.get(&900), None);
    }

    #[test]
    fn what_has_ended_is_not_there_as_it_was_before() {
        let cache = WorkingSet::new(2, 10);
        cache.insert(0, ("asked", 1), Part::Busy);
        cache.insert(0, ("answered", 1), Part::Busy);
        cache.insert(0, ("over", 1), Part::Over);
        assert_eq!(cache.get(&0), Some("over"));
        assert_eq!(cache.take(&0), Some("over"));
        assert_eq!(cache.get(&0), None);
    }

    #[test]
    fn what_goes_on_again_is_there_once() {
        let cache = WorkingSet::new(100, 10);
        cache.insert(0, ("over", 1), Part::Over);
        cache.insert(0, ("again", 1), Part::Busy);
        assert_eq!(cache.take(&0), Some("again"));
        assert_eq!(cache.take(&0), None);
    }
}
