//! A port that is open before it is known what is answered there: what is answered can be replaced while it is served.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, PoisonError, RwLock},
};

use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Bounds, bind, serve};

/// What a listener answers with. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Routes(Arc<RwLock<Router>>);

impl Routes {
    pub(super) fn new(routes: Router) -> Self {
        Self(Arc::new(RwLock::new(routes)))
    }

    pub(super) fn current(&self) -> Router {
        // Nothing panics while it is held.
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, routes: Router) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = routes;
    }
}

/// An open port. Connections are taken, or wait to be, as long as it exists.
#[derive(Debug)]
pub struct Port {
    address: SocketAddr,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nobody takes connections yet.
    Bound(TcpListener),
    /// What [`Port::meanwhile`] returned takes them.
    Served(Routes),
}

impl Port {
    /// Listens on an address.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = bind(address)?;
        let address = listener.local_addr()?;
        Ok(Self { address, state: State::Bound(listener) })
    }

    /// Where it listens; the port is a real one.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers with `routes` from when the future is polled until [`Self::serve`] replaces them, and with those until
    /// `shutdown`. The bounds stay.
    pub fn meanwhile(
        &mut self,
        routes: Router,
        bounds: Bounds,
        shutdown: CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let routes = Routes::new(routes);
        let before = std::mem::replace(&mut self.state, State::Served(routes.clone()));
        async move {
            match before {
                State::Bound(listener) => serve(listener, routes, bounds, shutdown).await,
                // Somebody takes its connections already.
                State::Served(earlier) => earlier.replace(routes.current()),
            }
        }
    }

    /// Answers until `shutdown`; requests in flight are finished, here or where the port is served already. There `routes`
    /// answer from now on, not only once the future is polled: who has been told that this node is active must not still be
    /// refused by what answered before.
    pub fn serve(
        self,
        routes: Router,
        bounds: Bounds,
        shutdown: CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let bound = match self.state {
            State::Bound(listener) => Some((listener, Routes::new(routes))),
            State::Served(served) => {
                served.replace(routes);
                None
            }
        };
        async move {
            match bound {
                Some((listener, routes)) => serve(listener, routes, bounds, shutdown).await,
                None => shutdown.cancelled().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpStream,
        task::JoinSet,
    };

    use super::{super::Throughput, *};

    const BOUNDS: Bounds = Bounds {
        connections: 8,
        headers: Duration::from_secs(5),
        throughput: Throughput { bytes_per_second: 1024, grace: Duration::from_secs(2) },
        idle: Duration::from_secs(30),
        stopping: Duration::from_secs(1),
    };

    fn saying(word: &'static str) -> Router {
        Router::new().route("/", get(move || async move { word }))
    }

    /// The next answer on a connection that stays open.
    async fn answer(stream: &mut TcpStream) -> String {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        let mut text = String::new();
        while !text.ends_with("first") && !text.ends_with("second") {
            let mut piece = [0; 1024];
            let count = stream.read(&mut piece).await.unwrap();
            assert_ne!(count, 0, "{text}");
            text.push_str(std::str::from_utf8(&piece[..count]).unwrap());
        }
        text.rsplit("\r\n").next().unwrap().to_owned()
    }

    #[tokio::test]
    async fn port_keeps_its_connections_when_what_it_answers_is_replaced() {
        let mut port = Port::bind(([127, 0, 0, 1], 0).into()).unwrap();
        let (address, shutdown) = (port.address(), CancellationToken::new());
        let mut tasks = JoinSet::new();
        tasks.spawn(port.meanwhile(saying("first"), BOUNDS, shutdown.clone()));
        let mut kept = TcpStream::connect(address).await.unwrap();
        assert_eq!(answer(&mut kept).await, "first");
        // Before anybody looks after it.
        let serving = port.serve(saying("second"), BOUNDS, shutdown.clone());
        assert_eq!(answer(&mut kept).await, "second");
        tasks.spawn(serving);
        let mut new = TcpStream::connect(address).await.unwrap();
        assert_eq!(answer(&mut new).await, "second");
        drop((kept, new));
        shutdown.cancel();
        while tasks.join_next().await.is_some() {}
        assert!(TcpStream::connect(address).await.is_err());
    }
}
