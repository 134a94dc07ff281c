//! Texts as Slack counts, cuts and reads them. Whatever a person or a model wrote goes through here.

use chrono::{DateTime, Utc};

use crate::{
    form::Measure,
    model::{
        session::{PersonId, Platform},
        text::typed,
    },
};

/// How Slack counts: UTF-16 units once the text is escaped.
const MEASURE: Measure = Measure(units_of);

/// How long a text is to Slack.
pub fn units(text: &str) -> usize {
    MEASURE.of(text)
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

/// The beginning of a plain text that is at most `max` long ([`Measure::clip`]).
pub fn clip(text: &str, max: usize) -> String {
    MEASURE.clip(text, max)
}

/// A plain text for a place that must not be empty.
pub fn clip_or(text: &str, max: usize, otherwise: &str) -> String {
    MEASURE.clip_or(text, max, otherwise)
}

/// Cuts a plain text where it would become longer than `max`.
pub fn split_at(text: &str, max: usize) -> (&str, &str) {
    MEASURE.split_at(text, max)
}

/// Cuts a plain text into parts of at most `max` ([`Measure::parts`]).
pub fn parts(text: &str, max: usize) -> Vec<String> {
    MEASURE.parts(text, max)
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
    }

    #[test]
    fn parts_end_at_lines_then_at_words() {
        assert_eq!(parts("one two\nthree four", 10), ["one two", "three four"]);
        assert_eq!(parts("one two three", 9), ["one two", "three"]);
        assert_eq!(parts("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(parts("   ", 4), Vec::<String>::new());
    }
}
