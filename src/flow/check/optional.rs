//! What a text calls optional, or what only some have, can be left out.

use serde_json::Value;

use super::{Check, lengths::words, texts::questions};
use crate::{config::toml_document::escaped, model::flow::Step};

/// How a text says that not everybody has what it asks for.
const OPTIONAL: [&str; 21] = [
    "if you have one",
    "if you have a ",
    "if you have an ",
    "if you have any",
    "if there is one",
    "if there are any",
    "if any",
    "if applicable",
    "optional",
    "you can leave this",
    "you can skip",
    "you may skip",
    "press skip",
    "leave it empty",
    "leave empty",
    "leave this empty",
    "leave it blank",
    "leer lassen",
    "falls vorhanden",
    "wenn vorhanden",
    "freiwillig",
];

/// Shortest beginning that two words have in common where one is made of the other: `registered`, `registration`.
const STEM_MIN: usize = 6;

/// Words of days that only those have who have the thing.
const DAYS: [&str; 9] =
    ["until", "expires", "expiry", "valid", "since", "issued", "bis", "gültig", "seit"];

impl Check<'_> {
    pub(super) fn optional(&mut self) {
        let flow = self.flow;
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                self.required_upload(&format!("/phase/{p}/step/{n}/args/required"), step);
            }
        }
        for (name, table) in &flow.data {
            let Some(fields) = &table.fields else { continue };
            let Some(schema) = self.loaded.schemas.get(name) else { continue };
            let properties = &schema["properties"];
            let text = |field: &str, key: &str| properties[field][key].as_str().unwrap_or_default();
            let mut asked: Vec<(&str, Vec<String>)> = Vec::new();
            for (field, written) in &fields.0 {
                let at = format!("/data/{}/fields/{}", escaped(name), escaped(field));
                let (title, help) = (text(field, "title"), text(field, "description"));
                let called = words(&format!("{} {title}", field.replace('_', " ")));
                if properties[field]["type"] == "boolean" {
                    asked.push((field, called));
                    continue;
                }
                if !written.required {
                    continue;
                }
                if is_optional(title) || is_optional(help) {
                    let message =
                        format!("the text calls `{name}.{field}` optional, and it is required");
                    self.warn(&at, message, "add `required = false`, or change the text");
                } else if called.iter().any(|word| DAYS.contains(&word.as_str()))
                    && let Some((before, _)) =
                        asked.iter().find(|(_, other)| is_about(&called, other))
                {
                    let message = format!(
                        "whoever answers no to `{before}` can't fill in `{name}.{field}`, and must"
                    );
                    self.warn(&at, message, "add `required = false`");
                }
            }
        }
    }

    /// `If you have a receipt, please send it.` without a Skip button.
    fn required_upload(&mut self, at: &str, step: &Step) {
        let is_required = step.args.get("required") == Some(&Value::Bool(true));
        if step.tool == "get_user_upload" && is_required && questions(step).any(is_optional) {
            let message = "the text says that not everybody needs to send this, and it is required";
            self.warn(at, message, "take `required` out, or change the text");
        }
    }
}

fn is_optional(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let denies =
        ["not optional", "isn't optional", "nicht freiwillig", "can't skip", "cannot skip"];
    OPTIONAL.iter().any(|said| lower.contains(said)) && !denies.iter().any(|no| lower.contains(no))
}

/// Whether two fields are about one thing, by words that begin alike.
fn is_about(one: &[String], other: &[String]) -> bool {
    let alike = |a: &String, b: &String| {
        let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        common >= STEM_MIN
    };
    one.iter().any(|a| other.iter().any(|b| alike(a, b)))
}
