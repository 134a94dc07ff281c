//! Objectives: what completes them exists, and can happen with a model and without.

use serde_json::Value;

use super::{Check, paths::paths, steps::outcomes};
use crate::{
    config::problem::{did_you_mean, listed},
    flow::UPLOAD_TYPES,
    model::flow::{
        AnsweredWith, Done, Fallback, Flow, Mode, Moment, Objective, Phase, PhaseEffect, Reader,
        Step,
    },
};

/// Who leads a phase.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    Model,
    Script,
}

/// Whether the model can end the phase.
fn leads_on(phase: &Phase) -> bool {
    phase.tools.iter().any(|tool| tool == "next_phase")
}

/// Whether a model talks in this phase for as long as the participant likes: nothing comes after it, and nothing is done
/// at its end, so nobody waits for that.
pub(super) fn is_open_ended(flow: &Flow, phase: &Phase) -> bool {
    let is_last = flow.phase.last().is_some_and(|last| last.id == phase.id);
    let acts = phase.effect.iter().any(|effect| effect.on() == Moment::Completed);
    is_last && phase.mode == Mode::Interview && !leads_on(phase) && !acts
}

impl Check<'_> {
    pub(super) fn objectives(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            self.holds(&format!("/phase/{p}"), phase.when.as_deref());
            for (n, objective) in phase.objective.iter().enumerate() {
                self.holds(&format!("/phase/{p}/objective/{n}"), objective.when.as_deref());
                let at = format!("/phase/{p}/objective/{n}/done");
                self.condition(&at, p, &objective.done);
                if objective.required && model_alone(&objective.done) {
                    let hint = "add evidence, such as `{ reviewed = … }` or `{ talked = 3 }`";
                    let message =
                        format!("`{}` is completed by the model's judgement alone", objective.id);
                    self.warn(&at, message, hint);
                }
            }
            self.answers(p, phase);
            self.with_model(p, phase);
            self.without_model(p, phase);
        }
    }

    /// What a condition speaks of exists.
    fn condition(&mut self, at: &str, phase: usize, done: &Done) {
        match done {
            Done::Model => {}
            Done::Talked(messages) => {
                let at = format!("{at}/talked");
                self.at_least(&at, *messages);
                let turns = self.flow.limits.turns;
                if *messages > turns {
                    let message = format!("a conversation ends after {turns} turns before that");
                    let hint = "lower it, or increase `turns` under `[limits]`";
                    self.error(&at, message, Some(hint.to_owned()));
                }
            }
            Done::Reviewed(data) => {
                let at = format!("{at}/reviewed");
                self.data(&at, data);
                self.reviewed(&at, data);
            }
            Done::Saved(saved) => {
                self.data(&format!("{at}/saved/data"), &saved.data);
                self.at_least(&format!("{at}/saved/at_least"), saved.at_least);
            }
            Done::Uploaded(kind) => self.uploaded(&format!("{at}/uploaded"), kind),
            Done::Answered(answered) => self.answered(&format!("{at}/answered"), phase, answered),
            Done::All(parts) | Done::Any(parts) => {
                let key = if matches!(done, Done::All(_)) { "all" } else { "any" };
                if parts.is_empty() {
                    self.error(&format!("{at}/{key}"), "expected at least one condition", None);
                }
                for (n, part) in parts.iter().enumerate() {
                    self.condition(&format!("{at}/{key}/{n}"), phase, part);
                }
            }
        }
    }

    fn at_least(&mut self, at: &str, count: u32) {
        if count == 0 {
            let message = "this holds before anybody has done anything";
            self.error(at, message, Some("write 1 or more".to_owned()));
        }
    }

    fn reviewed(&mut self, at: &str, data: &str) {
        if self.flow.data.get(data).is_some_and(|table| !table.review) {
            let hint = Some(format!("set `review = true` under `[data.{data}]`"));
            self.error(at, format!("`{data}` is never reviewed"), hint);
        }
    }

    /// An `uploadType` that nothing asks for is more likely a slip of the pen than a wish.
    fn uploaded(&mut self, at: &str, kind: &str) {
        let asked = self.flow.phase.iter().any(|phase| {
            phase.prompt.contains(kind)
                || phase.step.iter().any(|step| argument(step, "uploadType") == Some(kind))
        });
        if !asked && !UPLOAD_TYPES.contains(&kind) {
            let hint = did_you_mean(kind, UPLOAD_TYPES)
                .unwrap_or_else(|| format!("known types: {}", listed(UPLOAD_TYPES)));
            self.error(at, format!("no upload of the type `{kind}` exists"), Some(hint));
        }
    }

    fn answered(&mut self, at: &str, phase: usize, answered: &AnsweredWith) {
        let earlier = &self.flow.phase[..=phase];
        let steps = || earlier.iter().flat_map(|phase| &phase.step);
        let Some(step) = steps().find(|step| step.id == answered.step) else {
            let hint = did_you_mean(&answered.step, steps().map(|step| step.id.as_str()));
            let message = format!("there is no earlier step `{}`", answered.step);
            self.error(&format!("{at}/step"), message, hint);
            return;
        };
        let Some(options) = outcomes(step) else { return };
        for (n, id) in answered.with.iter().enumerate() {
            if !options.contains(id) {
                let known = || options.iter().map(String::as_str);
                let hint = did_you_mean(id, known())
                    .unwrap_or_else(|| format!("valid options: {}", listed(known())));
                let message = format!("step `{}` has no option `{id}`", step.id);
                self.error(&format!("{at}/with/{n}"), message, Some(hint));
            }
        }
    }

    fn with_model(&mut self, p: usize, phase: &Phase) {
        if phase.mode != Mode::Interview {
            return;
        }
        if is_open_ended(self.flow, phase) {
            let message = format!("the model can never end `{}`", phase.id);
            let hint =
                "add `next_phase` to its tools, unless it goes on until the participant stops";
            self.warn(&format!("/phase/{p}/tools"), message, hint);
            return;
        }
        if !leads_on(phase) {
            let hint = Some("add `next_phase` to its tools".to_owned());
            let at = format!("/phase/{p}/tools");
            self.error(&at, format!("the model can never leave `{}`", phase.id), hint);
        }
        self.reachable(p, phase, Lead::Model);
    }

    fn without_model(&mut self, p: usize, phase: &Phase) {
        let scripted = phase.mode == Mode::Script || phase.fallback == Some(Fallback::Script);
        let asks = phase.objective.iter().any(|objective| objective.required);
        if !scripted && asks {
            let hint = "add `[[phase.step]]` and `fallback = \"script\"`";
            let message = format!("without a model, a person of the team must lead `{}`", phase.id);
            self.warn(&format!("/phase/{p}/mode"), message, hint);
            return;
        }
        let is_last = p + 1 == self.flow.phase.len() && phase.effect.is_empty() && !asks;
        if scripted && !phase.step.is_empty() && !paths(phase).ends && !is_last {
            let hint = "let one branch lead to the next phase".to_owned();
            let message = format!("the script of `{}` can never end", phase.id);
            self.error(&format!("/phase/{p}/step"), message, Some(hint));
        }
        self.reachable(p, phase, Lead::Script);
    }

    fn reachable(&mut self, p: usize, phase: &Phase, lead: Lead) {
        for (n, objective) in phase.objective.iter().enumerate() {
            if !objective.required || is_parent(phase, objective) {
                continue;
            }
            let at = format!("/phase/{p}/objective/{n}/done");
            if let Err(lacks) = self.can_hold(p, &objective.done, lead) {
                let how = match lead {
                    Lead::Model => "with a model ",
                    Lead::Script if phase.mode == Mode::Script => "",
                    Lead::Script => "without a model ",
                };
                let message = format!("{how}`{}` can never be reached", objective.id);
                self.error(&at, message, Some(lacks));
            }
        }
    }

    /// Whether a condition can come to hold; otherwise what is lacking.
    fn can_hold(&self, p: usize, done: &Done, lead: Lead) -> Result<(), String> {
        match done {
            Done::All(parts) => parts.iter().try_for_each(|part| self.can_hold(p, part, lead)),
            Done::Any(parts) => {
                let mut lacks = Vec::new();
                for part in parts {
                    match self.can_hold(p, part, lead) {
                        Ok(()) => return Ok(()),
                        Err(lack) => lacks.push(lack),
                    }
                }
                Err(lacks.join(", or "))
            }
            single => {
                let met = self.flow.phase[..p].iter().any(|phase| scripted(phase, single))
                    || match lead {
                        Lead::Model => {
                            let phase = &self.flow.phase[p];
                            by_model(phase, single)
                                || (phase.mode == Mode::Script && scripted(phase, single))
                        }
                        Lead::Script => scripted(&self.flow.phase[p], single),
                    };
                if met { Ok(()) } else { Err(lacking(single, lead)) }
            }
        }
    }

    pub(super) fn effects(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, effect) in phase.effect.iter().enumerate() {
                let at = format!("/phase/{p}/effect/{n}");
                self.holds(&at, effect.when());
                match effect {
                    PhaseEffect::PostSummary { include, .. }
                    | PhaseEffect::Webhook { include, .. } => {
                        let is_hook = matches!(effect, PhaseEffect::Webhook { .. });
                        let reader = if is_hook { Reader::Hooks } else { Reader::Team };
                        self.sends_nothing(&at, include, reader);
                        for (k, data) in include.iter().enumerate() {
                            let at = format!("{at}/include/{k}");
                            self.data(&at, data);
                            self.collected(&at, data, p + 1);
                        }
                    }
                    PhaseEffect::DiscordAddRolesFrom { step, map, .. } => {
                        let with = map.keys().cloned().collect();
                        self.mapped(&at, p, &AnsweredWith { step: step.clone(), with });
                    }
                    PhaseEffect::DiscordPost { data, .. } => {
                        let at = format!("{at}/data");
                        self.data(&at, data);
                        self.collected(&at, data, p + 1);
                        // Nothing is said in a person's name that they have not approved.
                        self.reviewed(&at, data);
                        self.posted_fields(&at, data);
                    }
                    PhaseEffect::DiscordAddRole { .. } => {}
                }
            }
        }
    }

    /// What only some may see is not posted for everybody.
    fn posted_fields(&mut self, at: &str, data: &str) {
        let Some(fields) = self.loaded.schemas.get(data).map(|schema| &schema["properties"]) else {
            return;
        };
        let fields = fields.as_object().into_iter().flatten();
        let left_out: Vec<&str> = fields
            .filter(|(_, field)| !field["visibleTo"].is_null())
            .map(|(name, _)| name.as_str())
            .collect();
        if !left_out.is_empty() {
            let message =
                format!("this is for everybody, so it leaves out what isn't: {}", listed(left_out));
            let hint = "post data that everybody may read";
            self.warn(at, message, hint);
        }
    }

    /// Data that is handed on is collected by something, in the first `phases` phases.
    pub(super) fn collected(&mut self, at: &str, data: &str, phases: usize) {
        if !self.loaded.schemas.contains_key(data) {
            return;
        }
        let phase = &self.flow.phase;
        if !phase.iter().any(|phase| self.collects(phase, data)) {
            let message = format!("nothing in this flow collects `{data}`");
            let hint = "add a step that saves it, or take it out".to_owned();
            self.error(at, message, Some(hint));
        } else if !phase.iter().take(phases).any(|phase| self.collects(phase, data)) {
            let message = format!("nothing stores `{data}` before this happens");
            let hint = "move it to a later phase, or take it out".to_owned();
            self.error(at, message, Some(hint));
        }
    }

    fn mapped(&mut self, at: &str, p: usize, answered: &AnsweredWith) {
        let before = self.problems.len();
        self.answered(at, p, answered);
        for problem in &mut self.problems[before..] {
            problem.path = problem.path.replace(".with", ".map");
        }
        let step = self.loaded.step(&answered.step);
        let options = step.and_then(|(_, step)| step.args.get("options")?.as_array());
        let is_without = |option: &&Value| {
            let text = |key: &str| option.get(key).and_then(Value::as_str).unwrap_or_default();
            let words = format!("{} {}", text("id"), text("label")).to_lowercase();
            let mut words = words.split(|c: char| !c.is_alphanumeric());
            !text("id").is_empty()
                && !answered.with.iter().any(|id| id == text("id"))
                && !words.any(|word| NOTHING.contains(&word))
        };
        if let Some(option) = options.into_iter().flatten().find(is_without) {
            let id = option["id"].as_str().unwrap_or_default().to_owned();
            let message = format!("whoever picks `{id}` gets no role");
            self.warn(&format!("{at}/map"), message, &format!("add `{id}` to the map"));
        }
    }
}

/// Words of options that stand for none of the others.
const NOTHING: [&str; 12] = [
    "no", "none", "nothing", "neither", "other", "skip", "later", "just", "lurk", "kein", "keine",
    "nichts",
];

/// A parent is complete with its required children.
fn is_parent(phase: &Phase, parent: &Objective) -> bool {
    let prefix = format!("{}.", parent.id);
    phase.objective.iter().any(|child| child.required && child.id.starts_with(&prefix))
}

/// The model's word alone would do.
fn model_alone(done: &Done) -> bool {
    match done {
        Done::Model => true,
        Done::All(parts) => !parts.is_empty() && parts.iter().all(model_alone),
        Done::Any(parts) => parts.iter().any(model_alone),
        Done::Reviewed(_)
        | Done::Saved(_)
        | Done::Uploaded(_)
        | Done::Answered(_)
        | Done::Talked(_) => false,
    }
}

/// The model has the tool that leads there.
fn by_model(phase: &Phase, done: &Done) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| phase.tools.iter().any(|tool| tool == name));
    match done {
        Done::Talked(_) => true,
        Done::Model => has(&["set_objective_status"]),
        Done::Reviewed(_) => has(&["submit_for_validation"]),
        Done::Saved(_) => has(&["persist_data", "submit_for_validation"]),
        Done::Uploaded(_) => has(&["get_user_upload", "get_image_from_user"]),
        // Steps are asked by scripts only.
        Done::Answered(_) | Done::All(_) | Done::Any(_) => false,
    }
}

/// The phase's script has a step that leads there.
fn scripted(phase: &Phase, done: &Done) -> bool {
    if phase.mode != Mode::Script && phase.fallback != Some(Fallback::Script) {
        return false;
    }
    let steps = paths(phase).steps;
    let asks = |tools: &[&str], name: &str, value: &str| {
        steps
            .iter()
            .any(|step| tools.contains(&step.tool.as_str()) && argument(step, name) == Some(value))
    };
    match done {
        Done::Reviewed(data) => asks(&["submit_for_validation"], "dataType", data),
        Done::Saved(saved) => {
            let keeps = |step: &&&Step| {
                step.save.as_ref() == Some(&saved.data)
                    || (["submit_for_validation", "persist_data"].contains(&step.tool.as_str())
                        && argument(step, "dataType") == Some(&saved.data))
            };
            let count = steps.iter().filter(keeps).count();
            count > 0 && (repeats(phase) || count >= usize::try_from(saved.at_least).unwrap_or(0))
        }
        Done::Uploaded(kind) => {
            asks(&["get_user_upload"], "uploadType", kind)
                || asks(&["get_image_from_user"], "imageType", kind)
        }
        Done::Answered(answered) => steps.iter().any(|step| step.id == answered.step),
        Done::Model | Done::Talked(_) | Done::All(_) | Done::Any(_) => false,
    }
}

/// Whether some branch leads back, so that a step may be asked more than once.
fn repeats(phase: &Phase) -> bool {
    let position = |id: &String| phase.step.iter().position(|step| step.id == *id);
    phase
        .step
        .iter()
        .enumerate()
        .any(|(n, step)| step.branch.values().filter_map(position).any(|to| to <= n))
}

fn lacking(done: &Done, lead: Lead) -> String {
    match (done, lead) {
        (Done::Reviewed(data), Lead::Script) => {
            format!("no step submits `{data}` for validation")
        }
        (Done::Reviewed(_), Lead::Model) => {
            "`submit_for_validation` is not among the tools of the phase".to_owned()
        }
        (Done::Saved(saved), Lead::Script) => {
            let times = if saved.at_least > 1 { " so often" } else { "" };
            format!("no step saves `{}`{times}", saved.data)
        }
        (Done::Saved(_), Lead::Model) => {
            "`persist_data` is not among the tools of the phase".to_owned()
        }
        (Done::Uploaded(kind), Lead::Script) => format!("no step asks for `{kind}`"),
        (Done::Uploaded(_), Lead::Model) => {
            "`get_user_upload` is not among the tools of the phase".to_owned()
        }
        (Done::Answered(answered), _) => {
            format!("the step `{}` is never asked there", answered.step)
        }
        (Done::Model, Lead::Model) => {
            "`set_objective_status` is not among the tools of the phase".to_owned()
        }
        (Done::Model, Lead::Script) => "a script has no model to give its word".to_owned(),
        (Done::Talked(_), _) => "a script has no conversation to count".to_owned(),
        (Done::All(_) | Done::Any(_), _) => String::new(),
    }
}

fn argument<'a>(step: &'a Step, name: &str) -> Option<&'a str> {
    step.args.get(name).and_then(Value::as_str)
}
