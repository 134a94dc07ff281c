//! What people see of a conversation, as text that can be compared.

use std::{collections::HashMap, fmt::Write as _};

use serde_json::json;

use crate::{
    messages::Text,
    model::{
        transcript::{Audience, Event, Recorded, Speaker},
        wait::{Answerers, Wait},
    },
};

/// Everything that people see, in order.
pub(super) fn people(events: &[Recorded]) -> String {
    let mut text = String::new();
    for recorded in events {
        match &*recorded.event {
            Event::Asked(wait) => card(&mut text, wait),
            event => {
                if let Some(line) = line(event) {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
        }
    }
    text
}

fn line(event: &Event) -> Option<String> {
    Some(match event {
        Event::Posted { audience: Audience::Participant, text, .. } => {
            format!("to the participant: {}", text.common_mark())
        }
        Event::Posted { audience: Audience::Staff, text, .. } => {
            format!("to the staff: {}", text.common_mark())
        }
        Event::Said { from, text, .. } => match from {
            Speaker::Participant => format!("participant: {text}"),
            Speaker::Staff { name, .. } | Speaker::Bystander { name, .. } => {
                format!("{name}: {text}")
            }
        },
        Event::Answered { reply, by_name, .. } => format!("{by_name} answers: {}", json!(reply)),
        Event::Closed { closing, .. } => format!("a card closes: {}", json!(closing)),
        Event::Kept(file) => format!("a file comes: {}", file.filename),
        Event::Saved { data_type, data, reviewed, .. } => {
            let how = if *reviewed { "reviewed" } else { "unreviewed" };
            format!("kept, {how}: {data_type} {data}")
        }
        Event::Advanced { to, .. } => format!("part: {}", to.as_deref().unwrap_or("(the end)")),
        Event::StatusChanged { to, .. } => format!("the conversation is {}", json!(to)),
        Event::ObjectiveSet { objective, status, .. } => {
            format!("objective {objective}: {}", json!(status))
        }
        Event::ScriptLeads { phase, .. } => format!("the script leads {phase}"),
        Event::HandedOver { reason } => format!("a person is asked for: {reason}"),
        Event::Amended { text: Some(text), .. } => format!("a message reads now: {text}"),
        Event::Amended { text: None, .. } => "a message is taken away".to_owned(),
        Event::ExportOffered { .. } => "a copy of everything is offered".to_owned(),
        _ => return None,
    })
}

fn card(text: &mut String, wait: &Wait) {
    let of = if wait.answerers == Answerers::Participant { "the participant" } else { "others" };
    _ = writeln!(text, "card for {of}:");
    let prompt = &wait.prompt;
    let notes = prompt.notes.iter().map(Text::to_string);
    for words in prompt.heading().into_iter().chain([prompt.body.common_mark()]).chain(notes) {
        for line in words.lines() {
            _ = writeln!(text, "  {line}");
        }
    }
    // A line for each member, so that a difference is one line.
    for line in serde_json::to_string_pretty(&prompt.as_read().control).unwrap_or_default().lines()
    {
        _ = writeln!(text, "  {line}");
    }
}

/// Prefixes of identifiers, as [`crate::base::ids`] has them.
const PREFIXES: [&str; 5] = ["ses_", "wait_", "eff_", "record_", "upload_"];

/// Hexadecimal digits after a prefix.
const DIGITS: usize = 32;

/// A text in which identifiers are numbered by their first appearance and times of day are gone.
pub(super) fn normal(text: &str) -> String {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut normal = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if let Some((prefix, id)) = identifier(rest) {
            let next = known.len() + 1;
            let number = *known.entry(id).or_insert(next);
            _ = write!(normal, "{prefix}{number}");
            id.len()
        } else if let Some(length) = moment(rest) {
            normal.push_str("(time)");
            length
        } else {
            normal.push(first);
            first.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    normal
}

fn identifier(text: &str) -> Option<(&'static str, &str)> {
    let prefix = PREFIXES.into_iter().find(|prefix| text.starts_with(prefix))?;
    let end = prefix.len() + DIGITS;
    let digits = text.get(prefix.len()..end)?;
    let is_id = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_id.then_some((prefix, text.get(..end)?))
}

/// The length of `2026-11-21T09:00:00Z`, with or without parts of a second.
fn moment(text: &str) -> Option<usize> {
    const FORM: &[u8] = b"dddd-dd-ddTdd:dd:dd";
    let head = text.as_bytes().get(..FORM.len())?;
    let fits = FORM.iter().zip(head).all(|(form, byte)| match form {
        b'd' => byte.is_ascii_digit(),
        form => form == byte,
    });
    let rest = text.get(FORM.len()..).filter(|_| fits)?;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    rest.get(end..)?.starts_with('Z').then_some(FORM.len() + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_times_that_differ_in_every_run_are_equal() {
        let one = format!("wait_{} at 2026-11-21T09:00:00Z", "0a".repeat(16));
        let two = format!("wait_{} at 2027-01-01T00:00:00.123456Z", "1b".repeat(16));
        assert_eq!(normal(&one), normal(&two));
        assert_eq!(normal(&one), "wait_1 at (time)");
        assert_eq!(normal("wait_7 é 2026-11-21"), "wait_7 é 2026-11-21");
    }
}
