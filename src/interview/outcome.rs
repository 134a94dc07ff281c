//! The effects of a finished phase: they come from the flow, never from a model.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Actor, State, Suspension, summary::summary};
use crate::{
    ids::EffectId,
    model::{
        effect::{Act, Delivery, Effect, PhaseEffectRef, Recipient},
        flow::{Phase, PhaseEffect},
        session::Platform,
        team::Team,
        text::quoted,
        transcript::{EffectOutcome, Event},
        ui::{Control, Decide, Prompt},
        wait::{Answerers, Purpose},
    },
};

/// One effect of a finished phase.
#[derive(Clone, Copy)]
struct Due<'a> {
    phase: &'a Phase,
    index: usize,
    effect: &'a PhaseEffect,
}

impl Actor {
    /// Queues what a finished phase asks for, once per session, phase and place in the list.
    pub(super) fn queue_effects(&mut self, phase: &Phase) {
        for (index, effect) in phase.effect.iter().enumerate() {
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
        let what = describe(due.effect);
        self.emit(Event::EffectNoted { phase: phase.id.clone(), index, what, outcome, effect });
    }

    /// Somebody must consent first.
    fn ask_for_effect(&mut self, due: Due<'_>, alias: &str) {
        let Due { phase, index, effect } = due;
        let person = self.state.person_in_words();
        let request = match self.roles_of(due) {
            Some(roles) => format!("Give {person} {roles}?"),
            None => format!("{} for {person}?", describe(effect)),
        };
        let facts = [
            ("Person", person),
            ("Flow", self.flow.flow.title.clone()),
            ("Phase", phase.title.clone()),
        ];
        let control = Control::Decide(Decide {
            request: request.clone(),
            facts: facts.into_iter().map(|(label, value)| (label.to_owned(), value)).collect(),
            approve: "Approve".to_owned(),
            deny: "Deny".to_owned(),
            deny_and_tell: None,
        });
        let expires = self.flow.flow.approvals.overrides.expires.delta();
        let suspension = Suspension {
            prompt: Prompt {
                title: Some(request),
                body: String::new(),
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

    /// Consent was given or refused.
    pub(super) fn effect_decided(&mut self, phase: &str, index: usize, approved: bool) {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = flow.phase(phase) else { return };
        let Some(effect) = phase.effect.get(index) else { return };
        let due = Due { phase, index, effect };
        if !approved {
            self.note_effect(due, EffectOutcome::Declined, None);
            let what = self.roles_of(due).unwrap_or_else(|| describe(effect));
            self.post(format!("The team declined: {what}."));
            return;
        }
        match self.resolve(due) {
            Some(what) => self.queue_effect(due, what),
            None => self.note_effect(due, EffectOutcome::NotApplicable, None),
        }
    }

    /// The roles that an effect comes to, for people: `the role contributor`; none where it gives none.
    fn roles_of(&self, due: Due<'_>) -> Option<String> {
        let Some((_, Act::AddRoles { roles })) = self.resolve(due) else { return None };
        let word = if roles.len() == 1 { "role" } else { "roles" };
        Some(format!("the {word} {}", roles.join(", ")))
    }

    /// Nobody has consented in time, or is asked any more.
    pub(super) fn effect_lapsed(&mut self, phase: &str, index: usize, expired: bool) {
        let flow = Arc::clone(&self.flow);
        let Some(phase) = flow.phase(phase) else { return };
        let Some(effect) = phase.effect.get(index) else { return };
        let why = if expired { "nobody decided in time" } else { "it is no longer asked" };
        let due = Due { phase, index, effect };
        self.note_effect(due, EffectOutcome::Failed { reason: why.to_owned() }, None);
        if expired && self.state.handoff.is_none() {
            let what = self.roles_of(due).unwrap_or_else(|| describe(effect));
            self.post(format!("This request expired without a decision: {what}."));
        }
    }

    /// Notes what came of an effect: of one by which somebody is asked, of one of a phase, and of each that has failed. A
    /// second report changes nothing. `team` is who may be asked directly where no channel takes anything.
    pub fn effect_done(&mut self, effect: &Effect, delivery: &Delivery, team: &Team) {
        if effect.asks {
            self.asked(effect.id, delivery, team);
        } else if let Delivery::Failed { reason } = delivery {
            self.delivery_failed(effect, reason);
        }
        self.phase_effect_done(effect.id, delivery);
    }

    fn phase_effect_done(&mut self, id: EffectId, delivery: &Delivery) {
        let flow = Arc::clone(&self.flow);
        let outcome = match delivery {
            Delivery::Delivered { .. } => EffectOutcome::Delivered,
            Delivery::NotApplicable => EffectOutcome::NotApplicable,
            Delivery::Failed { reason } => EffectOutcome::Failed { reason: reason.clone() },
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
    pub fn give_roles(&mut self, roles: Vec<String>) {
        self.effect(Recipient::Participant, Act::AddRoles { roles });
    }

    /// What an effect comes to for this session; none where there is nothing to do or the platform has no such thing.
    fn resolve(&self, Due { phase, effect, .. }: Due<'_>) -> Option<(Recipient, Act)> {
        let is_discord = self.state.place.platform == Platform::Discord;
        match effect {
            PhaseEffect::PostSummary { channel, include, .. } => {
                let text = summary(&self.state, &self.flow, include);
                let act = Act::Post { text, offers: Vec::new(), transcript: true };
                Some((Recipient::Channel { alias: channel.clone() }, act))
            }
            PhaseEffect::Webhook { url_from, include, .. } => {
                let body = json!({
                    "event": "phase_completed",
                    "session": self.state.session,
                    "flow": self.state.flow.id,
                    "phase": phase.id,
                    "participant": self.state.participant,
                    "data": included(&self.state, include),
                });
                let act = Act::Webhook { event: "phase_completed".to_owned(), body };
                Some((Recipient::Webhook { alias: url_from.clone() }, act))
            }
            PhaseEffect::DiscordAddRole { role, .. } => {
                let act = Act::AddRoles { roles: vec![role.clone()] };
                is_discord.then_some((Recipient::Participant, act))
            }
            PhaseEffect::DiscordAddRolesFrom { step, map, .. } => {
                let picked = self
                    .state
                    .results
                    .get(step)
                    .and_then(|result| result["selectedIds"].as_array());
                let ids = picked.map(Vec::as_slice).unwrap_or_default();
                let roles: Vec<String> =
                    ids.iter().filter_map(|id| map.get(id.as_str()?)).cloned().collect();
                let applies = is_discord && !roles.is_empty();
                applies.then_some((Recipient::Participant, Act::AddRoles { roles }))
            }
            PhaseEffect::DiscordPost { channel, data, mention_participant, .. } => {
                let record = self.state.record(data).filter(|_| is_discord)?;
                let text = record.data["text"].as_str().unwrap_or_default();
                let text = match (mention_participant, &self.state.name) {
                    (true, Some(name)) => format!("**{}**: {text}", quoted(name)),
                    (true, None) | (false, _) => text.to_owned(),
                };
                Some((
                    Recipient::Channel { alias: channel.clone() },
                    Act::Post { text, offers: Vec::new(), transcript: false },
                ))
            }
        }
    }
}

fn included(state: &State, include: &[String]) -> Map<String, Value> {
    include
        .iter()
        .filter_map(|data| Some((data.clone(), state.record(data)?.data.clone())))
        .collect()
}

/// An effect in a few words.
pub(super) fn describe(effect: &PhaseEffect) -> String {
    match effect {
        PhaseEffect::PostSummary { channel, .. } => format!("summary to {channel}"),
        PhaseEffect::Webhook { url_from, .. } => format!("web hook {url_from}"),
        PhaseEffect::DiscordAddRole { role, .. } => format!("role {role}"),
        PhaseEffect::DiscordAddRolesFrom { map, .. } => {
            let roles: Vec<&str> = map.values().map(String::as_str).collect();
            format!("roles from {}", roles.join(", "))
        }
        PhaseEffect::DiscordPost { channel, data, .. } => format!("post {data} to {channel}"),
    }
}
