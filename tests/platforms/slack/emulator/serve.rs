//! What Slack serves over HTTP: the Web API, files, answers to interactions, the page of a channel.

use std::{convert::Infallible, io, sync::Weak, time::Instant};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, Path, Query, State},
    http::{HeaderMap, Response, Uri},
    routing::{any, get, post},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::TimeDelta;
use futures::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{
    BOT_USER, CLIENT_ID, Inner, Slack,
    args::Args,
    calls::{Answered, Asked},
    faults::Fault,
    page,
    state::{Call, Message},
};

type Shared = State<Weak<Inner>>;
type Answer = Result<Response<Body>, Infallible>;

/// Serves until the emulator is gone.
pub(super) async fn http(inner: Weak<Inner>, listener: TcpListener) {
    let app = Router::new()
        .route("/api/{method}", any(api))
        .route("/files-pri/{id}/download/{name}", get(download))
        .route("/upload/{id}", post(upload))
        .route("/response/{id}", post(respond))
        .route("/page/{channel}", get(draw))
        .route("/oauth/v2/authorize", get(authorize))
        .layer(DefaultBodyLimit::disable())
        .with_state(inner);
    axum::serve(listener, app).await.ok();
}

#[expect(clippy::unnecessary_wraps, reason = "what handlers answer")]
fn answer(status: u16, kind: &str, body: impl Into<Body>) -> Answer {
    Ok(Response::builder().status(status).header("content-type", kind).body(body.into()).unwrap())
}

fn gone() -> Answer {
    answer(503, "text/plain", "gone")
}

#[expect(clippy::too_many_lines, reason = "read, answer, note, fail")]
async fn api(
    State(inner): Shared,
    Path(method): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let Some(slack) = Slack::from_inner(&inner) else { return gone() };
    let header =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_json = header("content-type").starts_with("application/json") && !body.is_empty();
    let mut args = Args::of_form(uri.query().unwrap_or_default());
    if is_json {
        let Some(read) = Args::of_json(&body) else {
            return answer(
                200,
                "application/json",
                json!({ "ok": false, "error": "invalid_json" }).to_string(),
            );
        };
        args.0.extend(read.0);
    } else {
        args.0.extend(Args::of_form(&String::from_utf8_lossy(&body)).0);
    }
    let authorization = header("authorization");
    let basic = authorization.strip_prefix("Basic ").and_then(|basic| STANDARD.decode(basic).ok());
    let basic = basic.and_then(|basic| String::from_utf8(basic).ok());
    let bearer = authorization.strip_prefix("Bearer ").map(str::to_owned);
    let token = bearer.or(basic).or_else(|| args.maybe("token").map(str::to_owned));
    args.0.remove("token");

    let channel = args.maybe("channel").or_else(|| args.maybe("channel_id")).unwrap_or_default();
    let fault = slack.with(|state| state.faults.take(&method, channel));
    let asked = Asked { method: &method, token: token.as_deref(), is_json, args: &args };
    let answered = match fault {
        Some(fault) if !fault.happens() => refused(fault),
        _ => slack.with(|state| state.answer(&asked)),
    };
    let status = if matches!(fault, Some(Fault::Broken | Fault::BrokenAfter)) {
        503
    } else {
        answered.status
    };
    slack.with(|state| {
        let body = Value::Object(args.0.clone());
        state.calls.push(Call {
            method: method.clone(),
            body,
            status,
            answer: answered.body.clone(),
            at: Instant::now(),
        });
    });
    match fault {
        Some(Fault::Hang | Fault::HangAfter) => std::future::pending().await,
        Some(Fault::Cut | Fault::CutAfter) => {
            let cut = stream::once(async {
                Err::<Bytes, _>(io::Error::from(io::ErrorKind::ConnectionReset))
            });
            return answer(200, "application/json", Body::from_stream(cut));
        }
        Some(Fault::Broken | Fault::BrokenAfter) => {
            return answer(503, "text/html", "<h1>upstream</h1>");
        }
        _ => {}
    }
    let mut response = Response::builder()
        .status(answered.status)
        .header("content-type", "application/json; charset=utf-8")
        .header("x-oauth-scopes", answered.scopes);
    if let Some(seconds) = answered.retry_after {
        response = response.header("retry-after", seconds);
    }
    Ok(response.body(answered.body.to_string().into()).unwrap())
}

/// How a call fails that does not happen.
fn refused(fault: Fault) -> Answered {
    match fault {
        Fault::TooMany(seconds) => Answered::too_many(seconds),
        Fault::Says(error) => {
            let body = json!({ "ok": false, "error": error });
            Answered { status: 200, retry_after: None, scopes: String::new(), body }
        }
        _ => Answered { status: 503, retry_after: None, scopes: String::new(), body: Value::Null },
    }
}

async fn download(
    State(inner): Shared,
    Path((id, _)): Path<(String, String)>,
    headers: HeaderMap,
) -> Answer {
    let Some(slack) = Slack::from_inner(&inner) else { return gone() };
    let authorization =
        headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let token = authorization.strip_prefix("Bearer ").unwrap_or_default().to_owned();
    let fault = slack.with(|state| state.faults.take("download", ""));
    match fault {
        Some(Fault::Hang | Fault::HangAfter) => std::future::pending().await,
        Some(Fault::TooMany(_)) => return answer(429, "text/plain", ""),
        Some(_) => return answer(503, "text/html", "<h1>upstream</h1>"),
        None => {}
    }
    let found = slack.look(|state| {
        let (_, file) = id.split_once('-')?;
        let file = state.files.get(file).filter(|file| !file.is_tombstone)?;
        let token = state.tokens.get(&token)?;
        let may = !token.is_revoked && token.scopes.contains("files:read");
        may.then(|| (file.mimetype.clone(), file.bytes.clone()))
    });
    match found {
        Some((mimetype, bytes)) => answer(200, &mimetype, bytes),
        // What anybody gets who may not: a page to sign in.
        None => answer(
            200,
            "text/html; charset=utf-8",
            "<!DOCTYPE html><title>Slack</title><h1>Sign in</h1>",
        ),
    }
}

async fn upload(State(inner): Shared, Path(id): Path<String>, body: Bytes) -> Answer {
    let Some(slack) = Slack::from_inner(&inner) else { return gone() };
    let known = slack.with(|state| {
        let fault = state.faults.take("upload", "");
        let file = state.files.get_mut(&id).filter(|_| fault.is_none())?;
        file.bytes = body.to_vec();
        Some(())
    });
    match known {
        Some(()) => answer(200, "text/plain", format!("OK - {}", body.len())),
        None => answer(500, "text/plain", ""),
    }
}

async fn respond(State(inner): Shared, Path(id): Path<String>, body: Bytes) -> Answer {
    let Some(slack) = Slack::from_inner(&inner) else { return gone() };
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return answer(400, "text/plain", "invalid_payload");
    };
    let answered = slack.with(|state| {
        let now = state.now();
        let Some(at) = state.response_urls.get_mut(&id) else { return Err((404, "expired_url")) };
        if now - at.at > TimeDelta::minutes(30) || at.uses >= 5 {
            return Err((404, "used_url"));
        }
        at.uses += 1;
        let at = at.clone();
        let problems = match &body["blocks"] {
            Value::Null => Vec::new(),
            given => super::blocks::problems(given, super::blocks::Surface::Message),
        };
        if !problems.is_empty() {
            return Err((400, "invalid_blocks"));
        }
        state.calls.push(Call {
            method: "response_url".to_owned(),
            body: body.clone(),
            status: 200,
            answer: json!({ "ok": true }),
            at: Instant::now(),
        });
        let channel = state.channels.get_mut(&at.channel).ok_or((404, "expired_url"))?;
        let original = at.message.filter(|ts| channel.messages.contains_key(ts));
        if body["delete_original"] == true {
            original.and_then(|ts| channel.messages.remove(&ts));
            return Ok(());
        }
        let text = body["text"].as_str().unwrap_or_default().to_owned();
        if let (Some(ts), true) = (original, body["replace_original"] == true) {
            let message = channel.messages.get_mut(&ts).unwrap();
            message.text = text;
            message.blocks = body["blocks"].clone();
            message.is_edited = true;
            return Ok(());
        }
        let only_for = (body["response_type"] != "in_channel").then_some(at.user);
        let thread = body["thread_ts"].as_str().map(str::to_owned);
        let message = Message {
            user: BOT_USER.to_owned(),
            text,
            blocks: body["blocks"].clone(),
            only_for,
            thread,
            ..Message::default()
        };
        state.post(&at.channel, message);
        Ok(())
    });
    match answered {
        Ok(()) => answer(200, "application/json", json!({ "ok": true }).to_string()),
        Err((status, error)) => answer(status, "text/plain", error),
    }
}

async fn draw(State(inner): Shared, Path(channel): Path<String>) -> Answer {
    let Some(slack) = Slack::from_inner(&inner) else { return gone() };
    match slack.look(|state| page::draw(state, &channel)) {
        Some(page) => answer(200, "text/html; charset=utf-8", page),
        None => answer(404, "text/plain", "no such channel"),
    }
}

/// The page on which somebody agrees to install the app; here they always do.
async fn authorize(
    State(inner): Shared,
    Query(query): Query<std::collections::BTreeMap<String, String>>,
) -> Answer {
    let Some(slack) = Slack::from_inner(&inner) else { return gone() };
    let get = |name: &str| query.get(name).cloned().unwrap_or_default();
    if get("client_id") != CLIENT_ID {
        return answer(400, "text/plain", "invalid_client_id");
    }
    let code = slack.with(|state| {
        let team = state.teams.keys().next_back().cloned().unwrap_or_default();
        let is_org = state.org_installs;
        state.consent(&team, is_org)
    });
    let mut back = reqwest::Url::parse(&get("redirect_uri")).unwrap();
    back.query_pairs_mut().append_pair("code", &code).append_pair("state", &get("state"));
    let redirect = Response::builder().status(302).header("location", back.as_str());
    Ok(redirect.body(Body::empty()).unwrap())
}
