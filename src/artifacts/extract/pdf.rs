//! Text of PDF, page by page, with a look at the layout.

mod columns;

use std::panic::{self, AssertUnwindSafe};

use pdf_extract::{
    Document, Error, MediaBox, OutputDev, OutputError, PlainTextOutput, Transform, output_doc_page,
};

use crate::model::artifact::{Extraction, TEXT_MAX};

use super::{finished, unreadable};

use columns::Columns;

/// Reads a PDF. A page that breaks the parser is left out and noted; the others still count.
pub(super) fn read(bytes: &[u8]) -> Extraction {
    let mut document = match Document::load_mem(bytes) {
        Ok(document) => document,
        Err(error) => return failed(&error),
    };
    // Many documents are encrypted only against changes, with no password to read them.
    if document.is_encrypted()
        && let Err(error) = document.decrypt("")
    {
        return failed(&error);
    }
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    if pages.is_empty() {
        return unreadable("This PDF has no pages.");
    }
    let (text, notes, broken) = read_pages(&document, &pages);
    if broken == pages.len() {
        return unreadable("This PDF is made in a way that I cannot read.");
    }
    finished(&text, u32::try_from(pages.len()).ok(), notes)
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
        match read_page(document, *page, &mut layout) {
            Some(page_text) => text.push_str(&page_text),
            None => {
                broken += 1;
                notes.push(format!("page {page} could not be read"));
            }
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
    let mut text = String::new();
    let read = panic::catch_unwind(AssertUnwindSafe(|| {
        let mut output = Watched { text: PlainTextOutput::new(&mut text), layout };
        output_doc_page(document, &mut output, page)
    }));
    matches!(read, Ok(Ok(()))).then_some(text)
}

/// Plain text, with an eye on where the letters stand.
struct Watched<'a> {
    text: PlainTextOutput<&'a mut String>,
    layout: &'a mut Columns,
}

impl OutputDev for Watched<'_> {
    fn begin_page(
        &mut self,
        page: u32,
        media_box: &MediaBox,
        art_box: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        self.layout.begin(media_box.llx, media_box.urx);
        self.text.begin_page(page, media_box, art_box)
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        self.text.end_page()
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        spacing: f64,
        font_size: f64,
        letter: &str,
    ) -> Result<(), OutputError> {
        if !letter.trim().is_empty() {
            self.layout.letter(place.m31, place.m32);
        }
        self.text.output_character(place, width, spacing, font_size, letter)
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.text.begin_word()
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        self.text.end_word()
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        self.text.end_line()
    }
}
