//! Collected data on a card: label and value, a line each, a part for each entry of a list.

use super::{
    component::Component,
    components,
    text::{is_blank, one_line, said, units},
};
use crate::{
    chat::{card, form::shown},
    gateway::discord::limits,
    messages,
    model::ui::{Field, Group, Prompt},
};

/// Data as a card shows it. While it is `open`, what was read with low confidence is marked, and a line says what else
/// could be given.
pub(super) fn table(prompt: &Prompt, groups: &[Group], open: bool) -> Vec<Vec<Component>> {
    let part = |group: &Group| {
        let title = card::heading(prompt, group).map(one_line);
        lines(&title.unwrap_or_default(), &group.fields, open)
    };
    groups.iter().flat_map(part).collect()
}

/// Fields under a heading; in several parts where one text cannot hold them.
pub(super) fn lines(title: &str, fields: &[Field], open: bool) -> Vec<Vec<Component>> {
    let told = fields.iter().filter(|field| card::is_told(field, open));
    let line = |field: &Field| {
        let mark = if open && field.check {
            format!(" *({})*", messages::forms::PLEASE_CHECK)
        } else {
            String::new()
        };
        let label = said(&one_line(&field.label), limits::QUOTE);
        let value = shown(field);
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
    all.extend(told.map(line));
    let not_given = card::not_given(fields).filter(|_| open);
    all.extend(not_given.map(|line| format!("-# {}", said(&line, 300))));
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
