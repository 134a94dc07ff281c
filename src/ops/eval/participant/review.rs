//! How the participant looks over a draft: corrects what contradicts their facts, fills in what must not be empty,
//! adds the entries that they know of, then approves.

use serde_json::{Map, Value};

use super::Participant;
use crate::{
    base::ids::WaitId,
    chat::form::review_editor::{at, set},
    model::ui::{Field, Input, List, Reply, Review, Verdict},
    ops::sample::sample,
    session::{
        answer::check_data,
        topics::{contains, normal},
    },
};

impl Participant<'_> {
    /// One edit at most, then a verdict.
    pub(super) fn review(&mut self, wait: WaitId, review: &Review) -> Reply {
        let reviewed = |verdict, data| Reply::Reviewed { verdict, data, notes: None };
        let mut data = review.data.clone();
        let is_empty = is_blank(&data);
        if review.skippable && (is_empty && self.persona.manner.skips) {
            return Reply::Skipped;
        }
        if !self.edited.contains(&wait) {
            self.correct(review, &mut data);
            self.add_entries(review, &mut data);
            if data != review.data && check_data(&review.schema, &data).is_empty() {
                self.edited.push(wait);
                return reviewed(Verdict::Saved, Some(data));
            }
        }
        if check_data(&review.schema, &review.data).is_empty() && !(is_empty && review.skippable) {
            return reviewed(Verdict::Approved, None);
        }
        if review.skippable { Reply::Skipped } else { reviewed(Verdict::Approved, None) }
    }

    fn correct(&self, review: &Review, data: &mut Value) {
        let in_lists = |path: &str| review.lists.iter().any(|list| path.starts_with(&list.path));
        let fields = review.groups.iter().flat_map(|group| &group.fields);
        for field in fields.filter(|field| !in_lists(&field.path)) {
            let known = self.known(field);
            let is_wrong =
                !field.value.is_null() && known.as_ref().is_some_and(|v| *v != field.value);
            let is_missing = is_blank(&field.value) && field.required;
            if !is_wrong && !is_missing {
                continue;
            }
            let value = if is_missing { self.value(field) } else { known };
            if let Some(value) = value {
                set(data, &field.path, value);
            }
        }
    }

    fn add_entries(&self, review: &Review, data: &mut Value) {
        for list in &review.lists {
            let there = at(data, &list.path).and_then(Value::as_array);
            if there.is_some_and(|there| !there.is_empty()) {
                continue;
            }
            let entries: Vec<Value> = self.entries(list);
            if !entries.is_empty() {
                set(data, &list.path, Value::Array(entries));
            }
        }
    }

    fn entries(&self, list: &List) -> Vec<Value> {
        let title = normal(&list.noun);
        let mine = self.persona.entry.iter().filter(|e| e.of.iter().any(|of| contains(&title, of)));
        let filled = mine.map(|entry| {
            let mut made = Value::Object(Map::new());
            for field in &list.fields {
                let label = normal(&field.label);
                let value = entry.fields.iter().find(|(name, _)| contains(&label, name));
                if let Some((_, value)) = value {
                    set(&mut made, &field.path, Value::String(value.clone()));
                }
            }
            made
        });
        filled.filter(|made| !is_blank(made)).collect()
    }

    /// What they know of a field by its label; only texts.
    fn known(&self, field: &Field) -> Option<Value> {
        let text = match &field.input {
            Input::Email => self.facts.iter().find(|fact| fact.value.contains('@'))?.value.clone(),
            Input::Text { max, .. } => {
                let label = normal(&field.label);
                let mut about = self
                    .facts
                    .iter()
                    .filter(|fact| fact.about.iter().any(|about| normal(about) == label));
                let value = about.next()?.value.clone();
                let most = max.and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
                (value.chars().count() <= most).then_some(value)?
            }
            _ => return None,
        };
        Some(Value::String(text))
    }

    /// What they put into a field that must not be empty.
    pub(super) fn value(&self, field: &Field) -> Option<Value> {
        let text = |text: &str| Some(Value::String(text.to_owned()));
        self.known(field).or_else(|| match &field.input {
            Input::Text { .. } => {
                let asked =
                    format!("{} {}", field.label, field.hint.as_deref().unwrap_or_default());
                text(self.fact(&asked).map_or("I'd rather leave that open.", |fact| &fact.value))
            }
            Input::Email => None,
            _ => sample(field),
        })
    }
}

/// Nothing in it says anything.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(members) => members.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
