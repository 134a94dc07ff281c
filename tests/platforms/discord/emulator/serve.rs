//! Discord's requests and answers over HTTP: tokens, buckets, faults, and everything noted down.

use std::{convert::Infallible, future::pending, sync::Weak, time::Instant};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{FromRequest as _, Multipart, State as Shared},
    http::{HeaderMap, Method, Response, Uri},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{
    Inner,
    buckets::Told,
    calls::{self, Asked, Refusal},
    faults::Fault,
    page,
    state::{Recorded, State, TOKEN},
};

type Answer = Result<Response<Body>, Infallible>;

/// Serves until the emulator is gone.
pub(super) async fn http(inner: Weak<Inner>, listener: TcpListener) {
    let app = Router::new().fallback(any).with_state(inner);
    axum::serve(listener, app).await.ok();
}

async fn any(
    Shared(inner): Shared<Weak<Inner>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Answer {
    let Some(inner) = inner.upgrade() else { return plain(503, &Value::Null, None) };
    let header =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if uri.path().starts_with("/attachments/") || uri.path().starts_with("/ephemeral-attachments/")
    {
        let query = uri.query().unwrap_or_default();
        let (status, kind, bytes) = inner.with(|state| match state.faults.take("download", "") {
            Some(fault) => (refused_with(fault), "text/plain".to_owned(), Vec::new()),
            None => state.fetched(uri.path(), query),
        });
        let answer = Response::builder().status(status).header("content-type", kind);
        return Ok(answer.body(Body::from(bytes)).unwrap());
    }
    if let Some(name) = uri.path().strip_prefix("/page/") {
        let drawn = inner.with(|state| page::draw(state, name));
        let answer = Response::builder().status(if drawn.is_some() { 200 } else { 404 });
        let answer = answer.header("content-type", "text/html; charset=utf-8");
        return Ok(answer.body(Body::from(drawn.unwrap_or_default())).unwrap());
    }
    let path = uri.path().strip_prefix("/api/v10").unwrap_or_else(|| uri.path()).to_owned();
    let Some((route, names)) = calls::route(method.as_str(), &path) else {
        return plain(404, &json!({ "message": "404: Not Found", "code": 0 }), None);
    };
    let by_secret = path.starts_with("/interactions") || path.starts_with("/webhooks");
    let is_refused = header("authorization") != TOKEN || inner.with(|state| state.is_token_refused);
    if !by_secret && is_refused {
        let (method, path) = (method.to_string(), path.clone());
        let (body, reason) = (Value::Null, String::new());
        let at = Instant::now();
        let refused = Recorded { method, path, body, status: 401, reason, at };
        inner.with(|state| state.requests.push(refused));
        return plain(401, &json!({ "message": "401: Unauthorized", "code": 0 }), None);
    }
    let (body, files) = taken_apart(header("content-type"), body).await;
    let reason = decoded(header("x-audit-log-reason"));
    let query = uri.query().unwrap_or_default();
    let asked = Asked { route, names, query, body, files, reason };
    let (told, fault, answered) = inner.with(|state| carry_out(state, &asked));
    if matches!(fault, Some(Fault::Hang | Fault::HangAfter)) {
        return pending().await;
    }
    let (status, answer) = answered;
    if let Some(Fault::Turned(seconds)) = fault {
        let turned = Response::builder().status(429).header("retry-after", seconds);
        return Ok(turned.body(Body::from("error code: 1015")).unwrap());
    }
    inner.with(|state| {
        state.requests.push(Recorded {
            method: method.to_string(),
            path: path.clone(),
            body: asked.body.clone(),
            status,
            reason: asked.reason.clone(),
            at: Instant::now(),
        });
    });
    plain(status, &answer, told)
}

/// The status with which a file is refused.
const fn refused_with(fault: Fault) -> u16 {
    match fault {
        Fault::Says(status, _) => status,
        Fault::TooMany(_) | Fault::Wall(_) | Fault::Turned(_) => 429,
        Fault::Broken | Fault::BrokenAfter | Fault::Hang | Fault::HangAfter => 502,
    }
}

/// Counts a request, lets what is planned go wrong, and carries it out.
fn carry_out(state: &mut State, asked: &Asked<'_>) -> (Option<Told>, Option<Fault>, (u16, Value)) {
    state.flow();
    let about = asked.names.first().copied().unwrap_or_default();
    let told = state.buckets.count(asked.route, about, state.now);
    if let Some(told) = told.as_ref().filter(|told| told.refused.is_some()) {
        let body = too_many(told.reset_after.as_seconds_f64(), told.refused == Some("global"));
        return (Some(told.clone()), None, (429, body));
    }
    let fault = state.faults.take(asked.route, about);
    let answered = match fault {
        Some(Fault::TooMany(seconds)) => (429, too_many(seconds.into(), false)),
        Some(Fault::Turned(_)) => (429, Value::Null),
        Some(Fault::Wall(millis)) => (429, too_many(f64::from(millis) / 1000.0, true)),
        Some(Fault::Says(status, code)) => (status, json!({ "message": "planned", "code": code })),
        Some(fault) => {
            if fault.happens() {
                calls::call(state, asked).ok();
            }
            (502, Value::Null)
        }
        None => match calls::call(state, asked) {
            Ok(answered) => answered,
            Err(Refusal(status, code, words)) => {
                let mut body = json!({ "message": words, "code": code });
                if code == 50035 {
                    body["errors"] = errors(&words);
                }
                (status, body)
            }
        },
    };
    (told, fault, answered)
}

/// A body as JSON, and the files beside it.
async fn taken_apart(kind: &str, body: Bytes) -> (Value, Vec<(String, String, Vec<u8>)>) {
    if !kind.starts_with("multipart/form-data") {
        return (serde_json::from_slice(&body).unwrap_or(Value::Null), Vec::new());
    }
    let request = axum::http::Request::builder().header("content-type", kind);
    let request = request.body(Body::from(body)).unwrap();
    let mut parts = Multipart::from_request(request, &()).await.unwrap();
    let (mut json, mut files) = (Value::Null, Vec::new());
    while let Some(part) = parts.next_field().await.unwrap() {
        let name = part.name().unwrap_or_default().to_owned();
        let kind = part.content_type().unwrap_or_default().to_owned();
        let bytes = part.bytes().await.unwrap();
        if name == "payload_json" {
            json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        } else {
            files.push((name, kind, bytes.to_vec()));
        }
    }
    (json, files)
}

/// What is wrong with a body, nested as Discord nests it: by the names on the way there.
fn errors(words: &str) -> Value {
    let problems = words.trim_start_matches("Invalid Form Body: ");
    let mut errors = json!({});
    for problem in problems.split("; ") {
        // The name of what is wrong stands in it, in `…`.
        let place = problem.split('`').nth(1).unwrap_or("components");
        let (place, what) = (place.split(['.', ' ']).next().unwrap_or(place), problem);
        errors[place] = json!({ "_errors": [{ "code": "INVALID", "message": what }] });
    }
    errors
}

/// Reasons come encoded as addresses do.
fn decoded(text: &str) -> String {
    let url = reqwest::Url::parse(&format!("http://reason/?reason={text}")).unwrap();
    url.query_pairs().next().map(|(_, reason)| reason.into_owned()).unwrap_or_default()
}

fn too_many(seconds: f64, global: bool) -> Value {
    json!({ "message": "You are being rate limited.", "retry_after": seconds, "global": global })
}

#[expect(clippy::unnecessary_wraps, reason = "what handlers answer")]
fn plain(status: u16, body: &Value, told: Option<Told>) -> Answer {
    let mut answer = Response::builder().status(status).header("content-type", "application/json");
    if let Some(told) = told {
        let after = format!("{:.3}", told.reset_after.as_seconds_f64());
        answer = answer
            .header("x-ratelimit-bucket", told.bucket)
            .header("x-ratelimit-limit", told.limit)
            .header("x-ratelimit-remaining", told.remaining)
            .header("x-ratelimit-reset-after", &after);
        if let Some(scope) = told.refused {
            answer = answer.header("x-ratelimit-scope", scope).header("retry-after", &after);
            if scope == "global" {
                answer = answer.header("x-ratelimit-global", "true");
            }
        }
    }
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    Ok(answer.body(body).unwrap())
}
