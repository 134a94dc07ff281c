//! Which service answers for which purpose.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;

use super::secret::Secret;
use crate::model::flow::Period;

/// Models by purpose, as written. Without any the scripts of the flows run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Llm {
    /// Talks with participants.
    pub interview: Option<Service>,
    /// Reads data out of documents.
    pub extract: Option<Service>,
    /// Looks at pictures.
    pub vision: Option<Service>,
    /// Says how alike texts are.
    pub embed: Option<Service>,
    /// Others, for `fallback`.
    pub spare: BTreeMap<String, Service>,
}

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Purpose {
    /// Talks with participants.
    Interview,
    /// Reads data out of documents.
    Extract,
    /// Looks at pictures.
    Vision,
    /// Says how alike texts are.
    Embed,
}

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Interview, Self::Extract, Self::Vision, Self::Embed];

    /// The name of its table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Interview => "interview",
            Self::Extract => "extract",
            Self::Vision => "vision",
            Self::Embed => "embed",
        }
    }
}

/// A service that speaks OpenAI's chat completions or embeddings.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// Where it is, up to what stands before `/chat/completions`: an `https` address, or `http` on this machine.
    pub base_url: String,
    /// The model, as the service calls it.
    pub model: String,
    /// Variable with the key. Services on this machine often need none.
    #[serde(default)]
    pub key_env: Option<String>,
    /// File with the key.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
    /// Who answers when this one fails: another purpose, or a name under `[llm.spare]`.
    #[serde(default)]
    pub fallback: Option<String>,
    /// How freely it chooses its words.
    #[serde(default = "Service::temperature")]
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: f64,
    /// Longest answer in tokens.
    #[serde(default = "Service::max_tokens")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_tokens: u32,
    /// Longest time for a connection.
    #[serde(default = "Service::connect")]
    pub connect: Period,
    /// Longest time until the answer begins.
    #[serde(default = "Service::first_byte")]
    pub first_byte: Period,
    /// Longest time between two pieces of it.
    #[serde(default = "Service::idle")]
    pub idle: Period,
    /// Longest time for all of it.
    #[serde(default = "Service::whole")]
    pub whole: Period,
    /// Attempts before it counts as failed.
    #[serde(default = "Service::attempts")]
    #[schemars(range(min = 1, max = 5))]
    pub attempts: u32,
    /// Requests in hand at one time.
    #[serde(default = "Service::concurrent")]
    #[schemars(range(min = 1, max = 1_000))]
    pub concurrent: u32,
    /// Largest request, in megabytes of 1,048,576 bytes.
    #[serde(default = "Service::request_mb")]
    #[schemars(range(min = 1, max = 128))]
    pub request_mb: usize,
    /// Largest answer, likewise.
    #[serde(default = "Service::response_mb")]
    #[schemars(range(min = 1, max = 128))]
    pub response_mb: usize,
    /// In what it differs from the original.
    #[serde(default)]
    pub dialect: Dialect,
}

impl Service {
    const fn temperature() -> f64 {
        0.7
    }

    const fn max_tokens() -> u32 {
        2_000
    }

    const fn connect() -> Period {
        Period(Duration::from_secs(5))
    }

    const fn first_byte() -> Period {
        Period(Duration::from_mins(1))
    }

    const fn idle() -> Period {
        Period(Duration::from_mins(1))
    }

    const fn whole() -> Period {
        Period(Duration::from_mins(5))
    }

    const fn attempts() -> u32 {
        3
    }

    const fn concurrent() -> u32 {
        8
    }

    const fn request_mb() -> usize {
        48
    }

    const fn response_mb() -> usize {
        8
    }
}

/// In what a service differs from the original. The defaults suit `OpenRouter`, vLLM, llama.cpp, Ollama, LM Studio and
/// OpenAI's models that do not reason.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the file")]
pub struct Dialect {
    /// It can stream. Off: words come all at once.
    pub stream: bool,
    /// It takes `stream_options.include_usage`. Off for Mistral and old Azure versions, which refuse it; then nothing
    /// is known of tokens.
    pub usage_in_stream: bool,
    /// How it calls the bound of an answer. OpenAI's reasoning models want `max_completion_tokens`, older servers
    /// ignore or refuse that.
    pub output_limit: OutputLimit,
    /// It takes a temperature. Off for OpenAI's reasoning models, which refuse one.
    pub temperature: bool,
    /// It may make several calls at once. Off: `parallel_tool_calls: false` is sent, which not every server knows.
    pub parallel_calls: bool,
    /// It can hold a model to a tool's schema (`strict`).
    pub strict: bool,
    /// How it is asked for JSON.
    pub json: JsonMode,
    /// Header that carries the bare key instead of `Authorization: Bearer …`: `api-key` for Azure.
    pub key_header: Option<String>,
}

impl Default for Dialect {
    fn default() -> Self {
        Self {
            stream: true,
            usage_in_stream: true,
            output_limit: OutputLimit::MaxTokens,
            temperature: true,
            parallel_calls: true,
            strict: false,
            json: JsonMode::Schema,
            key_header: None,
        }
    }
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

/// A service as the program uses it.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// What is written about it.
    pub service: Service,
    /// Its key.
    pub key: Option<Secret>,
}

/// The services in use: by purpose, and the spare ones as `spare.NAME`. A [`Service::fallback`] is one of these
/// names, and following them never leads in a circle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Endpoints(pub BTreeMap<String, Endpoint>);

impl Endpoints {
    /// The service of a purpose and, after it, what it falls back on, each once.
    pub fn chain(&self, purpose: Purpose) -> Vec<(&str, &Endpoint)> {
        let mut chain: Vec<(&str, &Endpoint)> = Vec::new();
        let mut next = Some(purpose.word());
        while let Some((name, endpoint)) = next.and_then(|name| self.0.get_key_value(name)) {
            if chain.iter().any(|(known, _)| known == name) {
                break;
            }
            chain.push((name, endpoint));
            next = endpoint.service.fallback.as_deref();
        }
        chain
    }
}

impl Llm {
    /// The services with their names in [`Endpoints`] and the tables they stand in.
    pub(super) fn services(self) -> impl Iterator<Item = (String, String, Service)> {
        let Self { interview, extract, vision, embed, spare } = self;
        let purposes = Purpose::ALL.into_iter().zip([interview, extract, vision, embed]);
        let purposes = purposes.filter_map(|(purpose, service)| {
            let word = purpose.word();
            Some((word.to_owned(), format!("/llm/{word}"), service?))
        });
        purposes.chain(spare.into_iter().map(|(name, service)| {
            let pointer = format!("/llm/spare/{}", super::document::escaped(&name));
            (spare_name(&name), pointer, service)
        }))
    }
}

/// The name of a spare service in [`Endpoints`].
pub(super) fn spare_name(name: &str) -> String {
    format!("spare.{name}")
}

/// Whether an address may be given a key and people's words: encrypted, or on this machine.
pub(super) fn is_service_address(address: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(address) else { return false };
    (url.scheme() == "https" || is_loopback(&url)) && url.fragment().is_none()
}

/// Whether an address leads elsewhere without encryption.
pub(super) fn is_bare(address: &str) -> bool {
    let url = reqwest::Url::parse(address);
    url.is_ok_and(|url| url.scheme() == "http" && !is_loopback(&url))
}

/// Whether a name or a password stands in an address.
pub(super) fn holds_secret(address: &str) -> bool {
    let url = reqwest::Url::parse(address);
    url.is_ok_and(|url| !url.username().is_empty() || url.password().is_some())
}

/// Whether an address is plain `http` on this machine.
pub(crate) fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    url.scheme() == "http" && (host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback()))
}
