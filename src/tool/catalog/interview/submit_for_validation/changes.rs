//! What an edit changed, leaf by leaf.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::session::time_zones;

/// One changed value.
///
/// ```json
/// { "field": "basics.email", "oldValue": "old@email.com", "newValue": "new@email.com" }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Dotted path.
    pub field: String,
    /// Before; null if there was nothing.
    pub old_value: Value,
    /// After; null if it was removed.
    pub new_value: Value,
}

/// The leaves in which `new` differs from `old`, in the order of `old`, then what is new. A list of plain values is
/// one leaf; a list of entries is compared place by place.
pub fn between(old: &Value, new: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(String::new(), old, new, &mut changes);
    changes
}

/// `data` without nulls and empty texts, which a form sends for what was left empty, and with countries as their codes.
/// Entries keep their place.
pub fn tidy(data: Value) -> Value {
    match data {
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| match tidy(value) {
                Value::String(country) if key == "countryCode" => {
                    let code = time_zones::country_code(&country).map(str::to_owned);
                    (key, Value::String(code.unwrap_or(country)))
                }
                value => (key, value),
            })
            .filter(|(_, value)| !is_nothing(value))
            .collect(),
        Value::Array(items) => {
            items.into_iter().map(tidy).filter(|value| !is_nothing(value)).collect()
        }
        Value::String(text) => Value::String(text.trim().to_owned()),
        value => value,
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(str::is_empty)
}

fn compare(path: String, old: &Value, new: &Value, changes: &mut Vec<Change>) {
    if old == new {
        return;
    }
    match (children(old), children(new)) {
        (Some(before), Some(after)) if old.is_array() == new.is_array() => {
            let known: BTreeSet<&String> = before.iter().map(|(key, _)| key).collect();
            let added = after.iter().filter(|(key, _)| !known.contains(key));
            for (key, value) in &before {
                let now = after.iter().find(|(other, _)| other == key).map(|(_, value)| *value);
                compare(join(&path, key), value, now.unwrap_or(&Value::Null), changes);
            }
            for (key, value) in added {
                compare(join(&path, key), &Value::Null, value, changes);
            }
        }
        // A tree that came or went did so leaf by leaf.
        (None, Some(after)) if old.is_null() && !after.is_empty() => {
            for (key, value) in after {
                compare(join(&path, &key), &Value::Null, value, changes);
            }
        }
        (Some(before), None) if new.is_null() && !before.is_empty() => {
            for (key, value) in before {
                compare(join(&path, &key), value, &Value::Null, changes);
            }
        }
        (None | Some(_), None | Some(_)) => {
            changes.push(Change { field: path, old_value: old.clone(), new_value: new.clone() });
        }
    }
}

/// The parts of a tree; `None` for a leaf.
fn children(value: &Value) -> Option<Vec<(String, &Value)>> {
    match value {
        Value::Object(members) => {
            Some(members.iter().map(|(key, value)| (key.clone(), value)).collect())
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            Some(items.iter().enumerate().map(|(n, value)| (n.to_string(), value)).collect())
        }
        _ => None,
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
