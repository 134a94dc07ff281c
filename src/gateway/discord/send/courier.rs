//! The steps of a delivery as they are made in Discord.

use async_trait::async_trait;
use chrono::TimeDelta;

use super::{
    deliver::DECIDED,
    post::Edited,
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    chat::{
        NotFetched, WorkIndicators,
        delivery::Courier,
        message_index::{MessageIndex, MessageRef},
    },
    engine::Engine,
    gateway::discord::{
        api::Failure,
        render::{self, Message},
        texts,
    },
    messages,
    model::{
        artifact::Offer,
        effect::{Effect, Handout},
        session::PersonId,
        ui::Offered,
        wait::Wait,
    },
};

#[async_trait]
impl Courier for Sender<'_> {
    type Failure = Failure;
    type Message = Message;

    fn effect(&self) -> &Effect {
        self.effect
    }

    fn engine(&self) -> &Engine {
        self.app.engine()
    }

    fn index(&self) -> &MessageIndex {
        &self.app.threads
    }

    fn work_indicators(&self) -> &WorkIndicators {
        &self.app.work_indicators
    }

    fn channel(&self, alias: &str) -> Delivered<String> {
        self.channel_of(alias)
    }

    async fn card_channel(&self) -> Delivered<Option<String>> {
        self.channel_of_card().await
    }

    async fn must_be_shown(&self, wait: &Wait) -> Delivered<bool> {
        Ok(!self.is_known(wait).await?)
    }

    async fn draw(&self, wait: &Wait) -> Delivered<Message> {
        Ok(render::card(wait, &self.cx(wait).await?))
    }

    async fn post_card(&self, message: &Message) -> Delivered<Option<MessageRef>> {
        let Some(channel) = self.channel_of_card().await? else {
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
        self.unnoted(wait).await
    }

    async fn belongs(&self, wait: &Wait, at: &MessageRef) -> Delivered<()> {
        self.remember_card(wait, at).await
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
        transcript: bool,
    ) -> Delivered<Option<String>> {
        self.post_words(text, offers, transcript).await
    }

    async fn relay(&self, name: &str, text: &str) -> Delivered<Option<String>> {
        self.post_all(&texts::plain(&messages::notices::relayed(name, text))).await
    }

    async fn progress(&self, text: &str) -> Delivered<Option<String>> {
        self.show_progress(text).await
    }

    async fn export(&self, closing: Option<&str>) -> Delivered<Option<String>> {
        self.offer_copy(closing).await
    }

    async fn hand(&self, what: &Handout, text: &str) -> Delivered<Option<String>> {
        self.hand_over(what, text).await
    }

    async fn add_roles(&self, roles: &[String]) -> Delivered<()> {
        self.give_roles(roles).await
    }

    async fn erase(&self) -> Delivered<Option<String>> {
        self.tidy_up().await
    }

    async fn fetch_file(&self, file: &Offer) -> Result<Vec<u8>, NotFetched> {
        self.app.files.fetch(file).await
    }

    fn fetch_again(&self) -> TimeDelta {
        TimeDelta::seconds(5)
    }

    async fn say_refused(&self, why: &str) -> Delivered<Option<String>> {
        self.post_all(&render::post(why)).await
    }
}
