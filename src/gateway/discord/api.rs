//! The REST API: one call, with its token, its rates, its time limit, and repeats where they change nothing.
//!
//! Tokens, bodies and addresses stay out of logs and errors: an address of an answer to an interaction holds a secret,
//! and what a refusal quotes is what people wrote. Only what [`failure`] draws from an answer is passed on.
//!
//! A call that gave no clear answer is made again where a repeat changes nothing: a message has a name under which
//! Discord posts it once, an edit is an edit. A call whose repeat would be seen is never repeated.

mod calls;
pub mod class;
mod failure;
mod method;
mod rate_limiter;
mod trust;

use std::{fmt, sync::Arc, time::Duration};

use metrics::{counter, histogram};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url, header, redirect::Policy};
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};

use self::{
    rate_limiter::{RateLimiter, Told},
    trust::Trust,
};
use super::limits;
use crate::{
    base::telemetry::metric,
    chat::refusal::Class,
    config::{Secret, llm::is_loopback},
};

pub use self::{
    calls::{Answered, Near},
    failure::{Code, Failure},
    method::{Method, Verb},
};

/// Times a call is made again where a repeat changes nothing.
const REPEATS: u32 = 2;

/// Longest body of an answer that is read, in bytes.
const ANSWER_MAX: usize = 8 * 1024 * 1024;

/// Why there can be no client.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Plain http elsewhere would show tokens and answers to everyone on the way.
    #[error("`{0}` is neither https nor on this machine. hint: write an `https` address")]
    NotHttps(String),
    /// The client library refuses to begin.
    #[error("there is no HTTP client: {0}")]
    Client(#[from] reqwest::Error),
}

/// How long things may take; tests shorten it.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Longest time for a connection.
    pub connect: Duration,
    /// Longest time for a call, connection included.
    pub call: Duration,
    /// Longest wait for a place in a bucket, for the end of a pause that Discord asked for, and for repeats.
    pub patience: Duration,
    /// Longest wait, as [`Pace::patience`], where a person's click expires after three seconds.
    pub patience_fast: Duration,
    /// Pause before a call is made again; it doubles.
    pub pause: Duration,
    /// How often Discord is asked at most whether it takes the bot's token, once it has refused it.
    pub recheck: Duration,
    /// Calls in a second, over all routes but answers to interactions.
    pub per_second: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            call: Duration::from_secs(15),
            patience: Duration::from_secs(3),
            patience_fast: Duration::from_millis(500),
            pause: Duration::from_millis(250),
            recheck: Duration::from_secs(30),
            per_second: limits::CALLS_PER_SECOND,
        }
    }
}

/// Calls the REST API; cheap to clone.
#[derive(Clone)]
pub struct Api {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    base: String,
    token: Secret,
    limiter: RateLimiter,
    trust: Trust,
    pace: Pace,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base", &self.inner.base).finish_non_exhaustive()
    }
}

/// One call, with all that it needs.
struct Asked<'a> {
    method: Method,
    ids: Vec<&'a str>,
    query: Vec<(&'static str, String)>,
    body: Value,
    /// Stands in the server's audit log.
    reason: Option<&'a str>,
    /// A file that goes along: its name, its bytes.
    file: Option<(String, Vec<u8>)>,
}

impl<'a> Asked<'a> {
    fn new(method: Method, ids: &[&'a str]) -> Self {
        let (ids, query) = (ids.to_vec(), Vec::new());
        Self { method, ids, query, body: Value::Null, reason: None, file: None }
    }
}

/// How one attempt failed.
enum Trouble {
    /// 429, and how long to wait.
    Limited(Duration),
    /// It may have happened.
    Unclear(String),
    /// Nobody was reached, so nothing happened.
    Unreached,
    /// Discord did not take the bot's token, so nothing happened.
    Token,
    /// Anything that another attempt would not mend.
    Other(Failure),
}

impl Api {
    /// A client of the Discord at `base`. Plain http only to this machine.
    pub fn new(base: &str, token: Secret, pace: Pace) -> Result<Self, Error> {
        let base = base.trim_end_matches('/').to_owned();
        let url = Url::parse(&base).map_err(|_| Error::NotHttps(base.clone()))?;
        if url.scheme() != "https" && !is_loopback(&url) {
            return Err(Error::NotHttps(base));
        }
        let client = if url.scheme() == "https" {
            Client::builder().https_only(true)
        } else {
            // To this machine nothing goes by way of another one.
            Client::builder().no_proxy()
        };
        let client = client
            .connect_timeout(pace.connect)
            .redirect(Policy::none())
            // Discord turns away what does not call itself so (docs, reference).
            .user_agent(concat!(
                "DiscordBot (https://discord.com, ",
                env!("CARGO_PKG_VERSION"),
                ") Anteroom"
            ))
            .build()?;
        let (limiter, trust) = (RateLimiter::new(pace.per_second), Trust::new(pace.recheck));
        let inner = Inner { client, base, token, limiter, trust, pace };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Where Discord is: `https://discord.com/api/v10`.
    pub fn base(&self) -> &str {
        &self.inner.base
    }

    /// Whether Discord takes the bot's token as far as is known, and each change of that.
    pub(crate) fn token_works(&self) -> watch::Receiver<bool> {
        self.inner.trust.watch()
    }

    /// Asks Discord whether it takes the token, where it has refused it: at most every [`Pace::recheck`].
    pub(crate) async fn recheck_token(&self) {
        // What it says is told by the watch.
        _ = self.inner.trusted(false).await;
    }

    /// A question that needs no token, for who only wants to know whether Discord is there.
    pub fn knock(&self) -> RequestBuilder {
        self.inner.client.get(format!("{}/gateway", self.inner.base))
    }

    /// Makes a call. Waits at most a few seconds for its rate, then answers [`Failure::Later`].
    async fn call(&self, asked: Asked<'_>) -> Result<Value, Failure> {
        let answered = self.inner.call(&asked).await;
        let outcome = answered.as_ref().err().map_or("ok", Failure::outcome);
        counter!(metric::DISCORD_CALLS, "method" => asked.method.name(), "outcome" => outcome)
            .increment(1);
        if let Err(failure) = &answered {
            tell(asked.method, failure);
        }
        answered
    }
}

impl Inner {
    async fn call(&self, asked: &Asked<'_>) -> Result<Value, Failure> {
        if !asked.method.is_answer() {
            self.trusted(false).await?;
        }
        let answered = self.attempts(asked).await;
        if matches!((asked.method, &answered), (Method::Me, Err(Failure::BadToken))) {
            self.trust.refused().await;
        }
        answered
    }

    /// Whether Discord takes the token, as far as is known; it is asked where the last answer is old, and where `again`
    /// and it was not asked just now.
    async fn trusted(&self, again: bool) -> Result<(), Failure> {
        let ask = || async {
            match self.attempts(&Asked::new(Method::Me, &[])).await {
                Ok(_) => Some(true),
                Err(Failure::BadToken) => Some(false),
                // Nobody knows.
                Err(_) => None,
            }
        };
        if self.trust.holds(again, ask).await { Ok(()) } else { Err(Failure::BadToken) }
    }

    async fn attempts(&self, asked: &Asked<'_>) -> Result<Value, Failure> {
        let method = asked.method;
        let Some(path) = method.fill(&asked.ids) else { return Err(Failure::no_id()) };
        let about = method.about(&asked.ids);
        let deadline = Instant::now() + self.patience(method);
        let mut pause = self.pace.pause;
        // An attempt that may have happened is not undone by one that did not.
        let mut doubt: Option<String> = None;
        let later = |doubt: Option<String>, after: Failure| match doubt {
            Some(why) => Failure::Unclear { why },
            None => after,
        };
        let (mut repeats, mut doubted) = (0, false);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let pass = match self.limiter.admit(method, &about, left).await {
                Ok(pass) => pass,
                Err(after) => return Err(later(doubt, Failure::Later { after })),
            };
            let trouble = match self.send(asked, &path, pass).await {
                Ok(answer) => return Ok(answer),
                Err(trouble) => trouble,
            };
            match trouble {
                Trouble::Other(failure) => return Err(failure),
                Trouble::Limited(after) => {
                    if Instant::now() + after > deadline {
                        return Err(later(doubt, Failure::Later { after }));
                    }
                    // The limiter knows, and lets it wait; but for a first answer, of which it keeps no count.
                    if method == Method::Answer {
                        sleep(after).await;
                    }
                    continue;
                }
                Trouble::Token if method == Method::Me => return Err(Failure::BadToken),
                // One refusal is no proof.
                Trouble::Token => {
                    Box::pin(self.trusted(true)).await?;
                    if doubted {
                        return Err(later(doubt, Failure::Later { after: self.pace.recheck }));
                    }
                    doubted = true;
                    continue;
                }
                Trouble::Unclear(why) => doubt = Some(why),
                Trouble::Unreached => {}
            }
            let is_over = repeats == REPEATS || Instant::now() + pause > deadline;
            if is_over || (doubt.is_some() && !method.kind().may_repeat()) {
                return Err(later(doubt, Failure::Unreachable));
            }
            sleep(pause).await;
            pause *= 2;
            repeats += 1;
        }
    }

    /// How long a call may wait for its turn.
    fn patience(&self, method: Method) -> Duration {
        if method == Method::Answer { self.pace.patience_fast } else { self.pace.patience }
    }

    async fn send(
        &self,
        asked: &Asked<'_>,
        path: &str,
        pass: rate_limiter::Pass<'_>,
    ) -> Result<Value, Trouble> {
        let method = asked.method;
        let request = self.request(asked, path).map_err(Trouble::Other)?;
        let limit = if method == Method::Answer { limits::FIRST_ANSWER } else { self.pace.call };
        let began = Instant::now();
        let answered = timeout(limit, async {
            let mut response = self.client.execute(request).await?;
            let body = read(&mut response).await?;
            Ok::<_, reqwest::Error>((response, body))
        })
        .await;
        histogram!(metric::DISCORD_CALL_SECONDS, "method" => method.name())
            .record(began.elapsed().as_secs_f64());
        let unclear = |why: &str| Trouble::Unclear(why.to_owned());
        let (response, body) = match answered {
            Err(_) => return Err(unclear("no answer in time")),
            Ok(Err(error)) if error.is_connect() => return Err(Trouble::Unreached),
            Ok(Err(_)) => return Err(unclear("the connection was cut")),
            Ok(Ok(answered)) => answered,
        };
        let status = response.status();
        let body: Option<Value> = match body.as_deref() {
            Some([]) => Some(Value::Null),
            Some(bytes) => serde_json::from_slice(bytes).ok(),
            None => None,
        };
        let told = Told::read(status, response.headers(), body.as_ref());
        pass.told(&told);
        judge(method, status, body, told.wait())
    }

    fn request(&self, asked: &Asked<'_>, path: &str) -> Result<reqwest::Request, Failure> {
        let method = asked.method;
        let url = Url::parse(&format!("{}{path}", self.base)).map_err(|_| Failure::no_id())?;
        let verb = match method.verb() {
            Verb::Get => reqwest::Method::GET,
            Verb::Post => reqwest::Method::POST,
            Verb::Put => reqwest::Method::PUT,
            Verb::Patch => reqwest::Method::PATCH,
            Verb::Delete => reqwest::Method::DELETE,
        };
        let mut request = self.client.request(verb, url).query(&asked.query);
        if !method.is_answer() {
            // Interactions are answered with their own secret alone.
            let mut value = header::HeaderValue::from_str(&format!("Bot {}", self.token.expose()))
                .map_err(|_| Failure::BadToken)?;
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        if let Some(reason) = asked.reason {
            request = request.header("x-audit-log-reason", encoded(reason));
        }
        request = match &asked.file {
            Some((name, bytes)) => {
                let (kind, body) = parts(&asked.body, name, bytes);
                request.header(header::CONTENT_TYPE, kind).body(body)
            }
            None if !asked.body.is_null() => request.json(&asked.body),
            // Discord wants a length for an empty body, too.
            None if method.verb() != Verb::Get => request.header(header::CONTENT_LENGTH, 0),
            None => request,
        };
        request.build().map_err(|_| Failure::no_id())
    }
}

/// What an answer means. Of one that is longer than any of Discord's, nothing is known but its status.
fn judge(
    method: Method,
    status: StatusCode,
    body: Option<Value>,
    wait: Option<Duration>,
) -> Result<Value, Trouble> {
    let code = body.as_ref().and_then(|body| body["code"].as_u64()).unwrap_or(0);
    if let Some(wait) = wait {
        return Err(Trouble::Limited(wait));
    }
    // A rate, whatever the status says.
    let number = u32::try_from(code).unwrap_or(0);
    if let Class::Later { after } = class::of(number, status.as_u16()) {
        return Err(Trouble::Other(Failure::Later { after }));
    }
    match status.as_u16() {
        200..=299 => body.ok_or_else(|| Trouble::Unclear("the answer is not JSON".to_owned())),
        408 | 500..=599 => Err(Trouble::Unclear(format!("status {status}"))),
        // Without a code of its own it is the bot's token that is meant, not that of an interaction.
        401 if !method.is_answer() && matches!(code, 0 | 40_001 | 50_014) => Err(Trouble::Token),
        _ => {
            let body = body.unwrap_or_default();
            Err(Trouble::Other(failure::refused(status.as_u16(), &body)))
        }
    }
}

/// The body, where it is no longer than any of Discord's.
async fn read(response: &mut Response) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ANSWER_MAX {
            return Ok(None);
        }
    }
    Ok(Some(bytes))
}

/// A message with a file: what stands in it as JSON, then the file. Written by hand, since it has one shape; the
/// library's own would bring a list of all kinds of files.
fn parts(body: &Value, name: &str, bytes: &[u8]) -> (String, Vec<u8>) {
    // The name of a message is new each time, so nobody can have written this into a file.
    let boundary = format!("anteroom-{}", body["nonce"].as_str().unwrap_or("part"));
    let head = format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"payload_json\"\r\ncontent-type: application/json\r\n\r\n\
         {body}\r\n--{boundary}\r\ncontent-disposition: form-data; name=\"files[0]\"; filename=\"{name}\"\r\n\
         content-type: application/octet-stream\r\n\r\n"
    );
    let tail = format!("\r\n--{boundary}--\r\n");
    let whole = [head.as_bytes(), bytes, tail.as_bytes()].concat();
    (format!("multipart/form-data; boundary={boundary}"), whole)
}

/// A reason as it may stand in a header, cut where Discord would refuse it.
fn encoded(reason: &str) -> String {
    let cut = reason.chars().take(limits::AUDIT_REASON).collect::<String>();
    cut.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push('%');
            for digit in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(digit.into(), 16).map(|c| c.to_ascii_uppercase()));
            }
        }
        text
    })
}

fn tell(method: Method, failure: &Failure) {
    let method = method.name();
    match failure {
        Failure::Later { after } => {
            tracing::debug!(discord.method = method, wait = ?after, "a call of Discord has to wait");
        }
        Failure::Unreachable => {
            tracing::warn!(discord.method = method, "Discord cannot be reached");
        }
        Failure::Unclear { why } => {
            tracing::warn!(discord.method = method, why, "Discord gave no clear answer");
        }
        Failure::Refused { code, status, at } => {
            tracing::warn!(discord.method = method, %code, status, ?at, "Discord refused a call");
        }
        Failure::BadToken => {
            tracing::error!(discord.method = method, "Discord rejects the bot token");
        }
    }
}
