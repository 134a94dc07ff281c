//! What a form for words says about who reads them: the words of a denial, and the note beside a review.

use crate::{
    messages,
    model::{
        transcript::Origin,
        ui::{Decide, DenialReader},
        wait::{Purpose, Wait},
    },
    session::State,
};

/// The form in which somebody says why they deny a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenialForm {
    /// Heading of the form.
    pub title: &'static str,
    /// Label of its input.
    pub label: &'static str,
    /// Who reads what is written.
    pub hint: String,
    /// Label of the button that sends it.
    pub send: &'static str,
}

impl DenialForm {
    /// The form for a request.
    ///
    /// ```
    /// use anteroom::{chat::form::DenialForm, model::ui::{Decide, DenialReader}};
    /// let mut request = Decide {
    ///     request: "Give Ada the Contributor role?".into(),
    ///     facts: vec![(Decide::PERSON.to_owned(), "Ada".to_owned())],
    ///     approve: "Approve".to_owned(),
    ///     deny: "Deny".to_owned(),
    ///     deny_and_tell: Some("Deny with feedback".to_owned()),
    ///     denial_reader: DenialReader::Participant,
    /// };
    /// assert_eq!(DenialForm::of(&request).hint, "Ada will read this, with your name.");
    /// request.denial_reader = DenialReader::Interviewer;
    /// assert_eq!(DenialForm::of(&request).hint, "The interviewer will use this; Ada won't see it.");
    /// ```
    pub fn of(decide: &Decide) -> Self {
        let person = decide.person().filter(|name| !super::is_blank(name));
        match decide.denial_reader {
            DenialReader::Interviewer => Self {
                title: messages::buttons::DENY_AND_TELL_SHORT,
                label: messages::forms::denial_label(decide.denial_reader),
                hint: messages::forms::denial_hint(decide.denial_reader, person),
                send: messages::buttons::SEND_TO_INTERVIEWER,
            },
            DenialReader::Participant => Self {
                title: messages::buttons::DENY_WITH_FEEDBACK,
                label: messages::forms::denial_label(decide.denial_reader),
                hint: messages::forms::denial_hint(decide.denial_reader, person),
                send: messages::buttons::DENY_AND_SEND,
            },
        }
    }
}

/// Whether a script asked a question, and no model: who reads a note beside the answer depends on it.
pub fn is_scripted(wait: &Wait, state: &State) -> bool {
    let Purpose::Call { call, .. } = &wait.purpose else { return false };
    state.call(call).is_some_and(|known| matches!(known.call.origin, Origin::Step { .. }))
}
