//! Texts as Slack counts, cuts and reads them. Whatever a person or a model wrote goes through here.

use chrono::{DateTime, Utc};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::model::{
    session::{PersonId, Platform},
    text::typed,
};

/// How long a text is to Slack: UTF-16 units once it is escaped.
pub fn units(text: &str) -> usize {
    text.chars().map(units_of).sum()
}

const fn units_of(c: char) -> usize {
    match c {
        '&' => 5,
        '<' | '>' => 4,
        c => c.len_utf16(),
    }
}

/// Words as they stand within mrkdwn: no mention, no link, no command comes of them.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in typed(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

/// The beginning of a plain text that is at most `max` long, with a mark where something is left out. It is cut
/// between what people see as characters.
pub fn clip(text: &str, max: usize) -> String {
    let text = typed(text);
    if units(&text) <= max {
        return text;
    }
    let (head, _) = split_at(&text, max.saturating_sub(1));
    format!("{}…", head.trim_end())
}

/// A plain text for a place that must not be empty.
pub fn clip_or(text: &str, max: usize, otherwise: &str) -> String {
    let text = clip(text.trim(), max);
    if is_blank(&text) { clip(otherwise, max) } else { text }
}

/// Whether there is nothing to see in it: Slack refuses such a text where there must be one.
pub fn is_blank(text: &str) -> bool {
    let unseen = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{3164}' | '\u{115f}' | '\u{1160}' | '\u{ffa0}' | '\u{2800}' | '\u{e0000}'..='\u{e007f}')
    };
    text.chars().all(unseen)
}

/// Cuts a plain text where it would become longer than `max`, between what people see as characters; a single one
/// that is longer is cut all the same.
pub fn split_at(text: &str, max: usize) -> (&str, &str) {
    let (mut length, mut end) = (0, 0);
    for (at, seen) in text.grapheme_indices(true) {
        let long = units(seen);
        if length + long > max {
            if at == 0 {
                return split_within(text, max);
            }
            return text.split_at(end);
        }
        length += long;
        end = at + seen.len();
    }
    (text, "")
}

/// The same within one pile of marks, between its parts.
fn split_within(text: &str, max: usize) -> (&str, &str) {
    let mut length = 0;
    for (at, c) in text.char_indices() {
        length += units_of(c);
        // The first one goes along in any case, so that there is an end.
        if length > max && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// Cuts a plain text into parts of at most `max`, at line ends where there are some, then at spaces.
pub fn parts(text: &str, max: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut left = text;
    while units(left) > max {
        let (head, _) = split_at(left, max);
        let cut = [head.rfind('\n'), head.rfind(' ')]
            .into_iter()
            .flatten()
            .find(|at| *at > head.len() / 2);
        let (part, rest) = left.split_at(cut.unwrap_or(head.len()));
        parts.push(part.trim_end().to_owned());
        left = if cut.is_some() { rest.get(1..).unwrap_or_default() } else { rest };
    }
    parts.push(left.to_owned());
    parts.retain(|part| !is_blank(part));
    parts
}

/// A time in the reader's own zone; UTC where it is not drawn.
pub fn time(at: DateTime<Utc>) -> String {
    let plain = at.format("%-d %b %H:%M UTC");
    format!("<!date^{}^{{date_short_pretty}}, {{time}}|{plain}>", at.timestamp())
}

/// A person: a mention where Slack knows them, otherwise their name.
pub fn person(by: &PersonId, by_name: &str) -> String {
    let is_id = !by.user.is_empty() && by.user.bytes().all(|b| b.is_ascii_alphanumeric());
    if by.platform == Platform::Slack && is_id {
        return format!("<@{}>", by.user);
    }
    escape(&clip_or(by_name, super::limits::QUOTE, "somebody"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_escaped_text() {
        assert_eq!((units("a<b"), units("&"), units("😀"), units("é")), (6, 5, 2, 1));
        assert_eq!(escape("<!channel> & <@U1>\u{202e}"), "&lt;!channel&gt; &amp; &lt;@U1&gt;");
    }

    #[test]
    fn texts_are_cut_between_what_people_see() {
        let family = "👩‍👩‍👧‍👦";
        assert_eq!(clip(&format!("ab{family}"), 6), "ab…");
        assert_eq!(clip("abcdef", 6), "abcdef");
        assert_eq!(clip("a<<<", 6), "a<…");
        let pile = format!("a{}", "\u{301}".repeat(50));
        assert_eq!(units(&clip(&pile, 10)), 10);
        assert!(is_blank(" \u{200b}\u{3164}") && !is_blank("—"));
    }

    #[test]
    fn parts_end_at_lines_then_at_words() {
        assert_eq!(parts("one two\nthree four", 10), ["one two", "three four"]);
        assert_eq!(parts("one two three", 9), ["one two", "three"]);
        assert_eq!(parts("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(parts("   ", 4), Vec::<String>::new());
    }
}
