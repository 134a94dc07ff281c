//! Does a reply fit the question?

mod data;
mod day;
mod number;

use serde_json::Value;

pub(crate) use self::data::PARTIAL_DATE;
pub(super) use self::day::MONTHS;
pub use self::{
    data::check_data,
    day::{day, is_day},
    number::{Unclear, plain_number},
};
use crate::{
    messages,
    model::ui::{
        Choice, Choose, Control, Decide, Decision, Field, FieldError, Form, Input, Reply, Review,
        Verdict,
    },
};

/// What is wrong with `reply` as an answer to `control`; empty if nothing is. The control is the one that was
/// stored with the question, so a tool that changed since does not change what counts.
pub fn check(control: &Control, reply: &Reply) -> Vec<FieldError> {
    match (control, reply) {
        (Control::Choose(choose), Reply::Chosen { ids, free_text }) => {
            check_choice(choose, ids, free_text.as_deref())
        }
        (Control::Form(form), Reply::Filled { values }) => check_form(form, values),
        (Control::Review(review), Reply::Reviewed { verdict, data, .. }) => {
            check_review(review, *verdict, data.as_ref())
        }
        (Control::Upload(upload), Reply::Uploaded { artifacts }) => {
            let most = usize::try_from(upload.max_files).unwrap_or(usize::MAX);
            match artifacts.len() {
                0 => vec![FieldError::whole(messages::answers::NO_FILE)],
                n if n > most && most == 1 => {
                    vec![FieldError::whole(messages::answers::ONE_FILE)]
                }
                n if n > most => vec![FieldError::whole(messages::answers::too_many_files(most))],
                _ => Vec::new(),
            }
        }
        (Control::Ask(ask), Reply::Text { text }) => {
            let most = usize::try_from(ask.max).unwrap_or(usize::MAX);
            match text.chars().count() {
                _ if text.trim().is_empty() => vec![FieldError::whole(messages::answers::NO_WORDS)],
                n if n > most => {
                    vec![FieldError::whole(messages::answers::too_long(n, most))]
                }
                _ => Vec::new(),
            }
        }
        (Control::Decide(decide), Reply::Decided { decision, feedback }) => {
            check_decision(decide, *decision, feedback.as_deref())
        }
        (Control::Confirm(_), Reply::Confirmed { .. }) => Vec::new(),
        (control, Reply::Skipped) if may_skip(control) => Vec::new(),
        (_, Reply::Skipped) => vec![FieldError::whole(messages::answers::NO_SKIP)],
        _ => vec![FieldError::whole(messages::answers::NO_ANSWER)],
    }
}

/// Whether a question may be passed over.
pub fn may_skip(control: &Control) -> bool {
    match control {
        Control::Choose(choose) => !choose.required,
        Control::Form(form) => form.skippable,
        Control::Review(review) => review.skippable,
        Control::Upload(upload) => !upload.required,
        Control::Ask(ask) => !ask.required,
        Control::Decide(_) | Control::Confirm(_) => false,
    }
}

fn check_choice(choose: &Choose, ids: &[String], free_text: Option<&str>) -> Vec<FieldError> {
    if let (Some(text), []) = (free_text, ids) {
        let fits = !text.trim().is_empty();
        return if fits {
            Vec::new()
        } else {
            vec![FieldError::whole(messages::answers::PICK_ONE)]
        };
    }
    if let Some(stray) = ids.iter().find(|id| !choose.choices.iter().any(|c| c.id == **id)) {
        return vec![FieldError::whole(messages::answers::not_a_choice(stray))];
    }
    let repeated = ids.iter().enumerate().any(|(n, id)| ids[..n].contains(id));
    if repeated {
        return vec![FieldError::whole(messages::answers::PICK_ONE)];
    }
    messages::answers::picks(choose, ids.len()).map(FieldError::whole).into_iter().collect()
}

fn check_form(form: &Form, values: &serde_json::Map<String, Value>) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = values
        .keys()
        .filter(|path| !form.fields.iter().any(|field| field.path == **path))
        .map(|path| FieldError {
            path: path.clone(),
            message: messages::answers::STRAY_FIELD.to_owned(),
        })
        .collect();
    for field in &form.fields {
        let value = values.get(&field.path).unwrap_or(&Value::Null);
        if let Some(message) = check_field(field, value) {
            errors.push(FieldError { path: field.path.clone(), message });
        }
    }
    errors
}

/// What is wrong with the value of one field.
pub fn check_field(field: &Field, value: &Value) -> Option<String> {
    let empty = match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    if empty {
        return field.required.then(|| messages::answers::missing(field));
    }
    match (&field.input, value) {
        (Input::Text { min, max, .. }, Value::String(text)) => check_length(text, *min, *max),
        (Input::Email, Value::String(text)) => {
            complain(!is_email(text), messages::answers::NO_EMAIL)
        }
        (Input::Url, Value::String(text)) => {
            let fits = text.starts_with("https://") || text.starts_with("http://");
            complain(!fits, messages::answers::NO_URL)
        }
        (Input::Phone, Value::String(text)) => complain(
            text.chars().filter(char::is_ascii_digit).count() < 3,
            messages::answers::NO_PHONE,
        ),
        (Input::Date, Value::String(text)) => complain(!is_date(text), messages::answers::NO_DATE),
        (Input::Day, Value::String(text)) => complain(!is_day(text), messages::answers::NO_DAY),
        (Input::Number { integer, min, max }, Value::Number(number)) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            let whole = !integer || number.fract() == 0.0;
            let within = min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max);
            (!whole || !within).then(|| messages::answers::wanted_number(*integer, *min, *max))
        }
        (Input::Bool, Value::Bool(_)) => None,
        (Input::Select { choices, multiple }, value) => check_selected(choices, *multiple, value),
        (Input::Lines, Value::Array(lines)) => {
            complain(!lines.iter().all(Value::is_string), messages::answers::ONE_PER_LINE)
        }
        _ => Some(messages::answers::WRONG_KIND.to_owned()),
    }
}

fn check_length(text: &str, min: Option<u32>, max: Option<u32>) -> Option<String> {
    let count = text.trim().chars().count();
    let limit = |limit: Option<u32>| limit.and_then(|limit| usize::try_from(limit).ok());
    match (min, limit(min), limit(max)) {
        (Some(min), Some(least), _) if count < least => {
            Some(messages::answers::at_least_characters(min.into()))
        }
        (_, _, Some(max)) if count > max => Some(messages::answers::too_long(count, max)),
        _ => None,
    }
}

fn check_selected(choices: &[Choice], multiple: bool, value: &Value) -> Option<String> {
    let known = |id: &Value| id.as_str().is_some_and(|id| choices.iter().any(|c| c.id == id));
    let fits = match value {
        Value::Array(ids) if multiple => ids.iter().all(known),
        single => known(single),
    };
    complain(!fits, messages::answers::NO_LIST)
}

fn complain(wrong: bool, message: &str) -> Option<String> {
    wrong.then(|| message.to_owned())
}

/// Shape of an address only: whether it exists, only a letter can tell.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.trim().rsplit_once('@') else { return false };
    !local.is_empty()
        && domain.contains('.')
        && !domain.starts_with('.')
        && !domain.ends_with('.')
        && !text.trim().contains(char::is_whitespace)
}

/// `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, and a day that exists.
pub(crate) fn is_date(text: &str) -> bool {
    let full = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        10 => text.to_owned(),
        _ => return false,
    };
    chrono::NaiveDate::parse_from_str(&full, "%Y-%m-%d").is_ok()
}

fn check_review(review: &Review, verdict: Verdict, data: Option<&Value>) -> Vec<FieldError> {
    match (verdict, data) {
        (Verdict::Rejected, _) => Vec::new(),
        (Verdict::Approved, _) => check_data(&review.schema, &review.data),
        (Verdict::Modified, Some(data)) => check_data(&review.schema, data),
        (Verdict::Saved, Some(data)) => worsened(review, data),
        (Verdict::Modified | Verdict::Saved, None) => {
            vec![FieldError::whole(messages::answers::DATA_MISSING)]
        }
    }
}

/// What is wrong with edited data that was not wrong before: one entry can be saved while another still lacks
/// something. Entries may have moved, so that complaints are compared without their places.
fn worsened(review: &Review, data: &Value) -> Vec<FieldError> {
    let placeless = |error: &FieldError| {
        let parts = error.path.split('.').filter(|part| part.parse::<usize>().is_err());
        (parts.map(str::to_owned).collect::<Vec<_>>(), error.message.clone())
    };
    let before = check_data(&review.schema, &review.data);
    let is_known = |error: &FieldError| before.contains(error);
    let (stayed, mut new): (Vec<FieldError>, Vec<FieldError>) =
        check_data(&review.schema, data).into_iter().partition(is_known);
    let mut moved: Vec<_> =
        before.iter().filter(|error| !stayed.contains(error)).map(placeless).collect();
    new.retain(|error| {
        let known = moved.iter().position(|known| *known == placeless(error));
        known.map(|n| moved.swap_remove(n)).is_none()
    });
    new
}

fn check_decision(decide: &Decide, decision: Decision, feedback: Option<&str>) -> Vec<FieldError> {
    let without_text = feedback.is_none_or(|words| words.trim().is_empty());
    match decision {
        Decision::DeniedWithFeedback if decide.deny_and_tell.is_none() => {
            vec![FieldError::whole(messages::answers::NO_FEEDBACK)]
        }
        Decision::DeniedWithFeedback if without_text => {
            vec![FieldError {
                path: "feedback".to_owned(),
                message: messages::answers::SAY_WHAT_NEXT.to_owned(),
            }]
        }
        Decision::Approved | Decision::Denied | Decision::DeniedWithFeedback => Vec::new(),
    }
}

/// An answer in a few words, for the closed card and the person who lost.
pub fn describe(control: &Control, reply: &Reply) -> String {
    match reply {
        Reply::Text { text } => text.clone(),
        Reply::Chosen { ids, free_text } if ids.is_empty() => {
            free_text.clone().unwrap_or_else(|| messages::forms::NONE_OF_THESE.to_owned())
        }
        Reply::Chosen { ids, .. } => {
            let label = |id: &String| {
                match control {
                    Control::Choose(choose) => {
                        choose.choices.iter().find(|c| c.id == *id).map_or(id, |c| &c.label)
                    }
                    _ => id,
                }
                .clone()
            };
            ids.iter().map(label).collect::<Vec<_>>().join(", ")
        }
        Reply::Filled { .. } => messages::forms::FILLED_IN.to_owned(),
        Reply::Reviewed { verdict: Verdict::Approved, .. } => {
            messages::buttons::LOOKS_RIGHT.to_owned()
        }
        Reply::Reviewed { verdict: Verdict::Modified, .. } => {
            messages::forms::EDITED_AND_APPROVED.to_owned()
        }
        Reply::Reviewed { verdict: Verdict::Saved, .. } => "edited".to_owned(),
        Reply::Reviewed { verdict: Verdict::Rejected, .. } => "start over".to_owned(),
        Reply::Uploaded { artifacts } => match artifacts.len() {
            1 => "one file".to_owned(),
            n => format!("{n} files"),
        },
        Reply::Decided { decision: Decision::Approved, .. } => {
            messages::requests::APPROVED.to_owned()
        }
        Reply::Decided { .. } => messages::requests::DENIED.to_owned(),
        Reply::Confirmed { yes } => if *yes { "yes" } else { "no" }.to_owned(),
        Reply::Skipped => "skipped".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fruit(multiple: bool) -> Control {
        let choice = |id: &str, label: &str| Choice {
            id: id.to_owned(),
            label: label.to_owned(),
            description: None,
            icon: None,
        };
        let choices = vec![choice("p", "Pear"), choice("q", "Green apple"), choice("yes", "Yes")];
        Control::Choose(Choose { choices, multiple, required: true, ..Choose::default() })
    }

    #[test]
    fn a_reply_that_was_not_offered_is_refused() {
        let stray = Reply::Chosen { ids: vec!["x".to_owned()], free_text: None };
        assert_eq!(check(&fruit(false), &stray).len(), 1);
        assert_eq!(check(&fruit(false), &Reply::Skipped).len(), 1);
        let two = Reply::Chosen { ids: vec!["p".to_owned(), "q".to_owned()], free_text: None };
        assert_eq!(check(&fruit(false), &two).len(), 1);
        assert_eq!(check(&fruit(true), &two), []);
    }

    #[test]
    fn dates_are_real() {
        assert!(is_date("2024") && is_date("2024-02") && is_date("2024-02-29"));
        assert!(!is_date("2024-19") && !is_date("2023-02-29") && !is_date("soon"));
    }
}
