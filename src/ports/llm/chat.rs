//! What is said to a model and what it answers, in nobody's dialect.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    base::ids::CallId,
    model::{opaque::Opaque, usage::Usage},
};

/// One call of a model: the whole conversation as it is to see it, and what it may do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// The conversation, oldest first. Results of one message's calls stand right after it, one each.
    pub messages: Vec<Message>,
    /// The tools it may call, in this order; copies of the request share them.
    pub tools: Arc<[ToolSpec]>,
    /// Whether it may, must or must not call one.
    pub choice: ToolChoice,
    /// In which form it answers.
    pub form: Form,
    /// Longest answer in tokens; the purpose's where there is none.
    pub max_tokens: Option<u32>,
    /// How freely it chooses its words, 0 to 2; the purpose's where there is none.
    pub temperature: Option<f64>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Instructions.
    System(String),
    /// From outside: the participant, a document, news of the engine.
    User(Vec<Part>),
    /// What the model said and called.
    Assistant {
        /// Its words; may be empty where it called.
        text: String,
        /// Its calls, in order.
        calls: Vec<ToolCall>,
        /// What its provider wants back with it.
        opaque: Option<Box<Opaque>>,
    },
    /// What came of one call.
    Tool {
        /// Which.
        call: CallId,
        /// The result, as JSON or words.
        content: String,
    },
}

impl Message {
    /// A message of words from outside.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(vec![Part::Text(text.into())])
    }

    /// A message of the model, without anything that its provider wants back.
    pub fn assistant(text: impl Into<String>, calls: Vec<ToolCall>) -> Self {
        Self::Assistant { text: text.into(), calls, opaque: None }
    }
}

/// A part of a message from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture.
    Image {
        /// `image/png`, `image/jpeg`, `image/webp` or `image/gif`.
        media_type: String,
        /// The file.
        bytes: Blob,
    },
    /// A document, such as a PDF.
    File {
        /// What the model is told it is called.
        name: String,
        /// `application/pdf`, …
        media_type: String,
        /// The file.
        bytes: Blob,
    },
}

/// Bytes that print as their number.
#[derive(Clone, PartialEq, Eq)]
pub struct Blob(pub Arc<[u8]>);

impl fmt::Debug for Blob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// The schema is one of those to which a provider can hold the model: every property required, none besides.
    pub strict: bool,
}

/// Whether the model calls tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It answers in words.
    Never,
    /// It calls one or more.
    Required,
    /// It calls this one.
    Named(String),
}

/// In which form the model answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Form {
    /// Words.
    #[default]
    Words,
    /// JSON by a schema. What a provider cannot enforce it is only asked for: check the answer against the schema.
    Json {
        /// What the answer is called, in `snake_case`.
        name: String,
        /// JSON Schema of the answer.
        schema: Value,
    },
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Its words; may be empty.
    pub text: String,
    /// Why it will not answer, in its words, where it said so.
    pub refusal: Option<String>,
    /// Its calls, in order; ids differ from one another.
    pub calls: Vec<ToolCall>,
    /// What the provider wants back with this answer.
    pub opaque: Option<Box<Opaque>>,
    /// Why it stopped.
    pub finish: Finish,
    /// What it cost, where that was told: tokens and money. Calls and time are for whoever asked to count.
    pub usage: Usage,
    /// How the provider calls the request, for questions to its support.
    pub request_id: Option<String>,
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Its name within the conversation: the provider's, or ours where it gave none.
    pub id: CallId,
    /// The tool, as the model wrote it; perhaps there is none of this name.
    pub name: String,
    /// The arguments, as the model wrote them; see [`ToolCall::arguments`].
    pub raw: String,
}

impl ToolCall {
    /// The arguments as JSON. Nothing at all counts as `{}`; otherwise they must be one JSON object.
    pub fn arguments(&self) -> Result<Map<String, Value>, BadArguments> {
        if self.raw.trim().is_empty() {
            return Ok(Map::new());
        }
        match serde_json::from_str(&self.raw) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_),
            )
            | Err(_) => Err(BadArguments),
        }
    }
}

/// Arguments that are no JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the arguments are not a JSON object. hint: send them once more, as one complete object")]
pub struct BadArguments;

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finish {
    /// It had said what it wanted.
    Stop,
    /// It wants the results of its calls.
    ToolCalls,
    /// The answer had become too long; words or the last call may be cut off.
    Length,
    /// The provider withheld the rest.
    Filtered,
    /// It did not say, or used a word that we do not know.
    Unknown,
}

impl Finish {
    /// The word in logs and metrics.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::Filtered => "filtered",
            Self::Unknown => "unknown",
        }
    }
}

impl Request {
    /// What makes the conversation one that no model can be sent, in words for us; `None` if it is in order.
    ///
    /// Each call has exactly one result, and results follow their calls before anything else is said.
    pub fn disorder(&self) -> Option<&'static str> {
        if self.messages.iter().all(|message| matches!(message, Message::System(_))) {
            return Some("nothing is said to the model");
        }
        if matches!(&self.choice, ToolChoice::Named(name) if self.tools.iter().all(|t| t.name != *name))
        {
            return Some("the tool that must be called is not offered");
        }
        let mut waiting: Vec<&CallId> = Vec::new();
        for message in &self.messages {
            match message {
                Message::Tool { call, .. } => {
                    let Some(at) = waiting.iter().position(|id| *id == call) else {
                        return Some("a result has no call");
                    };
                    waiting.swap_remove(at);
                }
                Message::System(_) | Message::User(_) | Message::Assistant { .. }
                    if !waiting.is_empty() =>
                {
                    return Some("a call has no result");
                }
                Message::Assistant { text, calls, .. } => {
                    if text.is_empty() && calls.is_empty() {
                        return Some("a message of the model is empty");
                    }
                    waiting.extend(calls.iter().map(|call| &call.id));
                }
                Message::System(_) | Message::User(_) => {}
            }
        }
        (!waiting.is_empty()).then_some("a call has no result")
    }
}
