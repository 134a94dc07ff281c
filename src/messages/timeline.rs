//! The lines between the messages of a conversation, as staff read them on the page.

use super::{Text, page, staff, unnamed::at_beginning};
use crate::model::{
    session::Status,
    transcript::{Grounds, ObjectiveStatus, SetBy},
};

pub(crate) const LAST_PART_DONE: &str = "The last part is done.";
pub(crate) const ASKED_FOR_A_HUMAN: &str = "Asked for a human.";
pub(crate) const HANDED_BACK: &str = "Handed back to the assistant.";
pub(crate) const MEMBER_ASKED: &str = "A team member was asked directly.";
pub(crate) const MEMBER_NOT_REACHED: &str = "A team member couldn't be reached directly.";
pub(crate) const REMINDERS_OFF: &str = "Reminders turned off.";
pub(crate) const THE_CALL: &str = "The call";
pub(crate) const SUMMARY_FOR_MODEL: &str = "Summary so far (for the model).";
pub(crate) const TEAM_MEMBER: &str = "A team member";
pub(crate) const THE_ENGINE: &str = "The app";
pub(crate) const RESUMED: &str = "Resumed.";
pub(crate) const INTERVIEW_STARTED: &str = "Interview started.";
pub(crate) const COMPLETED: &str = "Completed.";

pub(crate) fn opened(title: &str, version: &str) -> Text {
    Text::words(format!("Opened “{title}” (version {version})."))
}
pub(crate) fn saved(title: &str, reviewed: bool) -> Text {
    let how = if reviewed { "approved by the participant" } else { "not reviewed" };
    Text::words(format!("“{title}” saved, {how}."))
}
pub(crate) fn proposed(title: &str, status: ObjectiveStatus) -> Text {
    Text::words(format!("The model proposes “{title}” as {}.", objective(status)))
}
pub(crate) fn objective_set(title: &str, status: ObjectiveStatus, by: SetBy) -> Text {
    Text::words(format!("“{title}” {} ({}).", objective(status), setter(by)))
}
pub(crate) fn asked_for_a_human_because(reason: &str) -> Text {
    Text::words(format!("Asked for a human, because {reason}."))
}
pub(crate) fn took_over(name: &str) -> Text {
    Text::default().then_quoted(name).then(" took over.")
}
pub(crate) fn saved_edit(name: &str) -> Text {
    Text::default().then_quoted(at_beginning(name)).then(" saved an edit.")
}
pub(crate) fn cannot_receive(alias: &str) -> Text {
    Text::words(format!(
        "{alias} can't receive messages right now. The post will be sent once it can."
    ))
}
pub(crate) fn not_reached(alias: &str) -> Text {
    Text::words(format!("{alias} couldn't be reached."))
}
pub(crate) fn not_delivered(what: &str, reason: &str) -> Text {
    Text::words(format!("Not delivered ({what}): {reason}"))
}
pub(crate) fn reminder_sent(count: impl std::fmt::Display) -> Text {
    Text::words(format!("Reminder {count} sent."))
}
pub(crate) fn result(tool: &str) -> Text {
    Text::words(format!("{tool} returned a result."))
}
pub(crate) fn call_failed(tool: &str, code: &str) -> Text {
    Text::words(format!("{tool} failed ({code})."))
}
pub(crate) fn model_failed(count: u32, code: &str) -> Text {
    Text::words(match count {
        0 | 1 => format!("The model failed ({code})."),
        count => format!("The model failed {count} times in a row ({code})."),
    })
}
pub(crate) fn script_leads(because: &str) -> Text {
    Text::words(format!("The script leads the rest of this part ({because})."))
}
pub(crate) fn called(who: &str, tool: &str) -> Text {
    Text::words(format!("{who} called {tool}."))
}
pub(crate) fn script_step(step: &str) -> String {
    format!("Script step {step}")
}
pub(crate) fn model_round(round: impl std::fmt::Display) -> String {
    format!("The model (round {round})")
}
pub(crate) fn part(title: &str, grounds: &str) -> String {
    format!("{title} ({grounds})")
}

pub(crate) const fn objective(status: ObjectiveStatus) -> &'static str {
    match status {
        ObjectiveStatus::Pending => "not started",
        ObjectiveStatus::InProgress => "in progress",
        ObjectiveStatus::Completed => "completed",
        ObjectiveStatus::Skipped => "skipped",
        ObjectiveStatus::Failed => "given up",
        ObjectiveStatus::NotApplicable => "not needed",
    }
}

const fn setter(by: SetBy) -> &'static str {
    match by {
        SetBy::Evidence => "evidence on file",
        SetBy::Condition => "a condition of the flow",
        SetBy::Model => "the model's judgement",
        SetBy::Participant => "the participant's word",
        SetBy::Override => "approved override",
    }
}

/// Why a part was left before everything in it was complete.
pub(crate) const fn grounds(grounds: &Grounds) -> Option<&'static str> {
    match grounds {
        Grounds::Began | Grounds::CriteriaMet => None,
        Grounds::Decision { .. } => Some("request approved"),
        Grounds::Initiative { .. } => Some("moved on by the team"),
    }
}

/// What a new status means.
pub(crate) fn change(to: Status, reason: &str) -> Text {
    Text::words(match (to, reason) {
        (Status::Open, "resumed") | (Status::Notice, _) => RESUMED.to_owned(),
        (Status::Open, _) => INTERVIEW_STARTED.to_owned(),
        (Status::Completed, _) => COMPLETED.to_owned(),
        (Status::Ended, "") => format!("{}.", page::ENDED),
        (to, reason) => format!("{}: {reason}.", super::capitalised(staff::status(to))),
    })
}

/// What came of an attempt to leave a part.
pub(crate) fn advance(status: Option<&str>) -> &'static str {
    match status {
        Some("blocked") => "Not ready for the next part yet.",
        Some("denied") => "The request to move on was denied.",
        Some("denied_with_feedback") => "The request to move on was denied with feedback.",
        Some("approved") => "The request to move on was approved.",
        Some(_) | None => "Checked whether the next part can begin.",
    }
}
