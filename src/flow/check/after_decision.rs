//! Where a decision leads: who was denied, and on whom nobody has decided, doesn't go on like who was approved.

use std::collections::BTreeSet;

use minijinja::Environment;
use serde_json::json;

use super::{
    Check,
    decisions::{needs_answer, roles},
    paths::leads_to,
    steps::outcomes,
    swapped::is_welcome,
    texts::questions,
    tokens::{Token, tokens},
};
use crate::model::flow::{ELSE, Moment, Phase, PhaseEffect, REQUEST, Step};

impl Check<'_> {
    pub(super) fn after_decisions(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                if step.tool == REQUEST {
                    self.reversed(p, n, step);
                    self.lapsed(p, n, step);
                    self.falls_through(p, n, step);
                    self.rewarded(p, n);
                    self.welcomed(p, n, step);
                }
            }
        }
    }

    /// Whether anything comes after a step of a phase.
    pub(super) fn goes_on_after(&self, p: usize, n: usize) -> bool {
        let phase = &self.flow.phase[p];
        n + 1 < phase.step.len()
            || p + 1 < self.flow.phase.len()
            || phase.effect.iter().any(|effect| effect.on() == Moment::Completed)
    }

    /// Who is approved is stopped, and who is denied goes on.
    fn reversed(&mut self, p: usize, n: usize, step: &Step) {
        let goes_on = step.leads("denied").is_none_or(|target| target == "@next");
        if step.leads("approved") == Some("@stop") && goes_on && self.goes_on_after(p, n) {
            let message =
                "people who are approved are stopped here, and those who are denied go on";
            let hint = "write `denied = \"@stop\"` instead of `approved`";
            self.warn(&format!("/phase/{p}/step/{n}/branch/approved"), message, hint);
        }
    }

    /// Who is denied comes, by the steps between, to the welcome that approval leads to.
    fn welcomed(&mut self, p: usize, n: usize, step: &Step) {
        let phase = &self.flow.phase[p];
        let place = |key: &str| {
            let target = step.leads(key)?;
            phase.step.iter().position(|step| step.id == target)
        };
        let (Some(denied), Some(approved)) = (place("denied"), place("approved")) else { return };
        let goes_on = |step: &Step| {
            let leads_on = |key: &String| step.leads(key).is_none_or(|target| target == "@next");
            step.tool != REQUEST && outcomes(step).is_none_or(|all| all.iter().any(leads_on))
        };
        let between = phase.step.get(denied..approved).unwrap_or_default();
        let target = &phase.step[approved];
        if !between.is_empty() && between.iter().all(goes_on) && questions(target).any(is_welcome) {
            let message = format!("people who are denied come to `{}`, a welcome", target.id);
            let hint = "end with a branch to `@stop`, or put `when` on it";
            let at = format!("/phase/{p}/step/{n}/branch/denied");
            if target.when.is_none() {
                self.warn(&at, message, hint);
            }
        }
    }

    /// A denial has a way of its own, and silence has none: it goes on like consent.
    fn lapsed(&mut self, p: usize, n: usize, step: &Step) {
        let phase = &self.flow.phase[p];
        let is_caught =
            ["expired", "approved", ELSE].iter().any(|key| step.branch.contains_key(*key));
        let goes_elsewhere = |target: &String| !matches!(target.as_str(), "@next" | "@skip");
        if is_caught
            || !step.branch.get("denied").is_some_and(goes_elsewhere)
            || needs_answer(phase, step)
            || self.is_read(step)
            || !self.goes_on_after(p, n)
        {
            return;
        }
        let message =
            "a request on which nobody has decided in time goes on like one that was approved";
        let hint = "add a branch for `expired`, for example `expired = \"@handoff\"`";
        self.warn(&format!("/phase/{p}/step/{n}/branch"), message, hint);
    }

    /// The way of those who are denied runs on into the step that those who are approved are led to.
    fn falls_through(&mut self, p: usize, n: usize, step: &Step) {
        let phase = &self.flow.phase[p];
        let to = |key: &str| {
            let target = step.leads(key)?;
            phase.step.iter().position(|step| step.id == target)
        };
        let (Some(approved), Some(denied)) = (to("approved"), to("denied")) else { return };
        // Straight on, without a branch that leads there.
        let last = approved.checked_sub(1).filter(|last| *last >= denied && denied > n);
        let Some(last) = last else { return };
        let runs_on = phase.step[denied..=last].iter().all(|step| step.branch.is_empty());
        let said = &phase.step[denied];
        // A step that sets values may be meant for both.
        if runs_on && !said.tool.is_empty() && said.when.is_none() {
            let (denied, approved) = (&said.id, &phase.step[approved].id);
            let message = format!("who is denied reads `{denied}`, and then `{approved}`");
            let hint = format!("give `{denied}` a branch, for example `else = \"@stop\"`");
            self.warn(&format!("/phase/{p}/step/{last}"), message, &hint);
        }
    }

    /// What everybody gets who comes to the end of the phase, or to a later one, whatever was decided.
    fn rewarded(&mut self, p: usize, n: usize) {
        let flow = self.flow;
        let step = &flow.phase[p].step[n];
        let who = if completes(&flow.phase[p], n, "denied") {
            ("denied", "people who are denied")
        } else if step.leads("expired").is_some() && completes(&flow.phase[p], n, "expired") {
            ("expired", "people on whom nobody has decided")
        } else {
            return;
        };
        self.given_anyway(p, step, who, false);
        let phases = || flow.phase.iter();
        let requests = phases().flat_map(|phase| &phase.step).filter(|step| step.tool == REQUEST);
        if requests.count() > 1 {
            return;
        }
        for (q, phase) in phases().enumerate().skip(p + 1) {
            match holds(phase.when.as_deref(), &step.id, who.0) {
                Some(true) => self.given_anyway(q, step, who, true),
                Some(false) => {}
                None => return,
            }
        }
    }

    /// Effects of a phase that don't ask what was decided. Of later phases, only roles.
    fn given_anyway(
        &mut self,
        q: usize,
        step: &Step,
        (outcome, who): (&str, &str),
        is_later: bool,
    ) {
        let flow = self.flow;
        let effects = || flow.phase.iter().flat_map(|phase| &phase.effect);
        let mut found = Vec::new();
        for (n, effect) in flow.phase[q].effect.iter().enumerate() {
            let is_for_all = effect.on() == Moment::Completed
                && effect.approval().is_none()
                && holds(effect.when(), &step.id, outcome) == Some(true);
            if !is_for_all {
                continue;
            }
            let what = match (effect, roles(effect)) {
                (_, Some(given)) => {
                    // Another role may be that of applicants.
                    let approved = effects().filter(|other| other.on() == Moment::Approved);
                    if approved.filter_map(roles).any(|roles| roles.is_disjoint(&given)) {
                        continue;
                    }
                    let given: Vec<String> = given.iter().map(|role| format!("`{role}`")).collect();
                    format!("{} is given to {who}, too", given.join(", "))
                }
                (PhaseEffect::Webhook { url_from, .. }, None) if !is_later => {
                    format!("`{url_from}` is sent the data of {who}, too")
                }
                (PhaseEffect::DiscordPost { data, .. }, None) if !is_later => {
                    format!("`{data}` of {who} is posted, too")
                }
                _ => continue,
            };
            found.push((format!("/phase/{q}/effect/{n}"), what));
        }
        let hint = if is_later {
            format!(
                "give it `when = \"answers.{} == 'approved'\"`, or lead the others elsewhere",
                step.id
            )
        } else {
            "add `on = \"approved\"` to it".to_owned()
        };
        for (at, what) in found {
            self.warn(&at, what, &hint);
        }
    }
}

/// Whether a phase can come to its end after this outcome of a request.
fn completes(phase: &Phase, n: usize, outcome: &str) -> bool {
    let step = &phase.step[n];
    if needs_answer(phase, step) {
        return false;
    }
    let from = match step.leads(outcome) {
        None | Some("@next" | "@skip") => n + 1,
        Some(target) => match phase.step.iter().position(|step| step.id == target) {
            Some(to) => to,
            None => return false,
        },
    };
    let mut reached = BTreeSet::from([n]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        let Some(next) = phase.step.get(at) else { return true };
        if !reached.insert(at) {
            continue;
        }
        let holds = holds(next.when.as_deref(), &step.id, outcome);
        if holds != Some(true) {
            open.push(at + 1);
        }
        if holds != Some(false) {
            open.extend(leads_to(phase, at));
        }
    }
    false
}

/// Whether a condition is true after this outcome of a step; `None` if it speaks of something else.
fn holds(when: Option<&str>, step: &str, outcome: &str) -> Option<bool> {
    let Some(when) = when else { return Some(true) };
    let (answer, status) = (format!("answers.{step}"), format!("results.{step}.status"));
    let is_known = |token: &Token<'_>| match token {
        Token::Name(name) => {
            matches!(*name, "and" | "or" | "not" | "in") || *name == answer || *name == status
        }
        Token::Text(_) | Token::Number(_) | Token::Sign(_) => true,
    };
    if !tokens(when).iter().all(is_known) {
        return None;
    }
    let context =
        json!({ "answers": { step: outcome }, "results": { step: { "status": outcome } } });
    let environment = Environment::new();
    let value = environment
        .compile_expression(when)
        .and_then(|run| run.eval(minijinja::value::Serde(&context)))
        .ok()?;
    Some(value.is_true())
}
