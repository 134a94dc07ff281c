//! Requests of Slack.

use std::{sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::Value;
use slack_morphism::{
    SlackSigningSecret,
    signature_verifier::{SlackEventSignatureVerifier, SlackEventSignatureVerifierError},
};

use super::{
    Error,
    acknowledge::{Intake, Kind},
};
use crate::{
    base::clock::Clock,
    chat::signed::{self, Door, Refusal, Server, Signed, text},
    config::settings::{SlackConnection, SlackTransport},
    gateway::slack::parse,
    model::session::Platform,
    net::listener::Port,
};

/// Longest time for a browser that installs the app: Slack is asked meanwhile.
const INSTALL_MAX: Duration = Duration::from_secs(20);

/// Hexadecimal digits of a signature: HMAC with SHA-256 (docs.slack.dev, "Verifying requests from Slack").
const SIGNATURE_DIGITS: usize = 64;

struct Receiver {
    verifier: SlackEventSignatureVerifier,
    intake: Arc<Intake>,
    door: Door,
}

/// Takes the address, unless its port is open already. `further` are the pages for those who install the app.
pub(super) fn bind(
    settings: &SlackConnection,
    intake: Arc<Intake>,
    clock: Arc<dyn Clock>,
    further: Option<Router>,
    port: Option<Port>,
) -> Result<Server, Error> {
    let routes = match &settings.transport {
        SlackTransport::Http { signing_secret } => {
            let secret = SlackSigningSecret::new(signing_secret.expose().to_owned());
            let receiver = Receiver {
                verifier: SlackEventSignatureVerifier::new(&secret),
                intake,
                door: Door::new(Platform::Slack, clock),
            };
            // One address is enough; Slack's settings have a field for each.
            Router::new()
                .route("/slack/events", post(receive))
                .route("/slack/interactivity", post(receive))
                .route("/slack/commands", post(receive))
                .with_state(Arc::new(receiver))
        }
        SlackTransport::Socket { .. } => Router::new(),
    };
    let further = further.unwrap_or_default().layer(signed::within(INSTALL_MAX));
    let failed = |why| Error::Bind { address: settings.listen, why };
    let port = port.map_or_else(|| Port::bind(settings.listen), Ok).map_err(failed)?;
    Ok(Server::on(port, routes, further))
}

async fn receive(
    State(receiver): State<Arc<Receiver>>,
    request: Request<Body>,
) -> Result<Response, Refusal> {
    let take = |headers, body| receiver.take(headers, body);
    receiver.door.receive(request, &*receiver, take).await
}

impl Receiver {
    async fn take(&self, headers: HeaderMap, body: Bytes) -> Result<Response, Refusal> {
        // From here on it is Slack who speaks.
        if let Some(attempt) = text(&headers, "x-slack-retry-num") {
            // It may be the only delivery; a repeat is recognised by its key.
            let reason = text(&headers, "x-slack-retry-reason").unwrap_or_default();
            tracing::info!(attempt, reason, "Slack delivers something again");
        }
        let body = str::from_utf8(&body).map_err(|_| Refusal::NotUnderstood)?;
        let (kind, payload) = match read(&headers, body)? {
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
}

impl Signed for Receiver {
    fn claimed(&self, headers: &HeaderMap) -> Option<i64> {
        let signature = text(headers, SlackEventSignatureVerifier::SLACK_SIGNED_HASH_HEADER)?;
        signed::hexadecimal(signature.strip_prefix("v0=")?, SIGNATURE_DIGITS)?;
        text(headers, SlackEventSignatureVerifier::SLACK_SIGNED_TIMESTAMP)?.parse().ok()
    }

    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let verified = || {
            let signature = text(headers, SlackEventSignatureVerifier::SLACK_SIGNED_HASH_HEADER)?;
            let at = text(headers, SlackEventSignatureVerifier::SLACK_SIGNED_TIMESTAMP)?;
            Some(self.verifier.verify(signature, str::from_utf8(body).ok()?, at))
        };
        match verified() {
            // The library looks at the age last, by the machine's clock; ours has looked before.
            Some(
                Ok(()) | Err(SlackEventSignatureVerifierError::IncorrectOrExpiredTimestampError(_)),
            ) => true,
            Some(Err(_)) | None => false,
        }
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
