//! The steps of a delivery as they are made in Slack.

use std::sync::{Arc, atomic::Ordering};

use async_trait::async_trait;
use reqwest::Url;
use serde_json::json;

use super::{DECIDED, Delivered, Sender, Target, Undelivered, targets::ROOT};
use crate::{
    chat::{
        NotFetched,
        courier::{Attempt, Courier},
        message_index::{MessageRef, Role},
        refusal::Class,
    },
    engine::Look,
    gateway::slack::{
        agent::Agent,
        api::{Failure, Method, refusals},
        inviter, people,
        render::{self, Message},
        staff_thread, texts,
    },
    model::{
        artifact::{Artifact, Offer},
        effect::{CauseKind, Recipient},
        posted::Item,
        session::PersonId,
        ui::Offered,
        wait::Wait,
    },
    session::{Responder, State},
};

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
        match failure.code() {
            Some(code) => format!("Slack says: {}", code.replace('_', " ")),
            None => failure.to_string(),
        }
    }

    fn class_in_the_end(&self, failure: &Failure) -> (Class, String) {
        (self.class_without_other_place(failure), self.why(failure))
    }

    fn out_of_reach(&self, failure: &Failure) -> Option<&'static str> {
        match self.class(failure) {
            Class::PersonUnreachable(why) => Some(why),
            Class::Blocked(CauseKind::ChannelUnavailable) => {
                Some(refusals::unavailable(failure.code().unwrap_or_default()))
            }
            _ => None,
        }
    }

    async fn lost(&self, why: &'static str) {
        let pausing = self.attempt().pause(why);
        let (app, effect) = (Arc::clone(self.app), self.effect.clone());
        let is_direct = people::is_direct(&effect.place);
        if is_direct {
            inviter::keep(&app, effect.session).await;
        }
        self.app.afterwards.spawn(async move {
            _ = pausing.await;
            if is_direct {
                inviter::tell(&app, &effect.place, effect.session).await;
            }
        });
    }

    fn channel(&self, alias: &str) -> Option<String> {
        self.configured().slack_channels().get(alias).cloned()
    }

    async fn direct_channel(&self, user: &str) -> Delivered<String> {
        Ok(self.direct(user).await?)
    }

    async fn post_head(&self, channel: &str, look: &Look) -> Delivered<MessageRef> {
        let head = staff_thread::root(look);
        let at = self.post(&Target::new(channel.to_owned(), None), &head, ROOT).await?;
        self.looks(&at, &head);
        Ok(at)
    }

    async fn takes_replies(&self, at: &MessageRef, _role: Role) -> Delivered<bool> {
        Ok(self.closed.as_ref() != Some(at))
    }

    async fn has_asked(&self, at: &MessageRef) -> Delivered<()> {
        self.rooted(&self.card_target().await?, at).await
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
            self.leave_message(at, target.thread.is_none());
        }
        Ok(found)
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
        about: Option<&State>,
    ) -> Delivered<Option<String>> {
        if self.effect.to == Recipient::Participant && offers.is_empty() {
            let written = self.app.agent.finish(self.effect, text).await?;
            for at in &written {
                self.leave_behind(Item::Message { at: at.clone() });
            }
            if let Some(last) = written.into_iter().last() {
                return Ok(Some(last));
            }
        }
        let is_models = self.is_of_model().await?;
        let mut messages = if is_models { Agent::answer(text) } else { render::post(text) };
        if messages.is_empty() {
            return Ok(None);
        }
        if let Some(last) = messages.last_mut() {
            last.blocks.extend(texts::offered(offers, self.effect.session));
            last.blocks.extend(about.map(texts::about).unwrap_or_default());
        }
        let target = self.target().await?;
        if let Recipient::Channel { alias } = &self.effect.to
            && target.is_about_request
        {
            let groups = self.configured().approvers().get(alias);
            messages.extend(groups.and_then(texts::called));
        }
        self.post_to(target, &messages).await
    }

    fn words(&self, text: &str) -> Vec<Message> {
        render::post(text)
    }

    fn as_written(&self, text: &str) -> Vec<Message> {
        texts::plain(text)
    }

    async fn post_all(&self, messages: &[Message]) -> Delivered<Option<String>> {
        self.post_to(self.target().await?, messages).await
    }

    async fn draw_progress(&self, text: &str) -> Message {
        texts::progress(&self.newest_progress(text).await, self.effect.session)
    }

    async fn post_progress(&self, message: &Message) -> Delivered<Option<MessageRef>> {
        let target = self.conversation().await?;
        let at = self.post(&target, message, 0).await?;
        self.looks(&at, message);
        self.rooted(&target, &at).await?;
        Ok(Some(at))
    }

    async fn export(&self, closing: Option<&str>) -> Delivered<Option<String>> {
        let session = self.effect.session;
        let mut messages = closing.map(render::post).unwrap_or_default();
        match messages.last_mut() {
            Some(last) => last.blocks.extend(texts::copy_buttons(session)),
            None => messages.push(texts::copy_offered(session)),
        }
        let target = self.target().await?;
        let first = self.post_to(target.clone(), &messages).await?;
        if self.is_plainer.load(Ordering::Relaxed) {
            // The words have arrived without the buttons that they are about.
            self.post(&target, &texts::copy_offered(session), messages.len()).await?;
        }
        Ok(first)
    }

    fn link(&self, text: &str, label: &str, url: &str) -> Delivered<Vec<Message>> {
        let mut messages = render::post(text);
        let page = Url::parse(url);
        let page = page.map_err(|_| Undelivered::Never("a link that is none".to_owned()))?;
        if let Some(last) = messages.last_mut() {
            last.blocks.extend(texts::link(label, page));
        }
        Ok(messages)
    }

    async fn hand_file(
        &self,
        file: &Artifact,
        text: &str,
        bytes: Vec<u8>,
    ) -> Delivered<Option<String>> {
        let mut target = self.conversation().await?;
        if target.thread.is_none() {
            // A file is no root: nothing can be asked under it.
            let said = render::post(text);
            let Some(first) = said.first() else { return Err(Undelivered::Later) };
            let spot = self.post(&target, first, 0).await?;
            self.rooted(&target, &spot).await?;
            target = Target::new(spot.channel, Some(spot.message));
            self.send_file(&target, (file, ""), bytes).await?;
            return Ok(None);
        }
        // The first attempt of what began the conversation has said it.
        let was_said = self.may_be_there && {
            let root = Target::new(target.channel.clone(), None);
            self.look_for(&root, &self.delivery(0)).await?.is_some()
        };
        let text = if was_said { "" } else { text };
        self.send_file(&target, (file, text), bytes).await?;
        Ok(None)
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

    async fn sender_of_files(&self, by: &PersonId) -> Delivered<Responder> {
        let head = self.look().await?.loaded.head;
        // A process that has just begun knows nobody's name.
        Ok(match head.name.filter(|_| head.participant == *by) {
            Some(name) => Responder::without_rights(by.clone(), name),
            None => self.app.people.known(self.team(), &by.user).await,
        })
    }
}
