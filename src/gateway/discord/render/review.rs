//! Collected data on a card: label and value, a line each, a part for each entry of a list.

use super::{
    component::Component,
    components,
    text::{is_blank, one_line, said, units},
};
use crate::{
    chat::form::shown,
    gateway::discord::limits,
    messages,
    model::ui::{Field, Group, Prompt},
};

/// Data as a card shows it. While it is `open`, what was read with low confidence is marked, and a line says what else
/// could be given.
pub(super) fn table(prompt: &Prompt, groups: &[Group], open: bool) -> Vec<Vec<Component>> {
    let titled = |group: &Group| {
        // The card may have said it already.
        let said_already = prompt.title.as_ref() == Some(&group.title);
        if said_already { String::new() } else { one_line(&group.title) }
    };
    groups.iter().flat_map(|group| lines(&titled(group), &group.fields, open)).collect()
}

/// Fields under a heading; in several parts where one text cannot hold them.
pub(super) fn lines(title: &str, fields: &[Field], open: bool) -> Vec<Vec<Component>> {
    let value = |field: &Field| shown(field);
    let (told, missing): (Vec<&Field>, Vec<&Field>) = fields
        .iter()
        .partition(|field| !is_blank(&value(field)) || open && (field.check || field.required));
    let line = |field: &&Field| {
        let mark = if open && field.check {
            format!(" *({})*", messages::forms::PLEASE_CHECK)
        } else {
            String::new()
        };
        let label = said(&one_line(&field.label), limits::QUOTE);
        let value = value(field);
        let value = if is_blank(&value) {
            format!("*{}*", messages::forms::NOT_FILLED_IN)
        } else {
            said(&value, limits::VALUE_SHOWN)
        };
        let colon = if mark.is_empty() { messages::colon_after(&label) } else { ":" };
        format!("**{label}**{mark}{colon} {value}")
    };
    let mut all: Vec<String> = Vec::new();
    if !is_blank(title) {
        all.push(format!("__**{}**__", said(title, limits::QUOTE)));
    }
    all.extend(told.iter().map(line));
    if open && !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|field| one_line(&field.label)).collect();
        all.push(format!("-# {}", said(&messages::forms::not_filled_in(&names), 300)));
    }
    let mut parts: Vec<String> = Vec::new();
    for line in all {
        match parts.last_mut() {
            Some(part) if units(part) + units(&line) < limits::TEXT_DISPLAY => {
                part.push('\n');
                part.push_str(&line);
            }
            _ => parts.push(line),
        }
    }
    parts.iter().map(|part| vec![components::text(part)]).collect()
}

/// Nothing has been written yet.
pub(super) fn is_untouched(groups: &[Group]) -> bool {
    let mut fields = groups.iter().flat_map(|group| &group.fields);
    fields.all(|field| is_blank(&shown(field)))
}
