//! The items of lists of skills.

use super::{
    super::lines::fields,
    levels::{is_language, is_level, without_level},
};

/// The skills of a list.
pub(super) fn items(line: &str) -> Vec<String> {
    // `Languages: Rust, C`: what kind they are of is no skill.
    let line = match line.split_once(": ") {
        // `English: fluent` is no skill.
        Some((language, rest)) if is_language(language) && !rest.contains(',') => "",
        Some((kind, rest)) if kind.split_whitespace().count() <= 4 => rest,
        _ => line,
    };
    undashed(line)
        .into_iter()
        .flat_map(fields)
        .flat_map(|field| apart(field))
        .map(|item| {
            item.trim_matches(|c: char| c.is_whitespace() || ".,;•·–—-".contains(c)).to_owned()
        })
        .map(|item| without_level(&item).to_owned())
        .filter(|item| item.chars().any(char::is_alphabetic) && !is_level(item))
        .collect()
}

/// The parts of a list that has dashes instead of commas: `Welding – CAD – Fitting`.
fn undashed(line: &str) -> Vec<&str> {
    let is_list = |dash: &&str| line.matches(*dash).count() > 1 && !line.contains([',', ';']);
    match [" – ", " — ", " - "].into_iter().find(is_list) {
        Some(dash) => line.split(dash).collect(),
        None => vec![line],
    }
}

/// Whether the comma of a text stands before the thousands of a number.
fn is_within_number(text: &str, at: usize) -> bool {
    let digits = text[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
    digits == 3 && text[..at].ends_with(|c: char| c.is_ascii_digit())
}

/// Classes of driving licences.
const CLASSES: [&str; 17] = [
    "A", "A1", "A2", "AM", "B", "B96", "BE", "C", "C1", "C1E", "CE", "D", "D1", "D1E", "DE", "L",
    "T",
];

/// Whether the comma of a text stands between the classes of one licence: `Führerschein B, BE`.
fn is_within_licence(text: &str, at: usize) -> bool {
    let next = text[at + 1..].split([',', ';']).next().unwrap_or_default().trim();
    let before = text[..at].trim().rsplit_once(' ').map(|(_, last)| last);
    CLASSES.contains(&next) && before.is_some_and(|last| CLASSES.contains(&last))
}

/// The parts between commas and their like, outside of parentheses.
pub(super) fn apart(field: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let mut begin = 0;
    let mut parts = Vec::new();
    for (at, c) in field.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            // `$12,000` is one number.
            ',' if is_within_number(field, at) => {}
            ',' if is_within_licence(&field[begin..], at - begin) => {}
            ',' | ';' if depth == 0 => {
                parts.push(&field[begin..at]);
                begin = at + 1;
            }
            '/' | '•' | '·' | '#' if depth == 0 && field[..at].ends_with(' ') => {
                parts.push(&field[begin..at]);
                begin = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&field[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_a_licence_are_no_skills_of_their_own() {
        assert_eq!(items("Führerschein B, BE, C1"), ["Führerschein B, BE, C1"]);
        assert_eq!(items("Permis B, Excel"), ["Permis B", "Excel"]);
        assert_eq!(items("Rust, C, D"), ["Rust", "C", "D"]);
    }
}
