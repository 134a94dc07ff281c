//! Tools and script steps.

use serde_json::Value;

use super::Check;
use crate::{
    config::{
        problem::{did_you_mean, listed},
        toml_document::escaped,
    },
    flow::{shape::kind, text::is_word},
    model::flow::{ELSE, Mode, Phase, Skip, Step},
};

/// Where a branch may lead besides a step.
pub(super) const TARGETS: [&str; 4] = ["@next", "@skip", "@stop", "@handoff"];

const DEPLOY: &str = "deploy_agent";

/// What a result's `status` may be, by tool.
const STATUSES: [(&str, &[&str]); 8] = [
    ("get_user_upload", &["uploaded", "skipped"]),
    ("get_image_from_user", &["uploaded", "skipped"]),
    ("submit_for_validation", &["approved", "modified", "rejected", "skipped"]),
    ("get_macos_contact_card", &["fetched", "permission_denied", "not_found"]),
    ("extract_document", &["ok", "partial", "failed"]),
    ("deploy_agent", &["completed", "failed"]),
    ("request_decision", &["approved", "denied", "expired"]),
    (
        "next_phase",
        &["approved", "blocked", "awaiting_user_approval", "denied", "denied_with_feedback"],
    ),
];

impl Check<'_> {
    pub(super) fn tools(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, tool) in phase.tools.iter().enumerate() {
                self.tool(&format!("/phase/{p}/tools/{n}"), tool);
                if phase.tools[..n].contains(tool) {
                    self.error(
                        &format!("/phase/{p}/tools/{n}"),
                        format!("duplicate tool `{tool}`"),
                        None,
                    );
                }
            }
            self.deploys(p, phase);
            for (n, agent) in phase.agents.iter().enumerate() {
                self.agent(&format!("/phase/{p}/agents/{n}"), agent);
            }
        }
    }

    fn tool(&mut self, at: &str, tool: &str) {
        if tool.is_empty() {
            let at = at.trim_end_matches("/tool");
            let hint = "write `tool = \"…\"`, or `set = { … }`".to_owned();
            return self.error(at, "this step does nothing", Some(hint));
        }
        if !self.catalogue.tools.contains_key(tool) {
            let known = self.catalogue.tools.keys().map(String::as_str);
            let hint = did_you_mean(tool, known)
                .unwrap_or_else(|| "`anteroom tools list` shows them all".to_owned());
            self.error(at, format!("there is no tool `{tool}`"), Some(hint));
        }
        if self.catalogue.scoring.contains(tool) && !self.flow.policy.score_people {
            let hint =
                "write `score_people = true` under `[policy]`, and weigh what that asks of you";
            self.error(at, format!("`{tool}` scores people"), Some(hint.to_owned()));
        }
    }

    /// The agents there are.
    fn agents(&self) -> Vec<String> {
        let schema = self.catalogue.tools.get(DEPLOY);
        let names = schema.and_then(|s| s.pointer("/properties/agentType/enum")?.as_array());
        names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn agent(&mut self, at: &str, agent: &str) {
        let names = self.agents();
        if !names.is_empty() && !names.iter().any(|name| name == agent) {
            let names = || names.iter().map(String::as_str);
            let hint = did_you_mean(agent, names())
                .unwrap_or_else(|| format!("known agents: {}", listed(names())));
            self.error(at, format!("there is no agent `{agent}`"), Some(hint));
        }
    }

    /// A phase that may deploy agents says which.
    fn deploys(&mut self, p: usize, phase: &Phase) {
        let names = phase.tools.iter().position(|tool| tool == DEPLOY);
        let at = format!("/phase/{p}");
        match names {
            Some(n) if phase.agents.is_empty() => {
                let message = format!("`{DEPLOY}` is among the tools, but `agents` names none");
                let hint = "list in `agents` those that this phase needs";
                self.warn(&format!("{at}/tools/{n}"), message, hint);
            }
            None if !phase.agents.is_empty() && !phase.step.iter().any(|s| s.tool == DEPLOY) => {
                let message = format!("nothing deploys these: `{DEPLOY}` is not among the tools");
                self.warn(
                    &format!("{at}/agents"),
                    message,
                    "add it to `tools`, or leave `agents` out",
                );
            }
            Some(_) | None => {}
        }
        let agents = self.agents();
        let other = agents.iter().find(|agent| {
            let mut words = phase.prompt.split(|c: char| !c.is_alphanumeric() && c != '_');
            agent.contains('_')
                && !phase.agents.is_empty()
                && !phase.agents.contains(agent)
                && words.any(|word| word == *agent)
        });
        if let Some(other) = other {
            let message = format!("the prompt speaks of `{other}`, which is not among `agents`");
            self.warn(&format!("{at}/agents"), message, "add it, or take it out of the prompt");
        }
        for name in self.catalogue.tools.keys() {
            let is_named =
                phase.prompt.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == name);
            let is_there = phase.tools.contains(name) || phase.mode == Mode::Script;
            if name.contains('_') && is_named && !is_there {
                let message =
                    format!("the prompt speaks of `{name}`, which is not among the tools");
                let hint = "add it to `tools`, or take it out of the prompt";
                self.problems.push(
                    self.document
                        .problem_within(&format!("{at}/prompt"), name, message)
                        .hint(hint)
                        .warning(),
                );
            }
        }
        for (n, step) in phase.step.iter().enumerate().filter(|(_, step)| step.tool == DEPLOY) {
            let agent = step.args.get("agentType").and_then(Value::as_str);
            let Some(agent) = agent.filter(|agent| !agent.contains("{{")) else { continue };
            if !phase.agents.is_empty() && !phase.agents.iter().any(|known| known == agent) {
                let message = format!("`{agent}` is not among the `agents` of the phase");
                let at = format!("{at}/step/{n}/args/agentType");
                self.error(&at, message, Some(format!("add `\"{agent}\"` to `agents`")));
            }
        }
    }

    pub(super) fn steps(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                let at = format!("/phase/{p}/step/{n}");
                if step.set.is_empty() {
                    self.tool(&format!("{at}/tool"), &step.tool);
                    self.arguments(&at, step);
                } else {
                    self.sets(&at, step);
                }
                self.holds(&at, step.when.as_deref());
                if let Some(save) = &step.save {
                    self.data(&format!("{at}/save"), save);
                    self.saved(&format!("{at}/save"), step, save);
                }
                self.formats(&format!("{at}/args/acceptedFormats"), phase, step);
                self.picks(&format!("{at}/args"), step);
                self.quiz(&format!("{at}/args"), step);
                self.moves_on(&at, step);
                self.branches(&at, phase, step);
            }
        }
    }

    /// A step that sets values calls no tool, and its names can be used in expressions.
    fn sets(&mut self, at: &str, step: &Step) {
        if !step.tool.is_empty() || !step.args.is_empty() {
            let hint = "make two steps of it".to_owned();
            self.error(at, "a step either calls a tool or sets values", Some(hint));
        }
        for (name, value) in &step.set {
            let at = format!("{at}/set/{}", escaped(name));
            if !is_word(name) {
                let hint = "use lower-case letters, digits and underscores".to_owned();
                self.error(&at, format!("`{name}` is not a valid name for a value"), Some(hint));
            }
            match value {
                Value::String(expression) => self.expression(&at, expression),
                Value::Number(_) | Value::Bool(_) => {}
                Value::Null | Value::Array(_) | Value::Object(_) => {
                    let hint = "write an expression in quotes: `\"values.tries | default(0) + 1\"`";
                    self.error(&at, "expected an expression", Some(hint.to_owned()));
                }
            }
        }
    }

    /// A condition that something has.
    pub(super) fn holds(&mut self, at: &str, when: Option<&str>) {
        if let Some(when) = when {
            self.truth(&format!("{at}/when"), when);
        }
    }

    /// Data that the flow keeps.
    pub(super) fn data(&mut self, at: &str, name: &str) {
        if self.loaded.data_type(name).is_none() {
            let known = self.loaded.schemas.keys().map(String::as_str);
            let hint =
                did_you_mean(name, known).unwrap_or_else(|| format!("add a table `[data.{name}]`"));
            self.error(at, format!("this flow has no data `{name}`"), Some(hint));
        }
    }

    /// What comes of a step fits the data that it is kept as.
    fn saved(&mut self, at: &str, step: &Step, data: &str) {
        let Some(schema) =
            self.loaded.data_type(data).and_then(|name| self.loaded.schemas.get(&name))
        else {
            return;
        };
        let several = step.args.get("allowMultiple") == Some(&Value::Bool(true));
        let comes_to = match step.tool.as_str() {
            "" => return self.saved_values(at, step, (data, schema)),
            "get_user_option" => "array",
            "request_user_input" => "string",
            "get_user_upload" | "get_image_from_user" | "request_decision" | "next_phase" => {
                "object"
            }
            _ => return,
        };
        let wanted = kind(schema);
        if !wanted.is_empty() && wanted != comes_to {
            let a = if comes_to == "string" { "a" } else { "an" };
            let message =
                format!("an answer here is {a} {comes_to}, which `{data}` doesn't accept");
            let hint = format!(
                "save it as data whose schema has the type `{comes_to}`; here it is `{wanted}`"
            );
            self.error(at, message, Some(hint));
            return;
        }
        if comes_to == "array" {
            self.saved_options(at, step, (data, schema, several));
        }
    }

    /// Values that a step sets are kept as an object with their names.
    fn saved_values(&mut self, at: &str, step: &Step, (data, schema): (&str, &Value)) {
        let wanted = kind(schema);
        if !wanted.is_empty() && wanted != "object" {
            let wanted = match wanted {
                "array" => "a list",
                "string" => "a text",
                "boolean" => "true or false",
                _ => "a number",
            };
            let message = format!("`{}` saves an object; `{data}` is {wanted}", step.id);
            let names = step.set.keys().map(String::as_str);
            let hint = format!("save it as data with the fields {}", listed(names));
            self.error(at, message, Some(hint));
            return;
        }
        let Some(members) = schema.get("properties").and_then(Value::as_object) else { return };
        for name in step.set.keys().filter(|name| !members.contains_key(*name)) {
            if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
                let hint =
                    did_you_mean(name, members.keys().map(String::as_str)).unwrap_or_else(|| {
                        format!("its fields: {}", listed(members.keys().map(String::as_str)))
                    });
                self.error(at, format!("`{data}` has no field `{name}`"), Some(hint));
            }
        }
        for (name, value) in &step.set {
            if let Some(id) = members.get(name).and_then(|of| self.not_taken(of, value)) {
                let message = format!("`{data}.{name}` doesn't accept the option `{id}`");
                let hint = format!("add `{id}` to the options of `{data}.{name}`");
                self.error(&format!("{at}/set/{name}"), message, Some(hint));
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !step.set.contains_key(name) && members.contains_key(name) {
                let message = format!("`{}` doesn't set `{name}`, which `{data}` needs", step.id);
                self.error(
                    at,
                    message,
                    Some(format!("add it to `set`, or write `required = false` for `{name}`")),
                );
            }
        }
    }

    /// An option of the question whose answer is stored as it is, that the field doesn't take.
    fn not_taken(&self, field: &Value, value: &Value) -> Option<String> {
        let known = field.get("enum").or_else(|| field.get("items")?.get("enum"))?.as_array()?;
        let asked = value.as_str()?.trim().strip_prefix("answers.")?;
        let mut steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        let step = steps.find(|step| step.id == asked && step.args.contains_key("options"))?;
        let is_known = |id: &String| *id == EXPIRED || known.iter().any(|one| one == id);
        outcomes(step)?.into_iter().find(|id| !is_known(id))
    }

    /// Options whose ids the list doesn't take.
    fn saved_options(
        &mut self,
        at: &str,
        step: &Step,
        (data, schema, several): (&str, &Value, bool),
    ) {
        let known = schema.get("items").and_then(|items| items.get("enum")?.as_array());
        let Some(ids) = outcomes(step).filter(|ids| !ids.is_empty()) else { return };
        let options = step.args.get("options").is_some();
        if let (Some(known), true) = (known, options) {
            for id in ids.iter().filter(|id| *id != EXPIRED && !known.iter().any(|one| one == *id))
            {
                let hint = did_you_mean(id, known.iter().filter_map(Value::as_str));
                self.error(at, format!("`{data}` doesn't accept the option `{id}`"), hint);
            }
        }
        let fewest = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        if options && !several && fewest > 1 {
            let message = format!("one option is picked here; `{data}` needs {fewest} or more");
            self.error(
                at,
                message,
                Some("add `allowMultiple = true`, or lower the minimum".to_owned()),
            );
        }
    }

    /// A step asks for no file that its phase refuses.
    fn formats(&mut self, at: &str, phase: &Phase, step: &Step) {
        let formats = step.args.get("acceptedFormats").and_then(Value::as_array);
        for (n, format) in formats.into_iter().flatten().enumerate() {
            let Some(format) = format.as_str().filter(|format| !format.contains("{{")) else {
                continue;
            };
            let accept = &phase.uploads.accept;
            if !accept.iter().any(|known| known.eq_ignore_ascii_case(format)) {
                let known = match accept.as_slice() {
                    [] => String::new(),
                    known => format!(": {}", listed(known.iter().map(String::as_str))),
                };
                let hint = format!("add it to `accept` of the phase's `uploads`{known}");
                let message = format!("`{}` accepts no `{format}`", phase.id);
                self.error(&format!("{at}/{n}"), message, Some(hint));
            }
        }
    }

    /// As many options as must be picked are there to be picked.
    fn picks(&mut self, at: &str, step: &Step) {
        let count = |key: &str| step.args.get(key).and_then(Value::as_u64);
        let (fewest, most) = (count("minChoices"), count("maxChoices"));
        let Some(options) = step.args.get("options").and_then(Value::as_array) else { return };
        let several = step.args.get("allowMultiple").and_then(Value::as_bool).unwrap_or(false);
        let options = u64::try_from(options.len()).unwrap_or(u64::MAX);
        for (key, wanted) in [("minChoices", fewest), ("maxChoices", most)] {
            let Some(wanted) = wanted else { continue };
            let at = format!("{at}/{key}");
            if !several {
                let hint = "add `allowMultiple = true`".to_owned();
                self.error(&at, format!("`{key}` is for questions with several picks"), Some(hint));
            } else if wanted > options {
                let message = format!("{wanted} picks are asked for; there are {options} options");
                self.error(&at, message, Some("add options, or ask for fewer".to_owned()));
            }
        }
        if let (Some(fewest), Some(most)) = (fewest, most)
            && fewest > most
        {
            let message = format!("no number of picks is {fewest} or more and {most} or fewer");
            let hint = "`minChoices` is the smaller one".to_owned();
            self.error(&format!("{at}/minChoices"), message, Some(hint));
        }
    }

    /// A step that asks for the next phase passes over nothing that must be, and has a way on where it is refused.
    fn moves_on(&mut self, at: &str, step: &Step) {
        if step.tool != "next_phase" {
            return;
        }
        let overrides = step.args.get("overrides").and_then(Value::as_array);
        let overrides: Vec<&str> =
            overrides.into_iter().flatten().filter_map(Value::as_str).collect();
        for (n, id) in overrides.iter().enumerate() {
            let at = format!("{at}/args/overrides/{n}");
            match self.loaded.objective(id) {
                None => {
                    let phases = self.flow.phase.iter();
                    let known = phases.flat_map(|phase| &phase.objective).map(|o| o.id.as_str());
                    let hint = did_you_mean(id, known);
                    self.error(&at, format!("there is no objective `{id}`"), hint);
                }
                Some((_, objective)) if objective.skip == Skip::Never => {
                    let hint = "change its `skip`, or take it out of `overrides`".to_owned();
                    let message = format!("`{id}` can't be passed over: its `skip` is `never`");
                    self.error(&at, message, Some(hint));
                }
                Some(_) => {}
            }
        }
        let branch = &step.branch;
        if !overrides.is_empty()
            && branch.contains_key("denied")
            && !branch.contains_key("denied_with_feedback")
        {
            let hint = "add `denied_with_feedback`, for a denial with words".to_owned();
            let message = "a denial with words has no branch";
            self.error(&format!("{at}/branch"), message, Some(hint));
        }
    }

    /// `@skip` passes an objective over that the participant may skip.
    fn skips_something(&mut self, at: &str, phase: &Phase) {
        let mut required = phase.objective.iter().filter(|objective| objective.required);
        let can = phase.objective.iter().any(|objective| objective.skip == Skip::Participant);
        if !can && let Some(objective) = required.next() {
            let message = format!(
                "`@skip` passes nothing over: no objective of `{}` may be skipped",
                phase.id
            );
            let hint =
                format!("add `skip = \"participant\"` to `{}`, or lead to `@next`", objective.id);
            self.error(at, message, Some(hint));
        }
    }

    fn branches(&mut self, at: &str, phase: &Phase, step: &Step) {
        let outcomes = outcomes(step);
        for (key, target) in &step.branch {
            let at = format!("{at}/branch/{}", escaped(key));
            if let Some(known) = &outcomes
                && key != "error"
                && key != ELSE
                && !known.contains(key)
            {
                let known = || known.iter().map(String::as_str);
                let hint = did_you_mean(key, known()).unwrap_or_else(|| {
                    format!("valid results: {}", listed(known().chain(["error"])))
                });
                self.error(&at, format!("this step never results in `{key}`"), Some(hint));
            }
            if key == ELSE && outcomes.as_ref().is_some_and(|known| known.contains(key)) {
                let hint = "give the option another id".to_owned();
                let message = "`else` is an option here, and also the branch of everything else";
                self.error(&at, message, Some(hint));
            }
            if *target == step.id && key != "rejected" && key != "error" {
                let message = format!("`{key}` leads back to the same question");
                let hint = "lead it to another step, `@next`, `@skip`, `@stop` or `@handoff`";
                // Somebody may want to read it again; with a text of its own, it says so.
                let has_others = outcomes.as_ref().is_some_and(|known| {
                    known.iter().any(|other| other != key && step.leads(other) != Some(&step.id))
                });
                if has_others && key != ELSE {
                    self.warn(&at, message, hint);
                } else {
                    self.error(&at, message, Some(hint.to_owned()));
                }
            }
            if target == "@skip" {
                self.skips_something(&at, phase);
            }
            let steps = || phase.step.iter().map(|step| step.id.as_str());
            if !TARGETS.contains(&target.as_str()) && !steps().any(|step| step == target) {
                let hint = did_you_mean(target, steps().chain(TARGETS)).unwrap_or_else(|| {
                    format!("use a step of this phase, or one of {}", listed(TARGETS))
                });
                self.error(&at, format!("there is no step `{target}` in this phase"), Some(hint));
            }
        }
    }
}

/// What a step may come to, as keys of its branches; `None` if that is only known later.
pub(super) fn outcomes(step: &Step) -> Option<Vec<String>> {
    let mut outcomes = of_tool(step)?;
    if step.deadline.is_some() && !outcomes.iter().any(|known| known == EXPIRED) {
        outcomes.push(EXPIRED.to_owned());
    }
    Some(outcomes)
}

/// All that a step may come to, as keys of its branches; `None` if that is only known later, or if the step takes any
/// words.
pub(crate) fn all_outcomes(step: &Step) -> Option<Vec<String>> {
    outcomes(step).filter(|_| of_tool(step).is_some_and(|known| !known.is_empty()))
}

/// What comes of a step whose deadline has passed.
const EXPIRED: &str = "expired";

fn of_tool(step: &Step) -> Option<Vec<String>> {
    if let Some(options) = step.args.get("options") {
        let ids = options.as_array()?.iter().map(|option| option.get("id")?.as_str());
        return ids
            .map(|id| id.filter(|id| !id.contains("{{")).map(str::to_owned))
            .collect::<Option<Vec<_>>>();
    }
    if matches!(step.tool.as_str(), "" | "request_user_input" | "persist_data") {
        return Some(Vec::new());
    }
    let (_, statuses) = STATUSES.iter().find(|(tool, _)| *tool == step.tool)?;
    Some(statuses.iter().map(|status| (*status).to_owned()).collect())
}
