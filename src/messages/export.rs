//! The transcript that people can download.

use chrono::{DateTime, Utc};

use super::{forms, list, requests};
use crate::model::{
    transcript::{EffectOutcome, NoticeChoice, ObjectiveStatus},
    ui::{Decision, Verdict},
    wait::Purpose,
};

/// The head of the transcript.
pub(crate) const NOT_KNOWN: &str = "not known";
pub(crate) const SESSION: &str = "Session";
pub(crate) const STARTED: &str = "Started";
pub(crate) const LAST_CHANGE: &str = "Last change";
pub(crate) const MODEL_USE: &str = "Model use";

/// Who did something.
pub(crate) const THE_SCRIPT: &str = "The script";
pub(crate) const THE_MODEL: &str = "The model";
pub(crate) const A_PERSON: &str = "A person";

/// What happened.
pub(crate) const BEGAN: &str = "The conversation started.";
pub(crate) const APPROVES: &str = "Approves";
pub(crate) const DENIES: &str = "Denies";
pub(crate) const SAVED_EDIT: &str = "Saved an edit.";
pub(crate) const PERSON_ASKED: &str = "A person was asked to take over";
pub(crate) const TOOK_OVER: &str = "Took over";
pub(crate) const HANDED_BACK: &str = "The assistant continues.";
pub(crate) const COPY_OFFERED: &str = "A copy of everything was offered.";
pub(crate) const MODEL_SILENT: &str = "The model gave no answer";
pub(crate) const SCRIPT_CONTINUES: &str = "The script continues.";
pub(crate) const STAFF_ASKED: &str = "The team was asked to decide.";
pub(crate) const LAST_PART_DONE: &str = "The last part is done";

pub(crate) fn now(status: &str) -> String {
    format!("Now {status}")
}
pub(crate) fn sent_as(filename: &str, upload_type: &str) -> String {
    format!("Sent {filename} as {upload_type}")
}
pub(crate) fn next_part_at(at: &str) -> String {
    format!("The next part comes at {at}.")
}
pub(crate) fn handed_over(name: &str, text: &str) -> String {
    format!("Handed over {name}: {text}")
}
pub(crate) fn stored(data_type: &str) -> String {
    format!("Stored {data_type}")
}
pub(crate) fn not_delivered(what: &str, reason: &str) -> String {
    format!("Not delivered ({what}): {reason}")
}
pub(crate) fn reminder(count: impl std::fmt::Display) -> String {
    format!("Reminder {count}")
}
pub(crate) fn call_done(tool: &str) -> String {
    format!("`{tool}` is done")
}
pub(crate) fn call_failed(tool: &str, code: &str, message: &str) -> String {
    format!("`{tool}` failed ({code}): {message}")
}
pub(crate) fn nobody_answered(title: &str) -> String {
    format!("{title}: nobody answered in time")
}
pub(crate) fn closed(title: &str, reason: &str) -> String {
    format!("{title}: {reason}")
}
pub(crate) fn asked_anew(title: &str) -> String {
    format!("{title}: asked again in another form")
}
pub(crate) fn next(title: &str) -> String {
    format!("Next: {title}")
}
pub(crate) fn with_reason(text: &str, reason: &str) -> String {
    if reason.is_empty() { format!("{text}.") } else { format!("{text}: {reason}.") }
}

/// Why a part was left.
pub(crate) const CRITERIA_MET: &str = "everything needed was there";
pub(crate) const TEAM_APPROVED: &str = "the team approved moving on";
pub(crate) const TEAM_MOVED_ON: &str = "the team moved the conversation on";

pub(crate) const fn notice(choice: NoticeChoice) -> &'static str {
    match choice {
        NoticeChoice::Accepted => "Read the notice and continued with the assistant",
        NoticeChoice::Human => "Read the notice and asked for a person",
        NoticeChoice::Declined => "Read the notice and declined",
    }
}

/// `Noted: passed = true, score = 7`: what the script has worked out.
pub(crate) fn noted(values: &[String]) -> String {
    format!("Noted: {}", list::plain(values))
}

pub(crate) const fn objective(status: ObjectiveStatus) -> &'static str {
    match status {
        ObjectiveStatus::Pending => "not started",
        ObjectiveStatus::InProgress => "started",
        ObjectiveStatus::Completed => "done",
        ObjectiveStatus::Skipped => "skipped",
        ObjectiveStatus::Failed => "given up",
        ObjectiveStatus::NotApplicable => "not needed",
    }
}

pub(crate) fn effect(what: &str, outcome: &EffectOutcome) -> String {
    let outcome = match outcome {
        EffectOutcome::AwaitingApproval => "is waiting for approval".to_owned(),
        EffectOutcome::Queued => "is on its way".to_owned(),
        EffectOutcome::Delivered => "is done".to_owned(),
        EffectOutcome::NotApplicable => "does not apply here".to_owned(),
        EffectOutcome::Rehearsed => "was shown, not done".to_owned(),
        EffectOutcome::Declined => "was declined".to_owned(),
        EffectOutcome::Failed { reason } => format!("failed: {reason}"),
    };
    format!("`{what}` {outcome}")
}

pub(crate) fn purpose(purpose: &Purpose) -> String {
    match purpose {
        Purpose::Call { tool, .. } => format!("`{tool}`"),
        Purpose::Child { .. } => "A child run's question".to_owned(),
        Purpose::Notice => "The notice".to_owned(),
        Purpose::Begin { .. } => "Continuing".to_owned(),
        Purpose::Erase => "Deletion".to_owned(),
        Purpose::Effect { .. } => "Approval".to_owned(),
    }
}

pub(crate) fn files(kinds: &[String]) -> String {
    format!("{}: {}", forms::FILES, list::plain(kinds))
}

/// An answer named by words that were typed.
pub(crate) fn typed(choice: &str, text: &str) -> String {
    format!("{choice} (typed: “{text}”)")
}

pub(crate) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Approved => super::buttons::LOOKS_RIGHT,
        Verdict::Modified => forms::CHANGED_AND_APPROVED,
        Verdict::Saved => "Edited",
        Verdict::Rejected => super::buttons::START_OVER,
    }
}

pub(crate) const fn decision(decision: Decision) -> &'static str {
    match decision {
        Decision::Approved => requests::APPROVED,
        Decision::Denied | Decision::DeniedWithFeedback => requests::DENIED,
    }
}

pub(crate) fn sent_files(count: usize) -> String {
    match count {
        1 => "Sent a file".to_owned(),
        count => format!("Sent {count} files"),
    }
}

pub(crate) const NONE_OF_THESE: &str = "None of these";

/// A moment in the transcript, to the second.
pub(crate) fn time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}
