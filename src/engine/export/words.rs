//! What happened, in words.

use serde_json::{Map, Value};

use super::reviewed::{approved, value_words};
use crate::{
    messages,
    model::ui::{Control, Prompt, Reply},
};

/// `Noted: passed = true, score = 7`: what the script has worked out.
pub(crate) fn noted(values: &Map<String, Value>) -> String {
    let words = values.iter().map(|(name, value)| {
        format!("{name} = {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    });
    messages::export::noted(&words.collect::<Vec<_>>())
}

/// A prompt as text: title, body, and what there was to choose from or, with the draft, to look over.
pub(super) fn prompt_words(prompt: &Prompt, has_draft: bool) -> String {
    let mut text = String::new();
    if let Some(title) = prompt.heading() {
        text.extend([&title, "\n\n"]);
    }
    text.extend([&prompt.body.common_mark(), "\n"]);
    let lines: Vec<String> = match &prompt.control {
        Control::Choose(choose) => {
            choose.choices.iter().map(|choice| format!("[{}]", choice.label)).collect()
        }
        Control::Form(form) => form.fields.iter().map(|field| field.label.clone()).collect(),
        Control::Review(_) if !has_draft => Vec::new(),
        Control::Review(review) => {
            let fields = review.groups.iter().flat_map(|group| &group.fields);
            fields
                .map(|field| messages::with_label(&field.label, &value_words(&field.value)))
                .collect()
        }
        Control::Decide(decide) => {
            decide.facts.iter().map(|(label, value)| format!("{label}: {value}")).collect()
        }
        Control::Confirm(confirm) => {
            vec![format!("[{}]", confirm.yes), format!("[{}]", confirm.no)]
        }
        Control::Upload(upload) => vec![messages::export::files(&upload.accept)],
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
            messages::export::typed(&chosen(ids, &prompt.control), text)
        }
        Reply::Chosen { ids, free_text: None } => chosen(ids, &prompt.control),
        Reply::Filled { values } => {
            let lines =
                values.iter().map(|(path, value)| format!("- {path}: {}", value_words(value)));
            lines.collect::<Vec<_>>().join("\n")
        }
        Reply::Reviewed { verdict, notes, data } => {
            let mut text = with_words(messages::export::verdict(*verdict), notes.as_deref());
            if let (Control::Review(review), Some(data)) = (&prompt.control, data) {
                text.push('\n');
                for line in approved(review, data) {
                    text.extend(["\n- ", &line]);
                }
            }
            text
        }
        Reply::Uploaded { artifacts } => messages::export::sent_files(artifacts.len()),
        Reply::Decided { decision, feedback } => {
            with_words(messages::export::decision(*decision), feedback.as_deref())
        }
        Reply::Confirmed { yes } => match &prompt.control {
            Control::Confirm(confirm) if *yes => confirm.yes.clone(),
            Control::Confirm(confirm) => confirm.no.clone(),
            _ => messages::buttons::yes_or_no(*yes).to_owned(),
        },
        Reply::Skipped => messages::staff::SKIPPED.to_owned(),
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
        return messages::export::NONE_OF_THESE.to_owned();
    }
    ids.iter().map(label).collect::<Vec<_>>().join(", ")
}

fn with_words(text: &str, words: Option<&str>) -> String {
    words.map_or_else(|| text.to_owned(), |words| format!("{text}: {words}"))
}
