//! The language of texts: that of the flow's `locale`, in all of them.

use serde_json::Value;

use super::Check;

/// Languages with words that are in every text of theirs and in none of the others.
const LANGUAGES: [(&str, &str, &[&str]); 4] = [
    (
        "en",
        "English",
        &[
            "the", "and", "you", "your", "is", "are", "of", "to", "for", "with", "what", "we",
            "that", "this", "have", "does", "do", "how", "when", "which", "would", "should", "can",
            "please", "about", "from", "or", "not", "it", "any", "know",
        ],
    ),
    (
        "de",
        "German",
        &[
            "der", "das", "und", "sie", "ihr", "ihre", "ihren", "ist", "ein", "eine", "einen",
            "mit", "nicht", "wir", "wann", "wie", "wer", "für", "auf", "zu", "zum", "zur", "von",
            "bei", "wird", "werden", "haben", "können", "möchten", "bitte", "dich", "dir", "ihnen",
            "welche", "stellt", "gern", "uns", "dem", "den",
        ],
    ),
    (
        "fr",
        "French",
        &[
            "le", "les", "des", "et", "est", "vous", "votre", "vos", "nous", "une", "pour", "avec",
            "dans", "qui", "ne", "pas", "quel", "quelle", "êtes", "avez", "du", "sur", "ou",
        ],
    ),
    (
        "es",
        "Spanish",
        &[
            "el", "los", "las", "y", "usted", "su", "sus", "una", "por", "para", "con", "cómo",
            "cuál", "qué", "puede", "del", "está", "tiene", "nos", "cuándo", "quiere",
        ],
    ),
];

/// Fewest of these words from which the language of a text is certain, where there is none of the flow's own.
const WORDS_MIN: usize = 4;

/// So many of these words, counted over all texts of a flow, make their language certain.
const ALL_MIN: usize = 6;

/// So many times as many words as of the next language make a language certain.
const TIMES: usize = 8;

impl Check<'_> {
    pub(super) fn languages(&mut self) {
        let locale = self.flow.locale.split(['-', '_']).next().unwrap_or_default();
        let Some(own) = LANGUAGES.iter().position(|(code, ..)| *code == locale) else { return };
        let texts = self.questions();
        let mut all = [0; LANGUAGES.len()];
        for (_, text) in &texts {
            let found = counts(text);
            all.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
        }
        if let Some(main) = certain(all).filter(|main| *main != own) {
            let (code, name, _) = LANGUAGES[main];
            let message = format!(
                "the texts are {name}, and `locale` is `{locale}`, in which dates are written"
            );
            self.warn("/locale", message, &format!("write `locale = \"{code}\"` at the top"));
            return;
        }
        let is_of_other = |(_, text): &&(String, String)| {
            let counts = counts(text);
            counts[own] == 0 && counts.iter().any(|count| *count >= WORDS_MIN)
        };
        // Where several are, both languages may be meant.
        let mut others = texts.iter().filter(is_of_other);
        let (Some((at, text)), None) = (others.next(), others.next()) else { return };
        let counts = counts(text);
        let other = (0..LANGUAGES.len()).max_by_key(|other| counts[*other]).unwrap_or(own);
        if all[own] >= ALL_MIN {
            let (other, name) = (LANGUAGES[other].1, LANGUAGES[own].1);
            let message = format!("this text is {other}, and the others are {name}");
            self.warn(at, message, "translate it, for whoever reads only one of them");
        }
    }

    /// What people read before and while they are asked.
    fn questions(&self) -> Vec<(String, String)> {
        let flow = self.flow;
        let notice =
            flow.notice.iter().map(|notice| ("/notice/text".to_owned(), notice.text.clone()));
        let mut texts: Vec<(String, String)> = notice.collect();
        for (p, phase) in flow.phase.iter().enumerate() {
            texts.extend(
                phase.intro.iter().map(|intro| (format!("/phase/{p}/intro"), intro.clone())),
            );
            for (n, step) in phase.step.iter().enumerate() {
                for name in ["prompt", "message", "text"] {
                    let text = step.args.get(name).and_then(Value::as_str);
                    let at = format!("/phase/{p}/step/{n}/args/{name}");
                    texts.extend(text.map(|text| (at, text.to_owned())));
                }
            }
        }
        texts
    }
}

/// How many words of each language a text has; what is filled in counts for none.
fn counts(text: &str) -> [usize; LANGUAGES.len()] {
    let mut counts = [0; LANGUAGES.len()];
    let written =
        text.split("{{").map(|part| part.split_once("}}").map_or(part, |(_, after)| after));
    for part in written {
        let lower = part.to_lowercase();
        for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            for (count, (.., words)) in counts.iter_mut().zip(LANGUAGES) {
                *count += usize::from(words.contains(&word));
            }
        }
    }
    counts
}

/// The language that there is no doubt about.
fn certain(counts: [usize; LANGUAGES.len()]) -> Option<usize> {
    let (best, most) = counts.into_iter().enumerate().max_by_key(|(_, count)| *count)?;
    let is_alone = counts
        .iter()
        .enumerate()
        .all(|(other, count)| other == best || count.saturating_mul(TIMES) <= most);
    (most >= ALL_MIN && is_alone).then_some(best)
}
