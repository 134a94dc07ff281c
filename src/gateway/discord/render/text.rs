//! Texts as Discord counts, cuts and reads them. Whatever a person or a model wrote goes through here.

use chrono::{DateTime, Utc};
use serenity::model::{id::UserId, mention::Mentionable as _};

pub use crate::chat::form::{is_blank, one_line};

use crate::{
    chat::form::Measure,
    gateway::discord::limits,
    model::{
        session::{PersonId, Platform},
        text::typed,
    },
};

/// How Discord counts, read carefully.
const UNITS: Measure = Measure(char::len_utf16);

/// How long a text is once it is [escaped](escape), at most.
const ESCAPED: Measure = Measure(escaped_units);

const fn escaped_units(c: char) -> usize {
    c.len_utf16() + (is_mark(c) || may_mark(c) || c == '@') as usize
}

/// How long a text is to Discord, in characters.
pub fn units(text: &str) -> usize {
    UNITS.of(text)
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
pub(crate) fn escape(text: &str) -> String {
    escape_from(text, true)
}

/// Escapes words as [`escape`] does; unless `begins`, they go on in a line that has begun.
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
    escape(&ESCAPED.clip(&text, max))
}

/// The beginning of a plain text that is at most `max` long, with a mark where something is left out.
pub fn clip(text: &str, max: usize) -> String {
    UNITS.clip(text, max)
}

/// A plain text for a place that must not be empty.
pub(crate) fn clip_or(text: &str, max: usize, otherwise: &str) -> String {
    UNITS.clip_or(text, max, otherwise)
}

/// A plain text as parts of Markdown of at most `max` characters each, cut at line ends where there are some, then at
/// spaces.
pub fn parts(text: &str, max: usize) -> Vec<String> {
    let parts = ESCAPED.parts(&typed(text), max);
    parts.iter().map(|part| escape(part)).collect()
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
