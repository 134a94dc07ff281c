//! Exports: what other programs and other people get of a session.

use std::{io::Cursor, sync::Arc};

use anteroom::{
    base::{clock::FixedClock, ids::CountingIds},
    engine::{
        CopyTo, Engine, Limits,
        export::{self, Source, json_resume, transcript},
    },
    flow::LoadedFlow,
    model::transcript::Audience,
    ports::artifacts::{Artifacts, extract::Extractor},
    session::State,
    store::Loaded,
};
use chrono::DateTime;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::world::World;
use crate::keys::AnyKeys;

const SESSION: &str = "ses_00000000000000000000000000000001";
const WAIT: &str = "wait_00000000000000000000000000000002";
const AT: &str = "2026-11-21T09:00:00Z";

/// A session with these events after its beginning.
fn session(events: &[Value]) -> Loaded {
    let pin = json!({ "id": "candidate-onboarding", "version": "1.0.0", "digest": "d" });
    let place = json!({ "platform": "web", "workspace": "local", "channel": SESSION });
    let started = json!({ "type": "started", "session": SESSION, "flow": pin, "participant": "web:local/ada",
        "name": "Ada Byron", "place": place });
    let all = std::iter::once(&started).chain(events).enumerate();
    let events: Vec<Value> =
        all.map(|(n, event)| json!({ "v": 1, "seq": n + 1, "at": AT, "event": event })).collect();
    let head = json!({ "id": SESSION, "flow": pin, "participant": "web:local/ada", "name": "Ada Byron",
        "place": place, "status": "open", "pending": 0, "approvals": 0, "progress": 0.0,
        "seq": events.len(), "created_at": AT, "updated_at": AT });
    Loaded {
        head: serde_json::from_value(head).unwrap(),
        events: serde_json::from_value(Value::Array(events)).unwrap(),
    }
}

fn saved(record: u32, data_type: &str, data: &Value) -> Value {
    json!({ "type": "saved", "record": format!("record_{record:032x}"), "data_type": data_type, "data": data,
        "reviewed": true })
}

fn resume(events: &[Value]) -> Value {
    let state = State::fold(&session(events).events).unwrap();
    json_resume::of(&state, &flow(), Audience::Staff)
}

fn flow() -> Arc<LoadedFlow> {
    World::flow("candidate-onboarding")
}

/// One record of each kind that JSON Resume knows.
fn approved() -> Vec<Value> {
    vec![
        saved(
            1,
            "applicant_profile",
            &json!({ "basics": { "name": "Ada Byron", "email": "ada@example.org",
            "url": null, "location": { "city": "London", "countryCode": "GB" } } }),
        ),
        saved(
            2,
            "skeleton_timeline",
            &json!({
            "work": [ { "name": "Analytical Engines Ltd", "position": "Programmer", "startDate": "2020-03" } ],
            "volunteer": [ { "organization": "Night School", "startDate": "2018", "endDate": "2018" } ] }),
        ),
        saved(
            3,
            "education_history",
            &json!({ "education": [ { "institution": "University of London" } ] }),
        ),
        saved(
            4,
            "knowledge_card",
            &json!({ "title": "Notes", "summary": "On the engine",
            "achievements": [ { "claim": "Wrote the notes", "evidence": { "quote": "…" } } ],
            "skills": ["mathematics"] }),
        ),
    ]
}

#[test]
fn approved_data_becomes_a_json_resume_that_validates() {
    let resume = resume(&approved());
    assert_eq!(json_resume::problems(&resume), []);
    assert_snapshot!(format!("{resume:#}"), @r#"
    {
      "$schema": "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.2.1/schema.json",
      "basics": {
        "name": "Ada Byron",
        "email": "ada@example.org",
        "location": {
          "city": "London",
          "countryCode": "GB"
        }
      },
      "work": [
        {
          "name": "Analytical Engines Ltd",
          "position": "Programmer",
          "startDate": "2020-03"
        }
      ],
      "volunteer": [
        {
          "organization": "Night School",
          "startDate": "2018",
          "endDate": "2018"
        }
      ],
      "education": [
        {
          "institution": "University of London"
        }
      ],
      "projects": [
        {
          "name": "Notes",
          "description": "On the engine",
          "highlights": [
            "Wrote the notes"
          ],
          "keywords": [
            "mathematics"
          ]
        }
      ],
      "meta": {
        "version": "v1.0.0",
        "lastModified": "2026-11-21T09:00:00Z"
      }
    }
    "#);
}

#[test]
fn what_does_not_fit_is_left_out_and_named() {
    let resume = resume(&[
        saved(
            1,
            "applicant_profile",
            &json!({ "basics": { "name": "Ada", "email": "not an address" } }),
        ),
        saved(
            2,
            "skeleton_timeline",
            &json!({ "work": [
            { "name": "One", "startDate": "2019-19" },
            { "name": "Two", "startDate": "2020-05", "endDate": "2020-04" } ] }),
        ),
    ]);
    assert_eq!(json_resume::problems(&resume), []);
    let omitted: Vec<&str> = resume["meta"]["omitted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|omitted| omitted["path"].as_str().unwrap())
        .collect();
    assert_eq!(omitted, ["/basics/email", "/work/0/startDate", "/work/1/endDate"]);
    assert_eq!(resume["work"][1]["startDate"], "2020-05");
    assert!(!resume.to_string().contains("not an address"));
}

/// A request that staff denied with feedback.
fn denied() -> Loaded {
    let call = json!({ "id": "c1", "tool": "next_phase", "args": { "overrides": [], "reason": "she is in a hurry" },
        "phase": "phase_1_core_facts", "origin": { "from": "model", "round": 1 } });
    let request = json!([{ "words": "Move " }, { "quoted": "Ada" }, { "words": "?" }]);
    let control = json!({ "kind": "decide", "request": request, "facts": [["Reason given", "she is in a hurry"]],
        "approve": "Approve", "deny": "Deny" });
    let wait = json!({ "id": WAIT, "session": SESSION, "revision": 1,
        "purpose": { "kind": "call", "call": "c1", "tool": "next_phase" }, "state": null,
        "prompt": { "body": request, "control": control },
        "answerers": { "who": "deciders", "alias": "recruiting_approvals", "allow_self": false },
        "digest": "d", "asked_at": AT, "standing": { "is": "pending" } });
    let reply = json!({ "kind": "decided", "decision": "denied_with_feedback", "feedback": "ask about the gap" });
    let result = json!({ "outcome": "ok", "value": { "status": "denied_with_feedback", "feedback": "ask about the gap" } });
    let mut called = call;
    called["type"] = "called".into();
    let mut asked = wait;
    asked["type"] = "asked".into();
    session(&[
        called,
        asked,
        json!({ "type": "answered", "wait": WAIT, "reply": reply, "by": "web:local/grace", "by_name": "Grace",
            "via": "component" }),
        json!({ "type": "returned", "call": "c1", "result": result }),
        json!({ "type": "posted", "effect": "eff_00000000000000000000000000000003", "audience": "staff",
            "text": "a word among staff" }),
        json!({ "type": "said", "from": { "who": "participant" }, "text": "What happens now?" }),
    ])
}

#[test]
fn the_participant_reads_everything_but_the_words_among_staff() {
    let (loaded, flow) = (denied(), flow());
    let read = |reader| {
        let source = Source { loaded: &loaded, flow: &flow, audit: &[], ratings: &[], reader };
        (transcript::markdown(&source).unwrap(), transcript::json(&source).unwrap().to_string())
    };
    let (page, data) = read(Audience::Participant);
    for words in ["hurry", "gap", "among staff"] {
        assert!(!page.contains(words) && !data.contains(words), "{words}: {page}\n{data}");
    }
    let (page, data) = read(Audience::Staff);
    for words in ["hurry", "gap", "among staff"] {
        assert!(page.contains(words) && data.contains(words), "{words}: {page}\n{data}");
    }
}

#[test]
fn questions_that_are_stored_in_parts_are_strings_for_programs() {
    let (loaded, flow) = (denied(), flow());
    let source =
        Source { loaded: &loaded, flow: &flow, audit: &[], ratings: &[], reader: Audience::Staff };
    let exported = transcript::json(&source).unwrap();
    let entries = exported["entries"].as_array().unwrap();
    let asked = entries.iter().find(|entry| entry["kind"] == "asked").unwrap();
    assert_eq!(asked["data"]["prompt"]["body"], "Move Ada?");
    assert_eq!(asked["data"]["prompt"]["control"]["request"], "Move Ada?");
}

#[test]
fn the_transcript_says_who_said_what() {
    let (loaded, flow) = (denied(), flow());
    let source = Source {
        loaded: &loaded,
        flow: &flow,
        audit: &[],
        ratings: &[],
        reader: Audience::Participant,
    };
    assert_snapshot!(transcript::markdown(&source).unwrap(), @"
    # Candidate onboarding

    - Person: Ada Byron
    - Session: ses_00000000000000000000000000000001
    - Flow: candidate-onboarding 1.0.0
    - Status: open
    - Started: 2026-11-21 09:00:00 UTC
    - Last change: 2026-11-21 09:00:00 UTC

    **Anteroom** · 2026-11-21 09:00:00 UTC · started

    The conversation started.

    **Anteroom** · 2026-11-21 09:00:00 UTC · asked

    The team was asked to decide.

    **Grace** · 2026-11-21 09:00:00 UTC · answered

    Denied

    **Ada Byron** · 2026-11-21 09:00:00 UTC · said

    What happens now?
    ");
}

#[tokio::test]
async fn the_transcript_shows_what_was_approved_and_not_the_draft_before() {
    let mut world = World::on("candidate-onboarding").await;
    world.pick(&["accept"]).await;
    world.pick(&["type"]).await;
    world.edit(json!({ "basics": { "name": "Ada Lovelace", "email": "ada@example.org" } })).await;
    let mut loaded = session(&[]);
    loaded.events = world.events().await;
    let flow = flow();
    let source =
        Source { loaded: &loaded, flow: &flow, audit: &[], ratings: &[], reader: Audience::Staff };
    let entries = transcript::entries(&source).unwrap();
    let reviews: Vec<_> =
        entries.iter().filter(|entry| matches!(entry.kind, "asked" | "answered")).collect();
    let told: Vec<String> =
        reviews.iter().map(|entry| format!("{}: {}", entry.kind, entry.text)).collect();
    assert_snapshot!(told.join("\n---\n"), @r#"
    asked: Candidate onboarding

    **You are about to talk to a bot**, not a person. It asks a fixed list of questions for Example Ltd, and takes about 15 minutes.

    - It asks about your contact details, work and education history, and one example of your work.
    - You see and can correct everything before it is kept. It does not score, rank or reject anyone; people decide.
    - Answers and files are deleted 180 days after the conversation ends. Details: https://example.org/privacy
    - At any time type *human* to reach a person, *stop* to end, *export* for a copy, or *delete my data*.

    Using this bot is optional. If you would rather not, or need an adjustment, choose "Talk to a person".


    - [Continue with the assistant]
    - [Talk to a person]
    - [Not now]
    ---
    answered: Continue with the assistant
    ---
    asked: How would you like to begin? A résumé saves typing; you can correct everything that is read from it.

    - [Upload résumé]
    - [Type it in]
    ---
    answered: Type it in
    ---
    asked: Contact details

    Here are your contact details so far. Please correct and complete them.

    ---
    answered: Changed and approved

    - Name: Ada Lovelace
    - E-mail: ada@example.org
    ---
    asked: Work history

    Where have you worked? Please add your roles, newest first: organisation, title, place and dates.
    "#);
}

#[tokio::test]
async fn one_archive_holds_everything_and_is_the_same_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(FixedClock::new(DateTime::UNIX_EPOCH));
    let reader = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let artifacts = Artifacts::new(
        dir.path(),
        Arc::new(AnyKeys),
        clock,
        Arc::new(CountingIds::default()),
        reader,
    )
    .unwrap();
    let id = SESSION.parse().unwrap();
    let asked = serde_json::from_value(
        json!({ "upload_type": "resume", "accept": ["txt"], "max_bytes": 1000,
        "max_files": 2, "required": true }),
    )
    .unwrap();
    let kept = artifacts.keep(id, &asked, "my resume.txt", b"Ada Byron".to_vec()).await.unwrap();
    let mut event = json!(kept);
    event["type"] = "kept".into();
    let (loaded, flow) = (session(&[event]), flow());
    let source = Source {
        loaded: &loaded,
        flow: &flow,
        audit: &[],
        ratings: &[],
        reader: Audience::Participant,
    };

    let bytes = export::bundle(&source, &[], &artifacts).await.unwrap();

    assert_eq!(bytes, export::bundle(&source, &[], &artifacts).await.unwrap());
    let archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut names: Vec<String> =
        archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.sort_unstable();
    let mut expected = export::bundle::MEMBERS.map(str::to_owned).to_vec();
    expected.push("files/01-my resume.txt".to_owned());
    expected.sort_unstable();
    assert_eq!(names, expected);
}

/// Nobody waits for long behind those who take their time, nor for what goes to a chat.
#[tokio::test(start_paused = true)]
async fn copies_have_room_in_memory_until_they_are_sent() {
    let world = World::new().await;
    let limits = Limits { copies_mib: 2, ..Limits::default() };
    let engine = Engine::limited(world.engine.parts().clone(), Vec::new(), limits);
    let gathered = engine.gather(world.session).await.unwrap();
    let copy = async |to| engine.copy(&gathered, Audience::Participant, to).await;

    let chat = copy(CopyTo::Chat).await.unwrap();
    let page = copy(CopyTo::Page).await.unwrap();
    let refused = copy(CopyTo::Page).await.unwrap_err();
    assert!(matches!(refused, export::Error::Busy), "{refused}");
    drop(page);
    assert_eq!(copy(CopyTo::Page).await.unwrap().bytes, chat.bytes);
    // A chat waits.
    let (next, ()) = tokio::join!(copy(CopyTo::Chat), async { drop(chat) });
    assert!(next.is_ok());
}
