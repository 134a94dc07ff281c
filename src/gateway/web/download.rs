//! How a browser is sent a file.

use axum::http::HeaderValue;

use crate::{model::artifact::Artifact, ports::artifacts::check::Kind};

/// What a made file is sent as. Whatever its record says, it is one of ours or nothing that a browser would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    /// Shown in the page.
    Picture,
    /// Opened or kept by the person.
    Document,
    /// Kept, and never opened by the browser.
    Anything,
}

impl Sent {
    pub(super) fn of(file: &Artifact) -> Self {
        match &*file.content_type {
            kind if kind == Kind::Png.content_type() => Self::Picture,
            kind if kind == Kind::Pdf.content_type() => Self::Document,
            _ => Self::Anything,
        }
    }

    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::Picture => Kind::Png.content_type(),
            Self::Document => Kind::Pdf.content_type(),
            Self::Anything => "application/octet-stream",
        }
    }

    pub(super) const fn disposition(self) -> &'static str {
        match self {
            Self::Picture => "inline",
            Self::Document | Self::Anything => "attachment",
        }
    }
}

/// What a browser does with a file, and what it calls it: a header holds letters, whatever the name is.
pub(super) fn disposition(what: &str, filename: &str) -> HeaderValue {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ');
    let name: String = filename.chars().filter(is_plain).collect();
    let words = format!("{what}; filename=\"{name}\"");
    HeaderValue::from_str(&words).unwrap_or(HeaderValue::from_static("attachment"))
}
