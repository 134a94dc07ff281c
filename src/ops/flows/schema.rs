//! `anteroom flows schema`: the JSON Schema of flow files, for editors.
//!
//! It is made from the types that read a flow, with their doc comments as descriptions, and fitted to what editors of TOML
//! understand: draft 7, no `null`, durations as a pattern, the names of the built-in tools to complete.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::{model::flow::Flow, tool::catalog};

/// What `humantime` reads: `24h`, `14d`, `1h 30m`.
const DURATION: &str = "^\\s*([0-9]+\\s*(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|M|months?|y|yrs?|years?)\\s*)+$";

/// A duration as people write it in flows; `None` for what is no duration.
pub(super) fn duration(text: &str) -> Option<String> {
    let seconds = humantime::parse_duration(text).ok()?.as_secs();
    let units = [(86_400, 'd'), (3_600, 'h'), (60, 'm'), (1, 's')];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds % unit == 0)?;
    Some(format!("{}{name}", seconds / unit))
}

/// The schema of a flow file.
pub(super) fn schema() -> Value {
    let generator = SchemaSettings::draft07().into_generator();
    let mut schema = generator.into_root_schema_for::<Flow>().to_value();
    fit(&mut schema);
    if let Some(Value::Object(tool)) = schema.pointer_mut("/definitions/Step/properties/tool") {
        tool.remove("type");
        tool.insert("allOf".to_owned(), json!([{ "$ref": "#/definitions/Tool" }]));
    }
    if let Some(tool) = schema.pointer_mut("/definitions/Phase/properties/tools/items") {
        *tool = json!({ "$ref": "#/definitions/Tool" });
    }
    schema["definitions"]["Tool"] =
        json!({ "description": "The name of a tool.", "anyOf": tools() });
    schema
}

/// The built-in tools, with what they are for. Templates of sub-tasks add others, so any name will do.
fn tools() -> Vec<Value> {
    let tools = catalog::tools();
    let known = tools.iter().map(|tool| {
        let spec = tool.spec();
        json!({ "const": spec.name, "description": spec.description })
    });
    known.chain([json!({ "type": "string" })]).collect()
}

/// Rewrites what an editor would not understand, or would offer although TOML has no way to say it.
fn fit(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            // That of a table says what its keys say.
            if members.get("default").is_some_and(|value| value.is_null() || value.is_object()) {
                members.remove("default");
            }
            let of = members.get("items").or_else(|| members.get("allOf")?.get(0));
            if of.is_some_and(|of| of["$ref"] == "#/definitions/Period")
                && let Some(default) = members.get_mut("default")
            {
                shorten(default);
            }
            if let Some(Value::Array(types)) = members.get("type") {
                let mut types = types.iter().filter(|name| *name != "null").cloned();
                if let Some(only) = types.next().filter(|_| types.next().is_none()) {
                    members.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
                choices.retain(|choice| choice["type"] != "null");
                if choices.len() == 1
                    && let Some(choices) = members.remove("anyOf")
                {
                    members.insert("allOf".to_owned(), choices);
                }
            }
            if members.get("format").is_some_and(Value::is_string)
                && let Some(format) = members.remove("format")
                && format == "period"
            {
                let said = "A duration, such as `90m`, `24h` or `14d`.";
                members.insert("description".to_owned(), json!(said));
                members.insert("pattern".to_owned(), json!(DURATION));
                members.insert("examples".to_owned(), json!(["90m", "24h", "14d"]));
            }
            members.values_mut().for_each(fit);
        }
        Value::Array(items) => items.iter_mut().for_each(fit),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Writes durations as people do.
fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::String(text) => *text = duration(text).unwrap_or_else(|| text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
}
