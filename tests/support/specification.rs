//! What is sent, against the original's own specification, where somebody has put that beside the repository, and
//! against the rule that it has no words for: each call is answered once, right after it was made.

use std::{fs, path::Path, sync::LazyLock};

use jsonschema::Validator;
use serde_json::{Value, json};

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

/// What is wrong with the body of a request, for an answer or for vectors; nothing is known of its form where there is
/// no specification.
pub(crate) fn problems(body: &Value) -> Vec<String> {
    let mut problems = disorder(body);
    if let Some(Specification { chat, embeddings }) = SPECIFICATION.as_ref() {
        let schema = if body.get("input").is_some() { embeddings } else { chat };
        let errors = schema.iter_errors(body);
        problems.extend(errors.map(|error| format!("{}: {error}", error.instance_path())));
    }
    problems
}

/// Calls without their one result, and results without a call.
fn disorder(body: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for message in body["messages"].as_array().into_iter().flatten() {
        if message["role"] == "tool" {
            let id = text(&message["tool_call_id"]);
            match open.iter().position(|call| *call == id) {
                Some(at) => _ = open.remove(at),
                None => problems.push(format!("the result of `{id}` has no call")),
            }
            continue;
        }
        problems.extend(open.drain(..).map(|call| format!("`{call}` has no result")));
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        open.extend(calls.map(|call| text(&call["id"])));
    }
    problems.extend(open.drain(..).map(|call| format!("`{call}` has no result")));
    problems
}
