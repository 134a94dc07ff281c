//! Interactions as requests of Discord.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{
        HeaderMap, StatusCode,
        header::{CONTENT_LENGTH, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
    routing::post,
};
use futures::stream;
use serde_json::Value;
use serenity::interactions_endpoint::Verifier;
use tokio::time::Instant;

use super::{Error, acknowledge::Intake};
use crate::{
    base::clock::Clock,
    chat::{
        Drawing,
        signed::{self, Door, Refusal, Server, Signed, text},
    },
    gateway::discord::{
        inbound::{Ack, Callback},
        kinds::{InteractionType, kind},
        limits,
    },
    model::session::Platform,
    net::listener::Port,
};

/// Where requests come in, below the address.
pub const PATH: &str = "/discord/interactions";

/// Headers of a signed request.
const SIGNATURE: &str = "x-signature-ed25519";
const TIMESTAMP: &str = "x-signature-timestamp";

/// Hexadecimal digits of a signature: 64 bytes (RFC 8032).
const SIGNATURE_DIGITS: usize = 128;

struct Receiver {
    verifier: Verifier,
    intake: Arc<Intake>,
    door: Door,
}

/// Takes the address, unless its port is open already.
pub(super) fn bind(
    listen: SocketAddr,
    public_key: &str,
    intake: Arc<Intake>,
    clock: Arc<dyn Clock>,
    port: Option<Port>,
) -> Result<Server, Error> {
    let verifier = verifier(public_key).ok_or(Error::PublicKey)?;
    let receiver = Receiver { verifier, intake, door: Door::new(Platform::Discord, clock) };
    let routes = Router::new().route(PATH, post(receive)).with_state(Arc::new(receiver));
    let failed = |why| Error::Bind { address: listen, why };
    let port = port.map_or_else(|| Port::bind(listen), Ok).map_err(failed)?;
    Ok(Server::on(port, routes, Router::new()))
}

/// None where it is not 64 hexadecimal digits, or no point of the curve.
fn verifier(public_key: &str) -> Option<Verifier> {
    let mut key = [0; 32];
    if public_key.len() != 64 || !public_key.is_ascii() {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(public_key.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Verifier::try_new(key).ok()
}

async fn receive(
    State(receiver): State<Arc<Receiver>>,
    request: Request<Body>,
) -> Result<Response, Refusal> {
    receiver.door.receive(request, &*receiver, |_, body| receiver.take(body)).await
}

/// An answer that closes a card. Discord does not say whether it takes what stands in a response: the card counts as drawn
/// once the response is handed to the connection in time, and a press on one that was not draws it again.
fn closing(answer: &Value, drawing: Arc<Drawing>, began: Instant) -> Response {
    let body = Bytes::from(answer.to_string());
    let length = body.len();
    let writing = async move {
        if began.elapsed() < limits::FIRST_ANSWER {
            drawing.taken();
        }
        Ok::<_, Infallible>(body)
    };
    let headers =
        [(CONTENT_TYPE, "application/json".to_owned()), (CONTENT_LENGTH, length.to_string())];
    (headers, Body::from_stream(stream::once(writing))).into_response()
}

impl Receiver {
    async fn take(&self, body: Bytes) -> Result<Response, Refusal> {
        // From here on it is Discord who speaks.
        let payload: Value = serde_json::from_slice(&body).map_err(|_| Refusal::NotUnderstood)?;
        if payload["type"].as_u64().map(kind) == Some(InteractionType::Ping) {
            return Ok(Json(Callback::PONG).into_response());
        }
        let began = Instant::now();
        let ack = self.intake.requested(&payload).await.map_err(|_| Refusal::NotSaved)?;
        Ok(match (ack.body(), ack) {
            (Some(answer), Ack::Close(_, drawing)) => closing(&answer, drawing, began),
            (Some(answer), _) => Json(answer).into_response(),
            // The answer comes by itself, if at all.
            (None, _) => StatusCode::ACCEPTED.into_response(),
        })
    }
}

impl Signed for Receiver {
    fn claimed(&self, headers: &HeaderMap) -> Option<i64> {
        signed::hexadecimal(text(headers, SIGNATURE)?, SIGNATURE_DIGITS)?;
        text(headers, TIMESTAMP)?.parse().ok()
    }

    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let verified = || {
            let (signature, at) = (text(headers, SIGNATURE)?, text(headers, TIMESTAMP)?);
            self.verifier.verify(signature, at, body).ok()
        };
        verified().is_some()
    }
}
