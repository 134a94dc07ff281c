//! What the team reads in chat: about somebody's conversation, and about what went wrong.

use chrono::{DateTime, Utc};

use super::{Text, day, list, unnamed::at_beginning};
use crate::model::{
    effect::{Act, Handout, Recipient},
    session::Status,
};

pub(crate) const ALL_CONVERSATIONS: &str = "All conversations";
pub(crate) const WORKSPACE_CONVERSATIONS: &str = "All conversations of this workspace";
pub(crate) const YOUR_CONVERSATIONS: &str = "Your conversations";
pub(crate) const CONVERSATION: &str = "Conversation";

/// How a session stands, in a word for lists.
pub(crate) const fn status(status: Status) -> &'static str {
    match status {
        Status::Notice => "not started",
        Status::Open => "running",
        Status::Stopped => "stopped",
        Status::Paused => "paused",
        Status::Declined => "declined",
        Status::Completed => "completed",
        Status::Ended => "ended by the team",
    }
}

/// What somebody is wanted for in a list of conversations.
pub(crate) const ASKED_FOR_A_HUMAN: &str = "asked for a human";
pub(crate) const TO_DECIDE: &str = "to decide";
pub(crate) const INACTIVE: &str = "inactive > 1 day";
pub(crate) fn pending_decisions(count: u32) -> String {
    list::counted(count as usize, "pending decision")
}

/// All conversations in one line.
pub(crate) fn counts(open: usize, inactive: usize, to_decide: usize, handed_over: usize) -> String {
    format!(
        "{open} open · {inactive} {INACTIVE} · {to_decide} {TO_DECIDE} · {handed_over} {ASKED_FOR_A_HUMAN}"
    )
}
pub(crate) const NOT_STARTED: &str = "Not started";
pub(crate) fn more_conversations(count: usize) -> String {
    format!("{count} more. Name a person to see theirs.")
}
pub(crate) fn open_with(person: &str) -> String {
    format!("Open the conversation with {person}")
}
pub(crate) fn open_question(question: &str) -> String {
    format!("Open: {question}")
}

/// The thread about somebody, and how to take part in it.
pub(crate) fn passed_on_to(name: &str) -> String {
    format!("I'll pass on what you write in this thread to {name}.")
}
pub(crate) fn taken_over_by(who: &str, name: &str) -> String {
    format!("{who} has taken over. {}", passed_on_to(name))
}
pub(crate) const WRITE_TO_TAKE_OVER: &str =
    "Write in this thread to take over. I'll pass on what you write.";
pub(crate) const REPLY_TO_TAKE_OVER: &str =
    "Reply to a message of mine in this thread to take over. I'll pass on what you write.";
pub(crate) const PRESS_TO_TAKE_OVER: &str = "Press *Take over* to keep the assistant quiet.";
pub(crate) const WRITE_TO_THEM: &str = "To write to them, write in this thread.";
pub(crate) const REPLY_TO_THEM: &str =
    "To write to them, reply to a message of mine in this thread.";
pub(crate) const NOTHING_TO_DO: &str = "There's nothing more to do here.";
pub(crate) const ERASED: &str = "This conversation was erased.";

/// Staff are about to end a conversation, or have.
pub(crate) const END_QUESTION: &str = "End the conversation?";
pub(crate) const END_MEANS: &str =
    "No more questions will be asked. Everything said so far is kept.";
pub(crate) const ENDED: &str = "The conversation has ended. Everything said so far is kept.";
pub(crate) const TAKEN_OVER: &str =
    "You've taken over. The assistant keeps quiet until you hand back.";
pub(crate) const HANDED_BACK: &str = "Handed back. The assistant continues.";

/// The transcript in chat.
pub(crate) const NO_MESSAGES: &str = "No messages yet.";
pub(crate) const REST_IN_DOWNLOAD: &str = "The rest is in the download.";
pub(crate) fn messages_of(first: usize, last: usize, all: usize) -> String {
    format!("Messages {first} to {last} of {all}. The download also lists every step the app took.")
}

/// Somebody asks for a person: who, in which interview, why, and how far they are.
pub(crate) fn asks_for_human(person: &str, title: &str, why: Option<&str>, status: Text) -> Text {
    let asked = Text::default()
        .then_quoted_strong(at_beginning(person))
        .then_markdown(" asked for a human in ")
        .then_quoted_emphasised(title);
    let asked = match why {
        Some(why) => asked.then_markdown(": ").then_quoted(why),
        None => asked,
    };
    asked.then_markdown(".").then_text(status)
}
pub(crate) const COMPLETED: &str = "Completed";
pub(crate) const SKIPPED: &str = "Skipped";
pub(crate) const STILL_OPEN: &str = "Still open";
pub(crate) const STATUS: &str = "Status";
pub(crate) const PARTICIPANT: &str = "Participant";
pub(crate) fn not_taken_over(reason: &str) -> Text {
    Text::from("Nobody has taken over yet: ").then_quoted(reason).then_markdown(".")
}

/// Why a person is asked for, where the participant did; that they did is said anyway.
pub(crate) const PARTICIPANT_ASKED: &str = "the participant asked";
pub(crate) const KEYWORD_WRITTEN: &str =
    "they wrote a word from the flow's list; please look right away";
pub(crate) const LONG_CONVERSATION: &str = "the conversation has become very long";
pub(crate) const ASKED_UNDER_NOTICE: &str = "they chose it under the notice";
pub(crate) const HAS_A_QUESTION: &str = "the participant has a question";
pub(crate) const NOBODY_DECIDED: &str = "nobody decided in time";
pub(crate) const NOT_ANSWERED: &str = "they didn't answer in time";
pub(crate) const REQUEST_DENIED: &str = "their request was denied";
pub(crate) fn answered_with(question: &str, answer: &str) -> String {
    format!("the answer to “{question}” was “{answer}”")
}
pub(crate) fn answered(answer: &str) -> String {
    format!("they answered “{answer}”")
}
pub(crate) const SCRIPT_STUCK: &str = "the script can't continue";
pub(crate) const ASSISTANT_STUCK: &str = "the assistant can't continue on its own";
pub(crate) fn assistant_says(words: &str) -> String {
    format!("the assistant says “{words}”")
}
pub(crate) fn cannot_ask(step: &str, failure: impl std::fmt::Display) -> String {
    format!("the step `{step}` can't be asked, because {failure}")
}

/// The participant can't be reached, and why.
pub(crate) fn still_out_of_reach(person: &str) -> Text {
    Text::from("The conversation with ")
        .then_quoted(person)
        .then_markdown(" is paused until they can be reached; nothing is lost.")
}
pub(crate) fn out_of_reach(person: &str, why: &str) -> Text {
    Text::from("I can't reach ")
        .then_quoted(person)
        .then_markdown(format!(" any more: {why}. The conversation is paused; nothing is lost."))
}
pub(crate) const APP_REMOVED: &str = "the app was removed from the workspace";
pub(crate) const ORGANISATION_REMOVED_APP: &str =
    "the organisation removed the app from the workspace";
pub(crate) const CHANNEL_ARCHIVED: &str = "the channel was archived";
pub(crate) const CHANNEL_DELETED: &str = "the channel was deleted";
pub(crate) const APP_LEFT_CHANNEL: &str = "the app was removed from the channel";
pub(crate) const ACCOUNT_DEACTIVATED: &str = "the account was deactivated";
pub(crate) const BANNED: &str = "they were banned";
pub(crate) const LEFT: &str = "they left the server";
pub(crate) const APP_LEFT_SERVER: &str = "the app was removed from the server";
pub(crate) const THREAD_DELETED: &str = "their thread was deleted";
pub(crate) const CHANNEL_GONE: &str = "the channel is no longer there";
pub(crate) const MAY_NOT_WRITE: &str = "the app may no longer write there";
pub(crate) const THREAD_LOCKED: &str = "the thread is locked";

/// An answer could not be stored.
pub(crate) fn not_stored(step: &str, why: &Text) -> Text {
    Text::from(format!("The answer to `{step}` couldn't be stored: ")).then_quoted(why.to_string())
}

/// Something never arrived.
pub(crate) fn not_delivered(person: &str, act: &Act, to: &Recipient, reason: &str) -> Text {
    let they = Text::default().then_quoted_strong(at_beginning(person));
    let about = |begin: &'static str| Text::from(begin).then_quoted_strong(person);
    let begin = match (act, to) {
        (Act::Fetch { .. }, _) => about("I couldn't fetch a file that ").then_markdown(" sent"),
        (Act::AddRoles { .. }, _) => {
            let they = they.then_markdown(" didn't get every role (");
            return they.then_quoted(reason).then_markdown(").");
        }
        (Act::Hand { what: Handout::File { .. }, .. }, _) => {
            they.then_markdown(" didn't get a file from me")
        }
        (_, Recipient::Participant) => they.then_markdown(" didn't get a message from me"),
        (_, Recipient::Channel { alias }) => {
            about("I couldn't post about ").then_markdown(format!(" in `{alias}`"))
        }
        (_, Recipient::Person { .. }) => about("I couldn't write to one of you directly about "),
        (_, Recipient::Webhook { alias }) => {
            Text::from(format!("The web hook `{alias}` wasn't told about "))
                .then_quoted_strong(person)
        }
    };
    begin.then_markdown(": ").then_quoted(reason).then_markdown(".")
}

/// What a conversation may use is nearly used up.
pub(crate) fn conversation_used(words: &str) -> String {
    format!("This conversation has used {words}.")
}
/// An account of tokens or money is low.
pub(crate) fn account_low(whose: &str, used: &str, until: DateTime<Utc>) -> String {
    format!("{whose} together have used {used} allowed until {}.", day(until))
}

/// An account is empty.
pub(crate) fn account_empty(whose: &str, used: &str, until: DateTime<Utc>) -> String {
    format!(
        "{whose} together have used {used}. Until {}, those with a fixed list of questions continue with that; the others \
         wait, or ask for a human.",
        day(until)
    )
}

/// An account that others share is empty.
pub(crate) fn model_rests(until: DateTime<Utc>) -> String {
    format!(
        "The model can't be used until {}. Conversations with a fixed list of questions continue with that; the others \
         wait, or ask for a human. Please tell whoever runs this bot.",
        day(until)
    )
}

/// The model can't be used.
pub(crate) const MODEL_MISCONFIGURED: &str = "The model can't be used: its provider rejects our requests (wrong key, model name or setting). Conversations with a fixed list of questions continue with that. Please tell whoever runs this bot; its log has the details.";
pub(crate) const MODEL_EXHAUSTED: &str = "The model can't be used: the account with its provider has run out. Conversations with a fixed list of questions continue with that. Please tell whoever runs this bot.";
pub(crate) const MODEL_RESTING: &str = "The model can't be used right now: its provider has failed several times in a row. Conversations with a fixed list of questions continue with that, and return to the model when it answers again.";

/// What a summary is sent for.
pub(crate) fn has_finished(person: &str, flow: &str) -> Text {
    of_person(person, " has finished ", flow)
}
pub(crate) fn has_stopped(person: &str, flow: &str) -> Text {
    of_person(person, " has stopped ", flow)
}
pub(crate) fn was_approved(person: &str, flow: &str) -> Text {
    of_person(person, " was approved in ", flow)
}
pub(crate) fn was_denied(person: &str, flow: &str) -> Text {
    of_person(person, " was not approved in ", flow)
}
pub(crate) fn nobody_decided(person: &str, flow: &str) -> Text {
    Text::from("Nobody has decided on ")
        .then_quoted_strong(person)
        .then_markdown(" in ")
        .then_quoted_emphasised(flow)
        .then_markdown(" in time.")
}
fn of_person(person: &str, what: &'static str, flow: &str) -> Text {
    Text::default()
        .then_quoted_strong(at_beginning(person))
        .then_markdown(what)
        .then_quoted_emphasised(flow)
        .then_markdown(".")
}

/// Parts of a summary.
pub(crate) fn moved_past(titles: Vec<Text>, by: Text) -> Text {
    Text::from("Moved past ")
        .then_text(list::plain_texts(titles))
        .then_markdown(" by ")
        .then_text(by)
        .then_markdown("'s override.")
}
pub(crate) fn not_shown_here(titles: &[String]) -> String {
    format!("Not shown here: {}.", list::plain(titles))
}
pub(crate) fn between(from: &str, to: &str) -> String {
    format!("{from} to {to}")
}
pub(crate) const NOW: &str = "now";
