//! Texts as Discord counts, cuts and reads them. Whatever a person or a model wrote goes through here.

use chrono::{DateTime, Utc};
use serenity::model::{id::UserId, mention::Mentionable as _};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::{
    gateway::discord::limits,
    model::{
        session::{PersonId, Platform},
        text::typed,
    },
};

/// How long a text is to Discord, in characters.
pub fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// How long a text is once it is [escaped](escape), at most.
fn escaped_units(text: &str) -> usize {
    text.chars().map(|c| c.len_utf16() + usize::from(is_mark(c) || may_mark(c) || c == '@')).sum()
}

/// What stands for something else wherever it stands.
const fn is_mark(c: char) -> bool {
    matches!(c, '\\' | '*' | '_' | '~' | '`' | '|' | '[' | ']' | '<' | '>')
}

/// What stands for something else where a line begins.
const fn may_mark(c: char) -> bool {
    matches!(c, '#' | '-' | '+' | '.' | ')')
}

/// Words as they stand within Discord's Markdown: no mention, no link that hides where it leads, no style comes of
/// them. Addresses stay as they are, so that they can be seen and followed.
pub fn escape(text: &str) -> String {
    escape_from(text, true)
}

/// The same for words that go on in a line, unless it `begins` with them.
pub(super) fn escape_from(text: &str, begins: bool) -> String {
    let text = typed(text);
    let mut out = String::with_capacity(text.len() + 8);
    let mut left = text.as_str();
    // Nothing of the line yet; nothing but digits.
    let (mut begins, mut counts) = (begins, begins);
    while let Some(c) = left.chars().next() {
        if let Some(address) = address(left) {
            out.push_str(address);
            left = &left[address.len()..];
            (begins, counts) = (false, false);
            continue;
        }
        let marks = match c {
            '#' | '-' | '+' => begins,
            '.' | ')' => counts,
            c => is_mark(c),
        };
        if marks {
            out.push('\\');
        }
        out.push(c);
        let calls = |name: &str| left[1..].starts_with(name);
        if c == '@' && (calls("everyone") || calls("here")) {
            // It must not even look as if it called everyone.
            out.push('\u{200b}');
        }
        begins = c == '\n' || (begins && c.is_whitespace());
        counts = c == '\n' || (counts && c.is_ascii_digit());
        left = &left[c.len_utf8()..];
    }
    out
}

/// The address that a text begins with: nothing within one is a style to Discord.
fn address(text: &str) -> Option<&str> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    let ends = |c: char| c.is_whitespace() || c.is_control() || "<>|*`\\[]()\"'@".contains(c);
    is_web.then(|| &text[..text.find(ends).unwrap_or(text.len())])
}

/// Words of somebody within Markdown, at most `max` characters once they are escaped.
pub fn said(text: &str, max: usize) -> String {
    let text = typed(text.trim());
    if is_blank(&text) {
        return "—".to_owned();
    }
    if escaped_units(&text) <= max {
        return escape(&text);
    }
    let (head, _) = split(&text, max.saturating_sub(1), escaped_units);
    format!("{}…", escape(head.trim_end()))
}

/// The beginning of a plain text that is at most `max` long, with a mark where something is left out. It is cut
/// between what people see as characters.
pub fn clip(text: &str, max: usize) -> String {
    let text = typed(text);
    if units(&text) <= max {
        return text;
    }
    let (head, _) = split(&text, max.saturating_sub(1), units);
    format!("{}…", head.trim_end())
}

/// A plain text for a place that must not be empty.
pub fn clip_or(text: &str, max: usize, otherwise: &str) -> String {
    let text = clip(text.trim(), max);
    if is_blank(&text) { clip(otherwise, max) } else { text }
}

/// Whether there is nothing to see in it: Discord refuses such a text where there must be one.
pub fn is_blank(text: &str) -> bool {
    let unseen = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{3164}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{ffa0}' | '\u{2800}' | '\u{e0000}'..='\u{e007f}')
    };
    text.chars().all(unseen)
}

/// Cuts where a text would become longer than `max`, between what people see as characters; a single one that is longer
/// is cut all the same.
fn split(text: &str, max: usize, measure: fn(&str) -> usize) -> (&str, &str) {
    let (mut length, mut end) = (0, 0);
    for (at, seen) in text.grapheme_indices(true) {
        let long = measure(seen);
        if length + long > max {
            if at > 0 {
                return text.split_at(end);
            }
            let within = seen.char_indices().scan(0, |length, (at, c)| {
                *length += measure(c.encode_utf8(&mut [0; 4]));
                Some((at, *length))
            });
            let cut =
                within.filter(|(at, length)| *at > 0 && *length > max).map(|(at, _)| at).next();
            return text.split_at(cut.unwrap_or(seen.len()));
        }
        length += long;
        end = at + seen.len();
    }
    (text, "")
}

/// A plain text as parts of Markdown of at most `max` characters each, cut at line ends where there are some, then at
/// spaces.
pub fn parts(text: &str, max: usize) -> Vec<String> {
    let text = typed(text);
    let mut parts = Vec::new();
    let mut left = text.as_str();
    while escaped_units(left) > max {
        let (head, _) = split(left, max, escaped_units);
        let cut = [head.rfind('\n'), head.rfind(' ')]
            .into_iter()
            .flatten()
            .find(|at| *at > head.len() / 2);
        let (part, rest) = left.split_at(cut.unwrap_or(head.len()));
        parts.push(escape(part.trim_end()));
        left = if cut.is_some() { rest.get(1..).unwrap_or_default() } else { rest };
    }
    parts.push(escape(left));
    parts.retain(|part| !is_blank(part));
    parts
}

/// A label on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A time in the reader's own zone and language.
pub fn time(at: DateTime<Utc>) -> String {
    format!("<t:{}:f>", at.timestamp())
}

/// A person: a mention where Discord knows them, otherwise their name. Who is mentioned is told of it only where the
/// message allows that.
pub fn person(by: &PersonId, by_name: &str) -> String {
    let known =
        by.user.parse::<u64>().ok().filter(|id| by.platform == Platform::Discord && *id > 0);
    match known {
        Some(id) => UserId::new(id).mention().to_string(),
        None => said(&one_line(&clip_or(by_name, limits::QUOTE, "somebody")), limits::QUOTE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_what_is_said_acts() {
        insta::assert_snapshot!(escape("@everyone <@1> **b** _i_ ||s|| [x](https://evil.example/a_b_c) # no\n# head\n-# small\n1. one\n> q <t:1:R> `c`").replace('\u{200b}', "·"), @r"
        @·everyone \<@1\> \*\*b\*\* \_i\_ \|\|s\|\| \[x\](https://evil.example/a_b_c) # no
        \# head
        \-# small
        1\. one
        \> q \<t:1:R\> \`c\`
        ");
    }

    #[test]
    fn texts_are_cut_between_what_people_see() {
        let family = "👩‍👩‍👧‍👦";
        assert_eq!(clip(&format!("ab{family}"), 6), "ab…");
        assert_eq!(clip("abcdef", 6), "abcdef");
        let pile = format!("a{}", "\u{301}".repeat(50));
        assert_eq!(units(&clip(&pile, 10)), 10);
        assert_eq!(said("****", 5), "\\*\\*…");
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
