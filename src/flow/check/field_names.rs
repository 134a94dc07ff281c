//! Fields whose names tell what they hold: telephone numbers that are no numbers, health that is special data, and days
//! that have passed.

use serde_json::Value;

use super::{
    Check,
    lengths::words,
    tokens::{Token, tokens},
};
use crate::{
    config::toml_document::escaped,
    flow::shape::kind,
    model::flow::{Opening, Sensitivity},
};

/// Words for digits that nobody counts with.
const CODES: [&str; 14] = [
    "phone",
    "telephone",
    "mobile",
    "telefon",
    "handy",
    "handynummer",
    "telefonnummer",
    "téléphone",
    "teléfono",
    "postcode",
    "zip",
    "plz",
    "postleitzahl",
    "iban",
];

/// Words for what data protection law calls special: Article 9 of the GDPR.
const SPECIAL: [&str; 36] = [
    "allergies",
    "allergy",
    "allergien",
    "alergias",
    "allergieën",
    "diagnosis",
    "diagnoses",
    "diagnose",
    "disability",
    "disabilities",
    "behinderung",
    "discapacidad",
    "handicap",
    "disease",
    "illness",
    "krankheit",
    "krankheiten",
    "enfermedad",
    "maladie",
    "medication",
    "medications",
    "medicine",
    "medikamente",
    "medicación",
    "médicaments",
    "pain",
    "pregnant",
    "pregnancy",
    "schwanger",
    "religion",
    "religious",
    "ethnicity",
    "symptoms",
    "symptome",
    "health",
    "salud",
];

/// Words for days that have passed, whenever somebody answers.
const PAST: [&str; 14] = [
    "born",
    "birth",
    "birthday",
    "birthdate",
    "dob",
    "geburt",
    "geburtsdatum",
    "geburtstag",
    "geboren",
    "nacimiento",
    "nascimento",
    "naissance",
    "geboortedatum",
    "certified",
];

/// Words for the day on which something ends.
const ENDS: [&str; 9] =
    ["until", "expires", "expiry", "expiration", "valid", "bis", "gültig", "ablauf", "deadline"];

impl Check<'_> {
    pub(super) fn field_names(&mut self) {
        let flow = self.flow;
        for (name, table) in &flow.data {
            let Some(schema) = self.loaded.schemas.get(name) else { continue };
            let fields = schema.get("properties").and_then(Value::as_object);
            let (mut counted, mut special) = (Vec::new(), None);
            for (field, schema) in fields.into_iter().flatten() {
                let called = called(field, schema);
                let is = |known: &[&str]| called.iter().any(|word| known.contains(&word.as_str()));
                if matches!(kind(schema), "number" | "integer") && is(&CODES) {
                    counted.push(field.clone());
                }
                if special.is_none() && is(&SPECIAL) {
                    special = Some(field.clone());
                }
            }
            let at = format!("/data/{}", escaped(name));
            for field in counted {
                let message = format!(
                    "`{name}.{field}` is a number: a `+` or a zero at its front would be lost"
                );
                let hint = "make it a text, or `type = \"phone\"`";
                self.warn(&format!("{at}/fields/{}", escaped(&field)), message, hint);
            }
            if let Some(field) = special.filter(|_| table.sensitivity == Sensitivity::None) {
                let message = format!("`{field}` says something about a person");
                let hint = "set `sensitivity = \"special\"`, or `\"personal\"`";
                self.warn(&format!("{at}/sensitivity"), message, hint);
            }
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            if let Some(Opening::On(expression)) = phase.after.as_deref().map(Opening::read) {
                let tokens = tokens(&expression);
                let is_moved = tokens.iter().any(|token| matches!(token, Token::Sign('|')));
                if let Some(name) =
                    tokens.iter().find_map(|token| self.past(token)).filter(|_| !is_moved)
                {
                    let message = format!("`{name}` has passed already, so this comes at once");
                    let hint = "name a day that is to come, or add to it: `… | plus('18y')`";
                    self.warn(&format!("/phase/{p}/after"), message, hint);
                }
            }
            for (n, step) in phase.step.iter().enumerate() {
                if let Some(when) = &step.when {
                    let at = format!("/phase/{p}/step/{n}/when");
                    self.never_to_come(&at, when);
                    self.always_since(&at, when);
                }
            }
        }
    }

    /// `records.person.certified | days_until > 730`: a day that has passed is not to come.
    fn never_to_come(&mut self, at: &str, when: &str) {
        let found = tokens(when).windows(4).find_map(|part| match part {
            [name, Token::Sign('|'), Token::Name("days_until"), Token::Sign('>')] => {
                self.past(name)
            }
            _ => None,
        });
        if let Some(name) = found {
            let message = format!("`{name} | days_until` is never above 0: the day has passed");
            self.warn(at, message, "use `days_since`");
        }
    }

    /// `records.licence.until | days_since < 30`: true of every day that is still to come.
    fn always_since(&mut self, at: &str, when: &str) {
        let found = tokens(when).windows(4).find_map(|part| match part {
            [name, Token::Sign('|'), Token::Name("days_since"), Token::Sign('<')] => {
                self.until(name)
            }
            _ => None,
        });
        if let Some(name) = found {
            let message =
                format!("`{name} | days_since` is below 0 for every day that is still to come");
            self.warn(at, message, "use `days_until`");
        }
    }

    /// A field of the records that holds the day on which something ends.
    fn until(&self, token: &Token<'_>) -> Option<String> {
        let Token::Name(name) = token else { return None };
        let path: Vec<&str> = name.strip_prefix("records.")?.split('.').collect();
        let schema = self.field(&path).ok()??;
        let ends = called(path.last()?, schema).iter().any(|word| ENDS.contains(&word.as_str()));
        (ends && schema["format"] == "date").then(|| (*name).to_owned())
    }

    /// A field of the records that holds a day that has passed.
    fn past(&self, token: &Token<'_>) -> Option<String> {
        let Token::Name(name) = token else { return None };
        let path: Vec<&str> = name.strip_prefix("records.")?.split('.').collect();
        let schema = self.field(&path).ok()??;
        let is_past = called(path.last()?, schema).iter().any(|word| PAST.contains(&word.as_str()));
        (is_past && schema["format"] == "date").then(|| (*name).to_owned())
    }
}

/// The words by which a field is called.
fn called(name: &str, schema: &Value) -> Vec<String> {
    let title = schema.get("title").and_then(Value::as_str).unwrap_or_default();
    words(&format!("{} {title}", name.replace('_', " ")))
}
