//! Which service answers for which purpose.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;

use super::{dialect::Dialect, secret::Secret};
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
    /// Hosts and networks that may be reached without encryption: `ollama`, `192.168.0.0/16`.
    pub allow_http: Vec<String>,
    /// What models cost, by the name in `model`.
    pub price: BTreeMap<String, Price>,
}

/// What a model costs, in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens that are read.
    #[schemars(range(min = 0.0))]
    pub input: f64,
    /// Tokens that are written, thoughts included.
    #[schemars(range(min = 0.0))]
    pub output: f64,
    /// Tokens that are read from the provider's cache; by default like all others.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub cached: Option<f64>,
}

impl Price {
    /// The cost of a request in millionths of a dollar, rounded up so that small ones are not free.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "bounded"
    )]
    pub fn micros(&self, input: u64, cached: u64, output: u64) -> u64 {
        let cached = cached.min(input);
        let cost = (input - cached) as f64 * self.input
            + cached as f64 * self.cached.unwrap_or(self.input)
            + output as f64 * self.output;
        cost.clamp(0.0, 1e15).ceil() as u64
    }
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

/// Whose service it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// OpenAI.
    Openai,
    /// Anthropic's own Messages API.
    Anthropic,
    /// Google's Gemini through its chat completions.
    Gemini,
    /// `OpenRouter`.
    Openrouter,
    /// OpenAI's models on Azure.
    Azure,
    /// Mistral's own service.
    Mistral,
    /// `DeepSeek`'s own service.
    Deepseek,
    /// Ollama.
    Ollama,
    /// vLLM.
    Vllm,
    /// llama.cpp's server.
    LlamaCpp,
    /// Any other service that speaks chat completions. What it refuses is learnt.
    #[default]
    Custom,
}

/// A service that answers for a purpose. What is not written here is set by its preset ([`Provider`]).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// Whose service it is, which sets the address, the parameters, the order of messages and the limits.
    #[serde(default)]
    pub provider: Option<Provider>,
    /// Where it is, up to what stands before `/chat/completions`: an `https` address, or `http` on this machine. May be
    /// left out where the provider has one address for everybody.
    #[serde(default)]
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
    /// Longest answer in tokens; by default what suits the provider. Models that think get more room besides.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_tokens: Option<u32>,
    /// How much a model thinks before it answers, in the provider's word: `none`, `low`, `medium`, `high`, …
    #[serde(default)]
    pub reasoning_effort: Option<String>,
    /// Headers that are sent besides.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Members of the request's body that are sent besides, or instead of ours.
    #[serde(default)]
    pub body: serde_json::Map<String, serde_json::Value>,
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
    /// Requests in flight at one time.
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

/// A service as the program uses it.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// What is written about it.
    pub service: Service,
    /// Its key.
    pub key: Option<Secret>,
    /// What its model costs, where that is known.
    pub price: Option<Price>,
    /// The operator allows it to be reached without encryption.
    pub plain: bool,
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
    /// The services with their names in [`Endpoints`] and the tables they stand in, below `table`.
    pub(super) fn services(self, table: &str) -> impl Iterator<Item = (String, String, Service)> {
        let Self { interview, extract, vision, embed, spare, .. } = self;
        let purposes = Purpose::ALL.into_iter().zip([interview, extract, vision, embed]);
        let purposes = purposes.filter_map(move |(purpose, service)| {
            let word = purpose.word();
            Some((word.to_owned(), format!("{table}/{word}"), service?))
        });
        purposes.chain(spare.into_iter().map(move |(name, service)| {
            let pointer = format!("{table}/spare/{}", super::toml_document::escaped(&name));
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

/// Whether an address is plain `http` to a host that the operator named, or in a network that they named.
pub(super) fn is_allowed(address: &str, allowed: &[String]) -> bool {
    let Ok(url) = reqwest::Url::parse(address) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let ip = host.parse::<std::net::IpAddr>().ok();
    url.scheme() == "http"
        && allowed.iter().any(|rule| match (ip, network(rule)) {
            (Some(ip), Some((net, bits))) => is_within(ip, net, bits),
            (_, _) => rule.eq_ignore_ascii_case(&host),
        })
}

/// Whether a rule of `allow_http` is a host or a network. One network of everything is none.
pub(super) fn is_rule(rule: &str) -> bool {
    if rule.contains('/') {
        return network(rule).is_some_and(|(_, bits)| bits > 0);
    }
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    !rule.is_empty() && rule.bytes().all(plain)
}

fn network(rule: &str) -> Option<(std::net::IpAddr, u32)> {
    let (net, bits) = match rule.split_once('/') {
        Some((net, bits)) => (net, Some(bits.parse().ok()?)),
        None => (rule, None),
    };
    let net: std::net::IpAddr = net.parse().ok()?;
    let most = if net.is_ipv4() { 32 } else { 128 };
    let bits = bits.unwrap_or(most);
    (bits <= most).then_some((net, bits))
}

fn is_within(ip: std::net::IpAddr, net: std::net::IpAddr, bits: u32) -> bool {
    use std::net::IpAddr::{V4, V6};
    let (ip, net, width) = match (ip, net) {
        (V4(ip), V4(net)) => (u128::from(ip.to_bits()), u128::from(net.to_bits()), 32),
        (V6(ip), V6(net)) => (ip.to_bits(), net.to_bits(), 128),
        (V4(_), V6(_)) | (V6(_), V4(_)) => return false,
    };
    let drop = width - bits.min(width);
    ip.checked_shr(drop).unwrap_or_default() == net.checked_shr(drop).unwrap_or_default()
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

/// What stands before the name of a call with which an address ends: calls are appended, so the service would be asked for
/// `/chat/completions/chat/completions`.
pub(super) fn before_call(address: &str) -> Option<&str> {
    let address = address.trim_end_matches('/');
    let calls = ["/chat/completions", "/completions", "/responses", "/messages", "/embeddings"];
    let base = calls.iter().find_map(|call| address.strip_suffix(call))?;
    (!holds_secret(address)).then_some(base)
}

/// Whether an address is plain `http` on this machine.
pub(crate) fn is_loopback(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    url.scheme() == "http" && (host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback()))
}
