//! Decisions that the team is asked for: who decides, what they see, and where each outcome leads.

use serde_json::Value;

use super::{Check, lengths::words, paths::ways};
use crate::{
    config::{problem::did_you_mean, toml_document::escaped},
    flow::visible,
    model::flow::{Approval, Decider, ELSE, Moment, Phase, REQUEST, Reader, Skip, Step},
};

/// Most reminders of one request.
const REMINDERS_MAX: usize = 2;

/// How words for a proof begin, without which nobody should get on.
const PROOFS: [&str; 10] = [
    "certif",
    "licen",
    "proof",
    "permit",
    "vaccin",
    "consent",
    "zertifikat",
    "nachweis",
    "führerschein",
    "einwillig",
];

impl Check<'_> {
    pub(super) fn approvals(&mut self) {
        let flow = self.flow;
        for (name, approval) in &flow.approvals.named {
            self.approval(&format!("/approvals/{}", escaped(name)), name, approval);
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                if step.tool == REQUEST {
                    self.request((p, n), step);
                }
            }
            for (n, effect) in phase.effect.iter().enumerate() {
                let is_of_decision =
                    matches!(effect.on(), Moment::Approved | Moment::Denied | Moment::Expired);
                if is_of_decision && !asks(phase) {
                    let hint = "add a `request_decision` to the phase, or take `on` out".to_owned();
                    let at = format!("/phase/{p}/effect/{n}/on");
                    self.error(&at, "nothing asks for a decision in this phase", Some(hint));
                }
            }
        }
    }

    fn approval(&mut self, at: &str, name: &str, approval: &Approval) {
        let texts = [
            ("title", Some(&approval.title)),
            ("approved", approval.approved.as_ref()),
            ("denied", approval.denied.as_ref()),
            ("expired", approval.expired.as_ref()),
        ];
        for (key, text) in texts {
            let Some(text) = text else { continue };
            let at = format!("{at}/{key}");
            if text.trim().is_empty() {
                self.error(&at, "this text is empty", Some("write something".to_owned()));
            }
            self.template(&at, text);
        }
        let asking = self.flow.phase.iter().rposition(|phase| asks_for(phase, name));
        let phases = asking.map_or(self.flow.phase.len(), |last| last + 1);
        self.hidden(&format!("{at}/show"), &approval.show, Reader::Deciders);
        for (n, data) in approval.show.iter().enumerate() {
            let at = format!("{at}/show/{n}");
            self.data(&at, data);
            self.collected(&at, data, phases);
        }
        let quorums = approval.stages().map(|(_, quorum)| quorum).enumerate();
        for (stage, _) in quorums.filter(|(_, quorum)| *quorum == 0) {
            let below = stage.checked_sub(1).map(|n| format!("/then/{n}")).unwrap_or_default();
            let hint = Some("set `quorum` to 1 or more".to_owned());
            let message = "with a quorum of 0, nobody would have to decide";
            self.error(&format!("{at}{below}/quorum"), message, hint);
        }
        if approval.remind_after.len() > REMINDERS_MAX {
            let message = format!("at most {REMINDERS_MAX} reminders per request");
            self.error(&format!("{at}/remind_after"), message, None);
        }
        if !self.flow.phase.iter().any(|phase| asks_for(phase, name)) {
            let hint = "add a step with `tool = \"request_decision\"`, or remove the table";
            self.warn(at, format!("nothing asks for the decision `{name}`"), hint);
        }
    }

    /// A request names a decision of the flow, and who is denied doesn't go on like who is approved.
    fn request(&mut self, (p, n): (usize, usize), step: &Step) {
        let at = format!("/phase/{p}/step/{n}");
        let approvals = &self.flow.approvals.named;
        let known = || approvals.keys().map(String::as_str);
        let named = step.args.get("approval").and_then(Value::as_str);
        if let Some(name) = named.filter(|name| !known().any(|known| known == *name)) {
            let hint = did_you_mean(name, known())
                .unwrap_or_else(|| format!("add a table `[approvals.{name}]`"));
            let message = format!("this flow has no decision `{name}`");
            self.error(&format!("{at}/args/approval"), message, Some(hint));
        }
        let is_read = || {
            let name = &step.id;
            let reads = ["answers", "results"].map(|scope| format!("{scope}.{name}"));
            reads.iter().any(|read| self.loaded.source.contains(read.as_str()))
                || self.flow.phase.iter().any(|phase| needs_approval(phase, name))
        };
        if let Some(approval) = named.and_then(|name| approvals.get(name)) {
            self.shown_too_early((p, n), approval);
            self.shows_something_else((p, n), named.unwrap_or_default(), approval);
        }
        let is_told_apart = step.branch.contains_key("denied")
            || step.branch.get("approved").is_some_and(|target| target != "@next")
            || step.branch.contains_key(ELSE)
            || self.flow.phase[p].effect.iter().any(|effect| effect.on() == Moment::Denied);
        if !is_told_apart && !is_read() && self.goes_on_after(p, n) {
            let hint = "add branches for `denied` and `expired`, or an objective that needs `with = [\"approved\"]`";
            let message = "who is denied would go on like who is approved";
            self.error(&format!("{at}/branch"), message, Some(hint.to_owned()));
        }
    }

    /// Deciders see data of other phases, and nothing of what this one asks for.
    fn shows_something_else(&mut self, (p, n): (usize, usize), name: &str, approval: &Approval) {
        let phase = &self.flow.phase[p];
        let before = &phase.step[..n];
        let is_read_out = |data: &str| approval.title.contains(&format!("records.{data}"));
        let asks_for = |data: &&String| before.iter().any(|step| self.asks_to_fill_in(step, data));
        let asked: Vec<&String> = self.flow.data.keys().filter(asks_for).collect();
        let is_seen = |data: &&&String| approval.show.contains(data) || is_read_out(data);
        let is_for_deciders = |data: &&&String| {
            let schema = self.loaded.schemas.get(**data);
            schema.is_some_and(|schema| !visible::is_hidden_from(schema, Reader::Deciders))
        };
        if approval.show.is_empty() || asked.iter().any(|data| is_seen(&data)) {
            return;
        }
        if let Some(data) = asked.iter().find(is_for_deciders) {
            let message = format!(
                "whoever decides on `{name}` doesn't see `{data}`, which people fill in just before"
            );
            let at = format!("/approvals/{}/show", escaped(name));
            self.warn(&at, message, "add it to `show`");
        }
    }

    /// Whether a step is a form for this data.
    fn asks_to_fill_in(&self, step: &Step, data: &str) -> bool {
        step.tool == "submit_for_validation" && self.keeps(step, data)
    }

    /// Requests that are for a channel of the team, and that people decide themselves.
    pub(super) fn decided_by_themselves(&mut self) {
        let policy = &self.flow.approvals.overrides;
        if let (Decider::Participant, Some(channel)) = (policy.decider, &policy.channel) {
            let message =
                format!("people let themselves past, and nothing is asked in `{channel}`");
            let hint = "write `decider = \"admin\"`, or leave `channel` out";
            self.warn("/approvals/override/decider", message, hint);
            return;
        }
        let objectives = self.flow.phase.iter().flat_map(|phase| &phase.objective);
        let proof =
            objectives.filter(|objective| objective.skip == Skip::Admin).find(|objective| {
                let called =
                    words(&format!("{} {}", objective.id, objective.title).replace('_', " "));
                objective.required
                    && called.iter().any(|word| PROOFS.iter().any(|p| word.starts_with(p)))
            });
        if let (Decider::Participant, Some(proof)) = (policy.decider, proof) {
            let message = format!("people may let themselves past `{}`", proof.id);
            let hint = "write `decider = \"admin\"`, or `skip = \"never\"` at the objective";
            self.warn("/approvals/override/decider", message, hint);
        }
    }

    /// What deciders are shown is stored before they are asked, not by a later step of the same phase.
    fn shown_too_early(&mut self, (p, n): (usize, usize), approval: &Approval) {
        let phase = &self.flow.phase[p];
        let is_early = |data: &&String| {
            let mut earlier = self.flow.phase[..p].iter();
            let mut keepers =
                phase.step.iter().enumerate().filter(|(_, step)| self.keeps(step, data));
            let is_before = |m: usize| ways(phase, m).contains(&n);
            !earlier.any(|phase| self.collects(phase, data))
                && !self.model_keeps(phase, data)
                && keepers.clone().next().is_some()
                && !keepers.any(|(m, _)| is_before(m))
        };
        if let Some(data) = approval.show.iter().find(is_early) {
            let message = format!("this asks for a decision before `{data}` is stored");
            let hint = "move it behind the step that stores the data".to_owned();
            self.error(&format!("/phase/{p}/step/{n}"), message, Some(hint));
        }
    }
}

/// Whether an objective of the phase needs this request to be answered in a certain way.
fn needs_approval(phase: &Phase, step: &str) -> bool {
    use crate::{flow::each_condition, model::flow::Done};
    let mut needs = false;
    for objective in &phase.objective {
        each_condition(&objective.done, &mut |done| {
            if let Done::Answered(answered) = done {
                needs |= answered.step == step && !answered.with.is_empty();
            }
        });
    }
    needs
}

fn asks(phase: &Phase) -> bool {
    phase.tools.iter().any(|tool| tool == REQUEST) || phase.step.iter().any(|s| s.tool == REQUEST)
}

fn asks_for(phase: &Phase, name: &str) -> bool {
    let is_for = |step: &Step| {
        let approval = step.args.get("approval").and_then(Value::as_str);
        step.tool == REQUEST && approval.is_some_and(|one| one == name || one.contains("{{"))
    };
    phase.tools.iter().any(|tool| tool == REQUEST) || phase.step.iter().any(is_for)
}
