//! Two evaluations side by side, with 95 % confidence intervals.
//!
//! Means are compared by a paired percentile bootstrap: personas are drawn with replacement 4,000 times, always by the
//! same sequence of random numbers, and each draw gives a mean difference; the interval lies between the 2.5th and the
//! 97.5th percentile. Shares of interviews that passed are compared by Newcombe's method, which combines two Wilson
//! intervals.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    report::{Report, Scored, columns},
    score::Name,
};

/// Draws of the bootstrap.
const DRAWS: usize = 4_000;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_964;

/// The difference of one score between two evaluations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Which score.
    pub name: Name,
    /// The means.
    pub means: (f64, f64),
    /// The mean difference and its interval; none with fewer than two personas in both.
    pub interval: Option<(f64, f64)>,
    /// Interviews that passed, of all, before and now.
    pub passed: ((usize, usize), (usize, usize)),
    /// The interval of the difference between those shares.
    pub shares: (f64, f64),
}

impl Difference {
    /// `better`, `worse`, or that it cannot be told.
    pub fn verdict(&self) -> &'static str {
        let (low, high) = self.interval.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let (share_low, share_high) = self.shares;
        let is_up = low > 0.0;
        let is_down = high < 0.0;
        match (is_up, is_down, self.name.is_better_high()) {
            (true, _, true) | (_, true, false) => "better",
            (true, _, false) | (_, true, true) => "worse",
            _ if share_low > 0.0 => "better",
            _ if share_high < 0.0 => "worse",
            _ => "no clear difference",
        }
    }
}

/// Every score that both have.
pub fn differences(before: &Report, now: &Report) -> Vec<Difference> {
    Name::ALL.into_iter().filter_map(|name| difference(name, before, now)).collect()
}

fn difference(name: Name, before: &Report, now: &Report) -> Option<Difference> {
    let (old, new) = (by_persona(name, before), by_persona(name, now));
    let pairs: Vec<(f64, f64)> =
        old.iter().filter_map(|(persona, old)| Some((*old, *new.get(persona)?))).collect();
    if pairs.is_empty() {
        return None;
    }
    let means = (mean(pairs.iter().map(|(old, _)| *old)), mean(pairs.iter().map(|(_, new)| *new)));
    let deltas: Vec<f64> = pairs.iter().map(|(old, new)| new - old).collect();
    let passed = (passed(name, before), passed(name, now));
    Some(Difference {
        name,
        means,
        interval: (deltas.len() > 1).then(|| bootstrap(&deltas)),
        passed,
        shares: newcombe(passed.0, passed.1),
    })
}

/// The mean of each persona's runs.
fn by_persona(name: Name, report: &Report) -> BTreeMap<&str, f64> {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for Scored { persona, scores, .. } in &report.interviews {
        let value = scores.iter().find(|score| score.name == name).and_then(|score| score.value);
        if let Some(value) = value {
            values.entry(persona).or_default().push(value);
        }
    }
    values.into_iter().map(|(persona, values)| (persona, mean(values.into_iter()))).collect()
}

fn passed(name: Name, report: &Report) -> (usize, usize) {
    let scores = report.interviews.iter().filter_map(|scored| scored.score(name));
    let judged: Vec<bool> =
        scores.filter(|score| score.value.is_some()).map(|score| score.passed).collect();
    (judged.iter().filter(|passed| **passed).count(), judged.len())
}

#[expect(clippy::cast_precision_loss, reason = "interviews are few")]
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The percentile interval of the mean.
fn bootstrap(deltas: &[f64]) -> (f64, f64) {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            mean(
                (0..deltas.len())
                    .map(|_| deltas.get(draw(&mut random, deltas.len())).copied().unwrap_or(0.0)),
            )
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: usize| means.get((DRAWS - 1) * share / 1000).copied().unwrap_or(0.0);
    (at(25), at(975))
}

/// The next number below `below` of a fixed sequence (xorshift64*).
fn draw(random: &mut u64, below: usize) -> usize {
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    let drawn = random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
    usize::try_from(drawn).unwrap_or(0) % below.max(1)
}

/// Wilson's interval of a share.
#[expect(clippy::cast_precision_loss, reason = "interviews are few")]
fn wilson((passed, all): (usize, usize)) -> (f64, f64) {
    if all == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (all as f64, passed as f64 / all as f64);
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    ((middle - reach) / scale, (middle + reach) / scale)
}

/// Newcombe's interval of the difference between two shares.
#[expect(clippy::cast_precision_loss, reason = "interviews are few")]
fn newcombe(before: (usize, usize), now: (usize, usize)) -> (f64, f64) {
    let share = |(passed, all): (usize, usize)| passed as f64 / all.max(1) as f64;
    let (p1, p2) = (share(now), share(before));
    let ((l1, u1), (l2, u2)) = (wilson(now), wilson(before));
    let low = (p1 - p2) - ((p1 - l1).powi(2) + (u2 - p2).powi(2)).sqrt();
    let high = (p1 - p2) + ((u1 - p1).powi(2) + (p2 - l2).powi(2)).sqrt();
    (low, high)
}

/// Both side by side.
pub fn table(before: &Report, now: &Report) -> String {
    let rows: Vec<[String; 6]> = differences(before, now)
        .iter()
        .map(|difference| {
            let Difference { name, means, interval, passed, .. } = difference;
            let ((old, of_old), (new, of_new)) = passed;
            let interval = interval.map_or_else(
                || "-".to_owned(),
                |(low, high)| format!("{} to {}", signed(*name, low), signed(*name, high)),
            );
            [
                name.word().to_owned(),
                format!("{} -> {}", name.shown(means.0), name.shown(means.1)),
                interval,
                format!("{old}/{of_old} -> {new}/{of_new}"),
                format!(
                    "{:+.0} to {:+.0} points",
                    difference.shares.0 * 100.0,
                    difference.shares.1 * 100.0
                ),
                difference.verdict().to_owned(),
            ]
        })
        .collect();
    let headings =
        ["SCORE", "MEAN", "95 % OF THE DIFFERENCE", "PASSED", "95 % OF THE DIFFERENCE", ""];
    let who = |report: &Report| {
        let digest: String = report.digest.chars().take(12).collect();
        format!("{} (anteroom {}, flow {digest})", report.model, report.version)
    };
    format!("baseline: {}\nnow:      {}\n\n{}", who(before), who(now), columns(headings, &rows))
}

fn signed(name: Name, value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "+" };
    format!("{sign}{}", name.shown(value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_literature() {
        let near = |(low, high): (f64, f64), (l, h): (f64, f64)| {
            assert!((low - l).abs() < 0.000_2 && (high - h).abs() < 0.000_2, "{low} {high}");
        };
        // Newcombe 1998, tables of methods 3 and 10.
        near(wilson((81, 263)), (0.2553, 0.3662));
        near(newcombe((48, 80), (56, 70)), (0.0524, 0.3339));
    }

    #[test]
    fn a_difference_that_every_persona_shows_is_clear_and_noise_is_not() {
        let (low, high) = bootstrap(&[1.0, 2.0, 1.5, 1.0, 2.5, 1.0]);
        assert!(low > 0.9 && high < 2.3, "{low} {high}");
        let (low, high) = bootstrap(&[1.0, -1.0, 0.5, -0.5]);
        assert!(low < 0.0 && high > 0.0, "{low} {high}");
        assert_eq!(bootstrap(&[1.0, 2.0]), bootstrap(&[1.0, 2.0]));
    }
}
