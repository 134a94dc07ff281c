//! No word of the configuration about providers reaches anybody: pages, cards, posts, errors, exports, what is stored,
//! and what models read, whatever the provider does.

use std::io::{Cursor, Read as _};

use anteroom::ports::llm::Models;
use reqwest::multipart;
use serde_json::{Value, json};

use super::site::Site;
use crate::llm::{
    endpoints, means,
    provider::{Ending, Provider, Reply},
};

/// A picture is read by one model, then another one leads.
const FLOW: &str = r#"
format = 1
id = "tour"
version = "1.0.0"
title = "A short tour"

[handoff]
channel = "recruiting_approvals"

[approvals.override]
channel = "recruiting_approvals"

[data.applicant_profile]
schema = "builtin:applicant_profile"
review = true

[[phase]]
id = "one"
title = "One"
mode = "script"
uploads = { accept = ["png"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "filed"
  title = "A file"
  done = { uploaded = "other" }

  [[phase.step]]
  id = "file"
  tool = "get_user_upload"
  args = { uploadType = "other", prompt = "A picture, please.", acceptedFormats = ["png"] }

  [[phase.step]]
  id = "read"
  tool = "extract_document"
  [phase.step.args]
  artifact_id = { "$from" = "results.file.uploads[0].id" }

[[phase]]
id = "two"
title = "Two"
mode = "interview"
prompt = "Ask for a word."
tools = ["request_user_input", "submit_for_validation", "set_objective_status", "next_phase"]

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = "model"
"#;

/// What a provider says of itself where it should not.
const GOSSIP: &str = "zebra-9000 at quagga.example refuses the key sk-correct-horse of 127.0.0.1";

/// Words of the configuration, and of the provider, that nobody may read.
const SECRETS: [&str; 3] = ["zebra", "quagga", "sk-correct-horse"];

fn error(status: u16, code: &str) -> Reply {
    let error = json!({ "error": { "code": code, "type": "zebra_error", "message": GOSSIP } });
    Reply::json(status, &error).with("x-provider", "zebra")
}

/// Everything that a provider can do, by name.
fn days() -> Vec<(&'static str, Reply)> {
    let read = json!({
        "applicant_profile": { "basics": { "name": "Ada Byron" } }, "skeleton_timeline": null,
        "education_history": null, "layout": [], "doubtful": [], "confidence": 1, "text": "Ada Byron",
    });
    let good = Reply::says(&read.to_string()).with("x-provider", "zebra");
    let refusal = json!({
        "model": "zebra-9000",
        "choices": [{ "index": 0, "delta": { "refusal": GOSSIP }, "finish_reason": "stop" }],
    });
    let filtered =
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "content_filter" }] });
    let midway = json!({ "error": { "code": 502, "message": GOSSIP } });
    vec![
        ("good", good.clone()),
        ("down", Reply::new(503, "text/html", GOSSIP)),
        ("key", error(401, "invalid_zebra_key")),
        ("quota", error(402, "zebra_quota")),
        ("unknown", error(404, "model_not_found")),
        ("rate", error(429, "zebra_rate")),
        ("long", error(400, "context_length_exceeded")),
        ("flagged", error(403, "content_filter")),
        ("moved", Reply::new(302, "text/plain", GOSSIP).with("location", "https://quagga.example")),
        ("refusal", Reply::stream(&[refusal])),
        ("filtered", Reply::stream(&[filtered])),
        ("midway", Reply::stream(&[midway])),
        ("cut", good.clone().ending(1, Ending::Cut)),
        ("stalled", good.ending(1, Ending::Stall)),
        ("wrong", Reply::new(200, "application/json", "{\"model\": \"zebra-9000\"}")),
        ("page", Reply::new(200, "text/html", GOSSIP)),
    ]
}

/// The files of an archive, one after the other.
fn unpacked(bytes: &[u8]) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut all = String::new();
    for n in 0..archive.len() {
        let mut file = archive.by_index(n).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        all.push_str(&String::from_utf8_lossy(&bytes));
    }
    all
}

/// The smallest picture.
fn pixel() -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(4, 4).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// A conversation on one day; everything that anybody could read of it.
async fn everything(reply: Reply) -> Vec<(&'static str, String)> {
    let provider = Provider::start(&[reply]).await;
    let url = provider.url.replace("/v1", "/quagga/v1");
    let table = |purpose: &str| {
        format!(
            "[llm.{purpose}]\nbase_url = \"{url}\"\nmodel = \"zebra-9000\"\nkey_env = \"KEY\"\nattempts = 1\n\
             first_byte = \"200ms\"\nidle = \"200ms\"\n"
        )
    };
    let config = table("interview") + &table("extract");
    let site = Site::modelled(FLOW, Models::open(&endpoints(&config), &means().0).unwrap()).await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let part = multipart::Part::bytes(pixel()).file_name("me.png");
    let page = ada.upload(&page, part.mime_str("image/png").unwrap()).await.text().await.unwrap();
    let said = ada.say(&page, "Hello?").await;
    let session = site.session().await;
    let grace = site.staff("Grace").await;
    let mut seen = vec![("page", page), ("page after words", said)];
    seen.push(("tail", ada.get(&format!("/s/{session}")).await));
    seen.push(("staff", grace.get("/staff").await));
    seen.push(("staff's page", grace.get(&format!("/staff/s/{session}")).await));
    let copy = ada.fetch(&format!("/s/{session}/export")).await.bytes().await.unwrap();
    seen.push(("copy", unpacked(&copy)));
    let copy = grace.fetch(&format!("/staff/s/{session}/export")).await.bytes().await.unwrap();
    seen.push(("staff's copy", unpacked(&copy)));
    let store = &site.engine.parts().store;
    let events = store.load(session).await.unwrap().unwrap().events;
    seen.push(("events", serde_json::to_string(&events).unwrap()));
    let audit = store.audit(0, usize::MAX).await.unwrap();
    seen.push(("audit", serde_json::to_string(&audit).unwrap()));
    let address = provider.url.split('/').nth(2).unwrap();
    for (what, text) in &seen {
        assert!(!text.contains(address), "the provider's address is in {what}");
    }
    let sent = provider.seen();
    assert!(sent.len() >= 2, "both models were to be asked");
    for request in sent {
        let mut body = request.body;
        assert_eq!(body["model"], "zebra-9000");
        body["model"] = Value::Null;
        seen.push(("request", body.to_string()));
    }
    seen
}

#[tokio::test]
async fn nobody_reads_who_the_provider_is_whatever_it_does() {
    for (day, reply) in days() {
        for (what, text) in everything(reply).await {
            assert!(!text.is_empty(), "{day}: nothing to look at in {what}");
            for secret in SECRETS {
                let at = text.to_lowercase().find(secret);
                let around =
                    at.map(|at| text.get(at.saturating_sub(80)..(at + 80).min(text.len())));
                assert!(at.is_none(), "{day}: `{secret}` is in {what}: {around:?}");
            }
        }
    }
}
