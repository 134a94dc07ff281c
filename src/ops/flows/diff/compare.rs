//! Two flows as JSON, compared entry by entry under the names that their author gave them.

use serde_json::{Map, Value};

/// Something that differs.
#[derive(Debug, PartialEq)]
pub(super) struct Change {
    /// Where: `phase rules`, `step agree`, `option yes`, `label`.
    pub(super) path: Vec<String>,
    /// How.
    pub(super) what: What,
}

/// How something differs.
#[derive(Debug, PartialEq)]
pub(super) enum What {
    /// Only the second flow has it.
    Added(Value),
    /// Only the first flow has it.
    Removed(Value),
    /// Both have it, with different values.
    Changed(Value, Value),
    /// The entries that both have stand in another order: their names.
    Moved(Value, Value),
}

/// Everything that differs, in the order of the flows.
pub(super) fn changes(before: &Value, after: &Value) -> Vec<Change> {
    let mut found = Found { path: Vec::new(), changes: Vec::new() };
    found.values(before, after);
    found.changes
}

struct Found {
    path: Vec<String>,
    changes: Vec<Change>,
}

impl Found {
    fn say(&mut self, what: What) {
        self.changes.push(Change { path: self.path.clone(), what });
    }

    fn within(&mut self, name: String, look: impl FnOnce(&mut Self)) {
        self.path.push(name);
        look(self);
        self.path.pop();
    }

    fn values(&mut self, before: &Value, after: &Value) {
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => self.members(before, after),
            _ if before == after => {}
            _ if is_empty(before) && is_empty(after) => {}
            _ => self.say(What::Changed(before.clone(), after.clone())),
        }
    }

    fn members(&mut self, before: &Map<String, Value>, after: &Map<String, Value>) {
        let added = after.keys().filter(|key| !before.contains_key(*key));
        for key in before.keys().chain(added) {
            let none = Value::Null;
            let old = before.get(key).unwrap_or(&none);
            let new = after.get(key).unwrap_or(&none);
            match (named(key, old), named(key, new)) {
                // The arguments of a step are its own.
                _ if key == "args" => self.values(&table(old), &table(new)),
                (Some(olds), Some(news)) => self.entries(key, &olds, &news),
                _ if is_empty(old) && is_empty(new) => {}
                _ => self.within(key.clone(), |found| match (old.is_null(), new.is_null()) {
                    (true, _) => found.say(What::Added(new.clone())),
                    (_, true) => found.say(What::Removed(old.clone())),
                    _ => found.values(old, new),
                }),
            }
        }
    }

    fn entries(&mut self, list: &str, olds: &[(String, &Value)], news: &[(String, &Value)]) {
        let kind = list.strip_suffix('s').unwrap_or(list);
        let find = |list: &[(String, &Value)], name: &str| {
            list.iter().find(|(of, _)| of == name).map(|(_, value)| (*value).clone())
        };
        for (name, old) in olds {
            self.within(format!("{kind} {name}"), |found| match find(news, name) {
                Some(new) => found.values(old, &new),
                None => found.say(What::Removed((*old).clone())),
            });
        }
        for (name, new) in news.iter().filter(|(name, _)| find(olds, name).is_none()) {
            self.within(format!("{kind} {name}"), |found| found.say(What::Added((*new).clone())));
        }
        let shared = |list: &[(String, &Value)], other: &[(String, &Value)]| {
            let names = list.iter().map(|(name, _)| name);
            names.filter(|name| find(other, name).is_some()).cloned().collect::<Vec<_>>()
        };
        let (before, after) = (shared(olds, news), shared(news, olds));
        if before != after {
            self.within(list.to_owned(), |found| {
                found.say(What::Moved(before.into(), after.into()));
            });
        }
    }
}

fn table(value: &Value) -> Value {
    if value.is_null() { Value::Object(Map::new()) } else { value.clone() }
}

/// What is written out or left out, with the same meaning.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The entries of a list with their names, where each has one of its own: an id, or for an effect what it does and where.
fn named<'a>(list: &str, value: &'a Value) -> Option<Vec<(String, &'a Value)>> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        Value::Null => &[],
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => return None,
    };
    let is_list_of_tables = matches!(list, "phase" | "objective" | "step" | "effect" | "options");
    if !is_list_of_tables {
        return None;
    }
    let mut entries: Vec<(String, &Value)> = Vec::new();
    for item in items {
        let name = name(item)?;
        // The second of two that do the same.
        let same = entries.iter().filter(|(other, _)| other.trim_end_matches('\'') == name).count();
        entries.push((format!("{name}{}", "'".repeat(same)), item));
    }
    Some(entries)
}

fn name(item: &Value) -> Option<String> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    if let Some(id) = text("id") {
        return Some(id.to_owned());
    }
    let what = text("do")?;
    let place = ["channel", "url_from", "role", "step"].into_iter().find_map(text);
    Some(place.map_or_else(|| what.to_owned(), |place| format!("{what} {place}")))
}
