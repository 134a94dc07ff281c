//! Any service that speaks OpenAI's chat completions and embeddings, over HTTP.
//!
//! One request, one answer: whether to try again, elsewhere or not at all is [`super::resilience`]'s to decide. Redirects
//! are not followed, for the key would go with them; requests and answers have bounds in size and time.

pub(super) mod failure;
mod limits;
mod opaque;
mod reader;
pub mod stream;
mod thoughts;
mod vectors;
pub mod wire;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use reqwest::{Response, StatusCode, Url, header};
use tokio::time::{Instant, timeout_at};

use self::reader::Reader;
use super::{
    Embedded, Embedder, Model, Sink, anthropic,
    chat::{Completion, Finish, Message, Part, Request},
    error::{Error, Fault, Said, Stage, Told},
    error_message,
    quirks::Quirk,
    responses,
};
use crate::{
    base::{
        clock::{Clock, retry_after},
        ids::Ids,
    },
    config::{
        dialect::Wire,
        llm::{Endpoint, Price, Service, is_loopback},
        preset::Profile,
    },
    model::usage::Usage,
};

/// Most of a failed answer that is read to learn why, in bytes.
const FAILURE_MAX: usize = 64 * 1024;

/// How long a service may keep a stream open after its answer is whole, to say what it cost.
const LINGER: Duration = Duration::from_secs(2);

/// Headers in which services tell how they call a request.
const REQUEST_IDS: [&str; 4] = ["x-request-id", "x-generation-id", "apim-request-id", "request-id"];

/// Most quirks that one request may show.
const QUIRKS_MAX: usize = 12;

/// Longest request id that is kept, in bytes.
const REQUEST_ID_MAX: usize = 128;

/// A service that answers for one purpose.
#[derive(Debug)]
pub struct Client {
    name: String,
    service: Service,
    http: reqwest::Client,
    base: Url,
    headers: header::HeaderMap,
    price: Option<Price>,
    /// How it is asked, as far as that is known by now.
    profile: Mutex<Profile>,
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
        let is_near = is_loopback(&base) || endpoint.plain;
        let profile = Profile::of(&service);
        let headers = headers(endpoint, &profile).ok_or_else(unusable)?;
        let mut http = reqwest::Client::builder()
            .connect_timeout(service.connect.0)
            .redirect(reqwest::redirect::Policy::none())
            .https_only(!is_near)
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")));
        if is_near {
            http = http.no_proxy();
        }
        let http = http.build().map_err(|_| unusable())?;
        let (name, price) = (name.to_owned(), endpoint.price);
        let profile = Mutex::new(profile);
        Ok(Self { name, service, http, base, headers, price, profile, clock, ids })
    }

    /// `base_url` with a path added; a query stays.
    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.split('/'));
        }
        url
    }

    async fn send(&self, path: &str, body: String) -> Result<Reply, Error> {
        let max = self.service.request_mb * 1024 * 1024;
        if body.len() > max {
            return Err(Error::TooLarge { bytes: body.len(), max });
        }
        let id = self.ids.fresh().simple().to_string();
        let request = self
            .http
            .post(self.url(path))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "text/event-stream, application/json")
            .header("x-client-request-id", &id)
            .headers(self.headers.clone())
            .body(body);
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
        let mut learnt: Vec<Quirk> = Vec::new();
        let mut spent = Usage::default();
        loop {
            let known = self.profile();
            let mut profile = known.clone();
            for quirk in &learnt {
                quirk.apply_once(&mut profile);
            }
            let mut streamed = Streamed { sink: &mut *sink, anything: false };
            let answer = self.once(&profile, request, &mut streamed).await;
            let may_repeat = !streamed.anything && learnt.len() < QUIRKS_MAX;
            let quirk = match &answer {
                // More room does not help where the conversation leaves none.
                Ok(_) if learnt.iter().any(|quirk| matches!(quirk, Quirk::Left(_))) => None,
                Ok(completion) => no_room(completion),
                Err(error) => error.told().and_then(|told| told.quirk.clone()),
            };
            let quirk = quirk.filter(|quirk| may_repeat && !learnt.contains(quirk));
            match (answer, quirk) {
                (answer, Some(quirk)) if quirk.is_passing() || self.learn(&known, &quirk) => {
                    if let Ok(useless) = answer {
                        spent += useless.usage;
                    }
                    learnt.push(quirk);
                }
                (Ok(mut completion), _) => {
                    self.say_if_empty(&completion);
                    spent += completion.usage;
                    completion.usage = spent;
                    return Ok(completion);
                }
                (Err(error), _) => return Err(masked(error, &error_message::texts(request))),
            }
        }
    }
}

impl Client {
    fn profile(&self) -> Profile {
        self.profile.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers a quirk. Whether the service is asked in another way from now on than it was with `before`.
    fn learn(&self, before: &Profile, quirk: &Quirk) -> bool {
        let mut profile = self.profile.lock().unwrap_or_else(PoisonError::into_inner);
        let known = profile.clone();
        // Another request may have learnt the same meanwhile.
        if known == *before {
            quirk.apply(&mut profile);
            tracing::info!(
                llm.purpose = %self.name, quirk = ?quirk,
                "the provider's refusal was understood; requests change from now on"
            );
        }
        *profile != *before
    }

    /// Asks once, in the way that is known.
    async fn once(
        &self,
        profile: &Profile,
        request: &Request,
        sink: &mut dyn Sink,
    ) -> Result<Completion, Error> {
        takes(profile, request)?;
        let (path, body, reader) = match profile.wire {
            Wire::Chat => {
                let body = wire::body(&self.service, profile, request)
                    .map_err(|_error| Error::Invalid("it cannot be written as JSON"))?;
                ("chat/completions", body, Reader::Chat(stream::Reader::default()))
            }
            Wire::Messages => {
                let (body, bound) = anthropic::body(&self.service, profile, request);
                ("messages", body.to_string(), Reader::messages(bound))
            }
            Wire::Responses => {
                let body = responses::body(&self.service, profile, request);
                ("responses", body.to_string(), Reader::responses())
            }
        };
        let mut reply = self.send(path, body).await?;
        let mut on_text = |words: &str| sink.words(words);
        let ids = self.ids.as_ref();
        let mut completion = match reply.form(profile.stream)? {
            Form::Stream => reply.stream(reader, ids, &mut on_text).await?,
            Form::Json => reader.whole(&reply.all().await?, ids, &mut on_text)?,
        };
        completion.request_id = reply.request_id;
        if let Some(opaque) = &mut completion.opaque {
            opaque.origin = wire::origin(&self.service);
        }
        self.add_price(&mut completion.usage);
        Ok(completion)
    }

    /// What it cost by the operator's table, where the provider did not say.
    fn add_price(&self, usage: &mut Usage) {
        if let (None, Some(price)) = (usage.cost_micros, &self.price) {
            usage.cost_micros = Some(price.micros(usage.input, usage.cached, usage.output));
        }
    }

    /// An answer that holds nothing leaves a line with its cause.
    fn say_if_empty(&self, completion: &Completion) {
        let Completion { text, calls, finish, usage, request_id, .. } = completion;
        if text.trim().is_empty() && calls.is_empty() {
            let cause = match (finish, &completion.refusal) {
                (_, Some(_)) => "it refused",
                (Finish::Length, None) => "thinking used up the whole answer; raise `max_tokens`",
                (Finish::Filtered, None) => "the provider's filter withheld it",
                (Finish::Stop | Finish::ToolCalls | Finish::Unknown, None) => "it said nothing",
            };
            tracing::warn!(
                llm.purpose = %self.name, finish = finish.word(), cause, tokens.out = usage.output,
                provider.request_id = request_id, "the model's answer is empty"
            );
        }
    }
}

/// An answer that thinking used up before it began.
fn no_room(completion: &Completion) -> Option<Quirk> {
    let is_empty = completion.text.trim().is_empty() && completion.calls.is_empty();
    (is_empty && completion.refusal.is_none() && completion.finish == Finish::Length)
        .then_some(Quirk::Room)
}

/// Whether a service takes the files of a request; if not, another one may.
fn takes(profile: &Profile, request: &Request) -> Result<(), Error> {
    let parts = request.messages.iter().filter_map(|message| match message {
        Message::User(parts) => Some(parts),
        Message::System(_) | Message::Assistant { .. } | Message::Tool { .. } => None,
    });
    for part in parts.flatten() {
        let sentence = match part {
            Part::Image { .. } if !profile.images => "this provider takes no images",
            Part::File { .. } if !profile.files => "this provider takes no PDFs",
            Part::Text(_) | Part::Image { .. } | Part::File { .. } => continue,
        };
        let said = Said { sentence: Some(sentence.to_owned()), ..Said::default() };
        let said = Some(Box::new(said));
        return Err(Error::Misconfigured(Told { said, ..Told::default() }));
    }
    Ok(())
}

/// An error whose sentence holds nothing that people wrote.
fn masked(mut error: Error, texts: &str) -> Error {
    if let Some(said) = error.told_mut().and_then(|told| told.said.as_mut())
        && !said.raw.0.is_empty()
    {
        said.sentence = Some(error_message::masked(&said.raw.0, texts));
    }
    error
}

/// The headers of every request besides those of its own.
fn headers(endpoint: &Endpoint, profile: &Profile) -> Option<header::HeaderMap> {
    let mut headers = header::HeaderMap::new();
    if let Some(key) = &endpoint.key {
        let (name, text) = match &profile.key_header {
            Some(name) => (&**name, key.expose().to_owned()),
            None => ("authorization", format!("Bearer {}", key.expose())),
        };
        let name: header::HeaderName = name.parse().ok()?;
        let mut value: header::HeaderValue = text.parse().ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    if profile.wire == Wire::Messages {
        let (name, version) = anthropic::VERSION;
        headers.insert(name, header::HeaderValue::from_static(version));
    }
    for (name, value) in &endpoint.service.headers {
        let name: header::HeaderName = name.parse().ok()?;
        headers.insert(name, value.parse().ok()?);
    }
    Some(headers)
}

/// Knows whether words were streamed.
struct Streamed<'a> {
    sink: &'a mut dyn Sink,
    anything: bool,
}

impl Sink for Streamed<'_> {
    fn words(&mut self, words: &str) {
        self.anything = true;
        self.sink.words(words);
    }

    fn restart(&mut self) -> bool {
        self.sink.restart()
    }
}

#[async_trait]
impl Embedder for Client {
    async fn embed(&self, texts: &[String]) -> Result<Embedded, Error> {
        if texts.is_empty() {
            return Err(Error::Invalid("there is no text"));
        }
        let body = wire::embeddings(&self.service, texts);
        let written = || texts.join("\n").to_lowercase();
        let sent = self.send("embeddings", body.to_string()).await;
        let mut reply = sent.map_err(|error| masked(error, &written()))?;
        if reply.form(false)? != Form::Json {
            return Err(Error::BadAnswer(Fault::ContentType));
        }
        let read = vectors::read(&reply.all().await?, texts.len());
        let (vectors, mut usage) = read.map_err(|error| masked(error, &written()))?;
        self.add_price(&mut usage);
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

    async fn stream(
        &mut self,
        mut reader: Reader,
        ids: &dyn Ids,
        on_text: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Completion, Error> {
        while !reader.is_done() {
            let idle = if reader.is_whole() { LINGER } else { self.times.idle };
            match self.next(idle).await {
                Ok(Some(bytes)) => reader.push(&bytes, on_text)?,
                Ok(None) | Err(Error::Cut) => break,
                Err(Error::Timeout(_)) if reader.is_whole() => break,
                Err(error) => return Err(error),
            }
        }
        reader.finish(ids, on_text)
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
