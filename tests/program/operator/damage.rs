//! What the program says of data that somebody changed below it, or that a newer program wrote.
//!
//! Rows are those of `docs/semantics.md`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Output,
    sync::Arc,
};

use anteroom::{
    base::ids::RandomIds,
    model::{
        STORED_VERSION,
        session::Head,
        transcript::{Event, Recorded},
    },
    store::{
        Commit, Store as _,
        sled::{SledStore, reseal},
    },
};
use serde_json::Value;

use super::{
    bot::{Bot, command, said},
    person::Person,
};
use crate::raw_database;

const FLOW: &str = "community-welcome";

type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// What is done to the chain, and how.
type Edit<'a> = (&'a str, Box<dyn Fn(&mut Entries) + 'a>);

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn verify(data: &Path, more: &[&str]) -> Output {
    command(data).args(["audit", "verify"]).args(more).output().unwrap()
}

/// What `audit verify` says of a chain that does not hold.
fn fault(data: &Path, more: &[&str]) -> String {
    let output = verify(data, more);
    let told = text(output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(output.stdout.is_empty() && told.starts_with("error: "), "{told}");
    assert!(told.contains("\nhint: "), "{told}");
    told
}

/// Changes entries of one family below the store, and its checksums with them.
fn change(data: &Path, family: u8, change: impl FnOnce(&mut Entries)) {
    let db = raw_database::open(&data.join("store"));
    let before: Entries = db
        .scan_prefix([family])
        .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
        .collect();
    let mut after = before.clone();
    change(&mut after);
    assert_ne!(before, after, "nothing was changed");
    for key in before.keys() {
        db.remove(key).unwrap();
    }
    for (key, value) in after {
        db.insert(key, value).unwrap();
    }
    db.flush().unwrap();
    drop(db);
    reseal(&data.join("store")).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else if path.is_file() {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Data of a bot that has ended, with a chain of several commits, checked once.
async fn with_chain() -> (tempfile::TempDir, PathBuf, String) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let bot = Bot::start(&data);
    let person = Person::begin(&bot, FLOW, "Ada Byron").await;
    assert!(person.answer().await && person.answer().await);
    person.is_asked().await;
    said(&data, &["erase", &Person::begin(&bot, FLOW, "Emmy").await.session(), "--yes"]);
    drop(bot);
    let verified: Value =
        serde_json::from_slice(&said(&data, &["audit", "verify", "--json"])).unwrap();
    assert!(verified["records"].as_u64().unwrap() > 4, "{verified}");
    let seal = verified["seal"].as_str().unwrap().to_owned();
    (dir, data, seal)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_was_changed_below_the_store_does_not_hold() {
    let (dir, data, _) = with_chain().await;
    let key = |entries: &Entries, at: usize| entries.keys().nth(at).unwrap().clone();
    let flip = |at: usize| -> Box<dyn Fn(&mut Entries)> {
        Box::new(move |entries| {
            let group = entries.values_mut().nth(1).unwrap();
            // From the end where it does not fit.
            let at = at.min(group.len() - 1);
            group[at] ^= 1;
        })
    };
    let edits: Vec<Edit<'_>> = vec![
        ("a seal", flip(3)),
        ("how many there are", flip(3 + 33)),
        ("whose they are", flip(3 + 34)),
        ("the facts", flip(3 + 32 + 2 + 16 + 4 + 4 + 20)),
        ("the end", flip(usize::MAX)),
        ("first gone", Box::new(|entries| _ = entries.pop_first())),
        ("one gone", Box::new(|entries| _ = entries.remove(&key(entries, 1)))),
        (
            "two exchanged",
            Box::new(|entries| {
                let (one, two) = (key(entries, 0), key(entries, 1));
                let (first, second) = (entries[&one].clone(), entries[&two].clone());
                entries.insert(one, second);
                entries.insert(two, first);
            }),
        ),
        (
            "one twice",
            Box::new(|entries| {
                let again = entries[&key(entries, 0)].clone();
                entries.insert(key(entries, 1), again);
            }),
        ),
    ];
    for (number, (what, edit)) in edits.into_iter().enumerate() {
        let changed = dir.path().join(format!("changed-{number}"));
        copy(&data, &changed);
        change(&changed, b'a', edit);
        let told = fault(&changed, &[]);
        assert!(told.contains("record"), "{what}: {told}");
        if number == 0 {
            assert_eq!(fault(&changed, &[]), told, "it does not pass the second time");
        }
    }
    assert!(verify(&data, &[]).status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_cut_off_shows_against_what_was_kept_elsewhere() {
    let (dir, data, seal) = with_chain().await;
    let (anchor, before) = (data.join("audit.anchor"), dir.path().join("before"));
    fs::hard_link(&anchor, &before).unwrap();
    let kept = fs::read(&anchor).unwrap();
    assert!(verify(&data, &["--against", &seal]).status.success());
    assert_eq!(fs::read(&before).unwrap(), kept, "it was replaced, not written in place");
    change(&data, b'a', |entries| _ = entries.pop_last());
    let kept = fs::read(&anchor).unwrap();

    let told = fault(&data, &[]);
    assert!(told.contains("missing at the end: there were "), "{told}");
    let output = verify(&data, &["--json"]);
    let machine: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &machine["holds"]), (Some(1), &Value::Bool(false)));
    assert_eq!(machine["brokenAt"], machine["records"]);
    assert_eq!(fs::read(&anchor).unwrap(), kept, "a chain that does not hold is no anchor");

    // Whoever cuts the chain removes the anchor as well: the seal that was kept elsewhere tells.
    fs::remove_file(&anchor).unwrap();
    let told = fault(&data, &["--against", &seal]);
    assert!(
        told.contains(&format!("no record has the seal `{seal}`: records were truncated")),
        "{told}"
    );
    assert!(!anchor.exists());
    assert!(verify(&data, &[]).status.success(), "a chain alone cannot tell");

    fs::write(&anchor, "{}").unwrap();
    assert!(fault(&data, &[]).contains("has changed since an earlier check wrote it"));
}

/// Whether a line of `sessions list` is about a session: it ends with the beginning of its id.
fn is_about(line: &str, id: &str) -> bool {
    let begins = line.split_whitespace().next_back().unwrap_or_default();
    begins.starts_with("ses_") && id.starts_with(begins)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hold_is_placed_and_released_with_a_bot_and_without() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let mut bot = Some(Bot::start(&data));
    let people = [
        Person::begin(bot.as_ref().unwrap(), FLOW, "Ada Byron").await,
        Person::begin(bot.as_ref().unwrap(), FLOW, "Grace Hopper").await,
    ];
    for (person, is_running) in people.iter().zip([true, false]) {
        person.is_asked().await;
        if !is_running {
            drop(bot.take());
        }
        let id = person.session();
        let placed = text(said(&data, &["hold", &id, "--reason", "a claim, 12/2026"]));
        assert_eq!(
            placed,
            format!("Session {id} is on hold: nothing can be erased until you release it.\n")
        );
        let listed = text(said(&data, &["sessions", "list"]));
        assert!(
            listed.lines().any(|line| is_about(line, &id) && line.contains("on hold")),
            "{listed}"
        );
        let refused = command(&data).args(["erase", &id, "--yes"]).output().unwrap();
        let refused = text(refused.stderr);
        assert!(
            refused.contains("this conversation is held: a claim, 12/2026\nhint: release it first"),
            "{refused}"
        );

        let released: Value =
            serde_json::from_slice(&said(&data, &["hold", &id, "--release", "--json"])).unwrap();
        assert_eq!((&released["held"], &released["erased"]), (&Value::Bool(false), &Value::Null));
        said(&data, &["erase", &id, "--yes"]);
        let shown = text(said(&data, &["audit", "show"]));
        for event in ["hold_placed", "hold_released", "session_erased"] {
            assert!(
                shown.lines().any(|line| line.contains(&id) && line.contains(event)),
                "{shown}"
            );
        }
    }
    let nobody = command(&data).args(["hold", &people[0].session(), "--release"]).output().unwrap();
    assert_eq!(nobody.status.code(), Some(1));
    assert!(text(nobody.stderr).contains("hint: run `anteroom sessions list` to see them all"));
    for args in [
        &["hold", "ses_1"][..],
        &["hold", "ses_1", "--reason", ""],
        &["hold", "ses_1", "--reason", "x", "--release"],
    ] {
        assert_eq!(command(&data).args(args).output().unwrap().status.code(), Some(2), "{args:?}");
    }
}

/// Two people whose bot has ended, after each has answered something.
async fn two() -> (tempfile::TempDir, PathBuf, Person, Person) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let bot = Bot::start(&data);
    let one = Person::begin(&bot, FLOW, "Ada Byron").await;
    let other = Person::begin(&bot, FLOW, "Grace Hopper").await;
    for person in [&one, &other] {
        assert!(person.answer().await);
        person.is_asked().await;
    }
    drop(bot);
    (dir, data, one, other)
}

fn heads(data: &Path) -> Vec<Head> {
    let listed = command(data).args(["sessions", "list", "--json"]).output().unwrap();
    serde_json::from_slice(&listed.stdout).unwrap()
}

/// A newer program has gone on with a session.
async fn go_on_as_a_newer_program(data: &Path, session: &str) {
    let store = SledStore::open(&data.join("store"), Arc::new(RandomIds)).unwrap();
    let head = store.load(session.parse().unwrap()).await.unwrap().unwrap().head;
    let event = Recorded {
        v: STORED_VERSION + 1,
        seq: head.seq + 1,
        at: head.updated_at,
        event: Event::RemindersStopped.into(),
    };
    let expected = head.seq;
    let head = Head { seq: head.seq + 1, ..head };
    let commit = Commit::new(head, expected, vec![event]);
    store.commit(commit).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn row_30_a_session_of_a_newer_program_is_refused_in_words_and_the_others_run() {
    let (_dir, data, newer, other) = two().await;
    let id = newer.session();
    go_on_as_a_newer_program(&data, &id).await;
    let before = heads(&data).into_iter().find(|head| head.id.to_string() == id).unwrap();

    let bot = Bot::start(&data);
    let (newer, other) = (newer.at(&bot), other.at(&bot));
    let (status, page) = newer.page(&format!("/s/{id}")).await;
    assert_eq!(status, 503, "{page}");
    assert!(
        page.contains("I can't open this conversation right now. The team needs to look at it."),
        "{page}"
    );
    assert!(other.answer().await, "the others go on");
    other.is_asked().await;

    let staff = other.staff("Grace").await;
    assert!(staff.contains(&other.session()) && staff.contains(&id), "{staff}");
    let (status, page) = other.page(&format!("/staff/s/{id}")).await;
    assert_eq!(status, 503, "{page}");
    assert!(page.contains("I can't open this conversation right now"), "{page}");
    assert_eq!(heads(&data).len(), 2);
    let shown = command(&data).args(["sessions", "show", &id]).output().unwrap();
    let told = text(shown.stderr);
    let words = format!(
        "session `{id}` cannot be read: it has version {}, this program reads up to {STORED_VERSION}\nhint: run the newer program",
        STORED_VERSION + 1
    );
    assert!(shown.status.code() == Some(1) && told.contains(&words), "{told}");
    said(&data, &["backup", "kept"]);
    assert!(verify(&data, &[]).status.success());
    drop(bot);
    let after = heads(&data).into_iter().find(|head| head.id.to_string() == id).unwrap();
    assert_eq!(after, before, "it is as the newer program left it");
    // A backup takes it along, and says that it could not read it.
    let elsewhere = data.with_file_name("elsewhere");
    let restored: Value =
        serde_json::from_slice(&said(&elsewhere, &["restore", "kept", "--json"])).unwrap();
    assert!(restored["unreadable"][0].as_str().unwrap().contains(&id), "{restored}");
    assert_eq!(heads(&elsewhere).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn row_30_a_head_of_a_newer_program_hides_no_other() {
    let (_dir, data, newer, other) = two().await;
    let id = newer.session();
    let uuid = heads(&data).into_iter().find(|head| head.id.to_string() == id).unwrap().id.uuid();
    change(&data, b'h', |entries| {
        let head = entries.iter_mut().find(|(key, _)| key.ends_with(uuid.as_bytes())).unwrap().1;
        head[0] = u8::try_from(STORED_VERSION + 1).unwrap();
    });

    let bot = Bot::start(&data);
    let (newer, other) = (newer.at(&bot), other.at(&bot));
    let (_, page) = newer.page(&format!("/s/{id}")).await;
    assert!(
        page.contains("I can't open this conversation right now. The team needs to look at it."),
        "{page}"
    );
    assert!(other.answer().await, "the others go on");
    let listed = command(&data).args(["sessions", "list"]).output().unwrap();
    assert_eq!(listed.status.code(), Some(1), "the list is not whole, and does not pass for it");
    let out = text(listed.stdout);
    assert!(out.lines().any(|line| is_about(line, &other.session())), "{out}");
    let told = text(listed.stderr);
    assert!(told.contains(&id) && told.contains("hint: run the newer program"), "{told}");
    assert!(other.staff("Grace").await.contains(&other.session()));
    drop(bot);
    // The operator reads which one, and what to do.
    let listed = command(&data).args(["sessions", "list"]).output().unwrap();
    let out = text(listed.stdout);
    let is_listed = |id: &str| out.lines().any(|line| is_about(line, id));
    assert!(is_listed(&other.session()) && !is_listed(&id), "{out}");
    let log = fs::read_to_string(data.with_extension("log")).unwrap();
    assert!(log.contains(&id) && log.contains("run the newer program"), "{log}");
}
