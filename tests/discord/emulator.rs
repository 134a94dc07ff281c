//! A Discord with state and rules of its own, written from Discord's documents and not from the bot.
//!
//! Its time stands still until somebody moves it. `state` is what there is, `calls` what may be done with it, `buckets`
//! how often, `faults` what goes wrong on the way, `serve` the wire; `components` and `draw` know what is shown.

#[path = "emulator/buckets.rs"]
mod buckets;
#[path = "emulator/calls.rs"]
pub(crate) mod calls;
#[path = "emulator/components.rs"]
pub(crate) mod components;
#[path = "emulator/draw.rs"]
pub(crate) mod draw;
#[path = "emulator/faults.rs"]
pub(crate) mod faults;
#[path = "emulator/serve.rs"]
mod serve;
#[path = "emulator/state.rs"]
pub(crate) mod state;

use std::sync::{Arc, Mutex};

use tokio::{net::TcpListener, task::JoinHandle};

use self::state::State;

/// A running emulator; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Discord {
    inner: Arc<Inner>,
    /// `http://127.0.0.1:…/api/v10`.
    pub(crate) base: String,
    server: JoinHandle<()>,
}

#[derive(Debug)]
pub(crate) struct Inner(Mutex<State>);

impl Inner {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap())
    }
}

impl Discord {
    /// One server with its owner and the bot, in the afternoon of 2 November 2026.
    pub(crate) async fn start() -> Self {
        let now = "2026-11-02T14:05:00Z".parse().unwrap();
        let inner = Arc::new(Inner(Mutex::new(State::new(now))));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/api/v10", listener.local_addr().unwrap());
        #[expect(clippy::disallowed_methods, reason = "its owner aborts it")]
        let server = tokio::spawn(serve::http(Arc::downgrade(&inner), listener));
        Self { inner, base, server }
    }

    /// Looks at what there is, or changes it behind everybody's back.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        self.inner.with(work)
    }
}

impl Drop for Discord {
    fn drop(&mut self) {
        self.server.abort();
    }
}
