//! A line to a port of this machine, on which things go wrong.

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
    sync::watch,
    task::JoinSet,
    time::sleep,
};

/// How much later each piece arrives on a slow line.
const DELAY: Duration = Duration::from_millis(50);

/// How a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    Good,
    /// Each piece arrives later.
    Slow,
    /// Nothing arrives and nobody is told. What is under way arrives once the line is good again, as after a partition
    /// of the network.
    Silent,
    /// Connections end at once.
    Cut,
}

/// A line; it ends when it is dropped.
pub(super) struct Line {
    pub(super) port: u16,
    condition: watch::Sender<Condition>,
    connections: Arc<AtomicUsize>,
    _runtime: Runtime,
}

impl Line {
    pub(super) fn to(port: u16) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let (condition, watched) = watch::channel(Condition::Good);
        let near = listener.local_addr().unwrap().port();
        let connections: Arc<AtomicUsize> = Arc::default();
        runtime.spawn(pass_all_on((listener, Arc::clone(&connections)), port, watched));
        Self { port: near, condition, connections, _runtime: runtime }
    }

    pub(super) fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// How many there were.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// From now on it is like this.
    pub(super) fn becomes(&self, condition: Condition) {
        self.condition.send_replace(condition);
    }
}

async fn pass_all_on(
    (listener, connections): (TcpListener, Arc<AtomicUsize>),
    port: u16,
    mut condition: watch::Receiver<Condition>,
) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            Ok((near, _)) = listener.accept() => {
                connections.fetch_add(1, Ordering::Relaxed);
                open.spawn(connect(near, port, condition.clone()));
            }
            Some(_) = open.join_next() => {}
            is_changed = condition.changed() => if is_changed.is_err() { return },
        }
        if *condition.borrow_and_update() == Condition::Cut {
            open.shutdown().await;
        }
    }
}

/// Both sides are closed as soon as one of them is.
async fn connect(
    mut near: TcpStream,
    port: u16,
    condition: watch::Receiver<Condition>,
) -> io::Result<()> {
    let mut watched = condition.clone();
    // Whoever connects over a silent line waits.
    let is_silent = |now: &Condition| *now == Condition::Silent;
    watched.wait_for(|now| !is_silent(now)).await.map_err(io::Error::other)?;
    let mut far = TcpStream::connect(("127.0.0.1", port)).await?;
    for stream in [&near, &far] {
        stream.set_nodelay(true)?;
    }
    let ((near_read, near_write), (far_read, far_write)) = (near.split(), far.split());
    tokio::select! {
        ended = pass_on(near_read, far_write, condition) => ended,
        ended = pass_on(far_read, near_write, watched) => ended,
    }
}

async fn pass_on(
    mut from: tokio::net::tcp::ReadHalf<'_>,
    mut to: tokio::net::tcp::WriteHalf<'_>,
    mut condition: watch::Receiver<Condition>,
) -> io::Result<()> {
    let mut piece = vec![0; 16 * 1024];
    loop {
        let count = from.read(&mut piece).await?;
        let now = condition.wait_for(|now| *now != Condition::Silent).await;
        let is_slow = *now.map_err(io::Error::other)? == Condition::Slow;
        if count == 0 {
            return Ok(());
        }
        if is_slow {
            sleep(DELAY).await;
        }
        to.write_all(&piece[..count]).await?;
    }
}
