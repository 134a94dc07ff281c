//! A scripted interviewer behind an address, as services have it: chat completions, streamed.

use anteroom::{
    ids::CallId,
    llm::{
        Message, Request,
        chat::{ToolCall, ToolSpec},
    },
};
use axum::{Json, Router, body::Body, extract::State, http::Response, routing::post};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::reader::Reader;

/// The service.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) url: String,
    _task: JoinSet<()>,
}

impl Service {
    pub(super) async fn start(reader: Reader) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let app = Router::new().route("/v1/chat/completions", post(answer)).with_state(reader);
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, _task: task }
    }
}

async fn answer(State(reader): State<Reader>, Json(body): Json<Value>) -> Response<Body> {
    // Nothing but a judge asks for JSON.
    if body["response_format"]["type"].is_string() {
        return streamed(
            &json!({ "content": "{\"grade\": 4, \"remark\": \"Ask less.\"}" }),
            "stop",
        );
    }
    let (text, calls) = reader.answer(&request(&body));
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(n, call)| {
            json!({ "index": n, "id": call.id.to_string(), "type": "function",
                "function": { "name": call.name, "arguments": call.raw } })
        })
        .collect();
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    streamed(&json!({ "content": text, "tool_calls": calls }), finish)
}

fn streamed(delta: &Value, finish: &str) -> Response<Body> {
    let chunks = [
        json!({ "choices": [{ "index": 0, "delta": delta }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }),
        json!({ "choices": [], "usage": { "prompt_tokens": 1_000, "completion_tokens": 50, "total_tokens": 1_050 } }),
    ];
    let stream = chunks.map(|chunk| format!("data: {chunk}\n\n")).concat();
    let response = Response::builder().header("content-type", "text/event-stream");
    response.body(Body::from(format!("{stream}data: [DONE]\n\n"))).unwrap()
}

/// A request as it came over the wire.
fn request(body: &Value) -> Request {
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    let message = |message: &Value| match message["role"].as_str().unwrap() {
        "system" => Message::System(text(message)),
        "assistant" => {
            let calls = message["tool_calls"].as_array().into_iter().flatten().map(|call| {
                let of = |key: &str| call["function"][key].as_str().unwrap().to_owned();
                let id = CallId::new(call["id"].as_str().unwrap());
                ToolCall { id, name: of("name"), raw: of("arguments") }
            });
            Message::assistant(text(message), calls.collect())
        }
        "tool" => {
            let call = CallId::new(message["tool_call_id"].as_str().unwrap());
            Message::Tool { call, content: text(message) }
        }
        _ => Message::user(text(message)),
    };
    let tool = |tool: &Value| ToolSpec {
        name: tool["function"]["name"].as_str().unwrap().to_owned(),
        description: String::new(),
        parameters: Value::Null,
        strict: false,
    };
    let all = |key: &str| body[key].as_array().cloned().unwrap_or_default();
    Request {
        messages: all("messages").iter().map(message).collect(),
        tools: all("tools").iter().map(tool).collect(),
        ..Request::default()
    }
}
