//! Lines at the edges of pages that say again whose résumé it is.

use serde_json::Value;

use super::{
    dates,
    lines::Line,
    sections::{Part, Section},
    vocabulary::{folded, vocabulary},
};

/// The parts without lines below the head that hold nothing but the person's name or address.
pub(super) fn without(parts: Vec<Part>, basics: &Value) -> Vec<Part> {
    let text = |key: &str| folded(basics[key].as_str().unwrap_or_default());
    let (name, mail) = (text("name"), text("email"));
    let says_again = |line: &Line| {
        let line_text = folded(&line.text);
        let has_mail = !mail.is_empty() && line_text.contains(&mail);
        let rest = (!name.is_empty()).then(|| line_text.split_once(&name)).flatten();
        has_mail || rest.is_some_and(|(before, after)| is_empty(before) && is_empty(after))
    };
    let is_body = |part: &Part| !matches!(part.section, Section::Contact | Section::References);
    let mut parts = parts;
    for part in parts.iter_mut().filter(|part| is_body(part)) {
        part.lines.retain(|line| !says_again(line) || dates::find(&line.text).is_some());
    }
    parts
}

/// `Curriculum vitae –`, `Page 2`: no name of anything.
fn is_empty(text: &str) -> bool {
    let plain = text.trim_matches(|c: char| !c.is_alphabetic());
    plain.chars().count() <= 5 || vocabulary().titles.contains(plain)
}
