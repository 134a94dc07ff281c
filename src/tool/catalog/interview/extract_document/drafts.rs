//! Drafts of what a model found: cleaned, fitted to the schemas of records, and compared with the text.
//!
//! A model may write what stands nowhere. Where there is a text that was read without it, every name and every year is
//! looked for there, and what is not found is marked for the person who reviews the draft.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    Kind, Quality, ReadBy, is_hollow,
    reading::{Found, Layout},
    told::{HANDWRITING, HARD_TO_READ, LOW_CONFIDENCE, SCANNED},
};
use crate::{flow, ports::artifacts::extract::TWO_COLUMNS, session::answer::check_data};

/// Longest single value, in characters, as the schemas have it.
const VALUE_MAX: usize = 200;

/// Below this, all of it is doubtful.
const SURE: f64 = 0.5;

/// Most that a reading of a picture may claim: nothing here can confirm it.
const UNCONFIRMED: f64 = 0.7;

/// Most paths that are marked.
const DOUBTS_MAX: usize = 100;

/// Times that what does not fit is left out: each takes away at least one value, of which few are wrong.
const FITTINGS_MAX: usize = 100;

/// Records as drafts, and how good they are. `text` is what was read without the model, `notes` what was noted there.
pub(super) fn of_found(
    found: &Found,
    kinds: &[Kind],
    text: Option<&str>,
    notes: Vec<String>,
) -> (Map<String, Value>, Quality) {
    let words = text.map(Words::new);
    let mut marks = Marks::default();
    let mut derived = Map::new();
    for kind in kinds {
        let draft = found.drafts.get(kind.name()).cloned().unwrap_or_default();
        let draft = fitted(cleaned(draft), *kind, &mut marks);
        if let Some(words) = &words {
            compare(&draft, "", words, &mut marks);
        }
        derived.insert(kind.name().to_owned(), if is_hollow(&draft) { Value::Null } else { draft });
    }
    let doubtful = found.doubtful.iter().filter(|path| is_path(&derived, path)).cloned();
    marks.low.extend(doubtful);
    let confidence = confidence(found, words.is_some(), &marks);
    let mut issues = notes;
    issues.extend(found.layout.iter().map(|layout| in_words(*layout).to_owned()));
    if words.is_none() && !found.layout.contains(&Layout::Scan) {
        issues.push(in_words(Layout::Scan).to_owned());
    }
    issues.append(&mut marks.issues);
    if confidence < SURE {
        issues.push(LOW_CONFIDENCE.to_owned());
    }
    let mut known = BTreeSet::new();
    issues.retain(|issue| known.insert(issue.clone()));
    let low_confidence = marks.low.into_iter().take(DOUBTS_MAX).collect();
    let quality = Quality {
        extraction_confidence: confidence,
        read_by: ReadBy::Model,
        issues,
        low_confidence,
    };
    (derived, quality)
}

fn in_words(layout: Layout) -> &'static str {
    match layout {
        Layout::Scan => SCANNED,
        Layout::TwoColumns => TWO_COLUMNS,
        Layout::Handwriting => HANDWRITING,
        Layout::HardToRead => HARD_TO_READ,
    }
}

/// What the model claims, lowered by the share of values that stand nowhere in the text.
fn confidence(found: &Found, is_confirmed: bool, marks: &Marks) -> f64 {
    let claimed = found.confidence.clamp(0.0, if is_confirmed { 1.0 } else { UNCONFIRMED });
    let share = match marks.looked_for {
        0 => 1.0,
        all => f64::from(all - marks.missed.min(all)) / f64::from(all),
    };
    (claimed * share * 100.0).round() / 100.0
}

/// What is noted about drafts.
#[derive(Debug, Default)]
struct Marks {
    /// Paths of guesses.
    low: BTreeSet<String>,
    issues: Vec<String>,
    /// Values that were looked for in the text, and those that are not there.
    looked_for: u32,
    missed: u32,
}

/// Texts trimmed and cut, nulls and empty things gone.
fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => {
            let plain = |c: char| if c.is_control() { ' ' } else { c };
            let text: String = text.trim().chars().map(plain).take(VALUE_MAX).collect();
            if text.is_empty() { Value::Null } else { Value::String(text) }
        }
        Value::Array(items) => {
            Value::Array(items.into_iter().map(cleaned).filter(|item| !is_hollow(item)).collect())
        }
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, member)| (name, cleaned(member)));
            Value::Object(members.filter(|(_, member)| !member.is_null()).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// A draft without what no record may hold: an address that is none, an end before its beginning, a role without an
/// organisation. What is left out is told, without its value.
fn fitted(mut draft: Value, kind: Kind, marks: &mut Marks) -> Value {
    let Some(schema) = flow::builtin(kind.schema()) else { return Value::Null };
    if draft.is_null() {
        return draft;
    }
    for _ in 0..FITTINGS_MAX {
        // What is missing altogether is for the person to fill in.
        let errors = check_data(&schema, &draft);
        let Some(path) = errors.iter().find_map(|error| misfit(&draft, &error.path)) else {
            return draft;
        };
        if !remove(&mut draft, &path) {
            return draft;
        }
        marks.issues.push(format!("`{path}` was left out: it does not fit"));
    }
    draft
}

/// What to take away for an error at `path`: the value itself; an entry of a list that lacks what it is about.
fn misfit(draft: &Value, path: &str) -> Option<String> {
    let is_entry_at =
        |path: &str| path.rsplit('.').next().is_some_and(|last| last.parse::<usize>().is_ok());
    let is_entry = is_entry_at(path);
    let Some(value) = draft.pointer(&pointer(path)) else {
        let (entry, _) = path.rsplit_once('.')?;
        return is_entry_at(entry).then(|| entry.to_owned());
    };
    match value {
        Value::Object(_) if !is_entry => None,
        Value::Array(_) | Value::Null => None,
        Value::Object(_) | Value::String(_) | Value::Bool(_) | Value::Number(_) => {
            Some(path.to_owned())
        }
    }
}

fn pointer(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("/{}", path.replace('.', "/")) }
}

fn remove(draft: &mut Value, path: &str) -> bool {
    let (parent, last) = path.rsplit_once('.').unwrap_or(("", path));
    match draft.pointer_mut(&pointer(parent)) {
        Some(Value::Object(members)) => members.shift_remove(last).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(at) if at < items.len() => {
                items.remove(at);
                true
            }
            Ok(_) | Err(_) => false,
        },
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => false,
    }
}

/// Whether a path leads to something in one of the drafts.
fn is_path(derived: &Map<String, Value>, path: &str) -> bool {
    let pointer = pointer(path);
    !path.is_empty() && derived.values().any(|draft| draft.pointer(&pointer).is_some())
}

/// Looks for every value in the text.
fn compare(draft: &Value, path: &str, words: &Words, marks: &mut Marks) {
    let under =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match draft {
        Value::Object(members) => {
            for (name, member) in members {
                // A country is written out in documents, the network of a profile is in its address.
                if !matches!(name.as_str(), "countryCode" | "network") {
                    compare(member, &under(name), words, marks);
                }
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                compare(item, &under(&n.to_string()), words, marks);
            }
        }
        Value::String(text) => {
            marks.looked_for += 1;
            let is_date = path.ends_with("Date");
            let wanted = if is_date { text.get(..4).unwrap_or(text) } else { text };
            if !words.hold(wanted) {
                marks.missed += 1;
                marks.low.insert(path.to_owned());
                let issue = "marked values do not stand in the text like this";
                if !marks.issues.iter().any(|known| known == issue) {
                    marks.issues.push(issue.to_owned());
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The letters and digits of a text, in which line ends, hyphens and punctuation do not matter.
struct Words {
    run: String,
    each: BTreeSet<String>,
}

impl Words {
    fn new(text: &str) -> Self {
        Self { run: letters(text), each: each(text).collect() }
    }

    /// Whether it stands there: as it is, or each of its words somewhere.
    fn hold(&self, text: &str) -> bool {
        let bare = letters(text);
        bare.is_empty()
            || self.run.contains(&bare)
            || each(text).all(|word| self.each.contains(&word))
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn each(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase)
}
