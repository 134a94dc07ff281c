//! What is wrong with reviewed data by its schema, in words for the person who can mend it. Each complaint stands at
//! the field where it can be mended: a missing organisation at `work.0.name`, which need not exist yet.

use jsonschema::{ValidationError, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::is_date;
use crate::{base::json_schema::compiled, messages, model::ui::FieldError};

/// How the pattern of a date begins that may lack the day, or the month as well.
pub(crate) const PARTIAL_DATE: &str = "^([1-2][0-9]{3}";

/// What is wrong with `data` by its schema, dates in order included. A field has one complaint at a time.
pub fn check_data(schema: &Value, data: &Value) -> Vec<FieldError> {
    let validator = match compiled(schema) {
        Ok(validator) => validator,
        Err(error) => {
            return vec![FieldError::whole(format!("the schema cannot be used: {error}"))];
        }
    };
    let found = validator.iter_errors(data).map(|error| complaint(schema, &error));
    let mut errors: Vec<FieldError> = Vec::new();
    for error in found {
        push(&mut errors, error);
    }
    check_dates(data, &mut String::new(), &mut errors);
    errors
}

fn push(errors: &mut Vec<FieldError>, error: FieldError) {
    if !errors.iter().any(|known| known.path == error.path) {
        errors.push(error);
    }
}

fn complaint(schema: &Value, error: &ValidationError<'_>) -> FieldError {
    let path = dotted(error.instance_path().as_str());
    if let Kind::Required { property } = error.kind() {
        return missing(schema, join(&path, property.as_str().unwrap_or_default()));
    }
    if let Kind::MinLength { limit: 1 } = error.kind() {
        return missing(schema, path);
    }
    let told = schema_at(schema, &path);
    if matches!(error.kind(), Kind::MinItems { limit: 1 }) && is_pick(told) {
        return missing(schema, path);
    }
    let message = in_words(error, told);
    FieldError { path, message }
}

/// Something that must be there is not: what the person fills in to mend it is the first field within it that must be
/// there.
fn missing(schema: &Value, mut path: String) -> FieldError {
    loop {
        let found = schema_at(schema, &path);
        let within = found.pointer("/required/0").and_then(Value::as_str);
        match within.filter(|_| found["type"] == "object") {
            Some(within) => path = join(&path, within),
            None if is_pick(found) => {
                return FieldError { path, message: messages::answers::PICK_SOME.to_owned() };
            }
            None if found["type"] == "boolean" || found.get("enum").is_some() => {
                return FieldError { path, message: messages::answers::PICK_ONE.to_owned() };
            }
            None if found["type"] == "array" => {
                let title = found.pointer("/items/title").and_then(Value::as_str);
                let noun = title.unwrap_or("entry").to_lowercase();
                return FieldError { path, message: messages::answers::add(&noun) };
            }
            None => {
                let message = messages::answers::enter(&title_of(found, &path));
                return FieldError { path, message };
            }
        }
    }
}

/// Whether several of some options may be picked.
fn is_pick(schema: &Value) -> bool {
    schema.pointer("/items/enum").is_some()
}

/// The schema of what lies at a dotted path; null where it says nothing about it.
fn schema_at<'s>(schema: &'s Value, path: &str) -> &'s Value {
    let parts = path.split('.').filter(|part| !part.is_empty());
    let mut parts = parts;
    let found = parts.try_fold(schema, |schema, part| {
        match schema.get("properties").and_then(|properties| properties.get(part)) {
            Some(property) => Some(property),
            None => schema.get("items").filter(|_| part.parse::<usize>().is_ok()),
        }
    });
    found.unwrap_or(&Value::Null)
}

fn title_of(schema: &Value, path: &str) -> String {
    match schema.get("title").and_then(Value::as_str) {
        Some(title) => title.to_owned(),
        None => spaced(path.rsplit('.').next().unwrap_or(path)),
    }
}

/// `studyType` and `study_type` as `Study type`.
fn spaced(key: &str) -> String {
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

/// `/work/0/name` as `work.0.name`.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn in_words(error: &ValidationError<'_>, schema: &Value) -> String {
    match error.kind() {
        Kind::MinLength { limit } => messages::answers::at_least_characters(*limit),
        Kind::MaxLength { limit } => messages::answers::at_most_characters(*limit),
        Kind::MinItems { limit } if is_pick(schema) => messages::answers::pick_at_least(*limit),
        Kind::MaxItems { limit } if is_pick(schema) => messages::answers::pick_at_most(*limit),
        Kind::MinItems { limit } => messages::answers::add_at_least(*limit),
        Kind::MaxItems { limit } => messages::answers::keep_at_most(*limit),
        Kind::Type { .. }
        | Kind::Minimum { .. }
        | Kind::Maximum { .. }
        | Kind::ExclusiveMinimum { .. }
        | Kind::ExclusiveMaximum { .. }
            if let Some(integer) = number_kind(schema) =>
        {
            let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
            messages::answers::wanted_number(integer, bound("minimum"), bound("maximum"))
        }
        Kind::Type { .. } => messages::answers::WRONG_KIND.to_owned(),
        Kind::AdditionalProperties { unexpected } => {
            let names: Vec<String> = unexpected.iter().map(|name| spaced(name)).collect();
            messages::answers::stray(&names)
        }
        Kind::Enum { .. } => messages::answers::NO_LIST.to_owned(),
        Kind::Format { format } if format == "email" => messages::answers::NO_EMAIL.to_owned(),
        Kind::Format { format } if format == "uri" => messages::answers::NO_URL.to_owned(),
        Kind::Format { format } if format == "date" => messages::answers::NO_DAY.to_owned(),
        Kind::Pattern { .. } if matches!(schema["format"].as_str(), Some("phone" | "tel")) => {
            messages::answers::NO_PHONE.to_owned()
        }
        Kind::Pattern { pattern } if pattern.starts_with(PARTIAL_DATE) => {
            messages::answers::NO_DATE.to_owned()
        }
        Kind::Pattern { .. } => match schema.get("description").and_then(Value::as_str) {
            Some(description) => messages::answers::wrong_format(description),
            None => messages::answers::WRONG_FORMAT.to_owned(),
        },
        // The answer itself is left out: errors are logged and quoted.
        _ => error.masked_with("this").to_string(),
    }
}

/// Whether a number must be whole, where a number is wanted.
fn number_kind(schema: &Value) -> Option<bool> {
    match schema["type"].as_str()? {
        "integer" => Some(true),
        "number" => Some(false),
        _ => None,
    }
}

/// Dates that exist, and entries that do not end before they begin.
fn check_dates(data: &Value, path: &mut String, errors: &mut Vec<FieldError>) {
    match data {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                check_dates_at(&n.to_string(), item, path, errors);
            }
        }
        Value::Object(fields) => {
            let text_of = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
            let (start, end) = (text_of("startDate"), text_of("endDate"));
            for (key, date) in [("startDate", start), ("endDate", end)] {
                if !date.is_empty() && !is_date(date) {
                    let message = messages::answers::NO_DATE.to_owned();
                    push(errors, FieldError { path: join(path, key), message });
                }
            }
            let common = start.len().min(end.len());
            if is_date(start) && is_date(end) && end[..common] < start[..common] {
                let message = messages::answers::END_BEFORE_START.to_owned();
                push(errors, FieldError { path: join(path, "endDate"), message });
            }
            for (key, value) in fields {
                check_dates_at(key, value, path, errors);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_dates_at(key: &str, value: &Value, path: &mut String, errors: &mut Vec<FieldError>) {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(key);
    check_dates(value, path, errors);
    path.truncate(length);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn timeline() -> Value {
        crate::flow::builtin("skeleton_timeline").unwrap()
    }

    fn told(schema: &Value, data: &Value) -> Vec<String> {
        let errors = check_data(schema, data);
        errors.iter().map(|error| format!("{}: {}", error.path, error.message)).collect()
    }

    #[test]
    fn what_is_missing_is_told_at_the_field_that_mends_it() {
        let profile = crate::flow::builtin("applicant_profile").unwrap();
        assert_eq!(told(&profile, &json!({})), ["basics.name: Enter a name."]);
        assert_eq!(
            told(&profile, &json!({ "basics": { "name": "" } })),
            ["basics.name: Enter a name."]
        );
        assert_eq!(
            told(&timeline(), &json!({ "work": [{ "position": "Engineer" }] })),
            ["work.0.name: Enter an organisation."]
        );
        assert_eq!(told(&timeline(), &json!({})), ["work: Add a role."]);
    }

    #[test]
    fn a_number_is_asked_for_in_the_words_of_its_field() {
        let schema = json!({ "type": "object", "properties": {
            "seats": { "type": "integer", "minimum": 2, "maximum": 4 },
            "meal": { "type": "string", "enum": ["fish", "soup"] },
            "sure": { "type": "boolean" },
        }, "required": ["meal", "sure"] });
        let of =
            |seats: Value| told(&schema, &json!({ "seats": seats, "meal": "fish", "sure": true }));
        for seats in [json!(1), json!(5), json!(2.5), json!("two")] {
            assert_eq!(of(seats), ["seats: Enter a whole number from 2 to 4."]);
        }
        assert_eq!(of(json!(3)), Vec::<String>::new());
        assert_eq!(told(&schema, &json!({})), ["meal: Please pick one.", "sure: Please pick one."]);
    }

    #[test]
    fn dates_are_real_and_in_order() {
        let of = |start: &str, end: &str| {
            let role = json!({ "name": "Acme", "startDate": start, "endDate": end });
            told(&timeline(), &json!({ "work": [role] }))
        };
        assert!(of("2020-05", "2020").is_empty());
        assert_eq!(
            of("2020-05", "2019"),
            ["work.0.endDate: The end date is before the start date."]
        );
        let no_date = "Enter a date as YYYY, YYYY-MM or YYYY-MM-DD.";
        assert_eq!(of("soon", "2019"), [format!("work.0.startDate: {no_date}")]);
        assert_eq!(of("2020-19", "2021"), [format!("work.0.startDate: {no_date}")]);
    }
}
