//! The page of a node that stands by. What machines ask about the node itself is answered here, everything else by the
//! active node: its pages, live updates, files, and whether people can be served.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::get,
};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{
    brand,
    connect::{self, Ports},
    frame, health, limits,
};
use crate::{
    config::{Settings, brand::Brand},
    messages,
    model::node::Part,
    net::{
        forward::{self, Forward, Forwarder, Unanswered},
        listener::{self, Admission},
    },
};

/// What a machine reads that asks whether this node is ready while no active one can be asked.
const NOT_READY: &str =
    "this node stands by, and the active one can't be reached. hint: the log says why";

/// What all handlers need.
#[derive(Debug)]
struct Standby {
    settings: Arc<Settings>,
    brand: Arc<Brand>,
    forward: Forward,
}

impl Ports {
    /// Answers for the active node until `shutdown`, or until a [`Server`](super::Server) takes the ports over.
    pub(crate) fn stand_by(
        &mut self,
        settings: &Arc<Settings>,
        forwarder: &Forwarder,
        shutdown: &CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let is_local = self.page.address().ip().is_loopback();
        let standby = Arc::new(Standby {
            settings: Arc::clone(settings),
            brand: Arc::new(settings.brand.clone()),
            forward: forwarder.of(Part::Web, is_local),
        });
        let monitor = self.monitor.as_mut();
        let monitor = monitor
            .map(|port| port.meanwhile(monitored(&standby), limits::LISTENER, shutdown.clone()));
        let page = self.page.meanwhile(routes(&standby), limits::LISTENER, shutdown.clone());
        async {
            match monitor {
                Some(monitor) => {
                    tokio::join!(page, monitor);
                }
                None => page.await,
            }
        }
    }
}

fn routes(standby: &Arc<Standby>) -> Router {
    let strangers =
        middleware::from_fn_with_state(Admission::new(limits::ADMITTED_MAX), listener::admit);
    let metrics = if standby.settings.web.allow_remote { Router::new() } else { metrics() };
    Router::new()
        .fallback(forwarded)
        .layer(strangers)
        .merge(machines())
        .merge(metrics)
        .layer(middleware::from_fn_with_state(limits::FORWARD_TIMEOUT, listener::deadline))
        .layer(middleware::from_fn_with_state(Arc::clone(standby), guarded))
        .with_state(Arc::clone(standby))
}

/// Everything that machines ask, for an address of its own.
fn monitored(standby: &Arc<Standby>) -> Router {
    machines()
        .merge(metrics())
        .layer(middleware::from_fn_with_state(limits::FORWARD_TIMEOUT, listener::deadline))
        .with_state(Arc::clone(standby))
}

fn machines() -> Router<Arc<Standby>> {
    Router::new().route("/healthz", get(async || "standing by")).route("/readyz", get(ready))
}

fn metrics() -> Router<Arc<Standby>> {
    Router::new().route("/metrics", get(measured))
}

/// People are served by the active node. Another node that asks takes this one for that.
async fn ready(State(standby): State<Arc<Standby>>, headers: HeaderMap) -> Response {
    let asked = if forward::is_forwarded(&headers) { None } else { readiness(&standby).await };
    asked.unwrap_or_else(|| (StatusCode::SERVICE_UNAVAILABLE, NOT_READY).into_response())
}

async fn measured(State(standby): State<Arc<Standby>>) -> Response {
    let asked = timeout(health::ANSWER_MAX, readiness(&standby)).await;
    let is_ready = asked.is_ok_and(|answer| answer.is_some_and(|it| it.status().is_success()));
    health::measured_standing_by(is_ready)
}

/// What the active node says of its readiness; `None` if it can't be asked. Its page knows no address for monitoring.
async fn readiness(standby: &Standby) -> Option<Response> {
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = Uri::from_static("/readyz");
    request.headers_mut().insert(header::HOST, HeaderValue::from_static("localhost"));
    standby.forward.send(request).await.ok()
}

async fn forwarded(State(standby): State<Arc<Standby>>, request: Request) -> Response {
    let why = match standby.forward.send(request).await {
        Ok(response) => return response,
        Err(why) => why,
    };
    let words = match why {
        Unanswered::Broken => messages::page::UNCERTAIN,
        Unanswered::Odd
        | Unanswered::NoAddress(_)
        | Unanswered::Unreachable(_)
        | Unanswered::TooSlow
        | Unanswered::NotActive => messages::page::UNREACHABLE,
    };
    why.answer(|| frame::problem(StatusCode::SERVICE_UNAVAILABLE, words))
}

/// Checks the host before anything else happens, as the active node does, and hardens every answer.
async fn guarded(State(standby): State<Arc<Standby>>, request: Request, next: Next) -> Response {
    let mut response = if connect::is_for_our_host(&standby.settings.web, &request) {
        brand::under(Arc::clone(&standby.brand), next.run(request)).await
    } else {
        connect::refused("host");
        frame::problem(StatusCode::MISDIRECTED_REQUEST, messages::page::OTHER_HOST)
    };
    connect::finish(&mut response);
    response
}
