//! The Web API: one call, with its token, its rates, its time limit.
//!
//! Tokens, bodies and addresses with arguments stay out of logs and errors: what the client library says about a
//! failure may hold all three, so only what [`failure`] draws from it is passed on. What a call answered goes to who
//! asked for it and nowhere else.

mod failure;
mod method;
mod proxy;
mod rate_limiter;
pub mod refusals;

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use metrics::{counter, histogram};
use rustls::ClientConfig;
use serde_json::Value;
use slack_morphism::{
    SlackApiToken, SlackApiTokenValue, SlackClientApiCallContext, SlackClientHttpApiUri,
    SlackClientHttpConnector, hyper_tokio::SlackClientHyperConnector,
};
use tokio::time::{Instant, timeout};

use self::{
    failure::{Trouble, trouble},
    proxy::Route,
    rate_limiter::RateLimiter,
};
use super::installations::Installations;
use crate::{
    base::telemetry::metric,
    config::{Proxies, Secret, SlackRates},
};

pub use self::{
    failure::Failure,
    method::{Method, Tier, Verb},
};

/// The client library's connector over our own TLS connector.
pub(crate) type Connector = SlackClientHyperConnector<HttpsConnector<Route>>;

/// Where Slack is.
pub const SLACK: &str = "https://slack.com/api";

/// Longest time for a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Longest time for a call, connection included; Slack itself answers within a few seconds or not at all.
const CALL_LIMIT: Duration = Duration::from_secs(15);

/// Longest wait for a place in a bucket, or for the end of a pause that Slack asked for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Longest wait for a place in a bucket, or for the end of a pause that Slack asked for, if a person's click expires
/// after three seconds.
const PATIENCE_FAST: Duration = Duration::from_millis(500);

/// Why there can be no client.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Plain http elsewhere would show tokens and answers to everyone on the way.
    #[error("`{0}` is neither https nor on this machine. hint: write an `https` address")]
    NotHttps(String),
    /// The system has no certificates.
    #[error("the certificates of this system cannot be read: {0}")]
    Certificates(#[from] std::io::Error),
}

/// Calls the Web API; cheap to clone.
#[derive(Clone)]
pub struct Api {
    inner: Arc<Inner>,
}

struct Inner {
    connector: Connector,
    base: String,
    installations: Arc<Installations>,
    limiter: RateLimiter,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base", &self.inner.base).finish_non_exhaustive()
    }
}

impl Api {
    /// A client of the Slack at `base`, with the tokens of `installations`. Plain http only to this machine.
    pub fn new(
        base: &str,
        installations: Arc<Installations>,
        rates: &SlackRates,
    ) -> Result<Self, Error> {
        Self::through(base, installations, rates, &Proxies::default())
    }

    /// Like [`Api::new`], through a proxy if `proxies` has one for that address.
    pub fn through(
        base: &str,
        installations: Arc<Installations>,
        rates: &SlackRates,
        proxies: &Proxies,
    ) -> Result<Self, Error> {
        let base = base.trim_end_matches('/').to_owned();
        let connector = connector(&base, proxies)?;
        let inner = Inner { connector, base, installations, limiter: RateLimiter::new(rates) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Where Slack is: `https://slack.com/api`.
    pub fn base(&self) -> &str {
        &self.inner.base
    }

    /// The workspaces and their tokens.
    pub fn installations(&self) -> &Arc<Installations> {
        &self.inner.installations
    }

    /// How often a method may be called in a workspace in a minute.
    pub fn per_minute(&self, method: Method) -> u32 {
        self.inner.limiter.per_minute(method)
    }

    /// Calls a method in a workspace. Waits at most a few seconds for its rate, then answers [`Failure::Later`].
    pub async fn call(&self, team: &str, method: Method, body: &Value) -> Result<Value, Failure> {
        let answered = self.inner.call(team, method, body).await;
        let outcome = answered.as_ref().err().map_or("ok", Failure::outcome);
        counter!(metric::SLACK_CALLS, "method" => method.name(), "outcome" => outcome).increment(1);
        if let Err(failure) = &answered {
            tell(method, failure);
        }
        answered
    }

    /// Calls a method with a token that belongs to no workspace yet, or to the app itself.
    pub(crate) async fn call_with(
        &self,
        token: &Secret,
        method: Method,
        body: Value,
    ) -> Result<Value, Failure> {
        let answered = self.inner.send(token, method, &body).await;
        answered.map_err(|trouble| {
            let failure = match trouble {
                Trouble::Limited(after) => Failure::Later { after },
                Trouble::BadToken(error) => Failure::Refused { error, messages: Vec::new() },
                Trouble::Other(failure) => failure,
            };
            tell(method, &failure);
            failure
        })
    }
}

impl Inner {
    async fn call(&self, team: &str, method: Method, body: &Value) -> Result<Value, Failure> {
        let channel = posted_to(method, body);
        let deadline = Instant::now() + patience(method);
        let mut renewed = false;
        loop {
            let token = self.installations.token(team).await?;
            let left = deadline.saturating_duration_since(Instant::now());
            let admitted = self.limiter.admit(team, method, channel, left).await;
            admitted.map_err(|after| Failure::Later { after })?;
            match self.send(&token, method, body).await {
                Ok(answer) => return Ok(answer),
                Err(Trouble::Other(failure)) => return Err(failure),
                Err(Trouble::Limited(after)) => {
                    self.limiter.pause(team, method, channel, after);
                    if Instant::now() + after > deadline {
                        return Err(Failure::Later { after });
                    }
                }
                // Another token may have come meanwhile; once.
                Err(Trouble::BadToken(code)) => {
                    if renewed || !self.installations.distrust(team, &token, &code).await {
                        return Err(Failure::TokenRejected);
                    }
                    renewed = true;
                }
            }
        }
    }

    async fn send(&self, token: &Secret, method: Method, body: &Value) -> Result<Value, Trouble> {
        self.limiter.tidy();
        let token = SlackApiToken::new(SlackApiTokenValue(token.expose().to_owned()));
        let span = tracing::Span::none();
        let context = SlackClientApiCallContext {
            rate_control_params: None,
            token: Some(&token),
            tracing_span: &span,
            // Else the library writes addresses with arguments into its log.
            is_sensitive_url: true,
        };
        let address = self.connector.create_method_uri_path(method.name());
        let began = Instant::now();
        let sent = async {
            let answer: Value = match method.verb() {
                Verb::Post => self.connector.http_post_uri(address?, body, context).await?,
                Verb::Get => {
                    let arguments = arguments(body);
                    let arguments: Vec<(&str, Option<&String>)> = arguments
                        .iter()
                        .map(|(name, value)| (name.as_str(), Some(value)))
                        .collect();
                    let address =
                        SlackClientHttpApiUri::create_url_with_params(address?, &arguments)?;
                    self.connector.http_get_uri(address, context).await?
                }
            };
            Ok(answer)
        };
        let answered = timeout(CALL_LIMIT, sent).await;
        histogram!(metric::SLACK_CALL_SECONDS, "method" => method.name())
            .record(began.elapsed().as_secs_f64());
        let unclear = |why: &str| Trouble::Other(Failure::Unclear { why: why.to_owned() });
        match answered {
            Err(_) => Err(unclear("no answer in time")),
            Ok(Err(error)) => Err(trouble(&error, method)),
            Ok(Ok(answer)) if answer["ok"] == true => Ok(answer),
            Ok(Ok(_)) => Err(unclear("the answer is not Slack's")),
        }
    }
}

fn tell(method: Method, failure: &Failure) {
    let method = method.name();
    match failure {
        Failure::Later { after } => {
            tracing::debug!(slack.method = method, wait = ?after, "a call of Slack has to wait");
        }
        Failure::Unclear { why } => {
            tracing::warn!(slack.method = method, why, "Slack gave no clear answer");
        }
        Failure::Refused { error, messages } => {
            tracing::warn!(slack.method = method, error, at = ?messages, "Slack refused a call");
        }
        Failure::Unreachable => {
            tracing::warn!(slack.method = method, "Slack cannot be reached");
        }
        Failure::TokenRejected | Failure::NotInstalled => {
            tracing::debug!(slack.method = method, %failure, "a call of Slack was not made");
        }
    }
}

/// The connector for the Slack at `base`: https, or plain http to this machine.
pub fn connector(base: &str, proxies: &Proxies) -> Result<Connector, Error> {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    http.set_connect_timeout(Some(CONNECT_LIMIT));
    let route = Route { direct: http, proxies: Arc::new(proxies.clone()) };
    let builder = HttpsConnectorBuilder::new().with_tls_config(tls()?);
    let https = if base.starts_with("https://") {
        builder.https_only().enable_http1().enable_http2().wrap_connector(route)
    } else if is_here(base) {
        builder.https_or_http().enable_http1().wrap_connector(route)
    } else {
        return Err(Error::NotHttps(base.to_owned()));
    };
    Ok(Connector::with_connector(https).with_slack_api_url(base))
}

/// What TLS trusts: the certificates of this system. Reading all of them takes a while, so that is done once.
fn tls() -> Result<ClientConfig, Error> {
    static TLS: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(known) = TLS.get() {
        return Ok(known.clone());
    }
    let read = ClientConfig::builder().with_native_roots()?.with_no_client_auth();
    Ok(TLS.get_or_init(|| read).clone())
}

/// Whether an address is plain http on this machine.
pub(super) fn is_here(address: &str) -> bool {
    let Ok(address) = reqwest::Url::parse(address) else { return false };
    let host = address.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_loopback = host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    address.scheme() == "http" && (is_loopback || host == "localhost")
}

/// The channel whose rate counts.
fn posted_to(method: Method, body: &Value) -> Option<&str> {
    (method.tier() == Tier::Posting).then(|| body["channel"].as_str()).flatten()
}

/// How long a call may wait for its turn.
const fn patience(method: Method) -> Duration {
    match method {
        // Where there is no room for a stream, the words are posted plainly; words that it does not take come with the next
        // ones; a status is old by then.
        Method::StartStream
        | Method::AppendStream
        | Method::SessionStatus
        | Method::ThreadStatus => Duration::ZERO,
        Method::OpenView | Method::PushView | Method::UpdateView => PATIENCE_FAST,
        _ => PATIENCE,
    }
}

/// Arguments as they stand in an address.
fn arguments(body: &Value) -> Vec<(String, String)> {
    let members = body.as_object().into_iter().flatten();
    members
        .filter_map(|(name, value)| {
            let value = match value {
                Value::Null => return None,
                Value::String(text) => text.clone(),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    value.to_string()
                }
            };
            Some((name.clone(), value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use axum::{
        Router,
        body::Bytes,
        extract::State,
        http::{HeaderMap, StatusCode, Uri},
        response::IntoResponse,
    };
    use serde_json::json;
    use tokio::net::TcpListener;

    use super::*;
    use crate::{
        base::telemetry::ready::Ready as _,
        gateway::slack::{installations::Installation, tokens},
    };

    /// What was asked, and what is answered, in order; the last answer again and again.
    #[derive(Default)]
    struct Script {
        asked: Vec<String>,
        answers: Vec<(u16, &'static str, String)>,
    }

    type Shared = Arc<Mutex<Script>>;

    async fn answer(
        State(script): State<Shared>,
        uri: Uri,
        headers: HeaderMap,
        body: Bytes,
    ) -> impl IntoResponse {
        let mut script = script.lock().unwrap();
        let token = headers["authorization"].to_str().unwrap().to_owned();
        let body = String::from_utf8_lossy(&body);
        script.asked.push(format!("{uri} {token} {body}").trim_end().to_owned());
        let (status, content_type, text) = match script.answers.len() {
            0 => (200, "application/json", json!({"ok": true}).to_string()),
            1 => script.answers[0].clone(),
            _ => script.answers.remove(0),
        };
        let headers = [("content-type", content_type), ("retry-after", "7")];
        (StatusCode::from_u16(status).unwrap(), headers, text)
    }

    async fn slack(answers: &[(u16, Value)]) -> (Api, Shared) {
        let answers = answers
            .iter()
            .map(|(status, answer)| (*status, "application/json", answer.to_string()))
            .collect();
        let script = Arc::new(Mutex::new(Script { asked: Vec::new(), answers }));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/api", listener.local_addr().unwrap());
        #[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
        tokio::spawn(async move { axum::serve(listener, app).await });
        let installations = Installations::default();
        let installation = Installation { team: "T01".to_owned(), ..Installation::default() };
        installations.put(installation, Secret::new("xoxb-1"));
        (Api::new(&base, Arc::new(installations), &SlackRates::default()).unwrap(), script)
    }

    #[tokio::test]
    async fn what_writes_goes_as_json_and_what_reads_goes_in_the_address() {
        let (api, script) = slack(&[]).await;
        api.call("T01", Method::PostMessage, &json!({"channel": "C1", "text": "Hello"}))
            .await
            .unwrap();
        let arguments = json!({"user": "U1", "include_locale": true, "cursor": null});
        api.call("T01", Method::UserInfo, &arguments).await.unwrap();
        insta::assert_snapshot!(script.lock().unwrap().asked.join("\n"), @r#"
        /api/chat.postMessage Bearer xoxb-1 {"channel":"C1","text":"Hello"}
        /api/users.info?user=U1&include_locale=true Bearer xoxb-1
        "#);
    }

    #[tokio::test]
    async fn every_way_to_fail_says_whether_it_may_have_happened() {
        let failures = [
            (429, json!({"ok": false, "error": "ratelimited"})),
            (200, json!({"ok": false, "error": "ratelimited"})),
            (503, json!({})),
            (200, json!({"ok": false, "error": "fatal_error"})),
            (200, json!({"ok": false, "error": "channel_not_found"})),
            (200, json!({"ok": false, "error": "missing_scope", "needed": "chat:write"})),
            (200, json!({"hello": "there"})),
            (200, json!({"ok": false, "error": "token_revoked"})),
        ];
        let mut seen = Vec::new();
        for (status, answer) in failures {
            let (api, _) = slack(&[(status, answer)]).await;
            let failure = api.call("T01", Method::UpdateMessage, &json!({})).await.unwrap_err();
            seen.push(format!("{status}: {failure:?}"));
        }
        insta::assert_snapshot!(seen.join("\n"), @r#"
        429: Later { after: 7s }
        200: Later { after: 5s }
        503: Unclear { why: "status 503" }
        200: Unclear { why: "fatal_error" }
        200: Refused { error: "channel_not_found", messages: [] }
        200: Refused { error: "missing_scope", messages: ["needed: chat:write"] }
        200: Unclear { why: "the answer is not JSON" }
        200: TokenRejected
        "#);
    }

    #[tokio::test]
    async fn nobody_there_means_nothing_happened() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/api", listener.local_addr().unwrap());
        drop(listener);
        let installations = Installations::default();
        let installation = Installation { team: "T01".to_owned(), ..Installation::default() };
        installations.put(installation, Secret::new("xoxb-1"));
        let api = Api::new(&base, Arc::new(installations), &SlackRates::default()).unwrap();
        let failure = api.call("T01", Method::PostMessage, &json!({})).await.unwrap_err();
        assert_eq!(failure, Failure::Unreachable);
    }

    #[tokio::test]
    async fn a_question_that_nobody_answers_has_changed_nothing() {
        for (status, method, may_have_happened) in [
            (503, Method::PostMessage, true),
            (503, Method::Replies, false),
            (503, Method::OpenConversation, false),
            // Of something that breaks there, another question may well be answered.
            (500, Method::Replies, true),
        ] {
            let (api, _) = slack(&[(status, json!({}))]).await;
            let failure = api.call("T01", method, &json!({})).await.unwrap_err();
            let is_unclear = matches!(failure, Failure::Unclear { .. });
            assert_eq!(is_unclear, may_have_happened, "{status} {method:?}: {failure:?}");
            assert_eq!(failure == Failure::Unreachable, !may_have_happened);
        }
    }

    #[tokio::test]
    async fn a_revoked_token_is_used_again_once_slack_accepts_it() {
        let revoked = (200, json!({"ok": false, "error": "token_revoked"}));
        let accepted = (200, json!({"ok": true, "team_id": "T01"}));
        let (api, script) = slack(&[revoked.clone(), revoked, accepted]).await;
        let installations = api.installations();
        for _ in 0..3 {
            let failure = api.call("T01", Method::UpdateMessage, &json!({})).await.unwrap_err();
            assert_eq!(failure, Failure::TokenRejected);
        }
        assert_eq!(script.lock().unwrap().asked.len(), 1, "it is not tried for a call");
        assert!(installations.live().is_empty());
        insta::assert_snapshot!(installations.ready().unwrap_err(), @"Slack does not accept the bot's token: `token_revoked`. What was to be posted waits. hint: install the app in that workspace again");
        tokens::recheck(&api).await;
        assert!(installations.ready().is_err());
        let mut installed = installations.installed();
        tokens::recheck(&api).await;
        assert_eq!(
            (installed.recv().await.unwrap().team.as_str(), installations.ready()),
            ("T01", Ok(()))
        );
        api.call("T01", Method::UpdateMessage, &json!({})).await.unwrap();
    }

    #[tokio::test]
    async fn a_pause_of_slack_holds_for_the_next_call() {
        let limited = (429, json!({"ok": false, "error": "ratelimited"}));
        let (api, script) = slack(&[limited]).await;
        for _ in 0..2 {
            let body = json!({"channel": "C1", "text": "Hello"});
            let failure = api.call("T01", Method::PostMessage, &body).await.unwrap_err();
            assert!(matches!(failure, Failure::Later { .. }), "{failure:?}");
        }
        assert_eq!(script.lock().unwrap().asked.len(), 1, "the second did not go out");
    }

    #[test]
    fn plain_http_goes_nowhere_but_here() {
        let is_taken = |base: &str| connector(base, &Proxies::default()).is_ok();
        assert!(!is_taken("http://slack.example/api"));
        assert!(!is_taken("http://127.0.0.1.example.org/api"));
        assert!(is_taken("http://[::1]:4000/api"));
        assert!(is_taken(SLACK));
    }
}
