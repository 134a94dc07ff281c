//! Where an effect goes: the conversation, the staff's thread about it, a card of its own, a channel for everybody.

use serde_json::json;

use super::{
    super::{api::Code, limits, render::text::clip, staff_thread},
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    chat::{
        card_lookup,
        message_index::{Mark, MessageRef, Role},
    },
    config::Configured,
    engine::Look,
    model::{effect::Recipient, flow::PhaseEffect, posted::Reader, session::Platform},
};

/// The number of the part that begins the staff's thread.
const ROOT: u8 = 60;

/// Until Discord hides a thread in which nobody writes, in minutes.
const ARCHIVED_AFTER: u32 = 10_080;

/// Where a message goes.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// A channel or a thread.
    pub(super) channel: String,
    /// It is the thread under a request that is open.
    pub(super) is_about_request: bool,
}

impl Sender<'_> {
    /// Where an effect goes that is not for the participant.
    pub(super) async fn target(&self) -> Delivered<Target> {
        let alias = match &self.effect.to {
            Recipient::Channel { alias } => alias,
            Recipient::Person { user } => {
                let channel = self.app.api.open_direct(user).await?;
                return Ok(Target { channel, is_about_request: false });
            }
            Recipient::Participant | Recipient::Webhook { .. } => {
                return Err(Undelivered::NotApplicable);
            }
        };
        let channel = self.channel_of(alias)?;
        let look = self.look().await?;
        if self.is_for_everybody(&look) {
            self.is_read_by(Reader::Everybody(alias.clone()));
            return Ok(Target { channel, is_about_request: false });
        }
        self.staff_thread(alias, channel, &look).await
    }

    /// Whether the flow posts it for all who read the channel, and not for staff.
    fn is_for_everybody(&self, look: &Look) -> bool {
        let Some(carries) = &self.effect.carries else { return false };
        let phase = look.flow.phase(&carries.phase);
        let effect = phase.and_then(|phase| phase.effect.get(carries.index));
        matches!(effect, Some(PhaseEffect::DiscordPost { .. }))
    }

    /// The thread that staff read about the session in a channel; begun where there is none.
    pub(super) async fn staff_thread(
        &self,
        alias: &str,
        channel: String,
        look: &Look,
    ) -> Delivered<Target> {
        self.is_read_by(Reader::Staff(alias.to_owned()));
        let session = self.effect.session;
        let card = if self.effect.is_of_hand_over() {
            None
        } else {
            card_lookup::open_request(&*self.app.store, &look.state, alias, &channel).await?
        };
        if let Some(card) = card
            && self.thread_at(&card, &look.state.person_in_words()).await?
        {
            return Ok(Target { channel: card.message, is_about_request: true });
        }
        let mark = Mark::Staff(&channel);
        let root = match self.app.threads.marked(session, mark).await? {
            Some(root) => root,
            None => {
                match self
                    .post(&channel, &staff_thread::root(look, self.app.hears_staff()), ROOT)
                    .await?
                {
                    Some(root) => root,
                    None => return Err(Undelivered::Never("the thread was deleted".to_owned())),
                }
            }
        };
        let name = format!("{} · {}", look.state.person_in_words(), look.flow.flow.title);
        let has_thread = self.thread_at(&root, &name).await?;
        self.app.rooms.belongs(session, &root.message, Role::Staff).await?;
        self.app.threads.mark(session, mark, &root).await?;
        // A thread has the id of its message; without one, the channel itself must do.
        let channel = if has_thread { root.message } else { channel };
        Ok(Target { channel, is_about_request: false })
    }

    /// Begins the thread of a message; whether there is one now. Where the bot may not, the message stays without.
    pub(super) async fn thread_at(&self, spot: &MessageRef, name: &str) -> Delivered<bool> {
        let name = clip(name, limits::THREAD_NAME);
        let body = json!({ "name": name, "auto_archive_duration": ARCHIVED_AFTER });
        match self.app.api.begin_thread_at(&spot.channel, &spot.message, body).await {
            Ok(_) => Ok(true),
            Err(failure) if failure.is(Code::HasThread) => Ok(true),
            Err(failure) if failure.code().is_some() => Ok(false),
            Err(failure) => Err(failure.into()),
        }
    }

    /// What is set up for the server of the conversation.
    pub(super) fn configured(&self) -> Configured<'_> {
        self.app.settings.of(Platform::Discord, &self.effect.place.workspace)
    }

    pub(super) fn channel_of(&self, alias: &str) -> Delivered<String> {
        let channel = self.configured().discord_channels().get(alias);
        channel.cloned().ok_or_else(|| {
            Undelivered::Never(format!("no channel is configured for the alias `{alias}`"))
        })
    }
}
