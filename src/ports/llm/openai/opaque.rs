//! Members of a streamed answer that only its provider understands, put together from their pieces.

use serde_json::{Map, Value};

/// Members of a message that are read by us, or say nothing.
const KNOWN: [&str; 8] =
    ["role", "content", "refusal", "tool_calls", "function_call", "annotations", "audio", "index"];

/// Members whose pieces follow one another; of others the last one counts.
const TEXTS: [&str; 6] =
    ["reasoning_content", "reasoning", "thinking", "thought", "text", "summary"];

/// Adds the members of a piece to those that have come.
pub(super) fn merge(into: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, value) in more {
        if value.is_null() || KNOWN.contains(&name.as_str()) {
            continue;
        }
        add(into, name, value);
    }
}

fn add(into: &mut Map<String, Value>, name: String, value: Value) {
    let is_text = TEXTS.contains(&name.as_str());
    match (into.get_mut(&name), value) {
        (Some(Value::String(before)), Value::String(more)) if is_text => before.push_str(&more),
        (Some(Value::Array(before)), Value::Array(more)) => {
            for item in more {
                append(before, item);
            }
        }
        (Some(Value::Object(before)), Value::Object(more)) => {
            more.into_iter().for_each(|(name, value)| add(before, name, value));
        }
        (_, value) => _ = into.insert(name, value),
    }
}

/// A piece of an item goes on with the one before it; everything else is an item of its own.
fn append(items: &mut Vec<Value>, item: Value) {
    let same = |before: &Value, name: &str| before[name] == item[name];
    match items.last_mut() {
        Some(before)
            if !item["index"].is_null()
                && matches!(
                    item["type"].as_str(),
                    Some("reasoning.text" | "reasoning.summary")
                )
                && same(before, "index")
                && same(before, "type") =>
        {
            if let (Value::Object(before), Value::Object(more)) = (before, item) {
                let more = more.into_iter().filter(|(_, value)| !value.is_null());
                more.for_each(|(name, value)| add(before, name, value));
            }
        }
        _ => items.push(item),
    }
}
