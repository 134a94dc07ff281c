//! The steps of a delivery as they are made in Slack.

use async_trait::async_trait;
use serde_json::json;

use super::{DECIDED, Delivered, Sender, Target};
use crate::{
    chat::{
        NotFetched, WorkIndicators,
        delivery::Courier,
        message_index::{MessageIndex, MessageRef},
    },
    engine::Engine,
    gateway::slack::{
        api::{Failure, Method},
        render::{self, Message},
        texts,
    },
    messages,
    model::{
        artifact::Offer,
        effect::{Effect, Handout, Recipient},
        session::PersonId,
        ui::Offered,
        wait::Wait,
    },
    session::Responder,
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
        Ok(match &self.effect.to {
            Recipient::Channel { alias } => Some(self.channel_of(alias)?),
            Recipient::Person { user } => Some(self.direct(user).await?),
            Recipient::Participant | Recipient::Webhook { .. } => None,
        })
    }

    async fn draw(&self, wait: &Wait) -> Delivered<Message> {
        Ok(render::card(wait, &self.cx(wait).await?))
    }

    async fn post_card(&self, message: &Message) -> Delivered<Option<MessageRef>> {
        Ok(Some(self.post(&self.card_target().await?, message, 0).await?))
    }

    async fn edit_card(&self, at: &MessageRef, message: &Message) -> Delivered<bool> {
        self.edit(at, message).await
    }

    async fn earlier_card(&self, _wait: &Wait) -> Delivered<Option<MessageRef>> {
        let target = self.card_target().await?;
        let found = self.unnoted(&target, 0).await?;
        if let Some(at) = &found {
            self.left_message(&target, at);
        }
        Ok(found)
    }

    async fn belongs(&self, wait: &Wait, at: &MessageRef) -> Delivered<()> {
        self.remember_card(wait, at).await
    }

    async fn post_decision(
        &self,
        card: MessageRef,
        decided: &str,
        (by, _): (&PersonId, &str),
    ) -> Delivered<Option<MessageRef>> {
        if self.closed.as_ref() == Some(&card) {
            // Nobody talks about it there.
            return Ok(None);
        }
        let target = Target::new(card.channel, Some(card.message));
        Ok(Some(self.post(&target, &texts::decided(decided, &by.user), DECIDED).await?))
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

    async fn erase(&self) -> Delivered<Option<String>> {
        self.tidy_up().await
    }

    async fn can_fetch(&self) -> Delivered<()> {
        if self.effect.attempts > 0 {
            // Where Slack is away, or does not know the bot, that is why.
            self.call(Method::AuthTest, &json!({})).await?;
        }
        Ok(())
    }

    async fn fetch_file(&self, file: &Offer) -> Result<Vec<u8>, NotFetched> {
        self.app.files.fetch(self.team(), file).await
    }

    async fn say_refused(&self, why: &str) -> Delivered<Option<String>> {
        self.post_all(&render::post(why)).await
    }

    async fn sender_of_files(&self, by: &PersonId) -> Delivered<Responder> {
        let head = self.app.engine().look(self.effect.session).await?.loaded.head;
        // A process that has just begun knows nobody's name.
        Ok(match head.name.filter(|_| head.participant == *by) {
            Some(name) => Responder::without_rights(by.clone(), name),
            None => self.app.people.known(self.team(), &by.user).await,
        })
    }
}
