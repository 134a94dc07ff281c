//! What fetched content is: what its sender says, where the content agrees.

use infer::MatcherType;

/// A family of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Media {
    /// A web page.
    Html,
    /// Text of no other kind here; Markdown, contact cards and tables too.
    Text,
    /// JSON, unread.
    Json,
    /// XML, unread; vector pictures too.
    Xml,
    /// Portable Document Format.
    Pdf,
    /// An archive, or an office document, which is one.
    Zip,
    /// A picture of pixels.
    Picture,
    /// Anything else.
    Other,
}

impl Media {
    /// What a person calls it, with its article.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Html => "a web page",
            Self::Text => "a text",
            Self::Json | Self::Xml => "data for programs",
            Self::Pdf => "a PDF",
            Self::Zip => "an archive or an office document",
            Self::Picture => "a picture",
            Self::Other => "something that I cannot read",
        }
    }
}

/// What declaration and content agree on; `None` if they do not. Without a declaration, or with one that says nothing,
/// the content decides.
pub(super) fn agreed(declared: Option<&str>, bytes: &[u8]) -> Option<Media> {
    let found = Found::of(bytes);
    let Some(said) = declared.and_then(Said::of) else { return Some(found.alone()) };
    let agree = match (&said.media, &found) {
        (Media::Json, Found::Text { first }) => {
            matches!(first, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
        }
        (Media::Xml, Found::Text { first }) => *first == b'<',
        (Media::Html | Media::Text, Found::Text { .. } | Found::Html)
        | (Media::Xml, Found::Html)
        | (Media::Pdf, Found::Pdf)
        | (Media::Zip, Found::Zip)
        | (Media::Other, Found::Other) => true,
        (Media::Picture, Found::Picture { kind }) => *kind == said.kind,
        _ => false,
    };
    agree.then_some(said.media)
}

/// What the sender says.
struct Said {
    media: Media,
    kind: String,
}

impl Said {
    /// None where the sender has not said anything.
    fn of(declared: &str) -> Option<Self> {
        let kind = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let media = match kind.as_str() {
            ""
            | "application/octet-stream"
            | "binary/octet-stream"
            | "application/force-download"
            | "application/download"
            | "application/x-download" => return None,
            "text/html" | "application/xhtml+xml" => Media::Html,
            "application/json" => Media::Json,
            "application/pdf" | "application/x-pdf" => Media::Pdf,
            "application/zip" | "application/x-zip-compressed" => Media::Zip,
            "text/xml" | "application/xml" => Media::Xml,
            kind if kind.ends_with("+json") => Media::Json,
            kind if kind.ends_with("+xml") => Media::Xml,
            kind if kind.starts_with("application/vnd.openxmlformats-officedocument.")
                || kind.starts_with("application/vnd.oasis.opendocument.") =>
            {
                Media::Zip
            }
            kind if kind.starts_with("text/") => Media::Text,
            kind if kind.starts_with("image/") => Media::Picture,
            _ => Media::Other,
        };
        Some(Self { media, kind: if kind == "image/jpg" { "image/jpeg".to_owned() } else { kind } })
    }
}

/// What the content shows.
enum Found {
    Html,
    /// With its first character that is no space; 0 where there is none.
    Text {
        first: u8,
    },
    Pdf,
    Zip,
    Picture {
        kind: &'static str,
    },
    Other,
}

impl Found {
    fn of(bytes: &[u8]) -> Self {
        if bytes.starts_with(b"%PDF-") {
            return Self::Pdf;
        }
        if bytes.starts_with(b"PK\x03\x04") {
            return Self::Zip;
        }
        // Text first: a sniffer of pictures and programs takes `BM` and `MZ` at a start for one.
        if is_text(bytes) {
            return text(bytes);
        }
        match infer::get(bytes) {
            Some(found) if found.matcher_type() == MatcherType::Image => {
                Self::Picture { kind: found.mime_type() }
            }
            _ => Self::Other,
        }
    }

    const fn alone(&self) -> Media {
        match self {
            Self::Html => Media::Html,
            Self::Text { .. } => Media::Text,
            Self::Pdf => Media::Pdf,
            Self::Zip => Media::Zip,
            Self::Picture { .. } => Media::Picture,
            Self::Other => Media::Other,
        }
    }
}

fn text(bytes: &[u8]) -> Found {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let head = start[..start.len().min(16)].to_ascii_lowercase();
    if [&b"<!doctype html"[..], b"<html", b"<head", b"<body"]
        .iter()
        .any(|tag| head.starts_with(tag))
    {
        Found::Html
    } else {
        Found::Text { first: start.first().copied().unwrap_or_default() }
    }
}

/// Any encoding whose control characters are those of ASCII, or UTF-16 with its mark.
fn is_text(bytes: &[u8]) -> bool {
    let binary = |byte: &u8| matches!(byte, 0..=8 | 11 | 14..=26 | 28..=31);
    bytes.starts_with(&[0xff, 0xfe])
        || bytes.starts_with(&[0xfe, 0xff])
        || !bytes.iter().any(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declaration_and_content_must_agree() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        for (declared, bytes, media) in [
            (Some("text/html; charset=utf-8"), &b"<!DOCTYPE html><p>Hi"[..], Some(Media::Html)),
            (Some("TEXT/HTML"), b"<p>Hi</p>", Some(Media::Html)),
            (Some("text/html"), b"caf\xe9", Some(Media::Html)),
            (Some("application/xhtml+xml"), b"<?xml version=\"1.0\"?><html/>", Some(Media::Html)),
            (Some("text/plain"), b"<html>shown as it is", Some(Media::Text)),
            (Some("text/plain"), b"\xff\xfeh\0i\0", Some(Media::Text)),
            (Some("text/markdown"), b"# BM", Some(Media::Text)),
            (Some("application/ld+json"), b" {\"a\": 1}", Some(Media::Json)),
            (Some("image/svg+xml"), b"<svg/>", Some(Media::Xml)),
            (Some("image/png"), png, Some(Media::Picture)),
            (Some("application/octet-stream"), b"%PDF-1.7", Some(Media::Pdf)),
            (Some(""), b"PK\x03\x04....", Some(Media::Zip)),
            (None, b"<html>", Some(Media::Html)),
            (None, b"", Some(Media::Text)),
            (Some("audio/mpeg"), b"ID3\x03\0\0\0", Some(Media::Other)),
            (Some("text/html"), png, None),
            (Some("text/plain"), b"\x7fELF\x02\x01\x01\0", None),
            (Some("image/jpeg"), png, None),
            (Some("image/png"), b"<html>", None),
            (Some("application/pdf"), b"<html>", None),
            (Some("application/pdf"), b"PK\x03\x04", None),
            (Some("application/json"), b"<html>", None),
            (Some("application/json"), b"<p>sorry</p>", None),
            (Some("audio/mpeg"), b"<html>", None),
        ] {
            assert_eq!(
                agreed(declared, bytes),
                media,
                "{declared:?} {:?}",
                bytes.escape_ascii().to_string()
            );
        }
    }
}
