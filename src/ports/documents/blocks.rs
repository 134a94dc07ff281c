//! Markdown becomes a flat list of blocks, each with how far it is set in: nothing nests, so nothing overflows.

use std::borrow::Cow;

use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
};

use super::lines::{Ink, Rich, Style};

/// Something that stands below what came before.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) kind: Kind,
    /// How many containers it stands in, lists and quotes.
    pub(super) depth: usize,
    /// Which of these are quotes, outermost first.
    pub(super) quotes: Vec<usize>,
    /// What stands before its first line: a bullet, a number.
    pub(super) marker: Option<String>,
}

/// What a block is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Heading(u8, Rich),
    Paragraph(Rich),
    /// A paragraph of a list without empty lines between its items.
    Tight(Rich),
    Code(Rich),
    Rule,
    Table(Table),
}

/// A table; every row has as many cells as the head.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub(super) alignments: Vec<Alignment>,
    pub(super) head: Vec<Rich>,
    pub(super) rows: Vec<Vec<Rich>>,
}

/// Reads Markdown. Every word of it is in the blocks: addresses and titles of links, names of code's languages and
/// HTML are text too, and definitions of links stay where they stand.
pub(super) fn read(markdown: &str) -> Vec<Block> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let source = without_definitions(markdown, options);
    let mut reader = Reader { source: &source, ..Reader::default() };
    for (event, range) in Parser::new_ext(&source, options).into_offset_iter() {
        reader.handle(event, range.start, range.end);
    }
    reader.flush();
    reader.blocks
}

/// Definitions of links vanish from the text, and with them whoever's words look like one. On paper they are of use
/// as they stand, so the bracket that makes them is escaped.
fn without_definitions(markdown: &str, options: Options) -> Cow<'_, str> {
    let mut source = Cow::Borrowed(markdown);
    // Each pass uncovers those that were covered by another of the same name.
    for _ in 0..PASSES {
        let mut starts: Vec<usize> = Parser::new_ext(&source, options)
            .reference_definitions()
            .iter()
            .filter_map(|(_, definition)| {
                let text = source.get(definition.span.clone())?;
                Some(definition.span.start + text.find('[')?)
            })
            .collect();
        if starts.is_empty() {
            return source;
        }
        starts.sort_unstable();
        let mut escaped = String::with_capacity(source.len() + starts.len());
        let mut last = 0;
        for start in starts {
            escaped.push_str(&source[last..start]);
            escaped.push('\\');
            last = start;
        }
        escaped.push_str(&source[last..]);
        source = Cow::Owned(escaped);
    }
    // Somebody tries us: then without any links that name a definition.
    Cow::Owned(source.replace("]:", "]\\:"))
}

const PASSES: usize = 4;

enum Container {
    Quote,
    /// The number of the next item, if they are numbered.
    List(Option<u64>),
    Item,
}

#[derive(Default)]
struct Reader<'a> {
    source: &'a str,
    blocks: Vec<Block>,
    containers: Vec<Container>,
    /// Of the item that has just begun.
    marker: Option<String>,
    rich: Rich,
    style: Style,
    /// How many of each style are open.
    bold: usize,
    italic: usize,
    strike: usize,
    heading: Option<u8>,
    /// Within code or HTML, whose text is taken as it is.
    literal: Option<String>,
    /// Where the links and pictures that are open lead, and what they are called.
    links: Vec<(String, String, usize)>,
    table: Option<Table>,
    row: Vec<Rich>,
    /// Where the last cell ended, in the source.
    cell_end: usize,
    /// Within a paragraph that says it is one.
    loose: bool,
}

impl Reader<'_> {
    fn handle(&mut self, event: Event<'_>, start: usize, end: usize) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag, end),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.say(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                let style = Style { mono: true, ..self.style() };
                self.rich.push(&text, style);
            }
            Event::FootnoteReference(_) => {
                let text = self.source.get(start..end).unwrap_or_default().to_owned();
                self.say(&text);
            }
            Event::SoftBreak => self.say(" "),
            Event::HardBreak => self.say("\n"),
            Event::Rule => {
                self.flush();
                self.block(Kind::Rule);
            }
            Event::TaskListMarker(done) => self.say(if done { "☑ " } else { "☐ " }),
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => {
                self.flush();
                self.loose = true;
            }
            Tag::Heading { level, .. } => {
                self.flush();
                self.heading = Some(size(level));
            }
            Tag::BlockQuote(_) => self.enter(Container::Quote),
            Tag::List(first) => self.enter(Container::List(first)),
            Tag::Item => {
                self.flush();
                self.marker = Some(self.next_marker());
                self.containers.push(Container::Item);
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                if let CodeBlockKind::Fenced(language) = kind
                    && !language.trim().is_empty()
                {
                    let style = Style { ink: Ink::Grey, mono: true, ..Style::default() };
                    self.block(Kind::Tight(Rich::of(&language, style)));
                }
                self.literal = Some(String::new());
            }
            Tag::HtmlBlock => {
                self.flush();
                self.literal = Some(String::new());
            }
            Tag::Table(alignments) => {
                self.flush();
                self.table = Some(Table { alignments, ..Table::default() });
            }
            Tag::TableHead | Tag::TableRow => self.row.clear(),
            Tag::TableCell => self.rich = Rich::default(),
            Tag::Emphasis => self.italic += 1,
            Tag::Strong => self.bold += 1,
            Tag::Strikethrough => self.strike += 1,
            Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. } => {
                self.link(dest_url, title);
            }
            // None of these is asked for in the options.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn close(&mut self, tag: TagEnd, end: usize) {
        match tag {
            TagEnd::Paragraph => {
                self.flush();
                self.loose = false;
            }
            TagEnd::Heading(_) => {
                self.flush();
                self.heading = None;
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => self.leave(),
            TagEnd::CodeBlock => {
                let code = self.literal.take().unwrap_or_default().replace('\t', "    ");
                let style = Style { mono: true, ..Style::default() };
                let code = code.strip_suffix('\n').unwrap_or(&code);
                self.block(Kind::Code(Rich::of(code, style)));
            }
            TagEnd::HtmlBlock => {
                let html = self.literal.take().unwrap_or_default();
                self.block(Kind::Paragraph(Rich::of(html.trim_end(), Style::default())));
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.block(Kind::Table(table));
                }
            }
            TagEnd::TableHead => {
                self.close_row(end);
                if let Some(table) = &mut self.table {
                    table.head = std::mem::take(&mut self.row);
                }
            }
            TagEnd::TableRow => {
                self.close_row(end);
                if let Some(table) = &mut self.table {
                    table.rows.push(std::mem::take(&mut self.row));
                }
            }
            TagEnd::TableCell => {
                self.row.push(std::mem::take(&mut self.rich));
                self.cell_end = end;
            }
            TagEnd::Emphasis => self.italic = self.italic.saturating_sub(1),
            TagEnd::Strong => self.bold = self.bold.saturating_sub(1),
            TagEnd::Strikethrough => self.strike = self.strike.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => self.unlink(),
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// What a row has beyond its head's columns is no cell to the parser; it goes into the last.
    fn close_row(&mut self, end: usize) {
        let rest = self.source.get(self.cell_end..end).unwrap_or_default();
        let rest = rest.trim_matches(|c: char| c.is_whitespace() || c == '|');
        if let Some(last) = self.row.last_mut().filter(|_| !rest.is_empty()) {
            last.push(" | ", Style::default());
            last.push(rest, Style::default());
        }
    }

    fn style(&self) -> Style {
        Style {
            bold: self.bold > 0,
            italic: self.italic > 0,
            strike: self.strike > 0,
            ink: if self.links.is_empty() { Ink::Black } else { Ink::Blue },
            ..self.style
        }
    }

    fn say(&mut self, text: &str) {
        if let Some(literal) = &mut self.literal {
            literal.push_str(text);
            return;
        }
        let style = self.style();
        self.rich.push(text, style);
    }

    fn link(&mut self, address: CowStr<'_>, title: CowStr<'_>) {
        self.links.push((address.into_string(), title.into_string(), self.rich.text().len()));
    }

    /// The address, unless it is what was just said.
    fn unlink(&mut self) {
        let Some((address, title, start)) = self.links.pop() else { return };
        let said = self.rich.text().get(start..).unwrap_or_default();
        let said = said == address || address.strip_prefix("mailto:") == Some(said);
        let parts: Vec<&str> = [&address, &title]
            .into_iter()
            .map(String::as_str)
            .filter(|part| !(part.trim().is_empty() || said && *part == address))
            .collect();
        if !parts.is_empty() {
            let grey = Style { ink: Ink::Grey, ..self.style() };
            self.rich.push(&format!(" ({})", parts.join(", ")), grey);
        }
    }

    fn enter(&mut self, container: Container) {
        self.flush();
        self.containers.push(container);
    }

    fn leave(&mut self) {
        self.flush();
        // An item that says nothing still has its bullet.
        if let (Some(Container::Item), Some(_)) = (self.containers.last(), &self.marker) {
            self.block(Kind::Tight(Rich::default()));
        }
        self.containers.pop();
    }

    fn next_marker(&mut self) -> String {
        match self.containers.last_mut() {
            Some(Container::List(Some(number))) => {
                let marker = format!("{number}.");
                *number = number.saturating_add(1);
                marker
            }
            _ => "•".to_owned(),
        }
    }

    /// Ends what has been said so far.
    fn flush(&mut self) {
        let rich = std::mem::take(&mut self.rich);
        if rich.is_blank() {
            return;
        }
        let kind = match self.heading {
            Some(size) => Kind::Heading(size, rich.bold()),
            None if self.loose => Kind::Paragraph(rich),
            None => Kind::Tight(rich),
        };
        self.block(kind);
    }

    fn block(&mut self, kind: Kind) {
        // A list and its item are one step in.
        let steps = self.containers.iter().filter(|c| !matches!(c, Container::List(_)));
        let quotes = steps.enumerate().filter(|(_, c)| matches!(c, Container::Quote));
        let quotes: Vec<usize> = quotes.map(|(step, _)| step).collect();
        let depth = self.containers.iter().filter(|c| !matches!(c, Container::List(_))).count();
        self.blocks.push(Block { kind, depth, quotes, marker: self.marker.take() });
    }
}

const fn size(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => 4,
    }
}
