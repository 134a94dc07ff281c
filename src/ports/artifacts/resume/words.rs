//! What single words give away: jobs, firms, schools.

use super::vocabulary::{folded, parts, vocabulary};

/// Whether a text names a position: `Senior Programmer`.
pub(super) fn is_position(text: &str) -> bool {
    // `Emergency Department RN`
    let is_letters = |word: &str| {
        word.chars().all(char::is_uppercase) && vocabulary().letters.contains(&folded(word))
    };
    let ends_in_letters = || text.rsplit_once(' ').is_some_and(|(_, last)| is_letters(last));
    let words: Vec<String> = words(text).collect();
    // `Au pair`, `Office-Boy`
    let begins = |at: usize| {
        let phrases = vocabulary().position_phrases.get(&words[at]);
        phrases.is_some_and(|all| all.iter().any(|rest| words[at + 1..].starts_with(rest)))
    };
    (0..words.len()).any(|at| is_position_word(&words[at]) || begins(at)) || ends_in_letters()
}

fn is_position_word(word: &str) -> bool {
    let vocabulary = vocabulary();
    vocabulary.positions.contains(word)
        || vocabulary
            .position_ends
            .iter()
            .any(|end| word.len() > end.len() + 2 && word.ends_with(end))
}

/// Whether a text names an organisation by its form: `Acme Ltd`.
pub(super) fn is_organisation(text: &str) -> bool {
    // `S.L.`, `B.V.`, `e.V.`: forms with dots in them.
    let tight: Vec<String> = text
        .split([' ', ','])
        .filter(|word| *word != "Sá")
        .map(|word| folded(&word.replace('.', "")))
        .collect();
    let vocabulary = vocabulary();
    let is_one = |word: String| {
        let ends = |end: &String| word.len() > end.len() + 2 && word.ends_with(end.as_str());
        vocabulary.employers.contains(&word) || vocabulary.employer_ends.iter().any(ends)
    };
    // `João Sá Teixeira`: no form of a firm has an accent.
    let plain = text.split_whitespace().filter(|word| *word != "Sá").collect::<Vec<_>>().join(" ");
    words(&plain).chain(tight).any(is_one) || is_school(text)
}

/// Whether a text names a place of learning.
pub(super) fn is_school(text: &str) -> bool {
    // `Fachoberschulreife`, `Realschulabschluss`: what is got there.
    let is_got = |word: &str| ["reife", "abschluss"].iter().any(|end| word.ends_with(end));
    let words: Vec<String> = words(text).collect();
    let vocabulary = vocabulary();
    let is_one = |word: &String| {
        !LEARNED.contains(&word.as_str())
            && !is_got(word)
            && (vocabulary.schools.contains(word)
                || vocabulary.school_stems.iter().any(|stem| word.starts_with(stem))
                || vocabulary.school_ends.iter().any(|end| word.ends_with(end)))
    };
    // `Smallville Sixth Form`
    let is_in = |phrase: &Vec<String>| words.windows(phrase.len()).any(|run| run == phrase);
    words.iter().any(is_one) || vocabulary.school_phrases.iter().any(is_in) || is_short_school(text)
}

/// `I.E. Los Olivos`: a school with letters and stops for its kind.
fn is_short_school(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    let is_letters = first.ends_with('.') && first.matches('.').count() > 1;
    let letters = || first.chars().filter(|c| *c != '.');
    is_letters
        && letters().all(char::is_uppercase)
        && vocabulary()
            .schools
            .contains(&letters().flat_map(char::to_lowercase).collect::<String>())
}

/// Adjectives that begin like the names of schools.
const LEARNED: [&str; 11] = [
    "universitair",
    "academic",
    "academico",
    "academica",
    "academicos",
    "academicas",
    "academique",
    "academisch",
    "academische",
    "universitario",
    "universitaria",
];

/// Folded words; `Co-Founder` is `co` and `founder`.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<String> = folded(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

/// Whether a text says that somebody worked for themselves, and nothing else.
pub(super) fn is_own(text: &str) -> bool {
    let folded = folded(text);
    vocabulary().own.contains(&parts(&folded).collect::<Vec<_>>().join(" "))
}

/// `3 years 2 months`: how long something lasted.
pub(super) fn is_length(text: &str) -> bool {
    const UNITS: [&str; 28] = [
        "year", "years", "yr", "yrs", "month", "months", "mo", "mos", "and", "jahr", "jahre",
        "jahren", "monat", "monate", "und", "ano", "anos", "mes", "meses", "y", "e", "an", "ans",
        "mois", "et", "jaar", "maand", "maanden",
    ];
    let folded = folded(text);
    let mut words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    text.trim_start_matches('(').starts_with(|c: char| c.is_ascii_digit())
        && words.clone().any(|word| UNITS.contains(&word))
        && words.all(|word| UNITS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_jobs_may_be_several_words() {
        for title in ["Au pair", "Au-pair in Nullstadt", "Office-boy", "Freiwilliges Soziales Jahr"]
        {
            assert!(is_position(title), "{title}");
        }
        assert!(!is_position("Null Boy") && !is_position("Pair Nullstadt"));
    }

    #[test]
    fn forms_of_firms_and_kinds_of_schools_tell_organisations() {
        assert!(is_organisation("Aceites Nulos S.C.A.") && is_school("Nulle Skoalle"));
        assert!(!is_organisation("Aceites Nulos"));
    }

    #[test]
    fn letters_with_stops_may_name_a_school() {
        assert!(is_school("I.E. Los Nulos"));
        assert!(!is_school("i.e. the rest") && !is_school("A.B. Nulos"));
    }
}
