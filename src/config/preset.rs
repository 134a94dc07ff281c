//! Presets: what is known of each provider, one row of a table for each.
//!
//! No provider was called to write this table. Each row names the public page that it follows and when that page was
//! read. What a row gets wrong, or a model does differently, is learnt from the provider's refusal
//! ([`crate::ports::llm`]), and every cell can be overridden under `dialect`.

use std::borrow::Cow;

use super::{
    dialect::{JsonMode, OutputLimit, Replay, SystemRole, Wire},
    llm::{Provider, Service},
};

/// What stands in place of opaque members in answers that have none, since another model gave them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filler {
    /// Nothing.
    Nothing,
    /// Google's word for a call that it did not make itself.
    ThoughtSignature,
    /// An empty `reasoning_content` beside calls.
    ReasoningContent,
}

/// The order that messages must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub struct Order {
    /// What is said to the model and what it says take turns strictly; results count as said to it, one call a message.
    pub alternate: bool,
    /// Nothing may be said between a result and the model's next message: it goes into the result.
    pub fold: bool,
    /// Words that stand beside calls are empty and not `null`.
    pub empty_content: bool,
    /// A message of the model has words or calls, not both.
    pub apart: bool,
    /// Where instructions stand.
    pub system: SystemRole,
}

/// How a service is asked. Begins as its preset with what the operator wrote, and changes by what it refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of its own")]
pub struct Profile {
    /// The format.
    pub wire: Wire,
    /// Answers are streamed.
    pub stream: bool,
    /// `stream_options.include_usage` is sent.
    pub usage_in_stream: bool,
    /// How the bound of an answer is called.
    pub output_limit: OutputLimit,
    /// Longest answer in tokens where nobody asks for another.
    pub max_tokens: u32,
    /// Tokens for thinking, besides.
    pub headroom: u32,
    /// The most that the model can be asked for, once it has said so.
    pub most: Option<u32>,
    /// A temperature is sent.
    pub temperature: bool,
    /// `parallel_tool_calls: false` is not sent.
    pub parallel_calls: bool,
    /// It may be told that it must call a tool.
    pub forced_choice: bool,
    /// Schemas of tools are enforced where they can be.
    pub strict: bool,
    /// How JSON is asked for.
    pub json: JsonMode,
    /// How much it thinks; sent where there is a word.
    pub effort: Option<Cow<'static, str>>,
    /// When opaque members go back.
    pub replay: Replay,
    /// What stands for them where there are none.
    pub filler: Filler,
    /// The order of messages.
    pub order: Order,
    /// Header for the bare key.
    pub key_header: Option<Cow<'static, str>>,
    /// Images are taken.
    pub images: bool,
    /// PDFs are taken.
    pub files: bool,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preset {
    /// Whose.
    pub provider: Provider,
    /// Its name in the configuration.
    pub name: &'static str,
    /// Its address, where everybody's is the same.
    pub endpoint: Option<&'static str>,
    /// How it is asked.
    pub profile: Profile,
    /// The public page that the row follows.
    pub source: &'static str,
    /// When that page was read.
    pub read: &'static str,
}

const LOOSE: Order = Order {
    alternate: false,
    fold: false,
    empty_content: false,
    apart: false,
    system: SystemRole::System,
};

/// What suits most services.
const PLAIN: Profile = Profile {
    wire: Wire::Chat,
    stream: true,
    usage_in_stream: true,
    output_limit: OutputLimit::MaxTokens,
    max_tokens: 2_000,
    headroom: 0,
    most: None,
    temperature: true,
    parallel_calls: true,
    forced_choice: true,
    strict: false,
    json: JsonMode::Schema,
    effort: None,
    replay: Replay::Never,
    filler: Filler::Nothing,
    order: LOOSE,
    key_header: None,
    images: true,
    files: true,
};

/// Tokens for thinking that all models of large providers have room for.
const THINKING: u32 = 14_000;

/// When the sources were read.
const READ: &str = "2026-11-24";

/// The table.
pub static PRESETS: [Preset; 11] = [
    Preset {
        provider: Provider::Openai,
        name: "openai",
        endpoint: Some("https://api.openai.com/v1"),
        profile: Profile {
            output_limit: OutputLimit::MaxCompletionTokens,
            headroom: THINKING,
            ..PLAIN
        },
        source: "https://developers.openai.com/api/docs/guides/reasoning",
        read: READ,
    },
    Preset {
        provider: Provider::Anthropic,
        name: "anthropic",
        endpoint: Some("https://api.anthropic.com/v1"),
        profile: Profile {
            wire: Wire::Messages,
            temperature: false,
            headroom: THINKING,
            forced_choice: false,
            json: JsonMode::Words,
            replay: Replay::Always,
            key_header: Some(Cow::Borrowed("x-api-key")),
            ..PLAIN
        },
        source: "https://platform.claude.com/docs/en/api/messages",
        read: READ,
    },
    Preset {
        provider: Provider::Gemini,
        name: "gemini",
        endpoint: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
        profile: Profile {
            headroom: THINKING,
            replay: Replay::Always,
            filler: Filler::ThoughtSignature,
            ..PLAIN
        },
        source: "https://ai.google.dev/gemini-api/docs/thought-signatures",
        read: READ,
    },
    Preset {
        provider: Provider::Openrouter,
        name: "openrouter",
        endpoint: Some("https://openrouter.ai/api/v1"),
        profile: Profile { headroom: THINKING, replay: Replay::Always, ..PLAIN },
        source: "https://openrouter.ai/docs/use-cases/reasoning-tokens",
        read: READ,
    },
    Preset {
        provider: Provider::Azure,
        name: "azure",
        endpoint: None,
        profile: Profile {
            output_limit: OutputLimit::MaxCompletionTokens,
            headroom: THINKING,
            key_header: Some(Cow::Borrowed("api-key")),
            ..PLAIN
        },
        source: "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning",
        read: READ,
    },
    Preset {
        provider: Provider::Mistral,
        name: "mistral",
        endpoint: Some("https://api.mistral.ai/v1"),
        profile: Profile {
            usage_in_stream: false,
            order: Order { fold: true, ..LOOSE },
            files: false,
            ..PLAIN
        },
        source: "https://github.com/mistralai/mistral-common/issues/169",
        read: READ,
    },
    Preset {
        provider: Provider::Deepseek,
        name: "deepseek",
        endpoint: Some("https://api.deepseek.com/v1"),
        profile: Profile {
            json: JsonMode::Object,
            max_tokens: 4_000,
            headroom: 4_000,
            replay: Replay::Always,
            filler: Filler::ReasoningContent,
            images: false,
            files: false,
            ..PLAIN
        },
        source: "https://api-docs.deepseek.com/guides/thinking_mode",
        read: READ,
    },
    Preset {
        provider: Provider::Ollama,
        name: "ollama",
        endpoint: Some("http://127.0.0.1:11434/v1"),
        profile: Profile { files: false, ..PLAIN },
        source: "https://docs.ollama.com/api/openai-compatibility",
        read: READ,
    },
    Preset {
        provider: Provider::Vllm,
        name: "vllm",
        endpoint: Some("http://127.0.0.1:8000/v1"),
        profile: Profile { files: false, ..PLAIN },
        source: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
        read: READ,
    },
    Preset {
        provider: Provider::LlamaCpp,
        name: "llama-cpp",
        endpoint: Some("http://127.0.0.1:8080/v1"),
        profile: Profile { files: false, ..PLAIN },
        source: "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
        read: READ,
    },
    Preset {
        provider: Provider::Custom,
        name: "custom",
        endpoint: None,
        profile: PLAIN,
        source: "https://platform.openai.com/docs/api-reference/chat",
        read: READ,
    },
];

/// The row of a service. Without a provider in its table it is a custom one, as ever.
pub fn of(service: &Service) -> &'static Preset {
    let wanted = service.provider.unwrap_or_default();
    let row = PRESETS.iter().find(|row| row.provider == wanted);
    row.unwrap_or(&PRESETS[PRESETS.len() - 1])
}

impl Profile {
    /// How a service is asked at first.
    pub fn of(service: &Service) -> Self {
        let preset = of(service).profile.clone();
        let dialect = &service.dialect;
        Self {
            wire: dialect.wire.unwrap_or(preset.wire),
            stream: dialect.stream.unwrap_or(preset.stream),
            usage_in_stream: dialect.usage_in_stream.unwrap_or(preset.usage_in_stream),
            output_limit: dialect.output_limit.unwrap_or(preset.output_limit),
            max_tokens: service.max_tokens.unwrap_or(preset.max_tokens),
            temperature: dialect.temperature.unwrap_or(preset.temperature),
            parallel_calls: dialect.parallel_calls.unwrap_or(preset.parallel_calls),
            strict: dialect.strict.unwrap_or(preset.strict),
            json: dialect.json.unwrap_or(preset.json),
            effort: service.reasoning_effort.clone().map(Cow::Owned).or(preset.effort),
            replay: dialect.replay.unwrap_or(preset.replay),
            order: Order { system: dialect.system.unwrap_or(preset.order.system), ..preset.order },
            key_header: dialect.key_header.clone().map(Cow::Owned).or(preset.key_header),
            ..preset
        }
    }
}
