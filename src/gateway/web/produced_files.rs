//! Files that the bot made: pictures in the page, documents to keep.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

use super::{
    app::App,
    download::{Sent, disposition},
    frame,
    view::View,
};
use crate::{base::ids::ArtifactId, messages, model::artifact::Artifact, ports::artifacts::blobs};

/// A file that the bot made in a conversation which whoever asks may see. One that it did not make there, or that has
/// been erased, does not exist.
pub(super) async fn file(app: &App, view: &View, id: &str) -> Response {
    let nothing = || frame::problem(StatusCode::NOT_FOUND, messages::page::NOTHING_HERE);
    let Ok(id) = id.parse::<ArtifactId>() else { return nothing() };
    let Some(file) = view.state.made.iter().find(|file| file.id == id) else { return nothing() };
    let artifacts = &app.engine.parts().artifacts;
    match artifacts.read(view.state.files_of(), file).await {
        Ok(Some(bytes)) => sent(file, bytes),
        Ok(None) => nothing(),
        Err(blobs::Error::Damaged { .. }) => {
            let words = messages::notices::FILE_DAMAGED;
            frame::problem(StatusCode::INTERNAL_SERVER_ERROR, words)
        }
        Err(_) => {
            let words = messages::notices::FILE_UNREADABLE;
            frame::problem(StatusCode::SERVICE_UNAVAILABLE, words)
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
