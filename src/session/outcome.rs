//! The effects of a finished phase: they come from the flow, never from a model.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    Changes, Refusal, SessionView, State, Suspension,
    attempts::{asking, feedback_reader},
    script,
    summary::{option_label, public_text, summary, titled},
};
use crate::{
    base::ids::{ArtifactId, EffectId, WaitId},
    flow::{LoadedFlow, visible::seen_by},
    messages::{self, Text},
    model::{
        artifact::Artifact,
        effect::{Act, Delivery, Effect, PhaseEffectRef, Recipient},
        flow::{Moment, Phase, PhaseEffect, Reader, Sensitivity},
        session::Platform,
        team::Team,
        transcript::{EffectOutcome, Event},
        ui::{Decide, Decision, DenialReader, Offered, Prompt, Reply},
        wait::{Answerers, Purpose},
    },
};

/// Why an effect came to nothing that nobody decided on.
const UNDECIDED: &str = messages::staff::NOBODY_DECIDED;

/// How often one thing may be requested: after that only a person can help.
const REQUESTS_MAX: usize = 3;

/// Facts about a person on a request, and the length of each in characters.
const ABOUT_MAX: usize = 4;
const ABOUT_LENGTH: usize = 600;

/// One effect of a finished phase.
#[derive(Clone, Copy)]
struct Due<'a> {
    phase: &'a Phase,
    index: usize,
    effect: &'a PhaseEffect,
}

impl Changes {
    /// Queues what a phase asks for at a moment, once per session, phase and place in the list.
    pub(super) fn queue_effects(&mut self, phase: &Phase, moment: Moment) {
        for (index, effect) in phase.effect.iter().enumerate() {
            if effect.on() != moment {
                continue;
            }
            if self.state.effects.contains_key(&(phase.id.clone(), index)) {
                continue;
            }
            let due = Due { phase, index, effect };
            match (self.resolve(due), effect.approval()) {
                (None, _) => self.note_effect(due, EffectOutcome::NotApplicable, None),
                (Some(_), Some(alias)) => {
                    self.note_effect(due, EffectOutcome::AwaitingApproval, None);
                    self.ask_for_effect(due, alias);
                }
                (Some(what), None) => self.queue_effect(due, what),
            }
        }
    }

    fn queue_effect(&mut self, due: Due<'_>, what: (Recipient, Act)) {
        let id = self.carry(what, PhaseEffectRef { phase: due.phase.id.clone(), index: due.index });
        self.note_effect(due, EffectOutcome::Queued, Some(id));
    }

    fn note_effect(&mut self, due: Due<'_>, outcome: EffectOutcome, effect: Option<EffectId>) {
        let Due { phase, index, .. } = due;
        let facts =
            [("phase", json!(phase.id)), ("index", json!(index)), ("outcome", json!(outcome))];
        self.audit("effect_noted", facts, []);
        self.emit_effect(due, outcome, effect);
    }

    fn emit_effect(&mut self, due: Due<'_>, outcome: EffectOutcome, effect: Option<EffectId>) {
        let Due { phase, index, .. } = due;
        let what = due.effect.in_words();
        self.emit(Event::EffectNoted { phase: phase.id.clone(), index, what, outcome, effect });
    }

    /// Somebody must consent first.
    fn ask_for_effect(&mut self, due: Due<'_>, alias: &str) {
        let Due { phase, index, effect } = due;
        let person = self.state.person_in_words();
        let roles = self.roles_of(due);
        let request = match &roles {
            Some(roles) => messages::requests::give(&person, &named(roles)),
            None => messages::requests::allow(
                &effect_in_words(&self.state, &self.flow, effect),
                &person,
            ),
        };
        let words = |(label, value): (&str, String)| (label.to_owned(), value);
        let mut facts = vec![words((Decide::PERSON, person))];
        facts.extend(roles.map(|roles| words((Decide::ROLE, titles_of(&roles).join(", ")))));
        facts.extend(self.about_person());
        facts.extend(
            [
                (messages::requests::FLOW, self.flow.flow.title.clone()),
                (messages::requests::PHASE, phase.title.clone()),
            ]
            .map(words),
        );
        // A phase that is over is led by nobody: whoever asked is told themselves.
        let control = asking(&request, facts, DenialReader::Participant);
        let expires = self.flow.flow.approvals.overrides.expires.delta();
        let suspension = Suspension {
            prompt: Prompt {
                title: Some(request),
                body: Text::default(),
                control,
                notes: Vec::new(),
            },
            state: Value::Null,
            answerers: Answerers::Deciders { alias: alias.to_owned(), allow_self: false },
            expires_at: self.now.checked_add_signed(expires),
        };
        let purpose = Purpose::Effect { phase: phase.id.clone(), index };
        let digest = format!("effect {} {index}", phase.id);
        let wait = self.open(purpose, digest, suspension);
        self.expect_request(wait, alias);
    }

    /// Consent was given or refused, by the answer to `wait`.
    pub(super) fn effect_decided(&mut self, phase: &str, index: usize, wait: WaitId) {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = flow.phase(phase) else { return };
        let Some(effect) = phase.effect.get(index) else { return };
        let due = Due { phase, index, effect };
        let Some(wait) = self.state.waits.get(&wait).cloned() else { return };
        let Some((reply, by, by_name, _)) = wait.status.answer() else { return };
        if let Reply::Decided { decision: Decision::Approved, .. } = reply {
            match self.resolve(due) {
                Some(what) => self.queue_effect(due, what),
                None => self.note_effect(due, EffectOutcome::NotApplicable, None),
            }
            return;
        }
        let words = match reply {
            Reply::Decided { feedback, .. } => feedback.as_deref(),
            _ => None,
        };
        let facts = [
            ("phase", json!(phase.id)),
            ("index", json!(index)),
            ("outcome", json!(EffectOutcome::Declined)),
            ("decider", json!(self.named(by))),
            ("feedback_for", feedback_reader(&wait, words)),
        ];
        self.audit("effect_noted", facts, [("feedback", json!(words))]);
        self.emit_effect(due, EffectOutcome::Declined, None);
        let what = match self.roles_of(due) {
            Some(roles) => named(&roles),
            None => effect_in_words(&self.state, &self.flow, effect),
        };
        let text = messages::requests::declined(by_name, &what, words);
        self.post_offering(text, &self.ways_to_ask(&phase.id, index));
    }

    /// Makes the request once more that was declined, or that nobody decided in time.
    pub(super) fn ask_effect_again(&mut self) -> Result<(), Refusal> {
        let flow = Arc::clone(&self.flow);
        let is_over = |outcome: &EffectOutcome| match outcome {
            EffectOutcome::Declined => true,
            EffectOutcome::Failed { reason } => reason == UNDECIDED,
            EffectOutcome::Queued
            | EffectOutcome::AwaitingApproval
            | EffectOutcome::Delivered
            | EffectOutcome::NotApplicable
            | EffectOutcome::Rehearsed => false,
        };
        let over = self.state.effects.iter().filter(|(_, (outcome, _))| is_over(outcome));
        let over: Vec<(String, usize)> = over.map(|(key, _)| key.clone()).collect();
        for (phase, index) in over {
            let Some(phase) = flow.phase(&phase) else { continue };
            let Some(effect) = phase.effect.get(index) else { continue };
            let Some(alias) = effect.approval() else { continue };
            if !self.may_ask_again(&phase.id, index) {
                return Err(Refusal(messages::interview::ASKED_OFTEN.into()));
            }
            let due = Due { phase, index, effect };
            self.note_effect(due, EffectOutcome::AwaitingApproval, None);
            self.ask_for_effect(due, alias);
            return Ok(());
        }
        Err(Refusal(messages::interview::NOTHING_TO_ASK.into()))
    }

    /// Nobody has consented in time, or is asked any more.
    pub(super) fn effect_lapsed(&mut self, phase: &str, index: usize, expired: bool) {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = flow.phase(phase) else { return };
        let Some(effect) = phase.effect.get(index) else { return };
        let why = if expired { UNDECIDED } else { "it is no longer asked" };
        let due = Due { phase, index, effect };
        self.note_effect(due, EffectOutcome::Failed { reason: why.to_owned() }, None);
        if expired && self.state.handoff.is_none() {
            let what = match self.roles_of(due) {
                Some(roles) => named(&roles),
                None => effect_in_words(&self.state, &self.flow, effect),
            };
            let text = messages::requests::expired_request(&what);
            self.post_offering(text, &self.ways_to_ask(&phase.id, index));
        }
    }

    /// Notes what came of an effect: of one by which somebody is asked, of one of a phase, and of each that has failed. A
    /// second report changes nothing. `team` is who may be asked directly where no channel takes anything.
    pub(super) fn effect_done(&mut self, effect: &Effect, delivery: &Delivery, team: &Team) {
        if effect.asks {
            self.asked(effect.id, delivery, team);
        } else if let Delivery::Failed { reason, out_of_reach } = delivery
            && self.delivery_failed(effect, reason)
            && let Some(why) = out_of_reach
        {
            self.lose_touch(why);
        }
        self.phase_effect_done(effect.id, delivery);
    }

    fn phase_effect_done(&mut self, id: EffectId, delivery: &Delivery) {
        let flow = Arc::clone(&self.flow);
        let outcome = match delivery {
            Delivery::Delivered { .. } => EffectOutcome::Delivered,
            Delivery::NotApplicable => EffectOutcome::NotApplicable,
            Delivery::Rehearsed => EffectOutcome::Rehearsed,
            Delivery::Failed { reason, .. } => EffectOutcome::Failed { reason: reason.clone() },
            Delivery::Retry { .. } | Delivery::Later { .. } | Delivery::Blocked { .. } => return,
        };
        let queued = (EffectOutcome::Queued, Some(id));
        let found = self.state.effects.iter().find(|(_, known)| **known == queued);
        let Some((phase, index)) = found.map(|(key, _)| key.clone()) else { return };
        let phase = flow.phase(&phase);
        if let Some((phase, effect)) = phase.and_then(|p| Some((p, p.effect.get(index)?))) {
            self.note_effect(Due { phase, index, effect }, outcome, Some(id));
        }
    }

    /// Gives roles that the participant could not have when a phase gave them.
    pub(super) fn give_roles(&mut self, roles: Vec<String>) {
        self.effect(Recipient::Participant, Act::AddRoles { roles });
    }
}

impl SessionView {
    /// What the participant has told that those who decide should know: short answers and approved texts, but nothing of a
    /// special category.
    fn about_person(&self) -> Vec<(String, String)> {
        let told = self.flow.flow.data.iter().filter(|(_, data)| {
            matches!(data.sensitivity, Sensitivity::None | Sensitivity::Personal)
        });
        let line = |(name, _): (&String, _)| {
            let words = self.in_words(name)?;
            Some((self.flow.data_title(name), words))
        };
        told.filter_map(line).take(ABOUT_MAX).collect()
    }

    /// The newest data of a kind in a line or two; `None` if it is more than that.
    fn in_words(&self, data: &str) -> Option<String> {
        let record = self.state.record(data)?;
        let seen = seen_by(self.flow.schemas.get(data), &record.data, Reader::Deciders);
        let label = |id: &str| {
            option_label(&self.state, &self.flow, data, id).unwrap_or_else(|| id.to_owned())
        };
        let words = match &*seen {
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                let items: Option<Vec<String>> =
                    items.iter().map(|item| item.as_str().map(label)).collect();
                items?.join(", ")
            }
            Value::Object(members) => members.get("text")?.as_str()?.to_owned(),
            Value::Null | Value::Bool(_) | Value::Number(_) => return None,
        };
        let is_short = !words.trim().is_empty() && words.chars().count() <= ABOUT_LENGTH;
        is_short.then_some(words)
    }

    /// What may be done about a request that came to nothing.
    fn ways_to_ask(&self, phase: &str, index: usize) -> Vec<Offered> {
        let again = self.may_ask_again(phase, index).then_some(Offered::AskAgain);
        again.into_iter().chain([Offered::Human]).collect()
    }

    /// Whether a request that was declined may be made once more.
    fn may_ask_again(&self, phase: &str, index: usize) -> bool {
        let asked = self.state.waits.values().filter(|wait| {
            matches!(&wait.purpose, Purpose::Effect { phase: of, index: at } if of == phase && *at == index)
        });
        asked.count() < REQUESTS_MAX
    }

    /// The aliases of the roles that an effect gives; `None` if it gives none.
    fn roles_of(&self, due: Due<'_>) -> Option<Vec<String>> {
        match self.resolve(due)? {
            (_, Act::AddRoles { roles }) => Some(roles),
            _ => None,
        }
    }

    /// What an effect comes to for this session; `None` if there is nothing to do, its condition does not hold, or the
    /// platform has no such thing.
    fn resolve(&self, Due { phase, effect, .. }: Due<'_>) -> Option<(Recipient, Act)> {
        if !script::applies(&self.state, &self.flow, effect.when()) {
            return None;
        }
        // The page shows what Discord would do.
        let has_roles = self.state.place.platform != Platform::Slack;
        match effect {
            PhaseEffect::PostSummary { channel, include, .. } => {
                let text = summary(&self.state, &self.flow, include, effect.on());
                let act = Act::Post { text, offers: Vec::new(), transcript: true };
                Some((Recipient::Channel { alias: channel.clone() }, act))
            }
            PhaseEffect::Webhook { url_from, include, .. } => {
                let event = match effect.on() {
                    Moment::Completed => "phase_completed",
                    Moment::Stopped => "session_stopped",
                    Moment::Approved | Moment::Denied => "decision_made",
                    Moment::Expired => "decision_expired",
                };
                let mut body = json!({
                    "event": event,
                    "session": self.state.session,
                    "flow": self.state.flow.id,
                    "phase": phase.id,
                    "participant": self.state.participant,
                    "data": included(&self.state, &self.flow, include),
                });
                if let Some(decision) = self.last_decision() {
                    body["decision"] = decision;
                }
                if !self.state.artifacts.is_empty() {
                    body["files"] = self.state.artifacts.iter().map(file).collect();
                }
                let linked = linked(&self.state, &self.flow);
                let act = Act::Webhook { event: event.to_owned(), body, linked };
                Some((Recipient::Webhook { alias: url_from.clone() }, act))
            }
            PhaseEffect::DiscordAddRole { .. } | PhaseEffect::DiscordAddRolesFrom { .. } => {
                let roles = roles_of(&self.state, effect);
                let applies = has_roles && !roles.is_empty();
                applies.then_some((Recipient::Participant, Act::AddRoles { roles }))
            }
            PhaseEffect::DiscordPost { channel, data, .. } => {
                // Discord mentions who wrote it, where the flow wants that.
                let text = public_text(&self.state, &self.flow, data).filter(|_| has_roles)?;
                Some((
                    Recipient::Channel { alias: channel.clone() },
                    Act::Post { text, offers: Vec::new(), transcript: false },
                ))
            }
        }
    }
}

/// Roles for people: `the Contributor role`, `the Learner and Event pings roles`.
fn named(roles: &[String]) -> String {
    messages::requests::roles(&titles_of(roles))
}

/// What an effect does, for those who are asked for it and those who asked.
pub fn effect_in_words(state: &State, flow: &LoadedFlow, effect: &PhaseEffect) -> String {
    match effect {
        PhaseEffect::PostSummary { .. } => messages::requests::A_SUMMARY.to_owned(),
        PhaseEffect::Webhook { .. } => messages::requests::THE_ANSWERS.to_owned(),
        PhaseEffect::DiscordPost { data, .. } => messages::requests::a_post(&flow.data_title(data)),
        PhaseEffect::DiscordAddRole { .. } | PhaseEffect::DiscordAddRolesFrom { .. } => {
            match roles_of(state, effect) {
                roles if roles.is_empty() => messages::requests::A_ROLE.to_owned(),
                roles => named(&roles),
            }
        }
    }
}

/// Aliases of roles as titles: `event-pings` as `Event pings`.
pub fn titles_of(roles: &[String]) -> Vec<String> {
    roles.iter().map(|role| titled(&role.replace('-', "_"))).collect()
}

/// The aliases of the roles that an effect gives in a session; empty if it gives no roles.
pub fn roles_of(state: &State, effect: &PhaseEffect) -> Vec<String> {
    match effect {
        PhaseEffect::DiscordAddRole { role, .. } => vec![role.clone()],
        PhaseEffect::DiscordAddRolesFrom { step, map, .. } => {
            let picked = state.results.get(step).and_then(|step| step["selectedIds"].as_array());
            let ids = picked.map(Vec::as_slice).unwrap_or_default();
            ids.iter().filter_map(|id| map.get(id.as_str()?)).cloned().collect()
        }
        PhaseEffect::PostSummary { .. }
        | PhaseEffect::Webhook { .. }
        | PhaseEffect::DiscordPost { .. } => Vec::new(),
    }
}

/// A file that was sent, for other programs; what is in it stays here.
fn file(file: &Artifact) -> Value {
    json!({
        "id": file.id,
        "upload_type": file.upload_type,
        "filename": file.filename,
        "size_bytes": file.size_bytes,
        "sha256": file.sha256,
    })
}

/// The files that a web hook may have: not those that a field names which web hooks don't see.
fn linked(state: &State, flow: &LoadedFlow) -> Vec<ArtifactId> {
    let is_hidden = |file: &&Artifact| {
        let id = file.id.to_string();
        state.records.iter().any(|record| {
            let schema = flow.schemas.get(&record.data_type);
            let seen = seen_by(schema, &record.data, Reader::Hooks);
            record.data.to_string().contains(&id) && !seen.to_string().contains(&id)
        })
    };
    let files = state.artifacts.iter().filter(|file| !is_hidden(file));
    files.map(|file| file.id).collect()
}

fn included(state: &State, flow: &LoadedFlow, include: &[String]) -> Map<String, Value> {
    let seen = |name: &String| {
        let data = &state.record(name)?.data;
        let data = seen_by(flow.schemas.get(name), data, Reader::Hooks).into_owned();
        Some((name.clone(), data))
    };
    include.iter().filter_map(seen).collect()
}
