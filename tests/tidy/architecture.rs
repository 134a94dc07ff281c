//! `ARCHITECTURE.md` agrees with the code: files and functions that it names exist, and what it tells people to search
//! for leads where it says.

use std::{fs, path::Path};

use super::{Source, fail_on, links::documents, read};

/// Lines that a search may find.
const HITS_MAX: usize = 5;

/// What begins a definition.
const DEFINITIONS: &[&str] = &["fn ", "struct ", "enum ", "trait ", "const "];

/// Paths in the repository that the text names in backticks, such as `src/engine.rs`.
fn paths(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    quoted
        .filter(|path| path.starts_with("src/") || path.starts_with("tests/"))
        .filter(|path| path.chars().all(is_plain))
        .collect()
}

/// Whether the text has the word, and no longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[test]
fn documents_name_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut problems = Vec::new();
    for document in documents().iter().filter(|document| !document.ends_with("CHANGELOG.md")) {
        let text = fs::read_to_string(document).unwrap();
        for path in paths(&text).into_iter().filter(|path| !root.join(path).exists()) {
            problems.push(format!("{} names `{path}`", document.display()));
        }
    }
    fail_on(&problems);
}

#[test]
fn functions_are_in_the_files_that_the_architecture_names() {
    let text = read("ARCHITECTURE.md");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let parts: Vec<&str> = text.split('`').collect();
    let mut problems = Vec::new();
    // `name` in `path`
    for window in parts.windows(3) {
        let [name, " in ", path] = window else { continue };
        if !paths(&format!("`{path}`")).is_empty() {
            let code = fs::read_to_string(root.join(path)).unwrap_or_default();
            let is_defined = |kind: &&str| has_word(&code, &format!("{kind}{name}"));
            if !DEFINITIONS.iter().any(is_defined) {
                problems.push(format!("`{name}` is not in `{path}`"));
            }
        }
    }
    fail_on(&problems);
}

#[test]
fn searches_lead_where_the_architecture_says() {
    let text = read("ARCHITECTURE.md");
    let (_, table) = text.split_once("## Where is …").unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources: Vec<Source> =
        Source::under("src").into_iter().chain(Source::under("tests")).collect();
    let mut problems = Vec::new();
    let mut rows = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [_, search, place] = cells.as_slice() else {
            problems.push(format!("no row of three: {row}"));
            continue;
        };
        let (search, place) = (search.trim_matches('`'), paths(place));
        let Some(place) = place.first() else {
            problems.push(format!("no file: {row}"));
            continue;
        };
        let folder = root.join(place.split('/').next().unwrap());
        let mut hits = Vec::new();
        for source in sources.iter().filter(|source| source.path.starts_with(&folder)) {
            if source.module.first().is_some_and(|module| module == "tidy") {
                continue;
            }
            let lines = source.text.lines().filter(|line| has_word(line, search));
            hits.extend(lines.map(|_| source.path.strip_prefix(root).unwrap()));
        }
        rows += 1;
        if hits.len() > HITS_MAX || !hits.contains(&Path::new(place)) {
            problems.push(format!("`{search}` leads to {hits:?}, not to `{place}`"));
        }
    }
    assert!(rows > 10, "{rows} rows");
    fail_on(&problems);
}
