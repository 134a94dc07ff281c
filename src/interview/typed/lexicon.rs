//! The words of `manifests/lexicon/replies.toml`: what stands around an answer, yes and no, numbers, orders.

use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

use serde::Deserialize;

use super::tokens::{Tokens, tokens};

const SOURCE: &str = include_str!("../../../manifests/lexicon/replies.toml");

/// The lexicon in the box; a test sees to it that it can be read.
static LEXICON: LazyLock<Vec<Language>> = LazyLock::new(|| read(SOURCE).unwrap_or_default());

/// Every language that is known, in the order of their names.
pub(super) fn languages() -> &'static [Language] {
    &LEXICON
}

fn read(source: &str) -> Result<Vec<Language>, toml_edit::de::Error> {
    let raw: BTreeMap<String, Raw> = toml_edit::de::from_str(source)?;
    Ok(raw.into_values().map(Language::from).collect())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    contractions: BTreeMap<String, String>,
    lead: Vec<String>,
    tail: Vec<String>,
    yes: Vec<String>,
    no: Vec<String>,
    all: Vec<String>,
    and: Vec<String>,
    number: Vec<String>,
    numbers: Vec<String>,
    ordinals: Vec<String>,
    last: Vec<String>,
    thing: Vec<String>,
    out_of: Vec<String>,
    filler: Vec<String>,
    asking: Vec<String>,
    questions: Vec<String>,
    orders: BTreeMap<String, Vec<String>>,
}

/// What one language contributes, as lists of tokens.
#[derive(Debug)]
pub(super) struct Language {
    contractions: Vec<(Tokens, Tokens)>,
    lead: Vec<Tokens>,
    tail: Vec<Tokens>,
    pub(super) yes: Vec<Tokens>,
    pub(super) no: Vec<Tokens>,
    pub(super) all: Vec<Tokens>,
    pub(super) and: Vec<Tokens>,
    pub(super) number: Vec<Tokens>,
    numbers: HashMap<String, usize>,
    ordinals: HashMap<String, usize>,
    pub(super) last: Vec<Tokens>,
    pub(super) thing: Vec<Tokens>,
    pub(super) out_of: Vec<Tokens>,
    filler: Vec<Tokens>,
    pub(super) questions: Vec<Tokens>,
    pub(super) asking: Vec<Tokens>,
    orders: Vec<(String, Vec<Tokens>)>,
}

impl From<Raw> for Language {
    fn from(raw: Raw) -> Self {
        let numbered = |words: &[String], from: usize| -> HashMap<String, usize> {
            let each = words.iter().zip(from..);
            each.flat_map(|(forms, n)| forms.split('|').map(move |form| (form.to_owned(), n)))
                .collect()
        };
        let pair = |(short, long): (String, String)| (tokens(&short), tokens(&long));
        Self {
            contractions: raw.contractions.into_iter().map(pair).collect(),
            lead: longest_first(&raw.lead),
            tail: longest_first(&raw.tail),
            yes: longest_first(&raw.yes),
            no: longest_first(&raw.no),
            all: longest_first(&raw.all),
            and: longest_first(&raw.and),
            number: longest_first(&raw.number),
            numbers: numbered(&raw.numbers, 0),
            ordinals: numbered(&raw.ordinals, 1),
            last: longest_first(&raw.last),
            thing: longest_first(&raw.thing),
            out_of: longest_first(&raw.out_of),
            filler: longest_first(&raw.filler),
            questions: longest_first(&raw.questions),
            asking: longest_first(&raw.asking),
            orders: raw
                .orders
                .into_iter()
                .map(|(order, phrases)| (order, longest_first(&phrases)))
                .collect(),
        }
    }
}

fn longest_first(phrases: &[String]) -> Vec<Tokens> {
    let all = phrases.iter().flat_map(|phrase| expanded(phrase));
    let mut all: Vec<Tokens> = all.map(|phrase| tokens(&phrase)).collect();
    all.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    all
}

/// Every phrase that a pattern stands for: `(a|b) c` for `a c` and `b c`.
fn expanded(pattern: &str) -> Vec<String> {
    let parts = pattern.split_once('(').and_then(|(before, rest)| {
        let (choices, after) = rest.split_once(')')?;
        Some((before, choices, after))
    });
    let Some((before, choices, after)) = parts else { return vec![pattern.to_owned()] };
    let ends = expanded(after);
    let each = choices
        .split('|')
        .flat_map(|choice| ends.iter().map(move |end| format!("{before}{choice}{end}")));
    each.collect()
}

impl Language {
    /// A text with its contractions written out: `don't` as `do not`.
    pub(super) fn spelt_out(&self, text: &[String]) -> Tokens {
        let (mut out, mut at) = (Tokens::with_capacity(text.len() + 2), 0);
        while at < text.len() {
            let found = self.contractions.iter().find(|(short, _)| text[at..].starts_with(short));
            if let Some((short, long)) = found {
                out.extend_from_slice(long);
                at += short.len();
            } else {
                out.push(text[at].clone());
                at += 1;
            }
        }
        out
    }

    /// A text with ever less of the courtesy around it, from all of it on; never less than one word.
    pub(super) fn stages<'t>(&self, text: &'t [String]) -> impl Iterator<Item = &'t [String]> {
        std::iter::successors(Some(text), |text| {
            let lead = self.lead.iter().find(|lead| text.starts_with(lead));
            let tail = self.tail.iter().find(|tail| text.ends_with(tail));
            match (lead, tail) {
                (Some(lead), _) if lead.len() < text.len() => Some(&text[lead.len()..]),
                (_, Some(tail)) if tail.len() < text.len() => {
                    Some(&text[..text.len() - tail.len()])
                }
                _ => None,
            }
        })
    }

    /// A text without any courtesy around it; never less than one word.
    pub(super) fn stripped<'t>(&self, text: &'t [String]) -> &'t [String] {
        self.stages(text).last().unwrap_or(text)
    }

    /// A text without its first word, where that alone is courtesy.
    pub(super) fn without_first<'t>(&self, text: &'t [String]) -> Option<&'t [String]> {
        let (first, rest) = text.split_first()?;
        let is_lead = self.lead.iter().any(|lead| lead.as_slice() == std::slice::from_ref(first));
        (is_lead && !rest.is_empty()).then_some(rest)
    }

    /// A number in digits or words.
    pub(super) fn number_of(&self, word: &str) -> Option<usize> {
        word.parse().ok().or_else(|| self.numbers.get(word).copied())
    }

    /// `second`, `2nd`: which one.
    pub(super) fn ordinal(&self, word: &str) -> Option<usize> {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        let with_ending = || digits.parse().ok().filter(|_| digits.len() < word.len());
        self.ordinals.get(word).copied().or_else(with_ending)
    }

    /// A text without the words that may stand anywhere in an order; as it is where it is nothing else.
    pub(super) fn unfilled(&self, text: &[String]) -> Tokens {
        let (mut out, mut at) = (Tokens::with_capacity(text.len()), 0);
        while at < text.len() {
            let filler = self.filler.iter().find(|filler| text[at..].starts_with(filler));
            if filler.is_none() {
                out.push(text[at].clone());
            }
            at += filler.map_or(1, Vec::len);
        }
        if out.is_empty() { text.to_vec() } else { out }
    }

    /// The order that a whole text is, by its name in the lexicon.
    pub(super) fn order(&self, text: &[String]) -> Option<&str> {
        let is = |phrases: &[Tokens]| phrases.iter().any(|phrase| phrase == text);
        self.orders.iter().find(|(_, phrases)| is(phrases)).map(|(order, _)| order.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lexicon_in_the_box_can_be_read() {
        let languages = read(SOURCE).unwrap();
        assert_eq!(languages.len(), 4);
        let all_lists = languages.iter().flat_map(|language| {
            [&language.lead, &language.tail, &language.yes, &language.no, &language.and]
        });
        assert!(all_lists.flatten().all(|phrase| !phrase.is_empty()));
        assert!(SOURCE.is_ascii() || SOURCE.contains('…'), "accents are folded before comparing");
    }
}
