//! A document read by a model: what it is sent, what it must answer, and one chance to mend an answer that does not
//! fit. Whatever goes wrong is a [`Shortfall`]; the document is then read here, and nobody waits.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Kind;
use crate::{
    flow,
    model::artifact::{Artifact, Extraction},
    ports::llm::{
        Error, Model, Silent,
        chat::{Blob, Completion, Finish, Form, Message, Part, Request},
        json::extract_object,
        untrusted::{DOCUMENT, fenced},
    },
    tool::{
        Meter,
        pipeline::validate::{Checker, Complaint},
    },
};

const INSTRUCTIONS: &str = include_str!("../../../../../manifests/prompts/documents.md");

/// Most text of a document that is sent as text, in characters: no résumé is longer.
pub(super) const SENT_MAX: usize = 60_000;

/// Most complaints that are told; mending the first ones mends the rest.
const COMPLAINTS_MAX: usize = 8;

/// Longest wrong answer that is shown to the model once more, in characters.
const SHOWN_MAX: usize = 20_000;

/// What the model found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Found {
    /// The text, where there was none to be had without it.
    #[serde(default)]
    pub(super) text: Option<String>,
    /// What makes the document hard to read.
    pub(super) layout: Vec<Layout>,
    /// How sure it is of all of it, 0 to 1.
    pub(super) confidence: f64,
    /// Paths of what it is not sure of.
    pub(super) doubtful: Vec<String>,
    /// It was sent the beginning of the text alone.
    #[serde(skip)]
    pub(super) cut: bool,
    /// What was asked for, by name.
    #[serde(flatten)]
    pub(super) drafts: Map<String, Value>,
}

/// What makes a document hard to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Layout {
    /// A picture of paper.
    Scan,
    /// Text in columns.
    TwoColumns,
    /// Written by hand.
    Handwriting,
    /// Anything else.
    HardToRead,
}

/// Why there is no reading by a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shortfall {
    /// None is configured, or there is nothing to send it.
    Unasked,
    /// The conversation has used up what it may.
    Budget,
    /// It gave no answer, or not in time.
    Silent,
    /// Its answer was of no use, twice.
    Useless,
}

/// A document's text as it is sent.
#[derive(Debug, Clone, PartialEq)]
struct Text {
    fenced: String,
    cut: bool,
}

impl Text {
    fn of(text: &str) -> Self {
        let sent: String = text.chars().take(SENT_MAX).collect();
        Self { cut: sent.len() < text.len(), fenced: fenced(DOCUMENT, &sent) }
    }
}

/// What a model is to read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Task {
    document: Part,
    /// Its text, where the document itself is sent and may not be taken.
    text: Option<Text>,
    /// The beginning of the text is sent alone.
    cut: bool,
    kinds: Vec<Kind>,
    /// There is no text but what the model sees.
    transcribe: bool,
}

impl Task {
    /// The task for a document; `None` if a model could do nothing with it. A PDF or a picture goes as it is, of
    /// everything else the text.
    pub(super) fn new(
        artifact: &Artifact,
        bytes: Option<Vec<u8>>,
        extraction: &Extraction,
        kinds: &[Kind],
    ) -> Option<Self> {
        let media_type = artifact.content_type.clone();
        let text = match extraction {
            Extraction::Text { text, .. } => Some(text),
            Extraction::NoText | Extraction::Unreadable { .. } => None,
            Extraction::Locked => return None,
        };
        let mut words = text.map(|text| Text::of(text));
        let mut cut = false;
        let blob = || bytes.map(|bytes| Blob(bytes.into()));
        let document = if media_type == "application/pdf" {
            // The sender's own name of the file is nobody's business there.
            Part::File { name: "document.pdf".to_owned(), media_type, bytes: blob()? }
        } else if media_type.starts_with("image/") {
            Part::Image { media_type, bytes: blob()? }
        } else {
            let text = words.take()?;
            cut = text.cut;
            Part::Text(text.fenced)
        };
        let transcribe = text.is_none();
        (transcribe || !kinds.is_empty()).then(|| Self {
            document,
            text: words,
            cut,
            kinds: kinds.to_vec(),
            transcribe,
        })
    }

    /// Has the model read it within `patience`, both rounds included. What they cost is noted in any case.
    pub(super) async fn done_by(
        mut self,
        model: &dyn Model,
        patience: Duration,
        meter: &Meter,
    ) -> Result<Found, Shortfall> {
        let read = tokio::time::timeout(patience, self.rounds(model, meter)).await;
        let short = |shortfall: Shortfall, why: &str| {
            tracing::warn!(because = why, "a document is read without the model");
            shortfall
        };
        match read {
            Err(_elapsed) => Err(short(Shortfall::Silent, "patience")),
            Ok(Err(Failed::Model(error))) => Err(short(Shortfall::Silent, error.word())),
            Ok(Err(Failed::Answer(why))) => Err(short(Shortfall::Useless, why)),
            Ok(Ok(found)) => Ok(Found { cut: self.cut, ..found }),
        }
    }

    /// Sends the text instead where the document itself is not taken: no service needs to read PDFs, or long ones.
    fn falls_back(&mut self, error: &Error) -> bool {
        let is_refused = match error {
            Error::TooLarge { .. } | Error::Overflow(_) => true,
            // Without the right key or name nothing else is taken, either.
            Error::Misconfigured(told) => !matches!(told.status, Some(401 | 403 | 404)),
            _ => false,
        };
        let Some(text) = self.text.take_if(|_| is_refused) else { return false };
        tracing::info!(because = error.word(), "a document is sent as text");
        self.cut = text.cut;
        self.document = Part::Text(text.fenced);
        true
    }

    async fn rounds(&mut self, model: &dyn Model, meter: &Meter) -> Result<Found, Failed> {
        let mut messages =
            vec![Message::System(INSTRUCTIONS.trim_end().to_owned()), self.message()];
        let ask = async |messages: &[Message], schema: &Value| {
            let form = Form::Json { name: "document".to_owned(), schema: schema.clone() };
            // What stands there is no matter of taste.
            let temperature = Some(0.0);
            let messages = messages.to_vec();
            let request = Request { messages, form, temperature, ..Request::default() };
            let answer = model.chat(&request, &mut Silent).await.map_err(Failed::Model)?;
            meter.add(answer.usage);
            Ok(answer)
        };
        let schema = self.schema();
        let first = match ask(&messages, &schema).await {
            Err(Failed::Model(error)) if self.falls_back(&error) => {
                messages = vec![messages.swap_remove(0), self.message()];
                ask(&messages, &schema).await?
            }
            first => first?,
        };
        let (complaint, shown) = match usable(&first, &schema)? {
            Usable::Found(found) => return Ok(*found),
            Usable::Not { complaint, shown } => (complaint, shown),
        };
        if first.finish == Finish::Length {
            // Writing the whole text down takes most of the room.
            self.transcribe = false;
            messages = vec![messages.swap_remove(0), self.message()];
        } else {
            messages.push(Message::assistant(shown, Vec::new()));
        }
        messages.push(Message::user(fenced("note", &complaint)));
        let schema = self.schema();
        match usable(&ask(&messages, &schema).await?, &schema)? {
            Usable::Found(found) => Ok(*found),
            Usable::Not { .. } => Err(Failed::Answer("wrong twice")),
        }
    }

    fn message(&self) -> Message {
        let mut wanted: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        if self.transcribe {
            wanted.push("text");
        }
        let text = format!("Wanted from this document: {}.", wanted.join(", "));
        Message::User(vec![Part::Text(fenced("note", &text)), self.document.clone()])
    }

    /// JSON Schema of the answer: the shapes of JSON Resume, in which everything may be missing.
    fn schema(&self) -> Value {
        let mut members = Map::new();
        for kind in &self.kinds {
            let schema = flow::builtin(kind.schema()).unwrap_or_default();
            members.insert(kind.name().to_owned(), loosened(schema));
        }
        let layouts = ["scan", "two_columns", "handwriting", "hard_to_read"];
        members
            .insert("layout".to_owned(), json!({ "type": "array", "items": { "enum": layouts } }));
        let paths = json!({ "type": "array", "items": { "type": "string" }, "maxItems": 200 });
        members.insert("doubtful".to_owned(), paths);
        let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
        members.insert("confidence".to_owned(), share);
        if self.transcribe {
            let text =
                json!({ "type": "string", "description": "All of its text, in reading order" });
            members.insert("text".to_owned(), text);
        }
        let required: Vec<&String> = members.keys().collect();
        let required = json!(required);
        json!({
            "type": "object", "properties": members, "required": required, "additionalProperties": false,
        })
    }
}

/// A schema for records made one for drafts: nothing is required, everything may be null, and what only a person can
/// put right in a form is no reason to ask again.
fn loosened(schema: Value) -> Value {
    let Value::Object(schema) = schema else { return schema };
    let kept = schema.into_iter().filter_map(|(key, value)| {
        let value = match key.as_str() {
            "$schema" | "title" | "format" | "required" | "minLength" | "maxLength" => return None,
            "type" => json!([value, "null"]),
            "items" => loosened(value),
            "properties" => match value {
                Value::Object(members) => {
                    members.into_iter().map(|(name, of)| (name, loosened(of))).collect()
                }
                other => other,
            },
            _ => value,
        };
        Some((key, value))
    });
    Value::Object(kept.collect())
}

enum Failed {
    Model(Error),
    Answer(&'static str),
}

/// What an answer is good for.
enum Usable {
    Found(Box<Found>),
    Not { complaint: String, shown: String },
}

fn usable(answer: &Completion, schema: &Value) -> Result<Usable, Failed> {
    if answer.refusal.is_some() {
        return Err(Failed::Answer("refused"));
    }
    if answer.finish == Finish::Filtered {
        return Err(Failed::Answer("filtered"));
    }
    let shown: String = answer.text.chars().take(SHOWN_MAX).collect();
    if shown.trim().is_empty() {
        return Err(Failed::Answer("empty_answer"));
    }
    let not = |complaint: &str| {
        let complaint =
            format!("{complaint} Send the whole JSON object once more, and nothing else.");
        Ok(Usable::Not { complaint, shown: shown.clone() })
    };
    if answer.finish == Finish::Length {
        return not("Your answer was cut off: it was too long. Be brief.");
    }
    let Ok(value) = extract_object(&answer.text) else {
        return not("Your answer was no JSON object.");
    };
    let checker = Checker::compile(schema.clone()).map_err(|_| Failed::Answer("schema"))?;
    let complaints = checker.check(&value);
    if !complaints.is_empty() {
        let told = complaints.iter().take(COMPLAINTS_MAX).map(|complaint| {
            let Complaint { path, expected, .. } = complaint;
            format!("`{}`: expected {expected}.", if path.is_empty() { "/" } else { path })
        });
        return not(&told.collect::<Vec<_>>().join("\n"));
    }
    match serde_json::from_value(value) {
        Ok(found) => Ok(Usable::Found(Box::new(found))),
        Err(_) => not("Your answer was of another form."),
    }
}
