//! Every sentence that the core itself says, in one place.

use chrono::{DateTime, Utc};

use super::{evidence, retention::Hold};
use crate::{
    flow::LoadedFlow,
    model::{
        effect::{Act, Handout, Recipient},
        flow::{Phase, PhaseEffect},
        session::Platform,
        text::quoted,
        transcript::Errand,
    },
    session::State,
};

pub(super) const STOPPED_ALREADY: &str = "This conversation is stopped. Type *resume* to continue.";
pub(super) const SPEECH_STOPPED: &str =
    "I've stopped. Write whenever you're ready, or type *stop* again to stop the interview.";
pub(super) const SPEECH_STOPPED_BY_BUTTON: &str = "I've stopped. Write whenever you're ready.";
pub(super) const WAITING: &str = "I'll wait. Write whenever you're ready.";
pub(super) const STEP_UNDER_WAY: &str =
    "I'm in the middle of a step that can't be stopped. Type *stop* to end the conversation.";
pub(super) const NOTHING_UNDER_WAY: &str = "I'd already finished, so there was nothing to stop.";
pub(super) const NOT_YOURS_TO_STOP: &str = "Only the person being interviewed can stop me here.";
/// What is kept as the participant's words where they let a stopped model go on without any.
pub(super) const GO_ON: &str = "Continue.";
pub(super) const RESUMED: &str = "Welcome back. Let's pick up where we left off.";
pub(super) const PAUSED: &str = "I haven't heard from you for a while, so I've paused. Nothing is lost: write anything to continue.";
pub(super) const DECLINED: &str =
    "No problem, nothing was collected. Type *resume* if you change your mind.";
pub(super) const HUMAN_ASKED: &str =
    "I've asked the team. I'll keep quiet until they answer or you type *continue*.";
pub(super) const EMERGENCY: &str = "Thank you for telling me. If anyone is in danger, please call your local emergency number now.";
pub(super) const PERSON_CALLED: &str = "I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type *continue*.";
pub(super) const ASKING: &str =
    "I'm asking the team. I'll tell you here as soon as they have your message.";
pub(super) const DIRECTLY_CALLED: &str = "I couldn't post in the team's channel, so I've written to the team's members directly. I'll keep quiet until they answer or you type *continue*.";
pub(super) const DIRECTLY_ASKED: &str = "I couldn't post in the team's channel, so I've written directly to the people who can decide. You can leave; I'll post their answer here.";
pub(super) const UNCLAIMED: &str = "Nobody from the team has answered yet, so I've reminded them. Type *continue* to carry on with me in the meantime.";
pub(super) const HANDED_BACK: &str = "The assistant is back. Let's pick up where we left off.";
pub(super) const STAFF_ASKED: &str =
    "I've asked the team. You can leave; I'll post their answer here.";
pub(super) const UNDECIDED: &str =
    "To be clear: the team hasn't decided yet. I'll post their answer here.";
pub(super) const NOT_APPROVED: &str = "To be clear: the team hasn't approved anything here yet.";
pub(super) const NOT_DELETED: &str =
    "To be clear: your data has not been deleted. Type *delete my data* if you'd like that.";
pub(super) const APPROVED: &str = "The team approved your request, so let's move on.";
pub(super) const DENIED: &str = "The team would like you to finish this part first.";
pub(super) const DECISION_APPROVED: &str = "The team has decided: you're approved.";
pub(super) const DECISION_DENIED: &str = "The team has decided against it this time.";
pub(super) const DECISION_EXPIRED: &str =
    "The team hasn't decided in time. You can ask for a person, or come back to it later.";
pub(super) const TOO_LATE: &str = "The time for this question is over.";
pub(super) const REQUEST_EXPIRED: &str =
    "Your request expired without an answer, so this part is still open. You can ask again.";
pub(super) const NOTHING_TO_STOP: &str = "This conversation is complete. There is nothing to stop.";
pub(super) const BACK_AFTER_THE_END: &str = "The assistant is back.";
pub(super) const PERSON_IS_THERE: &str = "Someone from the team is already here with you.";
pub(super) const COMPLETED_ALREADY: &str =
    "This conversation is complete. I've saved your message for the team.";
pub(super) const USE_THE_CARD: &str = "Please use the buttons on the card for this one.";
pub(super) const SEND_A_FILE: &str = "Please send a file here, or use the buttons on the card.";
pub(super) const FILES_FULL: &str = "You've reached the file limit for this conversation.";
pub(super) const FILES_OF_OTHERS: &str = "Only the person being interviewed can send files here.";
pub(super) const NO_FILES_NOW: &str = "I can't accept files right now.";
pub(super) const PICK_ONE: &str =
    "I couldn't match that to one of the choices. Please pick one, or write its name.";
pub(super) const PLEASE_PICK: &str = "Please pick one, or write its name.";
pub(super) const SEND_AGAIN: &str = "If that was your answer, please send it again.";
pub(super) const KEPT_AS_NOTE: &str =
    "I've saved that as a note for the team. Type *human* if you'd rather talk to a person.";
pub(super) const REMINDERS_STOPPED: &str = "No more reminders.";
pub(super) const REMINDER: &str =
    "A reminder: this question is still open. Type *stop reminders* for no more of these.";
pub(super) const WHENEVER: &str = "All right. Type *resume* whenever you're ready.";
pub(super) const LATER: &str = "All right. The question stays open; answer it whenever you like.";
pub(super) const TASK_RAN_OUT: &str = "the budget of this task is used up";
pub(super) const ENDED: &str = "The team has ended this conversation. Thank you for your time.";
pub(super) const NOTHING_TO_SKIP: &str = "There's nothing to skip right now.";
pub(super) const NOTHING_TO_CHANGE: &str = "This can no longer be changed.";
pub(super) const CHANGE: &str = "Here's the current version. Edit anything you like.";
pub(super) const STAYS: &str = "No changes made.";
pub(super) const WITH_THE_TEAM: &str = "I've asked the team and I'm keeping quiet in the meantime. Type *continue* to carry on with me.";
pub(super) const EXPORT_READY: &str = "Here's a copy of everything you told me.";
pub(super) const TOO_LONG: &str = "We've been talking for a long time, so I've asked the team to take a look. Type *continue* to carry on with me.";
pub(super) const ROUNDS_USED: &str = "That's as far as I can take it on my own for now. Write to me to continue, or type *human* to reach a person.";
pub(super) const THINKING_LATER: &str = "I'm having trouble responding right now; your answers are safe. I'll write when I can, or type *human* to reach a person.";
pub(super) const ONE_MOMENT: &str =
    "One moment… I'm having trouble responding. What you write isn't lost.";
pub(super) const SCRIPT_LEADS: &str =
    "I'll continue with a fixed list of questions for now. Nothing you've told me is lost.";
pub(super) const OUT_OF_MEANS: &str = "I've saved that, but I can't continue this conversation on my own. Type *human* to reach a person.";
pub(super) const MOVED_ON: &str = "the call was not made: the conversation has moved on";
pub(super) const NOT_MADE: &str =
    "the call was not made: the conversation has used up what it may use";
pub(super) const YOUR_TURN: &str = "What would you like to tell me or ask next? Write to me here, or type *human* to reach a person.";
pub(super) const STUCK: &str = "I can't continue on my own here, so I've asked the team.";

pub(super) const ERASE_TITLE: &str = "Delete everything?";
pub(super) const ERASE_BODY: &str = "This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.";

/// Words named one option among others.
pub(super) fn did_you_mean(label: &str) -> String {
    format!("Did you mean *{}*? {PLEASE_PICK}", quoted(label))
}

/// Files have come while the model was at work on something else.
pub(super) fn arrived(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("*{}*", quoted(name))).collect();
    match names.as_slice() {
        [before @ .., last] if !before.is_empty() => {
            format!("Got {} and {last}.", before.join(", "))
        }
        names => format!("Got {}.", names.concat()),
    }
}

/// A question where nobody answers any; `next` says how to go on.
pub(super) fn question_kept(next: &str) -> String {
    format!(
        "I can't answer that myself, so I've saved your question for the team. Type *human* if you'd rather talk to a person. {next}"
    )
}

/// Nobody of the team has it: whether the bot goes on trying, and where the participant can turn.
pub(super) fn not_reached(is_tried: bool, contact: Option<&str>) -> String {
    let tries = if is_tried {
        " I'll keep trying, and tell you here as soon as they have your message."
    } else {
        ""
    };
    let way = match contact {
        Some(contact) => format!("please write to {contact}"),
        None => "please contact them directly".to_owned(),
    };
    format!("I couldn't reach the team just now.{tries} If it can't wait, {way}.")
}

/// What a channel of the staff reads where another one should have, and takes nothing just now. It holds nothing of what
/// only deciders may read.
pub(super) fn needed_elsewhere(person: &str, title: &str, alias: &str, errand: &Errand) -> String {
    match errand {
        Errand::HandOver { .. } | Errand::Reminder { .. } => format!(
            "**{person}** asks for a person in *{title}*. I can't post that in `{alias}` just now."
        ),
        Errand::Request { .. } => format!(
            "A request about **{person}** in *{title}* needs a decision. I can't show it in `{alias}` just now; \
             whoever may decide finds it on the staff page."
        ),
    }
}

/// What staff read about something that never arrived.
pub(super) fn not_delivered(person: &str, act: &Act, to: &Recipient, reason: &str) -> String {
    let (person, reason) = (quoted(person), quoted(reason));
    match (act, to) {
        (Act::Fetch { .. }, _) => {
            format!("I couldn't fetch a file that **{person}** sent: {reason}.")
        }
        (Act::AddRoles { .. }, _) => format!("**{person}** didn't get every role ({reason})."),
        (Act::Hand { what: Handout::File { .. }, .. }, _) => {
            format!("**{person}** didn't get a file from me: {reason}.")
        }
        (_, Recipient::Participant) => {
            format!("**{person}** didn't get a message from me: {reason}.")
        }
        (_, Recipient::Channel { alias }) => {
            format!("I couldn't post about **{person}** in `{alias}`: {reason}.")
        }
        (_, Recipient::Person { .. }) => {
            format!("I couldn't write to one of you directly about **{person}**: {reason}.")
        }
        (_, Recipient::Webhook { alias }) => {
            format!("The web hook `{alias}` wasn't told about **{person}**: {reason}.")
        }
    }
}

/// What the participant reads about a file that did not get to its place; none where it was no file.
pub(super) fn missing_file(act: &Act) -> Option<String> {
    match act {
        Act::Hand { what: Handout::File { file }, .. } => {
            Some(format!("I couldn't send you *{}*.", quoted(&file.filename)))
        }
        Act::Fetch { .. } => {
            Some("I couldn't fetch the file that you sent. Please send it again.".to_owned())
        }
        _ => None,
    }
}

/// What is said to somebody whose data may not be erased just now.
pub(super) fn erasure_put_off(hold: &Hold) -> String {
    format!(
        "I've recorded your request. The team has to keep this conversation for now, for this reason: {}. Once that ends, everything is deleted; you don't need to ask again.",
        quoted(&hold.reason)
    )
}

/// What is said where the model may not be asked before a time; it is midnight in UTC, so the day is enough.
pub(super) fn thinking_from(at: DateTime<Utc>) -> String {
    format!(
        "I can't respond before {}; your answers are safe. I'll write then, or type *human* to reach a person now.",
        at.format("%-d %B %Y")
    )
}

/// The dialog about skipping ahead, word for word.
pub(super) fn override_dialog(missing: &[String], reason: Option<&str>, next: &str) -> String {
    format!(
        "The interviewer would like to proceed despite the following not being marked complete:\n\
         • {}\n\
         Reason: “{}”\n\n\
         **Do you approve advancing to {next}?**",
        missing.join(", "),
        quoted(reason.unwrap_or("none given")),
    )
}

/// What is said where the process ended while the model was to answer, so that the answer took long.
pub(super) fn interrupted(phase: &str) -> String {
    format!("Sorry, I was interrupted. Where were we: *{phase}*.")
}

/// What is kept of a person, in words, each kind once.
fn kept(state: &State, flow: &LoadedFlow) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let records = state.records.iter().map(|record| flow.data_title(&record.data_type));
    let files = state.artifacts.iter().map(|artifact| format!("file *{}*", artifact.filename));
    for words in records.chain(files) {
        if !kept.contains(&words) {
            kept.push(words);
        }
    }
    kept
}

/// What is said after "stop": what is kept stays, what was done is not undone.
pub(super) fn stopped(state: &State, flow: &LoadedFlow) -> String {
    let kept = kept(state, flow);
    let kept =
        if kept.is_empty() { String::new() } else { format!(" Kept so far: {}.", kept.join(", ")) };
    format!(
        "Stopped. I won't ask anything more.{kept} Type *resume* to continue later, or *delete my data* to erase everything."
    )
}

/// What is said at the very end: what was collected, and what happens next. That somebody will review it is only said
/// where the flow sends it to somebody.
pub(super) fn completed(state: &State, flow: &LoadedFlow) -> String {
    let kept = kept(state, flow);
    let organisation = flow.vars.get("organisation").map_or("The team", String::as_str);
    if kept.is_empty() {
        return format!("All done. {organisation} has stored only your choices.");
    }
    let list = kept.iter().map(|kind| format!("- {kind}")).collect::<Vec<_>>().join("\n");
    let review =
        if is_reviewed(state, flow) { "Someone from the team will review it. " } else { "" };
    format!(
        "That's everything, thank you! {organisation} can see the following:\n\n{list}\n\n\
         {review}Type *export* for a copy, or *delete my data* to erase it."
    )
}

/// Whether what was collected is sent to people; the playground has nobody to send it to.
fn is_reviewed(state: &State, flow: &LoadedFlow) -> bool {
    let mut effects = flow.flow.phase.iter().flat_map(|phase| &phase.effect);
    state.place.platform != Platform::Web
        && effects.any(|effect| matches!(effect, PhaseEffect::PostSummary { .. }))
}

/// What is said when a script comes to its end and something is still open.
pub(super) fn still_open(state: &State, phase: &Phase) -> String {
    let missing = evidence::missing(state, phase);
    let titles: Vec<&str> = phase
        .objective
        .iter()
        .filter(|objective| missing.contains(&objective.id))
        .map(|objective| objective.title.as_str())
        .collect();
    format!("Still open: {}.", titles.join(", "))
}

/// What is said to somebody whose request was declined: by whom, and why, where they said so.
pub(super) fn declined(by_name: &str, what: &str, words: Option<&str>) -> String {
    let begin = format!("{} declined your request for {}", quoted(by_name), quoted(what));
    match words {
        Some(words) => format!("{begin}:\n\n{}", quotation(words)),
        None => format!("{begin}."),
    }
}

/// What is said to somebody who may not skip ahead, with the words that were meant for them.
pub(super) fn denied_because(by_name: &str, words: &str) -> String {
    format!("{} would like you to finish this part first:\n\n{}", quoted(by_name), quotation(words))
}

/// What a decision came to, with the words of whoever made it, where the participant may read them.
pub(super) fn with_reason(text: String, by_name: &str, words: Option<&str>) -> String {
    match words {
        Some(words) => format!("{text}\n\n{}:\n\n{}", quoted(by_name), quotation(words)),
        None => text,
    }
}

/// When a part comes that comes later.
pub(super) fn goes_on_at(day: &str) -> String {
    format!("We'll continue on {day}. I'll write to you then.")
}

/// Somebody's words as a quotation.
fn quotation(words: &str) -> String {
    let quoted = quoted(words.trim());
    let lines: Vec<String> = quoted.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

pub(super) const NOTHING_TO_ASK: &str = "There's no request of yours to make again.";
pub(super) const ASKED_OFTEN: &str =
    "You've asked three times already. Press *Talk to a person* to reach the team instead.";
