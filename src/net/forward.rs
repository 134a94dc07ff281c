//! Requests that a node which stands by forwards to the active one. Nothing is changed but what belongs to one connection:
//! host, cookies, signatures and bodies arrive as they were sent, and both bodies are streamed.
//!
//! - **Where to** is what the active node has published, and nothing that a request says.
//! - **Once.** A request is tried again only where nothing of it was sent, or where it has no body and changes nothing.
//! - **One hop.** A request says that it was forwarded ([`is_forwarded`]); a node that isn't active forwards no such
//!   request, so a wrong address ends in 503 and not in a circle. It also says whether it may come from another machine
//!   ([`is_from_other_machines`]): the active node sees nothing but a connection of another node.

mod body;
mod headers;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    body::Body,
    extract::Request,
    http::{
        HeaderMap, HeaderValue, Method, StatusCode, Uri,
        header::{self, HeaderName},
        request,
        uri::{PathAndQuery, Scheme},
    },
    response::{IntoResponse as _, Response},
};
use hyper_util::{
    client::legacy::{self, Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use self::body::{Answer, Sending, Sent};
use super::listener;
use crate::model::node::{ActiveNode, Part};

/// Says that a request was forwarded, and from where it may come: [`LOCAL`] or [`REMOTE`].
const FORWARDED: HeaderName = HeaderName::from_static("anteroom-forwarded");

/// Only this machine can have asked.
const LOCAL: HeaderValue = HeaderValue::from_static("local");
/// Other machines can have asked.
const REMOTE: HeaderValue = HeaderValue::from_static("remote");

/// How long a request waits for an active node that takes it. Slack gives up after three seconds.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Where a GET changes something: the code that a browser brings is worth something once.
const CHANGING: [&str; 1] = ["/slack/oauth"];

/// Pause before it is tried again where nothing is new.
const PAUSE: Duration = Duration::from_millis(100);

/// Longest time for a connection to the active node.
const CONNECT_MAX: Duration = Duration::from_secs(1);

/// A connection is kept for so long after a request: for less than the active node keeps it.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// Connections that are kept.
const IDLE_CONNECTIONS: usize = 64;

/// What is sent and not acknowledged by the other machine for so long ends the connection; so does its silence when it is
/// asked, three times in that time.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// What is kept of a body in memory, in bytes, in each direction.
const BUFFER_MAX: usize = 64 * 1024;

/// Least time between two warnings.
const WARN_EVERY: Duration = Duration::from_mins(1);

/// Whether another node has forwarded a request.
pub(crate) fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.contains_key(FORWARDED)
}

/// Whether another node has forwarded a request that other machines can have sent.
pub(crate) fn is_from_other_machines(headers: &HeaderMap) -> bool {
    headers.get_all(FORWARDED).iter().any(|from| *from != LOCAL)
}

/// Why a request was not answered by the active node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unanswered {
    /// Its target is no path.
    #[error("this is no request for a server")]
    Odd,
    /// The active node is not known yet, or doesn't say where it is reached.
    #[error("the active node `{0}` doesn't say where it is reached")]
    NoAddress(String),
    /// It can't be reached.
    #[error("the active node can't be reached at `{0}`")]
    Unreachable(String),
    /// The connection broke once the request was on its way, so nobody knows what came of it.
    #[error("the connection to the active node broke")]
    Broken,
    /// The client sent the body too slowly.
    #[error("the body of the request came too slowly")]
    TooSlow,
    /// It was forwarded before, or this node is the active one by now. Nothing was sent.
    #[error("this node is not the active one, or not yet")]
    NotActive,
}

impl Unanswered {
    /// What to do where it goes on.
    const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoAddress(_) => Some(
                "set `node_host` under `[postgres]` of every node, or have `listen` name an address of the machine; an older \
                 version that is active must be upgraded first",
            ),
            Self::Unreachable(_) => Some(
                "nothing to do if it was just stopped; else see that nodes may connect to one another",
            ),
            Self::NotActive => Some(
                "nothing to do while nodes take turns; else `node_host` or `listen` of another node leads here",
            ),
            Self::Odd | Self::Broken | Self::TooSlow => None,
        }
    }

    /// The answer: whoever asked may try again at once. `words` is the body of most.
    pub(crate) fn answer(&self, words: impl FnOnce() -> Response) -> Response {
        let mut response = match self {
            Self::Odd => return StatusCode::BAD_REQUEST.into_response(),
            Self::TooSlow => return StatusCode::REQUEST_TIMEOUT.into_response(),
            Self::NoAddress(_) | Self::Unreachable(_) | Self::Broken | Self::NotActive => words(),
        };
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        response
    }
}

/// Forwards requests to the active node. Clones share its connections.
#[derive(Debug, Clone)]
pub(crate) struct Forwarder {
    client: Client<HttpConnector, Sent>,
    active: watch::Receiver<Option<ActiveNode>>,
    /// Ends everything: this node is the active one.
    over: CancellationToken,
    /// Ends streams of events: this node stops.
    stopping: CancellationToken,
    warned: Arc<Mutex<Option<Instant>>>,
}

impl Forwarder {
    /// Learns of the active node by `active`. Once this node is that, `over` ends what is still on its way; `shutdown` ends
    /// only what has no end of its own.
    pub(crate) fn new(
        active: watch::Receiver<Option<ActiveNode>>,
        over: CancellationToken,
        shutdown: CancellationToken,
    ) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT_MAX));
        connector.set_nodelay(true);
        connector.set_keepalive(Some(SILENCE_MAX / 3));
        connector.set_keepalive_interval(Some(SILENCE_MAX / 3));
        connector.set_keepalive_retries(Some(2));
        #[cfg(target_os = "linux")]
        connector.set_tcp_user_timeout(Some(SILENCE_MAX));
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .http1_max_buf_size(BUFFER_MAX)
            .build(connector);
        Self { client, active, over, stopping: shutdown, warned: Arc::default() }
    }

    /// For the requests of one part. `is_local` where only this machine can send them.
    pub(crate) fn of(&self, part: Part, is_local: bool) -> Forward {
        Forward { forwarder: self.clone(), part, is_local }
    }

    /// Says at most once a minute why nobody is served.
    fn warn(&self, part: Part, why: &Unanswered) {
        let Some(hint) = why.hint().filter(|_| !self.over.is_cancelled()) else { return };
        let now = Instant::now();
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.is_none_or(|last| now.duration_since(last) >= WARN_EVERY) {
            *warned = Some(now);
            tracing::warn!(
                part = part.name(),
                "a request could not be forwarded: {why}. hint: {hint}"
            );
        }
    }
}

/// Forwards the requests of one part.
#[derive(Debug, Clone)]
pub(crate) struct Forward {
    forwarder: Forwarder,
    part: Part,
    is_local: bool,
}

/// What is known of the request that is being forwarded.
struct Outgoing {
    head: request::Parts,
    target: PathAndQuery,
    body: Sending,
    is_repeatable: bool,
}

impl Outgoing {
    fn new(request: Request, from: HeaderValue, is_signed: bool) -> Option<Self> {
        let (mut head, body) = request.into_parts();
        let target = head.uri.path_and_query().filter(|target| target.as_str().starts_with('/'));
        let target = target?.clone();
        headers::strip(&mut head.headers);
        head.headers.insert(FORWARDED, from);
        let client = head.extensions.remove::<listener::Client>().filter(|_| is_signed);
        let body = Sending::new(body, client);
        let is_reading =
            matches!(head.method, Method::GET | Method::HEAD) && !CHANGING.contains(&target.path());
        let is_repeatable = is_reading && body.is_empty();
        Some(Self { head, target, body, is_repeatable })
    }

    /// None where `address` is none.
    fn to(&self, address: &str) -> Option<axum::http::Request<Sent>> {
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(address);
        let uri = uri.path_and_query(self.target.clone()).build().ok()?;
        let mut request = axum::http::Request::new(self.body.sent());
        *request.method_mut() = self.head.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = self.head.headers.clone();
        Some(request)
    }
}

impl Forward {
    /// The active node's answer.
    pub(crate) async fn send(&self, request: Request) -> Result<Response, Unanswered> {
        let sent = self.tried(request).await;
        if let Err(why) = &sent {
            listener::refused("standing_by");
            self.forwarder.warn(self.part, why);
        }
        sent
    }

    async fn tried(&self, request: Request) -> Result<Response, Unanswered> {
        if is_forwarded(request.headers()) {
            return Err(Unanswered::NotActive);
        }
        let from = if self.is_local { LOCAL } else { REMOTE };
        // Nobody here knows who sends what the platforms sign.
        let is_signed = self.part != Part::Web;
        let outgoing = Outgoing::new(request, from, is_signed).ok_or(Unanswered::Odd)?;
        let mut active = self.forwarder.active.clone();
        let until = Instant::now() + PATIENCE;
        loop {
            let node = active.borrow_and_update().clone().unwrap_or_default();
            let why = match node.addresses.of(self.part) {
                Some(address) => match self.once(&outgoing, address).await? {
                    Some(response) => return Ok(response),
                    None => Unanswered::Unreachable(address.to_owned()),
                },
                None => Unanswered::NoAddress(node.name),
            };
            let now = Instant::now();
            if now >= until {
                return Err(why);
            }
            tokio::select! {
                () = self.forwarder.over.cancelled() => return Err(Unanswered::NotActive),
                // Where nobody tells any more, there is nothing new.
                Ok(()) = active.changed() => {}
                () = sleep_until(until.min(now + PAUSE)) => {}
            }
        }
    }

    /// One try; `None` if the next one does no harm.
    async fn once(
        &self,
        outgoing: &Outgoing,
        address: &str,
    ) -> Result<Option<Response>, Unanswered> {
        let Some(request) = outgoing.to(address) else { return Ok(None) };
        let answered = tokio::select! {
            () = self.forwarder.over.cancelled() => return Err(Unanswered::Broken),
            answered = self.forwarder.client.request(request) => answered,
        };
        match answered {
            Ok(response) => Ok(Some(self.relayed(response))),
            Err(error) if error.is_connect() || outgoing.is_repeatable => {
                tracing::debug!(%error, "the active node did not answer");
                Ok(None)
            }
            Err(error) => Err(broken(&error)),
        }
    }

    fn relayed(&self, response: axum::http::Response<hyper::body::Incoming>) -> Response {
        let (mut head, body) = response.into_parts();
        headers::strip(&mut head.headers);
        // Events have no end of their own.
        let is_endless = head
            .headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let Forwarder { over, stopping, .. } = &self.forwarder;
        let stopping = is_endless.then(|| stopping.clone());
        Response::from_parts(head, Body::new(Answer::new(body, over.clone(), stopping)))
    }
}

fn broken(error: &legacy::Error) -> Unanswered {
    if listener::is_too_slow(error) { Unanswered::TooSlow } else { Unanswered::Broken }
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use axum::{
        Router,
        body::{Bytes, to_bytes},
    };
    use futures::{StreamExt as _, stream};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::{TcpListener, TcpStream},
        task::JoinSet,
    };

    use super::*;
    use crate::{
        model::node::Addresses,
        net::listener::{Bounds, Port, Throughput},
    };

    const BOUNDS: Bounds = Bounds {
        connections: 8,
        headers: Duration::from_secs(5),
        throughput: Throughput { bytes_per_second: 1024, grace: Duration::from_secs(2) },
        idle: Duration::from_secs(30),
        stopping: Duration::from_secs(1),
    };

    /// A node that stands by.
    struct Standby {
        active: watch::Sender<Option<ActiveNode>>,
        over: CancellationToken,
        shutdown: CancellationToken,
        address: String,
        tasks: JoinSet<()>,
    }

    impl Standby {
        fn start(is_local: bool) -> Self {
            let active = watch::Sender::default();
            let (over, shutdown) = (CancellationToken::new(), CancellationToken::new());
            let forwarder = Forwarder::new(active.subscribe(), over.clone(), shutdown.clone());
            let forward = forwarder.of(Part::Slack, is_local);
            let mut port = Port::bind(([127, 0, 0, 1], 0).into()).unwrap();
            let to_active_node = move |request| async move {
                let words = || "try again".into_response();
                forward.send(request).await.unwrap_or_else(|why| why.answer(words))
            };
            let routes = Router::new().fallback(to_active_node);
            let mut tasks = JoinSet::new();
            tasks.spawn(port.meanwhile(routes, BOUNDS, shutdown.clone()));
            Self { active, over, shutdown, address: port.address().to_string(), tasks }
        }

        fn leads_to(&self, address: &str) {
            let addresses = Addresses::default().with(Part::Slack, address.to_owned());
            self.active.send_replace(Some(ActiveNode { name: "first".to_owned(), addresses }));
        }

        async fn ask(&self, request: &str) -> String {
            asked(&self.address, request).await
        }

        fn active_node(&mut self, routes: Router) {
            let port = Port::bind(([127, 0, 0, 1], 0).into()).unwrap();
            self.leads_to(&port.address().to_string());
            self.tasks.spawn(port.serve(routes, BOUNDS, self.shutdown.clone()));
        }
    }

    /// All that is answered to a request, which asks for the connection to be closed.
    async fn asked(address: &str, request: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // A part of an answer is one, too.
        _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    const POST: &str =
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 4\r\n\r\nword";

    /// Says what it was asked.
    async fn echo(request: Request) -> Response {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        let mut lines = vec![format!("{} {}", head.method, head.uri)];
        let headers = head.headers.iter();
        lines.extend(headers.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())));
        lines.push(String::from_utf8(body.to_vec()).unwrap());
        ([("keep-alive", "timeout=5"), ("x-answer", "as it was")], lines.join("\n")).into_response()
    }

    #[tokio::test]
    async fn a_signed_request_arrives_as_it_was_sent() {
        let mut standby = Standby::start(true);
        standby.active_node(Router::new().fallback(echo));
        let request = "POST /slack/events?a=%7c&b=|x|//y/../z HTTP/1.1\r\nHost: bot.example.org:8443\r\n\
                       X-Slack-Signature: v0=ab12\r\nX-Slack-Request-Timestamp: 1\r\nCookie: a=1; b=2\r\n\
                       Connection: close, X-Mine\r\nX-Mine: 1\r\nContent-Length: 13\r\n\r\n{ \"raw\":  1 }";
        let answer = standby.ask(request).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(
            head.starts_with("HTTP/1.1 200") && head.contains("x-answer: as it was"),
            "{answer}"
        );
        assert!(!head.contains("keep-alive"), "{answer}");
        let mut lines: Vec<&str> = body.lines().collect();
        lines[1..].sort_unstable();
        let expected = [
            "POST /slack/events?a=%7c&b=|x|//y/../z",
            "anteroom-forwarded: local",
            "content-length: 13",
            "cookie: a=1; b=2",
            "host: bot.example.org:8443",
            "x-slack-request-timestamp: 1",
            "x-slack-signature: v0=ab12",
            "{ \"raw\":  1 }",
        ];
        assert_eq!(lines, expected);
    }

    #[tokio::test]
    async fn the_active_node_learns_that_other_machines_can_have_asked() {
        let mut standby = Standby::start(false);
        standby.active_node(Router::new().fallback(async |headers: HeaderMap| {
            format!("{} {}", is_forwarded(&headers), is_from_other_machines(&headers))
        }));
        assert!(standby.ask(GET).await.ends_with("true true"));
        let pretended = GET.replace("Host: a", "Host: a\r\nAnteroom-Forwarded: local");
        let refused = standby.ask(&pretended).await;
        assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    }

    #[tokio::test]
    async fn a_request_goes_round_in_no_circle() {
        let (one, two) = (Standby::start(true), Standby::start(true));
        one.leads_to(&two.address);
        two.leads_to(&one.address);
        let began = Instant::now();
        let answer = one.ask(POST).await;
        assert!(
            answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1"),
            "{answer}"
        );
        assert!(began.elapsed() < PATIENCE, "it is known at once");
    }

    #[tokio::test]
    async fn a_request_waits_for_an_active_node_and_is_sent_to_it_once() {
        let mut standby = Standby::start(true);
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        standby.leads_to(&nobody.to_string());
        let address = standby.address.clone();
        let mut asking = JoinSet::new();
        asking.spawn(async move { asked(&address, POST).await });
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        standby.active_node(Router::new().fallback(move |body: Bytes| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { body }
        }));
        let answer = asking.join_next().await.unwrap().unwrap();
        assert!(answer.ends_with("\r\n\r\nword"), "{answer}");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_request_is_refused_where_no_active_node_says_where_it_is() {
        let standby = Standby::start(true);
        let answer = standby.ask(GET).await;
        assert!(
            answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1"),
            "{answer}"
        );
        standby.active.send_replace(Some(ActiveNode::default()));
        assert!(standby.ask(POST).await.starts_with("HTTP/1.1 503"));
    }

    #[tokio::test]
    async fn what_changes_something_is_not_sent_again_when_the_connection_breaks() {
        let standby = Standby::start(true);
        let breaks = TcpListener::bind("127.0.0.1:0").await.unwrap();
        standby.leads_to(&breaks.local_addr().unwrap().to_string());
        let breaking = async {
            let mut asked = 0;
            loop {
                let (mut stream, _) = breaks.accept().await.unwrap();
                let mut piece = [0; 1024];
                assert_ne!(stream.read(&mut piece).await.unwrap(), 0);
                asked += 1;
                if asked == 4 {
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nfourth";
                    stream.write_all(answer).await.unwrap();
                    return;
                }
            }
        };
        let asking = async {
            for changes in
                [POST, "GET /slack/oauth?code=a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"]
            {
                let answer = standby.ask(changes).await;
                assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
            }
            // What only reads is asked again.
            assert!(standby.ask(GET).await.ends_with("fourth"));
        };
        tokio::join!(breaking, asking);
    }

    /// What comes of an answer of this kind that has no end, when the node is the active one itself.
    async fn cut_off(kind: &'static str) -> String {
        let mut standby = Standby::start(true);
        standby.active_node(Router::new().fallback(move || async move {
            let first = stream::iter([Ok::<_, Infallible>("first")]);
            ([(header::CONTENT_TYPE, kind)], Body::from_stream(first.chain(stream::pending())))
        }));
        let mut reading = TcpStream::connect(&standby.address).await.unwrap();
        reading.write_all(GET.as_bytes()).await.unwrap();
        let mut text = Vec::new();
        while !text.ends_with(b"first\r\n") {
            assert_ne!(reading.read_buf(&mut text).await.unwrap(), 0);
        }
        standby.over.cancel();
        // It may be reset.
        _ = reading.read_to_end(&mut text).await;
        String::from_utf8(text).unwrap()
    }

    #[tokio::test]
    async fn events_flow_until_the_node_is_active_itself_and_no_part_looks_like_a_whole() {
        let whole = "first\r\n0\r\n\r\n";
        assert!(cut_off("text/event-stream").await.ends_with(whole));
        assert!(!cut_off("application/zip").await.ends_with(whole));
    }

    #[tokio::test]
    async fn a_node_that_stops_ends_events_and_finishes_answers() {
        let mut standby = Standby::start(true);
        let go = CancellationToken::new();
        let gone = go.clone();
        standby.active_node(Router::new().fallback(move || {
            gone.cancel();
            async {
                tokio::task::yield_now().await;
                "done"
            }
        }));
        let shutdown = standby.shutdown.clone();
        let stopping = async {
            go.cancelled().await;
            shutdown.cancel();
        };
        let (answer, ()) = tokio::join!(standby.ask(GET), stopping);
        assert!(answer.ends_with("done"), "{answer}");
        while standby.tasks.join_next().await.is_some() {}
    }
}
