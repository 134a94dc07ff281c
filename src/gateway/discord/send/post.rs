//! A message posted or edited, once.

use serde_json::Value;

use super::{
    deliver::{Delivered, Sender, Undelivered},
    nonce,
    targets::Target,
};
use crate::{
    gateway::discord::{
        api::{Code, Failure},
        render::Message,
    },
    model::{audit::sha256, effect::Recipient},
    threads::Spot,
};

/// A file that goes with a message.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    /// What it is called, which no other file is.
    pub(super) name: &'a str,
    /// The file.
    pub(super) bytes: &'a [u8],
}

/// What came of an edit.
#[derive(PartialEq, Eq)]
pub(super) enum Edited {
    /// It looks as it should.
    Done,
    /// The message is not there any more.
    Gone,
    /// Discord edits it no more, for it is old.
    TooOld,
}

impl Sender<'_> {
    /// Messages that belong together, where the effect goes, in order; one that is there already is not posted again.
    pub(super) async fn post_all(&self, messages: &[Message]) -> Delivered<Option<String>> {
        if self.effect.to == Recipient::Participant {
            let mut first = None;
            for (part, message) in (0_u8..).zip(messages) {
                let spot = self.post_to_room(message, part, None).await?;
                first = first.or_else(|| spot.map(|spot| spot.name()));
            }
            return Ok(first);
        }
        let Target { channel, .. } = self.target().await?;
        self.post_in(&channel, messages).await
    }

    pub(super) async fn post_in(
        &self,
        channel: &str,
        messages: &[Message],
    ) -> Delivered<Option<String>> {
        let mut first = None;
        for (part, message) in (0_u8..).zip(messages) {
            let spot = self.post(channel, message, part).await?;
            first = first.or_else(|| spot.map(|spot| spot.name()));
        }
        Ok(first)
    }

    /// Posts where the participant reads; where that place does not work any more, in another.
    pub(super) async fn post_to_room(
        &self,
        message: &Message,
        part: u8,
        file: Option<File<'_>>,
    ) -> Delivered<Option<Spot>> {
        let rooms = &self.app.rooms;
        let known = rooms.known(self.effect.session).await?;
        let room = match known {
            Some(room) => room,
            None => rooms.open(&self.look().await?).await?,
        };
        match self.send(&room, message.body(0), part, file).await {
            Err(Undelivered::Call(failure)) if is_shut(&failure) => {
                let room = rooms.instead(&self.look().await?, &room, failure).await?;
                self.send(&room, message.body(0), part, file).await
            }
            posted => posted,
        }
    }

    /// Posts a part of the effect, unless it is there already; none where it was and somebody took it away.
    pub(super) async fn post(
        &self,
        channel: &str,
        message: &Message,
        part: u8,
    ) -> Delivered<Option<Spot>> {
        self.send(channel, message.body(0), part, None).await
    }

    pub(super) async fn send(
        &self,
        channel: &str,
        body: Value,
        part: u8,
        file: Option<File<'_>>,
    ) -> Delivered<Option<Spot>> {
        if self.may_be_there()
            && let Some(spot) = self.look_for(channel, &body, file.map(|file| file.name)).await?
        {
            return Ok(Some(spot));
        }
        let name = nonce(self.effect.id, part);
        let posted = match self.put(channel, &name, body.clone(), file).await {
            Err(failure) if failure.is(Code::Archived) => {
                self.app.api.unarchive(channel).await?;
                self.put(channel, &name, body, file).await
            }
            posted => posted,
        };
        match posted {
            Ok(message) => Ok(Some(Spot { channel: channel.to_owned(), message })),
            // It was sent under this name before, and deleted since.
            Err(failure) if failure.is(Code::UnknownMessage) => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }

    async fn put(
        &self,
        channel: &str,
        nonce: &str,
        body: Value,
        file: Option<File<'_>>,
    ) -> Result<String, Failure> {
        let api = &self.app.api;
        match file {
            Some(File { name, bytes }) => {
                api.post_file(channel, nonce, body, (name, bytes.to_vec())).await
            }
            None => api.post(channel, nonce, body).await,
        }
    }

    pub(super) async fn edit(&self, spot: &Spot, message: &Message) -> Delivered<Edited> {
        let body = message.body(0);
        // An edit that changes nothing still shows as one.
        let digest = sha256(body.to_string().as_bytes());
        if self.app.drawn.is(&spot.name(), &digest) {
            return Ok(Edited::Done);
        }
        let edited = match self.app.api.edit(&spot.channel, &spot.message, body.clone()).await {
            Err(failure) if failure.is(Code::Archived) => {
                match self.app.api.unarchive(&spot.channel).await {
                    Ok(()) => self.app.api.edit(&spot.channel, &spot.message, body).await,
                    Err(failure) => Err(failure),
                }
            }
            edited => edited,
        };
        match edited {
            Ok(()) => {
                self.app.drawn.note(spot.name(), digest);
                Ok(Edited::Done)
            }
            Err(failure) if failure.is(Code::OldMessage) => Ok(Edited::TooOld),
            Err(failure) if is_gone(&failure) => Ok(Edited::Gone),
            Err(failure) => Err(failure.into()),
        }
    }
}

/// Whether a place takes no messages any more, so that another one may.
fn is_shut(failure: &Failure) -> bool {
    matches!(
        failure.code(),
        Some(Code::UnknownChannel | Code::NoDirectMessages | Code::MissingAccess)
    )
}

/// Whether a message is not there any more.
fn is_gone(failure: &Failure) -> bool {
    matches!(
        failure.code(),
        Some(Code::UnknownMessage | Code::UnknownChannel | Code::MissingAccess | Code::NotOurs)
    )
}
