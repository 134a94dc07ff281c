//! Nothing is read before something could have set it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Check,
    paths::ways,
    tokens::{Token, expressions, tokens},
};
use crate::model::flow::{Mode, Phase, PhaseEffect, Step, has_points};

/// Tools that take data under a name of the model's choosing, or several kinds of data.
const ANY_DATA: [&str; 2] = ["deploy_agent", "extract_document"];

/// Where something is read.
struct Place {
    phase: usize,
    /// The step; `None` if it is before the first one.
    step: Option<usize>,
}

impl Check<'_> {
    /// What steps, phases and objectives read.
    pub(super) fn order_of_reading(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            let at = format!("/phase/{p}");
            let before = Place { phase: p, step: None };
            for (key, text) in [("when", &phase.when), ("after", &phase.after)] {
                if let Some(text) = text {
                    self.reads(&format!("{at}/{key}"), text, &before);
                }
            }
            for (n, step) in phase.step.iter().enumerate() {
                let at = format!("{at}/step/{n}");
                let place = Place { phase: p, step: Some(n) };
                if let Some(when) = &step.when {
                    self.reads(&format!("{at}/when"), when, &place);
                }
                self.counts(&at, step);
                for (name, value) in &step.set {
                    if let Some(expression) = value.as_str() {
                        self.reads(&format!("{at}/set/{name}"), expression, &place);
                    }
                }
                for (name, value) in &step.args {
                    self.reads_within(&format!("{at}/args/{name}"), value, &place);
                }
            }
            // All steps of the phase may have been asked by then.
            let end = Place { phase: p + 1, step: None };
            let objectives = phase.objective.iter().map(|one| one.when.as_deref()).enumerate();
            let objectives = objectives.map(|(n, when)| (format!("{at}/objective/{n}/when"), when));
            let effects = phase.effect.iter().map(PhaseEffect::when).enumerate();
            let effects = effects.map(|(n, when)| (format!("{at}/effect/{n}/when"), when));
            for (at, when) in objectives.chain(effects) {
                self.reads(&at, when.unwrap_or_default(), &end);
            }
        }
    }

    fn reads_within(&mut self, at: &str, value: &Value, place: &Place) {
        match value {
            Value::String(text) => {
                for expression in expressions(text) {
                    self.reads(at, expression, place);
                }
            }
            Value::Array(entries) => {
                for (n, entry) in entries.iter().enumerate() {
                    self.reads_within(&format!("{at}/{n}"), entry, place);
                }
            }
            Value::Object(members) => {
                for (key, value) in members {
                    match (key.as_str(), value.as_str()) {
                        // Where a default stands, what is missing was thought of.
                        ("$from", Some(_)) if members.contains_key("$default") => {}
                        ("$from" | "$each" | "when", Some(expression)) => {
                            self.reads(&format!("{at}/{key}"), expression, place);
                        }
                        _ => self.reads_within(&format!("{at}/{key}"), value, place),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn reads(&mut self, at: &str, expression: &str, place: &Place) {
        let tokens = tokens(expression);
        let is_guard = |token: &Token<'_>| {
            matches!(token, Token::Name("default" | "d" | "defined" | "undefined" | "none"))
        };
        if tokens.iter().any(is_guard) {
            return;
        }
        let mut told = BTreeSet::new();
        for token in &tokens {
            let Token::Name(name) = token else { continue };
            let mut parts = name.split('.');
            let (Some(scope), Some(second)) = (parts.next(), parts.next()) else { continue };
            if told.insert((scope, second)) {
                self.read(at, (scope, second), place);
            }
        }
    }

    fn read(&mut self, at: &str, (scope, name): (&str, &str), place: &Place) {
        let sets: &dyn Fn(&Step) -> bool = match scope {
            "answers" | "labels" | "results" | "points" => &|step: &Step| step.id == name,
            "score" => &|step: &Step| {
                let phase = self.flow.phase.iter().find(|phase| phase.id == name);
                has_points(step)
                    && phase.is_some_and(|phase| phase.step.iter().any(|s| s.id == step.id))
            },
            "values" => &|step: &Step| step.set.contains_key(name),
            "records" if self.loaded.schemas.contains_key(name) => {
                &|step: &Step| self.keeps(step, name)
            }
            _ => return,
        };
        let phases = &self.flow.phase;
        let exists = phases.iter().flat_map(|phase| &phase.step).any(sets);
        let by_model = |phase: &Phase| scope == "records" && self.model_keeps(phase, name);
        if !exists || phases.iter().take(place.phase + 1).any(by_model) {
            return;
        }
        let earlier = phases.iter().take(place.phase);
        if earlier.flat_map(|phase| &phase.step).any(sets) {
            return;
        }
        let here = phases.get(place.phase).filter(|_| place.step.is_some());
        let is_before = |phase: &Phase| {
            let mut steps = phase.step.iter().enumerate().filter(|(_, step)| sets(step));
            steps.any(|(n, _)| place.step.is_some_and(|to| ways(phase, n).contains(&to)))
        };
        if here.is_some_and(is_before) {
            return;
        }
        let is_here = here.is_some_and(|phase| phase.step.iter().any(sets));
        let what = if scope == "records" { "stores" } else { "sets" };
        let message = match scope {
            "values" | "records" => format!("nothing {what} `{scope}.{name}` before this"),
            "score" => {
                format!("no question of `{name}` is asked before this, so `score.{name}` is 0")
            }
            _ => format!("`{name}` is not asked before this, so there is no `{scope}.{name}` yet"),
        };
        let hint = "move this behind it, or read something that comes earlier";
        if is_here {
            // The script goes back where something is missing at its end.
            self.warn(at, message, hint);
        } else {
            self.error(at, message, Some(hint.to_owned()));
        }
    }

    /// A value that is set from itself, and from nothing else, never changes: `values.n | default(1)`.
    fn counts(&mut self, at: &str, step: &Step) {
        for (name, value) in &step.set {
            let own = format!("values.{name}");
            let steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
            let tokens = value.as_str().map(tokens).unwrap_or_default();
            if let [
                Token::Name(read),
                Token::Sign('|'),
                Token::Name("default" | "d"),
                Token::Sign('('),
                Token::Number(first),
                Token::Sign(')'),
            ] = tokens.as_slice()
                && *read == own
                && steps.filter(|step| step.set.contains_key(name)).count() == 1
            {
                let message = format!("`{own}` is always {first}: it is set from itself alone");
                let hint = format!("to count, write `{own} | default(0) + 1`");
                self.warn(&format!("{at}/set/{name}"), message, &hint);
            }
        }
    }

    /// Whether a step keeps something as this data.
    pub(super) fn keeps(&self, step: &Step, data: &str) -> bool {
        let named = step.args.get("dataType").and_then(Value::as_str);
        step.save.as_deref().is_some_and(|save| self.is_data(save, data))
            || ANY_DATA.contains(&step.tool.as_str())
            || named.is_some_and(|name| name.contains("{{") || self.is_data(name, data))
    }

    fn is_data(&self, name: &str, data: &str) -> bool {
        name == data || self.loaded.data_type(name).as_deref() == Some(data)
    }

    /// Whether the model may keep this data in a phase.
    pub(super) fn model_keeps(&self, phase: &Phase, data: &str) -> bool {
        phase.mode == Mode::Interview
            && (phase.tools.iter().any(|tool| ANY_DATA.contains(&tool.as_str()))
                || self.loaded.shapes(phase).iter().any(|(name, _)| name == data))
    }

    /// Whether something keeps this data in a phase.
    pub(super) fn collects(&self, phase: &Phase, data: &str) -> bool {
        phase.step.iter().any(|step| self.keeps(step, data)) || self.model_keeps(phase, data)
    }
}
