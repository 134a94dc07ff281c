//! One request, one answer of JSON, both bounded. Redirects are not followed, for the key would go with them.

use std::{sync::Arc, time::Duration};

use reqwest::{RequestBuilder, Response, StatusCode, Url, header, redirect::Policy};
use serde_json::Value;
use tokio::time;

use super::Error;
use crate::{
    base::clock::{Clock, retry_after},
    config::{Secret, llm::is_loopback, search::Searching},
};

/// Largest answer, in bytes.
const ANSWER_MAX: usize = 2 * 1024 * 1024;

/// Longest time to say where an address leads.
const STEP: Duration = Duration::from_secs(2);

/// A way to one service.
#[derive(Debug)]
pub(super) struct Wire {
    http: reqwest::Client,
    base: Url,
    whole: Duration,
    clock: Arc<dyn Clock>,
}

impl Wire {
    pub(super) fn new(searching: &Searching, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        let base = Url::parse(&searching.base_url).map_err(|_| Error::Misconfigured)?;
        let is_near = is_loopback(&base);
        let mut http = reqwest::Client::builder()
            .connect_timeout(searching.connect)
            .redirect(Policy::none())
            .https_only(!is_near)
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")));
        if is_near {
            http = http.no_proxy();
        }
        let http = http.build().map_err(|_| Error::Misconfigured)?;
        Ok(Self { http, base, whole: searching.whole, clock })
    }

    /// A `GET` request to a path below the service's address.
    pub(super) fn get(&self, path: &str, pairs: &[(&str, &str)]) -> RequestBuilder {
        let mut url = self.url(path);
        url.query_pairs_mut().extend_pairs(pairs);
        self.http.get(url)
    }

    /// A `POST` request to a path below the service's address, with `body` as JSON.
    pub(super) fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.http.post(self.url(path)).json(body)
    }

    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.split('/'));
        }
        url
    }

    /// Sends it and reads the answer, within the time that the configuration gives. A failure is logged here, once,
    /// without a word of the question or the answer.
    pub(super) async fn ask(&self, request: RequestBuilder) -> Result<Value, Error> {
        let request = request.header(header::ACCEPT, "application/json");
        let late = Error::Transient { status: None, retry_after: None };
        let asked = time::timeout(self.whole, self.exchange(request)).await;
        let asked = asked.unwrap_or(Err(late));
        if let Err(error) = &asked {
            let status = error.status();
            tracing::warn!(because = error.word(), status, "the web search fails");
        }
        asked
    }

    /// Where an address of this service's leads, without going there; `None` if it does not say soon.
    pub(super) async fn leads_to(&self, address: &str) -> Option<String> {
        let asked = time::timeout(STEP, self.http.get(address).send()).await;
        let answer = asked.ok()?.ok()?;
        let next = answer.headers().get(header::LOCATION)?.to_str().ok()?;
        answer.status().is_redirection().then(|| next.to_owned())
    }

    /// Whether an address is on the service's own host.
    pub(super) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    async fn exchange(&self, request: RequestBuilder) -> Result<Value, Error> {
        let answer = request.send().await.map_err(|error| unsent(&error))?;
        if answer.status() != StatusCode::OK {
            return Err(self.failure(&answer));
        }
        let too_large = Error::BadAnswer("more than can be taken in");
        if answer.content_length().is_some_and(|length| length > ANSWER_MAX as u64) {
            return Err(too_large);
        }
        let bytes = whole(answer).await?.ok_or(too_large)?;
        match serde_json::from_slice(&bytes) {
            Ok(answer @ Value::Object(_)) => Ok(answer),
            Ok(_) => Err(Error::BadAnswer("JSON of an unknown form")),
            Err(_) => Err(Error::BadAnswer("something that is no JSON")),
        }
    }

    fn failure(&self, answer: &Response) -> Error {
        let status = answer.status().as_u16();
        let header = answer.headers().get(header::RETRY_AFTER);
        let header = header.and_then(|header| header.to_str().ok());
        let retry_after = header.and_then(|header| retry_after(header, self.clock.now()));
        match status {
            // 408 and 504 are timeouts that somebody else noticed.
            408 | 429 | 502..=504 => Error::Transient { status: Some(status), retry_after },
            _ => Error::Refused { status: Some(status) },
        }
    }
}

/// The content; `None` if it is too large.
async fn whole(mut answer: Response) -> Result<Option<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|error| unsent(&error))? {
        if bytes.len() + piece.len() > ANSWER_MAX {
            return Ok(None);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(Some(bytes))
}

fn unsent(error: &reqwest::Error) -> Error {
    if error.is_builder() {
        return Error::Misconfigured;
    }
    Error::Transient { status: None, retry_after: None }
}

/// A key as the value of a header, marked so that it is never printed.
pub(super) fn key_header(before: &str, key: &Secret) -> Result<header::HeaderValue, Error> {
    let text = format!("{before}{}", key.expose());
    let mut value: header::HeaderValue = text.parse().map_err(|_| Error::Misconfigured)?;
    value.set_sensitive(true);
    Ok(value)
}
