//! Words that every platform says: what became of an attempt, and how values read.

use chrono::{DateTime, Utc};

use crate::{
    base::ids::WaitId,
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

/// What became of an attempt, for the one who made it; none where there is nothing to say.
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
        Settlement::Expired => "That question has expired.".to_owned(),
        Settlement::Superseded => {
            "That question has been replaced by a newer one. Please answer the newer one."
                .to_owned()
        }
        Settlement::Cancelled => "That question is no longer open.".to_owned(),
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
            "I can't open this conversation right now. The team needs to look at it.".to_owned()
        }
        Error::Store(store::Error::ReadOnly(_)) => {
            "That couldn't be saved, so nothing changed. Please try again in a few minutes."
                .to_owned()
        }
        Error::Store(_) => {
            "That couldn't be saved, so nothing changed. Please try again.".to_owned()
        }
        Error::Held(_) => "This conversation is on hold and can't be deleted right now.".to_owned(),
        Error::Refused(why) => why.clone(),
        Error::Busy => "The server is busy. Please try again in a moment.".to_owned(),
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

/// What is said of a question that is no longer asked: a word for it, and why.
pub const fn superseded(by: Option<WaitId>) -> (&'static str, &'static str) {
    match by {
        Some(_) => ("Replaced", "there is a newer version below."),
        None => ("Closed", "the conversation has moved on."),
    }
}

/// What a question or a request is called that was taken back.
pub const fn withdrawn(prompt: &Prompt) -> &'static str {
    match prompt.control {
        Control::Decide(_) => "Request withdrawn",
        Control::Choose(_)
        | Control::Form(_)
        | Control::Review(_)
        | Control::Upload(_)
        | Control::Ask(_)
        | Control::Confirm(_) => "Question withdrawn",
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

/// Words that are no country.
pub const NO_COUNTRY: &str = "Enter a country, for example Germany or DE.";

/// Text where a number must be.
pub const NO_NUMBER: &str = "Write a number, such as 12.";

/// A conversation that is none, or somebody else's: which of the two is not told.
pub const NO_CONVERSATION: &str = "There is no such conversation.";

/// A control was used that the question does not have.
pub const NO_ANSWER: &str = "That doesn't answer this question.";

/// A voice message.
pub const NO_VOICE: &str = "I can't play voice messages yet. Please type instead.";

/// Somebody writes to the bot, and there is nothing to take part in.
pub const NO_FLOWS: &str =
    "There's no interview to take part in here yet. The team can invite you when there is.";

/// Somebody writes to the bot without a conversation.
pub const HELLO: &str =
    "Hello. I run interviews, one step at a time. Which one would you like to start?";

/// An order for staff, by somebody else.
pub const FOR_STAFF: &str = "Only the team can do that.";

/// The person named has none.
pub const NONE_OF_THEIRS: &str = "This person has no conversation here.";

/// What stands under the preview of an invitation.
pub const INVITATION: &str = "They'll get a message that says what this is and whether an AI takes part. Nothing starts until they agree.";

/// An invitation that was not sent.
pub const NOT_SENT: &str = "Nothing was sent.";

/// An invitation was sent.
pub const SENT: &str = "Sent. You'll see how it goes in the team's channel.";

/// An order was carried out.
pub const DONE: &str = "Done.";

/// An answer or a file has arrived.
pub const GOT_IT: &str = "Got it.";

/// An edit of reviewed data was saved, which is no consent to it.
pub const SAVED: &str = "Saved. Press *Looks right* on the card to approve it.";

/// A copy is being made.
pub const ON_ITS_WAY: &str = "I'll send it to you in a direct message.";

/// A copy or a file that did not arrive.
pub const COULD_NOT_SEND: &str = "I couldn't send it right now. Please try again.";

/// A button of somebody else's conversation.
pub const NOT_YOURS: &str = "Only the person who was asked can do that.";

/// An answer of the model has helped.
pub const RATED_GOOD: &str = "Thank you, good to know.";

/// It has not.
pub const RATED_BAD: &str =
    "Thank you for saying so. Type *human* if you would rather talk to a person.";

/// Why it has not was sent.
pub const REASON_KEPT: &str = "Thank you. The team can read that.";

/// Heading of the form that asks why an answer has not helped.
pub const WHY_NOT_HELPFUL: &str = "What was wrong?";

/// The input of that form.
pub const YOUR_REASON: &str = "Your reason (the team can read it)";

/// A form could not be opened in time.
pub const PRESS_AGAIN: &str = "That took too long. Please press the button again.";

/// A file went by the flow's retention before it could be handed over.
pub const FILE_GONE: &str = "That file is no longer stored.";

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
