//! Words at which a person is called for: those that people use to answer would call one by mistake.

use super::{Check, texts::questions, unread::ASKS};
use crate::model::flow::Step;

/// Words that are in every second message.
const COMMON: [&str; 40] = [
    "yes", "no", "ok", "okay", "hi", "hello", "hey", "thanks", "please", "the", "a", "an", "and",
    "or", "i", "you", "we", "me", "my", "it", "is", "am", "are", "not", "to", "in", "of", "for",
    "on", "with", "what", "why", "how", "when", "ja", "nein", "oui", "non", "sí", "bitte",
];

/// In how many texts a word stands that a flow is about.
const SUBJECT_MIN: usize = 3;

/// The shortest phrase that is looked for within the labels of buttons.
const WITHIN_MIN: usize = 3;

impl Check<'_> {
    pub(super) fn keywords(&mut self) {
        let flow = self.flow;
        for (n, keyword) in flow.handoff.keywords.iter().enumerate() {
            let at = format!("/handoff/keywords/{n}");
            let word = words(keyword);
            if word.trim().is_empty() {
                let hint = Some("take it out, or write a word".to_owned());
                self.error(&at, "this keyword is empty", hint);
                continue;
            }
            if flow.handoff.keywords[..n].iter().any(|other| words(other) == word) {
                self.warn(&at, format!("`{keyword}` stands here twice"), "take one of them out");
            }
            if keyword.contains([',', ';', '|', '/']) {
                let message =
                    format!("`{keyword}` is looked for as one phrase, with all of its words");
                self.warn(&at, message, "write each phrase as a text of its own: `[\"…\", \"…\"]`");
            }
            if COMMON.contains(&word.trim()) {
                let message =
                    format!("`{keyword}` is in many messages, and each would call a person");
                self.warn(&at, message, "use a phrase that is only written in need of a person");
                continue;
            }
            if self.is_subject(&word) {
                let message =
                    format!("`{keyword}` is what this flow is about: answers would call a person");
                self.warn(&at, message, "use a phrase that is only written in need of a person");
                continue;
            }
            if let Some(step) = self.asked_about(&word) {
                let message = format!(
                    "`{step}` asks people to write about `{keyword}`, and each answer would call a person"
                );
                self.warn(&at, message, "use a phrase that is only written in need of a person");
                continue;
            }
            if let Some((step, label)) = self.answer_with(&word) {
                let message = format!(
                    "whoever types the answer “{label}” to `{step}` would call a person, because of `{keyword}`"
                );
                self.warn(&at, message, "take the keyword out, or use words that are no answer");
            }
        }
    }

    /// One word that stands in the texts again and again.
    fn is_subject(&self, keyword: &str) -> bool {
        let texts = self.texts_of_people();
        let told = texts.iter().filter(|text| words(&text.words).contains(keyword));
        !keyword.trim().contains(' ') && told.count() >= SUBJECT_MIN
    }

    /// The question for free words that has a keyword in it.
    fn asked_about(&self, keyword: &str) -> Option<String> {
        let mut steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        let asks = |step: &&Step| {
            step.tool == ASKS && questions(step).any(|text| words(text).contains(keyword))
        };
        steps.find(asks).map(|step| step.id.clone())
    }

    /// An answer that holds these words, with its question.
    fn answer_with(&self, keyword: &str) -> Option<(String, String)> {
        let holds = |text: &str| {
            let text = words(text);
            text == keyword || (keyword.trim().len() >= WITHIN_MIN && text.contains(keyword))
        };
        let notice = self.flow.notice.iter();
        let buttons =
            notice.flat_map(|notice| [("accept", &notice.accept), ("decline", &notice.decline)]);
        if let Some((key, label)) = buttons.into_iter().find(|(_, label)| holds(label)) {
            return Some((format!("notice.{key}"), label.clone()));
        }
        let steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        steps.into_iter().find_map(|step| {
            let label = labels(step).into_iter().find(|label| holds(label))?;
            Some((step.id.clone(), label))
        })
    }
}

/// The labels and ids of a step's options that don't lead to a person anyway.
fn labels(step: &Step) -> Vec<String> {
    let options = step.args.get("options").and_then(serde_json::Value::as_array);
    let texts = options.into_iter().flatten().flat_map(|option| {
        let text = |key: &str| option.get(key).and_then(serde_json::Value::as_str);
        let leads_on = text("id").is_none_or(|id| step.leads(id) != Some("@handoff"));
        ["label", "id"].into_iter().filter(move |_| leads_on).filter_map(text).collect::<Vec<_>>()
    });
    texts.filter(|text| !text.contains("{{")).map(str::to_owned).collect()
}

/// A text as its words in small letters, each between two spaces.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    let words: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    format!(" {} ", words.join(" "))
}
