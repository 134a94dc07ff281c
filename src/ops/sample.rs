//! Made-up values for the fields of a form, and made-up files.

use serde_json::Value;

use crate::model::ui::{Field, Input};

/// What is written where anything may be.
pub(super) const WORDS: &str = "An answer in a few words.";

/// The smallest PDF that is one.
pub(super) const PDF: &[u8] = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
    2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
    3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

/// What is written where it has to differ from the entries before.
const OTHER_WORDS: [&str; 3] =
    ["Something else in a few words.", "More of it in a few words.", "Yet another answer."];

/// A picture of one white dot.
pub(super) const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b,
    0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0x0f, 0x00, 0x01,
    0x01, 0x01, 0x00, 0xb1, 0x38, 0xf6, 0x14, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae,
    0x42, 0x60, 0x82,
];

/// Something that fits a field; `None` if the field offers nothing to choose from.
pub(super) fn sample(field: &Field) -> Option<Value> {
    nth_sample(field, 0)
}

/// Something that fits a field of the nth of several entries, counted from 0, with other words if words are free.
/// `None` if the field offers nothing to choose from.
pub(super) fn nth_sample(field: &Field, nth: usize) -> Option<Value> {
    Some(match &field.input {
        Input::Text { min, max, .. } => {
            let words = match nth.checked_sub(1) {
                Some(n) => OTHER_WORDS[n % OTHER_WORDS.len()],
                None => WORDS,
            };
            let size = |bound: Option<u32>| bound.and_then(|bound| usize::try_from(bound).ok());
            let least = words.len().max(size(*min).unwrap_or(0));
            let length = least.min(size(*max).unwrap_or(usize::MAX));
            Value::from(words.chars().cycle().take(length).collect::<String>())
        }
        Input::Email => Value::from("ada@example.org"),
        Input::Url => Value::from("https://example.org"),
        Input::Phone => Value::from("+44 20 7946 0018"),
        // Far enough back for somebody to be of age.
        Input::Date | Input::Day => Value::from("1998-03-01"),
        Input::Number { min, max, integer } => {
            let number = min.or(*max).unwrap_or(1.0);
            let whole = serde_json::from_str(&format!("{number:.0}")).ok();
            if *integer { whole? } else { Value::from(number) }
        }
        Input::Bool => Value::Bool(true),
        Input::Select { choices, multiple } => {
            let first = Value::from(choices.first()?.id.clone());
            if *multiple { Value::Array(vec![first]) } else { first }
        }
        Input::Lines => Value::Array(vec![Value::from(WORDS)]),
    })
}
