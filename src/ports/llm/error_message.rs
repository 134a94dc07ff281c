//! A provider's sentence about a failure, without what people wrote.

use std::fmt::Write as _;

use serde_json::Value;

use super::chat::{Message, Part, Request};

/// Longest sentence that is kept, in characters.
const SENTENCE_MAX: usize = 400;

/// How deep sentences are looked for.
const DEPTH: usize = 5;

/// Words in a row that are taken for a quotation of what stands in the request.
const RUN: usize = 3;

/// Words of the API that stand in quotes and are no quotation of people.
const PLAIN: [&str; 12] = [
    "user",
    "tool",
    "assistant",
    "system",
    "none",
    "null",
    "content",
    "role",
    "name",
    "model",
    "text",
    "json",
];

/// Everything that a body says about a failure, as one line. Providers wrap sentences of others into their own.
pub(super) fn of(body: &Value) -> String {
    let mut said = String::new();
    gather(body, DEPTH, &mut said);
    said
}

fn gather(value: &Value, depth: usize, said: &mut String) {
    if depth == 0 {
        return;
    }
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => gather(&inner, depth - 1, said),
            _ => push(said, text),
        },
        Value::Array(items) => items.iter().take(4).for_each(|item| gather(item, depth - 1, said)),
        Value::Object(members) => {
            if let Some(place) = members.get("loc").and_then(Value::as_array) {
                let place: Vec<String> = place.iter().map(plain).collect();
                push(said, &place.join("."));
            }
            for name in ["message", "msg", "detail", "details", "error", "errors", "reason"] {
                if let Some(inner) = members.get(name) {
                    gather(inner, depth - 1, said);
                }
            }
            if let Some(raw) = members.get("metadata").and_then(|metadata| metadata.get("raw")) {
                gather(raw, depth - 1, said);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn push(said: &mut String, text: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() || said.contains(&text) {
        return;
    }
    if !said.is_empty() {
        said.push_str(": ");
    }
    said.push_str(&text);
}

/// The parameter that a body names: in `param`, or where a validator stopped.
pub(super) fn param(error: &Value) -> Option<String> {
    if let Some(param) = error.get("param").and_then(Value::as_str) {
        return fits(param);
    }
    let validated = |holder: &Value| {
        let place = holder.get(0)?.get("loc")?.as_array()?.last()?.as_str()?.to_owned();
        fits(&place)
    };
    ["/detail", "/message/detail", "/errors", ""]
        .iter()
        .find_map(|holder| validated(error.pointer(holder)?))
}

fn fits(param: &str) -> Option<String> {
    let is_plain =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'[' | b']' | b'/');
    let fits = !param.is_empty() && param.len() <= 64 && param.bytes().all(is_plain);
    fits.then(|| param.to_owned())
}

/// What people wrote in a request, and what came of calls, in small letters.
pub(super) fn texts(request: &Request) -> String {
    let mut all = String::new();
    for message in &request.messages {
        match message {
            Message::System(_) => {}
            Message::User(parts) => {
                for part in parts {
                    match part {
                        Part::Text(text) => _ = writeln!(all, "{text}"),
                        Part::File { name, .. } => _ = writeln!(all, "{name}"),
                        Part::Image { .. } => {}
                    }
                }
            }
            Message::Assistant { text, calls, .. } => {
                _ = writeln!(all, "{text}");
                for call in calls {
                    _ = writeln!(all, "{}", call.raw);
                }
            }
            Message::Tool { content, .. } => _ = writeln!(all, "{content}"),
        }
    }
    all.to_lowercase()
}

/// A sentence with `…` for what it quotes of `texts`, cut to a bearable length.
pub(super) fn masked(said: &str, texts: &str) -> String {
    let said: String = said.chars().filter(|c| !c.is_control()).take(SENTENCE_MAX).collect();
    let unquoted = without_quotations(&said, texts);
    let known = words(texts);
    let tokens: Vec<&str> = unquoted.split(' ').collect();
    let bare: Vec<String> = tokens.iter().map(|token| word(token)).collect();
    let mut hidden = vec![false; tokens.len()];
    let runs: std::collections::HashSet<&[String]> = known.windows(RUN).collect();
    for at in 0..bare.len().saturating_sub(RUN - 1) {
        if runs.contains(&bare[at..at + RUN]) {
            hidden[at..at + RUN].fill(true);
        }
    }
    let vocabulary: std::collections::HashSet<&str> = known.iter().map(String::as_str).collect();
    let is_name = |at: usize| {
        let capital = tokens.get(at).and_then(|token| token.chars().find(|c| c.is_alphanumeric()));
        capital.is_some_and(char::is_uppercase) && vocabulary.contains(bare[at].as_str())
    };
    for at in 0..tokens.len() {
        // A sentence begins with a capital, too.
        let begins = at == 0 || tokens[at - 1].ends_with(['.', '!', '?']);
        hidden[at] |= is_name(at) && (!begins || is_name(at + 1));
    }
    for (hide, token) in hidden.iter_mut().zip(&tokens) {
        // Addresses and numbers that people gave stand alone.
        let core = token.trim_matches(|c: char| !c.is_alphanumeric());
        let telling =
            token.contains('@') || core.len() >= 6 && core.bytes().all(|b| b.is_ascii_digit());
        *hide |= telling && texts.contains(&core.to_lowercase());
        *hide |= is_secret(token);
    }
    let mut out: Vec<&str> = Vec::with_capacity(tokens.len());
    for (token, hide) in tokens.iter().zip(hidden) {
        match hide {
            true if out.last() == Some(&"…") => {}
            true => out.push("…"),
            false => out.push(token),
        }
    }
    out.join(" ")
}

/// Whether a word looks like a key: providers repeat a wrong one, or parts of it, in what they say.
fn is_secret(token: &str) -> bool {
    let core = token.trim_matches(|c: char| !c.is_alphanumeric());
    let begins = KEYS.iter().any(|key| core.to_lowercase().starts_with(key));
    // An unbroken run of letters and digits; names of models have dashes.
    let is_long = core.len() >= 20
        && core.bytes().any(|b| b.is_ascii_digit())
        && core.bytes().all(|b| b.is_ascii_alphanumeric());
    begins || token.contains("***") || is_long
}

/// How keys of providers begin.
const KEYS: [&str; 8] = ["sk-", "sk_", "pk-", "gsk_", "xai-", "aiza", "hf_", "bearer"];

/// Takes out what stands in quotes and in the request.
fn without_quotations(said: &str, texts: &str) -> String {
    let mut out = String::with_capacity(said.len());
    let mut rest = said;
    while let Some(at) = rest.find(['\'', '"', '`', '“']) {
        let (before, quoted) = rest.split_at(at);
        let Some(open) = quoted.chars().next() else { break };
        let close = if open == '“' { '”' } else { open };
        let inside = &quoted[open.len_utf8()..];
        let Some(end) = inside.find(close) else { break };
        let quotation = inside[..end].to_lowercase();
        let is_api = PLAIN.contains(&quotation.as_str()) || quotation.contains('_');
        let hide = !is_api && !quotation.trim().is_empty() && texts.contains(quotation.trim());
        out.push_str(before);
        out.push(open);
        out.push_str(if hide { "…" } else { &inside[..end] });
        out.push(close);
        rest = &inside[end + close.len_utf8()..];
    }
    out.push_str(rest);
    out
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(word).filter(|word| !word.is_empty()).collect()
}

fn word(token: &str) -> String {
    token.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sentences_are_found_wherever_they_stand() {
        let cases = [
            (json!({ "message": "No such model" }), "No such model"),
            (json!("loading model"), "loading model"),
            (
                json!({ "message": "Provider returned error", "metadata": { "raw": "{\"error\":{\"message\":\"Function call is missing\"}}" } }),
                "Provider returned error: Function call is missing",
            ),
            (
                json!({ "detail": [{ "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted" }] }),
                "body.stream_options: Extra inputs are not permitted",
            ),
            (json!({ "code": 3 }), ""),
        ];
        for (body, said) in cases {
            assert_eq!(of(&body), said, "{body}");
        }
        assert_eq!(
            param(
                &json!({ "message": { "detail": [{ "loc": ["body", "messages", 2, "reasoning_content"] }] } })
            ),
            Some("reasoning_content".to_owned())
        );
        assert_eq!(param(&json!({ "param": "max_tokens" })), Some("max_tokens".to_owned()));
        assert_eq!(param(&json!({ "param": "what Ada said" })), None);
    }

    #[test]
    fn what_people_wrote_is_taken_out() {
        let texts = "my name is ada byron and i live in london.\nada@example.org 5551234567";
        let cases = [
            ("Unsupported parameter: 'max_tokens'.", "Unsupported parameter: 'max_tokens'."),
            (
                "Unexpected role 'user' after role 'tool'",
                "Unexpected role 'user' after role 'tool'",
            ),
            ("Invalid value: 'Ada Byron'.", "Invalid value: '…'."),
            ("The text My name is Ada Byron and more", "The text … more"),
            ("you said: Ada Byron", "you said: …"),
            ("No user ada@example.org or 5551234567", "No user … or …"),
            ("Incorrect API key provided: sk-abc***xyz.", "Incorrect API key provided: …"),
            ("No such key: a8f5f167f44f4964e6c998dee827110c", "No such key: …"),
            (
                "model gpt-5.6-sol-2026-11-01 is not available",
                "model gpt-5.6-sol-2026-11-01 is not available",
            ),
        ];
        for (said, shown) in cases {
            assert_eq!(masked(said, texts), shown);
        }
        assert_eq!(masked(&"x".repeat(9_000), "").len(), SENTENCE_MAX);
    }
}
