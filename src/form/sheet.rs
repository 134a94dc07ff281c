//! The edit form of a review: entries of lists can be added, removed and moved before anything is saved. Pure; all
//! state is in the form itself, so it works without scripts and survives a restart.

use serde_json::{Map, Value};

use super::fields::{self as parse, Fields, field_name};
use crate::model::ui::{Field, FieldError, Group, List, Review};

/// The entries of each list as they stand in the form: where each one came from in the reviewed data, none for a
/// new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// By list, in the order of [`Review::lists`].
    pub rows: Vec<Vec<Option<usize>>>,
}

impl Sheet {
    /// The sheet of an untouched review.
    pub fn of(review: &Review) -> Self {
        let rows = |list: &List| (0..entries(&review.data, &list.path)).map(Some).collect();
        Self { rows: review.lists.iter().map(rows).collect() }
    }

    /// Reads the sheet back from a submitted form.
    pub fn read(review: &Review, fields: &Fields) -> Self {
        let rows = review.lists.iter().enumerate().map(|(n, list)| {
            let known = entries(&review.data, &list.path);
            let name = rows_name(n);
            fields.all(&name).map(|row| row.parse().ok().filter(|row| *row < known)).collect()
        });
        Self { rows: rows.collect() }
    }

    /// Groups of fields in reading order, with the entries as they stand in the form.
    pub fn groups(&self, review: &Review) -> Vec<Group> {
        let mut groups = Vec::new();
        let mut placed: Vec<bool> = (0..review.lists.len()).map(|n| is_nested(review, n)).collect();
        for group in &review.groups {
            match list_of(review, &group.path) {
                None => groups.push(group.clone()),
                Some(n) if !placed[n] => {
                    placed[n] = true;
                    groups.extend(self.entries_of(review, n));
                }
                Some(_) => {}
            }
        }
        for n in (0..placed.len()).filter(|n| !placed[*n]) {
            groups.extend(self.entries_of(review, n));
        }
        groups
    }

    fn entries_of(&self, review: &Review, n: usize) -> Vec<Group> {
        let list = &review.lists[n];
        let mut groups = Vec::new();
        for (place, from) in self.rows[n].iter().enumerate() {
            let path = join(&list.path, &place.to_string());
            let before = groups.len();
            if let Some(from) = from {
                let old = join(&list.path, &from.to_string());
                let within = format!("{old}.");
                let mine = |g: &&Group| g.path == old || g.path.starts_with(&within);
                groups.extend(review.groups.iter().filter(mine).map(|g| moved(g, &old, &path)));
            }
            if groups.len() == before {
                let placed =
                    |field: &Field| Field { path: join(&path, &field.path), ..field.clone() };
                let fields = list.fields.iter().map(placed).collect();
                groups.push(Group { path: path.clone(), title: String::new(), fields });
            }
            // Entries are counted as they stand, wherever they came from.
            for group in groups[before..].iter_mut().filter(|group| group.path == path) {
                group.title = format!("{} {}", capitalised(&list.noun), place + 1);
            }
        }
        groups
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

    /// The same for a form that shows some of the fields: those for whose path `is_shown` says so.
    pub fn data_within(
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
        let mut errors = Vec::new();
        let groups = self.groups(review);
        let shown = groups.iter().flat_map(|group| &group.fields).filter(|f| is_shown(&f.path));
        for field in shown {
            match parse::read(field, fields) {
                Ok(Some(value)) => set(&mut data, &field.path, value),
                Ok(None) if is_blank(at(&data, &field.path)) => {}
                Ok(None) => remove(&mut data, &field.path),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(data) } else { Err(errors) }
    }
}

/// Groups as they read for data that an edit has changed.
pub fn groups_with(review: &Review, data: &Value) -> Vec<Group> {
    let rows = |list: &List| {
        let before = entries(&review.data, &list.path);
        (0..entries(data, &list.path)).map(|n| (n < before).then_some(n)).collect()
    };
    let sheet = Sheet { rows: review.lists.iter().map(rows).collect() };
    let mut groups = sheet.groups(review);
    for field in groups.iter_mut().flat_map(|group| &mut group.fields) {
        field.value = at(data, &field.path).cloned().unwrap_or(Value::Null);
        field.check = false;
    }
    groups
}

/// Name of the hidden fields that say which entries a list has.
pub fn rows_name(list: usize) -> String {
    format!("rows.{list}")
}

/// Which outermost list the entry at `path` belongs to, by its number.
pub fn list_of(review: &Review, path: &str) -> Option<usize> {
    (0..review.lists.len()).filter(|n| !is_nested(review, *n)).find(|n| {
        let list = &review.lists[*n];
        let is_inside = list.path.is_empty() || path.starts_with(&format!("{}.", list.path));
        let row = below(path, &list.path).split('.').next().unwrap_or_default();
        is_inside && row.parse::<usize>().is_ok()
    })
}

/// Whether a list lies within an entry of another one. Its entries move with that one and are edited in place; they
/// are not added or removed here.
pub fn is_nested(review: &Review, n: usize) -> bool {
    let path = &review.lists[n].path;
    review.lists.iter().any(|outer| {
        let rest = path.strip_prefix(&outer.path).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|rest| {
            rest.split('.').next().is_some_and(|row| row.parse::<usize>().is_ok())
        })
    })
}

/// A group under another path, with its fields.
fn moved(group: &Group, old: &str, new: &str) -> Group {
    let renamed = |path: &str| match path.strip_prefix(old) {
        Some(rest) => format!("{new}{rest}"),
        None => path.to_owned(),
    };
    let fields = group.fields.iter().map(|f| Field { path: renamed(&f.path), ..f.clone() });
    Group { path: renamed(&group.path), title: group.title.clone(), fields: fields.collect() }
}

fn capitalised(noun: &str) -> String {
    let mut letters = noun.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn entries(data: &Value, path: &str) -> usize {
    at(data, path).and_then(Value::as_array).map_or(0, Vec::len)
}

fn is_blank(value: Option<&Value>) -> bool {
    value.is_none_or(|value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    })
}

fn join(path: &str, rest: &str) -> String {
    if path.is_empty() { rest.to_owned() } else { format!("{path}.{rest}") }
}

/// What is left of `path` under `above`; the path itself where it does not lie there.
fn below<'a>(path: &'a str, above: &str) -> &'a str {
    if above.is_empty() {
        return path;
    }
    path.strip_prefix(above).and_then(|rest| rest.strip_prefix('.')).unwrap_or(path)
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

/// The value at a dotted path.
pub fn at<'a>(data: &'a Value, path: &str) -> Option<&'a Value> {
    if path.is_empty() {
        return Some(data);
    }
    path.split('.').try_fold(data, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        Value::Object(members) => members.get(part),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

fn set(data: &mut Value, path: &str, value: Value) {
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

/// The list and the place of the entry that a path is, or lies in.
pub fn entry_of(review: &Review, path: &str) -> Option<(usize, usize)> {
    let n = list_of(review, path)?;
    let list = review.lists[n].path.as_str();
    let rest = if list.is_empty() { path } else { path.strip_prefix(list)?.strip_prefix('.')? };
    Some((n, rest.split('.').next()?.parse().ok()?))
}
