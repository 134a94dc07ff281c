//! How values and answers read.

use chrono::{DateTime, NaiveDateTime, Utc};
use pulldown_cmark::{Event, Parser, TagEnd};
use serde_json::{Map, Value};

use super::{fields::is_country, review_editor::at};
use crate::{
    base::ids::WaitId,
    messages,
    model::{
        session::Status,
        transcript::Origin,
        ui::{Control, Field, Input, Reply, Verdict},
        wait::{Answerers, Purpose, Wait},
    },
    session::{State, time_zones},
};

/// A name in `snake_case` as words.
pub fn words_of(name: &str) -> String {
    name.replace(['_', '.'], " ")
}

/// A label on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first `max` characters, with a mark where something is left out.
pub fn clip(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// A value as a person reads it; empty where there is none.
pub fn in_words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Object(_) => at(value, "name").map_or_else(|| value.to_string(), in_words),
    }
}

/// Whether the participant may still change what they approved: the newest card about it, while the
/// conversation goes on. The core decides once more when the click comes.
pub fn may_change(wait: &Wait, reply: &Reply, state: &State) -> bool {
    let Control::Review(review) = &wait.prompt.control else { return false };
    let is_about_it = |id: &&WaitId| {
        let control = state.waits.get(*id).map(|other| &other.prompt.control);
        matches!(control, Some(Control::Review(other)) if other.data_type == review.data_type)
    };
    let is_newest = state.asked.iter().rev().find(is_about_it) == Some(&wait.id);
    let is_approved =
        matches!(reply, Reply::Reviewed { verdict: Verdict::Approved | Verdict::Modified, .. });
    is_approved
        && is_newest
        && state.handoff.is_none()
        && matches!(state.status, Status::Open | Status::Paused)
}

/// Whether what the participant wrote in answer to a question may be given anew, as far as it can be seen from the
/// question: in the same part of the conversation, while that goes on. The core decides once more when the click comes.
pub fn may_answer_anew(wait: &Wait, reply: &Reply, state: &State) -> bool {
    let Purpose::Call { call, .. } = &wait.purpose else { return false };
    let is_here = state.call(call).is_some_and(|known| {
        known.call.phase.as_deref() == state.phase()
            && matches!(known.call.origin, Origin::Step { .. } | Origin::Model { .. })
    });
    matches!((&wait.prompt.control, reply), (Control::Ask(_), Reply::Text { .. }))
        && wait.answerers == Answerers::Participant
        && is_here
        && state.handoff.is_none()
        && matches!(state.status, Status::Open | Status::Paused)
}

/// What was picked, as the person read it.
pub fn labels(control: &Control, ids: &[String]) -> String {
    if ids.is_empty() {
        return messages::forms::NONE_OF_THESE.to_owned();
    }
    let Control::Choose(choose) = control else { return ids.join(", ") };
    let picked = choose.choices.iter().filter(|choice| ids.contains(&choice.id));
    picked.map(|choice| choice.label.as_str()).collect::<Vec<_>>().join(", ")
}

/// The fields of a form with what was filled in.
pub fn filled(fields: &[Field], values: &Map<String, Value>) -> Vec<Field> {
    let with = |field: &Field| {
        let value = values.get(&field.path).cloned().unwrap_or(Value::Null);
        Field { value, ..field.clone() }
    };
    fields.iter().map(with).collect()
}

/// A value as a person reads it: labels for ids, names for the codes of countries, yes and no for booleans.
pub fn shown(field: &Field) -> String {
    let value = &field.value;
    let Input::Select { choices, .. } = &field.input else {
        let country =
            value.as_str().filter(|_| is_country(field)).and_then(time_zones::country_name);
        return country.map_or_else(|| in_words(value), str::to_owned);
    };
    let label = |id: &Value| {
        let known = choices.iter().find(|choice| id.as_str() == Some(&choice.id));
        known.map_or_else(|| in_words(id), |choice| choice.label.clone())
    };
    match value {
        Value::Array(ids) => ids.iter().map(label).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        id => label(id),
    }
}

/// The time that a fact is, if it is one.
pub fn instant(fact: &str) -> Option<DateTime<Utc>> {
    NaiveDateTime::parse_from_str(fact, "%Y-%m-%d %H:%M UTC").ok().map(|at| at.and_utc())
}

/// The words of a text without its markup, for places where only plain text can stand.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for event in Parser::new(text) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                out.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                out.push(' ');
            }
            _ => {}
        }
    }
    out.trim().to_owned()
}
