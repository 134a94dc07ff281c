//! Messages that are drawn again after something was done with them.

use std::sync::Arc;

use crate::{
    chat::message_index::MessageRef,
    gateway::discord::{inbound::Incoming, render::Message as Post, send, update::UpdateContext},
    model::{effect::Rendering, wait::Wait},
};

impl UpdateContext<'_> {
    /// Draws a card again that somebody pressed after it was closed.
    pub(super) fn redraw(&self, wait: &Wait, shown: Vec<Rendering>) {
        if shown.is_empty() {
            return;
        }
        let (app, wait) = (Arc::clone(self.app), wait.clone());
        self.app.afterwards.spawn(async move { send::redraw(&app, &wait, &shown).await });
    }

    /// What would have been the answer, as an edit of the message: an interaction that is late has no answer any more.
    pub(super) fn draw_late(&self, message: Option<MessageRef>, card: Post) {
        let Some(spot) = message else { return };
        let app = Arc::clone(self.app);
        self.app.afterwards.spawn(async move {
            app.render_cache.forget(&spot.name());
            // Told in the log by the call; the card is drawn again with the next thing that happens to it.
            _ = app.api.edit(&spot.channel, &spot.message, card.body().json()).await;
        });
    }
}

/// The message that something was done with, where all see it.
pub(super) fn message_of(what: &Incoming) -> Option<MessageRef> {
    let (channel, message) = match what {
        Incoming::Action(action) if !action.is_ephemeral => {
            (action.at.channel.clone(), action.message.clone())
        }
        Incoming::Submitted(sent) if !sent.is_ephemeral => {
            (sent.at.channel.clone(), sent.message.clone()?)
        }
        _ => return None,
    };
    Some(MessageRef { channel, message })
}
