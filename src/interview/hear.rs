//! Hears what people write: a command, an answer to an open question, or words that are kept.

use super::{
    Actor, Answer, Command,
    actor::{blocks, is_for_deciders},
    answer,
    own::GO_ON,
    settle::Responder,
    texts,
};
use crate::{
    ids::WaitId,
    model::{
        effect::{Act, Recipient},
        session::Status,
        transcript::{Event, Speaker, Via},
        ui::{Control, Reply},
        wait::{Settlement, Wait},
    },
};

impl Actor {
    /// Hears a message. The participant's may be a command or an answer; a staff member's is a takeover; anybody
    /// else's is kept as context and settles nothing (SEMANTICS row 11).
    pub fn hear(&mut self, from: &Responder, text: &str, source: Option<String>) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if from.person != self.state.participant {
            self.hear_others(from, text, source);
            return;
        }
        if let Some(command) = Command::parse(text) {
            if let Err(refusal) = self.command(from, command, Via::Typed) {
                self.post(refusal.0);
            }
            return;
        }
        if self.state.handoff.is_some() {
            self.relay_to_staff(text);
            self.keep_words(text, source, None);
            return;
        }
        if self.is_alarming(text) {
            self.keep_words(text, source, None);
            self.raise_alarm();
            return;
        }
        match self.state.status {
            Status::Paused => self.wake(),
            Status::Stopped | Status::Declined => {
                self.keep_words(text, source, None);
                self.post(texts::STOPPED_ALREADY);
                return;
            }
            Status::Completed | Status::Ended => {
                self.keep_words(text, source, None);
                self.post(texts::COMPLETED_ALREADY);
                return;
            }
            Status::Notice | Status::Open => {}
        }
        self.hear_answer(from, text, source);
    }

    fn remember_wording(&mut self, wait: WaitId, source: Option<String>) {
        if let Some(source) = source {
            self.emit(Event::Worded { wait, source });
        }
    }

    fn hear_others(&mut self, from: &Responder, text: &str, source: Option<String>) {
        let (by, name) = (from.person.clone(), from.name.clone());
        if from.staff {
            self.take_over(from);
            let from = Speaker::Staff { by, name };
            self.emit(Event::Said { from, text: text.to_owned(), source, about: None });
        } else {
            let from = Speaker::Bystander { by, name };
            self.emit(Event::Said { from, text: text.to_owned(), source, about: None });
        }
    }

    /// Those who are asked to take over, or have, read what the participant writes where they are.
    fn relay_to_staff(&mut self, text: &str) {
        let Some(alias) = self.flow.flow.handoff.channel.clone() else { return };
        let name = self.state.name.clone().unwrap_or_else(|| "The participant".to_owned());
        self.effect(Recipient::Channel { alias }, Act::Relay { name, text: text.to_owned() });
    }

    pub(super) fn keep_words(&mut self, text: &str, source: Option<String>, about: Option<WaitId>) {
        self.emit(Event::Said { from: Speaker::Participant, text: text.to_owned(), source, about });
        self.mind_turns();
    }

    /// A conversation that has become longer than the flow allows is handed to a person, once, and says so.
    pub(super) fn mind_turns(&mut self) {
        let is_due =
            self.state.turns == self.flow.flow.limits.turns && self.state.handoff.is_none();
        if is_due && self.state.status == Status::Open {
            self.hand_over("the conversation has become very long", texts::TOO_LONG);
        }
    }

    /// The newest open question that the words can answer is answered; otherwise the words are kept and the person
    /// is told how to answer (DESIGN §10.7).
    fn hear_answer(&mut self, from: &Responder, text: &str, source: Option<String>) {
        let open: Vec<Wait> = self
            .state
            .pending()
            .filter(|wait| blocks(wait) && !is_for_deciders(wait))
            .cloned()
            .collect();
        for wait in open.iter().rev() {
            let Some(reply) = answer::read(&wait.prompt.control, text) else { continue };
            let answer = Answer {
                wait: wait.id,
                revision: wait.revision,
                reply,
                from: from.clone(),
                via: Via::Typed,
            };
            match self.settle(answer) {
                Settlement::Applied => return self.remember_wording(wait.id, source),
                Settlement::Invalid { errors } => {
                    self.keep_words(text, source, Some(wait.id));
                    let said: Vec<String> = errors.into_iter().map(|error| error.message).collect();
                    self.post(said.join(" "));
                    return;
                }
                Settlement::AlreadySettled { .. }
                | Settlement::NotAllowed { .. }
                | Settlement::Expired
                | Settlement::Superseded
                | Settlement::Cancelled
                | Settlement::Unknown => {}
            }
        }
        // Whoever writes something else has gone on already.
        if let Some(wait) = self.waits_to_begin().cloned() {
            let reply = Reply::Chosen { ids: vec![GO_ON.to_owned()], free_text: None };
            let (from, via) = (from.clone(), Via::Typed);
            self.settle(Answer { wait: wait.id, revision: wait.revision, reply, from, via });
            self.keep_words(text, source, None);
            return;
        }
        if self.is_led_by_model() {
            self.hear_for_model(from, open.last(), text, source);
            return;
        }
        if let Some(wait) = open.last() {
            self.could_not_match(wait, text, source);
            return;
        }
        self.keep_words(text, source, None);
        let request = self.state.pending().find(|wait| is_for_deciders(wait)).map(|wait| wait.id);
        if let Some(request) = request.filter(|_| self.awaits_deciders()) {
            self.say_asked(request);
        } else if self.lacks_means() {
            self.post(texts::OUT_OF_MEANS);
        }
    }

    /// Other words than an answer, to a model: they settle a choice as they are (DESIGN §10.28). Every other card stays
    /// open, since no words are consent, and the model goes on with them (SEMANTICS row 10).
    fn hear_for_model(
        &mut self,
        from: &Responder,
        open: Option<&Wait>,
        text: &str,
        source: Option<String>,
    ) {
        if let Some(wait) = open.filter(|wait| matches!(wait.prompt.control, Control::Choose(_))) {
            let reply = Reply::Chosen { ids: Vec::new(), free_text: Some(text.to_owned()) };
            let (from, via) = (from.clone(), Via::Typed);
            let answer = Answer { wait: wait.id, revision: wait.revision, reply, from, via };
            if self.settle(answer) == Settlement::Applied {
                return self.remember_wording(wait.id, source);
            }
        }
        self.detach_all();
        self.keep_words(text, source, open.map(|wait| wait.id));
    }

    /// Once the question is shown again with a hint; after that the words are a note, and staff are offered.
    fn could_not_match(&mut self, wait: &Wait, text: &str, source: Option<String>) {
        let before = self.state.unmatched.get(&wait.id).copied().unwrap_or_default();
        self.keep_words(text, source, Some(wait.id));
        if before > 0 {
            self.post(texts::KEPT_AS_NOTE);
            return;
        }
        self.post(match wait.prompt.control {
            Control::Choose(_) => texts::PICK_ONE,
            Control::Upload(_) => texts::SEND_A_FILE,
            Control::Form(_)
            | Control::Review(_)
            | Control::Ask(_)
            | Control::Decide(_)
            | Control::Confirm(_) => texts::USE_THE_CARD,
        });
        self.show(wait.id);
    }
}
