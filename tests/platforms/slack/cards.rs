//! Questions as Slack shows them, and answers as people give them there: what each control reads as, and that whatever
//! is asked fits, and can be answered.

mod person;
mod random;
mod rendered;

use std::collections::BTreeSet;

use anteroom::{
    gateway::slack::{limits, render::Message},
    model::session::PersonId,
};
use serde_json::Value;

use crate::slack::emulator::blocks::{self, Surface};

pub(crate) fn ada() -> PersonId {
    "slack:T0HOME/U0ADA".parse().unwrap()
}

pub(crate) fn grace() -> PersonId {
    "slack:T0HOME/U0GRACE".parse().unwrap()
}

/// What is wrong with a message by Slack's limits; beside the emulator's rules, the careful reading of how Slack counts.
pub(crate) fn wrong_with(message: &Message) -> Vec<String> {
    let payload = Value::Array(message.blocks.clone());
    let mut problems = blocks::problems(&payload, Surface::Message);
    if blocks::too_long(&payload) {
        problems.push("msg_blocks_too_long".to_owned());
    }
    let total = total(&payload);
    if total > limits::MESSAGE_TOTAL {
        problems.push(format!("{total} characters in all"));
    }
    if message.text.trim().is_empty() || message.text.encode_utf16().count() > limits::MESSAGE_TEXT
    {
        problems.push(format!("a text of {} characters", message.text.encode_utf16().count()));
    }
    problems.extend(acting(&message.text));
    problems.extend(careful(&payload));
    problems
}

/// The same for a form.
pub(crate) fn wrong_with_view(view: &Value) -> Vec<String> {
    let mut problems = match blocks::view_problems(view) {
        Some((error, said)) => [vec![error.to_owned()], said].concat(),
        None => Vec::new(),
    };
    for name in ["title", "submit", "close"] {
        problems.extend(
            view[name]["text"]
                .as_str()
                .filter(|text| text.trim().is_empty())
                .map(|_| format!("{name} is blank")),
        );
    }
    problems.extend(careful(&view["blocks"]));
    problems
}

/// What both share: nothing blank, nothing that acts, every id one of ours and used once.
fn careful(blocks: &Value) -> Vec<String> {
    let mut problems: Vec<String> = Vec::new();
    let mut ids = BTreeSet::new();
    walk(blocks, &mut |object| {
        if let Some(kind @ ("plain_text" | "mrkdwn")) = object["type"].as_str() {
            let text = object["text"].as_str().unwrap_or_default();
            if text.trim().is_empty() {
                problems.push("a blank text".to_owned());
            }
            if text.contains(['\0', '\u{202e}', '\u{1b}']) {
                problems.push(format!("characters that steer: {text:?}"));
            }
            if kind == "mrkdwn" {
                problems.extend(acting(text));
                if object["verbatim"] != true {
                    problems.push("words may become links".to_owned());
                }
            }
        }
        let is_ours = |id: &str| id.starts_with("v1.");
        if let Some(id) = object["action_id"].as_str().filter(|id| is_ours(id))
            && !ids.insert(id.to_owned())
        {
            problems.push(format!("`{id}` stands twice"));
        }
    });
    problems
}

/// References of Slack in a text: none but times, people who answered, and addresses that can be seen.
fn acting(text: &str) -> Vec<String> {
    let inside = text.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
    let harmless = |inside: &&str| {
        inside.starts_with("!date^") && inside[6..].contains('^')
            || inside.starts_with("@U0")
            || (inside.starts_with("http") && !inside.contains('|'))
    };
    inside.filter(|inside| !harmless(inside)).map(|inside| format!("`<{inside}>` acts")).collect()
}

/// As long as Slack may take it for.
fn units(text: &str) -> usize {
    let more = |c: char| match c {
        '&' => 5,
        '<' | '>' => 4,
        c => c.len_utf16(),
    };
    text.chars().map(more).sum()
}

/// How much text some blocks hold; mrkdwn is escaped already.
fn total(value: &Value) -> usize {
    let mut total = 0;
    walk(value, &mut |object| {
        total += match (object["text"].as_str(), object["type"].as_str()) {
            (Some(text), Some("mrkdwn")) => text.encode_utf16().count(),
            (text, _) => units(text.unwrap_or_default()),
        };
        total += object["value"].as_str().map_or(0, units);
    });
    total
}

/// Every object within a value.
pub(crate) fn walk(value: &Value, look: &mut dyn FnMut(&Value)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, look)),
        Value::Object(members) => {
            look(value);
            members.values().for_each(|member| walk(member, look));
        }
        _ => {}
    }
}
