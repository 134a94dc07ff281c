//! `calculate_similarity`: the scale at its borders, vectors over the network, their absence, and what a hostile service
//! can answer.

use std::sync::{Arc, Mutex};

use anteroom::{
    model::usage::Usage,
    ports::llm::{
        Embedded, Embedder, Error, Models,
        embedding_cache::{EmbeddingCache, KEPT},
        error::Told,
    },
    tool::catalog::recruiting::calculate_similarity::{Compared, cosine, lexical},
};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::{Bench, bench};
use crate::llm::{
    endpoints, means,
    provider::{Ending, Provider, Reply},
    scripted::WordVectors,
};

/// Two texts that go together, in words of their own.
const JOB: &str =
    "We look for a backend engineer: Rust or Go, PostgreSQL, Kubernetes, clear writing.";
const CV: &str = "Ten years of backend services in Go and PostgreSQL, run on Kubernetes; wrote the team's handbook.";
const BAKER: &str =
    "Baker with a master's certificate: sourdough, laminated dough, night shifts, a small team.";

fn args(one: &str, other: &str) -> Value {
    json!({ "text1": one, "text2": other, "comparison_type": "role_alignment" })
}

fn with(embed: Option<Arc<dyn Embedder>>) -> Bench {
    let mut bench = bench(true);
    bench.pipeline = bench.pipeline.with_models(Models { embed, ..Models::default() });
    bench
}

/// A bench whose vectors come from a service.
fn from(provider: &Provider) -> Bench {
    let config =
        format!("[llm.embed]\nbase_url = \"{}\"\nmodel = \"m\"\nkey_env = \"KEY\"\n", provider.url);
    let (means, _) = means();
    with(Models::open(&endpoints(&config), &means).unwrap().embed)
}

fn vectors(rows: &[Value]) -> Value {
    let rows = rows.iter().enumerate().map(|(n, row)| json!({ "index": n, "embedding": row }));
    json!({ "data": rows.collect::<Vec<_>>(), "usage": { "prompt_tokens": 9, "total_tokens": 9 } })
}

#[test]
fn each_band_begins_at_its_border() {
    let rows = [
        1.0,
        0.9,
        0.89994,
        0.89996,
        0.85,
        0.75,
        0.7499,
        0.5,
        0.4999,
        0.25,
        0.2499,
        0.0,
        -0.0,
        -0.4,
        1.000_000_1,
    ];
    let rows = rows.map(|cosine| {
        let Compared { similarity, score, interpretation, .. } = Compared::of(cosine);
        format!("{cosine} is {similarity}, {score}, {interpretation}")
    });
    insta::assert_snapshot!(rows.join("\n"), @"
    1 is 1, 100, very high
    0.9 is 0.9, 90, very high
    0.89994 is 0.8999, 90, high
    0.89996 is 0.9, 90, very high
    0.85 is 0.85, 85, high
    0.75 is 0.75, 75, high
    0.7499 is 0.7499, 75, moderate
    0.5 is 0.5, 50, moderate
    0.4999 is 0.4999, 50, low
    0.25 is 0.25, 25, low
    0.2499 is 0.2499, 25, very low
    0 is 0, 0, very low
    -0 is 0, 0, very low
    -0.4 is 0, 0, very low
    1.0000001 is 1, 100, very high
    ");
    assert_eq!(Compared::of(f64::NAN).interpretation, "very low");
}

#[test]
fn a_cosine_is_that_of_directions() {
    let close = |one: &[f32], other: &[f32], wanted: f64| {
        assert!((cosine(one, other).unwrap() - wanted).abs() < 1e-9, "{one:?} {other:?}");
    };
    close(&[1.0, 0.0], &[3.0, 0.0], 1.0);
    close(&[1.0, 0.0], &[0.0, 2.0], 0.0);
    close(&[1.0, 0.0], &[-2.0, 0.0], -1.0);
    close(&[3.0, 4.0], &[4.0, 3.0], 0.96);
    assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), None);
    assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
    assert_eq!(cosine(&[], &[]), None);
    close(&[f32::MAX, f32::MAX], &[f32::MAX, f32::MAX], 1.0);
}

#[test]
fn words_put_what_goes_together_before_what_does_not() {
    let (near, far) = (lexical::cosine(JOB, CV), lexical::cosine(JOB, BAKER));
    assert!(near > 0.25 && far < 0.1 && near > 3.0 * far, "{near} {far}");
    assert!((lexical::cosine(JOB, JOB) - 1.0).abs() < 1e-9);
    assert!((lexical::cosine(JOB, CV) - lexical::cosine(CV, JOB)).abs() < 1e-12);
    // Another name of the same skill is the same skill; everyday words say nothing.
    assert!(lexical::cosine("k8s", "Kubernetes") > 0.7);
    assert!(lexical::cosine("We are the and of", "the and of it").abs() < 1e-9);
    assert!(lexical::cosine("", JOB).abs() < 1e-9);
}

#[tokio::test]
async fn without_vectors_the_words_are_compared_and_the_result_says_so() {
    let mut bench = with(None);
    let told = bench.tell("calculate_similarity", args(JOB, CV)).await;
    assert_eq!(told["method"], "lexical");
    assert_eq!(told.as_object().unwrap().len(), 4, "{told}");
    assert_eq!(bench.tell("calculate_similarity", args(JOB, CV)).await, told);
    for kind in ["role_alignment", "technical_match", "company_fit", "growth_potential"] {
        let args = json!({ "text1": JOB, "text2": JOB, "comparison_type": kind });
        let told = bench.tell("calculate_similarity", args).await;
        let wanted = json!({ "similarity": 1.0, "score": 100, "interpretation": "very high", "method": "lexical" });
        assert_eq!(told, wanted, "{kind}");
    }
}

#[tokio::test]
async fn vectors_come_from_the_service_once_for_each_text() {
    let answer = vectors(&[json!([0.6, 0.8]), json!([0.8, 0.6])]);
    let provider = Provider::start(&[Reply::json(200, &answer)]).await;
    let mut bench = from(&provider);
    let told = bench.tell("calculate_similarity", args(JOB, CV)).await;
    assert_eq!(told, json!({ "similarity": 0.96, "score": 96, "interpretation": "very high" }));
    assert_eq!(bench.tell("calculate_similarity", args(CV, JOB)).await, told);
    let seen = provider.seen();
    assert_eq!((seen.len(), seen[0].path.as_str()), (1, "/v1/embeddings"));
    assert_eq!(seen[0].body["input"], json!([JOB, CV]));
    assert_eq!(seen[0].headers["authorization"], "Bearer sk-correct-horse");
}

/// A service with a real model, where `ANTEROOM_EMBED_URL` names one without a key (`http://127.0.0.1:8080/v1`), and
/// `ANTEROOM_EMBED_MODEL` what it calls the model.
#[tokio::test]
async fn a_real_service_puts_what_goes_together_before_what_does_not() {
    let named = |name: &str| std::env::vars().find(|(key, _)| key == name).map(|(_, value)| value);
    let Some(url) = named("ANTEROOM_EMBED_URL") else {
        return crate::skipped::skip(
            "an embeddings service",
            "set ANTEROOM_EMBED_URL to one that needs no API key",
        );
    };
    let model = named("ANTEROOM_EMBED_MODEL").unwrap_or_else(|| "default".to_owned());
    let config = format!("[llm.embed]\nbase_url = \"{url}\"\nmodel = \"{model}\"\n");
    let (means, _) = means();
    let mut bench = with(Models::open(&endpoints(&config), &means).unwrap().embed);
    let mut similarity = async |one: &str, other: &str| {
        let told = bench.tell("calculate_similarity", args(one, other)).await;
        assert!(told.get("method").is_none(), "vectors, not words: {told}");
        told["similarity"].as_f64().unwrap()
    };
    let (near, far) = (similarity(JOB, CV).await, similarity(JOB, BAKER).await);
    assert!(near >= 0.5 && near - far >= 0.2, "{near} {far}");
    assert!((similarity(CV, JOB).await - near).abs() < 0.001, "it is the same the other way round");
    assert!(similarity(JOB, JOB).await >= 0.9999);
    // Not a word in common.
    let (car, cat) = (similarity("automobile", "car").await, similarity("automobile", "cat").await);
    assert!(car > cat, "{car} {cat}");
}

#[tokio::test]
async fn a_service_that_is_down_or_hostile_leaves_the_words() {
    let one = json!([0.6, 0.8]);
    let huge = json!([1e300, 1.0]);
    let (ok, down) = (200, 503);
    let table: Vec<(&str, Reply)> = vec![
        ("down", Reply::json(down, &json!({ "error": { "message": "secret of ours" } }))),
        ("no key", Reply::json(401, &json!({ "error": { "message": "secret of ours" } }))),
        ("a page", Reply::new(ok, "text/html", "<html>")),
        ("no JSON", Reply::new(ok, "application/json", "{\"data\": [")),
        ("NaN", Reply::new(ok, "application/json", "{\"data\": [{\"embedding\": [NaN]}]}")),
        ("one vector", Reply::json(ok, &vectors(std::slice::from_ref(&one)))),
        ("three", Reply::json(ok, &vectors(&[one.clone(), one.clone(), one.clone()]))),
        ("other lengths", Reply::json(ok, &vectors(&[one.clone(), json!([0.6, 0.8, 0.1])]))),
        ("empty ones", Reply::json(ok, &vectors(&[json!([]), json!([])]))),
        ("endless numbers", Reply::json(ok, &vectors(&[huge.clone(), huge]))),
        ("nowhere", Reply::json(ok, &vectors(&[json!([0.0, 0.0]), one.clone()]))),
        ("text", Reply::json(ok, &vectors(&[json!("AAAA"), one]))),
        ("cut", Reply::json(ok, &json!({})).ending(0, Ending::Cut)),
        ("endless", Reply::json(ok, &json!({})).ending(0, Ending::Giant)),
    ];
    for (name, reply) in table {
        let provider = Provider::start(&[reply]).await;
        let told = from(&provider).tell("calculate_similarity", args(JOB, CV)).await;
        assert_eq!(told["method"], "lexical", "{name}: {told}");
        let note = "the service that compares meanings did not answer; these are the words alone";
        assert_eq!(told["note"], note, "{name}");
        assert!(!provider.seen().is_empty(), "{name}");
    }
}

/// Never answers.
#[derive(Debug)]
struct Silence;

#[async_trait]
impl Embedder for Silence {
    async fn embed(&self, _texts: &[String]) -> Result<Embedded, Error> {
        std::future::pending().await
    }
}

/// Always fails.
#[derive(Debug)]
struct Fails(Error);

#[async_trait]
impl Embedder for Fails {
    async fn embed(&self, _texts: &[String]) -> Result<Embedded, Error> {
        Err(self.0.clone())
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_says_nothing_is_waited_for_fifteen_seconds() {
    let mut bench = with(Some(Arc::new(Silence)));
    let began = tokio::time::Instant::now();
    let told = bench.tell("calculate_similarity", args(JOB, CV)).await;
    assert_eq!((told["method"].as_str(), began.elapsed().as_secs()), (Some("lexical"), 15));
}

#[tokio::test]
async fn texts_that_are_too_long_for_the_model_are_the_callers_to_shorten() {
    let mut bench = with(Some(Arc::new(Fails(Error::Overflow(Told::default())))));
    let told = bench.tell("calculate_similarity", args(JOB, CV)).await;
    let wanted = "the texts are too long for the model. hint: pass shorter parts of them";
    assert_eq!(told, json!({ "error": wanted, "code": "invalid_parameters" }));
}

#[tokio::test]
async fn what_cannot_be_compared_is_refused() {
    let mut bench = with(Some(Arc::new(WordVectors)));
    let long = "word ".repeat(120_000);
    let table = [
        (json!({}), "`text1`"),
        (json!({ "text1": JOB, "text2": CV }), "comparison_type"),
        (json!({ "text1": JOB, "text2": CV, "comparison_type": "looks" }), "role_alignment"),
        (json!({ "text1": 7, "text2": CV, "comparison_type": "company_fit" }), "/text1"),
        (args(JOB, ""), "/text2"),
        (args(" \n", CV), "/text1"),
        (args(&long, CV), "bytes are too many"),
    ];
    for (args, wanted) in table {
        let told = bench.tell("calculate_similarity", args).await;
        assert_eq!(told["code"], "invalid_parameters", "{wanted}");
        assert!(told["error"].as_str().unwrap().contains(wanted), "{told}");
    }
}

#[tokio::test]
async fn nobody_is_scored_where_the_flow_does_not_allow_it() {
    let mut bench = bench(false);
    let told = bench.tell("calculate_similarity", args(JOB, CV)).await;
    insta::assert_json_snapshot!(told, @r#"
    {
      "error": "`calculate_similarity` is not available now: the flow does not let people be scored",
      "code": "permission_denied"
    }
    "#);
}

/// Places texts by their words and keeps what it was asked.
#[derive(Debug)]
struct Asked {
    space: Mutex<&'static str>,
    texts: Mutex<Vec<usize>>,
}

#[async_trait]
impl Embedder for Asked {
    async fn embed(&self, texts: &[String]) -> Result<Embedded, Error> {
        self.texts.lock().unwrap().push(texts.len());
        let placed = WordVectors.embed(texts).await?;
        let usage = Usage { calls: 1, input: 10, ..Usage::default() };
        Ok(Embedded { space: (*self.space.lock().unwrap()).to_owned(), usage, ..placed })
    }
}

#[tokio::test(start_paused = true)]
async fn vectors_are_kept_for_a_while_and_never_mixed() {
    let asked = Arc::new(Asked { space: Mutex::new("one"), texts: Mutex::default() });
    let kept = EmbeddingCache::new(Arc::clone(&asked) as Arc<dyn Embedder>);
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let first = kept.embed(&texts(&["a", "b", "a"])).await.unwrap();
    assert_eq!((first.vectors.len(), first.usage.calls), (3, 1));
    assert_eq!(first.vectors[0], first.vectors[2]);
    let again = kept.embed(&texts(&["b", "a"])).await.unwrap();
    assert_eq!((again.usage, &again.vectors[0]), (Usage::default(), &first.vectors[1]));
    kept.embed(&texts(&["a", "c"])).await.unwrap();
    assert_eq!(*asked.texts.lock().unwrap(), [2, 1]);
    // Another service answers from now on: what is kept is of no use beside its vectors.
    *asked.space.lock().unwrap() = "two";
    let moved = kept.embed(&texts(&["a", "d"])).await.unwrap();
    assert_eq!((moved.space.as_str(), moved.usage.calls), ("two", 2));
    assert_eq!(*asked.texts.lock().unwrap(), [2, 1, 1, 2]);
    tokio::time::advance(KEPT).await;
    kept.embed(&texts(&["a"])).await.unwrap();
    assert_eq!(*asked.texts.lock().unwrap(), [2, 1, 1, 2, 1]);
    assert!(kept.embed(&[]).await.is_err());
    let shown = format!("{kept:?}");
    assert!(!shown.contains("vectors"), "{shown}");
}

/// Sees so many bytes of a text, as a model with a small window does.
#[derive(Debug)]
struct ShortSighted(usize);

#[async_trait]
impl Embedder for ShortSighted {
    async fn embed(&self, texts: &[String]) -> Result<Embedded, Error> {
        let seen: Vec<String> =
            texts.iter().map(|text| text[..text.floor_char_boundary(self.0)].to_owned()).collect();
        WordVectors.embed(&seen).await
    }
}

#[tokio::test]
async fn long_texts_are_compared_by_pieces_and_not_by_their_beginnings() {
    let mut bench = with(Some(Arc::new(ShortSighted(2_000))));
    let filler = "An ordinary sentence about nothing in particular, as letters begin. ".repeat(40);
    let near = format!("{filler}\n\n{}", format!("{CV} ").repeat(40));
    let far = format!("{filler}\n\n{}", format!("{BAKER} ").repeat(40));
    let same = bench.tell("calculate_similarity", args(&near, &near)).await;
    assert_eq!(same["similarity"], 1.0, "{same}");
    let other = bench.tell("calculate_similarity", args(&near, &far)).await;
    let (one, two) = (other["similarity"].as_f64().unwrap(), same["similarity"].as_f64().unwrap());
    // Their beginnings are the same.
    assert!(one < 0.9 * two, "{other}");
    assert!(other.get("method").is_none(), "{other}");
}
