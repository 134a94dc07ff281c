//! What people are told beside the conversation's own messages.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{ReplyTarget, UpdateContext};
use crate::{
    base::ids::EffectId,
    chat::message_index::MessageRef,
    gateway::discord::{
        api::Code,
        inbound::{Ack, Incoming},
        render::Message as Post,
        send, texts,
    },
    model::{effect::Rendering, wait::Wait},
};

/// How often it is looked whether the first answer has arrived that is to be changed, and the pause between.
const LATER_ATTEMPTS: u32 = 20;
const LATER_PAUSE: Duration = Duration::from_millis(150);

impl UpdateContext<'_> {
    /// Shows something to them alone where they wait for an answer, otherwise where they wrote; there, once, however often
    /// the event is delivered.
    pub(in crate::gateway::discord) fn show(&self, reply_target: &ReplyTarget, post: Post) -> Ack {
        if self.ticket.is_some() {
            return Ack::Say(post);
        }
        let body = post.body(0);
        self.post_once(format!("{} {body}", self.key), reply_target, body)
    }

    /// Greets somebody where there is no conversation; once, however often the event is delivered.
    pub(in crate::gateway::discord) fn greet(&self, reply_target: &ReplyTarget, post: Post) -> Ack {
        if self.ticket.is_some() {
            return Ack::Say(post);
        }
        self.post_once(self.key.clone(), reply_target, post.body(0))
    }

    fn post_once(&self, key: String, reply_target: &ReplyTarget, body: Value) -> Ack {
        let (app, channel) = (Arc::clone(self.app), reply_target.channel.clone());
        let nonce = send::nonce(EffectId::mint(app.ids.as_ref()), 0);
        self.app.afterwards.spawn(async move {
            // A failure is told in the log by the call.
            let posting = async { app.api.post(&channel, &nonce, body).await.is_ok() };
            app.deduplicator.say(&key, posting).await;
        });
        Ack::Nothing
    }

    /// Changes the answer that was put off.
    pub(in crate::gateway::discord) fn say_later<F>(&self, text: F) -> Ack
    where
        F: Future<Output = String> + Send + 'static,
    {
        let Some(ticket) = self.ticket.clone() else { return Ack::Nothing };
        let app = Arc::clone(self.app);
        self.app.afterwards.spawn(async move {
            let body = texts::words(text.await).body(0);
            for _ in 0..LATER_ATTEMPTS {
                match app.api.edit_answer(&ticket, body.clone()).await {
                    // The first answer is still on its way.
                    Err(failure) if failure.is(Code::UnknownWebhook) => {
                        tokio::time::sleep(LATER_PAUSE).await;
                    }
                    // Told in the log by the call.
                    Ok(()) | Err(_) => return,
                }
            }
        });
        Ack::Later
    }

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
            _ = app.api.edit(&spot.channel, &spot.message, card.body(0)).await;
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
