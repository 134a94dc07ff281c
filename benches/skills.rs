//! How fast skills are found, on the labelled texts of the tests.
#![expect(clippy::unwrap_used, reason = "a failure ends the bench")]
#![expect(missing_docs, reason = "criterion makes a function")]

use std::hint::black_box;

use anteroom::tool::catalog::recruiting::{
    calculate_similarity::lexical,
    extract_skills::{find::find, lexicon::Lexicon},
};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Texts {
    text: Vec<Labelled>,
}

#[derive(Debug, Deserialize)]
struct Labelled {
    text: String,
}

const LEXICON: &str = include_str!("../manifests/lexicon/skills.toml");

fn skills(criterion: &mut Criterion) {
    let source = include_str!("../tests/it/catalog/labelled.toml");
    let texts: Texts = toml_edit::de::from_str(source).unwrap();
    let texts: Vec<String> = texts.text.into_iter().map(|labelled| labelled.text).collect();
    let bytes = texts.iter().map(String::len).sum::<usize>();
    let lexicon = Lexicon::shipped().unwrap();
    let long = texts.join("\n\n").repeat(20);
    let mut group = criterion.benchmark_group("skills");
    group.bench_function("read the lexicon", |bencher| {
        bencher.iter(|| Lexicon::read(black_box(LEXICON)).unwrap());
    });
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("fifty short texts", |bencher| {
        bencher
            .iter(|| texts.iter().map(|text| find(lexicon, black_box(text)).len()).sum::<usize>());
    });
    group.throughput(Throughput::Bytes(long.len() as u64));
    group.bench_function("one long text", |bencher| {
        bencher.iter(|| find(lexicon, black_box(&long)).len());
    });
    group.throughput(Throughput::Bytes((texts[5].len() + texts[7].len()) as u64));
    group.bench_function("compare two short texts by words", |bencher| {
        bencher.iter(|| lexical::cosine(black_box(&texts[5]), black_box(&texts[7])));
    });
    group.finish();
}

criterion_group!(benches, skills);
criterion_main!(benches);
