//! Bodies that are forwarded piece by piece: a request's, which is there for another try until its first piece is sent, and
//! an answer's, which can be ended.

use std::{
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use axum::{
    BoxError,
    body::{Body, Bytes, HttpBody},
};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::net::listener::Client;

/// The body of a request, for as many tries as there are.
pub(super) struct Sending(Arc<Mutex<Source>>);

struct Source {
    body: Body,
    /// Whose connection can be evicted until the body has come.
    client: Option<Client>,
}

impl Sending {
    /// Until all of it has come from `client`, its connection can make room for another.
    pub(super) fn new(body: Body, client: Option<Client>) -> Self {
        let client = client.filter(|_| !body.is_end_stream());
        if let Some(client) = &client {
            client.unverified();
        }
        Self(Arc::new(Mutex::new(Source { body, client })))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sent().lock().body.is_end_stream()
    }

    /// For one try.
    pub(super) fn sent(&self) -> Sent {
        Sent(Arc::clone(&self.0))
    }
}

/// The body of a request in one try.
pub(super) struct Sent(Arc<Mutex<Source>>);

impl Sent {
    fn lock(&self) -> MutexGuard<'_, Source> {
        // A body that panicked has ended its connection.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sent")
    }
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut source = self.lock();
        let polled = Pin::new(&mut source.body).poll_frame(cx);
        let is_over = matches!(polled, Poll::Ready(None)) || source.body.is_end_stream();
        if is_over && let Some(client) = source.client.take() {
            // Where its connection was evicted, nobody reads the answer either.
            _ = client.verified();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.lock().body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().body.size_hint()
    }
}

/// The body of an answer. Where it is cut off it ends in an error, so that nobody takes a part for the whole; events just
/// end, and browsers connect again.
pub(super) struct Answer {
    body: Incoming,
    over: Pin<Box<WaitForCancellationFutureOwned>>,
    /// For events, which have no end of their own.
    stopping: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

/// Why an answer was cut off.
#[derive(Debug, thiserror::Error)]
#[error("this node answers itself from now on")]
struct CutOff;

impl Answer {
    pub(super) fn new(
        body: Incoming,
        over: CancellationToken,
        stopping: Option<CancellationToken>,
    ) -> Self {
        let cancelled = |token: CancellationToken| Box::pin(token.cancelled_owned());
        Self { body, over: cancelled(over), stopping: stopping.map(cancelled) }
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let is_over = this.over.as_mut().poll(cx).is_ready();
        match &mut this.stopping {
            None if is_over => Poll::Ready(Some(Err(CutOff.into()))),
            None => Poll::Pending,
            Some(_) if is_over => Poll::Ready(None),
            Some(stopping) => stopping.as_mut().poll(cx).map(|()| None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
