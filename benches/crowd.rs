//! Many sessions at once in one process, each waiting for a model that takes 200 ms: answers a second, memory a session.
//!
//! `cargo bench --bench crowd [-- SESSIONS…]`; without numbers 1,000. Every session has five turns, one after the other:
//! a person writes, the model answers, the person writes again. In memory, then on a real disk. Nothing could be faster
//! than SESSIONS / 0.2 s; what is missing to that is the engine's own work.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints a table")]

#[path = "support.rs"]
mod support;

use std::{
    collections::HashMap,
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

use anteroom::{
    base::{
        clock::SystemClock,
        ids::{Ids, RandomIds, SessionId},
    },
    engine::{Changed, Engine, Limits},
    gateway::web::WebGateway,
    store::{Store, memory::MemoryStore, sled::SledStore},
};
use futures::future::join_all;
use tokio::sync::{broadcast, watch};

/// How long the model takes.
const LATENCY: Duration = Duration::from_millis(200);

/// Turns of each session.
const TURNS: usize = 5;

/// When memory is looked at: all sessions are waiting for the model then.
const LOOK: Duration = Duration::from_millis(150);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if !args.iter().any(|arg| arg == "--bench") {
        return;
    }
    let mut sizes: Vec<usize> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![1_000];
    }
    println!("store   sessions  answers/s  of the possible  longest turn ms  KB an active session");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for sessions in sizes {
        for on_disk in [false, true] {
            runtime.block_on(measure(sessions, on_disk));
        }
    }
}

async fn measure(sessions: usize, on_disk: bool) {
    let dir = support::on_disk();
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let store: Arc<dyn Store> = if on_disk {
        Arc::new(SledStore::open(&dir.path().join("store"), Arc::clone(&ids)).unwrap())
    } else {
        Arc::new(MemoryStore::default())
    };
    let parts = support::parts(dir.path(), store, Arc::new(SystemClock), ids);
    let parts = support::led_by(support::Talker { rounds: 0, latency: LATENCY }, parts);
    let limits =
        Limits { per_minute: std::num::NonZeroU32::MAX, active: sessions + 1, ..Limits::default() };
    let engine = Engine::limited(parts, vec![Arc::new(WebGateway)], limits);
    let starting = (0..sessions).map(|n| support::start_in(&engine, "talk", n));
    let all: Vec<SessionId> = join_all(starting).await;
    engine.settle_down().await;

    let changes = engine.watch();
    let mut seen = HashMap::new();
    for session in &all {
        let seq = engine.view(*session).await.unwrap().state.seq;
        seen.insert(*session, watch::Sender::new(seq));
    }
    let idle = resident();
    let begun = Instant::now();
    let people = all.iter().enumerate().map(|(n, session)| {
        let seen = seen[session].subscribe();
        person(&engine, *session, n, seen)
    });
    let talk = async { tokio::join!(join_all(people), look()) };
    let (longest, peak) = tokio::select! {
        talked = talk => talked,
        () = follow(&engine, changes, &seen) => return,
    };
    let took = begun.elapsed().as_secs_f64();
    let answers = as_f64(sessions * TURNS) / took;
    let possible = as_f64(sessions) / LATENCY.as_secs_f64();
    let longest = longest.into_iter().max().unwrap_or_default().as_millis();
    println!(
        "{:<6}  {sessions:>8}  {answers:>9.0}  {:>14.0}%  {longest:>15}  {:>20.1}",
        if on_disk { "disk" } else { "memory" },
        answers / possible * 100.0,
        as_f64(peak.saturating_sub(idle)) / as_f64(sessions),
    );
}

/// Tells people how far their sessions are, without asking the store for each.
async fn follow(
    engine: &Engine,
    mut changes: broadcast::Receiver<Changed>,
    seen: &HashMap<SessionId, watch::Sender<u64>>,
) {
    loop {
        match changes.recv().await {
            Ok(Changed { session, seq }) => _ = seen[&session].send_replace(seq),
            Err(broadcast::error::RecvError::Lagged(_)) => {
                for (session, seen) in seen {
                    seen.send_replace(engine.view(*session).await.unwrap().state.seq);
                }
            }
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

/// Memory while everybody waits for the model.
async fn look() -> usize {
    tokio::time::sleep(LOOK).await;
    resident()
}

/// Writes, waits for the answer, and writes again; the longest that one answer took.
async fn person(
    engine: &Engine,
    session: SessionId,
    n: usize,
    mut seen: watch::Receiver<u64>,
) -> Duration {
    let mut longest = Duration::ZERO;
    for turn in 0..TURNS {
        let begun = Instant::now();
        let known = *seen.borrow_and_update();
        engine.receive(support::words(session, n, turn)).await.unwrap();
        // Words, answer, post.
        seen.wait_for(|seq| *seq >= known + 3).await.unwrap();
        longest = longest.max(begun.elapsed());
    }
    longest
}

/// Resident kilobytes without pages of files.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}

#[expect(clippy::cast_precision_loss, reason = "shown with a few digits")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
