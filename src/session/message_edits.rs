//! Messages that are changed or taken away after they were received, and answers that are given anew.

use serde_json::json;

use super::{
    Answer, Changes, Refusal, SessionView, answer,
    settle::Responder,
    typed::{self, Reading},
};
use crate::{
    base::ids::WaitId,
    messages,
    model::{
        session::Status,
        transcript::{Event, Origin, Via},
        ui::{Control, Reply},
        wait::{Purpose, Settlement, Wait, WaitStatus},
    },
};

impl Changes {
    /// Takes in that a message reads differently now, or is gone. Only who wrote it can do that. Words that answered a
    /// question answer it anew where nothing has come of the answer that cannot be redone; an order stays what it was.
    pub(super) fn amend(
        &mut self,
        from: &Responder,
        source: &str,
        text: Option<&str>,
    ) -> Result<(), Refusal> {
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        let Some(words) = self.state.words.get(source) else {
            let is_theirs = from.person == self.state.participant;
            return match (text, self.state.worded.get(source)) {
                (Some(text), Some(wait)) if is_theirs => self.answer_anew(from, *wait, text),
                (Some(_), None) if is_theirs => {
                    Err(Refusal(messages::forms::already_used().into()))
                }
                _ => Ok(()),
            };
        };
        if words.by == from.person {
            let (source, text) = (source.to_owned(), text.map(str::to_owned));
            self.emit(Event::Amended { source, text });
        }
        Ok(())
    }

    fn answer_anew(&mut self, from: &Responder, id: WaitId, text: &str) -> Result<(), Refusal> {
        let refused = |why: &str| Err(Refusal(why.to_owned().into()));
        let Some(wait) = self.changeable(id).filter(|_| self.may_change_now().is_ok()).cloned()
        else {
            return refused(&messages::forms::already_used());
        };
        let by_model = || match &wait.prompt.control {
            Control::Choose(_) if self.is_led_by_model() => {
                Some(Reply::Chosen { ids: Vec::new(), free_text: Some(text.to_owned()) })
            }
            _ => None,
        };
        let read = match typed::read(&wait.prompt.control, text) {
            Reading::Settled(reply) => Some(reply),
            Reading::Unsure(_) | Reading::NotAnAnswer { .. } => None,
        };
        let Some(reply) = read.or_else(by_model) else {
            return refused(messages::interview::UNREADABLE);
        };
        let errors = answer::check(&wait.prompt.control, &reply);
        if !errors.is_empty() {
            let said: Vec<String> = errors.into_iter().map(|error| error.message).collect();
            return Err(Refusal(said.join(" ").into()));
        }
        if wait.status.answer().is_some_and(|(before, ..)| *before == reply) {
            return Ok(());
        }
        let revision = self.ask_anew(wait);
        let (from, via) = (from.clone(), Via::Typed);
        match self.settle(Answer { wait: id, revision, reply, from, via }) {
            Settlement::Applied => Ok(()),
            _ => refused(&messages::forms::already_used()),
        }
    }

    /// Asks a question that was answered once more; the revision under which it is asked now.
    pub(super) fn ask_anew(&mut self, mut wait: Wait) -> u32 {
        let (id, revision) = (wait.id, wait.revision + 1);
        wait.revision = revision;
        wait.status = WaitStatus::Pending;
        wait.expires_at = None;
        self.audit("wait_revised", [("wait", json!(id)), ("revision", json!(revision))], []);
        self.emit(Event::Asked(Box::new(wait)));
        self.show(id);
        revision
    }
}

impl SessionView {
    /// Whether answers may be changed as things are.
    pub(super) fn may_change_now(&self) -> Result<(), Refusal> {
        let refused = |why: &str| Err(Refusal(why.to_owned().into()));
        if self.state.handoff.is_some() {
            return refused(messages::interview::WITH_THE_TEAM);
        }
        match self.state.status {
            Status::Open | Status::Paused => Ok(()),
            Status::Stopped | Status::Declined => refused(messages::interview::STOPPED_ALREADY),
            Status::Notice | Status::Completed | Status::Ended => {
                refused(messages::interview::NOTHING_TO_CHANGE)
            }
        }
    }

    /// A question of this phase whose answer can be given anew: a script has not branched by it.
    pub(super) fn changeable(&self, id: WaitId) -> Option<&Wait> {
        let wait = self.state.waits.get(&id)?;
        let Purpose::Call { call, .. } = &wait.purpose else { return None };
        let is_kind =
            matches!(wait.prompt.control, Control::Ask(_) | Control::Form(_) | Control::Choose(_));
        let is_done = matches!(wait.status, WaitStatus::Applied { .. });
        let call = &self.state.call(call)?.call;
        let has_led_on = match &call.origin {
            Origin::Step { step } => {
                self.flow.step(step).is_none_or(|(_, step)| !step.branch.is_empty())
            }
            Origin::Model { .. } => false,
            Origin::Engine | Origin::Person { .. } => true,
        };
        let is_here = call.phase.as_deref() == self.state.phase();
        (is_kind && is_done && is_here && !has_led_on).then_some(wait)
    }
}
