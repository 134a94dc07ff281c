//! Texts with `{{name}}` in them.

use std::collections::BTreeMap;

/// Fills `{{name}}` in; what is no variable stays as it is.
pub fn fill(template: &str, vars: &BTreeMap<String, String>) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, inner, after)) = next(rest) {
        filled.push_str(before);
        if let Some(value) = vars.get(inner.trim()) {
            filled.push_str(value);
        } else {
            filled.push_str("{{");
            filled.push_str(inner);
            filled.push_str("}}");
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// What stands between `{{` and `}}`, in order.
pub fn placeholders(template: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = template;
    while let Some((_, inner, after)) = next(rest) {
        found.push(inner.trim());
        rest = after;
    }
    found
}

fn next(text: &str) -> Option<(&str, &str, &str)> {
    let (before, opened) = text.split_once("{{")?;
    let (inner, after) = opened.split_once("}}")?;
    Some((before, inner, after))
}

/// Whether a text is more than words.
pub(crate) fn has_expressions(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// Fit for an expression: `answers.word`.
pub(crate) fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}
