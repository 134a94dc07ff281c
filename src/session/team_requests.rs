//! How the team is asked for something, and what the participant reads about it: that they were asked once that is known,
//! and until then nothing, or that nobody could be reached.
//!
//! Every flow names channels of the staff. Where the one that should be asked takes nothing, the others are told that
//! somebody is needed, without what stands on the card: who reads them may not be who may decide. Where none of them takes
//! anything, those whom the configuration names are written to directly: a card goes to who may decide it, and to nobody
//! else.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Changes, SessionView};
use crate::{
    base::ids::{EffectId, WaitId},
    messages::{self, Text},
    model::{
        effect::{Act, Delivery, Effect, Recipient},
        flow::{Approval, Decider, PhaseEffect, REQUEST},
        team::Team,
        transcript::{AskState, Audience, Errand, Event},
        wait::{Answerers, Purpose, Wait},
    },
};

/// Most people who are written to directly about one thing.
const PEOPLE_MAX: usize = 10;

/// Something that the team was asked, and how far that got.
#[derive(Debug, Clone, PartialEq)]
pub struct Asking {
    /// What for.
    pub errand: Errand,
    /// The channel, by its alias.
    pub alias: String,
    /// Who is asked directly in its place.
    pub person: Option<String>,
    /// Whether anybody there has it.
    pub reached: AskState,
}

impl Changes {
    /// Asks in a channel of the staff; what is said to the participant about it follows when it is known.
    pub(super) fn ask_staff(&mut self, alias: &str, text: Text, errand: Errand) {
        let effect = self.tell_staff(Recipient::Channel { alias: alias.to_owned() }, text);
        self.expect(effect, (alias, None), errand);
    }

    fn tell_staff(&mut self, to: Recipient, text: Text) -> EffectId {
        let act = Act::Post { text: text.clone(), offers: Vec::new(), transcript: false };
        let effect = self.effect(to, act);
        let (audience, offers) = (Audience::Staff, Vec::new());
        self.emit(Event::Posted { effect, audience, text, offers });
        effect
    }

    /// The card of a request was queued: the participant is told once the team has it.
    pub(super) fn expect_request(&mut self, wait: WaitId, alias: &str) {
        let shown = |effect: &&Effect| effect.act == Act::Show { wait };
        let queued = self.queued().iter().rev().find(shown).map(|effect| effect.id);
        match queued {
            Some(effect) => self.expect(effect, (alias, None), Errand::Request { wait }),
            None => self.post(messages::interview::STAFF_ASKED),
        }
    }

    fn expect(
        &mut self,
        effect: EffectId,
        (alias, person): (&str, Option<&String>),
        errand: Errand,
    ) {
        self.mark_asking(effect);
        // What stands behind something that is kept back is not tried: it is kept back as well.
        let is_kept_back = self.state.asking.values().any(|asking| {
            let is_there = match person {
                Some(_) => asking.person.as_ref() == person,
                None => asking.person.is_none() && asking.alias == alias,
            };
            is_there && asking.reached == AskState::Blocked
        });
        let (alias, person) = (alias.to_owned(), person.cloned());
        let reached = AskState::Pending;
        self.emit(Event::TeamAsked { effect, errand, alias, person, reached });
        if is_kept_back {
            self.kept_back(effect, AskState::Blocked, None);
        }
    }

    /// What came of asking somebody; a second report changes nothing.
    pub(super) fn asked(&mut self, id: EffectId, delivery: &Delivery, team: &Team) {
        match delivery {
            Delivery::Delivered { .. } => self.reached(id),
            // Nothing of the session is there any more, or the platform has no such thing.
            Delivery::Failed { .. } | Delivery::NotApplicable | Delivery::Rehearsed => {
                self.kept_back(id, AskState::Failed, Some(team));
            }
            Delivery::Blocked { .. } => self.kept_back(id, AskState::Blocked, Some(team)),
            Delivery::Retry { .. } | Delivery::Later { .. } => {}
        }
    }

    fn reached(&mut self, id: EffectId) {
        let Some(asking) = self.state.asking.get(&id).cloned() else { return };
        if asking.reached == AskState::Delivered {
            return;
        }
        let is_told = self.is_reached(&asking.errand);
        self.note_asking(id, &asking, AskState::Delivered);
        if !is_told && self.still_matters(&asking.errand) && !self.is_known(&asking.errand) {
            self.post(said(&asking));
        }
    }

    /// Nobody has it: others are told that somebody is needed, and at last the participant that nobody could be reached.
    fn kept_back(&mut self, id: EffectId, reached: AskState, team: Option<&Team>) {
        let Some(asking) = self.state.asking.get(&id).cloned() else { return };
        if asking.reached != AskState::Pending {
            if asking.reached == AskState::Blocked && reached == AskState::Failed {
                self.note_asking(id, &asking, reached);
            }
            return;
        }
        self.note_asking(id, &asking, reached);
        if self.is_reached(&asking.errand) || !self.still_matters(&asking.errand) {
            return;
        }
        let tried = |alias: &String| {
            let mut others = self.state.asking.values();
            others.any(|other| other.errand == asking.errand && other.alias == *alias)
        };
        let next = self.staff_aliases().into_iter().find(|alias| !tried(alias));
        if let Some(next) = next {
            let text = self.needed_elsewhere(&asking);
            return self.ask_staff(&next, text, asking.errand);
        }
        if self.ask_directly(&asking, team) {
            return;
        }
        let is_under_way = self
            .state
            .asking
            .values()
            .any(|other| other.errand == asking.errand && other.reached == AskState::Pending);
        if !is_under_way {
            self.audit("team_not_reached", [("alias", json!(asking.alias))], []);
            self.say_not_reached();
        }
    }

    /// Writes to each of those who may know of it, where nobody was written to about it; whether there is anybody.
    fn ask_directly(&mut self, asking: &Asking, team: Option<&Team>) -> bool {
        let mut others = self.state.asking.values();
        if others.any(|other| other.errand == asking.errand && other.person.is_some()) {
            return false;
        }
        let decided_by = match &asking.errand {
            Errand::Request { wait } => {
                let answerers = self.state.waits.get(wait).map(|wait| wait.answerers.clone());
                let Some(Answerers::Deciders { alias, .. }) = answerers else { return false };
                Some(alias)
            }
            Errand::HandOver { .. } | Errand::Reminder { .. } => None,
        };
        let people: BTreeSet<String> = match (team, &decided_by) {
            (Some(team), Some(alias)) => team.who_decide(alias).cloned().collect(),
            (Some(team), None) => team.who_read().into_iter().cloned().collect(),
            // It stands behind something that was kept back: those are asked who were asked then.
            (None, decided_by) => {
                let is_alike = |one: &&Asking| match (&one.errand, decided_by) {
                    (Errand::Request { .. }, Some(alias)) => one.alias == *alias,
                    (Errand::Request { .. }, None) => false,
                    (_, decided_by) => decided_by.is_none(),
                };
                let alike = self.state.asking.values().filter(is_alike);
                alike.filter_map(|one| one.person.clone()).collect()
            }
        };
        let alias = decided_by.unwrap_or_else(|| asking.alias.clone());
        let me = self.state.participant.user.clone();
        let others = people.into_iter().filter(|user| *user != me).take(PEOPLE_MAX);
        let mut is_anybody = false;
        for user in others {
            let to = Recipient::Person { user: user.clone() };
            let effect = match &asking.errand {
                Errand::Request { wait } => self.effect(to, Act::Show { wait: *wait }),
                Errand::HandOver { .. } | Errand::Reminder { .. } => {
                    self.tell_staff(to, self.needed_elsewhere(asking))
                }
            };
            self.expect(effect, (&alias, Some(&user)), asking.errand.clone());
            is_anybody = true;
        }
        is_anybody
    }

    /// Nobody of the team has it.
    pub(super) fn say_not_reached(&mut self) {
        let mut all = self.state.asking.values();
        let is_tried = all.any(|asking| asking.reached == AskState::Blocked);
        let contact = self.flow.vars.get("contact").map(String::as_str);
        self.post(messages::interview::not_reached(is_tried, contact));
    }

    fn note_asking(&mut self, effect: EffectId, asking: &Asking, reached: AskState) {
        let Asking { errand, alias, person, .. } = asking.clone();
        self.emit(Event::TeamAsked { effect, errand, alias, person, reached });
    }

    /// What is true about a request that is open, for somebody who asks again.
    pub(super) fn say_asked(&mut self, wait: WaitId) {
        let errand = Errand::Request { wait };
        let of_errand = |reached: AskState| {
            let mut all = self.state.asking.values();
            all.any(|asking| asking.errand == errand && asking.reached == reached)
        };
        let is_known = self.state.asking.values().any(|asking| asking.errand == errand);
        // A request of before this was kept has been asked as well as was known then.
        let text = match self.who_has(&errand) {
            Some(asking) => said(asking),
            None if !is_known => messages::interview::STAFF_ASKED.into(),
            None if of_errand(AskState::Pending) => messages::interview::ASKING.into(),
            None => return self.say_not_reached(),
        };
        self.post(text);
    }

    /// What is true about a person who was asked for, for somebody who asks again; `text` where they were asked.
    pub(super) fn say_called(&mut self, text: &'static str) {
        let Some(last) = self.last_handover() else { return self.post(text) };
        let words = match self.who_has(&last.errand) {
            Some(Asking { person: None, .. }) => text.into(),
            Some(asking) => said(asking),
            None if last.reached == AskState::Pending => messages::interview::ASKING.into(),
            None => return self.say_not_reached(),
        };
        self.post(words);
    }

    /// Something has failed for good: it is kept, and the team is told by another way than the one that failed. Once for
    /// a recipient, as long as nothing else is wrong with them. False where that was known already.
    pub(super) fn delivery_failed(&mut self, effect: &Effect, reason: &str) -> bool {
        let is_known = self.state.failed.iter().any(|failed| failed.effect == effect.id);
        if is_known || self.is_child() {
            return false;
        }
        let is_said = self
            .state
            .failed
            .iter()
            .any(|failed| failed.to == effect.to && failed.reason == reason);
        let what = effect.act.name().to_owned();
        let (to, reason) = (effect.to.clone(), reason.to_owned());
        let text = messages::staff::not_delivered(
            &self.state.person_in_words(),
            &effect.act,
            &to,
            &reason,
        );
        self.emit(Event::DeliveryFailed { effect: effect.id, what, to, reason });
        if !self.state.is_out_of_reach
            && let Some(missing) = messages::interview::missing_file(&effect.act)
        {
            self.post(missing);
        }
        let is_broken = |alias: &String| {
            let to = Recipient::Channel { alias: alias.clone() };
            self.state.failed.iter().any(|failed| failed.to == to)
        };
        let route = self.staff_aliases().into_iter().find(|alias| !is_broken(alias));
        // Who is out of reach is so in one line; roles that they did not get are another matter.
        let is_told = effect.to == Recipient::Participant
            && self.state.is_out_of_reach
            && !matches!(effect.act, Act::AddRoles { .. });
        if !is_said && !is_told {
            self.post_to_staff(route.as_deref(), text);
        }
        true
    }
}

impl SessionView {
    /// Whether the participant knows that the team decides: they were told when those before were asked.
    fn is_known(&self, errand: &Errand) -> bool {
        let Errand::Request { wait } = errand else { return false };
        self.state.wait(*wait).is_some_and(is_later_stage)
    }

    /// What is told elsewhere than where it should be.
    fn needed_elsewhere(&self, asking: &Asking) -> Text {
        let person = self.state.person_in_words();
        let title = &self.flow.flow.title;
        let text =
            messages::requests::needed_elsewhere(&person, title, &asking.alias, &asking.errand);
        match asking.errand {
            Errand::HandOver { .. } => text.then_text(self.standing_for_team()),
            Errand::Reminder { .. } | Errand::Request { .. } => text,
        }
    }

    /// Who has the card of a request in their direct messages.
    pub(super) fn directly_asked(&self, wait: WaitId) -> Vec<String> {
        let errand = Errand::Request { wait };
        let all = self.state.asking.values();
        let shown = all.filter(|one| one.errand == errand && one.reached == AskState::Delivered);
        shown.filter_map(|one| one.person.clone()).collect()
    }

    /// Whether anybody was asked this already.
    pub(super) fn is_reached(&self, errand: &Errand) -> bool {
        self.who_has(errand).is_some()
    }

    /// Who has it: a channel rather than a person, for there are more in it.
    fn who_has(&self, errand: &Errand) -> Option<&Asking> {
        let all = self.state.asking.values();
        let reached = all.filter(|one| one.errand == *errand && one.reached == AskState::Delivered);
        reached.min_by_key(|one| one.person.is_some())
    }

    /// Whether anybody knows that a person was asked for; true where nobody has to be told in a channel.
    pub(super) fn is_handover_known(&self) -> bool {
        let last = self.last_handover();
        last.is_none_or(|last| self.is_reached(&last.errand) || last.reached == AskState::Pending)
    }

    fn last_handover(&self) -> Option<&Asking> {
        let of_handover = |asking: &&Asking| matches!(asking.errand, Errand::HandOver { .. });
        self.state.asking.values().rfind(of_handover)
    }

    /// Whether it is still wanted.
    fn still_matters(&self, errand: &Errand) -> bool {
        let is_unclaimed = self.state.handoff.as_ref().is_some_and(|h| h.claimed_by.is_none());
        match errand {
            Errand::HandOver { .. } | Errand::Reminder { .. } => is_unclaimed,
            Errand::Request { wait } => {
                self.state.waits.get(wait).is_some_and(|wait| wait.status.is_pending())
            }
        }
    }

    /// All channels of the staff that the flow names, in the order in which they are tried.
    fn staff_aliases(&self) -> Vec<String> {
        let flow = &self.flow.flow;
        let overrides = &flow.approvals.overrides;
        let deciders =
            overrides.channel.iter().filter(|_| overrides.decider != Decider::Participant);
        let of_phases = flow.phase.iter().flat_map(|phase| &phase.effect);
        let of_phases = of_phases.flat_map(|effect| {
            let summary = match effect {
                PhaseEffect::PostSummary { channel, .. } => Some(channel.as_str()),
                _ => None,
            };
            effect.approval().into_iter().chain(summary)
        });
        let named = flow.handoff.channel.iter().chain(deciders).map(String::as_str);
        let of_decisions = flow.approvals.named.values().flat_map(Approval::stages);
        let of_phases = of_decisions.map(|(alias, _)| alias).chain(of_phases);
        let mut aliases: Vec<String> = Vec::new();
        for alias in named.chain(of_phases) {
            if !aliases.iter().any(|known| known == alias) {
                aliases.push(alias.to_owned());
            }
        }
        aliases
    }
}

/// What the participant reads once the team has it.
fn said(asking: &Asking) -> Text {
    match (&asking.errand, &asking.person) {
        (Errand::HandOver { .. }, Some(_)) => messages::interview::DIRECTLY_CALLED.into(),
        (Errand::Request { .. }, Some(_)) => messages::interview::DIRECTLY_ASKED.into(),
        (Errand::HandOver { text, .. }, None) => text.clone(),
        (Errand::Request { .. }, None) => messages::interview::STAFF_ASKED.into(),
        (Errand::Reminder { .. }, _) => messages::interview::UNCLAIMED.into(),
    }
}

/// Whether a request goes on from one that others of the team have approved.
fn is_later_stage(wait: &Wait) -> bool {
    matches!(&wait.purpose, Purpose::Call { tool, .. } if tool == REQUEST) && stage_of(wait) > 0
}

pub(super) fn stage_of(wait: &Wait) -> usize {
    stage_in(&wait.state)
}

pub(super) fn stage_in(state: &Value) -> usize {
    state["stage"].as_u64().and_then(|stage| usize::try_from(stage).ok()).unwrap_or(0)
}
