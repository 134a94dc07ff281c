//! What is sent, against the original's own specification, where somebody has put that beside the repository.

use std::{fs, path::Path, sync::LazyLock};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::provider::Provider;

struct Specification {
    chat: Validator,
    embeddings: Validator,
}

static SPECIFICATION: LazyLock<Option<Specification>> = LazyLock::new(|| {
    let folder = std::env::var_os("ANTEROOM_CONFORMANCE")?;
    let text = fs::read_to_string(Path::new(&folder).join("openai-openapi.json")).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    nullable(&mut document["components"]);
    let validator = |name: &str| {
        let reference = format!("#/components/schemas/{name}");
        let schema = json!({ "$ref": reference, "components": document["components"] });
        jsonschema::validator_for(&schema).unwrap()
    };
    Some(Specification {
        chat: validator("CreateChatCompletionRequest"),
        embeddings: validator("CreateEmbeddingRequest"),
    })
});

/// `nullable: true` is a word of older specifications; what it says is put in today's.
fn nullable(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.values_mut().for_each(nullable);
            if object.remove("nullable") == Some(Value::Bool(true)) {
                let strict = Value::Object(std::mem::take(object));
                object.insert("anyOf".to_owned(), json!([strict, { "type": "null" }]));
            }
        }
        Value::Array(array) => array.iter_mut().for_each(nullable),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Every request that the provider saw is one that the specification allows.
pub(super) fn check(provider: &Provider) {
    let Some(specification) = SPECIFICATION.as_ref() else { return };
    for seen in provider.seen() {
        let is_chat = seen.path.contains("/chat/completions");
        let schema = if is_chat { &specification.chat } else { &specification.embeddings };
        let errors: Vec<String> = schema
            .iter_errors(&seen.body)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?} in {:#}", seen.body);
    }
}

#[test]
fn the_specification_refuses_something() {
    let Some(specification) = SPECIFICATION.as_ref() else { return };
    let good = json!({ "model": "m", "messages": [{ "role": "user", "content": "Hello" }] });
    assert!(specification.chat.is_valid(&good));
    for bad in [
        json!({ "model": "m", "messages": [] }),
        json!({ "model": "m", "messages": [{ "role": "person", "content": "Hello" }] }),
        json!({ "model": "m", "messages": [{ "role": "tool", "content": "{}" }] }),
        json!({ "model": "m", "messages": good["messages"], "tool_choice": "sometimes" }),
        json!({ "model": "m", "messages": good["messages"], "temperature": 3 }),
    ] {
        assert!(!specification.chat.is_valid(&bad), "{bad}");
    }
    assert!(!specification.embeddings.is_valid(&json!({ "model": "m", "input": [] })));
}
