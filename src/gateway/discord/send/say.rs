//! Words of the bot, with what stands under them.

use super::{
    deliver::DECIDED,
    sender::{Delivered, Sender},
};
use crate::{
    chat::{courier::Courier as _, message_index::MessageRef},
    engine::context_window::{answered, is_post_of_model},
    gateway::discord::{people::is_direct, render, texts},
    model::{effect::Recipient, ui::Offered},
    session::State,
};

impl Sender<'_> {
    /// Words of the bot.
    pub(super) async fn post_words(
        &self,
        text: &str,
        offers: &[Offered],
        about: Option<&State>,
    ) -> Delivered<Option<String>> {
        if self.effect.to == Recipient::Participant {
            return self.tell(text, offers).await;
        }
        let mut messages = render::post(text);
        if messages.is_empty() {
            return Ok(None);
        }
        texts::offer_under(&mut messages, offers, self.effect.session);
        if let Some(state) = about {
            texts::about_under(&mut messages, state);
        }
        let target = self.target().await?;
        if let Some(user) = self.mentioned().await? {
            return self.post_by(&user, &target.channel, &messages).await;
        }
        let first = self.post_in(&target.channel, &messages).await?;
        if let (Some((mentions, called)), true) = (self.called(), target.is_about_request) {
            let part = u8::try_from(messages.len()).unwrap_or(DECIDED - 1);
            let body = texts::words(mentions).body().calling(called);
            self.send(&target.channel, body, part, None).await?;
        }
        Ok(first)
    }

    /// Words for the participant, as they can be followed where they stand.
    async fn tell(&self, text: &str, offers: &[Offered]) -> Delivered<Option<String>> {
        let message_access = self.app.message_access(self.effect.session, &self.effect.place).await;
        let (text, commands) = message_access.adapt(text);
        let mut messages = render::post(&text);
        if messages.is_empty() {
            return Ok(None);
        }
        let more = commands.into_iter().filter(|offered| !offers.contains(offered));
        let offers: Vec<Offered> = offers.iter().copied().chain(more).collect();
        texts::offer_under(&mut messages, &offers, self.effect.session);
        let look = self.look().await?;
        let events = &look.loaded.events;
        if is_post_of_model(events, self.effect.id) {
            texts::rate_under(&mut messages, self.effect.session);
        }
        // Where others write as well, it is said which message is answered.
        let is_alone = is_direct(&self.effect.place);
        let answered = answered(events, self.effect.id).filter(|_| !is_alone);
        if let Some(message) = answered.and_then(MessageRef::parse) {
            _ = self.answers.set(message);
        }
        self.post_all(&messages).await
    }
}
