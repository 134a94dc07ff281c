//! What stands in a request: the note of the current part, the calls made in it, and what the participant wrote.

use anteroom::ports::llm::{
    Request,
    chat::{Message, Part, ToolCall},
};
use serde_json::{Map, Value};

/// An objective as the note of a part has it.
#[derive(Debug, Default)]
pub(super) struct Objective {
    pub(super) id: String,
    pub(super) title: String,
    /// What completes it.
    pub(super) done: String,
    pub(super) skippable: bool,
    pub(super) required: bool,
}

/// What the current part of a request holds.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(super) objectives: Vec<Objective>,
    /// The forms of data, by their names; the newest of each.
    pub(super) forms: Map<String, Value>,
    /// Calls in this part with their results: tool, arguments, result.
    pub(super) calls: Vec<(String, Value, Value)>,
    /// What the participant wrote or answered in words in this part.
    pub(super) words: Vec<String>,
    /// The same in the whole conversation.
    pub(super) all_words: Vec<String>,
    /// What was asked in this part.
    pub(super) asked: Vec<String>,
    /// The same in the whole conversation.
    pub(super) all_asked: Vec<String>,
    /// What may not be asked.
    pub(super) never: Vec<String>,
    pub(crate) is_last: bool,
}

pub(super) fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let rest = &text[text.find(from)? + from.len()..];
    Some(&rest[..rest.find(to)?])
}

fn text_of(parts: &[Part]) -> String {
    let words = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

/// Reads a request.
pub(crate) fn read(request: &Request) -> Read {
    let mut read = Read::default();
    let mut open: Vec<ToolCall> = Vec::new();
    for message in &request.messages {
        match message {
            Message::User(parts) => read.told(&text_of(parts)),
            Message::Assistant { calls, text, .. } => {
                read.ask(text);
                open.clone_from(calls);
            }
            Message::Tool { call, content } => {
                let call = open.iter().find(|known| known.id == *call).unwrap();
                read.returned(call, content);
            }
            Message::System(text) => {
                let never = between(text, "do not note down: ", ".\n");
                let never = never.or_else(|| text.split("do not note down: ").nth(1)).unwrap_or("");
                read.never =
                    never.split("; ").map(|t| t.trim_end_matches('.').to_owned()).collect();
            }
        }
    }
    read
}

impl Read {
    fn told(&mut self, text: &str) {
        if text.starts_with("<note>Part ") {
            let Self { never, all_words, all_asked, .. } = std::mem::take(self);
            let is_last = text.contains("This is the last part");
            *self = Self { all_words, all_asked, never, is_last, ..part(text) };
        } else if let Some((tool, result)) = late(text) {
            let is_open = |(name, _, known): &&mut (String, Value, Value)| {
                *name == tool && known["status"] == "pending"
            };
            // What a newer draft has taken the place of is over.
            if result["code"] != "superseded"
                && let Some((.., known)) = self.calls.iter_mut().rev().find(is_open)
            {
                *known = result;
            }
        } else if let Some(said) = between(text, "<participant>", "</participant>") {
            self.said(said);
        }
    }

    fn ask(&mut self, text: &str) {
        self.asked.push(text.to_owned());
        self.all_asked.push(text.to_owned());
    }

    fn said(&mut self, words: &str) {
        self.words.push(words.to_owned());
        self.all_words.push(words.to_owned());
    }

    fn returned(&mut self, call: &ToolCall, content: &str) {
        let result: Value = serde_json::from_str(content).unwrap();
        let told = result["error"].as_str().unwrap_or_default();
        if let (Some(name), Some((_, form))) =
            (between(told, "`data` of `", "`"), told.split_once("has this form: "))
        {
            self.forms.insert(name.to_owned(), serde_json::from_str(form).unwrap());
        }
        if let Some(words) = result["userInput"].as_str() {
            self.said(words);
        }
        let args: Value = serde_json::from_str(&call.raw).unwrap();
        self.ask(args["prompt"].as_str().unwrap_or_default());
        self.calls.push((call.name.clone(), args, result));
    }

    pub(super) fn calls_of(&self, tool: &str) -> impl Iterator<Item = &(String, Value, Value)> {
        self.calls.iter().filter(move |(name, ..)| name == tool)
    }

    /// Whether the last part has ended.
    pub(super) fn is_over(&self) -> bool {
        self.calls_of("next_phase")
            .any(|(.., result)| result["status"] == "approved" && result["advanced_to"].is_null())
    }

    /// Whether the participant writes German.
    pub(super) fn is_german(&self) -> bool {
        let telling = [" ich ", " und ", " der ", " die "];
        self.all_words.iter().any(|words| {
            let words = format!(" {} ", words.to_lowercase());
            telling.iter().filter(|word| words.contains(**word)).count() > 1
        })
    }
}

fn part(text: &str) -> Read {
    let mut read = Read::default();
    for line in text.lines().filter_map(|line| line.trim_end_matches("</note>").strip_prefix("- `"))
    {
        let Some((id, rest)) = line.split_once('`') else { continue };
        if let Some(form) = rest.strip_prefix(": ") {
            read.forms.insert(id.to_owned(), serde_json::from_str(form).unwrap());
        } else if let Some((need, rest)) = rest.split_once("): ") {
            let (title, done) = rest.split_once(". Done by ").unwrap();
            read.objectives.push(Objective {
                id: id.to_owned(),
                title: title.to_owned(),
                done: done.trim_end_matches('.').to_owned(),
                skippable: need.contains("may skip"),
                required: need.contains("required"),
            });
        }
    }
    read
}

/// What came of a card after the model had been told that it is open.
fn late(text: &str) -> Option<(String, Value)> {
    let news = text.strip_prefix("<note>What came of the open card of `")?;
    let (tool, result) = news.split_once("`: ")?;
    Some((tool.to_owned(), serde_json::from_str(result.trim_end_matches("</note>")).ok()?))
}

/// An address that the participant wrote.
pub(super) fn address(read: &Read) -> Option<String> {
    let words = read.all_words.iter().rev().flat_map(|words| words.split_whitespace());
    let trimmed = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned());
    trimmed.into_iter().find(|word| word.contains('@') && word.contains('.'))
}
