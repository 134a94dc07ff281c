//! The socket of a connection, with its time limits.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::{Bounds, Client, meter::Meter, refused};

/// How long what a client still sends is read and dropped before its connection is closed. Closing at once would reset
/// the connection, and the client might lose the answer that tells it why.
const LINGER: Duration = Duration::from_secs(1);

/// A connection that ends when nothing moves on it, in either direction, when headers take too long, when the client
/// takes the answer too slowly, and soon after the bot is told to stop even where something moves: a slow upload must
/// not keep the process.
#[derive(Debug)]
pub(super) struct Connection<S> {
    stream: S,
    client: Client,
    bounds: Bounds,
    /// When something last moved.
    moved: Instant,
    written: Meter,
    timer: Pin<Box<Sleep>>,
    shutdown: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The end that stopping sets.
    stop: Option<Instant>,
    /// The end of [`LINGER`].
    lingering: Option<Instant>,
}

impl<S> Connection<S> {
    pub(super) fn new(
        stream: S,
        client: Client,
        bounds: Bounds,
        shutdown: CancellationToken,
    ) -> Self {
        let moved = Instant::now();
        Self {
            stream,
            client,
            bounds,
            moved,
            written: Meter::new(bounds.throughput, bounds.idle, bounds.idle),
            timer: Box::pin(sleep_until(moved + bounds.headers)),
            shutdown: Box::pin(shutdown.cancelled_owned()),
            stop: None,
            lingering: None,
        }
    }

    /// When it is closed as things are, and how that is counted.
    fn deadline(&self) -> (Instant, Option<&'static str>) {
        if let Some(stop) = self.stop {
            return (stop, None);
        }
        let silence = match self.client.headers_since() {
            Some(since) => (since + self.bounds.headers, Some("slow_headers")),
            None => (self.moved + self.bounds.idle, None),
        };
        let reading = self.written.deadline().map(|at| (at, Some("slow_reader")));
        reading.filter(|(at, _)| *at < silence.0).unwrap_or(silence)
    }

    /// What came of a try to move something: an error once it has taken too long.
    fn timed<T>(
        &mut self,
        cx: &mut Context<'_>,
        moved: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if self.stop.is_none() && self.shutdown.as_mut().poll(cx).is_ready() {
            self.stop = Some(Instant::now() + self.bounds.stopping);
        }
        if moved.is_ready() {
            self.moved = Instant::now();
            if self.stop.is_none() {
                return moved;
            }
        }
        let (deadline, why) = self.deadline();
        if self.timer.deadline() != deadline {
            self.timer.as_mut().reset(deadline);
        }
        match self.timer.as_mut().poll(cx) {
            Poll::Ready(()) => {
                why.into_iter().for_each(refused);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
            Poll::Pending => moved,
        }
    }

    fn count_written(&mut self, written: &Poll<io::Result<usize>>) {
        match written {
            Poll::Ready(Ok(bytes)) => self.written.moved(Instant::now(), *bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.written.wait(Instant::now()),
        }
    }
}

impl<S: AsyncRead + Unpin> Connection<S> {
    /// Reads and drops what the client sends, until it notices that nobody listens or `end`.
    fn poll_linger(&mut self, cx: &mut Context<'_>, end: Instant) -> Poll<()> {
        if self.timer.deadline() != end {
            self.timer.as_mut().reset(end);
        }
        let mut dropped = [0; 4096];
        while self.timer.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut dropped);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.client.touch();
        }
        self.timed(cx, read)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.count_written(&written);
        self.timed(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.count_written(&written);
        self.timed(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // HTTP flushes the socket once it has nothing left to write.
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if matches!(flushed, Poll::Ready(Ok(()))) {
            self.client.flushed();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let end = if let Some(end) = self.lingering {
            end
        } else {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            if !self.client.has_unread() {
                return Poll::Ready(Ok(()));
            }
            *self.lingering.insert(Instant::now() + LINGER)
        };
        self.poll_linger(cx, end).map(Ok)
    }
}
