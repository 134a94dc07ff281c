//! Messages that are changed or taken away after they were heard (BEHAVIOUR F16).

use super::{Actor, Refusal, settle::Responder};
use crate::model::transcript::Event;

/// Said to who changes a message that answered a question.
const ANSWERED: &str = "I'd already used that message as it was. If something has changed, please tell me, or press “Change” on the card.";

impl Actor {
    /// Takes in that a message reads differently now, or is gone. Only who wrote it can do that. What was an answer
    /// or an order stays what it was: it has had its effect.
    pub fn amend(
        &mut self,
        from: &Responder,
        source: &str,
        text: Option<&str>,
    ) -> Result<(), Refusal> {
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        let Some(words) = self.state.words.get(source) else {
            let is_theirs = from.person == self.state.participant;
            return match text {
                Some(_) if is_theirs => Err(Refusal(ANSWERED.to_owned())),
                _ => Ok(()),
            };
        };
        if words.by == from.person {
            let (source, text) = (source.to_owned(), text.map(str::to_owned));
            self.emit(Event::Amended { source, text });
        }
        Ok(())
    }
}
