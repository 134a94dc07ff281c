//! What earlier programs stored, and whether this one still goes on with it.
//!
//! `tests/fixtures/corpus` holds one backup for each version of what is stored, taken by a program of that version
//! and kept as it was: nobody mends it when a test fails, the reader is mended. `CORPUS=write cargo test --test it
//! corpus` takes the backup of a new version; one that is there is never written again.

use std::{
    fs,
    io::{Cursor, Read as _},
    path::{Path, PathBuf},
    process::{Command as Process, Output},
};

use anteroom::{
    engine::InboundKind,
    model::{
        STORED_VERSION,
        session::{Head, PersonId, Status},
        transcript::Via,
        ui::{Control, Decision, Reply, Verdict},
        wait::{Answerers, Settlement, Wait},
    },
    session::{Command, Responder, answer},
    store::Find,
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use crate::{
    catalog::walks::minimal,
    world::{World, ada, grace, platform::Mood, room, settled},
};

/// When the people of the corpus stopped.
const LEFT_AT: &str = "2026-11-03T10:00:00Z";

/// What the member whose data was erased had said.
const ERASED: &str = "marlinspike by moonlight";

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/corpus")
}

fn newcomer(user: &str, name: &str) -> Responder {
    Responder::without_rights(PersonId::web(user), name.to_owned())
}

/// Runs the program on the data in `data`.
fn anteroom(data: &Path, args: &[&str]) -> Output {
    Process::new(env!("CARGO_BIN_EXE_anteroom"))
        .arg("--data")
        .arg(data)
        .args(args)
        .env_clear()
        .env("HOME", data.parent().unwrap())
        .output()
        .unwrap()
}

/// What a command that must succeed prints.
fn said(data: &Path, args: &[&str]) -> Vec<u8> {
    let output = anteroom(data, args);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {told}");
    output.stdout
}

fn json(data: &Path, args: &[&str]) -> Value {
    serde_json::from_slice(&said(data, args)).unwrap()
}

/// Takes the backup that is the corpus of this version: one waiting session of each flow in the box, the one with a
/// file, the other held; one at its end, one erased, one that waits for the team; and a message still on its way.
async fn write(target: &Path) {
    let mut world = World::embedded("candidate-onboarding").await;
    world.press("Continue with the assistant").await;
    world.press("Upload résumé").await;
    let resume = fs::read(corpus().with_file_name("ada.pdf")).unwrap();
    world.upload("ada.pdf", &resume).await.unwrap();

    let hurried = newcomer("charles", "Charles Example");
    begin(&mut world, "candidate-onboarding", &hurried).await;
    world.press_as(&hurried, "Continue with the assistant").await;
    let reason = "The rest is in my letter".to_owned();
    world.command(&hurried, Command::Advance { reason }).await;

    let done = newcomer("sofia", "Sofia Example");
    begin(&mut world, "community-welcome", &done).await;
    while answer_one(&mut world).await {}

    let gone = newcomer("emmy", "Emmy Example");
    begin(&mut world, "community-welcome", &gone).await;
    world.press_as(&gone, "Start").await;
    world.command(&gone, Command::Advance { reason: ERASED.to_owned() }).await;
    world.engine.order_erasure(world.session, "operator").await.unwrap();

    let held = newcomer("mary", "Mary Example");
    begin(&mut world, "community-welcome", &held).await;
    world.press_as(&held, "Start").await;
    world.engine.hold(world.session, "operator", Some("a question of law")).await.unwrap();
    world.pass(TimeDelta::hours(23)).await;
    world.platform.will([Mood::Busy]);
    world.press_as(&held, "I accept").await;

    let data = world.left().await;
    said(data.path(), &["backup", target.to_str().unwrap()]);
}

async fn begin(world: &mut World, flow: &str, who: &Responder) {
    let place = room(&who.person.to_string());
    let key = world.key();
    world.session = world.engine.start(flow, who, place, &key).await.unwrap();
    world.rest().await;
}

/// Answers the newest question as whoever may, the team's first; false where nothing is asked.
async fn answer_one(world: &mut World) -> bool {
    let state = world.state().await;
    let is_staffs = |wait: &&Wait| matches!(wait.answerers, Answerers::Deciders { .. });
    let Some(wait) = state.pending().find(is_staffs).or_else(|| state.pending().last()) else {
        return false;
    };
    let from = match &wait.answerers {
        Answerers::Participant => {
            let head = world.disk().load(world.session).await.unwrap().unwrap().head;
            Responder { person: head.participant, ..newcomer("", "Example") }
        }
        Answerers::Deciders { .. } => grace(),
    };
    let (reply, via) = (reply(wait), Via::Component);
    let said = format!("{reply:?} to {:?}", wait.prompt);
    let what = InboundKind::Answer { wait: wait.id, revision: wait.revision, reply, via };
    assert_eq!(settled(world.feed(&from, what).await), Settlement::Applied, "{said}");
    true
}

fn reply(wait: &Wait) -> Reply {
    match &wait.prompt.control {
        Control::Choose(choose) => {
            Reply::Chosen { ids: vec![choose.choices[0].id.clone()], free_text: None }
        }
        Control::Ask(_) => Reply::Text { text: "We cut the time by half in 2021.".to_owned() },
        Control::Review(review) => {
            let is_right = answer::check_data(&review.schema, &review.data).is_empty();
            let (verdict, data) = if is_right {
                (Verdict::Approved, None)
            } else {
                (Verdict::Modified, Some(minimal(&review.schema)))
            };
            Reply::Reviewed { verdict, data, notes: None }
        }
        Control::Upload(_) => Reply::Skipped,
        Control::Decide(_) => Reply::Decided { decision: Decision::Approved, feedback: None },
        Control::Confirm(_) => Reply::Confirmed { yes: true },
        Control::Form(form) => panic!("no script asks for a form: {form:?}"),
    }
}

/// Restores a backup with the program and looks at it: the data, the sessions, how many audit records there are.
fn restored(backup: &Path) -> (tempfile::TempDir, Vec<Head>, u64) {
    let shown = backup.display();
    let manifest = fs::read(backup.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let restored = json(data, &["restore", backup.to_str().unwrap(), "--json"]);
    assert_eq!(restored["unreadable"], serde_json::json!([]), "{shown}");
    assert_eq!(restored["files"], 1, "{shown}");
    let verified = json(data, &["audit", "verify", "--json"]);
    assert_eq!(verified["holds"], true, "{shown}: {verified}");
    assert_eq!(verified["seal"], manifest["store"]["seal"], "{shown}");
    assert!(verified["erased"].as_u64().unwrap() > 0, "words were erased: {verified}");

    let listed: Vec<Head> =
        serde_json::from_slice(&said(data, &["sessions", "list", "--json"])).unwrap();
    let mut rows: Vec<String> = listed.iter().map(row).collect();
    rows.sort();
    assert_eq!(
        rows,
        [
            "web:local/ada candidate-onboarding open 1/0 phase_1_core_facts",
            "web:local/charles candidate-onboarding open 2/1 phase_1_core_facts",
            "web:local/mary community-welcome open 1/0 phase_1_rules held",
            "web:local/sofia community-welcome completed 0/0 ",
        ],
        "{shown}"
    );
    let of = |user: &str| listed.iter().find(|head| head.participant == PersonId::web(user));
    let candidate = of("ada").unwrap().id;
    let everything = said(data, &["export", &candidate.to_string(), "--format", "zip"]);
    let resume = fs::read(corpus().with_file_name("ada.pdf")).unwrap();
    assert!(unpacked(&everything).contains(&resume), "the file is there: {shown}");
    let done =
        said(data, &["export", &of("sofia").unwrap().id.to_string(), "--format", "markdown"]);
    assert!(String::from_utf8(done).unwrap().contains("Sofia Example"), "{shown}");

    let records = verified["records"].as_u64().unwrap();
    (folder, listed, records)
}

/// Goes on with what a backup holds: waiting sessions to their end, and what waits for the team past its decision.
async fn goes_on(backup: &Path) {
    let shown = backup.display();
    let (folder, listed, before) = restored(backup);
    let at: DateTime<Utc> = LEFT_AT.parse().unwrap();
    let mut world = World::over(folder, at);
    world.engine.run_due().await;
    world.rest().await;
    assert!(!world.platform.messages().is_empty(), "what was on its way arrives: {shown}");
    for head in listed {
        world.session = head.id;
        if head.approvals > 0 {
            assert!(answer_one(&mut world).await);
            let state = world.state().await;
            assert_ne!(state.phase(), head.phase.as_deref(), "the team decided: {shown}");
            continue;
        }
        while answer_one(&mut world).await {}
        assert_eq!(world.state().await.status, Status::Completed, "{shown}: {}", head.participant);
    }
    world.assert_at_rest().await;
    // The chain goes on where it had ended.
    assert!(world.audit().await.len() as u64 > before, "{shown}");
    let held = world.disk().find(Find::Person(PersonId::web("mary"))).await.unwrap().remove(0);
    assert!(held.held, "{shown}");
    let refused = world.engine.order_erasure(held.id, "operator").await.unwrap_err();
    assert!(refused.to_string().contains("a question of law"), "{shown}: {refused}");
    assert!(world.disk().load(held.id).await.unwrap().is_some(), "held: {shown}");
    assert_eq!(world.disk().find(Find::Person(ada().person)).await.unwrap().len(), 1, "{shown}");
}

fn row(head: &Head) -> String {
    let phase = head.phase.clone().unwrap_or_default();
    let mark = if head.held { " held" } else { "" };
    format!(
        "{} {} {} {}/{} {phase}{mark}",
        head.participant,
        head.flow.id,
        head.status.name(),
        head.pending,
        head.approvals
    )
}

fn unpacked(zip: &[u8]) -> Vec<Vec<u8>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(zip)).unwrap();
    let mut files = vec![Vec::new(); archive.len()];
    for (index, file) in files.iter_mut().enumerate() {
        archive.by_index(index).unwrap().read_to_end(file).unwrap();
    }
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn what_every_earlier_version_stored_goes_on() {
    let mut versions: Vec<PathBuf> =
        fs::read_dir(corpus()).unwrap().map(|entry| entry.unwrap().path()).collect();
    versions.retain(|path| path.is_dir());
    assert!(versions.contains(&corpus().join(format!("v{STORED_VERSION}"))), "{versions:?}");
    for backup in versions {
        goes_on(&backup).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_this_version_stores_is_what_its_corpus_holds() {
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("backup");
    let wanted = std::env::vars().any(|(key, value)| key == "CORPUS" && value == "write");
    let kept = corpus().join(format!("v{STORED_VERSION}"));
    let target = if wanted { &kept } else { &written };
    write(target).await;
    restored(target);
}
