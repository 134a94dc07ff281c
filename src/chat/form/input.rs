//! Fields as a form shows them, and what was entered as the values of a form.

use serde_json::Value;

use super::in_words;
use crate::{
    messages,
    model::ui::{Choice, Field, Input},
};

/// What stands in a field of text.
pub fn text_of(field: &Field) -> String {
    match (&field.value, &field.input) {
        (Value::Array(lines), Input::Lines) => {
            lines.iter().map(in_words).collect::<Vec<_>>().join("\n")
        }
        (value, _) => in_words(value),
    }
}

/// What a form sends for a field that it does not show: what is there already.
pub fn kept(field: &Field) -> Vec<String> {
    match (&field.value, &field.input) {
        (Value::Array(ids), Input::Select { .. }) => ids.iter().map(in_words).collect(),
        _ => vec![text_of(field)],
    }
}

/// Ids of the options that were picked; their values are the places of the choices.
pub fn picked(choices: &[Choice], values: &[String]) -> Vec<String> {
    let choice = |value: &String| choices.get(value.parse::<usize>().ok()?);
    values.iter().filter_map(choice).map(|choice| choice.id.clone()).collect()
}

/// Ids of the choices that were named by number, label or id; what is none of them stays, to be complained about.
pub fn named(choices: &[Choice], multiple: bool, text: &str) -> Vec<String> {
    let known = |name: &str| {
        let lower = name.to_lowercase();
        let by_name = choices
            .iter()
            .find(|c| c.label.to_lowercase() == lower || c.id.to_lowercase() == lower);
        let by_place =
            || choices.get(name.trim_end_matches('.').parse::<usize>().ok()?.checked_sub(1)?);
        by_name.or_else(by_place).map_or_else(|| name.to_owned(), |choice| choice.id.clone())
    };
    if !multiple {
        return vec![known(text.trim())].into_iter().filter(|id| !id.is_empty()).collect();
    }
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(known).collect()
}

/// Words for a field that share an input with others, as the values of a form.
pub fn words_to_values(field: &Field, words: &str) -> Vec<String> {
    match &field.input {
        Input::Select { choices, multiple } => {
            let lines = if *multiple { words.replace(',', "\n") } else { words.to_owned() };
            named(choices, *multiple, &lines)
        }
        Input::Bool => {
            let said = words.trim().to_lowercase();
            vec![match said.as_str() {
                "y" | "true" | "x" => "yes".to_owned(),
                "n" | "false" => "no".to_owned(),
                _ => said,
            }]
        }
        Input::Lines => vec![words.replace("; ", "\n")],
        _ => vec![words.to_owned()],
    }
}

/// What is chosen from where something is or is not so.
pub fn yes_or_no() -> [Choice; 2] {
    [("yes", messages::buttons::YES), ("no", messages::buttons::NO)].map(|(id, label)| Choice {
        id: id.to_owned(),
        label: label.to_owned(),
        description: None,
        icon: None,
    })
}
