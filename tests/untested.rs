//! The end of `cargo test`: one line that counts the tests which were skipped because something is not installed, and how
//! to install it. Cargo runs test binaries in the order of their names, so this one is the last.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "it only tells")]

#[path = "support/skipped.rs"]
#[expect(dead_code, reason = "here notes are only read")]
mod skipped;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde::Deserialize;

/// A test that was skipped.
#[derive(Debug, Deserialize)]
struct Note {
    binary: String,
    test: String,
    missing: String,
    remedy: String,
}

fn main() {
    // Whoever lists tests runs none.
    if std::env::args().any(|arg| arg == "--list") {
        return;
    }
    let own = skipped::file();
    let notes = fs::read_to_string(&own).unwrap_or_default();
    drop(fs::remove_file(&own));
    remove_stale();
    println!("\n{}\n", summary(&notes));
}

/// `skipped 5 tests: 4 without aimock (npm install …), 1 without strace (apt-get install strace)`
fn summary(notes: &str) -> String {
    let notes = notes.lines().filter_map(|line| serde_json::from_str::<Note>(line).ok());
    let mut tests = BTreeSet::new();
    let mut missing: BTreeMap<(String, String), BTreeSet<(String, String)>> = BTreeMap::new();
    for Note { binary, test, missing: what, remedy } in notes {
        tests.insert((binary.clone(), test.clone()));
        missing.entry((what, remedy)).or_default().insert((binary, test));
    }
    if tests.is_empty() {
        return "skipped no tests: everything they need is installed".to_owned();
    }
    let each = missing
        .iter()
        .map(|((what, remedy), of)| format!("{} without {what} ({remedy})", of.len()));
    let noun = if tests.len() == 1 { "test" } else { "tests" };
    format!("skipped {} {noun}: {}", tests.len(), each.collect::<Vec<_>>().join(", "))
}

/// Removes notes of runs that have ended without reading them.
fn remove_stale() {
    for entry in fs::read_dir(skipped::folder()).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (process, start) = name.split_once('-').unwrap_or_default();
        let lives = process.parse().ok().and_then(skipped::started);
        if lives.is_none_or(|lives| lives.to_string() != start) {
            drop(fs::remove_file(path));
        }
    }
}
