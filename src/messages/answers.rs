//! What is wrong with an answer, and what to do about it.

use crate::model::{
    text::one,
    ui::{Choose, Field, Input},
};

use super::forms;

/// A form for files was sent without one.
pub const CHOOSE_FILE_FIRST: &str = "Choose a file first.";
pub(crate) const DATA_MISSING: &str = "The edited data is missing.";
pub(crate) const EMPTY: &str = "Please fill this in.";
pub(crate) const END_BEFORE_START: &str = "The end date is before the start date.";
pub(crate) const MARKED_FIELDS: &str = "Please check the marked fields.";
pub(crate) const NO_ANSWER: &str = "That doesn't answer this question.";
pub(crate) const NO_COUNTRY: &str = "Enter a country, for example Germany or DE.";
pub(crate) const NO_DATE: &str = "Enter a date as YYYY, YYYY-MM or YYYY-MM-DD.";
pub(crate) const NO_DAY: &str = "Enter a date like 2001-05-31.";
pub(crate) const NO_EMAIL: &str = "Enter an e-mail address like ada@example.org.";
pub(crate) const NO_FEEDBACK: &str = "This question doesn't take feedback.";
pub(crate) const NO_FILE: &str = "Please choose a file.";
pub(crate) const NO_LIST: &str = "Pick from the list.";
pub(crate) const NO_NUMBER: &str = "Enter a number, such as 12.";
pub(crate) const NO_PHONE: &str = "Enter a telephone number like +44 20 7946 0018.";
pub(crate) const NO_SKIP: &str = "This question can't be skipped.";
pub(crate) const NO_URL: &str = "Enter a web address like https://example.org.";
pub(crate) const NO_WORDS: &str = "Please write something.";
pub(crate) const ONE_FILE: &str = "Only one file, please.";
pub(crate) const ONE_PER_LINE: &str = "Write one entry per line.";
pub(crate) const PICK_ONE: &str = "Please pick one.";
pub(crate) const PICK_SOME: &str = "Please pick at least one.";
pub(crate) const SAY_WHAT_NEXT: &str = "Please say what to do next.";
pub(crate) const SEVERAL_FILES_ASKED: &str =
    "More than one question is waiting for a file. Please use the button on the one you mean.";
pub(crate) const STRAY_FIELD: &str = "This field isn't part of the form.";
pub(crate) const WRONG_FORMAT: &str = "This isn't in the right format.";
pub(crate) const WRONG_KIND: &str = "That isn't the kind of answer this question needs.";

/// What is wrong with so many picks.
pub(crate) fn picks(choose: &Choose, picked: usize) -> Option<String> {
    match picked {
        0 if !choose.required => None,
        n if n >= choose.fewest() && n <= choose.most() => None,
        0 if choose.least.is_none() => {
            Some(if choose.multiple { PICK_SOME } else { PICK_ONE }.to_owned())
        }
        _ => Some(forms::how_many(choose).unwrap_or_else(|| PICK_ONE.to_owned())),
    }
}

/// Something was named that is no choice.
pub(crate) fn not_a_choice(name: &str) -> String {
    format!("“{name}” isn't one of the choices.")
}

/// More files than may be sent.
pub(crate) fn too_many_files(most: usize) -> String {
    format!("At most {most} files, please.")
}

/// More words than may be sent.
pub(crate) fn too_long(count: usize, most: usize) -> String {
    format!("That's {count} characters; the limit is {most}.")
}

/// A file that is too large to be taken in; its name is harmless already.
pub fn too_large(filename: &str, limit: u64) -> String {
    format!("`{filename}` is too large. The limit is {}.", super::bytes(limit))
}

/// `Enter a whole number from 0 to 150.`
pub(crate) fn wanted_number(integer: bool, min: Option<f64>, max: Option<f64>) -> String {
    let number = if integer { "Enter a whole number" } else { "Enter a number" };
    match (min, max) {
        (Some(min), Some(max)) => format!("{number} from {min} to {max}."),
        (Some(min), None) => format!("{number} of at least {min}."),
        (None, Some(max)) => format!("{number} of at most {max}."),
        (None, None) => format!("{number}."),
    }
}

/// What may be entered for a number, said beforehand; `None` if any may.
pub(crate) fn allowed_number(min: Option<f64>, max: Option<f64>) -> Option<String> {
    match (min, max) {
        (Some(min), Some(max)) => Some(format!("From {min} to {max}.")),
        (Some(min), None) => Some(format!("{min} or more.")),
        (None, Some(max)) => Some(format!("{max} or less.")),
        (None, None) => None,
    }
}

/// A number that may be read in two ways, of which a whole one may be no answer.
pub(crate) fn meant_number(whole: &str, broken: Option<&str>) -> String {
    match broken {
        Some(broken) => format!("Write {whole} or {broken}."),
        None => format!("Write {whole} if you mean that."),
    }
}

/// Fewer characters than there must be.
pub(crate) fn at_least_characters(limit: u64) -> String {
    format!("Enter at least {limit} characters.")
}

/// More characters than there may be.
pub(crate) fn at_most_characters(limit: u64) -> String {
    format!("Enter at most {limit} characters.")
}

/// Fewer options than must be picked.
pub(crate) fn pick_at_least(limit: u64) -> String {
    format!("Pick at least {limit}.")
}

/// More options than may be picked.
pub(crate) fn pick_at_most(limit: u64) -> String {
    format!("Pick at most {limit}.")
}

/// Fewer entries than there must be.
pub(crate) fn add_at_least(limit: u64) -> String {
    format!("Add at least {limit}.")
}

/// More entries than there may be.
pub(crate) fn keep_at_most(limit: u64) -> String {
    format!("Keep at most {limit}.")
}

/// A list without entries: `Add a role.`
pub(crate) fn add(noun: &str) -> String {
    format!("Add {}.", one(noun))
}

/// Members of data that its form does not have.
pub(crate) fn stray(names: &[String]) -> String {
    format!("“{}” doesn't belong here.", names.join("”, “"))
}

/// A text of another form than is described.
pub(crate) fn wrong_format(description: &str) -> String {
    format!("This isn't in the right format: {description}")
}

/// What to do about a field that must not be empty: what it offers is picked, anything else is entered.
pub(crate) fn missing(field: &Field) -> String {
    match field.input {
        Input::Bool | Input::Select { multiple: false, .. } => PICK_ONE.to_owned(),
        Input::Select { multiple: true, .. } => PICK_SOME.to_owned(),
        Input::Text { .. }
        | Input::Email
        | Input::Url
        | Input::Phone
        | Input::Date
        | Input::Day
        | Input::Number { .. }
        | Input::Lines => enter(&field.label),
    }
}

/// What to do about something by a name that must not be empty: `Enter an organisation.`
pub(crate) fn enter(label: &str) -> String {
    let is_noun = !label.is_empty()
        && !label.ends_with('s')
        && label.chars().all(|c| c.is_alphabetic() || c == '-');
    let is_name = label.chars().skip(1).any(char::is_uppercase);
    match (is_noun, is_name) {
        (true, true) => format!("Enter {}.", one(label)),
        (true, false) => format!("Enter {}.", one(&label.to_lowercase())),
        (false, _) => format!("Fill in “{}”.", label.trim_end_matches(['.', ':', '?'])),
    }
}
