//! Data as a model wrote it, put right where only one thing can be meant.
//!
//! | written | meant |
//! |---|---|
//! | text that holds JSON, in place of an object or a list | the object or the list |
//! | members of one nested object, without it | the same inside it |
//! | a list in place of an object with one list | that list |
//! | one entry in place of a list | a list of it |
//! | a text in place of an object with one required text | that text |
//! | `start_date`, `StartDate` | `startDate`, where no member is called otherwise |
//! | `present` where an end is left out | nothing |
//! | a number in place of a text, a text in place of a number or a truth value | the other kind |

use serde_json::{Map, Value, json};

use super::validate::scalar;
use crate::flow::shape::kind;

/// `value` as it fits `schema`, as far as that is beyond doubt; what is in doubt stays as it was.
///
/// ```
/// use anteroom::tool::pipeline::coerce::coerced;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "additionalProperties": false,
///     "properties": { "basics": { "type": "object", "properties": { "name": { "type": "string" } } } },
/// });
/// assert_eq!(coerced(&schema, json!({ "name": "Ada" })), json!({ "basics": { "name": "Ada" } }));
/// ```
pub fn coerced(schema: &Value, value: Value) -> Value {
    match (kind(schema), value) {
        ("object" | "array", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(parsed @ (Value::Object(_) | Value::Array(_))) => coerced(schema, parsed),
            Ok(_) | Err(_) => of_text(schema, text),
        },
        ("object", Value::Array(items)) => match only_list(schema) {
            Some(name) => {
                let inner = &schema["properties"][name];
                json!({ name: coerced(inner, Value::Array(items)) })
            }
            None => Value::Array(items),
        },
        ("object", Value::Object(members)) => Value::Object(coerced_members(schema, members)),
        ("array", Value::Array(items)) => match schema.get("items") {
            Some(each) => items.into_iter().map(|item| coerced(each, item)).collect(),
            None => Value::Array(items),
        },
        ("array", entry @ Value::Object(_)) => {
            let each = schema.get("items").filter(|each| kind(each) == "object");
            match each {
                Some(each) => Value::Array(vec![coerced(each, entry)]),
                None => entry,
            }
        }
        ("string", Value::Number(number)) => Value::String(number.to_string()),
        (kind, value) => scalar(kind, value),
    }
}

/// A text where something with parts belongs.
fn of_text(schema: &Value, text: String) -> Value {
    let each = schema.get("items").filter(|each| kind(each) == "string");
    if each.is_some() {
        return json!([text]);
    }
    let required = schema.get("required").and_then(Value::as_array);
    let only = match required.map(Vec::as_slice) {
        Some([Value::String(only)]) => only.as_str(),
        _ => return Value::String(text),
    };
    match kind(&schema["properties"][only]) {
        "string" => json!({ only: text }),
        _ => Value::String(text),
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// The one list that an object of this schema holds, where it holds one or must hold just that one.
fn only_list(schema: &Value) -> Option<&str> {
    let properties = properties(schema)?;
    let lists = || properties.iter().filter(|(_, member)| kind(member) == "array");
    let required = schema.get("required").and_then(Value::as_array);
    let must = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let mut needed = lists().filter(|(name, _)| must(name));
    match (needed.next(), needed.next()) {
        (Some((name, _)), None) => Some(name),
        (Some(_), Some(_)) => None,
        (None, _) => {
            let mut all = lists();
            let first = all.next()?;
            all.next().is_none().then_some(first.0)
        }
    }
}

fn coerced_members(schema: &Value, members: Map<String, Value>) -> Map<String, Value> {
    let Some(properties) = properties(schema) else { return members };
    let members = respelt(properties, members);
    let members = nested(properties, members);
    let required = schema.get("required").and_then(Value::as_array);
    let must = |name: &str| required.is_some_and(|names| names.iter().any(|one| one == name));
    let fit = |(name, value): (String, Value)| match properties.get(&name) {
        Some(member) if !must(&name) && lasts(member, &value) => None,
        Some(member) => Some((name, coerced(member, value))),
        None => Some((name, value)),
    };
    members.into_iter().filter_map(fit).collect()
}

/// Whether a text says that something has no end yet, where a date is left out for that.
fn lasts(schema: &Value, value: &Value) -> bool {
    const WORDS: [&str; 5] = ["present", "now", "current", "ongoing", "today"];
    let is_date = kind(schema) == "string"
        && schema["description"].as_str().is_some_and(|text| text.contains("leave empty"));
    let text = value.as_str().map(|text| text.trim().to_ascii_lowercase());
    is_date && text.is_some_and(|text| WORDS.contains(&text.as_str()))
}

/// Names without marks and case: `start_date` and `startDate` are one.
fn bare(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn respelt(properties: &Map<String, Value>, members: Map<String, Value>) -> Map<String, Value> {
    let mut respelt = Map::new();
    let taken: Vec<String> = members.keys().cloned().collect();
    for (name, value) in members {
        let mut alike = properties.keys().filter(|known| bare(known) == bare(&name));
        let meant = match (properties.contains_key(&name), alike.next(), alike.next()) {
            (false, Some(known), None) if !taken.contains(known) => known.clone(),
            _ => name,
        };
        respelt.entry(meant).or_insert(value);
    }
    respelt
}

/// Members that belong into the one nested object that knows all of them.
fn nested(properties: &Map<String, Value>, mut members: Map<String, Value>) -> Map<String, Value> {
    let strays: Vec<String> =
        members.keys().filter(|name| !properties.contains_key(*name)).cloned().collect();
    if strays.is_empty() {
        return members;
    }
    let knows = |inner: &Value, name: &str| {
        inner["properties"]
            .as_object()
            .is_some_and(|inner| inner.keys().any(|known| bare(known) == bare(name)))
    };
    let mut homes = properties.iter().filter(|(_, inner)| {
        kind(inner) == "object" && strays.iter().all(|name| knows(inner, name))
    });
    let (Some((home, _)), None) = (homes.next(), homes.next()) else { return members };
    let mut inside = match members.shift_remove(home) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(inside)) => inside,
        Some(other) => {
            members.insert(home.clone(), other);
            return members;
        }
    };
    for name in strays {
        if let Some(value) = members.shift_remove(&name) {
            inside.entry(name).or_insert(value);
        }
    }
    members.insert(home.clone(), Value::Object(inside));
    members
}
