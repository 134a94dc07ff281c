//! However long the audit log is, commands hold a page of it at a time.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
};

use anteroom::{
    base::ids::{RandomIds, SessionId},
    model::audit::AuditRecord,
    store::{Store as _, sled::SledStore},
};
use serde_json::{Value, json};

use super::{
    bot::{command, said},
    dump::{block_on, step},
};

/// Data with `count` audit records of two sessions by turns.
fn with_records(count: usize) -> (tempfile::TempDir, PathBuf, [SessionId; 2]) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let store = SledStore::open(&data.join("store"), Arc::new(RandomIds)).unwrap();
    let sessions = [(); 2].map(|()| SessionId::mint(&RandomIds));
    let mut first = step(sessions[0], 1, "");
    let record = |(number, session): (usize, &SessionId)| AuditRecord {
        session: Some(*session),
        facts: serde_json::Map::from_iter([("number".to_owned(), json!(number))]),
        ..first.audit[0].clone()
    };
    let records = (0..count).zip(sessions.iter().cycle()).map(record).collect();
    first.audit = records;
    let mut second = step(sessions[1], 1, "");
    second.audit.clear();
    block_on(async {
        store.commit(first).await.unwrap();
        store.commit(second).await.unwrap();
    });
    drop(store);
    (dir, data, sessions)
}

#[test]
fn an_audit_log_of_several_pages_is_shown_exported_and_verified_whole() {
    const RECORDS: usize = 450;
    let (dir, data, [_, session]) = with_records(RECORDS);
    let text = |args: &[&str]| String::from_utf8(said(&data, args)).unwrap();
    let numbers = |of: &[Value]| -> Vec<Value> {
        of.iter().map(|sealed| sealed["record"]["facts"]["number"].clone()).collect()
    };
    let all: Vec<Value> = (0..RECORDS).map(Value::from).collect();

    let shown: Vec<Value> = serde_json::from_str(&text(&["audit", "show", "--json"])).unwrap();
    assert_eq!(numbers(&shown), all);
    let exported = text(&["audit", "export"]);
    let lines: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, shown);
    said(&data, &["audit", "export", "--output", "audit.jsonl"]);
    assert_eq!(fs::read_to_string(dir.path().join("audit.jsonl")).unwrap(), exported);

    let one = session.to_string();
    let shown = text(&["audit", "show", "--session", &one, "--json"]);
    let shown: Vec<Value> = serde_json::from_str(&shown).unwrap();
    assert_eq!(numbers(&shown), all.iter().skip(1).step_by(2).cloned().collect::<Vec<_>>());
    let table = text(&["audit", "show", "--session", &one]);
    assert_eq!(table.lines().count(), 1 + RECORDS / 2);
    assert!(table.starts_with('#') && table.trim_end().ends_with("number=449"), "{table}");
    let times: BTreeSet<_> = table.lines().map(|line| line.find("1970-01-01")).collect();
    assert_eq!(times.len(), 2, "the columns stand below one another:\n{table}");

    assert!(text(&["audit", "verify"]).starts_with("The audit log is intact: 450 records"));
    let seal = shown[10]["seal"].as_str().unwrap();
    assert!(text(&["audit", "verify", "--against", seal]).contains("450 records"));
}

/// Words of one record, in bytes.
const WORDS: usize = 10_000;

/// Records on a page.
const PAGE: u64 = 200;

/// Pages of the long log: 80 MB.
const PAGES: u64 = 40;

/// What a command may need in all, in kB.
const RESIDENT_MAX: u64 = 80 * 1024;

#[test]
#[cfg(target_os = "linux")]
fn a_long_audit_log_is_not_held_in_memory() {
    for args in [&["show"][..], &["show", "--json"], &["export"], &["verify"]] {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        fs::create_dir(&data).unwrap();
        let listener = UnixListener::bind(data.join("control.sock")).unwrap();
        let mut child = command(&data)
            .arg("audit")
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut peak = 0;
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // The first only looks whether anybody listens.
            let Some(from) = asked_from(&stream) else { continue };
            peak = resident_peak(Path::new(&format!("/proc/{}/status", child.id())));
            let end = if from < PAGES * PAGE { from + PAGE } else { from };
            let records: Vec<String> = (from..end).map(record).collect();
            writeln!(stream, "{{\"done\":[{}]}}", records.join(",")).unwrap();
            if end == from {
                break;
            }
        }
        let status = child.wait().unwrap();
        // These seals are nobody's.
        assert_eq!(status.success(), args != ["verify"], "{args:?}: {status}");
        assert!(peak < RESIDENT_MAX, "{args:?} took {peak} kB");
    }
}

fn asked_from(stream: &UnixStream) -> Option<u64> {
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    let asked: Value = serde_json::from_str(&line).ok()?;
    asked["from"].as_u64()
}

fn record(index: u64) -> String {
    let words = "w".repeat(WORDS);
    format!(
        r#"{{"index":{index},"record":{{"event":"wait_answered","timestamp":"2026-11-02T10:00:00Z","session":null,
        "facts":{{}},"words":{{"note":"{words}"}}}},"salt":"","words_sha256":"","previous":"","seal":""}}"#
    )
    .replace('\n', "")
}

fn resident_peak(status: &Path) -> u64 {
    let status = fs::read_to_string(status).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
