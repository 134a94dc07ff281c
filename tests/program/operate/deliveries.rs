//! A receiver of web hooks that counts how often each delivery arrives.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{Router, body::Bytes, http::HeaderMap, routing::post};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
};

use super::line::{Condition, Line};

/// A receiver at the end of a line; it ends when it is dropped.
pub(super) struct Deliveries {
    line: Line,
    arrived: Arc<Mutex<HashMap<String, usize>>>,
    _runtime: Runtime,
}

impl Deliveries {
    pub(super) fn start() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let line = Line::to(listener.local_addr().unwrap().port());
        let arrived: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
        let counted = Arc::clone(&arrived);
        // It has arrived once its body has.
        let count = move |headers: HeaderMap, _: Bytes| async move {
            let id = headers["x-anteroom-delivery"].to_str().unwrap().to_owned();
            *counted.lock().unwrap().entry(id).or_default() += 1;
        };
        let router = Router::new().route("/", post(count));
        runtime.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { line, arrived, _runtime: runtime }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.line.address()
    }

    /// The line to it is like this from now on.
    pub(super) fn becomes(&self, condition: Condition) {
        self.line.becomes(condition);
    }

    /// How often somebody has connected to it, or tried to.
    pub(super) fn attempts(&self) -> usize {
        self.line.connections()
    }

    /// How many deliveries have arrived, each counted once, and how many more times any of them did.
    pub(super) fn counts(&self) -> (usize, usize) {
        let arrived = self.arrived.lock().unwrap();
        (arrived.len(), arrived.values().sum::<usize>() - arrived.len())
    }
}
