//! Made-up values for the fields of a form, and made-up files.

use serde_json::Value;

use crate::model::ui::{Field, Input};

/// What is written where anything may be.
pub(super) const WORDS: &str = "An answer in a few words.";

/// The smallest PDF that is one.
pub(super) const PDF: &[u8] = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
    2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
    3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

/// Something that fits a field; none where it offers nothing to choose from.
pub(super) fn sample(field: &Field) -> Option<Value> {
    Some(match &field.input {
        Input::Text { min, max, .. } => {
            let size = |bound: Option<u32>| bound.and_then(|bound| usize::try_from(bound).ok());
            let least = WORDS.len().max(size(*min).unwrap_or(0));
            let length = least.min(size(*max).unwrap_or(usize::MAX));
            Value::from(WORDS.chars().cycle().take(length).collect::<String>())
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
