//! Whatever somebody does while a model leads in Slack, they see within a moment that it is at work, and until it
//! answers: with the program as it comes, its default rates, and models that take their time.

use std::time::{Duration, Instant};

use crate::slack::{
    emulator::state::Call,
    model_service::{Speaker, completions::Emulator},
    program::{By, Place, insist},
    signs::{FLOW, Seen, assert_seen, lines, paces, seen, until},
};

/// How long Slack shows a status to which nothing is added (docs, `assistant.threads.setStatus`).
const STATUS: Duration = Duration::from_mins(2);

/// What people have seen, and until when.
fn signs(calls: &[Call]) -> Vec<(Instant, Instant)> {
    let mut signs = Vec::new();
    let taken = calls.iter().filter(|call| call.answer["ok"] == true);
    let mut status: Option<Instant> = None;
    for call in taken {
        let at = call.at;
        let is_post = matches!(call.method.as_str(), "chat.postMessage" | "chat.stopStream");
        let is_status = call.method == "assistant.threads.setStatus";
        if is_post || is_status {
            // A message of the app takes the status away, as another status does.
            signs.extend(status.take().map(|from| (from, at.min(from + STATUS))));
        }
        if is_status && call.body["status"] != "" {
            status = Some(at);
        }
        if matches!(call.method.as_str(), "chat.postMessage" | "chat.update" | "chat.postEphemeral")
            || call.method.ends_with("Stream")
            || call.method.starts_with("views.")
        {
            signs.push((at, at));
        }
    }
    signs.extend(status.map(|from| (from, from + STATUS)));
    signs
}

async fn measured(delay: Duration) -> Vec<Seen> {
    let service = Emulator::paced(&[], Speaker::lines(lines()), delay).await;
    let table = format!("[llm.interview]\nbase_url = \"{}\"\nmodel = \"m\"\n", service.url);
    let place = Place::at_default_rates_with(By::Sockets, FLOW, &table).await;
    let _program = place.start().await;
    let ada = place.slack.person("U0ADA");
    let mut all = Vec::new();
    let mut note = async |input, began, answer: &str| {
        until(answer, || ada.can_see(answer)).await;
        let answered = Instant::now();
        let signs = place.slack.look(|state| signs(&state.calls));
        all.push(seen((input, delay), (began, answered), &signs));
    };
    ada.command("/onboard start").await;
    until("the beginning", || ada.can_see("What would you like to say?")).await;
    let began = Instant::now();
    ada.reply("That I like colours.").await;
    note("typed words", began, "[Red]").await;
    let began = Instant::now();
    insist(&ada, "Red").await;
    note("a press", began, "A file?").await;
    insist(&ada, "Upload files").await;
    ada.attach("Files", "notes.txt", b"Notes.").await;
    let began = Instant::now();
    ada.submit().await;
    note("a form", began, "And one more").await;
    let began = Instant::now();
    ada.drop_file("ada.pdf", &std::fs::read("tests/fixtures/ada.pdf").unwrap(), "").await;
    note("a file", began, "That is all").await;
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_is_seen_to_be_at_work_until_the_model_answers() {
    let mut all = Vec::new();
    for pace in paces() {
        all.extend(measured(pace).await);
    }
    assert_seen("Slack", &all);
}
