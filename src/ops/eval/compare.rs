//! Two evaluations side by side, with 95 % confidence intervals.
//!
//! Means are compared by a paired percentile bootstrap: personas are drawn with replacement 4,000 times, always by the
//! same sequence of random numbers, and each draw gives a mean difference; the interval lies between the 2.5th and the
//! 97.5th percentile. Shares of interviews that passed are compared by Newcombe's method, which combines two Wilson
//! intervals.

use std::collections::BTreeMap;

use super::{
    difference::{Difference, Interval, Side},
    report::{Report, Scored},
    score::Name,
};
use crate::ops::term::laid_out;

/// Draws of the bootstrap.
const DRAWS: usize = 4_000;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_964;

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
    let deltas: Vec<f64> = pairs.iter().map(|(old, new)| new - old).collect();
    let before = side(name, before, mean(pairs.iter().map(|(old, _)| *old)));
    let now = side(name, now, mean(pairs.iter().map(|(_, new)| *new)));
    let mean = (deltas.len() > 1).then(|| bootstrap(&deltas));
    Some(Difference { name, before, now, mean, share: newcombe(before, now) })
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

fn side(name: Name, report: &Report, mean: f64) -> Side {
    let scores = report.interviews.iter().filter_map(|scored| scored.score(name));
    let measured: Vec<bool> =
        scores.filter(|score| score.value.is_some()).map(|score| score.passed).collect();
    let passed = measured.iter().filter(|passed| **passed).count();
    Side { mean, passed, measured: measured.len() }
}

#[expect(clippy::cast_precision_loss, reason = "interviews are few")]
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The percentile interval of the mean.
fn bootstrap(deltas: &[f64]) -> Interval {
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
    Interval { low: at(25), high: at(975) }
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
fn wilson(side: Side) -> Interval {
    if side.measured == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, share) = (side.measured as f64, side.share());
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    Interval { low: (middle - reach) / scale, high: (middle + reach) / scale }
}

/// Newcombe's interval of the difference between two shares.
fn newcombe(before: Side, now: Side) -> Interval {
    let (p1, p2) = (now.share(), before.share());
    let (one, two) = (wilson(now), wilson(before));
    let low = (p1 - p2) - ((p1 - one.low).powi(2) + (two.high - p2).powi(2)).sqrt();
    let high = (p1 - p2) + ((one.high - p1).powi(2) + (p2 - two.low).powi(2)).sqrt();
    Interval { low, high }
}

/// The baseline and what [`Report::comparison`] says of it, side by side.
pub fn table(before: &Report, now: &Report) -> String {
    let rows: Vec<[String; 6]> = now.comparison.iter().map(Difference::row).collect();
    let headings =
        ["SCORE", "MEAN", "95 % OF THE DIFFERENCE", "PASSED", "95 % OF THE DIFFERENCE", ""];
    let who = |report: &Report| {
        let digest: String = report.digest.chars().take(12).collect();
        format!("{} (anteroom {}, flow {digest})", report.model, report.version)
    };
    format!("baseline: {}\nnow:      {}\n\n{}", who(before), who(now), laid_out(headings, &rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_literature() {
        let near = |found: Interval, (low, high): (f64, f64)| {
            let is_near = |one: f64, other: f64| (one - other).abs() < 0.000_2;
            assert!(is_near(found.low, low) && is_near(found.high, high), "{found:?}");
        };
        let side = |passed, measured| Side { mean: 0.0, passed, measured };
        // Newcombe 1998, tables of methods 3 and 10.
        near(wilson(side(81, 263)), (0.2553, 0.3662));
        near(newcombe(side(48, 80), side(56, 70)), (0.0524, 0.3339));
    }

    #[test]
    fn a_difference_that_every_persona_shows_is_clear_and_noise_is_not() {
        let Interval { low, high } = bootstrap(&[1.0, 2.0, 1.5, 1.0, 2.5, 1.0]);
        assert!(low > 0.9 && high < 2.3, "{low} {high}");
        let Interval { low, high } = bootstrap(&[1.0, -1.0, 0.5, -0.5]);
        assert!(low < 0.0 && high > 0.0, "{low} {high}");
        assert_eq!(bootstrap(&[1.0, 2.0]), bootstrap(&[1.0, 2.0]));
    }
}
