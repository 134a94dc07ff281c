//! What a delivery leaves in Slack, for the session's log of posts.

use super::{Sender, targets::Target};
use crate::{
    chat::message_index::MessageRef,
    model::{
        effect::Recipient,
        posted::{Item, Posted, Reader},
    },
};

impl Sender<'_> {
    /// A message stands there since now, or is found to. Others can write a thread under one that stands in none.
    pub(super) fn left_message(&self, target: &Target, spot: &MessageRef) {
        let at = spot.name();
        let is_reply = target.thread.is_some();
        self.left(if is_reply { Item::Message { at } } else { Item::Head { at } });
    }

    /// Something stands there since now, or is found to.
    pub(super) fn left(&self, item: Item) {
        let reader = match &self.effect.to {
            Recipient::Channel { alias } => Reader::Staff(alias.clone()),
            Recipient::Person { .. } => Reader::Staff(String::new()),
            Recipient::Participant | Recipient::Webhook { .. } => Reader::Participant,
        };
        self.trail.add(Posted { item, reader });
    }
}
