//! Text of DOCX: an archive with XML in it, both read with limits.

use std::{
    io::{Cursor, Read as _},
    mem,
};

use quick_xml::{
    Reader,
    events::{BytesRef, BytesStart, Event},
};
use zip::{ZipArchive, result::ZipError};

use crate::model::artifact::{Extraction, TEXT_MAX};

use super::{finished, unreadable};

/// Reads a DOCX: its page headers, where addresses often stand, then its body.
pub(super) fn read(bytes: &[u8]) -> Extraction {
    match read_parts(bytes) {
        Ok(document) => {
            let notes = [
                document.columns.then_some(super::TWO_COLUMNS),
                document.hides.then_some(super::HIDDEN_TEXT),
            ];
            let notes = notes.into_iter().flatten().map(str::to_owned).collect();
            finished(&document.text, None, notes)
        }
        Err(Trouble::Locked) => Extraction::Locked,
        Err(Trouble::Broken) => unreadable("This Word document is damaged."),
        Err(Trouble::Hostile) => {
            unreadable("This Word document is made in a way that I do not open.")
        }
    }
}

/// Largest part of the archive when unpacked, in bytes.
const PART_MAX: u64 = 16 * 1024 * 1024;

/// Deepest nesting of elements.
const DEPTH_MAX: usize = 128;

/// Smallest type that can be read, in half points.
const SIZE_MIN: u32 = 4;

/// Page headers that are read; a document has three kinds for each of its sections.
const HEADERS_MAX: usize = 8;

enum Trouble {
    Locked,
    Broken,
    Hostile,
}

impl From<ZipError> for Trouble {
    fn from(error: ZipError) -> Self {
        match error {
            ZipError::InvalidPassword
            | ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => Self::Locked,
            _ => Self::Broken,
        }
    }
}

#[derive(Default)]
struct Document {
    text: String,
    columns: bool,
    /// There is text in it that nobody can see.
    hides: bool,
}

fn read_parts(bytes: &[u8]) -> Result<Document, Trouble> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut names: Vec<String> = archive
        .file_names()
        .filter_map(Result::ok)
        .filter(|name| name.starts_with("word/header") && name.ends_with(".xml"))
        .map(std::borrow::Cow::into_owned)
        .collect();
    names.sort();
    names.truncate(HEADERS_MAX);
    names.push("word/document.xml".to_owned());
    let mut document = Document::default();
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        let xml = part(&mut archive, &name)?;
        let mut walk = Walk { is_drawn: is_drawn(&xml), ..Walk::default() };
        walk.read(&xml)?;
        // The first page's header usually says what the others say.
        let found = walk.found;
        if !seen.contains(&found.text) {
            document.text.push_str(&found.text);
            document.text.push('\n');
        }
        document.columns |= found.columns;
        document.hides |= found.hides;
        seen.push(found.text);
    }
    Ok(document)
}

fn part(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<String, Trouble> {
    let file = archive.by_name(name)?;
    if file.size() > PART_MAX {
        return Err(Trouble::Hostile);
    }
    // What the archive says of its sizes is only what it says.
    let mut bytes = Vec::new();
    file.take(PART_MAX + 1).read_to_end(&mut bytes).map_err(|_| Trouble::Broken)?;
    if bytes.len() as u64 > PART_MAX {
        return Err(Trouble::Hostile);
    }
    String::from_utf8(bytes).map_err(|_| Trouble::Broken)
}

/// Whether text may stand on something drawn: a coloured page, shapes, pictures.
fn is_drawn(xml: &str) -> bool {
    let drawn = ["<w:background", "<w:drawing", "<w:pict", "<mc:AlternateContent", "w:highlight"];
    drawn.iter().any(|mark| xml.contains(mark))
}

/// Whether a run of text can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Seen,
    Hidden,
    /// White, which shows on a colour only.
    White,
}

/// A cell of a table.
#[derive(Debug, Clone, Copy)]
struct Cell {
    paragraphs: usize,
    /// Where its text begins.
    begin: usize,
    is_shaded: bool,
}

/// A table that is open.
#[derive(Debug, Clone, Copy)]
struct Table {
    is_shaded: bool,
    /// The rows that were open around it.
    rows: usize,
}

/// A text box that is open, with what was open around it.
struct TextBox {
    /// Where its text begins.
    begin: usize,
    rows: Vec<Vec<Cell>>,
    run: Option<Run>,
    within: Within,
    /// The boxes before it in the same paragraph.
    boxes: String,
}

/// What is open that tells what is in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Other,
    /// `w:t`, whose text counts.
    Text,
    /// The list of a paragraph's tab stops, which are no tabs.
    Stops,
    CellProperties,
}

/// One pass over a part.
#[derive(Default)]
struct Walk {
    found: Document,
    is_drawn: bool,
    /// The tables that are open, the innermost last.
    tables: Vec<Table>,
    /// Whether the paragraph that is open has a colour behind it.
    is_shaded: bool,
    /// The run that is open, if any.
    run: Option<Run>,
    depth: usize,
    within: Within,
    /// Depth of an element whose content is skipped: the fallback of something that was read already.
    skipping: Option<usize>,
    /// The cells of the table rows that are open, the innermost last.
    rows: Vec<Vec<Cell>>,
    /// The text boxes that are open, the innermost last.
    open_boxes: Vec<TextBox>,
    /// The text of the boxes whose anchors stand in the paragraph that is open; it follows that paragraph.
    boxes: String,
}

impl Walk {
    fn read(&mut self, xml: &str) -> Result<(), Trouble> {
        let mut reader = Reader::from_str(xml);
        loop {
            match reader.read_event().map_err(|_| Trouble::Broken)? {
                Event::Start(element) => {
                    self.depth += 1;
                    if self.depth > DEPTH_MAX {
                        return Err(Trouble::Hostile);
                    }
                    self.open(&element);
                }
                Event::Empty(element) => {
                    self.open(&element);
                    self.close(element.local_name().into_inner());
                }
                Event::End(element) => {
                    self.close(element.local_name().into_inner());
                    self.depth = self.depth.saturating_sub(1);
                }
                Event::Text(text) => self.say(&text.xml10_content()),
                Event::CData(text) => self.say(&text.xml10_content()),
                Event::GeneralRef(entity) => self.say(&resolve(&entity)?),
                // Word writes none; entities of one's own are how XML bombs are made.
                Event::DocType(_) => return Err(Trouble::Hostile),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                Event::Eof => return Ok(()),
            }
            if self.found.text.len() > TEXT_MAX * 2 {
                return Ok(());
            }
        }
    }

    fn open(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        match name.into_inner() {
            "Fallback" if self.skipping.is_none() => self.skipping = Some(self.depth),
            "t" => self.within = Within::Text,
            "r" => self.run = Some(Run::Seen),
            "vanish" | "sz" | "color" if self.run.is_some() => self.hide_by(element),
            "shd" => self.shade(element),
            "tbl" => self.tables.push(Table { is_shaded: false, rows: self.rows.len() }),
            "tabs" => self.within = Within::Stops,
            "tcPr" => self.within = Within::CellProperties,
            "tab" | "ptab" if self.within != Within::Stops => self.put("\t"),
            "br" | "cr" => self.put("\n"),
            "noBreakHyphen" => self.put("-"),
            "numPr" => self.put("• "),
            "pStyle" if is_list(element) => self.put("• "),
            "pStyle" => {
                if let Some(level) = heading(element) {
                    self.put(&format!("\n{} ", "#".repeat(level)));
                }
            }
            // Between the paragraphs of a cell, but not after the last.
            "p" => {
                self.is_shaded = false;
                if self.cell().is_some_and(|cell| cell.paragraphs > 0) {
                    self.put("\n");
                }
            }
            "tr" => self.rows.push(Vec::new()),
            "tc" => {
                let begin = self.found.text.len();
                if let Some(cells) = self.rows.last_mut() {
                    cells.push(Cell { paragraphs: 0, begin, is_shaded: false });
                }
            }
            "txbxContent" => self.open_box(),
            "cols" => self.found.columns |= several(element),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "Fallback" if self.skipping == Some(self.depth) => self.skipping = None,
            "t" | "tabs" | "tcPr" => self.within = Within::Other,
            "r" => self.run = None,
            "tbl" => {
                self.tables.pop();
            }
            "p" => self.close_paragraph(),
            "txbxContent" => self.close_box(),
            "tc" => self.put("\t"),
            "tr" => {
                let cells = self.rows.pop().unwrap_or_default();
                let long = cells.iter().filter(|cell| cell.paragraphs >= COLUMN_MIN).count();
                if long > 1 {
                    self.found.columns = true;
                    self.part_columns(&cells);
                }
                self.put("\n");
            }
            _ => {}
        }
    }

    fn close_paragraph(&mut self) {
        let boxes = mem::take(&mut self.boxes);
        if !boxes.is_empty() {
            self.put(&format!("\n\n{boxes}"));
        }
        match self.cell() {
            Some(cell) => cell.paragraphs += 1 + boxes.lines().count(),
            None => self.put("\n"),
        }
    }

    /// A box floats beside the paragraph that holds its anchor: what is in it is no part of that paragraph.
    fn open_box(&mut self) {
        self.open_boxes.push(TextBox {
            begin: self.found.text.len(),
            rows: mem::take(&mut self.rows),
            run: self.run.take(),
            within: mem::take(&mut self.within),
            boxes: mem::take(&mut self.boxes),
        });
    }

    fn close_box(&mut self) {
        let Some(TextBox { begin, rows, run, within, boxes }) = self.open_boxes.pop() else {
            return;
        };
        let text = self.found.text.split_off(begin.min(self.found.text.len()));
        (self.rows, self.run, self.within, self.boxes) = (rows, run, within, boxes);
        if !text.trim().is_empty() {
            self.boxes.push_str(text.trim_end());
            self.boxes.push_str("\n\n");
        }
    }

    /// The cell that is open, if any.
    fn cell(&mut self) -> Option<&mut Cell> {
        self.rows.last_mut()?.last_mut()
    }

    /// Puts columns of the page one below the other, the longest first: that is where the name and the roles stand.
    fn part_columns(&mut self, cells: &[Cell]) {
        let mut columns: Vec<String> = Vec::new();
        for cell in cells.iter().rev() {
            columns.push(self.found.text.split_off(cell.begin.min(self.found.text.len())));
        }
        columns.reverse();
        columns.sort_by_key(|column| usize::MAX - column.len());
        for column in columns {
            self.found.text.push_str(column.trim_end());
            self.found.text.push_str("\n\n");
        }
    }

    fn say(&mut self, text: &str) {
        let is_hidden = match self.run {
            Some(Run::Hidden) => true,
            Some(Run::White) => !self.is_on_colour(),
            Some(Run::Seen) | None => false,
        };
        if self.within == Within::Text && is_hidden {
            self.found.hides |= !text.trim().is_empty();
        } else if self.within == Within::Text {
            self.put(text);
        }
    }

    /// Notes a colour behind a run, a paragraph, a cell or a table; of a run it comes after the colour of the letters.
    fn shade(&mut self, property: &BytesStart<'_>) {
        let fill = value(property, "fill").map(|fill| fill.to_ascii_lowercase());
        if fill.is_none_or(|fill| ["auto", "ffffff"].contains(&fill.as_str())) {
            return;
        }
        let rows = self.rows.len();
        if self.run.is_some() {
            self.run = self.run.map(|run| if run == Run::White { Run::Seen } else { run });
        } else if let Some(table) = self.tables.last_mut().filter(|table| table.rows == rows) {
            table.is_shaded = true;
        } else if let Some(cell) = self.rows.last_mut().and_then(|row| row.last_mut())
            && self.within == Within::CellProperties
        {
            cell.is_shaded = true;
        } else {
            self.is_shaded = true;
        }
    }

    /// Whether something that may be coloured is behind the text.
    fn is_on_colour(&self) -> bool {
        self.is_drawn
            || self.is_shaded
            || self.tables.iter().any(|table| table.is_shaded)
            || self.rows.iter().filter_map(|row| row.last()).any(|cell| cell.is_shaded)
    }

    /// Notes a property that makes a run invisible: hidden, too small, or white.
    fn hide_by(&mut self, property: &BytesStart<'_>) {
        let value = property
            .attributes()
            .flatten()
            .find(|attribute| attribute.key.local_name().into_inner() == "val");
        let value = value.map(|attribute| attribute.value.to_ascii_lowercase());
        match (property.local_name().into_inner(), value.as_deref()) {
            ("vanish", value) if !matches!(value, Some("0" | "false" | "off")) => {
                self.run = Some(Run::Hidden);
            }
            ("sz", Some(halves)) if halves.parse().is_ok_and(|halves: u32| halves < SIZE_MIN) => {
                self.run = Some(Run::Hidden);
            }
            ("color", Some("ffffff")) if self.run == Some(Run::Seen) => {
                self.run = Some(Run::White);
            }
            _ => {}
        }
    }

    fn put(&mut self, text: &str) {
        if self.skipping.is_none() {
            self.found.text.push_str(text);
        }
    }
}

/// Paragraphs in one cell that make it a column of the page rather than a cell of a table.
const COLUMN_MIN: usize = 4;

/// A paragraph style of Word's own lists.
fn is_list(element: &BytesStart<'_>) -> bool {
    value(element, "val")
        .is_some_and(|style| style.starts_with("ListBullet") || style.starts_with("ListNumber"))
}

/// The level of a paragraph style of headings, by the names that Word gives them in its languages.
fn heading(element: &BytesStart<'_>) -> Option<usize> {
    const NAMES: [&str; 7] =
        ["heading", "berschrift", "überschrift", "titre", "ttulo", "título", "kop"];
    let style = value(element, "val")?.to_lowercase();
    let level = NAMES.iter().find_map(|name| style.strip_prefix(name))?;
    level.trim().parse().ok().filter(|level| (1..=6).contains(level))
}

/// `<w:cols w:num="2">`.
fn several(element: &BytesStart<'_>) -> bool {
    value(element, "num").and_then(|columns| columns.parse().ok()).is_some_and(|n: u32| n > 1)
}

fn value(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes().filter_map(Result::ok);
    let found = attributes.find(|attribute| attribute.key.local_name().into_inner() == name)?;
    Some(found.value.into_owned())
}

fn resolve(entity: &BytesRef<'_>) -> Result<String, Trouble> {
    if let Some(c) = entity.resolve_char_ref().map_err(|_| Trouble::Broken)? {
        return Ok(c.to_string());
    }
    match entity.as_ref() {
        "amp" => Ok("&".to_owned()),
        "lt" => Ok("<".to_owned()),
        "gt" => Ok(">".to_owned()),
        "quot" => Ok("\"".to_owned()),
        "apos" => Ok("'".to_owned()),
        _ => Err(Trouble::Hostile),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &str) -> String {
        let mut walk = Walk { is_drawn: true, ..Walk::default() };
        assert!(walk.read(&format!("<w:body>{body}</w:body>")).is_ok());
        walk.found.text
    }

    fn paragraph(text: &str) -> String {
        format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
    }

    /// A paragraph with the anchor of a box, which is written twice, before its own text.
    fn anchored(inside: &str, own: &str) -> String {
        let inside = format!("<w:txbxContent>{inside}</w:txbxContent>");
        format!(
            "<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing>{inside}</w:drawing></mc:Choice>\
             <mc:Fallback><w:pict>{inside}</w:pict></mc:Fallback></mc:AlternateContent></w:r>\
             <w:r><w:t>{own}</w:t></w:r></w:p>"
        )
    }

    #[test]
    fn a_text_box_follows_the_paragraph_of_its_anchor_once() {
        let inside = paragraph("Contact") + &paragraph("Leeds");
        let body = anchored(&inside, "Ada Byron") + &paragraph("Engineer");
        assert_eq!(text(&body), "Ada Byron\n\nContact\nLeeds\n\n\nEngineer\n");

        // In a cell too, whose own paragraphs go on after it.
        let cell = anchored(&inside, "Ada Byron") + &paragraph("Engineer");
        let table = format!("<w:tbl><w:tr><w:tc>{cell}</w:tc></w:tr></w:tbl>");
        assert_eq!(text(&table), "Ada Byron\n\nContact\nLeeds\n\n\nEngineer\t\n");

        // A table in a box is its own.
        let inside = format!(
            "<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>",
            paragraph("Phone"),
            paragraph("0113")
        );
        let body = anchored(&inside, "Ada Byron") + &paragraph("Engineer");
        assert_eq!(text(&body), "Ada Byron\n\nPhone\t0113\n\n\nEngineer\n");
    }

    #[test]
    fn what_is_hidden_around_a_text_box_stays_hidden() {
        let inside = format!("<w:txbxContent>{}</w:txbxContent>", paragraph("Contact"));
        let body = format!(
            "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:pict>{inside}</w:pict><w:t>secret</w:t></w:r></w:p>"
        );
        assert_eq!(text(&body), "\n\nContact\n\n\n");
    }
}
