//! A service on loopback that answers as it is told, with every fault that a network and a provider can have.

use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, Uri},
};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::scripted::Gate;

/// What it does with one request.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    pieces: Vec<Bytes>,
    /// After so many pieces, it waits here.
    gate: Option<(usize, Gate)>,
    /// How long each piece takes.
    pub(crate) pace: Duration,
    ending: Ending,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// As it should.
    Whole,
    /// The connection breaks.
    Cut,
    /// Nothing more comes.
    Stall,
    /// Not even a status comes.
    Silence,
    /// It never ends.
    Giant,
}

impl Reply {
    /// Anything.
    pub(crate) fn new(status: u16, kind: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type", kind.to_owned())];
        let (pieces, pace) = (vec![body.into()], Duration::ZERO);
        Self { status, headers, pieces, gate: None, pace, ending: Ending::Whole }
    }

    /// JSON.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    /// A stream of events, one a piece, with `[DONE]` at the end.
    pub(crate) fn stream(events: &[Value]) -> Self {
        let events = events.iter().map(|event| format!("data: {event}\n\n"));
        let pieces = events.chain(["data: [DONE]\n\n".to_owned()]).map(Bytes::from).collect();
        Self { pieces, ..Self::new(200, "text/event-stream; charset=utf-8", "") }
    }

    /// A stream that says something.
    pub(crate) fn says(text: &str) -> Self {
        Self::says_in_pieces(&[text])
    }

    /// The same in several pieces, which come after the first of its stream.
    pub(crate) fn says_in_pieces(texts: &[&str]) -> Self {
        let words = texts.iter().map(|text| json!({ "content": text })).collect::<Vec<_>>();
        Self::completion(&words, "stop")
    }

    /// A stream that calls a tool.
    pub(crate) fn calls(tool: &str, args: &Value) -> Self {
        let function = json!({ "name": tool, "arguments": args.to_string() });
        let call = json!({ "index": 0, "id": "call_1", "type": "function", "function": function });
        Self::completion(&[json!({ "tool_calls": [call] })], "tool_calls")
    }

    fn completion(deltas: &[Value], finish: &str) -> Self {
        let choice = |delta: &Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
        let mut events = vec![choice(&json!({ "role": "assistant", "content": "" }))];
        events.extend(deltas.iter().map(choice));
        events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }));
        events.push(json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9 } }));
        Self::stream(&events)
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Waits after so many pieces until the gate is open.
    pub(crate) fn held_by(mut self, pieces: usize, gate: &Gate) -> Self {
        self.gate = Some((pieces, gate.clone()));
        self
    }

    /// Only so many pieces, then another ending.
    pub(crate) fn ending(mut self, pieces: usize, ending: Ending) -> Self {
        self.pieces.truncate(pieces);
        self.ending = ending;
        self
    }
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    /// The body as it came.
    pub(crate) raw: Bytes,
}

#[derive(Debug, Default)]
struct Script {
    /// Played in order; the last one again and again.
    replies: Vec<Reply>,
    seen: Vec<Seen>,
}

/// The service.
#[derive(Debug)]
pub(crate) struct Provider {
    /// Where it is.
    pub(crate) url: String,
    script: Arc<Mutex<Script>>,
    _task: JoinSet<io::Result<()>>,
}

impl Provider {
    pub(crate) async fn start(replies: &[Reply]) -> Self {
        Self::start_at(([127, 0, 0, 1], 0).into(), replies).await
    }

    /// At an address that its answers may name.
    pub(crate) async fn start_at(address: SocketAddr, replies: &[Reply]) -> Self {
        let script = Arc::new(Mutex::new(Script { replies: replies.to_vec(), seen: Vec::new() }));
        let listener = tokio::net::TcpListener::bind(address).await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let mut task = JoinSet::new();
        task.spawn(async move { axum::serve(listener, app).await });
        Self { url, script, _task: task }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.script.lock().unwrap().seen.clone()
    }
}

async fn answer(
    State(script): State<Arc<Mutex<Script>>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, Infallible> {
    let reply = {
        let mut script = script.lock().unwrap();
        let (raw, body) = (body.clone(), serde_json::from_slice(&body).unwrap_or_default());
        script.seen.push(Seen { path: uri.to_string(), headers, body, raw });
        let at = script.seen.len().min(script.replies.len()) - 1;
        script.replies[at].clone()
    };
    let pace = reply.pace;
    let (at, gate) = reply.gate.unzip();
    let given = stream::iter(reply.pieces.into_iter().enumerate()).then(move |(n, piece)| {
        let gate = gate.clone().filter(|_| at == Some(n));
        async move {
            tokio::time::sleep(pace).await;
            if let Some(gate) = gate {
                gate.pass().await;
            }
            Ok::<_, io::Error>(piece)
        }
    });
    let body = match reply.ending {
        Ending::Whole => Body::from_stream(given),
        Ending::Cut => {
            // What came before must leave first.
            let cut = stream::once(async {
                tokio::task::yield_now().await;
                Err(io::ErrorKind::ConnectionReset.into())
            });
            Body::from_stream(given.chain(cut))
        }
        Ending::Stall => Body::from_stream(given.chain(stream::pending())),
        Ending::Giant => {
            let more = stream::repeat_with(|| Ok(Bytes::from(vec![b' '; 64 * 1024])));
            Body::from_stream(given.chain(more))
        }
        Ending::Silence => std::future::pending().await,
    };
    let mut response = Response::builder().status(reply.status);
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    Ok(response.body(body).unwrap())
}
