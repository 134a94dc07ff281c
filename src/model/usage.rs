//! What models and tools use up, and how much of it is allowed.

use std::{num::NonZeroU64, ops::AddAssign};

use chrono::{DateTime, Datelike, Months, NaiveTime, Utc};
use serde::{Deserialize, Serialize};

/// What was used up; adds up. Without limits of its own: what is allowed is a [`Budget`].
///
/// ```json
/// { "input": 1812, "output": 64, "cached": 1024, "calls": 1, "millis": 2300, "cost_micros": 310 }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens that models read.
    pub input: u64,
    /// Tokens that models wrote.
    pub output: u64,
    /// Tokens among those read that the provider had kept from before, where it reports them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Calls of models.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u64,
    /// Milliseconds that models and tools worked; waiting for people is not in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub millis: u64,
    /// Millionths of the provider's currency unit, where it reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

impl Usage {
    /// Tokens in and out. Those from a provider's cache count: they fill the window like any other.
    pub const fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Whether nothing was used up.
    pub(crate) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// For people: `14 requests, 23400 tokens, $0.31`; `None` if nothing was used up.
    pub fn in_words(self) -> Option<String> {
        if self.calls == 0 && self.tokens() == 0 {
            return None;
        }
        let requests = if self.calls == 1 { "request" } else { "requests" };
        let cost = match self.cost_micros {
            Some(micros) => format!("${}", money(micros)),
            None => "cost not known".to_owned(),
        };
        Some(format!("{} {requests}, {} tokens, {cost}", self.calls, self.tokens()))
    }

    /// Both together. A child's use is added to its parent's by this, and by nothing else.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let cost_micros = match (self.cost_micros, other.cost_micros) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0).saturating_add(two.unwrap_or(0))),
        };
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
            calls: self.calls.saturating_add(other.calls),
            millis: self.millis.saturating_add(other.millis),
            cost_micros,
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = self.plus(other);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How much may be used up; nothing is bounded where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// Tokens in and out.
    pub tokens: Option<NonZeroU64>,
    /// Calls of models.
    pub calls: Option<NonZeroU64>,
    /// Milliseconds that models and tools worked.
    pub millis: Option<NonZeroU64>,
    /// Millionths of the provider's currency unit. A provider that reports no prices uses nothing of it.
    pub cost_micros: Option<NonZeroU64>,
}

/// Share of a budget, in hundredths, at which the operator is warned.
const WARNING: u128 = 80;

/// How far a budget is used up.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// There is enough.
    #[default]
    Fine,
    /// Four fifths are used up: the operator is warned.
    Low,
    /// Nothing is left.
    UsedUp,
}

impl Budget {
    /// How far it is used up: by what is nearest to its end.
    pub fn level(&self, used: Usage) -> Level {
        let levels = self.parts(used).map(|part| part.level());
        levels.into_iter().max().unwrap_or(Level::Fine)
    }

    /// What is nearest to its end, in words: `850000 of 1000000 tokens`; `None` if nothing is bounded.
    pub fn in_words(&self, used: Usage) -> Option<String> {
        let bounded = self.parts(used).into_iter().filter(|part| part.allowed.is_some());
        // Among equals the first: tokens are what people know.
        bounded.rev().max_by_key(Part::share).and_then(Part::in_words)
    }

    /// The tighter of two, for each thing on its own.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let least =
            |one: Option<NonZeroU64>, two: Option<NonZeroU64>| one.into_iter().chain(two).min();
        Self {
            tokens: least(self.tokens, other.tokens),
            calls: least(self.calls, other.calls),
            millis: least(self.millis, other.millis),
            cost_micros: least(self.cost_micros, other.cost_micros),
        }
    }

    fn parts(&self, used: Usage) -> [Part; 4] {
        [
            Part { what: Counted::Tokens, used: used.tokens(), allowed: self.tokens },
            Part { what: Counted::Calls, used: used.calls, allowed: self.calls },
            Part { what: Counted::Time, used: used.millis, allowed: self.millis },
            Part {
                what: Counted::Cost,
                used: used.cost_micros.unwrap_or(0),
                allowed: self.cost_micros,
            },
        ]
    }
}

#[derive(Debug, Clone, Copy)]
enum Counted {
    Tokens,
    Calls,
    Time,
    Cost,
}

#[derive(Debug, Clone, Copy)]
struct Part {
    what: Counted,
    used: u64,
    allowed: Option<NonZeroU64>,
}

impl Part {
    /// Hundredths, wide enough that nothing overflows; 0 where it is not bounded.
    fn share(&self) -> u128 {
        self.allowed.map_or(0, |allowed| u128::from(self.used) * 100 / u128::from(allowed.get()))
    }

    fn level(&self) -> Level {
        match self.share() {
            0..WARNING => Level::Fine,
            WARNING..100 => Level::Low,
            _ => Level::UsedUp,
        }
    }

    fn in_words(self) -> Option<String> {
        let (used, allowed) = (self.used, self.allowed?.get());
        Some(match self.what {
            Counted::Tokens => format!("{used} of {allowed} tokens"),
            Counted::Calls => format!("{used} of {allowed} model calls"),
            Counted::Time => {
                format!("{} of {} seconds of work", used / 1000, allowed.div_ceil(1000))
            }
            Counted::Cost => format!("{} of {} in money", money(used), money(allowed)),
        })
    }
}

/// Millionths as people write them: `0.31`, with as many decimals as are needed, two at least.
fn money(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let zeros = text.len() - text.trim_end_matches('0').len();
    text[..text.len() - zeros.min(4)].to_owned()
}

/// What may be used up by whom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budgets {
    /// By one turn, over all its suspensions.
    pub turn: Budget,
    /// By one session and its children.
    pub session: Budget,
    /// By all sessions of one workspace or guild, in each period.
    pub workspace: Budget,
    /// By all sessions together, in each period.
    pub total: Budget,
    /// When the last two begin anew.
    pub per: Per,
}

/// When accounts begin anew, by UTC.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// At midnight.
    Day,
    /// At midnight before the first of the month.
    #[default]
    Month,
}

impl Per {
    /// The period in which a moment lies: `2026-11`, or `2026-11-21`.
    pub fn name(self, at: DateTime<Utc>) -> String {
        match self {
            Self::Day => at.format("%Y-%m-%d").to_string(),
            Self::Month => at.format("%Y-%m").to_string(),
        }
    }

    /// When the next period begins.
    pub fn end(self, at: DateTime<Utc>) -> DateTime<Utc> {
        let date = at.date_naive();
        let next = match self {
            Self::Day => date.succ_opt(),
            Self::Month => {
                date.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)))
            }
        };
        next.map_or(DateTime::<Utc>::MAX_UTC, |date| date.and_time(NaiveTime::MIN).and_utc())
    }
}

/// An account as it stands: what was charged to it, and what the operator was told of it.
///
/// ```json
/// { "usage": { "input": 1812, "output": 64 }, "told": "low" }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Balance {
    /// All charges together.
    pub usage: Usage,
    /// The furthest level that was told.
    #[serde(default)]
    pub told: Level,
}

impl Balance {
    /// After one more charge.
    #[must_use]
    pub fn charged(self, usage: Usage, told: Level) -> Self {
        Self { usage: self.usage.plus(usage), told: self.told.max(told) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_up_is_told_in_words() {
        let usage = Usage { input: 1_812, output: 64, calls: 1, ..Usage::default() };
        let priced = Usage { calls: 14, cost_micros: Some(310_000), ..usage };
        assert_eq!(usage.in_words().unwrap(), "1 request, 1876 tokens, cost not known");
        assert_eq!(priced.in_words().unwrap(), "14 requests, 1876 tokens, $0.31");
        let tools = Usage { millis: 20, ..Usage::default() };
        assert_eq!(tools.in_words(), None);
    }

    #[test]
    fn what_is_nearest_to_its_end_decides() {
        let budget = Budget {
            tokens: NonZeroU64::new(1000),
            calls: NonZeroU64::new(10),
            ..Budget::default()
        };
        let used = |input, calls| Usage { input, calls, ..Usage::default() };
        assert_eq!(budget.level(used(799, 7)), Level::Fine);
        assert_eq!(budget.level(used(800, 0)), Level::Low);
        assert_eq!(budget.level(used(0, 8)), Level::Low);
        assert_eq!(budget.level(used(999, 9)), Level::Low);
        assert_eq!(budget.level(used(1000, 0)), Level::UsedUp);
        assert_eq!(budget.level(used(0, u64::MAX)), Level::UsedUp);
        assert_eq!(budget.in_words(used(100, 9)).as_deref(), Some("9 of 10 model calls"));
        assert_eq!(budget.in_words(used(900, 9)).as_deref(), Some("900 of 1000 tokens"));
        assert_eq!(Budget::default().level(used(u64::MAX, u64::MAX)), Level::Fine);
        assert_eq!(Budget::default().in_words(used(1, 1)), None);
    }

    #[test]
    fn money_and_time_are_said_as_people_say_them() {
        let budget = Budget { cost_micros: NonZeroU64::new(2_500_000), ..Budget::default() };
        let used = Usage { cost_micros: Some(2_000_310), ..Usage::default() };
        assert_eq!(budget.in_words(used).as_deref(), Some("2.00031 of 2.50 in money"));
        let budget = Budget { millis: NonZeroU64::new(90_000), ..Budget::default() };
        let used = Usage { millis: 72_500, ..Usage::default() };
        assert_eq!(budget.in_words(used).as_deref(), Some("72 of 90 seconds of work"));
    }

    #[test]
    fn periods_follow_one_another() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let last = at("2026-12-31T23:59:59.5Z");
        assert_eq!(
            (Per::Month.name(last), Per::Month.end(last)),
            ("2026-12".into(), at("2027-01-01T00:00:00Z"))
        );
        assert_eq!(
            (Per::Day.name(last), Per::Day.end(last)),
            ("2026-12-31".into(), at("2027-01-01T00:00:00Z"))
        );
        assert_eq!(Per::Month.end(at("2026-01-31T00:00:00Z")), at("2026-02-01T00:00:00Z"));
        assert_eq!(Per::Day.end(at("2026-11-21T00:00:00Z")), at("2026-11-22T00:00:00Z"));
    }

    #[test]
    fn the_tighter_bound_counts() {
        let one = Budget { tokens: NonZeroU64::new(5), calls: None, ..Budget::default() };
        let two =
            Budget { tokens: NonZeroU64::new(9), calls: NonZeroU64::new(3), ..Budget::default() };
        assert_eq!(
            one.within(two),
            Budget { tokens: NonZeroU64::new(5), calls: NonZeroU64::new(3), ..Budget::default() }
        );
    }
}
