//! Reviewed data as groups of fields, wherever its entries came from, before and after an edit.

use serde_json::Value;

use super::ui::{Field, Group, List, Review};

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

impl Review {
    /// Takes edited data in place of what is shown. What the edit left alone and was read with low confidence stays
    /// marked.
    pub fn edit(&mut self, data: Value) {
        let mut groups = groups_with(self, &data);
        let doubts: Vec<(&str, &Value)> = self
            .groups
            .iter()
            .flat_map(|group| &group.fields)
            .filter(|field| field.check)
            .map(|field| (field.path.as_str(), &field.value))
            .collect();
        for field in groups.iter_mut().flat_map(|group| &mut group.fields) {
            field.check = doubts.contains(&(field.path.as_str(), &field.value));
        }
        self.groups = groups;
        self.data = data;
    }
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

/// How many entries the list at `path` has.
pub fn entries(data: &Value, path: &str) -> usize {
    at(data, path).and_then(Value::as_array).map_or(0, Vec::len)
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

/// The list and the place of the entry that a path is, or lies in.
pub fn entry_of(review: &Review, path: &str) -> Option<(usize, usize)> {
    let n = list_of(review, path)?;
    let list = review.lists[n].path.as_str();
    let rest = if list.is_empty() { path } else { path.strip_prefix(list)?.strip_prefix('.')? };
    Some((n, rest.split('.').next()?.parse().ok()?))
}
