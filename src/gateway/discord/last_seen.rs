//! When the bot last received something from Discord, durable about once a minute; not while it still catches up with what it missed.
//!
//! ```text
//! discord/heard/-   2026-11-02T14:05:00Z
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    base::clock::Clock,
    chat::catch_up::LastRead,
    model::session::Platform,
    store::{self, Store},
};

/// How often it is noted.
const NOTED: TimeDelta = TimeDelta::minutes(1);

/// All servers of the bot.
const EVERYWHERE: &str = "-";

/// Notes that something was received.
#[derive(Debug)]
pub(super) struct LastSeen {
    stored: LastRead,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    noted: Option<DateTime<Utc>>,
    /// Looks back that are not done yet.
    catching_up: usize,
}

impl LastSeen {
    pub(super) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { stored: LastRead::new(Platform::Discord, store), clock, state: Mutex::default() }
    }

    /// A look back begins; when the bot last listened before it.
    pub(super) async fn look_back(&self) -> Result<Option<DateTime<Utc>>, store::Error> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).catching_up += 1;
        self.stored.last(EVERYWHERE).await
    }

    /// A look back is done; where all was seen, what was before `began` need not be looked at again.
    pub(super) async fn caught_up(&self, all: bool, began: DateTime<Utc>) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).catching_up -= 1;
        if all {
            self.note(began).await;
        }
    }

    /// Something was received.
    pub(super) async fn touch(&self) {
        let now = self.clock.now();
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let is_fresh = state.noted.is_some_and(|noted| now - noted < NOTED);
            if is_fresh || state.catching_up > 0 {
                return;
            }
            state.noted = Some(now);
        }
        self.note(now).await;
    }

    async fn note(&self, at: DateTime<Utc>) {
        if let Err(error) = self.stored.note(EVERYWHERE, at).await {
            tracing::debug!(%error, "when messages were read last could not be noted");
        }
    }
}
