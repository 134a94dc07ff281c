//! Submitted forms, with files or without, read within limits; files go to the engine to be checked and kept.

use axum::{
    Form,
    body::Body,
    extract::{FromRequest, Multipart, Request, multipart::Field},
    http::header,
};
use futures::StreamExt as _;

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
        let mut parts = Multipart::from_request(request, &()).await.map_err(|_| Unread::NoForm)?;
        let mut read = Self { memory: Some(app.uploads.share()), ..Self::default() };
        let mut is_too_large = false;
        while let Some(part) = parts.next_field().await.map_err(no_form)? {
            match read.take(part).await {
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

    async fn take(&mut self, mut part: Field<'_>) -> Result<(), Unread> {
        let name = part.name().ok_or(Unread::NoForm)?.to_owned();
        let filename = part.file_name().map(str::to_owned);
        let most = if filename.is_some() {
            limits::FILE_MAX
        } else {
            limits::FORM_MAX.saturating_sub(self.typed)
        };
        let mut bytes = Vec::new();
        let mut fits = true;
        // What is too large is read to its end and dropped, so that the browser gets the answer.
        while let Some(chunk) = part.chunk().await.map_err(|_| Unread::NoForm)? {
            fits =
                fits && bytes.len() + chunk.len() <= most && self.files.len() < limits::FILES_MAX;
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
