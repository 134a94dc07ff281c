//! What thinking costs, without a disk: folding events, deciding an answer, a whole conversation of script steps, and
//! drawing the page.
#![expect(clippy::unwrap_used, reason = "a failure ends the bench")]
#![expect(missing_docs, reason = "criterion makes a function")]

#[path = "support.rs"]
mod support;

use std::{hint::black_box, sync::Arc, time::Duration};

use anteroom::{
    clock::{Clock, SystemClock},
    engine::{Engine, What},
    gateway::web::{doing::Doing, page::View, render::Cx},
    ids::{EffectId, Ids, RandomIds},
    interview::{Actor, Answer, State},
    model::{
        STORED_VERSION,
        transcript::{Audience, Event, Recorded},
    },
    store::memory::MemoryStore,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A bot in memory.
fn bot() -> (Engine, TempDir) {
    let dir = support::on_disk();
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let memory = Arc::new(MemoryStore::default());
    let parts = support::parts(dir.path(), memory, Arc::new(SystemClock), ids);
    (support::engine(parts), dir)
}

/// A conversation after six turns, with posts added up to `count` events.
fn conversation(count: usize) -> View {
    let (engine, _dir) = bot();
    let (mut loaded, flow) = Runtime::new().unwrap().block_on(async {
        let sessions = support::play(&engine, 0..1, 6).await;
        engine.view(sessions[0].1).await.unwrap()
    });
    loaded.events.truncate(count);
    while loaded.events.len() < count {
        let text = "A few words, with *emphasis* and a [link](https://example.org).".to_owned();
        let effect = EffectId::mint(&RandomIds);
        let (audience, offers) = (Audience::Participant, Vec::new());
        let event = Event::Posted { effect, audience, text, offers };
        let seq = loaded.events.len() as u64 + 1;
        loaded.events.push(Recorded {
            v: STORED_VERSION,
            seq,
            at: SystemClock.now(),
            event: event.into(),
        });
    }
    loaded.head.seq = loaded.events.len() as u64;
    let state = State::fold(&loaded.events).unwrap();
    View { loaded, state: state.into(), flow, doing: Doing::default() }
}

fn fold(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fold");
    for count in [10, 100, 1_000] {
        let view = conversation(count);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| State::fold(black_box(&view.loaded.events)).unwrap());
        });
    }
    group.finish();
}

/// Load, settle, and everything that is to be committed; no store.
fn decide(criterion: &mut Criterion) {
    let (engine, _dir) = bot();
    let (loaded, flow) = Runtime::new().unwrap().block_on(async {
        let sessions = support::play(&engine, 0..1, 1).await;
        engine.view(sessions[0].1).await.unwrap()
    });
    let state = State::fold(&loaded.events).unwrap();
    let Some(What::Answer { wait, revision, reply, via }) = support::willing(&state, 0) else {
        return;
    };
    let from = support::participant(0);
    let answer = Answer { wait, revision, reply, from, via };
    let ids: Arc<dyn Ids> = Arc::new(RandomIds);
    let now = SystemClock.now();
    criterion.bench_function("load_settle_into_commit", |bencher| {
        bencher.iter(|| {
            let mut actor =
                Actor::load(Arc::clone(&flow), black_box(&loaded), Arc::clone(&ids), now).unwrap();
            actor.settle(answer.clone());
            actor.into_commit(Some("key".to_owned()))
        });
    });
}

/// The community flow from the start to the last question in memory: every expression of its script is evaluated.
fn script(criterion: &mut Criterion) {
    let (engine, _dir) = bot();
    let runtime = Runtime::new().unwrap();
    let mut people = 0;
    criterion.bench_function("whole_flow_in_memory", |bencher| {
        bencher.iter(|| {
            people += 1;
            runtime.block_on(support::play(&engine, people..people + 1, 7))
        });
    });
}

fn render(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render_page");
    for wanted in [10, 100] {
        let sizes = wanted..wanted + 200;
        let view = sizes.map(conversation).find(|view| view.log(&cx(view)).len() >= wanted);
        let view = view.unwrap();
        let cx = cx(&view);
        group.throughput(Throughput::Elements(wanted as u64));
        group.bench_function(BenchmarkId::new("messages", wanted), |bencher| {
            bencher.iter(|| black_box(&view).pieces(&cx));
        });
    }
    group.finish();
}

fn cx(view: &View) -> Cx {
    Cx {
        viewer: Audience::Participant,
        session: view.loaded.head.id,
        csrf: "csrf".to_owned(),
        page: "page".to_owned(),
        draft: None,
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = fold, decide, script, render
}
criterion_main!(benches);
