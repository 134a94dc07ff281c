//! Commands reach the data whether a bot runs on it or not, with the same result.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::{
        fs::PermissionsExt as _,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    bot::{Bot, command, said, said_by},
    person::Person,
};

const FLOW: &str = "community-welcome";

fn data() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    (dir, data)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Every command that only looks, in an order in which none changes what a later one shows.
fn looks(session: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["audit", "show", "--json"],
        vec!["audit", "verify"],
        vec!["audit", "export"],
        vec!["audit", "show", "--session", session, "--json"],
        vec!["sessions", "list", "--json"],
        vec!["export", session, "--format", "json-resume"],
        vec!["export", session, "--format", "markdown"],
        vec!["sessions", "show", session],
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_say_the_same_with_a_bot_and_without() {
    let (_dir, data) = data();
    let bot = Bot::start(&data);
    let person = Person::begin(&bot, FLOW, "Ada Byron").await;
    assert!(person.answer().await);
    // The next question is there: the step has come to rest.
    person.is_asked().await;
    let session = person.session();
    let beginning = &session[..session.len() - 4];
    let there: Vec<String> = looks(beginning).iter().map(|args| text(said(&data, args))).collect();
    drop(bot);
    let here: Vec<String> = looks(beginning).iter().map(|args| text(said(&data, args))).collect();
    for (index, (there, here)) in there.iter().zip(&here).enumerate() {
        // What was read in the first round is in the records of the second.
        match index {
            0 | 3 => assert_eq!(prefix(there), prefix(here)),
            1 => assert!(
                there.starts_with("The audit log is intact: ")
                    && here.starts_with("The audit log is intact: ")
            ),
            2 => assert!(here.starts_with(there.trim_end()), "{there}\n{here}"),
            _ => assert_eq!(there, here),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_in_a_flow_keeps_no_operator_from_the_data() {
    let (dir, data) = data();
    let bot = Bot::start(&data);
    let person = Person::begin(&bot, FLOW, "Ada Byron").await;
    assert!(person.answer().await);
    person.is_asked().await;
    drop(bot);
    for folder in ["flows", "tasks"].map(|name| dir.path().join(name)) {
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("tour.toml"), "this is no flow").unwrap();
    }
    let config = "[flows]\ndir = \"flows\"\ntasks = \"tasks\"\n";
    fs::write(dir.path().join("config.toml"), config).unwrap();
    let session = person.session();
    let more = [
        vec!["scrub"],
        vec!["hold", &session, "--reason", "a question"],
        vec!["hold", &session, "--release"],
        vec!["backup", "kept"],
        vec!["erase", &session, "--yes"],
    ];
    for args in looks(&session).into_iter().chain(more) {
        let mut command = command(&data);
        command.args(["--config", "config.toml"]);
        said_by(command, &args);
    }
}

/// The first records of a list.
fn prefix(list: &str) -> Vec<Value> {
    let list: Vec<Value> = serde_json::from_str(list).unwrap();
    assert!(list.len() >= 2, "{list:#?}");
    list[..2].to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_erased_under_a_running_bot() {
    let (_dir, data) = data();
    let bot = Bot::start(&data);
    let gone = Person::begin(&bot, FLOW, "Ada Byron").await;
    let stays = Person::begin(&bot, FLOW, "Grace Hopper").await;
    assert!(gone.answer().await);
    let unsure = command(&data).args(["erase", &gone.session()]).output().unwrap();
    assert_eq!(unsure.status.code(), Some(1));
    let unsure = text(unsure.stderr);
    assert!(unsure.contains("hint: export it first if you need it, then add `--yes`"), "{unsure}");

    let erased = said(&data, &["erase", &gone.session(), "--yes", "--json"]);
    let erased: Value = serde_json::from_slice(&erased).unwrap();
    assert_eq!(erased["erased"], gone.session());
    assert!(stays.answer().await, "the bot goes on");
    let listed = text(said(&data, &["sessions", "list", "--json"]));
    assert!(listed.contains(&stays.session()) && !listed.contains(&gone.session()), "{listed}");
    assert!(text(said(&data, &["audit", "show"])).contains(erased["receipt"].as_str().unwrap()));

    let again = text(said(&data, &["erase", &gone.session(), "--yes"]));
    assert!(again.contains(erased["receipt"].as_str().unwrap()), "{again}");
    assert!(said(&data, &["audit", "verify"]).starts_with(b"The audit log is intact"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_page_by_page_with_a_bot_and_without() {
    let (_dir, data) = data();
    let mut bot = Some(Bot::start(&data));
    let mut newest = Vec::new();
    for name in ["Ada Byron", "Grace Hopper", "Mary Somerville"] {
        let person = Person::begin(bot.as_ref().unwrap(), FLOW, name).await;
        person.is_asked().await;
        newest.insert(0, person.session());
    }
    let told = |more: &[&str]| text(said(&data, &[&["sessions", "list"], more].concat()));
    let listed = |more: &[&str]| {
        let heads: Vec<Value> = serde_json::from_str(&told(&[&["--json"], more].concat())).unwrap();
        let id = |head: Value| head["id"].as_str().unwrap().to_owned();
        heads.into_iter().map(id).collect::<Vec<_>>()
    };
    for _ in 0..2 {
        assert_eq!(listed(&[]), newest);
        assert_eq!(listed(&["--limit", "2", "--flow", FLOW]), newest[..2]);
        assert_eq!(listed(&["--before", &newest[0]]), newest[1..]);
        assert_eq!(listed(&["--before", &newest[1][..35]]), newest[2..]);
        assert!(listed(&["--flow", "other"]).is_empty());

        let table = told(&["--limit", "2"]);
        let next = format!("List the next ones with `--before {}`", newest[1]);
        let oldest = &newest[2][..20];
        assert!(table.contains(&next) && !table.contains(oldest), "{table}");
        let rest = told(&["--limit", "2", "--before", &newest[1]]);
        assert!(rest.contains(oldest) && !rest.contains("There are more"), "{rest}");

        let unknown = command(&data).args(["sessions", "list", "--tenant", "acme"]).output();
        let unknown = text(unknown.unwrap().stderr);
        assert!(unknown.starts_with("error: there is no tenant `acme`\nhint: "), "{unknown}");
        drop(bot.take());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_bot_left_behind_is_in_nobodys_way() {
    let (_dir, data) = data();
    drop(Bot::start(&data));
    let socket = data.join("control.sock");
    assert!(socket.exists(), "a killed bot cannot tidy up");
    assert_eq!(text(said(&data, &["sessions", "list"])), "There are no sessions yet.\n");
    let _bot = Bot::start(&data);
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(ask(&socket, br#"{"v":1,"ask":"sessions","after":null}"#), json!({ "done": [] }));
}

#[test]
fn a_data_directory_with_a_long_path_has_a_socket_too() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("long-".repeat(20)).join("data");
    fs::create_dir_all(&data).unwrap();
    let _bot = Bot::start(&data);
    assert!(data.join("control.sock").exists());
    assert_eq!(text(said(&data, &["sessions", "list"])), "There are no sessions yet.\n");
}

#[test]
fn nonsense_and_other_versions_are_refused_in_words() {
    let (_dir, data) = data();
    let _bot = Bot::start(&data);
    let socket = data.join("control.sock");
    let other = "doesn't know this command. hint: use the same version of anteroom";
    for line in [
        &b"hello"[..],
        br#"{"v":2,"ask":"sessions","after":null}"#,
        br#"{"v":1,"ask":"dance"}"#,
        br#"{"ask":"sessions","after":null}"#,
    ] {
        let answer = ask(&socket, line);
        let told = answer["failed"][0].as_str().unwrap_or_default();
        assert!(told.contains(other), "{answer}");
    }
    // What is longer than any request is not read to its end.
    let mut stream = UnixStream::connect(&socket).unwrap();
    drop(stream.write_all(&vec![b' '; 1024 * 1024]));
    let mut line = String::new();
    assert_eq!(BufReader::new(stream).read_line(&mut line).unwrap_or(0), 0, "{line}");
    assert_eq!(ask(&socket, br#"{"v":1,"ask":"sessions","after":null}"#), json!({ "done": [] }));
}

/// Sends a line; the last line of the answer.
fn ask(socket: &Path, line: &[u8]) -> Value {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(&[line, b"\n"].concat()).unwrap();
    let last = BufReader::new(stream).lines().map(Result::unwrap).last().unwrap();
    serde_json::from_str(&last).unwrap()
}

#[test]
fn a_bot_that_goes_away_in_the_middle_is_told() {
    let (_dir, data) = data();
    let listener = UnixListener::bind(data.join("control.sock")).unwrap();
    let deaf = std::thread::spawn(move || {
        // Once to see whether anybody is there, once for the request.
        for stream in listener.incoming().take(2) {
            let mut line = String::new();
            BufReader::new(stream.unwrap()).read_line(&mut line).unwrap();
        }
    });
    let output = command(&data).args(["audit", "show"]).output().unwrap();
    deaf.join().unwrap();
    let told = text(output.stderr);
    assert_eq!(told, "error: the bot closed the connection before answering\nhint: try again\n");
}
