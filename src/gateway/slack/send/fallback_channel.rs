//! A participant who cannot be written to directly: a private channel of the flow takes the conversation, where there is
//! one that both are in.

use serde_json::json;

use super::{Delivered, Sender, targets::Target};
use crate::{
    chat::{
        courier::Courier as _,
        message_index::{Mark, MessageRef, Role},
    },
    gateway::slack::{
        api::{Failure, Method},
        people::is_direct,
        texts,
    },
    model::effect::Recipient,
};

/// The number of the part that begins the conversation in a channel.
const MOVED: usize = 1_002;

/// Members of a channel that are asked for at once, and pages that are asked for.
const MEMBERS: (u32, usize) = (1_000, 10);

impl Sender<'_> {
    /// Begins the conversation in the flow's private channel, where the person cannot be written to directly; false where
    /// no channel will do. A repeat after a crash finds what was posted.
    pub(super) async fn move_on(&self) -> Delivered<bool> {
        let is_theirs = self.effect.to == Recipient::Participant && is_direct(&self.effect.place);
        if is_theirs { self.begin_elsewhere().await } else { Ok(false) }
    }

    /// Whether a message stands where the conversation is no more.
    pub(super) async fn is_left(&self, spot: &MessageRef) -> Delivered<bool> {
        let root = self.app.threads.marked(self.effect.session, Mark::Root).await?;
        let is_here = |root: MessageRef| root.channel == spot.channel;
        Ok(self.effect.to == Recipient::Participant
            && is_direct(&self.effect.place)
            && !root.is_none_or(is_here))
    }

    async fn begin_elsewhere(&self) -> Delivered<bool> {
        let session = self.effect.session;
        let root = self.app.threads.marked(session, Mark::Root).await?;
        // It stands in a channel already, which does not take it either.
        if root.is_some_and(|root| !root.channel.starts_with('D')) {
            return Ok(false);
        }
        let Some(channel) = self.private_channel().await? else { return Ok(false) };
        let words = texts::moved_here(&self.effect.place.channel);
        let target = Target::new(channel, None);
        let spot = self.post(&target, &words, MOVED).await?;
        self.app.threads.belongs(session, (self.team(), &spot), Role::Conversation).await?;
        self.app.threads.mark(session, Mark::Root, &spot).await?;
        tracing::info!(session.id = %session, "a conversation goes on in a private channel");
        Ok(true)
    }

    /// The channel that the flow names, if it is private and the person is in it.
    async fn private_channel(&self) -> Delivered<Option<String>> {
        let Some(look) = self.look_unless_erased().await? else { return Ok(None) };
        let alias = look.flow.flow.start.slack.as_ref().and_then(|start| start.parent.as_deref());
        let Some(channel) = alias.and_then(|alias| self.channel(alias)) else {
            return Ok(None);
        };
        let asked = self.call(Method::ConversationInfo, &json!({ "channel": channel })).await;
        let is_private = match asked {
            Ok(answer) => answer["channel"]["is_private"] == true,
            Err(Failure::Refused { .. }) => false,
            Err(failure) => return Err(failure.into()),
        };
        let is_in = is_private && self.is_member(&channel, &self.effect.place.channel).await?;
        Ok(is_in.then_some(channel))
    }

    async fn is_member(&self, channel: &str, user: &str) -> Delivered<bool> {
        let (limit, pages) = MEMBERS;
        let mut cursor = String::new();
        for _ in 0..pages {
            let mut asked = json!({ "channel": channel, "limit": limit });
            if !cursor.is_empty() {
                asked["cursor"] = json!(cursor);
            }
            let answer = match self.call(Method::ConversationMembers, &asked).await {
                Err(Failure::Refused { .. }) => return Ok(false),
                answer => answer?,
            };
            let mut members = answer["members"].as_array().into_iter().flatten();
            if members.any(|member| member == user) {
                return Ok(true);
            }
            let next = answer["response_metadata"]["next_cursor"].as_str();
            next.unwrap_or_default().clone_into(&mut cursor);
            if cursor.is_empty() {
                break;
            }
        }
        Ok(false)
    }
}
