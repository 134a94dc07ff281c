//! What is missing in a question that is asked: places in its texts that came out as nothing.

use minijinja::Value as Shown;
use serde_json::Value;

use super::Scope;
use crate::{
    flow::LoadedFlow,
    model::flow::{Phase, REQUEST, Step},
    session::State,
};

/// What an expression shows that speaks of what was answered.
const SCOPES: [&str; 5] = ["answers.", "labels.", "results.", "records.", "values."];

/// Words by which an author has thought of what may be missing.
const GUARDS: [&str; 3] = ["default", "d", "if"];

/// Stands in a text where nothing would.
const HOLE: char = '\u{E000}';

/// Expressions in the texts of a step that come to nothing now, though there is text around them; with their place in the
/// flow, below the step's own unless it is that of a decision: `/args/prompt`.
pub(crate) fn holes(state: &State, flow: &LoadedFlow, step: &Step) -> Vec<(String, String)> {
    let texts = texts(flow, step);
    if !texts.iter().any(|(_, text)| text.contains("{{")) {
        return Vec::new();
    }
    let scope = Scope::seeking_holes(state, flow);
    let texts = texts.into_iter().flat_map(|(at, text)| {
        let found = scope.holes_in(&text);
        found.into_iter().map(move |expression| (at.clone(), expression)).collect::<Vec<_>>()
    });
    texts.collect()
}

/// Texts of the decision that a step asks for which can't be filled in, with their place and why.
pub(crate) fn failing_texts(
    state: &State,
    flow: &LoadedFlow,
    step: &Step,
) -> Vec<(String, String)> {
    let name = step.args.get("approval").and_then(Value::as_str).filter(|_| step.tool == REQUEST);
    let Some((name, one)) = name.and_then(|n| Some((n, flow.flow.approvals.named.get(n)?))) else {
        return Vec::new();
    };
    let scope = Scope::new(state, flow);
    let texts = [("approved", &one.approved), ("denied", &one.denied), ("expired", &one.expired)];
    let texts = texts
        .into_iter()
        .filter_map(|(key, text)| Some((format!("/approvals/{name}/{key}"), text.as_ref()?)));
    let failing = texts.filter_map(|(at, text)| {
        let failure = scope.filled(text, &scope.context).err()?;
        Some((at, failure))
    });
    failing.collect()
}

/// What is wrong with the intro of the phase that has begun, before anything in it is answered: that it can't be filled in,
/// or expressions in it that come to nothing.
pub(crate) fn intro_trouble(state: &State, flow: &LoadedFlow) -> (Option<String>, Vec<String>) {
    let phase = state.phase().and_then(|id| flow.phase(id));
    let is_answered =
        |phase: &&Phase| phase.step.iter().any(|step| state.results.contains_key(&step.id));
    let phase = phase.filter(|phase| state.opens_at.is_none() && !is_answered(phase));
    let intro = phase.and_then(|phase| Some(flow.text(phase.intro.as_ref()?)));
    let Some(intro) = intro.filter(|intro| intro.contains("{{")) else {
        return (None, Vec::new());
    };
    let scope = Scope::seeking_holes(state, flow);
    (scope.filled(&intro, &scope.context).err(), scope.holes_in(&intro))
}

/// Arguments of a step without a value now, with the expressions that they were to come from.
pub(crate) fn valueless(state: &State, flow: &LoadedFlow, step: &Step) -> Vec<(String, String)> {
    let scope = Scope::new(state, flow);
    let lacking = step.args.iter().filter_map(|(name, value)| {
        let expression = value.get("$from")?.as_str()?;
        let found = scope.evaluate(expression, &scope.context).ok()?;
        (found.is_none() && value.get("$default").is_none())
            .then(|| (name.clone(), expression.to_owned()))
    });
    lacking.collect()
}

impl Scope<'_> {
    /// One that puts a mark where nothing would stand.
    fn seeking_holes(state: &State, flow: &LoadedFlow) -> Self {
        let mut scope = Self::new(state, flow);
        scope.environment.add_filter("or_hole", |value: Shown| {
            let is_nothing = value.is_undefined()
                || value.is_none()
                || value.as_str().is_some_and(|text| text.trim().is_empty())
                || value.len() == Some(0);
            if is_nothing { Shown::from(HOLE.to_string()) } else { value }
        });
        scope
    }

    fn holes_in(&self, text: &str) -> Vec<String> {
        let is_empty = self.filled(text, &self.context).is_ok_and(|text| text.trim().is_empty());
        if is_empty {
            return Vec::new();
        }
        let found = probes(text).into_iter().filter(|(expression, probe)| {
            let shown = self.filled(probe, &self.context);
            shown.is_ok_and(|shown| shown.contains(HOLE)) || self.is_skipped(expression)
        });
        found.map(|(expression, _)| expression.to_owned()).collect()
    }

    /// Whether an expression is the answer to a question that was passed over, which reads "skipped".
    fn is_skipped(&self, expression: &str) -> bool {
        let Some((scope @ ("answers" | "labels"), step)) = expression.split_once('.') else {
            return false;
        };
        let answer = self.context.get_attr(scope).and_then(|answers| answers.get_attr(step));
        answer.is_ok_and(|answer| answer.as_str() == Some("skipped"))
    }
}

/// What somebody reads who is asked.
fn texts(flow: &LoadedFlow, step: &Step) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let named = ["prompt", "message", "text"].into_iter();
    let mut found: Vec<(String, String)> = named
        .filter_map(|name| Some((format!("/args/{name}"), text(step.args.get(name)?)?)))
        .collect();
    let options = step.args.get("options").and_then(Value::as_array);
    found.extend(options.into_iter().flatten().enumerate().filter_map(|(n, option)| {
        Some((format!("/args/options/{n}/label"), text(option.get("label")?)?))
    }));
    let approval =
        step.args.get("approval").and_then(Value::as_str).filter(|_| step.tool == REQUEST);
    let titled = approval.and_then(|name| Some((name, flow.flow.approvals.named.get(name)?)));
    found.extend(titled.map(|(name, one)| (format!("/approvals/{name}/title"), one.title.clone())));
    found
}

/// The expressions of a text that show what was answered, each with the text in which it is looked at.
fn probes(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("{{") {
        let begin = at + open + 2;
        let Some(length) = text[begin..].find("}}") else { break };
        let end = begin + length;
        let inner = text[begin..end].trim_matches('-').trim();
        let mut words = inner.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
        let shows = SCOPES.iter().any(|scope| inner.contains(scope));
        if shows && !words.any(|word| GUARDS.contains(&word)) {
            let probe = format!("{} ({inner}) | or_hole {}", &text[..begin], &text[end..]);
            found.push((inner, probe));
        }
        at = end + 2;
    }
    found
}
