//! How services that answer for models differ, in the words of the configuration.

use schemars::JsonSchema;
use serde::Deserialize;

/// In what a service differs from its preset. Everything is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dialect {
    /// Which of the three formats it speaks.
    pub wire: Option<Wire>,
    /// It can stream. Off: words come all at once.
    pub stream: Option<bool>,
    /// It takes `stream_options.include_usage`. Off for servers that refuse it; then nothing is known of tokens.
    pub usage_in_stream: Option<bool>,
    /// How it calls the bound of an answer. OpenAI's reasoning models want `max_completion_tokens`, older servers
    /// ignore or refuse that.
    pub output_limit: Option<OutputLimit>,
    /// It takes a temperature. Off for reasoning models, which refuse one.
    pub temperature: Option<bool>,
    /// It may make several calls at once. Off: `parallel_tool_calls: false` is sent, which not every server knows.
    pub parallel_calls: Option<bool>,
    /// It can hold a model to a tool's schema (`strict`).
    pub strict: Option<bool>,
    /// How it is asked for JSON.
    pub json: Option<JsonMode>,
    /// When it is sent the thoughts of earlier answers.
    pub replay: Option<Replay>,
    /// Where instructions stand.
    pub system: Option<SystemRole>,
    /// Header that carries the bare key instead of `Authorization: Bearer …`: `api-key` for Azure.
    pub key_header: Option<String>,
}

/// How a service calls the bound of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputLimit {
    /// `max_tokens`
    MaxTokens,
    /// `max_completion_tokens`
    MaxCompletionTokens,
}

/// How a service is asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JsonMode {
    /// By a schema that it enforces (`json_schema`).
    Schema,
    /// JSON of any form (`json_object`), the schema in words.
    Object,
    /// In words alone.
    Words,
}

/// The formats in which services are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// OpenAI's chat completions, which most services speak.
    Chat,
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Responses.
    Responses,
}

/// When thoughts and other opaque members of an answer go back to the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Replay {
    /// In every later request.
    Always,
    /// Until something is said to the model again.
    Turn,
    /// Not at all.
    Never,
}

/// Where instructions stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    /// In a message with the role `system`.
    System,
    /// In a message with the role `developer`.
    Developer,
    /// At the beginning of what is said first: the template knows no instructions.
    User,
}
