//! Strangers who open many connections and send one line of their headers every two seconds.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::{
    io::AsyncWriteExt as _,
    net::TcpStream,
    sync::Semaphore,
    task::JoinSet,
    time::{Instant, interval, timeout},
};

/// How many there are.
const COUNT: u32 = 600;

/// How often each of them sends a line.
const EVERY: Duration = Duration::from_secs(2);

/// How long the bot is asked meanwhile: two lines of each, and a third.
const ASKED: Duration = Duration::from_millis(4_500);

/// What platforms wait for an answer. It comes within milliseconds, but machines that run tests may be busy.
pub(crate) const IN_TIME: Duration = Duration::from_secs(3);

/// Longest wait for an answer that should come in time.
const PATIENCE: Duration = Duration::from_secs(5);

/// They go away when it is dropped.
pub(crate) struct Dribblers(#[expect(dead_code, reason = "ends them")] JoinSet<()>);

impl Dribblers {
    /// All of them have sent their first line.
    pub(crate) async fn at(address: SocketAddr) -> Self {
        allow_files();
        let began = Arc::new(Semaphore::new(0));
        let mut all = JoinSet::new();
        for _ in 0..COUNT {
            all.spawn(dribble(address, Arc::clone(&began)));
        }
        began.acquire_many(COUNT).await.unwrap().forget();
        Self(all)
    }
}

/// Comes again when it is cut off.
async fn dribble(address: SocketAddr, began: Arc<Semaphore>) {
    let mut lines = interval(EVERY);
    while let Ok(mut stream) = TcpStream::connect(address).await {
        let mut line = "POST /slow HTTP/1.1\r\nHost: localhost\r\n";
        while stream.write_all(line.as_bytes()).await.is_ok() {
            began.add_permits(1);
            line = "X-Slow: one line more\r\n";
            lines.tick().await;
        }
    }
}

/// Both ends of all connections are in this process.
fn allow_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Where that is not allowed, the connections tell.
    setrlimit(Resource::Nofile, limit).ok();
}

/// The longest that an answer takes, asked for again and again.
pub(crate) async fn slowest(mut ask: impl AsyncFnMut()) -> Duration {
    let began = Instant::now();
    let mut rounds = interval(Duration::from_millis(250));
    let mut slowest = Duration::ZERO;
    while began.elapsed() < ASKED {
        rounds.tick().await;
        let asked = Instant::now();
        let answered = timeout(PATIENCE, ask()).await;
        slowest = slowest.max(asked.elapsed());
        if answered.is_err() {
            break;
        }
    }
    slowest
}
