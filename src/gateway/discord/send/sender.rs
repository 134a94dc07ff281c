//! What delivers one effect, and why it may not arrive.

use std::sync::{OnceLock, atomic::AtomicBool};

use crate::{
    chat::{Trail, delivery, message_index::MessageRef},
    engine::{Inbound, InboundKind, Look},
    gateway::discord::{api::Failure, app::App, people, private_threads},
    model::{effect::Effect, posted::Reader},
    session::Responder,
};

/// Why an effect did not arrive.
pub(super) type Undelivered = delivery::Undelivered<Failure>;

impl From<Failure> for Undelivered {
    fn from(failure: Failure) -> Self {
        Self::Call(failure)
    }
}

impl From<private_threads::Trouble> for Undelivered {
    fn from(trouble: private_threads::Trouble) -> Self {
        match trouble {
            private_threads::Trouble::Call(failure) => Self::Call(failure),
            private_threads::Trouble::Store(_) => Self::Later,
        }
    }
}

/// Delivers one effect.
pub(super) struct Sender<'a> {
    pub(super) app: &'a App,
    pub(super) effect: &'a Effect,
    /// Something of it may have been posted before this attempt.
    pub(super) was_tried: bool,
    /// What it has posted so far.
    pub(super) trail: Trail,
    /// Who reads what it posts from now on, where that is not whom the effect is for.
    pub(super) reader: OnceLock<Reader>,
    /// A card was posted as words without its buttons, because Discord did not take how it was made.
    pub(super) is_plainer: AtomicBool,
    /// The message that its first part refers to.
    pub(super) answers: OnceLock<MessageRef>,
}

pub(super) type Delivered<T> = delivery::Delivered<T, Failure>;

impl<'a> Sender<'a> {
    pub(super) fn new(app: &'a App, effect: &'a Effect) -> Self {
        let was_tried = app.possible_duplicates.has(effect.id) || effect.queued_at < app.began;
        Self {
            app,
            effect,
            was_tried,
            trail: Trail::default(),
            reader: OnceLock::new(),
            is_plainer: AtomicBool::new(false),
            answers: OnceLock::new(),
        }
    }
}

impl Sender<'_> {
    /// The conversation that it is of.
    pub(super) async fn look(&self) -> Delivered<Look> {
        let engine = self.app.engine();
        Ok(engine.look(self.effect.session).await?)
    }

    /// The participant is out of reach: the session pauses.
    pub(super) fn lost(&self, why: &'static str) {
        let engine = self.app.engine().clone();
        let (session, guild) = (self.effect.session, self.effect.place.workspace.clone());
        let key = format!("discord:unreachable:{}", self.effect.id);
        self.app.afterwards.spawn(async move {
            let person = people::person_id(&guild, people::NO_GUILD);
            let from = Responder::without_rights(person, String::new());
            let what = InboundKind::Lost { why: why.to_owned() };
            if let Err(error) = engine.receive(Inbound { key, session, from, what }).await {
                tracing::warn!(session.id = %session, %error, "could not pause a session");
            }
        });
    }
}
