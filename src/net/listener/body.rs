//! Bodies: a request's, which must come fast enough, and an answer's, whose end is noticed.

use std::{
    error::Error,
    iter,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::{
    Bounds,
    meter::Meter,
    refused,
    slots::{Client, Working},
};

/// The error of a body that came too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the body of the request came too slowly")]
struct TooSlow;

/// Whether a body ended with an error because it came too slowly.
pub fn is_too_slow(error: &(dyn Error + 'static)) -> bool {
    let mut causes = iter::successors(Some(error), |&error| error.source());
    causes.any(<dyn Error>::is::<TooSlow>)
}

/// How long a request has waited for its client to send the body.
#[derive(Debug, Clone, Default)]
pub(super) struct Waited(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    before: Duration,
    since: Option<Instant>,
}

impl Waited {
    pub(super) fn total(&self, now: Instant) -> Duration {
        let waiting = self.lock();
        waiting.before + waiting.since.map_or(Duration::ZERO, |since| now - since)
    }

    fn begin(&self, now: Instant) {
        self.lock().since.get_or_insert(now);
    }

    fn end(&self, now: Instant) {
        let mut waiting = self.lock();
        if let Some(since) = waiting.since.take() {
            waiting.before += now - since;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of a request: an error once it falls behind the least throughput. Time in which nobody reads it does not
/// count.
#[derive(Debug)]
pub(super) struct Paced {
    body: Incoming,
    meter: Meter,
    timer: Option<Pin<Box<Sleep>>>,
    client: Client,
    waited: Waited,
    is_over: bool,
}

impl Paced {
    pub(super) fn new(body: Incoming, bounds: Bounds, client: Client, waited: Waited) -> Self {
        let meter = Meter::new(bounds.throughput, bounds.throughput.grace, bounds.idle);
        Self { body, meter, timer: None, client, waited, is_over: false }
    }
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let now = Instant::now();
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            this.meter.moved(now, data.map_or(0, Bytes::len));
            this.waited.end(now);
            this.is_over = frame.is_none();
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        this.meter.wait(now);
        this.waited.begin(now);
        let deadline = this.meter.deadline().unwrap_or(now);
        let timer = this.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        ready!(timer.as_mut().poll(cx));
        refused("slow_body");
        Poll::Ready(Some(Err(TooSlow.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Paced {
    fn drop(&mut self) {
        self.waited.end(Instant::now());
        if !self.is_over && !self.body.is_end_stream() {
            self.client.leaves_unread();
        }
    }
}

/// The body of an answer. The request is in flight until it is dropped.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    _working: Option<Working>,
}

impl Answer {
    pub(super) const fn new(body: Body, working: Option<Working>) -> Self {
        Self { body, _working: working }
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
