//! Classes that somebody teaches, and grades of the pay: `Grades 6–8`, `CM1–CM2`, `Band 6`.

use super::super::super::vocabulary::{folded, vocabulary};

/// Longest number or name of a class, and of a word that leads to one, in characters.
const NUMBER_MAX: usize = 4;
const LINK_MAX: usize = 3;

/// Most digits of a number of classes; a year has more.
const DIGITS_MAX: usize = 2;

/// Whether a text says for which classes or in which grade somebody works, and nothing else.
pub(super) fn is_class(text: &str) -> bool {
    let tight = tight(text);
    let words = || tight.split([' ', ',']).filter(|word| word.contains(char::is_alphanumeric));
    let names = |word: &str| vocabulary().classes.contains(&folded(word));
    // `Level 39 Ltd` is a firm.
    let leads =
        |word: &str| word.starts_with(char::is_lowercase) && word.chars().count() <= LINK_MAX;
    let numbers = |word: &str| is_range(word) || is_number(word);
    words().all(|word| numbers(word) || names(word) || leads(word))
        && words().any(numbers)
        && words().any(|word| names(word) || is_range(word))
}

/// Longest name of a town, in words.
const TOWN_MAX: usize = 4;

/// Whether what stands behind the label of a period or a place, `Place: Smallville`, can be a place.
pub(super) fn is_town(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
        && text.chars().all(|c| c.is_alphabetic() || " ,.'’-".contains(c))
        && text.split_whitespace().count() <= TOWN_MAX
}

/// `6 – 8` without its spaces.
fn tight(text: &str) -> String {
    text.replace(" – ", "–").replace(" — ", "—").replace(" - ", "-")
}

/// `8`, `3º`, `CM2`
fn is_number(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    (1..=DIGITS_MAX).contains(&digits) && word.chars().count() <= NUMBER_MAX
}

/// `6–8`, `CP–CM2`, `7/8`
fn is_range(word: &str) -> bool {
    let ends = word.split_once(['–', '—', '-', '‑', '/']);
    ends.is_some_and(|(first, last)| spans(first, last))
}

/// Whether two words are the ends of a range: numbers of the same kind.
fn spans(first: &str, last: &str) -> bool {
    let shape = |word: &str| {
        let mut shape: Vec<char> =
            word.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        shape.dedup();
        shape
    };
    let is_named = first.starts_with(char::is_uppercase)
        && first.chars().count() < NUMBER_MAX
        && first.chars().next() == last.chars().next();
    is_number(last) && (is_number(first) && shape(first) == shape(last) || is_named)
}

/// The parts of a text between dashes; the dash in `Grades 6 – 8` parts nothing.
pub(super) fn apart<'t>(text: &'t str, dash: &str) -> Vec<&'t str> {
    let mut begin = 0;
    let mut found = Vec::new();
    for (at, _) in text.match_indices(dash) {
        let first = text[..at].rsplit(' ').next().unwrap_or_default();
        let after = &text[at + dash.len()..];
        let last = after.split([' ', ',', ')']).next().unwrap_or_default();
        if !spans(first, last) {
            found.push(&text[begin..at]);
            begin = at + dash.len();
        }
    }
    found.push(&text[begin..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn classes_are_told_from_names_in_every_language() {
        for text in [
            "Grades 6–8",
            "Years 7 to 11",
            "Key Stage 3",
            "Key Stages 1–2",
            "Band 6",
            "Klassen 5–10",
            "Klasse 5 bis 10",
            "Jahrgangsstufe 11/12",
            "CM1–CM2",
            "CP–CE1",
            "6e – 3e",
            "1º–3º ciclo",
            "5º ao 9º ano",
            "groep 7–8",
            "groep 7/8",
        ] {
            assert!(is_class(text), "{text}");
        }
        for text in
            ["Level 39 Events", "3M", "Group 4 Securitas", "Studio 54 – 3A", "2014–2019", "Grades"]
        {
            assert!(!is_class(text), "{text}");
        }
    }

    #[test]
    fn a_dash_between_two_numbers_of_a_kind_parts_nothing() {
        assert_eq!(
            apart("Teacher, Grades 6 – 8 – Acme School", " – "),
            ["Teacher, Grades 6 – 8", "Acme School"]
        );
        assert_eq!(apart("Institutrice CM1 - CM2", " - "), ["Institutrice CM1 - CM2"]);
        assert_eq!(apart("Head of IT – 3M", " – "), ["Head of IT", "3M"]);
    }

    #[test]
    fn a_title_keeps_the_classes_that_it_is_about() {
        for title in [
            "Science Teacher, Grades 6–8",
            "Science Teacher – Grades 6–8",
            "Science Teacher (Key Stage 3)",
            "Lehrerin Klassen 5–10",
            "Lehrerin, Klassen 5 – 10",
            "Institutrice CM1–CM2",
            "Professora, 5º ao 9º ano",
            "Profesora, Ciclos 1–3",
            "Leerkracht groep 7–8",
            "Leerkracht, groep 7 / 8",
        ] {
            for head in [
                format!("{title}\tAug 2014 – Jun 2022\nAcme GmbH"),
                format!("{title}, Acme GmbH\tAug 2014 – Jun 2022"),
                format!("Aug 2014 – Jun 2022\t{title}\n\tAcme GmbH"),
            ] {
                let draft = draft(&format!("Ada Byron\n\n## Experience\n{head}"));
                let role = &draft.skeleton_timeline["work"][0];
                let found = ["position", "name", "startDate", "endDate"];
                let found = found.map(|key| role[key].as_str().unwrap_or_default());
                assert_eq!(found, [title, "Acme GmbH", "2014-08", "2022-06"], "{head}");
            }
        }
    }

    #[test]
    fn a_place_behind_its_label_is_told_from_a_period() {
        assert!(is_town("Villa Nula") && !is_town("3 años") && !is_town("a tiempo parcial"));
    }
}
