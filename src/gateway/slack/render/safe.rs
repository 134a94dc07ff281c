//! The model's words as Markdown in which nothing acts by itself, while they come and when they are all there. Pure.
//!
//! What could become a mention is escaped, a picture is a link, and a link stands as its words only where they say where
//! it leads ([`agrees`]). To be sure that Slack reads the same code and the same links as this does, all of them are
//! written anew: code in fences of three or marks of one backtick, links in one line; whatever else looks like the middle
//! of a link is divided by a character that takes no room.
//!
//! A stream has no switch against previews of links, so addresses are code while words come ([`Links::AsCode`]). Of words
//! that still come only as much is shown as cannot change its meaning any more, so that what was shown stays.

use super::text;
use crate::{chat::form::agrees, model::text::typed};

/// Takes no room, and divides what would act.
const APART: char = '\u{200b}';

/// Longest words of a link that stand for it, in characters.
const LABEL_MAX: usize = 200;

pub(super) const FENCE: &str = "```";

/// How web addresses are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They lead nowhere.
    AsCode,
    /// They can be followed.
    Live,
}

/// An answer that is all there.
pub fn markdown(text: &str, links: Links) -> String {
    let text = typed(text);
    let (out, is_open) = shown(text.trim(), links);
    if !is_open {
        return out;
    }
    let (mut out, _) = shown(text.trim_start(), links);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(FENCE);
    out
}

/// As much of an answer that still comes as cannot change any more.
pub fn begun(text: &str) -> String {
    let text = typed(text);
    let text = text.trim_start();
    shown(&text[..settled(text)], Links::AsCode).0
}

/// Up to where the meaning of the words is settled, in bytes: whole words, no line that may begin or end code, no code and
/// no link that is still open.
fn settled(words: &str) -> usize {
    let end = words
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + words[at..].chars().next().map_or(0, char::len_utf8));
    let begin = words[..end].rfind('\n').map_or(0, |at| at + 1);
    let (_, rest) = prefix(&words[begin..end]);
    if rest.trim().is_empty() || is_fence(rest) {
        return begin;
    }
    let (mut at, mut before) = (begin, begin);
    while let Some(c) = words[at..end].chars().next() {
        let rest = &words[at..];
        let length = match c {
            '\\' => 1 + usize::from(rest[1..].starts_with(|c: char| c.is_ascii_punctuation())),
            '`' => code(&words[at..end]).map_or(usize::MAX, |(_, length)| length),
            '[' => match link(rest) {
                Some(link) => link.length,
                None if may_become_link(rest) => usize::MAX,
                None => 1,
            },
            'h' if !words[..at].ends_with(char::is_alphanumeric) => {
                text::address_length(rest).unwrap_or(1)
            }
            c => c.len_utf8(),
        };
        if at.saturating_add(length) > end {
            // A sign before the bracket makes it a picture, where nothing takes its meaning away.
            return if c == '[' && &words[before..at] == "!" { before } else { at };
        }
        (before, at) = (at, at + length);
    }
    end
}

/// Whether a text that begins with `[` is a link whose end is not there yet.
fn may_become_link(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or_default();
    let is_all = line.len() < text.len();
    let Some(close) = line.find(']') else { return !is_all };
    let after = &line[close + 1..];
    !is_all && (after.is_empty() || after.starts_with('('))
}

/// A link that a text begins with.
pub(super) struct Link<'a> {
    label: &'a str,
    address: &'a str,
    /// What shows where a pointer rests on it.
    title: &'a str,
    pub(super) length: usize,
}

pub(super) fn link(text: &str) -> Option<Link<'_>> {
    let line = text.split('\n').next()?;
    let close = line.find(']')?;
    let label = line.get(1..close)?;
    let inside = line[close + 1..].strip_prefix('(')?;
    let mut depth = 1;
    let end = inside.find(|c: char| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    let (address, title) = match inside[..end].trim().split_once(char::is_whitespace) {
        Some((address, title)) => (address, title.trim()),
        None => (inside[..end].trim(), ""),
    };
    let address = address.strip_prefix('<').and_then(|a| a.strip_suffix('>')).unwrap_or(address);
    Some(Link { label, address, title, length: close + 2 + end + 1 })
}

/// What a line begins with before its words: quotation marks, the mark of an entry.
fn prefix(line: &str) -> (&str, &str) {
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = trimmed.strip_prefix('>').or_else(|| {
            let numbered = (1..10).contains(&digits).then(|| &trimmed[digits..]);
            let marked = numbered.map_or_else(
                || trimmed.strip_prefix(['-', '*', '+']),
                |after| after.strip_prefix(['.', ')']),
            );
            marked.filter(|after| after.starts_with([' ', '\t']))
        });
        match after {
            Some(after) => rest = after,
            None => return (&line[..line.len() - trimmed.len()], trimmed),
        }
    }
}

/// Whether words begin or end code of several lines.
fn is_fence(words: &str) -> bool {
    words.starts_with(FENCE) || words.starts_with("~~~")
}

/// Code of several lines that is open.
struct Fence {
    sign: char,
    length: usize,
    is_quoted: bool,
}

impl Fence {
    fn of(line: &str) -> Option<(Self, &str, &str)> {
        let (before, words) = prefix(line);
        let sign = words.chars().next().filter(|_| is_fence(words))?;
        let info = words.trim_start_matches(sign);
        let is_fence = sign != '`' || !info.contains('`');
        let fence =
            Self { sign, length: words.len() - info.len(), is_quoted: before.contains('>') };
        is_fence.then_some((fence, before, info))
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let words = prefix(line).1.trim();
        words.len() >= self.length && words.chars().all(|c| c == self.sign)
    }
}

/// The words, and whether they end within code of several lines.
fn shown(text: &str, links: Links) -> (String, bool) {
    let mut out = String::with_capacity(text.len() + 16);
    let mut open: Option<Fence> = None;
    for whole in text.split_inclusive('\n') {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        if open.as_ref().is_some_and(|fence| fence.is_quoted && !line.trim_start().starts_with('>'))
        {
            out.push_str(FENCE);
            out.push('\n');
            open = None;
        }
        match &open {
            Some(fence) if fence.is_closed_by(line) => {
                out.push_str(FENCE);
                open = None;
            }
            Some(fence) => {
                let line = if fence.is_quoted { unquoted(line) } else { line };
                code_line(line, &mut out);
            }
            None => match Fence::of(line) {
                Some((fence, before, info)) => {
                    let entry = before.trim().trim_start_matches(['>', ' ']);
                    if !entry.is_empty() {
                        out.push_str(entry);
                        out.push('\n');
                    }
                    out.push_str(FENCE);
                    let info = info.trim();
                    let is_name = |c: char| c.is_ascii_alphanumeric() || "+#-_.".contains(c);
                    let name = info.find(|c| !is_name(c)).unwrap_or(info.len());
                    out.push_str(&info[..name]);
                    if name < info.len() {
                        out.push('\n');
                        code_line(info[name..].trim(), &mut out);
                    }
                    open = Some(fence);
                }
                None => prose(line, links, &mut out),
            },
        }
        if whole.ends_with('\n') {
            out.push('\n');
        }
    }
    (out, open.is_some())
}

/// A line of code, which must not end the code where it stands between other signs than it did.
fn code_line(line: &str, out: &mut String) {
    escape(&line.replace(FENCE, "`\u{200b}`\u{200b}`"), out);
}

/// A line of quoted code without the mark of the quotation.
fn unquoted(line: &str) -> &str {
    let line = line.trim_start();
    let line = line.strip_prefix('>').unwrap_or(line);
    line.strip_prefix(' ').unwrap_or(line)
}

/// One line that is no code.
fn prose(line: &str, links: Links, out: &mut String) {
    let begin = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
    out.push_str(&line[..begin]);
    inline(&line[begin..], Some(links), out);
}

/// Words within a line. Where there are no links, addresses are words as well.
fn inline(words: &str, links: Option<Links>, out: &mut String) {
    let mut at = 0;
    while let Some(c) = words[at..].chars().next() {
        let rest = &words[at..];
        at += match c {
            '\\' => escaped(rest, out),
            '`' => {
                if let Some((inside, length)) = code(rest) {
                    as_code(inside, out);
                    length
                } else {
                    let run = rest.len() - rest.trim_start_matches('`').len();
                    out.push_str(&"'".repeat(run));
                    run
                }
            }
            '!' if links.is_some() && rest[1..].starts_with('[') && link(&rest[1..]).is_some() => 1,
            '[' => match (links, link(rest)) {
                (Some(links), Some(link)) => {
                    linked(&link, links, out);
                    link.length
                }
                _ => sign('[', rest, out),
            },
            'h' if links.is_some() && !words[..at].ends_with(char::is_alphanumeric) => {
                match text::address_length(rest) {
                    Some(length) => {
                        address(&rest[..length], links.unwrap_or(Links::AsCode), out);
                        length
                    }
                    None => sign('h', rest, out),
                }
            }
            c => sign(c, rest, out),
        };
    }
}

/// A character as it stands; one that would be the middle of a link, or make it a picture, is kept apart from the next.
fn sign(c: char, rest: &str, out: &mut String) -> usize {
    escape(c.encode_utf8(&mut [0; 4]), out);
    let next = rest[c.len_utf8()..].chars().next();
    if c == ']' && matches!(next, Some('(' | ':' | '[' | '\\')) || c == '!' && next == Some('[') {
        out.push(APART);
    }
    c.len_utf8()
}

/// A backslash, and what it makes a mere character.
fn escaped(rest: &str, out: &mut String) -> usize {
    let Some(c) = rest[1..].chars().next().filter(char::is_ascii_punctuation) else {
        out.push('\\');
        return 1;
    };
    match c {
        '`' => out.push('\''),
        '[' | ']' | '(' | ')' | '<' | '>' | '&' | '!' => _ = sign(c, &rest[1..], out),
        c => out.extend(['\\', c]),
    }
    2
}

/// Code that a text begins with: what stands in it, and how long it is with its marks.
pub(super) fn code(text: &str) -> Option<(&str, usize)> {
    let line = text.split('\n').next()?;
    let marks = line.len() - line.trim_start_matches('`').len();
    let mut at = marks;
    loop {
        at += line.get(at..)?.find('`')?;
        let run = line[at..].len() - line[at..].trim_start_matches('`').len();
        if run == marks {
            let inside = &line[marks..at];
            return (!inside.trim().is_empty()).then_some((inside, at + run));
        }
        at += run;
    }
}

fn as_code(inside: &str, out: &mut String) {
    apart(out);
    out.push('`');
    escape(inside.trim().replace('`', "'").trim_end_matches('\\'), out);
    out.push('`');
}

/// Keeps what follows from being read together with what stands before it.
fn apart(out: &mut String) {
    if out.ends_with(['\\', '`', '!', ']']) {
        out.push(APART);
    }
}

fn linked(link: &Link<'_>, links: Links, out: &mut String) {
    let Link { label, address: to, title, .. } = link;
    let is_plain = !label.contains(['`', '[', '\\', '<', '>', '!', '|']);
    let is_short = label.chars().count() <= LABEL_MAX && to.len() <= text::ADDRESS_MAX;
    let said: String = label.chars().filter(|c| !matches!(c, '*' | '_' | '~')).collect();
    if links == Links::Live && is_plain && is_short && title.is_empty() && agrees(&said, to) {
        apart(out);
        out.push('[');
        escape(label.trim(), out);
        out.push_str("](");
        out.push_str(&target(to));
        out.push(')');
        return;
    }
    if label.trim() == *to {
        return address(to, links, out);
    }
    inline(label, None, out);
    out.push_str(" (");
    address(to, links, out);
    if !title.is_empty() {
        out.push(' ');
        inline(title, None, out);
    }
    out.push(')');
}

/// An address that says where it leads.
fn address(to: &str, links: Links, out: &mut String) {
    let is_web = text::address_length(to) == Some(to.len());
    if links == Links::AsCode || !is_web {
        if to.trim().is_empty() {
            return;
        }
        return as_code(to, out);
    }
    let target = target(to);
    apart(out);
    out.extend(["[", &target, "](", &target, ")"]);
}

/// An address in which nothing ends the link or is a style.
fn target(to: &str) -> String {
    let harmless = |c: char| match c {
        '<' | '>' | '|' | '"' | '`' | '\\' | '(' | ')' | '[' | ']' | '*' | '~' | ' ' => {
            format!("%{:02X}", u32::from(c))
        }
        '&' => "&amp;".to_owned(),
        c => c.to_string(),
    };
    typed(to).chars().map(harmless).collect()
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;

    fn live(text: &str) -> String {
        markdown(text, Links::Live).replace(APART, "·")
    }

    #[test]
    fn no_mention_no_picture_and_no_hidden_link_comes_of_a_models_words() {
        let text = "Hi <!channel> & <@U1>! See [our page](https://a.example/x) or https://example.org/a_b. \
                    [bank.example](https://evil.example/x) ![pic](http://e.example/p.png) `<b>` [ ] done\n\
                    [ref]: https://evil.example\n[a\nb](https://evil.example) <https://evil.example|bank.example>\n\
                    [w](https://en.example/A_(b) \"title\") [m](mailto:a@b.example) [[x]](javascript:1)\n\
                    ```\nlet a = b[0](c);\n```";
        insta::assert_snapshot!(live(text), @r#"
        Hi &lt;!channel&gt; &amp; &lt;@U1&gt;! See [our page](https://a.example/x) or [https://example.org/a_b](https://example.org/a_b). bank.example ([https://evil.example/x](https://evil.example/x)) [pic](http://e.example/p.png) `&lt;b&gt;` [ ] done
        [ref]·: [https://evil.example](https://evil.example)
        [a
        b]·([https://evil.example](https://evil.example)) &lt;[https://evil.example](https://evil.example)|bank.example&gt;
        w ([https://en.example/A_%28b%29](https://en.example/A_%28b%29) "title") m (`mailto:a@b.example`) [[x]]·(javascript:1)
        ```
        let a = b[0](c);
        ```
        "#);
        insta::assert_snapshot!(markdown(text, Links::AsCode).replace(APART, "·"), @r#"
        Hi &lt;!channel&gt; &amp; &lt;@U1&gt;! See our page (`https://a.example/x`) or `https://example.org/a_b`. bank.example (`https://evil.example/x`) pic (`http://e.example/p.png`) `&lt;b&gt;` [ ] done
        [ref]·: `https://evil.example`
        [a
        b]·(`https://evil.example`) &lt;`https://evil.example`|bank.example&gt;
        w (`https://en.example/A_(b)` "title") m (`mailto:a@b.example`) [[x]]·(javascript:1)
        ```
        let a = b[0](c);
        ```
        "#);
    }

    #[test]
    fn what_looks_like_code_here_is_code_in_slack_as_well() {
        let link = "[bank.example](https://evil.example)";
        let text = format!(
            "``` no`fence\n{link}\n\n`` `{link}\n\n\\`{link}`\n\na ` b\n`{link}`\n\n~~~~\n~~~\n```\n{link}\n~~~~\n\n    ```\n{link}\n    ```\n\n> ```rust\n> {link}\nout {link}\n\n1. ```\n   {link}\n   ```\n{link}"
        );
        insta::assert_snapshot!(live(&text), @"
        ''' no'fence
        bank.example ([https://evil.example](https://evil.example))

        '' 'bank.example ([https://evil.example](https://evil.example))

        'bank.example ([https://evil.example](https://evil.example))'

        a ' b
        `[bank.example](https://evil.example)`

        ```
        ~~~
        `·`·`
        [bank.example](https://evil.example)
        ```

        ```
        [bank.example](https://evil.example)
        ```

        ```rust
        [bank.example](https://evil.example)
        ```
        out bank.example ([https://evil.example](https://evil.example))

        1.
        ```
           [bank.example](https://evil.example)
        ```
        bank.example ([https://evil.example](https://evil.example))
        ");
    }

    #[test]
    fn half_a_link_is_not_shown_yet() {
        assert_eq!(begun("Read [this pa"), "Read ");
        assert_eq!(begun("Read [this page](https://exa"), "Read ");
        assert_eq!(
            begun("Read [this page](https://example.org) now"),
            "Read this page (`https://example.org`) "
        );
        assert_eq!(begun("Look at ![a pic"), "Look at ");
        assert_eq!(begun("Look at \\![a pic"), "Look at !");
        assert_eq!(begun("No\\!`  "), "No!");
        assert_eq!(begun("A list [1] of"), "A list [1] ");
        assert_eq!(begun("Run `cargo test and"), "Run ");
        assert_eq!(begun("So:\n```rust no"), "So:\n");
    }

    proptest! {
        #[test]
        fn what_was_shown_stays(text in r"[a-c \n\[\]\(\)!`<:/.\\>~*-]{0,60}(https://a\.b)?[a-c \n\[\]\(\)!`]{0,30}") {
            let whole = markdown(&text, Links::AsCode);
            let mut before = String::new();
            for (end, _) in text.char_indices() {
                let now = begun(&text[..end]);
                prop_assert!(now.starts_with(&before), "{before:?} became {now:?}");
                before = now;
            }
            prop_assert!(whole.starts_with(before.trim_end()), "{before:?} became {whole:?}");
            prop_assert!(!whole.contains('<'));
        }

        #[test]
        fn every_link_that_acts_is_one_that_agrees(text in r"(\[[a-c.`\\\[ ]{0,4}\]|\(https://e\.example/?\)|bank\.example|`{1,3}|~~~|\\|!|\n|> |- |    | |:|\]|\[|[a-c]){0,40}") {
            let out = markdown(&text, Links::Live);
            let mut link: Option<(String, String)> = None;
            for event in Parser::new_ext(&out, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES) {
                match event {
                    Event::Start(Tag::Link { dest_url, .. }) => link = Some((String::new(), dest_url.to_string())),
                    Event::Start(Tag::Image { .. }) => prop_assert!(false, "a picture in {out:?}"),
                    Event::Text(words) | Event::Code(words) => if let Some((said, _)) = &mut link { said.push_str(&words) },
                    Event::End(TagEnd::Link) => {
                        let (said, to) = link.take().unwrap();
                        prop_assert!(said == to || agrees(&said, &to), "{said:?} leads to {to:?} in {out:?} of {text:?}");
                    }
                    Event::Html(html) | Event::InlineHtml(html) => prop_assert!(false, "{html:?} in {out:?}"),
                    _ => {}
                }
            }
        }
    }
}
