//! The data moves from the data directory to the database and back, in the middle of a conversation.

use std::{
    fs,
    process::{Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use super::{
    nodes::{database, exported, node},
    program::{Person, Place, until},
};

/// How long a command may take that is to fail.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a command that succeeds says.
pub(super) fn done(place: &Place, args: &[&str]) -> String {
    let output = place.said(args);
    assert!(output.status.success(), "{}", words(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What a command that fails says; one that goes on is ended.
pub(super) fn refused(place: &Place, args: &[&str]) -> String {
    let mut command = place.command(args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let said = words(&output);
    assert!(!output.status.success(), "{said}");
    said
}

fn words(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

pub(super) const TO_POSTGRES: [&str; 6] = ["store", "copy", "--from", "sled", "--to", "postgres"];
pub(super) const TO_SLED: [&str; 6] = ["store", "copy", "--from", "postgres", "--to", "sled"];

const NOTES: &str = "The moon is made of green cheese.";

/// The configuration without the database, beside the one with it.
pub(super) fn without_database(place: &Place) -> String {
    let config = fs::read_to_string(place.file("config.toml")).unwrap();
    let (before, _) = config.split_once("[postgres]").unwrap();
    let file = place.file("directory.toml");
    fs::write(&file, before).unwrap();
    file.display().to_string()
}

#[test]
fn a_conversation_goes_on_in_the_database_and_comes_back() {
    let Some(options) = database() else { return };
    let place = node(&options, "first");
    let directory = without_database(&place);
    let with_database = fs::read_to_string(place.file("config.toml")).unwrap();
    let only_directory = fs::read_to_string(&directory).unwrap();
    let config = place.file("config.toml");

    // In the data directory: a file is there, and the last question is open.
    fs::write(&config, &only_directory).unwrap();
    let program = place.start();
    let ada = Person::up_to_the_file(&program, "Ada");
    ada.sends(&program, "notes.txt", NOTES.as_bytes().to_vec());
    ada.card(&program, "A word, please");
    fs::write(&config, &with_database).unwrap();
    let said = refused(&place, &TO_POSTGRES);
    assert!(said.contains("is in use by process") && said.contains("hint: stop"), "{said}");
    program.stopped();
    let sealed = done(&place, &["--config", &directory, "audit", "verify"]);

    let said = done(&place, &TO_POSTGRES);
    assert!(said.contains("1 conversation, ") && said.contains("1 file, 1 flow"), "{said}");
    let said = refused(&place, &TO_POSTGRES);
    assert!(said.contains("was moved to the database `test_"), "{said}");
    let said = refused(&place, &["--config", &directory, "run"]);
    assert!(said.contains("this data was moved to") && said.contains("store reopen"), "{said}");
    assert_eq!(done(&place, &["audit", "verify"]), sealed);

    // Nothing of the old directory is needed any more.
    fs::rename(place.file("data"), place.file("old")).unwrap();
    let program = place.start();
    let files = exported(&place, &ada.session);
    assert!(files.iter().any(|(_, bytes)| bytes == NOTES.as_bytes()), "{files:?}");
    ada.types(&program, "A word, please", "Sesame");
    until("the end", || ada.get(&program, &ada.session).contains("Sesame").then_some(()));
    let page = ada.get(&program, &ada.session);
    assert_eq!(page.matches("A word, please").count(), 1, "{page}");
    program.stopped();
    let sealed = done(&place, &["audit", "verify"]);

    // And back, into an empty directory.
    fs::remove_dir_all(place.file("data")).unwrap();
    let said = done(&place, &[&TO_SLED[..], &["--json"]].concat());
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["copied"]["sessions"], &said["copied"]["files"]), (&1.into(), &1.into()));
    let said = refused(&place, &["run"]);
    assert!(said.contains("this data was moved to"), "{said}");
    fs::write(&config, &only_directory).unwrap();
    assert_eq!(done(&place, &["audit", "verify"]), sealed);
    let said = done(&place, &["scrub"]);
    assert!(said.contains("1 conversation, 1 file ") && said.contains("No damage"), "{said}");
    let program = place.start();
    assert!(ada.get(&program, &ada.session).contains("Sesame"));
    let files = exported(&place, &ada.session);
    assert!(files.iter().any(|(_, bytes)| bytes == NOTES.as_bytes()), "{files:?}");
    program.stopped();

    // The database can be used again, as it was when it was left.
    fs::write(&config, &with_database).unwrap();
    done(&place, &["store", "reopen", "postgres"]);
    place.start().stopped();
}

/// Conversations that are copied while the copy is killed.
const CROWD: usize = 40;

#[test]
fn a_copy_that_is_killed_keeps_bots_away_and_goes_on() {
    let Some(options) = database() else { return };
    let place = node(&options, "first");
    let directory = without_database(&place);
    let config = place.file("config.toml");
    let with_database = fs::read_to_string(&config).unwrap();
    fs::copy(&directory, &config).unwrap();
    let program = place.start();
    let people: Vec<Person> =
        (0..CROWD).map(|n| Person::begin(&program, &format!("Person {n}"))).collect();
    program.stopped();
    fs::write(&config, &with_database).unwrap();

    let mut copy = place.command(&TO_POSTGRES).spawn().unwrap();
    until("the first sessions", || (sessions(&options) > 0).then_some(()));
    copy.kill().unwrap();
    copy.wait().unwrap();
    // The lease of the one that was killed ends by itself.
    let said = refused(&place, &["run"]);
    assert!(said.contains("isn't whole") && said.contains("store copy"), "{said}");
    let said = refused(&place, &["--config", &directory, "run"]);
    assert!(said.contains("is being copied") && said.contains("store reopen"), "{said}");
    let said = done(&place, &TO_POSTGRES);
    assert!(said.contains(&format!("{CROWD} conversations")), "{said}");
    let program = place.start();
    for person in &people {
        person.press(&program, "talk to a bot", "Go on");
        person.card(&program, "Which colour");
    }
    program.stopped();
}

/// Sessions in the database.
fn sessions(options: &anteroom::store::postgres::Options) -> i64 {
    use sqlx::{Connection as _, PgConnection, Row as _};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = PgConnection::connect(&options.url).await.unwrap();
        let count = sqlx::query("select count(*) from session").fetch_one(&mut connection).await;
        // The tables are made by the copy.
        count.map_or(0, |row| row.get(0))
    })
}
