//! What comes of an effect that Slack did not take as it was: another place, a cause to wait for.

use std::sync::PoisonError;

use super::{Delivered, Sender, Target};
use crate::{
    chat::{
        courier::Courier as _,
        message_index::{Mark, MessageRef},
        refusal::Class,
        removal::{Refused, refused},
    },
    gateway::slack::{
        api::{Failure, refusals::SHUT},
        people, texts,
    },
    model::effect::{CauseKind, Recipient},
};

/// The number of the part under which a conversation goes on whose thread takes no messages any more.
const ANEW: usize = 1_003;

impl Sender<'_> {
    /// Remembers where it is tried.
    pub(super) fn tried(&self, target: &Target) {
        *self.tried.lock().unwrap_or_else(PoisonError::into_inner) = Some(target.clone());
    }

    /// What a failure means for this effect: a place that is a person is one that does not read.
    pub(super) fn class(&self, failure: &Failure) -> Class {
        let is_theirs = matches!(self.effect.to, Recipient::Participant | Recipient::Person { .. });
        match failure.class() {
            Class::Blocked(CauseKind::ChannelUnavailable) if is_theirs && self.was_direct() => SHUT,
            class => class,
        }
    }

    /// Whether it was tried in a conversation with a person, rather than in a channel.
    fn was_direct(&self) -> bool {
        let tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        match &*tried {
            Some(target) => !target.channel.starts_with(['C', 'G']),
            None => people::is_direct(&self.effect.place),
        }
    }

    /// Makes room for the effect elsewhere, after a refusal that says that it will not arrive where it was to go. None
    /// where nothing can be done, or that is not the trouble.
    pub(super) async fn go_elsewhere(&mut self, failure: &Failure) -> Option<Delivered<()>> {
        if self.is_of_erasure() || matches!(self.effect.to, Recipient::Person { .. }) {
            return None;
        }
        let moved = match self.class(failure) {
            Class::PlaceGone | Class::PlaceClosed => self.leave_thread().await,
            class if class == SHUT => self.move_on().await,
            _ => return None,
        };
        match moved {
            Ok(true) => Some(Ok(())),
            Ok(false) => None,
            Err(not_moved) => Some(Err(not_moved)),
        }
    }

    /// A thread is gone, or takes no messages any more: what stood in it goes on in another one.
    async fn leave_thread(&mut self) -> Delivered<bool> {
        let tried = self.tried.get_mut().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(Target { channel, thread: Some(message), .. }) = tried else { return Ok(false) };
        if self.is_newer(&message) {
            // It was begun for this: where that one takes nothing, the next one does not either.
            return Ok(false);
        }
        let (session, left) = (self.effect.session, MessageRef { channel, message });
        match &self.effect.to {
            Recipient::Participant => {
                self.app.threads.forget(session, Mark::Root).await?;
                // In a channel, others must see to whom it is said; and where it begins is not where it was.
                if !left.channel.starts_with('D') {
                    let user = self.participant().await?;
                    let words = texts::goes_on_here(&user);
                    let spot = self.post(&Target::new(left.channel, None), &words, ANEW).await?;
                    self.rooted(&Target::new(spot.channel.clone(), None), &spot).await?;
                }
            }
            Recipient::Channel { .. } => {
                let mark = Mark::Staff(&left.channel);
                if self.app.threads.marked(session, mark).await?.as_ref() == Some(&left) {
                    self.app.threads.forget(session, mark).await?;
                }
                self.closed = Some(left);
            }
            Recipient::Person { .. } | Recipient::Webhook { .. } => return Ok(false),
        }
        tracing::info!(session.id = %session, "a thread no longer accepts messages; continuing in another one");
        Ok(true)
    }

    /// Whether a message is newer than the effect.
    fn is_newer(&self, message: &str) -> bool {
        let seconds = message.split('.').next().and_then(|seconds| seconds.parse::<i64>().ok());
        seconds.is_some_and(|seconds| seconds > self.effect.queued_at.timestamp())
    }

    async fn participant(&self) -> Delivered<String> {
        Ok(self.look().await?.state.participant.user.clone())
    }

    /// What a failure means where the effect can go nowhere else.
    pub(super) fn class_without_other_place(&self, failure: &Failure) -> Class {
        match self.class(failure) {
            // What cannot be taken away is told in the receipt, which does not wait for it.
            class if self.is_of_erasure() && refused(class) != Refused::Waits => Class::Final,
            // There is no other place, so this one is waited for.
            Class::PlaceGone | Class::PlaceClosed => Class::Blocked(CauseKind::ThreadLocked),
            class => class,
        }
    }
}
