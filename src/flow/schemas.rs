//! JSON Schemas of what flows keep: built in, from a file beside the flow, or written in the flow, as JSON or as fields.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use super::{Trouble, fields};
use crate::{
    base::json_schema,
    config::{
        problem::{Problem, did_you_mean, listed},
        toml_document::{TomlDocument, escaped},
    },
    model::flow::{DataTable, Flow},
};

/// The schemas in the box, by the name after `builtin:`.
const BUILTIN: [(&str, &str); 9] = [
    ("applicant_profile", include_str!("../../manifests/schemas/applicant_profile.json")),
    ("skeleton_timeline", include_str!("../../manifests/schemas/skeleton_timeline.json")),
    ("education", include_str!("../../manifests/schemas/education.json")),
    ("knowledge_card", include_str!("../../manifests/schemas/knowledge_card.json")),
    ("writing_sample", include_str!("../../manifests/schemas/writing_sample.json")),
    ("candidate_dossier", include_str!("../../manifests/schemas/candidate_dossier.json")),
    ("string_list", include_str!("../../manifests/schemas/string_list.json")),
    ("artifact_record", include_str!("../../manifests/schemas/artifact_record.json")),
    ("job_match", include_str!("../../manifests/schemas/job_match.json")),
];

/// Data that `persist_data` takes in every flow.
const ALWAYS: [&str; 2] = ["artifact_record", "writing_sample"];

/// The schemas of a flow by the name of the data, and what is wrong with them.
pub(super) fn resolve(
    flow: &Flow,
    document: &TomlDocument,
    file: &str,
) -> (BTreeMap<String, Value>, Vec<Problem>) {
    let mut schemas = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, table) in &flow.data {
        if let DataTable { schema: None, schema_inline: None, fields: Some(fields), .. } = table {
            let (schema, found) = fields::compile(fields);
            for (key, (message, hint)) in found {
                let pointer = format!("/data/{}/fields{key}", escaped(name));
                problems.push(Problem { hint, ..document.problem(&pointer, message) });
            }
            schemas.insert(name.clone(), schema);
            continue;
        }
        let resolved =
            written(table, file).and_then(|schema| match json_schema::compiled(&schema) {
                Ok(_) => Ok(schema),
                Err(error) => Err((format!("this is not a JSON Schema: {error}"), None)),
            });
        match resolved {
            Ok(schema) => _ = schemas.insert(name.clone(), schema),
            Err((message, hint)) => {
                let key = match (&table.schema, &table.schema_inline, &table.fields) {
                    (_, _, Some(_)) => "/fields",
                    (None, Some(_), None) => "/schema_inline",
                    (Some(_), _, None) => "/schema",
                    (None, None, None) => "",
                };
                let pointer = format!("/data/{}{key}", escaped(name));
                problems.push(Problem { hint, ..document.problem(&pointer, message) });
                // Whoever checks further must not complain of what follows from it.
                schemas.insert(name.clone(), Value::Object(serde_json::Map::new()));
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

fn written(table: &DataTable, file: &str) -> Result<Value, Trouble> {
    if table.fields.is_some() {
        let message = "set either `fields` or a schema, not both".to_owned();
        return Err((message, Some("remove one of them".to_owned())));
    }
    match (&table.schema, &table.schema_inline) {
        (Some(_), Some(_)) => {
            Err(("set either `schema` or `schema_inline`, not both".to_owned(), None))
        }
        (None, None) => Err((
            "`schema` is missing".to_owned(),
            Some("set `schema` to `\"builtin:string_list\"` or a file next to the flow, or use `fields` or `schema_inline`".to_owned()),
        )),
        (None, Some(inline)) => parsed(inline),
        (Some(name), None) => match name.strip_prefix("builtin:") {
            Some(name) => builtin(name).ok_or_else(|| unknown(name)),
            None => parsed(&beside(file, name)?),
        },
    }
}

/// A schema in the box, by the name after `builtin:`.
pub fn builtin(name: &str) -> Option<Value> {
    let (_, text) = BUILTIN.iter().find(|(known, _)| *known == name)?;
    serde_json::from_str(text).ok()
}

/// A schema written in one line of a file: `builtin:NAME`, or JSON. What is wrong, and what to do, where it is neither.
pub(crate) fn of_line(text: &str) -> Result<Value, Trouble> {
    let schema = match text.trim().strip_prefix("builtin:") {
        Some(name) => builtin(name).ok_or_else(|| unknown(name))?,
        None => parsed(text)?,
    };
    match json_schema::compiled(&schema) {
        Ok(_) => Ok(schema),
        Err(error) => Err((format!("this is not a JSON Schema: {error}"), None)),
    }
}

fn unknown(name: &str) -> Trouble {
    let known = || BUILTIN.iter().map(|(known, _)| *known);
    let hint = did_you_mean(name, known())
        .unwrap_or_else(|| format!("built-in schemas: {}", listed(known())));
    (format!("there is no built-in schema `{name}`"), Some(hint))
}

fn parsed(text: &str) -> Result<Value, Trouble> {
    serde_json::from_str(text).map_err(|error| (format!("this is not JSON: {error}"), None))
}

/// The text of a file beside the flow.
pub(super) fn beside(file: &str, name: &str) -> Result<String, Trouble> {
    let path = Path::new(file).parent().unwrap_or_else(|| Path::new("")).join(name);
    fs::read_to_string(&path)
        .map_err(|error| (format!("`{}` cannot be read: {error}", path.display()), None))
}
