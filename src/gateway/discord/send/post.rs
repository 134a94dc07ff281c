//! A message posted or edited, once.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::{
    nonce as name_of,
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    chat::{courier::Courier as _, message_index::MessageRef, refusal::Class},
    gateway::discord::{
        api::{Code, Failure},
        greeting::greeting,
        limits,
        render::{
            Message,
            body::{Body, Called},
            component::Component,
            text::{clip, escape},
        },
        texts,
    },
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
    /// Messages that belong together, in order; one that is there already is not posted again.
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
            return self.send(room, message.body(), part, file).await;
        }
        let user = &self.look().await?.state.participant.user;
        let body = if let Some(greeting) = message.greeting(user) {
            greeting.body().calling(Called::user(user))
        } else {
            let greeting = texts::words(greeting(user)).body().calling(Called::user(user));
            self.send(room, greeting, GREETING, None).await?;
            message.body()
        };
        let posted = self.send(room, body, part, file).await?;
        if posted.is_some() {
            rooms.participant_called(session, room).await?;
        }
        Ok(posted)
    }

    /// Posts a part of the effect, unless it is there already; `None` if it was and somebody took it away.
    pub(super) async fn post(
        &self,
        channel: &str,
        message: &Message,
        part: u8,
    ) -> Delivered<Option<MessageRef>> {
        self.send(channel, message.body(), part, None).await
    }

    pub(super) async fn send(
        &self,
        channel: &str,
        body: Body,
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
        body: Body,
        file: Option<File<'_>>,
    ) -> Result<String, Failure> {
        let Self { app, effect, .. } = self;
        let was_doubted = app.possible_duplicates.begin(effect.id);
        let posted = match file {
            Some(File { name, bytes }) => {
                app.api.post_file(channel, nonce, body.json(), (name, bytes.to_vec())).await
            }
            None => match self.referring(channel, nonce, &body) {
                Some(referring) => match app.api.post(channel, nonce, referring.json()).await {
                    Err(failure) if failure.is(Code::NoHistory) => {
                        app.api.post(channel, nonce, body.json()).await
                    }
                    posted => posted,
                },
                None => app.api.post(channel, nonce, body.json()).await,
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

    /// A body that refers to the message which it answers, where it is the first part and that message stands there.
    fn referring(&self, channel: &str, nonce: &str, body: &Body) -> Option<Body> {
        let answers = self.answers.get().filter(|spot| spot.channel == channel)?;
        (nonce == name_of(self.effect.id, 0)).then(|| body.clone().answering(&answers.message))
    }

    pub(super) async fn edit(&self, spot: &MessageRef, message: &Message) -> Delivered<Edited> {
        let (body, digest) = (message.body(), message.digest());
        // The answer to a press may draw it first.
        self.app.render_cache.settled(&spot.name()).await;
        // An edit that changes nothing still shows as one.
        if self.app.render_cache.is(&spot.name(), &digest) {
            return Ok(Edited::Done);
        }
        let edited = match self.app.api.edit(&spot.channel, &spot.message, body.json()).await {
            Err(failure) if failure.is(Code::Archived) => {
                match self.app.api.unarchive(&spot.channel).await {
                    Ok(()) => self.app.api.edit(&spot.channel, &spot.message, body.json()).await,
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
                self.app.api.edit(&spot.channel, &spot.message, words.json()).await
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

/// What a card says, without anything to press, to those whom it calls; `None` if it is words already.
fn words_alone(body: &Body) -> Option<Body> {
    let (words, components) = body.parts();
    if components.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = words.map(str::to_owned).into_iter().collect();
    for component in components {
        said(component, &mut lines);
    }
    let words = texts::words(clip(&lines.join("\n"), limits::CONTENT));
    Some(body.instead(words.body()))
}

/// The texts of a component, then what its buttons and menus say.
fn said(component: &Component, lines: &mut Vec<String>) {
    match component {
        Component::TextDisplay(text) => lines.push(text.content.clone()),
        Component::Container(container) => {
            container.components.iter().for_each(|part| said(part, lines));
        }
        Component::Section(section) => {
            section.components.iter().for_each(|part| said(part, lines));
            said(&section.accessory, lines);
        }
        Component::Button(button) => labels(&json!(button), lines),
        Component::ActionRow(row) => labels(&json!(row), lines),
        _ => {}
    }
}

/// What buttons and menus say. They are serenity's, which can be read as JSON alone.
fn labels(control: &Value, lines: &mut Vec<String>) {
    lines.extend(control["label"].as_str().map(|label| format!("- {}", escape(label))));
    for key in ["components", "options"] {
        let within = control[key].as_array().into_iter().flatten();
        within.for_each(|control| labels(control, lines));
    }
}

/// Whether a message is not there any more.
fn is_gone(failure: &Failure) -> bool {
    matches!(
        failure.code(),
        Some(Code::UnknownMessage | Code::UnknownChannel | Code::MissingAccess | Code::NotOurs)
    )
}

#[cfg(test)]
mod tests {
    use serenity::builder::{
        CreateActionRow, CreateSelectMenu, CreateSelectMenuKind, CreateSelectMenuOption,
    };

    use super::*;
    use crate::gateway::discord::render::{
        OPEN,
        components::{button, rows, section, text},
    };

    #[test]
    fn words_alone_say_what_could_be_pressed_and_call_the_same_people() {
        let options = vec![CreateSelectMenuOption::new("a_b", "0")];
        let menu = CreateSelectMenu::new("m", CreateSelectMenuKind::String { options });
        let mut components = vec![text("Which?"), section("One.", button("s".into(), "Start"))];
        components.extend(rows([button("x".into(), "Yes"), button("y".into(), "No")]));
        components.push(Component::ActionRow(CreateActionRow::SelectMenu(menu)));
        let card = Message::card(components, OPEN).body().calling(Called::user("7"));
        let words = texts::words("Which?\nOne.\n- Start\n- Yes\n- No\n- a\\_b").body();
        assert_eq!(words_alone(&card), Some(words.clone().calling(Called::user("7"))));
        assert_eq!(words_alone(&words), None);
    }
}
