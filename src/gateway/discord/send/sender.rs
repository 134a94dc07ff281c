//! What delivers one effect, and why it may not arrive.

use std::sync::{OnceLock, atomic::AtomicBool};

use crate::{
    chat::{Trail, courier, message_index::MessageRef},
    gateway::discord::{api::Failure, app::App, private_threads},
    model::{effect::Effect, posted::Reader},
};

/// Why an effect did not arrive.
pub(super) type Undelivered = courier::Undelivered<Failure>;

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

pub(super) type Delivered<T> = courier::Delivered<T, Failure>;

impl<'a> Sender<'a> {
    pub(super) fn new(app: &'a App, effect: &'a Effect) -> Self {
        let was_tried = app.possible_duplicates.has(effect.id) || app.store.is_inherited(effect.id);
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
