//! Reviewed data as a transcript tells it: what was approved, not the draft before an edit.

use serde_json::Value;

use crate::{
    base::ids::WaitId,
    messages,
    model::{
        transcript::Event,
        ui::{Reply, Review, Verdict},
    },
};

/// The review of which an event says that the draft was changed before it was approved.
pub(super) fn changed_draft(event: &Event) -> Option<WaitId> {
    match event {
        Event::Answered {
            wait,
            reply: Reply::Reviewed { verdict: Verdict::Modified, data: Some(_), .. },
            ..
        } => Some(*wait),
        _ => None,
    }
}

/// What was approved, under the labels of the card: fields that stand alone, then the entries of each list.
pub(super) fn approved(review: &Review, data: &Value) -> Vec<String> {
    let lists = || review.lists.iter().filter(|list| !is_within(review, &list.path));
    let fields = review.groups.iter().flat_map(|group| &group.fields);
    let alone = fields.filter(|field| !is_within(review, &field.path)).filter_map(|field| {
        let value = at(data, &field.path).filter(|value| !value.is_null())?;
        Some(messages::with_label(&field.label, &value_words(value)))
    });
    let entries = lists().flat_map(|list| {
        let entries = at(data, &list.path).and_then(Value::as_array);
        let entries = entries.map(Vec::as_slice).unwrap_or_default().iter().enumerate();
        entries.map(|(n, entry)| {
            let values = list.fields.iter().filter_map(|field| at(entry, &field.path));
            let values = values.filter(|value| !value.is_null()).map(value_words);
            let values = values.filter(|words| !words.is_empty()).collect::<Vec<_>>().join(", ");
            format!("{} {}: {values}", list.noun, n + 1)
        })
    });
    alone.chain(entries).collect()
}

/// Whether a path lies within an entry of a list.
fn is_within(review: &Review, path: &str) -> bool {
    review
        .lists
        .iter()
        .any(|list| path.strip_prefix(list.path.as_str()).is_some_and(|rest| rest.starts_with('.')))
}

/// The value at `basics.name` or `work.0.name`.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

/// A value as people read it.
pub(super) fn value_words(value: &Value) -> String {
    match value {
        Value::Null => "—".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(value_words).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
