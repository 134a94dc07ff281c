//! Coverage: what can come of the steps of a flow, and what the tests have made come of them.
//!
//! An outcome is a step that is asked; a step or a phase with `when` that is passed over; an option that is picked; *Skip*
//! where there is one; a branch that is taken; and, for what may have no branch, going on without one.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    config::{Problem, toml_document::TomlDocument},
    flow::{LoadedFlow, check::steps::all_outcomes},
    model::{
        flow::{ELSE, Phase, Step},
        transcript::{CallResult, Event, Origin, Recorded},
    },
};

/// Something that can come of a flow.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    Entered(String),
    LeftOut(String),
    Asked(String),
    PassedOver(String),
    Picked(String, String),
    Skipped(String),
    Branch(String, String),
    NoBranch(String),
}

impl Outcome {
    /// What to say where it never came.
    fn missing(&self) -> String {
        match self {
            Self::Entered(phase) => format!("the phase `{phase}` is never entered"),
            Self::LeftOut(phase) => format!("the phase `{phase}` is never left out"),
            Self::Asked(step) => format!("`{step}` is never reached"),
            Self::PassedOver(step) => format!("`{step}` is never passed over"),
            Self::Picked(step, id) => format!("`{step}` is never answered with `{id}`"),
            Self::Skipped(step) => format!("`{step}` is never skipped"),
            Self::Branch(step, key) => format!("`{step}` never takes the branch `{key}`"),
            Self::NoBranch(step) => format!("`{step}` always takes a branch"),
        }
    }
}

/// All that can come of a flow, with JSON pointers.
pub(super) fn possible(flow: &LoadedFlow) -> Vec<(Outcome, String)> {
    let mut all = Vec::new();
    for (p, phase) in flow.flow.phase.iter().enumerate() {
        if phase.when.is_some() {
            let at = format!("/phase/{p}/when");
            all.push((Outcome::Entered(phase.id.clone()), at.clone()));
            all.push((Outcome::LeftOut(phase.id.clone()), at));
        }
        for (s, step) in phase.step.iter().enumerate() {
            of_step(step, &format!("/phase/{p}/step/{s}"), &mut all);
        }
    }
    all
}

fn of_step(step: &Step, at: &str, all: &mut Vec<(Outcome, String)>) {
    let id = || step.id.clone();
    all.push((Outcome::Asked(id()), at.to_owned()));
    if step.when.is_some() {
        all.push((Outcome::PassedOver(id()), format!("{at}/when")));
    }
    let options = step.args.get("options").and_then(Value::as_array);
    let mut named = BTreeSet::new();
    for (n, option) in options.into_iter().flatten().enumerate() {
        // Ids that are made up on the way can't be known.
        if let Some(option) = option["id"].as_str().filter(|option| !option.contains("{{")) {
            named.insert(option);
            all.push((Outcome::Picked(id(), option.to_owned()), format!("{at}/args/options/{n}")));
        }
    }
    let is_choice = step.tool == "get_user_option";
    if is_choice && step.args.get("required") == Some(&Value::Bool(false)) {
        all.push((Outcome::Skipped(id()), format!("{at}/args/required")));
    }
    for key in step.branch.keys().filter(|key| !named.contains(key.as_str())) {
        all.push((Outcome::Branch(id(), key.clone()), format!("{at}/branch/{key}")));
    }
    let has_every = || {
        let known = all_outcomes(step);
        known.is_some_and(|known| known.iter().all(|key| step.branch.contains_key(key)))
    };
    if !is_choice && !step.branch.is_empty() && !step.branch.contains_key(ELSE) && !has_every() {
        all.push((Outcome::NoBranch(id()), format!("{at}/branch")));
    }
}

/// What came of a flow in one conversation.
pub(super) fn seen(flow: &LoadedFlow, events: &[Recorded]) -> BTreeSet<Outcome> {
    let mut reading = Reading { flow, at: None, seen: BTreeSet::new() };
    for recorded in events {
        reading.read(&recorded.event, events);
    }
    reading.seen
}

/// Events that are read one after the other.
struct Reading<'a> {
    flow: &'a LoadedFlow,
    /// The phase, and the position of the step that the script looks at next.
    at: Option<(&'a Phase, usize)>,
    seen: BTreeSet<Outcome>,
}

impl Reading<'_> {
    fn read(&mut self, event: &Event, events: &[Recorded]) {
        match event {
            Event::Advanced { from, to, .. } => self.advance(from.as_deref(), to.as_deref()),
            Event::Stepped { phase, next, .. } => {
                let Some(phase) = self.flow.phase(phase) else { return };
                let next = next.as_ref().and_then(|id| phase.step.iter().position(|s| s.id == *id));
                self.at = Some((phase, next.unwrap_or(phase.step.len())));
            }
            Event::Called(call) => {
                if let Origin::Step { step } = &call.origin {
                    self.reach(step);
                }
            }
            Event::ValuesSet { step, .. } => {
                self.reach(step);
                let Some((_, step)) = self.flow.step(step) else { return };
                if step.branch.contains_key(ELSE) {
                    self.seen.insert(Outcome::Branch(step.id.clone(), ELSE.to_owned()));
                }
            }
            Event::Returned { call, result } => {
                let origin = events.iter().find_map(|recorded| match &*recorded.event {
                    Event::Called(made) if made.id == *call => Some(&made.origin),
                    _ => None,
                });
                if let Some(Origin::Step { step }) = origin
                    && let Some((_, step)) = self.flow.step(step)
                {
                    self.result(step, result);
                }
            }
            _ => {}
        }
    }

    fn advance(&mut self, from: Option<&str>, to: Option<&str>) {
        // What is left of the script was passed over.
        if let Some((phase, at)) = self.at
            && from == Some(phase.id.as_str())
        {
            self.pass_over(&phase.step[at.min(phase.step.len())..]);
        }
        let phases = &self.flow.flow.phase;
        let position = |id: Option<&str>| id.and_then(|id| self.flow.position(id));
        let begin = position(from).map_or(0, |at| at + 1);
        let end = position(to).unwrap_or(phases.len());
        let has_next =
            position(from).and_then(|at| phases.get(at)).is_some_and(|phase| phase.next.is_some());
        if !has_next {
            let between = phases.get(begin..end).unwrap_or_default();
            let left_out = between.iter().map(|phase| Outcome::LeftOut(phase.id.clone()));
            self.seen.extend(left_out);
        }
        self.at = to.and_then(|id| self.flow.phase(id)).map(|phase| (phase, 0));
        self.seen.extend(to.map(|id| Outcome::Entered(id.to_owned())));
    }

    fn reach(&mut self, step: &str) {
        let Some((phase, _)) = self.flow.step(step) else { return };
        let Some(position) = phase.step.iter().position(|other| other.id == step) else { return };
        if let Some((at, next)) = self.at
            && at.id == phase.id
            && next < position
        {
            self.pass_over(&at.step[next..position]);
        }
        self.at = Some((phase, position));
        self.seen.insert(Outcome::Asked(step.to_owned()));
    }

    fn pass_over(&mut self, steps: &[Step]) {
        let conditional = steps.iter().filter(|step| step.when.is_some());
        self.seen.extend(conditional.map(|step| Outcome::PassedOver(step.id.clone())));
    }

    fn result(&mut self, step: &Step, result: &CallResult) {
        let id = || step.id.clone();
        let CallResult::Ok { value } = result else {
            if step.branch.contains_key("error") {
                self.seen.insert(Outcome::Branch(id(), "error".to_owned()));
            }
            return;
        };
        let picked: Vec<&str> = value["selectedIds"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        self.seen.extend(picked.iter().map(|key| Outcome::Picked(id(), (*key).to_owned())));
        let keys: Vec<&str> = picked.into_iter().chain(value["status"].as_str()).collect();
        if keys.is_empty() || keys == ["skipped"] {
            self.seen.insert(Outcome::Skipped(id()));
        }
        let own = keys.iter().find(|key| step.branch.contains_key(**key));
        self.seen.insert(match own {
            Some(key) => Outcome::Branch(id(), (*key).to_owned()),
            None if step.leads(keys.first().copied().unwrap_or_default()).is_some() => {
                Outcome::Branch(id(), ELSE.to_owned())
            }
            None => Outcome::NoBranch(id()),
        });
    }
}

/// What all tests of a flow have covered.
#[derive(Debug)]
pub(super) struct Coverage {
    /// The flow's id.
    pub(super) flow: String,
    pub(super) reached: usize,
    pub(super) outcomes: usize,
    /// What never came, with its line.
    pub(super) uncovered: Vec<Problem>,
}

impl Coverage {
    /// `file` is how messages call the flow.
    pub(super) fn of(flow: &LoadedFlow, file: &str, seen: &BTreeSet<Outcome>) -> Self {
        let all = possible(flow);
        let document = TomlDocument::parse(file, &flow.source).ok();
        let missing = all.iter().filter(|(outcome, _)| !seen.contains(outcome));
        let uncovered: Vec<Problem> = missing
            .map(|(outcome, at)| match &document {
                Some(document) => document.problem(at, outcome.missing()),
                None => Problem::whole(file, outcome.missing()),
            })
            .collect();
        let reached = all.len() - uncovered.len();
        Self { flow: flow.flow.id.clone(), reached, outcomes: all.len(), uncovered }
    }

    /// In per cent, rounded down.
    pub(super) fn percent(&self) -> usize {
        (self.reached * 100).checked_div(self.outcomes).unwrap_or(100)
    }
}
