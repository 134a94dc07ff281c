//! What the result of a step holds, and what expressions read of it.

use super::{Check, tokens::Token};
use crate::config::problem::{did_you_mean, listed};

/// What the results of tools hold, by tool; every result may have a `status`.
const RESULTS: [(&str, &[&str]); 5] = [
    ("get_user_option", &["selectedIds", "timestamp", "freeText", "points"]),
    ("request_user_input", &["userInput"]),
    ("get_user_upload", &["uploads", "freeText"]),
    ("get_image_from_user", &["image", "freeText"]),
    ("submit_for_validation", &["data", "changes", "userNotes"]),
];

/// What a file that was sent has.
const UPLOAD: [&str; 4] = ["id", "filename", "storageUrl", "extractedText"];

/// What every result may have.
const ALWAYS: [&str; 3] = ["status", "error", "message"];

impl Check<'_> {
    /// What an expression reads of the results of steps is there.
    pub(super) fn results(&mut self, at: &str, tokens: &[Token<'_>]) {
        for (n, token) in tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let parts: Vec<&str> = name.split('.').collect();
            let ["results", id, field, ..] = parts.as_slice() else { continue };
            let steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
            let tool = steps.into_iter().find(|step| step.id == *id).map(|step| step.tool.clone());
            let known = RESULTS.iter().find(|(name, _)| tool.as_deref() == Some(*name));
            let Some((tool, known)) = known else { continue };
            if !known.contains(field) && !ALWAYS.contains(field) {
                let hint = did_you_mean(field, known.iter().copied())
                    .unwrap_or_else(|| format!("it has {}", listed(known.iter().copied())));
                let message = format!("the result of `{tool}` has no `{field}`");
                self.error(at, message, Some(hint));
            } else if *field == "uploads" && parts.len() == 3 {
                self.upload(at, name, tokens.get(n + 1..).unwrap_or_default());
            }
        }
    }

    /// `results.cv.uploads[0].id`.
    fn upload(&mut self, at: &str, name: &str, after: &[Token<'_>]) {
        let [
            Token::Sign('['),
            Token::Number(n),
            Token::Sign(']'),
            Token::Sign('.'),
            Token::Name(field),
            ..,
        ] = after
        else {
            return;
        };
        let first = field.split('.').next().unwrap_or(field);
        if !UPLOAD.contains(&first) {
            let message = format!("`{name}[{n}]` has no `{first}`");
            let hint = did_you_mean(first, UPLOAD)
                .unwrap_or_else(|| format!("a file has {}", listed(UPLOAD)));
            self.error(at, message, Some(hint));
        }
    }
}
