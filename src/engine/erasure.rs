//! Erases everything about a session and leaves a receipt without personal data.

use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::{StreamExt as _, stream};
use serde_json::{Map, Value, json};

use super::{Changed, Engine, Error, Gateway};
use crate::{
    ids::{EffectId, SessionId, WaitId},
    model::{
        audit::AuditRecord,
        effect::{Act, Effect, Recipient},
        session::Place,
        ui::{Ask, Control, Prompt},
        wait::{Answerers, Standing, Wait},
    },
    store::{self, Erasure},
};

/// Longest time for redrawing one card.
const REDRAW_LIMIT: Duration = Duration::from_secs(5);

/// Cards that are redrawn at the same time.
const AT_ONCE: usize = 8;

impl Engine {
    /// Erases files, events, waits, effects, timers, records and the words of audit records; `by` says on whose
    /// order (`participant`, `operator`). Returns the receipt's number. A crash in between leaves the order standing:
    /// it is carried out at the next start. Again: erases nothing, and gives another receipt.
    pub async fn erase(&self, session: SessionId, by: &str) -> Result<String, Error> {
        let parts = &self.inner.parts;
        let receipt = EffectId::mint(parts.ids.as_ref()).short();
        let facts: Map<_, _> = [("receipt", json!(receipt)), ("by", json!(by))]
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        let record = AuditRecord {
            event: "session_erased".to_owned(),
            timestamp: parts.clock.now(),
            session: Some(session),
            facts,
            words: Map::new(),
        };
        self.take_down(session).await;
        parts
            .artifacts
            .erase(session)
            .await
            .map_err(|error| Error::Store(store::Error::Unavailable(std::sync::Arc::new(error))))?;
        let erasure =
            Erasure { session, expected: None, receipt: record, effects: Vec::new(), rest: None };
        parts.store.erase(erasure).await?;
        tracing::info!(session.id = %session, by, "session erased");
        // Nobody listening is no failure.
        _ = self.inner.changes.send(Changed { session, seq: 0 });
        Ok(receipt)
    }

    /// Redraws every card of the session with neutral words, as well as it goes: the cards are views on what is about
    /// to be gone, and no outbox remembers them afterwards.
    async fn take_down(&self, session: SessionId) {
        let Ok(actor) = self.load(session).await else { return };
        let state = actor.state();
        let Some(gateway) = self.inner.gateways.get(&state.place.platform) else { return };
        let ids: Vec<WaitId> = state.asked.clone();
        stream::iter(ids)
            .for_each_concurrent(AT_ONCE, |id| self.redraw(gateway.as_ref(), &state.place, id))
            .await;
    }

    async fn redraw(&self, gateway: &dyn Gateway, place: &Place, id: WaitId) {
        let Ok(Some((wait, shown))) = self.inner.parts.store.wait(id).await else { return };
        if shown.is_empty() {
            return;
        }
        let now = self.inner.parts.clock.now();
        let effect = Effect {
            id: EffectId::mint(self.inner.parts.ids.as_ref()),
            session: wait.session,
            place: place.clone(),
            to: match &wait.answerers {
                Answerers::Participant => Recipient::Participant,
                Answerers::Deciders { alias, .. } => Recipient::Channel { alias: alias.clone() },
            },
            act: Act::Show { wait: wait.id },
            queued_at: now,
            attempts: 0,
            not_before: now,
            carries: None,
        };
        let wait = neutral(wait, now);
        let redraw = gateway.deliver(&effect, Some((&wait, &shown)));
        if tokio::time::timeout(REDRAW_LIMIT, redraw).await.is_err() {
            tracing::warn!(session.id = %wait.session, "a card could not be redrawn before the erasure");
        }
    }
}

/// The wait as it may still be seen: without a word of anybody.
fn neutral(wait: Wait, now: DateTime<Utc>) -> Wait {
    let control = Control::Ask(Ask { placeholder: None, max: 0, required: false });
    let body = String::new();
    Wait {
        prompt: Prompt { title: None, body, control, notes: Vec::new() },
        state: Value::Null,
        standing: Standing::Cancelled { reason: "erased".to_owned(), at: now },
        ..wait
    }
}
