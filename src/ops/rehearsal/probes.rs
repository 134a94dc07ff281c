//! Values of fields that the conditions of a flow tell apart: on either side of what a field is compared with.
//!
//! ```text
//! when = "records.rider.first_day | days_until < 3"     first_day: in 2 days, in 4 days
//! when = "records.person.age >= 18"                     age: 17, 18, 19
//! after = "records.rider.first_day"                     first_day: in 30 days
//! ```

use std::collections::BTreeMap;

use chrono::{Days, Months, NaiveDate};
use serde_json::Value;

use crate::{
    flow::{
        LoadedFlow,
        check::tokens::{Token, expressions, tokens},
    },
    model::flow::Opening,
};

/// Most values of one field that are tried.
const VALUES_MAX: usize = 4;

/// Most texts that are tried.
const TEXTS_MAX: usize = 2;

/// What is written where an `@` is looked for.
const ADDRESS: &str = "ada@example.org";

/// What is written where two answers are compared.
const OTHER_WORDS: &str = "Other words";

/// Where expressions find what is stored, and what was answered.
const RECORDS: &str = "records.";
const ANSWERS: &str = "answers.";

/// A value that is worth trying.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Probe {
    /// A day, so many days from today.
    Day(i64),
    /// A day, so many years ago.
    YearsAgo(u32),
    Number(f64),
}

impl Probe {
    /// How messages call it; the same on every day of a conversation.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Day(days) if *days < 0 => format!("{} days ago", -days),
            Self::Day(days) => format!("in {days} days"),
            Self::YearsAgo(years) => format!("{years} years ago"),
            Self::Number(number) => number.to_string(),
        }
    }

    pub(super) fn value(&self, today: NaiveDate) -> Option<Value> {
        let date = match self {
            Self::Day(days) if *days < 0 => today.checked_sub_days(Days::new(days.unsigned_abs())),
            Self::Day(days) => today.checked_add_days(Days::new(days.unsigned_abs())),
            Self::YearsAgo(years) => today.checked_sub_months(Months::new(years.checked_mul(12)?)),
            Self::Number(number) => {
                let whole = serde_json::from_str(&format!("{number:.0}")).ok();
                return if number.fract() == 0.0 { whole } else { Some(Value::from(*number)) };
            }
        };
        Some(Value::from(date?.to_string()))
    }
}

/// Values by the field, such as `first_day`.
#[derive(Debug, Clone, Default)]
pub(super) struct Probes {
    fields: BTreeMap<String, Vec<Probe>>,
    /// What people could write because a condition looks for a part of it.
    texts: Vec<String>,
}

impl Probes {
    /// Those of a flow.
    pub(super) fn of(flow: &LoadedFlow) -> Self {
        let mut found = Self::default();
        let opening = |text: &str| match Opening::read(text) {
            Opening::On(expression) => Some(expression),
            Opening::After(_) | Opening::WorkingDays(_) => None,
        };
        for expression in
            flow.flow.phase.iter().filter_map(|phase| opening(phase.after.as_deref()?))
        {
            for token in tokens(&expression) {
                if let Token::Name(name) = token {
                    found.add(name, [Probe::Day(30)]);
                }
            }
        }
        let whole = serde_json::to_value(&flow.flow).unwrap_or_default();
        found.look_through(&whole);
        found
    }

    /// What is tried in a field.
    pub(super) fn at(&self, path: &str) -> &[Probe] {
        self.fields.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// What is written where people are asked for words, besides some words.
    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    fn look_through(&mut self, value: &Value) {
        match value {
            Value::String(text) if text.contains(RECORDS) || text.contains(ANSWERS) => {
                let within = expressions(text);
                let whole = [text.as_str()];
                let all = if within.is_empty() { &whole[..] } else { &within };
                for expression in all {
                    let tokens = tokens(expression);
                    self.compared(&tokens);
                    self.sought(&tokens);
                    self.differing(&tokens);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.look_through(item)),
            Value::Object(members) => members.values().for_each(|m| self.look_through(m)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// `records.person.born | age >= 18`, and what else a field is compared with.
    fn compared(&mut self, tokens: &[Token<'_>]) {
        for (n, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let mut rest = &tokens[n + 1..];
            let mut filter = "";
            while let [Token::Sign('|'), Token::Name(name), after @ ..] = rest {
                filter = name;
                rest = after;
                if let [Token::Sign('('), _, Token::Sign(')'), after @ ..] = rest {
                    rest = after;
                }
            }
            let end = rest.iter().take_while(|token| is_operator(token)).count();
            if let (1.., Some(other)) = (end, rest.get(end)) {
                self.add(name, beside(filter, other));
            }
        }
    }

    /// `answers.first != answers.second`: what is written twice differs only if something else is written.
    fn differing(&mut self, tokens: &[Token<'_>]) {
        let is_answer =
            |token: &&Token<'_>| matches!(token, Token::Name(name) if name.starts_with(ANSWERS));
        let compares = tokens
            .windows(2)
            .any(|pair| matches!(pair, [Token::Sign('!' | '='), Token::Sign('=')]));
        if compares && tokens.iter().filter(is_answer).count() > 1 {
            self.write(OTHER_WORDS);
        }
    }

    fn write(&mut self, text: &str) {
        if self.texts.len() < TEXTS_MAX && !self.texts.iter().any(|known| known == text) {
            self.texts.push(text.to_owned());
        }
    }

    /// `'@' in answers.email`, `'@' not in (answers.email or '')`
    fn sought(&mut self, tokens: &[Token<'_>]) {
        for (n, token) in tokens.iter().enumerate() {
            let mut rest = tokens[n + 1..]
                .iter()
                .skip_while(|token| matches!(token, Token::Name("not") | Token::Sign('(')));
            let (Token::Text(part), Some(Token::Name("in"))) = (token, rest.next()) else {
                continue;
            };
            let sought = rest.find(|token| **token != Token::Sign('('));
            let is_answer = matches!(sought, Some(Token::Name(name)) if name.starts_with(ANSWERS));
            let text = if *part == "@" { ADDRESS } else { part };
            if is_answer && !text.trim().is_empty() {
                self.write(text);
            }
        }
    }

    fn add(&mut self, name: &str, probes: impl IntoIterator<Item = Probe>) {
        let Some((_, field)) = name.strip_prefix(RECORDS).and_then(|path| path.split_once('.'))
        else {
            return;
        };
        let known = self.fields.entry(field.to_owned()).or_default();
        for probe in probes {
            if !known.contains(&probe) && known.len() < VALUES_MAX {
                known.push(probe);
            }
        }
    }
}

fn is_operator(token: &Token<'_>) -> bool {
    matches!(token, Token::Sign('<' | '>' | '=' | '!'))
}

/// Values on either side of what something is compared with, after a filter.
fn beside(filter: &str, other: &Token<'_>) -> Vec<Probe> {
    let whole = |number: f64| format!("{number:.0}").parse::<i64>().unwrap_or_default();
    match (filter, other) {
        ("age", Token::Number(years)) => {
            let years = u32::try_from(whole(*years)).unwrap_or_default();
            vec![Probe::YearsAgo(years + 1), Probe::YearsAgo(years.saturating_sub(1))]
        }
        ("days_until", Token::Number(days)) => {
            vec![Probe::Day(whole(*days) + 1), Probe::Day(whole(*days) - 1)]
        }
        ("days_since", Token::Number(days)) => {
            vec![Probe::Day(-whole(*days) - 1), Probe::Day(1 - whole(*days))]
        }
        (_, Token::Name("today" | "now")) => vec![Probe::Day(-1), Probe::Day(1)],
        ("" | "int" | "float", Token::Number(number)) => {
            [1.0, -1.0, 0.0].map(|step| Probe::Number(number + step)).into()
        }
        _ => Vec::new(),
    }
}
