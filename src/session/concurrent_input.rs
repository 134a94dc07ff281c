//! What people do while the model is at work: it did not know of it when it made its calls, and reads it next.
//!
//! | they | while its words come | while it is asked, and nothing of it is seen yet |
//! |---|---|---|
//! | write "stop" | the words end, and it rests until they do something | the order to leave, as at any other time |
//! | write "wait", or press the button | the words end, and it rests until they do something | the same |
//! | write something else | the words end, twice in a row at most, and it goes on with theirs | it is read next |
//! | write "ok" or "thanks" | it is read next | it is read next |
//!
//! A card that was made without knowing it is withheld: the call's result says so, and the model asks again what is still
//! open. After two such rounds in a row the card is shown and stays open, and the model reads the words beside it.

use super::{
    Changes, Command, Refusal, SessionView,
    settle::Responder,
    stall::asks,
    state::model_turn::NOT_SHOWN,
    typed::{self, Reading},
    view::{blocks, is_for_deciders},
};
use crate::{
    base::ids::CallId,
    messages,
    model::{
        session::Status,
        transcript::{CallResult, Event, Gap, Origin, Thought},
        usage::Usage,
        wait::Wait,
    },
};

/// A round of the model that is under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Speech {
    /// The last event that it knew.
    pub knew: u64,
    /// Its words so far, as far as the participant sees them come; empty where they see nothing yet.
    pub text: String,
    /// What it has cost so far; estimated.
    pub usage: Usage,
}

/// Answers in a row that end because the participant writes; after that, words wait for the end of what is said.
const INTERRUPTIONS_MAX: u32 = 2;

/// What the model reads of a card that was not shown.
const WITHHELD: &str = "the card was not shown: the participant wrote, sent or answered something that you had not \
    read yet. hint: read it, then ask again what is still open";

impl Changes {
    /// Hears a message while the model may be at work on an answer, `speech`. What interrupts it ends its words where they
    /// are; everything is received as at any other time.
    pub(super) fn hear_amid(
        &mut self,
        from: &Responder,
        text: &str,
        source: Option<String>,
        speech: Option<&Speech>,
    ) {
        let speech = speech.filter(|speech| self.may_interrupt(from, speech));
        let Some(speech) = speech.filter(|_| !text.trim().is_empty()) else {
            return self.receive(from, text, source);
        };
        let is_seen = !speech.text.trim().is_empty();
        let is_stop = typed::order(text) == Some(Command::Stop);
        if ((is_stop && is_seen) || typed::asks_to_wait(text)) && !self.names_an_option(text) {
            self.keep_words(text.trim(), source, None);
            self.end_speech(speech, Gap::Stopped);
            return self.post(if is_stop {
                messages::interview::SPEECH_STOPPED
            } else {
                messages::interview::WAITING
            });
        }
        let is_patient = self.state.model_turn.interruptions >= INTERRUPTIONS_MAX;
        if is_seen && !is_patient && typed::order(text).is_none() && !typed::acknowledges(text) {
            self.end_speech(speech, Gap::Interrupted);
        }
        self.receive(from, text, source);
    }

    /// The button that stops the model: it ends its words where they are, and rests until the participant does something.
    pub(super) fn interrupt(
        &mut self,
        from: &Responder,
        speech: Option<&Speech>,
    ) -> Result<(), Refusal> {
        if from.person != self.state.participant {
            return Err(Refusal(messages::interview::NOT_YOURS_TO_STOP.into()));
        }
        let Some(speech) = speech.filter(|speech| self.may_interrupt(from, speech)) else {
            let is_at_work = self.state.status == Status::Open && self.is_thinking();
            let why = if is_at_work {
                messages::interview::STEP_UNDER_WAY
            } else {
                messages::interview::NOTHING_UNDER_WAY
            };
            return Err(Refusal(why.into()));
        };
        self.end_speech(speech, Gap::Stopped);
        self.post(messages::interview::SPEECH_STOPPED_BY_BUTTON);
        Ok(())
    }

    /// Ends what the model says where it is; its answer is not waited for any more.
    fn end_speech(&mut self, speech: &Speech, gap: Gap) {
        self.say_unsaid();
        let text = speech.text.trim().to_owned();
        if text.is_empty() {
            self.say_held();
        }
        let before = self.levels();
        let shown = format!("{text} …");
        let (knew, usage, round) = (speech.knew, speech.usage, self.state.model_turn.round + 1);
        let (calls, opaque, last) = (Vec::new(), None, false);
        let is_seen = !text.is_empty();
        let gap = Some(gap);
        self.emit(Event::Thought(Thought { knew, round, text, calls, usage, opaque, last, gap }));
        if is_seen {
            self.post_of_model(&shown);
        }
        self.mind_budgets(before);
    }

    /// Ends a call whose card is not shown.
    pub(crate) fn withhold(&mut self, call: &CallId) {
        let (code, message) = (NOT_SHOWN.to_owned(), WITHHELD.to_owned());
        self.finish(call, CallResult::Err { code, message });
    }
}

impl SessionView {
    fn may_interrupt(&self, from: &Responder, speech: &Speech) -> bool {
        from.person == self.state.participant
            && self.state.status == Status::Open
            && self.awaits_answer(speech.knew)
    }

    /// Whether an answer of the model that knew so much is still wanted.
    pub(crate) fn awaits_answer(&self, knew: u64) -> bool {
        !self.is_void(knew) && self.awaits_thought().is_some()
    }

    /// Whether the round that knew so much has ended already.
    pub(super) fn is_void(&self, knew: u64) -> bool {
        knew <= self.state.model_turn.knew
    }

    /// Whether words name an option of an open question: they are its answer, whatever else they would be.
    pub(super) fn names_an_option(&self, text: &str) -> bool {
        let is_named = |wait: &Wait| {
            let control = &wait.prompt.control;
            !typed::takes_any_words(control)
                && matches!(typed::read(control, text), Reading::Settled(_))
        };
        let mut open = self.state.pending().filter(|wait| blocks(wait) && !is_for_deciders(wait));
        open.any(is_named)
    }

    /// Whether the card of a call is not to be shown, since a person wrote or did something that the model did not know
    /// when it made the call.
    pub(crate) fn withholds(&self, call: &CallId) -> bool {
        self.is_unaware_of_words(call)
            && self.state.model_turn.may_withhold()
            && !self.state.has_asked(call)
    }

    /// Whether the model made a call without knowing what a person wrote or did meanwhile.
    pub(super) fn is_unaware_of_words(&self, call: &CallId) -> bool {
        let is_of_model = |known: &Origin| matches!(known, Origin::Model { .. });
        self.state.model_turn.is_unaware()
            && !self.is_child()
            && self.is_led_by_model()
            && self.state.call(call).is_some_and(|known| is_of_model(&known.call.origin))
    }

    /// Whether the words that wait for what becomes of their calls are more than the question of a card.
    pub(crate) fn holds_more_than_a_question(&self) -> bool {
        let held = self.state.model_turn.held.as_str();
        !held.is_empty() && !asks(held)
    }
}
