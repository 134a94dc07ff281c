//! Fields of JSON that may be missing, null, or of another type.

use serde_json::Value;

/// The text at a JSON pointer; a number counts as its digits, everything else as nothing.
pub(super) fn text_at(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// The first of several pointers where a text stands.
pub(super) fn first(value: &Value, pointers: &[&str]) -> String {
    let texts = pointers.iter().map(|pointer| text_at(value, pointer));
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// A text that may be missing.
pub(super) fn some_text(value: &Value, pointer: &str) -> Option<String> {
    Some(text_at(value, pointer)).filter(|text| !text.is_empty())
}

/// Whether something is so; forms say it in words.
pub(super) fn flag(value: &Value, pointer: &str) -> bool {
    match value.pointer(pointer) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(text)) => text == "true",
        _ => false,
    }
}

/// A list; nothing where there is none.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
