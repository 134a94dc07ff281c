//! Raw JSON of a platform: fields that may be missing, null, or of another type, and names for what came.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Longest key as it stands; a longer one is made of its digest.
const KEY_MAX: usize = 160;

/// Longest name of a kind.
const KIND_MAX: usize = 60;

/// The text at a JSON pointer; a number counts as its digits, everything else as nothing.
pub(crate) fn text_at(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// The first of several pointers where a text stands.
pub fn first(value: &Value, pointers: &[&str]) -> String {
    let texts = pointers.iter().map(|pointer| text_at(value, pointer));
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// A text that may be missing.
pub(crate) fn some_text(value: &Value, pointer: &str) -> Option<String> {
    Some(text_at(value, pointer)).filter(|text| !text.is_empty())
}

/// Whether something is so; forms say it in words.
pub fn flag(value: &Value, pointer: &str) -> bool {
    match value.pointer(pointer) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(text)) => text == "true",
        _ => false,
    }
}

/// A whole number; `None` if there is none.
pub fn number(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}

/// A list; nothing where there is none.
pub fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A single value as a text.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Our name of something, `msg:C01:1690.0001`: the parts that tell it apart. Where the platform did not send one of
/// them, its content does, as a digest.
pub fn key(parts: &[&str], payload: &Value) -> String {
    let is_whole = parts.len() > 1 && parts.iter().all(|part| !part.is_empty());
    let named = parts.join(":");
    if is_whole && named.len() <= KEY_MAX && named.bytes().all(|byte| byte.is_ascii_graphic()) {
        return named;
    }
    let told = if is_whole { named } else { payload.to_string() };
    let digest = Sha256::digest(told.as_bytes());
    let digest = digest.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    format!("{}:sha256:{digest}", parts.first().unwrap_or(&"none"))
}

/// A kind that the platform named, as it may stand in a log: `message_create`.
pub fn kind(named: &str) -> String {
    let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.');
    let kind = named.chars().take(KIND_MAX).map(|c| c.to_ascii_lowercase());
    let kind: String = kind.map(|c| if known(c) { c } else { '_' }).collect();
    if kind.is_empty() { "none".to_owned() } else { kind }
}
