//! Arguments against their schema: lenient spellings first, then JSON Schema, 2020-12 where it names no other draft.

use std::sync::Arc;

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Number, Value, json};

use crate::{base::json_schema::compiled, flow::shape::kind, tool::ToolError};

/// Most complaints that one failure tells; the first ones are what there is to mend.
const COMPLAINTS_MAX: usize = 12;

/// A schema, compiled once.
#[derive(Debug)]
pub(crate) struct Checker {
    schema: Value,
    validator: Arc<Validator>,
}

/// One way in which a value does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// JSON pointer into the value; empty for the whole of it.
    pub path: String,
    /// JSON pointer into the schema.
    pub schema_path: String,
    /// What was expected: `one of "me", "specific"`.
    pub expected: String,
    /// How much is wrong.
    pub gravity: Gravity,
}

/// How much is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gravity {
    /// Something is missing, too short, or not in the right form: a person can put it right in a form.
    Content,
    /// It has another kind, or is not known at all: no form could show it.
    Structure,
}

impl Checker {
    /// Compiles a schema; the error says why it is none.
    pub(crate) fn compile(schema: Value) -> Result<Self, String> {
        let validator = compiled(&schema)?;
        Ok(Self { schema, validator })
    }

    /// What was compiled.
    pub(crate) const fn schema(&self) -> &Value {
        &self.schema
    }

    /// Puts lenient spellings right, fills in defaults and checks.
    pub(crate) fn prepare(&self, args: Value) -> Result<Value, ToolError> {
        let args = lenient(&self.schema, args);
        let complaints = self.check(&args);
        if complaints.is_empty() { Ok(args) } else { Err(invalid("", &complaints)) }
    }

    /// Everything that does not fit, in the order of the schema.
    pub(crate) fn check(&self, value: &Value) -> Vec<Complaint> {
        self.validator.iter_errors(value).map(|error| complaint(&error)).collect()
    }
}

/// Characters of the arguments that are shown on either side of the spot where they stop being JSON.
const AROUND: usize = 24;

/// What is wrong with arguments that are not a JSON object: where they stop being one, and what stands there.
pub(crate) fn no_object(raw: &str) -> String {
    let error = match serde_json::from_str::<Value>(raw) {
        Ok(value) => {
            let kind = match value {
                Value::Array(_) => "a list",
                Value::String(_) => "a text",
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                    "a single value"
                }
            };
            return format!(
                "the arguments are JSON but {kind}, not an object. hint: call again with one JSON object"
            );
        }
        Err(error) => error,
    };
    let lines = raw.split_inclusive('\n').take(error.line().saturating_sub(1));
    let offset = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let mut at = if error.is_eof() { raw.len() } else { offset.min(raw.len()) };
    while !raw.is_char_boundary(at) {
        at -= 1;
    }
    let before: String = raw[..at].chars().rev().take(AROUND).collect();
    let before: String = before.chars().rev().collect();
    let after: String = raw[at..].chars().take(AROUND).collect();
    let what = if error.is_eof() { "they end before the object does" } else { "this is not JSON" };
    format!(
        "the arguments are not JSON: {what}, at line {}, column {} (byte {at}): `{before}⟨here⟩{after}`. hint: call \
         again with one complete JSON object",
        error.line(),
        error.column()
    )
}

/// The failure that tells a model what to mend. `root` is where the checked value lies within the arguments.
pub fn invalid(root: &str, complaints: &[Complaint]) -> ToolError {
    let told: Vec<String> = complaints
        .iter()
        .take(COMPLAINTS_MAX)
        .map(|complaint| {
            let Complaint { path, schema_path, expected, .. } = complaint;
            let place = format!("{root}{path}");
            let place = if place.is_empty() { "/" } else { &place };
            format!("`{place}`: expected {expected} (schema `{schema_path}`)")
        })
        .collect();
    ToolError::InvalidParameters(told.join("; "))
}

fn complaint(error: &ValidationError<'_>) -> Complaint {
    let kind = error.kind();
    let expected = match kind {
        ValidationErrorKind::Required { property } => {
            format!("`{}`, which is missing", property.as_str().unwrap_or_default())
        }
        ValidationErrorKind::Enum { options } => format!("one of {}", listed(options)),
        ValidationErrorKind::Format { format } => format!("the format `{format}`"),
        ValidationErrorKind::MinItems { limit } => format!("at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::MinLength { limit } => format!("at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("at most {limit} characters"),
        ValidationErrorKind::Pattern { pattern } => format!("the pattern `{pattern}`"),
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            format!("no `{}`", unexpected.join("`, no `"))
        }
        // What is left reads "… is not of type "string"": say of what, and keep the value out of the text.
        _ => format!("otherwise: {}", error.masked_with("the value")),
    };
    let expected = match kind {
        ValidationErrorKind::Type { .. } => typed(error).unwrap_or(expected),
        _ => expected,
    };
    let gravity = match kind {
        ValidationErrorKind::Type { .. }
        | ValidationErrorKind::AdditionalProperties { .. }
        | ValidationErrorKind::UnevaluatedProperties { .. }
        | ValidationErrorKind::FalseSchema => Gravity::Structure,
        _ => Gravity::Content,
    };
    Complaint {
        path: error.instance_path().to_string(),
        schema_path: error.schema_path().to_string(),
        expected,
        gravity,
    }
}

fn typed(error: &ValidationError<'_>) -> Option<String> {
    let text = error.masked_with("").to_string();
    let names: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
    (!names.is_empty()).then(|| names.join(" or "))
}

fn listed(options: &Value) -> String {
    let Some(options) = options.as_array() else { return options.to_string() };
    options.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}

/// `value` with what a model may have meant: numbers and booleans written as text, whole numbers written as `5.0`,
/// nulls and empty text of optional members left out, defaults filled in, a choice written as its text alone, a member
/// under another usual name.
pub fn lenient(schema: &Value, value: Value) -> Value {
    match (kind(schema), value) {
        ("object", Value::Object(members)) => Value::Object(lenient_members(schema, members)),
        ("object", Value::Null) => Value::Object(lenient_members(schema, Map::new())),
        ("object", Value::String(text)) if is_choice(schema) => {
            json!({ "id": text, "label": text })
        }
        ("array", Value::Array(items)) => match schema.get("items") {
            Some(each) => items.into_iter().map(|item| lenient(each, item)).collect(),
            None => Value::Array(items),
        },
        ("integer", value) => whole(&value).map_or(value, Value::from),
        (kind, value) => scalar(kind, value),
    }
}

/// A number or a truth value that was written as text.
pub(super) fn scalar(kind: &str, value: Value) -> Value {
    match (kind, value) {
        ("number" | "integer", Value::String(text)) => match text.trim().parse::<Number>() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::String(text),
        },
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::String(text),
        },
        (_, value) => value,
    }
}

/// A whole number, written as `5`, as `5.0`, which JSON Schema takes for one too, or as the text of either.
fn whole(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Number(number) => number.clone(),
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    // Without a fraction a float is written without a point.
    number.as_i64().or_else(|| number.as_f64()?.to_string().parse().ok())
}

/// Whether a schema is that of something to pick, with a name and a label.
fn is_choice(schema: &Value) -> bool {
    schema.get("required").is_some_and(|required| *required == json!(["id", "label"]))
}

/// What models call a member that has another name here.
const ALIASES: [(&str, &str); 1] = [("prompt", "question")];

fn lenient_members(schema: &Value, mut members: Map<String, Value>) -> Map<String, Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return members;
    };
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    for (name, property) in properties {
        let default = property.get("default");
        let optional = default.is_some() || !required.contains(&name.as_str());
        let known = |alias: &str| properties.contains_key(alias);
        let alias = ALIASES.into_iter().find(|(ours, theirs)| ours == name && !known(theirs));
        let value = members.shift_remove(name);
        let value = value.or_else(|| members.shift_remove(alias?.1));
        let empty = match &value {
            None => true,
            Some(Value::Null) => optional && kind(property) != "null",
            Some(Value::String(text)) => optional && text.trim().is_empty(),
            Some(_) => false,
        };
        // Members come out in the order of the schema, so that equal arguments are equal text.
        match (empty, value, default) {
            (false, Some(value), _) => {
                members.insert(name.clone(), lenient(property, value));
            }
            (true, _, Some(default)) => {
                members.insert(name.clone(), default.clone());
            }
            (_, _, None) | (false, None, _) => {}
        }
    }
    members
}
