//! Plain comparisons of words: the language of a text, and whether two questions ask the same.

use std::collections::BTreeSet;

use crate::session::topics::normal;

/// Words that say little about what a question is about.
const FILLERS: &[&str] = &[
    "a", "an", "and", "are", "about", "at", "be", "can", "could", "did", "do", "does", "for",
    "have", "how", "i", "in", "is", "it", "me", "much", "my", "of", "on", "or", "please", "tell",
    "that", "the", "this", "to", "was", "were", "what", "when", "where", "which", "who", "with",
    "would", "you", "your",
];

/// The share of their words that two questions must have in common to be the same one, in hundredths.
const SAME: usize = 90;

/// Whether two questions ask the same.
pub(super) fn is_same_question(one: &str, two: &str) -> bool {
    let (one, two) = (normal(one), normal(two));
    if one == two {
        return true;
    }
    let content = |text: &str| -> BTreeSet<String> {
        let words = text.split_whitespace().filter(|word| !FILLERS.contains(word));
        words.map(str::to_owned).collect()
    };
    let (one, two) = (content(&one), content(&two));
    let (shared, all) = (one.intersection(&two).count(), one.union(&two).count());
    one.len().min(two.len()) > 1 && shared * 100 >= all * SAME
}

/// Frequent words of each language that the others do not share.
const FREQUENT: &[(&str, &[&str])] = &[
    (
        "de",
        &[
            "der", "die", "das", "und", "ist", "sie", "ihr", "ihre", "ihnen", "ihren", "ich",
            "nicht", "wie", "wo", "wir", "haben", "mit", "ein", "eine", "einen", "für", "bitte",
            "möchten", "auf", "wann", "welche", "noch", "danke", "können", "habe", "lieber",
        ],
    ),
    (
        "en",
        &[
            "the", "and", "is", "you", "your", "what", "how", "was", "it", "of", "to", "for",
            "please", "with", "would", "have", "that", "thanks", "this", "can", "we", "my", "i",
            "are", "not", "do",
        ],
    ),
    (
        "es",
        &[
            "el", "los", "las", "y", "usted", "qué", "cómo", "por", "favor", "una", "con", "para",
            "gracias", "cuál", "su", "es", "está", "más",
        ],
    ),
    (
        "fr",
        &[
            "le", "les", "et", "vous", "votre", "vos", "est", "quel", "quelle", "comment", "une",
            "pour", "avec", "merci", "dans", "avez", "être", "où", "des", "pouvez",
        ],
    ),
    (
        "pl",
        &[
            "i",
            "jest",
            "jak",
            "czy",
            "się",
            "nie",
            "w",
            "na",
            "pan",
            "pani",
            "proszę",
            "dziękuję",
            "co",
            "gdzie",
            "który",
            "dla",
            "to",
            "z",
        ],
    ),
];

/// Fewest words by which a language is told.
const TELLING: usize = 4;

/// The language of a text; `None` if too little speaks for any. What is quoted may be in another one.
pub(super) fn language(text: &str) -> Option<&'static str> {
    let text = normal(&unquoted(text));
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() < TELLING {
        return None;
    }
    let count = |frequent: &[&str]| words.iter().filter(|word| frequent.contains(word)).count();
    let mut counts: Vec<(usize, &str)> =
        FREQUENT.iter().map(|(language, frequent)| (count(frequent), *language)).collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    match counts[..] {
        [(best, language), (second, _), ..] if best >= 2 && best > second => Some(language),
        _ => None,
    }
}

/// A text without what stands in quotation marks.
fn unquoted(text: &str) -> String {
    let (mut plain, mut is_quoted) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        match c {
            '„' | '«' => is_quoted = true,
            '“' | '"' => is_quoted = !is_quoted,
            '”' | '»' => is_quoted = false,
            c if !is_quoted => plain.push(c),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_in_other_words_is_another_one() {
        let asked = "Where do you work at the moment?";
        assert!(is_same_question(asked, "And where do you work at the moment?"));
        assert!(!is_same_question(asked, "Where did you study?"));
        assert!(!is_same_question(
            "Question 1: what was it like?",
            "Question 2: what was it like?"
        ));
    }

    #[test]
    fn languages_are_told_by_frequent_words_and_not_guessed() {
        assert_eq!(language("What was the goal, and who was it for?"), Some("en"));
        assert_eq!(language("Was war das Ziel, und für wen haben Sie es gemacht?"), Some("de"));
        assert_eq!(language("Quel est votre nom, et comment vous joindre ?"), Some("fr"));
        assert_eq!(language("Was ist mit „What you are looking for“, wie Sie sagen?"), Some("de"));
        assert_eq!(language("Ada Byron"), None);
        assert_eq!(language("Lovelace Looms London Programmer"), None);
    }
}
