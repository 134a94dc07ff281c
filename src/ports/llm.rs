//! The model port: streaming chat with tools, and embeddings, by purpose.
//!
//! Who asks names a purpose, never a provider or a model; those stand in the configuration alone, and no word of
//! theirs reaches a person, a tool or the log of a conversation.

mod anthropic;
pub mod chat;
pub(crate) mod circuit_breaker;
pub mod embedding_cache;
pub mod error;
mod error_message;
pub mod json;
mod normalize;
pub mod openai;
pub(crate) mod quirks;
pub mod resilience;
mod responses;
mod schema;
pub(crate) mod sse;
pub(crate) mod untrusted;

use std::{collections::BTreeMap, fmt, sync::Arc};

use async_trait::async_trait;

pub use self::{
    chat::{Completion, Message, Request},
    error::Error,
};
use self::{
    embedding_cache::EmbeddingCache,
    openai::Client,
    resilience::{ResilienceOptions, Resilient},
};
use crate::{
    config::{
        Tenant, Tenants,
        llm::{Endpoint, Endpoints, Purpose},
    },
    model::usage::Usage,
};

/// The models in use, by purpose. Where there is none, the scripts of the flows run.
#[derive(Debug, Clone, Default)]
pub struct Models {
    /// Talks with participants.
    pub interview: Option<Arc<dyn Model>>,
    /// Reads data out of documents.
    pub extract: Option<Arc<dyn Model>>,
    /// Looks at pictures.
    pub vision: Option<Arc<dyn Model>>,
    /// Says how alike texts are.
    pub embed: Option<Arc<dyn Embedder>>,
    /// Those of tenants that have their own, by name.
    pub of_tenants: Arc<BTreeMap<String, Self>>,
}

impl Models {
    /// The configured models. Makes no connection. A service that several purposes use has its places and its circuit breaker
    /// once for each of them.
    pub fn open(endpoints: &Endpoints, means: &ResilienceOptions) -> Result<Self, Error> {
        let chat = |purpose| chat(endpoints, purpose, means);
        Ok(Self {
            interview: chat(Purpose::Interview)?,
            extract: chat(Purpose::Extract)?,
            vision: chat(Purpose::Vision)?,
            embed: embed(endpoints, means)?
                .map(|embedder| Arc::new(EmbeddingCache::new(embedder)) as _),
            of_tenants: Arc::default(),
        })
    }

    /// The configured models, with those of each tenant that has its own.
    pub(crate) fn open_all(
        endpoints: &Endpoints,
        tenants: &Tenants,
        means: &ResilienceOptions,
    ) -> Result<Self, Error> {
        let own = tenants.iter().filter_map(|tenant| Some((tenant, tenant.llm.as_ref()?)));
        let own = own.map(|(tenant, own)| Ok((tenant.name.clone(), Self::open(own, means)?)));
        let of_tenants = Arc::new(own.collect::<Result<_, Error>>()?);
        Ok(Self { of_tenants, ..Self::open(endpoints, means)? })
    }

    /// Those that the conversations of a tenant use.
    pub fn of(&self, tenant: Option<&Arc<Tenant>>) -> &Self {
        tenant.and_then(|tenant| self.of_tenants.get(&tenant.name)).unwrap_or(self)
    }
}

/// The model of a purpose, made resilient, and behind it what it falls back on, likewise.
fn chat(
    endpoints: &Endpoints,
    purpose: Purpose,
    means: &ResilienceOptions,
) -> Result<Option<Arc<dyn Model>>, Error> {
    let mut model: Option<Arc<dyn Model>> = None;
    for (name, endpoint) in endpoints.chain(purpose).into_iter().rev() {
        let client: Arc<dyn Model> = Arc::new(client(name, endpoint, means)?);
        let bounds = (endpoint.service.attempts, endpoint.service.concurrent);
        model = Some(Arc::new(Resilient::new(name, client, model, bounds, means.clone())));
    }
    Ok(model)
}

/// The embedder, made resilient, and behind it what it falls back on, likewise.
fn embed(
    endpoints: &Endpoints,
    means: &ResilienceOptions,
) -> Result<Option<Arc<dyn Embedder>>, Error> {
    let mut embedder: Option<Arc<dyn Embedder>> = None;
    for (name, endpoint) in endpoints.chain(Purpose::Embed).into_iter().rev() {
        let client: Arc<dyn Embedder> = Arc::new(client(name, endpoint, means)?);
        let bounds = (endpoint.service.attempts, endpoint.service.concurrent);
        embedder = Some(Arc::new(Resilient::new(name, client, embedder, bounds, means.clone())));
    }
    Ok(embedder)
}

fn client(name: &str, endpoint: &Endpoint, means: &ResilienceOptions) -> Result<Client, Error> {
    Client::new(name, endpoint, Arc::clone(&means.clock), Arc::clone(&means.ids))
}

/// A model that talks and calls tools.
#[async_trait]
pub trait Model: fmt::Debug + Send + Sync {
    /// Asks once for the whole conversation; changes nothing anywhere, so it may be repeated.
    ///
    /// The words go to `sink` as they come and are in the completion once more; calls are only there. Dropping the
    /// future ends the request. Every wait inside is bounded.
    async fn chat(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, Error>;

    /// Who is asked in its place, where it has somebody in reserve.
    fn fallback(&self) -> Option<Arc<dyn Model>> {
        None
    }

    /// Why it cannot be used just now, as far as its last answers say: `misconfigured`, `exhausted` or `resting`.
    fn trouble(&self) -> Option<&'static str> {
        None
    }
}

/// Where a model's words go while it speaks. Must not block: the stream stands still meanwhile.
pub trait Sink: Send {
    /// Takes the next words.
    fn words(&mut self, words: &str);

    /// The attempt failed and another could be made, whose words would come anew: forgets what was taken and answers
    /// `true`, or answers `false` where that cannot be taken back, and the failure stands.
    fn restart(&mut self) -> bool;
}

/// For those who wait for the whole answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Sink for Silent {
    fn words(&mut self, _words: &str) {}

    fn restart(&mut self) -> bool {
        true
    }
}

/// A model that places texts in a space where near means alike.
#[async_trait]
pub trait Embedder: fmt::Debug + Send + Sync {
    /// One vector for each text, in their order, all of one model and so of one length.
    async fn embed(&self, texts: &[String]) -> Result<Embedded, Error>;
}

/// Vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// One for each text, in their order.
    pub vectors: Vec<Vec<f32>>,
    /// The name of their space. Only vectors of one space can be compared; a fallback has its own.
    pub space: String,
    /// What it cost.
    pub usage: Usage,
}
