//! What the tools share that have a model write: the material, the answer by a schema, one chance to mend it, and the
//! rule that every figure and every quotation stands in the material.
//!
//! The material ([`material`]) is what people said last, what the tools of the session came to, what was stored, and what
//! the operator offers; all of it fenced. What a model said before is shown and bears nothing out: else one invention
//! would prove the next.
//!
//! An answer that does not fit, or that holds a figure of its own, goes back once with what is wrong with it. If the
//! second one is no better the call fails and says which figures those were. What is given out has passed.

mod material;
mod paper;

use std::time::Duration;

use pulldown_cmark::{Event, Parser, Tag};
use serde_json::{Value, json};

pub(super) use self::{
    material::Material,
    paper::{Document, handed},
};
use crate::{
    ports::llm::{
        Error, Model, Silent,
        chat::{Completion, Finish, Form, Message, Request},
        json::extract_object,
        untrusted::fenced,
    },
    session::{
        SessionView,
        grounding::{Doubt, Kind},
    },
    tool::{
        ToolCx, ToolError, ToolSpec,
        pipeline::validate::{Checker, Complaint},
    },
};

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/writing.md");

/// Longest time that a model is waited for, its second answer included.
const PATIENCE: Duration = Duration::from_mins(1);

/// Longest time for all of it: what was said is loaded before, and the paper printed after.
const LIMIT: Duration = Duration::from_secs(80);

/// Most complaints that are told; mending the first ones mends the rest.
const COMPLAINTS_MAX: usize = 8;

/// Longest wrong answer that is shown to the model once more, in characters.
const SHOWN_MAX: usize = 20_000;

/// Longest answer, in tokens: more than two pages.
const TOKENS_MAX: u32 = 4_000;

/// What is to be written.
pub(super) struct Task<'a> {
    /// What the answer is called to the provider, in `snake_case`.
    pub(super) name: &'static str,
    /// What to write, beside the rules for all.
    pub(super) instructions: &'static str,
    /// What this call asks for; data, fenced like everything else.
    pub(super) wanted: &'a Value,
    /// JSON Schema of the answer.
    pub(super) schema: Value,
    /// What people will read of an answer, as `CommonMark`: all of it is checked.
    pub(super) read: &'a (dyn Fn(&Value) -> String + Sync),
    /// What else is wrong with an answer, in words for the model.
    pub(super) complaints: &'a (dyn Fn(&Value) -> Vec<String> + Sync),
}

/// The time limit and the words of a tool that has a model write.
pub(super) fn writes(spec: ToolSpec, doing: &'static str) -> ToolSpec {
    ToolSpec { limit: Some(LIMIT), doing, ..spec }
}

/// Nothing else is wrong with an answer that fits its schema.
pub(super) fn nothing(_answer: &Value) -> Vec<String> {
    Vec::new()
}

/// Has a model write by the material. Asked again, it writes anew.
pub(super) async fn write(
    cx: &ToolCx<'_>,
    material: &Material,
    task: &Task<'_>,
) -> Result<Value, ToolError> {
    let models = cx.models;
    let Some(model) = models.interview.as_ref().or(models.extract.as_ref()) else {
        return Err(ToolError::NotConfigured("Writing texts"));
    };
    has_means(cx)?;
    match tokio::time::timeout(PATIENCE, rounds(model.as_ref(), cx, material, task)).await {
        Ok(written) => written,
        Err(_elapsed) => {
            let message = "the text was not written in time. hint: try again later";
            Err(ToolError::ExecutionFailed(message.to_owned()))
        }
    }
}

/// The session may still ask a model.
pub(super) fn has_means(cx: &ToolCx<'_>) -> Result<(), ToolError> {
    if cx.read(SessionView::has_means) {
        return Ok(());
    }
    let message = "this conversation has used up what it may. hint: go on without it";
    Err(ToolError::ExecutionFailed(message.to_owned()))
}

/// A failure of the model as one of the tool: what may pass is tried again by the pipeline.
pub(super) fn failed(error: &Error) -> ToolError {
    let message = "the text could not be written just now".to_owned();
    match error {
        Error::Transient { retry_after, .. } | Error::RateLimited { retry_after, .. } => {
            ToolError::Transient { message, retry_after: *retry_after }
        }
        Error::Timeout(_) | Error::Cut | Error::Busy | Error::BadAnswer(_) => {
            ToolError::Transient { message, retry_after: None }
        }
        _ => ToolError::ExecutionFailed(message),
    }
}

async fn rounds(
    model: &dyn Model,
    cx: &ToolCx<'_>,
    material: &Material,
    task: &Task<'_>,
) -> Result<Value, ToolError> {
    let instructions = format!("{}\n\n{}", INSTRUCTIONS.trim_end(), task.instructions.trim_end());
    let mut shown = material.shown();
    shown.push_str(&fenced("note", &format!("Wanted: {}", task.wanted)));
    let mut messages = vec![Message::System(instructions), Message::user(shown)];
    let first = ask(model, cx, &messages, task).await?;
    let wrong = match judge(&first, material, task)? {
        Judged::Good(value) => return Ok(value),
        Judged::Wrong(wrong) => wrong,
    };
    let said: String = first.text.chars().take(SHOWN_MAX).collect();
    if !said.trim().is_empty() {
        messages.push(Message::assistant(said, Vec::new()));
    }
    let told: Vec<String> = wrong.told.into_iter().take(COMPLAINTS_MAX).collect();
    let told = format!(
        "{}\nSend the whole JSON object once more, put right, and nothing else.",
        told.join("\n")
    );
    messages.push(Message::user(fenced("note", &told)));
    let second = ask(model, cx, &messages, task).await?;
    match judge(&second, material, task)? {
        Judged::Good(value) => Ok(value),
        Judged::Wrong(wrong) => Err(ToolError::ExecutionFailed(wrong.refusal())),
    }
}

async fn ask(
    model: &dyn Model,
    cx: &ToolCx<'_>,
    messages: &[Message],
    task: &Task<'_>,
) -> Result<Completion, ToolError> {
    let form = Form::Json { name: task.name.to_owned(), schema: task.schema.clone() };
    let request = Request {
        messages: messages.to_vec(),
        form,
        max_tokens: Some(TOKENS_MAX),
        // What it is to say is settled; only the wording is its own.
        temperature: Some(0.3),
        ..Request::default()
    };
    let answer = model.chat(&request, &mut Silent).await.map_err(|error| {
        tracing::warn!(because = error.word(), "a text could not be written");
        failed(&error)
    })?;
    cx.meter.add(answer.usage);
    Ok(answer)
}

enum Judged {
    Good(Value),
    Wrong(Wrong),
}

/// What is wrong with an answer.
#[derive(Debug, Default)]
struct Wrong {
    /// In words for the model that wrote it.
    told: Vec<String>,
    figures: Vec<String>,
    quotations: Vec<String>,
}

impl Wrong {
    fn of(complaint: &str) -> Judged {
        Judged::Wrong(Self { told: vec![complaint.to_owned()], ..Self::default() })
    }

    fn doubt(&mut self, doubt: Doubt) {
        let Doubt { kind, what, sentence } = doubt;
        match kind {
            Kind::Figure => {
                self.told.push(format!(
                    "The figure `{what}` stands in none of the material: “{sentence}” Leave it out, or write what the \
                     material says."
                ));
                self.figures.push(what);
            }
            Kind::Quotation => {
                self.told.push(format!(
                    "Nobody said {what} in these words. Quote word by word, or say it without quotation marks."
                ));
                self.quotations.push(what);
            }
        }
    }

    /// Why nothing was written, for whoever called the tool.
    fn refusal(self) -> String {
        let listed = |all: &[String]| {
            let shown: Vec<String> = all.iter().take(5).map(|what| format!("`{what}`")).collect();
            shown.join(", ")
        };
        if !self.figures.is_empty() {
            let figures = listed(&self.figures);
            return format!(
                "nothing was written: the draft had figures that nobody gave and no tool came to: {figures}. hint: ask for \
                 them, or have them calculated, and try again"
            );
        }
        if !self.quotations.is_empty() {
            let quotations = listed(&self.quotations);
            return format!(
                "nothing was written: the draft put words into somebody's mouth: {quotations}. hint: try again"
            );
        }
        "nothing was written: the draft was not in the promised form, twice. hint: try again later"
            .to_owned()
    }
}

fn judge(answer: &Completion, material: &Material, task: &Task<'_>) -> Result<Judged, ToolError> {
    if answer.refusal.is_some() || answer.finish == Finish::Filtered {
        let message = "the text was not written: the model would not. hint: go on without it";
        return Err(ToolError::ExecutionFailed(message.to_owned()));
    }
    if answer.finish == Finish::Length {
        return Ok(Wrong::of("Your answer was cut off: it was too long. Be brief."));
    }
    let Ok(value) = extract_object(&answer.text) else {
        return Ok(Wrong::of("Your answer was no JSON object."));
    };
    let checker = Checker::compile(task.schema.clone()).map_err(ToolError::ExecutionFailed)?;
    let mut wrong = Wrong::default();
    for Complaint { path, expected, .. } in checker.check(&value) {
        let path = if path.is_empty() { "/" } else { &path };
        wrong.told.push(format!("`{path}`: expected {expected}."));
    }
    if wrong.told.is_empty() {
        wrong.told.extend((task.complaints)(&value));
        let text = (task.read)(&value);
        wrong.told.extend(markup(&text));
        for doubt in material.sources().doubts(&text) {
            wrong.doubt(doubt);
        }
    }
    Ok(if wrong.told.is_empty() { Judged::Good(value) } else { Judged::Wrong(wrong) })
}

/// Markup that has no place in a text that is handed on: what would be fetched, and what is not shown as it stands.
fn markup(markdown: &str) -> Vec<String> {
    let mut found = Vec::new();
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Image { .. }) => {
                found.push("Put no pictures into the text.".to_owned());
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                found.push("Write CommonMark without HTML.".to_owned());
            }
            _ => {}
        }
    }
    found.dedup();
    found
}

/// The schema of an object in which everything is required and nothing else stands.
pub(super) fn object(properties: &Value) -> Value {
    let required: Vec<&String> =
        properties.as_object().into_iter().flat_map(serde_json::Map::keys).collect();
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

/// The schema of a text that says something.
pub(super) fn text(description: &str, most: usize) -> Value {
    json!({ "type": "string", "description": description, "minLength": 1, "maxLength": most })
}

/// The schema of a part of a document: its heading, in the language of the conversation, and its text.
pub(super) fn part(description: &str) -> Value {
    object(&json!({
        "heading": text("Its heading, in the language of the conversation", 100),
        "text": text(description, 6_000),
    }))
}

/// Parts of an answer as `CommonMark`, each under its heading, in this order; what is not there is left out.
pub(super) fn parts(answer: &Value, names: &[&str]) -> String {
    let mut markdown = String::new();
    for part in names.iter().filter_map(|name| answer.get(*name)) {
        let (heading, text) = (line(&part["heading"]), part["text"].as_str().unwrap_or_default());
        markdown.extend(["## ", &heading, "\n\n", text.trim(), "\n\n"]);
    }
    markdown
}

/// A text on one line.
pub(super) fn line(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ").trim_start_matches(['#', ' ']).to_owned()
}
