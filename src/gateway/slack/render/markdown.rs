//! `CommonMark` to Slack's mrkdwn. Pure. Whatever the text holds, no mention, no command and no link that hides where
//! it leads comes out: `& < >` of the text are escaped, and a link is shown with its address.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd, TextMergeStream};
use unicode_segmentation::UnicodeSegmentation as _;

use super::text::{self, Piece, escape, escape_into, pieces};
use crate::chat::form::is_blank;
use crate::model::text::typed;

/// Longest address that becomes a link, in characters; a longer one stays text.
const LINK_MAX: usize = 1_000;

/// A piece of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Atom {
    /// Not escaped yet. Where they do not fit, they are divided between what people see as characters.
    Words(String),
    /// A link, escaped already and never divided.
    Link(String),
    /// Begins or ends a style: `*`, `_`, `~`.
    Mark(char),
}

impl Atom {
    /// UTF-16 units of it on a line of its own after this margin.
    fn length(&self, margin: usize) -> usize {
        match self {
            Self::Words(text) => text.chars().map(|c| escaped_length(c, margin)).sum(),
            Self::Link(text) => text.encode_utf16().count(),
            Self::Mark(_) => 1,
        }
    }

    const fn is_shown(&self) -> bool {
        matches!(self, Self::Words(_) | Self::Link(_))
    }

    /// In parts that cannot be divided.
    fn divided(&self) -> Vec<Self> {
        let Self::Words(text) = self else { return vec![self.clone()] };
        let words = |text: &str| Self::Words(text.to_owned());
        let mut atoms = Vec::with_capacity(text.len());
        for seen in text.graphemes(true) {
            // A pile of marks is no character any more.
            if seen.len() > 64 {
                atoms.extend(seen.chars().map(|c| words(c.encode_utf8(&mut [0; 4]))));
            } else {
                atoms.push(words(seen));
            }
        }
        atoms
    }
}

/// UTF-16 units of a character once it is escaped.
const fn escaped_length(c: char, margin: usize) -> usize {
    match c {
        '\n' => 1 + margin,
        '&' => "&amp;".len(),
        '<' | '>' => "&lt;".len(),
        c => c.len_utf16(),
    }
}

/// One paragraph, heading, entry of a list or block of code.
#[derive(Debug, Default)]
struct Block {
    /// Stands between the block before and this one.
    gap: &'static str,
    /// Stands before every line: marks of a quotation, the indent of a list.
    margin: String,
    /// Stands before the first line: the bullet.
    bullet: String,
    atoms: Vec<Atom>,
    is_code: bool,
}

/// Mrkdwn in parts of at most `max` characters each, cut at borders of paragraphs where that can be, then at words;
/// code that is cut is fenced on both sides.
pub fn parts(text: &str, max: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut free = 0;
    for block in read(text) {
        for (n, piece) in block.pieces(max).into_iter().enumerate() {
            let length = piece.encode_utf16().count();
            let gap = if n == 0 { block.gap } else { "\n" };
            match parts.last_mut() {
                Some(last) if gap.len() + length <= free => {
                    last.push_str(gap);
                    last.push_str(&piece);
                    free -= gap.len() + length;
                }
                _ => {
                    free = max.saturating_sub(length);
                    parts.push(piece);
                }
            }
        }
    }
    parts
}

impl Block {
    /// The block as mrkdwn, in as many pieces as it needs.
    fn pieces(&self, max: usize) -> Vec<String> {
        let mut pieces = Vec::new();
        let length: usize = self.atoms.iter().map(|atom| atom.length(self.margin.len())).sum();
        let room = max.saturating_sub(12 + self.bullet.len() + self.margin.len());
        let atoms: Cow<'_, [Atom]> = if length <= room {
            Cow::Borrowed(&self.atoms)
        } else {
            self.atoms.iter().flat_map(Atom::divided).collect()
        };
        let mut left = &*atoms;
        let mut open: Vec<char> = Vec::new();
        let mut bullet = self.bullet.as_str();
        while !left.is_empty() {
            let (taken, rest) =
                self.split(left, max.saturating_sub(12 + bullet.len() + self.margin.len()));
            let piece = self.draw(taken, bullet, &mut open);
            let is_seen = |atom: &Atom| match atom {
                Atom::Words(text) | Atom::Link(text) => !is_blank(text),
                Atom::Mark(_) => false,
            };
            if taken.iter().any(is_seen) {
                pieces.push(piece);
            }
            left = rest;
            bullet = "";
        }
        pieces
    }

    /// As many atoms as fit, to the last line end or space where there is one.
    fn split<'a>(&self, atoms: &'a [Atom], max: usize) -> (&'a [Atom], &'a [Atom]) {
        let (mut length, mut border) = (0, None);
        for (n, atom) in atoms.iter().enumerate() {
            let long = atom.length(self.margin.len());
            if length + long > max && n > 0 {
                return atoms.split_at(border.filter(|border| *border > n / 2).unwrap_or(n));
            }
            length += long;
            let is_border = |text: &str| text == "\n" || text == " " && !self.is_code;
            if matches!(atom, Atom::Words(text) if is_border(text)) {
                border = Some(n + 1);
            }
        }
        (atoms, &[])
    }

    /// Draws some of its atoms. Styles that are open at the cut are closed, and begun again in the next piece.
    fn draw(&self, atoms: &[Atom], bullet: &str, open: &mut Vec<char>) -> String {
        let mut out = format!("{}{bullet}", self.margin);
        if self.is_code {
            out.push_str("```\n");
        }
        out.extend(open.iter());
        for atom in atoms {
            match atom {
                Atom::Words(text) => {
                    for (n, line) in text.split('\n').enumerate() {
                        if n > 0 {
                            out.push('\n');
                            out.push_str(&self.margin);
                        }
                        escape_into(line, &mut out);
                    }
                }
                Atom::Link(text) => out.push_str(text),
                Atom::Mark(mark) => {
                    out.push(*mark);
                    match open.iter().rposition(|known| known == mark) {
                        Some(at) => drop(open.remove(at)),
                        None => open.push(*mark),
                    }
                }
            }
        }
        let kept = out.trim_end().len();
        out.truncate(kept);
        out.extend(open.iter().rev());
        if self.is_code {
            out.push_str("\n```");
        }
        out
    }
}

/// Reads a text into blocks.
fn read(text: &str) -> Vec<Block> {
    let text = typed(text);
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut reader = Reader::default();
    for event in TextMergeStream::new(Parser::new_ext(&text, options)) {
        reader.event(event);
    }
    reader.close();
    reader.blocks.retain(|block| block.atoms.iter().any(Atom::is_shown));
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    current: Option<Block>,
    /// Numbers of the open lists; `None` for one with bullets.
    lists: Vec<Option<u64>>,
    /// The bullet that the next block begins with.
    bullet: Option<String>,
    quotes: usize,
    in_heading: bool,
    in_code: bool,
    /// Of each open link: where its words begin, and where it leads.
    links: Vec<(usize, String)>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => self.prose(&text),
            Event::Code(code) => {
                // There is no way to write a backtick within code.
                self.words(&format!("`{}`", code.replace('`', "'")));
            }
            Event::SoftBreak => self.words(" "),
            Event::HardBreak => self.words("\n"),
            Event::Rule => {
                self.close();
                self.words("———");
                self.close();
            }
            Event::FootnoteReference(name) => self.words(&name),
            Event::TaskListMarker(done) => self.words(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => {
                self.close();
                self.mark('*');
                self.in_heading = true;
            }
            Tag::BlockQuote(_) => {
                self.close();
                self.quotes += 1;
            }
            Tag::CodeBlock(kind) => {
                self.close();
                self.in_code = true;
                let _: CodeBlockKind<'_> = kind;
                self.block().is_code = true;
            }
            Tag::List(first) => {
                self.close();
                self.lists.push(first);
            }
            Tag::Item => {
                self.close();
                self.bullet = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", number.saturating_sub(1))
                    }
                    Some(None) | None => "• ".to_owned(),
                });
            }
            Tag::Emphasis => self.mark('_'),
            Tag::Strong if !self.in_heading => self.mark('*'),
            Tag::Strikethrough => self.mark('~'),
            Tag::Link { dest_url, .. } => {
                let at = self.block().atoms.len();
                self.links.push((at, dest_url.into_string()));
            }
            Tag::TableCell if self.current.as_ref().is_some_and(|b| !b.atoms.is_empty()) => {
                self.words(" ");
            }
            Tag::TableRow => {
                self.close();
                self.block().gap = "\n";
            }
            Tag::TableHead | Tag::Paragraph | Tag::HtmlBlock => self.close(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.in_heading = false;
                self.mark('*');
                self.close();
            }
            TagEnd::BlockQuote(_) => {
                self.close();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                self.close();
            }
            TagEnd::List(_) => {
                self.close();
                self.lists.pop();
            }
            TagEnd::Item => {
                self.close();
                self.bullet = None;
            }
            TagEnd::Emphasis => self.mark('_'),
            TagEnd::Strong if !self.in_heading => self.mark('*'),
            TagEnd::Strikethrough => self.mark('~'),
            TagEnd::Link => self.link(),
            TagEnd::TableCell => self.words(" |"),
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.close();
            }
            _ => {}
        }
    }

    /// The block that is being written; a new one where there is none.
    fn block(&mut self) -> &mut Block {
        let gap = match (self.blocks.is_empty(), &self.bullet) {
            (true, _) => "",
            (false, Some(_)) if self.blocks.last().is_some_and(|last| !last.bullet.is_empty()) => {
                "\n"
            }
            (false, _) => "\n\n",
        };
        let (quotes, lists) = (self.quotes, self.lists.len());
        let bullet = &mut self.bullet;
        self.current.get_or_insert_with(|| {
            let bullet = bullet.take().unwrap_or_default();
            let inner = usize::from(bullet.is_empty());
            let indent = lists.saturating_sub(1) + if lists > 0 { inner } else { 0 };
            let margin = format!("{}{}", "> ".repeat(quotes.min(1)), "    ".repeat(indent.min(4)));
            Block { gap, margin, bullet, ..Block::default() }
        })
    }

    fn close(&mut self) {
        if let Some(block) = self.current.take() {
            self.blocks.push(block);
        }
        self.links.clear();
    }

    fn mark(&mut self, mark: char) {
        self.block().atoms.push(Atom::Mark(mark));
    }

    /// Words that are no code: marks in them are what they look like, and addresses lead where they say.
    fn prose(&mut self, text: &str) {
        if self.in_code {
            return self.words(text);
        }
        if !self.links.is_empty() {
            return self.words(&text::quiet(text));
        }
        for piece in pieces(text) {
            match piece {
                Piece::Words(words) => self.words(&text::quiet(words)),
                Piece::Address(address) => {
                    self.block().atoms.push(Atom::Link(text::link(address)));
                }
            }
        }
    }

    fn words(&mut self, text: &str) {
        // Three in a row would begin or end a block of code.
        let text = typed(text).replace("```", "`\u{200b}`\u{200b}`");
        let atoms = &mut self.block().atoms;
        atoms.extend((!text.is_empty()).then_some(Atom::Words(text)));
    }

    /// Shows where a link leads; one that leads to nowhere on the web stays words.
    fn link(&mut self) {
        let Some((at, url)) = self.links.pop() else { return };
        let atoms = &mut self.block().atoms;
        let mut said = String::new();
        for atom in atoms.get(at..).unwrap_or_default() {
            match atom {
                Atom::Words(text) => escape_into(text, &mut said),
                Atom::Link(text) => said.push_str(text),
                Atom::Mark(_) => {}
            }
        }
        let lower = url.to_ascii_lowercase();
        let is_web = lower.starts_with("https://") || lower.starts_with("http://");
        // As its words are, where they are the address.
        let address = escape(&text::quiet(&url));
        if !is_web || url.chars().count() > LINK_MAX {
            let shown = url
                .get(7..)
                .filter(|_| lower.starts_with("mailto:"))
                .unwrap_or_default()
                .to_owned();
            if !shown.is_empty() && said != escape(&text::quiet(&shown)) {
                self.words(&format!(" ({shown})"));
            }
            return;
        }
        let leads = Atom::Link(text::link(&url));
        if said == address {
            atoms.truncate(at);
            atoms.push(leads);
        } else {
            atoms.extend([Atom::Words(" (".to_owned()), leads, Atom::Words(")".to_owned())]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> String {
        parts(text, 3_000).join("\n=====\n")
    }

    #[test]
    fn every_shape_has_one_in_slack() {
        insta::assert_snapshot!(whole("# One *two* **three**\n\nA **bold** and *soft* ~~gone~~ `co``de` word  \nnext\n\n- a\n- b\n  1. c\n  2. d\n\n> said\n> so\n\n```rust\nlet x = \"<a>\";\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\nend"), @r#"
        *One _two_ three*

        A *bold* and _soft_ ~gone~ `co''de` word
        next

        • a
        • b
            1. c
            2. d

        > said so

        ```
        let x = "&lt;a&gt;";
        ```

        a | b |
        1 | 2 |

        ———

        end
        "#);
    }

    #[test]
    fn nothing_acts() {
        insta::assert_snapshot!(whole("see <!channel> <@U1> [here](https://evil.example/a|b) [x](javascript:1) <https://a.example/?a=1&b=2> [m](mailto:a@b.example) <b>x</b> ![pic](https://p.example/x.png) https://bare.example"), @"see &lt;!channel&gt; &lt;@U1&gt; here (<https://evil.example/a%7Cb>) x <https://a.example/?a=1&amp;b=2> m (a@b.example) &lt;b&gt;x&lt;/b&gt; pic <https://bare.example>");
    }

    #[test]
    fn what_is_cut_goes_on_in_its_style() {
        insta::assert_snapshot!(parts("some **bold words that go on** and then\n\n```\nfirst line\nsecond line\n```\n\n> a quotation that is longer", 34).join("\n=====\n"), @"
        some *bold words that*
        =====
        *go on* and then
        =====
        ```
        first line
        second line
        ```
        =====
        > a quotation that is
        > longer
        ");
    }
}
