//! Connections that others open to us: so many at once, and none that is silent for good. HTTP itself leaves both to
//! the socket.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::serve::Listener;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep},
};

use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How many connections, and how long.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Open connections, of all clients together; further ones wait.
    pub connections: usize,
    /// A connection on which nothing moves for so long is closed.
    pub idle: Duration,
    /// What connections have left once the bot is told to stop.
    pub stopping: Duration,
}

/// A listener whose connections are counted and timed.
#[derive(Debug)]
pub struct Bounded {
    listener: TcpListener,
    places: Arc<Semaphore>,
    bounds: Bounds,
    shutdown: CancellationToken,
}

impl Bounded {
    /// Counts and times the connections of a listener until `shutdown`.
    pub fn new(listener: TcpListener, bounds: Bounds, shutdown: CancellationToken) -> Self {
        let places = Arc::new(Semaphore::new(bounds.connections));
        Self { listener, places, bounds, shutdown }
    }
}

impl Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        // The semaphore is never closed; without a place the connection would only be uncounted.
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let idle = Box::pin(sleep(self.bounds.idle));
        let shutdown = Box::pin(self.shutdown.clone().cancelled_owned());
        (
            Connection {
                stream,
                bounds: self.bounds,
                idle,
                shutdown,
                stopping: false,
                _place: place,
            },
            address,
        )
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when nothing moves on it, in either direction, and soon after the bot is told to stop even
/// where something does: a slow upload must not keep the process.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    bounds: Bounds,
    /// When it is closed: after silence, or after the time that stopping leaves it.
    idle: Pin<Box<Sleep>>,
    shutdown: Pin<Box<WaitForCancellationFutureOwned>>,
    stopping: bool,
    _place: Option<OwnedSemaphorePermit>,
}

impl Connection {
    /// What came of a try to move something: progress starts the clock anew, waiting lets it run.
    fn timed<T>(
        &mut self,
        cx: &mut Context<'_>,
        moved: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if !self.stopping && self.shutdown.as_mut().poll(cx).is_ready() {
            self.stopping = true;
            self.idle.as_mut().reset(Instant::now() + self.bounds.stopping);
        }
        if moved.is_ready() && !self.stopping {
            self.idle.as_mut().reset(Instant::now() + self.bounds.idle);
            return moved;
        }
        match self.idle.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => moved,
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        self.timed(cx, read)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.timed(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.timed(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
