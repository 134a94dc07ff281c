//! What became of something that somebody tried, and what they can't do.

use super::{Text, list};

/// A conversation that is none, or somebody else's: which of the two is not told.
pub const NO_CONVERSATION: &str = "There is no such conversation.";
/// A voice message.
pub(crate) const NO_VOICE: &str = "I can't play voice messages yet. Please type instead.";
/// Somebody writes to the bot, and there is nothing to take part in.
pub(crate) const NO_FLOWS: &str =
    "There's no interview to take part in here yet. The team can invite you when there is.";
/// Somebody writes to the bot without a conversation.
pub(crate) const HELLO: &str =
    "Hello. I run interviews, one step at a time. Which one would you like to start?";
/// An order for staff, by somebody else.
pub(crate) const FOR_STAFF: &str = "Only the team can do that.";
/// The person named has none.
pub(crate) const NONE_OF_THEIRS: &str = "This person has no conversation here.";
/// What stands under the preview of an invitation.
pub(crate) const INVITATION: &str = "They'll get a message that says what this is and whether an AI takes part. Nothing starts until they agree.";
/// An invitation that was not sent.
pub(crate) const NOT_SENT: &str = "Nothing was sent.";
/// An invitation was sent.
pub(crate) const SENT: &str = "Sent. You'll see how it goes in the team's channel.";
/// An order was carried out.
pub(crate) const DONE: &str = "Done.";
/// An answer or a file has arrived.
pub(crate) const GOT_IT: &str = "Got it.";
/// An edit of reviewed data was saved, which is no consent to it.
pub(crate) const SAVED: &str = "Saved. Press *Looks right* on the card to approve it.";
/// A copy is being made.
pub(crate) const ON_ITS_WAY: &str = "I'll send it to you in a direct message.";
/// A copy or a file that did not arrive.
pub(crate) const COULD_NOT_SEND: &str = "I couldn't send it right now. Please try again.";
/// A button of somebody else's conversation.
pub(crate) const NOT_YOURS: &str = "Only the person who was asked can do that.";
/// An answer of the model has helped.
pub(crate) const RATED_GOOD: &str = "Thanks, good to know.";
/// It has not.
pub(crate) const RATED_BAD: &str =
    "Thanks for letting me know. Type *human* if you'd rather talk to a person.";
/// Why it has not was sent.
pub(crate) const REASON_KEPT: &str = "Thank you. The team can read that.";
/// Heading of the form that asks why an answer has not helped.
pub(crate) const WHY_NOT_HELPFUL: &str = "What was wrong?";
/// The input of that form.
pub(crate) const YOUR_REASON: &str = "Your reason (the team can read it)";
/// A form could not be opened in time.
pub(crate) const PRESS_AGAIN: &str = "That took too long. Please press the button again.";
/// A file went by the flow's retention before it could be handed over.
pub(crate) const FILE_GONE: &str = "That file is no longer stored.";

/// Something could not be taken in.
pub(crate) const NO_INTERVIEW: &str = "There is no such interview.";
pub(crate) const CANT_OPEN: &str =
    "I can't open this conversation right now. The team needs to look at it.";
pub(crate) const STORE_READ_ONLY: &str =
    "That couldn't be saved, so nothing changed. Please try again in a few minutes.";
pub(crate) const STORE_FAILED: &str =
    "That couldn't be saved, so nothing changed. Please try again.";
pub(crate) const NOT_SAVED: &str = "That couldn't be saved right now. Please try again.";
/// It takes so long that nobody knows whether it was.
pub(crate) const SAVED_PERHAPS: &str = "That's taking longer than usual, and it may still be saved. If nothing has changed here in a minute, please try again.";
pub(crate) const ON_HOLD: &str = "This conversation is on hold and can't be deleted right now.";
pub(crate) const BUSY: &str = "The server is busy. Please try again in a moment.";
pub(crate) const QUESTION_EXPIRED: &str = "That question has expired.";
pub(crate) const QUESTION_REPLACED: &str =
    "That question has been replaced by a newer one. Please answer the newer one.";
pub(crate) const QUESTION_CLOSED: &str = "That question is no longer open.";
pub(crate) const NO_QUESTION: &str = "There is no such question here.";
pub(crate) const RIGHTS_UNKNOWN: &str =
    "I couldn't check what you're allowed to do. Please try again in a moment.";
pub(crate) const FORM_CANT_OPEN: &str = "That form can't be opened. Please type your answer.";
pub(crate) const NOBODY_TALKS_HERE: &str =
    "This isn't a conversation. Please use the one that this belongs to.";
pub(crate) const COPY_FAILED: &str = "The copy couldn't be made right now. Please try again.";
pub(crate) const COPY_LATER: &str =
    "Many copies are being made just now. Please try again in a minute.";
pub(crate) const FILE_DAMAGED: &str = "This file is damaged and can't be opened.";
pub(crate) const FILE_UNREADABLE: &str = "This file can't be opened right now. Please try again.";

/// A question was answered before; the time follows.
pub(crate) const ANSWERED_AT: &str = "That question was answered at";
/// A request was decided before: who decided, [`AT`] and the time follow.
pub(crate) fn already(choice: &str) -> Text {
    Text::words("Already ").then_quoted(choice.to_lowercase()).then(" by ")
}
/// See [`already`].
pub(crate) const AT: &str = " at";

/// Who may answer, for somebody who may not: a question is answered, a request is decided.
pub(crate) fn not_allowed(who_may: &str, is_request: bool) -> String {
    let can = if is_request { "decide" } else { "answer" };
    format!("Only {who_may} can {can} this.")
}

/// What somebody may not order, or not now.
pub(crate) const NOT_HERE: &str = "You can't do that here.";
pub(crate) const PERSON_IS_WITH_YOU: &str =
    "A person from the team is with you; they'll hand back to me.";
pub(crate) const NOTHING_TO_HAND_BACK: &str = "There is nothing to hand back.";
pub(crate) const NOTHING_TO_CONTINUE: &str =
    "This conversation is complete, so there's nothing to continue.";
pub(crate) const NO_PART_TO_LEAVE: &str = "There's no part to skip right now.";
pub(crate) const REQUEST_OPEN: &str = "A request is already open.";
pub(crate) const CANT_ASK_AGAIN: &str = "This can't be asked again.";
pub(crate) const HAND_BACK_FIRST: &str = "Hand the conversation back first.";
pub(crate) const NOTHING_TO_REMIND_OF: &str = "They have no open question to answer.";
pub(crate) const HOLD_NEEDS_REASON: &str =
    "Enter a reason for the hold; the person may ask for it.";
pub(crate) const HELD_ALREADY: &str = "This conversation is already on hold.";
pub(crate) const NOT_HELD: &str = "This conversation isn't on hold.";

/// Objectives that cannot be passed over, each with why.
pub(crate) fn cant_skip(objectives: &[String]) -> Text {
    let titles = objectives.iter().map(|title| Text::default().then_quoted(title.as_str()));
    Text::from("This part can't be skipped: ")
        .then_text(list::plain_texts(titles.collect()))
        .then_markdown(".")
}

/// Files that could not be fetched; the platform is named where it is one.
pub(crate) const FILE_NO_LONGER_THERE: &str = "That file is no longer there. Please send it again.";
pub(crate) const FILE_ELSEWHERE: &str =
    "That file is stored with another service, so I can't open it. Please send the file itself.";
pub(crate) const FILE_HIDDEN: &str =
    "Slack won't let me open that file. Please send it to me in our conversation.";
pub(crate) fn file_later(platform: &str) -> String {
    format!("I couldn't get that file from {platform} right now.")
}
pub(crate) fn send_once_more(why: &str, filename: &str) -> String {
    format!("{why} Please send `{filename}` again.")
}

/// Somebody's words, passed on.
pub(crate) fn relayed(name: &str, text: &str) -> String {
    format!("{name}: {text}")
}
