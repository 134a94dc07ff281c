//! A message posted or edited, once.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::{
    nonce as name_of,
    sender::{Delivered, Sender, Undelivered},
    targets::Target,
};
use crate::{
    chat::{message_index::MessageRef, refusal::Class},
    gateway::discord::{
        api::{Code, Failure},
        greeting::greeting,
        limits,
        render::{
            Message,
            text::{clip, escape},
        },
        texts,
    },
    model::effect::Recipient,
};

/// The number of the part that greets the participant where their first message has no room for it.
const GREETING: u8 = 53;

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
    ) -> Delivered<Option<MessageRef>> {
        let rooms = &self.app.rooms;
        let known = rooms.known(self.effect.session).await?;
        let room = match known {
            Some(room) => room,
            None => rooms.open(&self.look().await?).await?,
        };
        match self.send_to(&room, message, part, file).await {
            Err(Undelivered::Call(failure)) if is_shut(&failure) => {
                let room = rooms.instead(&self.look().await?, &room, failure).await?;
                self.send_to(&room, message, part, file).await
            }
            posted => posted,
        }
    }

    /// Posts in a room. The first thing that arrives in a thread greets the participant, which lets them in.
    async fn send_to(
        &self,
        room: &str,
        message: &Message,
        part: u8,
        file: Option<File<'_>>,
    ) -> Delivered<Option<MessageRef>> {
        let (rooms, session) = (&self.app.rooms, self.effect.session);
        if !rooms.awaits_participant(session, room).await? {
            return self.send(room, message.body(0), part, file).await;
        }
        let user = &self.look().await?.state.participant.user;
        let body = if let Some(greeting) = message.greeting(user) {
            calling(&greeting, user)
        } else {
            let greeting = calling(&texts::words(greeting(user)), user);
            self.send(room, greeting, GREETING, None).await?;
            message.body(0)
        };
        let posted = self.send(room, body, part, file).await?;
        if posted.is_some() {
            rooms.participant_called(session, room).await?;
        }
        Ok(posted)
    }

    /// Posts a part of the effect, unless it is there already; none where it was and somebody took it away.
    pub(super) async fn post(
        &self,
        channel: &str,
        message: &Message,
        part: u8,
    ) -> Delivered<Option<MessageRef>> {
        self.send(channel, message.body(0), part, None).await
    }

    pub(super) async fn send(
        &self,
        channel: &str,
        body: Value,
        part: u8,
        file: Option<File<'_>>,
    ) -> Delivered<Option<MessageRef>> {
        if self.may_be_there()
            && let Some(spot) = self.look_for(channel, &body, file.map(|file| file.name)).await?
        {
            self.left(&spot);
            return Ok(Some(spot));
        }
        let name = name_of(self.effect.id, part);
        let posted = match self.put(channel, &name, body.clone(), file).await {
            Err(failure) if failure.is(Code::Archived) => {
                self.app.api.unarchive(channel).await?;
                self.put(channel, &name, body.clone(), file).await
            }
            posted => posted,
        };
        let posted = match (posted, words_alone(&body)) {
            (Err(failure), Some(words))
                if matches!(failure.class(), Class::Plain | Class::Shorten) =>
            {
                tracing::error!(%failure, "Discord rejects a card; posting its text only");
                self.is_plainer.store(true, Ordering::Relaxed);
                self.put(channel, &name, words, file).await
            }
            (posted, _) => posted,
        };
        match posted {
            Ok(message) => {
                let spot = MessageRef { channel: channel.to_owned(), message };
                self.left(&spot);
                Ok(Some(spot))
            }
            // It was sent under this name before, and deleted since. What was never tried is something else.
            Err(failure) if failure.is(Code::UnknownMessage) && self.was_tried => Ok(None),
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
        let Self { app, effect, .. } = self;
        let was_doubted = app.possible_duplicates.begin(effect.id);
        let posted = match file {
            Some(File { name, bytes }) => {
                app.api.post_file(channel, nonce, body, (name, bytes.to_vec())).await
            }
            None => match self.referring(channel, nonce, &body) {
                Some(referring) => match app.api.post(channel, nonce, referring).await {
                    Err(failure) if failure.is(Code::NoHistory) => {
                        app.api.post(channel, nonce, body).await
                    }
                    posted => posted,
                },
                None => app.api.post(channel, nonce, body).await,
            },
        };
        match &posted {
            Err(
                Failure::Unreachable
                | Failure::Later { .. }
                | Failure::Refused { .. }
                | Failure::BadToken,
            ) => {
                app.possible_duplicates.nothing_happened(effect.id, was_doubted);
            }
            Ok(_) | Err(Failure::Unclear { .. }) => {}
        }
        posted
    }

    /// A body that refers to the message which it answers, where it is the first part and that message stands there; whoever
    /// wrote it is not called once more, and nothing fails where it was deleted.
    fn referring(&self, channel: &str, nonce: &str, body: &Value) -> Option<Value> {
        let answers = self.answers.get().filter(|spot| spot.channel == channel)?;
        if nonce != name_of(self.effect.id, 0) {
            return None;
        }
        let mut body = body.clone();
        body["message_reference"] =
            json!({ "message_id": answers.message, "fail_if_not_exists": false });
        body["allowed_mentions"]["replied_user"] = false.into();
        Some(body)
    }

    pub(super) async fn edit(&self, spot: &MessageRef, message: &Message) -> Delivered<Edited> {
        let (body, digest) = (message.body(0), message.digest());
        // The answer to a press may draw it first.
        self.app.render_cache.settled(&spot.name()).await;
        // An edit that changes nothing still shows as one.
        if self.app.render_cache.is(&spot.name(), &digest) {
            return Ok(Edited::Done);
        }
        let edited = match self.app.api.edit(&spot.channel, &spot.message, body.clone()).await {
            Err(failure) if failure.is(Code::Archived) => {
                match self.app.api.unarchive(&spot.channel).await {
                    Ok(()) => self.app.api.edit(&spot.channel, &spot.message, body.clone()).await,
                    Err(failure) => Err(failure),
                }
            }
            edited => edited,
        };
        let edited = match (edited, words_alone(&body)) {
            (Err(failure), Some(words))
                if matches!(failure.class(), Class::Plain | Class::Shorten) =>
            {
                // What stands there as words stays so.
                self.app.api.edit(&spot.channel, &spot.message, words).await
            }
            (edited, _) => edited,
        };
        match edited {
            Ok(()) => {
                self.app.render_cache.note(spot.name(), digest);
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
    let class = failure.class();
    matches!(class, Class::PlaceGone | Class::PlaceClosed | Class::PersonUnreachable(_))
}

/// A message that calls one person.
fn calling(message: &Message, user: &str) -> Value {
    let mut body = message.body(0);
    body["allowed_mentions"] = texts::Called::user(user).allowed();
    body
}

/// What a card says, without anything to press, to those whom it calls; none where it is words already.
fn words_alone(body: &Value) -> Option<Value> {
    let components = body.get("components")?;
    let mut lines: Vec<String> = body["content"].as_str().map(str::to_owned).into_iter().collect();
    said(components, &mut lines);
    let content = clip(&lines.join("\n"), limits::CONTENT);
    let mut words = texts::words(content).body(0);
    words["allowed_mentions"] = body["allowed_mentions"].clone();
    Some(words)
}

/// The texts of components, then what their buttons and menus say.
fn said(components: &Value, lines: &mut Vec<String>) {
    for component in components.as_array().into_iter().flatten() {
        lines.extend(component["content"].as_str().map(str::to_owned));
        said(&component["components"], lines);
        let options = component["options"].as_array().into_iter().flatten();
        let labels = options.chain([component, &component["accessory"]]);
        let labels = labels.filter_map(|choice| choice["label"].as_str());
        lines.extend(labels.map(|label| format!("- {}", escape(label))));
    }
}

/// Whether a message is not there any more.
fn is_gone(failure: &Failure) -> bool {
    matches!(
        failure.code(),
        Some(Code::UnknownMessage | Code::UnknownChannel | Code::MissingAccess | Code::NotOurs)
    )
}
