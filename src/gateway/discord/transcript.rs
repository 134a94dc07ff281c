//! The transcript of a conversation for staff, page by page, in a message that they alone see.
//!
//! Pure; which lines stand on which page is shared with the other platforms ([`crate::chat::transcript`]).

use serenity::builder::CreateButton;

use super::{
    limits,
    render::{
        Message, OPEN,
        components::{self, button, rows, small},
        markdown,
        text::{parts, said, time, units},
    },
};
use crate::{
    base::ids::SessionId,
    chat::transcript::{Opening, Page, told},
    engine::export::transcript::Entry,
    messages,
};

/// Lines of one page; each takes one of a message's forty components.
const LINES: usize = 20;

/// Text of one page, in characters: a message's, less what stands around the lines.
const PAGE_TOTAL: usize = limits::MESSAGE_TEXT - 500;

/// Longest line, in characters: what is longer stands whole in an export.
const LINE: usize = 1_600;

/// Somebody's name in a line, in characters.
const NAME: usize = 80;

/// The button that opens what was said last.
pub(super) fn open(session: SessionId) -> CreateButton {
    button(Opening::last(session).id(), messages::buttons::TRANSCRIPT)
}

/// The page as a message; `title` says whose conversation it is.
pub fn page(opening: Opening, title: &str, entries: &[Entry]) -> Message {
    let told = told(entries);
    let room = (LINES, PAGE_TOTAL);
    let (first, last) = opening.bounds(&told, room, |entry| weight(&render_entry(entry)));
    let mut components = vec![components::text(&format!("**{}**", said(title, limits::QUOTE)))];
    components.extend(told[first..last].iter().map(|entry| components::text(&render_entry(entry))));
    let note = if told.is_empty() {
        messages::staff::NO_MESSAGES.to_owned()
    } else {
        messages::staff::messages_of(first + 1, last, told.len())
    };
    components.push(small(&[note]));
    let beside = |label: &str, page: Page| button(Opening { page, ..opening }.id(), label);
    let earlier =
        (first > 0).then(|| beside(messages::buttons::EARLIER, Page::Before(told[first].seq)));
    let later = told
        .get(last)
        .map(|entry| beside(messages::buttons::LATER_MESSAGES, Page::From(entry.seq)));
    components.extend(rows(earlier.into_iter().chain(later)));
    Message::card(components, OPEN)
}

/// What a line counts, in characters, however Discord counts: a text in another script is as long in bytes as one of
/// twice its length.
fn weight(line: &str) -> usize {
    let bytes = (line.len() + limits::TEXT_OVERHEAD) * limits::MESSAGE_TEXT;
    units(line).max(bytes.div_ceil(limits::MESSAGE_TEXT_BYTES))
}

/// A line: who and when, and what was said below it.
fn render_entry(entry: &Entry) -> String {
    let text = entry.text.trim();
    let all = match entry.kind {
        // What people wrote is no markup.
        "said" | "answered" => parts(text, LINE),
        _ => markdown::parts(text, LINE),
    };
    let head = format!("**{}** · {}", said(&entry.who, NAME), time(entry.at));
    let more = if all.len() > 1 {
        format!("\n-# {}", messages::staff::REST_IN_DOWNLOAD)
    } else {
        String::new()
    };
    match all.first() {
        Some(first) => format!("{head}\n{first}{more}"),
        None => head,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::base::ids::CountingIds;

    fn entry(seq: u64, text: &str) -> Entry {
        let (who, text) = ("Ada".to_owned(), text.to_owned());
        Entry { seq, at: chrono::DateTime::UNIX_EPOCH, kind: "said", who, text, data: Value::Null }
    }

    fn components_of(message: &Message) -> Vec<Value> {
        message.body().json()["components"][0]["components"].as_array().unwrap().clone()
    }

    fn lines(message: &Message) -> Vec<String> {
        let texts = components_of(message);
        let texts = texts.iter().filter_map(|text| text["content"].as_str()?.split_once('\n'));
        texts.map(|(_, said)| said.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
    }

    fn beside(message: &Message, label: &str) -> Option<Opening> {
        let components = components_of(message);
        let mut buttons =
            components.iter().flat_map(|c| c["components"].as_array().into_iter().flatten());
        let button = buttons.find(|button| button["label"] == label)?;
        Opening::parse(button["custom_id"].as_str().unwrap())
    }

    #[test]
    fn every_line_is_on_one_page_and_every_page_fits() {
        let session = SessionId::mint(&CountingIds::default());
        for long in ["*_<".repeat(2_000), "長".repeat(4_000), "🦊".repeat(3_000)] {
            let text =
                |n: u64| format!("line {n} {}", if n.is_multiple_of(3) { &long } else { "" });
            let entries: Vec<Entry> = (1..=60).map(|n| entry(n * 3, &text(n))).collect();
            let mut read = Vec::new();
            let mut opening = Some(Opening::last(session));
            while let Some(at) = opening {
                let message = page(at, "Ada · A talk", &entries);
                let weight = components::Weight::of(&message.components);
                assert!(weight.units <= limits::MESSAGE_TEXT, "{weight:?}");
                assert!(weight.bytes <= limits::MESSAGE_TEXT_BYTES, "{weight:?}");
                assert!(weight.components <= limits::MESSAGE_COMPONENTS, "{weight:?}");
                read.splice(0..0, lines(&message));
                opening = beside(&message, messages::buttons::EARLIER);
            }
            let all: Vec<String> = (1..=60).map(|n| format!("line {n}")).collect();
            assert_eq!(read, all);
            let message = page(Opening { session, page: Page::Before(30) }, "Ada", &entries);
            assert_eq!(
                beside(&message, messages::buttons::LATER_MESSAGES),
                Some(Opening { session, page: Page::From(30) })
            );
        }
    }

    #[test]
    fn a_conversation_in_which_nothing_was_said_is_a_page_too() {
        let session = SessionId::mint(&CountingIds::default());
        let message = page(Opening::last(session), "Ada", &[]);
        assert!(message.body().json().to_string().contains("No messages yet."));
    }
}
