//! A resilient provider: bounded, tried again, left alone while it is down, with another in reserve.
//!
//! ```text
//! request ─▶ a free place ─▶ circuit breaker ─▶ provider ──ok──▶ answer
//!               ▲                          │
//!               └── pause, at most so ◀────┤ what passes, while no words were streamed that cannot be taken back
//!                   many attempts          │
//!                                          └─▶ fallback, where the failure lies with the provider
//! ```

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{
    Embedded, Embedder, Model, Sink,
    chat::{Completion, Request},
    circuit_breaker::CircuitBreaker,
    error::Error,
};
use crate::{
    base::{clock::Clock, ids::Ids, telemetry::metric},
    model::usage::Usage,
};

/// First pause between attempts; doubles each time.
const PAUSE: Duration = Duration::from_millis(500);

/// Longest pause; where a provider asks for a longer one, the call fails now and can be made again later.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// Longest time to wait for a free place.
const PLACE_WAIT: Duration = Duration::from_secs(30);

/// Texts in one request for vectors.
const BATCH: usize = 64;

/// Lets time pass between attempts. Injected, so that a test need not wait.
#[async_trait]
pub trait Pauses: fmt::Debug + Send + Sync {
    /// Returns after `time`.
    async fn pause(&self, time: Duration);
}

/// Pauses on the machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RealPauses;

#[async_trait]
impl Pauses for RealPauses {
    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// What a resilient provider is made of besides the provider.
#[derive(Debug, Clone)]
pub struct ResilienceOptions {
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where randomness comes from: pauses differ, so that those who failed together do not come back together.
    pub ids: Arc<dyn Ids>,
    /// Lets time pass.
    pub pauses: Arc<dyn Pauses>,
}

/// A provider with everything around it; itself a [`Model`] or an [`Embedder`].
#[derive(Debug)]
pub struct Resilient<P: ?Sized> {
    name: String,
    provider: Arc<P>,
    fallback: Option<Arc<P>>,
    attempts: u32,
    places: Semaphore,
    breaker: Mutex<CircuitBreaker>,
    /// What only the operator can mend, as the provider said last.
    refused: Mutex<Option<&'static str>>,
    means: ResilienceOptions,
}

impl<P: ?Sized> Resilient<P> {
    /// A provider that is asked up to `attempts` times for one answer and for `concurrent` answers at one time. `name`
    /// is its purpose, for logs and metrics.
    pub fn new(
        name: &str,
        provider: Arc<P>,
        fallback: Option<Arc<P>>,
        (attempts, concurrent): (u32, u32),
        means: ResilienceOptions,
    ) -> Self {
        let places = usize::try_from(concurrent).unwrap_or(1).clamp(1, Semaphore::MAX_PERMITS);
        Self {
            name: name.to_owned(),
            provider,
            fallback,
            attempts: attempts.max(1),
            places: Semaphore::new(places),
            breaker: Mutex::default(),
            refused: Mutex::default(),
            means,
        }
    }

    async fn begin(&self, number: u32) -> Result<Attempt<'_, P>, Error> {
        let place = tokio::time::timeout(PLACE_WAIT, self.places.acquire()).await;
        // The semaphore is never closed.
        let Ok(Ok(place)) = place else { return Err(Error::Busy) };
        let now = self.means.clock.now();
        self.with_breaker(|breaker| breaker.admit(now)).map_err(Error::Resting)?;
        let started = Instant::now();
        Ok(Attempt { of: self, number, started, first_words: None, open: true, _place: place })
    }

    fn with_breaker<T>(&self, act: impl FnOnce(&mut CircuitBreaker) -> T) -> T {
        let mut breaker = self.breaker.lock().unwrap_or_else(PoisonError::into_inner);
        let result = act(&mut breaker);
        let resting = if breaker.is_closed() { 0.0 } else { 1.0 };
        metrics::gauge!(metric::LLM_RESTING, "purpose" => self.name.clone()).set(resting);
        result
    }

    /// Notes what only the operator can mend, or that it is mended.
    fn note_refusal(&self, error: Option<&Error>) {
        let refused = match error {
            None => None,
            Some(error @ (Error::Misconfigured(_) | Error::Exhausted(_))) => Some(error.word()),
            Some(_) => return,
        };
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = refused;
    }

    /// How long to pause before the next attempt; `None` if there is to be none.
    fn pause(&self, error: &Error, made: u32) -> Option<Duration> {
        if made >= self.attempts || !error.passes() {
            return None;
        }
        let full = PAUSE * 2_u32.pow(made - 1);
        // Between half of it and all of it.
        let share = u32::try_from(self.means.ids.fresh().as_u128() & 0xffff).unwrap_or_default();
        let own = full / 2 + full / 2 * share / 0xffff;
        let asked = match error {
            Error::Transient { retry_after, .. } | Error::RateLimited { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        };
        Some(own.max(asked.unwrap_or_default())).filter(|pause| *pause <= PAUSE_MAX)
    }

    fn fallback(&self, error: &Error) -> Option<&Arc<P>> {
        let fallback = self.fallback.as_ref().filter(|_| error.lies_with_provider())?;
        tracing::warn!(llm.purpose = %self.name, because = error.word(), "asking the fallback model");
        Some(fallback)
    }
}

#[async_trait]
impl Model for Resilient<dyn Model> {
    async fn chat(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, Error> {
        let mut streamed = Streamed { sink, since: None, anything: false };
        let error = match self.attempts(request, &mut streamed).await {
            Ok(completion) => return Ok(completion),
            Err(error) => error,
        };
        if !error.lies_with_provider() || self.fallback.is_none() || !streamed.clear() {
            return Err(error);
        }
        match self.fallback(&error) {
            Some(fallback) => fallback.chat(request, streamed.sink).await,
            None => Err(error),
        }
    }

    fn fallback(&self) -> Option<Arc<dyn Model>> {
        self.fallback.clone()
    }

    fn trouble(&self) -> Option<&'static str> {
        let refused = *self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let is_closed = self.breaker.lock().unwrap_or_else(PoisonError::into_inner).is_closed();
        refused.or(if is_closed { None } else { Some("resting") })
    }
}

impl Resilient<dyn Model> {
    async fn attempts(
        &self,
        request: &Request,
        streamed: &mut Streamed<'_>,
    ) -> Result<Completion, Error> {
        let mut made = 0;
        loop {
            made += 1;
            let mut attempt = self.begin(made).await?;
            streamed.since = None;
            let result = self.provider.chat(request, streamed).await;
            attempt.first_words = streamed.since;
            let told = result.as_ref().map(|answer| (answer.finish.word(), answer.usage));
            attempt.end(told, result.as_ref().ok().and_then(|c| c.request_id.as_deref()));
            let error = match result {
                Ok(completion) => return Ok(completion),
                Err(error) => error,
            };
            let Some(pause) = self.pause(&error, made) else { return Err(error) };
            if !streamed.clear() {
                return Err(error);
            }
            self.means.pauses.pause(pause).await;
        }
    }
}

#[async_trait]
impl Embedder for Resilient<dyn Embedder> {
    async fn embed(&self, texts: &[String]) -> Result<Embedded, Error> {
        match self.batches(texts).await {
            // All of them from the other one: vectors of two spaces do not mix.
            Err(error) => match self.fallback(&error) {
                Some(fallback) => fallback.embed(texts).await,
                None => Err(error),
            },
            embedded => embedded,
        }
    }
}

impl Resilient<dyn Embedder> {
    async fn batches(&self, texts: &[String]) -> Result<Embedded, Error> {
        let mut all: Option<Embedded> = None;
        for batch in texts.chunks(BATCH) {
            let embedded = self.attempts(batch).await?;
            match &mut all {
                None => all = Some(embedded),
                Some(all) => {
                    all.vectors.extend(embedded.vectors);
                    all.usage += embedded.usage;
                }
            }
        }
        all.ok_or(Error::Invalid("there is no text"))
    }

    async fn attempts(&self, batch: &[String]) -> Result<Embedded, Error> {
        let mut made = 0;
        loop {
            made += 1;
            let attempt = self.begin(made).await?;
            let result = self.provider.embed(batch).await;
            attempt.end(result.as_ref().map(|embedded| ("stop", embedded.usage)), None);
            let error = match result {
                Ok(embedded) => return Ok(embedded),
                Err(error) => error,
            };
            let Some(pause) = self.pause(&error, made) else { return Err(error) };
            self.means.pauses.pause(pause).await;
        }
    }
}

/// Knows whether words were streamed.
struct Streamed<'a> {
    sink: &'a mut dyn Sink,
    /// When the first words of this attempt came.
    since: Option<Instant>,
    /// Words were streamed that were not taken back.
    anything: bool,
}

impl Streamed<'_> {
    /// Whether everything can begin anew.
    fn clear(&mut self) -> bool {
        if self.anything {
            self.anything = !self.sink.restart();
        }
        !self.anything
    }
}

impl Sink for Streamed<'_> {
    fn words(&mut self, words: &str) {
        self.since.get_or_insert_with(Instant::now);
        self.anything = true;
        self.sink.words(words);
    }

    fn restart(&mut self) -> bool {
        self.clear()
    }
}

/// One attempt in flight. Dropped without an end, it is as if it had not been.
struct Attempt<'a, P: ?Sized> {
    of: &'a Resilient<P>,
    number: u32,
    started: Instant,
    first_words: Option<Instant>,
    open: bool,
    _place: SemaphorePermit<'a>,
}

impl<P: ?Sized> Attempt<'_, P> {
    /// Counts, logs, and tells the breaker.
    fn end(mut self, result: Result<(&'static str, Usage), &Error>, request_id: Option<&str>) {
        self.open = false;
        let provider = self.of;
        let now = provider.means.clock.now();
        let took = self.started.elapsed();
        let purpose = || provider.name.clone();
        let outcome = result.map_or_else(Error::word, |_| "ok");
        metrics::counter!(metric::LLM_REQUESTS, "purpose" => purpose(), "outcome" => outcome)
            .increment(1);
        metrics::histogram!(metric::LLM_SECONDS, "purpose" => purpose()).record(took.as_secs_f64());
        if let Some(first) = self.first_words {
            let waited = first.duration_since(self.started).as_secs_f64();
            metrics::histogram!(metric::LLM_FIRST_WORDS_SECONDS, "purpose" => purpose())
                .record(waited);
        }
        provider.note_refusal(result.as_ref().err().copied());
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        match result {
            Ok((finish, usage)) => {
                provider.with_breaker(CircuitBreaker::succeeded);
                for (direction, count) in [("in", usage.input), ("out", usage.output)] {
                    metrics::counter!(metric::LLM_TOKENS, "purpose" => purpose(), "direction" => direction)
                        .increment(count);
                }
                tracing::info!(
                    llm.purpose = %provider.name, attempt = self.number, finish, duration_ms,
                    tokens.r#in = usage.input, tokens.out = usage.output,
                    provider.request_id = request_id, "the model answered"
                );
            }
            Err(error) => {
                provider.with_breaker(|breaker| match error {
                    Error::Transient { .. }
                    | Error::Timeout(_)
                    | Error::Cut
                    | Error::BadAnswer(_) => {
                        breaker.failed(now);
                    }
                    // It is there and says so.
                    Error::RateLimited { .. }
                    | Error::Overflow(_)
                    | Error::Refused(_)
                    | Error::Misconfigured(_)
                    | Error::Exhausted(_) => breaker.succeeded(),
                    Error::Busy
                    | Error::Resting(_)
                    | Error::TooLarge { .. }
                    | Error::Invalid(_) => {
                        breaker.abandoned(now);
                    }
                });
                tracing::warn!(
                    llm.purpose = %provider.name, attempt = self.number, duration_ms,
                    error = %error, "the model did not answer"
                );
            }
        }
    }
}

impl<P: ?Sized> Drop for Attempt<'_, P> {
    fn drop(&mut self) {
        if self.open {
            let now = self.of.means.clock.now();
            self.of.with_breaker(|breaker| breaker.abandoned(now));
        }
    }
}
