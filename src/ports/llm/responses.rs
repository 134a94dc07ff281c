//! OpenAI's Responses: the format in which its newest models think and call tools at once.
//!
//! Nothing is stored with the provider. Thoughts come encrypted and go back as items of the conversation.

use serde_json::{Map, Value, json};

use super::{
    chat::{Completion, Finish, Form, Message, Part, Request, ToolCall, ToolChoice, ToolSpec},
    error::{Error, Fault},
    openai::{
        failure,
        wire::{Returned, arguments, data_url, longest, with_wanted},
    },
    schema::is_closed,
    sse::Event,
};
use crate::{
    base::ids::{CallId, Ids},
    config::{
        dialect::{JsonMode, SystemRole},
        llm::Service,
        preset::Profile,
    },
    model::{
        opaque::{Opaque, OpaqueCall},
        usage::Usage,
    },
};

/// Most items of one answer.
const ITEMS_MAX: usize = 256;

/// The body of a request.
pub(super) fn body(service: &Service, profile: &Profile, request: &Request) -> Value {
    let messages = with_wanted(profile, request);
    let returned = Returned::new(service, profile, &messages);
    let mut input: Vec<Value> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        say(profile, &returned, (at, message), &mut input);
    }
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(service.model));
    set("input", Value::Array(input));
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(|spec| tool(spec, profile.strict)).collect());
        set("tool_choice", choice(&request.choice, profile.forced_choice));
        if !profile.parallel_calls {
            set("parallel_tool_calls", json!(false));
        }
    }
    if profile.temperature {
        set("temperature", json!(request.temperature.unwrap_or(service.temperature)));
    }
    set("max_output_tokens", json!(longest(profile, request)));
    if let Some(effort) = &profile.effort {
        set("reasoning", json!({ "effort": effort }));
    }
    if let Form::Json { name, schema } = &request.form {
        let format = match profile.json {
            JsonMode::Schema => {
                Some(json!({ "type": "json_schema", "name": name, "schema": schema }))
            }
            JsonMode::Object => Some(json!({ "type": "json_object" })),
            JsonMode::Words => None,
        };
        if let Some(format) = format {
            set("text", json!({ "format": format }));
        }
    }
    set("store", json!(false));
    set("include", json!(["reasoning.encrypted_content"]));
    set("stream", json!(profile.stream));
    body.extend(service.body.clone());
    Value::Object(body)
}

fn say<'a>(
    profile: &Profile,
    returned: &Returned<'a>,
    (at, message): (usize, &'a Message),
    input: &mut Vec<Value>,
) {
    match message {
        Message::System(text) => {
            let role = match profile.order.system {
                SystemRole::System => "system",
                SystemRole::Developer | SystemRole::User => "developer",
            };
            input.push(json!({ "role": role, "content": text }));
        }
        Message::User(parts) => {
            let parts: Vec<Value> = parts.iter().map(part).collect();
            input.push(json!({ "role": "user", "content": parts }));
        }
        Message::Assistant { text, calls, .. } => {
            if let Some(opaque) = returned.of(at, message)
                && !opaque.parts.is_empty()
            {
                return input.extend(opaque.parts.iter().cloned());
            }
            if !text.is_empty() {
                input.push(json!({ "role": "assistant", "content": text }));
            }
            input.extend(calls.iter().map(|call| {
                json!({ "type": "function_call", "call_id": returned.id(&call.id),
                    "name": call.name, "arguments": arguments(call) })
            }));
        }
        Message::Tool { call, content } => input.push(json!({
            "type": "function_call_output", "call_id": returned.id(call), "output": content })),
    }
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "input_text", "text": text }),
        Part::Image { media_type, bytes } => {
            json!({ "type": "input_image", "image_url": data_url(media_type, bytes) })
        }
        Part::File { name, media_type, bytes } => json!({ "type": "input_file",
            "filename": name, "file_data": data_url(media_type, bytes) }),
    }
}

fn tool(spec: &ToolSpec, strict: bool) -> Value {
    // Without the word the schema would be changed to a strict one.
    let strict = strict && (spec.strict || is_closed(&spec.parameters));
    json!({ "type": "function", "name": spec.name, "description": spec.description,
        "parameters": spec.parameters, "strict": strict })
}

fn choice(choice: &ToolChoice, forced: bool) -> Value {
    match choice {
        ToolChoice::Never => json!("none"),
        ToolChoice::Required if forced => json!("required"),
        ToolChoice::Named(name) if forced => json!({ "type": "function", "name": name }),
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Named(_) => json!("auto"),
    }
}

/// What has come of an answer.
#[derive(Debug, Default)]
pub(super) struct Items {
    received: Vec<Value>,
    /// Words that were streamed already.
    streamed: String,
    finish: Option<Finish>,
    usage: Usage,
}

impl Items {
    pub(super) const fn is_whole(&self) -> bool {
        self.finish.is_some()
    }

    /// Takes an event.
    pub(super) fn event(
        &mut self,
        event: Event<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let data = event.data.trim();
        if self.is_whole() || data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let event: Value = serde_json::from_str(data).map_err(|_| Error::BadAnswer(Fault::Json))?;
        match event["type"].as_str().unwrap_or_default() {
            "response.output_text.delta" => {
                let words = event["delta"].as_str().unwrap_or_default();
                on_text(words);
                self.streamed.push_str(words);
            }
            "response.output_item.done" => self.item(&event["item"])?,
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.end(&event["response"])?;
            }
            "error" => {
                let error = event.get("error").unwrap_or(&event);
                return Err(failure::in_answer(error));
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes an answer that comes at once.
    pub(super) fn all(&mut self, bytes: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let answer: Value =
            serde_json::from_slice(bytes).map_err(|_| Error::BadAnswer(Fault::Json))?;
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return Err(failure::in_answer(error));
        }
        let Some(items) = answer["output"].as_array() else {
            return Err(Error::BadAnswer(Fault::Shape));
        };
        items.iter().try_for_each(|item| self.item(item))?;
        let words = self.words();
        if !words.is_empty() {
            on_text(&words);
        }
        self.end(&answer)
    }

    fn item(&mut self, item: &Value) -> Result<(), Error> {
        if self.received.len() == ITEMS_MAX {
            return Err(Error::BadAnswer(Fault::Size));
        }
        self.received.push(item.clone());
        Ok(())
    }

    fn end(&mut self, response: &Value) -> Result<(), Error> {
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            return Err(failure::in_answer(error));
        }
        let usage = &response["usage"];
        let of = |value: &Value| value.as_u64().unwrap_or_default();
        self.usage = Usage {
            input: of(&usage["input_tokens"]),
            output: of(&usage["output_tokens"]),
            cached: of(&usage["input_tokens_details"]["cached_tokens"]),
            ..Usage::default()
        };
        let reason = response["incomplete_details"]["reason"].as_str();
        self.finish = Some(match (response["status"].as_str(), reason) {
            (_, Some("max_output_tokens")) => Finish::Length,
            (_, Some("content_filter")) => Finish::Filtered,
            (Some("failed" | "cancelled"), _) => return Err(failure::in_answer(&Value::Null)),
            (Some("completed"), _) => Finish::Stop,
            (_, _) => Finish::Unknown,
        });
        Ok(())
    }

    fn contents(&self, kind: &str, member: &str) -> String {
        let messages = self.received.iter().filter(|item| item["type"] == "message");
        let parts = messages.filter_map(|item| item["content"].as_array()).flatten();
        parts.filter(|part| part["type"] == kind).filter_map(|part| part[member].as_str()).collect()
    }

    fn words(&self) -> String {
        self.contents("output_text", "text")
    }

    /// The answer.
    pub(super) fn whole(self, ids: &dyn Ids) -> Result<Completion, Error> {
        let finish = self.finish.ok_or(Error::Cut)?;
        let (mut text, refusal) = (self.words(), self.contents("refusal", "refusal"));
        if text.is_empty() {
            text = self.streamed;
        }
        let mut opaque = Opaque::default();
        let (mut calls, mut thinks): (Vec<ToolCall>, bool) = (Vec::new(), false);
        for item in self.received {
            match item["type"].as_str().unwrap_or_default() {
                "function_call" => {
                    let id = item["call_id"].as_str().map(str::to_owned);
                    let ours = id.clone().filter(|id| calls.iter().all(|c| c.id.as_str() != id));
                    let ours = ours.unwrap_or_else(|| format!("call_{}", ids.fresh().simple()));
                    calls.push(ToolCall {
                        id: CallId::new(ours),
                        name: item["name"].as_str().unwrap_or_default().to_owned(),
                        raw: item["arguments"].as_str().unwrap_or_default().to_owned(),
                    });
                    opaque.calls.push(OpaqueCall { id, ..OpaqueCall::default() });
                }
                "message" => {}
                _ => thinks = true,
            }
            opaque.parts.push(item);
        }
        let finish = match finish {
            Finish::Stop | Finish::Unknown if !calls.is_empty() => Finish::ToolCalls,
            other => other,
        };
        // Thoughts without what they led to are refused.
        let opaque = (thinks && finish != Finish::Length).then(|| Box::new(opaque));
        let refusal = (!refusal.is_empty()).then_some(refusal);
        Ok(Completion { text, refusal, calls, opaque, finish, usage: self.usage, request_id: None })
    }
}
