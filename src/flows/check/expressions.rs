//! Expressions in scripts: they compile, and what they speak of exists.

use std::collections::BTreeSet;

use minijinja::Environment;

use super::Check;
use crate::config::problem::{did_you_mean, listed};

/// What expressions see; see [`crate::model::flow::Step`].
const NAMES: [&str; 9] =
    ["answers", "labels", "results", "records", "vars", "participant", "platform", "item", "index"];

impl Check<'_> {
    /// An expression, without the braces.
    pub(super) fn expression(&mut self, at: &str, expression: &str) {
        let environment = Environment::new();
        match environment.compile_expression(expression) {
            Ok(compiled) => {
                let names = compiled.undeclared_variables(true);
                self.names(at, names.into_iter().collect());
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
            }
            Err(error) => self.does_not_compile(at, text, &error),
        }
    }

    fn does_not_compile(&mut self, at: &str, text: &str, error: &minijinja::Error) {
        let why = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        self.error(at, format!("`{text}` is not a valid expression: {why}"), None);
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
            }
        }
    }

    fn member(&mut self, at: &str, first: &str, second: &str) {
        let steps = || self.flow.phase.iter().flat_map(|phase| &phase.step).map(|s| s.id.as_str());
        let known: Vec<String> = match first {
            "answers" | "labels" | "results" => steps().map(str::to_owned).collect(),
            "records" => self.loaded.schemas.keys().cloned().collect(),
            "vars" => self.loaded.vars.keys().cloned().collect(),
            "participant" => vec!["name".to_owned(), "contact".to_owned()],
            _ => return,
        };
        if !known.iter().any(|known| known == second) {
            let what = match first {
                "records" => "data",
                "vars" => "variable",
                "participant" => "member of `participant`",
                _ => "step",
            };
            let hint = did_you_mean(second, known.iter().map(String::as_str));
            self.error(at, format!("there is no {what} `{second}`"), hint);
        }
    }
}
