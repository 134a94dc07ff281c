//! The transcript of a conversation for staff, page by page, in a form that nobody else sees.
//!
//! Pure. Who may read it is asked, and that it is read is noted, by [`super::commands`] each time it is opened.

use serde_json::Value;
use slack_morphism::prelude::SlackBlock;

use super::{
    blocks::{Button, View, actions, note, section, weight},
    limits,
    render::{
        markdown,
        text::{literal, parts, time},
    },
};
use crate::{
    chat::transcript::{Opening, Page, told},
    engine::export::transcript::Entry,
    messages,
};

/// What the form is called in [`super::inbound::ViewRef`].
pub(crate) const CALLBACK: &str = "transcript";

/// Lines of one page; ours: more are not read at once.
const LINES: usize = 30;

/// Text of one page, in characters; in JSON it may grow by half, and a view has an end.
const PAGE_TOTAL: usize = 40_000;

/// Sections of one line: what is longer stands whole in the copy.
const LINE_SECTIONS: usize = 3;

/// Room for a name, a time and the marks of links, in characters.
const HEAD: usize = 1_000;

/// The page as a form; `title` says whose conversation it is.
pub fn view(opening: Opening, title: &str, entries: &[Entry]) -> Value {
    let told = told(entries);
    let room = (LINES, PAGE_TOTAL);
    let (first, last) = opening.bounds(&told, room, |entry| weight(&render_entry(entry)));
    let mut blocks = vec![section(format!("*{}*", literal(title)))];
    blocks.extend(told[first..last].iter().flat_map(|entry| render_entry(entry)));
    let small = if told.is_empty() {
        messages::staff::NO_MESSAGES.to_owned()
    } else {
        messages::staff::messages_of(first + 1, last, told.len())
    };
    blocks.push(note(small));
    let beside =
        |label: &str, page: Page| Button::new(Opening { page, ..opening }.id(), label).build();
    let earlier =
        (first > 0).then(|| beside(messages::buttons::EARLIER, Page::Before(told[first].seq)));
    let later = told
        .get(last)
        .map(|entry| beside(messages::buttons::LATER_MESSAGES, Page::From(entry.seq)));
    blocks.extend(actions(earlier.into_iter().chain(later).collect()));
    let view = View {
        title: messages::buttons::TRANSCRIPT.to_owned(),
        callback: CALLBACK.to_owned(),
        metadata: String::new(),
        submit: None,
        blocks,
    };
    view.json()
}

/// A line: who and when, and what was said below it.
fn render_entry(entry: &Entry) -> Vec<SlackBlock> {
    let text = entry.text.trim();
    let mut said: Vec<String> = match entry.kind {
        // What people wrote is no markup.
        "said" | "answered" => {
            parts(text, limits::SECTION - HEAD).iter().map(|part| literal(part)).collect()
        }
        _ => markdown::parts(text, limits::SECTION - HEAD),
    };
    let is_cut = said.len() > LINE_SECTIONS;
    said.truncate(LINE_SECTIONS);
    let head =
        format!("*{}* · {}", literal(&crate::chat::form::clip(&entry.who, 80)), time(entry.at));
    let first = said.first().map_or_else(|| head.clone(), |first| format!("{head}\n{first}"));
    let mut blocks = vec![section(first)];
    blocks.extend(said.into_iter().skip(1).map(section));
    if is_cut {
        blocks.push(note(messages::staff::REST_IN_DOWNLOAD));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::{CountingIds, SessionId};

    fn entry(seq: u64, text: &str) -> Entry {
        let (who, text) = ("Ada".to_owned(), text.to_owned());
        Entry { seq, at: chrono::DateTime::UNIX_EPOCH, kind: "said", who, text, data: Value::Null }
    }

    fn numbers(view: &Value) -> Vec<String> {
        let blocks = view["blocks"].as_array().unwrap();
        let texts = blocks.iter().filter_map(|block| block["text"]["text"].as_str());
        let said = texts.filter_map(|text| text.split_once('\n'));
        said.map(|(_, said)| said.chars().take(12).collect()).collect()
    }

    fn beside(view: &Value, label: &str) -> Option<Opening> {
        let blocks = view["blocks"].as_array().unwrap();
        let mut buttons =
            blocks.iter().flat_map(|block| block["elements"].as_array().into_iter().flatten());
        let button = buttons.find(|button| button["text"]["text"] == label)?;
        Opening::parse(button["action_id"].as_str().unwrap())
    }

    #[test]
    fn every_line_is_on_one_page_and_every_page_fits() {
        let session = SessionId::mint(&CountingIds::default());
        let long = "<&>".repeat(4_000);
        let entries: Vec<Entry> = (1..=100)
            .map(|n| entry(n * 3, &format!("line {n} {}", if n % 7 == 0 { &long } else { "" })))
            .collect();
        let mut read = Vec::new();
        let mut opening = Some(Opening::last(session));
        while let Some(page) = opening {
            let shown = view(page, "Ada · A talk", &entries);
            assert!(shown["blocks"].as_array().unwrap().len() <= limits::VIEW_BLOCKS);
            assert!(shown.to_string().len() < limits::VIEW_BYTES_OURS);
            let lines = numbers(&shown).into_iter().filter(|said| said.starts_with("line"));
            read.splice(0..0, lines);
            opening = beside(&shown, messages::buttons::EARLIER);
        }
        let all: Vec<String> = (1..=100)
            .map(|n| format!("line {n} {}", if n % 7 == 0 { "&lt;" } else { "" }))
            .map(|line| line.chars().take(12).collect::<String>().trim_end().to_owned())
            .collect();
        let read: Vec<String> = read.iter().map(|line| line.trim_end().to_owned()).collect();
        assert_eq!(read.len(), all.len());
        assert!(
            read.iter().zip(&all).all(|(read, all)| read.starts_with(all.as_str())),
            "{read:?}"
        );
        // And back.
        let shown = view(Opening { session, page: Page::Before(30) }, "Ada", &entries);
        assert_eq!(
            beside(&shown, messages::buttons::LATER_MESSAGES),
            Some(Opening { session, page: Page::From(30) })
        );
        assert_eq!(beside(&shown, messages::buttons::EARLIER), None);
    }
}
