//! `anteroom flows test --record`: a conversation that was recorded becomes a test, which passes while the flow stays as it is.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use anteroom::{
    engine::recording::Recorder,
    model::ui::{Decision, Reply, Verdict},
    session::Command as Order,
};
use chrono::TimeDelta;
use insta::assert_snapshot;
use serde_json::json;

use crate::world::{World, ada, grace};

/// A flow with something of everything that people do.
const FLOW: &str = r#"
format = 1
id = "kites"
version = "1.0.0"
title = "Kite club"

[notice]
text = "This is a bot."
accept = "Start"
human = "Ask us"
decline = "Not now"

[pace]
remind_after = ["24h"]

[approvals.override]
channel = "desk"

[approvals.member]
title = "Take {{ participant.name }} into the club?"
deciders = "desk"
expires = "7d"

[data.person]
review = true

[data.person.fields]
name = { type = "text", title = "Your name" }
mail = { type = "email", title = "E-mail", required = false }

[data.kinds]
schema = "builtin:string_list"

[[phase]]
id = "about"
title = "About you"
mode = "script"
uploads = { accept = ["pdf", "docx"], max_mb = 1, max_files = 1 }
objective = [{ id = "known", title = "You", done = { reviewed = "person" } }]
step = [
  { id = "flies", tool = "get_user_option", args = { prompt = "Do you fly kites?", options = [{ id = "yes", label = "I do" }, { id = "no", label = "Not yet" }] } },
  { id = "kinds", tool = "get_user_option", save = "kinds", args = { prompt = "Which ones?", allowMultiple = true, required = false, options = [{ id = "box", label = "Box kites" }, { id = "delta", label = "Deltas" }, { id = "none", label = "None of \"these\"" }] } },
  { id = "form", tool = "submit_for_validation", args = { dataType = "person", message = "Who are you?", data = { name = "", mail = "" } } },
  { id = "photo", tool = "get_user_upload", args = { uploadType = "other", prompt = "A page about your kite, please.", acceptedFormats = ["pdf", "docx"] } },
  { id = "why", tool = "request_user_input", args = { prompt = "Why kites?" } },
]

[[phase]]
id = "decision"
title = "Decision"
mode = "script"
step = [{ id = "decision", tool = "request_decision", args = { approval = "member" }, branch = { denied = "@stop", expired = "@stop" } }]
effect = [
  { do = "discord_add_role", role = "member", on = "approved" },
  { do = "webhook", url_from = "crm", include = ["person"], on = "approved" },
]
"#;

/// Ada has the whole conversation, which is recorded in `file`; then the team decides.
async fn talk(file: &Path, decision: Decision) {
    let mut world = World::empty(FLOW, None);
    world.engine.record_to(Recorder::create(file, 60_000).unwrap());
    world.begin("kites").await;
    world.press("Start").await;
    world.press("I do").await;
    world.pick(&["box", "none"]).await;
    // A reminder comes, and an address that is none is refused.
    world.pass(TimeDelta::hours(25)).await;
    world.edit(json!({ "name": "Ada \"Kite\" Byron", "mail": "nowhere" })).await;
    // The card stays open with what is saved, until it is approved.
    let data = Some(json!({ "name": "Ada \"Kite\" Byron", "mail": "ada@example.org" }));
    world.answer(Reply::Reviewed { verdict: Verdict::Saved, data, notes: None }).await;
    world.press("Looks right").await;
    world.upload("ada-byron.pdf", PDF).await.unwrap();
    world.say("They fly.\nMostly.").await;
    world.pass(TimeDelta::hours(3)).await;
    let feedback = (decision == Decision::DeniedWithFeedback).then(|| "Come again.".to_owned());
    let request = world.button("Approve").await;
    let request = match request {
        anteroom::engine::InboundKind::Answer { wait, revision, via, .. } => {
            let reply = Reply::Decided { decision, feedback };
            anteroom::engine::InboundKind::Answer { wait, revision, reply, via }
        }
        other => other,
    };
    world.feed(&grace(), request).await;
    world.assert_at_rest().await;
}

const PDF: &[u8] = include_bytes!("../../fixtures/ada.pdf");

fn run(dir: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_anteroom"));
    let program = program.args(["flows", "test"]).args(args).env_clear();
    program.env("HOME", dir).current_dir(dir).output().unwrap()
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The test that is made of a recording in `dir`, and what is said about it.
fn recorded(dir: &Path) -> (String, String) {
    let output = run(dir, &["--record", "talk.jsonl"]);
    let (story, told) = (words(&output.stdout), words(&output.stderr));
    assert!(output.status.success(), "{story}{told}");
    (story, told)
}

/// Runs a test with a flow; what it says where it fails.
fn outcome(dir: &Path, story: &str, flow: &str) -> Result<(), String> {
    fs::write(dir.join("kites.toml"), flow).unwrap();
    let story = story.replacen("flow = \"kites\"", "flow = \"kites.toml\"", 1);
    fs::write(dir.join("kites.test.toml"), story).unwrap();
    let output = run(dir, &["kites.test.toml"]);
    let said = words(&output.stdout) + &words(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(said) }
}

#[tokio::test]
async fn a_recorded_conversation_becomes_a_test_that_passes() {
    let dir = tempfile::tempdir().unwrap();
    talk(&dir.path().join("talk.jsonl"), Decision::Approved).await;

    let (story, told) = recorded(dir.path());

    assert_snapshot!(story, @r#"
    # Written by `anteroom flows test --record`. It holds what people said, filled in and decided: look it over before you share it.
    # Add what a step must show, such as `asks` or `reads`. `flow` is the id of a flow; the path of its file works, too.
    flow = "kites"

    [[test]]
    name = "As recorded on 2 November 2026, 10:00:00"
    platforms = ["web"]
    begins = "2026-11-02T10:00:00Z"

    [[test.step]]
    press = "Start"
    expect = { phase = "about", status = "open" }

    [[test.step]]
    press = "I do"

    [[test.step]]
    choose = ["Box kites", "None of \"these\""]

    [[test.step]]
    wait = "25h"

    [[test.step]]
    fill = { "Your name" = "Ada \"Kite\" Byron", E-mail = "nowhere" }
    expect = { refused = "mail: Enter an e-mail address like ada@example.org." }

    [[test.step]]
    fill = { "Your name" = "Ada \"Kite\" Byron", E-mail = "ada@example.org" }

    [[test.step]]
    upload = "sample.pdf"

    [[test.step]]
    say = "They fly.\nMostly."
    expect = { phase = "decision" }

    [[test.step]]
    wait = "3h"

    [[test.step]]
    decide = "approve"
    expect = { status = "completed", objectives = { known = "completed" }, records = { kinds = ["box", "none"], person = { name = "Ada \"Kite\" Byron", mail = "ada@example.org" } }, effects = ["role member", "web hook crm"], hooks = { crm = { event = "decision_made", phase = "decision", data = { person = { name = "Ada \"Kite\" Byron", mail = "ada@example.org" } }, decision = { status = "approved", approval = "member", by = ["Grace"] }, files = [{ upload_type = "other", filename = "sample.pdf" }] } } }
    "#);
    assert_eq!(told, "");
    assert_eq!(outcome(dir.path(), &story, FLOW), Ok(()));
}

#[tokio::test]
async fn a_recorded_test_fails_where_the_flow_has_changed() {
    let dir = tempfile::tempdir().unwrap();
    talk(&dir.path().join("talk.jsonl"), Decision::DeniedWithFeedback).await;
    let (story, _) = recorded(dir.path());
    assert!(story.contains("because = \"Come again.\""), "{story}");
    assert_eq!(outcome(dir.path(), &story, FLOW), Ok(()));

    for (from, to, why) in [
        ("label = \"I do\"", "label = \"Sure\"", "“I do” can't be pressed"),
        ("denied = \"@stop\"", "denied = \"@handoff\"", "expected the status `stopped`"),
        ("save = \"kinds\", ", "", "expected `kinds` to be"),
        ("id = \"decision\"\ntitle", "id = \"choice\"\ntitle", "expected the phase `decision`"),
    ] {
        assert!(FLOW.contains(from), "{from}");
        let complaints = outcome(dir.path(), &story, &FLOW.replacen(from, to, 1)).unwrap_err();
        assert!(complaints.contains(why), "{from} -> {to}: {complaints}");
    }
}

#[tokio::test]
async fn what_a_test_cannot_do_is_named_where_it_was_done() {
    let dir = tempfile::tempdir().unwrap();
    let mut world = World::empty(FLOW, None);
    world.engine.record_to(Recorder::create(&dir.path().join("talk.jsonl"), 60_000).unwrap());
    world.begin("kites").await;
    world.press("Start").await;
    world.command(&grace(), Order::TakeOver).await;
    world.command(&grace(), Order::HandBack).await;
    world.command(&ada(), Order::Stop).await;

    let (story, _) = recorded(dir.path());

    assert_eq!(story.matches("# Left out: something that the team did").count(), 2, "{story}");
    assert!(story.contains("say = \"stop\"") && story.contains("status = \"stopped\""), "{story}");
    assert_eq!(outcome(dir.path(), &story, FLOW), Ok(()));
}

#[tokio::test]
async fn one_flow_of_a_recording_is_chosen_and_a_test_is_not_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("talk.jsonl");
    let mut world = World::empty(FLOW, None);
    world.engine.record_to(Recorder::create(&file, 60_000).unwrap());
    let nothing = run(dir.path(), &["--record", "talk.jsonl"]);
    assert!(words(&nothing.stderr).contains("no conversation began"), "{nothing:?}");
    world.begin("kites").await;
    world.press("Not now").await;
    let place = crate::world::room("other");
    world.engine.start("moderator-application", &ada(), place, "other").await.ok();
    world.rest().await;

    let args = ["--record", "talk.jsonl", "--flow", "kites", "-o", "k.test.toml"];
    let chosen = run(dir.path(), &args);
    assert!(chosen.status.success(), "{}", words(&chosen.stderr));
    let story = fs::read_to_string(dir.path().join("k.test.toml")).unwrap();
    assert!(story.contains("status = \"declined\""), "{story}");
    let again = run(dir.path(), &args);
    assert!(words(&again.stderr).contains("already exists"), "{again:?}");
    let unknown = run(dir.path(), &["--record", "talk.jsonl", "--flow", "kite"]);
    assert!(words(&unknown.stderr).contains("was not recorded"), "{unknown:?}");
}
