//! Anthropic Messages and `OpenAI` Responses, held to the rules that their pages state.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, Uri},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Line, Speaker};

/// A service that speaks one of the formats.
pub(crate) struct Service {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Value>>>,
    refused: Arc<Mutex<Vec<String>>>,
    _task: JoinSet<()>,
}

type Shared = (Arc<Mutex<Vec<Value>>>, Arc<Mutex<Vec<String>>>, Speaker);

impl Service {
    pub(crate) async fn start() -> Self {
        Self::played_by(Speaker::Usual).await
    }

    /// One behind which somebody else speaks.
    pub(crate) async fn played_by(speaker: Speaker) -> Self {
        let (seen, refused) = (Arc::default(), Arc::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state: Shared = (Arc::clone(&seen), Arc::clone(&refused), speaker);
        let app = Router::new().fallback(answer).with_state(state);
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, seen, refused, _task: task }
    }

    pub(crate) fn seen(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn refused(&self) -> Vec<String> {
        self.refused.lock().unwrap().clone()
    }
}

async fn answer(
    State((seen, refused, speaker)): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let body: Value = serde_json::from_slice(&body).unwrap();
    let is_messages = uri.path() == "/v1/messages";
    let wrong = match uri.path() {
        "/v1/messages" => messages_rules(&headers, &body).err(),
        "/v1/responses" => responses_rules(&body).err(),
        _ => Some("Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. Please use /v1/responses instead.".to_owned()),
    };
    if let Some(wrong) = wrong {
        refused.lock().unwrap().push(wrong.clone());
        let error = json!({ "type": "error", "error": { "type": "invalid_request_error", "message": wrong } });
        return Response::builder()
            .status(400)
            .header("content-type", "application/json")
            .body(Body::from(error.to_string()))
            .unwrap();
    }
    let n = seen.lock().unwrap().len();
    let line = speaker.line(n, &body);
    let events =
        if is_messages { messages_answer((n, line), &body) } else { responses_answer(n, line) };
    seen.lock().unwrap().push(body);
    let stream: String = events
        .iter()
        .flat_map(|event| {
            let name = event["type"].as_str().unwrap();
            [format!("event: {name}\n"), format!("data: {event}\n\n")]
        })
        .collect();
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from(stream))
        .unwrap()
}

/// The conversation without marks, as far as a message.
fn before(body: &Value, at: usize) -> String {
    let mut body = body.clone();
    let mut said = body["messages"].take();
    let said = said.as_array_mut().unwrap();
    said.truncate(at);
    for message in said.iter_mut() {
        for block in message["content"].as_array_mut().unwrap() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
    }
    let mut hasher = DefaultHasher::new();
    format!("{}{}{}", body["system"][0]["text"], body["tools"], json!(said)).hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

fn messages_rules(headers: &HeaderMap, body: &Value) -> Result<(), String> {
    let must = |holds: bool, or: &str| if holds { Ok(()) } else { Err(or.to_owned()) };
    must(headers.get("anthropic-version").is_some(), "anthropic-version: header is required")?;
    must(body.get("temperature").is_none(), "`temperature` is deprecated for this model.")?;
    must(
        !matches!(body["tool_choice"]["type"].as_str(), Some("any" | "tool")),
        "tool_choice: forced tool use is not supported by this model",
    )?;
    must(body["max_tokens"].is_u64(), "max_tokens: Field required")?;
    let messages = body["messages"].as_array().unwrap();
    let marks = body.to_string().matches("cache_control").count();
    must(marks <= 4, "A maximum of 4 blocks with cache_control may be provided.")?;
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        must(
            message["role"] == role,
            "messages: roles must alternate between \"user\" and \"assistant\"",
        )?;
        let blocks = message["content"].as_array().unwrap();
        must(!blocks.is_empty(), "messages: content must be non-empty")?;
        let ids = |of: &Value, kind: &str, name: &str| -> Vec<String> {
            of["content"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|b| b["type"] == kind)
                .map(|b| b[name].as_str().unwrap().to_owned())
                .collect()
        };
        let calls = ids(message, "tool_use", "id");
        if role == "assistant" && !calls.is_empty() {
            let results = messages.get(at + 1).map(|next| ids(next, "tool_result", "tool_use_id"));
            must(
                results == Some(calls),
                "`tool_use` ids were found without `tool_result` blocks immediately after",
            )?;
        }
        for block in blocks {
            must(
                block["type"] != "text" || block["text"] != "",
                "text content blocks must be non-empty",
            )?;
            if block["type"] == "thinking" {
                must(
                    block["signature"] == format!("bound to {}", before(body, at)),
                    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
                )?;
            }
        }
    }
    Ok(())
}

/// A thought that is good in this conversation only, and the line in pieces.
fn messages_answer((n, line): (usize, Line), body: &Value) -> Vec<Value> {
    let signature = format!("bound to {}", before(body, usize::MAX));
    let (head, tail) = signature.split_at(9);
    let delta = |index: usize, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let start = |index: usize, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let mut events = vec![
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 1 } } }),
        start(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "Hm" })),
        json!({ "type": "ping" }),
        delta(0, json!({ "type": "signature_delta", "signature": head })),
        delta(0, json!({ "type": "signature_delta", "signature": tail })),
    ];
    if !line.text.is_empty() {
        events.push(start(1, json!({ "type": "text", "text": "" })));
        for piece in line.text.split_inclusive(' ') {
            events.push(delta(1, json!({ "type": "text_delta", "text": piece })));
        }
    }
    let calls = line.calls.len();
    for (call, (name, input)) in line.calls.into_iter().enumerate() {
        let index = 2 + call;
        let (head, tail) = input.split_at(1);
        events.push(start(index, json!({ "type": "tool_use", "id": format!("toolu_{n}_{call}"), "name": name, "input": {} })));
        for piece in [head, tail] {
            let piece = json!({ "type": "input_json_delta", "partial_json": piece });
            events.push(delta(index, piece));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let reason = if calls > 0 { "tool_use" } else { "end_turn" };
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 7 } }));
    events.push(json!({ "type": "message_stop" }));
    events
}

fn responses_rules(body: &Value) -> Result<(), String> {
    let must = |holds: bool, or: &str| if holds { Ok(()) } else { Err(or.to_owned()) };
    must(body["store"] == false, "store must be false")?;
    must(
        body.get("max_tokens").is_none() && body["max_output_tokens"].is_u64(),
        "Unknown parameter",
    )?;
    must(
        body.get("temperature").is_none(),
        "Unsupported parameter: 'temperature' is not supported with this model.",
    )?;
    let items = body["input"].as_array().unwrap();
    for (at, item) in items.iter().enumerate() {
        let call = item["call_id"].as_str();
        match item["type"].as_str() {
            Some("function_call") => {
                let answered = items[at..].iter().any(|later| {
                    later["type"] == "function_call_output" && later["call_id"].as_str() == call
                });
                must(answered, "No tool output found for function call")?;
                let thought = items[..at].iter().any(|item| {
                    item["type"] == "reasoning"
                        && item["encrypted_content"]
                            == format!("sealed {}", item["id"].as_str().unwrap())
                });
                must(
                    thought,
                    "Item of type function_call was provided without its required reasoning item",
                )?;
            }
            Some("function_call_output") => {
                let called = items[..at].iter().any(|item| {
                    item["type"] == "function_call" && item["call_id"].as_str() == call
                });
                must(called, "No tool call found for function call output")?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn responses_answer(n: usize, line: Line) -> Vec<Value> {
    let done = |item: Value| json!({ "type": "response.output_item.done", "item": item });
    let id = format!("rs_{n}");
    let mut events = vec![
        json!({ "type": "response.created", "response": { "status": "in_progress" } }),
        done(
            json!({ "type": "reasoning", "id": id, "summary": [], "encrypted_content": format!("sealed {id}") }),
        ),
    ];
    if !line.text.is_empty() {
        for piece in line.text.split_inclusive(' ') {
            events.push(json!({ "type": "response.output_text.delta", "delta": piece }));
        }
        events.push(done(
            json!({ "type": "message", "id": format!("msg_{n}"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": line.text, "annotations": [] }] }),
        ));
    }
    for (call, (name, arguments)) in line.calls.into_iter().enumerate() {
        events.push(done(json!({ "type": "function_call", "id": format!("fc_{n}_{call}"), "call_id": format!("call_{n}_{call}"),
            "name": name, "arguments": arguments })));
    }
    events.push(json!({ "type": "response.completed", "response": { "status": "completed", "error": null,
        "usage": { "input_tokens": 100, "output_tokens": 7, "input_tokens_details": { "cached_tokens": 90 } } } }));
    events
}
