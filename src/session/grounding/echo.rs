//! What a tool's result repeats of the call that it answers.

use std::collections::BTreeSet;

use serde_json::Value;

use super::quotes::wordwise;

/// Members that tell what a service was asked for: words of whoever made the call, among others.
const ASKED: &[&str] = &["query", "searched_for"];

/// A tool's result without what it repeats of its call: whoever makes a call writes into it what they like, so that bears
/// nothing out.
///
/// Left out are the texts that are an argument word by word, and what a service was asked for. Single words and addresses
/// stay: they claim nothing, and an address that a tool opened is one.
pub fn without_echo(result: &Value, args: &Value) -> Value {
    let mut given = BTreeSet::new();
    claims(args, &mut given);
    own(result, &given)
}

/// The texts of arguments that may hold a figure or a quotation, word by word.
fn claims(args: &Value, given: &mut BTreeSet<String>) {
    match args {
        Value::Object(members) => members.values().for_each(|member| claims(member, given)),
        Value::Array(items) => items.iter().for_each(|item| claims(item, given)),
        Value::String(text) => {
            let text = text.trim();
            let is_address = text.contains("://");
            if text.contains(char::is_whitespace)
                || (text.contains(char::is_numeric) && !is_address)
            {
                given.insert(wordwise(text));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn own(result: &Value, given: &BTreeSet<String>) -> Value {
    match result {
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !ASKED.contains(&name.as_str()))
            .map(|(name, member)| (name.clone(), own(member, given)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| own(item, given)).collect(),
        Value::String(text) if given.contains(&wordwise(text)) => Value::Null,
        other => other.clone(),
    }
}
