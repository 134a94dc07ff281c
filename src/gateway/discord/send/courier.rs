//! The steps of a delivery as they are made in Discord.

use std::sync::atomic::Ordering;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::json;

use super::{
    deliver::DECIDED,
    post::{Edited, File},
    sender::{Delivered, Sender, Undelivered},
    targets::ROOT,
};
use crate::{
    chat::{
        NotFetched,
        courier::{Attempt, Courier},
        message_index::{MessageRef, Role},
        refusal::Class,
    },
    engine::Look,
    gateway::discord::{
        api::{Code, Failure},
        render::{self, Message},
        staff_thread, texts,
    },
    messages,
    model::{
        artifact::{Artifact, Offer},
        effect::{CauseKind, Recipient},
        posted::Reader,
        session::PersonId,
        ui::Offered,
        wait::{Wait, WaitStatus},
    },
    session::State,
};

/// The number of the part that offers a copy where the words about it arrived without their buttons.
const COPY_OFFERED: u8 = 52;

/// Until Discord takes the thread of a conversation that is over from the list, in minutes.
const CLOSED_AFTER: u32 = 1_440;

#[async_trait]
impl Courier for Sender<'_> {
    type Failure = Failure;
    type Message = Message;

    fn attempt(&self) -> Attempt<'_> {
        let app = self.app;
        Attempt {
            effect: self.effect,
            trail: &self.trail,
            engine: app.engine(),
            index: &app.threads,
            post_log: &app.post_log,
            work_indicators: &app.work_indicators,
            afterwards: &app.afterwards,
        }
    }

    fn class_of(&self, failure: &Failure) -> Class {
        failure.class()
    }

    fn why(&self, failure: &Failure) -> String {
        failure.in_words()
    }

    fn class_in_the_end(&self, failure: &Failure) -> (Class, String) {
        let class = match failure.class() {
            // There is no other place left.
            Class::PlaceGone | Class::PlaceClosed => Class::Blocked(CauseKind::ChannelUnavailable),
            class => class,
        };
        (class, failure.to_string())
    }

    fn out_of_reach(&self, failure: &Failure) -> Option<&'static str> {
        match failure.class() {
            Class::PersonUnreachable(why) => Some(why),
            _ => failure.code().and_then(out_of_reach),
        }
    }

    fn reader(&self) -> Reader {
        self.reader.get().cloned().unwrap_or_else(|| self.effect.to.reader())
    }

    fn channel(&self, alias: &str) -> Option<String> {
        self.configured().discord_channels().get(alias).cloned()
    }

    async fn direct_channel(&self, user: &str) -> Delivered<String> {
        Ok(self.app.api.open_direct(user).await?)
    }

    async fn post_head(&self, channel: &str, look: &Look) -> Delivered<MessageRef> {
        let head = staff_thread::root(look, self.app.hears_staff());
        let posted = self.post(channel, &head, ROOT).await?;
        posted.ok_or_else(|| Undelivered::Never("the thread was deleted".to_owned()))
    }

    async fn takes_replies(&self, at: &MessageRef, role: Role) -> Delivered<bool> {
        let look = self.look().await?;
        let person = look.state.person_in_words();
        let name = match role {
            Role::Staff => format!("{person} · {}", look.flow.flow.title),
            Role::Request(_) | Role::Conversation => person,
        };
        self.thread_at(at, &name).await
    }

    async fn belongs(&self, at: &MessageRef, role: Role) -> Delivered<()> {
        Ok(self.app.rooms.belongs(self.effect.session, &at.message, role).await?)
    }

    async fn must_be_shown(&self, wait: &Wait) -> Delivered<bool> {
        Ok(!self.is_known(wait).await?)
    }

    async fn draw(&self, wait: &Wait) -> Delivered<Message> {
        Ok(render::card(wait, &self.cx(wait).await?))
    }

    async fn post_card(&self, message: &Message) -> Delivered<Option<MessageRef>> {
        let Some(channel) = self.card_channel().await? else {
            return self.post_to_room(message, 0, None).await;
        };
        let mut body = message.body();
        if let Some((_, called)) = self.called() {
            body = body.calling(called);
        }
        self.send(&channel, body, 0, None).await
    }

    async fn edit_card(&self, at: &MessageRef, message: &Message) -> Delivered<bool> {
        Ok(self.edit(at, message).await? == Edited::Done)
    }

    /// Roles may have been given since it was drawn.
    async fn card_was_edited(
        &self,
        wait: &Wait,
        at: &[MessageRef],
        message: &Message,
    ) -> Delivered<()> {
        if wait.status.is_pending() {
            return Ok(());
        }
        let now = self.draw(wait).await?;
        for at in at.iter().filter(|_| now != *message) {
            self.edit(at, &now).await?;
        }
        Ok(())
    }

    async fn earlier_card(&self, wait: &Wait) -> Delivered<Option<MessageRef>> {
        if !self.was_tried {
            return Ok(None);
        }
        let channel = match self.card_channel().await? {
            Some(channel) => Some(channel),
            None => self.app.rooms.known(self.effect.session).await?,
        };
        let Some(channel) = channel else { return Ok(None) };
        // Its controls are what it is known by.
        let open = Wait { status: WaitStatus::Pending, ..wait.clone() };
        let card = render::card(&open, &self.cx(&open).await?);
        self.look_for(&channel, &card.body(), None).await
    }

    async fn post_decision(
        &self,
        card: MessageRef,
        decided: &str,
        (by, by_name): (&PersonId, &str),
    ) -> Delivered<Option<MessageRef>> {
        let line = texts::decided(decided, by, by_name);
        match self.post(&card.message, &line, DECIDED).await {
            // The card has no thread, or not any more.
            Err(Undelivered::Call(Failure::Refused { .. })) => Ok(None),
            posted => posted,
        }
    }

    async fn say(
        &self,
        text: &str,
        offers: &[Offered],
        about: Option<&State>,
    ) -> Delivered<Option<String>> {
        self.post_words(text, offers, about).await
    }

    fn words(&self, text: &str) -> Vec<Message> {
        render::post(text)
    }

    fn as_written(&self, text: &str) -> Vec<Message> {
        texts::plain(text)
    }

    async fn post_all(&self, messages: &[Message]) -> Delivered<Option<String>> {
        if self.effect.to != Recipient::Participant {
            return self.post_in(&self.target().await?.channel, messages).await;
        }
        let mut first = None;
        for (part, message) in (0_u8..).zip(messages) {
            let spot = self.post_to_room(message, part, None).await?;
            first = first.or_else(|| spot.map(|spot| spot.name()));
        }
        Ok(first)
    }

    /// Each card says how far the conversation is. The message of its own that earlier versions posted stays true.
    async fn draw_progress(&self, text: &str) -> Message {
        texts::progress(text)
    }

    async fn export(&self, closing: Option<&str>) -> Delivered<Option<String>> {
        let session = self.effect.session;
        let message = match closing {
            Some(text) => {
                let message_access = self.app.message_access(session, &self.effect.place).await;
                texts::closing(&message_access.adapt(text).0, session)
            }
            None => texts::copy_offered(session),
        };
        let posted = self.post_all(&[message]).await?;
        if self.is_plainer.load(Ordering::Relaxed) {
            // The words have arrived without the buttons that they are about.
            self.post_to_room(&texts::copy_offered(session), COPY_OFFERED, None).await?;
        }
        let look = self.look().await?;
        if look.state.status.is_over()
            && self.app.rooms.is_thread(self.effect.session, &self.effect.place).await
            && let Some(room) = self.app.rooms.known(self.effect.session).await?
        {
            // The thread leaves the list after a day and stays readable; writing in it brings it back.
            let closing = json!({ "auto_archive_duration": CLOSED_AFTER });
            let why = "the conversation is over";
            // Told in the log by the call; the thread only stays in the list for longer.
            _ = self.app.api.change_channel(&room, closing, Some(why)).await;
        }
        Ok(posted)
    }

    fn link(&self, text: &str, label: &str, url: &str) -> Delivered<Vec<Message>> {
        let mut messages = render::post(text);
        // Words and buttons do not go into one message: what stands in no notification stands by itself.
        messages.push(texts::link(label, url).unwrap_or_else(|| texts::words(url.to_owned())));
        Ok(messages)
    }

    /// A file carries the id of its effect in its name: where an attempt may have happened that Discord remembers no
    /// more, it is looked for by that before it is sent again.
    async fn hand_file(
        &self,
        file: &Artifact,
        text: &str,
        bytes: Vec<u8>,
    ) -> Delivered<Option<String>> {
        let said = render::post(text).into_iter().next();
        let said = said.unwrap_or_else(|| texts::words(file.filename.clone()));
        let name = self.effect.file_name(&file.filename);
        let file = File { name: &name, bytes: &bytes };
        Ok(self.post_to_room(&said, 0, Some(file)).await?.map(|spot| spot.name()))
    }

    async fn add_roles(&self, roles: &[String]) -> Delivered<()> {
        self.give_roles(roles).await
    }

    async fn fetch_file(&self, file: &Offer) -> Result<Vec<u8>, NotFetched> {
        self.app.files.fetch(file).await
    }

    fn fetch_again(&self) -> TimeDelta {
        TimeDelta::seconds(5)
    }
}

/// Why nothing will reach a conversation any more, in words, where that is what Discord says.
const fn out_of_reach(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::UnknownChannel | Code::UnknownGuild => messages::staff::CHANNEL_GONE,
        Code::MissingAccess | Code::MissingPermissions => messages::staff::MAY_NOT_WRITE,
        Code::Locked => messages::staff::THREAD_LOCKED,
        _ => return None,
    })
}
