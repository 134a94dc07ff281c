//! What the bot says to the participant, in its own voice.

use chrono::{DateTime, NaiveDate, Utc};

use super::{Text, day, list};
use crate::model::effect::{Act, Handout};

pub(crate) const STOPPED_ALREADY: &str = "This conversation is stopped. Type *resume* to continue.";
pub(crate) const SPEECH_STOPPED: &str =
    "I've stopped. Write whenever you're ready, or type *stop* again to stop the interview.";
pub(crate) const SPEECH_STOPPED_BY_BUTTON: &str = "I've stopped. Write whenever you're ready.";
pub(crate) const WAITING: &str = "I'll wait. Write whenever you're ready.";
pub(crate) const STEP_UNDER_WAY: &str =
    "I'm in the middle of a step that can't be stopped. Type *stop* to end the conversation.";
pub(crate) const NOTHING_UNDER_WAY: &str = "I'd already finished, so there was nothing to stop.";
pub(crate) const NOT_YOURS_TO_STOP: &str = "Only the person being interviewed can stop me here.";
/// What is kept as the participant's words where they let a stopped model go on without any.
pub(crate) const GO_ON: &str = "Continue.";
pub(crate) const RESUMED: &str = "Welcome back. Let's pick up where we left off.";
pub(crate) const PAUSED: &str = "I haven't heard from you for a while, so I've paused. Nothing is lost: write anything to continue.";
pub(crate) const DECLINED: &str =
    "No problem, nothing was collected. Type *resume* if you change your mind.";
pub(crate) const HUMAN_ASKED: &str =
    "I've asked the team. I'll keep quiet until they answer or you type *continue*.";
pub(crate) const EMERGENCY: &str = "Thank you for telling me. If anyone is in danger, please call your local emergency number now.";
pub(crate) const PERSON_CALLED: &str = "I've asked a person from the team to look at this now. I'll keep quiet until they answer or you type *continue*.";
pub(crate) const ASKING: &str =
    "I'm asking the team. I'll tell you here as soon as they have your message.";
pub(crate) const DIRECTLY_CALLED: &str = "I couldn't post in the team's channel, so I've written to the team's members directly. I'll keep quiet until they answer or you type *continue*.";
pub(crate) const DIRECTLY_ASKED: &str = "I couldn't post in the team's channel, so I've written directly to the people who can decide. You can leave; I'll post their answer here.";
pub(crate) const UNCLAIMED: &str = "Nobody from the team has answered yet, so I've reminded them. Type *continue* to carry on with me in the meantime.";
pub(crate) const HANDED_BACK: &str = "The assistant is back. Let's pick up where we left off.";
pub(crate) const STAFF_ASKED: &str =
    "I've asked the team. You can leave; I'll post their answer here.";
pub(crate) const UNDECIDED: &str =
    "To be clear: the team hasn't decided yet. I'll post their answer here.";
pub(crate) const NOT_APPROVED: &str = "To be clear: the team hasn't approved anything here yet.";
pub(crate) const NOT_DELETED: &str =
    "To be clear: your data has not been deleted. Type *delete my data* if you'd like that.";
pub(crate) const APPROVED: &str = "The team approved your request, so let's move on.";
pub(crate) const DENIED: &str = "The team would like you to finish this part first.";
pub(crate) const DECISION_APPROVED: &str = "The team has decided: you're approved.";
pub(crate) const DECISION_DENIED: &str = "The team has decided against it this time.";
pub(crate) const DECISION_EXPIRED: &str =
    "The team hasn't decided in time. You can ask for a person, or come back to it later.";
pub(crate) const TOO_LATE: &str = "The time for this question is up.";
pub(crate) const REQUEST_EXPIRED: &str =
    "Your request expired without an answer, so this part is still open. You can ask again.";
pub(crate) const NOTHING_TO_STOP: &str = "This conversation is complete. There is nothing to stop.";
pub(crate) const BACK_AFTER_THE_END: &str = "The assistant is back.";
pub(crate) const PERSON_IS_THERE: &str = "Someone from the team is already here with you.";
pub(crate) const COMPLETED_ALREADY: &str =
    "This conversation is complete. I've saved your message for the team.";
pub(crate) const USE_THE_CARD: &str = "Please use the buttons on the card for this one.";
pub(crate) const SEND_A_FILE: &str = "Please send a file here, or use the buttons on the card.";
/// Instead of the above where only replies can be read, or nothing is.
pub(crate) const SEND_BY_CARD: &str = "Please use the buttons on the card to send a file.";
pub(crate) const WRITE_TO_ME: &str = "Write to me";
pub(crate) const WRITE_ANYTHING: &str = "write anything";
pub(crate) const REPLY_TO_THIS: &str = "Reply to this message";
pub(crate) const REPLY_TO_THIS_WITHIN: &str = "reply to this message";
pub(crate) const USE_AS_ANSWER: &str = "Choose *Use as answer* on a message of yours";
pub(crate) const USE_AS_ANSWER_WITHIN: &str = "choose *Use as answer* on a message of yours";
pub(crate) const FILES_FULL: &str = "You've reached the file limit for this conversation.";
pub(crate) const FILES_OF_OTHERS: &str = "Only the person being interviewed can send files here.";
pub(crate) const NO_FILES_NOW: &str = "I can't accept files right now.";
pub(crate) const NOT_MATCHED: &str =
    "I couldn't match that to one of the choices. Please pick one, or write its name.";
pub(crate) const PLEASE_PICK: &str = "Please pick one, or write its name.";
pub(crate) const PLEASE_PICK_OR_REPLY: &str =
    "Please pick one, or reply to this message with its name.";
pub(crate) const SEND_AGAIN: &str = "If that was your answer, please send it again.";
pub(crate) const KEPT_AS_NOTE: &str =
    "I've saved that as a note for the team. Type *human* if you'd rather talk to a person.";
pub(crate) const REMINDERS_STOPPED: &str = "Okay, no more reminders.";
pub(crate) const REMINDER: &str =
    "A reminder: this question is still open. Type *stop reminders* for no more of these.";
pub(crate) const WHENEVER: &str = "All right. Type *resume* whenever you're ready.";
pub(crate) const LATER: &str = "All right. The question stays open; answer it whenever you like.";
pub(crate) const ENDED: &str = "The team has ended this conversation. Thank you for your time.";
pub(crate) const NOTHING_TO_SKIP: &str = "There's nothing to skip right now.";
pub(crate) const NOTHING_TO_CHANGE: &str = "This can no longer be changed.";
pub(crate) const CHANGE: &str = "Here's the current version. Edit anything you like.";
/// Words that were changed later are no answer.
pub(crate) const UNREADABLE: &str = "I couldn't read that as an answer, so your earlier one stays.";
pub(crate) const STAYS: &str = "No changes made.";
pub(crate) const WITH_THE_TEAM: &str = "I've asked the team and I'm keeping quiet in the meantime. Type *continue* to carry on with me.";
pub(crate) const COPY_OFFERED: &str = "You can have a copy of everything.";
pub(crate) const EXPORT_READY: &str = "Here's a copy of everything you told me.";
pub(crate) const TOO_LONG: &str = "We've been talking for a long time, so I've asked the team to take a look. Type *continue* to carry on with me.";
pub(crate) const ROUNDS_USED: &str = "That's as far as I can take it on my own for now. Write to me to continue, or type *human* to reach a person.";
pub(crate) const THINKING_LATER: &str = "I'm having trouble responding right now; your answers are safe. I'll write when I can, or type *human* to reach a person.";
pub(crate) const ONE_MOMENT: &str =
    "One moment… I'm having trouble responding. What you write isn't lost.";
pub(crate) const SCRIPT_LEADS: &str =
    "I'll continue with a fixed list of questions for now. Nothing you've told me is lost.";
pub(crate) const OUT_OF_MEANS: &str = "I've saved that, but I can't continue this conversation on my own. Type *human* to reach a person.";
pub(crate) const YOUR_TURN: &str = "What would you like to tell me or ask next? Write to me here, or type *human* to reach a person.";
pub(crate) const STUCK: &str = "I can't continue on my own here, so I've asked the team.";
pub(crate) const ERASE_TITLE: &str = "Delete everything?";
pub(crate) const ERASE_BODY: &str = "This deletes your answers, your files, the whole conversation and any open requests, and removes what I posted. We keep only a record that an erasure took place; it doesn't contain your name. A receipt lists whatever I can't remove. This can't be undone.";
pub(crate) const NOTHING_TO_ASK: &str = "There's no request of yours to make again.";
pub(crate) const ASKED_OFTEN: &str =
    "You've asked three times already. Press *Talk to a person* to reach the team instead.";

/// The buttons and the end of the question whether to go on with the next part.
pub(crate) fn next(title: &str) -> Text {
    Text::from("Next: ").then_quoted(title).then_markdown(".")
}

/// When the first question comes.
pub(crate) fn first_question_on(day: NaiveDate) -> String {
    format!("Thank you. I'll ask the first question on {}.", day.format("%-d %B %Y"))
}

/// A member of staff has taken over.
pub(crate) fn is_here(name: &str) -> Text {
    Text::default().then_quoted(name).then_markdown(" from the team is here now.")
}

/// Words named one option among others.
pub(crate) fn did_you_mean(label: &str) -> Text {
    Text::from("Did you mean ")
        .then_quoted_emphasised(label)
        .then_markdown(format!("? {PLEASE_PICK}"))
}

/// Files have come while the model was at work on something else.
pub(crate) fn arrived(names: Vec<String>) -> Text {
    let names = names.into_iter().map(|name| Text::default().then_quoted_emphasised(name));
    Text::from("Got ").then_text(list::and_texts(names.collect())).then_markdown(".")
}

/// A question where nobody answers any; `next` says how to go on.
pub(crate) fn question_kept(next: &str) -> String {
    format!(
        "I can't answer that myself, so I've saved your question for the team. Type *human* if you'd rather talk to a person. {next}"
    )
}

/// Nobody of the team has it: whether the bot goes on trying, and where the participant can turn.
pub(crate) fn not_reached(is_tried: bool, contact: Option<&str>) -> String {
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

/// About a file that did not get to its place; `None` if it was no file.
pub(crate) fn missing_file(act: &Act) -> Option<Text> {
    match act {
        Act::Hand { what: Handout::File { file }, .. } => {
            let name = file.filename.as_str();
            Some(Text::from("I couldn't send you ").then_quoted_emphasised(name).then_markdown("."))
        }
        Act::Fetch { .. } => {
            Some("I couldn't fetch the file that you sent. Please send it again.".into())
        }
        _ => None,
    }
}

/// To somebody whose data may not be erased just now.
pub(crate) fn erasure_put_off(reason: &str) -> Text {
    Text::from("I've recorded your request. The team has to keep this conversation for now, for this reason: ")
        .then_quoted(reason)
        .then_markdown(". Once that ends, everything is deleted; you don't need to ask again.")
}

/// The model may not be asked before a time; it is midnight in UTC, so the day is enough.
pub(crate) fn thinking_from(at: DateTime<Utc>) -> String {
    format!(
        "I can't respond before {}; your answers are safe. I'll write then, or type *human* to reach a person now.",
        day(at)
    )
}

/// The process ended while the model was to answer, so that the answer took long.
pub(crate) fn interrupted(phase: &str) -> Text {
    Text::from("Sorry, I was interrupted. Where were we: ")
        .then_quoted_emphasised(phase)
        .then_markdown(".")
}

/// A file in a list of what is kept.
pub(crate) fn kept_file(filename: &str) -> Text {
    Text::from("file ").then_quoted_emphasised(filename)
}

/// After "stop": what is kept stays, what was done is not undone.
pub(crate) fn stopped(kept: Vec<Text>) -> Text {
    let said = Text::from("Stopped. I won't ask anything more.");
    let said = if kept.is_empty() {
        said
    } else {
        said.then_markdown(" Kept so far: ").then_text(list::plain_texts(kept)).then_markdown(".")
    };
    said.then_markdown(" Type *resume* to continue later, or *delete my data* to erase everything.")
}

/// Whose data it is where the flow does not say.
pub(crate) const THE_TEAM: &str = "The team";

/// At the very end: what was collected, and what happens next.
pub(crate) fn completed(organisation: &str, kept: Vec<Text>, is_reviewed: bool) -> Text {
    if kept.is_empty() {
        return Text::from(format!("All done. {organisation} has stored only your choices."));
    }
    let said = Text::from(format!(
        "That's everything, thank you! {organisation} can see the following:\n"
    ));
    let said = kept.into_iter().fold(said, |said, kind| said.then_markdown("\n- ").then_text(kind));
    let review = if is_reviewed { "Someone from the team will review it. " } else { "" };
    said.then_markdown(format!(
        "\n\n{review}Type *export* for a copy, or *delete my data* to erase it."
    ))
}

/// A script comes to its end and something is still open.
pub(crate) fn still_open(titles: &[&str]) -> Text {
    let titles = titles.iter().map(|title| Text::default().then_quoted(*title));
    Text::from("Still open: ").then_text(list::plain_texts(titles.collect())).then_markdown(".")
}

/// Which part a part is, and of how many, where they can be counted.
pub(crate) fn step(counted: Option<(usize, usize)>, title: &str) -> Text {
    let step = counted.map(|(step, of)| Text::words(format!("Step {step} of {of} · ")));
    step.unwrap_or_default().then_quoted(title)
}

/// When a part comes that comes later.
pub(crate) fn goes_on_at(day: &str) -> String {
    format!("We'll continue on {day}. I'll write to you then.")
}

/// What a contact source has of the participant, in words that follow "Use my".
pub(crate) const SLACK_PROFILE: &str = "Slack profile";
pub(crate) const DISCORD_PROFILE: &str = "Discord profile";
pub(crate) const DIRECTORY_ENTRY: &str = "directory entry";
pub(crate) const CONTACT_CARD: &str = "contact card";

/// Work goes on, and takes a while.
pub(crate) const THINKING: &str = "Thinking…";
pub(crate) const STILL_THINKING: &str = "Still thinking…";
pub(crate) const STILL_WORKING: &str = "Still working on it…";
pub(crate) const WORKING: &str = "Working on it…";
pub(crate) const TAKES_LONGER: &str = "This is taking longer than usual.";
pub(crate) const TOOK_A_WHILE: &str = "That took me a while.";

/// Files are being fetched.
pub(crate) fn receiving(names: &[String]) -> String {
    format!("Receiving {}…", list::plain(names))
}

/// A document is being read.
pub(crate) fn reading(filename: &str) -> String {
    format!("Received {filename}. Reading it…")
}

/// A step of the bot that failed; `doing` ends without dots.
pub(crate) fn did_not_work(doing: &str) -> String {
    format!("{doing} didn't work")
}
