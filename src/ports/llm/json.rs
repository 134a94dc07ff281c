//! JSON in what a model said.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

/// The JSON object in an answer, also where words or a code fence stand around it. The error says what is wrong, in
/// words for the model.
///
/// ```
/// use anteroom::ports::llm::json::extract_object;
/// let object = extract_object("Here it is:\n```json\n{ \"found\": 7 }\n```").unwrap();
/// assert_eq!(object["found"], 7);
/// assert_eq!(extract_object("[7]").unwrap_err(), "this is JSON, but no object");
/// ```
pub fn extract_object(text: &str) -> Result<Value, String> {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let bare = fenced.map_or(text, |rest| rest.strip_prefix("json").unwrap_or(rest).trim());
    let within = || {
        let (from, to) = (bare.find('{')?, bare.rfind('}')?);
        serde_json::from_str(bare.get(from..=to)?).ok()
    };
    match serde_json::from_str(bare) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("this is JSON, but no object".to_owned()),
        Err(error) => within().ok_or_else(|| format!("this is not one JSON object: {error}")),
    }
}

/// Whether a text is one JSON object that can be read, without keeping any of it.
pub(super) fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<Checked>(text).is_ok()
}

/// Any JSON, read and dropped. Numbers, escapes and depth are checked as they are for a [`Value`], which
/// [`IgnoredAny`](serde::de::IgnoredAny) does not do.
struct Checked;

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_one_exactly_where_it_can_be_read() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
        let texts = [
            "{}",
            " {\"a\": [1, -2.5, null, true, {\"b\": \"\\u00e9\"}]} ",
            "",
            " ",
            "[]",
            "null",
            "\"{}\"",
            "{",
            "{} {}",
            "{\"a\":1e999}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":01}",
            "{a:1}",
            "{\"a\":1,}",
            &deep,
        ];
        for text in texts {
            let read = serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object());
            assert_eq!(is_object(text), read, "{text}");
        }
    }
}
