//! A Discord with state and rules of its own, written from Discord's documents and not from the bot.
//!
//! Its time stands still until somebody moves it. `state` is what there is, `calls` what may be done with it, `buckets`
//! how often, `faults` what goes wrong on the way, `serve` and `gateway` the wire, `acts` what people do, `files` what
//! they send; `components` and `draw` know what is shown.

pub(crate) mod acts;
mod buckets;
pub(crate) mod calls;
pub(crate) mod components;
pub(crate) mod draw;
pub(crate) mod faults;
pub(crate) mod files;
mod gate;
pub(crate) mod gateway;
mod markup;
mod page;
mod search;
mod serve;
pub(crate) mod state;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

use self::{gate::Gate, state::State};

/// Longest wait for something that should come to be.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A running emulator; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Discord {
    inner: Arc<Inner>,
    /// `http://127.0.0.1:…/api/v10`.
    pub(crate) base: String,
    servers: [JoinHandle<()>; 2],
    gate: Gate,
}

#[derive(Debug)]
pub(crate) struct Inner {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
}

impl Inner {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let done = work(&mut self.state.lock().unwrap());
        self.changed.send_modify(|times| *times += 1);
        done
    }
}

impl Discord {
    /// One server with its owner and the bot, in the afternoon of 2 November 2026.
    pub(crate) async fn start() -> Self {
        let mut state = State::new("2026-11-02T14:05:00Z".parse().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let sockets = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let gate = Gate::open(listener.local_addr().unwrap()).await;
        state.origin = format!("http://{}", gate.address);
        state.gateway.url = format!("ws://{}", sockets.local_addr().unwrap());
        let base = format!("{}/api/v10", state.origin);
        let inner = Arc::new(Inner { state: Mutex::new(state), changed: watch::Sender::new(0) });
        #[expect(clippy::disallowed_methods, reason = "its owner aborts it")]
        let servers = [
            tokio::spawn(serve::http(Arc::downgrade(&inner), listener)),
            tokio::spawn(gateway::sockets(Arc::downgrade(&inner), sockets)),
        ];
        Self { inner, base, servers, gate }
    }

    /// Nobody reaches the API any more; the gateway stays.
    pub(crate) fn leaves(&self) {
        self.gate.close();
    }

    /// The API can be reached again.
    pub(crate) async fn comes_back(&self) {
        self.gate.reopen().await;
    }

    /// Looks at what there is, or changes it behind everybody's back.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        self.inner.with(work)
    }

    /// Waits until something is there.
    pub(crate) async fn until<T>(&self, what: &str, look: impl Fn(&State) -> Option<T>) -> T {
        let mut changes = self.inner.changed.subscribe();
        let looking = async {
            loop {
                changes.mark_unchanged();
                if let Some(found) = look(&self.inner.state.lock().unwrap()) {
                    return found;
                }
                changes.changed().await.unwrap();
            }
        };
        tokio::time::timeout(PATIENCE, looking).await.unwrap_or_else(|_| {
            let state = self.inner.state.lock().unwrap();
            panic!("never: {what}; at the gateway: {:?}", state.gateway.happened)
        })
    }
}

impl Drop for Discord {
    fn drop(&mut self) {
        for server in &self.servers {
            server.abort();
        }
    }
}
