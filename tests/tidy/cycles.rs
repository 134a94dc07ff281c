//! No import cycles between files. A module and the modules below it may know one another.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, fail_on};

type Module = Vec<String>;
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// A name or a punctuation mark of the code; `::` is one.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let end = match first {
            ':' if rest.starts_with("::") => 2,
            c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

/// All paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`. Returns how many tokens it has.
fn tree(tokens: &[&str], before: &[&str], paths: &mut Vec<Module>) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match *token {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| !["}", ";"].contains(token)) {
                    at += tree(&tokens[at..], &path, paths);
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            "," | "}" | ";" => break,
            "::" | "*" => {}
            // The name that follows is of this file alone.
            "as" => at += 1,
            name => path.push(name),
        }
        at += 1;
    }
    paths.push(path.into_iter().map(str::to_owned).collect());
    at
}

/// Every path in the code: those of its `use` declarations, and those that begin with a keyword or a child's name.
fn paths(code: &str) -> Vec<Module> {
    let tokens = tokens(code);
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let before = at.checked_sub(1).map_or("", |before| tokens[before]);
        // The word may stand in a text, too.
        if tokens[at] == "use" && tokens.get(at + 2) == Some(&"::") {
            at += 1 + tree(&tokens[at + 1..], &[], &mut paths);
        } else if before != "::" && tokens.get(at + 1) == Some(&"::") {
            let mut path = vec![tokens[at].to_owned()];
            while tokens.get(at + 1) == Some(&"::") && at + 2 < tokens.len() {
                path.push(tokens[at + 2].to_owned());
                at += 2;
            }
            paths.push(path);
            at += 1;
        } else {
            at += 1;
        }
    }
    paths
}

/// The module that a path leads to: the longest part of it that has a file.
fn target(own: &Module, path: &Module, files: &BTreeSet<Module>) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let ups = path.iter().take_while(|part| *part == "super").count();
    let mut full = match first.as_str() {
        "crate" => rest.to_vec(),
        "self" => [own.as_slice(), rest].concat(),
        "super" => [&own[..own.len().checked_sub(ups)?], &path[ups..]].concat(),
        _ => [own.as_slice(), path.as_slice()].concat(),
    };
    let is_named = matches!(first.as_str(), "crate" | "self" | "super");
    while !files.contains(&full) {
        full.pop()?;
    }
    (is_named || full.len() > own.len()).then_some(full)
}

fn graph(sources: &[Source]) -> Graph {
    let files: BTreeSet<Module> = sources.iter().map(|source| source.module.clone()).collect();
    let mut graph = Graph::new();
    for source in sources {
        let own = &source.module;
        let targets =
            paths(&source.code()).into_iter().filter_map(|path| target(own, &path, &files));
        let others = targets.filter(|other| !other.starts_with(own) && !own.starts_with(other));
        graph.entry(own.clone()).or_default().extend(others);
    }
    graph
}

/// A shortest way from a module back to itself.
fn cycle(graph: &Graph, start: &Module) -> Option<Vec<Module>> {
    let mut ways = vec![vec![start.clone()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in graph.get(way.last()?).into_iter().flatten() {
                if next == start {
                    return Some(way);
                }
                if seen.insert(next) {
                    longer.push([way.as_slice(), std::slice::from_ref(next)].concat());
                }
            }
        }
        ways = longer;
    }
    None
}

#[test]
fn files_import_one_another_in_no_cycle() {
    let graph = graph(&Source::under("src"));
    let mut told = BTreeSet::new();
    let mut problems = Vec::new();
    for module in graph.keys() {
        let Some(cycle) = cycle(&graph, module) else { continue };
        if told.insert(cycle.iter().cloned().collect::<BTreeSet<_>>()) {
            let names: Vec<String> = cycle.iter().map(|module| module.join("::")).collect();
            problems.push(format!("{} → {}", names.join(" → "), names[0]));
        }
    }
    fail_on(&problems);
}

#[test]
fn paths_are_found_wherever_they_stand() {
    let code = "use super::{a::{B, c}, d as e};\nfn f() -> crate::g::H { i::j(Self::K) }";
    let found: Vec<String> = paths(code).into_iter().map(|path| path.join("::")).collect();
    let wanted = ["super::a::B", "super::a::c", "super::d", "crate::g::H", "i::j", "Self::K"];
    assert_eq!(found, wanted);
}
