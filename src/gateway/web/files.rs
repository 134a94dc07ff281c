//! Submitted forms, with files or without, read within limits; files go to the engine to be checked and kept.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use axum::{
    Form,
    body::{Body, BodyDataStream, Bytes},
    extract::{FromRequest, Multipart, Request, multipart::Field},
    http::header,
};
use futures::{Stream, StreamExt as _};

use super::{app::App, limits};
use crate::{
    base::ids::{SessionId, WaitId},
    chat::form::Fields,
    engine::{Engine, Error},
    messages,
    model::{artifact::Artifact, text::typed},
    net::listener::Share,
    ports::artifacts::check::harmless,
};

/// Why a form was not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// It has more in it than a form of ours can have.
    TooLarge,
    /// It is no form, or never came to its end.
    NoForm,
}

/// A submitted form.
#[derive(Debug, Default)]
pub struct Submission {
    /// Its fields.
    pub fields: Fields,
    /// Its files: name and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// Files that were too large to be taken in, by name.
    pub too_large: Vec<String>,
    /// There were more files than a form may have.
    has_too_many: bool,
    /// Bytes of names and values of fields so far.
    typed: usize,
    /// The memory that the files have.
    memory: Option<Share>,
}

impl Submission {
    /// Reads a form. What is typed loses the characters that would steer a page or a terminal. A form that is too
    /// large is read to its end and dropped: a browser whose upload is cut off shows no answer.
    pub async fn read(app: &App, request: Request<Body>) -> Result<Self, Unread> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.ok_or(Unread::NoForm)?.to_owned();
        if !kind.starts_with("multipart/form-data") {
            return Self::read_fields(request).await;
        }
        let no_form = |_| Unread::NoForm;
        let ahead = Arc::new(AtomicUsize::new(0));
        let request = request.map(|body| Body::from_stream(OneByOne::new(body, &ahead)));
        let mut parts = Multipart::from_request(request, &()).await.map_err(|_| Unread::NoForm)?;
        let mut read = Self { memory: Some(app.uploads.share()), ..Self::default() };
        let mut is_too_large = false;
        while let Some(part) = parts.next_field().await.map_err(no_form)? {
            ahead.store(0, Ordering::Relaxed);
            match read.take(part, &ahead).await {
                Err(Unread::TooLarge) => is_too_large = true,
                taken => taken?,
            }
        }
        if is_too_large { Err(Unread::TooLarge) } else { Ok(read) }
    }

    async fn read_fields(request: Request<Body>) -> Result<Self, Unread> {
        let (head, body) = request.into_parts();
        let mut chunks = body.into_data_stream();
        let mut bytes = Vec::new();
        let mut is_too_large = false;
        while let Some(chunk) = chunks.next().await {
            // Beyond what is read at all the stream itself fails.
            let chunk =
                chunk.map_err(|_| if is_too_large { Unread::TooLarge } else { Unread::NoForm })?;
            is_too_large = is_too_large || bytes.len() + chunk.len() > limits::FORM_MAX;
            if is_too_large {
                bytes = Vec::new();
            } else {
                bytes.extend_from_slice(&chunk);
            }
        }
        // Counted before they are taken apart: each costs far more memory than its two bytes.
        if is_too_large || bytes.split(|byte| *byte == b'&').count() > limits::FIELDS_MAX {
            return Err(Unread::TooLarge);
        }
        let request = Request::from_parts(head, Body::from(bytes));
        let Form(fields) = Form::<Vec<(String, String)>>::from_request(request, &())
            .await
            .map_err(|_| Unread::NoForm)?;
        let fields = fields.into_iter().map(|(name, value)| (name, typed(&value)));
        Ok(Self { fields: Fields(fields.collect()), ..Self::default() })
    }

    async fn take(&mut self, mut part: Field<'_>, ahead: &AtomicUsize) -> Result<(), Unread> {
        let name = part.name().ok_or(Unread::NoForm)?.to_owned();
        let filename = part.file_name().map(str::to_owned);
        let most = if filename.is_some() {
            limits::FILE_MAX
        } else {
            limits::FORM_MAX.saturating_sub(self.typed)
        };
        let mut bytes = Vec::new();
        let is_one_more = filename.as_ref().is_some_and(|name| !name.is_empty())
            && self.files.len() >= limits::FILES_MAX;
        self.has_too_many |= is_one_more;
        let mut fits = !is_one_more;
        // What is too large is read to its end and dropped, so that the browser gets the answer.
        while let Some(chunk) = part.chunk().await.map_err(|_| Unread::NoForm)? {
            ahead.store(0, Ordering::Relaxed);
            fits = fits && bytes.len() + chunk.len() <= most;
            if fits {
                if let Some(memory) = &mut self.memory {
                    memory.grow(chunk.len()).await.map_err(|_| Unread::TooLarge)?;
                }
                bytes.extend_from_slice(&chunk);
            } else {
                bytes = Vec::new();
            }
        }
        match filename {
            // A file input that was left empty.
            Some(filename) if filename.is_empty() => {}
            Some(_) if is_one_more => {}
            Some(_) if self.too_large.len() >= limits::FILES_MAX => {}
            Some(filename) if !fits => self.too_large.push(harmless(&filename)),
            Some(filename) => self.files.push((filename, bytes)),
            None if !fits || self.fields.0.len() >= limits::FIELDS_MAX => {
                return Err(Unread::TooLarge);
            }
            None => {
                self.typed += name.len() + bytes.len();
                let text = String::from_utf8(bytes).map_err(|_| Unread::NoForm)?;
                self.fields.0.push((name, typed(&text)));
            }
        }
        Ok(())
    }

    /// Has the files checked and kept. The refusals are for the person; with any of them nothing counts as sent, and
    /// the question stays open.
    pub async fn keep(
        &mut self,
        engine: &Engine,
        session: SessionId,
        wait: Option<WaitId>,
    ) -> Result<Result<Vec<Artifact>, Vec<String>>, Error> {
        let limit = u64::try_from(limits::FILE_MAX).unwrap_or(u64::MAX);
        let mut refused: Vec<String> =
            self.too_large.iter().map(|name| messages::answers::too_large(name, limit)).collect();
        if self.has_too_many {
            refused.push(messages::answers::too_many_files(limits::FILES_MAX));
        }
        if !refused.is_empty() {
            return Ok(Err(refused));
        }
        let mut kept = Vec::new();
        for (name, bytes) in std::mem::take(&mut self.files) {
            match engine.keep_file(session, wait, &name, bytes).await? {
                Ok(artifact) => kept.push(artifact),
                Err(words) => refused.push(words),
            }
        }
        Ok(if refused.is_empty() { Ok(kept) } else { Err(refused) })
    }
}

/// Bytes of a body with files that may have come since a part of it was last read. The parser keeps them until it finds
/// the end of a part or of its head, which somebody who means harm never sends.
const AHEAD_MAX: usize = 1024 * 1024;

/// A body that is handed to the parser piece by piece: by itself it would take all that has come before it gives any of
/// it out, and nobody would count the memory.
struct OneByOne {
    body: BodyDataStream,
    /// Bytes since a part was last read.
    ahead: Arc<AtomicUsize>,
    /// A piece was handed out a moment ago.
    rests: bool,
}

impl OneByOne {
    fn new(body: Body, ahead: &Arc<AtomicUsize>) -> Self {
        Self { body: body.into_data_stream(), ahead: Arc::clone(ahead), rests: false }
    }
}

impl Stream for OneByOne {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.rests {
            self.rests = false;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let piece = ready!(self.body.poll_next_unpin(cx));
        self.rests = true;
        let Some(Ok(bytes)) = piece else { return Poll::Ready(piece) };
        let before = self.ahead.fetch_add(bytes.len(), Ordering::Relaxed);
        Poll::Ready(Some(if before + bytes.len() > AHEAD_MAX {
            Err(axum::Error::new("a part of the form has no end"))
        } else {
            Ok(bytes)
        }))
    }
}
