//! A review card from data and its JSON Schema: what the participant reads and may edit.

use serde_json::{Map, Value};

use crate::{
    flow::shape::label_of,
    messages,
    model::ui::{Choice, Field, Group, Input, List},
    session::answer::PARTIAL_DATE,
};

/// Texts that may be longer than this get several lines, in characters.
const LINE_MAX: u64 = 500;

/// A draft as people read it: [`crate::model::ui::Review`] without the data itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Card {
    /// Groups of fields in the order of the schema: what stands alone first, then the entries of each list.
    pub groups: Vec<Group>,
    /// Lists to which entries may be added.
    pub lists: Vec<List>,
}

/// Draws `data`. Values under the paths in `doubtful` are marked for a closer look.
pub fn draw(schema: &Value, data: &Value, doubtful: &[String]) -> Card {
    let mut card = Card::default();
    let group = Group {
        path: String::new(),
        title: title(schema, messages::forms::DATA),
        fields: Vec::new(),
    };
    Pen { card: &mut card, doubtful }.entry(group, schema, data);
    card
}

struct Pen<'a> {
    card: &'a mut Card,
    doubtful: &'a [String],
}

impl Pen<'_> {
    /// Draws one object: its own fields as a group, its lists of objects as entries after it.
    fn entry(&mut self, mut group: Group, schema: &Value, data: &Value) {
        let mut lists = Vec::new();
        let path = group.path.clone();
        self.fields(&mut group.fields, &mut lists, &Level { schema, path, needed: true }, data);
        if !group.fields.is_empty() {
            self.card.groups.push(group);
        }
        for (path, schema, entries) in lists {
            self.list(path, schema, entries);
        }
    }

    fn fields<'s>(
        &self,
        fields: &mut Vec<Field>,
        lists: &mut Vec<(String, &'s Value, &'s Value)>,
        level: &Level<'s>,
        data: &'s Value,
    ) {
        for (key, schema) in properties(level.schema) {
            if is_read_only(schema) {
                continue;
            }
            let path = join(&level.path, key);
            let value = data.get(key).unwrap_or(&Value::Null);
            let needed = level.needed && is_required(level.schema, key);
            match shape(schema) {
                Shape::Entries => lists.push((path, schema, value)),
                Shape::Nested => {
                    // Of an optional object nothing is required until something of it is there.
                    let needed = needed || value.is_object();
                    self.fields(fields, lists, &Level { schema, path, needed }, value);
                }
                Shape::Field(input) => {
                    let check = !value.is_null() && self.is_doubtful(&path);
                    let asked = field(path, key, schema, input);
                    fields.push(Field { required: needed, value: value.clone(), check, ..asked });
                }
            }
        }
        let known =
            |key: &str| level.schema.pointer("/properties").is_some_and(|p| p.get(key).is_some());
        for (key, value) in data.as_object().into_iter().flatten().filter(|(key, _)| !known(key)) {
            if let Some(input) = input_of(value) {
                let path = join(&level.path, key);
                let asked = field(path, key, &Value::Null, input);
                fields.push(Field { value: value.clone(), ..asked });
            }
        }
    }

    fn list(&mut self, path: String, schema: &Value, entries: &Value) {
        let item = schema.get("items").unwrap_or(&Value::Null);
        let key = path.rsplit('.').next().unwrap_or_default();
        let heading = title(item, key.trim_end_matches('s'));
        for (n, entry) in entries.as_array().into_iter().flatten().enumerate() {
            let title = format!("{heading} {}", n + 1);
            let group = Group { path: format!("{path}.{n}"), title, fields: Vec::new() };
            self.entry(group, item, entry);
        }
        // Lists within a new entry come once the entry is there.
        let mut fields = Vec::new();
        let level = &Level { schema: item, path: String::new(), needed: true };
        self.fields(&mut fields, &mut Vec::new(), level, &Value::Null);
        let noun = heading.to_lowercase();
        self.card.lists.push(List { path, noun, fields });
    }

    /// A path is doubtful, or what it lies in: `work.0` covers `work.0.name`.
    fn is_doubtful(&self, path: &str) -> bool {
        self.doubtful.iter().any(|doubtful| {
            path.strip_prefix(doubtful.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

/// Where drawing stands within the schema.
struct Level<'s> {
    schema: &'s Value,
    path: String,
    needed: bool,
}

enum Shape {
    Field(Input),
    Nested,
    Entries,
}

fn shape(schema: &Value) -> Shape {
    match kind(schema) {
        "object" if schema.get("properties").is_some() => Shape::Nested,
        "array" => {
            let item = schema.get("items").unwrap_or(&Value::Null);
            match (kind(item), choices(item)) {
                ("object", _) => Shape::Entries,
                (_, Some(choices)) => Shape::Field(Input::Select { choices, multiple: true }),
                (_, None) => Shape::Field(Input::Lines),
            }
        }
        "boolean" => Shape::Field(Input::Bool),
        "integer" | "number" => Shape::Field(Input::Number {
            integer: kind(schema) == "integer",
            min: schema.get("minimum").and_then(Value::as_f64),
            max: schema.get("maximum").and_then(Value::as_f64),
        }),
        _ => Shape::Field(text(schema)),
    }
}

fn text(schema: &Value) -> Input {
    if let Some(choices) = choices(schema) {
        return Input::Select { choices, multiple: false };
    }
    let number = |name: &str| schema.get(name).and_then(Value::as_u64);
    let pattern = schema.get("pattern").and_then(Value::as_str).unwrap_or_default();
    match schema.get("format").and_then(Value::as_str) {
        Some("email" | "idn-email") => Input::Email,
        Some("uri" | "url" | "iri") => Input::Url,
        Some("phone" | "tel") => Input::Phone,
        Some("date") => Input::Day,
        // JSON Resume's dates may lack day and month, which `format: date` forbids.
        _ if pattern.starts_with(PARTIAL_DATE) => Input::Date,
        _ => Input::Text {
            multiline: schema.get("multiline") == Some(&Value::Bool(true))
                || number("maxLength").is_some_and(|most| most > LINE_MAX),
            min: number("minLength").and_then(|least| u32::try_from(least).ok()),
            max: number("maxLength").and_then(|most| u32::try_from(most).ok()),
        },
    }
}

/// The input for a value that the schema allows without describing it; `None` for what no input can hold.
fn input_of(value: &Value) -> Option<Input> {
    match value {
        Value::String(text) => {
            Some(Input::Text { multiline: text.contains('\n'), min: None, max: None })
        }
        Value::Number(_) => Some(Input::Number { integer: false, min: None, max: None }),
        Value::Bool(_) => Some(Input::Bool),
        Value::Array(items) if items.iter().all(Value::is_string) => Some(Input::Lines),
        Value::Array(_) | Value::Object(_) | Value::Null => None,
    }
}

/// The values that a schema names, with the labels of `enumNames` beside them.
fn choices(schema: &Value) -> Option<Vec<Choice>> {
    let options = schema.get("enum")?.as_array()?;
    let choice = |id: &str| {
        let label = label_of(schema, id).map_or_else(|| in_words(id), str::to_owned);
        Choice { id: id.to_owned(), label, description: None, icon: None }
    };
    options.iter().map(|option| option.as_str().map(choice)).collect()
}

fn field(path: String, key: &str, schema: &Value, input: Input) -> Field {
    let hint = schema.get("description").and_then(Value::as_str).map(str::to_owned);
    let label = title(schema, key);
    Field { path, label, hint, required: false, input, value: Value::Null, check: false }
}

fn title(schema: &Value, key: &str) -> String {
    schema.get("title").and_then(Value::as_str).map_or_else(|| in_words(key), str::to_owned)
}

/// `studyType` and `study_type` as `Study type`.
fn in_words(key: &str) -> String {
    let mut words = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        match c {
            '_' | '-' => words.push(' '),
            c if words.is_empty() => words.extend(c.to_uppercase()),
            c if c.is_uppercase() => {
                words.push(' ');
                words.extend(c.to_lowercase());
            }
            c => words.push(c),
        }
    }
    words
}

/// What the bot fills in for itself, such as the digest of a file, is kept with the data and not shown.
fn is_read_only(schema: &Value) -> bool {
    schema.get("readOnly").is_some_and(|flag| *flag == Value::Bool(true))
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).map(Map::iter).into_iter().flatten()
}

fn is_required(schema: &Value, key: &str) -> bool {
    schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|names| names.iter().any(|name| name == key))
}

fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("")
        }
        _ => "",
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
