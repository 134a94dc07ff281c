//! Normalizes one history to the rules of whoever reads it.
//!
//! Nothing here looks ahead further than the next message, so what was arranged once stays as it is when the history
//! grows; only the last message may grow, at its end.

use std::borrow::Cow;

use super::chat::{Message, Part, ToolCall};
use crate::config::{dialect::SystemRole, preset::Order};

/// Stands where somebody must have said something.
const GO_ON: &str = "<note>Go on.</note>";

/// Stands where the model must have said something.
const HEARD: &str = "I see.";

/// The messages in the order of a service; as they are where it has none of its own.
pub(super) fn normalized(order: Order, messages: Cow<'_, [Message]>) -> Cow<'_, [Message]> {
    let is_strict = order.alternate || order.fold || order.apart;
    if !is_strict && order.system != SystemRole::User {
        return messages;
    }
    let mut arranged: Vec<Message> = Vec::with_capacity(messages.len());
    let mut run = Vec::new();
    for message in with_instructions(order, &messages) {
        // Results belong to the calls before them, so those two are arranged together.
        if !matches!(message, Message::Tool { .. }) {
            calls_done(order, &mut run, &mut arranged);
        }
        match message {
            calling @ Message::Assistant { .. } => run.push(calling),
            result @ Message::Tool { .. } => run.push(result),
            said @ Message::User(_) => add_user(order, said, &mut arranged),
            system @ Message::System(_) => arranged.push(system),
        }
    }
    calls_done(order, &mut run, &mut arranged);
    Cow::Owned(arranged)
}

/// Instructions where the service has them: in the first message, or in what is said first.
fn with_instructions(order: Order, messages: &[Message]) -> Vec<Message> {
    let leading =
        messages.iter().take_while(|message| matches!(message, Message::System(_))).count();
    let (instructions, rest) = messages.split_at(leading);
    let text: Vec<&str> = instructions
        .iter()
        .filter_map(|message| match message {
            Message::System(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let strict = order.alternate || order.fold || order.apart;
    let mut all: Vec<Message> = Vec::with_capacity(messages.len());
    match order.system {
        _ if text.is_empty() => {}
        SystemRole::User => all.push(Message::user(text.join("\n\n"))),
        SystemRole::System | SystemRole::Developer if strict => {
            all.push(Message::System(text.join("\n\n")));
        }
        SystemRole::System | SystemRole::Developer => all.extend(instructions.iter().cloned()),
    }
    all.extend(rest.iter().map(|message| match message {
        Message::System(text) if strict || order.system == SystemRole::User => {
            Message::user(format!("<note>{text}</note>"))
        }
        other => other.clone(),
    }));
    // What is said first follows the instructions in the same message.
    if order.system == SystemRole::User
        && let [Message::User(_), Message::User(_), ..] = all[..]
        && !text.is_empty()
        && let Message::User(said) = all.remove(1)
        && let Some(Message::User(parts)) = all.first_mut()
    {
        join(parts, said);
    }
    all
}

/// Somebody speaks.
fn add_user(order: Order, said: Message, arranged: &mut Vec<Message>) {
    let Message::User(said) = said else { return };
    let (merges, folds) = (order.alternate, order.alternate || order.fold);
    match arranged.last_mut() {
        Some(Message::User(parts)) if merges => return join(parts, said),
        Some(Message::Tool { content, .. }) if folds => {
            if let Some(words) = words(&said) {
                content.push_str("\n\n");
                content.push_str(&words);
                return;
            }
            arranged.push(Message::assistant(HEARD, Vec::new()));
        }
        _ => {}
    }
    arranged.push(Message::User(said));
}

/// The model spoke and called; the results are there.
fn calls_done(order: Order, run: &mut Vec<Message>, arranged: &mut Vec<Message>) {
    let mut run = run.drain(..);
    let Some(Message::Assistant { mut text, calls, opaque }) = run.next() else { return };
    let mut results: Vec<Message> = run.collect();
    if order.alternate {
        match arranged.last_mut() {
            None | Some(Message::System(_)) => arranged.push(Message::user(GO_ON)),
            Some(Message::Assistant { text: before, calls: made, opaque: known }) => {
                if calls.is_empty() && made.is_empty() {
                    // Two answers in a row are one.
                    before.push_str("\n\n");
                    before.push_str(&text);
                    *known = None;
                    return;
                }
                arranged.push(Message::user(GO_ON));
            }
            Some(Message::User(_) | Message::Tool { .. }) => {}
        }
    }
    if order.apart && !calls.is_empty() && !text.is_empty() {
        if let Some(Message::Tool { content, .. }) = results.first_mut() {
            *content = format!("(You said with this call: {text})\n\n{content}");
        }
        text.clear();
    }
    if !order.alternate || calls.len() < 2 {
        arranged.push(Message::Assistant { text, calls, opaque });
        arranged.append(&mut results);
        return;
    }
    one_by_one(text, calls, &results, arranged);
}

/// Each call in a message of its own, before its result.
fn one_by_one(
    text: String,
    calls: Vec<ToolCall>,
    results: &[Message],
    arranged: &mut Vec<Message>,
) {
    let mut text = text;
    for call in calls {
        let is_of = |message: &&Message| matches!(message, Message::Tool { call: id, .. } if *id == call.id);
        let result = results.iter().find(is_of).cloned();
        arranged.push(Message::Assistant {
            text: std::mem::take(&mut text),
            calls: vec![call],
            opaque: None,
        });
        arranged.extend(result);
    }
}

/// Adds what is said to what was said.
fn join(parts: &mut Vec<Part>, more: Vec<Part>) {
    for part in more {
        match (parts.last_mut(), part) {
            (Some(Part::Text(before)), Part::Text(words)) => {
                before.push_str("\n\n");
                before.push_str(&words);
            }
            (_, part) => parts.push(part),
        }
    }
}

/// What is said, where it is words alone.
fn words(parts: &[Part]) -> Option<String> {
    let words: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image { .. } | Part::File { .. } => None,
        })
        .collect();
    words.map(|words| words.join("\n\n"))
}
