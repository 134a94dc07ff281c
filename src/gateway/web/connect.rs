//! The server: binds, guards every request, routes.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::{
    Router,
    body::Body,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use metrics::counter;
use tokio_util::sync::CancellationToken;

use super::{
    app::App,
    brand, frame,
    guard::{self, Browser, StaffKeys},
    health, limits, linked, live, participant,
    places::Places,
    readings::Readings,
    staff,
    waiting::WaitingList,
};
use crate::{
    base::telemetry::{metric, ready::Ready},
    config::{Settings, settings::Web},
    engine::{Engine, file_links::PATH},
    messages,
    net::{
        forward,
        listener::{self, Admission, Budget, Port},
    },
};

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken, or not ours.
    #[error("cannot listen on `{address}`: {why}. hint: choose another `listen` under `[{table}]`")]
    Bind {
        /// The table of the configuration that says so.
        table: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why.
        why: std::io::Error,
    },
    /// Other machines could reach the page, and nobody said that they may.
    #[error(
        "`{0}` can be reached from other machines. hint: set `allow_remote` under `[web]` if that is meant"
    )]
    Remote(SocketAddr),
    /// Other machines could reach the staff page, which has no key.
    #[error(
        "the staff page has no key. hint: set `staff_key_env` under `[web]`, or listen on loopback"
    )]
    Open,
}

/// The ports of the page.
#[derive(Debug)]
pub struct Ports {
    /// The page itself.
    pub page: Port,
    /// Where machines ask, where that is somewhere else.
    pub monitor: Option<Port>,
}

impl Ports {
    /// Binds the configured addresses; the page's is on loopback, unless the operator allows more.
    pub fn bind(settings: &Settings) -> Result<Self, Error> {
        let address = settings.web.listen;
        if !address.ip().is_loopback() {
            if !settings.web.allow_remote {
                return Err(Error::Remote(address));
            }
            if settings.web.staff_key.is_none() {
                return Err(Error::Open);
            }
        }
        let page = bound(address, "web")?;
        let monitor =
            settings.metrics.listen.map(|address| bound(address, "metrics")).transpose()?;
        Ok(Self { page, monitor })
    }
}

/// A bound server that waits for its engine.
#[derive(Debug)]
pub struct Server {
    ports: Ports,
    settings: Arc<Settings>,
    parts: Vec<Arc<dyn Ready>>,
}

impl Server {
    /// Binds the configured addresses, as [`Ports::bind`].
    pub fn bind(settings: Arc<Settings>) -> Result<Self, Error> {
        Self::on(None, settings)
    }

    /// Like [`Server::bind`], but uses `ports` if they are open already.
    pub fn on(ports: Option<Ports>, settings: Arc<Settings>) -> Result<Self, Error> {
        let ports = ports.map_or_else(|| Ports::bind(&settings), Ok)?;
        Ok(Self { ports, settings, parts: Vec::new() })
    }

    /// Counts a part of the bot in when somebody asks whether it is ready.
    #[must_use]
    pub fn with(mut self, part: Arc<dyn Ready>) -> Self {
        self.parts.push(part);
        self
    }

    /// Where it listens; the port is a real one.
    pub const fn address(&self) -> SocketAddr {
        self.ports.page.address()
    }

    /// The participant's page.
    pub fn url(&self) -> String {
        let address = self.address();
        let ip = match address.ip() {
            ip if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
            ip => ip,
        };
        format!("http://{}/", SocketAddr::new(ip, address.port()))
    }

    /// The staff page. The staff key, where there is one, is not in it.
    pub(crate) fn staff_url(&self) -> String {
        format!("{}staff", self.url())
    }

    /// Serves until `shutdown`; requests in flight are finished. What answered at open ports is replaced at once.
    pub fn serve(
        self,
        engine: Engine,
        shutdown: CancellationToken,
    ) -> impl Future<Output = ()> + use<> {
        let app = Arc::new(App {
            engine,
            brand: Arc::new(self.settings.brand.clone()),
            staff_keys: StaffKeys::of(&self.settings),
            settings: self.settings,
            uploads: Budget::new(limits::UPLOADS_MAX),
            downloads: Budget::new(limits::DOWNLOADS_MAX),
            live: Places::default(),
            readings: Readings::default(),
            waiting: WaitingList::default(),
            shutdown: shutdown.clone(),
            parts: self.parts,
        });
        let Ports { page, monitor } = self.ports;
        let monitor = monitor.map(|port| (port, health::monitor(Arc::clone(&app))));
        let pages = page.serve(routes(app), limits::LISTENER, shutdown.clone());
        let monitor = monitor.map(|(port, routes)| port.serve(routes, limits::LISTENER, shutdown));
        async move {
            match monitor {
                Some(monitor) => {
                    tokio::join!(pages, monitor);
                }
                None => pages.await,
            }
        }
    }
}

fn bound(address: SocketAddr, table: &'static str) -> Result<Port, Error> {
    Port::bind(address).map_err(|why| Error::Bind { table, address, why })
}

fn routes(app: Arc<App>) -> Router {
    let strangers =
        middleware::from_fn_with_state(Admission::new(limits::ADMITTED_MAX), listener::admit);
    let deadline = middleware::from_fn_with_state(limits::REQUEST_TIMEOUT, listener::deadline);
    // Behind a proxy of somebody's, the page is for others; what only machines ask is not.
    let metrics = if app.settings.web.allow_remote { Router::new() } else { health::metrics() };
    let pages = Router::new()
        .route("/", get(participant::start_page))
        .route("/start", post(participant::start).get(participant::back_to_start))
        .route("/erased", get(participant::erased))
        .route("/s/{session}", get(participant::conversation))
        .route("/s/{session}/answer", post(participant::answer))
        .route("/s/{session}/say", post(participant::say))
        .route("/s/{session}/command", post(participant::command))
        .route("/s/{session}/export", get(participant::export))
        .route("/s/{session}/made/{file}", get(participant::made))
        .route("/staff", get(staff::overview))
        .route("/staff/key", post(staff::key))
        .route("/staff/name", post(staff::name))
        .route("/staff/s/{session}", get(staff::conversation))
        .route("/staff/s/{session}/answer", post(staff::answer))
        .route("/staff/s/{session}/order", post(staff::order))
        .route("/staff/s/{session}/export", get(staff::export))
        .route("/staff/s/{session}/made/{file}", get(staff::made))
        .route("/assets/app.css", get(css))
        .route("/assets/app.js", get(js))
        .route("/assets/icon.svg", get(icon))
        .route("/assets/brand.css", get(brand_css))
        .route("/assets/logo", get(logo));
    // Live connections stay open, so no time limit applies to them.
    let live = Router::new()
        .route("/s/{session}/live", get(live::participant))
        .route("/staff/s/{session}/live", get(live::staff_session))
        .route("/staff/live", get(live::staff_overview));
    let machines = health::routes().merge(metrics);
    let files = match app.settings.web.public_url {
        Some(_) => Router::new().route(&format!("{PATH}{{session}}/{{file}}"), get(linked::file)),
        None => Router::new(),
    };
    pages
        .merge(files)
        .layer(strangers.clone())
        .merge(machines)
        .layer(DefaultBodyLimit::max(limits::BODY_MAX))
        .layer(deadline)
        .merge(live.layer(strangers))
        .fallback(|| async { frame::problem(StatusCode::NOT_FOUND, messages::page::NOTHING_HERE) })
        .layer(middleware::from_fn_with_state(Arc::clone(&app), guarded))
        .with_state(app)
}

/// Checks who asks before anything else happens, and hardens every answer.
async fn guarded(State(app): State<Arc<App>>, request: Request<Body>, next: Next) -> Response {
    let headers = request.headers();
    let is_encrypted = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
    let is_form = !matches!(*request.method(), Method::GET | Method::HEAD);
    let web = &app.settings.web;
    let is_ours = is_for_our_host(web, &request);
    // Other machines must not become this one by asking through another node.
    let is_for_others = web.allow_remote && app.staff_keys.is_needed();
    let is_from_afar = forward::is_from_other_machines(headers) && !is_for_others;
    let mut response = if !is_ours || is_from_afar {
        refused("host");
        frame::problem(StatusCode::MISDIRECTED_REQUEST, messages::page::OTHER_HOST)
    } else if is_form && (!guard::is_same_origin(headers) || Browser::of(headers).is_none()) {
        refused("form");
        frame::problem(StatusCode::FORBIDDEN, messages::page::STALE_FORM)
    } else if !is_form && comes_from_elsewhere(&request) {
        frame::again()
    } else if !is_form && may_be_outdated(&app, request.uri().path()) {
        frame::unavailable()
    } else {
        brand::under(Arc::clone(&app.brand), next.run(request)).await
    };
    if is_encrypted {
        guard::keep_encrypted(response.headers_mut());
    }
    finish(&mut response);
    response
}

/// Whether a page may show less than another node has saved by now, which has taken over.
fn may_be_outdated(app: &App, path: &str) -> bool {
    let is_about_sessions = ["/s/", "/staff"].iter().any(|begin| path.starts_with(begin));
    is_about_sessions && !app.engine.parts().store.is_active()
}

/// Whether a browser without our cookie follows a link on somebody else's page. It may have one that was set as strict by an
/// earlier version, and sends that once our own page asks; another one would take its place.
fn comes_from_elsewhere(request: &Request<Body>) -> bool {
    let headers = request.headers();
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|given| given == value);
    is("sec-fetch-site", "cross-site")
        && is("sec-fetch-mode", "navigate")
        && Browser::of(headers).is_none()
        && !request.uri().path().starts_with(PATH)
}

/// Whether a request names a host of ours.
pub(super) fn is_for_our_host(web: &Web, request: &Request<Body>) -> bool {
    let headers = request.headers();
    // Under the public address there are files by links, and nothing else.
    let public = web.public_url.as_deref();
    let public = public.filter(|_| request.uri().path().starts_with(PATH));
    guard::is_our_host(headers, web.allow_remote)
        || public.is_some_and(|url| guard::is_host_of(headers, url))
}

/// Hardens an answer and counts it.
pub(super) fn finish(response: &mut Response) {
    guard::harden(response.headers_mut());
    counter!(metric::RESPONSES, "class" => class(response.status())).increment(1);
}

pub(super) fn refused(why: &'static str) {
    counter!(metric::REFUSALS, "why" => why).increment(1);
}

const fn class(status: StatusCode) -> &'static str {
    match status.as_u16() {
        ..200 => "1xx",
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        500.. => "5xx",
    }
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    (headers, text).into_response()
}

async fn css() -> Response {
    asset("text/css; charset=utf-8", include_str!("assets/app.css"))
}

async fn js() -> Response {
    asset("text/javascript; charset=utf-8", include_str!("assets/app.js"))
}

async fn icon() -> Response {
    asset("image/svg+xml", include_str!("assets/icon.svg"))
}

async fn brand_css(State(app): State<Arc<App>>) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (headers, brand::css(&app.brand)).into_response()
}

async fn logo(State(app): State<Arc<App>>) -> Response {
    match &app.brand.logo {
        Some(logo) => {
            let headers = [(header::CONTENT_TYPE, logo.kind), (header::CACHE_CONTROL, "no-cache")];
            (headers, logo.bytes.to_vec()).into_response()
        }
        None => frame::problem(StatusCode::NOT_FOUND, messages::page::NOTHING_HERE),
    }
}
