//! A page as its code shows it: addresses, generators, scripts, tags. Words that people read are left out, so that a page
//! which only writes about something does not look as if it used it.

use std::fmt::Write as _;

use html5gum::{DefaultEmitter, HtmlString, StartTag, Token, Tokenizer};

/// Most tags that are looked at.
const TAGS_MAX: usize = 20_000;

/// Longest tag, comment or address that is looked at, in bytes.
const PIECE_MAX: usize = 4 * 1024;

/// Attributes that hold an address.
const ADDRESSES: [&str; 5] = ["href", "src", "action", "data-src", "srcset"];

/// What of a page's code tells how it is made. Pieces are joined by line ends, which none of them holds.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// What generated it, by its own word.
    pub(super) generators: String,
    /// Addresses of scripts.
    pub(super) scripts: String,
    /// Addresses of everything else.
    pub(super) links: String,
    /// Scripts within the page.
    pub(super) inline: String,
    /// Tags, attributes in the order of their names: `<div class="a" id="b">`.
    pub(super) tags: String,
    /// Comments.
    pub(super) comments: String,
    /// A form asks for an e-mail address.
    pub(super) asks_for_email: bool,
    /// There is a field to search the site.
    pub(super) has_search: bool,
}

impl Page {
    /// Reads a page, however broken it is. Takes time by its length alone.
    pub(super) fn read(html: &str) -> Self {
        let mut page = Self::default();
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        let (mut tags, mut in_script) = (0, false);
        for token in Tokenizer::new_with_emitter(html, emitter) {
            let Ok(token) = token;
            match token {
                Token::StartTag(tag) => {
                    tags += 1;
                    if tags > TAGS_MAX {
                        break;
                    }
                    in_script = *tag.name == *b"script" && !is_data(&tag);
                    page.tag(&tag);
                }
                Token::EndTag(_) => in_script = false,
                Token::String(text) if in_script => add(&mut page.inline, &text, usize::MAX),
                Token::Comment(text) => add(&mut page.comments, &text, PIECE_MAX),
                Token::String(_) | Token::Doctype(_) | Token::Error(_) => {}
            }
        }
        page
    }

    fn tag(&mut self, tag: &StartTag<()>) {
        let value = |name: &str| tag.attributes.get(name.as_bytes()).map(|value| &value.value);
        let is = |name: &str, wanted: &str| {
            value(name).is_some_and(|value| value.eq_ignore_ascii_case(wanted.as_bytes()))
        };
        let is_script = *tag.name == *b"script";
        for (name, at) in &tag.attributes {
            if is_script && ***name == *b"src" {
                add(&mut self.scripts, at, PIECE_MAX);
            } else if ADDRESSES.iter().any(|known| ***name == *known.as_bytes()) {
                add(&mut self.links, at, PIECE_MAX);
            }
        }
        if *tag.name == *b"meta"
            && is("name", "generator")
            && let Some(content) = value("content")
        {
            add(&mut self.generators, content, PIECE_MAX);
        }
        if *tag.name == *b"input" {
            self.asks_for_email |= is("type", "email") || is("name", "email");
            self.has_search |= is("type", "search") || is("name", "q") || is("name", "s");
        }
        self.has_search |= is("role", "search");
        let mut written = format!("<{}", text_of(&tag.name));
        for (name, value) in &tag.attributes {
            if written.len() > PIECE_MAX {
                break;
            }
            let _infallible = write!(written, " {}=\"{}\"", text_of(name), text_of(value));
        }
        written.push('>');
        add(&mut self.tags, written.as_bytes(), PIECE_MAX);
    }
}

/// Whether a script holds data and no program.
fn is_data(tag: &StartTag<()>) -> bool {
    let kind = tag.attributes.get(b"type".as_slice());
    kind.is_some_and(|kind| text_of(kind).to_ascii_lowercase().contains("json"))
}

fn text_of(text: &HtmlString) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}

/// Adds a piece on a line of its own, cut to a length.
fn add(pieces: &mut String, piece: &[u8], max: usize) {
    let piece = String::from_utf8_lossy(&piece[..piece.len().min(max)]);
    pieces.extend(piece.chars().map(|c| if c.is_control() { ' ' } else { c }));
    pieces.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_kept_and_words_are_not() {
        let page = Page::read(
            "<!doctype html><!-- made by hand --><title>wp-content</title>\
             <meta content='WordPress 6' name=Generator><p id=b class='a'>/wp-content/ fbq('init')</p>\
             <script src='/a.js'></script><script>fbq('init')</script>\
             <script type='application/ld+json'>{\"a\": \"gtag(\"}</script>\
             <a href='/x?y'>z</a><input TYPE=Email><form role=search>",
        );
        assert_eq!(page.generators, "WordPress 6\n");
        assert_eq!(page.scripts, "/a.js\n");
        assert_eq!(page.inline, "fbq('init')\n");
        assert_eq!(page.links, "/x?y\n");
        assert_eq!(page.comments, " made by hand \n");
        assert!(page.tags.contains("<p class=\"a\" id=\"b\">"), "{}", page.tags);
        assert!(!page.tags.contains("wp-content") && !page.inline.contains("gtag"));
        assert!(page.asks_for_email && page.has_search);
    }

    #[test]
    fn broken_code_is_read_as_far_as_it_goes() {
        for html in [
            "",
            "<",
            "<a",
            "<a href=",
            "<a href='",
            "<!--",
            "<script>",
            "</",
            "<\u{0}>",
            "<a a a=1 a>",
        ] {
            Page::read(html);
        }
        let deep = "<div>".repeat(300_000);
        assert_eq!(Page::read(&deep).tags.lines().count(), TAGS_MAX);
        let wide = format!("<a {}>", "b=c ".repeat(200_000));
        assert!(Page::read(&wide).tags.len() <= PIECE_MAX + 1);
        let long = format!("<a href='{}'>", "x".repeat(1_000_000));
        assert!(Page::read(&long).links.len() <= PIECE_MAX + 1);
    }
}
