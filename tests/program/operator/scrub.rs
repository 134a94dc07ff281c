//! Stored data that is damaged: found by `scrub` and named everywhere, and taken over by `repair` as far as it verifies.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{
    bot::{Bot, command, said},
    person::Person,
};

const FLOW: &str = "community-welcome";

fn run(data: &Path, args: &[&str]) -> Output {
    command(data).args(args).output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn flip(file: &Path, at: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[at] ^= 1;
    fs::write(file, bytes).unwrap();
}

/// Every file under a directory and what it holds, but for the note of who has it open.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.is_file() && !path.ends_with("pid") {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Two people whose bot has ended, after each has answered something.
async fn two() -> (tempfile::TempDir, PathBuf, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let bot = Bot::start(&data);
    let mut sessions = Vec::new();
    for name in ["Ada Byron", "Grace Hopper"] {
        let person = Person::begin(&bot, FLOW, name).await;
        assert!(person.answer().await);
        person.is_asked().await;
        sessions.push(person.session());
    }
    drop(bot);
    (dir, data, sessions)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrub_names_damage_and_every_list_tells_of_it() {
    let (_dir, data, _) = two().await;
    let whole = text(said(&data, &["scrub"]));
    assert!(whole.starts_with("Read 2 conversations, ") && whole.ends_with("No damage found.\n"));

    let bot = Bot::start(&data);
    let person = Person::begin(&bot, FLOW, "Emmy Noether").await;
    let ready = || async {
        let answer = reqwest::get(format!("{}readyz", bot.page)).await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    assert_eq!(ready().await, (200, "ready".to_owned()));
    let flow = fs::read_dir(data.join("flows")).unwrap().next().unwrap().unwrap().path();
    flip(&flow, 20);
    let scrubbed = run(&data, &["scrub", "--json"]);
    assert_eq!(scrubbed.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&scrubbed.stdout).unwrap();
    assert_eq!((&report["conversations"], &report["damage"][1]), (&3.into(), &Value::Null));
    let what = report["damage"][0]["what"].as_str().unwrap();
    assert!(what.contains(&*flow.file_name().unwrap().to_string_lossy()), "{report}");
    let told = text(scrubbed.stderr);
    assert!(told.starts_with("warning: could not read flow `community-welcome`"), "{told}");

    let (status, words) = ready().await;
    assert_eq!(status, 200);
    assert!(
        words.starts_with("degraded\nstored records or files that cannot be read: 1. hint: "),
        "{words}"
    );
    let listed = run(&data, &["sessions", "list"]);
    assert_eq!(listed.status.code(), Some(1));
    assert_eq!(text(listed.stdout).lines().count(), 4);
    assert!(text(listed.stderr).contains(what));

    let staff = person.staff("Grace").await;
    assert!(staff.contains("Something that was stored can't be read"), "{staff}");

    // Mended, it is gone from everywhere.
    flip(&flow, 20);
    said(&data, &["scrub"]);
    assert_eq!(ready().await, (200, "ready".to_owned()));
    said(&data, &["sessions", "list"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_database_is_refused_untouched_and_repaired_elsewhere() {
    let (dir, data, sessions) = two().await;
    // What was not saved yet when the bot was killed is counted as saved once the store has been opened again.
    said(&data, &["sessions", "list"]);
    let database = data.join("store/db");
    let mut bytes = fs::read(&database).unwrap();
    // What was written last is at the end of what is not empty.
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[end - 3000..=end].fill(0);
    fs::write(&database, bytes).unwrap();
    let before = files(&data);

    for args in [&["sessions", "list"][..], &["run"], &["audit", "verify"], &["scrub"]] {
        let refused = run(&data, args);
        let told = text(refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{args:?}: {told}");
        assert!(refused.stdout.is_empty(), "an empty list was shown");
        if args[0] != "run" {
            assert!(told.contains("it is damaged: ") && told.contains("repair --to DIR"), "{told}");
        }
        assert!(files(&data) == before, "{args:?} changed something");
    }

    let elsewhere = dir.path().join("repaired");
    let to = elsewhere.to_string_lossy();
    let repaired: Value =
        serde_json::from_slice(&said(&data, &["repair", "--to", &to, "--json"])).unwrap();
    assert_eq!((&repaired["of"], &repaired["damage"]), (&2.into(), &Value::Array(Vec::new())));
    let outcomes = repaired["conversations"].as_array().unwrap();
    assert!(files(&data) == before, "the damaged directory was changed");
    let whole: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| outcome["whole"] == true)
        .map(|outcome| outcome["session"].as_str().unwrap())
        .collect();
    // The end is missing: each conversation is as it stood before, or not there at all.
    assert!(repaired["cutAt"].is_string() && outcomes.len() <= 2, "{repaired}");
    assert!(whole.iter().all(|session| sessions.iter().any(|known| known == session)));
    for outcome in outcomes.iter().filter(|outcome| outcome["whole"] == false) {
        let name = format!("partial/{}.json", outcome["session"].as_str().unwrap());
        let events: Value =
            serde_json::from_slice(&fs::read(elsewhere.join(name)).unwrap()).unwrap();
        assert_eq!(Value::from(events.as_array().unwrap().len()), outcome["events"]);
    }
    let listed: Value =
        serde_json::from_slice(&said(&elsewhere, &["sessions", "list", "--json"])).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), whole.len());
    assert!(text(said(&elsewhere, &["audit", "verify"])).starts_with("The audit log is intact: "));
    let again = run(&data, &["repair", "--to", &to]);
    assert!(text(again.stderr).contains("already exists"), "nothing is overwritten");
}

/// Kills a repair as soon as there is anything of the new directory.
fn kill_repair(data: &Path, to: &Path) {
    let mut child = command(data)
        .args(["repair", "--to", &to.to_string_lossy()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !to.exists() && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(Duration::from_millis(5));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_repair_is_begun_again() {
    let (dir, data, sessions) = two().await;
    said(&data, &["sessions", "list"]);
    let mut attempts = (0..20).map(|number| dir.path().join(format!("killed-{number}")));
    let half = attempts.find(|to| {
        kill_repair(&data, to);
        to.join("restoring").exists()
    });
    let half = half.expect("never killed in the middle");
    let refused = run(&half, &["sessions", "list"]);
    let told = text(refused.stderr);
    assert!(told.contains("a restore or repair into `"), "{told}");
    assert!(told.contains("hint: wait for it; if it was interrupted, run it again"), "{told}");

    said(&data, &["repair", "--to", &half.to_string_lossy()]);
    let listed: Value =
        serde_json::from_slice(&said(&half, &["sessions", "list", "--json"])).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), sessions.len());
}
