//! The house rules that no compiler checks: layers, names, sizes, and documents that agree with the code.
#![expect(clippy::unwrap_used, reason = "how a test fails")]

#[path = "tidy/architecture.rs"]
mod architecture;
#[path = "tidy/citations.rs"]
mod citations;
#[path = "tidy/cycles.rs"]
mod cycles;
#[path = "tidy/links.rs"]
mod links;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anteroom::{
    base::telemetry::metric,
    flow,
    tool::{Toolbox, catalog},
};

/// Top-level modules, lowest row first. A module imports only from rows before its own.
const LAYERS: &[&[&str]] = &[
    &["base"],
    &["model"],
    &["messages"],
    &["config"],
    &["flow", "net", "store"],
    &["ports"],
    &["session"],
    &["tool"],
    &["engine"],
    &["chat"],
    &["gateway"],
    &["ops"],
];

/// Folders whose children do not know one another.
const ISOLATED: &[&str] = &["gateway", "store", "tool/catalog"];

/// Parts that every platform has.
const GATEWAY_PARTS: &[&str] = &["connect", "parse", "render", "send", "files", "limits"];

/// Files beside the tools of a catalogue that are no tools.
const NO_TOOLS: &[&str] = &["case_studies", "charts", "money", "seeing", "writing"];

/// Lines of code in a file; unit tests, comments and empty lines not counted.
const FILE_LINES_MAX: usize = 500;

/// Words of the README: it is for a first look, everything else is in `docs/`.
const README_WORDS_MAX: usize = 1_200;

/// A file of ours.
struct Source {
    path: PathBuf,
    /// `interview::actor` as `["interview", "actor"]`; empty for `lib.rs` and `main.rs`.
    module: Vec<String>,
    text: String,
}

impl Source {
    fn under(folder: &str) -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut sources = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let module = path.strip_prefix(&root).unwrap().with_extension("");
                    let module = module.iter().map(|part| part.to_str().unwrap().to_owned());
                    let module = module.filter(|part| part != "lib" && part != "main").collect();
                    sources.push(Self { path, module, text });
                }
            }
        }
        assert!(!sources.is_empty(), "nothing in {folder}");
        sources
    }

    /// The code, without comments and without the unit tests at its end.
    fn code(&self) -> String {
        let code = self.text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Top-level modules of this crate that the code names, `use crate::{…}` included.
    fn imports(&self) -> BTreeSet<String> {
        let code = self.code();
        let mut found = BTreeSet::new();
        for after in code.split("crate::").skip(1) {
            match after.strip_prefix('{') {
                Some(group) => found.extend(members(group)),
                None => found.extend(word(after)),
            }
        }
        found
    }
}

/// The first word of each member of a `use` group: `a::{b, c}, d}` gives `a`, `d`.
fn members(group: &str) -> Vec<String> {
    let mut members = Vec::new();
    let (mut depth, mut at_start) = (0_usize, true);
    for (position, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            _ if character.is_whitespace() => {}
            _ => {
                if at_start {
                    members.extend(word(&group[position..]));
                }
                at_start = false;
            }
        }
    }
    members
}

fn word(text: &str) -> Option<String> {
    let end = text.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(text.len());
    // What begins with a capital is a type of the crate's root, of which there is none.
    (end > 0).then(|| text[..end].to_owned())
}

fn fail_on(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn tool_names() -> Vec<&'static str> {
    let toolbox = Toolbox::new(catalog::tools()).unwrap();
    toolbox.iter().map(|tool| tool.spec().name).collect()
}

#[test]
fn modules_import_only_from_lower_layers() {
    let layer_of: BTreeMap<&str, usize> = LAYERS
        .iter()
        .enumerate()
        .flat_map(|(layer, modules)| modules.iter().map(move |&module| (module, layer)))
        .collect();
    let mut problems = Vec::new();
    for source in Source::under("src") {
        let Some(own) = source.module.first() else { continue };
        let Some(own_layer) = layer_of.get(own.as_str()) else {
            problems.push(format!("`{own}` has no layer"));
            continue;
        };
        for import in source.imports().iter().filter(|import| *import != own) {
            match layer_of.get(import.as_str()) {
                Some(layer) if layer < own_layer => {}
                _ => problems.push(format!("{} imports `{import}`", source.path.display())),
            }
        }
    }
    fail_on(&problems);
}

#[test]
fn siblings_in_isolated_folders_do_not_know_one_another() {
    let mut problems = Vec::new();
    for source in Source::under("src") {
        let code = source.code();
        for folder in ISOLATED {
            let parts: Vec<String> = folder.split('/').map(str::to_owned).collect();
            let Some([child, ..]) = source.module.strip_prefix(parts.as_slice()) else { continue };
            for after in code.split(&format!("crate::{}::", parts.join("::"))).skip(1) {
                if let Some(sibling) = word(after).filter(|sibling| sibling != child) {
                    problems.push(format!("{} knows `{sibling}`", source.path.display()));
                }
            }
        }
    }
    fail_on(&problems);
}

#[test]
fn every_file_says_what_it_is() {
    let mut problems = Vec::new();
    for source in Source::under("src").into_iter().chain(Source::under("tests")) {
        let first = source.text.lines().next().unwrap_or_default();
        if !first.starts_with("//! ") {
            problems.push(format!("{} does not begin with `//! …`", source.path.display()));
        }
    }
    fail_on(&problems);
}

#[test]
fn no_file_is_too_long() {
    let mut problems = Vec::new();
    for source in Source::under("src") {
        let lines = source.code().lines().filter(|line| !line.trim().is_empty()).count();
        if lines > FILE_LINES_MAX {
            problems.push(format!("{} has {lines} lines", source.path.display()));
        }
    }
    fail_on(&problems);
}

#[test]
fn tests_in_the_source_are_in_their_module_and_nothing_else_is_conditional_on_them() {
    let mut problems = Vec::new();
    for source in Source::under("src") {
        let mut lines = source.text.lines().map(str::trim_start).peekable();
        while let Some(line) = lines.next() {
            let is_test_module = line == "#[cfg(test)]"
                && matches!(lines.peek(), Some(&"mod tests {" | &"mod tests;"));
            if line.contains("cfg(test)") && !line.starts_with("//") && !is_test_module {
                problems.push(format!("{}: {line}", source.path.display()));
            }
        }
    }
    fail_on(&problems);
}

#[test]
fn nothing_is_left_to_do() {
    let mut problems = Vec::new();
    for source in Source::under("src") {
        for marker in ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "TODO", "XXX"] {
            if source.text.contains(marker) {
                problems.push(format!("{} holds `{marker}`", source.path.display()));
            }
        }
    }
    for source in Source::under("tests").iter().filter(|source| source.module != ["tidy"]) {
        if source.text.contains("#[ignore") || source.text.contains("todo!(") {
            problems.push(format!("{} holds a test that does not run", source.path.display()));
        }
    }
    fail_on(&problems);
}

#[test]
fn every_platform_has_the_same_parts() {
    let mut problems = Vec::new();
    let gateways = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/gateway");
    for platform in fs::read_dir(gateways).unwrap() {
        let platform = platform.unwrap().path();
        if !platform.is_dir() {
            continue;
        }
        for part in GATEWAY_PARTS {
            let file = platform.join(part).with_extension("rs");
            if !file.is_file() {
                problems.push(format!("{} is missing", file.display()));
            }
        }
    }
    fail_on(&problems);
}

#[test]
fn every_tool_has_a_file_of_its_name() {
    let names: BTreeSet<&str> = tool_names().into_iter().collect();
    let sources = Source::under("src/tool/catalog");
    // `interview/get_user_option.rs` is a tool, `interview/get_user_option/…` are its parts.
    let files: BTreeSet<&str> = sources
        .iter()
        .filter(|source| source.module.len() == 2)
        .map(|source| source.module[1].as_str())
        .filter(|file| !NO_TOOLS.contains(file))
        .collect();
    assert_eq!(files, names);
}

#[test]
fn shipped_flows_name_known_tools() {
    let names = tool_names();
    let vars = ["organisation", "privacy_url", "contact"];
    let vars = vars.map(|name| (name.to_owned(), name.to_owned())).into();
    let mut problems = Vec::new();
    for (file, source) in flow::shipped() {
        let loaded = flow::LoadedFlow::load(source, file, &vars).unwrap();
        for phase in &loaded.flow.phase {
            let steps = phase.step.iter().map(|step| &step.tool);
            for tool in phase.tools.iter().chain(steps) {
                if !names.contains(&tool.as_str()) {
                    problems.push(format!("{file}: {} names `{tool}`", phase.id));
                }
            }
        }
    }
    fail_on(&problems);
}

/// A constant of the catalogue of messages and its text.
fn labels() -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    for source in Source::under("src/messages") {
        for definition in source.code().split("const ").skip(1) {
            let name = definition.split(':').next().unwrap_or_default();
            let text = definition.split_once(": &str =").and_then(|(_, rest)| {
                let rest = rest.trim_start().strip_prefix('"')?;
                rest.split_once("\";").map(|(text, _)| text)
            });
            if let Some(text) = text.filter(|text| text.starts_with(char::is_uppercase)) {
                let place = format!("{}::{name}", source.module.join("::"));
                let other = labels.insert(text.to_owned(), place.clone());
                assert!(other.is_none(), "{place} says the same as {other:?}");
            }
        }
    }
    labels
}

/// Files that may repeat a text of the catalogue: samples for a platform to check, and a drawing for operators.
const REPEATS: &[&str] = &["doctor/samples.rs", "flows/graph/svg.rs"];

#[test]
fn words_of_the_catalogue_stand_nowhere_else() {
    let labels = labels();
    assert!(labels.len() > 300, "the catalogue was not read");
    let mut problems = Vec::new();
    for source in Source::under("src") {
        let path = source.path.display().to_string();
        let is_free = source.module.first().is_some_and(|first| first == "messages")
            || REPEATS.iter().any(|end| path.ends_with(end));
        if is_free {
            continue;
        }
        let code = source.code();
        let lines = code.lines().filter(|line| !line.contains("debug_struct("));
        for text in lines.flat_map(|line| line.split('"')) {
            if let Some(place) = labels.get(text) {
                problems.push(format!("{path} repeats {place}: “{text}”"));
            }
        }
    }
    fail_on(&problems);
}

/// The lines between `<!-- name -->` and `<!-- /name -->`.
fn marked(text: &str, name: &str) -> Vec<String> {
    let (begin, end) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let inside = text.split(&begin).nth(1).and_then(|rest| rest.split(&end).next());
    inside.unwrap_or_default().lines().map(str::to_owned).collect()
}

#[test]
fn documents_list_the_tools_as_they_are() {
    let head = ["| tool | catalogue | what the model is told that it does |", "|---|---|---|"];
    let mut expected = head.map(str::to_owned).to_vec();
    for (catalogue, tools) in catalog::catalogues() {
        for tool in tools {
            let spec = tool.spec();
            let (first, _) = spec.description.split_once(". ").unwrap_or((spec.description, ""));
            let first = first.trim_end_matches('.');
            expected.push(format!("| `{}` | {catalogue} | {first} |", spec.name));
        }
    }
    let listed: Vec<String> = marked(&read("docs/tools.md"), "tools");
    let listed: Vec<String> = listed.into_iter().filter(|line| !line.is_empty()).collect();
    assert_eq!(listed, expected, "write this table:\n{}\n", expected.join("\n"));
}

#[test]
fn documents_list_every_command() {
    let commands = marked(&read("docs/cli.md"), "commands").join("\n");
    let mut problems = Vec::new();
    for command in [
        "anteroom play",
        "anteroom replay",
        "anteroom run",
        "anteroom flows check",
        "anteroom flows test",
        "anteroom flows list",
        "anteroom flows show",
        "anteroom flows export",
        "anteroom flows new",
        "anteroom flows schema",
        "anteroom flows graph",
        "anteroom flows diff",
        "anteroom tools list",
        "anteroom tools schema",
        "anteroom tasks list",
        "anteroom tasks check",
        "anteroom tasks match",
        "anteroom sessions list",
        "anteroom sessions show",
        "anteroom contacts whoami",
        "anteroom export",
        "anteroom erase",
        "anteroom hold",
        "anteroom audit show",
        "anteroom audit verify",
        "anteroom audit export",
        "anteroom doctor slack",
        "anteroom doctor discord",
        "anteroom doctor model",
        "anteroom doctor s3",
        "anteroom eval",
        "anteroom healthcheck",
        "anteroom backup",
        "anteroom restore",
        "anteroom scrub",
        "anteroom repair",
        "anteroom nodes list",
        "anteroom migrate",
        "anteroom store copy",
        "anteroom store reopen",
        "anteroom completions",
    ] {
        if !commands.contains(command) {
            problems.push(format!("docs/cli.md lacks `{command}`"));
        }
    }
    fail_on(&problems);
}

#[test]
fn documents_list_every_metric_as_it_is() {
    let listed: Vec<String> =
        marked(&read("docs/metrics.md"), "metrics").into_iter().skip(3).collect();
    let rows = metric::ALL.iter().map(|metric::Metric { name, labels, help, .. }| {
        let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
        let labels = labels.join(", ");
        let space = if labels.is_empty() { "" } else { " " };
        format!("| `{name}` |{space}{labels} | {help} |")
    });
    let listed: Vec<&str> = listed.iter().map(String::as_str).filter(|l| !l.is_empty()).collect();
    assert_eq!(listed, rows.collect::<Vec<_>>());
}

#[test]
fn alerts_name_metrics_that_exist() {
    let known: BTreeSet<&str> = metric::ALL.iter().map(|metric| metric.name).collect();
    let rules = read("manifests/alerts.yml");
    let conditions = rules.lines().filter_map(|line| line.trim().strip_prefix("expr: "));
    let named: BTreeSet<&str> = conditions
        .flat_map(|condition| condition.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .filter(|word| word.starts_with("anteroom_") || word.starts_with("process_"))
        .collect();
    assert!(named.len() >= 8, "{named:?}");
    assert_eq!(named.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new());
    let alerts = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    let (tested, documents) = (read("manifests/alerts.test.yml"), read("docs/metrics.md"));
    for alert in alerts {
        assert!(tested.contains(&format!("alertname: {alert}\n")), "no test of {alert}");
        assert!(documents.contains(&format!("`{alert}`")), "docs/metrics.md lacks {alert}");
    }
}

#[test]
fn documents_list_every_section_of_the_configuration() {
    let example = read("config.example.toml");
    let sections: BTreeSet<&str> = example
        .lines()
        .map(|line| line.strip_prefix("# ").unwrap_or(line))
        .filter(|line| line.starts_with('['))
        .filter_map(|line| line.find(']').map(|end| &line[..=end]))
        .collect();
    let listed = marked(&read("docs/configuration.md"), "sections");
    let listed: BTreeSet<&str> =
        listed.iter().filter_map(|row| row.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(listed, sections);
}

#[test]
fn the_gate_runs_the_test_command_of_the_readme() {
    let readme = read("README.md");
    let command: Vec<String> = marked(&readme, "second command")
        .into_iter()
        .filter(|line| line.starts_with("cargo "))
        .collect();
    assert_eq!(command, ["cargo test"]);
    let gate = read(".ci/run");
    let extracts = gate.contains("<!-- second command -->") && gate.contains("README.md");
    assert!(extracts && gate.contains("\n$test_command"), "the gate does not run it");
}

#[test]
fn contributors_read_how_the_services_of_tests_are_installed() {
    let contributing = read("CONTRIBUTING.md");
    for (file, begins) in
        [("tests/support/npm.rs", "npm install"), ("tests/support/s3.rs", "python3 -m venv")]
    {
        let test = read(file);
        let install = test.split('"').find(|text| text.starts_with(begins)).unwrap();
        assert!(contributing.contains(&format!("`{install}`")), "{install}");
    }
}

#[test]
fn the_readme_stays_short() {
    let words = read("README.md").split_whitespace().count();
    assert!(words <= README_WORDS_MAX, "{words} words: move something to docs/");
}

#[test]
fn the_map_names_every_module_in_its_row() {
    let map = read("src/lib.rs");
    for modules in LAYERS {
        for module in *modules {
            assert!(map.contains(&format!("[`{module}`]")), "`{module}` is not on the map");
            assert!(map.contains(&format!("pub mod {module};")), "there is no module `{module}`");
        }
    }
}

#[test]
fn a_mac_is_told_why_contacts_are_read() {
    let plist = read("manifests/Info.plist");
    let reason = plist.split("<key>NSContactsUsageDescription</key>").nth(1).unwrap_or_default();
    let reason = reason.trim().strip_prefix("<string>").and_then(|rest| rest.split('<').next());
    assert!(reason.is_some_and(|reason| reason.len() > 20), "macOS would deny without asking");
    assert!(read("build.rs").contains("__info_plist") && read("Dockerfile").contains("build.rs"));
}
