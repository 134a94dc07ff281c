//! Backups taken while people answer, and what comes of them elsewhere.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use anteroom::model::audit;
use serde_json::Value;
use tokio::task::JoinSet;

use super::{
    bot::{Bot, command, said},
    person::Person,
};

const FLOW: &str = "community-welcome";

/// A directory with a data directory and room for others.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        let room = Self(tempfile::tempdir().unwrap());
        fs::create_dir(room.at("data")).unwrap();
        room
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, data: &str, args: &[&str]) -> Output {
        command(&self.at(data)).args(args).output().unwrap()
    }

    fn said(&self, data: &str, args: &[&str]) -> String {
        String::from_utf8(said(&self.at(data), args)).unwrap()
    }

    /// What a command that must fail says.
    fn refused(&self, data: &str, args: &[&str]) -> String {
        let output = self.run(data, args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// A backup named `kept` of two sessions that have answered something.
    async fn with_backup() -> (Self, Vec<Person>) {
        let room = Self::new();
        let bot = Bot::start(&room.at("data"));
        let people = [
            Person::begin(&bot, FLOW, "Ada Byron").await,
            Person::begin(&bot, FLOW, "Grace Hopper").await,
        ];
        for person in &people {
            assert!(person.answer().await);
            person.is_asked().await;
        }
        room.said("data", &["backup", "kept"]);
        (room, people.into())
    }
}

fn sessions(json: &str) -> Vec<String> {
    let listed: Vec<Value> = serde_json::from_str(json).unwrap();
    listed.iter().map(|head| head["id"].as_str().unwrap().to_owned()).collect()
}

/// Every file under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_goes_on_elsewhere() {
    let room = Room::new();
    let bot = Bot::start(&room.at("data"));
    let before = Person::begin(&bot, FLOW, "Ada Byron").await;
    assert!(before.answer().await);
    before.is_asked().await;
    let stop = Arc::new(AtomicBool::new(false));
    let answers = Arc::new(AtomicUsize::new(0));
    let mut load = JoinSet::new();
    for number in 0..3 {
        let (stop, answers, bot) = (Arc::clone(&stop), Arc::clone(&answers), bot.page.clone());
        load.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let person = Person::begin_at(&bot, FLOW, &format!("Person {number}")).await;
                while !stop.load(Ordering::Relaxed) && person.answer().await {
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    let mut acknowledged = Vec::new();
    while acknowledged.len() < 3 || answers.load(Ordering::Relaxed) < 20 {
        assert!(acknowledged.len() < 60, "hardly any load");
        let number = acknowledged.len();
        let data = room.at("data");
        let name = format!("backup-{number}");
        let taken = tokio::task::spawn_blocking(move || {
            let before =
                sessions(&String::from_utf8(said(&data, &["sessions", "list", "--json"])).unwrap());
            let manifest = said(&data, &["backup", &name, "--json"]);
            (before, serde_json::from_slice::<Value>(&manifest).unwrap())
        });
        acknowledged.push(taken.await.unwrap());
    }
    stop.store(true, Ordering::Relaxed);
    while let Some(ended) = load.join_next().await {
        ended.unwrap();
    }
    drop(bot);

    for (number, (before, manifest)) in acknowledged.iter().enumerate().take(3) {
        is_all_there(&room, number, before, manifest);
    }
    let elsewhere = Bot::start(&room.at("other-0"));
    let person = before.at(&elsewhere);
    let mut steps = 0;
    while person.answer().await {
        steps += 1;
    }
    assert!(steps > 2, "the interview goes on: {steps}");
    let list = room.said("other-0", &["sessions", "list", "--json"]);
    let list: Vec<Value> = serde_json::from_str(&list).unwrap();
    let head = list.iter().find(|head| head["id"] == before.session().as_str()).unwrap();
    assert_eq!(head["status"], "completed");
    assert!(room.said("other-0", &["audit", "verify"]).starts_with("The audit log is intact"));
}

/// Restores a backup; the sessions that were acknowledged before it are in it, and the chain ends where it says.
fn is_all_there(room: &Room, number: usize, before: &[String], manifest: &Value) {
    let other = format!("other-{number}");
    let told = room.said(&other, &["restore", &format!("backup-{number}"), "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["unreadable"], serde_json::json!([]));
    let there = sessions(&room.said(&other, &["sessions", "list", "--json"]));
    assert!(before.iter().all(|session| there.contains(session)), "{before:?} {there:?}");
    let verified: Value =
        serde_json::from_str(&room.said(&other, &["audit", "verify", "--json"])).unwrap();
    assert_eq!(verified["holds"], true);
    assert_eq!(verified["seal"], manifest["manifest"]["store"]["seal"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_is_noticed_in_every_file() {
    let (room, _) = Room::with_backup().await;
    let kept = room.at("kept");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o700);
    let files = files(&kept);
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let whole = fs::read(&file).unwrap();
        for position in [0, whole.len() / 2, whole.len() - 1] {
            let mut flipped = whole.clone();
            flipped[position] ^= 0x04;
            fs::write(&file, flipped).unwrap();
            let told = room.refused("data", &["backup", "--verify", "kept"]);
            assert!(
                told.contains("is corrupted (checksum mismatch)\nhint: use another backup"),
                "{told}"
            );
            assert_eq!(room.refused("other", &["restore", "kept"]), told);
            assert!(!room.at("other").exists());
        }
        fs::remove_file(&file).unwrap();
        let told = room.refused("other", &["restore", "kept"]);
        assert!(told.contains("is missing"), "{told}");
        fs::write(&file, whole).unwrap();
    }
    assert!(room.said("data", &["backup", "--verify", "kept"]).contains("is intact: 2 sessions"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_overwritten_and_nothing_newer_is_read() {
    let (room, _) = Room::with_backup().await;
    let told = room.refused("data", &["backup", "kept"]);
    assert!(
        told.contains("`kept` already exists\nhint: choose a directory that doesn't"),
        "{told}"
    );
    let told = room.refused("data", &["restore", "kept"]);
    assert!(told.contains("is not empty") && told.contains("a restore never overwrites"), "{told}");
    let told = room.refused("data", &["backup", "no/such/place"]);
    assert!(told.contains("hint: its parent directory must exist and be writable"), "{told}");
    let told = room.refused("other", &["restore", "data"]);
    assert!(told.contains("is not a complete backup"), "{told}");

    let manifest = room.at("kept").join("manifest.json");
    let newer =
        fs::read_to_string(&manifest).unwrap().replacen("\"format\": 1", "\"format\": 2", 1);
    fs::write(&manifest, &newer).unwrap();
    let digest = audit::sha256(newer.as_bytes());
    let seal = room.at("kept").join("manifest.json.sha256");
    fs::write(seal, format!("{digest}  manifest.json\n")).unwrap();
    let told = room.refused("other", &["restore", "kept"]);
    assert!(
        told.contains("has format 2; this version reads up to 1\nhint: use the newer"),
        "{told}"
    );
    assert!(!room.at("other").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_erased_since_is_erased_again_where_a_file_says_so() {
    let (room, people) = Room::with_backup().await;
    let (gone, stays) = (people[0].session(), people[1].session());
    room.said("data", &["erase", &gone, "--yes"]);
    room.said("data", &["audit", "export", "-o", "audit.jsonl"]);

    let again = room.run("again", &["restore", "kept"]);
    let warned = String::from_utf8(again.stderr).unwrap();
    assert!(
        again.status.success() && warned.contains("have been restored\nhint: erase them"),
        "{warned}"
    );
    let there = sessions(&room.said("again", &["sessions", "list", "--json"]));
    assert!(there.contains(&gone) && there.contains(&stays));

    let forgotten = room.run("forgotten", &["restore", "kept", "--erased", "audit.jsonl"]);
    let told = String::from_utf8(forgotten.stdout).unwrap();
    assert!(
        told.starts_with("Restored 1 session,") && told.contains("; 1 erased again."),
        "{told}"
    );
    assert_eq!(sessions(&room.said("forgotten", &["sessions", "list", "--json"])), [stays]);
    assert!(room.said("forgotten", &["audit", "verify"]).starts_with("The audit log is intact"));

    // Ids do as well, and lines with nothing on them.
    fs::write(room.at("ids"), format!("\n{gone}\n")).unwrap();
    let told = room.said("by-ids", &["restore", "kept", "--erased", "ids"]);
    assert!(told.contains("; 1 erased again."), "{told}");

    fs::write(room.at("wrong"), "ses_1\n").unwrap();
    let told = room.refused("wrong-data", &["restore", "kept", "--erased", "wrong"]);
    assert!(told.contains("line 1 of `wrong` is neither"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_backup_is_never_taken_for_a_whole_one() {
    let (room, _) = Room::with_backup().await;
    let (mut whole, mut none) = (0, 0);
    for millis in [1, 5, 10, 20, 30, 40, 60, 80, 120, 200, 400] {
        kill(&room, "data", &["backup", "killed"], Duration::from_millis(millis));
        if room.at("killed").exists() {
            whole += 1;
            room.said("data", &["backup", "--verify", "killed"]);
            fs::remove_dir_all(room.at("killed")).unwrap();
        } else {
            none += 1;
        }
    }
    assert!(none > 0, "never killed in time: {whole} whole");
    room.said("data", &["backup", "killed"]);
    let left: Vec<_> =
        fs::read_dir(room.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_restore_is_begun_again() {
    let (room, _) = Room::with_backup().await;
    let (mut whole, mut half) = (0, 0);
    for millis in [5, 15, 30, 60, 100, 150, 200, 250, 300, 400, 600, 800] {
        let name = format!("killed-{millis}");
        kill(&room, &name, &["restore", "kept"], Duration::from_millis(millis));
        if room.at(&name).join("restoring").exists() {
            half += 1;
            let told = room.refused(&name, &["sessions", "list"]);
            assert!(
                told.contains("hint: wait for it; if it was interrupted, run it again"),
                "{told}"
            );
            room.said(&name, &["restore", "kept"]);
        } else if room.at(&name).join("store").exists() {
            whole += 1;
        } else {
            room.said(&name, &["restore", "kept"]);
        }
        assert_eq!(sessions(&room.said(&name, &["sessions", "list", "--json"])).len(), 2);
        assert!(room.said(&name, &["audit", "verify"]).starts_with("The audit log is intact"));
    }
    assert!(half > 0, "never killed in the middle: {whole} whole");
}

fn kill(room: &Room, data: &str, args: &[&str], after: Duration) {
    let mut child = command(&room.at(data))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_said_and_leaves_nothing() {
    let (room, _) = Room::with_backup().await;
    fs::create_dir(room.at("small")).unwrap();
    // A file system of 16 kB in a mount namespace of its own.
    let script = "mount -t tmpfs -o size=16k none small || exit 77; \"$0\" --data data backup small/kept; \
                  code=$?; ls -A small >&2; exit $code";
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_anteroom")])
        .env("HOME", room.at("data"))
        .current_dir(room.0.path())
        .output();
    let Ok(output) = output else { return pass_over("there is no `unshare`") };
    let told = String::from_utf8(output.stderr).unwrap();
    match output.status.code() {
        Some(1) if told.contains("error:") => {}
        _ => return pass_over(&told),
    }
    assert!(told.contains("no backup was written to `small/kept`"), "{told}");
    assert!(told.contains("No space left on device"), "{told}");
    assert!(told.contains("hint: free up space there"), "{told}");
    assert!(told.ends_with("then try again\n"), "nothing is left: {told}");
}

fn pass_over(why: &str) {
    let why = why.lines().next().unwrap_or_default();
    super::skipped::skip(
        "mounting a disk",
        &format!("run as root, or allow user namespaces; {why}"),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_seals_what_an_older_version_left_in_clear() {
    let (room, people) = Room::with_backup().await;
    let session = people[0].session();
    let folder = room.at("data").join("artifacts").join(&session);
    fs::create_dir_all(&folder).unwrap();
    let words = b"Ada Byron of the thistledown turbines";
    fs::write(folder.join(audit::sha256(words)), words).unwrap();

    room.said("data", &["backup", "sealed"]);
    room.said("other", &["restore", "sealed"]);
    for place in ["data", "sealed", "other"] {
        let folder = room.at(place).join("artifacts").join(&session);
        assert_eq!(files(&folder).len(), 1, "{place}");
        let of_files = files(&room.at(place)).into_iter().filter(|file| file.is_file());
        for file in of_files {
            let bytes = fs::read(&file).unwrap();
            let is_clear = bytes.windows(words.len()).any(|here| here == words);
            assert!(!is_clear, "in clear: {}", file.display());
        }
    }
}
