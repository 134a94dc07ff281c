//! Which schemas a provider can hold a model to.

use serde_json::Value;

/// Whether every object of a schema lists its properties, requires all of them and allows no others: the form that
/// providers enforce.
pub(super) fn is_closed(schema: &Value) -> bool {
    let Value::Object(members) = schema else { return true };
    let is_object = members.get("type").is_some_and(|kind| {
        kind == "object" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "object"))
    });
    if is_object {
        let Some(Value::Object(properties)) = members.get("properties") else { return false };
        let required = members.get("required").and_then(Value::as_array);
        let needs = |name: &String| required.is_some_and(|all| all.iter().any(|n| n == name));
        if members.get("additionalProperties") != Some(&Value::Bool(false))
            || !properties.keys().all(needs)
        {
            return false;
        }
        return properties.values().all(is_closed);
    }
    let unknown = ["oneOf", "allOf", "not", "$ref", "if", "patternProperties"];
    if unknown.iter().any(|name| members.contains_key(*name)) {
        return false;
    }
    let any = members.get("anyOf").and_then(Value::as_array);
    members.get("items").is_none_or(is_closed) && any.is_none_or(|all| all.iter().all(is_closed))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_closed_schemas_are_enforced() {
        let text = json!({ "type": "string" });
        let closed = json!({ "type": "object", "properties": { "a": text }, "required": ["a"],
            "additionalProperties": false });
        let open = json!({ "type": "object", "properties": { "a": text }, "required": ["a"] });
        let optional = json!({ "type": "object", "properties": { "a": text },
            "additionalProperties": false });
        let nested = json!({ "type": "object", "required": ["a"], "additionalProperties": false,
            "properties": { "a": { "type": "array", "items": open } } });
        assert!(is_closed(&closed));
        for schema in [open, optional, nested, json!({ "type": "object" })] {
            assert!(!is_closed(&schema), "{schema}");
        }
    }
}
