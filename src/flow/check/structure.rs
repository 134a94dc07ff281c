//! Names, order, texts and policies.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use chrono_tz::Tz;
use serde_json::Value;

use super::{Check, lengths::DAY, objectives::is_open_ended};
use crate::{
    config::problem::did_you_mean,
    flow::text::{self, has_expressions},
    model::flow::{Decider, Mode, Period, Skip},
};

/// Shortest time for which decisions should be kept, in days: half a year.
const AUDIT_DAYS_MIN: u64 = 180;

/// Fewest tokens that one question of a model takes: its instructions, the tools, the answer.
const CALL_MIN: u64 = 3_000;

/// Most reminders of one question.
const REMINDERS_MAX: usize = 2;

impl Check<'_> {
    pub(super) fn structure(&mut self) {
        let flow = self.flow;
        if !is_slug(&flow.id) {
            let hint =
                "use lower-case letters, digits and hyphens, for example `candidate-onboarding`"
                    .to_owned();
            self.error("/id", format!("`{}` is not a valid flow id", flow.id), Some(hint));
        }
        let language = flow.locale.split(['-', '_']).next().unwrap_or_default();
        if !matches!(language.len(), 2 | 3) || !language.bytes().all(|b| b.is_ascii_lowercase()) {
            let message = format!("`{}` is not the code of a language", flow.locale);
            self.warn("/locale", message, "write `en`, `de`, `es`, `fr` or another code");
        }
        if flow.phase.is_empty() {
            let hint = "add a `[[phase]]`".to_owned();
            self.error("", "a flow needs at least one phase", Some(hint));
        }
        let (mut phases, mut objectives, mut steps) = Default::default();
        for (p, phase) in flow.phase.iter().enumerate() {
            let at = format!("/phase/{p}");
            self.name(&mut phases, "phase", &phase.id, &at);
            for (n, objective) in phase.objective.iter().enumerate() {
                let at = format!("{at}/objective/{n}");
                self.name(&mut objectives, "objective", &objective.id, &at);
            }
            for (n, step) in phase.step.iter().enumerate() {
                self.name(&mut steps, "step", &step.id, &format!("{at}/step/{n}"));
            }
            self.next_phase(p);
        }
        self.order();
        for name in flow.data.keys().filter(|name| !text::is_word(name)) {
            let hint = Some(
                "use lower-case letters, digits and underscores, for example `writing_sample`"
                    .to_owned(),
            );
            self.error(
                &format!("/data/{name}"),
                format!("`{name}` is not a valid name for data"),
                hint,
            );
        }
        for (name, _) in flow.data.iter().filter(|(_, table)| table.evidence) {
            let schema = self.loaded.schemas.get(name);
            if schema.is_some_and(|schema| !has_evidence(schema)) {
                let hint = "add numbers, or objects with `source` and `words`, to its schema; or leave out `evidence`";
                self.error(
                    &format!("/data/{name}/evidence"),
                    format!("`{name}` contains nothing that evidence could support"),
                    Some(hint.to_owned()),
                );
            }
        }
    }

    fn name(&mut self, used: &mut BTreeSet<String>, what: &str, id: &str, at: &str) {
        let at = format!("{at}/id");
        let parts_fit = id.split('.').all(text::is_word);
        if !parts_fit || (what != "objective" && id.contains('.')) {
            let hint = Some(
                "use lower-case letters, digits and underscores, beginning with a letter"
                    .to_owned(),
            );
            self.error(&at, format!("`{id}` is not a valid id for a {what}"), hint);
        }
        if !used.insert(id.to_owned()) {
            let hint = Some(format!("every {what} of a flow needs an id of its own"));
            self.error(&at, format!("duplicate {what} `{id}`"), hint);
        }
    }

    /// `next` leads forward; what it leaps over is never reached.
    fn next_phase(&mut self, from: usize) {
        let flow = self.flow;
        let Some(next) = &flow.phase[from].next else { return };
        let at = format!("/phase/{from}/next");
        match self.loaded.position(next) {
            None => {
                let hint = did_you_mean(next, flow.phase.iter().map(|phase| phase.id.as_str()));
                self.error(&at, format!("there is no phase `{next}`"), hint);
            }
            Some(to) if to <= from => {
                let hint = Some("`next` must name a later phase".to_owned());
                self.error(&at, format!("`{next}` does not come after this phase"), hint);
            }
            Some(to) => self.leapt_over(&at, from, to),
        }
    }

    /// Phases that `next` leads past, which no other way leads to. What must not be skipped is not skipped like that.
    fn leapt_over(&mut self, at: &str, from: usize, to: usize) {
        let flow = self.flow;
        // Those for whom the phase doesn't apply come to what stands after it.
        if flow.phase[from].when.is_some() {
            return;
        }
        for over in from + 1..to {
            let phase = &flow.phase[over];
            let is_led_to =
                flow.phase[..over].iter().any(|earlier| earlier.next.as_ref() == Some(&phase.id));
            if is_led_to {
                return;
            }
            let message = format!("`{}` is never reached: this leads past it", phase.id);
            let hint = "leave `next` out, or remove the phase";
            if phase.objective.iter().any(|objective| objective.skip == Skip::Never) {
                self.error(at, message, Some(hint.to_owned()));
            } else {
                self.warn(at, message, hint);
            }
        }
    }

    /// `after` refers to objectives of this phase or earlier ones, and never to itself in a circle.
    fn order(&mut self) {
        let flow = self.flow;
        let place: BTreeMap<&str, usize> = flow
            .phase
            .iter()
            .enumerate()
            .flat_map(|(p, phase)| phase.objective.iter().map(move |o| (o.id.as_str(), p)))
            .collect();
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, objective) in phase.objective.iter().enumerate() {
                for (k, before) in objective.after.iter().enumerate() {
                    let at = format!("/phase/{p}/objective/{n}/after/{k}");
                    match place.get(before.as_str()) {
                        None => {
                            let hint = did_you_mean(before, place.keys().copied());
                            self.error(&at, format!("there is no objective `{before}`"), hint);
                        }
                        Some(earlier) if *earlier > p => {
                            let message = format!("`{before}` belongs to a later phase");
                            self.error(&at, message, None);
                        }
                        Some(_) => {}
                    }
                }
                if let Some(circle) = self.circle(&objective.id) {
                    let at = format!("/phase/{p}/objective/{n}/after");
                    let circle = circle.join("` → `");
                    self.error(&at, format!("circular dependency: `{circle}`"), None);
                }
            }
        }
    }

    /// The way from an objective by `after` back to itself; told once, at the alphabetically first of the circle.
    fn circle(&self, start: &str) -> Option<Vec<String>> {
        let mut ways = vec![vec![start.to_owned()]];
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop() {
            let last = way.last()?;
            let Some((_, objective)) = self.loaded.objective(last) else { continue };
            for before in &objective.after {
                let mut longer = way.clone();
                longer.push(before.clone());
                if before == start {
                    return way.iter().all(|id| start <= id.as_str()).then_some(longer);
                }
                if seen.insert(before.clone()) {
                    ways.push(longer);
                }
            }
        }
        None
    }

    /// Every `{{name}}` in a text is declared.
    pub(super) fn texts(&mut self) {
        let flow = self.flow;
        let mut texts: Vec<(String, &str)> = vec![
            ("/title".to_owned(), &flow.title),
            ("/summary".to_owned(), &flow.summary),
            ("/persona/prompt".to_owned(), &flow.persona.prompt),
        ];
        if let Some(notice) = &flow.notice {
            if let Some(text) = &notice.text_without_model {
                texts.push(("/notice/text_without_model".to_owned(), text));
            }
            for (key, text) in [
                ("text", &notice.text),
                ("accept", &notice.accept),
                ("human", &notice.human),
                ("decline", &notice.decline),
            ] {
                texts.push((format!("/notice/{key}"), text));
            }
        }
        if let Some(start) = &flow.start.discord {
            for (key, text) in [
                ("panel_title", &start.panel_title),
                ("panel_text", &start.panel_text),
                ("panel_image_alt", &start.panel_image_alt),
                ("panel_button", &start.panel_button),
            ] {
                let at = format!("/start/discord/{key}");
                texts.extend(text.as_ref().map(|text| (at, text.as_str())));
            }
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            texts.push((format!("/phase/{p}/title"), &phase.title));
            texts.push((format!("/phase/{p}/prompt"), &phase.prompt));
            for (n, objective) in phase.objective.iter().enumerate() {
                texts.push((format!("/phase/{p}/objective/{n}/title"), &objective.title));
            }
        }
        for (at, text) in texts {
            self.placeholders(&at, text);
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            let Some(intro) = &phase.intro else { continue };
            self.introduction(&format!("/phase/{p}/intro"), intro);
        }
    }

    /// An intro has both: names as in a notice, and expressions as in the texts of steps.
    fn introduction(&mut self, at: &str, intro: &str) {
        let names = text::placeholders(intro).into_iter().filter(|inner| text::is_word(inner));
        let filled: BTreeMap<String, String> =
            names.map(|name| (name.to_owned(), String::new())).collect();
        self.placeholders_of(at, filled.keys().map(String::as_str));
        let rest = text::fill(intro, &filled);
        if has_expressions(&rest) {
            self.template(at, &rest);
        }
    }

    fn placeholders(&mut self, at: &str, text: &str) {
        self.placeholders_of(at, text::placeholders(text).into_iter());
    }

    fn placeholders_of<'t>(&mut self, at: &str, names: impl Iterator<Item = &'t str>) {
        let declared = &self.flow.vars;
        let known = || declared.iter().map(String::as_str).chain(["retention"]);
        for name in names {
            if !known().any(|known| known == name) {
                let hint = did_you_mean(name, known())
                    .unwrap_or_else(|| format!("add `\"{name}\"` to `vars` at the top"));
                let message = format!("`{{{{{name}}}}}` is not declared");
                let problem = self.document.problem_within(at, name, message).hint(hint);
                self.problems.push(problem);
            }
        }
    }

    pub(super) fn policies(&mut self) {
        let flow = self.flow;
        if flow.policy.score_people {
            let hint = "many jurisdictions require notice, a bias audit and a human decision";
            self.warn("/policy/score_people", "this flow scores people", hint);
            if !flow.notice.as_ref().is_some_and(|notice| notice.required) {
                let hint = "add a `[notice]` with `required = true` that says so".to_owned();
                let message = "people would be scored without being told";
                self.error("/policy/score_people", message, Some(hint));
            }
        }
        if self.decides()
            && flow.retention.audit < Period(Duration::from_secs(AUDIT_DAYS_MIN * DAY))
        {
            let hint = "decisions about people should be kept for at least half a year";
            let message = format!("decisions are kept for only {}", flow.retention.audit);
            self.warn("/retention/audit", message, hint);
        }
        self.lead();
        self.pace();
        let policy = &flow.approvals.overrides;
        let at = "/approvals/override";
        if policy.quorum == 0 {
            let hint = Some("set `quorum` to 1 or more".to_owned());
            self.error(
                &format!("{at}/quorum"),
                "with a quorum of 0, nobody would have to decide",
                hint,
            );
        }
        let can_override = flow
            .phase
            .iter()
            .filter(|phase| !is_open_ended(flow, phase))
            .flat_map(|phase| &phase.objective)
            .any(|objective| objective.required && objective.skip == Skip::Admin);
        if policy.decider != Decider::Participant && policy.channel.is_none() && can_override {
            let hint = Some("set `channel` under `[approvals.override]`".to_owned());
            self.error(at, "nobody can decide on overrides", hint);
        }
        for (name, value) in [
            ("model_rounds", u64::from(flow.limits.model_rounds)),
            ("turns", u64::from(flow.limits.turns)),
            ("tokens", flow.limits.tokens),
        ] {
            if value == 0 {
                self.error(&format!("/limits/{name}"), format!("`{name}` must be 1 or more"), None);
            }
        }
        let is_led = flow.phase.iter().any(|phase| phase.mode == Mode::Interview);
        if is_led && (1..CALL_MIN).contains(&flow.limits.tokens) {
            let message =
                format!("{} tokens don't pay for one question of a model", flow.limits.tokens);
            let hint = "it is a number of tokens for the whole conversation: 600000 is usual";
            self.warn("/limits/tokens", message, hint);
        }
    }

    /// Whether the team decides something about people.
    fn decides(&self) -> bool {
        let flow = self.flow;
        let mut effects = flow.phase.iter().flat_map(|phase| &phase.effect);
        // What is required may be let pass.
        let mut objectives = flow.phase.iter().flat_map(|phase| &phase.objective);
        !flow.approvals.named.is_empty()
            || flow.policy.score_people
            || effects.any(|effect| effect.approval().is_some())
            || objectives.any(|objective| objective.required)
    }

    /// Points are those of objectives, and make no more than 100.
    fn lead(&mut self) {
        let Some(lead) = &self.flow.lead else { return };
        let phases = self.flow.phase.iter();
        let known: BTreeSet<&str> =
            phases.flat_map(|phase| &phase.objective).map(|o| o.id.as_str()).collect();
        for objective in lead.points.keys().filter(|id| !known.contains(id.as_str())) {
            let hint = did_you_mean(objective, known.iter().copied());
            let message = format!("there is no objective `{objective}`");
            self.error(&format!("/lead/points/{objective}"), message, hint);
        }
        let sum: u32 = lead.points.values().map(|points| u32::from(*points)).sum();
        if sum > 100 {
            let message = format!("the points add up to {sum}; the maximum is 100");
            self.error("/lead/points", message, None);
        }
    }

    fn pace(&mut self) {
        let pace = &self.flow.pace;
        if pace.remind_after.len() > REMINDERS_MAX {
            let message = format!("at most {REMINDERS_MAX} reminders per question");
            self.error("/pace/remind_after", message, None);
        }
        if pace.remind_after.iter().any(|after| *after >= pace.expire_after) {
            let hint = "shorten it, or increase `expire_after`";
            self.warn("/pace/remind_after", "a reminder would come after the session pauses", hint);
        }
        if let Some(zone) = pace.time_zone.as_deref().filter(|name| name.parse::<Tz>().is_err()) {
            let hint = Some("write a name such as `Europe/Berlin`".to_owned());
            self.error("/pace/time_zone", format!("`{zone}` is not a time zone"), hint);
        }
        let Some(quiet) = &pace.quiet_hours else { return };
        for (key, text) in [("from", &quiet.from), ("to", &quiet.to)] {
            if chrono::NaiveTime::parse_from_str(text, "%H:%M").is_err() {
                let hint = Some("for example, `20:00`".to_owned());
                let at = format!("/pace/quiet_hours/{key}");
                self.error(&at, format!("`{text}` is not a time of day"), hint);
            }
        }
    }
}

fn is_slug(text: &str) -> bool {
    !text.is_empty()
        && text.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// Whether data of a schema holds numbers, or words with their source.
fn has_evidence(schema: &Value) -> bool {
    let is_number = matches!(schema["type"].as_str(), Some("number" | "integer"));
    let members = schema["properties"].as_object();
    let is_quotation = members
        .is_some_and(|members| members.contains_key("source") && members.contains_key("words"));
    is_number
        || is_quotation
        || members.is_some_and(|members| members.values().any(has_evidence))
        || schema.get("items").is_some_and(has_evidence)
}
