//! Two nodes on one database, with their files in a bucket.

use std::fs;

use anteroom::store::postgres::Options;

use super::{
    moves::{TO_POSTGRES, TO_SLED, done, refused, without_database},
    nodes::{database, exported, node, stands_by},
    program::{Person, Place, until},
};
use crate::s3::{BUCKET, KEY, Kind, PREFIX, Service};

const NOTES: &str = "The moon is made of green cheese.";

/// A node whose files are in the bucket of a service.
fn with_bucket(options: &Options, name: &str, service: &Service) -> Place {
    let place = node(options, name);
    let key = place.file("bucket-key");
    fs::write(&key, KEY).unwrap();
    let table = format!(
        "[s3]\nbucket = \"{BUCKET}\"\nendpoint = \"{}\"\nprefix = \"{PREFIX}\"\naccess_key_id_file = \"{key}\"\n\
         secret_access_key_file = \"{key}\"\n",
        service.endpoint,
        key = key.display(),
    );
    place.configure(&table, "");
    place
}

fn holds_notes(files: &[(String, Vec<u8>)]) -> bool {
    files.iter().any(|(name, bytes)| name.ends_with("notes.txt") && bytes == NOTES.as_bytes())
}

/// Objects of conversations, and those of flows.
fn objects(service: &Service) -> (Vec<String>, Vec<String>) {
    let sessions = format!("{PREFIX}/sessions/");
    service.objects().into_iter().partition(|name| name.starts_with(&sessions))
}

#[test]
fn a_file_in_a_bucket_outlives_the_node_that_kept_it_and_goes_with_its_conversation() {
    let Some(options) = database() else { return };
    let Some(service) = Service::start(Kind::S3rver) else { return };
    let first = with_bucket(&options, "first", &service);
    assert!(done(&first, &["doctor", "s3"]).contains("the bucket: no problems found"));
    let program = first.start();
    let ada = Person::up_to_the_file(&program, "Ada");
    ada.sends(&program, "notes.txt", NOTES.as_bytes().to_vec());
    ada.card(&program, "A word, please");
    let (files, flows) = objects(&service);
    let session = ada.session.trim_start_matches("/s/");
    assert!(!files.is_empty() && files.iter().all(|name| name.contains(session)), "{files:?}");
    assert!(flows.len() == 1 && flows[0].starts_with(&format!("{PREFIX}/flows/")), "{flows:?}");
    for name in &files {
        let content = String::from_utf8_lossy(&service.content(name)).into_owned();
        assert!(!content.contains("moon"), "{name} is not sealed");
    }
    let standby = stands_by(with_bucket(&options, "second", &service));

    // As `kill -9`, and nothing of its disk is left.
    drop(program);
    drop(first);
    let (second, program) = standby.join().unwrap();
    assert!(program.asked("/readyz").ends_with("\r\nready"), "{}", program.asked("/readyz"));
    assert!(holds_notes(&exported(&second, &ada.session)));
    assert!(done(&second, &["scrub"]).contains("No damage"));
    done(&second, &["erase", session, "--yes"]);
    assert_eq!(objects(&service), (Vec::new(), flows));
    let log = second.log();
    assert!(!log.contains("notes.txt"), "{log}");
    program.stopped();
}

#[test]
fn a_bucket_that_cannot_be_reached_is_told_before_anybody_sends_a_file() {
    let Some(options) = database() else { return };
    let Some(service) = Service::start(Kind::S3rver) else { return };
    let place = with_bucket(&options, "first", &service);
    drop(service);
    let said = refused(&place, &["doctor", "s3"]);
    assert!(said.contains("the bucket `files` cannot be reached: Connection refused"), "{said}");
    assert!(said.contains("hint: check `endpoint`"), "{said}");
    let program = place.start();
    let ready = program.asked("/readyz");
    assert!(
        ready.starts_with("HTTP/1.1 503") && ready.contains("hint: run `anteroom doctor s3`"),
        "{ready}"
    );
    until("a line in the log", || {
        place.log().contains("the bucket `files` cannot be reached").then_some(())
    });
    assert!(!place.log().contains(KEY));
    program.stopped();
}

#[test]
fn files_move_into_the_bucket_with_everything_else_and_back() {
    let Some(options) = database() else { return };
    let Some(service) = Service::start(Kind::S3rver) else { return };
    let place = with_bucket(&options, "first", &service);
    let directory = without_database(&place);
    let config = place.file("config.toml");
    let with_database = fs::read_to_string(&config).unwrap();
    fs::copy(&directory, &config).unwrap();
    let program = place.start();
    let ada = Person::up_to_the_file(&program, "Ada");
    ada.sends(&program, "notes.txt", NOTES.as_bytes().to_vec());
    ada.card(&program, "A word, please");
    program.stopped();

    fs::write(&config, &with_database).unwrap();
    assert!(done(&place, &TO_POSTGRES).contains("1 file, 1 flow"));
    let (files, flows) = objects(&service);
    assert_eq!((files.len(), flows.len()), (1, 1), "{files:?} {flows:?}");
    fs::rename(place.file("data"), place.file("old")).unwrap();
    assert!(holds_notes(&exported(&place, &ada.session)));
    let said = refused(&place, &["backup", place.file("backup").to_str().unwrap()]);
    assert!(said.contains("`pg_dump`") && said.contains("the bucket"), "{said}");
    fs::remove_dir_all(place.file("data")).unwrap();
    done(&place, &TO_SLED);
    fs::copy(&directory, &config).unwrap();
    assert!(holds_notes(&exported(&place, &ada.session)));
}
