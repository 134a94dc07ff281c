//! Requests that a platform signs: short, few at one time, and looked at only after all of that.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::Request,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use metrics::counter;
use tokio::{
    net::TcpListener,
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use tower_http::timeout::TimeoutLayer;

use crate::{
    clock::Clock,
    listen::{Bounded, Bounds},
    model::session::Platform,
    telemetry::metric,
};

/// Longest body that is read, in bytes; the platforms' own are far below.
const BODY_MAX: usize = 1024 * 1024;

/// Longest time for a request, its body and the answer: the platforms have given up after three seconds.
const REQUEST_MAX: Duration = Duration::from_secs(6);

/// Requests in hand at one time; with [`BODY_MAX`] this bounds memory.
const IN_HAND_MAX: usize = 64;

/// Requests that wait for one of those to be done, with nothing of them read yet. Those beyond are told to come again.
const QUEUE_MAX: usize = 960;

/// How long a request waits: the platforms want an answer within three seconds, and Discord sends nothing twice.
const QUEUE_WAIT: Duration = Duration::from_secs(1);

/// Connections from outside: a proxy keeps few.
const BOUNDS: Bounds =
    Bounds { connections: 256, idle: Duration::from_secs(30), stopping: Duration::from_secs(4) };

/// Oldest signature, in seconds: what Slack recommends (docs.slack.dev, "Verifying requests from Slack"). What is
/// played back later is not looked at, even where what it repeats has been erased and is not recognised any more.
const AGE_MAX: i64 = 5 * 60;

/// A bound server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    routes: Router,
}

impl Server {
    /// Takes the address; `routes` and `/healthz` are answered there within six seconds, `slower` ones bound
    /// themselves.
    pub async fn bind(listen: SocketAddr, routes: Router, slower: Router) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let routes = routes
            .route("/healthz", get(|| async { "ok" }))
            .layer(within(REQUEST_MAX))
            .merge(slower);
        Ok(Self { listener, address, routes })
    }

    /// Where it listens; the port is a real one.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `shutdown`; requests in hand are finished.
    pub async fn serve(self, shutdown: CancellationToken) -> io::Result<()> {
        axum::serve(Bounded::new(self.listener, BOUNDS, shutdown.clone()), self.routes)
            .with_graceful_shutdown(shutdown.cancelled_owned())
            .await
    }
}

/// Answers 408 to what takes longer.
pub fn within(longest: Duration) -> TimeoutLayer {
    TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, longest)
}

/// Why a request was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Too many are in hand, and were a second later.
    TooMany,
    /// Its body is above 1 MiB, or did not come whole.
    TooLong,
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
    /// As the metric names it; none where the store counts it.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::TooMany => Some("busy"),
            Self::TooLong => Some("too_long"),
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
            Self::TooMany | Self::NotSaved => StatusCode::SERVICE_UNAVAILABLE,
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            // Discord looks from time to time whether a wrong signature is told from a right one.
            Self::NotSigned | Self::TooOld => StatusCode::UNAUTHORIZED,
            Self::NotUnderstood => StatusCode::BAD_REQUEST,
        }
        .into_response()
    }
}

/// Where a platform's requests come in.
#[derive(Debug)]
pub struct Door {
    platform: Platform,
    clock: Arc<dyn Clock>,
    /// For all that are here.
    queue: Semaphore,
    /// For those that are in hand.
    places: Semaphore,
}

impl Door {
    /// Nobody is in it.
    pub fn new(platform: Platform, clock: Arc<dyn Clock>) -> Self {
        let queue = Semaphore::new(IN_HAND_MAX + QUEUE_MAX);
        Self { platform, clock, queue, places: Semaphore::new(IN_HAND_MAX) }
    }

    /// A place among those in hand, after a short wait where there is none just now.
    async fn place(&self) -> Result<[SemaphorePermit<'_>; 2], Refusal> {
        let queued = self.queue.try_acquire().map_err(|_| Refusal::TooMany)?;
        let place = timeout(QUEUE_WAIT, self.places.acquire()).await;
        let place = place.map_err(|_| Refusal::TooMany)?.map_err(|_| Refusal::TooMany)?;
        Ok([queued, place])
    }

    /// Reads a request and has it taken, once `signed` has told when the platform signed it, in seconds since 1970;
    /// none where the signature is wrong. What is refused is counted.
    pub async fn receive<Taken>(
        &self,
        request: Request<Body>,
        signed: impl FnOnce(&HeaderMap, &[u8]) -> Option<i64>,
        take: impl FnOnce(HeaderMap, Bytes) -> Taken,
    ) -> Result<Response, Refusal>
    where
        Taken: Future<Output = Result<Response, Refusal>>,
    {
        let received = async {
            let _place = self.place().await?;
            let (parts, body) = request.into_parts();
            let body = to_bytes(body, BODY_MAX).await.map_err(|_| Refusal::TooLong)?;
            let at = signed(&parts.headers, &body).ok_or(Refusal::NotSigned)?;
            self.look_at_age(at)?;
            take(parts.headers, body).await
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

    /// By our own clock.
    fn look_at_age(&self, at: i64) -> Result<(), Refusal> {
        let age = self.clock.now().timestamp().saturating_sub(at);
        if age.saturating_abs() > AGE_MAX {
            let platform = self.platform;
            tracing::warn!(
                %platform,
                seconds = age,
                "a request is too old, or this machine's clock is wrong"
            );
            return Err(Refusal::TooOld);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::{body::Body, extract::Request, response::IntoResponse as _};
    use futures::FutureExt as _;
    use tokio::{sync::Semaphore, time::Instant};

    use super::{Door, IN_HAND_MAX, QUEUE_MAX, QUEUE_WAIT, Refusal};
    use crate::{clock::FixedClock, model::session::Platform};

    /// A request that is in hand until `go` lets it.
    async fn request(door: &Door, go: &Semaphore) -> Result<(), Refusal> {
        let take = |_, _| async {
            go.acquire().await.unwrap().forget();
            Ok("done".into_response())
        };
        // Many are looked at in one go, which the runtime would otherwise put off.
        let received = door.receive(Request::new(Body::empty()), |_, _| Some(0), take);
        tokio::task::unconstrained(received).await.map(drop)
    }

    fn door() -> Door {
        let clock = FixedClock::new("1970-01-01T00:00:00Z".parse().unwrap());
        Door::new(Platform::Discord, Arc::new(clock))
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_beyond_those_in_hand_waits_for_a_second() {
        let (door, go) = (door(), Semaphore::new(0));
        let mut in_hand: Vec<_> = (0..IN_HAND_MAX).map(|_| Box::pin(request(&door, &go))).collect();
        assert!(in_hand.iter_mut().all(|request| request.now_or_never().is_none()));
        let began = Instant::now();
        assert_eq!(request(&door, &go).await, Err(Refusal::TooMany));
        let waited = began.elapsed();
        assert!(waited >= QUEUE_WAIT && waited < QUEUE_WAIT * 2, "{waited:?}");
        let mut next = Box::pin(request(&door, &go));
        assert!((&mut next).now_or_never().is_none());
        go.add_permits(IN_HAND_MAX + 1);
        for request in in_hand {
            assert_eq!(request.await, Ok(()));
        }
        assert_eq!(next.await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_wait_than_can_be_held() {
        let (door, go) = (door(), Semaphore::new(0));
        let mut all: Vec<_> =
            (0..IN_HAND_MAX + QUEUE_MAX).map(|_| Box::pin(request(&door, &go))).collect();
        assert!(all.iter_mut().all(|request| request.now_or_never().is_none()));
        assert_eq!(request(&door, &go).now_or_never(), Some(Err(Refusal::TooMany)));
    }
}
