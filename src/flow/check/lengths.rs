//! Lengths of time that a text names are those that the flow keeps to.

use super::{Check, texts::questions};
use crate::model::flow::{Opening, Period, Phase, Step};

/// Words of units, with the shortest and the longest time that they stand for, in seconds.
const UNITS: [(&[&str], u64, u64); 6] = [
    (&["minute", "minutes", "minuten"], 60, 60),
    (&["hour", "hours", "stunde", "stunden"], 3_600, 3_600),
    (&["day", "days", "tag", "tage", "tagen"], DAY, DAY),
    (&["week", "weeks", "woche", "wochen"], 7 * DAY, 7 * DAY),
    (&["month", "months", "monat", "monate", "monaten"], 28 * DAY, 31 * DAY),
    (&["year", "years", "jahr", "jahre", "jahren"], 365 * DAY, 366 * DAY),
];

/// Seconds of a day.
pub(super) const DAY: u64 = 86_400;

/// Numbers as words, from 1.
const NUMBERS: [[&str; 2]; 12] = [
    ["one", "ein"],
    ["two", "zwei"],
    ["three", "drei"],
    ["four", "vier"],
    ["five", "fünf"],
    ["six", "sechs"],
    ["seven", "sieben"],
    ["eight", "acht"],
    ["nine", "neun"],
    ["ten", "zehn"],
    ["eleven", "elf"],
    ["twelve", "zwölf"],
];

/// How the words begin by which a sentence speaks of keeping and deleting.
const KEEPS: [&str; 11] = [
    "keep",
    "kept",
    "delet",
    "eras",
    "retain",
    "aufbewahr",
    "behalten",
    "behält",
    "gelösch",
    "lösch",
    "gespeichert",
];

/// How the words begin for a part of what is kept, which may go earlier than the rest.
const PARTS: [&str; 12] = [
    "audit",
    "conversation",
    "document",
    "file",
    "gespräch",
    "log",
    "photo",
    "picture",
    "record",
    "transcript",
    "upload",
    "datei",
];

/// Words by which a sentence speaks of people who don't answer.
const IF: [&str; 8] = ["if", "unless", "without", "don", "no", "wenn", "ohne", "falls"];

/// A length of time in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Length {
    /// `30 days`.
    pub(super) words: String,
    count: u64,
    pub(super) shortest: u64,
    pub(super) longest: u64,
    /// The word before it, and the one after it in the sentence.
    pub(super) before: String,
    pub(super) after: String,
}

impl Length {
    const fn is(&self, period: Period) -> bool {
        let seconds = period.0.as_secs();
        self.shortest <= seconds && seconds <= self.longest
    }
}

impl Check<'_> {
    pub(super) fn lengths(&mut self) {
        let flow = self.flow;
        self.kept_for();
        for (p, phase) in flow.phase.iter().enumerate() {
            self.begins_later(p, phase);
            for (n, step) in phase.step.iter().enumerate() {
                self.lapses(&format!("/phase/{p}/step/{n}/deadline"), step);
            }
        }
    }

    /// A notice that says how long something is kept.
    fn kept_for(&mut self) {
        let flow = self.flow;
        let Some(notice) = &flow.notice else { return };
        let kept = &flow.retention;
        let later =
            flow.phase.iter().filter_map(|phase| match Opening::read(phase.after.as_deref()?) {
                Opening::After(period) => Some(period),
                Opening::WorkingDays(_) | Opening::On(_) => None,
            });
        let longest = kept.transcript.max(kept.uploads).max(kept.records);
        let parts = [kept.transcript, kept.uploads, kept.records, kept.audit];
        let waits: Vec<Period> = later.chain([flow.pace.expire_after]).collect();
        let texts = [
            ("text", Some(&notice.text)),
            ("text_without_model", notice.text_without_model.as_ref()),
        ];
        for (key, text) in texts {
            for sentence in text.into_iter().flat_map(|text| text.split(['.', '!', '?', ';', '\n']))
            {
                let words = words(sentence);
                let has = |known: &[&str]| {
                    words.iter().any(|word| known.iter().any(|begin| word.starts_with(begin)))
                };
                // `It takes ten minutes, and your answers are kept for {{retention}}.`
                let is_filled_in = sentence.replace(' ', "").contains("{{retention}}");
                let is_true = |length: &Length| {
                    length.is(longest)
                        || has(&PARTS) && parts.iter().any(|period| length.is(*period))
                        || words.iter().any(|word| IF.contains(&word.as_str()))
                            && waits.iter().any(|period| length.is(*period))
                };
                let other = lengths(sentence)
                    .into_iter()
                    .find(|length| has(&KEEPS) && !is_filled_in && !is_true(length));
                if let Some(other) = other {
                    let message = format!(
                        "this promises {}, and answers are kept for {longest}",
                        other.words
                    );
                    let hint = "write `{{retention}}`, or change `[retention]`";
                    self.warn(&format!("/notice/{key}"), message, hint);
                }
            }
        }
    }

    /// `3m` is three minutes, and the title speaks of three months.
    fn begins_later(&mut self, p: usize, phase: &Phase) {
        let Some(Opening::After(period)) = phase.after.as_deref().map(Opening::read) else {
            return;
        };
        let seconds = period.0.as_secs();
        let texts = [Some(&phase.title), phase.intro.as_ref()];
        let named = texts
            .into_iter()
            .flatten()
            .flat_map(|text| lengths(text))
            .find(|length| length.shortest >= 28 * DAY && length.count * 60 == seconds);
        if let Some(named) = named {
            let message = format!("this begins after {period}, and the text says {}", named.words);
            self.warn(
                &format!("/phase/{p}/after"),
                message,
                "`m` is minutes: write `90d`, or `3months`",
            );
        }
    }

    /// A question that says how long there is for it.
    fn lapses(&mut self, at: &str, step: &Step) {
        let Some(deadline) = step.deadline else { return };
        let named: Vec<Length> = questions(step).flat_map(lengths).collect();
        if named.iter().any(|length| length.is(deadline)) {
            return;
        }
        let is_for_answer = |length: &&Length| {
            let has = matches!(length.before.as_str(), "have" | "haben")
                && matches!(length.after.as_str(), "" | "to" | "zeit");
            has || matches!(length.before.as_str(), "within" | "innerhalb" | "binnen")
        };
        if let Some(other) = named.iter().find(is_for_answer) {
            let message =
                format!("this lapses after {deadline}, and the text says {}", other.words);
            self.warn(at, message, "make the two the same: `3d` is three days, `3h` three hours");
        }
    }
}

pub(super) fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// What a text says in numbers and units: `30 days`, `three months`.
pub(super) fn lengths(text: &str) -> Vec<Length> {
    let mut found = Vec::new();
    for sentence in text.split(['.', '!', '?', ';', ',', '\n']) {
        let words = words(sentence);
        for (n, pair) in words.windows(2).enumerate() {
            let unit = UNITS.iter().find(|(units, ..)| units.contains(&pair[1].as_str()));
            let (Some(count), Some((_, shortest, longest))) = (number(&pair[0]), unit) else {
                continue;
            };
            let word =
                |at: Option<usize>| at.and_then(|at| words.get(at)).cloned().unwrap_or_default();
            found.push(Length {
                words: pair.join(" "),
                count,
                shortest: count.saturating_mul(*shortest),
                longest: count.saturating_mul(*longest),
                before: word(n.checked_sub(1)),
                after: word(Some(n + 2)),
            });
        }
    }
    found
}

pub(super) fn number(word: &str) -> Option<u64> {
    let word = match word {
        "eine" | "einem" | "einen" | "einer" => "ein",
        other => other,
    };
    let written = || NUMBERS.iter().position(|names| names.contains(&word));
    word.parse().ok().or_else(|| u64::try_from(written()? + 1).ok())
}
