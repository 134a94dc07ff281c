//! Anthropic's Messages: another form of the same conversation.
//!
//! Thinking blocks go back only while everything that was sent before them is, byte for byte, what is sent now: newer
//! models refuse them in any other conversation. So each answer is kept with a digest of what it was given to, and
//! blocks whose digest does not fit (a part with other tools began, the conversation was shortened) are left out.

pub(super) mod stream;

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    chat::{Blob, Message, Part, Request, ToolCall, ToolChoice, ToolSpec},
    openai::wire::{Returned, longest, with_wanted},
};
use crate::{
    config::{llm::Service, preset::Profile},
    model::opaque::Opaque,
};

/// The version of the format.
pub(super) const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// Stands where somebody must have said something first.
const GO_ON: &str = "<note>Go on.</note>";

/// The body of a request, and the digest of the conversation in it.
pub(super) fn body(service: &Service, profile: &Profile, request: &Request) -> (Value, String) {
    let messages = with_wanted(profile, request);
    let system: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::System(text) => Some(text.as_str()),
            Message::User(_) | Message::Assistant { .. } | Message::Tool { .. } => None,
        })
        .collect();
    let system = system.join("\n\n");
    let tools: Value = request.tools.iter().map(tool).collect();
    let mut digest = Sha256::new();
    digest.update(&system);
    digest.update(tools.to_string());
    let mut said = turns(service, profile, &messages, &mut digest);
    mark(said.last_mut().and_then(|turn| turn["content"].as_array_mut()?.last_mut()));

    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    set("model", json!(service.model));
    set("max_tokens", json!(longest(profile, request)));
    if !system.is_empty() {
        let mut system = json!([{ "type": "text", "text": system }]);
        mark(system.get_mut(0));
        set("system", system);
    }
    if !request.tools.is_empty() {
        set("tools", tools);
        set("tool_choice", choice(&request.choice, profile));
    }
    set("messages", Value::Array(said));
    if profile.temperature {
        set("temperature", json!(request.temperature.unwrap_or(service.temperature).min(1.0)));
    }
    if let Some(effort) = &profile.effort {
        set("output_config", json!({ "effort": effort }));
    }
    set("stream", json!(profile.stream));
    body.extend(service.body.clone());
    (Value::Object(body), hex(&digest))
}

fn hex(digest: &Sha256) -> String {
    digest.clone().finalize().iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// Marks the end of what stays the same, up to which the provider keeps its work.
#[expect(clippy::needless_pass_by_value, reason = "a reference that may be missing")]
fn mark(block: Option<&mut Value>) {
    if let Some(Value::Object(block)) = block {
        let is_thought = block
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|kind| kind.ends_with("thinking"));
        if !is_thought {
            block.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
        }
    }
}

/// The conversation in turns of two. Results, and what is said besides, are one message.
fn turns(
    service: &Service,
    profile: &Profile,
    messages: &[Message],
    digest: &mut Sha256,
) -> Vec<Value> {
    let returned = Returned::new(service, profile, messages);
    let mut turns: Vec<Value> = Vec::new();
    // How many of them are in the digest.
    let mut digested = 0;
    let say = |turns: &mut Vec<Value>, role: &str, blocks: Vec<Value>| match turns.last_mut() {
        Some(last) if last["role"] == role => {
            if let Some(before) = last["content"].as_array_mut() {
                before.extend(blocks);
            }
        }
        _ => turns.push(json!({ "role": role, "content": blocks })),
    };
    // Which calls are known by the provider's ids.
    let mut known: Vec<(&str, &str)> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::System(_) => {}
            Message::User(parts) => {
                say(&mut turns, "user", parts.iter().filter_map(part).collect());
            }
            Message::Assistant { text, calls, .. } => {
                if turns.is_empty() {
                    say(&mut turns, "user", vec![json!({ "type": "text", "text": GO_ON })]);
                }
                turns[digested..].iter().for_each(|turn| digest.update(turn.to_string()));
                digested = turns.len();
                let bound = hex(digest);
                let fits = |opaque: &&Opaque| opaque.bound.as_ref() == Some(&bound);
                match returned.of(at, message).filter(fits) {
                    Some(opaque) => {
                        let ids = calls.iter().zip(&opaque.calls);
                        known.extend(ids.filter_map(|(call, its)| {
                            Some((call.id.as_str(), its.id.as_deref()?))
                        }));
                        say(&mut turns, "assistant", opaque.parts.clone());
                    }
                    None => say(&mut turns, "assistant", answer(text, calls)),
                }
            }
            Message::Tool { call, content } => {
                let id = known.iter().rev().find(|(ours, _)| *ours == call.as_str());
                let id = id.map_or(call.as_str(), |(_, theirs)| *theirs);
                let block = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
                say(&mut turns, "user", vec![block]);
            }
        }
    }
    turns[digested..].iter().for_each(|turn| digest.update(turn.to_string()));
    turns
}

/// What the model said, without its thoughts.
fn answer(text: &str, calls: &[ToolCall]) -> Vec<Value> {
    let words = Some(json!({ "type": "text", "text": text })).filter(|_| !text.trim().is_empty());
    let calls = calls.iter().map(|call| {
        let input = Value::Object(call.arguments().unwrap_or_default());
        json!({ "type": "tool_use", "id": call.id.as_str(), "name": call.name, "input": input })
    });
    words.into_iter().chain(calls).collect()
}

fn part(part: &Part) -> Option<Value> {
    let encoded = |bytes: &Blob| STANDARD.encode(&bytes.0);
    Some(match part {
        Part::Text(text) if text.trim().is_empty() => return None,
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { media_type, bytes } => json!({ "type": "image",
            "source": { "type": "base64", "media_type": media_type, "data": encoded(bytes) } }),
        Part::File { name, media_type, bytes } => json!({ "type": "document", "title": name,
            "source": { "type": "base64", "media_type": media_type, "data": encoded(bytes) } }),
    })
}

fn tool(spec: &ToolSpec) -> Value {
    json!({ "name": spec.name, "description": spec.description, "input_schema": spec.parameters })
}

fn choice(choice: &ToolChoice, profile: &Profile) -> Value {
    let mut choice = match choice {
        ToolChoice::Never => return json!({ "type": "none" }),
        ToolChoice::Required if profile.forced_choice => json!({ "type": "any" }),
        ToolChoice::Named(name) if profile.forced_choice => json!({ "type": "tool", "name": name }),
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Named(_) => json!({ "type": "auto" }),
    };
    if !profile.parallel_calls {
        choice["disable_parallel_tool_use"] = json!(true);
    }
    choice
}
