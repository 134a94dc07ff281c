//! What became of an attempt, in the words of the catalogue.

use crate::{
    engine::{Error, Receipt},
    messages::{self, Text},
    model::{
        session::PersonId,
        ui::{Control, Prompt},
        wait::Settlement,
    },
    store,
};

/// What became of an attempt, for the one who made it; `None` if there is nothing to say. `prompt` is what the attempt
/// was to answer, where it is known.
pub fn of_receipt(receipt: &Receipt, prompt: Option<&Prompt>, me: &PersonId) -> Option<Text> {
    match receipt {
        Receipt::Taken | Receipt::Duplicate | Receipt::Erased { .. } => None,
        Receipt::Refused(why) => Some(why.clone()),
        Receipt::Settled(settlement) => of_settlement(settlement, prompt, me),
    }
}

fn of_settlement(settlement: &Settlement, prompt: Option<&Prompt>, me: &PersonId) -> Option<Text> {
    let text = match settlement {
        Settlement::Applied => return None,
        Settlement::AlreadySettled { by, by_name, at, choice } => {
            let decision = prompt.is_some_and(|p| matches!(p.control, Control::Decide(_)));
            let text = if decision {
                let text = messages::notices::already(choice);
                if by == me {
                    text.then(messages::forms::YOU_WITHIN)
                } else {
                    text.then_quoted(by_name)
                }
                .then(messages::notices::AT)
            } else {
                Text::words(messages::notices::ANSWERED_AT)
            };
            return Some(text.then(" ").then_moment(*at).then("."));
        }
        Settlement::NotAllowed { who_may } => not_allowed(who_may, prompt),
        Settlement::Expired => messages::notices::QUESTION_EXPIRED.to_owned(),
        Settlement::Superseded => messages::notices::QUESTION_REPLACED.to_owned(),
        Settlement::Cancelled => messages::notices::QUESTION_CLOSED.to_owned(),
        Settlement::Unknown => messages::notices::NO_QUESTION.to_owned(),
        Settlement::Invalid { errors } => {
            let whole: Vec<_> =
                errors.iter().filter(|e| e.path.is_empty()).map(|e| e.message.as_str()).collect();
            if whole.is_empty() {
                messages::answers::MARKED_FIELDS.to_owned()
            } else {
                whole.join(" ")
            }
        }
    };
    Some(text.into())
}

/// Who may answer, for somebody who may not: a question is answered, a request is decided.
fn not_allowed(who_may: &str, prompt: Option<&Prompt>) -> String {
    let is_request = prompt.is_some_and(|prompt| match prompt.control {
        Control::Decide(_) => true,
        Control::Choose(_)
        | Control::Form(_)
        | Control::Review(_)
        | Control::Upload(_)
        | Control::Ask(_)
        | Control::Confirm(_) => false,
    });
    messages::notices::not_allowed(who_may, is_request)
}

/// What an engine's failure is to a person.
pub fn of_error(error: &Error) -> String {
    match error {
        Error::NoSession => messages::notices::NO_CONVERSATION.to_owned(),
        Error::NoFlow(_) => messages::notices::NO_INTERVIEW.to_owned(),
        Error::BrokenFlow(_) | Error::Store(store::Error::Unreadable { .. }) => {
            messages::notices::CANT_OPEN.to_owned()
        }
        Error::Store(store::Error::ReadOnly(_)) => messages::notices::STORE_READ_ONLY.to_owned(),
        Error::Store(_) => messages::notices::STORE_FAILED.to_owned(),
        Error::Held(_) => messages::notices::ON_HOLD.to_owned(),
        Error::Refused(why) => why.clone(),
        Error::Busy => messages::notices::BUSY.to_owned(),
    }
}

/// Whether the same event may be taken in when it comes again. What cannot be read stays so: whoever did it is told.
pub const fn may_pass(error: &Error) -> bool {
    match error {
        Error::Store(store::Error::Unreadable { .. })
        | Error::NoSession
        | Error::NoFlow(_)
        | Error::Held(_)
        | Error::Refused(_)
        | Error::BrokenFlow(_) => false,
        Error::Store(_) | Error::Busy => true,
    }
}
