//! Text of PDF: what can be seen on its pages, in the order in which it is read.

mod addresses;
mod blocks;
mod breaks;
mod dates;
mod fonts;
mod grid;
mod heads;
mod kinds;
mod labels;
mod layout;
mod lines;
mod marks;
mod mend;
mod page;
mod paint;
mod rules;
mod running;
mod stacks;
mod weights;
mod wraps;

use std::panic::{self, AssertUnwindSafe};

use hayro_interpret::{
    Context, InterpreterCache, InterpreterSettings,
    hayro_syntax::{
        DecryptionError, LoadPdfError, Pdf,
        object::{Dict, dict::keys},
        page::Page,
    },
    interpret_page,
    kurbo::{Affine, Rect},
};

use crate::model::artifact::{Extraction, TEXT_MAX};

use super::{HIDDEN_TEXT, finished, unreadable};

use layout::Text;
use lines::Piece;
use page::Canvas;

/// Most pages that are read; the limit on text ends most documents earlier.
const PAGES_MAX: usize = 500;

/// Reads a PDF. A page that breaks the parser is left out and noted; the others still count.
pub(super) fn read(bytes: &[u8]) -> Extraction {
    let document = match load(bytes) {
        Ok(document) => document,
        Err(trouble @ Extraction::Locked) => return trouble,
        Err(trouble) => match mend::mended(bytes).map(|mended| load(&mended)) {
            Some(Ok(document)) => document,
            Some(Err(_)) | None => return trouble,
        },
    };
    let count = document.pages().len();
    let (pages, mut notes, broken) = read_pages(&document);
    if broken == count {
        return unreadable("This PDF is made in a way that I cannot read.");
    }
    let mut text = Text::default();
    for page in running::without(pages) {
        if text.len() > TEXT_MAX {
            break;
        }
        text.add(page);
    }
    if count > PAGES_MAX {
        notes.push(format!("only the first {PAGES_MAX} pages were read"));
    }
    finished(&text.whole(), u32::try_from(count).ok(), notes)
}

/// The document; what to say where it has none, or lacks its end or some of its pages: half would be taken for all of it.
fn load(bytes: &[u8]) -> Result<Pdf, Extraction> {
    if !mend::names_root(bytes) {
        return Err(unreadable("This PDF is damaged."));
    }
    let loaded = panic::catch_unwind(AssertUnwindSafe(|| Pdf::new(bytes.to_vec())));
    let document = match loaded {
        Ok(Ok(document)) => document,
        Ok(Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected))) => {
            return Err(Extraction::Locked);
        }
        Ok(Err(_)) | Err(_) => return Err(unreadable("This PDF is damaged.")),
    };
    if document.pages().is_empty() {
        return Err(unreadable("This PDF has no pages."));
    }
    let xref = document.xref();
    let catalog = xref.get::<Dict<'_>>(xref.root_id());
    let pages = catalog.and_then(|catalog| catalog.get::<Dict<'_>>(keys::PAGES));
    let count = pages.and_then(|pages| pages.get::<i32>(keys::COUNT));
    if count.and_then(|count| usize::try_from(count).ok()) == Some(document.pages().len()) {
        Ok(document)
    } else {
        Err(unreadable("This PDF is damaged."))
    }
}

/// The pieces of every page, what to note, and how many pages broke the parser.
fn read_pages(document: &Pdf) -> (Vec<Vec<Piece>>, Vec<String>, usize) {
    let cache = InterpreterCache::new();
    let mut pages = Vec::new();
    let mut notes = Vec::new();
    let mut broken = 0;
    let mut letters_read = 0;
    let mut hides = false;
    for (at, page) in document.pages().iter().take(PAGES_MAX).enumerate() {
        let read = panic::catch_unwind(AssertUnwindSafe(|| read_page(document, page, &cache)));
        if let Ok((pieces, is_hiding)) = read {
            letters_read += pieces.iter().map(|piece| piece.text.len()).sum::<usize>();
            pages.push(pieces);
            hides |= is_hiding;
        } else {
            broken += 1;
            notes.push(format!("page {} could not be read", at + 1));
        }
        if letters_read > TEXT_MAX {
            break;
        }
    }
    if hides {
        notes.push(HIDDEN_TEXT.to_owned());
    }
    (pages, notes, broken)
}

/// The pieces of a page, and whether there is text on it that nobody can see.
fn read_page<'a>(
    document: &'a Pdf,
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
) -> (Vec<Piece>, bool) {
    let (width, height) = page.render_dimensions();
    let (width, height) = (f64::from(width), f64::from(height));
    let place = Affine::new(page.initial_transform(true).as_coeffs());
    let bounds = Rect::new(0.0, 0.0, width, height);
    let settings = InterpreterSettings::default();
    let mut context = Context::new(place, bounds, cache, document.xref(), settings);
    let mut canvas = Canvas::new(width, height);
    interpret_page(page, &mut context, &mut canvas);
    let rules = canvas.take_rules();
    let (letters, hides) = canvas.letters();
    (grid::straightened(lines::pieces(letters), &rules), hides)
}
