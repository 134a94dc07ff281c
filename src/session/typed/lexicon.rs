//! The words of `manifests/lexicon/replies.toml`: what stands around an answer, yes and no, numbers, orders.

use std::{collections::BTreeMap, ops::Deref, sync::LazyLock};

use serde::Deserialize;

use super::tokens::{Tokens, tokens};

const SOURCE: &str = include_str!("../../../manifests/lexicon/replies.toml");

/// Stands for whoever may be asked for, as in `talk to SOMEONE`.
const SOMEONE: &str = "someone";

/// The lexicon in the box; a test sees to it that it can be read.
static LEXICON: LazyLock<Vec<Language>> = LazyLock::new(|| read(SOURCE).unwrap_or_default());

/// Every language that is known, in the order of their names.
pub(super) fn languages() -> &'static [Language] {
    &LEXICON
}

fn read(source: &str) -> Result<Vec<Language>, toml_edit::de::Error> {
    let languages: BTreeMap<String, Language> = toml_edit::de::from_str(source)?;
    Ok(languages.into_values().collect())
}

/// What one language contributes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    #[serde(default)]
    contractions: Contractions,
    lead: Phrases,
    tail: Phrases,
    pub(super) yes: Phrases,
    pub(super) no: Phrases,
    pub(super) wait: Phrases,
    pub(super) all: Phrases,
    pub(super) and: Phrases,
    pub(super) number: Phrases,
    numbers: Words,
    ordinals: Words,
    pub(super) last: Phrases,
    pub(super) thing: Phrases,
    pub(super) out_of: Phrases,
    filler: Phrases,
    someone: Phrases,
    pub(super) asking: Phrases,
    pub(super) questions: Phrases,
    orders: BTreeMap<String, Phrases>,
}

/// Phrases as tokens, the longest first.
#[derive(Debug, Deserialize)]
#[serde(from = "Vec<String>")]
pub(super) struct Phrases(Vec<Tokens>);

impl From<Vec<String>> for Phrases {
    fn from(patterns: Vec<String>) -> Self {
        let all = patterns.iter().flat_map(|pattern| expanded(pattern));
        let mut all: Vec<Tokens> = all.map(|phrase| tokens(&phrase)).collect();
        all.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        Self(all)
    }
}

impl Deref for Phrases {
    type Target = [Tokens];

    fn deref(&self) -> &[Tokens] {
        &self.0
    }
}

/// Words in the order of the numbers that they stand for, with `|` between forms of one word.
#[derive(Debug, Deserialize)]
struct Words(Vec<String>);

impl Words {
    fn position(&self, word: &str) -> Option<usize> {
        self.0.iter().position(|forms| forms.split('|').any(|form| form == word))
    }
}

/// Short forms and what they stand for.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "BTreeMap<String, String>")]
struct Contractions(Vec<(Tokens, Tokens)>);

impl From<BTreeMap<String, String>> for Contractions {
    fn from(pairs: BTreeMap<String, String>) -> Self {
        Self(pairs.iter().map(|(short, long)| (tokens(short), tokens(long))).collect())
    }
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
            let found = self.contractions.0.iter().find(|(short, _)| text[at..].starts_with(short));
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

    /// Whether a text is courtesy and nothing else.
    pub(super) fn is_courtesy(&self, text: &[String]) -> bool {
        let mut rest = text;
        while !rest.is_empty() {
            let known = self.lead.iter().chain(self.tail.iter());
            let Some(found) = known.filter(|known| rest.starts_with(known)).map(Vec::len).max()
            else {
                return false;
            };
            rest = &rest[found..];
        }
        !text.is_empty()
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
        word.parse().ok().or_else(|| self.numbers.position(word))
    }

    /// `second`, `2nd`: which one.
    pub(super) fn ordinal(&self, word: &str) -> Option<usize> {
        let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        let with_ending = || digits.parse().ok().filter(|_| digits.len() < word.len());
        self.ordinals.position(word).map(|place| place + 1).or_else(with_ending)
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

    /// A text with [`SOMEONE`] in place of each who may be asked for.
    pub(super) fn with_someone(&self, text: &[String]) -> Tokens {
        let (mut out, mut at) = (Tokens::with_capacity(text.len()), 0);
        while at < text.len() {
            let found = self.someone.iter().find(|someone| text[at..].starts_with(someone));
            out.push(found.map_or_else(|| text[at].clone(), |_| SOMEONE.to_owned()));
            at += found.map_or(1, Vec::len);
        }
        out
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
            [
                &language.lead,
                &language.tail,
                &language.yes,
                &language.no,
                &language.wait,
                &language.and,
            ]
        });
        assert!(
            all_lists.into_iter().flat_map(|list| list.iter()).all(|phrase| !phrase.is_empty())
        );
    }
}
