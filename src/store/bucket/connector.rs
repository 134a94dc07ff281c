//! Requests of [`object_store`] over our own HTTP client: one TLS stack, a limit on time and on the size of answers.

use std::{error::Error as StdError, io, iter, time::Duration};

use async_trait::async_trait;
use object_store::{
    ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
        HttpResponseBody, HttpService,
    },
};
use reqwest::{Url, redirect::Policy};

use crate::config::llm::is_loopback;

/// Longest time for a connection and its encryption.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// Largest answer and so largest file, in bytes: twice what people may send.
pub(super) const ANSWER_MAX: usize = 64 * 1024 * 1024;

/// Makes the one client that requests go through.
#[derive(Debug)]
pub(super) struct Connector(Service);

impl Connector {
    /// For a service at this address. Redirects are not followed: they lead to another region, where the signature is wrong.
    pub(super) fn new(url: &str, request: Duration) -> reqwest::Result<Self> {
        let mut client = reqwest::Client::builder()
            .connect_timeout(CONNECT_MAX)
            .timeout(request)
            .redirect(Policy::none())
            .referer(false)
            // What is sealed does not get smaller, and comes back as it was sent.
            .no_gzip()
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")));
        if Url::parse(url).is_ok_and(|url| is_loopback(&url)) {
            client = client.no_proxy();
        }
        Ok(Self(Service(client.build()?)))
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

#[derive(Debug, Clone)]
struct Service(reqwest::Client);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let url = Url::parse(&parts.uri.to_string());
        let url = url.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let request = self.0.request(parts.method, url).headers(parts.headers);
        let sent = request.body(reqwest::Body::wrap(body)).send().await;
        let mut answer = sent.map_err(failed)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            if bytes.len() + chunk.len() > ANSWER_MAX {
                let error = io::Error::other("the answer is too large");
                return Err(HttpError::new(HttpErrorKind::Unknown, error));
            }
            bytes.extend_from_slice(&chunk);
        }
        let mut response = HttpResponse::new(HttpResponseBody::from(bytes));
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        Ok(response)
    }
}

/// Everything that is asked here may be asked again, whatever became of it: a name stands for one content.
fn failed(error: reqwest::Error) -> HttpError {
    let kind = if error.is_builder() { HttpErrorKind::Unknown } else { HttpErrorKind::Request };
    HttpError::new(kind, error.without_url())
}

/// What an error comes from in the end, in one line without addresses.
pub(super) fn cause(error: &(dyn StdError + 'static)) -> String {
    let all = iter::successors(Some(error), |&error| error.source());
    let late = |error: &reqwest::Error| error.is_timeout();
    if all.clone().any(|error| error.downcast_ref().is_some_and(late)) {
        return "it does not answer in time".to_owned();
    }
    all.last().map(ToString::to_string).unwrap_or_default()
}
