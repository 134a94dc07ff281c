//! Whatever somebody does while a model leads on the page, a live page tells within a moment that it is at work, and
//! until it answers: with models that take their time.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use anteroom::ports::llm::Models;
use futures::StreamExt;
use reqwest::{Response, multipart::Part};
use tokio::task::JoinSet;

use super::site::Site;
use crate::llm::{
    endpoints, means,
    model_service::{Speaker, completions::Emulator},
    signs::{FLOW, Seen, assert_seen, lines, paces, seen, until},
};

/// What the page was told, and when.
type Told = Arc<Mutex<Vec<(Instant, String)>>>;

async fn follow(live: Response, told: Told) {
    let mut stream = Box::pin(live.bytes_stream());
    let mut rest = String::new();
    while let Some(Ok(chunk)) = stream.next().await {
        rest.push_str(&String::from_utf8_lossy(&chunk));
        while let Some(end) = rest.find("\n\n") {
            let event = rest.drain(..end + 2).collect();
            told.lock().unwrap().push((Instant::now(), event));
        }
    }
}

/// What people have seen, and until when: the line below the conversation stands until another one takes its place.
fn signs(told: &Told) -> Vec<(Instant, Instant)> {
    let mut signs = Vec::new();
    let mut line: Option<Instant> = None;
    for (at, event) in
        told.lock().unwrap().iter().filter(|(_, event)| event.contains("event: piece"))
    {
        if event.contains("\"id\":\"doing\"") {
            signs.extend(line.take().map(|from| (from, *at)));
            line = event.contains("going-on").then_some(*at);
        } else {
            signs.push((*at, *at));
        }
    }
    signs.extend(line.map(|from| (from, Instant::now())));
    signs
}

async fn measured(delay: Duration) -> Vec<Seen> {
    let service = Emulator::paced(&[], Speaker::lines(lines()), delay).await;
    let config = format!("[llm.interview]\nbase_url = \"{}\"\nmodel = \"m\"\n", service.url);
    let models = Models::open(&endpoints(&config), &means().0).unwrap();
    let site = Site::modelled(FLOW, models).await;
    let ada = site.visitor();
    let page = ada.start("signs", "Ada").await;
    let live = ada.fetch(&format!("/s/{}/live", site.session().await)).await;
    let told = Told::default();
    let mut following = JoinSet::new();
    following.spawn(follow(live, Arc::clone(&told)));
    let mut all = Vec::new();
    let is_quiet = || {
        let told = told.lock().unwrap();
        let mut lines = told.iter().rev().filter(|(_, event)| event.contains("\"id\":\"doing\""));
        lines.next().is_some_and(|(_, event)| !event.contains("going-on"))
    };
    let mut note = async |input, began: Instant| {
        all.push(seen((input, delay), (began, Instant::now()), &signs(&told)));
        until("nothing goes on", is_quiet).await;
    };
    until("nothing goes on", is_quiet).await;
    let began = Instant::now();
    let page = ada.say(&page, "That I like colours.").await;
    note("typed words", began).await;
    let began = Instant::now();
    let page = ada.press(&page, "Red").await;
    note("a press", began).await;
    let began = Instant::now();
    let file = Part::bytes(b"Notes.".to_vec()).file_name("notes.txt");
    let answer = ada.upload(&page, file.mime_str("text/plain").unwrap()).await;
    note("a form with a file", began).await;
    assert!(answer.text().await.unwrap().contains("And one more"));
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_is_seen_to_be_at_work_until_the_model_answers() {
    let mut all = Vec::new();
    for pace in paces() {
        all.extend(measured(pace).await);
    }
    assert_seen("The page", &all);
}
