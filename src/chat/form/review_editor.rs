//! The edit form of a review: entries of lists can be added, removed and moved before anything is saved. Pure; all
//! state is in the form itself, so it works without scripts and survives a restart.

use serde_json::{Map, Value};

use super::fields::{self as parse, Fields, field_name};
use crate::model::{
    review::entries,
    ui::{FieldError, Review},
};

pub use crate::model::review::{Sheet, at, entry_of, groups_with, is_nested, list_of};

impl Sheet {
    /// Reads the sheet back from a submitted form.
    pub fn read(review: &Review, fields: &Fields) -> Self {
        let rows = review.lists.iter().enumerate().map(|(n, list)| {
            let known = entries(&review.data, &list.path);
            let name = rows_name(n);
            fields.all(&name).map(|row| row.parse().ok().filter(|row| *row < known)).collect()
        });
        Self { rows: rows.collect() }
    }

    /// Carries out `add.L`, `remove.L.I` or `up.L.I`, and renames the fields that move with it.
    pub fn rearrange(&mut self, review: &Review, action: &str, fields: &mut Fields) {
        let mut parts = action.split('.');
        let verb = parts.next().unwrap_or_default();
        let mut next = || parts.next().and_then(|part| part.parse::<usize>().ok());
        let (Some(n), row) = (next(), next()) else { return };
        let (Some(list), Some(rows)) = (review.lists.get(n), self.rows.get_mut(n)) else { return };
        match (verb, row) {
            ("add", None) => rows.push(None),
            ("remove", Some(gone)) if gone < rows.len() => {
                rows.remove(gone);
                rename(fields, &list.path, |row| match row {
                    row if row == gone => None,
                    row if row > gone => Some(row - 1),
                    row => Some(row),
                });
            }
            ("up", Some(row)) if row > 0 && row < rows.len() => {
                rows.swap(row, row - 1);
                rename(fields, &list.path, |other| match other {
                    other if other == row => Some(row - 1),
                    other if other + 1 == row => Some(row),
                    other => Some(other),
                });
            }
            _ => {}
        }
    }

    /// The reviewed data with what the form says put in. What the form does not show is kept as it is.
    pub fn data(&self, review: &Review, fields: &Fields) -> Result<Value, Vec<FieldError>> {
        self.data_within(review, fields, |_| true)
    }

    /// Like [`Self::data`], for a form that shows only the fields whose path `is_shown` accepts.
    pub(crate) fn data_within(
        &self,
        review: &Review,
        fields: &Fields,
        is_shown: impl Fn(&str) -> bool,
    ) -> Result<Value, Vec<FieldError>> {
        let mut data = review.data.clone();
        for (n, (list, rows)) in review.lists.iter().zip(&self.rows).enumerate() {
            if is_nested(review, n) {
                continue;
            }
            let old = at(&review.data, &list.path).and_then(Value::as_array);
            if rows.is_empty() && old.is_none() {
                // It was not there and is not asked for: an empty one would read as a change.
                continue;
            }
            let row = |from: &Option<usize>| {
                let kept = from.and_then(|from| old.and_then(|old| old.get(from)));
                kept.cloned().unwrap_or_else(|| Value::Object(Map::new()))
            };
            set(&mut data, &list.path, Value::Array(rows.iter().map(row).collect()));
        }
        let groups = self.groups(review);
        let shown = groups.iter().flat_map(|group| &group.fields).filter(|f| is_shown(&f.path));
        for (field, value) in parse::read_all(shown, fields)? {
            match value {
                Some(value) => set(&mut data, &field.path, value),
                None if is_blank(at(&data, &field.path)) => {}
                None => remove(&mut data, &field.path),
            }
        }
        Ok(data)
    }
}

/// Name of the hidden fields that say which entries a list has.
pub(crate) fn rows_name(list: usize) -> String {
    format!("rows.{list}")
}

fn is_blank(value: Option<&Value>) -> bool {
    value.is_none_or(|value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    })
}

/// Changes the entry numbers in the names of the fields of one list; a field without a new number goes.
fn rename(fields: &mut Fields, list: &str, number: impl Fn(usize) -> Option<usize>) {
    let prefix = if list.is_empty() { field_name("") } else { format!("{}.", field_name(list)) };
    fields.0.retain_mut(|(name, _)| {
        let Some(rest) = name.strip_prefix(&prefix) else { return true };
        let (row, tail) = rest.split_once('.').unwrap_or((rest, ""));
        let Ok(row) = row.parse::<usize>() else { return true };
        let Some(row) = number(row) else { return false };
        let tail = if tail.is_empty() { String::new() } else { format!(".{tail}") };
        *name = format!("{prefix}{row}{tail}");
        true
    });
}

/// Puts a value under a dotted path; an entry that a list does not have is not made.
pub fn set(data: &mut Value, path: &str, value: Value) {
    if path.is_empty() {
        *data = value;
        return;
    }
    let (part, rest) = path.split_once('.').unwrap_or((path, ""));
    if let Value::Array(items) = data {
        if let Some(item) = part.parse::<usize>().ok().and_then(|n| items.get_mut(n)) {
            set(item, rest, value);
        }
        return;
    }
    if !data.is_object() {
        *data = Value::Object(Map::new());
    }
    if let Value::Object(members) = data {
        set(members.entry(part).or_insert(Value::Null), rest, value);
    }
}

fn remove(data: &mut Value, path: &str) {
    let (above, last) = path.rsplit_once('.').unwrap_or(("", path));
    let parent =
        above.split('.').filter(|part| !part.is_empty()).try_fold(
            data,
            |value, part| match value {
                Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
                Value::Object(members) => members.get_mut(part),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            },
        );
    if let Some(Value::Object(members)) = parent {
        members.shift_remove(last);
    }
}
