//! Submitted forms, with files or without, read within limits; files go to the engine to be checked and kept.

use axum::{
    Form,
    body::{Body, to_bytes},
    extract::{FromRequest, Multipart, Request, multipart::Field},
    http::header,
};

use super::{connect::App, limits};
use crate::{
    artifacts::check::harmless,
    engine::{Engine, Error},
    form::{Fields, words},
    ids::{SessionId, WaitId},
    listen::Share,
    model::{artifact::Artifact, text::typed},
};

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
    /// Reads a form; none where it is no form, or has more in it than a form of ours can have. What is typed loses
    /// the characters that would steer a page or a terminal.
    pub async fn read(app: &App, request: Request<Body>) -> Option<Self> {
        let kind = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?.to_owned();
        if !kind.starts_with("multipart/form-data") {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, limits::FORM_MAX).await.ok()?;
            // Counted before they are taken apart: each costs far more memory than its two bytes.
            if body.split(|byte| *byte == b'&').count() > limits::FIELDS_MAX {
                return None;
            }
            let request = Request::from_parts(head, Body::from(body));
            let Form(fields) =
                Form::<Vec<(String, String)>>::from_request(request, &()).await.ok()?;
            let fields = fields.into_iter().map(|(name, value)| (name, typed(&value)));
            return Some(Self { fields: Fields(fields.collect()), ..Self::default() });
        }
        let mut parts = Multipart::from_request(request, &()).await.ok()?;
        let mut read = Self { memory: Some(app.uploads.share()), ..Self::default() };
        while let Some(part) = parts.next_field().await.ok()? {
            read.take(part).await?;
        }
        Some(read)
    }

    async fn take(&mut self, mut part: Field<'_>) -> Option<()> {
        let name = part.name()?.to_owned();
        let filename = part.file_name().map(str::to_owned);
        let most = if filename.is_some() {
            limits::FILE_MAX
        } else {
            limits::FORM_MAX.saturating_sub(self.typed)
        };
        let mut bytes = Vec::new();
        let mut fits = true;
        // What is too large is read to its end and dropped, so that the browser gets to hear of it.
        while let Some(chunk) = part.chunk().await.ok()? {
            fits =
                fits && bytes.len() + chunk.len() <= most && self.files.len() < limits::FILES_MAX;
            if fits {
                if let Some(memory) = &mut self.memory {
                    memory.grow(chunk.len()).await.ok()?;
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
            None if !fits || self.fields.0.len() >= limits::FIELDS_MAX => return None,
            None => {
                self.typed += name.len() + bytes.len();
                self.fields.0.push((name, typed(&String::from_utf8(bytes).ok()?)));
            }
        }
        Some(())
    }

    /// Has the files checked and kept. The refusals are for the person; with any of them nothing counts as sent, and
    /// the question stays open (BEHAVIOUR F1, F3).
    pub async fn keep(
        &mut self,
        engine: &Engine,
        session: SessionId,
        wait: Option<WaitId>,
    ) -> Result<Result<Vec<Artifact>, Vec<String>>, Error> {
        let limit = u64::try_from(limits::FILE_MAX).unwrap_or(u64::MAX);
        let mut refused: Vec<String> =
            self.too_large.iter().map(|name| words::too_large(name, limit)).collect();
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
