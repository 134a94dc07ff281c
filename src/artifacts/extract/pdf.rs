//! Text of PDF, page by page, with a look at the layout.

mod columns;
mod mend;

use std::panic::{self, AssertUnwindSafe};

use pdf_extract::{Document, Error, MediaBox, OutputDev, OutputError, Transform, output_doc_page};

use crate::model::artifact::{Extraction, TEXT_MAX};

use super::{finished, unreadable};

use columns::Columns;

/// Reads a PDF. A page that breaks the parser is left out and noted; the others still count.
pub(super) fn read(bytes: &[u8]) -> Extraction {
    let (document, pages) = match load(bytes) {
        Ok(loaded) => loaded,
        Err(trouble @ Extraction::Locked) => return trouble,
        Err(trouble) => match mend::mended(bytes).map(|mended| load(&mended)) {
            // Half a document would be taken for all of it.
            Some(Ok((document, pages))) if has_all(&document, pages.len()) => (document, pages),
            Some(_) | None => return trouble,
        },
    };
    let (text, notes, broken) = read_pages(&document, &pages);
    if broken == pages.len() {
        return unreadable("This PDF is made in a way that I cannot read.");
    }
    finished(&text, u32::try_from(pages.len()).ok(), notes)
}

/// The document and the numbers of its pages; what to say where it has none.
fn load(bytes: &[u8]) -> Result<(Document, Vec<u32>), Extraction> {
    let mut document = Document::load_mem(bytes).map_err(|error| failed(&error))?;
    // Many documents are encrypted only against changes, with no password to read them.
    if document.is_encrypted() {
        document.decrypt("").map_err(|error| failed(&error))?;
    }
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    if pages.is_empty() { Err(unreadable("This PDF has no pages.")) } else { Ok((document, pages)) }
}

/// Whether there are as many pages as the document says.
fn has_all(document: &Document, found: usize) -> bool {
    let pages = document.catalog().and_then(|catalog| catalog.get(b"Pages"));
    let pages = pages.and_then(|pages| document.dereference(pages));
    let count = pages.and_then(|(_, pages)| pages.as_dict()?.get(b"Count")?.as_i64());
    count.is_ok_and(|count| usize::try_from(count) == Ok(found))
}

fn failed(error: &Error) -> Extraction {
    match error {
        Error::Decryption(_) | Error::InvalidPassword => Extraction::Locked,
        _ => unreadable("This PDF is damaged."),
    }
}

fn read_pages(document: &Document, pages: &[u32]) -> (String, Vec<String>, usize) {
    let mut text = String::new();
    let mut notes = Vec::new();
    let mut broken = 0;
    let mut columns = false;
    for page in pages {
        let mut layout = Columns::default();
        if let Some(page_text) = read_page(document, *page, &mut layout) {
            text.push_str(&page_text);
        } else {
            broken += 1;
            notes.push(format!("page {page} could not be read"));
        }
        columns |= layout.suspected();
        text.push_str("\n\n");
        if text.len() > TEXT_MAX {
            break;
        }
    }
    if columns {
        notes.push(super::TWO_COLUMNS.to_owned());
    }
    (text, notes, broken)
}

/// The parser panics on what it does not expect, such as a font that is named and not there.
fn read_page(document: &Document, page: u32, layout: &mut Columns) -> Option<String> {
    let mut output = Writer { text: String::new(), layout, last: None, word_begins: false };
    let read =
        panic::catch_unwind(AssertUnwindSafe(|| output_doc_page(document, &mut output, page)));
    matches!(read, Ok(Ok(()))).then_some(output.text)
}

/// Writes letters down in the order of the page's program, with spaces, tabs and lines by their places.
struct Writer<'a> {
    text: String,
    layout: &'a mut Columns,
    /// Where the last letter ended, and its height on the page.
    last: Option<(f64, f64)>,
    word_begins: bool,
}

/// Gaps between two letters, in font sizes: less than a space is none, more than a tab parts columns.
const SPACE: f64 = 0.1;
const TAB: f64 = 2.0;

/// How far down, in font sizes, a letter stands on another line, and after an empty one.
const LINE: f64 = 0.5;
const PARAGRAPH: f64 = 1.5;

impl Writer<'_> {
    /// What stands between the last letter and one at `x`, `y`.
    fn gap(&self, x: f64, y: f64, size: f64) -> &'static str {
        let Some((end, height)) = self.last else { return "" };
        let down = (y - height).abs();
        match () {
            () if down > size * PARAGRAPH => "\n\n",
            () if down > size * LINE && x < end => "\n",
            () if x > end + size * TAB => "\t",
            () if x > end + size * SPACE => " ",
            () => "",
        }
    }
}

impl OutputDev for Writer<'_> {
    fn begin_page(
        &mut self,
        _page: u32,
        media_box: &MediaBox,
        _art_box: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        self.layout.begin(media_box.llx, media_box.urx);
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _spacing: f64,
        font_size: f64,
        letter: &str,
    ) -> Result<(), OutputError> {
        // The side of a square as large as the letter's box, however the page is scaled.
        let (wide, high) = (place.m11 + place.m21, place.m12 + place.m22);
        let size = font_size.abs() * (wide * high).abs().sqrt();
        let (x, y) = (place.m31, place.m32);
        if self.word_begins {
            let gap = self.gap(x, y, size);
            self.text.push_str(gap);
        }
        if !letter.trim().is_empty() {
            self.layout.letter(x, y);
        }
        self.text.push_str(letter);
        self.last = Some((x + width * size, y));
        self.word_begins = false;
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.word_begins = true;
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
