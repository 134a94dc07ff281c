//! Values that nobody gave: figures and quotations in what the model wrote, and values of its drafts, that stand in
//! nothing that it was told before.

use std::collections::{HashMap, HashSet};

use chrono::NaiveDate;
use serde_json::Value;

use super::{Evidence, found, none};
use crate::{
    base::ids::{CallId, WaitId},
    chat::form::clip,
    model::{
        transcript::{Event, Recorded, Speaker, Thought},
        ui::Reply,
    },
    ops::eval::score::{Measure, Name},
    session::{
        answer::describe,
        grounding::{Sources, without_echo, wordwise},
    },
};

/// Tools whose `data` is kept.
const KEEPERS: [&str; 2] = ["submit_for_validation", "persist_data"];

/// Letters by which two words count as forms of one.
const STEM: usize = 5;

/// Shortest word that must have come from somewhere.
const WORD_MIN: usize = 4;

/// What was given so far.
#[derive(Default)]
struct Given {
    sources: Sources,
    stems: HashSet<String>,
    /// All texts in small letters, for addresses.
    texts: String,
}

impl Given {
    fn text(&mut self, text: &str) {
        self.sources.add_text(text);
        self.stems.extend(wordwise(text).split_whitespace().map(stem));
        self.texts.push_str(&text.to_lowercase());
        self.texts.push('\n');
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            Value::Object(members) => members.values().for_each(|member| self.value(member)),
            Value::Number(_) => self.sources.add_value(value),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Whether a value of a draft stands in what was given: an address in whole, other texts in at least half of their
    /// words, figures and quotations always.
    fn bears(&self, text: &str) -> bool {
        let text = text.trim();
        if text.is_empty() || self.texts.contains(&text.to_lowercase()) {
            return true;
        }
        // Of a month people write the name.
        if let Ok(month) = NaiveDate::parse_from_str(&format!("{text}-01"), "%Y-%m-%d") {
            return self.sources.doubts_in_plain(&month.format("%B %Y").to_string()).is_empty();
        }
        if !text.contains(char::is_whitespace) && (text.contains('@') || text.contains("://")) {
            return false;
        }
        let words = wordwise(text);
        let words: Vec<&str> = words
            .split_whitespace()
            .filter(|word| {
                word.chars().count() >= WORD_MIN && word.chars().all(char::is_alphabetic)
            })
            .collect();
        let known = words.iter().filter(|word| self.stems.contains(&stem(word))).count();
        known * 2 >= words.len() && self.sources.doubts_in_plain(text).is_empty()
    }
}

fn stem(word: &str) -> String {
    word.chars().take(STEM).collect()
}

/// Everything that the model wrote and that nobody gave it.
pub(super) fn invented(of: &Evidence<'_>) -> Measure {
    if of.rounds().next().is_none() {
        return none(Name::Invented);
    }
    let mut reading =
        Reading { of, given: Given::default(), calls: HashMap::new(), why: Vec::new() };
    reading.given.text(&of.flow.source);
    for text in of.flow.vars.values().chain(&of.interview.files) {
        reading.given.text(text);
    }
    for recorded in of.events() {
        reading.read(recorded);
    }
    reading.why.dedup();
    found(Name::Invented, reading.why)
}

/// The conversation, read event by event.
struct Reading<'a> {
    of: &'a Evidence<'a>,
    given: Given,
    /// Arguments of the model's calls.
    calls: HashMap<&'a CallId, &'a Value>,
    why: Vec<String>,
}

impl<'a> Reading<'a> {
    fn read(&mut self, recorded: &'a Recorded) {
        match &*recorded.event {
            Event::Started(started) => {
                self.given.text(started.name.as_deref().unwrap_or_default());
                self.given.text(&recorded.at.format("%A, %-d %B %Y, %Y-%m-%d").to_string());
            }
            Event::Said { from: Speaker::Participant, text, .. } => self.given.text(text),
            Event::Edited { data, .. } => self.given.value(data),
            Event::Answered { wait, reply, .. } => self.answered(wait, reply),
            Event::Thought(thought) => self.thought(thought),
            Event::Returned { call, result } => {
                let args = self.calls.get(call).copied().unwrap_or(&Value::Null);
                // The result of a draft repeats it.
                if args.get("data").is_none() {
                    self.given.value(&without_echo(&result.to_value(), args));
                }
            }
            _ => {}
        }
    }

    fn answered(&mut self, wait: &WaitId, reply: &Reply) {
        if let Some(wait) = self.of.interview.state.waits.get(wait) {
            self.given.text(&describe(&wait.prompt.control, reply));
        }
        match reply {
            Reply::Text { text } | Reply::Chosen { free_text: Some(text), .. } => {
                self.given.text(text);
            }
            Reply::Filled { values } => values.values().for_each(|value| self.given.value(value)),
            Reply::Reviewed { data, notes, .. } => {
                self.given.value(data.as_ref().unwrap_or(&Value::Null));
                self.given.text(notes.as_deref().unwrap_or_default());
            }
            _ => {}
        }
    }

    fn thought(&mut self, thought: &'a Thought) {
        let texts =
            thought.calls.iter().flat_map(|call| ["prompt", "message"].map(|key| &call.args[key]));
        let texts = texts.filter_map(Value::as_str);
        for text in [thought.text.as_str()].into_iter().chain(texts) {
            let doubts = self.given.sources.doubts(text);
            self.why.extend(
                doubts.iter().map(|doubt| format!("wrote {}: “{}”", doubt.what, doubt.sentence)),
            );
        }
        for call in &thought.calls {
            self.calls.insert(&call.id, &call.args);
            if KEEPERS.contains(&call.tool.as_str()) {
                ungrounded(&self.given, &call.args["data"], "", &mut self.why);
            }
        }
    }
}

/// The values of a draft that nobody gave.
fn ungrounded(given: &Given, data: &Value, path: &str, why: &mut Vec<String>) {
    let below =
        |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match data {
        Value::Object(members) => {
            for (name, member) in members {
                ungrounded(given, member, &below(name), why);
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                ungrounded(given, item, &below(&n.to_string()), why);
            }
        }
        Value::String(text) if !given.bears(text) => {
            why.push(format!("nobody gave “{}” for `{path}`", clip(text, 80)));
        }
        Value::Number(number) if !given.sources.doubts_in_plain(&number.to_string()).is_empty() => {
            why.push(format!("nobody gave {number} for `{path}`"));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_rests_on_most_of_its_words_and_an_address_on_all_of_itself() {
        let mut given = Given::default();
        given.text("I'm Ada, ada@example.org, a programmer of looms since March 2021.");
        for value in
            ["Ada", "ada@example.org", "Programming looms", "2021-03", "", "Programmer (looms)"]
        {
            assert!(given.bears(value), "{value}");
        }
        for value in
            ["ada@example.com", "Cambridge University", "2019-03", "Senior director of cats"]
        {
            assert!(!given.bears(value), "{value}");
        }
    }
}
