//! What a whole run leaves in the log: lines that parse, and nothing of what people said or sent.

use std::{collections::BTreeSet, net::TcpListener};

use serde_json::{Map, Value};

use super::program::{Person, Place, SECRETS, delivered, fixture, nobody, receiver, until};

/// Longest line, in bytes: a handful of fields, each with a bound.
const LINE_MAX: usize = 4096;

/// What people type and send; every one of them holds the word that is searched for.
const NAME: &str = "Marker Ada\r\n{\"level\":\"ERROR\"}\u{1b}[2J\u{202e}";
const WORDS: &str = "marker words\n{\"level\":\"ERROR\"}\u{1b}[31m\u{85}";
const FILE: &str = "marker-file.txt";

/// A run with everything in it that can be private.
fn lines(level: &'static str) -> Vec<String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let deliveries = receiver(listener, Some("410 Gone marker-reason"));
    let place = Place::new(address, level);
    let program = place.start();
    let person = Person::up_to_the_file(&program, NAME);
    person.says(&program, WORDS);
    person.sends(&program, FILE, b"marker text, long enough to be read as words".to_vec());
    delivered(&deliveries);
    person.types(&program, "A word, please", WORDS);
    // A file that breaks its reader, and words that are no document.
    let other = Person::up_to_the_file(&program, NAME);
    other.sends(&program, "marker-locked.pdf", fixture("locked.pdf"));
    delivered(&deliveries);
    program.asked("/s/ses_marker?marker=marker");
    program.asked_as("marker.example", "/marker");
    program.stopped();
    place.log().lines().map(str::to_owned).collect()
}

fn parsed(line: &str) -> Map<String, Value> {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn a_start_says_what_it_found() {
    let place = Place::new(nobody(), "info");
    let counted = |nth: usize| {
        let log = place.log();
        let mut found =
            log.lines().map(parsed).filter(|line| line["message"] == "resuming conversations");
        found.nth(nth).map(|line| {
            ["open", "questions", "requests", "handed_over"].map(|name| line[name].clone())
        })
    };
    let program = place.start();
    assert_eq!(until("the first count", || counted(0)), [0, 0, 0, 0]);
    Person::up_to_the_file(&program, "Ada");
    Person::begin(&program, "Grace");
    program.stopped();
    let program = place.start();
    assert_eq!(until("the second count", || counted(1)), [2, 2, 0, 0]);
    program.stopped();
}

#[test]
fn a_log_has_lines_that_parse_and_nobody_in_it() {
    for level in ["trace", "trace,anteroom=trace"] {
        let lines = lines(level);
        assert!(lines.len() > 10, "{lines:#?}");
        let mut errors = BTreeSet::new();
        for line in &lines {
            let fields = parsed(line);
            for name in ["timestamp", "level", "target", "message"] {
                assert!(fields.get(name).is_some_and(Value::is_string), "no {name}: {line}");
            }
            let own = line.to_lowercase();
            assert!(!own.contains("marker"), "{line}");
            assert!(!SECRETS.iter().any(|(_, secret)| own.contains(secret)), "{line}");
            assert!(line.len() <= LINE_MAX, "{} bytes: {line}", line.len());
            assert!(!line.contains(|c: char| c.is_control() || c == '\u{202e}'), "{line:?}");
            if fields["level"] == "ERROR" || fields["level"] == "WARN" {
                let mut what = fields.clone();
                what.remove("timestamp");
                assert!(errors.insert(Value::from(what).to_string()), "told twice: {line}");
            }
        }
        let calls: Vec<_> = lines
            .iter()
            .map(|line| parsed(line))
            .filter(|fields| fields["message"] == "tool call ended")
            .collect();
        assert!(calls.len() >= 6, "{calls:#?}");
        for call in calls {
            for name in ["session.id", "call.id", "tool.name", "outcome", "duration_ms"] {
                assert!(call.contains_key(name), "no {name}: {call:?}");
            }
        }
    }
}
