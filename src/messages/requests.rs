//! Requests for a decision: their cards, and what came of them.

use super::{Text, list, unnamed::at_beginning};
use crate::model::{
    transcript::Errand,
    ui::{Decide, Decision},
};

/// The participant's own dialog about skipping ahead, word for word.
pub(crate) const MOVE_ON_TITLE: &str = "Move to next phase?";
pub(crate) fn move_on_dialog(missing: &[String], reason: Option<&str>, next: &str) -> Text {
    let missing = missing.iter().map(|title| Text::default().then_quoted(title.as_str()));
    Text::from(
        "The interviewer would like to proceed despite the following not being marked complete:\n• ",
    )
    .then_text(list::plain_texts(missing.collect()))
    .then_markdown("\nReason: “")
    .then_quoted(reason.unwrap_or("none given"))
    .then_markdown("”\n\n**Do you approve advancing to ")
    .then_quoted(next)
    .then_markdown("?**")
}

/// The card of those who decide about skipping ahead.
pub(crate) const PHASE_INCOMPLETE: &str =
    "This phase isn't complete. Missing items were determined by the app, not by the model.";
pub(crate) const THE_END: &str = "the end";
pub(crate) fn move_on(person: &str, next: &str) -> Text {
    Text::words("Move ").then_quoted(person).then(" to “").then_quoted(next).then("”?")
}

/// Labels of what those who decide should know.
pub(crate) const PERSON: &str = Decide::PERSON;
pub(crate) const FLOW: &str = "Flow";
pub(crate) const PHASE: &str = "Phase";
pub(crate) const STAGE: &str = "Stage";
pub(crate) const MISSING: &str = "Missing";
pub(crate) const REASON_GIVEN: &str = "Reason given";
pub(crate) const INTERVIEWERS_REASON: &str = "The interviewer's reason";
pub(crate) const APPROVED_SO_FAR: &str = "Approved so far by";
pub(crate) const REQUESTED: &str = "Requested";
pub(crate) const EXPIRES: &str = "Expires";
pub(crate) const NEVER: &str = "never";
pub(crate) fn stage(number: usize, of: usize) -> String {
    format!("{number} of {of}")
}

/// What an approval would do.
pub(crate) fn give(person: &str, what: &str) -> Text {
    Text::words("Give ").then_quoted(person).then(" ").then_quoted(what).then("?")
}
pub(crate) fn allow(what: &str, person: &str) -> Text {
    Text::words("Allow ").then_quoted(what).then(" for ").then_quoted(person).then("?")
}
pub(crate) const A_SUMMARY: &str = "sending a summary to the team";
pub(crate) const THE_ANSWERS: &str = "passing the answers on";
pub(crate) const A_ROLE: &str = "a role";
pub(crate) fn a_post(title: &str) -> String {
    format!("posting the {}", title.to_lowercase())
}

/// `the Contributor role`, `the Learner and Event pings roles`.
pub(crate) fn roles(titles: &[String]) -> String {
    match titles {
        [] => "no role".to_owned(),
        [only] => format!("the {only} role"),
        several => format!("the {} roles", list::and(several)),
    }
}

/// How a request was decided.
pub(crate) const APPROVED: &str = "Approved";
pub(crate) const DENIED: &str = "Denied";
pub(crate) const DENIED_WITH_FEEDBACK: &str = "Denied with feedback";
pub(crate) const REQUEST_WITHDRAWN: &str = "Request withdrawn";

/// A decision in a word or three.
pub(crate) const fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Approved => APPROVED,
        Decision::Denied => DENIED,
        Decision::DeniedWithFeedback => DENIED_WITH_FEEDBACK,
    }
}

/// `Approved by Grace.`
pub(crate) fn decided_by(what: &str, whom: &str) -> String {
    format!("{what} by {whom}.")
}

/// Several must agree.
pub(crate) fn quorum(count: impl std::fmt::Display) -> String {
    format!("{count} people must agree.")
}

/// How one of them has voted.
pub(crate) fn voted(name: &str, approves: bool) -> Text {
    Text::default().then_quoted(name).then(has_voted(approves))
}
/// How somebody has voted, to follow their name.
pub(crate) const fn has_voted(approves: bool) -> &'static str {
    if approves { " approved." } else { " denied." }
}

/// To somebody who votes the same again.
pub(crate) fn voted_before(approves: bool, needed: u32) -> String {
    let voted = if approves { "approved" } else { "denied" };
    format!("You've already {voted} this. {}", quorum(needed))
}

/// What the participant reads while they wait for the team, or instead of a decision.
pub(crate) const ASKING_TO_SKIP: &str = "I'm asking the team to let you skip ahead.";
pub(crate) const ASKING_DECIDERS: &str = "I'm asking the people who can decide this.";
pub(crate) const MOVED_ON_YOURSELF: &str = "You've moved on to the next part.";
pub(crate) const MOVED_ON: &str = "Moved on to the next part.";
pub(crate) fn expired_request(what: &str) -> Text {
    Text::from("This request expired without a decision: ").then_quoted(what).then_markdown(".")
}

/// Somebody's request was declined: by whom, and why, where they said so.
pub(crate) fn declined(by_name: &str, what: &str, words: Option<&str>) -> Text {
    let begin = Text::default()
        .then_quoted(by_name)
        .then_markdown(" declined your request for ")
        .then_quoted(what);
    match words {
        Some(words) => begin.then_markdown(":").then_quotation(words),
        None => begin.then_markdown("."),
    }
}

/// Somebody may not skip ahead, with the words that were meant for them.
pub(crate) fn finish_first(by_name: &str, words: &str) -> Text {
    Text::default()
        .then_quoted(by_name)
        .then_markdown(" would like you to finish this part first:")
        .then_quotation(words)
}

/// What a decision came to, with the words of whoever made it, where the participant may read them.
pub(crate) fn with_reason(text: Text, by_name: &str, words: Option<&str>) -> Text {
    match words {
        Some(words) => {
            text.then_markdown("\n\n").then_quoted(by_name).then_markdown(":").then_quotation(words)
        }
        None => text,
    }
}

/// What a channel of the staff reads about a request that is still open.
pub(crate) fn still_waiting(title: &str) -> Text {
    Text::from("Still waiting for a decision: ").then_quoted(title)
}

/// What a channel of the staff reads where another one should have, and takes nothing just now. It holds nothing of what
/// only deciders may read.
pub(crate) fn needed_elsewhere(person: &str, title: &str, alias: &str, errand: &Errand) -> Text {
    match errand {
        Errand::HandOver { .. } | Errand::Reminder { .. } => Text::default()
            .then_quoted_strong(at_beginning(person))
            .then_markdown(" asked for a human in ")
            .then_quoted_emphasised(title)
            .then_markdown(format!(". I can't post that in `{alias}` right now.")),
        Errand::Request { .. } => Text::from("A request about ")
            .then_quoted_strong(person)
            .then_markdown(" in ")
            .then_quoted_emphasised(title)
            .then_markdown(format!(
                " needs a decision. I can't show it in `{alias}` right now; whoever may decide finds it on the \
                 staff page."
            )),
    }
}
