//! When the earliest timer is set, so that nothing is read while none can be due.

use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

/// What is known of the earliest timer. Those that were cleared since may have been earlier, never later.
#[derive(Default)]
pub(super) struct NextTimer(Mutex<Known>);

#[derive(Default)]
enum Known {
    /// Nothing: it must be read.
    #[default]
    Unknown,
    /// No timer is set.
    Unset,
    /// No timer is set for an earlier time.
    NotBefore(DateTime<Utc>),
}

impl NextTimer {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a timer may be due.
    pub(super) fn may_be_due(&self, now: DateTime<Utc>) -> bool {
        match *self.known() {
            Known::Unknown => true,
            Known::Unset => false,
            Known::NotBefore(at) => at <= now,
        }
    }

    /// Notes the earliest timer as it was read. The caller still holds off those who write.
    pub(super) fn note(&self, earliest: Option<DateTime<Utc>>) {
        *self.known() = earliest.map_or(Known::Unset, Known::NotBefore);
    }

    /// A timer was set that can be read from now on. The caller holds off those who read.
    pub(super) fn add(&self, at: DateTime<Utc>) {
        let mut known = self.known();
        *known = match *known {
            Known::Unknown => Known::Unknown,
            Known::Unset => Known::NotBefore(at),
            Known::NotBefore(earliest) => Known::NotBefore(earliest.min(at)),
        };
    }

    /// Forgets what is known: what is on the device is not.
    pub(super) fn forget(&self) {
        *self.known() = Known::Unknown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_may_be_due_unless_an_earlier_look_says_otherwise() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        let next = NextTimer::default();
        next.add(at(9));
        assert!(next.may_be_due(at(0)), "nobody has looked");
        next.note(None);
        assert!(!next.may_be_due(DateTime::<Utc>::MAX_UTC));
        next.add(at(5));
        next.add(at(9));
        assert!(!next.may_be_due(at(4)) && next.may_be_due(at(5)));
        next.note(Some(at(9)));
        assert!(!next.may_be_due(at(8)) && next.may_be_due(at(9)));
        assert!(!next.may_be_due(at(0)), "the clock was set back");
        next.forget();
        assert!(next.may_be_due(at(0)));
    }
}
