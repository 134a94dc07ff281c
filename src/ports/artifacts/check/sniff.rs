//! What a file is by its first bytes, whatever its name says.

use aho_corasick::AhoCorasick;
use infer::MatcherType;

use super::Kind;

/// What the content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// A kind that can be taken. Plain text is [`Kind::Text`], Markdown or not.
    Is(Kind),
    /// A document behind a password.
    Locked,
    /// Something that must not be opened; the words follow the file's name.
    Danger(&'static str),
    /// Something else that is known by name, with its article.
    Foreign(&'static str),
    /// Nothing known.
    Unknown,
}

/// Looks at the content. Text comes before the pictures and programs of [`infer`], which takes any text beginning
/// with `BM` for a bitmap.
pub(super) fn sniff(bytes: &[u8]) -> Content {
    if is_pdf(bytes) {
        return Content::Is(Kind::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return zip(bytes);
    }
    if bytes.starts_with(&OLE) {
        return if contains(bytes, &utf16("EncryptedPackage")) {
            Content::Locked
        } else {
            Content::Foreign("an old office document")
        };
    }
    if let Some(content) = text(bytes) {
        return content;
    }
    match infer::get(bytes) {
        Some(found) => named(&found),
        None if is_windows_1252(bytes) => Content::Is(Kind::Text),
        None => Content::Unknown,
    }
}

/// Some servers put an empty line or a mark of UTF-8 before a PDF, and every viewer opens it all the same.
fn is_pdf(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"%PDF-")
}

/// The container of Office before 2007, and of encrypted documents since.
const OLE: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// Part names stand uncompressed in an archive, so it can be told apart without opening it.
fn zip(bytes: &[u8]) -> Content {
    let has = |name: &str| contains(bytes, name.as_bytes());
    if has("word/document.xml") && has("[Content_Types].xml") {
        return if has("vbaProject.bin") {
            Content::Danger("contains macros")
        } else {
            Content::Is(Kind::Docx)
        };
    }
    match () {
        () if has("xl/workbook.xml") => Content::Foreign("a spreadsheet"),
        () if has("ppt/presentation.xml") => Content::Foreign("a presentation"),
        () if has("application/vnd.oasis.opendocument") => Content::Foreign("an OpenDocument file"),
        () if has("application/epub+zip") => Content::Foreign("an e-book"),
        () => Content::Foreign("an archive"),
    }
}

/// Text in UTF-8, or in UTF-16 with its mark; `None` if it is neither.
fn text(bytes: &[u8]) -> Option<Content> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return is_utf16(bytes).then_some(Content::Is(Kind::Text));
    }
    let text = str::from_utf8(bytes).ok()?;
    if text.chars().any(is_binary) {
        return None;
    }
    let start = text.trim_start_matches('\u{feff}').trim_start();
    Some(match start.get(..12).unwrap_or(start) {
        _ if contains(bytes, EICAR) => Content::Danger("looks like a virus"),
        head if head.starts_with("#!") => Content::Danger("is a program"),
        head if head.starts_with("{\\rtf") => Content::Foreign("an RTF document"),
        head if head.starts_with("%!PS") => Content::Foreign("a PostScript file"),
        head if head.to_ascii_uppercase().starts_with("BEGIN:VCARD") => Content::Is(Kind::VCard),
        _ => Content::Is(Kind::Text),
    })
}

/// The middle of the test string that every virus scanner knows; the whole of it would make scanners remove this
/// very program.
const EICAR: &[u8] = b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE";

/// Control characters that no text has. A form feed stands between pages.
const fn is_binary(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{e}'..='\u{1a}' | '\u{1c}'..='\u{1f}' | '\u{7f}')
}

fn is_utf16(bytes: &[u8]) -> bool {
    let little = bytes[0] == 0xff;
    let units = bytes.chunks_exact(2).map(|pair| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    });
    bytes.len().is_multiple_of(2)
        && char::decode_utf16(units).all(|unit| unit.is_ok_and(|c| !is_binary(c)))
}

/// Old Windows text: no control characters, and mostly plain ASCII.
fn is_windows_1252(bytes: &[u8]) -> bool {
    let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    high * 4 < bytes.len() && !bytes.iter().any(|byte| is_binary(char::from(*byte)))
}

fn named(found: &infer::Type) -> Content {
    match found.mime_type() {
        "image/png" => return Content::Is(Kind::Png),
        "image/jpeg" => return Content::Is(Kind::Jpeg),
        "image/gif" => return Content::Is(Kind::Gif),
        "image/webp" => return Content::Is(Kind::WebP),
        _ => {}
    }
    match found.matcher_type() {
        MatcherType::App => Content::Danger("is a program"),
        MatcherType::Archive => Content::Foreign("an archive"),
        MatcherType::Audio => Content::Foreign("a sound recording"),
        MatcherType::Book => Content::Foreign("an e-book"),
        MatcherType::Doc => Content::Foreign("another kind of office document"),
        MatcherType::Font => Content::Foreign("a font"),
        MatcherType::Image => Content::Foreign("an image"),
        MatcherType::Text => Content::Foreign("a web page"),
        MatcherType::Video => Content::Foreign("a video"),
        MatcherType::Custom => Content::Unknown,
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    AhoCorasick::new([needle]).is_ok_and(|search| search.is_match(haystack))
}
