//! Data that a model wrote, checked against what the session holds, where the flow says `evidence = true`.
//!
//! Three things are looked at ([`DataTable::evidence`](crate::model::flow::DataTable)):
//!
//! - an object's own numbers, together with what its schema lets be chosen beside them, stand in one call of a tool: `{
//!   "comparison": "role_alignment", "score": 43 }` needs a call with `role_alignment` that came to a `score` of 43;
//! - numbers in texts come from a tool or from what people wrote or sent, or are the length of a list or the end of a scale
//!   that is there;
//! - the `words` of an object with a `source` stand in what the tool of that name came to, or else, word by word, in one of
//!   the texts.
//!
//! What a tool's result repeats of its call bears nothing out, since the model wrote that too; but for the tools that bring in
//! what people wrote or sent.
//!
//! Which of two texts a quotation is from is not looked at: only people know which file was the one and which the other.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    base::ids::CallId,
    model::transcript::{Call, CallResult, Origin},
    session::{
        SessionView, State,
        grounding::{Doubt, Kind, Sources, without_echo, wordwise},
    },
    tool::ToolError,
};

/// Tools that bring in what people wrote or sent.
const READERS: &[&str] = &[
    "extract_document",
    "fetch_url",
    "get_user_option",
    "query_github_repo",
    "request_user_input",
];

/// Tools that only pass on what a model wrote.
const ECHOES: &[&str] = &["persist_data", "submit_for_validation"];

/// Most doubts that one failure tells.
const TOLD_MAX: usize = 8;

/// Refuses what a model wrote and nothing bears out. The text says where, for the model to put it right.
pub(in crate::tool::catalog::interview) fn check(
    (view, call): (&SessionView, &CallId),
    data_type: &str,
    data: &Value,
) -> Result<(), ToolError> {
    let is_asked = view.flow.flow.data.get(data_type).is_some_and(|table| table.evidence);
    let state = &view.state;
    let by_script = state
        .call(call)
        .is_some_and(|call| matches!(call.call.origin, Origin::Step { .. } | Origin::Engine));
    // What a script writes, the flow's author answers for.
    if !is_asked || by_script {
        return Ok(());
    }
    let schema = view.flow.schemas.get(data_type).cloned().unwrap_or_default();
    let mut look = Look::new(state, data);
    scales(&schema, &mut look.sources);
    look.at(data, &schema, "/data");
    if look.doubts.is_empty() {
        return Ok(());
    }
    let told: Vec<String> = look.doubts.into_iter().take(TOLD_MAX).collect();
    Err(ToolError::InvalidParameters(format!(
        "{}. hint: take numbers over as the tools gave them and words letter by letter, and leave out what nothing bears out",
        told.join("; ")
    )))
}

struct Look<'a> {
    /// What tools came to: the call, and the value.
    calls: Vec<(&'a Call, Value)>,
    sources: Sources,
    /// What people wrote or sent.
    texts: Sources,
    doubts: Vec<String>,
}

impl<'a> Look<'a> {
    fn new(state: &'a State, data: &Value) -> Self {
        let (mut sources, mut texts) = (Sources::default(), Sources::default());
        let mut calls = Vec::new();
        for known in &state.calls {
            let result = known.late.as_deref().or(known.result.as_deref());
            let Some(CallResult::Ok { value }) = result else { continue };
            let tool = known.call.tool.as_str();
            if ECHOES.contains(&tool) {
                continue;
            }
            count(value, &mut sources);
            let value = if READERS.contains(&tool) {
                texts.add_value(value);
                value.clone()
            } else {
                without_echo(value, &known.call.args)
            };
            sources.add_value(&value);
            calls.push((&*known.call, value));
        }
        count(data, &mut sources);
        for record in &state.records {
            sources.add_value(&record.data);
        }
        Self { calls, sources, texts, doubts: Vec::new() }
    }

    fn at(&mut self, data: &Value, schema: &Value, path: &str) {
        match data {
            Value::Object(members) => {
                self.numbers(members, schema, path);
                let quoted = self.quoted(members, path);
                for (name, member) in members {
                    if !(quoted && matches!(name.as_str(), "source" | "words")) {
                        let schema = &schema["properties"][name.as_str()];
                        self.at(member, schema, &format!("{path}/{name}"));
                    }
                }
            }
            Value::Array(items) => {
                for (n, item) in items.iter().enumerate() {
                    self.at(item, &schema["items"], &format!("{path}/{n}"));
                }
            }
            Value::String(text) => {
                for Doubt { kind, what, .. } in self.sources.doubts_in_plain(text) {
                    self.doubts.push(match kind {
                        Kind::Figure => format!("`{path}`: no tool and no text gave `{what}`"),
                        Kind::Quotation => format!("`{path}`: {what} stands so in no text"),
                    });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The numbers of an object stand in one call, with what was chosen beside them.
    fn numbers(&mut self, members: &Map<String, Value>, schema: &Value, path: &str) {
        let numbers: Vec<(&String, &Value)> =
            members.iter().filter(|(_, value)| value.is_number()).collect();
        if numbers.is_empty() {
            return;
        }
        let chosen: Vec<&Value> = members
            .iter()
            .filter(|(name, value)| {
                value.is_string() && schema["properties"][name.as_str()]["enum"].is_array()
            })
            .map(|(_, value)| value)
            .collect();
        let gave = |(call, value): &(&Call, Value)| {
            numbers.iter().all(|(name, number)| holds(value, Some(name.as_str()), number))
                && chosen
                    .iter()
                    .all(|word| holds(value, None, word) || holds(&call.args, None, word))
        };
        if !self.calls.iter().any(gave) {
            let numbers: Vec<String> =
                numbers.iter().map(|(name, number)| format!("`{name}` {number}")).collect();
            let chosen: Vec<&str> = chosen.iter().filter_map(|word| word.as_str()).collect();
            let beside = if chosen.is_empty() {
                String::new()
            } else {
                format!(" together with {}", chosen.join(", "))
            };
            let numbers = numbers.join(", ");
            self.doubts.push(format!("`{path}`: no call of a tool came to {numbers}{beside}"));
        }
    }

    /// The words of an object stand in its source. Whether it has both.
    fn quoted(&mut self, members: &Map<String, Value>, path: &str) -> bool {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let (Some(source), Some(words)) = (text("source"), text("words")) else { return false };
        let mut by_tool = self
            .calls
            .iter()
            .filter(|(call, _)| call.tool == source)
            .map(|(_, value)| value)
            .peekable();
        let stands = if by_tool.peek().is_some() {
            let mut known = BTreeSet::new();
            by_tool.for_each(|value| words_of(value, &mut known));
            wordwise(words).split_whitespace().all(|word| known.contains(word))
        } else {
            !wordwise(words).trim().is_empty() && self.texts.has_said(words)
        };
        if !stands {
            self.doubts.push(format!("`{path}/words`: “{words}” does not stand so in `{source}`"));
        }
        true
    }
}

/// Whether a value holds another one somewhere, under this name where one is given.
fn holds(value: &Value, name: Option<&str>, wanted: &Value) -> bool {
    let same = |value: &Value| match (value.as_f64(), wanted.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() < f64::EPSILON,
        _ => value == wanted,
    };
    match value {
        Value::Object(members) => members.iter().any(|(known, member)| {
            (name.is_none_or(|name| name == known) && same(member)) || holds(member, name, wanted)
        }),
        Value::Array(items) => {
            items.iter().any(|item| (name.is_none() && same(item)) || holds(item, name, wanted))
        }
        _ => false,
    }
}

/// The ends of scales: a score is one of 100 because the data says so.
fn scales(schema: &Value, sources: &mut Sources) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                if member.is_number() && matches!(name.as_str(), "minimum" | "maximum") {
                    sources.add_value(member);
                }
                scales(member, sources);
            }
        }
        Value::Array(items) => {
            for item in items {
                scales(item, sources);
            }
        }
        _ => {}
    }
}

/// The lengths of lists: who sees one can count it.
fn count(value: &Value, sources: &mut Sources) {
    match value {
        Value::Object(members) => members.values().for_each(|member| count(member, sources)),
        Value::Array(items) => {
            sources.add_count(items.len());
            for item in items {
                count(item, sources);
            }
        }
        _ => {}
    }
}

/// The words and the numbers of a value, in small letters.
fn words_of(value: &Value, known: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => members.values().for_each(|member| words_of(member, known)),
        Value::Array(items) => items.iter().for_each(|item| words_of(item, known)),
        Value::String(text) => {
            known.extend(wordwise(text).split_whitespace().map(str::to_owned));
        }
        Value::Number(number) => {
            known.extend(wordwise(&number.to_string()).split_whitespace().map(str::to_owned));
        }
        Value::Bool(_) | Value::Null => {}
    }
}
