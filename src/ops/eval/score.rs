//! Scores: a measure held against a threshold.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::{Deserialize, Serialize};

use crate::{config::problem::did_you_mean, model::flow};

/// Reasons that a complaint gives.
const REASONS: usize = 3;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    /// It ended as the persona allows.
    End,
    /// Share of required objectives that evidence completed.
    Objectives,
    /// What the participant did.
    Turns,
    /// Rounds of the model in a turn, on average.
    Rounds,
    /// Tokens in and out.
    Tokens,
    /// Money.
    Cost,
    /// Most questions in one message.
    Questions,
    /// Most words in one message.
    Words,
    /// Questions that were asked again.
    Repeated,
    /// Questions about forbidden topics.
    Forbidden,
    /// Values that nobody gave.
    Invented,
    /// Messages in another language than the participant's.
    Language,
    /// Overrides that the model asked for.
    Overrides,
    /// Times at which the interview stood still.
    Stalls,
    /// Share of calls that were right at the first try.
    Valid,
    /// Seconds until the model had answered, on average.
    Time,
}

/// Whether more or less is better.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
}

impl Name {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 16] = [
        Self::End,
        Self::Objectives,
        Self::Turns,
        Self::Rounds,
        Self::Tokens,
        Self::Cost,
        Self::Questions,
        Self::Words,
        Self::Repeated,
        Self::Forbidden,
        Self::Invented,
        Self::Language,
        Self::Overrides,
        Self::Stalls,
        Self::Valid,
        Self::Time,
    ];

    /// The word in reports and for `--limit`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Objectives => "objectives",
            Self::Turns => "turns",
            Self::Rounds => "rounds",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Questions => "questions",
            Self::Words => "words",
            Self::Repeated => "repeated",
            Self::Forbidden => "forbidden",
            Self::Invented => "invented",
            Self::Language => "language",
            Self::Overrides => "overrides",
            Self::Stalls => "stalls",
            Self::Valid => "valid",
            Self::Time => "time",
        }
    }

    /// The heading of its column.
    pub(super) const fn heading(self) -> &'static str {
        match self {
            Self::End => "END",
            Self::Objectives => "OBJ",
            Self::Turns => "TURNS",
            Self::Rounds => "ROUNDS",
            Self::Tokens => "TOKENS",
            Self::Cost => "COST",
            Self::Questions => "ASKS",
            Self::Words => "WORDS",
            Self::Repeated => "REP",
            Self::Forbidden => "FORB",
            Self::Invented => "INV",
            Self::Language => "LANG",
            Self::Overrides => "OVER",
            Self::Stalls => "STALL",
            Self::Valid => "VALID",
            Self::Time => "TIME",
        }
    }

    /// Whether it is a share, of which more is better; of everything else less is.
    pub(super) const fn is_share(self) -> bool {
        matches!(self, Self::End | Self::Objectives | Self::Valid)
    }

    /// A value as people read it.
    pub(super) fn shown(self, value: f64) -> String {
        match self {
            _ if self.is_share() => format!("{:.0}%", value * 100.0),
            Self::Cost => format!("${value:.4}"),
            Self::Time => format!("{value:.1}s"),
            Self::Rounds => format!("{value:.1}"),
            _ => format!("{value:.0}"),
        }
    }
}

/// What was measured.
#[derive(Debug)]
pub(super) struct Measure {
    pub(super) name: Name,
    /// None where there was nothing to measure.
    pub(super) value: Option<f64>,
    /// What it was made of.
    pub(super) why: Vec<String>,
}

/// A measure held against a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// What was measured.
    pub name: Name,
    /// None where there was nothing to measure.
    pub value: Option<f64>,
    /// The threshold; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// It is within the threshold, or has none.
    pub passed: bool,
    /// What the number was made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

/// Thresholds by what they are for.
#[derive(Debug, Clone)]
pub struct Limits(BTreeMap<Name, f64>);

impl Limits {
    /// The usual ones for a flow.
    pub fn of(flow: &flow::Flow) -> Self {
        let mut limits: BTreeMap<Name, f64> = [
            (Name::End, 1.0),
            (Name::Objectives, 1.0),
            (Name::Rounds, 4.0),
            (Name::Questions, 2.0),
            (Name::Words, 120.0),
            (Name::Repeated, 0.0),
            (Name::Forbidden, 0.0),
            (Name::Invented, 0.0),
            (Name::Language, 0.0),
            (Name::Overrides, 0.0),
            (Name::Stalls, 0.0),
            (Name::Valid, 0.9),
            (Name::Time, 30.0),
        ]
        .into();
        if flow.limits.turns > 0 {
            limits.insert(Name::Turns, f64::from(flow.limits.turns));
        }
        #[expect(clippy::cast_precision_loss, reason = "tokens of an interview are few")]
        limits.insert(Name::Tokens, flow.limits.tokens as f64);
        Self(limits)
    }

    /// Sets one as `--limit` has it: `words=80`.
    pub fn set(&mut self, written: &str) -> Result<(), String> {
        let known = Name::ALL.map(Name::word);
        let Some((name, value)) = written.split_once('=') else {
            return Err(format!("`{written}` sets no limit. hint: write `words=80`"));
        };
        let Some(name) = Name::ALL.into_iter().find(|known| known.word() == name.trim()) else {
            let hint = did_you_mean(name, known);
            let hint = hint.unwrap_or_else(|| format!("the scores are {}", known.join(", ")));
            return Err(format!("there is no score `{name}`. hint: {hint}"));
        };
        let (number, is_percent) = match value.trim().strip_suffix('%') {
            Some(number) => (number, true),
            None => (value.trim(), false),
        };
        let number: f64 = number
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite() && *number >= 0.0)
            .ok_or_else(|| {
                format!("`{value}` is not a number. hint: write `words=80` or `valid=95%`")
            })?;
        self.0.insert(name, if is_percent { number / 100.0 } else { number });
        Ok(())
    }

    pub(super) fn score(&self, measure: Measure) -> Score {
        let Measure { name, value, why } = measure;
        let limit = self.0.get(&name).map(|limit| {
            if name.is_share() { Limit::AtLeast(*limit) } else { Limit::AtMost(*limit) }
        });
        let passed = match (value, limit) {
            (Some(value), Some(Limit::AtMost(most))) => value <= most,
            (Some(value), Some(Limit::AtLeast(least))) => value >= least,
            (None, _) | (_, None) => true,
        };
        Score { name, value, limit, passed, why }
    }
}

impl Score {
    /// What failed, in one line.
    pub(super) fn complaint(&self) -> String {
        let shown = self.value.map_or_else(|| "nothing".to_owned(), |value| self.name.shown(value));
        let mut text = match self.limit {
            _ if self.name == Name::End => self.name.word().to_owned(),
            Some(Limit::AtMost(most)) => {
                format!("{} {shown} (at most {})", self.name.word(), self.name.shown(most))
            }
            Some(Limit::AtLeast(least)) => {
                format!("{} {shown} (at least {})", self.name.word(), self.name.shown(least))
            }
            None => format!("{} {shown}", self.name.word()),
        };
        let mut reasons: Vec<&String> = Vec::new();
        for why in &self.why {
            if !reasons.contains(&why) {
                reasons.push(why);
            }
        }
        for (n, why) in reasons.iter().take(REASONS).enumerate() {
            _ = write!(text, "{} {why}", if n == 0 { ":" } else { ";" });
        }
        if reasons.len() > REASONS {
            _ = write!(text, "; and {} more", reasons.len() - REASONS);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(name: Name, value: f64, why: &[&str]) -> Score {
        let limits = Limits::of(&flow::Flow { limits: flow::Limits::default(), ..flow_of_one() });
        let why = why.iter().map(|why| (*why).to_owned()).collect();
        limits.score(Measure { name, value: Some(value), why })
    }

    fn flow_of_one() -> flow::Flow {
        let text = "format = 1\nid = \"a\"\nversion = \"1\"\ntitle = \"A\"\n[[phase]]\nid = \"p\"\ntitle = \"P\"\nmode = \"script\"\n";
        toml_edit::de::from_str(text).unwrap()
    }

    #[test]
    fn a_complaint_gives_each_reason_once_and_few_of_them() {
        let score = score(Name::Stalls, 5.0, &["a", "a", "b", "c", "d"]);
        assert_eq!(score.complaint(), "stalls 5 (at most 0): a; b; c; and 1 more");
    }

    #[test]
    fn a_threshold_is_the_last_value_that_passes() {
        assert!(score(Name::Questions, 2.0, &[]).passed);
        assert!(!score(Name::Questions, 3.0, &[]).passed);
        assert!(score(Name::Valid, 0.9, &[]).passed);
        assert!(!score(Name::Valid, 0.89, &[]).passed);
    }

    #[test]
    fn thresholds_are_set_by_name_also_in_per_cent() {
        let mut limits = Limits::of(&flow_of_one());
        limits.set("valid=95%").unwrap();
        limits.set("words = 80").unwrap();
        assert_eq!((limits.0[&Name::Valid], limits.0[&Name::Words]), (0.95, 80.0));
        assert!(limits.set("words=-1").is_err() && limits.set("words").is_err());
    }
}
