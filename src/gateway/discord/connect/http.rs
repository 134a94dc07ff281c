//! Interactions as requests of Discord: signed, short, few at one time, and looked at only after all of that.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use metrics::counter;
use serde_json::{Value, json};
use serenity::interactions_endpoint::Verifier;
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::sync::CancellationToken;
use tower_http::timeout::TimeoutLayer;

use super::{Error, intake::Intake};
use crate::{
    clock::Clock,
    listen::{Bounded, Bounds},
    telemetry::metric,
};

/// Where requests come in, below the address.
pub const PATH: &str = "/discord/interactions";

/// Longest body that is read, in bytes; five inputs of 4,000 characters and a message are far below.
const BODY_MAX: usize = 1024 * 1024;

/// Longest time for a request, its body and the answer: Discord has given up after three seconds.
const REQUEST_MAX: Duration = Duration::from_secs(6);

/// Requests in hand at one time; with [`BODY_MAX`] this bounds memory. Those beyond are told to come again.
const IN_HAND_MAX: usize = 64;

/// Connections from outside: a proxy keeps few.
const BOUNDS: Bounds =
    Bounds { connections: 256, idle: Duration::from_secs(30), stopping: Duration::from_secs(4) };

/// Oldest signature, in seconds; ours. What is played back later than this is not looked at, even where what it
/// repeats has been erased and is not recognised any more.
const AGE_MAX: i64 = 5 * 60;

/// A bound server.
#[derive(Debug)]
pub(super) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    routes: Router,
}

struct Receiver {
    verifier: Verifier,
    intake: Arc<Intake>,
    clock: Arc<dyn Clock>,
    places: Semaphore,
}

impl Server {
    pub(super) async fn bind(
        listen: SocketAddr,
        public_key: &str,
        intake: Arc<Intake>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let verifier = verifier(public_key).ok_or(Error::PublicKey)?;
        let failed = |source| Error::Bind { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let receiver = Receiver { verifier, intake, clock, places: Semaphore::new(IN_HAND_MAX) };
        let routes = Router::new()
            .route(PATH, post(receive))
            .with_state(Arc::new(receiver))
            .route("/healthz", get(|| async { "ok" }))
            .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, REQUEST_MAX));
        Ok(Self { listener, address, routes })
    }

    /// Where it listens; the port is a real one.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `shutdown`; requests in hand are finished.
    pub(super) async fn serve(self, shutdown: CancellationToken) -> Result<(), Error> {
        axum::serve(Bounded::new(self.listener, BOUNDS, shutdown.clone()), self.routes)
            .with_graceful_shutdown(shutdown.cancelled_owned())
            .await
            .map_err(Error::Serve)
    }
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

/// Why a request was not taken.
enum Refusal {
    TooMany,
    TooLong,
    NotSigned,
    TooOld,
    NotUnderstood,
    NotSaved,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::TooMany | Self::NotSaved => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            // Discord looks from time to time whether a wrong signature is told from a right one.
            Self::NotSigned | Self::TooOld => StatusCode::UNAUTHORIZED,
            Self::NotUnderstood => StatusCode::BAD_REQUEST,
        }
        .into_response()
    }
}

async fn receive(
    State(receiver): State<Arc<Receiver>>,
    request: Request<Body>,
) -> Result<Response, Refusal> {
    let answered = receiver.receive(request).await;
    if let Err(refusal) = &answered {
        let why = match refusal {
            Refusal::TooMany => Some("discord_busy"),
            Refusal::TooLong => Some("discord_too_long"),
            Refusal::NotSigned => Some("discord_signature"),
            Refusal::TooOld => Some("discord_age"),
            Refusal::NotUnderstood => Some("discord_form"),
            Refusal::NotSaved => None,
        };
        if let Some(why) = why {
            counter!(metric::REFUSALS, "why" => why).increment(1);
            tracing::debug!(why, "a request to Discord's address was refused");
        }
    }
    answered
}

impl Receiver {
    async fn receive(&self, request: Request<Body>) -> Result<Response, Refusal> {
        let _place = self.places.try_acquire().map_err(|_| Refusal::TooMany)?;
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, BODY_MAX).await.map_err(|_| Refusal::TooLong)?;
        self.verify(&parts.headers, &body)?;
        // From here on it is Discord who speaks.
        let payload: Value = serde_json::from_slice(&body).map_err(|_| Refusal::NotUnderstood)?;
        if payload["type"] == 1 {
            return Ok(Json(json!({ "type": 1 })).into_response());
        }
        let ack = self.intake.requested(&payload).await.map_err(|_| Refusal::NotSaved)?;
        Ok(match ack.body() {
            Some(answer) => Json(answer).into_response(),
            // The answer comes by itself, if at all.
            None => StatusCode::ACCEPTED.into_response(),
        })
    }

    /// Checks the signature, and its age by our own clock.
    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<(), Refusal> {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        let (Some(signature), Some(at)) =
            (text("x-signature-ed25519"), text("x-signature-timestamp"))
        else {
            return Err(Refusal::NotSigned);
        };
        self.verifier.verify(signature, at, body).map_err(|()| Refusal::NotSigned)?;
        let at: i64 = at.parse().map_err(|_| Refusal::NotSigned)?;
        let age = self.clock.now().timestamp().saturating_sub(at);
        if age.saturating_abs() > AGE_MAX {
            tracing::warn!(
                seconds = age,
                "a request of Discord is too old, or this machine's clock is wrong"
            );
            return Err(Refusal::TooOld);
        }
        Ok(())
    }
}
