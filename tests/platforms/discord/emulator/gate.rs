//! The way to the API: while it is closed, nobody is there at the address.

use std::{net::SocketAddr, sync::Mutex};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpSocket, TcpStream},
    task::{JoinHandle, JoinSet},
};

#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) address: SocketAddr,
    to: SocketAddr,
    open: Mutex<Option<JoinHandle<()>>>,
}

impl Gate {
    /// Opens the way to an address.
    pub(crate) async fn open(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        Self { address, to, open: Mutex::new(Some(relay(listener, to))) }
    }

    /// Closes it: what goes through is cut, and nobody is let in.
    pub(crate) fn close(&self) {
        if let Some(open) = self.open.lock().unwrap().take() {
            open.abort();
        }
    }

    /// Opens it again at the same address.
    pub(crate) async fn reopen(&self) {
        loop {
            let socket = TcpSocket::new_v4().unwrap();
            socket.set_reuseaddr(true).unwrap();
            // The one before may not have let go yet.
            if socket.bind(self.address).is_ok()
                && let Ok(listener) = socket.listen(256)
            {
                *self.open.lock().unwrap() = Some(relay(listener, self.to));
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.close();
    }
}

#[expect(clippy::disallowed_methods, reason = "its owner aborts it")]
fn relay(listener: TcpListener, to: SocketAddr) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut inside, _)) = listener.accept().await {
            connections.spawn(async move {
                if let Ok(mut outside) = TcpStream::connect(to).await {
                    copy_bidirectional(&mut inside, &mut outside).await.ok();
                }
            });
        }
    })
}
