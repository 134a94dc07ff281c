//! Whatever somebody does while a model leads in Discord, they see within a moment that it is at work, and until it
//! answers: with the program as it comes, its default rate, and models that take their time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::discord::{
    bot::ADA,
    emulator::state::Recorded,
    model_service::{Speaker, completions::Emulator},
    program::Place,
    signs::{FLOW, Seen, assert_seen, lines, paces, seen, until},
};

/// How long Discord shows that somebody is writing (docs, `resources/channel`).
const TYPING: Duration = Duration::from_secs(10);

/// What people have seen, and until when.
fn signs(requests: &[Recorded]) -> Vec<(Instant, Instant)> {
    let mut signs = Vec::new();
    let (mut typing, mut deferred): (Option<Instant>, Option<Instant>) = (None, None);
    for request in requests.iter().filter(|request| request.status < 300) {
        let at = request.at;
        let is_typing = request.path.ends_with("/typing");
        let is_post = request.method == "POST" && request.path.ends_with("/messages");
        if is_typing || is_post {
            signs.extend(typing.take().map(|from| (from, at.min(from + TYPING))));
        }
        if is_typing {
            typing = Some(at);
        }
        let is_original = request.path.ends_with("/messages/@original");
        if is_original {
            signs.extend(deferred.take().map(|from| (from, at)));
        }
        if request.path.ends_with("/callback") && request.body["type"] == 5 {
            // "is thinking…" until there is an answer.
            deferred = Some(at);
        }
        // A deferred update shows nothing.
        let is_answer = request.path.ends_with("/callback") && request.body["type"] != 6;
        let is_edit = request.method == "PATCH" && request.path.contains("/messages/");
        if is_post || is_answer || is_edit {
            signs.push((at, at));
        }
    }
    signs.extend(typing.map(|from| (from, from + TYPING)));
    signs
}

/// The form as it is sent with one file.
fn filled(modal: &Value, file: &Value) -> Value {
    let labels = modal["components"].as_array().unwrap();
    let sent: Vec<Value> = labels
        .iter()
        .map(|label| {
            let component = &label["component"];
            let mut inner =
                json!({ "type": component["type"], "custom_id": component["custom_id"] });
            match component["type"].as_u64() {
                Some(19) => inner["values"] = json!([file["id"]]),
                Some(4) => inner["value"] = json!(""),
                Some(_) => inner["values"] = json!([]),
                None => return json!({ "type": label["type"], "id": label["id"] }),
            }
            json!({ "type": 18, "component": inner })
        })
        .collect();
    let id = file["id"].as_str().unwrap();
    json!({ "custom_id": modal["custom_id"], "components": sent, "resolved": { "attachments": { id: file } } })
}

async fn measured(delay: Duration) -> Vec<Seen> {
    let service = Emulator::paced(&[], Speaker::lines(lines()), delay).await;
    let table = format!("[llm.interview]\nbase_url = \"{}\"\nmodel = \"m\"\n", service.url);
    let place = Place::led(FLOW, &table).await;
    let _program = place.start().await;
    let discord = &place.discord;
    place.panel().await;
    let mut all = Vec::new();
    let mut note = async |input, began, answer: &str| {
        until(answer, || place.shown(answer) > 0).await;
        let answered = Instant::now();
        let signs = discord.with(|state| signs(&state.requests));
        all.push(seen((input, delay), (began, answered), &signs));
    };
    let control = place.sees(ADA, "Start").await;
    let began = Instant::now();
    place.tries(ADA, &control).await;
    note("the start", began, "What would you like to say?").await;
    let room = discord
        .with(|state| *state.channels.iter().find(|(_, channel)| channel.is_thread()).unwrap().0);
    let began = Instant::now();
    discord.with(|state| state.writes(ADA, room, "That I like colours.", &[]));
    note("typed words", began, "Which colour?").await;
    let control = place.sees(ADA, "Red").await;
    let began = Instant::now();
    place.tries(ADA, &control).await;
    note("a press", began, "A file?").await;
    let control = place.sees(ADA, "Upload files").await;
    let (token, _) = place.tries(ADA, &control).await;
    let form = discord.until("a form", |state| {
        let path = format!("/{token}/callback");
        let answer = state.requests.iter().find(|request| request.path.ends_with(&path))?;
        (answer.body["type"] == 9).then(|| answer.body["data"].clone())
    });
    let form = form.await;
    let file =
        discord.with(|state| state.upload(room, ("notes.txt", "text/plain"), b"Notes.", true));
    let (channel, message, _) = control;
    let began = Instant::now();
    discord.interact(5, ADA, (channel, Some(message)), &filled(&form, &file)).await;
    note("a form", began, "And one more").await;
    let pdf = std::fs::read("tests/fixtures/ada.pdf").unwrap();
    let file =
        discord.with(|state| state.upload(room, ("ada.pdf", "application/pdf"), &pdf, false));
    let began = Instant::now();
    discord.with(|state| state.writes(ADA, room, "", &[file]));
    note("a file", began, "That is all").await;
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_is_seen_to_be_at_work_until_the_model_answers() {
    let mut all = Vec::new();
    for pace in paces() {
        all.extend(measured(pace).await);
    }
    assert_seen("Discord", &all);
}
