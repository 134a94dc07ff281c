//! What happened, in words.

use serde_json::{Map, Value};

use super::reviewed::{approved, value_words};
use crate::model::{
    transcript::{EffectOutcome, NoticeChoice, ObjectiveStatus},
    ui::{Control, Decision, Prompt, Reply, Verdict},
    wait::Purpose,
};

pub(super) const fn notice(choice: NoticeChoice) -> &'static str {
    match choice {
        NoticeChoice::Accepted => "Read the notice and went on with the assistant",
        NoticeChoice::Human => "Read the notice and asked for a person",
        NoticeChoice::Declined => "Read the notice and declined",
    }
}

/// `Noted: passed = true, score = 7`: what the script has worked out.
pub(crate) fn noted(values: &Map<String, Value>) -> String {
    let words = values.iter().map(|(name, value)| {
        format!("{name} = {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    });
    format!("Noted: {}", words.collect::<Vec<_>>().join(", "))
}

pub(super) const fn objective_words(status: ObjectiveStatus) -> &'static str {
    match status {
        ObjectiveStatus::Pending => "not begun",
        ObjectiveStatus::InProgress => "begun",
        ObjectiveStatus::Completed => "done",
        ObjectiveStatus::Skipped => "passed over",
        ObjectiveStatus::Failed => "given up",
        ObjectiveStatus::NotApplicable => "not needed",
    }
}

pub(super) fn effect_words(what: &str, outcome: &EffectOutcome) -> String {
    let outcome = match outcome {
        EffectOutcome::AwaitingApproval => "waits for consent".to_owned(),
        EffectOutcome::Queued => "is on its way".to_owned(),
        EffectOutcome::Delivered => "is done".to_owned(),
        EffectOutcome::NotApplicable => "does not apply here".to_owned(),
        EffectOutcome::Rehearsed => "was shown, not done".to_owned(),
        EffectOutcome::Declined => "was declined".to_owned(),
        EffectOutcome::Failed { reason } => format!("failed: {reason}"),
    };
    format!("`{what}` {outcome}")
}

pub(super) fn purpose_words(purpose: &Purpose) -> String {
    match purpose {
        Purpose::Call { tool, .. } => format!("`{tool}`"),
        Purpose::Child { .. } => "A child run's question".to_owned(),
        Purpose::Notice => "The notice".to_owned(),
        Purpose::Begin { .. } => "Going on".to_owned(),
        Purpose::Erase => "Erasure".to_owned(),
        Purpose::Effect { .. } => "Consent".to_owned(),
    }
}

/// A prompt as text: title, body, and what there was to choose from or, with the draft, to look over.
pub(super) fn prompt_words(prompt: &Prompt, has_draft: bool) -> String {
    let mut text = String::new();
    if let Some(title) = &prompt.title {
        text.extend([title, "\n\n"]);
    }
    text.extend([&prompt.body, "\n"]);
    let lines: Vec<String> = match &prompt.control {
        Control::Choose(choose) => {
            choose.choices.iter().map(|choice| format!("[{}]", choice.label)).collect()
        }
        Control::Form(form) => form.fields.iter().map(|field| field.label.clone()).collect(),
        Control::Review(_) if !has_draft => Vec::new(),
        Control::Review(review) => {
            let fields = review.groups.iter().flat_map(|group| &group.fields);
            fields.map(|field| format!("{}: {}", field.label, value_words(&field.value))).collect()
        }
        Control::Decide(decide) => {
            decide.facts.iter().map(|(label, value)| format!("{label}: {value}")).collect()
        }
        Control::Confirm(confirm) => {
            vec![format!("[{}]", confirm.yes), format!("[{}]", confirm.no)]
        }
        Control::Upload(upload) => vec![format!("Files: {}", upload.accept.join(", "))],
        Control::Ask(_) => Vec::new(),
    };
    for line in lines {
        text.extend(["\n- ", &line]);
    }
    text
}

/// A reply as text, with the labels that the person saw.
pub(super) fn reply_words(reply: &Reply, prompt: &Prompt) -> String {
    match reply {
        Reply::Text { text } => text.clone(),
        Reply::Chosen { ids, free_text: Some(text) } if ids.is_empty() => text.clone(),
        Reply::Chosen { ids, free_text: Some(text) } => {
            format!("{} (typed: “{text}”)", chosen(ids, &prompt.control))
        }
        Reply::Chosen { ids, free_text: None } => chosen(ids, &prompt.control),
        Reply::Filled { values } => {
            let lines =
                values.iter().map(|(path, value)| format!("- {path}: {}", value_words(value)));
            lines.collect::<Vec<_>>().join("\n")
        }
        Reply::Reviewed { verdict, notes, data } => {
            let verdict = match verdict {
                Verdict::Approved => "Looks right",
                Verdict::Modified => "Changed and approved",
                Verdict::Saved => "Edited",
                Verdict::Rejected => "Start over",
            };
            let mut text = with_words(verdict, notes.as_deref());
            if let (Control::Review(review), Some(data)) = (&prompt.control, data) {
                text.push('\n');
                for line in approved(review, data) {
                    text.extend(["\n- ", &line]);
                }
            }
            text
        }
        Reply::Uploaded { artifacts } => match artifacts.len() {
            1 => "Sent a file".to_owned(),
            count => format!("Sent {count} files"),
        },
        Reply::Decided { decision, feedback } => {
            let decision = match decision {
                Decision::Approved => "Approved",
                Decision::Denied | Decision::DeniedWithFeedback => "Denied",
            };
            with_words(decision, feedback.as_deref())
        }
        Reply::Confirmed { yes } => match &prompt.control {
            Control::Confirm(confirm) if *yes => confirm.yes.clone(),
            Control::Confirm(confirm) => confirm.no.clone(),
            _ => if *yes { "Yes" } else { "No" }.to_owned(),
        },
        Reply::Skipped => "Skipped".to_owned(),
    }
}

fn chosen(ids: &[String], control: &Control) -> String {
    let label = |id: &String| match control {
        Control::Choose(choose) => choose
            .choices
            .iter()
            .find(|choice| choice.id == *id)
            .map_or_else(|| id.clone(), |choice| choice.label.clone()),
        _ => id.clone(),
    };
    if ids.is_empty() {
        return "Nothing of these".to_owned();
    }
    ids.iter().map(label).collect::<Vec<_>>().join(", ")
}

fn with_words(text: &str, words: Option<&str>) -> String {
    words.map_or_else(|| text.to_owned(), |words| format!("{text}: {words}"))
}
