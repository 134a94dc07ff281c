//! What a form for words says about who reads them: the words of a denial, and the note beside a review.

use crate::{
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
    ///     request: "Give Ada the Contributor role?".to_owned(),
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
                title: "Deny and tell",
                label: "What should the interviewer do next?",
                hint: format!(
                    "The interviewer will use this; {} won't see it.",
                    person.unwrap_or("the participant")
                ),
                send: "Send to interviewer",
            },
            DenialReader::Participant => Self {
                title: "Deny with feedback",
                label: "What should they know?",
                hint: format!(
                    "{} will read this, with your name.",
                    person.unwrap_or("The participant")
                ),
                send: "Deny and send",
            },
        }
    }
}

/// To whom the words of a denial went, for staff who read it afterwards.
pub fn words_went_to(decide: &Decide) -> String {
    match decide.denial_reader {
        DenialReader::Interviewer => "To the interviewer".to_owned(),
        DenialReader::Participant => format!("To {}", decide.person().unwrap_or("the participant")),
    }
}

/// Whether a script asked a question, and no model: who reads a note beside the answer depends on it.
pub fn is_scripted(wait: &Wait, state: &State) -> bool {
    let Purpose::Call { call, .. } = &wait.purpose else { return false };
    state.call(call).is_some_and(|known| matches!(known.call.origin, Origin::Step { .. }))
}

/// Label of the note beside a review: read by the model where one asks, otherwise by the team.
pub const fn note_label(is_led: bool) -> &'static str {
    if is_led { "Note for the interviewer" } else { "Note for the team" }
}

/// What becomes of a draft that is thrown away.
pub const fn starting_over(is_led: bool) -> &'static str {
    if is_led {
        "This draft is dropped and the interviewer begins again."
    } else {
        "This draft is dropped, and you begin with an empty one."
    }
}
