//! `CommonMark` as people see it: what is split by markup is one number to them.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Largest number at which a list may begin and still be no more than a list.
const LIST_MAX: u64 = 20;

/// A paragraph, a heading, a cell, an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) text: String,
    /// It stands there as somebody's words.
    pub(super) is_quote: bool,
}

/// The blocks of a text, in its order.
pub(super) fn blocks(markdown: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(markdown, options) {
        reader.read(event);
    }
    reader.flush();
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    text: String,
    quotes: usize,
    addresses: Vec<String>,
}

impl Reader {
    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::BlockQuote(_)) => {
                self.flush();
                self.quotes += 1;
            }
            Event::End(TagEnd::BlockQuote(_)) => {
                self.flush();
                self.quotes = self.quotes.saturating_sub(1);
            }
            Event::Start(Tag::List(Some(first))) => {
                self.flush();
                if first > LIST_MAX {
                    self.text = first.to_string();
                    self.flush();
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                self.addresses.push(dest_url.to_string());
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                if let Some(address) = self.addresses.pop().filter(|at| !self.text.ends_with(at)) {
                    self.text.extend([" ", &address, " "]);
                }
            }
            // What is set off within a line ends nothing.
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {}
            Event::Start(_) | Event::End(_) => self.flush(),
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) | Event::Html(text) => {
                self.text.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.text.push('\n'),
            other => {
                if let Event::InlineMath(text) | Event::DisplayMath(text) = other {
                    self.text.push_str(&text);
                }
            }
        }
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() {
            self.blocks.push(Block { text, is_quote: self.quotes > 0 });
        }
    }
}

/// The sentence of a text around a place in it.
pub fn sentence_of(text: &str, at: usize) -> String {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n' | '…');
    let mut start = 0;
    let mut rest = text.len();
    for (position, end) in text.match_indices(ends) {
        let after = position + end.len();
        let is_end = end == "\n" || text[after..].starts_with(char::is_whitespace);
        if !is_end {
            continue;
        }
        if after <= at {
            start = after;
        } else {
            rest = after;
            break;
        }
    }
    text.get(start..rest).unwrap_or(text).trim().to_owned()
}
