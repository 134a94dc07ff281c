//! Texts that were not finished: notes to oneself, and placeholders that nothing fills in.

use super::{Check, texts::Text};
use crate::config::problem::{Kind, Problem};

/// Notes to oneself that are words of no language. They are written in two pieces because `tests/tidy.rs` takes them for
/// notes in the source.
const NOTES: [&str; 5] = [TO_DO, concat!("FIX", "ME"), concat!("X", "XX"), "TBD", "CHANGEME"];

/// The commonest note.
const TO_DO: &str = concat!("TO", "DO");

/// Languages in which it is a word too: *todo* is "all".
const TO_DO_IS_A_WORD: [&str; 4] = ["es", "pt", "gl", "it"];

/// How a hole begins that somebody should have filled.
const HOLES: [&str; 4] = ["insert ", "todo", "tbd", "placeholder"];

/// Longest phrase that is taken for a placeholder, in characters.
const HOLE_MAX: usize = 60;

impl Check<'_> {
    pub(super) fn wording(&mut self) {
        for Text { at, words: text, .. } in self.texts_of_people() {
            self.unfinished(&at, &text);
            self.unfilled(&at, &text);
        }
        let flow = self.flow;
        let prompts = flow.phase.iter().map(|phase| phase.prompt.as_str()).enumerate();
        let prompts = prompts.map(|(p, text)| (format!("/phase/{p}/prompt"), text));
        let persona = ("/persona/prompt".to_owned(), flow.persona.prompt.as_str());
        for (at, text) in prompts.chain([persona]) {
            self.unfinished(&at, text);
        }
    }

    /// A note to oneself.
    fn unfinished(&mut self, at: &str, text: &str) {
        let locale = self.flow.locale.get(..2).unwrap_or_default();
        let is_note = |note: &&&str| {
            stands_in(text, note)
                && !(**note == TO_DO
                    && TO_DO_IS_A_WORD.contains(&locale)
                    && !text.contains(&format!("{TO_DO}:")))
        };
        let note = NOTES.iter().find(is_note).map(|note| (*note).to_owned());
        let lower = text.to_lowercase();
        let found = note
            .or_else(|| lower.contains("lorem ipsum").then(|| "lorem ipsum".to_owned()))
            .or_else(|| hole(text));
        if let Some(found) = found {
            let message = format!("`{found}` looks like a note to yourself");
            let problem = self.document.problem_within(at, &found, message);
            self.problems.push(problem.hint("write what people should read").warning());
        }
    }

    /// A placeholder in the wrong braces.
    fn unfilled(&mut self, at: &str, text: &str) {
        for (written, name) in odd_placeholders(text) {
            if self.is_known(&name) {
                let message = format!("`{written}` is shown as it stands: nothing fills it in");
                let hint = format!("write `{{{{ {name} }}}}`");
                let problem = self.document.problem_within(at, &written, message);
                self.problems.push(problem.hint(hint));
            }
        }
        let is_open = text.matches("{{").count() > text.matches("}}").count();
        let here = self.document.problem(at, "`{{` is not closed, so it is shown as it stands");
        let is_told = |problem: &Problem| problem.kind == Kind::Syntax && problem.path == here.path;
        if is_open && !self.problems.iter().any(is_told) {
            self.problems.push(here.hint("close it with `}}`"));
        }
    }

    /// A name that an expression could look up, or a value of the operator's.
    fn is_known(&self, name: &str) -> bool {
        let is_declared = self.flow.vars.iter().any(|var| var == name) || name == "retention";
        let mut parts = name.split('.');
        let (Some(first), Some(second)) = (parts.next(), parts.next()) else { return is_declared };
        is_declared
            || match first {
                "records" => self.loaded.schemas.contains_key(second),
                "answers" | "labels" | "results" | "points" => self.loaded.step(second).is_some(),
                "values" => self.is_set(second),
                "vars" => self.flow.vars.iter().any(|var| var == second),
                "participant" => matches!(second, "name" | "contact"),
                _ => false,
            }
    }

    fn is_set(&self, value: &str) -> bool {
        let mut steps = self.flow.phase.iter().flat_map(|phase| &phase.step);
        steps.any(|step| step.set.contains_key(value))
    }
}

/// Whether a word stands in a text as a whole.
fn stands_in(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// `[insert the date]`, `<your name>`: what somebody should have filled in.
fn hole(text: &str) -> Option<String> {
    for (open, close) in [('[', ']'), ('<', '>')] {
        for (at, _) in text.match_indices(open) {
            let inner = &text[at + 1..];
            let Some(end) = inner.find(close).filter(|end| *end <= HOLE_MAX) else { continue };
            let is_link = inner[end + 1..].starts_with('(');
            let lower = inner[..end].trim().to_lowercase();
            if !is_link && HOLES.iter().any(|begin| lower.starts_with(begin)) {
                return Some(text[at..at + end + 2].to_owned());
            }
        }
    }
    None
}

/// What stands in braces or marks that this format doesn't fill in: `{name}`, `${name}`, `%name%`, `<name>`, `[name]`.
fn odd_placeholders(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (open, close) in [("${", "}"), ("{", "}"), ("%", "%"), ("<", ">"), ("[", "]")] {
        for (at, _) in text.match_indices(open) {
            let before = &text[..at];
            let inner = &text[at + open.len()..];
            let Some(end) = inner.find(close) else { continue };
            let after = &inner[end + close.len()..];
            let is_ours = open == "{" && (before.ends_with(['{', '$']) || after.starts_with('}'));
            let is_statement = before.ends_with('{') || after.starts_with(['}', '(']);
            let name = inner[..end].trim();
            if !is_ours && !is_statement && !name.is_empty() {
                let written = &text[at..at + open.len() + end + close.len()];
                found.push((written.to_owned(), name.to_owned()));
            }
        }
    }
    found
}
