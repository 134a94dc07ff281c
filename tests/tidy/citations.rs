//! Rows of `docs/semantics.md` and journeys and failures of `docs/behaviour.md` that source and tests cite: all of them
//! exist, and the documents list the tests that cite them. `ANTEROOM_REWRITE=1` writes those lists anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
};

use super::{Source, fail_on, marked, read};

/// What numbers a citation has, and where they are explained.
struct Kind {
    document: &'static str,
    /// How a citation begins in a comment: `row 12`, `F5`, `J2`.
    signs: &'static [&'static str],
    /// How it begins in a test's name: `row_12_…`.
    name: &'static str,
    /// The list of tests in the document.
    list: &'static str,
}

const ROWS: Kind = Kind {
    document: "docs/semantics.md",
    signs: &["row ", "rows ", "Row ", "Rows "],
    name: "row_",
    list: "tests of rows",
};

const FAILURES: Kind =
    Kind { document: "docs/behaviour.md", signs: &["F"], name: "f", list: "tests of failures" };

const JOURNEYS: Kind = Kind { document: "docs/behaviour.md", signs: &["J"], name: "j", list: "" };

const INVARIANTS: Kind = Kind { document: "docs/semantics.md", signs: &["I"], name: "i", list: "" };

const KINDS: &[Kind] = &[ROWS, FAILURES, JOURNEYS, INVARIANTS];

impl Kind {
    /// A row's number as the document writes it at the start of a table row or heading: `12`, `F5`, `J2`.
    fn label(&self, number: u32) -> String {
        match self.signs {
            [letter] => format!("{letter}{number}"),
            _ => number.to_string(),
        }
    }

    /// Every number that the document explains.
    fn explained(&self) -> BTreeSet<u32> {
        let text = read(self.document);
        let list = marked(&text, self.list).join("\n");
        let own = if list.is_empty() { text } else { text.replace(&list, "") };
        let starts = own.lines().filter_map(|line| {
            let line = line.strip_prefix("| ").or_else(|| line.strip_prefix("### "))?;
            line.split(' ').next()
        });
        starts
            .filter_map(|start| match self.signs {
                [letter] => start.strip_prefix(letter)?.parse().ok(),
                _ => start.parse().ok(),
            })
            .collect()
    }

    /// The numbers that a comment cites, ranges included.
    fn cited_in_comment(&self, comment: &str) -> BTreeSet<u32> {
        let mut cited = BTreeSet::new();
        for sign in self.signs {
            for (at, _) in comment.match_indices(sign) {
                let before = comment[..at].chars().next_back();
                if before.is_none_or(|before| before == ' ' || before == '(') {
                    cited.extend(numbers(&comment[at + sign.len()..], sign));
                }
            }
        }
        cited
    }

    /// The number that a test's name begins with.
    fn cited_in_name(&self, name: &str) -> Option<u32> {
        let (number, _) = name.strip_prefix(self.name)?.split_once('_')?;
        number.parse().ok()
    }
}

/// `3 to 9, 30 and 43` as numbers. Where each has the letter, as in `F1 to F3`, only a range is read on.
fn numbers(text: &str, sign: &str) -> BTreeSet<u32> {
    let letter = if sign.len() == 1 { sign } else { "" };
    let mut found = BTreeSet::new();
    let (mut rest, mut first) = (text, None::<u32>);
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let after = rest[end..].chars().next();
        let is_word = after.is_some_and(|c| c.is_alphabetic() || c == '_');
        let number = (!is_word && !rest.starts_with('0')).then(|| rest[..end].parse().ok());
        let Some(number) = number.flatten() else { return found };
        found.extend(first.take().unwrap_or(number)..=number);
        rest = &rest[end..];
        let joined = [", ", " and ", " to "].into_iter().find(|joint| rest.starts_with(joint));
        let Some(joint) = joined else { return found };
        rest = &rest[joint.len()..];
        if joint == " to " {
            first = Some(number);
        }
        if !letter.is_empty() {
            let Some(next) = rest.strip_prefix(letter) else { return found };
            rest = next;
        }
    }
}

/// A test, with the comments above it.
struct Test {
    /// `it`, `slack`: the folder or file under `tests/`, or under `tests/platforms/`.
    suite: String,
    name: String,
    comments: String,
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

fn tests() -> Vec<Test> {
    let mut tests = Vec::new();
    for source in Source::under("tests") {
        let is_platform = source.module.first().is_some_and(|first| first == "platforms");
        let suite = source.module.get(usize::from(is_platform)).cloned().unwrap_or_default();
        let (mut comments, mut is_test) = (String::new(), false);
        for line in source.text.lines().map(str::trim_start) {
            if let Some(comment) = line.strip_prefix("/// ") {
                comments.push_str(comment);
                comments.push('\n');
            } else if line.starts_with("#[") {
                is_test |= line.contains("test]") || line.contains("::test(");
            } else {
                let function = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn "));
                if let Some((name, _)) = function.and_then(|rest| rest.split_once('('))
                    && is_test
                {
                    let (suite, name) = (suite.clone(), name.to_owned());
                    tests.push(Test { suite, name, comments: comments.clone() });
                }
                comments.clear();
                is_test = false;
            }
        }
    }
    tests
}

#[test]
fn cited_rows_exist_in_the_document_that_the_file_names() {
    let mut problems = Vec::new();
    for source in Source::under("src").into_iter().chain(Source::under("tests")) {
        if source.module.first().is_some_and(|module| module == "tidy") {
            continue;
        }
        let comments: Vec<&str> = source.text.lines().filter(|line| is_comment(line)).collect();
        for kind in KINDS {
            let mut cited: BTreeSet<u32> =
                comments.iter().flat_map(|comment| kind.cited_in_comment(comment)).collect();
            let names = source.text.split("fn ").skip(1);
            cited.extend(names.filter_map(|name| kind.cited_in_name(name)));
            let explained = kind.explained();
            for number in cited.difference(&explained) {
                let (path, label) = (source.path.display(), kind.label(*number));
                problems
                    .push(format!("{path} cites number {label}, which {} lacks", kind.document));
            }
            if !cited.is_empty() && !source.text.contains(kind.document) {
                let (path, document) = (source.path.display(), kind.document);
                problems.push(format!("{path} cites {document} without naming it at its head"));
            }
        }
    }
    fail_on(&problems);
}

#[test]
fn documents_list_the_tests_of_their_rows() {
    let suites = BTreeMap::from([("it", "engine"), ("slack", "Slack"), ("discord", "Discord")]);
    let tests = tests();
    let mut problems = Vec::new();
    for kind in KINDS.iter().filter(|kind| !kind.list.is_empty()) {
        let mut rows: BTreeMap<u32, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
        for test in &tests {
            let mut cited = kind.cited_in_comment(&test.comments);
            cited.extend(kind.cited_in_name(&test.name));
            for number in cited {
                let suite = suites.get(test.suite.as_str()).copied().unwrap_or(&test.suite);
                rows.entry(number).or_default().entry(suite).or_default().insert(&test.name);
            }
        }
        let mut table = "\n| row | tests |\n|---|---|\n".to_owned();
        for (number, suites) in &rows {
            let suites = suites.iter().map(|(suite, names)| {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("{suite}: {}", names.join(", "))
            });
            let suites = suites.collect::<Vec<_>>().join("; ");
            table += &["| ", &kind.label(*number), " | ", &suites, " |\n"].concat();
        }
        let text = read(kind.document);
        let (begin, end) = (format!("<!-- {} -->", kind.list), format!("<!-- /{} -->", kind.list));
        let Some((before, rest)) = text.split_once(&begin) else {
            problems.push(format!("{} has no list {begin}", kind.document));
            continue;
        };
        let after = rest.split_once(&end).map(|(_, after)| after).unwrap_or_default();
        let written = format!("{before}{begin}{table}{end}{after}");
        if written != text {
            if env::var_os("ANTEROOM_REWRITE").is_some() {
                fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(kind.document), written)
                    .unwrap();
            } else {
                problems
                    .push(format!("{} is out of date; run with ANTEROOM_REWRITE=1", kind.document));
            }
        }
    }
    fail_on(&problems);
}

#[test]
fn cited_documents_are_in_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut problems = Vec::new();
    for source in Source::under("src").into_iter().chain(Source::under("tests")) {
        for line in source.text.lines().filter(|line| is_comment(line)) {
            let words = line.split(|c: char| !(c.is_alphanumeric() || "./_-".contains(c)));
            for word in words.map(|word| word.trim_end_matches('.')) {
                let Some(stem) = word.strip_suffix(".md") else { continue };
                let is_ours = stem.starts_with("docs/")
                    || stem.len() > 2 && stem.chars().all(|c| c.is_ascii_uppercase());
                if is_ours && !root.join(word).is_file() {
                    problems.push(format!("{} cites {word}", source.path.display()));
                }
            }
            if line.contains('§') {
                let path = source.path.display();
                problems.push(format!("{path} cites a section by its number: {}", line.trim()));
            }
        }
    }
    fail_on(&problems);
}
