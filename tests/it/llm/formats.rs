//! The two other formats, against services that hold requests to the rules that their pages state.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex},
};

use anteroom::llm::{
    Error, Message, Model, Request, Silent,
    chat::{Blob, Finish, Part, ToolChoice},
};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, Uri},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{
    Ear, ask,
    emulator::Line,
    provider::{Provider, Reply},
    rules::{client, converse, request},
};

/// A service that speaks one of the formats.
pub(super) struct Service {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<Value>>>,
    refused: Arc<Mutex<Vec<String>>>,
    _task: JoinSet<()>,
}

type Shared = (Arc<Mutex<Vec<Value>>>, Arc<Mutex<Vec<String>>>, Arc<Vec<Line>>);

impl Service {
    async fn start() -> Self {
        Self::playing(Vec::new()).await
    }

    /// One that says these lines in turn.
    pub(super) async fn playing(lines: Vec<Line>) -> Self {
        let (seen, refused) = (Arc::default(), Arc::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state: Shared = (Arc::clone(&seen), Arc::clone(&refused), Arc::new(lines));
        let app = Router::new().fallback(answer).with_state(state);
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, seen, refused, _task: task }
    }

    pub(super) fn seen(&self) -> Vec<Value> {
        self.seen.lock().unwrap().clone()
    }

    pub(super) fn refused(&self) -> Vec<String> {
        self.refused.lock().unwrap().clone()
    }
}

async fn answer(
    State((seen, refused, lines)): State<Shared>,
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
    let usual = || Line {
        text: "Words 0",
        calls: vec![("get_user_option", json!({ "n": n })); [2, 1, 1, 0][n % 4]],
    };
    let line = lines.get(n).cloned().unwrap_or_else(usual);
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
        let (index, input) = (2 + call, input.to_string());
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
            "name": name, "arguments": arguments.to_string() })));
    }
    events.push(json!({ "type": "response.completed", "response": { "status": "completed", "error": null,
        "usage": { "input_tokens": 100, "output_tokens": 7, "input_tokens_details": { "cached_tokens": 90 } } } }));
    events
}

#[tokio::test]
async fn messages_are_led_without_a_refusal_and_thoughts_go_back() {
    for writes in [false, true] {
        let service = Service::start().await;
        let client = client(&service.url, "provider = \"anthropic\"\nkey_env = \"KEY\"\n");
        let told = converse(&client, writes).await.unwrap();
        assert_eq!(service.refused(), [""; 0]);
        let last = service.seen().pop().unwrap().to_string();
        let answers = told.iter().filter(|m| matches!(m, Message::Assistant { .. })).count();
        assert_eq!(last.matches("\"thinking\":\"Hm\"").count(), answers - 1, "{last}");
        assert!(last.contains("toolu_0_1"), "{last}");
    }
}

#[tokio::test]
async fn thoughts_of_another_conversation_are_left_out() {
    let service = Service::start().await;
    let client = client(&service.url, "provider = \"anthropic\"\n");
    let mut told = converse(&client, false).await.unwrap();
    let sent = async |messages: &[Message], tools: bool| {
        let mut request = request(messages.to_vec());
        if tools {
            request.tools[0].description = "Another.".to_owned();
        }
        client.chat(&request, &mut Silent).await.unwrap();
        service.seen().pop().unwrap().to_string().matches("\"type\":\"thinking\"").count()
    };
    assert_ne!(sent(&told, false).await, 0);
    assert_eq!(sent(&told, true).await, 0, "with other tools");
    told[1] = Message::user("<note>The conversation so far, in short: …</note>");
    assert_eq!(sent(&told, false).await, 0, "shortened");
    assert_eq!(service.refused(), [""; 0]);
}

#[tokio::test]
async fn messages_carry_files_choices_and_marks() {
    let service = Service::start().await;
    let client = client(&service.url, "provider = \"anthropic\"\nreasoning_effort = \"low\"\n");
    let bytes = Blob(Arc::from(b"bytes".as_slice()));
    let parts = vec![
        Part::Text("Here".to_owned()),
        Part::Image { media_type: "image/png".to_owned(), bytes: bytes.clone() },
        Part::File { name: "cv.pdf".to_owned(), media_type: "application/pdf".to_owned(), bytes },
    ];
    let mut request = request(vec![Message::System("Be brief.".to_owned()), Message::User(parts)]);
    request.choice = ToolChoice::Required;
    let mut ear = Ear::default();
    let answer = client.chat(&request, &mut ear).await.unwrap();
    assert_eq!((ear.heard.as_str(), answer.finish), ("Words 0", Finish::ToolCalls));
    assert_eq!((answer.usage.input, answer.usage.cached, answer.usage.output), (100, 90, 7));
    assert_eq!(answer.calls[0].raw, "{\"n\":0}");
    let mut body = service.seen().pop().unwrap();
    body.as_object_mut().unwrap().remove("tools");
    insta::assert_snapshot!(serde_json::to_string(&body).unwrap(), @r#"{"model":"m","max_tokens":16000,"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"stream":true,"tool_choice":{"type":"auto"},"messages":[{"role":"user","content":[{"type":"text","text":"Here"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"Ynl0ZXM="}},{"type":"document","title":"cv.pdf","source":{"type":"base64","media_type":"application/pdf","data":"Ynl0ZXM="},"cache_control":{"type":"ephemeral"}}]}],"output_config":{"effort":"low"}}"#);
}

#[tokio::test]
async fn an_overloaded_service_may_be_asked_again() {
    let overloaded = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let provider = Provider::start(&[Reply::json(529, &overloaded)]).await;
    let error =
        client(&provider.url, "provider = \"anthropic\"\n").chat(&ask("Hello"), &mut Silent).await;
    let error = error.unwrap_err();
    assert!(error.passes() && matches!(error, Error::Transient { .. }), "{error}");
    assert!(error.to_string().contains("529, overloaded_error"), "{error}");
    // In the middle of a stream there is no status.
    let stream = format!("event: error\ndata: {overloaded}\n\n");
    let provider = Provider::start(&[Reply::new(200, "text/event-stream", stream)]).await;
    let error =
        client(&provider.url, "provider = \"anthropic\"\n").chat(&ask("Hello"), &mut Silent).await;
    assert!(error.unwrap_err().passes());
}

#[tokio::test]
async fn an_answer_of_messages_may_come_at_once_or_break_off() {
    let whole = json!({ "content": [{ "type": "text", "text": "Yes" }], "stop_reason": "end_turn",
        "usage": { "input_tokens": 3, "output_tokens": 1 } });
    let provider = Provider::start(&[Reply::json(200, &whole)]).await;
    let more = "provider = \"anthropic\"\n[llm.interview.dialect]\nstream = false\n";
    let answer = client(&provider.url, more).chat(&ask("Hello"), &mut Silent).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish, answer.usage.input), ("Yes", Finish::Stop, 3));
    assert_eq!(provider.seen()[0].path, "/v1/messages");
    let begun = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "Ye" } });
    let stream = format!("data: {begun}\n\n");
    let provider = Provider::start(&[Reply::new(200, "text/event-stream", stream)]).await;
    let answer =
        client(&provider.url, "provider = \"anthropic\"\n").chat(&ask("Hello"), &mut Silent).await;
    assert_eq!(answer, Err(Error::Cut));
}

#[tokio::test]
async fn responses_are_led_by_setting_or_after_one_refusal() {
    let set = "provider = \"openai\"\n[llm.interview.dialect]\nwire = \"responses\"\nreplay = \"always\"\ntemperature = false\n";
    for (more, refusals) in [(set, 0), ("", 2)] {
        for writes in [false, true] {
            let service = Service::start().await;
            converse(&client(&service.url, more), writes).await.unwrap();
            assert_eq!(service.refused().len(), refusals, "{:?}", service.refused());
            let last = service.seen().pop().unwrap();
            assert!(last["input"].to_string().contains("sealed rs_0"), "{last}");
        }
    }
}

#[tokio::test]
async fn a_request_to_responses_has_their_form() {
    let service = Service::start().await;
    let more = "reasoning_effort = \"low\"\n[llm.interview.dialect]\nwire = \"responses\"\ntemperature = false\n";
    let request = Request {
        choice: ToolChoice::Required,
        ..request(vec![Message::System("Be brief.".to_owned()), Message::user("Hello")])
    };
    let answer = client(&service.url, more).chat(&request, &mut Silent).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.finish, answer.calls.len()),
        ("Words 0", Finish::ToolCalls, 2)
    );
    assert_eq!((answer.usage.input, answer.usage.cached), (100, 90));
    insta::assert_snapshot!(serde_json::to_string(&service.seen()[0]).unwrap(), @r#"{"model":"m","input":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"input_text","text":"Hello"}]}],"tools":[{"type":"function","name":"get_user_option","description":"Asks.","parameters":{"type":"object","properties":{}},"strict":false}],"tool_choice":"required","max_output_tokens":2000,"reasoning":{"effort":"low"},"store":false,"include":["reasoning.encrypted_content"],"stream":true}"#);
}
