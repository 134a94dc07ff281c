//! Files for the receivers of web hooks, by signed links ([`crate::engine::file_links`]). Nothing else of the page is served
//! under the public address.

use std::{io, sync::Arc};

use axum::{
    body::{Body, Bytes},
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::stream;

use super::{app::App, download, limits};
use crate::{
    engine::file_links::{Followed, NoFile},
    model::artifact::Artifact,
    net::listener::Share,
    ports::artifacts::check::Kind,
};

/// What follows the path.
#[derive(serde::Deserialize)]
pub(super) struct Proof {
    expires: i64,
    signature: String,
}

/// The file, or why there is none: whoever has no link learns nothing.
pub(super) async fn file(
    State(app): State<Arc<App>>,
    Path((session, file)): Path<(String, String)>,
    proof: Result<Query<Proof>, QueryRejection>,
) -> Response {
    let (Ok(session), Ok(file), Ok(Query(proof))) = (session.parse(), file.parse(), proof) else {
        return refused(&NoFile::Unknown);
    };
    let link = Followed { session, file, expires: proof.expires, signature: &proof.signature };
    fetched(&app, link).await.unwrap_or_else(|why| refused(&why))
}

async fn fetched(app: &App, link: Followed<'_>) -> Result<Response, NoFile> {
    let found = app.engine.linked_file(link).await?;
    let mut memory = app.downloads.share();
    let size = usize::try_from(found.1.size_bytes).ok().filter(|size| *size <= limits::FILE_MAX);
    memory.grow(size.ok_or(NoFile::Unreachable)?).await.map_err(|_| NoFile::Unreachable)?;
    let content = app.engine.linked_content(&found).await?;
    Ok(sent(&found.1, content, memory))
}

fn refused(why: &NoFile) -> Response {
    let status = match why {
        NoFile::Unknown => StatusCode::NOT_FOUND,
        NoFile::Expired | NoFile::Erased => StatusCode::GONE,
        NoFile::Damaged => StatusCode::INTERNAL_SERVER_ERROR,
        NoFile::Unreachable => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, format!("{why}\n")).into_response()
}

fn sent(artifact: &Artifact, content: Vec<u8>, memory: Share) -> Response {
    let kind = Kind::of_content_type(&artifact.content_type);
    let kind = kind.map_or("application/octet-stream", Kind::content_type);
    let disposition = download::disposition("attachment", &artifact.filename);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CONTENT_LENGTH, HeaderValue::from(content.len())),
    ];
    (headers, body(content.into(), memory)).into_response()
}

/// Piece by piece, so that the memory counts as taken until the last one has left.
fn body(content: Bytes, memory: Share) -> Body {
    const PIECE: usize = 64 * 1024;
    let pieces = stream::unfold((content, memory), |(mut rest, memory)| async move {
        let piece = rest.split_to(rest.len().min(PIECE));
        (!piece.is_empty()).then_some((Ok::<_, io::Error>(piece), (rest, memory)))
    });
    Body::from_stream(pieces)
}
