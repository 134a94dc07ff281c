//! Who gets what by a decision, and by silence: nobody is rewarded for a denial, and nobody says yes by saying nothing.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Check, lengths::words, paths::ways};
use crate::{
    config::toml_document::escaped,
    flow::visible::is_hidden_from,
    model::flow::{Done, ELSE, Moment, Period, Phase, PhaseEffect, REQUEST, Reader, Step},
};

/// The shortest time in which somebody can be expected to decide.
const DECISION_MIN: Period = Period::hours(1);

/// How many words two texts must have in common to be alike.
const WORDS_MIN: usize = 5;

impl Check<'_> {
    pub(super) fn decisions(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            self.silences(p, phase);
            for (n, effect) in phase.effect.iter().enumerate() {
                if let Some(roles) = roles(effect) {
                    self.roles(&format!("/phase/{p}/effect/{n}"), p, effect, &roles);
                }
                self.sent_of_others(&format!("/phase/{p}/effect/{n}/on"), effect);
            }
        }
        self.seen_by_nobody();
        let overrides =
            ("/approvals/override/expires".to_owned(), flow.approvals.overrides.expires);
        let named = flow.approvals.named.iter();
        let named =
            named.map(|(name, one)| (format!("/approvals/{}/expires", escaped(name)), one.expires));
        for (at, expires) in std::iter::once(overrides).chain(named) {
            if !expires.0.is_zero() && expires < DECISION_MIN {
                let message = format!("people have only {expires} to decide");
                self.warn(
                    &at,
                    message,
                    "give them a day or more: `2d` is two days, `2m` two minutes",
                );
            }
        }
        for (name, approval) in &flow.approvals.named {
            let asks = |phase: &&Phase| phase.step.iter().any(|step| asks_for(step, name));
            let Some(last) = flow.phase.iter().rposition(|phase| asks(&phase)) else { continue };
            let mut kept = self.loaded.schemas.keys().filter(|data| {
                flow.phase.iter().take(last + 1).any(|phase| self.collects(phase, data))
            });
            let at = format!("/approvals/{}", escaped(name));
            let is_written = self.document.span(&format!("{at}/show")).is_some();
            let is_empty =
                approval.show.is_empty() && (is_written || !is_filled_in(&approval.title));
            if is_empty && kept.next().is_some() {
                let message =
                    format!("whoever decides on `{name}` sees nothing of what was answered");
                self.warn(&at, message, "list data under `show`");
            }
            if let (Some(denied), Some(approved)) = (&approval.denied, &approval.approved)
                && is_alike(denied, approved)
            {
                let message = "people who are denied read the same as those who are approved";
                self.warn(&format!("{at}/denied"), message, "write what they should read");
            }
        }
    }

    /// Data that is sent of people who are denied, or who stop, and of nobody else.
    fn sent_of_others(&mut self, at: &str, effect: &PhaseEffect) {
        let who = match effect.on() {
            Moment::Denied => "are denied",
            Moment::Stopped => "stop",
            Moment::Completed | Moment::Approved | Moment::Expired => return,
        };
        let target = |effect: &PhaseEffect| match effect {
            PhaseEffect::Webhook { url_from, include, .. } => {
                Some((url_from.clone(), include.clone()))
            }
            PhaseEffect::PostSummary { channel, include, .. } => {
                Some((channel.clone(), include.clone()))
            }
            PhaseEffect::DiscordAddRole { .. }
            | PhaseEffect::DiscordAddRolesFrom { .. }
            | PhaseEffect::DiscordPost { .. } => None,
        };
        let Some((to, include)) = target(effect).filter(|_| effect.when().is_none()) else {
            return;
        };
        let goes_on =
            |other: &&PhaseEffect| matches!(other.on(), Moment::Completed | Moment::Approved);
        let effects = self.flow.phase.iter().flat_map(|phase| &phase.effect).filter(goes_on);
        let mut sent = effects.filter_map(target);
        // A summary may go to another channel; a web hook is a program with a purpose of its own.
        let is_hook = matches!(effect, PhaseEffect::Webhook { .. });
        let is_sent = sent.any(|(other, data)| {
            other == to || !is_hook && data.iter().any(|data| include.contains(data))
        });
        let is_for_them = ["deni", "reject", "declin", "refus", "absage", "stop", "left"];
        if !is_sent && !is_for_them.iter().any(|word| to.contains(word)) && !include.is_empty() {
            let message = format!("`{to}` gets the data of people who {who}, and of nobody else");
            self.warn(at, message, "see whether `on` is what you mean");
        }
    }

    /// Data that only deciders or web hooks may see, and that neither a card shows nor a web hook sends.
    fn seen_by_nobody(&mut self) {
        let flow = self.flow;
        let is_asked = flow.phase.iter().flat_map(|phase| &phase.step).any(|s| s.tool == REQUEST);
        let only_for = |schema: &Value, reader: Reader| {
            [Reader::Deciders, Reader::Team, Reader::Hooks]
                .into_iter()
                .all(|other| is_hidden_from(schema, other) == (other != reader))
        };
        let has_field_for_hooks = |schema: &Value| {
            let fields = schema["properties"].as_object();
            fields.into_iter().flatten().any(|(_, field)| only_for(field, Reader::Hooks))
        };
        for name in flow.data.keys() {
            let Some(schema) = self.loaded.schemas.get(name) else { continue };
            let is_shown = flow.approvals.named.values().any(|one| one.show.contains(name));
            let is_sent = flow.phase.iter().flat_map(|phase| &phase.effect).any(|effect| {
                matches!(effect, PhaseEffect::Webhook { include, .. } if include.contains(name))
            });
            let at = format!("/data/{}", escaped(name));
            if has_field_for_hooks(schema) && !is_sent {
                let message =
                    format!("a field of `{name}` is for web hooks only, and none sends it");
                let hint = "add it to `include` of a web hook, or to `visible_to` of the field";
                self.warn(&at, message, hint);
            }
            if is_asked && !is_shown && only_for(schema, Reader::Deciders) {
                let message = format!("only deciders may see `{name}`, and no card shows it");
                let hint = "add it to `show` of a decision, or to `visible_to` of its fields";
                self.warn(&at, message, hint);
            }
        }
    }

    /// A role that everybody gets in a phase before the decision about it.
    fn before_decision(&mut self, at: &str, p: usize, given: &BTreeSet<&str>) {
        let flow = self.flow;
        let asks = |phase: &&Phase| phase.step.iter().any(|step| step.tool == REQUEST);
        let Some(asking) = flow.phase.iter().skip(p + 1).find(asks) else { return };
        // Another role, or a text, may be what the decision is about.
        let effects = || flow.phase.iter().flat_map(|phase| &phase.effect);
        let approved = || effects().filter(|other| other.on() == Moment::Approved);
        let others = approved().chain(&asking.effect).filter_map(roles);
        let is_given_again = approved().filter_map(roles).any(|later| !later.is_disjoint(given));
        let is_about_else =
            !is_given_again && flow.approvals.named.values().any(|one| one.approved.is_some());
        if is_about_else
            || !is_given_again && others.into_iter().any(|roles| roles.is_disjoint(given))
        {
            return;
        }
        let Some(step) = asking.step.iter().find(|step| step.tool == REQUEST) else { return };
        let message = format!("{} is given before `{}` is decided", named(given), step.id);
        let hint = "move it to the phase of the decision, with `on = \"approved\"`";
        self.warn(at, message, hint);
    }

    /// A role that comes before the decision about it, or of a decision that went against it.
    fn roles(&mut self, at: &str, p: usize, effect: &PhaseEffect, given: &BTreeSet<&str>) {
        let phases = &self.flow.phase;
        let approved = || {
            let effects = phases.iter().flat_map(|phase| &phase.effect);
            effects.filter(|other| other.on() == Moment::Approved).filter_map(roles)
        };
        let who = match effect.on() {
            Moment::Completed => {
                if effect.approval().is_none() && effect.when().is_none() {
                    self.before_decision(at, p, given);
                }
                return;
            }
            Moment::Approved => return,
            Moment::Denied => "who are denied",
            Moment::Expired if self.lapses_like_approved(p) => return,
            Moment::Expired => "on whom nobody has decided",
            Moment::Stopped => return self.given_to_stoppers(at, p, given),
        };
        let is_given_to_others = approved().any(|roles| roles.is_disjoint(given));
        if is_given_to_others {
            return;
        }
        let only = if approved().next().is_none() {
            ", and no role to those who are approved"
        } else {
            ""
        };
        let message = format!("{} is given to people {who}{only}", named(given));
        self.warn(&format!("{at}/on"), message, "see whether you mean `on = \"approved\"`");
    }

    /// A request of the phase whose lapse is led, by a branch of its own, to where an approval leads.
    fn lapses_like_approved(&self, p: usize) -> bool {
        self.flow.phase[p].step.iter().filter(|step| step.tool == REQUEST).any(|step| {
            let approved = step.leads("approved").unwrap_or("@next");
            step.branch.get("expired").is_some_and(|target| target == approved)
        })
    }

    /// A role of those who stop, in a phase that gives none to those who go on.
    fn given_to_stoppers(&mut self, at: &str, p: usize, given: &BTreeSet<&str>) {
        let goes_on =
            |effect: &&PhaseEffect| matches!(effect.on(), Moment::Approved | Moment::Completed);
        let mut others = self.flow.phase[p].effect.iter().filter(goes_on).filter_map(roles);
        if !others.any(|roles| roles.is_disjoint(given)) {
            let message = format!(
                "{} is given to people who stop, and none to those who go on",
                named(given)
            );
            let hint = "leave `on` out to give it to those who go on";
            self.warn(&format!("{at}/on"), message, hint);
        }
    }

    /// A question with a deadline, a refusal and no way of its own for silence: whoever says nothing goes on.
    fn silences(&mut self, p: usize, phase: &Phase) {
        for (n, step) in phase.step.iter().enumerate() {
            let is_caught = step.branch.contains_key("expired") || step.branch.contains_key(ELSE);
            let turns_away = |target: &String| target == "@stop" || target == "@handoff";
            if step.deadline.is_none()
                || step.tool == REQUEST
                || is_caught
                || !step.branch.values().any(turns_away)
                || needs_answer(phase, step)
                || self.is_read(step)
            {
                continue;
            }
            let after = ways(phase, n);
            let asks =
                after.iter().filter_map(|to| phase.step.get(*to)).find(|to| to.tool == REQUEST);
            let effect = phase.effect.iter().find(|effect| effect.on() == Moment::Completed);
            let what = match (asks, effect) {
                (Some(asks), _) => format!("goes on to `{}`", asks.id),
                (None, Some(_)) => "goes on to what is done after the phase".to_owned(),
                (None, None) => continue,
            };
            let message = format!(
                "whoever doesn't answer `{}` in time {what}, as if they had agreed",
                step.id
            );
            let hint = "add a branch for `expired`, for example `expired = \"@stop\"`";
            self.warn(&format!("/phase/{p}/step/{n}/deadline"), message, hint);
        }
    }

    /// Whether some expression looks at what came of a step.
    pub(super) fn is_read(&self, step: &Step) -> bool {
        ["answers", "results"].iter().any(|scope| {
            let name = format!("{scope}.{}", step.id);
            let found = self.loaded.source.match_indices(&name);
            found.into_iter().any(|(at, _)| {
                let rest = &self.loaded.source[at + name.len()..];
                !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        })
    }

    /// An address to which people are written, and that nobody sees.
    pub(super) fn unseen_address(&mut self) {
        let flow = self.flow;
        for (name, table) in &flow.data {
            for (field, written) in table.fields.iter().flat_map(|fields| &fields.0) {
                let at = format!("/data/{}/fields/{}", escaped(name), escaped(field));
                let is_unseen = written.visible_to.as_ref().is_some_and(Vec::is_empty);
                let is_promised = written.help.iter().any(|help| {
                    words(help).windows(2).any(|pair| {
                        pair[0] == "we"
                            && ["write", "call", "reach", "answer"].contains(&pair[1].as_str())
                    })
                });
                if is_unseen && is_promised {
                    let message = format!("nobody sees `{name}.{field}`, so nobody can use it");
                    self.warn(&at, message, "name who needs it in `visible_to`");
                }
            }
        }
    }

    /// A web hook or a summary with nothing in it that its reader may see.
    pub(super) fn sends_nothing(&mut self, at: &str, include: &[String], reader: Reader) {
        let at = format!("{at}/include");
        self.hidden(&at, include, reader);
        if include.is_empty() {
            let message = "this includes no data";
            self.warn(&at, message, "name the data to send, or leave the effect out");
        }
    }

    /// Data of which its reader sees nothing.
    pub(super) fn hidden(&mut self, at: &str, shown: &[String], reader: Reader) {
        let is_hidden = |data: &String| {
            self.loaded.schemas.get(data).is_some_and(|schema| is_hidden_from(schema, reader))
        };
        let hidden = shown.iter().enumerate().filter(|(_, data)| is_hidden(data));
        for (n, data) in hidden.collect::<Vec<_>>() {
            let message = format!("every field of `{data}` is hidden from {}", reader.word());
            let hint = "add them to `visible_to` of a field, or leave the data out";
            self.warn(&format!("{at}/{n}"), message, hint);
        }
    }
}

/// Whether two texts are the same but for a word or two.
fn is_alike(one: &str, other: &str) -> bool {
    let (one, other): (BTreeSet<String>, BTreeSet<String>) =
        (words(one).into_iter().collect(), words(other).into_iter().collect());
    let common = one.intersection(&other).count();
    one == other || common >= WORDS_MIN && common * 5 >= one.union(&other).count() * 4
}

/// Roles as messages list them.
fn named(roles: &BTreeSet<&str>) -> String {
    roles.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", ")
}

/// The roles that an effect gives; nothing where it gives none.
pub(super) fn roles(effect: &PhaseEffect) -> Option<BTreeSet<&str>> {
    match effect {
        PhaseEffect::DiscordAddRole { role, .. } => Some(BTreeSet::from([role.as_str()])),
        PhaseEffect::DiscordAddRolesFrom { map, .. } => {
            Some(map.values().map(String::as_str).collect())
        }
        PhaseEffect::PostSummary { .. }
        | PhaseEffect::Webhook { .. }
        | PhaseEffect::DiscordPost { .. } => None,
    }
}

/// Whether the phase needs one of certain answers to a step.
pub(super) fn needs_answer(phase: &Phase, step: &Step) -> bool {
    let mut needs = false;
    for objective in phase.objective.iter().filter(|objective| objective.required) {
        crate::flow::each_condition(&objective.done, &mut |done| {
            if let Done::Answered(answered) = done {
                needs |= answered.step == step.id && !answered.with.is_empty();
            }
        });
    }
    needs
}

fn asks_for(step: &Step, name: &str) -> bool {
    step.tool == REQUEST && step.args.get("approval").is_some_and(|approval| approval == name)
}

fn is_filled_in(text: &str) -> bool {
    text.contains("{{") && text.contains("records.")
}
