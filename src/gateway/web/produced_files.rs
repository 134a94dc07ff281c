//! Files that the bot made: pictures in the page, documents to keep.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

use super::{connect::App, page, page::View};
use crate::{
    base::ids::ArtifactId,
    messages,
    model::artifact::Artifact,
    ports::artifacts::{blobs, check::Kind},
};

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

    const fn content_type(self) -> &'static str {
        match self {
            Self::Picture => Kind::Png.content_type(),
            Self::Document => Kind::Pdf.content_type(),
            Self::Anything => "application/octet-stream",
        }
    }

    const fn disposition(self) -> &'static str {
        match self {
            Self::Picture => "inline",
            Self::Document | Self::Anything => "attachment",
        }
    }
}

/// A file that the bot made in a conversation which whoever asks may see. One that it did not make there, or that has
/// been erased, does not exist.
pub(super) async fn file(app: &App, view: &View, id: &str) -> Response {
    let nothing = || page::problem(StatusCode::NOT_FOUND, messages::page::NOTHING_HERE);
    let Ok(id) = id.parse::<ArtifactId>() else { return nothing() };
    let Some(file) = view.state.made.iter().find(|file| file.id == id) else { return nothing() };
    let artifacts = &app.engine.parts().artifacts;
    match artifacts.read(view.state.files_of(), file).await {
        Ok(Some(bytes)) => sent(file, bytes),
        Ok(None) => nothing(),
        Err(blobs::Error::Damaged { .. }) => {
            let words = messages::notices::FILE_DAMAGED;
            page::problem(StatusCode::INTERNAL_SERVER_ERROR, words)
        }
        Err(_) => {
            let words = messages::notices::FILE_UNREADABLE;
            page::problem(StatusCode::SERVICE_UNAVAILABLE, words)
        }
    }
}

fn sent(file: &Artifact, bytes: Vec<u8>) -> Response {
    let sent = Sent::of(file);
    let disposition = disposition(sent.disposition(), &file.filename);
    let kind = HeaderValue::from_static(sent.content_type());
    ([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, disposition)], bytes)
        .into_response()
}

/// What a browser does with a file, and what it calls it: a header holds letters, whatever the name is.
pub(super) fn disposition(what: &str, filename: &str) -> HeaderValue {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ');
    let name: String = filename.chars().filter(is_plain).collect();
    let words = format!("{what}; filename=\"{name}\"");
    HeaderValue::from_str(&words).unwrap_or(HeaderValue::from_static("attachment"))
}
