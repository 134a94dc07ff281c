//! Questions as Discord shows them, and answers as people give them there: what each control reads as, and that
//! whatever is asked fits, and can be answered.

mod person;
mod random;
mod rendered;

use anteroom::{
    chat::form::agrees,
    gateway::discord::render::{self, Cx, Message},
    model::{session::PersonId, wait::Wait},
};
use serde_json::{Value, json};

use crate::discord::{emulator::components, judges};

pub(crate) fn ada() -> PersonId {
    "discord:81384788765712384/80351110224678912".parse().unwrap()
}

pub(crate) fn grace() -> PersonId {
    "discord:81384788765712384/80351110224678913".parse().unwrap()
}

/// The components of a message, as they are sent.
pub(crate) fn components_of(message: &Message) -> Vec<Value> {
    message.body().json()["components"].as_array().cloned().unwrap_or_default()
}

/// The form that an action opens, as it is sent.
pub(crate) fn modal(wait: &Wait, action: &str, cx: &Cx) -> Option<Value> {
    render::modal(wait, action, "salt", cx).map(|modal| json!(modal))
}

/// What is wrong with a message by Discord's rules and by ours.
pub(crate) fn wrong_with(message: &Message) -> Vec<String> {
    let body = message.body().json();
    let mut problems = components::message_problems(&body);
    if body["allowed_mentions"]["parse"] != json!([]) {
        problems.push("somebody may be called".to_owned());
    }
    if message.components.is_empty() {
        problems.extend(acting(&message.content));
    } else {
        let inner = components_of(message);
        problems.extend(judges::second_opinion(&inner, false));
        problems.extend(careful(&inner));
    }
    problems
}

/// The same for a form.
pub(crate) fn wrong_with_modal(modal: &Value) -> Vec<String> {
    let mut problems = components::modal_problems(modal);
    let inner = modal["components"].as_array().cloned().unwrap_or_default();
    problems.extend(judges::second_opinion(&inner, true));
    problems.extend(careful(&inner));
    if !modal["custom_id"].as_str().unwrap_or_default().ends_with("~salt") {
        problems.push("a form that opens under the same id each time".to_owned());
    }
    for component in components::all(&inner) {
        if component["custom_id"].as_str().is_some_and(|id| !id.ends_with("~salt")) {
            problems
                .push(format!("an input under the same id each time: {}", component["custom_id"]));
        }
    }
    problems
}

/// Nothing acts, nothing steers.
fn careful(inner: &[Value]) -> Vec<String> {
    let mut problems = Vec::new();
    for component in components::all(inner) {
        for name in ["content", "label", "placeholder", "description"] {
            let Some(text) = component[name].as_str() else { continue };
            if text.contains(['\0', '\u{202e}', '\u{1b}']) {
                problems.push(format!("characters that steer: {text:?}"));
            }
            if name == "content" {
                problems.extend(acting(text));
            }
        }
    }
    problems
}

/// Whether the words before the middle of a link say where it leads.
fn is_honest(before: &str, rest: &str) -> bool {
    let words = before.rsplit_once('[').map_or("", |(_, words)| words);
    let target = rest.strip_prefix("](<").and_then(|rest| rest.split_once(">)"));
    target.is_some_and(|(target, _)| agrees(words, target))
}

/// What stands for something to Discord within a text, beside times and people who answered.
fn acting(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for name in ["@everyone", "@here"] {
        if text.contains(name) {
            problems.push(format!("`{name}` acts"));
        }
    }
    let mut before = ' ';
    let (mut in_code, mut fenced) = (false, false);
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        if rest.starts_with("```") && before != '`' {
            fenced = !fenced;
        } else if c == '`' && (in_code || before != '\\') && before != '`' && !fenced {
            // One by itself: what follows another is part of that. Within code, a backslash is one.
            in_code = !in_code;
        }
        let harmless = ["<t:1793", "<@80351110224678", "<http"];
        let is_literal = in_code || fenced;
        if c == '<'
            && before != '\\'
            && !is_literal
            && !harmless.iter().any(|h| rest.starts_with(h))
        {
            problems.push(format!("{:?} acts", rest.chars().take(20).collect::<String>()));
        }
        // A link whose words hide where it leads.
        if rest.starts_with("](") && before != '\\' && !is_literal && !is_honest(&text[..at], rest)
        {
            problems.push("a link that hides where it leads".to_owned());
        }
        before = if before == '\\' && c == '\\' { ' ' } else { c };
    }
    problems
}
