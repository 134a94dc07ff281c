//! A turn on a real disk: an answer is settled, committed, synced and acknowledged, and the next question stands.
//! And the same number of synced commits on the store alone.
#![expect(clippy::unwrap_used, reason = "a failure ends the bench")]
#![expect(missing_docs, reason = "criterion makes a function")]

#[path = "support.rs"]
mod support;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anteroom::{
    base::{
        clock::SystemClock,
        ids::{Ids, RandomIds},
    },
    engine::Engine,
    store::{Commit, Store, sled::SledStore},
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures::future::join_all;
use tokio::runtime::Runtime;

const SESSIONS: [usize; 3] = [1, 16, 64];

/// Turns before the one that is timed: the notice.
const BEFORE: usize = 1;

fn turns(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let dir = support::on_disk();
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let sled = Arc::new(SledStore::open(&dir.path().join("store"), Arc::clone(&ids)).unwrap());
    let store = Arc::clone(&sled) as Arc<dyn Store>;
    let engine = support::engine(support::parts(dir.path(), store, Arc::new(SystemClock), ids));

    let mut group = criterion.benchmark_group("turn");
    let mut people = 0;
    for sessions in SESSIONS {
        group.throughput(Throughput::Elements(sessions as u64));
        for (name, whole) in [("acknowledged", false), ("to_the_next_question", true)] {
            group.bench_function(BenchmarkId::new(name, sessions), |bencher| {
                bencher.iter_custom(|rounds| {
                    let mut spent = Duration::ZERO;
                    for _ in 0..rounds {
                        let range = people..people + sessions;
                        people = range.end;
                        spent += runtime.block_on(one_turn(&engine, range, whole));
                    }
                    spent
                });
            });
        }
    }
    group.finish();
}

/// One turn of each of some fresh sessions at once; only that turn is timed.
async fn one_turn(engine: &Engine, people: std::ops::Range<usize>, whole: bool) -> Duration {
    let sessions = support::play(engine, people, BEFORE).await;
    let answers = support::answers(engine, &sessions).await;
    let begun = Instant::now();
    support::take_in(engine, answers).await;
    let acknowledged = begun.elapsed();
    engine.settle_down().await;
    if whole { begun.elapsed() } else { acknowledged }
}

fn commits(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let dir = support::on_disk();
    let store = SledStore::open(&dir.path().join("store"), Arc::new(RandomIds)).unwrap();
    let (template, events) = runtime.block_on(a_commit());

    let mut group = criterion.benchmark_group("store_commit");
    for sessions in SESSIONS {
        group.throughput(Throughput::Elements(sessions as u64));
        group.bench_function(BenchmarkId::from_parameter(sessions), |bencher| {
            bencher.iter_custom(|rounds| {
                let mut spent = Duration::ZERO;
                for _ in 0..rounds {
                    let fresh = (0..sessions).map(|_| first_commit(&template, &events));
                    let commits: Vec<Commit> = fresh.collect();
                    let begun = Instant::now();
                    let done = commits.into_iter().map(|commit| store.commit(commit));
                    let done = runtime.block_on(join_all(done));
                    spent += begun.elapsed();
                    assert!(done.iter().all(Result::is_ok));
                }
                spent
            });
        });
    }
    group.finish();
}

/// The head and the events of a conversation that has begun.
async fn a_commit() -> (anteroom::model::session::Head, Vec<anteroom::model::transcript::Recorded>)
{
    let dir = support::on_disk();
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let memory = Arc::new(anteroom::store::memory::MemoryStore::default());
    let engine = support::engine(support::parts(dir.path(), memory, Arc::new(SystemClock), ids));
    let sessions = support::play(&engine, 0..1, 1).await;
    let loaded = engine.look(sessions[0].1).await.unwrap().loaded;
    (loaded.head, loaded.events)
}

/// A commit such as a turn makes: three events, one of them a question, in a session of its own.
fn first_commit(
    head: &anteroom::model::session::Head,
    events: &[anteroom::model::transcript::Recorded],
) -> Commit {
    let mut head = head.clone();
    head.id = anteroom::base::ids::SessionId::mint(&RandomIds);
    head.seq = 3;
    let dedup = Some(RandomIds.fresh().to_string());
    Commit { dedup, ..Commit::new(head, 0, events.iter().take(3).cloned().collect()) }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = turns, commits
}
criterion_main!(benches);
