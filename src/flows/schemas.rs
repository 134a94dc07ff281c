//! JSON Schemas of what flows keep: built in, from a file beside the flow, or written in the flow.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Map, Value};

use crate::{
    config::{
        document::{Document, escaped},
        problem::{Problem, did_you_mean, listed},
        words,
    },
    model::flow::{DataTable, Flow},
};

/// The schemas in the box, by the name after `builtin:`.
const BUILTIN: [(&str, &str); 8] = [
    ("applicant_profile", include_str!("../../manifests/schemas/applicant_profile.json")),
    ("skeleton_timeline", include_str!("../../manifests/schemas/skeleton_timeline.json")),
    ("education", include_str!("../../manifests/schemas/education.json")),
    ("knowledge_card", include_str!("../../manifests/schemas/knowledge_card.json")),
    ("writing_sample", include_str!("../../manifests/schemas/writing_sample.json")),
    ("candidate_dossier", include_str!("../../manifests/schemas/candidate_dossier.json")),
    ("string_list", include_str!("../../manifests/schemas/string_list.json")),
    ("artifact_record", include_str!("../../manifests/schemas/artifact_record.json")),
];

/// Data that `persist_data` takes in every flow (DESIGN §10.4).
const ALWAYS: [&str; 2] = ["artifact_record", "writing_sample"];

/// The schemas of a flow by the name of the data, and what is wrong with them.
pub(super) fn resolve(
    flow: &Flow,
    document: &Document,
    file: &str,
) -> (BTreeMap<String, Value>, Vec<Problem>) {
    let mut schemas = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, table) in &flow.data {
        let resolved = written(table, file).and_then(|schema| usable(&schema, table.review));
        match resolved {
            Ok(schema) => _ = schemas.insert(name.clone(), schema),
            Err((message, hint)) => {
                let key = match (&table.schema, &table.schema_inline) {
                    (None, Some(_)) => "/schema_inline",
                    (Some(_), _) => "/schema",
                    (None, None) => "",
                };
                let pointer = format!("/data/{}{key}", escaped(name));
                problems.push(Problem { hint, ..document.problem(&pointer, message) });
            }
        }
    }
    for name in ALWAYS {
        if let Some(schema) = builtin(name).filter(|_| !schemas.contains_key(name)) {
            schemas.insert(name.to_owned(), schema);
        }
    }
    (schemas, problems)
}

/// A schema without references; cards are drawn from it.
fn usable(schema: &Value, review: bool) -> Result<Value, Trouble> {
    let schema = inlined(schema, schema, REFERENCES_MAX).ok_or_else(|| {
        let hint = "refer to `#/$defs/…` in the same schema, and not in a circle".to_owned();
        ("a reference in this schema leads nowhere".to_owned(), Some(hint))
    })?;
    if let Err(error) = words::validator(&schema) {
        return Err((format!("this is not a JSON Schema: {error}"), None));
    }
    if review && schema.get("type").and_then(Value::as_str) != Some("object") {
        let hint = "write `\"type\": \"object\"`, or leave `review` out".to_owned();
        return Err(("only an object can be reviewed on a card".to_owned(), Some(hint)));
    }
    Ok(schema)
}

/// References within references; more is a circle.
const REFERENCES_MAX: usize = 16;

/// A schema with what its references lead to in their place; none where one leads nowhere or in a circle.
fn inlined(schema: &Value, root: &Value, depth: usize) -> Option<Value> {
    match schema {
        Value::Object(members) => match members.get("$ref").and_then(Value::as_str) {
            Some(reference) => {
                let found = root.pointer(reference.strip_prefix('#')?)?;
                let mut found = inlined(found, root, depth.checked_sub(1)?)?;
                // What stands beside a reference adds to it: a title of its own, for example.
                if let Value::Object(found) = &mut found {
                    let beside = members.iter().filter(|(key, _)| *key != "$ref");
                    found.extend(beside.map(|(key, value)| (key.clone(), value.clone())));
                }
                Some(found)
            }
            None => members
                .iter()
                .filter(|(key, _)| {
                    !std::ptr::eq(schema, root) || !matches!(key.as_str(), "$defs" | "definitions")
                })
                .map(|(key, value)| Some((key.clone(), inlined(value, root, depth)?)))
                .collect::<Option<Map<_, _>>>()
                .map(Value::Object),
        },
        Value::Array(items) => {
            items.iter().map(|item| inlined(item, root, depth)).collect::<Option<_>>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(schema.clone()),
    }
}

type Trouble = (String, Option<String>);

fn written(table: &DataTable, file: &str) -> Result<Value, Trouble> {
    match (&table.schema, &table.schema_inline) {
        (Some(_), Some(_)) => {
            Err(("either `schema` or `schema_inline` is needed, not both".to_owned(), None))
        }
        (None, None) => Err((
            "`schema` is missing".to_owned(),
            Some("write `schema = \"builtin:string_list\"`, a file beside the flow, or `schema_inline`".to_owned()),
        )),
        (None, Some(inline)) => parsed(inline),
        (Some(name), None) => match name.strip_prefix("builtin:") {
            Some(name) => builtin(name).ok_or_else(|| unknown(name)),
            None => parsed(&beside(file, name)?),
        },
    }
}

fn builtin(name: &str) -> Option<Value> {
    let (_, text) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    serde_json::from_str(text).ok()
}

fn unknown(name: &str) -> Trouble {
    let known = || BUILTIN.iter().map(|(known, _)| *known);
    let hint =
        did_you_mean(name, known()).unwrap_or_else(|| format!("built in are {}", listed(known())));
    (format!("there is no built-in schema `{name}`"), Some(hint))
}

fn parsed(text: &str) -> Result<Value, Trouble> {
    serde_json::from_str(text).map_err(|error| (format!("this is not JSON: {error}"), None))
}

/// The text of a file beside the flow.
fn beside(file: &str, name: &str) -> Result<String, Trouble> {
    let path = Path::new(file).parent().unwrap_or_else(|| Path::new("")).join(name);
    fs::read_to_string(&path)
        .map_err(|error| (format!("`{}` cannot be read: {error}", path.display()), None))
}
