//! HTTP for those who connect to us, with a bound on everything that strangers can take: connections, the time for the
//! headers of a request, the pace of its body and of the answer, and memory.
//!
//! A connection has one of [`Bounds::connections`] slots. Where all are taken, a new connection evicts the one that has
//! waited longest for its client: idle between two requests, in the middle of headers, or in the middle of a body that
//! is not [`verified`](Client::verified) yet. A request that is being answered is never dropped for another. A load
//! balancer's probe is one of the new connections, so it is answered however many strangers dribble.
//!
//! What strangers may ask of us goes through [`admit`], which leaves slots for health checks and signed requests.

mod body;
mod budget;
mod connection;
mod meter;
mod port;
mod slots;

use std::{convert::Infallible, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use metrics::counter;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::Semaphore,
    task::{JoinError, JoinSet},
    time::{Instant, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

pub use self::{
    body::is_too_slow,
    budget::{Budget, Exhausted, Share},
    meter::Throughput,
    port::Port,
    slots::Client,
};
use self::{
    body::{Answer, Paced, Waited},
    connection::Connection,
    port::Routes,
    slots::{Slot, Slots},
};
use crate::base::telemetry::metric;

/// What hyper may buffer of a connection in each direction, in bytes; longer headers are answered with 431.
const BUFFER_MAX: usize = 64 * 1024;

/// Connections that the system keeps until they are accepted. Beyond that it drops the first packet of a connection, and
/// the client tries again only a second later; the standard library's 128 are used up at once by a few hundred.
const BACKLOG: u32 = 1024;

/// Pause after the process could not accept a connection, most likely because it has too many files open.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// What a listener allows.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Open connections, of all clients together.
    pub connections: usize,
    /// Longest time for the headers of a request: from its first byte, or from the beginning of the connection.
    pub headers: Duration,
    /// Least throughput of the body of a request, and of an answer that the client takes.
    pub throughput: Throughput,
    /// A connection on which nothing moves for so long is closed.
    pub idle: Duration,
    /// What connections have left once the bot is told to stop.
    pub stopping: Duration,
}

/// Listens on an address.
fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A restart must not wait for connections of the process before.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Answers until `shutdown`; requests in flight are finished.
async fn serve(listener: TcpListener, routes: Routes, bounds: Bounds, shutdown: CancellationToken) {
    let slots = Slots::new(bounds.connections);
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            () = shutdown.cancelled() => break,
            Some(ended) = connections.join_next() => {
                log_panic(ended);
                continue;
            }
            stream = accept(&listener) => stream,
        };
        let slot = tokio::select! {
            () = shutdown.cancelled() => break,
            slot = slots.take() => slot,
        };
        connections.spawn(attend(stream, slot, routes.clone(), bounds, shutdown.clone()));
    }
    drop(listener);
    while let Some(ended) = connections.join_next().await {
        log_panic(ended);
    }
}

async fn accept(listener: &TcpListener) -> TcpStream {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            // The client has gone away meanwhile.
            Err(error)
                if matches!(
                    error.kind(),
                    ConnectionAborted | ConnectionRefused | ConnectionReset
                ) => {}
            Err(error) => {
                not_accepted("http", &error);
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Logs and counts that a listener could not accept a connection, most likely because too many files are open.
pub(crate) fn not_accepted(listener: &'static str, error: &io::Error) {
    use rustix::io::Errno;
    let why = match Errno::from_io_error(error) {
        Some(Errno::MFILE | Errno::NFILE) => "open_files",
        Some(Errno::NOMEM | Errno::NOBUFS) => "memory",
        _ => "other",
    };
    if why == "open_files" {
        tracing::error!(
            listener,
            %error,
            "could not accept a connection: too many open files. hint: raise the limit (`ulimit -n`, or `LimitNOFILE` in \
             systemd)"
        );
    } else {
        tracing::error!(listener, %error, "could not accept a connection");
    }
    counter!(metric::ACCEPT_ERRORS, "what" => listener, "why" => why).increment(1);
}

fn log_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection ended with a panic");
    }
}

/// Serves one connection to its end.
async fn attend(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    slot: Slot,
    routes: Routes,
    bounds: Bounds,
    shutdown: CancellationToken,
) {
    let client = slot.client();
    let stream = Connection::new(stream, client.clone(), bounds, shutdown.clone());
    let service =
        service_fn(move |request| answer(request, routes.current(), client.clone(), bounds));
    let mut http = http1::Builder::new();
    http.max_buf_size(BUFFER_MAX);
    let mut served = pin!(http.serve_connection(TokioIo::new(stream), service));
    let mut is_stopping = false;
    loop {
        tokio::select! {
            ended = served.as_mut() => {
                if let Err(error) = ended {
                    tracing::trace!(%error, "a connection ended early");
                }
                break;
            }
            () = slot.evicted() => break,
            () = shutdown.cancelled(), if !is_stopping => {
                is_stopping = true;
                served.as_mut().graceful_shutdown();
            }
        }
    }
}

async fn answer(
    request: Request<Incoming>,
    mut routes: Router,
    client: Client,
    bounds: Bounds,
) -> Result<Response<Answer>, Infallible> {
    let working = client.begin();
    let waited = Waited::default();
    let mut request = request.map(|body| Paced::new(body, bounds, client.clone(), waited.clone()));
    request.extensions_mut().insert(client);
    request.extensions_mut().insert(waited);
    // An evicted connection is about to be closed, and nobody would see the answer: nothing is begun.
    let response = match &working {
        Some(_) => routes.call(request).await?,
        None => busy(),
    };
    Ok(response.map(|body| Answer::new(body, working)))
}

/// How many requests of strangers are answered at one time.
#[derive(Debug, Clone)]
pub struct Admission(Arc<Semaphore>);

impl Admission {
    /// So many; the difference to [`Bounds::connections`] stays free for what is not admitted here.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Semaphore::new(most)))
    }
}

/// Middleware for what strangers may ask: answers 503 at once where too much of it is in flight.
pub async fn admit(
    State(Admission(places)): State<Admission>,
    request: Request<Body>,
    next: Next,
) -> Response {
    // Without a listener there are no connections to leave slots for.
    let Some(client) = request.extensions().get::<Client>() else { return next.run(request).await };
    let Ok(place) = places.try_acquire_owned() else {
        refused("too_busy");
        return busy();
    };
    client.hold(place);
    next.run(request).await
}

fn busy() -> Response {
    let mut response =
        (StatusCode::SERVICE_UNAVAILABLE, "Too much is going on here just now. Please try again.")
            .into_response();
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Middleware: answers 408 to what takes longer. Time in which the client sends the body does not count, for
/// [`Bounds::throughput`] looks after that: a large file over a slow line is no reason to give up.
pub async fn deadline(
    State(longest): State<Duration>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let waited = request.extensions().get::<Waited>().cloned().unwrap_or_default();
    let began = Instant::now();
    let mut response = pin!(next.run(request));
    loop {
        let sending = waited.total(Instant::now());
        match timeout_at(began + longest + sending, response.as_mut()).await {
            Ok(response) => return response,
            Err(_) if waited.total(Instant::now()) > sending => {}
            Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
        }
    }
}

/// Counts what was not taken.
pub(super) fn refused(why: &'static str) {
    tracing::debug!(why, "a connection was cut off, or a request refused");
    counter!(metric::REFUSALS, "why" => why).increment(1);
}

#[cfg(test)]
mod tests {
    use axum::{
        body::{Bytes, to_bytes},
        extract::DefaultBodyLimit,
        middleware,
        routing::{get, post},
    };
    use futures::StreamExt as _;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
        sync::Notify,
    };

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    const BOUNDS: Bounds = Bounds {
        connections: 2,
        headers: Duration::from_secs(5),
        throughput: Throughput { bytes_per_second: 1024, grace: Duration::from_secs(2) },
        idle: Duration::from_secs(30),
        stopping: Duration::from_secs(4),
    };

    /// A listener without sockets, so that its clock can be the test's.
    struct Server {
        slots: Arc<Slots>,
        routes: Router,
        open: JoinSet<()>,
        shutdown: CancellationToken,
    }

    impl Server {
        fn new(routes: Router) -> Self {
            let deadline = middleware::from_fn_with_state(20 * SECOND, deadline);
            let strangers = middleware::from_fn_with_state(Admission::new(1), admit);
            let routes = routes
                .layer(strangers)
                .route("/healthz", get(|| async { "well" }))
                .layer(DefaultBodyLimit::disable())
                .layer(deadline);
            let slots = Slots::new(BOUNDS.connections);
            Self { slots, routes, open: JoinSet::new(), shutdown: CancellationToken::new() }
        }

        async fn connect(&mut self) -> DuplexStream {
            let (here, there) = duplex(64 * 1024);
            let slot = self.slots.take().await;
            let routes = Routes::new(self.routes.clone());
            self.open.spawn(attend(there, slot, routes, BOUNDS, self.shutdown.clone()));
            here
        }

        async fn ask(&mut self, head: &str) -> (DuplexStream, String) {
            let mut stream = self.connect().await;
            stream.write_all(head.as_bytes()).await.unwrap();
            let status = status(&mut stream).await;
            (stream, status)
        }
    }

    /// The code of the next answer; empty where the connection was closed without one.
    async fn status(stream: &mut DuplexStream) -> String {
        let mut line = [0; 12];
        match stream.read_exact(&mut line).await {
            Ok(_) => String::from_utf8(line[9..].to_vec()).unwrap(),
            Err(_) => String::new(),
        }
    }

    /// What a slow client does between two packets.
    async fn slow_client(time: Duration) {
        sleep(time).await;
    }

    /// Says how long a body was; 422 where it came too slowly.
    async fn length(body: Body) -> Result<String, StatusCode> {
        let read = to_bytes(body, usize::MAX).await.map(|body| body.len().to_string());
        read.map_err(|error| {
            assert!(is_too_slow(&error), "{error}");
            StatusCode::UNPROCESSABLE_ENTITY
        })
    }

    /// Routes of which `/held` is in flight until somebody is notified.
    fn held() -> (Router, Arc<Notify>) {
        let go = Arc::new(Notify::new());
        let wait = Arc::clone(&go);
        let held = move || {
            let wait = Arc::clone(&wait);
            async move { wait.notified().await }
        };
        (Router::new().route("/held", get(held)), go)
    }

    #[tokio::test(start_paused = true)]
    async fn headers_are_cut_off_when_they_dribble() {
        let mut server = Server::new(Router::new());
        let mut stream = server.connect().await;
        let began = Instant::now();
        while stream.write_all(b"GET /healthz HTTP/1.1\r\n").await.is_ok() {
            slow_client(SECOND).await;
        }
        let took = began.elapsed();
        assert!(took >= BOUNDS.headers && took < BOUNDS.headers + 2 * SECOND, "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn headers_have_their_whole_time_when_a_connection_was_idle_before() {
        let mut server = Server::new(Router::new());
        let (mut stream, first) = server.ask("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").await;
        slow_client(20 * SECOND).await;
        stream.write_all(b"GET /healthz HTTP/1.1\r\n").await.unwrap();
        slow_client(4 * SECOND).await;
        stream.write_all(b"Host: a\r\n\r\n").await.unwrap();
        let mut rest = vec![0; 4096];
        let read = stream.read(&mut rest).await.unwrap();
        let read = read + stream.read(&mut rest[read..]).await.unwrap();
        let answers = String::from_utf8_lossy(&rest[..read]).into_owned();
        assert_eq!((first.as_str(), answers.matches("well").count()), ("200", 2), "{answers}");
    }

    #[tokio::test(start_paused = true)]
    async fn body_is_cut_off_when_it_trickles() {
        let mut server = Server::new(Router::new().route("/", post(length)));
        let mut stream = server.connect().await;
        let began = Instant::now();
        stream
            .write_all(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
            .await
            .unwrap();
        let answered = async {
            let (mut reading, mut writing) = tokio::io::split(stream);
            let trickle = async {
                while writing.write_all(b"0123456789").await.is_ok() {
                    slow_client(SECOND / 2).await;
                }
            };
            let mut line = [0; 12];
            let read = tokio::select! {
                () = trickle => panic!("it was closed without an answer"),
                read = reading.read_exact(&mut line) => read,
            };
            read.unwrap();
            String::from_utf8(line[9..].to_vec()).unwrap()
        };
        assert_eq!(answered.await, "422");
        let took = began.elapsed();
        assert!(took >= 2 * SECOND && took < 3 * SECOND, "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn body_arrives_whole_when_a_slow_line_takes_minutes() {
        let mut server = Server::new(Router::new().route("/", post(length)));
        let mut stream = server.connect().await;
        let size = 20 * 1024 * 1024;
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let piece = vec![b'x'; 50 * 1024];
        for sent in (0..size).step_by(piece.len()) {
            stream.write_all(&piece[..piece.len().min(size - sent)]).await.unwrap();
            slow_client(SECOND).await;
        }
        assert_eq!(status(&mut stream).await, "200");
    }

    #[tokio::test(start_paused = true)]
    async fn request_is_given_up_when_its_handler_takes_too_long() {
        let (routes, _go) = held();
        let mut server = Server::new(routes);
        let (_, status) = server.ask("GET /held HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert_eq!(status, "408");
    }

    #[tokio::test(start_paused = true)]
    async fn longest_waiting_connection_is_evicted_when_all_slots_are_taken() {
        let (routes, go) = held();
        let mut server = Server::new(routes);
        let mut working = server.connect().await;
        working.write_all(b"GET /held HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        let mut dribbling = server.connect().await;
        dribbling.write_all(b"GET /healthz HTTP/1.1\r\n").await.unwrap();
        slow_client(SECOND).await;
        let began = Instant::now();
        let (mut resting, status_of_third) =
            server.ask("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert_eq!(status_of_third, "200");
        assert!(began.elapsed() < SECOND / 2, "{:?}", began.elapsed());
        assert_eq!(status(&mut dribbling).await, "", "it made room");
        let (_, status_of_fourth) = server.ask("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert_eq!(status_of_fourth, "200");
        let mut rest = Vec::new();
        resting.read_to_end(&mut rest).await.unwrap();
        assert!(String::from_utf8(rest).unwrap().ends_with("well"), "answered, idle, evicted");
        go.notify_one();
        assert_eq!(status(&mut working).await, "200", "what is in flight stays");
    }

    #[tokio::test(start_paused = true)]
    async fn connection_waits_when_all_others_are_busy() {
        let go = Arc::new(Notify::new());
        let wait = Arc::clone(&go);
        let held = move || async move { wait.notified().await };
        let mut server = Server::new(Router::new());
        // Not admitted, so that both are in flight.
        server.routes = Router::new().route("/held", get(held));
        let mut working = Vec::new();
        for _ in 0..2 {
            let mut stream = server.connect().await;
            stream.write_all(b"GET /held HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
            working.push(stream);
        }
        slow_client(SECOND).await;
        assert!(timeout_at(Instant::now() + SECOND, server.slots.take()).await.is_err());
        go.notify_one();
        assert!(timeout_at(Instant::now() + SECOND, server.slots.take()).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn health_is_answered_when_strangers_hold_every_admission() {
        let (routes, go) = held();
        let mut server = Server::new(routes);
        let mut working = server.connect().await;
        working.write_all(b"GET /held HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        slow_client(SECOND).await;
        let (_, refused) = server.ask("GET /held HTTP/1.1\r\nHost: a\r\n\r\n").await;
        let (_, health) = server.ask("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert_eq!((refused.as_str(), health.as_str()), ("503", "200"));
        go.notify_one();
        assert_eq!(status(&mut working).await, "200");
        drop(working);
        go.notify_one();
        let (_, next) = server.ask("GET /held HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert_eq!(next, "200", "the admission came back");
    }

    #[tokio::test(start_paused = true)]
    async fn live_answer_goes_on_when_it_speaks_now_and_then() {
        let live = || async {
            Body::from_stream(futures::stream::unfold((), |()| async {
                slow_client(15 * SECOND).await;
                Some((Ok::<_, Infallible>(Bytes::from_static(b"ping")), ()))
            }))
        };
        let mut server = Server::new(Router::new().route("/live", get(live)));
        let (mut stream, status) = server.ask("GET /live HTTP/1.1\r\nHost: a\r\n\r\n").await;
        assert_eq!(status, "200");
        let began = Instant::now();
        let mut read = vec![0; 1024];
        while began.elapsed() < Duration::from_mins(10) {
            assert_ne!(stream.read(&mut read).await.unwrap(), 0, "{:?}", began.elapsed());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn answer_is_cut_off_when_its_reader_dribbles() {
        let large = || async {
            Body::from_stream(
                futures::stream::repeat(Ok::<_, Infallible>(vec![b'x'; 65_536])).take(64),
            )
        };
        let mut server = Server::new(Router::new().route("/large", get(large)));
        let (mut stream, _) = server.ask("GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
        let began = Instant::now();
        let mut byte = [0; 1];
        while server.open.try_join_next().is_none() {
            stream.read_exact(&mut byte).await.unwrap();
            slow_client(SECOND).await;
        }
        assert!(began.elapsed() < 2 * BOUNDS.idle, "{:?}", began.elapsed());
    }
}
