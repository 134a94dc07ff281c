//! What a model costs besides its own time, without a network: reading its streamed answer, what it is shown, and the
//! engine's part of a round.
#![expect(clippy::unwrap_used, reason = "a failure ends the bench")]
#![expect(missing_docs, reason = "criterion makes a function")]

#[path = "support.rs"]
mod support;

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use anteroom::{
    base::{
        clock::SystemClock,
        ids::{CountingIds, EffectId, RandomIds},
    },
    engine::{Engine, context_window},
    model::{
        STORED_VERSION,
        transcript::{Audience, Event, Grounds, Recorded, Speaker, Thought},
        usage::Usage,
    },
    ports::llm::{chat::ToolSpec, openai::stream::Reader},
    store::memory::MemoryStore,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};

/// A stream of so many deltas, as the original sends it.
fn stream(count: usize, delta: impl Fn(usize) -> Value) -> String {
    let event = |delta: &Value, finish: Option<&str>| {
        let choice =
            json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        let event = json!({
            "id": "chatcmpl-0123456789abcdef", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": "m", "system_fingerprint": "fp_0123456789", "choices": [choice], "usage": null,
        });
        format!("data: {event}\n\n")
    };
    let deltas: Vec<String> = (0..count).map(|n| event(&delta(n), None)).collect();
    format!("{}{}data: [DONE]\n\n", deltas.concat(), event(&json!({}), Some("stop")))
}

fn read(criterion: &mut Criterion) {
    let words = |n| json!({ "content": format!("word{n} ") });
    // Eight calls side by side, 64 pieces each.
    let calls = |n: usize| {
        let (index, piece) = (n % 8, n / 8);
        let head = (piece == 0).then(|| format!("call_{index}"));
        let name = head.as_ref().map(|_| "get_user_option");
        let raw = match piece {
            0 => "{\"prompt\":\"",
            63 => "\"}",
            _ => "word ",
        };
        json!({ "tool_calls": [{ "index": index, "id": head, "function": { "name": name, "arguments": raw } }] })
    };
    let mut group = criterion.benchmark_group("read_stream");
    for (name, text) in [("words", stream(512, words)), ("calls", stream(512, calls))] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        // As one piece, and as small as a network makes them.
        for size in [usize::MAX, 1400, 16] {
            let label = if size == usize::MAX { "whole".to_owned() } else { size.to_string() };
            group.bench_function(BenchmarkId::new(name, label), |bencher| {
                bencher.iter(|| {
                    let mut reader = Reader::default();
                    let mut length = 0;
                    let mut on_text = |words: &str| length += words.len();
                    for piece in black_box(text.as_bytes()).chunks(size) {
                        reader.push(piece, &mut on_text).unwrap();
                    }
                    reader.finish(&CountingIds::default(), &mut on_text).unwrap()
                });
            });
        }
    }
    group.finish();
}

/// A conversation of `count` events: the participant writes, the model answers, its words are posted.
fn conversation(count: usize) -> Vec<Recorded> {
    let at = "2026-11-21T09:00:00Z".parse().unwrap();
    let begun =
        Event::Advanced { from: None, to: Some("pets".to_owned()), grounds: Grounds::Began };
    let event = |n: usize| {
        let text = format!("A few words about pet number {n}, as people and models write them.");
        let (seq, about, source) = (n as u64 + 1, None, None);
        match n % 3 {
            _ if n == 0 => begun.clone(),
            1 => Event::Said { from: Speaker::Participant, text, source, about },
            2 => {
                let (calls, usage) = (Vec::new(), Usage::default());
                let (gap, opaque, last) = (None, None, false);
                Event::Thought(Thought {
                    knew: seq - 1,
                    round: 1,
                    text,
                    calls,
                    usage,
                    last,
                    gap,
                    opaque,
                })
            }
            _ => {
                let effect = EffectId::mint(&RandomIds);
                Event::Posted {
                    effect,
                    audience: Audience::Participant,
                    text: text.into(),
                    offers: Vec::new(),
                }
            }
        }
    };
    let recorded =
        |n| Recorded { v: STORED_VERSION, seq: n as u64 + 1, at, event: event(n).into() };
    (0..count).map(recorded).collect()
}

/// Linear in what is sent, not in what is stored: the last ones show the same hundred events after a short form.
fn shown(criterion: &mut Criterion) {
    let flow = support::talk();
    let mut group = criterion.benchmark_group("window");
    let kept = |stored: usize| {
        let mut events = conversation(stored);
        let at = events[0].at;
        let (through, text) = (stored as u64 - 100, "They spoke of pets.".to_owned());
        let event = Event::Summarised { through, text, usage: Usage::default() };
        events.push(Recorded {
            v: STORED_VERSION,
            seq: stored as u64 + 1,
            at,
            event: event.into(),
        });
        events
    };
    let whole = [10, 100, 1_000].map(|count| ("sent", count, conversation(count)));
    let short = [1_000, 10_000].map(|count| ("sent_100_of", count, kept(count)));
    for (name, count, events) in whole.into_iter().chain(short) {
        group.bench_function(BenchmarkId::new(name, count), |bencher| {
            bencher.iter(|| {
                context_window::request(
                    &flow,
                    black_box(&events),
                    Arc::<[ToolSpec]>::default(),
                    false,
                )
            });
        });
    }
    group.finish();
}

/// The engine's part of a round: a participant writes, the model answers at once, in so many rounds. In memory.
fn rounds(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut group = criterion.benchmark_group("round");
    for calls in [0, 4, 9] {
        let dir = support::on_disk();
        let memory = Arc::new(MemoryStore::default());
        let parts = support::parts(dir.path(), memory, Arc::new(SystemClock), Arc::new(RandomIds));
        let model = support::Talker { rounds: calls, latency: Duration::ZERO };
        let engine = support::engine(support::led_by(model, parts));
        let mut people = 0;
        group.throughput(Throughput::Elements(calls as u64 + 1));
        group.bench_function(BenchmarkId::new("of_a_turn", calls + 1), |bencher| {
            bencher.iter_custom(|turns| {
                let mut spent = Duration::ZERO;
                for _ in 0..turns {
                    people += 1;
                    spent += runtime.block_on(one_turn(&engine, people));
                }
                spent
            });
        });
    }
    group.finish();
}

/// One turn of a fresh session, until the engine rests; only that turn is timed.
async fn one_turn(engine: &Engine, n: usize) -> Duration {
    let session = support::start_in(engine, "talk", n).await;
    engine.settle_down().await;
    let begun = Instant::now();
    engine.receive(support::words(session, n, 1)).await.unwrap();
    engine.settle_down().await;
    begun.elapsed()
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = read, shown, rounds
}
criterion_main!(benches);
