//! Text of documents, read in a child process, so that a hostile file kills only itself.
//!
//! The child is this same program, started as `anteroom --extract FORMAT`. It takes the file on standard input,
//! gives up most of what the system allows it, parses, and writes one line with an [`Extraction`] as JSON.
//! Whatever else happens (a crash, an overflow, a bomb, silence) is [`Extraction::Unreadable`] to the parent.
//!
//! `main` calls [`child_main`] before anything else: threads that a runtime starts would count against the limit
//! on memory.

mod child;
mod docx;
mod pdf;
mod text;

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time;

use crate::{
    base::sandbox,
    model::artifact::{Extraction, TEXT_MAX},
};

pub use child::child_main;

use super::check::Kind;

/// A document format that text can be read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable Document Format.
    Pdf,
    /// Word since 2007.
    Docx,
    /// Any plain text, Markdown too.
    Text,
}

impl Format {
    /// How to read a kind of file; `None` for pictures.
    pub const fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Pdf => Some(Self::Pdf),
            Kind::Docx => Some(Self::Docx),
            Kind::Text | Kind::Markdown | Kind::VCard => Some(Self::Text),
            Kind::Png | Kind::Jpeg | Kind::Gif | Kind::WebP => None,
        }
    }

    /// The name on the child's command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Text => "text",
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        [Self::Pdf, Self::Docx, Self::Text].into_iter().find(|format| format.name() == name)
    }
}

/// Starts the children.
#[derive(Debug, Clone)]
pub struct Extractor {
    program: PathBuf,
    /// What was read, by format and file, where that is remembered.
    known: Option<Arc<Mutex<Known>>>,
}

/// Documents that were read.
type Known = HashMap<(Format, Vec<u8>), Extraction>;

/// Time for one document, on the wall.
const WALL: Duration = Duration::from_secs(15);

/// Longest answer of a child, in bytes: each byte of text may take six in JSON.
const ANSWER_MAX: u64 = (TEXT_MAX as u64) * 6 + 64 * 1024;

/// The argument that makes this program a child.
const FLAG: &str = "--extract";

impl Extractor {
    /// An extractor whose children run another program than this one, for tests.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), known: None }
    }

    /// Makes it start one child for each different document. It remembers them all: only for a few samples.
    #[must_use]
    pub(crate) fn remembering(self) -> Self {
        Self { known: Some(Arc::default()), ..self }
    }

    /// An extractor whose children run this very program.
    pub fn own() -> io::Result<Self> {
        std::env::current_exe().map(Self::new)
    }

    /// The program that is started.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Reads one document. Never fails: what cannot be read says why. Dropping the future kills the child.
    pub async fn extract(&self, format: Format, bytes: Vec<u8>) -> Extraction {
        match time::timeout(WALL, self.ask(format, bytes)).await {
            Ok(Ok(extraction)) => extraction,
            Ok(Err(error)) => {
                tracing::warn!(document.format = format.name(), %error, "a document could not be read");
                unreadable("This file is damaged, or made in a way that I cannot read.")
            }
            Err(_) => {
                tracing::warn!(document.format = format.name(), "a document took too long to read");
                unreadable("This file takes too long to read.")
            }
        }
    }

    async fn ask(&self, format: Format, bytes: Vec<u8>) -> io::Result<Extraction> {
        let document = (format, bytes);
        let known =
            || self.known.as_ref().map(|all| all.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(extraction) = known().and_then(|known| known.get(&document).cloned()) {
            return Ok(extraction);
        }
        let args = [FLAG, format.name()];
        let line = sandbox::ask(&self.program, &args, &document.1, ANSWER_MAX).await?;
        let extraction: Extraction = serde_json::from_slice(&line).map_err(io::Error::other)?;
        if let Some(mut known) = known() {
            known.insert(document, extraction.clone());
        }
        Ok(extraction)
    }
}

/// Reads a document here and now, with no limits but the parsers' own: what the child does once its limits stand.
/// Everybody else asks an [`Extractor`].
pub fn read(format: Format, bytes: &[u8]) -> Extraction {
    match format {
        Format::Pdf => pdf::read(bytes),
        Format::Docx => docx::read(bytes),
        Format::Text => text::read(bytes),
    }
}

/// What to tell a person about a document that gave no text; `None` if it did.
pub fn trouble(filename: &str, extraction: &Extraction) -> Option<String> {
    match extraction {
        Extraction::Text { .. } => None,
        Extraction::NoText => Some(match super::check::split(filename).1 {
            Some(extension) => format!("There is no text in this {}.", extension.to_uppercase()),
            None => "There is no text in this file.".to_owned(),
        }),
        Extraction::Locked => {
            Some(format!("*{filename}* needs a password. Please send a copy without one."))
        }
        Extraction::Unreadable { reason } => Some(reason.clone()),
    }
}

/// The note on a layout whose order cannot be trusted.
pub(crate) const TWO_COLUMNS: &str = "two columns: please check the order, and every role";

/// The note on text that no reader of the document can see.
pub const HIDDEN_TEXT: &str = "hidden text was left out";

fn unreadable(reason: &str) -> Extraction {
    Extraction::Unreadable { reason: reason.to_owned() }
}

/// Tidies what a parser gave: no control characters, no runs of empty lines, no more than the limit.
fn finished(raw: &str, pages: Option<u32>, mut notes: Vec<String>) -> Extraction {
    let mut text = String::with_capacity(raw.len().min(TEXT_MAX));
    let mut empty_lines = 0;
    for line in raw.split(['\n', '\r', '\u{c}', '\u{2028}', '\u{2029}']) {
        let line: String = line.chars().map(printable).collect();
        let line = line.trim_end();
        empty_lines = if line.trim().is_empty() { empty_lines + 1 } else { 0 };
        if empty_lines > 1 || (text.is_empty() && line.is_empty()) {
            continue;
        }
        if text.len() + line.len() + 1 > TEXT_MAX {
            notes.push(format!("only the first {} KiB of text were read", TEXT_MAX / 1024));
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    let text = text.trim_end().to_owned();
    if text.chars().filter(|c| c.is_alphanumeric()).count() < LETTERS_MIN {
        return Extraction::NoText;
    }
    Extraction::Text { text, pages, notes }
}

/// Fewer letters and digits than this are a page number or a scanner's stamp, not text.
const LETTERS_MIN: usize = 8;

/// Tabs stay, they part columns; every other control character and odd space is a plain space.
fn printable(c: char) -> char {
    match c {
        '\t' => c,
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{3000}' => ' ',
        c if c.is_control() => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_tidied_and_capped() {
        let tidy =
            finished("\n\n  Ada Byron\u{0}\r\n\n\n\nEngineer\u{a0}here \n", Some(1), Vec::new());
        let text = "  Ada Byron\n\nEngineer here".to_owned();
        assert_eq!(tidy, Extraction::Text { text, pages: Some(1), notes: Vec::new() });

        let Extraction::Text { text, notes, .. } =
            finished(&"word\n".repeat(200_000), None, Vec::new())
        else {
            panic!("text expected");
        };
        assert!(text.len() <= TEXT_MAX);
        assert_eq!(notes, ["only the first 512 KiB of text were read"]);
    }

    #[test]
    fn a_page_number_is_no_text() {
        assert_eq!(finished("  1 \n\n 2", Some(2), Vec::new()), Extraction::NoText);
    }
}
