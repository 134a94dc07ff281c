//! What gateways post for a session, noted for its erasure.
//!
//! What an effect leaves outside goes into the store with the end of the effect ([`Delivery::Delivered`]), so that it
//! costs no write of its own. Everything else is noted here: what an effect posted before it failed, a room that was
//! made, a copy that was handed out on the press of a button.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Mutex as Turn;

use crate::{
    base::ids::SessionId,
    model::{
        effect::{Act, Delivery, Effect},
        posted::{self, Posted},
    },
    store::{self, Note, Store},
};

/// Notes what stands outside for sessions. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PostLog {
    store: Arc<dyn Store>,
    /// One writer at a time: a note is read and written again.
    turn: Arc<Turn<()>>,
}

impl PostLog {
    /// Over a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, turn: Arc::default() }
    }

    /// Notes what stands outside without an effect; durable when it returns. Nothing is kept of a session that is gone.
    pub async fn note(&self, session: SessionId, posted: &[Posted]) -> Result<(), store::Error> {
        if posted.is_empty() {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        let key = posted::aside_of(session);
        let known = self.store.noted(&key).await?.and_then(|note| note.value);
        match posted::appended(known.as_deref(), posted) {
            Some(post_log) => {
                let note = Note { key, session: Some(session), value: Some(post_log) };
                self.store.note(note).await
            }
            None => Ok(()),
        }
    }

    /// Like [`Self::note`], but only logs a failure: for what nothing depends on but an erasure to come.
    pub(crate) async fn note_or_tell(&self, session: SessionId, posted: &[Posted]) {
        if let Err(error) = self.note(session, posted).await {
            tracing::warn!(session.id = %session, %error, "could not record what was posted");
        }
    }

    /// Ends a delivery with what it has left outside: with the delivery where it arrived, in a note where it did not.
    pub async fn close(&self, effect: &Effect, delivery: Delivery, trail: &Trail) -> Delivery {
        // What an erasure sends belongs to no session any more.
        if matches!(effect.act, Act::Remove { .. } | Act::Receipt { .. }) {
            return delivery;
        }
        let left = trail.take();
        match delivery {
            Delivery::Delivered { message, mut posted } => {
                posted.extend(left);
                Delivery::Delivered { message, posted }
            }
            other => {
                self.note_or_tell(effect.session, &left).await;
                other
            }
        }
    }
}

/// What one delivery has posted so far.
#[derive(Debug, Default)]
pub struct Trail(Mutex<Vec<Posted>>);

impl Trail {
    /// Something stands outside since now, or is found to.
    pub fn add(&self, posted: Posted) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(posted);
    }

    /// Whether nothing is known to stand outside.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// All of it; nothing is left.
    pub fn take(&self) -> Vec<Posted> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
