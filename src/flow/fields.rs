//! From the fields of a flow's data to its JSON Schema.

use serde_json::{Map, Number, Value, json};

use super::{Trouble, text::is_word, visible};
use crate::{
    config::toml_document::escaped,
    model::flow::{DataField, FieldType, InOrder},
};

/// At least three digits, whatever stands between them: as much as an input for telephone numbers asks for.
const PHONE: &str = "[0-9]([^0-9]*[0-9]){2}";

/// The schema of a table of fields, and what is wrong with it, each with its place below the table.
pub(super) fn compile(fields: &InOrder<DataField>) -> (Value, Vec<(String, Trouble)>) {
    let (mut properties, mut required, mut problems) = (Map::new(), Vec::new(), Vec::new());
    if fields.0.is_empty() {
        let hint = r#"add one: `name = { type = "text" }`"#.to_owned();
        problems.push((String::new(), ("there are no fields".to_owned(), Some(hint))));
    }
    for (name, field) in &fields.0 {
        let mut wrong = Vec::new();
        if !is_word(name) {
            let hint = "use lower-case letters, digits and `_`, beginning with a letter";
            let message = format!("`{name}` can't be the name of a field");
            wrong.push((String::new(), (message, Some(hint.to_owned()))));
        }
        misplaced(name, field, &mut wrong);
        bounds(name, field, &mut wrong);
        options(name, field, &mut wrong);
        let at = |(key, trouble): (String, Trouble)| (format!("/{}{key}", escaped(name)), trouble);
        problems.extend(wrong.into_iter().map(at));
        properties.insert(name.clone(), schema(field));
        if field.required {
            required.push(name.clone());
        }
    }
    let schema = json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    });
    (schema, problems)
}

type Wrong = Vec<(String, Trouble)>;

fn say(wrong: &mut Wrong, key: &str, message: String, hint: &str) {
    wrong.push((format!("/{key}"), (message, Some(hint.to_owned()))));
}

const fn is_text(kind: FieldType) -> bool {
    matches!(kind, FieldType::Text | FieldType::LongText)
}

const fn is_choice(kind: FieldType) -> bool {
    matches!(kind, FieldType::Choice | FieldType::Choices)
}

/// Keys that say nothing about a field of this type.
fn misplaced(name: &str, field: &DataField, wrong: &mut Wrong) {
    let kind = field.kind;
    let is_number = kind == FieldType::Number;
    let counts = is_number || kind == FieldType::Choices;
    let limit = match kind {
        FieldType::Text | FieldType::LongText => "use `min_length` and `max_length` for texts",
        _ => "remove it; `number` and `choices` have it",
    };
    let of_texts = "remove it; `text` and `long_text` have it";
    let of_choices = "remove it; `choice` and `choices` have it";
    for (key, is_set, fits, hint) in [
        ("min", field.min.is_some(), counts, limit),
        ("max", field.max.is_some(), counts, limit),
        ("min_length", field.min_length.is_some(), is_text(kind), of_texts),
        ("max_length", field.max_length.is_some(), is_text(kind), of_texts),
        ("whole", field.whole.is_some(), is_number, "remove it; `number` has it"),
        ("options", field.options.is_some(), is_choice(kind), of_choices),
    ] {
        if is_set && !fits {
            say(wrong, key, format!("`{key}` does nothing here: `{name}` is {}", of(kind)), hint);
        }
    }
}

const fn of(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Text => "a text",
        FieldType::LongText => "a long text",
        FieldType::Email => "an e-mail address",
        FieldType::Phone => "a phone number",
        FieldType::Url => "a web address",
        FieldType::Date => "a date",
        FieldType::YesNo => "a yes or no",
        FieldType::Number => "a number",
        FieldType::Choice => "a choice",
        FieldType::Choices => "a list of choices",
    }
}

/// Bounds between which no value lies.
fn bounds(name: &str, field: &DataField, wrong: &mut Wrong) {
    let is_count = |number: &Number| number.as_u64().is_some_and(|n| u32::try_from(n).is_ok());
    if field.kind == FieldType::Choices {
        for (key, bound) in [("min", &field.min), ("max", &field.max)] {
            if let Some(number) = bound.as_ref().filter(|number| !is_count(number)) {
                let message = format!("`{number}` is not a number of choices");
                say(wrong, key, message, "use a whole number such as 2");
            }
        }
        if field.max.as_ref().and_then(Number::as_u64) == Some(0) {
            say(wrong, "max", format!("nothing can be picked for `{name}`"), "allow at least 1");
        }
        let count = field.options.as_ref().map_or(0, |options| options.0.len());
        let is_beyond = |min: u64| usize::try_from(min).is_ok_and(|min| min > count);
        if count > 0 && field.min.as_ref().and_then(Number::as_u64).is_some_and(is_beyond) {
            let message = format!("`{name}` wants more choices than its {count} options");
            say(wrong, "min", message, "lower it, or add options");
        }
    }
    let value = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
    if let (Some(min), Some(max)) = (value(&field.min), value(&field.max))
        && min > max
    {
        let message = format!("no value fits `{name}`: `min` is greater than `max`");
        say(wrong, "min", message, "swap them");
    }
    let (min, max) = (field.min_length, field.max_length);
    if max == Some(0) {
        say(wrong, "max_length", format!("no text fits `{name}`"), "allow at least 1 character");
    } else if min.zip(max).is_some_and(|(min, max)| min > max) {
        let message = format!("no value fits `{name}`: `min_length` is greater than `max_length`");
        say(wrong, "min_length", message, "swap them");
    }
}

fn options(name: &str, field: &DataField, wrong: &mut Wrong) {
    if !is_choice(field.kind) {
        return;
    }
    let options = field.options.as_ref().map_or(&[][..], |options| &options.0);
    if options.is_empty() {
        let at = if field.options.is_some() { "/options" } else { "" };
        let hint = r#"add `options = { cook = "Cook", drive = "Driver" }`"#.to_owned();
        let message = format!("`{name}` has nothing to choose from");
        wrong.push((at.to_owned(), (message, Some(hint))));
    }
    for (n, (id, label)) in options.iter().enumerate() {
        let key = format!("options/{}", escaped(id));
        if label.trim().is_empty() {
            say(wrong, &key, format!("the option `{id}` of `{name}` has no label"), "name it");
        } else if options[..n].iter().any(|(_, other)| other == label) {
            let message = format!("two options of `{name}` are called “{label}”");
            say(wrong, &key, message, "give each its own label");
        }
    }
}

/// The schema of one field.
fn schema(field: &DataField) -> Value {
    let mut schema = Map::new();
    let mut put = |key: &str, value: Value| _ = schema.insert(key.to_owned(), value);
    match field.kind {
        FieldType::Text | FieldType::LongText => {
            put("type", json!("string"));
            if field.kind == FieldType::LongText {
                put("multiline", json!(true));
            }
            if let Some(least) = field.min_length.or_else(|| field.required.then_some(1)) {
                put("minLength", json!(least));
            }
            if let Some(most) = field.max_length {
                put("maxLength", json!(most));
            }
        }
        FieldType::Email => put_format(&mut put, "email"),
        FieldType::Url => put_format(&mut put, "uri"),
        FieldType::Date => put_format(&mut put, "date"),
        FieldType::Phone => {
            put_format(&mut put, "phone");
            put("pattern", json!(PHONE));
        }
        FieldType::YesNo => put("type", json!("boolean")),
        FieldType::Number => {
            let kind = if field.whole == Some(true) { "integer" } else { "number" };
            put("type", json!(kind));
            for (key, bound) in [("minimum", &field.min), ("maximum", &field.max)] {
                if let Some(bound) = bound {
                    put(key, json!(bound));
                }
            }
        }
        FieldType::Choice => {
            put("type", json!("string"));
            put_options(&mut put, field);
        }
        FieldType::Choices => put_choices(&mut put, field),
    }
    for (key, words) in [("title", &field.title), ("description", &field.help)] {
        if let Some(words) = words {
            put(key, json!(words));
        }
    }
    if let Some(readers) = &field.visible_to {
        put(visible::KEY, json!(readers));
    }
    Value::Object(schema)
}

fn put_choices(put: &mut impl FnMut(&str, Value), field: &DataField) {
    let mut items = Map::new();
    let mut put_item = |key: &str, value: Value| _ = items.insert(key.to_owned(), value);
    put_item("type", json!("string"));
    put_options(&mut put_item, field);
    put("type", json!("array"));
    put("items", Value::Object(items));
    put("uniqueItems", json!(true));
    let count = |number: &Option<Number>| number.as_ref().and_then(Number::as_u64);
    if let Some(fewest) = count(&field.min).or_else(|| field.required.then_some(1)) {
        put("minItems", json!(fewest));
    }
    if let Some(most) = count(&field.max) {
        put("maxItems", json!(most));
    }
}

fn put_format(put: &mut impl FnMut(&str, Value), format: &str) {
    put("type", json!("string"));
    put("format", json!(format));
}

/// What is stored, and beside it what people read.
fn put_options(put: &mut impl FnMut(&str, Value), field: &DataField) {
    let options = field.options.as_ref().map_or(&[][..], |options| &options.0);
    // An enum without values is not a schema; that there are none is told already.
    if !options.is_empty() {
        put("enum", options.iter().map(|(id, _)| id.as_str()).collect());
        put("enumNames", options.iter().map(|(_, label)| label.as_str()).collect());
    }
}
