//! Any service that speaks OpenAI's chat completions and embeddings, over HTTP.
//!
//! One request, one answer: whether to try again, elsewhere or not at all is [`super::steady`]'s to decide. Redirects
//! are not followed, for the key would go with them; requests and answers have bounds in size and time.

mod failure;
pub mod stream;
mod vectors;
pub mod wire;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use reqwest::{Response, StatusCode, Url, header};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::{
    Embedded, Embedder, Model, Sink,
    chat::{Completion, Request},
    error::{Error, Fault, Stage, Told},
};
use crate::{
    clock::{Clock, retry_after},
    config::llm::{Endpoint, Service, is_loopback},
    ids::Ids,
};

/// Most of a failed answer that is read to learn why, in bytes.
const FAILURE_MAX: usize = 64 * 1024;

/// How long a service may keep a stream open after its answer is whole, to say what it cost.
const LINGER: Duration = Duration::from_secs(2);

/// Headers in which services tell how they call a request.
const REQUEST_IDS: [&str; 4] = ["x-request-id", "x-generation-id", "apim-request-id", "request-id"];

/// Longest request id that is kept, in bytes.
const REQUEST_ID_MAX: usize = 128;

/// A service that answers for one purpose.
#[derive(Debug)]
pub struct Client {
    name: String,
    service: Service,
    http: reqwest::Client,
    base: Url,
    authorization: Option<(header::HeaderName, header::HeaderValue)>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
}

impl Client {
    /// A client of one service; `name` is what its vectors' space is called. Makes no connection yet.
    pub fn new(
        name: &str,
        endpoint: &Endpoint,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Result<Self, Error> {
        let unusable = || Error::Misconfigured(Told::default());
        let service = endpoint.service.clone();
        let base = Url::parse(&service.base_url).map_err(|_| unusable())?;
        let is_near = is_loopback(&base);
        let mut http = reqwest::Client::builder()
            .connect_timeout(service.connect.0)
            .redirect(reqwest::redirect::Policy::none())
            .https_only(!is_near)
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")));
        if is_near {
            http = http.no_proxy();
        }
        let authorization = match &endpoint.key {
            Some(key) => {
                let (name, text) = match &service.dialect.key_header {
                    Some(name) => (name.as_str(), key.expose().to_owned()),
                    None => ("authorization", format!("Bearer {}", key.expose())),
                };
                let name = name.parse().map_err(|_| unusable())?;
                let mut value: header::HeaderValue = text.parse().map_err(|_| unusable())?;
                value.set_sensitive(true);
                Some((name, value))
            }
            None => None,
        };
        let http = http.build().map_err(|_| unusable())?;
        Ok(Self { name: name.to_owned(), service, http, base, authorization, clock, ids })
    }

    /// `base_url` with a path added; a query stays.
    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.split('/'));
        }
        url
    }

    async fn send(&self, path: &str, body: &Value) -> Result<Reply, Error> {
        let body = body.to_string();
        let max = self.service.request_mb * 1024 * 1024;
        if body.len() > max {
            return Err(Error::TooLarge { bytes: body.len(), max });
        }
        let id = self.ids.fresh().simple().to_string();
        let mut request = self
            .http
            .post(self.url(path))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream, application/json")
            .header("x-client-request-id", &id)
            .body(body);
        if let Some((name, value)) = &self.authorization {
            request = request.header(name.clone(), value.clone());
        }
        let times = Times::starting(&self.service);
        let (deadline, stage) = times.first();
        let sent = timeout_at(deadline, request.send()).await;
        let response = sent.map_err(|_elapsed| Error::Timeout(stage))?.map_err(|e| unsent(&e))?;
        let request_id = request_id(&response);
        tracing::debug!(request.id = %id, provider.request_id = request_id, status = response.status().as_u16(), "the model's provider answers");
        let left = self.service.response_mb * 1024 * 1024;
        let mut reply = Reply { response, request_id, times, left, begun: false };
        if reply.response.status() == StatusCode::OK {
            return Ok(reply);
        }
        Err(reply.failure(self.clock.as_ref()).await)
    }
}

#[async_trait]
impl Model for Client {
    async fn chat(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, Error> {
        if let Some(why) = request.disorder() {
            return Err(Error::Invalid(why));
        }
        let mut reply = self.send("chat/completions", &wire::chat(&self.service, request)).await?;
        let mut completion = match reply.form(self.service.dialect.stream)? {
            Form::Stream => reply.stream(self.ids.as_ref(), sink).await?,
            Form::Json => {
                let completion = stream::whole(&reply.all().await?, self.ids.as_ref())?;
                if !completion.text.is_empty() {
                    sink.words(&completion.text);
                }
                completion
            }
        };
        completion.request_id = reply.request_id;
        Ok(completion)
    }
}

#[async_trait]
impl Embedder for Client {
    async fn embed(&self, texts: &[String]) -> Result<Embedded, Error> {
        if texts.is_empty() {
            return Err(Error::Invalid("there is no text"));
        }
        let mut reply = self.send("embeddings", &wire::embeddings(&self.service, texts)).await?;
        if reply.form(false)? != Form::Json {
            return Err(Error::BadAnswer(Fault::ContentType));
        }
        let (vectors, usage) = vectors::read(&reply.all().await?, texts.len())?;
        Ok(Embedded { vectors, space: self.name.clone(), usage })
    }
}

/// The times of one request.
#[derive(Debug)]
struct Times {
    first: Instant,
    whole: Instant,
    idle: Duration,
}

impl Times {
    fn starting(service: &Service) -> Self {
        let now = Instant::now();
        let at = |period: Duration| now.checked_add(period).unwrap_or(now);
        Self { first: at(service.first_byte.0), whole: at(service.whole.0), idle: service.idle.0 }
    }

    fn first(&self) -> (Instant, Stage) {
        self.sooner(self.first, Stage::FirstByte)
    }

    fn next(&self, within: Duration) -> (Instant, Stage) {
        let now = Instant::now();
        self.sooner(now.checked_add(within).unwrap_or(now), Stage::Idle)
    }

    fn sooner(&self, at: Instant, stage: Stage) -> (Instant, Stage) {
        if at < self.whole { (at, stage) } else { (self.whole, Stage::Whole) }
    }
}

/// In which form an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Stream,
    Json,
}

/// An answer that is coming in.
#[derive(Debug)]
struct Reply {
    response: Response,
    request_id: Option<String>,
    times: Times,
    /// Bytes that may still come.
    left: usize,
    /// Some have come.
    begun: bool,
}

impl Reply {
    /// What it is by its own word; what we asked for where it has none. Some answer without a stream when they were
    /// asked for one.
    fn form(&self, streamed: bool) -> Result<Form, Error> {
        let Some(kind) = self.response.headers().get(header::CONTENT_TYPE) else {
            return Ok(if streamed { Form::Stream } else { Form::Json });
        };
        let kind = kind.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
        match kind.to_ascii_lowercase().as_str() {
            "text/event-stream" => Ok(Form::Stream),
            "application/json" => Ok(Form::Json),
            _ => Err(Error::BadAnswer(Fault::ContentType)),
        }
    }

    /// The next bytes, within `idle`.
    async fn next(&mut self, idle: Duration) -> Result<Option<Vec<u8>>, Error> {
        let (deadline, stage) = if self.begun { self.times.next(idle) } else { self.times.first() };
        let next = timeout_at(deadline, self.response.chunk()).await;
        let next = next.map_err(|_elapsed| Error::Timeout(stage))?;
        let Some(bytes) = next.map_err(|_broken| Error::Cut)? else { return Ok(None) };
        self.begun = true;
        self.left = self.left.checked_sub(bytes.len()).ok_or(Error::BadAnswer(Fault::Size))?;
        Ok(Some(bytes.to_vec()))
    }

    async fn all(&mut self) -> Result<Vec<u8>, Error> {
        let mut all = Vec::new();
        while let Some(bytes) = self.next(self.times.idle).await? {
            all.extend_from_slice(&bytes);
        }
        Ok(all)
    }

    async fn stream(&mut self, ids: &dyn Ids, sink: &mut dyn Sink) -> Result<Completion, Error> {
        let mut reader = stream::Reader::default();
        let mut heard = |words: &str| sink.words(words);
        while !reader.is_done() {
            let idle = if reader.is_whole() { LINGER } else { self.times.idle };
            match self.next(idle).await {
                Ok(Some(bytes)) => reader.push(&bytes, &mut heard)?,
                Ok(None) | Err(Error::Cut) => break,
                Err(Error::Timeout(_)) if reader.is_whole() => break,
                Err(error) => return Err(error),
            }
        }
        reader.finish(ids, &mut heard)
    }

    /// What an answer with another status than 200 means.
    async fn failure(&mut self, clock: &dyn Clock) -> Error {
        self.left = FAILURE_MAX;
        let said = |name: &str| self.response.headers().get(name)?.to_str().ok();
        // Some say it more finely.
        let finely = said("retry-after-ms").and_then(|ms| ms.trim().parse().ok());
        let retry_after = finely
            .map(Duration::from_millis)
            .or_else(|| retry_after(said(header::RETRY_AFTER.as_str())?, clock.now()));
        let status = self.response.status().as_u16();
        // The status says enough where the body cannot be read.
        let body = self.all().await.unwrap_or_default();
        failure::of_status(status, &body, retry_after, self.request_id.clone())
    }
}

fn request_id(response: &Response) -> Option<String> {
    let headers = response.headers();
    let id = REQUEST_IDS.iter().find_map(|name| headers.get(*name))?.to_str().ok()?;
    let fits = id.len() <= REQUEST_ID_MAX && id.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| id.to_owned())
}

fn unsent(error: &reqwest::Error) -> Error {
    match (error.is_timeout(), error.is_connect(), error.is_builder()) {
        (true, true, _) => Error::Timeout(Stage::Connect),
        (true, false, _) => Error::Timeout(Stage::FirstByte),
        (false, _, true) => Error::Misconfigured(Told::default()),
        (false, _, false) => Error::Transient { told: Told::default(), retry_after: None },
    }
}
