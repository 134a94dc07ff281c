//! Texts that stand in one another's place: a refusal where people are welcomed, a welcome where they are refused.

use serde_json::Value;

use super::{
    Check,
    answers::asks_for_objections,
    contradictions::MODEL,
    lengths::words,
    texts::{options, questions},
};
use crate::{
    config::toml_document::escaped,
    model::flow::{PhaseEffect, Step},
};

/// Words of a refusal.
const REFUSES: [&str; 25] = [
    "unfortunately",
    "regret",
    "sorry",
    "can't offer",
    "cannot offer",
    "can't take",
    "cannot take",
    "can't accept",
    "cannot accept",
    "no place",
    "not this time",
    "somebody else",
    "someone else",
    "other candidates",
    "other applicants",
    "decided against",
    "decided not",
    "turned down",
    "not been accepted",
    "not accepted",
    "not been approved",
    "leider",
    "bedauern",
    "absage",
    "malheureusement",
];

/// Words of a welcome.
const WELCOMES: [&str; 20] = [
    "congratulations",
    "welcome",
    "you're in",
    "you are in",
    "good news",
    "great news",
    "delighted",
    "happy to tell",
    "glad to tell",
    "pleased to",
    "look forward",
    "looking forward",
    "you've been accepted",
    "you have been accepted",
    "glückwunsch",
    "willkommen",
    "gute nachricht",
    "wir freuen uns",
    "félicitations",
    "bienvenue",
];

/// Words of what follows nobody's refusal.
const NEVER_DENIED: [&str; 4] = ["congratulations", "welcome to", "you're in", "glückwunsch"];

/// Ids of answers that allow something, and of those that don't.
const ALLOWS: [&str; 9] =
    ["accept", "accepted", "agree", "agreed", "allow", "allowed", "granted", "permitted", "yes"];
const DENIES: [&str; 9] = [
    "decline",
    "declined",
    "denied",
    "disagree",
    "no",
    "not_allowed",
    "refuse",
    "refused",
    "rejected",
];

/// How a label begins that says no.
const NO: [&str; 10] =
    ["no", "not", "don't", "decline", "cancel", "nein", "nicht", "ablehnen", "non", "rather"];

impl Check<'_> {
    pub(super) fn swapped(&mut self) {
        let flow = self.flow;
        for (name, approval) in &flow.approvals.named {
            let (Some(approved), Some(denied)) = (&approval.approved, &approval.denied) else {
                continue;
            };
            if sounds(approved, &REFUSES, &WELCOMES) && sounds(denied, &WELCOMES, &REFUSES) {
                let message = "this reads like a refusal, and `denied` like a welcome";
                let at = format!("/approvals/{}/approved", escaped(name));
                self.warn(&at, message, "swap `approved` and `denied`");
            } else if sounds(approved, &REFUSES, &WELCOMES) && !is_negative(denied) {
                let message = "this reads like a refusal, and `denied` doesn't";
                let at = format!("/approvals/{}/approved", escaped(name));
                self.warn(&at, message, "swap `approved` and `denied`");
            } else if denied != approved && sounds(denied, &NEVER_DENIED, &REFUSES) {
                let at = format!("/approvals/{}/denied", escaped(name));
                self.warn(
                    &at,
                    "this reads like a welcome",
                    "write what people read who are denied",
                );
            }
        }
        self.notice_without_model();
        self.labels_of_others();
        if let Some(notice) = &flow.notice
            && says_no(&notice.accept)
            && !says_no(&notice.decline)
        {
            let message = format!("whoever presses `{}` is interviewed", notice.accept.trim());
            self.warn("/notice/accept", message, "swap `accept` and `decline`");
        }
    }
}

impl Check<'_> {
    /// The text for a conversation without a model announces one, and the other doesn't.
    fn notice_without_model(&mut self) {
        let Some(notice) = &self.flow.notice else { return };
        let Some(without) = &notice.text_without_model else { return };
        if speaks_of_model(without) && !speaks_of_model(&notice.text) {
            let message = "this is shown where no model talks, and announces one; `text` doesn't";
            let hint = "swap `text` and `text_without_model`";
            self.warn("/notice/text_without_model", message, hint);
        }
    }

    /// Labels that stand at one another's values: `poor = "Good"`, `good = "Poor"`.
    fn labels_of_others(&mut self) {
        let flow = self.flow;
        for (name, table) in &flow.data {
            let at = format!("/data/{}", escaped(name));
            for (field, written) in table.fields.iter().flat_map(|fields| &fields.0) {
                let options = written.options.iter().flat_map(|options| &options.0);
                let pairs: Vec<(&str, &str)> =
                    options.map(|(id, label)| (id.as_str(), label.as_str())).collect();
                self.label_of_other(&format!("{at}/fields/{}/options", escaped(field)), &pairs);
            }
            let Some(schema) = self.loaded.schemas.get(name).filter(|_| table.fields.is_none())
            else {
                continue;
            };
            let key = if table.schema_inline.is_some() { "schema_inline" } else { "schema" };
            let mut named = Vec::new();
            named_values(schema, &mut named);
            for pairs in named {
                self.label_of_other(&format!("{at}/{key}"), &pairs);
            }
        }
        for (p, phase) in flow.phase.iter().enumerate() {
            for (n, step) in phase.step.iter().enumerate() {
                let pairs: Vec<(&str, &str)> = options(step).collect();
                self.risks(&format!("/phase/{p}/step/{n}"), step);
                if !questions(step).any(asks_for_objections) {
                    self.label_against_id(&format!("/phase/{p}/step/{n}/args/options"), &pairs);
                }
                self.label_of_other(&format!("/phase/{p}/step/{n}/args/options"), &pairs);
            }
            for (n, effect) in phase.effect.iter().enumerate() {
                if let PhaseEffect::DiscordAddRolesFrom { map, .. } = effect {
                    let pairs: Vec<(&str, &str)> =
                        map.iter().map(|(id, role)| (id.as_str(), role.as_str())).collect();
                    self.role_of_other(&format!("/phase/{p}/effect/{n}/map"), &pairs);
                }
            }
        }
    }

    /// `Nobody may jump with an injured back. Does this apply to you?`, where a no ends it and a yes goes on.
    fn risks(&mut self, at: &str, step: &Step) {
        const FORBIDS: [&str; 10] = [
            "nobody may",
            "no one may",
            "must not",
            "may not",
            "not allowed",
            "don't let",
            "niemand darf",
            "darf nicht",
            "dürfen nicht",
            "nicht erlaubt",
        ];
        const APPLIES: [&str; 8] = [
            "apply to you",
            "applies to you",
            "one of these",
            "any of these",
            "any of this",
            "trifft",
            "eines davon",
            "etwas davon",
        ];
        let lower = |text: &str| text.to_lowercase().replace('’', "'");
        let asks = questions(step).map(lower).any(|text| {
            let has = |known: &[&str]| known.iter().any(|told| text.contains(told));
            has(&FORBIDS) && has(&APPLIES)
        });
        let of = |says: fn(&str) -> bool| options(step).find(|(_, label)| says(label));
        let (Some((yes, _)), Some((no, _))) = (of(says_yes), of(says_no)) else { return };
        if asks && step.leads(no) == Some("@stop") && step.leads(yes) != Some("@stop") {
            let message = "whoever the text excludes goes on, and everybody else is stopped";
            self.warn(
                &format!("{at}/branch/{no}"),
                message,
                &format!("lead `{yes}` there instead"),
            );
        }
    }

    /// Two options that give each the role that is called like the other.
    fn role_of_other(&mut self, at: &str, pairs: &[(&str, &str)]) {
        let crossed = pairs.iter().enumerate().find_map(|(n, (id, role))| {
            let other = pairs[n + 1..].iter().find(|(other, other_role)| {
                (is_called_like(id, other_role) || is_called_like(other, role))
                    && !is_called_like(id, role)
                    && !is_called_like(other, other_role)
            });
            Some((id, role, other?))
        });
        if let Some((id, role, (other, other_role))) = crossed {
            let message =
                format!("`{id}` gives the role `{role}`, and `{other}` the role `{other_role}`");
            self.warn(at, message, "see whether the roles are swapped");
        }
    }

    /// `allowed = "No, please don't"`, `refused = "Yes, you may"`.
    fn label_against_id(&mut self, at: &str, pairs: &[(&str, &str)]) {
        let refused = pairs.iter().find(|(id, label)| DENIES.contains(id) && says_yes(label));
        let allowed = pairs.iter().find(|(id, label)| ALLOWS.contains(id) && says_no(label));
        if let (Some((refused, label)), Some((allowed, _))) = (refused, allowed) {
            let message = format!("`{refused}` reads “{label}”, and `{allowed}` says no");
            self.warn(at, message, "see whether the labels are swapped");
        }
    }

    fn label_of_other(&mut self, at: &str, pairs: &[(&str, &str)]) {
        let plain = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let begins = |label: &str, id: &str| {
            plain(id).len() >= STEM_MIN && plain(label).starts_with(&plain(id))
        };
        let found = pairs.iter().find_map(|(id, label)| {
            let other = pairs.iter().find(|(other, _)| {
                other != id && (plain(other) == plain(label) || begins(label, other))
            });
            Some((id, label, other?.0)).filter(|_| !begins(label, id) && plain(id) != plain(label))
        });
        if let Some((id, label, other)) = found {
            let message = format!("`{id}` reads “{label}”, and there is `{other}` as well");
            self.warn(at, message, "see whether the labels are swapped");
        }
    }
}

/// The shortest beginning that two words have in common if one is called like the other.
const STEM_MIN: usize = 4;

/// Whether a role is called like an option: `swim` and `swimmers`.
fn is_called_like(option: &str, role: &str) -> bool {
    let alike = option.chars().zip(role.chars()).take_while(|(one, other)| one == other).count();
    option == role || alike >= STEM_MIN
}

/// The values of every `enum` within a schema, with their names.
fn named_values<'s>(schema: &'s Value, found: &mut Vec<Vec<(&'s str, &'s str)>>) {
    let texts = |key: &str| -> Vec<&str> {
        schema[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let pairs: Vec<(&str, &str)> = texts("enum").into_iter().zip(texts("enumNames")).collect();
    if !pairs.is_empty() {
        found.push(pairs);
    }
    let members = schema["properties"].as_object();
    for below in members.into_iter().flat_map(|members| members.values()).chain(schema.get("items"))
    {
        named_values(below, found);
    }
}

/// Whether a notice announces a model, and doesn't deny that there is one.
fn speaks_of_model(text: &str) -> bool {
    const SPEAKS: [&str; 4] = ["model", "artificial", "künstliche", "sprachmodell"];
    const DENIES: [&str; 7] = ["no", "not", "without", "isn", "never", "kein", "keine"];
    let sentences = text.split(['.', '!', '?', '\n', ',']);
    sentences.map(words).any(|words| {
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        (has(&MODEL) || has(&SPEAKS)) && !has(&DENIES)
    })
}

/// Whether a text welcomes somebody.
pub(super) fn is_welcome(text: &str) -> bool {
    sounds(text, &WELCOMES, &REFUSES)
}

/// Whether a text refuses or denies anything.
fn is_negative(text: &str) -> bool {
    const NEGATIONS: [&str; 16] = [
        "no", "not", "t", "cannot", "never", "nobody", "nothing", "full", "nicht", "kein", "keine",
        "keinen", "leider", "ne", "pas", "nada",
    ];
    sounds(text, &REFUSES, &[]) || words(text).iter().any(|word| NEGATIONS.contains(&word.as_str()))
}

fn sounds(text: &str, like: &[&str], unlike: &[&str]) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(like) && !has(unlike)
}

/// How somebody goes on who speaks of themselves and says no.
const OWN_NO: [&str; 5] = ["don't", "won't", "can't", "decline", "refuse"];

/// How a label begins that says yes.
const YES: [&str; 6] = ["yes", "ja", "oui", "sí", "si", "sim"];

/// Whether a label says yes.
pub(super) fn says_yes(label: &str) -> bool {
    let lower = label.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    YES.contains(&first) || lower == "i accept" || lower == "i agree"
}

/// Whether a label says no.
pub(super) fn says_no(label: &str) -> bool {
    let lower = label.to_lowercase().replace('’', "'");
    let mut words =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty());
    let first = words.next().unwrap_or_default();
    let second = words.next();
    // `I don't agree`
    let is_own = first == "i" && second.is_some_and(|word| OWN_NO.contains(&word));
    NO.contains(&first) && second != Some("problem") || is_own
}
