//! The catalogue of what people read, in English, by who reads it and where.
//!
//! What is fixed is a constant; what names somebody or something is a function with typed arguments. What a platform
//! writes in its own markup, such as a name or a time, is part of a [`Text`]. Each label stands here once, so that one
//! action has one name on every platform. Log lines, errors of the command line, of the
//! configuration and of flows, and what models read stand where they are used; so do the results of tools, and why a file
//! or an address was refused.

pub mod answers;
pub(crate) mod buttons;
pub(crate) mod commands;
pub(crate) mod discord;
pub(crate) mod erasure;
pub(crate) mod export;
pub(crate) mod forms;
pub(crate) mod interview;
pub(crate) mod list;
pub mod notices;
pub mod page;
pub(crate) mod requests;
pub(crate) mod slack;
pub(crate) mod staff;
pub(crate) mod staff_page;
pub(crate) mod timeline;
pub(crate) mod unnamed;

use chrono::{DateTime, Utc};

pub(crate) use crate::model::words::moment;
pub use crate::model::words::{Markup, Text};

/// A day as people read it: `1 December 2026`.
pub(crate) fn day(at: DateTime<Utc>) -> String {
    at.format("%-d %B %Y").to_string()
}

/// A size for people: `10 MB`, `120 KB`.
pub(crate) fn bytes(size: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = 1024 * KB;
    match size {
        s if s >= MB && s % MB == 0 => format!("{} MB", s / MB),
        s if s >= MB => format!("{}.{} MB", s / MB, s % MB * 10 / MB),
        s if s >= KB => format!("{} KB", s / KB),
        s => format!("{s} bytes"),
    }
}

/// What stands between a label and its value: a question has its mark already.
pub(crate) fn colon_after(label: &str) -> &'static str {
    if label.trim_end().ends_with(['?', ':']) { "" } else { ":" }
}

/// A label with its value: `Hours: 4`, `Vegetarian? no`.
pub(crate) fn with_label(label: &str, value: &str) -> String {
    format!("{label}{} {value}", colon_after(label))
}

/// With a capital at the beginning.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_needs_no_colon() {
        assert_eq!(with_label("Hours", "4"), "Hours: 4");
        assert_eq!(with_label("Vegetarian?", "no"), "Vegetarian? no");
    }
}
