//! The scripted interviewer: which step comes next, and what its arguments are now.
//!
//! Arguments are JSON with three additions, evaluated when the step is reached:
//! - text may hold `{{ expression }}`, where a list reads `one, two`;
//! - `{ "$from": "expression", "$default": … }` stands for the value of the expression, or the default where it
//!   is undefined, null or empty; without a default the member drops out;
//! - `{ "$each": "expression", "$as": {…}, "$also": […], "$most": n }` stands for a list: `$as` once for every
//!   element (as `item`, with `index` from 1), at most `n` of them, then the fixed entries of `$also`;
//! - an entry of a list with `"when": "expression"` is there only if that is true.
//!
//! Expressions (minijinja) see `answers.<step>` (the chosen id, the list of ids where several may be chosen, or the
//! text), `labels.<step>` (what the chosen buttons said), `results.<step>` (the tool's response),
//! `records.<data_type>` (the one that counts), `values.<name>` (what steps have set), `points.<step>` and `score.<phase>`
//! (the points of the options that were picked, by step and added up by phase), `vars`, `platform` (`slack`, `discord` or `web`), `participant.name` and
//! `participant.contact` (what a contact source has of them, such as `Slack profile`; nothing where none serves them),
//! `today` and `now`; filters that calculate with dates are in [`dates`].
//!
//! Branch targets: another step of the phase; `@next` (as without a branch); `@skip`: the first unmet objective that
//! the participant may skip is passed over, then as `@next`; `@stop`; `@handoff`. A step that stopped or handed over
//! is asked again when the conversation goes on. Keys are the chosen id, the result's `status`, or `error`.
//! A rejected review without a branch is asked again.
//!
//! A text that cannot be filled in, or a `$from` without a `$default` or a `$each` that cannot be evaluated, stops the
//! script: nobody is asked a question with a hole in it, and a person of the team is called.

pub(crate) mod holes;

use std::{
    cell::{LazyCell, OnceCell},
    io,
};

use chrono::NaiveDate;
use minijinja::{
    Environment, ErrorKind, UndefinedBehavior, Value as Seen, context, escape_formatter,
    value::{Serde, ValueKind},
};
use serde_json::{Map, Value, json};

use super::{
    answer,
    dates::{self, Now},
    state::State,
};
use crate::{
    flow::LoadedFlow,
    messages,
    model::{
        flow::{Done, Moment, Objective, Phase, REQUEST, Step, WHEN, has_points},
        session::{Platform, Status},
        transcript::Origin,
    },
};

/// The step that a script comes to next; `None` at its end. Steps whose `when` is false are passed over.
pub(super) fn upcoming<'a>(
    state: &State,
    flow: &'a LoadedFlow,
    phase: &'a Phase,
) -> Option<&'a Step> {
    let begin = match &state.cursor {
        Some((at, next)) if *at == phase.id => {
            let next = next.as_ref()?;
            phase.step.iter().position(|step| step.id == *next)?
        }
        Some(_) | None => 0,
    };
    // Most steps have no condition.
    let scope = LazyCell::new(|| Scope::new(state, flow));
    phase.step[begin..]
        .iter()
        .find(|step| step.when.as_ref().is_none_or(|when| scope.is_true(when)))
}

/// Whether a condition holds now. One that cannot be evaluated holds: what it speaks of is better asked than left out.
pub(super) fn applies(state: &State, flow: &LoadedFlow, when: Option<&str>) -> bool {
    let Some(when) = when else { return true };
    let scope = Scope::new(state, flow);
    scope.evaluate(when, &scope.context).map_or(true, |value| is_true(value.as_ref()))
}

/// Conditions that were looked at on the way here and can't be evaluated, by their place in the flow, such as
/// `/phase/0/step/2`, with the reason: of the phases and steps up to what is open now, and of the objectives and effects
/// of phases that are done. An author should know.
pub(crate) fn failing_conditions(state: &State, flow: &LoadedFlow) -> Vec<(String, String)> {
    let phases = &flow.flow.phase;
    let now = match state.phase() {
        Some(id) => flow.position(id).unwrap_or_default(),
        None if state.status == Status::Completed => phases.len(),
        None => return Vec::new(),
    };
    let mut conditions: Vec<(String, Option<&str>)> = Vec::new();
    for (p, phase) in phases.iter().enumerate().take(now + 1) {
        let at = format!("/phase/{p}");
        let is_done = p < now;
        let steps = if is_done { phase.step.len() } else { asked(state, phase) };
        let steps = phase.step.iter().enumerate().take(steps);
        conditions.push((at.clone(), phase.when.as_deref()));
        conditions.extend(steps.map(|(n, step)| (format!("{at}/step/{n}"), step.when.as_deref())));
        if !is_done {
            continue;
        }
        let objectives = phase.objective.iter().enumerate();
        conditions
            .extend(objectives.map(|(n, of)| (format!("{at}/objective/{n}"), of.when.as_deref())));
        let effects = phase.effect.iter().enumerate().filter(|(_, e)| e.on() == Moment::Completed);
        conditions.extend(effects.map(|(n, effect)| (format!("{at}/effect/{n}"), effect.when())));
    }
    let scope = LazyCell::new(|| Scope::new(state, flow));
    let why = |when: &str| scope.evaluate(when, &scope.context).err();
    conditions.into_iter().filter_map(|(at, when)| Some((at, why(when?)?))).collect()
}

/// How many steps of a phase there are up to the one that is open.
fn asked(state: &State, phase: &Phase) -> usize {
    let is_open = |step: &Step| {
        let is_of = |origin: &Origin| matches!(origin, Origin::Step { step: id } if *id == step.id);
        state.calls.iter().any(|known| known.result.is_none() && is_of(&known.call.origin))
    };
    phase.step.iter().position(is_open).map_or(0, |at| at + 1)
}

/// The step after this one in the file.
pub(super) fn following<'a>(phase: &'a Phase, step: &str) -> Option<&'a str> {
    let at = phase.step.iter().position(|s| s.id == step)?;
    phase.step.get(at + 1).map(|step| step.id.as_str())
}

/// An expression of a step that cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{expression}` fails: {why}")]
pub struct Failure {
    /// The expression, or the text that it stands in.
    pub expression: String,
    /// Why.
    pub why: String,
}

/// The arguments of a step as they are now.
pub(super) fn arguments(state: &State, flow: &LoadedFlow, step: &Step) -> Result<Value, Failure> {
    let template = if step.set.is_empty() { step.args.clone() } else { to_set(step) };
    let template = Value::Object(template);
    let approval = step.args.get("approval").filter(|_| step.tool == REQUEST);
    let approval = approval.and_then(Value::as_str);
    if approval.is_none() && is_literal(&template) {
        return Ok(template);
    }
    let mut scope = Scope::new(state, flow);
    let filled = scope.fill(&template);
    // A request to the team is not made with a hole in it either.
    if let Some(approval) = approval.and_then(|name| flow.flow.approvals.named.get(name)) {
        scope.fill(&Value::String(approval.title.clone()));
    }
    match scope.failure.take() {
        Some(failure) => Err(failure),
        None => Ok(filled.unwrap_or_else(|| json!({}))),
    }
}

/// Whether a template has no expressions in it: it stands for itself, whatever the session holds.
fn is_literal(template: &Value) -> bool {
    match template {
        Value::String(text) => !text.contains("{{") && !text.contains("{%"),
        Value::Array(items) => items.iter().all(is_literal),
        Value::Object(members) => members
            .iter()
            .all(|(key, value)| !key.starts_with('$') && key != WHEN && is_literal(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// A text of the flow for the team, with its expressions filled in: whoever has no name is called something, too.
pub(super) fn filled_for_team(
    state: &State,
    flow: &LoadedFlow,
    text: &str,
) -> Result<String, Failure> {
    let scope = Scope::for_somebody(state, flow, Some(&state.person_in_words()));
    let fail = |why| Failure { expression: text.to_owned(), why };
    scope.filled(text, &scope.context).map_err(fail)
}

/// A text of the flow with its expressions filled in.
pub(super) fn filled(state: &State, flow: &LoadedFlow, text: &str) -> Result<String, Failure> {
    let scope = Scope::new(state, flow);
    let fail = |why| Failure { expression: text.to_owned(), why };
    scope.filled(text, &scope.context).map_err(fail)
}

/// The day that an expression gives: a date, or the day of a time.
pub(super) fn date(state: &State, flow: &LoadedFlow, expression: &str) -> Option<NaiveDate> {
    let scope = Scope::new(state, flow);
    let value = scope.evaluate(expression, &scope.context).ok()??;
    value.as_str()?.get(..10)?.parse().ok()
}

/// What a step sets, as arguments.
fn to_set(step: &Step) -> Map<String, Value> {
    let value = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(expression) => json!({ "$from": expression }),
            literal => literal.clone(),
        };
        (name.clone(), value)
    };
    step.set.iter().map(value).collect()
}

/// Why the step that comes next cannot be asked, with its id; nothing where it can.
pub(crate) fn failing_step(state: &State, flow: &LoadedFlow) -> Option<(String, Failure)> {
    let step = upcoming(state, flow, flow.phase(state.phase()?)?)?;
    let failure = arguments(state, flow, step).err()?;
    Some((step.id.clone(), failure))
}

/// Where a result leads: the branch's target, if it has one.
pub(super) fn branch<'a>(step: &'a Step, result: &Value) -> Option<&'a str> {
    if result.get("error").is_some() {
        return step.leads("error");
    }
    let mut keys: Vec<&str> = Vec::new();
    if let Some(ids) = result["selectedIds"].as_array() {
        keys.extend(ids.iter().filter_map(Value::as_str));
    }
    keys.extend(result["status"].as_str());
    let own = keys.iter().find_map(|key| step.branch.get(*key)).map(String::as_str);
    own.or_else(|| step.leads(keys.first().copied().unwrap_or_default()))
}

/// What a step stores under `save`: choices, words, or the whole response.
pub(super) fn outcome_to_save(result: &Value) -> Value {
    for key in ["selectedIds", "userInput", "data"] {
        if let Some(value) = result.get(key) {
            return value.clone();
        }
    }
    result.clone()
}

/// The step that can give an objective its evidence, to go back to when the script ends without it.
pub(super) fn step_for<'a>(phase: &'a Phase, objective: &Objective) -> Option<&'a Step> {
    phase.step.iter().find(|step| gives(step, &objective.done))
}

fn gives(step: &Step, done: &Done) -> bool {
    let argument = |name: &str| step.args.get(name).and_then(Value::as_str);
    match done {
        Done::Reviewed(data) => {
            step.tool == "submit_for_validation" && argument("dataType") == Some(data)
        }
        Done::Saved(saved) => {
            step.save.as_ref() == Some(&saved.data)
                || (step.tool == "persist_data" && argument("dataType") == Some(&saved.data))
        }
        Done::Uploaded(kind) => {
            step.tool == "get_user_upload" && argument("uploadType") == Some(kind)
        }
        Done::Answered(answered) => step.id == answered.step,
        Done::All(parts) | Done::Any(parts) => parts.iter().any(|part| gives(step, part)),
        Done::Model | Done::Talked(_) => false,
    }
}

/// Steps that one expression or text may take. The longest of the shipped flows take a few hundred.
const FUEL: u64 = 100_000;

/// Longest text or value that an expression may become, in bytes as JSON; what becomes longer fails. As much as one form
/// may bring in.
const FILLED_MAX: usize = 1024 * 1024;

/// Text under construction, up to its limit.
#[derive(Default)]
struct Filled(Vec<u8>);

impl io::Write for Filled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > FILLED_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Why something longer than [`FILLED_MAX`] fails.
const TOO_LONG: &str = "what it comes to is too long";

/// Why an expression fails, for an author.
fn told(error: &minijinja::Error) -> String {
    match error.kind() {
        ErrorKind::WriteFailure => TOO_LONG.to_owned(),
        kind => error.detail().map_or_else(|| kind.to_string(), str::to_owned),
    }
}

/// What expressions see. It is put into the form that they read once, for that takes longer than most of them do.
struct Scope<'a> {
    environment: Environment<'a>,
    context: Seen,
    /// What failed first.
    failure: OnceCell<Failure>,
}

impl Scope<'_> {
    fn new(state: &State, flow: &LoadedFlow) -> Self {
        Self::for_somebody(state, flow, state.name.as_deref())
    }

    /// Where the participant is called `name`.
    fn for_somebody(state: &State, flow: &LoadedFlow, name: Option<&str>) -> Self {
        let answers: Map<String, Value> = state
            .results
            .iter()
            .map(|(step, result)| (step.clone(), answer_of(flow, step, result)))
            .collect();
        let records = state.records.iter().filter_map(|record| state.record(&record.data_type));
        let records: Map<String, Value> =
            records.map(|record| (record.data_type.clone(), record.data.clone())).collect();
        let (points, score) = points(state, flow);
        let now = Now::of(state, flow);
        let context = context! {
            today => now.today(),
            now => now.now(),
            values => Serde(&state.values),
            points => Serde(points),
            score => Serde(score),
            answers => Serde(answers),
            labels => Serde(labels(state)),
            results => Serde(&state.results),
            records => Serde(records),
            vars => Serde(&flow.vars),
            participant => Serde(json!({ "name": name, "contact": contact(state) })),
            platform => state.place.platform.name(),
        };
        let mut seen = Self::of(context);
        dates::register(&mut seen.environment, now);
        seen
    }

    fn of(context: Seen) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        environment.set_fuel(Some(FUEL));
        // What is not there reads as nothing, whether it is null or undefined.
        environment.set_formatter(|out, state, value| {
            if value.is_none() {
                Ok(())
            } else if value.kind() == ValueKind::Seq {
                escape_formatter(out, state, &Seen::from(enumerated(value)))
            } else {
                escape_formatter(out, state, value)
            }
        });
        Self { environment, context, failure: OnceCell::new() }
    }

    /// The value of an expression; `None` if it is undefined or null. The error is for an author.
    fn evaluate(&self, expression: &str, context: &Seen) -> Result<Option<Value>, String> {
        let compiled = self.environment.compile_expression(expression);
        let value =
            compiled.and_then(|run| run.eval(context.clone())).map_err(|error| told(&error))?;
        if value.is_undefined() || value.is_none() {
            return Ok(None);
        }
        let value = serde_json::to_writer(Filled::default(), &value)
            .and_then(|()| serde_json::to_value(value))
            .map_err(|_| TOO_LONG.to_owned())?;
        Ok(Some(value))
    }

    /// The value of an expression; `None` if it is undefined or null, or fails. What fails is remembered, and stops the
    /// script.
    fn value(&self, expression: &str, context: &Seen) -> Option<Value> {
        self.evaluate(expression, context).unwrap_or_else(|why| self.fail(expression, why))
    }

    fn fail<T>(&self, expression: &str, why: String) -> Option<T> {
        self.failure.get_or_init(|| Failure { expression: expression.to_owned(), why });
        None
    }

    fn is_true(&self, expression: &str) -> bool {
        is_true(self.evaluate(expression, &self.context).unwrap_or_default().as_ref())
    }

    fn fill(&self, template: &Value) -> Option<Value> {
        self.fill_in(template, &self.context)
    }

    /// The value that a template stands for; `None` if it drops out.
    fn fill_in(&self, template: &Value, context: &Seen) -> Option<Value> {
        match template {
            Value::String(text) if text.contains("{{") || text.contains("{%") => {
                match self.filled(text, context) {
                    Ok(filled) => Some(Value::from(filled)),
                    Err(why) => self.fail(text, why),
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                Some(template.clone())
            }
            Value::Array(items) => {
                Some(items.iter().filter_map(|item| self.fill_entry(item, context)).collect())
            }
            Value::Object(members) => self.fill_object(members, context),
        }
    }

    /// An entry of a list; `None` if its `when` is not true.
    fn fill_entry(&self, entry: &Value, context: &Seen) -> Option<Value> {
        let Some(when) = entry.get(WHEN).and_then(Value::as_str) else {
            return self.fill_in(entry, context);
        };
        if !is_true(self.value(when, context).as_ref()) {
            return None;
        }
        let mut entry = entry.clone();
        entry.as_object_mut()?.remove(WHEN);
        self.fill_in(&entry, context)
    }

    fn filled(&self, text: &str, context: &Seen) -> Result<String, String> {
        let mut filled = Filled::default();
        let template = self.environment.template_from_str(text).map_err(|error| told(&error))?;
        template.render_captured_to(context.clone(), &mut filled).map_err(|error| told(&error))?;
        String::from_utf8(filled.0).map_err(|error| error.to_string())
    }

    fn fill_object(&self, members: &Map<String, Value>, context: &Seen) -> Option<Value> {
        if let Some(expression) = members.get("$from").and_then(Value::as_str) {
            // Where there is a default, it stands for what cannot be evaluated as well.
            let found = match members.get("$default") {
                Some(_) => self.evaluate(expression, context).unwrap_or_default(),
                None => self.value(expression, context),
            };
            let found = found.filter(|value| !is_empty(value));
            return found.or_else(|| self.fill_in(members.get("$default")?, context));
        }
        if let Some(expression) = members.get("$each").and_then(Value::as_str) {
            return Some(self.fill_list(expression, members, context));
        }
        let filled = members
            .iter()
            .filter_map(|(key, value)| Some((key.clone(), self.fill_in(value, context)?)))
            .collect();
        Some(Value::Object(filled))
    }

    fn fill_list(&self, expression: &str, members: &Map<String, Value>, context: &Seen) -> Value {
        let most = members.get("$most").and_then(Value::as_u64).unwrap_or(u64::MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let items = match self.value(expression, context) {
            Some(Value::Array(items)) => items,
            Some(_) | None => Vec::new(),
        };
        let shape = members.get("$as").cloned().unwrap_or_else(|| json!({ "$from": "item" }));
        let mut list: Vec<Value> = items
            .into_iter()
            .take(most)
            .enumerate()
            .filter_map(|(n, item)| {
                let inner = context! { item => Serde(item), index => n + 1, ..context.clone() };
                self.fill_in(&shape, &inner)
            })
            .collect();
        if let Some(Value::Array(also)) = members.get("$also") {
            list.extend(also.iter().filter_map(|item| self.fill_entry(item, context)));
        }
        Value::Array(list)
    }
}

/// What a contact source has of the participant, in words that follow "Use my".
fn contact(state: &State) -> Option<String> {
    Some(match (state.contact_source.as_deref()?, state.participant.platform) {
        ("profile", Platform::Slack) => messages::interview::SLACK_PROFILE.to_owned(),
        ("profile", Platform::Discord) => messages::interview::DISCORD_PROFILE.to_owned(),
        ("directory", _) => messages::interview::DIRECTORY_ENTRY.to_owned(),
        _ => messages::interview::CONTACT_CARD.to_owned(),
    })
}

/// The points of what was picked, by step, and added up by phase.
fn points(state: &State, flow: &LoadedFlow) -> (Map<String, Value>, Map<String, Value>) {
    let (mut by_step, mut by_phase) = (Map::new(), Map::new());
    for phase in &flow.flow.phase {
        let steps = phase.step.iter().filter(|step| has_points(step));
        let counted = steps.map(|step| {
            let points = state.results.get(&step.id).and_then(|result| result["points"].as_i64());
            (step.id.clone(), points.unwrap_or(0))
        });
        let counted: Vec<(String, i64)> = counted.collect();
        if !counted.is_empty() {
            let sum = counted.iter().fold(0_i64, |sum, (_, points)| sum.saturating_add(*points));
            by_phase.insert(phase.id.clone(), json!(sum));
        }
        by_step.extend(counted.into_iter().map(|(step, points)| (step, json!(points))));
    }
    (by_step, by_phase)
}

/// What the chosen buttons said, by step.
fn labels(state: &State) -> Map<String, Value> {
    let mut labels = Map::new();
    for call in &state.calls {
        let Origin::Step { step } = &call.call.origin else { continue };
        let wait = call.wait.and_then(|id| state.waits.get(&id));
        let answered = wait.and_then(|wait| Some((&wait.prompt.control, wait.status.answer()?.0)));
        if let Some((control, reply)) = answered {
            labels.insert(step.clone(), Value::from(answer::describe(control, reply)));
        } else if call.result.is_some() {
            // Asked again without an answer: the one before doesn't count any more.
            labels.remove(step);
        }
    }
    labels
}

/// A list as people write it: `cook, drive`.
fn enumerated(list: &Seen) -> String {
    let entries = list.try_iter().into_iter().flatten();
    let shown = entries.map(|entry| match entry.kind() {
        ValueKind::Seq => enumerated(&entry),
        _ if entry.is_none() => String::new(),
        _ => entry.to_string(),
    });
    shown.filter(|entry| !entry.is_empty()).collect::<Vec<_>>().join(", ")
}

fn is_true(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Object(members)) => !members.is_empty(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The answer within a tool's response, in the form that expressions compare.
fn answer_of(flow: &LoadedFlow, step: &str, result: &Value) -> Value {
    let several = flow.step(step).is_some_and(|(_, step)| {
        step.args.get("allowMultiple").and_then(Value::as_bool) == Some(true)
    });
    match result.get("selectedIds") {
        Some(Value::Array(ids)) if !several => ids.first().cloned().unwrap_or(Value::Null),
        Some(ids) => ids.clone(),
        None => {
            let text = result.get("userInput").or_else(|| result.get("status"));
            text.cloned().unwrap_or(Value::Null)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_or_grows_without_end_fails() {
        let fill = |template: &Value| {
            let mut scope = Scope::of(context! { vars => Serde(json!({ "list": [1, 2] })) });
            let filled = scope.fill(template);
            scope.failure.take().map_or(Ok(filled), Err)
        };
        let nested = |depth: usize| {
            format!(
                "{}x{}",
                "{% for i in range(1000) %}".repeat(depth),
                "{% endfor %}".repeat(depth)
            )
        };
        for text in [
            nested(2),
            nested(20),
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".to_owned(),
            "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}".to_owned(),
            "{{ 'x' * 2000000 }}".to_owned(),
            "{{ 'x' * 999999999999 }}".to_owned(),
            "{% include 'other' %}{{ 1 }}".to_owned(),
            "{% extends '<string>' %}{{ 1 }}".to_owned(),
            format!(
                "{}{}{}",
                "{{ ".to_owned() + &"(".repeat(10_000),
                1,
                ")".repeat(10_000) + " }}"
            ),
        ] {
            assert!(fill(&json!(text)).is_err(), "{text:.80}");
        }
        for expression in
            ["'x' * 2000000", "range(100000) | list * 10", "[[0] * 1000] * 1000 * 100", "1 / 0"]
        {
            assert!(fill(&json!({ "$from": expression })).is_err(), "{expression}");
            assert!(fill(&json!({ "$each": expression })).is_err(), "{expression}");
            let default = json!({ "$from": expression, "$default": "none" });
            assert_eq!(fill(&default), Ok(Some(json!("none"))), "{expression}");
        }
        assert_eq!(
            fill(&json!("{{ vars.list | length }} {{ nothing.at.all }}{{ none }}")),
            Ok(Some(json!("2 ")))
        );
        assert_eq!(fill(&json!("{{ vars.list }}")), Ok(Some(json!("1, 2"))));
        let most = format!("{{{{ 'x' * {FILLED_MAX} }}}}");
        assert_eq!(fill(&json!(most)), Ok(Some(json!("x".repeat(FILLED_MAX)))));
    }
}
