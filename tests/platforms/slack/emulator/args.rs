//! Arguments of a call, however they came, and the ways to refuse it.

use serde_json::{Map, Value, json};

/// Slack says no.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct No {
    pub(crate) error: String,
    pub(crate) messages: Vec<String>,
    pub(crate) more: Map<String, Value>,
}

impl No {
    pub(crate) fn saying(error: &str, messages: Vec<String>) -> Self {
        Self { error: error.to_owned(), messages, more: Map::new() }
    }

    /// The answer as Slack writes it.
    pub(crate) fn body(&self) -> Value {
        let mut body = json!({ "ok": false, "error": self.error });
        if !self.messages.is_empty() {
            body["response_metadata"] = json!({ "messages": self.messages });
            body["errors"] = json!(self.messages);
        }
        for (name, value) in &self.more {
            body[name] = value.clone();
        }
        body
    }
}

impl From<&str> for No {
    fn from(error: &str) -> Self {
        Self::saying(error, Vec::new())
    }
}

/// What a method answers.
pub(crate) type Answer = Result<Value, No>;

/// Arguments by their names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Args(pub(crate) Map<String, Value>);

/// Arguments that are JSON even where the others are form fields.
const JSON: &[&str] = &[
    "attachments",
    "blocks",
    "chunks",
    "files",
    "loading_messages",
    "message",
    "metadata",
    "prompts",
    "view",
];

impl Args {
    /// Fields of a form or a query.
    pub(crate) fn of_form(form: &str) -> Self {
        let fields = reqwest::Url::parse(&format!("http://form/?{form}")).unwrap();
        let mut args = Map::new();
        for (name, value) in fields.query_pairs() {
            args.insert(name.into_owned(), Value::String(value.into_owned()));
        }
        Self(args).read_strings()
    }

    /// A JSON body.
    pub(crate) fn of_json(body: &[u8]) -> Option<Self> {
        match serde_json::from_slice(body).ok()? {
            Value::Object(map) => Some(Self(map).read_strings()),
            _ => None,
        }
    }

    fn read_strings(mut self) -> Self {
        for name in JSON {
            let Some(Value::String(text)) = self.0.get(*name) else { continue };
            if let Ok(value) = serde_json::from_str(text) {
                self.0.insert((*name).to_owned(), value);
            }
        }
        self
    }

    pub(crate) fn get(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    /// A text that must be there.
    pub(crate) fn text(&self, name: &str) -> Result<&str, No> {
        self.maybe(name).ok_or_else(|| {
            let message = format!("[ERROR] missing required field: {name}");
            No::saying("invalid_arguments", vec![message])
        })
    }

    /// A text that may be there; an empty one is not.
    pub(crate) fn maybe(&self, name: &str) -> Option<&str> {
        self.get(name).as_str().filter(|text| !text.is_empty())
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        let value = self.get(name);
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Value::Bool(true))
            || matches!(self.get(name).as_str(), Some("true" | "1"))
    }
}
