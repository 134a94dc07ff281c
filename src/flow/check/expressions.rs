//! Expressions in scripts: they compile, and what they speak of exists.

use std::collections::BTreeSet;

use minijinja::{Environment, ErrorKind};

use super::{
    Check,
    data::NoField,
    steps::outcomes,
    tokens::{Token, expressions, tokens},
};
use crate::{
    config::problem::{Kind, did_you_mean, listed},
    flow::shape::kind,
    model::flow::{Phase, Step, has_points},
};

/// What expressions see; see [`crate::model::flow::Step`].
const NAMES: [&str; 14] = [
    "answers",
    "labels",
    "results",
    "records",
    "values",
    "points",
    "score",
    "vars",
    "participant",
    "platform",
    "today",
    "now",
    "item",
    "index",
];

/// Most names that a message lists.
const LISTED_MAX: usize = 6;

impl Check<'_> {
    /// An expression, without the braces.
    pub(super) fn expression(&mut self, at: &str, expression: &str) {
        let environment = Environment::new();
        match environment.compile_expression(expression) {
            Ok(compiled) => {
                let names = compiled.undeclared_variables(true);
                self.names(at, names.into_iter().collect());
                self.words(at, expression);
            }
            Err(error) => self.does_not_compile(at, expression, &error),
        }
    }

    /// A text with `{{ expressions }}` in it.
    pub(super) fn template(&mut self, at: &str, text: &str) {
        let environment = Environment::new();
        match environment.template_from_str(text) {
            Ok(compiled) => {
                let names = compiled.undeclared_variables(true);
                self.names(at, names.into_iter().collect());
                for inner in expressions(text) {
                    self.words(at, inner);
                    self.whole_object(at, inner);
                }
            }
            Err(error) => self.does_not_compile(at, text, &error),
        }
    }

    /// An expression that is asked whether it is true.
    pub(super) fn truth(&mut self, at: &str, condition: &str) {
        self.expression(at, condition);
        self.constant(at, condition);
    }

    /// An expression that comes to a list.
    pub(super) fn list(&mut self, at: &str, expression: &str) {
        self.expression(at, expression);
        let path: Vec<&str> = expression.trim().split('.').collect();
        let ["records", path @ ..] = path.as_slice() else { return };
        if let Ok(Some(schema)) = self.field(path)
            && !matches!(kind(schema), "array" | "")
        {
            let message = format!("`{}` is not a list", expression.trim());
            self.error(at, message, None);
        }
    }

    /// What only shows when an expression is run: filters and methods there are, and answers that a step can have.
    fn words(&mut self, at: &str, expression: &str) {
        let tokens = tokens(expression);
        let environment = Environment::new();
        for (n, token) in tokens.iter().enumerate() {
            let before = n.checked_sub(1).and_then(|n| tokens.get(n));
            match token {
                Token::Name(name)
                    if before == Some(&Token::Sign('|')) && !DATE_FILTERS.contains(name) =>
                {
                    let tried = format!("''|{name}");
                    let run = environment.compile_expression(&tried);
                    if run
                        .and_then(|run| run.eval(()))
                        .is_err_and(|error| error.kind() == ErrorKind::UnknownFilter)
                    {
                        let hint = did_you_mean(name, FILTERS.into_iter().chain(DATE_FILTERS))
                            .unwrap_or_else(|| format!("often used: {}", listed(FILTERS)));
                        let message = format!("there is no filter `{name}`");
                        self.error(at, message, Some(hint));
                    }
                }
                Token::Name(name)
                    if name.contains('.')
                        && !name.starts_with("loop.")
                        && tokens.get(n + 1) == Some(&Token::Sign('(')) =>
                {
                    let hint = format!("use a filter: {}", listed(FILTERS));
                    self.error(at, format!("`{name}` can't be called"), Some(hint));
                }
                _ => {}
            }
        }
        for (step, literal) in compared(&tokens) {
            self.can_be(at, step, literal);
        }
        self.negation(at, &tokens);
        self.elsewhere(at, &tokens);
        self.results(at, &tokens);
        self.comparisons(at, expression);
    }

    /// `{{ results.colour }}`: all that is known of an answer, which is no text.
    fn whole_object(&mut self, at: &str, expression: &str) {
        let path: Vec<&str> = expression.trim().split('.').collect();
        let hint = match path.as_slice() {
            ["results", step] if self.loaded.step(step).is_some() => {
                format!("write `labels.{step}`, or one of its members")
            }
            ["records", data] => {
                let Some(schema) = self.loaded.schemas.get(*data) else { return };
                let Some(fields) = schema.get("properties").and_then(|fields| fields.as_object())
                else {
                    return;
                };
                let fields = fields.keys().map(|field| format!("{data}.{field}"));
                let fields: Vec<String> = fields.take(LISTED_MAX).collect();
                format!("name a field: {}", listed(fields.iter().map(String::as_str)))
            }
            _ => return,
        };
        let message = format!("`{{{{ {} }}}}` would be shown as raw data", expression.trim());
        self.error(at, message, Some(hint));
    }

    /// `platform == 'slack'` in a flow that begins on Discord only.
    fn elsewhere(&mut self, at: &str, tokens: &[Token<'_>]) {
        let start = &self.flow.start;
        let other = match (&start.slack, &start.discord) {
            (Some(_), None) => "discord",
            (None, Some(_)) => "slack",
            (Some(_), Some(_)) | (None, None) => return,
        };
        let is_for_other = tokens.windows(4).any(|part| {
            let is_equal = [Token::Sign('='), Token::Sign('=')];
            part[0] == Token::Name("platform")
                && part[1..3] == is_equal
                && part[3] == Token::Text(other)
        });
        let is_only = !tokens.contains(&Token::Name("or"));
        if is_for_other && is_only {
            let message = format!("this flow has no `[start.{other}]`");
            self.warn(at, message, "add it, or name the platform that people come from");
        }
    }

    /// `not a and b` is `(not a) and b`: of the same value, both halves are hardly ever meant.
    fn negation(&mut self, at: &str, tokens: &[Token<'_>]) {
        if let [Token::Name("not"), Token::Name(first), Token::Name("and"), rest @ ..] = tokens
            && rest.contains(&Token::Name(first))
        {
            let message = format!("`not` is about `{first}` alone here");
            self.warn(at, message, "put brackets around all that `not` is about: `not (… and …)`");
        }
    }

    /// An answer that a step is compared with.
    fn can_be(&mut self, at: &str, name: &str, literal: &str) {
        let steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        let Some(step) = steps.into_iter().find(|step| step.id == name) else { return };
        let Some(known) = outcomes(step).filter(|known| !known.is_empty()) else { return };
        if literal != "skipped" && !known.iter().any(|known| known == literal) {
            let known = || known.iter().map(String::as_str);
            let hint = did_you_mean(literal, known())
                .unwrap_or_else(|| format!("possible answers: {}", listed(known())));
            let message = format!("the answer to `{name}` is never `{literal}`");
            self.error(at, message, Some(hint));
        }
    }

    fn does_not_compile(&mut self, at: &str, text: &str, error: &minijinja::Error) {
        let why = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        let message = format!("`{text}` is not a valid expression: {why}");
        let problem = self.document.problem(at, message).of(Kind::Syntax);
        let hint = meant(at, text);
        self.problems.push(hint.iter().fold(problem, |problem, hint| problem.hint(*hint)));
    }

    fn names(&mut self, at: &str, names: BTreeSet<String>) {
        for name in names {
            let mut parts = name.split('.');
            let first = parts.next().unwrap_or_default();
            if !NAMES.contains(&first) {
                let hint = did_you_mean(first, NAMES)
                    .unwrap_or_else(|| format!("available: {}", listed(NAMES)));
                self.error(at, format!("`{first}` is not defined here"), Some(hint));
            } else if let Some(second) = parts.next() {
                self.member(at, first, second);
                let path: Vec<&str> = name.split('.').skip(1).collect();
                if first == "records" && self.loaded.schemas.contains_key(second) {
                    self.record(at, &path);
                }
            }
        }
    }

    fn member(&mut self, at: &str, first: &str, second: &str) {
        let steps = || self.flow.phase.iter().flat_map(|phase| &phase.step).map(|s| s.id.as_str());
        let known: Vec<String> = match first {
            "answers" | "labels" | "results" => steps().map(str::to_owned).collect(),
            "records" => self.loaded.schemas.keys().cloned().collect(),
            "values" => self.values(),
            "points" => self.worth().map(|(_, step)| step.id.clone()).collect(),
            "score" => {
                let phases = self.worth().map(|(phase, _)| phase.id.clone());
                phases.collect::<BTreeSet<_>>().into_iter().collect()
            }
            "vars" => self.loaded.vars.keys().cloned().collect(),
            "participant" => vec!["name".to_owned(), "contact".to_owned()],
            _ => return,
        };
        if !known.iter().any(|known| known == second) {
            let what = match first {
                "records" => "data",
                "vars" => "variable",
                "values" => "value",
                "points" => "step with points",
                "score" => "phase with points",
                "participant" => "member of `participant`",
                _ => "step",
            };
            let hint = did_you_mean(second, known.iter().map(String::as_str));
            let is_phase = first == "score" && self.loaded.position(second).is_some();
            let is_step = first == "points" && self.loaded.step(second).is_some();
            if is_phase || is_step {
                let what = if is_phase { "phase" } else { "step" };
                let others = known.iter().map(|name| format!("{first}.{name}"));
                let others: Vec<String> = others.collect();
                let hint = match others.as_slice() {
                    [] => "give its options `correct = true` or `points`".to_owned(),
                    known => format!("with points: {}", listed(known.iter().map(String::as_str))),
                };
                self.error(at, format!("the {what} `{second}` has no points"), Some(hint));
                return;
            }
            let hint = hint.or_else(|| {
                let is_short = !known.is_empty() && known.len() <= LISTED_MAX;
                is_short.then(|| format!("available: {}", listed(known.iter().map(String::as_str))))
            });
            self.error(at, format!("there is no {what} `{second}`"), hint);
        }
    }

    /// What the steps of the flow set.
    fn values(&self) -> Vec<String> {
        let steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        steps.flat_map(|step| step.set.keys().cloned()).collect()
    }

    /// Steps whose answers are worth points.
    fn worth(&self) -> impl Iterator<Item = (&Phase, &Step)> {
        let phases = self.flow.phase.iter();
        let steps = phases.flat_map(|phase| phase.step.iter().map(move |step| (phase, step)));
        steps.filter(|(_, step)| has_points(step))
    }

    /// A path into the data that a flow keeps.
    fn record(&mut self, at: &str, path: &[&str]) {
        let Err(NoField { field, siblings }) = self.field(path) else { return };
        let hint = did_you_mean(field, siblings.iter().copied())
            .unwrap_or_else(|| format!("its fields: {}", listed(siblings)));
        let message = format!("`{}` has no field `{field}`", path[0]);
        self.error(at, message, Some(hint));
    }
}

/// Filters that flows use.
const FILTERS: [&str; 12] = [
    "capitalize",
    "default",
    "first",
    "int",
    "join",
    "last",
    "length",
    "lower",
    "round",
    "title",
    "trim",
    "upper",
];

/// Filters of dates; the interview brings them.
pub(crate) const DATE_FILTERS: [&str; 6] =
    ["age", "date", "days_since", "days_until", "minus", "plus"];

/// Steps and the texts that their answers are compared with: `answers.x == 'y'`, `'y' in answers.x`, `answers.x in ['y']`.
fn compared<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, &'a str)> {
    let answer = |token: &Token<'a>| match token {
        Token::Name(name) => name.strip_prefix("answers.").filter(|step| !step.contains('.')),
        Token::Text(_) | Token::Number(_) | Token::Sign(_) => None,
    };
    let mut found = Vec::new();
    for n in 0..tokens.len() {
        match &tokens[n..] {
            [step, Token::Sign('=' | '!'), Token::Sign('='), Token::Text(text), ..]
            | [Token::Text(text), Token::Sign('=' | '!'), Token::Sign('='), step, ..]
            | [Token::Text(text), Token::Name("in"), step, ..]
            | [Token::Text(text), Token::Name("not"), Token::Name("in"), step, ..] => {
                found.extend(answer(step).map(|step| (step, *text)));
            }
            [step, Token::Name("in"), Token::Sign('['), list @ ..]
            | [step, Token::Name("not"), Token::Name("in"), Token::Sign('['), list @ ..] => {
                let entries = list.iter().take_while(|token| **token != Token::Sign(']'));
                let texts = entries.filter_map(|token| match token {
                    Token::Text(text) => Some(*text),
                    Token::Name(_) | Token::Number(_) | Token::Sign(_) => None,
                });
                found.extend(
                    answer(step)
                        .into_iter()
                        .flat_map(|step| texts.clone().map(move |text| (step, text))),
                );
            }
            _ => {}
        }
    }
    found
}

/// What to write in place of an expression that doesn't compile.
fn meant(at: &str, text: &str) -> Option<&'static str> {
    let is_single = |(n, _): (usize, &str)| {
        let before = text[..n].chars().next_back();
        let after = text[n + 1..].chars().next();
        !matches!(before, Some('=' | '!' | '<' | '>')) && after != Some('=')
    };
    if at.ends_with("/after") {
        Some("for example `7d`, `5 working days` or `records.contract.start`")
    } else if text.contains("{{") || text.contains("{%") {
        // Around the braces there may be a text in any language.
        at.ends_with("/when").then_some("leave out the braces")
    } else if text.matches(['\'', '"']).count() % 2 == 1 {
        Some("close the quotes")
    } else if text.contains("&&") || text.contains("||") {
        Some("write `and` and `or`")
    } else if text.match_indices('=').any(is_single) {
        Some("compare with `==`")
    } else {
        None
    }
}
