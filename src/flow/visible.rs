//! Who sees which field of a record: `visible_to` of a field, in a schema `"visibleTo": ["deciders"]`.
//!
//! The participant sees all of their own data, and a transcript tells all that was said.

use std::borrow::Cow;

use serde_json::Value;

use crate::model::flow::Reader;

/// The keyword of a schema.
pub(super) const KEY: &str = "visibleTo";

/// Data without the fields that `reader` doesn't see.
///
/// ```
/// use anteroom::{flow::visible::seen_by, model::flow::Reader};
/// use serde_json::json;
///
/// let schema = json!({ "properties": { "name": {}, "allergies": { "visibleTo": ["team"] } } });
/// let data = json!({ "name": "Ada", "allergies": "Nuts" });
/// assert_eq!(*seen_by(Some(&schema), &data, Reader::Hooks), json!({ "name": "Ada" }));
/// assert_eq!(*seen_by(Some(&schema), &data, Reader::Team), data);
/// ```
pub fn seen_by<'d>(schema: Option<&Value>, data: &'d Value, reader: Reader) -> Cow<'d, Value> {
    match schema {
        Some(schema) if hides(schema, reader) => {
            Cow::Owned(seen(schema, data, &|field| is_for(field, reader)))
        }
        _ => Cow::Borrowed(data),
    }
}

/// Data without the fields that are for some readers only: what may be read by anybody at all.
pub(crate) fn seen_by_everybody<'d>(schema: Option<&Value>, data: &'d Value) -> Cow<'d, Value> {
    match schema {
        Some(schema) => Cow::Owned(seen(schema, data, &|field| field[KEY].is_null())),
        None => Cow::Borrowed(data),
    }
}

/// Titles of the fields at the top of some data that `reader` doesn't see.
pub(crate) fn hidden_from(schema: Option<&Value>, data: &Value, reader: Reader) -> Vec<String> {
    let properties = schema.and_then(|schema| schema["properties"].as_object());
    let is_hidden = |(name, field): &(&String, &Value)| {
        data.get(name.as_str()).is_some_and(|value| !value.is_null()) && !is_for(field, reader)
    };
    let title = |(name, field): (&String, &Value)| {
        field["title"].as_str().map_or_else(|| name.replace('_', " "), str::to_owned)
    };
    properties.into_iter().flatten().filter(is_hidden).map(title).collect()
}

/// Whether anything in a schema is not for `reader`.
fn hides(schema: &Value, reader: Reader) -> bool {
    match schema {
        Value::Object(members) => {
            !is_for(schema, reader) || members.values().any(|m| hides(m, reader))
        }
        Value::Array(items) => items.iter().any(|item| hides(item, reader)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether nothing of a field is for `reader`: it is not, or none of its members is.
pub(super) fn is_hidden_from(field: &Value, reader: Reader) -> bool {
    let members = |of: &Value| {
        of["properties"].as_object().is_some_and(|members| {
            !members.is_empty() && members.values().all(|member| is_hidden_from(member, reader))
        })
    };
    !is_for(field, reader) || members(field) || members(&field["items"])
}

pub(super) fn is_for(field: &Value, reader: Reader) -> bool {
    let Some(readers) = field[KEY].as_array() else { return true };
    readers.iter().any(|word| word == reader.word())
}

fn seen(schema: &Value, data: &Value, is_shown: &dyn Fn(&Value) -> bool) -> Value {
    match data {
        Value::Object(members) => {
            let is_seen =
                |(name, _): &(&String, &Value)| is_shown(&schema["properties"][name.as_str()]);
            let part = |(name, member): (&String, &Value)| {
                (name.clone(), seen(&schema["properties"][name.as_str()], member, is_shown))
            };
            Value::Object(members.iter().filter(is_seen).map(part).collect())
        }
        Value::Array(items) => {
            items.iter().map(|item| seen(&schema["items"], item, is_shown)).collect()
        }
        other => other.clone(),
    }
}
