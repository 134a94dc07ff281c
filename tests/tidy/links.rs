//! Links between the documents: each leads to a file that is in the repository, and to a heading that is in that file.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{fail_on, read};

/// Markdown at the top, in `docs/` and in `.github/`.
pub(super) fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = Vec::new();
    for folder in ["", "docs", ".github", "benches", "tests/fixtures"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                documents.push(path);
            }
        }
    }
    documents.sort();
    documents
}

/// The text without fenced blocks and inline code, in which nothing is a link.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            for (number, part) in line.split('`').enumerate() {
                // A link may have code as its text: `[`x`](y)`.
                prose.push_str(if number % 2 == 0 { part } else { "code" });
            }
            prose.push('\n');
        }
    }
    prose
}

/// Where links and pictures lead.
fn targets(text: &str) -> Vec<String> {
    let prose = prose(text);
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let sources = prose.split(" src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    inline.chain(sources).map(str::to_owned).collect()
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced && line.starts_with('#') {
            let heading = line.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
            let again = (1..).map(|number| format!("{anchor}-{number}"));
            let mut free = std::iter::once(anchor.clone()).chain(again);
            let free = free.find(|anchor| !anchors.contains(anchor));
            anchors.extend(free);
        }
    }
    anchors
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut problems = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = match file {
                "" => document.clone(),
                file => document.with_file_name(file),
            };
            let place = format!("{} links to {target}", document.display());
            if !path.exists() {
                problems.push(format!("{place}, which does not exist"));
            } else if !anchor.is_empty() {
                let linked = fs::read_to_string(&path).unwrap_or_default();
                if !anchors(&linked).contains(anchor) {
                    problems.push(format!("{place}, which has no such heading"));
                }
            }
        }
    }
    fail_on(&problems);
}

#[test]
fn every_document_is_in_the_contents() {
    let contents = read("docs/SUMMARY.md");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut problems = Vec::new();
    for document in documents().iter().filter(|document| document.starts_with(&docs)) {
        let name = document.file_name().unwrap().to_str().unwrap();
        if name != "SUMMARY.md" && !contents.contains(&format!("({name})")) {
            problems.push(format!("docs/SUMMARY.md lacks {name}"));
        }
    }
    fail_on(&problems);
}
