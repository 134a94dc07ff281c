//! Bounds that a text names, against those of its field: `Up to 500 euros.` above a number of 50 at most.

use serde_json::Value;

use super::{Check, lengths::words, texts::questions};
use crate::config::toml_document::escaped;

/// Words before the most that may be given.
const AT_MOST: [&[&str]; 9] = [
    &["up", "to"],
    &["at", "most"],
    &["no", "more", "than"],
    &["not", "more", "than"],
    &["maximum"],
    &["maximum", "of"],
    &["bis", "zu"],
    &["höchstens"],
    &["maximal"],
];

/// Words before the least.
const AT_LEAST: [&[&str]; 6] = [
    &["at", "least"],
    &["no", "less", "than"],
    &["not", "less", "than"],
    &["minimum"],
    &["minimum", "of"],
    &["mindestens"],
];

/// What a text is counted in.
const CHARACTERS: [&str; 5] = ["character", "characters", "letters", "zeichen", "buchstaben"];

/// A number that a text names as a bound.
struct Told {
    count: f64,
    is_most: bool,
    /// It counts characters.
    is_length: bool,
}

impl Check<'_> {
    pub(super) fn bounds_told(&mut self) {
        let flow = self.flow;
        for (name, table) in &flow.data {
            for (field, written) in table.fields.iter().flat_map(|fields| &fields.0) {
                let Some(schema) = self.loaded.schemas.get(name).map(|s| &s["properties"][field])
                else {
                    continue;
                };
                let at = format!("/data/{}/fields/{}", escaped(name), escaped(field));
                let texts = written.title.iter().chain(&written.help);
                let told =
                    texts.flat_map(|text| bounds(text)).find_map(|told| excluded(&told, schema));
                if let Some(message) = told {
                    self.warn(&at, message, "change the text or the bound");
                }
            }
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                let args = Value::Object(step.args.clone());
                let told = questions(step)
                    .flat_map(bounds)
                    .filter(|told| told.is_length)
                    .find_map(|told| excluded(&told, &args));
                if let Some(message) = told {
                    let at = format!("/phase/{p}/step/{n}/args");
                    self.warn(&at, message, "change the text or the bound");
                }
            }
        }
    }
}

/// What the text allows and the bound doesn't, in words.
fn excluded(told: &Told, bounds: &Value) -> Option<String> {
    let bound = |keys: &[&str]| keys.iter().find_map(|key| bounds[*key].as_f64());
    let (word, bound) = match (told.is_most, told.is_length) {
        (true, true) => ("up to", bound(&["maxLength"])?),
        (false, true) => ("at least", bound(&["minLength"])?),
        (true, false) => ("up to", bound(&["maximum", "maxItems"])?),
        (false, false) => ("at least", bound(&["minimum", "minItems"])?),
    };
    let is_excluded = if told.is_most { bound < told.count } else { bound > told.count };
    let unit = if told.is_length { " characters" } else { "" };
    is_excluded.then(|| {
        let taken = if told.is_most { "at most" } else { "at least" };
        format!("the text says {word} {}{unit}, and {taken} {bound}{unit} is accepted", told.count)
    })
}

/// The bounds that a text names.
fn bounds(text: &str) -> Vec<Told> {
    let mut found = Vec::new();
    for sentence in text.split(['!', '?', ';', '\n']).flat_map(|part| part.split(". ")) {
        let words = words(&without_separators(sentence));
        for (phrases, is_most) in [(&AT_MOST[..], true), (&AT_LEAST[..], false)] {
            let after = (0..words.len()).filter_map(|n| {
                let phrase = phrases.iter().find(|phrase| {
                    let told = words[n..].iter().map(String::as_str);
                    told.clone().count() >= phrase.len() && told.zip(**phrase).all(|(a, b)| a == *b)
                })?;
                let [count, rest @ ..] = words.get(n + phrase.len()..)? else { return None };
                let is_length =
                    rest.first().is_some_and(|unit| CHARACTERS.contains(&unit.as_str()));
                Some(Told { count: count.parse().ok()?, is_most, is_length })
            });
            found.extend(after);
        }
    }
    found
}

/// `1,200` and `1.200` in one.
fn without_separators(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    let is_separator = |at: usize| {
        at > 0
            && matches!(characters[at], ',' | '.' | '\'')
            && is_digit(at - 1)
            && (1..=3).all(|n| is_digit(at + n))
            && !is_digit(at + 4)
    };
    let kept = (0..characters.len()).filter(|at| !is_separator(*at));
    kept.map(|at| characters[at]).collect()
}
