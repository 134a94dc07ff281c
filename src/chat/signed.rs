//! Requests that a platform signs: short, few at one time, and nothing is kept or begun for those that are not signed.
//!
//! 1. The headers alone refuse what carries no signature, is too old, or announces too long a body.
//! 2. The body is read with the least throughput of the listener. Until it is verified the connection can be evicted,
//!    and what it sends has only the memory of [`UNVERIFIED_MAX`].
//! 3. Only what the platform has signed takes one of [`IN_FLIGHT_MAX`] places.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use futures::StreamExt as _;
use metrics::counter;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use tower_http::timeout::TimeoutLayer;

use crate::{
    base::{clock::Clock, telemetry::metric},
    model::session::Platform,
    net::{
        forward::Forward,
        listener::{self, Admission, Bounds, Budget, Client, Exhausted, Port, Share, Throughput},
    },
};

/// Longest body that is read, in bytes; the platforms' own are far below.
const BODY_MAX: usize = 1024 * 1024;

/// Longest time for a request, its body and the answer: the platforms have given up after three seconds.
const REQUEST_MAX: Duration = Duration::from_secs(6);

/// Longest time for a request that is forwarded to the active node, which takes 20 seconds for installing the app.
const FORWARD_MAX: Duration = Duration::from_secs(25);

/// Memory for the longer ones of bodies that are not verified yet, together, in bytes.
const UNVERIFIED_MAX: usize = 16 * BODY_MAX;

/// Requests in flight at one time; with [`BODY_MAX`] this bounds memory.
const IN_FLIGHT_MAX: usize = 64;

/// Requests that wait for one of those to be done, with nothing of them read yet. Those beyond are told to come again.
const QUEUE_MAX: usize = 960;

/// How long a request waits: the platforms want an answer within three seconds, and Discord sends nothing twice.
const QUEUE_WAIT: Duration = Duration::from_secs(1);

/// Connections from outside: a proxy keeps few.
const BOUNDS: Bounds = Bounds {
    connections: 256,
    headers: Duration::from_secs(5),
    throughput: Throughput { bytes_per_second: 1024, grace: Duration::from_secs(2) },
    idle: Duration::from_secs(30),
    stopping: Duration::from_secs(4),
};

/// Requests of browsers that install the app, at one time.
const UNSIGNED_MAX: usize = 192;

/// Oldest signature, in seconds: what Slack recommends (docs.slack.dev, "Verifying requests from Slack"). What is
/// played back later is not looked at, even where what it repeats has been erased and is not recognised any more.
const AGE_MAX: i64 = 5 * 60;

/// Least time between two warnings about ages, in seconds: strangers can cause them.
const WARN_EVERY: i64 = 60;

/// A bound server.
#[derive(Debug)]
pub struct Server {
    port: Port,
    routes: Router,
}

impl Server {
    /// `routes`, which a [`Door`] guards, and `/healthz` are answered at the port within six seconds. `slower` ones are for
    /// strangers, and bound themselves.
    pub fn on(port: Port, routes: Router, slower: Router) -> Self {
        let strangers =
            middleware::from_fn_with_state(Admission::new(UNSIGNED_MAX), listener::admit);
        let routes = routes
            .route("/healthz", get(|| async { "ok" }))
            .layer(within(REQUEST_MAX))
            .merge(slower.layer(strangers));
        Self { port, routes }
    }

    /// Where it listens; the port is a real one.
    pub const fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Answers until `shutdown`; requests in flight are finished.
    pub async fn serve(self, shutdown: CancellationToken) {
        self.port.serve(self.routes, BOUNDS, shutdown).await;
    }
}

/// Answers for the active node at a port of a node that stands by, until `shutdown` or until a [`Server`] takes it over.
/// Signatures are left to the active node; until a body has come whole, its connection can be evicted.
pub(crate) fn stand_by(
    port: &mut Port,
    forward: Forward,
    shutdown: &CancellationToken,
) -> impl Future<Output = ()> + use<> {
    let to_active_node = move |request| async move {
        let words = || "The bot can't be reached right now. Please try again.".into_response();
        forward.send(request).await.unwrap_or_else(|why| why.answer(words))
    };
    let routes = Router::new()
        .fallback(to_active_node)
        .route("/healthz", get(async || "standing by"))
        .layer(middleware::from_fn_with_state(FORWARD_MAX, listener::deadline));
    port.meanwhile(routes, BOUNDS, shutdown.clone())
}

/// Answers 408 to what takes longer.
pub fn within(longest: Duration) -> TimeoutLayer {
    TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, longest)
}

/// Why a request was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Too many are in flight, and were a second later.
    TooMany,
    /// Its body is above 1 MiB, or did not come whole.
    TooLong,
    /// Its body came too slowly.
    TooSlow,
    /// There is no memory for its body just now.
    NoMemory,
    /// The platform has not signed it.
    NotSigned,
    /// It was signed more than five minutes ago, or will be.
    TooOld,
    /// Its body is no such request.
    NotUnderstood,
    /// The store did not take it. The platform is told no word about retries: it must come again.
    NotSaved,
}

impl Refusal {
    /// As the metric names it; `None` if the store counts it.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::TooMany => Some("busy"),
            Self::TooLong => Some("too_long"),
            Self::TooSlow => Some("too_slow"),
            Self::NoMemory => Some("memory"),
            Self::NotSigned => Some("signature"),
            Self::TooOld => Some("age"),
            Self::NotUnderstood => Some("form"),
            Self::NotSaved => None,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::TooMany | Self::NoMemory | Self::NotSaved => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            // Discord looks from time to time whether a wrong signature is told from a right one.
            Self::NotSigned | Self::TooOld => StatusCode::UNAUTHORIZED,
            Self::NotUnderstood => StatusCode::BAD_REQUEST,
        }
        .into_response()
    }
}

/// How a platform signs.
pub(crate) trait Signed {
    /// When the platform signed it as the headers say, in seconds since 1970; `None` if they hold no signature, or one
    /// of another form.
    fn claimed(&self, headers: &HeaderMap) -> Option<i64>;

    /// Whether the signature is right.
    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> bool;
}

/// Where a platform's requests come in.
#[derive(Debug)]
pub struct Door {
    platform: Platform,
    clock: Arc<dyn Clock>,
    /// For bodies of which nobody knows yet who sends them.
    unverified: Budget,
    /// For all that are signed.
    queue: Semaphore,
    /// For those that are in flight.
    places: Semaphore,
    /// When somebody was last warned about an age, in seconds since 1970.
    warned: AtomicI64,
}

impl Door {
    /// Nobody is in it.
    pub fn new(platform: Platform, clock: Arc<dyn Clock>) -> Self {
        Self {
            platform,
            clock,
            unverified: Budget::new(UNVERIFIED_MAX),
            queue: Semaphore::new(IN_FLIGHT_MAX + QUEUE_MAX),
            places: Semaphore::new(IN_FLIGHT_MAX),
            warned: AtomicI64::new(0),
        }
    }

    /// Has a request taken once it is certain that the platform signed it a short while ago. What is refused is
    /// counted.
    pub(crate) async fn receive<Taken>(
        &self,
        request: Request<Body>,
        signer: &impl Signed,
        take: impl FnOnce(HeaderMap, Bytes) -> Taken,
    ) -> Result<Response, Refusal>
    where
        Taken: Future<Output = Result<Response, Refusal>>,
    {
        let received = async {
            let (headers, body, memory) = self.verified(request, signer).await?;
            let _place = self.place().await?;
            drop(memory);
            take(headers, body).await
        };
        let received = received.await;
        if let Err(refusal) = &received
            && let Some(name) = refusal.name()
        {
            let why = format!("{}_{name}", self.platform);
            tracing::debug!(why, "a request was refused");
            counter!(metric::REFUSALS, "why" => why).increment(1);
        }
        received
    }

    /// Reads a request that the platform has signed.
    async fn verified(
        &self,
        request: Request<Body>,
        signer: &impl Signed,
    ) -> Result<(HeaderMap, Bytes, Share), Refusal> {
        let (parts, body) = request.into_parts();
        let (headers, client) = (parts.headers, parts.extensions.get::<Client>().cloned());
        let claimed = signer.claimed(&headers).ok_or(Refusal::NotSigned)?;
        self.look_at_age(claimed)?;
        if announced(&headers).is_some_and(|length| length > BODY_MAX) {
            return Err(Refusal::TooLong);
        }
        if let Some(client) = &client {
            client.unverified();
        }
        let (body, memory) = self.read(body).await?;
        if !signer.verify(&headers, &body) {
            return Err(Refusal::NotSigned);
        }
        if client.is_some_and(|client| !client.verified()) {
            return Err(Refusal::TooMany);
        }
        Ok((headers, body, memory))
    }

    async fn read(&self, body: Body) -> Result<(Bytes, Share), Refusal> {
        let mut memory = self.unverified.share();
        let mut whole = Vec::new();
        let mut pieces = body.into_data_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| of_body(&error))?;
            if whole.len() + piece.len() > BODY_MAX {
                return Err(Refusal::TooLong);
            }
            memory.try_grow(piece.len()).map_err(|Exhausted| Refusal::NoMemory)?;
            whole.extend_from_slice(&piece);
        }
        Ok((whole.into(), memory))
    }

    /// A place among those in flight, after a short wait where there is none just now.
    async fn place(&self) -> Result<[SemaphorePermit<'_>; 2], Refusal> {
        let queued = self.queue.try_acquire().map_err(|_| Refusal::TooMany)?;
        let place = timeout(QUEUE_WAIT, self.places.acquire()).await;
        let place = place.map_err(|_| Refusal::TooMany)?.map_err(|_| Refusal::TooMany)?;
        Ok([queued, place])
    }

    /// By our own clock.
    fn look_at_age(&self, at: i64) -> Result<(), Refusal> {
        let now = self.clock.now().timestamp();
        let age = now.saturating_sub(at);
        if age.saturating_abs() <= AGE_MAX {
            return Ok(());
        }
        let warned = self.warned.load(Ordering::Relaxed);
        if now.saturating_sub(warned).saturating_abs() >= WARN_EVERY {
            self.warned.store(now, Ordering::Relaxed);
            let platform = self.platform;
            tracing::warn!(
                %platform,
                seconds = age,
                "a request is too old, or this machine's clock is wrong"
            );
        }
        Err(Refusal::TooOld)
    }
}

/// Why a body was not read to its end.
fn of_body(error: &axum::Error) -> Refusal {
    if listener::is_too_slow(error) { Refusal::TooSlow } else { Refusal::TooLong }
}

/// The length of the body as the headers say.
fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A header as text.
pub fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// A signature in hexadecimal digits, if it has the right number of them.
pub fn hexadecimal(text: &str, digits: usize) -> Option<&str> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, stream};
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpStream,
        sync::watch,
        task::JoinSet,
        time::Instant,
    };

    use super::*;
    use crate::{
        base::clock::FixedClock,
        model::node::{ActiveNode, Addresses, Part},
        net::forward::Forwarder,
    };

    /// Signs with the word `right`.
    struct Word;

    impl Signed for Word {
        fn claimed(&self, headers: &HeaderMap) -> Option<i64> {
            text(headers, "signed-at")?.parse().ok()
        }

        fn verify(&self, headers: &HeaderMap, _: &[u8]) -> bool {
            text(headers, "signature") == Some("right")
        }
    }

    fn signed(at: &str, signature: &str, body: Body) -> Request {
        let request = Request::builder().header("signed-at", at).header("signature", signature);
        request.body(body).unwrap()
    }

    /// A body that stops in its middle.
    fn stalled(bytes: usize) -> Body {
        let first = stream::iter([Ok::<_, std::io::Error>(vec![b'x'; bytes])]);
        Body::from_stream(first.chain(stream::pending()))
    }

    /// A request that is in flight until `go` lets it.
    async fn request(door: &Door, go: &Semaphore) -> Result<(), Refusal> {
        let take = |_, _| async {
            go.acquire().await.unwrap().forget();
            Ok("done".into_response())
        };
        // Many are looked at in one go, which the runtime would otherwise put off.
        let received = door.receive(signed("0", "right", Body::empty()), &Word, take);
        tokio::task::unconstrained(received).await.map(drop)
    }

    /// What becomes of a request that is answered at once.
    async fn outcome(door: &Door, request: Request) -> Result<(), Refusal> {
        let take = |_, _: Bytes| async { Ok("done".into_response()) };
        tokio::task::unconstrained(door.receive(request, &Word, take)).await.map(drop)
    }

    fn door() -> Door {
        let clock = FixedClock::new("1970-01-01T00:00:00Z".parse().unwrap());
        Door::new(Platform::Discord, Arc::new(clock))
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_beyond_those_in_flight_waits_for_a_second() {
        let (door, go) = (door(), Semaphore::new(0));
        let mut in_flight: Vec<_> =
            (0..IN_FLIGHT_MAX).map(|_| Box::pin(request(&door, &go))).collect();
        assert!(in_flight.iter_mut().all(|request| request.now_or_never().is_none()));
        let began = Instant::now();
        assert_eq!(request(&door, &go).await, Err(Refusal::TooMany));
        let waited = began.elapsed();
        assert!(waited >= QUEUE_WAIT && waited < QUEUE_WAIT * 2, "{waited:?}");
        let mut next = Box::pin(request(&door, &go));
        assert!((&mut next).now_or_never().is_none());
        go.add_permits(IN_FLIGHT_MAX + 1);
        for request in in_flight {
            assert_eq!(request.await, Ok(()));
        }
        assert_eq!(next.await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_wait_than_can_be_held() {
        let (door, go) = (door(), Semaphore::new(0));
        let mut all: Vec<_> =
            (0..IN_FLIGHT_MAX + QUEUE_MAX).map(|_| Box::pin(request(&door, &go))).collect();
        assert!(all.iter_mut().all(|request| request.now_or_never().is_none()));
        assert_eq!(request(&door, &go).now_or_never(), Some(Err(Refusal::TooMany)));
    }

    #[tokio::test]
    async fn request_is_refused_by_its_headers_before_its_body_is_read() {
        let door = door();
        let bare = Request::new(stalled(1));
        assert_eq!(outcome(&door, bare).now_or_never(), Some(Err(Refusal::NotSigned)));
        let old = signed("-301", "right", stalled(1));
        assert_eq!(outcome(&door, old).now_or_never(), Some(Err(Refusal::TooOld)));
        let mut long = signed("0", "right", stalled(1));
        long.headers_mut().insert(header::CONTENT_LENGTH, (BODY_MAX + 1).into());
        assert_eq!(outcome(&door, long).now_or_never(), Some(Err(Refusal::TooLong)));
    }

    #[tokio::test]
    async fn unverified_request_takes_no_place_while_its_body_comes() {
        let door = door();
        let mut stalled: Vec<_> = (0..=IN_FLIGHT_MAX + QUEUE_MAX)
            .map(|_| Box::pin(outcome(&door, signed("0", "wrong", stalled(1)))))
            .collect();
        assert!(stalled.iter_mut().all(|request| request.now_or_never().is_none()));
        let click = signed("0", "right", Body::from("a click"));
        assert_eq!(outcome(&door, click).now_or_never(), Some(Ok(())));
    }

    #[tokio::test]
    async fn unverified_bodies_leave_memory_for_a_click_when_they_use_up_their_budget() {
        let door = door();
        let mut stalled: Vec<_> = (0..UNVERIFIED_MAX / BODY_MAX + 2)
            .map(|_| Box::pin(outcome(&door, signed("0", "wrong", stalled(BODY_MAX)))))
            .collect();
        let outcomes: Vec<_> = stalled.iter_mut().map(FutureExt::now_or_never).collect();
        assert_eq!(outcomes.last(), Some(&Some(Err(Refusal::NoMemory))));
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_some()).count(), 1);
        let click = signed("0", "right", Body::from(vec![b'x'; 60 * 1024]));
        assert_eq!(outcome(&door, click).now_or_never(), Some(Ok(())));
        drop(stalled);
        let long = signed("0", "right", Body::from(vec![b'x'; BODY_MAX]));
        assert_eq!(outcome(&door, long).now_or_never(), Some(Ok(())));
    }

    /// What is answered to a request that is signed so, at an address.
    async fn posted(address: SocketAddr, signature: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nSigned-At: 0\r\nSignature: {signature}\r\n\
             Content-Length: 8\r\n\r\n{{\"a\": 1}}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn what_is_signed_is_verified_by_the_active_node_when_another_one_is_asked() {
        let shutdown = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let listen = || Port::bind(([127, 0, 0, 1], 0).into()).unwrap();
        let door = Arc::new(door());
        let routes =
            Router::new().fallback(move |request| {
                let door = Arc::clone(&door);
                async move {
                    door.receive(request, &Word, async |_, body| Ok(body.into_response())).await
                }
            });
        let active = Server::on(listen(), routes, Router::new());
        let addresses = Addresses::default().with(Part::Slack, active.address().to_string());
        let known = watch::Sender::new(Some(ActiveNode { name: "first".to_owned(), addresses }));
        tasks.spawn(active.serve(shutdown.clone()));
        let forwarder =
            Forwarder::new(known.subscribe(), CancellationToken::new(), shutdown.clone());
        let mut port = listen();
        let forward = forwarder.of(Part::Slack, true);
        tasks.spawn(stand_by(&mut port, forward, &shutdown));
        let answer = posted(port.address(), "right").await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("{\"a\": 1}"), "{answer}");
        let answer = posted(port.address(), "wrong").await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    }
}
