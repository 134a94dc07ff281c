//! `search_internal_case_studies`, and the folder that it reads.

use std::{fs, path::Path, sync::Arc};

use anteroom::{
    ports::llm::Models,
    tool::{
        Services,
        catalog::consulting::case_studies::{BYTES_MAX, Cases, FILES_MAX},
    },
};
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use super::bench::{Bench, data, error};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/cases"))
}

fn bench() -> Bench {
    let cases = Some(Arc::new(Cases::open(folder()).unwrap()));
    Bench::with(Services { cases, ..Services::default() }, Models::default())
}

async fn titles(bench: &mut Bench, args: Value) -> Vec<String> {
    let found = bench.call("search_internal_case_studies", args).await;
    let matches = data(&found)["matches"].as_array().unwrap().clone();
    matches.iter().map(|case| case["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_case_comes_with_the_passage_that_matched_word_by_word() {
    let mut bench = bench();
    let found =
        bench.call("search_internal_case_studies", json!({ "query": "Transcribing speech" })).await;
    assert_json_snapshot!(data(&found), @r#"
    {
      "matches": [
        {
          "file": "subtitles.md",
          "title": "Subtitles overnight",
          "industry": "Media",
          "results": [
            "40 hours a week saved",
            "subtitles on the day of shooting"
          ],
          "client": "a production house",
          "year": 2025,
          "passage": "We had a speech model transcribe the rushes and people correct them. The correction takes a quarter of the time that writing took."
        }
      ],
      "searched": 3
    }
    "#);
    assert_eq!(bench.view().state.capabilities, ["search"]);
}

#[tokio::test]
async fn stems_industries_and_order() {
    let mut bench = bench();
    for (query, industry, expected) in [
        ("subtitling", None, vec!["Subtitles overnight"]),
        ("invoice reading", None, vec!["Invoices without retyping"]),
        ("we retype things by hand", Some("logistics"), vec!["Invoices without retyping"]),
        ("letters", Some("Health"), vec!["Letters to patients"]),
        ("letters", Some("Media"), vec![]),
        ("subtitles", Some("the media industry"), vec!["Subtitles overnight"]),
        ("media", None, vec!["Subtitles overnight"]),
        ("quantum chemistry", None, vec![]),
        ("the and of", None, vec![]),
        ("'; DROP TABLE cases; --", None, vec![]),
    ] {
        let mut args = json!({ "query": query });
        if let Some(industry) = industry {
            args["industry"] = json!(industry);
        }
        let first = titles(&mut bench, args.clone()).await;
        assert_eq!(first, expected, "{query}");
        assert_eq!(titles(&mut bench, args).await, expected, "{query}, once more");
    }
}

#[test]
fn a_name_of_small_words_is_an_industry_and_text_under_a_heading_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let text = "+++\ntitle = \"Tickets\"\nindustry = \"IT\"\n+++\n# Tickets\n## Before\nEvery ticket was sorted by hand.\n\
                ### Result ###\n#1 of the wishes came true: 40 hours saved.\n\n##\n\nNobody sorts.\n";
    fs::write(dir.path().join("it.md"), text).unwrap();
    let cases = Cases::open(dir.path()).unwrap();
    for (query, passage) in [
        ("sorted by hand", "Every ticket was sorted by hand."),
        ("hours saved", "#1 of the wishes came true: 40 hours saved."),
        ("nobody sorts", "Nobody sorts."),
    ] {
        let found = cases.search(query, None, 3);
        assert_eq!(found.iter().map(|case| case.passage.as_str()).collect::<Vec<_>>(), [passage]);
    }
    for (industry, is_found) in [
        ("IT", true),
        (" it ", true),
        ("the IT industry", true),
        ("IT services", true),
        ("industry", false),
        ("the", false),
        ("Media", false),
        ("", false),
    ] {
        assert_eq!(!cases.search("tickets", Some(industry), 3).is_empty(), is_found, "{industry}");
    }
}

#[tokio::test]
async fn nothing_found_is_said_and_nothing_made_up() {
    let mut bench = bench();
    let found =
        bench.call("search_internal_case_studies", json!({ "query": "quantum chemistry" })).await;
    assert_json_snapshot!(found, @r#"
    {
      "success": true,
      "data": {
        "matches": [],
        "searched": 3,
        "note": "no case study matches; there are some of these industries: Health care, Logistics, Media. Say that there is none."
      }
    }
    "#);
    let none = Bench::new().call("search_internal_case_studies", json!({ "query": "media" })).await;
    assert_eq!(error(&none), "The folder of case studies is not configured. Please skip for now.");
    let wrong = bench.call("search_internal_case_studies", json!({ "query": "" })).await;
    assert!(error(&wrong).contains("/query"), "{wrong}");
}

#[test]
fn a_broken_file_is_told_at_the_start() {
    let good = "+++\ntitle = \"A\"\nindustry = \"B\"\n+++\ntext\n";
    for (name, text, told) in [
        ("bare.md", "no head", "it does not begin with `+++` or `---`"),
        ("open.md", "+++\ntitle = \"A\"\n", "its head does not end"),
        ("lacks.md", "+++\ntitle = \"A\"\n+++\ntext\n", "missing field `industry`"),
        (
            "extra.md",
            "+++\ntitle = \"A\"\nindustry = \"B\"\nresult = \"C\"\n+++\ntext\n",
            "unknown field `result`",
        ),
        ("yaml.md", "---\ntitle: [A\n---\ntext\n", "has a mistake"),
        ("blank.md", "---\ntitle: ' '\nindustry: B\n---\ntext\n", "must say something"),
        (
            "empty.md",
            "+++\ntitle = \"A\"\nindustry = \"B\"\n+++\n\n# Only a heading\n",
            "it has no text",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("good.md"), good).unwrap();
        fs::write(dir.path().join(name), text).unwrap();
        let error = Cases::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(told), "{name}: {error}");
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("large.md"), vec![b'a'; usize::try_from(BYTES_MAX).unwrap() + 1])
        .unwrap();
    assert!(Cases::open(dir.path()).unwrap_err().to_string().contains("larger than"));
    fs::write(dir.path().join("large.md"), [0xff, 0xfe]).unwrap();
    assert!(Cases::open(dir.path()).unwrap_err().to_string().contains("not UTF-8"));
    let many = tempfile::tempdir().unwrap();
    for n in 0..=FILES_MAX {
        fs::write(many.path().join(format!("{n}.md")), good).unwrap();
    }
    assert!(Cases::open(many.path()).unwrap_err().to_string().contains("more than"));
    assert!(
        Cases::open(Path::new("/nowhere/at/all"))
            .unwrap_err()
            .to_string()
            .contains("cannot be read")
    );
    // What is no Markdown is nobody's business.
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("notes.txt"), "no head").unwrap();
    assert!(Cases::open(other.path()).unwrap().is_empty());
}
