//! Requests of Slack: signed, short, few at one time, and looked at only after all of that.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use metrics::counter;
use serde_json::Value;
use slack_morphism::{
    SlackSigningSecret,
    signature_verifier::{SlackEventSignatureVerifier, SlackEventSignatureVerifierError},
};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::sync::CancellationToken;
use tower_http::timeout::TimeoutLayer;

use super::{
    Error,
    intake::{Intake, Kind},
};
use crate::{
    clock::Clock,
    config::settings::{SlackConnection, SlackTransport},
    gateway::slack::parse,
    listen::{Bounded, Bounds},
    telemetry::metric,
};

/// Longest body that is read, in bytes; Slack's own are far below.
const BODY_MAX: usize = 1024 * 1024;

/// Longest time for a request, its body and the answer: Slack has given up after three seconds.
const REQUEST_MAX: Duration = Duration::from_secs(6);

/// Longest time for a browser that installs the app: Slack is asked meanwhile.
const INSTALL_MAX: Duration = Duration::from_secs(20);

/// Requests in hand at one time; with [`BODY_MAX`] this bounds memory. Those beyond are told to come again.
const IN_HAND_MAX: usize = 64;

/// Connections from outside: a proxy keeps few.
const BOUNDS: Bounds =
    Bounds { connections: 256, idle: Duration::from_secs(30), stopping: Duration::from_secs(4) };

/// Oldest signature, in seconds (docs.slack.dev, "Verifying requests from Slack").
const AGE_MAX: i64 = SlackEventSignatureVerifier::MAX_TIMESTAMP_AGE_SECONDS;

/// A bound server.
#[derive(Debug)]
pub(super) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    routes: Router,
}

struct Receiver {
    verifier: SlackEventSignatureVerifier,
    intake: Arc<Intake>,
    clock: Arc<dyn Clock>,
    places: Semaphore,
}

impl Server {
    pub(super) async fn bind(
        settings: &SlackConnection,
        intake: Arc<Intake>,
        clock: Arc<dyn Clock>,
        further: Option<Router>,
    ) -> Result<Self, Error> {
        let failed = |source| Error::Bind { address: settings.listen, source };
        let listener = TcpListener::bind(settings.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let within = |longest| TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, longest);
        let mut routes = Router::new().route("/healthz", get(|| async { "ok" }));
        if let SlackTransport::Http { signing_secret } = &settings.transport {
            let secret = SlackSigningSecret::new(signing_secret.expose().to_owned());
            let receiver = Receiver {
                verifier: SlackEventSignatureVerifier::new(&secret),
                intake,
                clock,
                places: Semaphore::new(IN_HAND_MAX),
            };
            // One address is enough; Slack's settings have a field for each.
            let events = Router::new()
                .route("/slack/events", post(receive))
                .route("/slack/interactivity", post(receive))
                .route("/slack/commands", post(receive))
                .with_state(Arc::new(receiver));
            routes = routes.merge(events);
        }
        routes = routes.layer(within(REQUEST_MAX));
        if let Some(further) = further {
            routes = routes.merge(further.layer(within(INSTALL_MAX)));
        }
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
        // No word about retries: what was not saved must come again.
        match self {
            Self::TooMany | Self::NotSaved => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
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
            Refusal::TooMany => Some("slack_busy"),
            Refusal::TooLong => Some("slack_too_long"),
            Refusal::NotSigned => Some("slack_signature"),
            Refusal::TooOld => Some("slack_age"),
            Refusal::NotUnderstood => Some("slack_form"),
            Refusal::NotSaved => None,
        };
        if let Some(why) = why {
            counter!(metric::REFUSALS, "why" => why).increment(1);
            tracing::debug!(why, "a request to Slack's address was refused");
        }
    }
    answered
}

impl Receiver {
    async fn receive(&self, request: Request<Body>) -> Result<Response, Refusal> {
        let _place = self.places.try_acquire().map_err(|_| Refusal::TooMany)?;
        let (parts, body) = request.into_parts();
        let body = to_bytes(body, BODY_MAX).await.map_err(|_| Refusal::TooLong)?;
        let body = str::from_utf8(&body).map_err(|_| Refusal::NotSigned)?;
        self.verify(&parts.headers, body)?;
        // From here on it is Slack who speaks.
        if let Some(attempt) = text(&parts.headers, "x-slack-retry-num") {
            // It may be the only delivery; a repeat is recognised by its key.
            let reason = text(&parts.headers, "x-slack-retry-reason").unwrap_or_default();
            tracing::info!(attempt, reason, "Slack delivers something again");
        }
        let (kind, payload) = match read(&parts.headers, body)? {
            Read::Challenge(words) => return Ok(Json(words).into_response()),
            Read::Nothing => return Ok(StatusCode::OK.into_response()),
            Read::Payload(kind, payload) => (kind, payload),
        };
        match self.intake.take(kind, &payload, true).await {
            Ok(Some(answer)) => Ok(Json(answer).into_response()),
            Ok(None) => Ok(StatusCode::OK.into_response()),
            Err(_) => Err(Refusal::NotSaved),
        }
    }

    /// Checks the signature, and its age by our own clock.
    fn verify(&self, headers: &HeaderMap, body: &str) -> Result<(), Refusal> {
        let signature = text(headers, SlackEventSignatureVerifier::SLACK_SIGNED_HASH_HEADER);
        let at = text(headers, SlackEventSignatureVerifier::SLACK_SIGNED_TIMESTAMP);
        let (Some(signature), Some(at)) = (signature, at) else { return Err(Refusal::NotSigned) };
        match self.verifier.verify(signature, body, at) {
            // The library looks at the age last, by the machine's clock.
            Ok(()) | Err(SlackEventSignatureVerifierError::IncorrectOrExpiredTimestampError(_)) => {
            }
            Err(_) => return Err(Refusal::NotSigned),
        }
        let at: i64 = at.parse().map_err(|_| Refusal::NotSigned)?;
        let age = self.clock.now().timestamp().saturating_sub(at);
        if age.saturating_abs() > AGE_MAX {
            tracing::warn!(
                seconds = age,
                "a request of Slack is too old, or this machine's clock is wrong"
            );
            return Err(Refusal::TooOld);
        }
        Ok(())
    }
}

/// What a request holds.
enum Read {
    /// Slack asks whether somebody is here who knows the secret.
    Challenge(Value),
    /// Slack looks whether the address answers.
    Nothing,
    Payload(Kind, Value),
}

fn read(headers: &HeaderMap, body: &str) -> Result<Read, Refusal> {
    let kind = text(headers, header::CONTENT_TYPE.as_str()).unwrap_or_default();
    if kind.starts_with("application/json") {
        let payload: Value = serde_json::from_str(body).map_err(|_| Refusal::NotUnderstood)?;
        if payload["type"] == "url_verification" {
            return Ok(Read::Challenge(serde_json::json!({"challenge": payload["challenge"]})));
        }
        return Ok(Read::Payload(Kind::Event, payload));
    }
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return Err(Refusal::NotUnderstood);
    }
    let mut fields = Vec::new();
    for (name, value) in reqwest::Url::parse(&format!("http://form/?{body}"))
        .map_err(|_| Refusal::NotUnderstood)?
        .query_pairs()
    {
        if name == "payload" {
            let payload = serde_json::from_str(&value).map_err(|_| Refusal::NotUnderstood)?;
            return Ok(Read::Payload(Kind::Interaction, payload));
        }
        fields.push((name.into_owned(), value.into_owned()));
    }
    if fields.iter().any(|(name, _)| name == "ssl_check") {
        return Ok(Read::Nothing);
    }
    Ok(Read::Payload(Kind::Command, parse::form(fields)))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
