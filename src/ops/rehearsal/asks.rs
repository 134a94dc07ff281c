//! What the instructions of a model and the questions of a script ask about, although the flow forbids it.

use serde_json::Value;

use crate::{
    config::{Problem, toml_document::TomlDocument},
    flow::LoadedFlow,
    session::topics,
};

/// Words with which instructions tell a model to ask.
const ASKS: [&str; 6] = ["ask", "find out", "inquire", "frag", "frage", "pregunta"];

/// Words with which instructions tell a model not to.
const NOT: [&str; 14] = [
    "not", "never", "don't", "don’t", "without", "avoid", "unless", "refrain", "no", "nicht",
    "nie", "kein", "nunca", "jamais",
];

/// Questions and instructions about what the flow forbids to ask.
pub(super) fn forbidden(flow: &LoadedFlow, document: &TomlDocument) -> Vec<Problem> {
    let never = &flow.flow.policy.never_ask;
    let mut found = Vec::new();
    if never.is_empty() {
        return found;
    }
    let mut tell = |at: String, topic: &str, what: &str| {
        let message = format!("this {what} “{topic}”, which `never_ask` forbids");
        let hint = "leave that out, or take the topic out of `never_ask` under `[policy]`";
        found.push(document.problem(&at, message).hint(hint).warning());
    };
    for (p, phase) in flow.flow.phase.iter().enumerate() {
        let told = phase.prompt.split(['.', '\n', '!', ';']).filter(|sentence| is_order(sentence));
        for sentence in told {
            if let Some(topic) = topics::topic_of(never, sentence) {
                tell(format!("/phase/{p}/prompt"), topic, "tells the model to ask about");
            }
        }
        for (n, step) in phase.step.iter().enumerate() {
            for name in ["prompt", "message"] {
                let text = step.args.get(name).and_then(Value::as_str).unwrap_or_default();
                if let Some(asked) = topics::forbidden(never, text) {
                    tell(format!("/phase/{p}/step/{n}/args/{name}"), asked.topic, "asks about");
                }
            }
        }
    }
    found
}

/// Whether a sentence tells a model to ask something.
fn is_order(sentence: &str) -> bool {
    let text = topics::normal(sentence);
    let has = |words: &[&str]| words.iter().any(|word| topics::contains(&text, word));
    has(&ASKS) && !has(&NOT)
}
