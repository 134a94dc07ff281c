//! Two nodes on one database, each with a data directory of its own.

use std::{
    fs::{self, File},
    io::Read as _,
    net::SocketAddr,
    path::Path,
    process::Stdio,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use anteroom::store::postgres::Options;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::program::{Person, Place, Program, nobody, until};
use crate::{chance::setting, postgres};

/// An empty database; none, with a note, where there is no server.
pub(super) fn database() -> Option<Options> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(postgres::database()).map(brief_lease)
}

/// With a lease that no test waits long for.
pub(super) fn brief_lease(options: Options) -> Options {
    Options { lease: Duration::from_secs(2), ..options }
}

/// A node that is called so, whose web hooks get nowhere.
pub(super) fn node(options: &Options, name: &str) -> Place {
    node_with_hook(options, name, nobody())
}

/// A node that is called so, whose web hooks go there.
pub(super) fn node_with_hook(options: &Options, name: &str, hook: SocketAddr) -> Place {
    let place = Place::new(hook, "info");
    let (url, key) = (place.file("url"), place.file("key"));
    fs::write(&url, &options.url).unwrap();
    // 32 bytes of 7.
    fs::write(&key, "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=").unwrap();
    let tables = format!(
        "[postgres]\nurl_file = \"{}\"\nkey_file = \"{}\"\nnode = \"{name}\"\nlease = \"{}s\"\n",
        url.display(),
        key.display(),
        options.lease.as_secs(),
    );
    place.configure(&tables, "");
    place
}

/// Starts a node that stands by, and says when it is the active one.
pub(super) fn stands_by(place: Place) -> JoinHandle<(Place, Program)> {
    let log = place.file("log");
    let starting = std::thread::spawn(move || {
        let program = place.start();
        (place, program)
    });
    until("a node that stands by", || {
        fs::read_to_string(&log).ok().filter(|log| log.contains("stands by to take over"))
    });
    starting
}

/// Where a node listens before it is the active one.
fn open_port_in(log: &Path) -> Program {
    let page = until("a port", || {
        let log = fs::read_to_string(log).ok()?;
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut opened = lines.filter(|line| {
            line["message"].as_str().is_some_and(|words| words.starts_with("listening; requests"))
        });
        Some(format!("http://{}", opened.next()?["address"].as_str()?))
    });
    Program::elsewhere(page)
}

/// What is in a copy of the one conversation there is.
pub(super) fn exported(place: &Place, session: &str) -> Vec<(String, Vec<u8>)> {
    let session = session.trim_start_matches("/s/");
    let copy = place.file("copy.zip");
    let args = ["export", session, "--format", "zip", "--force", "-o", copy.to_str().unwrap()];
    let output = place.said(&args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut archive = zip::ZipArchive::new(File::open(copy).unwrap()).unwrap();
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let name = file.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        files.push((name, bytes));
    }
    files
}

const NOTES: &str = "The moon is made of green cheese.";

#[test]
fn a_node_that_is_killed_leaves_conversations_files_and_flows_to_the_one_that_stands_by() {
    let Some(options) = database() else { return };
    let first = node(&options, "first");
    let program = first.start();
    let ada = Person::up_to_the_file(&program, "Ada");
    ada.sends(&program, "notes.txt", NOTES.as_bytes().to_vec());
    ada.card(&program, "A word, please");
    let standby = stands_by(node(&options, "second"));

    // As `kill -9`.
    drop(program);
    drop(first);
    let (second, program) = standby.join().unwrap();
    // Its flows are others by now: the conversation goes on in the one that it began with.
    second.write_flow("format = 1");
    let files = exported(&second, &ada.session);
    let notes = files.iter().find(|(name, _)| name.ends_with("notes.txt"));
    let (_, bytes) = notes.unwrap_or_else(|| panic!("{files:?}"));
    assert_eq!(bytes, NOTES.as_bytes());
    ada.types(&program, "A word, please", "Sesame");
    until("the end", || ada.get(&program, &ada.session).contains("Sesame").then_some(()));
    let listed = second.said(&["nodes", "list"]);
    let listed = String::from_utf8_lossy(&listed.stdout);
    assert!(listed.contains("second") && !listed.contains("first"), "{listed}");
    program.stopped();
}

#[test]
fn a_node_that_stood_still_shows_nothing_older_than_what_was_saved_meanwhile() {
    let Some(options) = database() else { return };
    let first = node(&options, "first");
    let program = first.start();
    let ada = Person::up_to_the_file(&program, "Ada");
    let standby = stands_by(node(&options, "second"));

    program.stands_still();
    let (_second, other) = standby.join().unwrap();
    ada.sends(&other, "notes.txt", NOTES.as_bytes().to_vec());
    ada.card(&other, "A word, please");
    // They wait for it, and are answered before it has found out that another node is active.
    let mut asked: Vec<_> = (0..4).map(|_| ada.asks(&program)).collect();
    program.goes_on();
    for stream in &mut asked {
        let mut page = String::new();
        stream.read_to_string(&mut page).unwrap();
        assert!(page.starts_with("HTTP/1.1 503"), "{page}");
    }
    let (status, _) = program.ended();
    assert!(!status.success());
    assert!(first.log().contains("another node has taken over"), "{}", first.log());
    other.stopped();
}

#[test]
fn the_doctor_says_what_is_wrong_with_a_database_and_what_to_do() {
    let Some(options) = database() else { return };
    let first = node(&options, "first");
    let doctor = |place: &Place| {
        let output = place.said(&["doctor", "postgres"]);
        let words = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(words).unwrap())
    };
    // The server of the tests doesn't sync.
    let (is_well, words) = doctor(&first);
    assert!(!is_well && words.contains("`fsync` is off"), "{words}");
    assert!(words.contains("set `fsync = on`") && words.contains("PostgreSQL 1"), "{words}");
    first.start().stopped();
    let second = node(&options, "second");
    // 32 bytes of 8.
    fs::write(second.file("key"), "CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg=").unwrap();
    let (is_well, words) = doctor(&second);
    assert!(!is_well && words.contains("sealed with another key"), "{words}");
    let (is_well, words) = doctor(&Place::new(nobody(), "info"));
    assert!(!is_well && words.contains("the data is in a data directory"), "{words}");
}

/// Interviews with an open question while the nodes take turns, unless `OPEN_CARDS` says otherwise.
const OPEN: usize = 60;

#[test]
fn every_open_question_is_answered_once_while_nodes_are_upgraded_in_turn() {
    let Some(options) = database() else { return };
    let open = setting("OPEN_CARDS").map_or(OPEN, |open| open.try_into().unwrap());
    let program = node(&options, "first").start();
    let people: Vec<Person> = (0..open)
        .map(|n| {
            let person = Person::begin(&program, &format!("Person {n}"));
            person.press(&program, "talk to a bot", "Go on");
            person
        })
        .collect();
    for person in &people {
        person.card(&program, "Which colour");
    }

    let standby = stands_by(node(&options, "second"));
    program.stopped();
    let (_second, program) = standby.join().unwrap();
    let (early, late) = people.split_at(open / 2);
    for person in early {
        person.press(&program, "Which colour", "Blue");
    }
    let standby = stands_by(node(&options, "third"));
    program.stopped();
    let (_third, program) = standby.join().unwrap();
    for person in late {
        person.press(&program, "Which colour", "Red");
    }
    for (person, colour) in early.iter().map(|p| (p, "Blue")).chain(late.iter().map(|p| (p, "Red")))
    {
        person.card(&program, "A file, please");
        let page = person.get(&program, &person.session);
        let answers = page.matches(&format!(">{colour}</strong>")).count();
        assert_eq!((answers, page.matches("Which colour?").count()), (1, 1), "{page}");
    }
    program.stopped();
}

#[test]
fn one_port_of_a_node_that_stands_by_serves_people_before_and_after_it_takes_over() {
    let Some(options) = database() else { return };
    let first = node(&options, "first");
    let active = first.start();
    let second = node(&options, "second");
    let log = second.file("log");
    let standby = stands_by(second);
    let door = open_port_in(&log);
    assert!(door.asked("/healthz").ends_with("standing by"));
    until("an active node", || door.asked("/readyz").ends_with("\r\nready").then_some(()));

    let ada = Person::begin(&door, "Ada");
    let mut watching = ada.watch(&door);
    watching.until("talk to a bot");
    ada.press(&door, "talk to a bot", "Go on");
    watching.until("Which colour");
    ada.presses_at_both([&door, &active], "Which colour", "Blue");
    watching.until("A file, please");
    ada.sends(&door, "notes.txt", NOTES.as_bytes().to_vec());
    ada.card(&door, "A word, please");
    assert!(ada.get(&door, &format!("{}/export", ada.session)).starts_with("PK"));
    let page = ada.get(&active, &ada.session);
    assert_eq!(page.matches(">Blue</strong>").count(), 1, "{page}");

    // As `kill -9`. Every question is answered from now on, by 503 or by the other node.
    drop(active);
    let mut refused = 0;
    until("the other node", || {
        let answer = door.asked("/");
        if answer.starts_with("HTTP/1.1 200") {
            return Some(());
        }
        let head = answer.split("\r\n\r\n").next().unwrap();
        assert!(head.starts_with("HTTP/1.1 503") && head.contains("retry-after: 1"), "{head}");
        refused += 1;
        None
    });
    assert!(refused > 0, "nobody was active for a while");
    ada.types(&door, "A word, please", "Sesame");
    until("the end", || ada.get(&door, &ada.session).contains("Sesame").then_some(()));
    let (second, program) = standby.join().unwrap();
    assert_eq!(program.page, door.page);
    let files = exported(&second, &ada.session);
    assert!(files.iter().any(|(_, bytes)| bytes == NOTES.as_bytes()), "{files:?}");
    program.stopped();
}

#[test]
fn a_node_that_could_not_serve_ends_when_it_is_started_and_not_when_it_is_needed() {
    let Some(options) = database() else { return };
    let first = node(&options, "first");
    let active = first.start();
    let second = node(&options, "second");
    second.write_flow("format = 1");
    let log = File::create(second.file("log")).unwrap();
    let mut refused = second.command(&["run"]).stderr(log).spawn().unwrap();
    let status = until("its end", || refused.try_wait().unwrap());
    let told = fs::read_to_string(second.file("log")).unwrap();
    assert!(!status.success() && told.contains("tour"), "{told}");

    // One that is broken while it stands by takes over with the flows that it began with.
    let third = node(&options, "third");
    let flow = third.file("flows/tour.toml");
    let standby = stands_by(third);
    fs::write(flow, "format = 1").unwrap();
    active.stopped();
    let (_third, program) = standby.join().unwrap();
    Person::up_to_the_file(&program, "Ada");
}

/// Longer than requests on their way are waited for.
const STOPS_WITHIN: Duration = Duration::from_secs(8);

#[test]
fn a_node_that_stands_by_stops_at_once_whoever_is_connected() {
    let Some(options) = database() else { return };
    let first = node(&options, "first");
    let active = first.start();
    let second = node(&options, "second");
    let log = File::create(second.file("log")).unwrap();
    let mut command = second.command(&["run", "--json"]);
    let mut standby = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
    let door = open_port_in(&second.file("log"));
    let ada = Person::up_to_the_file(&door, "Ada");
    let live = ada.live(&door);
    let _slow = ada.slow_upload(&door);

    let began = Instant::now();
    kill_process(Pid::from_child(&standby), Signal::TERM).unwrap();
    let status = until("its end", || standby.try_wait().unwrap());
    assert!(status.success() && began.elapsed() < STOPS_WITHIN, "{status} {:?}", began.elapsed());
    assert!(live.join().unwrap().unwrap().contains("event: piece"), "it ends as a whole");
    ada.card(&active, "A file, please");
    active.stopped();
}
