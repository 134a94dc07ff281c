//! Connections of the Web API, through a proxy where there is one.

use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper_util::{client::legacy::connect::HttpConnector, rt::TokioIo};
use tokio::net::TcpStream;
use tower_service::Service;

use crate::{config::Proxies, net::outbound::tunnel};

/// Connects by itself, or through the proxy for an address.
#[derive(Clone)]
pub struct Route {
    pub(super) direct: HttpConnector,
    pub(super) proxies: Arc<Proxies>,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Route").field("proxies", &self.proxies).finish_non_exhaustive()
    }
}

type Failed = Box<dyn std::error::Error + Send + Sync>;

impl Service<axum::http::Uri> for Route {
    type Response = TokioIo<TcpStream>;
    type Error = Failed;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failed>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Failed>> {
        self.direct.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, address: axum::http::Uri) -> Self::Future {
        let Some(proxy) = self.proxies.to(&address) else {
            let connecting = self.direct.call(address);
            return Box::pin(async move { connecting.await.map_err(Into::into) });
        };
        Box::pin(async move {
            let stream = tunnel(&proxy, &address).await?;
            Ok(TokioIo::new(stream))
        })
    }
}
