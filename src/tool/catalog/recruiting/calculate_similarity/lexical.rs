//! How alike two texts are by their words: a cosine as well, of what stands in them and how often.
//!
//! A word weighs `1 + ln(times)`, so that repeating it gains little; everyday words weigh nothing, and a skill
//! ([`find`]) three times as much as a word, whatever it is called in each of the texts. The same texts give the same
//! number, in either order.

use std::collections::BTreeMap;

use crate::tool::catalog::recruiting::extract_skills::{find::find, lexicon::Lexicon};

/// How much more a skill weighs than a word.
const SKILL: f64 = 3.0;

/// Words that say nothing about what a text is about.
const EVERYDAY: [&str; 96] = [
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been",
    "but", "by", "can", "do", "each", "for", "from", "had", "has", "have", "he", "her", "his",
    "how", "i", "if", "in", "into", "is", "it", "its", "me", "more", "most", "my", "no", "not",
    "of", "on", "one", "or", "other", "our", "out", "over", "she", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "two", "under", "up", "us", "very", "was", "we", "well", "were", "what", "when",
    "where", "which", "while", "who", "will", "with", "within", "would", "you", "your", "der",
    "die", "das", "und", "oder", "mit", "ein", "eine", "zu",
];

/// The cosine of two texts, from 0 to 1; 0 where one of them says nothing.
pub fn cosine(one: &str, other: &str) -> f64 {
    let (one, other) = (weights(one), weights(other));
    let length = |weights: &BTreeMap<Term, f64>| weights.values().map(|w| w * w).sum::<f64>();
    let shared = one.iter().filter_map(|(term, weight)| Some(weight * other.get(term)?));
    let cosine = shared.sum::<f64>() / (length(&one) * length(&other)).sqrt();
    if cosine.is_finite() { cosine } else { 0.0 }
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Word(String),
    /// By its position in the lexicon.
    Skill(usize),
}

fn weights(text: &str) -> BTreeMap<Term, f64> {
    let mut times: BTreeMap<Term, f64> = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let word = word.to_lowercase();
        if word.chars().count() > 1 && !EVERYDAY.contains(&word.as_str()) {
            *times.entry(Term::Word(stem(word))).or_default() += 1.0;
        }
    }
    let mut weights: BTreeMap<Term, f64> =
        times.into_iter().map(|(term, times)| (term, 1.0 + times.ln())).collect();
    if let Ok(lexicon) = Lexicon::shipped() {
        let skills = find(lexicon, text).into_iter();
        weights.extend(skills.map(|found| (Term::Skill(found.skill), SKILL)));
    }
    weights
}

/// `services` and `service` are one word; `business` stays.
fn stem(mut word: String) -> String {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    word
}
