//! A request in the format of chat completions.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use crate::{
    base::ids::CallId,
    config::{
        llm::{JsonMode, OutputLimit, Service},
        preset::{Filler, Profile, Replay, SystemRole},
    },
    model::opaque::Opaque,
    ports::llm::{
        chat::{Blob, Form, Message, Part, Request, ToolCall, ToolChoice, ToolSpec},
        normalize::normalized,
        schema::is_closed,
    },
};

/// Google's word for calls that its model did not make itself.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The body of a chat request, as the service is asked at first.
pub fn chat(service: &Service, request: &Request) -> Value {
    body(service, &Profile::of(service), request)
}

/// The body of a chat request. Pure: the same request gives the same bytes, so that providers find their caches warm.
pub(crate) fn body(service: &Service, profile: &Profile, request: &Request) -> Value {
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(service.model));
    set("messages", messages(service, profile, request));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|spec| tool(spec, profile.strict));
        set("tools", tools.collect());
        set("tool_choice", choice(&request.choice, profile.forced_choice));
        if !profile.parallel_calls {
            set("parallel_tool_calls", json!(false));
        }
    }
    if profile.temperature {
        set("temperature", json!(request.temperature.unwrap_or(service.temperature)));
    }
    let limit = match profile.output_limit {
        OutputLimit::MaxTokens => "max_tokens",
        OutputLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    set(limit, json!(longest(profile, request)));
    if let Some(effort) = &profile.effort {
        set("reasoning_effort", json!(effort));
    }
    if let Some(format) = format(&request.form, profile.json) {
        set("response_format", format);
    }
    set("stream", json!(profile.stream));
    if profile.stream && profile.usage_in_stream {
        set("stream_options", json!({ "include_usage": true }));
    }
    body.extend(service.body.clone());
    Value::Object(body)
}

/// Longest answer that is asked for, thoughts included.
pub(crate) fn longest(profile: &Profile, request: &Request) -> u32 {
    let asked = request.max_tokens.unwrap_or(profile.max_tokens);
    asked.saturating_add(profile.headroom).min(profile.most.unwrap_or(u32::MAX))
}

/// Which model of which service gave an answer.
pub(crate) fn origin(service: &Service) -> String {
    format!("{} {}", service.base_url.trim_end_matches('/'), service.model)
}

/// The body of a request for vectors. An empty text is refused by services, so it goes as a space.
pub(super) fn embeddings(service: &Service, texts: &[String]) -> Value {
    let input: Vec<&str> =
        texts.iter().map(|text| if text.is_empty() { " " } else { text }).collect();
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(service.model));
    body.insert("input".to_owned(), json!(input));
    body.extend(service.body.clone());
    Value::Object(body)
}

/// What is asked in words where JSON by a schema cannot be asked for.
pub(crate) fn wanted(form: &Form, mode: JsonMode) -> Option<String> {
    match (form, mode) {
        (Form::Words, _) | (Form::Json { .. }, JsonMode::Schema) => None,
        (Form::Json { schema, .. }, JsonMode::Object | JsonMode::Words) => Some(format!(
            "Answer with one JSON object and nothing else. It satisfies this JSON Schema: {schema}"
        )),
    }
}

/// The messages with what is asked for in words: in the first message, since some templates take instructions there
/// only.
pub(crate) fn with_wanted(profile: &Profile, request: &Request) -> Vec<Message> {
    let mut messages = request.messages.clone();
    if let Some(wanted) = wanted(&request.form, profile.json) {
        match messages.first_mut() {
            Some(Message::System(text)) => *text = format!("{text}\n\n{wanted}"),
            Some(_) | None => messages.insert(0, Message::System(wanted)),
        }
    }
    normalized(profile.order, &messages)
}

/// Which opaque members go back, and under which ids calls are known to the provider.
pub(crate) struct Returned<'a> {
    origin: String,
    replay: Replay,
    /// Where the turn begins.
    turn: usize,
    /// By our id: the provider's.
    ids: HashMap<&'a CallId, &'a str>,
}

impl<'a> Returned<'a> {
    pub(crate) fn new(service: &Service, profile: &Profile, messages: &'a [Message]) -> Self {
        let last = messages.iter().rposition(|message| matches!(message, Message::User(_)));
        let turn = last.map_or(0, |at| at + 1);
        let ids = HashMap::new();
        let mut all = Self { origin: origin(service), replay: profile.replay, turn, ids };
        let mut taken: Vec<&str> = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            let Message::Assistant { calls, .. } = message else { continue };
            let Some(opaque) = all.of(at, message) else { continue };
            for (call, known) in calls.iter().zip(&opaque.calls) {
                // Some number their calls from the beginning in each answer.
                if let Some(id) = known.id.as_deref().filter(|id| !taken.contains(id)) {
                    taken.push(id);
                    all.ids.insert(&call.id, id);
                }
            }
        }
        all
    }

    /// What goes back with a message.
    pub(crate) fn of(&self, at: usize, message: &'a Message) -> Option<&'a Opaque> {
        let Message::Assistant { calls, opaque: Some(opaque), .. } = message else { return None };
        let wanted = match self.replay {
            Replay::Always => true,
            Replay::Turn => at >= self.turn,
            Replay::Never => false,
        };
        let fits = opaque.origin == self.origin && opaque.calls.len() == calls.len();
        (wanted && fits).then_some(&**opaque)
    }

    /// How the provider knows a call.
    pub(crate) fn id<'b>(&'b self, call: &'b CallId) -> &'b str {
        self.ids.get(call).copied().unwrap_or(call.as_str())
    }
}

fn messages(service: &Service, profile: &Profile, request: &Request) -> Value {
    let messages = with_wanted(profile, request);
    let returned = Returned::new(service, profile, &messages);
    messages.iter().enumerate().map(|(at, said)| message(profile, &returned, at, said)).collect()
}

fn message<'a>(
    profile: &Profile,
    returned: &Returned<'a>,
    at: usize,
    message: &'a Message,
) -> Value {
    match message {
        Message::System(text) => {
            let role = match profile.order.system {
                SystemRole::Developer => "developer",
                SystemRole::System | SystemRole::User => "system",
            };
            json!({ "role": role, "content": text })
        }
        // Many servers know words alone as plain text only.
        Message::User(parts) => match parts.as_slice() {
            [Part::Text(text)] => json!({ "role": "user", "content": text }),
            parts => {
                let parts: Vec<Value> = parts.iter().map(part).collect();
                json!({ "role": "user", "content": parts })
            }
        },
        Message::Assistant { text, calls, .. } => {
            let opaque = returned.of(at, message);
            assistant(profile, returned, (text, calls), opaque)
        }
        Message::Tool { call, content } => {
            json!({ "role": "tool", "tool_call_id": returned.id(call), "content": content })
        }
    }
}

fn assistant(
    profile: &Profile,
    returned: &Returned<'_>,
    (text, calls): (&str, &[ToolCall]),
    opaque: Option<&Opaque>,
) -> Value {
    let no_words = text.is_empty() && !calls.is_empty() && !profile.order.empty_content;
    let content = (!no_words).then_some(text);
    let mut message = json!({ "role": "assistant", "content": content });
    if !calls.is_empty() {
        message["tool_calls"] = calls.iter().map(|known| call(returned, known)).collect();
    }
    match opaque {
        Some(opaque) => {
            for (name, value) in &opaque.message {
                message[name.as_str()] = value.clone();
            }
            for (n, call) in opaque.calls.iter().enumerate() {
                for (name, value) in &call.members {
                    message["tool_calls"][n][name.as_str()] = value.clone();
                }
            }
        }
        None if !calls.is_empty() && profile.replay != Replay::Never => match profile.filler {
            Filler::Nothing => {}
            Filler::ReasoningContent => message["reasoning_content"] = json!(""),
            Filler::ThoughtSignature => {
                message["tool_calls"][0]["extra_content"] =
                    json!({ "google": { "thought_signature": NO_SIGNATURE } });
            }
        },
        None => {}
    }
    message
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { media_type, bytes } => {
            json!({ "type": "image_url", "image_url": { "url": data_url(media_type, bytes) } })
        }
        Part::File { name, media_type, bytes } => {
            let data = data_url(media_type, bytes);
            json!({ "type": "file", "file": { "filename": name, "file_data": data } })
        }
    }
}

pub(crate) fn data_url(media_type: &str, bytes: &Blob) -> String {
    format!("data:{media_type};base64,{}", STANDARD.encode(&bytes.0))
}

/// Arguments as they are sent: services that parse them would refuse the whole conversation for one broken call.
pub(crate) fn arguments(call: &ToolCall) -> &str {
    match call.arguments() {
        Ok(_) if !call.raw.trim().is_empty() => call.raw.as_str(),
        Ok(_) | Err(_) => "{}",
    }
}

fn call(returned: &Returned<'_>, call: &ToolCall) -> Value {
    let function = json!({ "name": call.name, "arguments": arguments(call) });
    json!({ "id": returned.id(&call.id), "type": "function", "function": function })
}

fn tool(spec: &ToolSpec, strict: bool) -> Value {
    let mut function = json!({
        "name": spec.name, "description": spec.description, "parameters": spec.parameters,
    });
    if strict && (spec.strict || is_closed(&spec.parameters)) {
        function["strict"] = json!(true);
    }
    json!({ "type": "function", "function": function })
}

fn choice(choice: &ToolChoice, forced: bool) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Never => json!("none"),
        ToolChoice::Required | ToolChoice::Named(_) if !forced => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}

fn format(form: &Form, mode: JsonMode) -> Option<Value> {
    match (form, mode) {
        (Form::Words, _) | (Form::Json { .. }, JsonMode::Words) => None,
        (Form::Json { .. }, JsonMode::Object) => Some(json!({ "type": "json_object" })),
        (Form::Json { name, schema }, JsonMode::Schema) => Some(json!({
            "type": "json_schema", "json_schema": { "name": name, "schema": schema },
        })),
    }
}
