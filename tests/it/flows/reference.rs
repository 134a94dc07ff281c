//! `docs/flow-reference.md` is made from the schema; `ANTEROOM_REWRITE=1` writes it anew.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt::Write as _,
    fs,
    path::Path,
};

use serde_json::Value;

use super::authoring::schema;

const HEAD: &str = "# Reference of flow files

Every key of a flow file, made from the schema that `anteroom flows schema` prints. [flows.md](flows.md) explains how a flow runs. A key in **bold** must be there.
Durations are `90m`, `24h`, `14d`; several can be added up: `1h 30m`.
";

/// A table that is still to be described: its heading, and the name of its definition.
type Place = (String, String);

struct Reference<'a> {
    schema: &'a Value,
    text: String,
    open: VecDeque<Place>,
    seen: BTreeSet<String>,
}

impl<'a> Reference<'a> {
    fn definition(&self, name: &str) -> &'a Value {
        &self.schema["definitions"][name]
    }

    fn table(&mut self, at: &str, table: &Value) {
        let required: Vec<&str> =
            table["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        self.text.push_str("\n| key | type | default | |\n|---|---|---|---|\n");
        for (key, value) in table["properties"].as_object().unwrap() {
            let name = if required.contains(&key.as_str()) {
                format!("**`{key}`**")
            } else {
                format!("`{key}`")
            };
            let kind = self.kind(&format!("{at}{key}"), value);
            let default = match &value["default"] {
                Value::Null => String::new(),
                Value::String(text) if text.is_empty() => String::new(),
                other => format!("`{other}`"),
            };
            let what = cell(value["description"].as_str().unwrap_or_default());
            writeln!(self.text, "| {name} | {kind} | {default} | {what} |").unwrap();
        }
        if let Some(name) = reference(&table["additionalProperties"]) {
            let named = format!("[{at}NAME]");
            self.later(&named, name);
            writeln!(self.text, "| any other | tables `{named}` |  | By their names. |").unwrap();
        }
    }

    /// A type in words; tables are described later.
    fn kind(&mut self, at: &str, value: &Value) -> String {
        if let Some(name) = reference(value) {
            return self.named(at, name);
        }
        match value["type"].as_str() {
            Some("array") => match reference(&value["items"]) {
                Some(name)
                    if self.definition(name)["properties"].is_object() || name == "PhaseEffect" =>
                {
                    self.later(&format!("[[{at}]]"), name);
                    format!("tables `[[{at}]]`")
                }
                Some("Done") => "list of conditions".to_owned(),
                Some(name) => format!("list of {}", self.named(at, name)),
                None => format!("list of {}", self.kind(at, &value["items"])),
            },
            Some("object") => match reference(&value["additionalProperties"]) {
                Some(name) => {
                    self.later(&format!("[{at}.NAME]"), name);
                    format!("tables `[{at}.NAME]`")
                }
                None => match value["additionalProperties"]["type"].as_str() {
                    Some(kind) => format!("table of {}", word(kind)),
                    None => "table".to_owned(),
                },
            },
            Some("integer") => match value["maximum"].as_i64() {
                Some(most) => format!("number, 0 to {most}"),
                None => "number".to_owned(),
            },
            Some(kind) => word(kind).to_owned(),
            None => values(value).unwrap_or_default(),
        }
    }

    fn named(&mut self, at: &str, name: &str) -> String {
        let definition = self.definition(name);
        if name == "Period" {
            return "duration".to_owned();
        }
        if name == "Tool" {
            return "name of a tool".to_owned();
        }
        if let Some(values) = values(definition) {
            return values;
        }
        self.later(&format!("[{at}]"), name);
        if name == "Done" { format!("a condition, see `{at}`") } else { format!("table `[{at}]`") }
    }

    fn later(&mut self, heading: &str, name: &str) {
        if self.seen.insert(name.to_owned()) {
            self.open.push_back((heading.to_owned(), name.to_owned()));
        }
    }

    fn choices(&mut self, at: &str, definition: &Value) {
        let choices = definition["oneOf"].as_array().unwrap();
        let is_tagged = choices.iter().any(|choice| choice["properties"]["do"].is_object());
        if is_tagged {
            for choice in choices {
                let what = choice["properties"]["do"]["const"].as_str().unwrap();
                let said = choice["description"].as_str().unwrap_or_default();
                writeln!(self.text, "\n### `do = \"{what}\"`\n\n{said}").unwrap();
                let mut rest = choice.clone();
                rest["properties"].as_object_mut().unwrap().shift_remove("do");
                self.table(at, &rest);
            }
            return;
        }
        self.text.push_str("\n| value | |\n|---|---|\n");
        for choice in choices {
            let said = cell(choice["description"].as_str().unwrap_or_default());
            let value = match choice["properties"].as_object().and_then(|keys| keys.iter().next()) {
                Some((key, value)) => {
                    format!("`{{ {key} = … }}`, {}", self.kind(&format!("{at}{key}"), value))
                }
                None => format!("`\"{}\"`", choice["const"].as_str().unwrap_or_default()),
            };
            writeln!(self.text, "| {value} | {said} |").unwrap();
        }
    }
}

fn reference(value: &Value) -> Option<&str> {
    let place = value["$ref"].as_str().or_else(|| value["allOf"][0]["$ref"].as_str());
    place?.rsplit('/').next()
}

/// The values of an enum in a cell of a table.
fn values(definition: &Value) -> Option<String> {
    let values = constants(definition)?;
    let values = values.iter().map(|(value, what)| format!("`\"{value}\"`: {}", cell(what)));
    Some(values.collect::<Vec<_>>().join("<br>"))
}

/// The values of an enum and what they mean.
fn constants<'a>(definition: &'a Value) -> Option<Vec<(&'a str, &'a str)>> {
    let pair = |choice: &'a Value| {
        Some((choice["const"].as_str()?, choice["description"].as_str().unwrap_or_default()))
    };
    definition["oneOf"].as_array()?.iter().map(pair).collect()
}

fn word(kind: &str) -> &str {
    match kind {
        "string" => "text",
        "boolean" => "`true` or `false`",
        "integer" => "number",
        other => other,
    }
}

/// Words in a cell of a table.
fn cell(words: &str) -> String {
    words.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn written(schema: &Value) -> String {
    let mut reference =
        Reference { schema, text: HEAD.to_owned(), open: VecDeque::new(), seen: BTreeSet::new() };
    reference.text.push_str("\n## The file\n");
    reference.table("", schema);
    while let Some((heading, name)) = reference.open.pop_front() {
        let definition = reference.definition(&name);
        let said = definition["description"].as_str().unwrap_or_default();
        write!(reference.text, "\n## `{heading}`\n\n{said}\n").unwrap();
        let at = format!("{}.", heading.trim_matches(['[', ']']));
        if definition["oneOf"].is_array() {
            reference.choices(&at, definition);
        } else {
            reference.table(&at, definition);
        }
    }
    reference.text
}

/// Each key says what it takes, and no description has a line twice.
#[test]
fn the_reference_of_flow_files_has_no_gaps() {
    let text = written(&schema());
    for line in text.lines().filter(|line| line.starts_with('|') && !line.contains("---")) {
        let kind = line.split(" | ").nth(1).unwrap_or_default().trim();
        assert!(line.starts_with("| key") || !["", "list of"].contains(&kind), "{line}");
    }
    let lines: Vec<&str> = text.lines().collect();
    let twice =
        |pair: &&[&str]| !pair[0].is_empty() && pair[1].starts_with(pair[0].trim_end_matches('.'));
    assert_eq!(lines.windows(2).find(twice), None);
}

#[test]
fn the_reference_of_flow_files_is_up_to_date() {
    let text = written(&schema());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/flow-reference.md");
    if std::env::var_os("ANTEROOM_REWRITE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/flow-reference.md is out of date; run with ANTEROOM_REWRITE=1");
}
