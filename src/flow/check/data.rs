//! Schemas of data: some value fits each of them, and a form has a field for everything that is required.

use serde_json::Value;

use super::{Check, patterns};
use crate::{
    base::json_schema,
    config::{
        problem::{did_you_mean, listed},
        schema_errors,
    },
    flow::{Trouble, shape::kind},
};

/// The formats that values are checked for.
const FORMATS: [&str; 21] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "phone",
    "regex",
    "tel",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
    "uuid",
];

/// Keywords that bound a value from below and from above.
const BOUNDS: [(&str, &str); 4] = [
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];

/// Keywords by the type that they are about.
const KEYWORDS: [(&str, &[&str]); 3] = [
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
    ("string", &["minLength", "maxLength", "pattern"]),
    ("array", &["minItems", "maxItems", "uniqueItems"]),
];

/// Values of formats with few shapes.
const DATES: &[&str] = &["2026-11-25", "1985-01-31", "2008-07-04", "1999-12-09", "2030-10-10"];
const MOMENTS: &[&str] = &["2026-11-25T09:00:00Z", "1985-01-31T23:59:59.123456789+02:00"];
const TIMES: &[&str] = &["09:00:00Z", "23:59:59.123456789+02:00"];
const UUIDS: &[&str] =
    &["4f9d1f6e-8f3f-4c57-9a5b-0d1c2e3f4a5b", "00000000-0000-4000-8000-000000000000"];

/// A part of a path that does not exist, and those beside it that do.
#[derive(Debug)]
pub(super) struct NoField<'a> {
    pub(super) field: &'a str,
    pub(super) siblings: Vec<&'a str>,
}

impl Check<'_> {
    pub(super) fn schemas(&mut self) {
        let loaded = self.loaded;
        for (name, table) in &self.flow.data {
            let Some(schema) = loaded.schemas.get(name) else { continue };
            // What is wrong with fields is told when they are read, each in its place.
            if table.fields.is_some() {
                continue;
            }
            let key = if table.schema_inline.is_some() { "schema_inline" } else { "schema" };
            let mut found = Vec::new();
            mistakes(schema, name, &mut found);
            for (message, hint) in found {
                self.error(&format!("/data/{name}/{key}"), message, hint);
            }
        }
    }

    /// The schema at a dotted path of the data that a flow keeps: `person.name`; nothing where the schema leaves it open.
    pub(super) fn field<'a>(&'a self, path: &[&'a str]) -> Result<Option<&'a Value>, NoField<'a>> {
        let [data, fields @ ..] = path else { return Ok(None) };
        let mut schema = self.loaded.schemas.get(*data);
        for field in fields {
            let Some(members) = schema.and_then(|schema| schema.get("properties")?.as_object())
            else {
                return Ok(None);
            };
            let Some(member) = members.get(*field) else {
                let siblings = members.keys().map(String::as_str).collect();
                return Err(NoField { field, siblings });
            };
            schema = Some(member);
        }
        Ok(schema)
    }
}

/// What is wrong with a schema, with what to do about it; `path` is how people call it.
fn mistakes(schema: &Value, path: &str, found: &mut Vec<Trouble>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    if let Some(properties) = properties {
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !properties.contains_key(name) {
                let hint = did_you_mean(name, properties.keys().map(String::as_str))
                    .unwrap_or_else(|| format!("add it to the `properties` of `{path}`"));
                let message = format!("`{path}` requires `{name}`, but has no such field");
                found.push((message, Some(hint)));
            }
        }
    }
    for (low, high) in BOUNDS {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        if let (Some(least), Some(most)) = (bound(low), bound(high))
            && least > most
        {
            let message = format!("no value fits `{path}`: `{low}` is greater than `{high}`");
            found.push((message, Some("swap them".to_owned())));
        }
    }
    if schema.get("maxItems").and_then(Value::as_u64) == Some(0) {
        found.push((format!("`{path}` can have no entries: `maxItems` is 0"), None));
    }
    if let Some(format) = schema.get("format").and_then(Value::as_str)
        && !FORMATS.contains(&format)
    {
        let hint = did_you_mean(format, FORMATS)
            .unwrap_or_else(|| format!("known formats: {}", listed(FORMATS)));
        found.push((format!("`{path}` has the unknown format `{format}`"), Some(hint)));
    }
    misplaced(schema, path, found);
    formatted(schema, path, found);
    picks(schema, path, found);
    values(schema, path, found);
    patterns::mistakes(schema, path, found);
    for (name, member) in properties.into_iter().flatten() {
        mistakes(member, &format!("{path}.{name}"), found);
    }
    if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
        mistakes(items, path, found);
    }
}

/// Keywords that say nothing about a value of the schema's type.
fn misplaced(schema: &Value, path: &str, found: &mut Vec<Trouble>) {
    let kind = kind(schema);
    for (of, keywords) in KEYWORDS {
        let is_of = of == kind || (of == "number" && kind == "integer");
        for keyword in keywords.iter().filter(|keyword| schema.get(**keyword).is_some()) {
            if !kind.is_empty() && !is_of {
                let message =
                    format!("`{keyword}` does nothing for `{path}`, whose type is `{kind}`");
                found.push((message, Some(format!("remove it; `{of}` has it"))));
            }
        }
    }
}

/// Some value of a format is within the bounds, and fits the pattern.
fn formatted(schema: &Value, path: &str, found: &mut Vec<Trouble>) {
    let samples = match schema.get("format").and_then(Value::as_str) {
        Some("date") => DATES,
        Some("date-time") => MOMENTS,
        Some("time") => TIMES,
        Some("uuid") => UUIDS,
        _ => return,
    };
    for keyword in ["minLength", "maxLength", "pattern"] {
        let Some(bound) = schema.get(keyword) else { continue };
        let only = serde_json::json!({ "type": "string", keyword: bound });
        if json_schema::compile(&only).is_ok()
            && samples
                .iter()
                .all(|sample| !schema_errors::mistakes(&only, &(*sample).into()).is_empty())
        {
            let format = schema["format"].as_str().unwrap_or_default();
            let message = format!("no {format} fits `{path}`: its `{keyword}` is {bound}");
            let hint = format!("leave `{keyword}` out: a {format} looks like `{}`", samples[0]);
            found.push((message, Some(hint)));
        }
    }
}

/// As many different entries as a list needs are there.
fn picks(schema: &Value, path: &str, found: &mut Vec<Trouble>) {
    let fewest = schema.get("minItems").and_then(Value::as_u64);
    let known = schema.get("items").and_then(|items| items.get("enum")?.as_array());
    if let (Some(fewest), Some(known)) = (fewest, known)
        && schema["uniqueItems"] == true
        && usize::try_from(fewest).is_ok_and(|fewest| fewest > known.len())
    {
        let message = format!("`{path}` wants {fewest} different entries of {}", known.len());
        found.push((message, Some("lower `minItems`, or add values to the `enum`".to_owned())));
    }
    let names = schema.get("enumNames").and_then(Value::as_array);
    let values = schema.get("enum").and_then(Value::as_array);
    if let (Some(names), Some(values)) = (names, values)
        && names.len() != values.len()
    {
        let message =
            format!("`{path}` has {} values and {} names for them", values.len(), names.len());
        found.push((message, Some("give each value of `enum` one name in `enumNames`".to_owned())));
    }
}

/// Values that a schema names satisfy the rest of it.
fn values(schema: &Value, path: &str, found: &mut Vec<Trouble>) {
    let without = |key: &str| {
        let mut rest = schema.clone();
        if let Some(members) = rest.as_object_mut() {
            members.remove(key);
        }
        rest
    };
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let rest = without("enum");
        let wrong = values.iter().find(|value| !schema_errors::mistakes(&rest, value).is_empty());
        if values.is_empty() {
            found.push((format!("no value fits `{path}`: its `enum` is empty"), None));
        } else if let Some(value) = wrong {
            let hint = match schema.get("pattern") {
                Some(pattern) if value.is_string() => format!("its `pattern` is {pattern}"),
                _ => format!("its type is `{}`", kind(schema)),
            };
            let hint = Some(hint);
            found.push((format!("`{path}` can never be {value}, which its `enum` names"), hint));
        }
    }
    if let Some(default) = schema.get("default")
        && !schema_errors::mistakes(schema, default).is_empty()
    {
        let message = format!("the `default` of `{path}`, {default}, doesn't fit its own schema");
        found.push((message, None));
    }
}
