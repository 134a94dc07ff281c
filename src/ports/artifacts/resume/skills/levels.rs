//! How well or for how long somebody can do something, which stands behind a skill, and languages, which stand among skills.

use super::super::{
    vocabulary::{folded, vocabulary},
    words,
};

/// Whether an item is the name of a language that people speak, and nothing else.
pub(super) fn is_language(item: &str) -> bool {
    vocabulary().languages.contains(&folded(item))
}

/// Whether an item is a language and how well somebody speaks it, which may stand here or in a section of its own:
/// `Inglés C1`, `Englisch – verhandlungssicher (C1)`.
pub(super) fn is_spoken(item: &str) -> bool {
    let item = folded(item);
    let mut words = item.split([' ', '(', ')', ':', '–', '-', ',']).filter(|word| !word.is_empty());
    let is_language = words.next().is_some_and(|word| vocabulary().languages.contains(word));
    let is_grade = |rest: &str| rest.len() == 2 && rest.starts_with(['a', 'b', 'c']);
    let is_known = |rest: &str| is_grade(rest) || vocabulary().skill_levels.contains(rest);
    let rest: Vec<&str> = words.collect();
    is_language && (rest.iter().any(|word| is_known(word)) || is_known(&rest.join(" ")))
}

/// Whether a language stands in a line with a remark on how well somebody speaks it: `Inglés (nativo)`.
pub(super) fn is_spoken_in(item: &str, line: &str) -> bool {
    is_language(item) && line.contains(&format!("{item} ("))
}

/// `Figma (sehr gut)`, `SQL (5 years)`, `Rust – 4 years` without how well or for how long.
pub(super) fn without_level(item: &str) -> &str {
    let in_brackets = item.strip_suffix(')').and_then(|open| open.rsplit_once(" ("));
    let behind = || [" – ", " — ", " - "].into_iter().find_map(|dash| item.rsplit_once(dash));
    let says = |said: &str| is_level(said) || words::is_length(said) || is_about_length(said);
    let says_behind = |said: &str| is_level(said) || words::is_length(said);
    let parted = in_brackets.filter(|(_, level)| says(level));
    let parted = parted.or_else(|| behind().filter(|(_, said)| says_behind(said)));
    parted.map_or(item, |(skill, _)| skill)
}

/// `10+ years`, `Less than 1 year`, `über 3 Jahre`.
fn is_about_length(text: &str) -> bool {
    let Some(at) = text.find(|c: char| c.is_ascii_digit()) else { return false };
    let (before, length) = text.split_at(at);
    before.split_whitespace().count() <= LEAD_MAX && words::is_length(&length.replace('+', " "))
}

/// Most words before a number of years.
const LEAD_MAX: usize = 2;

/// Whether a line without any skill says nothing that one could miss: how well somebody speaks a language or can do what
/// stands above, or nothing in words.
pub(super) fn says_level(line: &str) -> bool {
    let label = line.split([':', '\t', ' ']).next().unwrap_or_default();
    line.split([',', ';', '\t']).all(|item| is_level(item.trim()))
        || is_language(label)
        || !line.contains(char::is_alphabetic)
}

/// Whether an item only says how well somebody can do what stands beside it: `sehr gut`, `avanzado`.
pub(super) fn is_level(item: &str) -> bool {
    vocabulary().skill_levels.contains(&folded(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_somebody_has_done_something_is_no_part_of_it() {
        for text in [
            "SQL (5 years)",
            "SQL (10+ years)",
            "SQL (Less than 1 year)",
            "SQL (3 Jahre)",
            "SQL – 4 years",
            "SQL (advanced)",
            "SQL – sehr gute Kenntnisse",
        ] {
            assert_eq!(without_level(text), "SQL", "{text}");
        }
        for text in ["Accounting (IFRS 9)", "Word – Excel", "ISO (9001)", "5S – Lean"] {
            assert_eq!(without_level(text), text);
        }
    }

    #[test]
    fn languages_are_told_by_how_well_somebody_speaks_them() {
        for text in ["Englisch – verhandlungssicher (C1)", "Anglais (courant (C1))", "Inglés C1"]
        {
            assert!(is_spoken(text), "{text}");
        }
        assert!(!is_spoken("English literature"));
    }
}
