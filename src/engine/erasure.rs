//! Erases everything about a session and leaves a receipt without personal data.
//!
//! The store's step is the moment it happens; files follow, and what a crash leaves of those goes with the next round
//! of [`Engine::sweep`]. Web hooks that were sent something are told last, by effects that outlive the session.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use futures::{StreamExt as _, stream};
use serde_json::{Map, Value, json};

use super::{CONFLICTS_MAX, Changed, Engine, Error, Gateway, Receipt};
use crate::{
    artifacts::blobs,
    drill::{Point, pass},
    ids::{EffectId, SessionId, WaitId},
    interview::{Actor, Next, State, custody::Outside},
    model::{
        audit::AuditRecord,
        custody::Kind,
        effect::{Act, Effect, Recipient},
        session::{Place, Platform},
        ui::{Ask, Control, Prompt},
        wait::{Settlement, Standing, Wait},
    },
    store::{self, Erasure},
};

/// Longest time for redrawing one card.
const REDRAW_LIMIT: Duration = Duration::from_secs(5);

/// Cards that are redrawn at the same time.
const AT_ONCE: usize = 8;

/// What somebody reads who would erase a child run by itself.
const CHILD: &str = "this is a child run; it goes with its conversation. hint: erase that";

/// The name of the event that web hooks get.
const ERASED: &str = "session_erased";

/// What an erasure came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    /// Names the receipt in the audit chain.
    pub receipt: String,
    /// What had been sent outside before, where nothing here can erase it. Web hooks among it are told.
    pub outside: Vec<Outside>,
}

impl Engine {
    /// Erases events, waits, effects, timers, records, files, cached results and the words of audit records; `by` says
    /// on whose order (`participant`, `operator`, `retention`). [`Error::Held`] while a hold stands. A session that
    /// cannot be read goes all the same. Again: erases nothing, and gives another receipt.
    pub async fn erase(&self, session: SessionId, by: &str) -> Result<Erased, Error> {
        for _ in 0..CONFLICTS_MAX {
            let known = match self.load(session).await {
                Ok(actor) => Some(actor),
                Err(
                    Error::NoSession
                    | Error::BrokenFlow(_)
                    | Error::Store(store::Error::Unreadable { .. }),
                ) => None,
                Err(error) => return Err(error),
            };
            if let Some(actor) = &known {
                // A backup may hold one whose end the data that was lost had seen.
                if actor.is_child() && by != "restore" {
                    return Err(Error::Refused(CHILD.to_owned()));
                }
                if actor.state().keeping.hold.is_none() {
                    // First, because nothing else knows where they are.
                    self.erase_children(actor.state(), by).await?;
                }
            } else {
                self.erase_children_of_unread(session, by).await?;
            }
            match self.erase_known(session, known.as_ref(), by).await {
                Err(Error::Store(store::Error::Conflict { .. })) => {}
                done => return done,
            }
        }
        Err(Error::Busy)
    }

    /// Carries out the participant's order, or keeps it for when a hold ends.
    pub(super) async fn erase_as_asked(&self, session: SessionId) -> Result<Receipt, Error> {
        match self.erase(session, "participant").await {
            Ok(erased) => Ok(Receipt::Erased { receipt: erased.receipt }),
            Err(Error::Held(_)) => {
                self.decide(session, None, Actor::put_erasure_off).await?;
                Ok(Receipt::Settled(Settlement::Applied))
            }
            Err(error) => Err(error),
        }
    }

    /// Places a hold, with the reason, or releases it: nothing of the session is erased while it stands. `by` says on
    /// whose order. What came of the participant's own order to erase everything, where it had waited for the end.
    pub async fn hold(
        &self,
        session: SessionId,
        by: &str,
        reason: Option<&str>,
    ) -> Result<Option<Erased>, Error> {
        let act = |actor: &mut Actor| match reason {
            Some(reason) => actor.hold(by, reason),
            None => actor.release(by),
        };
        self.decide(session, None, act).await?.map_err(|refusal| Error::Refused(refusal.0))?;
        if self.load(session).await?.next() == Next::Erase {
            return self.erase(session, "participant").await.map(Some);
        }
        Ok(None)
    }

    /// Erases a session as it was read; one that could not be, blindly.
    pub(super) async fn erase_known(
        &self,
        session: SessionId,
        known: Option<&Actor>,
        by: &str,
    ) -> Result<Erased, Error> {
        let parts = &self.inner.parts;
        let hold = known.and_then(|actor| actor.state().keeping.hold.as_ref());
        if let Some(hold) = hold {
            return Err(Error::Held(hold.reason.clone()));
        }
        let receipt = EffectId::mint(parts.ids.as_ref()).short();
        let outside = known.map(Actor::outside).unwrap_or_default();
        let mut facts = vec![("receipt", json!(receipt)), ("by", json!(by))];
        if !outside.is_empty() {
            let left = outside.iter().map(|left| format!("{}: {}", left.what, left.state));
            facts.push(("outside", left.collect()));
        }
        let erasure = Erasure {
            session,
            expected: known.map(|actor| actor.state().seq),
            receipt: self.record(session, ERASED, facts),
            effects: self.farewells(session, known, (&outside, &receipt, by)),
            rest: None,
        };
        pass(Point::ErasureOrdered);
        if let Some(actor) = known {
            self.take_down(actor).await;
        }
        pass(Point::CardsDown);
        parts.store.erase(erasure).await?;
        self.inner.states.forget(session);
        pass(Point::SessionErased);
        self.clean_up(session).await?;
        pass(Point::FilesErased);
        tracing::info!(session.id = %session, by, "session erased");
        Ok(Erased { receipt, outside })
    }

    /// Removes what lies beside the store once a session, or its files, are gone from there.
    pub(super) async fn clean_up(&self, session: SessionId) -> Result<(), Error> {
        self.inner.pipeline.forget(session);
        // Nobody listening is no failure.
        _ = self.inner.changes.send(Changed { session, seq: 0 });
        self.inner.queued.notify_one();
        self.erase_files(session).await
    }

    pub(super) async fn erase_files(&self, session: SessionId) -> Result<(), Error> {
        self.inner.parts.artifacts.erase(session).await.map_err(unreachable)
    }

    /// Removes the files that go with what is gone: those that were sent with the uploads, those that the bot made with
    /// the conversation, for they tell it in other words.
    pub(super) async fn erase_files_of(
        &self,
        state: &State,
        gone: &BTreeSet<Kind>,
    ) -> Result<(), Error> {
        let sent = state.artifacts.iter().filter(|_| !gone.contains(&Kind::Uploads));
        let made = state.made.iter().filter(|_| !gone.contains(&Kind::Transcript));
        let kept = sent.chain(made).map(|file| file.sha256.clone()).collect();
        self.inner.parts.artifacts.retain(state.session, kept).await.map_err(unreachable)
    }

    /// A line for the audit chain, without words.
    pub(super) fn record(
        &self,
        session: SessionId,
        event: &str,
        facts: Vec<(&str, Value)>,
    ) -> AuditRecord {
        AuditRecord {
            event: event.to_owned(),
            timestamp: self.inner.parts.clock.now(),
            session: Some(session),
            facts: facts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            words: Map::new(),
        }
    }

    /// One effect for each web hook that was sent something: that the session is erased, and nothing else.
    fn farewells(
        &self,
        session: SessionId,
        known: Option<&Actor>,
        (outside, receipt, by): (&[Outside], &str, &str),
    ) -> Vec<Effect> {
        let now = self.inner.parts.clock.now();
        let hooks: BTreeSet<&String> = outside.iter().filter_map(|o| o.hook.as_ref()).collect();
        let body = json!({
            "event": ERASED,
            "session": session,
            "receipt": receipt,
            "by": by,
            "erasedAt": now,
        });
        let platform = known.map_or(Platform::Web, |actor| actor.state().place.platform);
        let effect = |alias: &String| {
            let id = EffectId::mint(self.inner.parts.ids.as_ref());
            let to = Recipient::Webhook { alias: alias.clone() };
            let act = Act::Webhook { event: ERASED.to_owned(), body: body.clone() };
            Effect::new(id, (session, nowhere(platform)), (to, act), now)
        };
        hooks.into_iter().map(effect).collect()
    }

    /// Redraws every card of the session with neutral words, as well as it goes: the cards are views on what is about
    /// to be gone, and no outbox remembers them afterwards.
    pub(super) async fn take_down(&self, actor: &Actor) {
        let state = actor.state();
        let Some(gateway) = self.inner.gateways.get(&state.place.platform) else { return };
        let ids: Vec<WaitId> = state.asked.clone();
        stream::iter(ids)
            .for_each_concurrent(AT_ONCE, |id| self.redraw(gateway.as_ref(), &state.place, id))
            .await;
        let rest = gateway.take_down(state.session, &state.place);
        if tokio::time::timeout(REDRAW_LIMIT, rest).await.is_err() {
            tracing::warn!(session.id = %state.session, "what staff see could not be taken down before the erasure");
        }
    }

    async fn redraw(&self, gateway: &dyn Gateway, place: &Place, id: WaitId) {
        let Ok(Some((wait, shown))) = self.inner.parts.store.wait(id).await else { return };
        if shown.is_empty() {
            return;
        }
        let now = self.inner.parts.clock.now();
        let id = EffectId::mint(self.inner.parts.ids.as_ref());
        let effect = Effect::showing(id, &wait, place.clone(), now);
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
        prompt: Prompt { title: None, body, control, notes: Vec::new() }.into(),
        state: Value::Null,
        standing: Standing::Cancelled { reason: "erased".to_owned(), at: now },
        ..wait
    }
}

/// A place that says nothing of anybody: an effect that outlives its session must not know where that was.
const fn nowhere(platform: Platform) -> Place {
    Place { platform, workspace: String::new(), channel: String::new(), thread: None }
}

fn unreachable(error: blobs::Error) -> Error {
    Error::Store(store::Error::Unavailable(Arc::new(error)))
}
