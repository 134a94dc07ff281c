//! Texts that stand in one another's place: a refusal where people are welcomed, a welcome where they are refused.

use super::Check;
use crate::config::toml_document::escaped;

/// Words of a refusal.
const REFUSES: [&str; 10] = [
    "unfortunately",
    "regret",
    "sorry",
    "can't offer",
    "cannot offer",
    "no place",
    "not this time",
    "leider",
    "bedauern",
    "malheureusement",
];

/// Words of a welcome.
const WELCOMES: [&str; 9] = [
    "congratulations",
    "welcome",
    "you're in",
    "you are in",
    "glückwunsch",
    "willkommen",
    "herzlichen glück",
    "félicitations",
    "bienvenue",
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
            }
        }
        if let Some(notice) = &flow.notice
            && says_no(&notice.accept)
            && !says_no(&notice.decline)
        {
            let message = format!("whoever presses `{}` is interviewed", notice.accept.trim());
            self.warn("/notice/accept", message, "swap `accept` and `decline`");
        }
    }
}

fn sounds(text: &str, like: &[&str], unlike: &[&str]) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(like) && !has(unlike)
}

/// How a label begins that says yes.
const YES: [&str; 6] = ["yes", "ja", "oui", "sí", "si", "sim"];

/// Whether a label says yes.
pub(super) fn says_yes(label: &str) -> bool {
    let lower = label.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    YES.contains(&first)
}

/// Whether a label says no.
pub(super) fn says_no(label: &str) -> bool {
    let lower = label.to_lowercase().replace('’', "'");
    let mut words =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty());
    let first = words.next().unwrap_or_default();
    NO.contains(&first) && words.next() != Some("problem")
}
