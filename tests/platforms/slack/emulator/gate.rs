//! The door in front of everything that is served over HTTP: while it is closed connections are refused, as where a
//! network is down.

#![expect(clippy::disallowed_methods, reason = "what is spawned ends with the door")]

use std::{net::SocketAddr, sync::Mutex};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

use super::Slack;

/// The door.
#[derive(Debug)]
pub(super) struct Gate {
    /// Where people knock.
    at: SocketAddr,
    /// Where they are let in.
    to: SocketAddr,
    open: Mutex<Option<JoinHandle<()>>>,
}

impl Gate {
    /// Opens the door at `listener`, to what listens at `to`.
    pub(super) fn open(listener: TcpListener, to: SocketAddr) -> Self {
        let at = listener.local_addr().unwrap();
        Self { at, to, open: Mutex::new(Some(tokio::spawn(let_in(listener, to)))) }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if let Some(open) = self.open.get_mut().unwrap().take() {
            open.abort();
        }
    }
}

async fn let_in(listener: TcpListener, to: SocketAddr) {
    let mut inside = JoinSet::new();
    while let Ok((mut outer, _)) = listener.accept().await {
        while inside.try_join_next().is_some() {}
        inside.spawn(async move {
            if let Ok(mut inner) = TcpStream::connect(to).await {
                copy_bidirectional(&mut outer, &mut inner).await.ok();
            }
        });
    }
}

impl Slack {
    /// Nobody reaches Slack from now on: what is open breaks, what is new is refused.
    pub(crate) async fn go_away(&self) {
        let open = self.inner.gate.open.lock().unwrap().take();
        if let Some(open) = open {
            open.abort();
            open.await.ok();
        }
    }

    /// Slack can be reached again, where it was.
    pub(crate) async fn come_back(&self) {
        let gate = &self.inner.gate;
        let listener = TcpListener::bind(gate.at).await.unwrap();
        *gate.open.lock().unwrap() = Some(tokio::spawn(let_in(listener, gate.to)));
    }
}
