//! A person of the team: asked for, there, and gone again.

use serde_json::{Value, json};

use super::{Changes, SessionView, answer::describe, settle::Responder, summary};
use crate::{
    messages::{self, Text},
    model::{
        flow::{REQUEST, Sensitivity, Step},
        session::Status,
        transcript::{Errand, Event, Origin},
        ui::Reply,
        wait::{Purpose, Wait},
    },
    store::TimerKind,
};

/// Why a person is asked for, where the participant did; that they did is said anyway.
pub(super) const ASKED: &str = messages::staff::PARTICIPANT_ASKED;

/// Characters of the model's reason that the team reads.
const REASON_MAX: usize = 300;

/// Characters of a question that the team reads beside the answer that led to them.
const QUESTION_MAX: usize = 80;

/// What came of a call for a person, as far as it is known when it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// The team is being asked, and the participant is told once somebody has it.
    Asking,
    /// The team was asked before, and nobody has come yet.
    Already,
    /// Somebody of the team is there.
    PersonIsThere,
    /// The flow names no channel of the team: the request stands on the staff page alone.
    Listed,
}

/// Why a person is asked where a script has come to its end without what it requires.
pub(crate) const CANNOT_GO_ON: &str = messages::staff::SCRIPT_STUCK;

impl Changes {
    /// A person is asked for; the bot keeps quiet until they answer or the participant says "continue".
    pub(super) fn hand_over(&mut self, reason: &str, text: &'static str) {
        self.ask_for_person(reason, None, text);
    }

    /// The script leads to a person, by what came of a step.
    pub(super) fn hand_over_after(&mut self, step: &Step, value: &Value) {
        let text = messages::interview::HUMAN_ASKED;
        if let Some(reason) = self.answer_to(step, value) {
            return self.ask_for_person(&reason, Some(("script", &reason)), text);
        }
        let reason = match value["status"].as_str() {
            Some("expired") if step.tool == REQUEST => messages::staff::NOBODY_DECIDED,
            Some("expired") => messages::staff::NOT_ANSWERED,
            Some("denied") => messages::staff::REQUEST_DENIED,
            _ => messages::staff::HAS_A_QUESTION,
        };
        self.hand_over(reason, text);
    }

    /// The model asks for a person in the participant's place. Asked for once, the same again changes nothing and says
    /// nothing.
    pub(crate) fn call_person(&mut self, reason: &str) -> Called {
        if let Some(handoff) = &self.state.handoff {
            let is_there = handoff.claimed_by.is_some();
            return if is_there { Called::PersonIsThere } else { Called::Already };
        }
        let words: String = reason.trim().chars().take(REASON_MAX).collect();
        let reason = messages::staff::assistant_says(words.trim_end_matches('.'));
        self.ask_for_person(&reason, Some(("model", &words)), messages::interview::HUMAN_ASKED);
        match self.flow.flow.handoff.channel {
            Some(_) => Called::Asking,
            None => Called::Listed,
        }
    }

    /// `words` are the model's own, or tell an answer, beside who says them: they may tell something of the participant, so
    /// they can be erased.
    fn ask_for_person(&mut self, reason: &str, words: Option<(&str, &str)>, text: &'static str) {
        if self.is_child() {
            return self.fail_child("stuck", reason.to_owned());
        }
        if let Some(handoff) = &self.state.handoff {
            let is_there = handoff.claimed_by.is_some();
            if is_there {
                return self.post(messages::interview::PERSON_IS_THERE);
            }
            return self.say_called(text);
        }
        self.emit(Event::HandedOver { reason: reason.to_owned() });
        let fact = match words {
            Some((by, _)) => ("by", json!(by)),
            None => ("reason", json!(reason)),
        };
        self.audit("handed_over", [fact], [("words", json!(words.map(|(_, words)| words)))]);
        let handoff = self.flow.flow.handoff.clone();
        let card = self.card_for_team(reason);
        if let Some(alias) = &handoff.channel {
            let errand = Errand::HandOver { at: self.now, text: text.into() };
            self.ask_staff(alias, card, errand);
        } else {
            // The staff page shows who asks for a person.
            self.post(text);
            self.post_to_staff(None, card);
        }
        let remind = self.now.checked_add_signed(handoff.claim_reminder.delta());
        self.set_timer(TimerKind::Unclaimed, remind);
    }

    /// A staff member is there; their message alone counts as that.
    pub(super) fn take_over(&mut self, from: &Responder) {
        let claimed = self.state.handoff.as_ref().and_then(|handoff| handoff.claimed_by.as_ref());
        if claimed.is_some_and(|(by, _)| *by == from.person) {
            return;
        }
        self.audit("taken_over", [("by", json!(self.named(&from.person)))], []);
        self.emit(Event::Claimed { by: from.person.clone(), by_name: from.name.clone() });
        self.set_timer(TimerKind::Unclaimed, None);
        self.post(messages::interview::is_here(&from.name));
    }

    pub(super) fn hand_back(&mut self, from: &Responder) {
        if self.state.handoff.is_none() {
            return;
        }
        self.audit("handed_back", [("by", json!(self.named(&from.person)))], []);
        self.emit(Event::HandedBack { by: from.person.clone() });
        self.set_timer(TimerKind::Unclaimed, None);
        match self.state.status {
            Status::Notice | Status::Open => self.post(messages::interview::HANDED_BACK),
            Status::Stopped
            | Status::Paused
            | Status::Declined
            | Status::Completed
            | Status::Ended => self.post(messages::interview::BACK_AFTER_THE_END),
        }
        self.show_open();
        self.miss_notice();
    }
}

impl SessionView {
    /// What was picked at a step and what was asked there, for the team; `None` if nothing was, or where it is stored
    /// as something that is not for a channel.
    fn answer_to(&self, step: &Step, value: &Value) -> Option<String> {
        let kept = step.save.as_ref().and_then(|data| self.flow.flow.data.get(data));
        let is_open = kept.is_none_or(|data| {
            matches!(data.sensitivity, Sensitivity::None | Sensitivity::Personal)
        });
        let ids = value["selectedIds"].as_array().filter(|ids| is_open && !ids.is_empty())?;
        let ids = ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect();
        let is_of_step = |wait: &&Wait| {
            let Purpose::Call { call, .. } = &wait.purpose else { return false };
            let call = self.state.call(call).map(|known| &known.call.origin);
            matches!(call, Some(Origin::Step { step: id }) if *id == step.id)
        };
        let asked = self.state.asked.iter().rev().filter_map(|id| self.state.wait(*id));
        let prompt = &asked.into_iter().find(is_of_step)?.prompt;
        let answer = describe(&prompt.control, &Reply::Chosen { ids, free_text: None });
        let question = prompt.heading().unwrap_or_else(|| prompt.body.common_mark());
        let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(if question.chars().count() <= QUESTION_MAX {
            messages::staff::answered_with(&question, &answer)
        } else {
            messages::staff::answered(&answer)
        })
    }

    /// What the colleague who takes over should know: who, where, why, and how far they are.
    fn card_for_team(&self, reason: &str) -> Text {
        let person = self.state.person_in_words();
        let title = &self.flow.flow.title;
        let why = Some(reason).filter(|reason| *reason != ASKED);
        messages::staff::asks_for_human(&person, title, why, self.standing_for_team())
    }

    /// How far they are, as a list below the words; empty where there is nothing to tell.
    pub(super) fn standing_for_team(&self) -> Text {
        let lines = summary::status_lines(&self.state, &self.flow).into_iter().enumerate();
        let gap = |n| if n == 0 { "\n\n- " } else { "\n- " };
        lines.fold(Text::default(), |all, (n, line)| all.then_markdown(gap(n)).then_text(line))
    }
}
