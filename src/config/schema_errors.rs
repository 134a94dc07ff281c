//! What is wrong with a value by its schema, in words for the person who wrote it.

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::{
    problem::{closest, did_you_mean, listed},
    toml_document::escaped,
};
use crate::base::json_schema::compiled;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// JSON pointer of what is wrong, or of what lacks something.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// It is of another type: text for a number, a table for a list.
    pub is_type: bool,
    /// It is a key that nothing reads: the rest can be judged without it.
    pub is_unknown_key: bool,
    /// The key that was probably meant by an unknown one.
    pub meant: Option<String>,
}

/// Every mistake of `value` by `schema`.
pub(crate) fn mistakes(schema: &Value, value: &Value) -> Vec<Mistake> {
    match compiled(schema) {
        Ok(validator) => {
            let mut words = Words { schema, found: Vec::new() };
            for error in validator.iter_errors(value) {
                words.explain(&error);
            }
            words.found
        }
        Err(error) => vec![Mistake {
            pointer: String::new(),
            message: format!("the schema is not a JSON Schema: {error}"),
            hint: None,
            is_type: false,
            is_unknown_key: false,
            meant: None,
        }],
    }
}

struct Words<'a> {
    schema: &'a Value,
    found: Vec<Mistake>,
}

impl Words<'_> {
    fn say(&mut self, pointer: &str, message: String, hint: Option<String>) {
        self.push(pointer, message, hint, (false, false));
    }

    fn push(
        &mut self,
        pointer: &str,
        message: String,
        hint: Option<String>,
        (is_type, is_unknown_key): (bool, bool),
    ) {
        let pointer = pointer.to_owned();
        self.found.push(Mistake { pointer, message, hint, is_type, is_unknown_key, meant: None });
    }

    fn explain(&mut self, error: &ValidationError<'_>) {
        let at = error.instance_path().as_str();
        let value = error.instance();
        match error.kind() {
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => self.unknown(error, unexpected),
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                self.say(at, format!("`{name}` is missing"), None);
            }
            Kind::Type { kind } => {
                let message = format!("expected {}, found {}", expected(kind), named(value));
                let hint = match self.tables_hint(error) {
                    Some(hint) => Some(hint),
                    None => quoted_hint(kind, value),
                };
                self.push(at, message, hint, (true, false));
            }
            Kind::Enum { options } => {
                let options: Vec<_> =
                    options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                self.not_one_of(at, value, &options);
            }
            Kind::Constant { expected_value } => {
                self.say(at, format!("must be `{expected_value}`"), None);
            }
            Kind::Format { format } => self.format(at, value, format),
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.alternatives(error, context);
            }
            kind => {
                let message = bounded(kind).unwrap_or_else(|| error.to_string());
                self.say(at, message, None);
            }
        }
    }

    /// How a list of tables is written, where something else stands in its place.
    fn tables_hint(&self, error: &ValidationError<'_>) -> Option<String> {
        let entry = self.resolved(self.beside(error).get("items")?);
        let is_table = entry.get("properties").is_some();
        match error.instance().as_ref() {
            // Only a whole file's pointers lead from its beginning.
            Value::Object(_) if is_table && self.schema.get("$schema").is_some() => {
                let parts = error.instance_path().as_str().split('/').skip(1);
                let keys: Vec<&str> = parts.filter(|part| part.parse::<usize>().is_err()).collect();
                Some(format!("write `[[{}]]`", keys.join(".")))
            }
            Value::Object(_) | Value::String(_) if is_table => {
                let required = entry.get("required").and_then(Value::as_array);
                let keys = required.into_iter().flatten().filter_map(Value::as_str);
                let keys: Vec<String> = keys.map(|key| format!("{key} = …")).collect();
                Some(format!("write a list of tables: `[{{ {} }}]`", keys.join(", ")))
            }
            _ => None,
        }
    }

    fn unknown(&mut self, error: &ValidationError<'_>, unexpected: &[String]) {
        let known = self.beside(error).get("properties").and_then(Value::as_object);
        let known: Vec<String> = known.into_iter().flat_map(|k| k.keys().cloned()).collect();
        for key in unexpected {
            let meant = closest(key, known.iter().map(String::as_str));
            let hint = match meant {
                Some(meant) => Some(format!("did you mean `{meant}`?")),
                None if known.is_empty() => None,
                None => Some(format!("valid keys: {}", listed(known.iter().map(String::as_str)))),
            };
            self.found.push(Mistake {
                pointer: format!("{}/{}", error.instance_path().as_str(), escaped(key)),
                message: format!("unknown key `{key}`"),
                hint,
                is_type: false,
                is_unknown_key: true,
                meant: meant.map(str::to_owned),
            });
        }
    }

    fn format(&mut self, at: &str, value: &Value, format: &str) {
        let text = value.as_str().unwrap_or_default();
        if format == "period" {
            let hint = if text.parse::<u32>().is_ok() {
                format!("add a unit, for example `{text}s`, `{text}h` or `{text}d`")
            } else {
                "for example, `24h` or `14d`".to_owned()
            };
            self.say(at, format!("`{text}` is not a duration"), Some(hint));
        } else {
            self.say(at, format!("`{text}` is not a valid {format}"), None);
        }
    }

    fn not_one_of(&mut self, at: &str, value: &Value, options: &[&str]) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let message = if options.is_empty() {
            format!("there is no `{text}` to choose here")
        } else {
            format!("`{text}` is not one of {}", listed(options.iter().copied()))
        };
        self.say(at, message, did_you_mean(&text, options.iter().copied()));
    }

    /// The schema object that holds the keyword which failed.
    fn beside(&self, error: &ValidationError<'_>) -> &Value {
        let keyword = error.schema_path().as_str();
        let object = keyword.rsplit_once('/').map_or("", |(object, _)| object);
        self.schema.pointer(object).unwrap_or(&Value::Null)
    }

    fn alternatives(
        &mut self,
        error: &ValidationError<'_>,
        context: &[Vec<ValidationError<'static>>],
    ) {
        let beside = self.beside(error);
        let list = ["oneOf", "anyOf"].iter().find_map(|k| beside.get(*k)?.as_array());
        let alternatives: Vec<Value> =
            list.into_iter().flatten().map(|schema| self.resolved(schema).clone()).collect();
        let at = error.instance_path().as_str();
        match choose(&alternatives, error.instance()) {
            Chosen::One(index) => {
                for error in context.get(index).into_iter().flatten() {
                    self.explain(error);
                }
            }
            Chosen::Words(options) => {
                let options: Vec<_> = options.iter().map(String::as_str).collect();
                self.not_one_of(at, error.instance(), &options);
            }
            Chosen::Tag { tag, options } => {
                let options: Vec<_> = options.iter().map(String::as_str).collect();
                match error.instance().get(&tag) {
                    Some(value) => self.not_one_of(&format!("{at}/{tag}"), value, &options),
                    None => self.say(
                        at,
                        format!("`{tag}` is missing"),
                        Some(format!("one of {}", listed(options.iter().copied()))),
                    ),
                }
            }
            Chosen::Keys { keys, words } => {
                self.no_such_condition(at, error.instance(), (&keys, &words));
            }
        }
    }

    /// A table that stands for one of several things by its one key.
    fn no_such_condition(
        &mut self,
        at: &str,
        value: &Value,
        (keys, words): (&[String], &[String]),
    ) {
        let known = || keys.iter().map(String::as_str);
        let Some(table) = value.as_object() else {
            let words = words.iter().map(|word| format!("`{word}` or "));
            let words: String = words.collect();
            let message = format!("expected {words}a table with one of {}", listed(known()));
            let hint = keys.first().map(|key| format!("for example, `{{ {key} = … }}`"));
            self.say(at, message, hint);
            return;
        };
        let mut unknown = table.keys().filter(|key| !keys.contains(key)).peekable();
        if unknown.peek().is_none() {
            let message = format!("expected exactly one of {}", listed(known()));
            self.say(at, message, None);
            return;
        }
        for key in unknown {
            let hint = did_you_mean(key, known())
                .unwrap_or_else(|| format!("valid keys: {}", listed(known())));
            self.say(&format!("{at}/{}", escaped(key)), format!("unknown key `{key}`"), Some(hint));
        }
    }

    fn resolved<'b>(&'b self, schema: &'b Value) -> &'b Value {
        schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| self.schema.pointer(reference.strip_prefix('#')?))
            .unwrap_or(schema)
    }
}

/// Which of several alternatives was meant.
enum Chosen {
    /// This one: its own mistakes say more than "none fits".
    One(usize),
    /// None; they are words.
    Words(Vec<String>),
    /// None; they are told apart by the value of a key.
    Tag { tag: String, options: Vec<String> },
    /// None; they are told apart by which key is there, but for some words.
    Keys { keys: Vec<String>, words: Vec<String> },
}

fn choose(alternatives: &[Value], value: &Value) -> Chosen {
    if let Some((tag, options)) = tagged(alternatives) {
        let said = value.get(&tag).and_then(Value::as_str);
        let index = said.and_then(|said| options.iter().position(|option| option == said));
        return index.map_or(Chosen::Tag { tag, options }, Chosen::One);
    }
    let words: Vec<String> = alternatives.iter().flat_map(words_of).collect();
    let keys: Vec<(usize, String)> = alternatives
        .iter()
        .enumerate()
        .filter_map(|(index, schema)| Some((index, only_key(schema)?)))
        .collect();
    if keys.is_empty()
        && !words.is_empty()
        && (value.is_string() || words.len() == alternatives.len())
    {
        return Chosen::Words(words);
    }
    if keys.len() > 1 {
        let table = value.as_object().filter(|table| table.len() == 1);
        let named = keys.iter().find(|(_, key)| table.is_some_and(|t| t.contains_key(key)));
        return match named {
            Some((index, _)) => Chosen::One(*index),
            None if is_nearly(value, &words) => Chosen::Words(words),
            None => Chosen::Keys { keys: keys.into_iter().map(|(_, key)| key).collect(), words },
        };
    }
    // An optional value: what it is when it is there.
    let index = alternatives
        .iter()
        .position(|schema| schema.get("type").and_then(Value::as_str) != Some("null"));
    Chosen::One(index.unwrap_or_default())
}

/// Whether one of the words was meant.
fn is_nearly(value: &Value, words: &[String]) -> bool {
    let meant = |text| closest(text, words.iter().map(String::as_str));
    value.as_str().and_then(meant).is_some()
}

/// The words an alternative stands for, if it stands for words.
fn words_of(schema: &Value) -> Vec<String> {
    let constant = schema.get("const").into_iter();
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    constant.chain(listed).filter_map(|word| Some(word.as_str()?.to_owned())).collect()
}

/// The key that tells alternatives apart by its value, with the values in order.
fn tagged(alternatives: &[Value]) -> Option<(String, Vec<String>)> {
    let first = alternatives.first()?.get("properties")?.as_object()?;
    let (tag, _) = first.iter().find(|(_, schema)| schema.get("const").is_some())?;
    let options = alternatives
        .iter()
        .map(|schema| Some(schema.get("properties")?.get(tag)?.get("const")?.as_str()?.to_owned()))
        .collect::<Option<Vec<_>>>()?;
    Some((tag.clone(), options))
}

/// The one key of an alternative that is a table with one required key.
fn only_key(schema: &Value) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    let required = schema.get("required")?.as_array()?;
    match (properties.len(), required.as_slice()) {
        (1, [key]) => Some(key.as_str()?.to_owned()),
        _ => None,
    }
}

fn expected(kind: &TypeKind) -> String {
    let name = |kind: &str| match kind {
        "string" => "text in quotes",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "`true` or `false`",
        "array" => "a list in brackets",
        "object" => "a table",
        _ => "nothing",
    };
    match kind {
        TypeKind::Single(kind) => name(&kind.to_string()).to_owned(),
        TypeKind::Multiple(kinds) => {
            let kinds: Vec<_> = kinds.iter().map(|kind| kind.to_string()).collect();
            let names: Vec<_> =
                kinds.iter().filter(|kind| *kind != "null").map(|kind| name(kind)).collect();
            names.join(" or ")
        }
    }
}

fn named(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(yes) => format!("`{yes}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::String(_) => "text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a table".to_owned(),
    }
}

fn quoted_hint(kind: &TypeKind, value: &Value) -> Option<String> {
    let wants_text = expected(kind).starts_with("text");
    let wants_list = expected(kind).starts_with("a list");
    match value {
        Value::Number(number) if wants_text => Some(format!("write `\"{number}\"`")),
        Value::String(text) if wants_list => Some(format!("write `[\"{text}\"]`")),
        Value::String(text) if text.parse::<f64>().is_ok() || text.parse::<bool>().is_ok() => {
            (!wants_text && !wants_list).then(|| format!("write `{text}` without quotes"))
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => None,
    }
}

/// Bounds that were passed.
fn bounded(kind: &Kind) -> Option<String> {
    let plural = |n: &u64| if *n == 1 { "y" } else { "ies" };
    Some(match kind {
        Kind::MinItems { limit } | Kind::MinProperties { limit } => {
            format!("expected at least {limit} entr{}", plural(limit))
        }
        Kind::MaxItems { limit } | Kind::MaxProperties { limit } => {
            format!("expected at most {limit} entr{}", plural(limit))
        }
        Kind::Minimum { limit } => format!("must be {limit} or more"),
        Kind::Maximum { limit } => format!("must be {limit} or less"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::Pattern { pattern } => format!("must match `{pattern}`"),
        Kind::UniqueItems => "entries must be unique".to_owned(),
        _ => return None,
    })
}
