//! Texts as Slack counts, cuts and reads them. Whatever a person or a model wrote goes through here.

use chrono::{DateTime, Utc};

use crate::{
    chat::form::Measure,
    messages,
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
        // Most of them act in some places alone; how long a text is must not depend on where it stands.
        '*' | '_' | '~' => 3,
        c => c.len_utf16(),
    }
}

/// Words as they stand within mrkdwn: no mention, no link, no command comes of them.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    escape_into(&typed(text), &mut out);
    out
}

/// Appends words as [`escape`] does, where they hold nothing that steers.
pub(super) fn escape_into(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

/// What people, files and models wrote, as it reads within mrkdwn: nothing in it is markup, and a web address is a link
/// that says where it leads.
pub fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for piece in pieces(&typed(text)) {
        match piece {
            Piece::Words(words) => out.push_str(&escape(&quiet(words))),
            Piece::Address(address) => out.push_str(&link(address)),
        }
    }
    out
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Words(&'a str),
    /// A web address.
    Address(&'a str),
}

/// A text cut around its web addresses. One that was cut itself is no address any more.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = text[at..].find("http") {
        let begin = at + found;
        let rest = &text[begin..];
        let is_begin = !text[..begin].ends_with(char::is_alphanumeric);
        let length = address_length(rest).filter(|_| is_begin);
        let Some(length) = length else {
            at = begin + "http".len();
            continue;
        };
        if begin > from {
            pieces.push(Piece::Words(&text[from..begin]));
        }
        pieces.push(Piece::Address(&rest[..length]));
        (from, at) = (begin + length, begin + length);
    }
    if from < text.len() {
        pieces.push(Piece::Words(&text[from..]));
    }
    pieces
}

/// Longest address that becomes a link, in bytes; a longer one stays text.
pub(super) const ADDRESS_MAX: usize = 1_000;

/// How long the address is that a text begins with.
pub(super) fn address_length(text: &str) -> Option<usize> {
    let host = ["https://", "http://"].into_iter().find_map(|scheme| text.strip_prefix(scheme))?;
    if !host.starts_with(char::is_alphanumeric) {
        return None;
    }
    let is_end = |c: char| {
        c.is_whitespace() || c.is_control() || "<>\"`|\u{2026}\u{201c}\u{201d}".contains(c)
    };
    let end = text.find(is_end).unwrap_or(text.len());
    let mut address = &text[..end];
    loop {
        let shorter = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~']);
        let is_unopened = |open: char, close: char| {
            shorter.ends_with(close)
                && shorter.matches(close).count() > shorter.matches(open).count()
        };
        let is_closed = is_unopened('(', ')') || is_unopened('[', ']') || is_unopened('{', '}');
        let next = if is_closed { &shorter[..shorter.len() - 1] } else { shorter };
        if next.len() == address.len() {
            break;
        }
        address = next;
    }
    let was_cut = address.len() == end && text[end..].starts_with('\u{2026}');
    (!was_cut && address.len() <= ADDRESS_MAX).then_some(address.len())
}

/// A link whose words are its own target.
pub(super) fn link(address: &str) -> String {
    let harmless = |c: char| match c {
        '<' | '>' | '|' | '"' | '`' | ' ' | '\n' | '\t' => format!("%{:02X}", u32::from(c)),
        c => escape(&c.to_string()),
    };
    let target: String = typed(address).chars().map(harmless).collect();
    format!("<{target}>")
}

/// Stands on both sides of what would be a mark, so that it stands neither at the beginning nor at the end of a word.
const APART: char = '\u{200b}';

/// A text in which `*`, `_`, `~` and backticks are what they look like. Within a word they are so anyway.
pub(super) fn quiet(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut before, mut after) = (None::<char>, text.chars());
    while let Some(c) = after.next() {
        let is_within = before.is_some_and(char::is_alphanumeric)
            && after.as_str().starts_with(char::is_alphanumeric);
        match c {
            '*' | '_' | '~' if !is_within => out.extend([APART, c, APART]),
            // Code begins wherever one stands.
            '`' => out.push('\''),
            // At the beginning of a line it would quote the line.
            '>' if matches!(before, None | Some('\n')) => out.extend([APART, c]),
            c => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// The beginning of a plain text that is at most `max` long ([`Measure::clip`]).
pub fn clip(text: &str, max: usize) -> String {
    MEASURE.clip(text, max)
}

/// A plain text for a place that must not be empty.
pub(crate) fn clip_or(text: &str, max: usize, otherwise: &str) -> String {
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
    let plain = messages::moment(at);
    format!("<!date^{}^{{date_short_pretty}}, {{time}}|{plain}>", at.timestamp())
}

/// A person: a mention where Slack knows them, otherwise their name.
pub fn person(by: &PersonId, by_name: &str) -> String {
    let is_id = !by.user.is_empty() && by.user.bytes().all(|b| b.is_ascii_alphanumeric());
    if by.platform == Platform::Slack && is_id {
        return format!("<@{}>", by.user);
    }
    literal(&clip_or(by_name, super::limits::QUOTE, "somebody"))
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
    fn what_people_write_is_never_markup() {
        let shown = |text: &str| literal(text).replace(APART, "·");
        assert_eq!(shown("*Ada* _B_ ~c~"), "·*·Ada·*· ·_·B·_· ·~·c·~·");
        assert_eq!(shown("snake_case 2*3 a~b"), "snake_case 2*3 a~b");
        assert_eq!(shown("`rm`"), "'rm'");
        assert_eq!(shown("> so\n> on & <!here>"), "·&gt; so\n·&gt; on &amp; &lt;!here&gt;");
    }

    #[test]
    fn an_address_is_a_link_to_what_it_says() {
        for (text, read) in [
            ("see https://example.org/privacy.", "see <https://example.org/privacy>."),
            ("(http://a.example/b_(c))", "(<http://a.example/b_(c)>)"),
            (
                "https://a.example/?x=1&y=_z_ on",
                "<https://a.example/?x=1&amp;y=_z>\u{200b}_\u{200b} on",
            ),
            ("<https://a.example|here>", "&lt;<https://a.example>|here&gt;"),
            ("https://a.example/cut…", "https://a.example/cut…"),
            ("xhttps://a.example https:// http", "xhttps://a.example https:// http"),
        ] {
            assert_eq!(literal(text), read, "{text}");
        }
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
