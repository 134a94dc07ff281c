//! Recordings: a conversation that was recorded runs again to the letter, and what has changed since is shown.
//!
//! `tests/fixtures/talk.recording.jsonl` was made by [`a_recording_runs_again_without_a_difference`] with
//! `ANTEROOM_RECORD_FIXTURE` set; do that again where a change of what people or the model read is meant.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use anteroom::{
    engine::{
        InboundKind,
        recording::{Recorder, replay},
    },
    ports::llm::Error,
    tool::{Toolbox, catalog::interview},
};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    llm::scripted::{Scripted, Turn},
    world::{World, ada, room},
};

/// A talk with everything in it that has to be run again: choices, a file, a document, a review, a failure, a person.
const TALK: &str = r#"
format = 1
id = "recorded"
version = "1.0.0"
title = "Recorded"

[notice]
text = "This is a bot."
accept = "Start"
human = "Talk to a person"
decline = "Not now"

[handoff]
channel = "desk"

[approvals.override]
decider = "admin"
channel = "desk"

[data.pet]
schema_inline = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}'
review = true

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Ask for a pet."
tools = ["get_user_option", "extract_document", "submit_for_validation", "next_phase"]
uploads = { accept = ["txt"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { reviewed = "pet" }

[[phase]]
id = "end"
title = "The end"
mode = "script"

  [[phase.objective]]
  id = "word"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "word"
  tool = "get_user_option"
  args = { prompt = "Was it good?", options = [ { id = "yes", label = "It was" }, { id = "no", label = "It was not" } ] }
"#;

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/talk.recording.jsonl");

fn colours() -> Value {
    json!({ "prompt": "Which colour?", "options": [{ "id": "red", "label": "Red" }, { "id": "blue", "label": "Blue" }] })
}

/// Has the conversation, recorded in `file`.
async fn talk(file: &Path) {
    let model = Scripted::new();
    model.next(Turn::says("Do you have a pet?"));
    let mut world = World::unbegun(TALK, &model);
    world.nudge();
    world.engine.record_to(Recorder::create(file, 60_000).unwrap());
    world.begin("recorded").await;
    world.press("Start").await;
    model.next(Turn::calls("get_user_option", &colours()).saying("A dog, then."));
    world.say("Yes, a dog called Rex.").await;
    model.next(Turn::fails(Error::Cut));
    world.press("Red").await;
    model.next(Turn::says("Red. I am back. Do you have a photo?"));
    world.pass(chrono::TimeDelta::minutes(1)).await;
    let kept =
        world.engine.keep_file(world.session, None, "rex.txt", b"Rex is a good dog.".to_vec());
    let kept = kept.await.unwrap().unwrap();
    model.next(Turn::calls("extract_document", &json!({ "artifact_id": kept.id })));
    model.next(Turn::calls(
        "submit_for_validation",
        &json!({ "dataType": "pet", "data": { "name": "Rex" }, "message": "Is that right?" }),
    ));
    world.feed(&ada(), InboundKind::Sent { wait: None, files: vec![kept] }).await;
    // Written while a card is open.
    model.next(Turn::says("Take your time."));
    world.say("What was the question?").await;
    model.next(Turn::calls("next_phase", &json!({})));
    world.press("Looks right").await;
    world.press("It was").await;
    model.assert_played();
    world.assert_at_rest().await;
}

async fn run(text: &str) -> Result<replay::Outcome, replay::Error> {
    let folder = tempfile::tempdir().unwrap();
    replay::replay(text, &Toolbox::new(interview::tools()).unwrap(), folder.path()).await
}

fn anteroom(file: &Path) -> (Option<i32>, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_anteroom")).arg("replay").arg(file).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn a_recording_runs_again_without_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("talk.jsonl");
    talk(&file).await;
    let text = fs::read_to_string(&file).unwrap();
    let outcome = run(&text).await.unwrap();
    assert_eq!(outcome.diff, "", "{}", outcome.diff);
    assert_eq!(outcome.conversations, 1);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let twice = Recorder::create(&file, 60_000).unwrap_err();
    assert_eq!(twice.kind(), std::io::ErrorKind::AlreadyExists);
    if std::env::var_os("ANTEROOM_RECORD_FIXTURE").is_some() {
        fs::copy(&file, FIXTURE).unwrap();
    }
}

/// Options in another order in each conversation.
const SHUFFLED: &str = r#"
format = 1
id = "shuffled"
version = "1"
title = "Shuffled"

[approvals.override]
channel = "desk"

[handoff]
channel = "desk"

[[phase]]
id = "end"
title = "The end"
mode = "script"

  [[phase.objective]]
  id = "word"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "word"
  tool = "get_user_option"
  args = { prompt = "Which one?", shuffle = true, options = [ { id = "a", label = "A" }, { id = "b", label = "B" }, { id = "c", label = "C" }, { id = "d", label = "D" } ] }
"#;

#[tokio::test]
async fn options_that_were_shuffled_stand_in_the_same_order_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shuffled.jsonl");
    let mut world = World::empty(SHUFFLED, None);
    world.engine.record_to(Recorder::create(&file, 60_000).unwrap());
    for n in 0..6 {
        let place = room(&format!("room-{n}"));
        let started = world.engine.start("shuffled", &ada(), place, &format!("start-{n}")).await;
        world.session = started.unwrap();
        world.rest().await;
    }
    let outcome = run(&fs::read_to_string(&file).unwrap()).await.unwrap();
    assert_eq!((outcome.conversations, outcome.diff.as_str()), (6, ""));
}

#[tokio::test]
async fn the_recorded_session_reads_as_it_did() {
    let (code, said, errors) = anteroom(Path::new(FIXTURE));
    assert_eq!(
        (code, said.as_str(), errors.as_str()),
        (Some(0), "1 conversation replayed, no differences\n", "")
    );
}

#[tokio::test]
async fn what_has_changed_since_is_shown_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("changed.jsonl");
    // As if the card had asked something else then, and the flow had told the model something else.
    let text = fs::read_to_string(FIXTURE).unwrap();
    let text = text.replace("\"body\":\"Was it good?\"", "\"body\":\"Was it any good?\"");
    let text = text.replace("Part 1 of 2 begins: Pets", "Chapter 1 of 2: Pets");
    fs::write(&file, text).unwrap();
    let (code, diff, errors) = anteroom(&file);
    assert_eq!((code, errors.as_str()), (Some(1), ""));
    assert_snapshot!(diff, @r#"
    --- ses_00000000000000000000000000000001: what people saw, recorded
    +++ ses_00000000000000000000000000000001: what people saw, now
    @@ -97,7 +97,7 @@
     objective pet: "completed"
     part: end
     card for the participant:
    -  Was it any good?
    +  Was it good?
       {
         "kind": "choose",
         "choices": [
    --- ses_00000000000000000000000000000001: what the model read, recorded
    +++ ses_00000000000000000000000000000001: what the model read, now
    @@ -62,7 +62,7 @@
     
     You do not score, rank, compare or judge people.
     <note>The conversation begins on Monday, 2 November 2026, 10:00 (UTC), on a web page. The participant is called Ada Byron there. The texts of the interview are in the language `en`; write in the language in which the participant writes.</note>
    -<note>Chapter 1 of 2: Pets (`pets`).
    +<note>Part 1 of 2 begins: Pets (`pets`).
     Ask for a pet.
     Objectives:
     - `pet` (required): A pet. Done by `pet` approved by the participant with submit_for_validation.
    "#);
}

#[tokio::test]
async fn another_answer_of_the_model_leads_elsewhere() {
    let text = fs::read_to_string(FIXTURE).unwrap();
    let text = text.replacen(
        "\"text\":\"Do you have a pet?\",\"usage\"",
        "\"text\":\"Do you like pets?\",\"usage\"",
        1,
    );
    let outcome = run(&text).await.unwrap();
    assert_snapshot!(outcome.diff, @r#"
    --- ses_00000000000000000000000000000001: what people saw, recorded
    +++ ses_00000000000000000000000000000001: what people saw, now
    @@ -23,7 +23,7 @@
     Ada Byron answers: {"kind":"chosen","ids":["accept"]}
     the conversation is "open"
     part: pets
    -to the participant: Do you have a pet?
    +to the participant: Do you like pets?
     participant: Yes, a dog called Rex.
     to the participant: A dog, then.
     card for the participant:
    --- ses_00000000000000000000000000000001: what the model read, recorded
    +++ ses_00000000000000000000000000000001: what the model read, now
    @@ -68,7 +68,7 @@
     - `pet` (required): A pet. Done by `pet` approved by the participant with submit_for_validation.
     Forms of `data`, by `dataType`; leave out what is not known:
     - `pet`: {"name":"text (required)"}</note>
    -model: Do you have a pet?
    +model: Do you like pets?
     <participant>Yes, a dog called Rex.</participant>
     model: A dog, then.
     model calls c00000001 get_user_option {"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]}
    "#);
}

#[tokio::test]
async fn what_is_no_recording_is_refused_with_its_line() {
    for text in ["", "hello", "{\"anteroom_recording\":99,\"by\":\"7.0.0\",\"window_tokens\":1}"] {
        let error = run(text).await.unwrap_err().to_string();
        assert!(error.starts_with("line 1: "), "{error}");
    }
    let text = fs::read_to_string(FIXTURE).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let torn = |n: usize| lines[n].get(..lines[n].len() - 20).unwrap();
    // Torn within the file, and torn at the end with a line below it.
    let within = [&lines[..4], &[torn(4)], &lines[5..]].concat().join("\n");
    let above = format!("{}\n{}\n", lines[..4].join("\n"), torn(4));
    for text in [within, above] {
        let error = run(&text).await.unwrap_err().to_string();
        assert!(error.starts_with("line 5: "), "{error}");
    }
    let (code, said, errors) = anteroom(Path::new("/nowhere"));
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert_snapshot!(errors, @"
    error: could not replay `/nowhere`
    because: No such file or directory (os error 2)
    hint: check the path
    ");
}

/// The bot was killed in the middle of any line.
#[tokio::test]
async fn a_recording_that_was_cut_off_runs_as_far_as_it_goes() {
    let text = fs::read_to_string(FIXTURE).unwrap();
    let (mut start, mut cut) = (0, 0);
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let middle = text.floor_char_boundary(start + line.len() / 2);
        start += line.len();
        if n == 0 {
            continue;
        }
        let outcome = run(&text[..middle]).await.unwrap();
        assert_eq!((outcome.diff.as_str(), outcome.is_cut), ("", true), "cut in line {}", n + 1);
        cut += outcome.conversations;
    }
    assert!(cut > 10, "{cut} recordings had a beginning");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cut.jsonl");
    fs::write(&file, &text[..text.len() - 20]).unwrap();
    let (code, said, errors) = anteroom(&file);
    assert_eq!((code, said.as_str()), (Some(0), "1 conversation replayed, no differences\n"));
    let errors = errors.replace(&file.display().to_string(), "cut.jsonl");
    assert_snapshot!(errors, @"warning: the last line of `cut.jsonl` is torn and was left out. hint: the bot was probably killed while it recorded");
    // Within a character.
    fs::write(&file, [&text.as_bytes()[..text.len() - 20], &[0xC3]].concat()).unwrap();
    assert_eq!(anteroom(&file).0, Some(0));
}

#[test]
fn a_recording_holds_no_key() {
    let text = fs::read_to_string(FIXTURE).unwrap();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line.is_object());
    }
    for word in ["key_env", "base_url", "sk-", "Bearer"] {
        assert!(!text.contains(word), "{word}");
    }
}
