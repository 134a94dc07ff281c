//! Whether somebody keeps up a least throughput.

use std::time::Duration;

use tokio::time::Instant;

/// The slowest that is put up with.
#[derive(Debug, Clone, Copy)]
pub struct Throughput {
    /// Bytes in a second.
    pub bytes_per_second: u32,
    /// Time before the first byte.
    pub grace: Duration,
}

/// An account of time: waiting spends it, each byte earns some. Only waiting for the other side counts.
#[derive(Debug)]
pub(super) struct Meter {
    bytes_per_second: u32,
    credit: Duration,
    /// The most that can be saved up, so that what was fast once cannot be slow for ever.
    most: Duration,
    waiting_since: Option<Instant>,
}

impl Meter {
    pub(super) const fn new(throughput: Throughput, credit: Duration, most: Duration) -> Self {
        let Throughput { bytes_per_second, grace: _ } = throughput;
        Self { bytes_per_second, credit, most, waiting_since: None }
    }

    /// Waits from `now` on, where it does not yet.
    pub(super) fn wait(&mut self, now: Instant) {
        self.waiting_since.get_or_insert(now);
    }

    /// When the credit is used up; `None` if nobody waits.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.waiting_since.map(|since| since + self.credit)
    }

    /// Bytes have moved.
    pub(super) fn moved(&mut self, now: Instant, bytes: usize) {
        let spent = self.waiting_since.take().map_or(Duration::ZERO, |since| now - since);
        let seconds = u64::try_from(bytes).unwrap_or(u64::MAX);
        let earned = Duration::from_secs(seconds) / self.bytes_per_second.max(1);
        self.credit = (self.credit.saturating_sub(spent) + earned).min(self.most);
    }
}
