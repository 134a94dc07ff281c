//! What is taken and what is refused, and how a refusal is said.
//!
//! Size, extension and content must agree. Nothing here unpacks anything: a hostile file is looked at from
//! outside, and opened only in the child process of [`super::extract`].

mod sniff;

use crate::{messages, model::ui::Upload};

use sniff::{Content, sniff};

/// Why a file was not taken; the text is for the person who sent it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// A file that passed, with what is known of it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// What it is, by extension and by content.
    pub kind: Kind,
    /// Its name, reduced by [`harmless`].
    pub filename: String,
}

/// A kind of file that can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Portable Document Format.
    Pdf,
    /// Word since 2007.
    Docx,
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// A contact card.
    VCard,
    /// A PNG picture.
    Png,
    /// A JPEG picture.
    Jpeg,
    /// A GIF picture.
    Gif,
    /// A WebP picture.
    WebP,
}

impl Kind {
    /// Every kind, in the order in which they are named to people.
    pub const ALL: [Self; 9] = [
        Self::Pdf,
        Self::Docx,
        Self::Text,
        Self::Markdown,
        Self::VCard,
        Self::Png,
        Self::Jpeg,
        Self::Gif,
        Self::WebP,
    ];

    /// The extensions that name it, without the dot; the first is the usual one.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Pdf => &["pdf"],
            Self::Docx => &["docx"],
            Self::Text => &["txt"],
            Self::Markdown => &["md", "markdown"],
            Self::VCard => &["vcf"],
            Self::Png => &["png"],
            Self::Jpeg => &["jpg", "jpeg"],
            Self::Gif => &["gif"],
            Self::WebP => &["webp"],
        }
    }

    /// The media type.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Text => "text/plain",
            Self::Markdown => "text/markdown",
            Self::VCard => "text/vcard",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }

    /// Whether it is a picture, which is re-encoded before it is kept.
    pub(crate) const fn is_picture(self) -> bool {
        match self {
            Self::Png | Self::Jpeg | Self::Gif | Self::WebP => true,
            Self::Pdf | Self::Docx | Self::Text | Self::Markdown | Self::VCard => false,
        }
    }

    /// The kind that an extension names, without the dot, in any case.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        let extension = extension.to_ascii_lowercase();
        Self::ALL.into_iter().find(|kind| kind.extensions().contains(&extension.as_str()))
    }

    /// The kind of a kept file.
    pub(crate) fn of_content_type(content_type: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.content_type() == content_type)
    }
}

/// Checks a file against what was asked for. The name is reduced first, so a refusal never repeats a hostile one.
pub fn check(asked: &Upload, filename: &str, bytes: &[u8]) -> Result<Checked, Refused> {
    let filename = harmless(filename);
    if bytes.is_empty() {
        return Err(Refused(format!("*{filename}* is empty.")));
    }
    if bytes.len() as u64 > asked.max_bytes {
        return Err(too_large(&filename, bytes.len() as u64, asked.max_bytes));
    }
    let accepted: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| accepts(asked, *kind)).collect();
    let named = split(&filename).1.and_then(Kind::of_extension);
    let content = sniff(bytes);
    match (named, content) {
        (Some(kind), Content::Is(found)) if agree(kind, found) && accepted.contains(&kind) => {
            Ok(Checked { kind, filename })
        }
        (_, content) => Err(mismatch(&accepted, &filename, named, content)),
    }
}

/// Reduces a sender's file name to one component that is safe to print, to store and to offer for download.
///
/// ```
/// use anteroom::ports::artifacts::check::harmless;
/// assert_eq!(harmless("../../etc/passwd\u{0}.pdf"), "passwd.pdf");
/// assert_eq!(harmless("cv\u{202e}fdp.exe"), "cvfdp.exe");
/// ```
pub fn harmless(filename: &str) -> String {
    let last = filename.rsplit(['/', '\\']).next().unwrap_or_default();
    let cleaned: String = last.chars().filter(|c| !is_invisible(*c)).map(plain).collect();
    let words: Vec<&str> = cleaned.split_whitespace().collect();
    let name = words.join(" ");
    let name = name.trim_matches(['.', ' ']);
    let (stem, extension) = split(name);
    let stem: String = stem.chars().take(NAME_MAX).collect();
    match extension {
        _ if stem.is_empty() => "file".to_owned(),
        Some(extension) => format!("{}.{extension}", stem.trim_end()),
        None => stem,
    }
}

/// A file name's stem, and its extension if it has a short one.
pub fn split(filename: &str) -> (&str, Option<&str>) {
    match filename.rsplit_once('.') {
        Some((stem, extension))
            if (1..=EXTENSION_MAX).contains(&extension.len())
                && extension.chars().all(|c| c.is_ascii_alphanumeric()) =>
        {
            (stem, Some(extension))
        }
        _ => (filename, None),
    }
}

/// Longest stem of a kept file name, in characters.
const NAME_MAX: usize = 100;

/// Longest extension, in bytes.
const EXTENSION_MAX: usize = 10;

/// Control characters, and those that reorder or hide text.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Characters with a meaning to shells, file systems or Markdown become an underscore.
const fn plain(c: char) -> char {
    match c {
        ':' | '*' | '?' | '"' | '<' | '>' | '|' | '`' | '[' | ']' | '$' | ';' => '_',
        c => c,
    }
}

fn accepts(asked: &Upload, kind: Kind) -> bool {
    asked.accept.iter().any(|extension| {
        Kind::of_extension(extension.trim_start_matches('.')).is_some_and(|named| named == kind)
    })
}

/// Plain text and Markdown cannot be told apart by content.
fn agree(named: Kind, found: Kind) -> bool {
    named == found
        || (matches!(named, Kind::Text | Kind::Markdown)
            && matches!(found, Kind::Text | Kind::VCard))
}

fn too_large(filename: &str, size: u64, max: u64) -> Refused {
    Refused(format!("*{filename}* has {}; I can take at most {}.", megabytes(size), megabytes(max)))
}

fn megabytes(bytes: u64) -> String {
    let tenths = (bytes * 10).div_ceil(1024 * 1024);
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} MB"),
        (whole, part) => format!("{whole}.{part} MB"),
    }
}

fn mismatch(accepted: &[Kind], filename: &str, named: Option<Kind>, content: Content) -> Refused {
    let can = match accepted {
        [] => "No file is wanted here.".to_owned(),
        accepted => format!("I can read {}.", list(accepted)),
    };
    let accepted_name = named.is_some_and(|kind| accepted.contains(&kind));
    let masked = |what: &str| format!("{can} *{filename}* is {what}, whatever its name says.");
    Refused(match content {
        Content::Locked => {
            format!("*{filename}* needs a password. Please send a copy without one.")
        }
        Content::Danger(what) => format!("*{filename}* {what}, so I did not open it. {can}"),
        Content::Foreign(what) if accepted_name => masked(what),
        Content::Foreign(what) => format!("{can} *{filename}* is {what}."),
        Content::Is(found) if accepted.contains(&found) => {
            let extension = found.extensions()[0];
            format!(
                "*{filename}* is {} inside. Please rename it so that it ends in .{extension}, and send it again.",
                noun(found)
            )
        }
        Content::Is(found) if accepted_name => masked(noun(found)),
        Content::Is(found) => format!("{can} *{filename}* is {}.", noun(found)),
        Content::Unknown => format!("{can} I do not know what *{filename}* is."),
    })
}

/// `PDF, DOCX, TXT or MD`.
fn list(accepted: &[Kind]) -> String {
    let names: Vec<String> =
        accepted.iter().map(|kind| kind.extensions()[0].to_ascii_uppercase()).collect();
    messages::list::or(&names)
}

const fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Pdf => "a PDF",
        Kind::Docx => "a Word document",
        Kind::Text | Kind::Markdown => "a text file",
        Kind::VCard => "a contact card",
        Kind::Png | Kind::Jpeg | Kind::Gif | Kind::WebP => "an image",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_one_harmless_component() {
        for (given, kept) in [
            ("résumé.pdf", "résumé.pdf"),
            ("C:\\Users\\ada\\cv.docx", "cv.docx"),
            ("../../../etc/shadow", "shadow"),
            ("..", "file"),
            (".pdf", "pdf"),
            ("", "file"),
            ("a\nb\tc.pdf", "abc.pdf"),
            ("  my   cv  .pdf ", "my cv.pdf"),
            ("x[y](z)*.md", "x_y_(z)_.md"),
            ("cv.tar.gz", "cv.tar.gz"),
        ] {
            assert_eq!(harmless(given), kept, "{given:?}");
        }
        let long = harmless(&format!("{}.pdf", "ä".repeat(500)));
        assert_eq!(long.chars().count(), NAME_MAX + 4);
    }

    #[test]
    fn a_harmless_name_is_a_fixed_point() {
        for name in ["a b.pdf", "file", "x_y.docx", "ÄÖ.txt"] {
            assert_eq!(harmless(&harmless(name)), harmless(name));
        }
    }

    #[test]
    fn sizes_are_said_in_megabytes() {
        assert_eq!(megabytes(10 * 1024 * 1024), "10 MB");
        assert_eq!(megabytes(10 * 1024 * 1024 + 1), "10.1 MB");
    }
}
