//! A TOML file that a person wrote: what is in it, and on which line.

mod read;

use std::{collections::HashMap, ops::Range};

use serde_json::{Map, Value};
use toml_edit::{Item, TableLike};

use super::problem::Problem;

/// A parsed file that remembers where everything stands in it.
#[derive(Debug, Clone)]
pub struct TomlDocument {
    file: String,
    text: String,
    value: Value,
    /// Where things stand, in bytes, by JSON pointer: from the key, where there is one, to the end of the value.
    spans: HashMap<String, Range<usize>>,
}

impl TomlDocument {
    /// Parses TOML; `file` is how messages call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let mut document = Self {
            file: file.to_owned(),
            text: text.to_owned(),
            value: Value::Null,
            spans: HashMap::new(),
        };
        match toml_edit::Document::parse(text) {
            Ok(parsed) => {
                document.value = document.table(parsed.as_table(), "");
                Ok(document)
            }
            Err(error) => {
                let message = error.message().replace('\n', ", ");
                let problem = Problem::whole(file, message).hint("this is not valid TOML");
                Err(vec![match error.span() {
                    Some(span) => document.placed(problem, &span),
                    None => problem,
                }])
            }
        }
    }

    /// The content as JSON; dates and times are text.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// A problem with what stands at a JSON pointer, or at the nearest thing around it.
    pub fn problem(&self, pointer: &str, message: impl Into<String>) -> Problem {
        let mut problem = Problem::whole(&self.file, message);
        problem.path = path(pointer);
        let mut at = pointer;
        loop {
            if let Some(span) = self.spans.get(at) {
                return self.placed(problem, span);
            }
            match at.rsplit_once('/') {
                Some((around, _)) => at = around,
                None => return problem,
            }
        }
    }

    /// A problem with some words within the value at a JSON pointer: a text may be long.
    pub(crate) fn problem_within(&self, pointer: &str, words: &str, message: String) -> Problem {
        let problem = self.problem(pointer, message);
        let found = self.spans.get(pointer).and_then(|span| {
            let offset = self.text.get(span.clone())?.find(words)?;
            Some(span.start + offset..span.end)
        });
        match found {
            Some(span) => self.placed(problem, &span),
            None => problem,
        }
    }

    /// Where something stands in the text, in bytes: from its key to the end of its value.
    pub fn span(&self, pointer: &str) -> Option<Range<usize>> {
        self.spans.get(pointer).cloned()
    }

    fn placed(&self, mut problem: Problem, span: &Range<usize>) -> Problem {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        problem.line = before.matches('\n').count() + 1;
        problem.column = before[line_start..].chars().count() + 1;
        problem
    }

    fn table(&mut self, table: &dyn TableLike, pointer: &str) -> Value {
        let mut object = Map::new();
        for (name, item) in table.iter() {
            let below = format!("{pointer}/{}", escaped(name));
            if let Some(key) = table.key(name).and_then(toml_edit::Key::span) {
                let end = item.span().map_or(key.end, |value| value.end.max(key.end));
                self.spans.insert(below.clone(), key.start..end);
            }
            let value = self.item(item, &below);
            object.insert(name.to_owned(), value);
        }
        Value::Object(object)
    }

    fn item(&mut self, item: &Item, pointer: &str) -> Value {
        match item {
            Item::None => Value::Null,
            Item::Value(value) => self.scalar(value, pointer),
            Item::Table(table) => self.table(table, pointer),
            Item::ArrayOfTables(tables) => {
                let mut list = Vec::new();
                for (index, table) in tables.iter().enumerate() {
                    let below = format!("{pointer}/{index}");
                    if let Some(span) = table.span() {
                        self.spans.insert(below.clone(), span);
                    }
                    list.push(self.table(table, &below));
                }
                Value::Array(list)
            }
        }
    }

    fn scalar(&mut self, value: &toml_edit::Value, pointer: &str) -> Value {
        match value {
            toml_edit::Value::String(text) => Value::String(text.value().clone()),
            toml_edit::Value::Integer(number) => Value::from(*number.value()),
            toml_edit::Value::Float(number) => Value::from(*number.value()),
            toml_edit::Value::Boolean(yes) => Value::Bool(*yes.value()),
            toml_edit::Value::Datetime(time) => Value::String(time.value().to_string()),
            toml_edit::Value::InlineTable(table) => self.table(table, pointer),
            toml_edit::Value::Array(array) => {
                let mut list = Vec::new();
                for (index, element) in array.iter().enumerate() {
                    let below = format!("{pointer}/{index}");
                    if let Some(span) = element.span() {
                        self.spans.insert(below.clone(), span);
                    }
                    list.push(self.scalar(element, &below));
                }
                Value::Array(list)
            }
        }
    }
}

/// Puts problems in the order of the file, and drops repetitions.
pub fn sort(problems: &mut Vec<Problem>) {
    problems.sort_by(|a, b| {
        (&a.file, a.line, a.column, &a.message).cmp(&(&b.file, b.line, b.column, &b.message))
    });
    problems.dedup();
}

/// A key as part of a JSON pointer.
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A JSON pointer for people: `phase[0].objective[1].done`.
fn path(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        if part.parse::<usize>().is_ok() {
            path.push('[');
            path.push_str(part);
            path.push(']');
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    path
}
