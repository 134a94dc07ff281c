//! A provider that fails again and again is left alone for a while, then tried with one request.
//!
//! ```text
//!            failures in a row            the rest is over
//!  closed ────────────────────▶ resting ─────────────────▶ trying: one request goes through
//!     ▲                            ▲                          │
//!     │                            └──────── it failed ───────┤
//!     └───────────────────────────────────── it did not ──────┘
//! ```

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// Failures in a row that make it rest.
pub(crate) const FAILURES: u32 = 5;

/// How long it rests.
pub(crate) const REST: Duration = Duration::from_secs(30);

/// Whether a provider is asked. Plain data: the time comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CircuitBreaker {
    /// It is asked; so many requests in a row have failed.
    Closed(u32),
    /// It is left alone since then.
    Open(DateTime<Utc>),
    /// One request finds out whether it is back.
    HalfOpen(DateTime<Utc>),
}

impl Default for CircuitBreaker {
    fn default() -> Self {
        Self::Closed(0)
    }
}

impl CircuitBreaker {
    /// Lets a request through, or says how long to leave the provider alone. Each request that was let through must
    /// be followed by one of [`Self::succeeded`], [`Self::failed`] and [`Self::abandoned`].
    pub(crate) fn admit(&mut self, now: DateTime<Utc>) -> Result<(), Duration> {
        match *self {
            Self::Closed(_) => Ok(()),
            // A clock that was put back must not make the rest longer.
            Self::Open(since) if now < since => {
                *self = Self::Open(now);
                Err(REST)
            }
            Self::Open(since) | Self::HalfOpen(since) => {
                let rested = (now - since).to_std().unwrap_or_default();
                match REST.checked_sub(rested) {
                    Some(left) if !left.is_zero() => Err(left),
                    Some(_) | None => {
                        // If this request gets no answer either, another may try after the same time.
                        *self = Self::HalfOpen(now);
                        Ok(())
                    }
                }
            }
        }
    }

    /// The provider answered.
    pub(crate) const fn succeeded(&mut self) {
        *self = Self::Closed(0);
    }

    /// The provider failed.
    pub(crate) fn failed(&mut self, now: DateTime<Utc>) {
        *self = match *self {
            Self::Closed(failures) if failures + 1 < FAILURES => Self::Closed(failures + 1),
            Self::Closed(_) | Self::HalfOpen(_) => Self::Open(now),
            // A request from before the rest began.
            Self::Open(since) => Self::Open(since),
        };
    }

    /// Nobody knows whether the provider would have answered.
    pub(crate) fn abandoned(&mut self, now: DateTime<Utc>) {
        if let Self::HalfOpen(_) = *self {
            let rest = TimeDelta::from_std(REST).unwrap_or_default();
            *self = Self::Open(now - rest);
        }
    }

    /// Whether the provider is asked as usual.
    pub(crate) const fn is_closed(&self) -> bool {
        matches!(self, Self::Closed(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000 + seconds, 0).unwrap()
    }

    fn resting() -> CircuitBreaker {
        let mut breaker = CircuitBreaker::default();
        for _ in 0..FAILURES {
            assert_eq!(breaker.admit(at(0)), Ok(()));
            breaker.failed(at(0));
        }
        breaker
    }

    #[test]
    fn it_rests_after_failures_in_a_row_only() {
        let mut breaker = CircuitBreaker::default();
        for _ in 0..FAILURES * 3 {
            breaker.failed(at(0));
            breaker.succeeded();
        }
        assert_eq!(breaker.admit(at(0)), Ok(()));
        assert_eq!(resting().admit(at(10)), Err(Duration::from_secs(20)));
    }

    #[test]
    fn one_request_finds_out_whether_it_is_back() {
        let mut breaker = resting();
        assert_eq!(breaker.admit(at(30)), Ok(()));
        assert_eq!(breaker.admit(at(30)), Err(REST));
        breaker.failed(at(31));
        assert_eq!(breaker.admit(at(60)), Err(Duration::from_secs(1)));
        assert_eq!(breaker.admit(at(61)), Ok(()));
        breaker.succeeded();
        assert!(breaker.is_closed());
    }

    #[test]
    fn a_request_that_nobody_waited_for_gives_its_place_to_the_next() {
        let mut breaker = resting();
        assert_eq!(breaker.admit(at(30)), Ok(()));
        breaker.abandoned(at(31));
        assert_eq!(breaker.admit(at(31)), Ok(()));
        // Even if nobody said so.
        assert_eq!(breaker.admit(at(62)), Ok(()));
    }

    #[test]
    fn a_clock_put_back_makes_no_rest_longer() {
        let mut breaker = resting();
        assert_eq!(breaker.admit(at(-3600)), Err(REST));
        assert_eq!(breaker.admit(at(-3570)), Ok(()));
    }

    #[test]
    fn late_failures_do_not_prolong_the_rest() {
        let mut breaker = resting();
        breaker.failed(at(29));
        assert_eq!(breaker.admit(at(30)), Ok(()));
    }
}
