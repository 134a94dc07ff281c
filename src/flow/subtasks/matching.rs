//! Which template a piece of work leads to: by association of words, the same for the same words.
//!
//! | what a request has | worth |
//! |---|---|
//! | the template's name as a hint | 100 |
//! | one of its hints as a hint | 10 |
//! | a word of its name, title or hints, in hints or description | 3 |
//! | a word of its description, in hints or description | 1 |
//!
//! Words are compared in lower case, without a plural's `s`; the small words of a sentence count for nothing. Of two
//! that are worth the same, the one goes first of whose hints a greater share was met, then the one whose name comes
//! first. A template that is worth less than [`LEAST`] does not match.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use serde::Serialize;

use super::{LoadedTask, Tasks};

/// What a match is worth at least.
pub(crate) const LEAST: u32 = 3;

const NAME: u32 = 100;
const HINT: u32 = 10;
const STRONG: u32 = 3;
const WEAK: u32 = 1;

/// Words that say nothing of what is to be done.
const SMALL: [&str; 24] = [
    "a", "an", "and", "any", "are", "as", "at", "by", "for", "from", "in", "into", "is", "it",
    "of", "on", "or", "please", "that", "the", "this", "to", "use", "with",
];

/// A template beside what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Match {
    /// The template.
    pub task: String,
    /// What it is worth.
    pub score: u32,
    /// Its own hints that were met, in hundredths of all.
    pub met: u32,
    /// Why, in words.
    pub because: Vec<String>,
}

/// What a request leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The template; `None` if nothing fits.
    pub task: Option<String>,
    /// Why it is this one where another is worth as much.
    pub tie: Option<String>,
    /// All templates, best first.
    pub ranked: Vec<Match>,
}

impl Tasks {
    /// The template for a piece of work, with what every template is worth and why.
    pub fn choose(&self, hints: &[String], description: &str) -> Choice {
        let wanted = Wanted::new(hints, description);
        let mut ranked: Vec<Match> = self.iter().map(|task| wanted.weigh(task)).collect();
        ranked.sort_by_key(|m| (Reverse(m.score), Reverse(m.met), m.task.clone()));
        let best = ranked.first().filter(|best| best.score >= LEAST);
        let tie = best.zip(ranked.get(1)).filter(|(best, next)| best.score == next.score);
        let tie = tie.map(|(best, next)| {
            let why = if best.met > next.met {
                format!("{}% of its hints are met, and {}% of the other's", best.met, next.met)
            } else {
                "its name comes first in the alphabet".to_owned()
            };
            format!("`{}` is worth as much; `{}` goes first because {why}", next.task, best.task)
        });
        Choice { task: best.map(|best| best.task.clone()), tie, ranked }
    }
}

/// What is asked for, taken apart.
struct Wanted {
    hints: BTreeSet<String>,
    words: BTreeSet<String>,
}

impl Wanted {
    fn new(hints: &[String], description: &str) -> Self {
        let mut words = words_of(description);
        words.extend(hints.iter().flat_map(|hint| words_of(hint)));
        Self { hints: hints.iter().map(|hint| tidy(hint)).collect(), words }
    }

    fn weigh(&self, task: &Arc<LoadedTask>) -> Match {
        let template = &task.template;
        let mut found =
            Match { task: template.name.clone(), score: 0, met: 0, because: Vec::new() };
        let mut add = |worth: u32, why: String| {
            found.score += worth;
            found.because.push(format!("{why} (+{worth})"));
        };
        if self.hints.contains(&template.name) {
            add(NAME, "its name is a hint".to_owned());
        }
        let own: BTreeSet<String> = template.hints.iter().map(|hint| tidy(hint)).collect();
        let met: Vec<&String> = own.intersection(&self.hints).collect();
        for hint in &met {
            add(HINT, format!("hint `{hint}`"));
        }
        let share = met.len() * 100 / own.len().max(1);
        let mut strong = words_of(&template.name);
        strong.extend(words_of(&template.title));
        strong.extend(own.iter().flat_map(|hint| words_of(hint)));
        let weak = words_of(&template.description);
        for word in strong.intersection(&self.words) {
            add(STRONG, format!("word `{word}`"));
        }
        for word in weak.difference(&strong).filter(|word| self.words.contains(*word)) {
            add(WEAK, format!("word `{word}` of its description"));
        }
        found.met = u32::try_from(share).unwrap_or(100);
        found
    }
}

/// A hint as it is compared: `Data analysis` is `data_analysis`.
fn tidy(hint: &str) -> String {
    hint.trim().to_lowercase().replace([' ', '-'], "_")
}

fn words_of(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !SMALL.contains(word))
        .map(singular)
        .collect()
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'i', 'u']) => stem.to_owned(),
        Some(_) | None => word.to_owned(),
    }
}
