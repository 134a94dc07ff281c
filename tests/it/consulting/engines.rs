//! The search port: each service in its own shape, what it is asked, what is made of its answers, and every fault.

use std::time::Duration;

use anteroom::ports::search::{Claim, Error, Query, Search};
use serde_json::json;

use super::{
    doubles::{ENGINES, Page, resolved, service, tells, told, written},
    provider::{Ending, Provider, Reply},
};

const PAGES: [Page<'_>; 3] = [
    ("First page", "https://a.example.org/1", "The first says one.", "2026-01-04T00:00:00"),
    ("Second page", "https://b.example.org/2", "The second says two.", "2026-01-03T00:00:00"),
    ("Third page", "https://c.example.org/3", "The third says three.", "2026-01-02T00:00:00"),
];

fn query(text: &str) -> Query {
    Query { text: text.to_owned(), urls: Vec::new(), count: 2 }
}

#[tokio::test]
async fn each_service_is_asked_as_it_wants_and_told_of_alike() {
    for engine in ENGINES {
        let double = Provider::start(&[tells(engine, &PAGES)]).await;
        let search = service(engine, &double.url, "language = \"de\"");
        let found = search.search(&query("bread & butter")).await.unwrap();
        let seen = double.seen().remove(0);
        let key = |name: &str| seen.headers.get(name).map(|value| value.to_str().unwrap());
        match engine {
            "searxng" => {
                assert_eq!(seen.path, "/v1/search?q=bread+%26+butter&format=json&language=de");
                assert_eq!(key("authorization"), None);
            }
            "brave" => {
                let path = "/v1/web/search?q=bread+%26+butter&count=2&result_filter=web\
                    &text_decorations=false&search_lang=de";
                assert_eq!(seen.path, path);
                assert_eq!(key("x-subscription-token"), Some("sk-correct-horse"));
            }
            _ => {
                assert_eq!(seen.path, "/v1/models/some-model:generateContent");
                assert_eq!(key("x-goog-api-key"), Some("sk-correct-horse"));
                assert_eq!(seen.body["tools"], json!([{ "google_search": {} }]));
                let text = seen.body["contents"][0]["parts"][0]["text"].as_str().unwrap();
                assert!(text.contains("bread & butter") && text.ends_with("de"), "{text}");
            }
        }
        assert!(!format!("{search:?}").contains("horse"), "{search:?}");
        assert_eq!(found.hits[0].title, "First page", "{engine}");
        assert_eq!(found.hits[0].url, "https://a.example.org/1");
        assert_eq!(found.hits[0].snippet, "The first says one.");
        if engine == "gemini" {
            // The sources of an answer stay all.
            assert_eq!(found.hits.len(), 3);
            let answer = "The first says one. The second says two. The third says three.";
            assert_eq!(found.answer.as_deref(), Some(answer));
            let first = Claim { text: "The first says one.".to_owned(), hits: vec![0] };
            assert_eq!(found.claims[0], first);
            assert_eq!(found.searched, ["what was asked"]);
        } else {
            assert_eq!((found.hits.len(), found.answer), (2, None), "{engine}");
            assert_eq!(found.hits[0].published.as_deref(), Some("2026-01-04T00:00:00"));
        }
    }
}

#[tokio::test]
async fn wanted_addresses_come_first() {
    for engine in ENGINES {
        let double = Provider::start(&[tells(engine, &PAGES)]).await;
        let urls = vec!["https://c.example.org/".to_owned()];
        let found = service(engine, &double.url, "").search(&Query { urls, ..query("a") }).await;
        let found = found.unwrap();
        assert_eq!(found.hits[0].title, "Third page", "{engine}");
        if engine == "gemini" {
            let third = found.claims.iter().find(|claim| claim.text.contains("third")).unwrap();
            assert_eq!(third.hits, [0], "claims follow their sources");
            let seen = double.seen().remove(0);
            let text = seen.body["contents"][0]["parts"][0]["text"].as_str().unwrap().to_owned();
            assert!(text.contains("c.example.org"), "{text}");
        }
    }
}

#[tokio::test]
async fn nothing_found_is_no_failure() {
    for (engine, answer) in [
        ("searxng", told("searxng", &[])),
        ("brave", json!({ "type": "search", "query": { "original": "q" } })),
        ("brave", told("brave", &[])),
        ("gemini", told("gemini", &[])),
        // A model that answers from memory has found nothing.
        (
            "gemini",
            json!({ "candidates": [{ "content": { "parts": [{ "text": "I believe 7." }] } }] }),
        ),
        (
            "gemini",
            json!({ "candidates": [{
            "content": { "parts": [{ "text": "I believe 7." }] },
            "groundingMetadata": { "webSearchQueries": ["a"], "searchEntryPoint": {} } }] }),
        ),
    ] {
        let double = Provider::start(&[Reply::json(200, &answer)]).await;
        let found = service(engine, &double.url, "").search(&query("a")).await.unwrap();
        assert_eq!((found.hits.len(), found.answer), (0, None), "{engine} {answer}");
    }
    let mut partial = told("searxng", &[]);
    partial["unresponsive_engines"] = json!([["google", "timeout"]]);
    let double = Provider::start(&[Reply::json(200, &partial)]).await;
    assert!(service("searxng", &double.url, "").search(&query("a")).await.unwrap().is_partial);
}

#[tokio::test]
async fn what_strangers_wrote_is_plain_and_bounded() {
    let long = "x".repeat(5_000);
    let pages: [Page<'_>; 5] = [
        ("<strong>Bold</strong>\u{202e} &amp; free\u{0}", "https://a.example.org/", &long, ""),
        ("Script", "javascript:alert(1)", "a", ""),
        ("Password", "https://ada:secret@a.example.org/", "a", ""),
        ("Relative", "/a", "a", ""),
        ("Again", "https://a.example.org/", "a", ""),
    ];
    for engine in ENGINES {
        let double = Provider::start(&[tells(engine, &pages)]).await;
        let found = service(engine, &double.url, "").search(&query("a")).await.unwrap();
        assert_eq!(found.hits.len(), 1, "{engine}: {:?}", found.hits);
        let hit = &found.hits[0];
        assert!(hit.snippet.chars().count() <= 500, "{engine}");
        assert!(!hit.title.contains(['\u{202e}', '\u{0}']), "{engine}: {}", hit.title);
        if engine == "brave" {
            assert_eq!(hit.title, "Bold & free");
        }
    }
    // One odd result costs itself alone.
    let odd = json!({ "results": [7, { "title": "no address" }, { "url": 5 }, { "url": "https://a.example.org/" }] });
    let double = Provider::start(&[Reply::json(200, &odd)]).await;
    let found = service("searxng", &double.url, "").search(&query("a")).await.unwrap();
    assert_eq!(found.hits[0].title, "a.example.org");
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn every_fault_has_its_meaning() {
    let transient = |status, seconds: Option<u64>| Error::Transient {
        status,
        retry_after: seconds.map(Duration::from_secs),
    };
    let refused = |status| Error::Refused { status: Some(status) };
    let status = |code| Reply::json(code, &json!({ "error": "Ada asked for bread" }));
    let huge = Reply::new(200, "application/json", " ").ending(1, Ending::Giant);
    let cut = Reply::new(200, "application/json", "{\"results\": [").ending(1, Ending::Cut);
    for (name, reply, meaning) in [
        ("429", status(429).with("retry-after", "7"), transient(Some(429), Some(7))),
        (
            "429 with a date",
            status(429).with("retry-after", "Tue, 14 Nov 2023 22:13:40 GMT"),
            transient(Some(429), Some(20)),
        ),
        ("429 without a word", status(429), transient(Some(429), None)),
        ("502", status(502), transient(Some(502), None)),
        ("503", status(503).with("retry-after", "1"), transient(Some(503), Some(1))),
        ("504", status(504), transient(Some(504), None)),
        ("500", status(500), refused(500)),
        ("403", status(403), refused(403)),
        ("401", status(401), refused(401)),
        ("400", status(400), refused(400)),
        ("a redirect", status(302).with("location", "http://127.0.0.1:9/"), refused(302)),
        ("a cut body", cut, transient(None, None)),
        ("a huge body", huge, Error::BadAnswer("more than can be taken in")),
        (
            "no JSON",
            Reply::new(200, "text/html", "<html>"),
            Error::BadAnswer("something that is no JSON"),
        ),
        (
            "nothing",
            Reply::new(200, "application/json", ""),
            Error::BadAnswer("something that is no JSON"),
        ),
        ("a list", Reply::json(200, &json!([])), Error::BadAnswer("JSON of an unknown form")),
        (
            "another form",
            Reply::json(200, &json!({ "results": 7, "web": 7, "candidates": 7 })),
            Error::BadAnswer("JSON of an unknown form"),
        ),
        (
            "half an answer, then silence",
            status(200).ending(0, Ending::Stall),
            transient(None, None),
        ),
        ("silence", status(200).ending(0, Ending::Silence), transient(None, None)),
    ] {
        for engine in ENGINES {
            let double = Provider::start(std::slice::from_ref(&reply)).await;
            let slow = matches!(name, "silence" | "half an answer, then silence");
            let search = service(engine, &double.url, if slow { "whole = \"200ms\"" } else { "" });
            let said = search.search(&query("a")).await.unwrap_err();
            assert_eq!(said, meaning, "{engine}: {name}");
            assert!(!format!("{said} {said:?}").contains("Ada"), "{said:?}");
            assert_eq!(double.seen().len(), 1, "{engine}: {name}: asked once");
        }
    }
    for engine in ENGINES {
        let search = service(engine, "http://127.0.0.1:9/v1", "");
        assert_eq!(
            search.search(&query("a")).await.unwrap_err(),
            transient(None, None),
            "{engine}"
        );
    }
    for (answer, meaning) in [
        (json!({ "promptFeedback": { "blockReason": "SAFETY" } }), Error::Refused { status: None }),
        (json!({ "candidates": [{ "finishReason": "SAFETY" }] }), Error::Refused { status: None }),
        (json!({ "candidates": [] }), Error::BadAnswer("no answer at all")),
    ] {
        let double = Provider::start(&[Reply::json(200, &answer)]).await;
        let said = service("gemini", &double.url, "").search(&query("a")).await.unwrap_err();
        assert_eq!(said, meaning, "{answer}");
    }
}

#[test]
fn a_configuration_is_resolved_or_every_mistake_in_it_told() {
    assert_eq!(resolved(""), Ok(None));
    for (engine, place) in [
        ("brave", "https://api.search.brave.com/res/v1"),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta"),
    ] {
        let config = written(engine, "x", "").replace("base_url = \"x\"", "");
        assert_eq!(resolved(&config).unwrap().unwrap().base_url, place);
    }
    let near = resolved(&written("searxng", "http://127.0.0.1:8888/", "")).unwrap().unwrap();
    assert_eq!(near.base_url, "http://127.0.0.1:8888");
    for (config, told) in [
        ("[search]\nprovider = \"google\"".to_owned(), "searxng"),
        ("[search]\nprovider = \"searxng\"".to_owned(), "no default address"),
        ("[search]\nprovider = \"brave\"".to_owned(), "needs a key"),
        ("[search]\nprovider = \"gemini\"\nkey_env = \"KEY\"".to_owned(), "needs a `model`"),
        (
            written("gemini", "https://a.example.org", "").replace("some-model", "a/../b"),
            "needs a `model`",
        ),
        (written("searxng", "http://search.example.org", ""), "unencrypted"),
        (
            written("searxng", "https://ada:secret@search.example.org", ""),
            "the address contains a key",
        ),
        (written("searxng", "ftp://search.example.org", ""), "can't be used as a search address"),
        (written("searxng", "https://search.example.org", "whole = \"60s\""), "between 1s and 22s"),
        (
            written("searxng", "https://search.example.org", "language = \"de&q=x\""),
            "language code",
        ),
        (written("searxng", "https://search.example.org", "model = \"a\""), "has no model"),
        (written("brave", "https://search.example.org", "").replace("KEY", "NONE"), "NONE"),
        (
            written("brave", "https://search.example.org", "").replace("KEY", "BAD"),
            "invalid characters",
        ),
        (written("brave", "https://search.example.org", "modle = \"a\""), "did you mean"),
    ] {
        let said = resolved(&config).unwrap_err();
        assert!(said.contains(told), "{config}\n{said}");
        assert!(!said.contains("two words") && !said.contains("horse"), "{said}");
    }
}

/// A source's address may be one of the service's own that leads to the source: what is told is the source's.
#[tokio::test]
async fn sources_are_told_by_their_own_addresses() {
    for (name, step, told) in [
        (
            "found",
            Reply::new(302, "text/html", "").with("location", "https://a.example.org/1"),
            true,
        ),
        ("not on the web", Reply::new(302, "text/html", "").with("location", "file:///etc"), false),
        (
            "no redirect",
            Reply::new(200, "text/html", "").with("location", "https://a.example.org/1"),
            false,
        ),
        ("nowhere", Reply::new(302, "text/html", ""), false),
        ("down", Reply::new(503, "text/html", ""), false),
    ] {
        // The answer names the double, so it must be known before.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let url = format!("http://{address}/v1");
        let step_url = format!("{url}/grounding-api-redirect/0");
        let pages: [Page<'_>; 2] = [
            ("a.example.org", &step_url, "It is so.", ""),
            (
                "b.example.org",
                "https://elsewhere.example.org/grounding-api-redirect/7",
                "It is.",
                "",
            ),
        ];
        let double = Provider::start_at(address, &[tells("gemini", &pages), step]).await;
        let found = service("gemini", &double.url, "").search(&query("a")).await.unwrap();
        let expected = if told { "https://a.example.org/1" } else { step_url.as_str() };
        assert_eq!(found.hits[0].url, expected, "{name}");
        assert_eq!(found.claims[0].hits, [0], "{name}");
        assert_eq!(found.hits[1].url, pages[1].1, "{name}: nobody else is asked");
        let seen = double.seen();
        assert_eq!(seen.len(), 2, "{name}");
        assert_eq!(seen[1].headers.get("x-goog-api-key"), None, "{name}: the key stays here");
    }
}

/// The trait is held as an object everywhere.
#[test]
fn a_service_is_an_object() {
    fn takes(_: &dyn Search) {}
    takes(service("searxng", "http://127.0.0.1:9", "").as_ref());
}
