//! Opening a store with many waiting sessions, and the first look at what is due.
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
        clock::{Clock, SystemClock},
        ids::RandomIds,
    },
    store::{Store, sled::SledStore},
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use tokio::runtime::Runtime;

fn start(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let mut group = criterion.benchmark_group("start");
    for waiting in [1_000, 10_000, 100_000] {
        let dir = support::on_disk();
        let path = dir.path().join("store");
        let open = || SledStore::open(&path, Arc::new(RandomIds)).unwrap();
        // Under their first question.
        let ops = runtime.block_on(support::recording(dir.path(), Arc::new(SystemClock), 0));
        runtime.block_on(support::fill(&open(), &ops, waiting));
        group.bench_function(BenchmarkId::new("waiting", waiting), |bencher| {
            bencher.iter_custom(|rounds| {
                let mut spent = Duration::ZERO;
                for _ in 0..rounds {
                    let begun = Instant::now();
                    let store = open();
                    let due = runtime.block_on(store.due(SystemClock.now(), 256)).unwrap();
                    spent += begun.elapsed();
                    assert_eq!(due, [], "nobody is to be reminded yet");
                }
                spent
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_secs(3));
    targets = start
}
criterion_main!(benches);
