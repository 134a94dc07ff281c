//! `CommonMark` to Discord's Markdown. Pure. Whatever the text holds, no mention and no link that hides where it leads
//! comes out: what stands for something to Discord is escaped, and a link is shown with its address.

use std::ops::Range;

use pulldown_cmark::{
    CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset,
};
use unicode_segmentation::UnicodeSegmentation as _;

use super::atom::{Atom, BOLD, CODE, STYLES};
use super::table::{Cell, Table};
use super::text::{escape, escape_from, is_blank, units};
use crate::chat::form::agrees;
use crate::model::text::typed;

/// Longest words of a link that stand for it, in characters.
const LABEL_MAX: usize = 100;

/// Longest address that is shown, in characters; a longer one is left out.
const LINK_MAX: usize = 500;

/// Room that marks of styles may take at the rims of a piece, in characters.
const MARKS: usize = 16;

/// One paragraph, heading, entry of a list or block of code.
#[derive(Debug, Default)]
struct Block {
    /// Stands between the block before and this one.
    gap: &'static str,
    /// Stands before every line: marks of a quotation, the indent of a list.
    margin: String,
    /// Stands before the first line: a bullet, the mark of a heading.
    head: String,
    atoms: Vec<Atom>,
    is_code: bool,
}

/// Discord's Markdown in parts of at most `max` characters each, cut at borders of paragraphs where that can be, then at
/// words; styles and code that are cut are closed, and begun again in the next part.
pub fn parts(text: &str, max: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut free = 0;
    for block in read(text) {
        for (n, piece) in block.pieces(max).into_iter().enumerate() {
            let length = units(&piece);
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
    /// The block as Markdown, in as many pieces as it needs.
    fn pieces(&self, max: usize) -> Vec<String> {
        let mut pieces = Vec::new();
        let mut left = self.atoms.as_slice();
        let mut head = self.head.as_str();
        while !left.is_empty() {
            let room = max.saturating_sub(MARKS + units(head) + units(&self.margin));
            let (taken, rest) = self.split(left, room);
            if taken.iter().any(|atom| !is_blank(&atom.shown)) {
                pieces.push(self.draw(taken, head));
                head = "";
            }
            left = rest;
        }
        pieces
    }

    /// As many atoms as fit, to the last line end or space where there is one. A change of styles counts as long as
    /// the longest.
    fn split<'a>(&self, atoms: &'a [Atom], max: usize) -> (&'a [Atom], &'a [Atom]) {
        let (mut length, mut border, mut styles) = (0, None, 0);
        for (n, atom) in atoms.iter().enumerate() {
            let marks = if atom.styles == styles { 0 } else { 8 };
            styles = atom.styles;
            let line = if atom.shown == "\n" { units(&self.margin) } else { 0 };
            let long = marks + line + units(&atom.shown);
            if length + long > max && n > 0 {
                return atoms.split_at(border.filter(|border| *border > n / 2).unwrap_or(n));
            }
            length += long;
            if atom.shown == "\n" || atom.shown == " " && !self.is_code {
                border = Some(n + 1);
            }
        }
        (atoms, &[])
    }

    fn draw(&self, atoms: &[Atom], head: &str) -> String {
        let blank = |atom: &&Atom| is_blank(&atom.shown);
        let end = atoms.len() - atoms.iter().rev().take_while(blank).count();
        let start = if self.is_code { 0 } else { atoms.iter().take_while(blank).count() };
        let mut out = format!("{}{head}", self.margin);
        if self.is_code {
            out.push_str("```\n");
            out.push_str(&self.margin);
        }
        let mut open: Vec<(u8, &str)> = Vec::new();
        for atom in atoms.get(start..end).unwrap_or_default() {
            // What ends within something else ends that too, and it is opened again.
            while open.iter().any(|(style, _)| atom.styles & style == 0) {
                out.push_str(open.pop().map_or("", |(_, mark)| mark));
            }
            for (style, mark) in STYLES {
                let is_open = open.iter().any(|(known, _)| *known == style);
                if atom.styles & style != 0 && !is_open {
                    open.push((style, mark));
                    out.push_str(mark);
                }
            }
            out.push_str(&atom.shown);
            if atom.shown == "\n" {
                out.push_str(&self.margin);
            }
        }
        for (_, mark) in open.iter().rev() {
            out.push_str(mark);
        }
        if self.is_code {
            out.push('\n');
            out.push_str(&self.margin);
            out.push_str("```");
        }
        out
    }
}

/// Reads a text into blocks.
fn read(text: &str) -> Vec<Block> {
    let text = typed(text);
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut reader = Reader { source: &text, ..Reader::default() };
    let parser = Parser::new_ext(&text, options).into_offset_iter();
    for (event, at) in TextMergeWithOffset::new(parser) {
        match event {
            Event::Start(Tag::Table(alignments)) => {
                let head = reader.head.take();
                reader.close();
                reader.table = Some(Table { alignments, head, ..Table::default() });
            }
            Event::End(TagEnd::Table) => reader.end_table(),
            event if reader.table.is_some() => reader.in_table(event, &at),
            event => reader.event(event),
        }
    }
    reader.close();
    reader.blocks.retain(|block| block.atoms.iter().any(|atom| !is_blank(&atom.shown)));
    reader.blocks
}

#[derive(Default)]
struct Reader<'a> {
    source: &'a str,
    /// The table that is being read.
    table: Option<Table>,
    /// Where the newest cell of its row ends in the source.
    cell_end: usize,
    blocks: Vec<Block>,
    current: Option<Block>,
    /// Numbers of the open lists; `None` for one with bullets.
    lists: Vec<Option<u64>>,
    /// What the next block begins with.
    head: Option<String>,
    quotes: usize,
    in_code: bool,
    /// What stands beside the opening fence: the language of the code, or words that nobody closed.
    fence: String,
    /// How often each style is open.
    open: [usize; 4],
    /// The words of the cell that is being read.
    plain: String,
    /// Of each open link: where its words begin, and where it leads.
    links: Vec<(usize, String)>,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => self.words(&text),
            // There is no way to write a backtick within code.
            Event::Code(code) => self.raw(&code.replace('`', "'"), CODE),
            // Discord shows a line of its own where one was written.
            Event::SoftBreak | Event::HardBreak => self.raw("\n", 0),
            Event::Rule => {
                self.close();
                self.raw("———", 0);
                self.close();
            }
            Event::FootnoteReference(name) => self.words(&name),
            Event::TaskListMarker(done) => self.words(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.close();
                let mark = match level {
                    HeadingLevel::H1 => "# ",
                    HeadingLevel::H2 => "## ",
                    HeadingLevel::H3 | HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => {
                        "### "
                    }
                };
                self.head = Some(mark.to_owned());
            }
            Tag::BlockQuote(_) => {
                self.close();
                self.quotes += 1;
            }
            Tag::CodeBlock(kind) => {
                self.close();
                if let CodeBlockKind::Fenced(fence) = kind {
                    self.fence = fence.into_string();
                }
                self.in_code = true;
                self.block().is_code = true;
            }
            Tag::List(first) => {
                self.close();
                self.lists.push(first);
            }
            Tag::Item => {
                self.close();
                self.head = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", number.saturating_sub(1))
                    }
                    Some(None) | None => "- ".to_owned(),
                });
            }
            Tag::Emphasis => self.open[2] += 1,
            Tag::Strong => self.open[1] += 1,
            Tag::Strikethrough => self.open[0] += 1,
            Tag::Link { dest_url, .. } => {
                let at = self.block().atoms.len();
                self.links.push((at, dest_url.into_string()));
            }
            Tag::Paragraph | Tag::HtmlBlock => self.close(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => {
                self.close();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::CodeBlock => {
                let fence = std::mem::take(&mut self.fence);
                if self.block().atoms.is_empty() {
                    self.words(&fence);
                }
                self.in_code = false;
                self.close();
            }
            TagEnd::List(_) => {
                self.close();
                self.lists.pop();
            }
            TagEnd::Item | TagEnd::Heading(_) => {
                self.close();
                self.head = None;
            }
            TagEnd::Emphasis => self.open[2] = self.open[2].saturating_sub(1),
            TagEnd::Strong => self.open[1] = self.open[1].saturating_sub(1),
            TagEnd::Strikethrough => self.open[0] = self.open[0].saturating_sub(1),
            TagEnd::Link => self.link(),
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.close(),
            _ => {}
        }
    }

    /// What stands within a table: each cell is read by itself.
    fn in_table(&mut self, event: Event<'_>, at: &Range<usize>) {
        match event {
            Event::Start(Tag::TableHead) => {}
            Event::Start(Tag::TableRow) => self.cell_end = at.start,
            Event::Start(Tag::TableCell) => self.current = None,
            Event::End(TagEnd::TableCell) => {
                self.cell_end = self.cell_end.max(at.end);
                let atoms = self.current.take().map(|block| block.atoms).unwrap_or_default();
                self.links.clear();
                if let Some(table) = &mut self.table {
                    let words = std::mem::take(&mut self.plain);
                    table.row.push(Cell { words, atoms });
                }
            }
            Event::End(TagEnd::TableHead) => {
                if let Some(table) = &mut self.table {
                    table.header = std::mem::take(&mut table.row);
                }
            }
            Event::End(TagEnd::TableRow) => self.end_row(at),
            event => {
                match &event {
                    Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => {
                        self.plain.push_str(text);
                    }
                    Event::SoftBreak | Event::HardBreak => self.plain.push(' '),
                    _ => {}
                }
                self.event(event);
            }
        }
    }

    /// Ends a row. A line without a column is no row but words that stand right below the table; what stands in more cells
    /// than the table has goes with the last one.
    fn end_row(&mut self, at: &Range<usize>) {
        let line = self.source.get(at.clone()).unwrap_or_default();
        let more = self.source.get(self.cell_end..at.end).unwrap_or_default();
        let more = more.trim().trim_matches('|').trim();
        let more_atoms = (!more.is_empty()).then(|| {
            self.current = None;
            self.words(&format!(" | {more}"));
            self.current.take().map(|block| block.atoms).unwrap_or_default()
        });
        let Some(table) = &mut self.table else { return };
        let mut row = std::mem::take(&mut table.row);
        if let (Some(atoms), Some(last)) = (more_atoms, row.last_mut()) {
            last.words.extend([" | ", more]);
            last.atoms.extend(atoms);
        }
        if line.contains('|') {
            table.rows.push(row);
            return;
        }
        // Whatever comes below those words is read as a table of its own.
        let next = Table { alignments: table.alignments.clone(), ..Table::default() };
        self.end_table();
        self.block().atoms.extend(row.into_iter().flat_map(|cell| cell.atoms));
        self.close();
        self.table = Some(next);
    }

    fn end_table(&mut self) {
        let Some(mut table) = self.table.take() else { return };
        self.current = None;
        self.head = table.head.take();
        let is_empty = table
            .header
            .iter()
            .chain(table.rows.iter().flatten())
            .all(|cell| is_blank(&cell.words));
        if is_empty {
            return;
        }
        if let Some(rendered) = table.render(self.margin()) {
            self.in_code = true;
            self.block().is_code = true;
            self.words(&rendered);
            self.in_code = false;
            self.close();
            return;
        }
        if table.rows.is_empty() {
            table.rows.push(std::mem::take(&mut table.header));
        }
        for row in table.rows {
            self.listed(&table.header, row);
        }
    }

    /// A row as lines of `Header: value`.
    fn listed(&mut self, header: &[Cell], row: Vec<Cell>) {
        for (n, cell) in row.into_iter().enumerate().filter(|(_, cell)| !is_blank(&cell.words)) {
            if self.current.is_some() {
                self.raw("\n", 0);
            }
            if let Some(title) = header.get(n).filter(|title| !is_blank(&title.words)) {
                let bold = title
                    .atoms
                    .iter()
                    .map(|atom| Atom { shown: atom.shown.clone(), styles: atom.styles | BOLD });
                let atoms = &mut self.block().atoms;
                atoms.extend(bold);
                atoms.extend([":", " "].map(|shown| Atom { shown: shown.to_owned(), styles: 0 }));
            }
            self.block().atoms.extend(cell.atoms);
        }
        self.close();
    }

    /// Columns that stand before every line.
    fn margin(&self) -> usize {
        2 * (self.quotes.min(1) + self.lists.len().min(4))
    }

    /// The block that is being written; a new one where there is none.
    fn block(&mut self) -> &mut Block {
        let is_entry = |block: &Block| !block.head.is_empty();
        let gap = match (self.blocks.last(), &self.head) {
            (None, _) => "",
            (Some(last), _) if last.head.starts_with('#') => "\n",
            (Some(last), Some(_)) if is_entry(last) => "\n",
            (Some(_), _) => "\n\n",
        };
        let (quotes, lists) = (self.quotes, self.lists.len());
        let head = &mut self.head;
        self.current.get_or_insert_with(|| {
            let head = head.take().unwrap_or_default();
            let inner = usize::from(head.is_empty());
            let indent = lists.saturating_sub(1) + if lists > 0 { inner } else { 0 };
            let margin = format!("{}{}", "> ".repeat(quotes.min(1)), "  ".repeat(indent.min(4)));
            Block { gap, margin, head, ..Block::default() }
        })
    }

    fn close(&mut self) {
        if let Some(block) = self.current.take() {
            self.blocks.push(block);
        }
        self.links.clear();
    }

    fn words(&mut self, text: &str) {
        if self.in_code {
            // Three in a row would end the code.
            self.raw(&text.replace("```", "`\u{200b}`\u{200b}`"), 0);
        } else {
            let atoms = self.current.as_ref().and_then(|block| block.atoms.last());
            let begins = atoms.is_none_or(|last| last.shown == "\n");
            self.raw(&escape_from(text, begins), 0);
        }
    }

    /// Finished Markdown, in the styles that are open and one more.
    fn raw(&mut self, text: &str, style: u8) {
        let open = self.open.iter().zip(STYLES).filter(|(times, _)| **times > 0);
        let styles = open.fold(style, |styles, (_, (style, _))| styles | style);
        let is_code = self.in_code;
        let atoms = &mut self.block().atoms;
        let mut held = String::new();
        for seen in text.graphemes(true) {
            held.push_str(seen);
            // An escape stays with what it escapes.
            if seen == "\\" && held.len() == 1 && !is_code && style == 0 {
                continue;
            }
            // A pile of marks is no character any more.
            if held.len() > 64 {
                atoms.extend(held.chars().map(|c| Atom { shown: c.to_string(), styles }));
            } else {
                atoms.push(Atom { shown: held.clone(), styles });
            }
            held.clear();
        }
        if !held.is_empty() {
            atoms.push(Atom { shown: held, styles });
        }
    }

    /// Shows where a link leads; one that leads to nowhere on the web stays words.
    fn link(&mut self) {
        let Some((at, url)) = self.links.pop() else { return };
        let atoms = &mut self.block().atoms;
        let said: String =
            atoms.get(at..).unwrap_or_default().iter().map(|a| a.shown.as_str()).collect();
        let lower = url.to_ascii_lowercase();
        let is_web = lower.starts_with("https://") || lower.starts_with("http://");
        if let Some(address) = url.get(7..).filter(|_| lower.starts_with("mailto:")) {
            let shown = escape(address);
            if said != shown {
                self.raw(&format!(" ({shown})"), 0);
            }
            return;
        }
        if !is_web || units(&url) > LINK_MAX {
            return;
        }
        let harmless = |c: char| match c {
            '<' | '>' | '|' | '"' | '`' | '\\' | ' ' | '\n' | '\t' => {
                format!("%{:02X}", u32::from(c))
            }
            c => c.to_string(),
        };
        let target: String = typed(&url).chars().map(harmless).collect();
        let plain_words: String = said.replace('\\', "");
        if self.table.is_some() && plain_words != url {
            self.plain.extend([" (", &target, ")"]);
        }
        let atoms = &mut self.block().atoms;
        let label = atoms.get(at..).unwrap_or_default();
        let is_one = label.iter().all(|atom| atom.shown != "\n" && atom.styles & CODE == 0);
        let is_short = units(&said) <= LABEL_MAX && !plain_words.contains("://");
        if is_one && is_short && said != escape(&url) && agrees(&plain_words, &target) {
            let styles = label.first().map_or(0, |atom| atom.styles);
            let target = target.replace('(', "%28").replace(')', "%29");
            atoms.truncate(at);
            atoms.push(Atom { shown: format!("[{}](<{target}>)", said.trim()), styles });
            return;
        }
        let leads = Atom { shown: format!("<{target}>"), styles: 0 };
        let plain = |shown: &str| Atom { shown: shown.to_owned(), styles: 0 };
        if said == escape(&url) {
            atoms.truncate(at);
            atoms.push(leads);
        } else {
            atoms.extend([plain(" "), plain("("), leads, plain(")")]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> String {
        parts(text, 3_000).join("\n=====\n").replace('\u{200b}', "·")
    }

    #[test]
    fn every_shape_has_one_in_discord() {
        insta::assert_snapshot!(whole("# One *two* **three**\n\nA **bold *both* ** and *soft* ~~gone~~ `co``de` word  \nnext\n\n- a\n- b\n  1. c\n  2. d\n\n> said\n> so\n\n```rust\nlet x = \"<a>\";\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---\n\n#### deep\n\nend"), @r#"
        # One *two* **three**
        A \*\*bold *both* \*\* and *soft* ~~gone~~ `co''de` word
        next

        - a
        - b
          1. c
          2. d

        > said
        > so

        ```
        let x = "<a>";
        ```

        ```
        a  b
        ─  ─
        1  2
        ```

        ———

        ### deep
        end
        "#);
    }

    #[test]
    fn tables_are_aligned_code_and_no_word_around_them_is_lost() {
        insta::assert_snapshot!(whole("Before\n\n| Role | Years | Note |\n|:--|--:|---|\n| Chemist | 12 | a \\| b |\n| 日本語 | 3 | `x \\| y` 👩‍🔬 |\nright below\n\n> | a | b |\n> |---|---|\n> | 1 | 2 | 3 | four |\n\n- entry\n\n  | a | b |\n  |---|---|\n  | 1 | [here](https://a.example/x) |\n\nend"), @"
        Before

        ```
        Role     Years  Note
        ───────  ─────  ────────
        Chemist     12  a | b
        日本語       3  x | y 👩‍🔬
        ```

        right below

        > ```
        > a  b
        > ─  ────────────
        > 1  2 | 3 | four
        > ```

        - entry

          ```
          a  b
          ─  ──────────────────────────
          1  here (https://a.example/x)
          ```

        end
        ");
    }

    #[test]
    fn a_table_that_is_too_wide_becomes_lines() {
        insta::assert_snapshot!(whole("| Name | Long | C | D | E | F | G | H |\n|---|---|---|---|---|---|---|---|\n| Ada Lovelace | something long here | cccccccc | dddddddd | eeeeeeee | ffffffff | gggggggg | |\n\n| What | Why |\n|---|---|\n| Analytical engine | It is the first machine that could weave algebraical patterns as the loom weaves flowers and leaves |"), @"
        **Name**: Ada Lovelace
        **Long**: something long here
        **C**: cccccccc
        **D**: dddddddd
        **E**: eeeeeeee
        **F**: ffffffff
        **G**: gggggggg

        ```
        What               Why
        ─────────────────  ─────────────────────────────────────────
        Analytical engine  It is the first machine that could weave
                           algebraical patterns as the loom weaves
                           flowers and leaves
        ```
        ");
    }

    #[test]
    fn a_link_is_its_words_where_they_say_where_it_leads() {
        insta::assert_snapshot!(whole("[our *page*](https://a.example/x_(y)) [a.example](https://a.example/z) [bank.example](https://evil.example) [`code`](https://a.example) **[bold](https://a.example)** [here @everyone](https://a.example)"), @"[our page](<https://a.example/x_%28y%29>) [a.example](<https://a.example/z>) bank.example (<https://evil.example>) `code` (<https://a.example>) **[bold](<https://a.example>)** here @·everyone (<https://a.example>)");
    }

    proptest::proptest! {
        #[test]
        fn no_word_is_lost_and_no_part_is_too_long(text in r"(\|? ?(w[a-z0-9]{1,9}|日本|-{3}|\||\\\||`|\*\*|> |- |\n|\n\n| ){1,2}){0,60}", max in 60_usize..300) {
            let parts = parts(&text, max);
            for part in &parts {
                proptest::prop_assert!(units(part) <= max, "{} > {max}: {part:?}", units(part));
                proptest::prop_assert_eq!(part.matches("```").count() % 2, 0);
            }
            let seen: String = parts.join("").chars().filter(|c| c.is_alphanumeric()).collect();
            // A word beside an opening fence is the language of the code below it.
            let fence = |line: &&str| !line.contains("```");
            let words = text.lines().filter(fence).flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
            for word in words.filter(|word| word.len() < 8) {
                proptest::prop_assert!(seen.contains(word), "{word:?} of {text:?} is not in {parts:?}");
            }
        }
    }

    #[test]
    fn words_beside_a_fence_that_nobody_closed_are_shown() {
        insta::assert_snapshot!(whole("```w0 and more"), @"
        ```
        w0 and more
        ```
        ");
    }

    #[test]
    fn nothing_acts() {
        insta::assert_snapshot!(whole("see @everyone <@1> [here](https://evil.example/a|b) [x](javascript:1) <https://a.example/?a=1&b=2> [m](mailto:a@b.example) <b>x</b> ![pic](https://p.example/x.png) https://bare.example/a_b_c"), @r"see @·everyone \<@1\> [here](<https://evil.example/a%7Cb>) x <https://a.example/?a=1&b=2> m (a@b.example) \<b\>x\</b\> pic https://bare.example/a_b_c");
    }

    #[test]
    fn what_is_cut_goes_on_in_its_style() {
        insta::assert_snapshot!(parts("some **bold words that go on** and then\n\n```\nfirst line\nsecond line\n```\n\n> a quotation that is longer", 46).join("\n=====\n"), @"
        some **bold words that**
        **go on** and then
        =====
        ```
        first line
        second line
        ```
        =====
        > a quotation that is longer
        ");
    }
}
