//! What differs between two evaluations, as a report keeps it.

use serde::{Deserialize, Serialize};

use super::score::Name;

/// The difference of one score between two evaluations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Which score.
    pub name: Name,
    /// In the baseline.
    pub before: Side,
    /// In this evaluation.
    pub now: Side,
    /// Of the mean difference; `None` with fewer than two personas in both.
    pub mean: Option<Interval>,
    /// Of the difference between the shares of interviews that passed.
    pub share: Interval,
}

/// One score in one of the evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The mean over the personas that are in both.
    pub mean: f64,
    /// Interviews that passed.
    pub passed: usize,
    /// Interviews in which it was measured.
    pub measured: usize,
}

/// A confidence interval of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Difference {
    /// `better`, `worse`, or that it cannot be told.
    pub fn verdict(&self) -> &'static str {
        let is_up = self.mean.is_some_and(|mean| mean.low > 0.0);
        let is_down = self.mean.is_some_and(|mean| mean.high < 0.0);
        match (is_up, is_down, self.name.is_share()) {
            (true, _, true) | (_, true, false) => "better",
            (true, _, false) | (_, true, true) => "worse",
            _ if self.share.low > 0.0 => "better",
            _ if self.share.high < 0.0 => "worse",
            _ => "no clear difference",
        }
    }

    /// A row of the table that stands the two evaluations side by side.
    pub(super) fn row(&self) -> [String; 6] {
        let Self { name, before, now, mean, share } = self;
        let mean = mean.map_or_else(
            || "-".to_owned(),
            |Interval { low, high }| format!("{} to {}", signed(*name, low), signed(*name, high)),
        );
        [
            name.word().to_owned(),
            format!("{} -> {}", name.shown(before.mean), name.shown(now.mean)),
            mean,
            format!("{}/{} -> {}/{}", before.passed, before.measured, now.passed, now.measured),
            format!("{:+.0} to {:+.0} points", share.low * 100.0, share.high * 100.0),
            self.verdict().to_owned(),
        ]
    }
}

impl Side {
    /// The share of interviews that passed.
    #[expect(clippy::cast_precision_loss, reason = "interviews are few")]
    pub(super) fn share(&self) -> f64 {
        self.passed as f64 / self.measured.max(1) as f64
    }
}

fn signed(name: Name, value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "+" };
    format!("{sign}{}", name.shown(value.abs()))
}
