//! What is wrong with an answer, for places that do not stand beside the field: it is named in people's words.

use super::review_editor;
use crate::{
    messages,
    model::ui::{Control, Field, FieldError, Review},
};

/// A complaint with the name of what it is about: `Role 1: enter an organisation.` Whatever the form has no field for is
/// told without a name.
///
/// ```
/// use anteroom::{chat::form::complaint, model::ui::{Control, Field, FieldError, Form, Input}};
/// let field = Field {
///     path: "basics.startDate".into(), label: "Start".into(), hint: None, required: false,
///     input: Input::Date, value: serde_json::Value::Null, check: false,
/// };
/// let form = Form { fields: vec![field], submit: "Send".into(), skippable: false };
/// let error = FieldError { path: "basics.startDate".into(), message: "Enter a date.".into() };
/// assert_eq!(complaint(&Control::Form(form), &error), "Start: enter a date.");
/// ```
pub fn complaint(control: &Control, error: &FieldError) -> String {
    let (entry, label) = match control {
        Control::Form(form) => (None, label_in(form.fields.iter(), &error.path)),
        Control::Review(review) => within(review, &error.path),
        Control::Choose(_)
        | Control::Upload(_)
        | Control::Ask(_)
        | Control::Decide(_)
        | Control::Confirm(_) => (None, None),
    };
    // "Enter a name." names its field already.
    let said = error.message.to_lowercase();
    let label = label.filter(|label| !said.contains(&label.to_lowercase()));
    let names: Vec<String> = entry.into_iter().chain(label).collect();
    if names.is_empty() {
        return error.message.clone();
    }
    let names = names.join(", ");
    match messages::colon_after(&names) {
        // After a question mark a sentence begins.
        "" => messages::with_label(&names, &error.message),
        _ => messages::with_label(&names, &uncapitalised(&error.message)),
    }
}

/// Lists what is wrong, for the person who entered it: a line for each error, or one that says that nothing was entered.
pub fn complaints(control: &Control, errors: &[FieldError]) -> Vec<String> {
    let lines: Vec<String> = errors.iter().map(|error| complaint(control, error)).collect();
    if lines.is_empty() { vec![messages::answers::NO_ANSWER.to_owned()] } else { lines }
}

/// The entry of a list and the field that a path leads to, by their names.
fn within(review: &Review, path: &str) -> (Option<String>, Option<String>) {
    let fields = review.groups.iter().flat_map(|group| &group.fields);
    let Some((list, row)) = review_editor::entry_of(review, path) else {
        return (None, label_in(fields, path));
    };
    let list = &review.lists[list];
    let entry = format!("{} {}", messages::capitalised(&list.noun), row + 1);
    let below = path.strip_prefix(list.path.as_str()).unwrap_or(path).trim_start_matches('.');
    let below = below.split_once('.').map_or("", |(_, below)| below);
    let label = label_in(fields, path).or_else(|| label_in(list.fields.iter(), below));
    (Some(entry), label)
}

fn label_in<'a>(mut fields: impl Iterator<Item = &'a Field>, path: &str) -> Option<String> {
    fields.find(|field| field.path == path).map(|field| field.label.clone())
}

/// `enter a date.`, but `JSON is…` as it is.
fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}
