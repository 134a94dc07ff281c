//! A model that has no memory, so that it may be asked again: it asks for a colour, and finds earth of that colour.

use axum::{Json, Router, body::Body, http::Response, routing::post};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};

/// The service, on loopback.
pub(crate) struct Digger {
    pub(crate) url: String,
    _serving: JoinSet<()>,
}

impl Digger {
    pub(crate) async fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let router = Router::new().route("/v1/chat/completions", post(answer));
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, _serving: serving }
    }
}

async fn answer(Json(request): Json<Value>) -> Response<Body> {
    let messages = request["messages"].as_array().unwrap();
    let results = messages.iter().filter(|message| message["role"] == "tool").count();
    let (delta, finish) = if results == 0 {
        let options = json!([{ "id": "red", "label": "Red" }, { "id": "blue", "label": "Blue" }]);
        let args = json!({ "prompt": "Which colour?", "options": options }).to_string();
        let function = json!({ "name": "get_user_option", "arguments": args });
        let call = json!({ "index": 0, "id": "call_1", "type": "function", "function": function });
        (json!({ "role": "assistant", "tool_calls": [call] }), "tool_calls")
    } else {
        let said = json!({ "found": "red earth" }).to_string();
        (json!({ "role": "assistant", "content": said }), "stop")
    };
    let pieces = [
        json!({ "choices": [{ "index": 0, "delta": delta }] }),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }),
        json!({ "choices": [],
            "usage": { "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 } }),
    ];
    let [call, end, usage] = pieces;
    let stream = format!("data: {call}\n\ndata: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
    Response::builder()
        .header("content-type", "text/event-stream")
        .body(Body::from(stream))
        .unwrap()
}
