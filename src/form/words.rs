//! Words that every platform says: what became of an attempt, and how values read.

use chrono::{DateTime, Utc};

use crate::{
    engine::{Error, Receipt},
    model::{
        session::{PersonId, Status},
        ui::{Control, Prompt},
        wait::Settlement,
    },
    store,
};

/// A sentence for a person, perhaps one that ends with a time of day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The sentence; with a time it reads on into it.
    pub text: String,
    /// The time it ends with.
    pub at: Option<DateTime<Utc>>,
}

impl Words {
    /// A sentence without a time.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), at: None }
    }
}

/// What became of an attempt, for the one who made it (BEHAVIOUR F10, J3.5); none where there is nothing to say.
/// `prompt` is what the attempt was to answer, where it is known.
pub fn of_receipt(receipt: &Receipt, prompt: Option<&Prompt>, me: &PersonId) -> Option<Words> {
    match receipt {
        Receipt::Taken | Receipt::Duplicate | Receipt::Erased { .. } => None,
        Receipt::Refused(text) => Some(Words::new(text.clone())),
        Receipt::Settled(settlement) => of_settlement(settlement, prompt, me),
    }
}

fn of_settlement(settlement: &Settlement, prompt: Option<&Prompt>, me: &PersonId) -> Option<Words> {
    let text = match settlement {
        Settlement::Applied => return None,
        Settlement::AlreadySettled { by, by_name, at, choice } => {
            let decision = prompt.is_some_and(|p| matches!(p.control, Control::Decide(_)));
            let who = if by == me { "you" } else { by_name };
            let text = if decision {
                format!("Already {} by {who} at", choice.to_lowercase())
            } else {
                "That question was answered at".to_owned()
            };
            return Some(Words { text, at: Some(*at) });
        }
        Settlement::NotAllowed { who_may } => not_allowed(who_may, prompt),
        Settlement::Expired => "That question has lapsed: nobody answered it in time.".to_owned(),
        Settlement::Superseded => {
            "A newer question took the place of that one. Please answer the newer one.".to_owned()
        }
        Settlement::Cancelled => "That is no longer asked.".to_owned(),
        Settlement::Unknown => "There is no such question here.".to_owned(),
        Settlement::Invalid { errors } => {
            let whole: Vec<_> =
                errors.iter().filter(|e| e.path.is_empty()).map(|e| e.message.as_str()).collect();
            if whole.is_empty() {
                "Please check the marked fields.".to_owned()
            } else {
                whole.join(" ")
            }
        }
    };
    Some(Words::new(text))
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
    let can = if is_request { "decide" } else { "answer" };
    format!("Only {who_may} can {can} this.")
}

/// What an engine's failure is to a person.
pub fn of_error(error: &Error) -> String {
    match error {
        Error::NoSession => NO_CONVERSATION.to_owned(),
        Error::NoFlow(_) => "There is no such interview.".to_owned(),
        Error::BrokenFlow(_) | Error::Store(store::Error::Unreadable { .. }) => {
            "This conversation cannot be read just now. The team must look at it.".to_owned()
        }
        Error::Store(store::Error::ReadOnly(_)) => {
            "That could not be saved, so it did not happen. Nothing can be saved just now: please try again in a few \
             minutes."
                .to_owned()
        }
        Error::Store(_) => {
            "That could not be saved, so it did not happen. Please try again.".to_owned()
        }
        Error::Held(_) => "Nothing of this conversation may be erased just now.".to_owned(),
        Error::Refused(why) => why.clone(),
        Error::Busy => "Too much is going on just now. Please try again in a moment.".to_owned(),
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

/// How a session stands, in a word for lists.
pub const fn of_status(status: Status) -> &'static str {
    match status {
        Status::Notice => "not begun",
        Status::Open => "running",
        Status::Stopped => "stopped",
        Status::Paused => "paused",
        Status::Declined => "declined",
        Status::Completed => "completed",
        Status::Ended => "ended by staff",
    }
}

/// A file that is too large to be taken in; its name is harmless already.
pub fn too_large(filename: &str, limit: u64) -> String {
    format!("`{filename}` is too large: the limit is {}.", bytes(limit))
}

/// Nothing was picked where something must be.
pub const NO_PICK: &str = "Pick at least one.";

/// A field that must be filled in is empty.
pub const EMPTY: &str = "Please fill this in.";

/// Text where a number must be.
pub const NO_NUMBER: &str = "Write a number, such as 12.";

/// A conversation that is none, or somebody else's: which of the two is not told.
pub const NO_CONVERSATION: &str = "There is no such conversation.";

/// A control was used that the question does not have.
pub const NO_ANSWER: &str = "That does not answer this question.";

/// A voice message.
pub const NO_VOICE: &str = "I cannot listen to recordings yet. Please type.";

/// Somebody writes to the bot, and there is nothing to take part in.
pub const NO_FLOWS: &str =
    "There is no interview to take part in here. The team can invite you when there is one.";

/// Somebody writes to the bot without a conversation.
pub const HELLO: &str =
    "Hello. I conduct interviews, one step at a time. Which one would you like to begin?";

/// An order for staff, by somebody else.
pub const FOR_STAFF: &str = "Only the team can do that.";

/// The person named has none.
pub const NONE_OF_THEIRS: &str = "They have no conversation here.";

/// What stands under the preview of an invitation.
pub const INVITATION: &str = "They get a message that says what it is and that you talk to an AI; nothing begins before they agree.";

/// An invitation that was not sent.
pub const NOT_SENT: &str = "Nothing was sent.";

/// An invitation was sent.
pub const SENT: &str = "Sent. You will find what happens in the team's channel.";

/// An order was carried out.
pub const DONE: &str = "Done.";

/// A copy is being made.
pub const ON_ITS_WAY: &str = "I send it to you directly.";

/// A button of somebody else's conversation.
pub const NOT_YOURS: &str = "Only the person who was asked can do that.";

/// A form could not be opened in time.
pub const PRESS_AGAIN: &str = "That took too long. Please press the button again.";

/// A file went by the flow's retention before it could be handed over.
pub const FILE_GONE: &str = "That file is not kept any more.";

/// Somebody's words, passed on.
pub fn relayed(name: &str, text: &str) -> String {
    format!("{name}: {text}")
}

/// A size for people: `10 MB`, `120 KB`.
pub fn bytes(size: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = 1024 * KB;
    match size {
        s if s >= MB && s % MB == 0 => format!("{} MB", s / MB),
        s if s >= MB => format!("{}.{} MB", s / MB, s % MB * 10 / MB),
        s if s >= KB => format!("{} KB", s / KB),
        s => format!("{s} bytes"),
    }
}
