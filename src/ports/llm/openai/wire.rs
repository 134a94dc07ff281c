//! A request in the format of chat completions.

use std::{borrow::Cow, collections::HashMap};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Map, Value, json};

use crate::{
    base::ids::CallId,
    config::{
        dialect::{JsonMode, OutputLimit, Replay, SystemRole},
        llm::Service,
        preset::{Filler, Profile},
    },
    model::opaque::Opaque,
    ports::llm::{
        chat::{Blob, Form, Message, Part, Request, ToolCall, ToolChoice, ToolSpec},
        json::is_object,
        normalize::normalized,
        schema::is_closed,
    },
};

/// Google's word for calls that its model did not make itself.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The body of a chat request, as the service is asked at first; nothing where it cannot be written as JSON.
pub fn chat(service: &Service, request: &Request) -> Value {
    let written = body(service, &Profile::of(service), request);
    written.and_then(|body| serde_json::from_str(&body)).unwrap_or_default()
}

/// The body of a chat request. Pure: the same request gives the same bytes, so that providers find their caches warm.
/// Written in one pass, since the conversation in it grows and is sent whole in each turn.
pub(crate) fn body(
    service: &Service,
    profile: &Profile,
    request: &Request,
) -> serde_json::Result<String> {
    let all = with_wanted(profile, request);
    let returned = Returned::new(service, profile, &all);
    let tools = Some(&request.tools).filter(|tools| !tools.is_empty());
    let longest = longest(profile, request);
    let body = Body {
        model: &service.model,
        messages: all
            .iter()
            .enumerate()
            .map(|(at, said)| message(profile, &returned, at, said))
            .collect(),
        tools: tools.map(|tools| tools.iter().map(|spec| tool(spec, profile.strict)).collect()),
        tool_choice: tools.map(|_| choice(&request.choice, profile.forced_choice)),
        parallel_tool_calls: (tools.is_some() && !profile.parallel_calls).then_some(false),
        temperature: profile
            .temperature
            .then(|| request.temperature.unwrap_or(service.temperature)),
        max_tokens: (profile.output_limit == OutputLimit::MaxTokens).then_some(longest),
        max_completion_tokens: (profile.output_limit == OutputLimit::MaxCompletionTokens)
            .then_some(longest),
        reasoning_effort: profile.effort.as_deref(),
        response_format: format(&request.form, profile.json),
        stream: profile.stream,
        stream_options: (profile.stream && profile.usage_in_stream)
            .then_some(StreamOptions { include_usage: true }),
    };
    serde_json::to_string(&With { ours: body, theirs: Some(&service.body) })
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<WireTool<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireMessage<'a> {
    Words { role: &'static str, content: &'a str },
    Parts { role: &'static str, content: Vec<Value> },
    Assistant(With<'a, WireAnswer<'a>>),
    Result { role: &'static str, tool_call_id: &'a str, content: &'a str },
}

/// What the model said and called.
#[derive(Serialize)]
struct WireAnswer<'a> {
    role: &'static str,
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<With<'a, WireCall<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'static str>,
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: CalledFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct WireTool<'a> {
    r#type: &'static str,
    function: OfferedFunction<'a>,
}

#[derive(Serialize)]
struct OfferedFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

/// An object of ours with members of the provider's or the operator's, which replace ours of the same name.
struct With<'a, T> {
    ours: T,
    theirs: Option<&'a Map<String, Value>>,
}

impl<T: Serialize> Serialize for With<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(theirs) = self.theirs.filter(|theirs| !theirs.is_empty()) else {
            return self.ours.serialize(serializer);
        };
        let mut all = serde_json::to_value(&self.ours).map_err(S::Error::custom)?;
        if let Value::Object(members) = &mut all {
            members.extend(theirs.clone());
        }
        all.serialize(serializer)
    }
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
pub(crate) fn with_wanted<'a>(profile: &Profile, request: &'a Request) -> Cow<'a, [Message]> {
    let mut messages = Cow::Borrowed(request.messages.as_slice());
    if let Some(wanted) = wanted(&request.form, profile.json) {
        let messages = messages.to_mut();
        match messages.first_mut() {
            Some(Message::System(text)) => *text = format!("{text}\n\n{wanted}"),
            Some(_) | None => messages.insert(0, Message::System(wanted)),
        }
    }
    normalized(profile.order, messages)
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

fn message<'a>(
    profile: &Profile,
    returned: &'a Returned<'a>,
    at: usize,
    message: &'a Message,
) -> WireMessage<'a> {
    match message {
        Message::System(text) => {
            let role = match profile.order.system {
                SystemRole::Developer => "developer",
                SystemRole::System | SystemRole::User => "system",
            };
            WireMessage::Words { role, content: text }
        }
        // Many servers know words alone as plain text only.
        Message::User(parts) => match parts.as_slice() {
            [Part::Text(text)] => WireMessage::Words { role: "user", content: text },
            parts => WireMessage::Parts { role: "user", content: parts.iter().map(part).collect() },
        },
        Message::Assistant { text, calls, .. } => {
            let opaque = returned.of(at, message);
            WireMessage::Assistant(assistant(profile, returned, (text, calls), opaque))
        }
        Message::Tool { call, content } => {
            WireMessage::Result { role: "tool", tool_call_id: returned.id(call), content }
        }
    }
}

fn assistant<'a>(
    profile: &Profile,
    returned: &'a Returned<'a>,
    (text, calls): (&'a str, &'a [ToolCall]),
    opaque: Option<&'a Opaque>,
) -> With<'a, WireAnswer<'a>> {
    let no_words = text.is_empty() && !calls.is_empty() && !profile.order.empty_content;
    let known = |n: usize| Some(&opaque?.calls.get(n)?.members);
    let mut answer = WireAnswer {
        role: "assistant",
        content: (!no_words).then_some(text),
        tool_calls: calls
            .iter()
            .enumerate()
            .map(|(n, made)| With { ours: call(returned, made), theirs: known(n) })
            .collect(),
        reasoning_content: None,
    };
    if opaque.is_none() && !calls.is_empty() && profile.replay != Replay::Never {
        match profile.filler {
            Filler::Nothing => {}
            Filler::ReasoningContent => answer.reasoning_content = Some(""),
            Filler::ThoughtSignature => {
                if let Some(first) = answer.tool_calls.first_mut() {
                    let signature = json!({ "google": { "thought_signature": NO_SIGNATURE } });
                    first.ours.extra_content = Some(signature);
                }
            }
        }
    }
    With { ours: answer, theirs: opaque.map(|opaque| &opaque.message) }
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
    if is_object(&call.raw) { &call.raw } else { "{}" }
}

fn call<'a>(returned: &'a Returned<'a>, call: &'a ToolCall) -> WireCall<'a> {
    let function = CalledFunction { name: &call.name, arguments: arguments(call) };
    WireCall { id: returned.id(&call.id), r#type: "function", function, extra_content: None }
}

fn tool(spec: &ToolSpec, strict: bool) -> WireTool<'_> {
    let ToolSpec { name, description, parameters, .. } = spec;
    let strict = (strict && (spec.strict || is_closed(parameters))).then_some(true);
    let function = OfferedFunction { name, description, parameters, strict };
    WireTool { r#type: "function", function }
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
