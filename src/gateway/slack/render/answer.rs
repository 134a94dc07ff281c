//! The model's words as messages of Slack's `markdown` blocks, and in plain words where they are not drawn. Pure.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use super::{
    Message,
    safe::{self, FENCE, Links, code, link},
    text,
};
use crate::gateway::slack::limits;

/// An answer as messages, each with one `markdown` block.
pub fn messages(text: &str) -> Vec<Message> {
    let parts = split(&safe::markdown(text, Links::Live), limits::STREAM_TEXT);
    parts.iter().map(|part| message(part)).collect()
}

fn message(part: &str) -> Message {
    let text = text::clip_or(&spoken(part), limits::MESSAGE_TEXT, "…");
    Message { text, blocks: vec![json!({ "type": "markdown", "text": part })] }
}

/// All words of `markdown` blocks for where Slack does not draw them; `None` if there are no such blocks.
pub(crate) fn words_of_blocks(blocks: &Value) -> Option<String> {
    let blocks = blocks.as_array()?.iter().filter(|block| block["type"] == "markdown");
    let words: Vec<String> =
        blocks.filter_map(|block| block["text"].as_str()).map(spoken).collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

/// Finished Markdown in parts of at most `max` characters each, cut between paragraphs where that can be, then between
/// lines, then between words; code that is cut is closed, and begun again in the next part.
pub fn split(markdown: &str, max: usize) -> Vec<String> {
    let mut parts = Parts { max: max.saturating_sub(FENCE.len() + 1), ..Parts::default() };
    for line in markdown.split_inclusive('\n') {
        parts.add(line);
    }
    parts.flush();
    parts.done
}

#[derive(Default)]
struct Parts {
    max: usize,
    done: Vec<String>,
    now: String,
    /// Where the newest paragraph begins.
    border: usize,
    /// The line that has opened code.
    fence: Option<String>,
}

impl Parts {
    fn add(&mut self, line: &str) {
        if line.starts_with(FENCE) && self.fence.take().is_some() {
            // There is always room for it.
            self.now.push_str(line);
            return;
        }
        if units(&self.now) + units(line) > self.max {
            self.cut();
        }
        if units(&self.now) + units(line) > self.max {
            let is_code = self.fence.is_some();
            for word in words(line, is_code) {
                for piece in pieces(word, self.max / 2) {
                    if units(&self.now) + units(&piece) > self.max {
                        self.border = 0;
                        self.flush();
                    }
                    self.now.push_str(&piece);
                }
            }
        } else {
            self.now.push_str(line);
        }
        if line.starts_with(FENCE) {
            self.fence = Some(line.to_owned());
        }
        if line.trim().is_empty() && self.fence.is_none() {
            self.border = self.now.len();
        }
    }

    /// Ends a part where its last paragraph does, unless that is far from its end.
    fn cut(&mut self) {
        if self.border * 2 > self.now.len() {
            let rest = self.now.split_off(self.border);
            let part = std::mem::replace(&mut self.now, rest);
            self.push(&part);
            self.border = 0;
        } else {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let mut part = std::mem::take(&mut self.now);
        self.border = 0;
        if let Some(fence) = &self.fence {
            if part.trim() == fence.trim() {
                self.now = part;
                return;
            }
            if !part.ends_with('\n') {
                part.push('\n');
            }
            part.push_str(FENCE);
            self.now.clone_from(fence);
        }
        self.push(&part);
    }

    fn push(&mut self, part: &str) {
        let part = part.trim_end().trim_start_matches('\n');
        if !part.is_empty() {
            self.done.push(part.to_owned());
        }
    }
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The words of a line, each with the space after it; links and code are not divided.
fn words(line: &str, is_code: bool) -> Vec<&str> {
    let (mut words, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(c) = line[at..].chars().next() {
        let whole = match c {
            '[' if !is_code => link(&line[at..]).map(|link| link.length),
            '`' if !is_code => code(&line[at..]).map(|(_, length)| length),
            _ => None,
        };
        at += whole.unwrap_or_else(|| c.len_utf8());
        if c.is_whitespace() {
            words.push(&line[from..at]);
            from = at;
        }
    }
    words.push(&line[from..]);
    words
}

/// A word that is longer than a message, between what people see as characters.
fn pieces(word: &str, max: usize) -> Vec<String> {
    if units(word) <= max {
        return vec![word.to_owned()];
    }
    text::parts(word, max)
}

/// Finished Markdown in plain words, for notifications and for where it is not drawn: links with their targets.
fn spoken(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut links: Vec<(usize, String)> = Vec::new();
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                out.push_str(&text);
            }
            Event::Start(Tag::Item) => out.push_str("• "),
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push((out.len(), dest_url.into_string()));
            }
            Event::End(TagEnd::Link) => {
                if let Some((at, to)) = links.pop()
                    && out.get(at..) != Some(&to)
                {
                    out.extend([" (", &to, ")"]);
                }
            }
            Event::End(TagEnd::TableCell) => out.push_str(" | "),
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::Item
                | TagEnd::Heading(_)
                | TagEnd::CodeBlock
                | TagEnd::TableHead
                | TagEnd::TableRow,
            ) => out.push('\n'),
            _ => {}
        }
    }
    // In code they stand as they were written for Slack.
    let out = out.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    text::literal(out.trim())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_words_are_cut_between_paragraphs_and_code_is_fenced_on_both_sides() {
        let text = "One two three.\n\nFour five six.\n\n```rust\nlet a = 1;\nlet b = 2;\nlet c = 3;\n```\n\nSee [the whole page](https://a.example/x) and more words.";
        insta::assert_snapshot!(split(&safe::markdown(text, Links::Live), 48).join("\n=====\n"), @"
        One two three.

        Four five six.
        =====
        ```rust
        let a = 1;
        let b = 2;
        let c = 3;
        ```
        =====
        See [the whole page](https://a.example/x)
        =====
        and more words.
        ");
    }

    #[test]
    fn the_words_beside_the_block_are_plain() {
        let text = "# Title\n\n**Bold** & [page](https://a.example/x), https://b.example\n\n- one\n- `<two>`";
        insta::assert_snapshot!(messages(text)[0].text.replace('\u{200b}', "·"), @"
        Title
        Bold &amp; page (<https://a.example/x>), <https://b.example>
        • one
        • &lt;two&gt;
        ");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_and_no_part_is_too_long(text in r"(\|? ?(w[a-z0-9]{1,9}|日本|-{3}|`{1,3}|\*\*|> |- |\n|\n\n| |\[w[a-z]{3}\]\(https://a\.example\)){1,2}){0,60}", max in 60_usize..300) {
            let parts = split(&safe::markdown(&text, Links::Live), max);
            for part in &parts {
                prop_assert!(units(part) <= max, "{} > {max}: {part:?}", units(part));
                prop_assert_eq!(part.lines().filter(|line| line.starts_with(FENCE)).count() % 2, 0, "{:?}", part);
            }
            // Lines that open code are repeated in the middle of it.
            let lines = || parts.iter().flat_map(|part| part.lines());
            let (fences, others): (Vec<&str>, Vec<&str>) = lines().partition(|line| line.starts_with(FENCE));
            let seen: String = [others, fences].concat().join("").chars().filter(|c| c.is_alphanumeric()).collect();
            for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() < 8) {
                prop_assert!(seen.contains(word), "{word:?} of {text:?} is not in {parts:?}");
            }
        }
    }
}
