//! Values that go on in what stands beside them and below them, and which no field took: `Licence Langues étrangères` above
//! `appliquées`, `Lecturer` before `in Marine Ecology`.

use super::super::{dates, lines::fields, place};
use super::spots::{Entries, Spot, has_words, text, undated, whole};

/// The paths of what may be longer than it was read.
pub(super) fn doubtful(entries: &Entries<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..entries.drafted.len() {
        for key in entries.keys.iter().copied().filter(|key| *key != "location") {
            // A subject is a part of the degree.
            let path = entries.path(at, if key == "area" { "studyType" } else { key });
            let value = text(&entries.drafted[at], key);
            let is_doubtful = match entries.spot(at, key) {
                Some(spot) => {
                    has_rest(entries, at, key, spot) || goes_on_below(entries, key, value, spot)
                }
                // It was put together from what stands apart.
                None => matches!(key, "position" | "name") && !value.is_empty(),
            };
            if is_doubtful {
                found.push(path);
            }
        }
    }
    found
}

/// Whether what stands beside a value in its field belongs to it and was not taken.
fn has_rest(entries: &Entries<'_>, at: usize, key: &str, spot: Spot) -> bool {
    let entry = &entries.drafted[at];
    let value = text(entry, key);
    let line = undated(&entries.lines[spot.line].text);
    let parts = || line.split('\t').flat_map(fields);
    let Some((field, begin)) = parts().find_map(|field| Some((field, whole(field, value)?))) else {
        return false;
    };
    let others: Vec<&str> = entries.keys.iter().map(|key| text(entry, key)).collect();
    let others = || others.iter().filter(|other| !other.is_empty() && **other != value);
    let before = &field[..begin];
    let after = &field[begin + value.len()..];
    // Up to the next value of the entry.
    let first = others().filter_map(|other| after.find(other)).min().unwrap_or(after.len());
    let last = others().filter_map(|other| Some(before.rfind(other)? + other.len())).max();
    let (before, after) = (&before[last.unwrap_or_default()..], &after[..first]);
    is_rest(after) && goes_on(key, after.trim_start())
        || is_rest(before) && comes_from(key, before.trim_end())
}

/// Whether a text says something, and not where.
fn is_rest(text: &str) -> bool {
    has_words(text) && !place::is_place(text.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Fewest words behind a title and a preposition that are a part of the title.
const SUBJECT_MIN: usize = 3;

/// Longest preposition, in bytes.
const LINK_MAX: usize = 3;

/// Whether what stands behind a value is a part of it, by the mark between both.
fn goes_on(key: &str, after: &str) -> bool {
    let begins_small = |text: &str| text.trim_start().starts_with(char::is_lowercase);
    let first = after.split(' ').next().unwrap_or_default();
    let words = after.split_whitespace().count();
    let is_led = begins_small(after) && first.len() <= LINK_MAX && words >= SUBJECT_MIN;
    match (key, after.chars().next()) {
        ("area", Some(',' | ':')) | ("institution" | "studyType", Some(':')) => true,
        ("studyType", Some(',')) => words <= END_MAX,
        ("institution" | "position", Some(',')) => begins_small(&after[1..]),
        ("position", Some('(')) => !begins_small(&after[1..]),
        ("position", _) => is_led && after.contains(char::is_uppercase),
        _ => false,
    }
}

/// Whether what stands before a value is a part of it.
fn comes_from(key: &str, before: &str) -> bool {
    match key {
        "name" => before.ends_with(','),
        "studyType" => before.ends_with(['–', '—', '-']),
        _ => false,
    }
}

/// Longest end of a subject or a title that stands in a line of its own, in words.
const END_MAX: usize = 2;

/// Whether a value at the end of its field may go on in the next line, of which nothing was taken.
fn goes_on_below(entries: &Entries<'_>, key: &str, value: &str, spot: Spot) -> bool {
    let line = undated(&entries.lines[spot.line].text);
    let is_last = line.split('\t').any(|field| field.trim_end().ends_with(value));
    let Some(next) = entries.free_below(spot.line).filter(|_| is_last) else { return false };
    let next = next.text.trim();
    let is_else = dates::find(next).is_some() || place::is_place(next) || !has_words(next);
    let is_short = next.split_whitespace().count() <= END_MAX;
    let begins_small = next.starts_with(char::is_lowercase);
    !is_else
        && match key {
            "area" => begins_small || is_short,
            "position" => is_short,
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::lines::Line;
    use serde_json::{Value, json};

    fn doubts(text: &str, list: &'static str, entry: Value) -> Vec<String> {
        let line =
            |text: &str| Line { text: text.to_owned(), bullet: false, after_gap: false, level: 0 };
        let lines: Vec<Line> = text.lines().map(line).collect();
        let lines: Vec<&Line> = lines.iter().collect();
        let keys: &[&str] = match list {
            "work" => &["position", "name", "location"],
            _ => &["studyType", "area", "institution"],
        };
        doubtful(&Entries::of(&lines, list, &[entry], keys))
    }

    #[test]
    fn a_degree_that_may_go_on_beside_it_or_below_is_marked() {
        for (degree, expected) in [
            ("Licence en Lettres\nappliquées", true),
            ("Licence en Lettres, Lettres Modernes", true),
            ("Licence en Lettres: modernes", true),
            ("Licence en Lettres", false),
            ("Licence en Lettres – 2013", false),
        ] {
            let school = json!({
                "studyType": "Licence", "area": "Lettres", "institution": "Université de Nulle"
            });
            let found = doubts(&format!("{degree}\nUniversité de Nulle"), "education", school);
            assert_eq!(found.contains(&"education.0.studyType".to_owned()), expected, "{degree}");
        }
    }

    #[test]
    fn a_title_that_may_go_on_and_names_that_stand_nowhere_are_marked() {
        for (line, expected) in [
            ("Nurse (Acme Ward), Acme Ltd", true),
            ("Nurse, nights, Acme Ltd", true),
            ("Nurse in Marine Medicine", true),
            ("Nurse (nights), Acme Ltd", false),
            ("Nurse, Acme Ltd, Leeds", false),
            ("Nurse, May 2010", false),
            ("Registered practitioner", true),
        ] {
            let found = doubts(line, "work", json!({"position": "Nurse"}));
            assert_eq!(found.len(), usize::from(expected), "{line}");
        }
    }
}
