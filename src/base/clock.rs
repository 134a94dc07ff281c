//! The only source of the time: the machine's clock, and one that tests set by hand.

use std::{fmt, sync::Mutex, time};

use chrono::{DateTime, Duration, Utc};

use crate::base::failpoint;

/// Tells the time. Decisions take it as an argument; only what does I/O around them asks here.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time now, in UTC.
    fn now(&self) -> DateTime<Utc>;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now() + failpoint::clock_is_off()
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct FixedClock(Mutex<DateTime<Utc>>);

impl FixedClock {
    /// A clock that shows `at`.
    pub fn new(at: DateTime<Utc>) -> Self {
        Self(Mutex::new(at))
    }

    /// Moves the clock by `step`, which may be negative.
    pub fn advance(&self, step: Duration) {
        if let Ok(mut at) = self.0.lock() {
            *at += step;
        }
    }
}

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        self.0.lock().map_or_else(|poisoned| *poisoned.into_inner(), |at| *at)
    }
}

/// When somebody wants to be asked again, from now: what stands in a header `Retry-After`, which is a number of seconds,
/// perhaps with a fraction, or a date.
pub fn retry_after(header: &str, now: DateTime<Utc>) -> Option<time::Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return time::Duration::try_from_secs_f64(seconds).ok();
    }
    let date = DateTime::parse_from_rfc2822(header).ok()?;
    // A date that has passed means: now.
    Some((date.with_timezone(&Utc) - now).to_std().unwrap_or_default())
}
