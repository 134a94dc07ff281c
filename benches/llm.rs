//! What reading a model's streamed answer costs: events, deltas, whole calls; no network.
#![expect(clippy::unwrap_used, reason = "a failure ends the bench")]
#![expect(missing_docs, reason = "criterion makes a function")]

use std::{hint::black_box, time::Duration};

use anteroom::{ids::CountingIds, llm::openai::stream::Reader};
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
                    let mut heard = |words: &str| length += words.len();
                    for piece in black_box(text.as_bytes()).chunks(size) {
                        reader.push(piece, &mut heard).unwrap();
                    }
                    reader.finish(&CountingIds::default(), &mut heard).unwrap()
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    targets = read
}
criterion_main!(benches);
