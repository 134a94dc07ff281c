//! Hears what people write: a command, an answer to an open question, or words that are kept.

use serde_json::Value;

use super::{
    Answer, Changes, Command, SessionView, answer,
    commands::is_still_offered,
    engine_prompts::GO_ON,
    settle::Responder,
    typed::{self, Reading},
    view::{blocks, is_for_deciders},
};
use crate::{
    base::ids::WaitId,
    messages::{self, Text},
    model::{
        effect::{Act, Recipient},
        session::Status,
        transcript::{Event, Speaker, Via},
        ui::{Control, Offered, Reply},
        wait::{Settlement, Wait},
    },
};

impl Changes {
    /// Hears a message. The participant's may be a command or an answer; a staff member's is a takeover; anybody
    /// else's is kept as context and settles nothing.
    pub fn receive(&mut self, from: &Responder, text: &str, source: Option<String>) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if from.person != self.state.participant {
            self.hear_others(from, text, source);
            return;
        }
        if let Some(command) = self.order_in(text) {
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
                self.post(messages::interview::STOPPED_ALREADY);
                return;
            }
            Status::Completed | Status::Ended => {
                self.keep_words(text, source, None);
                self.post(messages::interview::COMPLETED_ALREADY);
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
        let name = self.state.name.as_deref().unwrap_or(messages::unnamed::THE_PARTICIPANT);
        let name = messages::unnamed::at_beginning(name);
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
            self.hand_over(messages::staff::LONG_CONVERSATION, messages::interview::TOO_LONG);
        }
    }

    /// The newest open question that the words can answer is answered; otherwise the words are kept and the person
    /// is told how to answer.
    fn hear_answer(&mut self, from: &Responder, text: &str, source: Option<String>) {
        let open: Vec<Wait> = self
            .state
            .pending()
            .filter(|wait| blocks(wait) && !is_for_deciders(wait))
            .cloned()
            .collect();
        for wait in open.iter().rev() {
            let Reading::Settled(reply) = self.read(wait, text) else { continue };
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
                    self.post(Text::words(said.join(" ")));
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
        if self.is_led_by_model() && self.state.opens_at.is_none() {
            self.hear_for_model(from, open.last(), text, source);
            return;
        }
        if let Some(wait) = open.last() {
            self.could_not_match(wait, text, source);
            return;
        }
        self.keep_words(text, source, None);
        if let Some(at) = self.state.opens_at {
            return self.say_when(at);
        }
        let request = self.state.pending().find(|wait| is_for_deciders(wait)).map(|wait| wait.id);
        if let Some(request) = request.filter(|_| self.awaits_deciders()) {
            self.say_asked(request);
        } else if self.lacks_means() {
            self.post(messages::interview::OUT_OF_MEANS);
        }
    }

    /// Other words than an answer, to a model: they answer a choice as they are, without picking anything. Every other
    /// card stays open, since no words are consent, and the model goes on with them.
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

    /// Once the question is shown again with a hint; after that the words are a note, and staff are offered. What a
    /// field does not take is told each time.
    fn could_not_match(&mut self, wait: &Wait, text: &str, source: Option<String>) {
        let before = self.state.unmatched.get(&wait.id).copied().unwrap_or_default();
        let reading = self.read(wait, text);
        self.keep_words(text, source, Some(wait.id));
        if let Some(complaint) = complaint(&wait.prompt.control, text, &reading) {
            return self.post(Text::words(complaint));
        }
        if before > 0 {
            return self.post(messages::interview::KEPT_AS_NOTE);
        }
        self.post(hint(&wait.prompt.control, reading));
        self.show(wait.id);
    }
}

impl SessionView {
    /// The order that a message is. What names an option of an open question is its answer, whatever else it would be.
    fn order_in(&self, text: &str) -> Option<Command> {
        let command = typed::order(text)?;
        let is_asking = self.state.handoff.is_none()
            && matches!(self.state.status, Status::Notice | Status::Open | Status::Paused);
        let open = || self.state.pending().filter(|wait| blocks(wait) && !is_for_deciders(wait));
        let has_a_use = match command {
            Command::Later => is_asking && open().next().is_some(),
            // A model may have asked in words.
            Command::Skip => open().next().is_some() || !self.is_led_by_model(),
            // A model that was stopped goes on with any words.
            Command::Resume => !is_asking || !self.state.model_turn.is_halted(),
            Command::AskAgain => is_still_offered(Offered::AskAgain, &self.state),
            _ => true,
        };
        if !has_a_use {
            return None;
        }
        (!is_asking || !self.names_an_option(text)).then_some(command)
    }

    /// What words are to a question. Where no model reads them, a question in reply to one that takes any words is not
    /// kept as its answer at once: whoever sends it again means it.
    fn read(&self, wait: &Wait, text: &str) -> Reading {
        let is_first = !self.state.unmatched.contains_key(&wait.id);
        let takes_any = typed::takes_any_words(&wait.prompt.control);
        if takes_any && is_first && !self.is_led_by_model() && typed::asks_back(text) {
            return Reading::NotAnAnswer { is_question: true };
        }
        typed::read(&wait.prompt.control, text)
    }
}

/// What is wrong with words that were meant for a form's only field.
fn complaint(control: &Control, text: &str, reading: &Reading) -> Option<String> {
    let Control::Form(form) = control else { return None };
    let [field] = form.fields.as_slice() else { return None };
    if *reading == (Reading::NotAnAnswer { is_question: true }) {
        return None;
    }
    answer::check_field(field, &Value::from(text))
}

/// How to answer a question that words did not.
fn hint(control: &Control, reading: Reading) -> Text {
    let is_question = reading == Reading::NotAnAnswer { is_question: true };
    match (control, reading) {
        (Control::Choose(_), Reading::Unsure(label)) => messages::interview::did_you_mean(&label),
        (Control::Choose(_), _) if is_question => {
            messages::interview::question_kept(messages::interview::PLEASE_PICK).into()
        }
        (Control::Choose(_), _) => messages::interview::NOT_MATCHED.into(),
        (Control::Upload(_), _) if is_question => {
            messages::interview::question_kept(messages::interview::SEND_A_FILE).into()
        }
        (Control::Upload(_), _) => messages::interview::SEND_A_FILE.into(),
        (control, _) if is_question && typed::takes_any_words(control) => {
            messages::interview::question_kept(messages::interview::SEND_AGAIN).into()
        }
        (_, _) if is_question => {
            messages::interview::question_kept(messages::interview::USE_THE_CARD).into()
        }
        _ => messages::interview::USE_THE_CARD.into(),
    }
}
