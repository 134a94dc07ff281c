//! Where an effect goes: the conversation, the staff's thread about it, a card of its own, a channel for everybody.

use serde_json::json;

use super::{
    super::{api::Code, limits, render::text::clip},
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    chat::{
        courier::Courier as _,
        message_index::MessageRef,
        team_thread::{TeamThread, team_thread},
    },
    config::Configured,
    model::{effect::Recipient, flow::PhaseEffect, posted::Reader, session::Platform},
};

/// The number of the part that begins the staff's thread.
pub(super) const ROOT: u8 = 60;

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
        if self.is_for_everybody().await? {
            self.is_read_by(Reader::Everybody(alias.clone()));
            return Ok(Target { channel: self.channel_of(alias)?, is_about_request: false });
        }
        self.is_read_by(Reader::Staff(alias.clone()));
        let TeamThread { head, is_about_request, takes_replies } = team_thread(self, alias).await?;
        // A thread has the id of its message; without one, the channel itself must do.
        let channel = if takes_replies { head.message } else { head.channel };
        Ok(Target { channel, is_about_request })
    }

    /// Whether the flow posts it for all who read the channel, and not for staff.
    async fn is_for_everybody(&self) -> Delivered<bool> {
        let Some(carries) = &self.effect.carries else { return Ok(false) };
        let look = self.look().await?;
        let phase = look.flow.phase(&carries.phase);
        let effect = phase.and_then(|phase| phase.effect.get(carries.index));
        Ok(matches!(effect, Some(PhaseEffect::DiscordPost { .. })))
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
}
