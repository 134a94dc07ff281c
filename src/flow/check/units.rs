//! Bounds of numbers fit the unit that their label names: no wage of 14 to 40 euros a month.

use serde_json::Value;

use super::{Check, lengths::words};
use crate::config::toml_document::escaped;

/// Units by the words that name them, with what a number in them can be.
const UNITS: [(&[&[&str]], f64, f64); 14] = [
    (&[&["hours", "a", "day"], &["hours", "per", "day"], &["stunden", "am", "tag"]], 0.0, 24.0),
    (
        &[&["hours", "a", "week"], &["hours", "per", "week"], &["stunden", "pro", "woche"]],
        0.0,
        168.0,
    ),
    (&[&["days", "a", "week"], &["days", "per", "week"], &["tage", "pro", "woche"]], 0.0, 7.0),
    (&[&["days", "a", "month"], &["days", "per", "month"], &["tage", "im", "monat"]], 0.0, 31.0),
    (&[&["percent"], &["percentage"], &["prozent"]], 0.0, 100.0),
    (&[&["year", "of", "birth"], &["birth", "year"], &["geburtsjahr"]], 1900.0, 2100.0),
    (&[&["your", "age"], &["age", "in", "years"], &["how", "old"], &["wie", "alt"]], 0.0, 130.0),
    (
        &[
            &["wage", "per", "month"],
            &["wage", "a", "month"],
            &["salary", "per", "month"],
            &["salary", "a", "month"],
            &["monthly", "salary"],
            &["monthly", "wage"],
            &["monatsgehalt"],
        ],
        200.0,
        1e6,
    ),
    (
        &[
            &["salary", "per", "year"],
            &["salary", "a", "year"],
            &["wage", "per", "year"],
            &["annual", "salary"],
            &["yearly", "salary"],
            &["jahresgehalt"],
        ],
        2_000.0,
        1e7,
    ),
    (
        &[
            &["wage", "per", "hour"],
            &["wage", "an", "hour"],
            &["hourly", "rate"],
            &["hourly", "wage"],
            &["stundenlohn"],
            &["stundensatz"],
        ],
        0.5,
        2_000.0,
    ),
    (&[&["height", "in", "cm"], &["größe", "in", "cm"]], 40.0, 280.0),
    (&[&["in", "grams"], &["in", "gramm"]], 5.0, 1e7),
    (&[&["in", "millimetres"], &["in", "mm"]], 5.0, 1e7),
    (&[&["weight", "in", "kg"], &["gewicht", "in", "kg"]], 1.0, 500.0),
];

/// Most characters of an IBAN: ISO 13616.
const IBAN_MAX: f64 = 34.0;

impl Check<'_> {
    /// A number whose bounds leave nothing that the unit in its label can be.
    pub(super) fn units(&mut self) {
        let flow = self.flow;
        for name in flow.data.keys() {
            let Some(schema) = self.loaded.schemas.get(name) else { continue };
            for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
                let (low, high) = (bound(schema, "minimum"), bound(schema, "maximum"));
                let title = schema["title"].as_str().unwrap_or(field);
                let words = words(title);
                let names = |unit: &&[&str]| {
                    words.windows(unit.len()).any(|part| part.iter().eq(unit.iter()))
                };
                let at = format!("/data/{}/fields/{}", escaped(name), escaped(field));
                let most = bound(schema, "maxLength");
                if words.iter().any(|word| word == "iban")
                    && most.is_some_and(|most| most < IBAN_MAX)
                {
                    let message = format!("“{title}”: IBANs have up to {IBAN_MAX} characters");
                    self.warn(&at, message, "raise `max_length` to 34, or leave it out");
                }
                let unit = UNITS.iter().find(|(units, ..)| units.iter().any(names));
                let Some((_, least, most)) = unit else { continue };
                if low.is_some_and(|low| low > *most) || high.is_some_and(|high| high < *least) {
                    let message = format!("“{title}” is never between {}", told(low, high));
                    self.warn(&at, message, "change `min` and `max`, or the title");
                }
            }
        }
    }
}

fn bound(schema: &Value, key: &str) -> Option<f64> {
    schema.get(key).and_then(Value::as_f64)
}

fn told(low: Option<f64>, high: Option<f64>) -> String {
    let shown =
        |bound: Option<f64>| bound.map_or_else(|| "…".to_owned(), |bound| bound.to_string());
    format!("{} and {}", shown(low), shown(high))
}
