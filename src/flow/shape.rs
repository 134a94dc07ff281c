//! The short form of a schema: a JSON skeleton whose values say what belongs in their place. It is what a model is shown
//! of the data that it collects, and what an error repeats.

use serde_json::{Map, Value};

use super::LoadedFlow;
use crate::model::flow::{Done, Phase};

/// The skeleton of data that fits a schema.
///
/// ```
/// use anteroom::flow::shape::shape;
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "required": ["name"],
///     "properties": { "name": { "type": "string" }, "tags": { "type": "array", "items": { "type": "string" } } },
/// });
/// assert_eq!(shape(&schema), json!({ "name": "text (required)", "tags": ["text"] }));
/// ```
pub fn shape(schema: &Value) -> Value {
    skeleton(schema, "")
}

fn skeleton(schema: &Value, need: &str) -> Value {
    match kind(schema) {
        "object" => Value::Object(members(schema)),
        "array" => match schema.get("items") {
            Some(items) => Value::Array(vec![skeleton(items, "")]),
            None => Value::Array(Vec::new()),
        },
        _ => Value::String(format!("{}{need}", leaf(schema))),
    }
}

fn members(schema: &Value) -> Map<String, Value> {
    let required = names(schema.get("required"));
    let alternatives: Vec<&str> = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|word| schema.get(word)?.as_array())
        .flatten()
        .flat_map(|one| names(one.get("required")))
        .collect();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Map::new();
    };
    let member = |(name, member): (&String, &Value)| {
        // What only the program fills in.
        if member["readOnly"] == true {
            return None;
        }
        let need = if required.contains(&name.as_str()) {
            " (required)"
        } else if alternatives.contains(&name.as_str()) {
            " (one of these is required)"
        } else {
            ""
        };
        Some((name.clone(), skeleton(member, need)))
    };
    properties.iter().filter_map(member).collect()
}

/// What belongs in the place of a value without parts.
fn leaf(schema: &Value) -> String {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let option = |value: &Value| match value.as_str().and_then(|id| label_of(schema, id)) {
            Some(label) => format!("{} ({label})", plain(value)),
            None => plain(value),
        };
        let options: Vec<String> = options.iter().map(option).collect();
        return options.join(" | ");
    }
    if let Some(constant) = schema.get("const") {
        return plain(constant);
    }
    if schema["format"] == "phone" {
        return "telephone number".to_owned();
    }
    if schema.get("pattern").is_some() {
        let told = schema.get("description").or_else(|| schema.get("pattern"));
        return told.map(plain).unwrap_or_default();
    }
    match (kind(schema), schema["format"].as_str()) {
        ("string", Some("email")) => "e-mail address".to_owned(),
        ("string", Some("uri")) => "https://…".to_owned(),
        ("string", Some("date")) => "YYYY-MM-DD".to_owned(),
        ("string", Some(format)) => format!("text, {format}"),
        ("string", None) => format!("text{}", length(schema)),
        ("integer", _) => format!("whole number{}", range(schema)),
        ("number", _) => format!("number{}", range(schema)),
        ("boolean", _) => "true | false".to_owned(),
        _ => "any value".to_owned(),
    }
}

/// How long a text must be, where one could be too short.
fn length(schema: &Value) -> String {
    let least = schema["minLength"].as_u64().filter(|least| *least > 1);
    match (least, schema["maxLength"].as_u64()) {
        (Some(least), Some(most)) => format!(" of {least} to {most} characters"),
        (Some(least), None) => format!(" of at least {least} characters"),
        (None, _) => String::new(),
    }
}

fn range(schema: &Value) -> String {
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn names(value: Option<&Value>) -> Vec<&str> {
    let names = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    names.iter().filter_map(Value::as_str).collect()
}

/// What people read for a value that the schema names: its entry in `enumNames`.
pub(crate) fn label_of<'s>(schema: &'s Value, value: &str) -> Option<&'s str> {
    let values = schema.get("enum")?.as_array()?;
    let place = values.iter().position(|known| known == value)?;
    schema.get("enumNames")?.get(place)?.as_str()
}

/// The one type that a schema names; with `null` beside it, the other one.
pub(crate) fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("")
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "",
    }
}

/// Tools that take data.
const TAKERS: [&str; 2] = ["submit_for_validation", "persist_data"];

impl LoadedFlow {
    /// The data that a phase collects, with its skeletons: what its objectives speak of, and what `persist_data` may keep
    /// that no objective of another phase speaks of. Nothing where the phase has no tool that takes data.
    pub fn shapes(&self, phase: &Phase) -> Vec<(String, Value)> {
        if !TAKERS.iter().any(|taker| phase.tools.iter().any(|tool| tool == taker)) {
            return Vec::new();
        }
        let keeps = phase.tools.iter().any(|tool| tool == "persist_data");
        let is_here = |name: &str| phase.objective.iter().any(|one| collects(&one.done, name));
        let is_elsewhere = |name: &str| {
            let saved = |phase: &Phase| {
                phase.step.iter().any(|step| step.save.as_deref() == Some(name))
                    || phase.objective.iter().any(|one| collects(&one.done, name))
            };
            self.flow.phase.iter().any(saved)
        };
        let known = self.schemas.iter().filter(|(name, _)| {
            let table = self.flow.data.get(*name);
            is_here(name)
                || (keeps && table.is_some_and(|table| !table.review) && !is_elsewhere(name))
        });
        known.map(|(name, schema)| (name.clone(), shape(schema))).collect()
    }
}

fn collects(done: &Done, name: &str) -> bool {
    match done {
        Done::Reviewed(data) => data == name,
        Done::Saved(saved) => saved.data == name,
        Done::All(parts) | Done::Any(parts) => parts.iter().any(|part| collects(part, name)),
        Done::Model | Done::Talked(_) | Done::Uploaded(_) | Done::Answered(_) => false,
    }
}
