//! Erases everything about a session and leaves a receipt without personal data.
//!
//! The store's step is the moment it happens; files follow, and what a crash leaves of those goes after the next start, with
//! [`Engine::sweep`]. What was posted for the session goes by effects that outlive it ([`removal`]), one for each
//! thing; they end with the receipt for the participant. Web hooks that were sent something are told last.
//!
//! ```text
//! erase ─▶ report kept ─▶ store forgets ─▶ files ─▶ outbox: remove … remove ─▶ receipt ─▶ web hooks
//! ```

mod in_flight;
mod removal;
mod report;

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value, json};

use super::{CONFLICTS_MAX, Changed, Engine, Error, Receipt};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::{EffectId, SessionId},
    },
    model::{
        audit::AuditRecord,
        custody::Kind,
        effect::{Act, Effect, Recipient},
        posted::Reader,
        report::{Left, Report},
        session::{Place, Platform},
        wait::Settlement,
    },
    ports::artifacts::blobs,
    session::{Next, SessionView, State, decide, retention::Outside},
    store::{self, Erasure, Find},
};

pub(super) use self::in_flight::InFlight;
use self::removal::Plan;

/// What somebody reads who would erase a child run by itself.
const CHILD: &str = "this is a child run; it goes with its conversation. hint: erase that";

/// Those whose order ends with a receipt for the participant. What goes by time was announced before.
const ASKED_BY: [&str; 3] = ["participant", "operator", "staff"];

/// The name of the event that web hooks get.
pub(super) const ERASED: &str = "session_erased";

/// What an erasure came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    /// Names the receipt in the audit chain.
    pub receipt: String,
    /// What had been sent outside before, where nothing here can erase it. Web hooks among it are told.
    pub outside: Vec<Outside>,
    /// What becomes of what was posted.
    pub report: Report,
}

/// On whose order a session goes again that had been erased before what a backup holds was restored.
pub const RESTORE: &str = "restore";

impl Engine {
    /// Erases events, waits, effects, timers, records, files, cached results and the words of audit records; `by` says
    /// on whose order (`participant`, `operator`, `retention`). [`Error::Held`] while a hold stands. A session that
    /// cannot be read goes all the same. Again: erases nothing, and gives another receipt.
    pub async fn erase(&self, session: SessionId, by: &str) -> Result<Erased, Error> {
        for _ in 0..CONFLICTS_MAX {
            let known = match self.view(session).await {
                Ok(view) => Some(view),
                Err(
                    Error::NoSession
                    | Error::BrokenFlow(_)
                    | Error::Store(store::Error::Unreadable { .. }),
                ) => None,
                Err(error) => return Err(error),
            };
            if let Some(view) = &known {
                // A backup may hold one whose end the data that was lost had seen.
                if view.is_child() && by != RESTORE {
                    return Err(Error::Refused(CHILD.to_owned()));
                }
                if view.state.keeping.hold.is_none() || by == RESTORE {
                    // First, because nothing else knows where they are.
                    self.erase_children(&view.state, by).await?;
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
            Ok(erased) => {
                let is_under_way = erased.report.pending > 0;
                Ok(Receipt::Erased { receipt: erased.receipt, is_under_way })
            }
            Err(Error::Held(_)) => {
                self.decide(session, decide::erasure_put_off).await?;
                Ok(Receipt::Settled(Settlement::Applied))
            }
            Err(error) => Err(error),
        }
    }

    /// Places a hold or releases it; see [`Engine::hold`].
    pub(super) async fn hold_now(
        &self,
        session: SessionId,
        by: &str,
        reason: Option<&str>,
    ) -> Result<Option<Erased>, Error> {
        let held = self.decide_saying(session, |view| decide::hold(view, by, reason)).await?;
        held.map_err(|refusal| Error::Refused(refusal.to_string()))?;
        if self.view(session).await?.next() == Next::Erase {
            return self.erase(session, "participant").await.map(Some);
        }
        Ok(None)
    }

    /// Erases a session as it was read; one that could not be, blindly.
    pub(super) async fn erase_known(
        &self,
        session: SessionId,
        known: Option<&SessionView>,
        by: &str,
    ) -> Result<Erased, Error> {
        let parts = &self.inner.parts;
        let hold = known.and_then(|view| view.state.keeping.hold.as_ref());
        // In a backup a hold may stand that had ended by the time of the erasure.
        if let Some(hold) = hold.filter(|_| by != RESTORE) {
            return Err(Error::Held(hold.reason.clone()));
        }
        let erasing = self.inner.in_flight.erase(session).await;
        let receipt = EffectId::mint(parts.ids.as_ref()).short();
        let outside = known.map(SessionView::outside).unwrap_or_default();
        let mut facts = vec![("receipt", json!(receipt)), ("by", json!(by))];
        if !outside.is_empty() {
            let left = outside.iter().map(|left| format!("{}: {}", left.what, left.state));
            facts.push(("outside", left.collect()));
        }
        hit(Failpoint::ErasureOrdered);
        let plan = self.plan_for((session, known), by).await?;
        let report = self.begin_report((session, known), (&receipt, by), &plan).await?;
        let mut effects = plan.effects;
        effects.extend(self.farewells(session, known, (&outside, &receipt, by)));
        let erasure = Erasure {
            session,
            expected: known.map(|view| view.state.seq),
            receipt: self.record(session, ERASED, facts),
            effects,
            rest: None,
        };
        hit(Failpoint::CardsDown);
        parts.store.erase(erasure).await?;
        erasing.succeeded();
        self.inner.states.forget(session);
        hit(Failpoint::SessionErased);
        if let Err(error) = self.clean_up(session).await {
            // It is erased all the same: nobody can open the files any more, and the next look for leftovers removes them.
            tracing::warn!(session.id = %session, %error, "files of an erased session are removed later");
        }
        hit(Failpoint::FilesErased);
        tracing::info!(session.id = %session, by, "session erased");
        Ok(Erased { receipt, outside, report })
    }

    /// What is to be removed outside, with the receipt at its end where somebody asked for the erasure.
    async fn plan_for(
        &self,
        (session, known): (SessionId, Option<&SessionView>),
        by: &str,
    ) -> Result<Plan, Error> {
        let state = known.map(|view| &*view.state);
        let stood = if let Some(state) = state {
            Some((state.place.clone(), state.participant.clone()))
        } else {
            // Its events cannot be read; what there is at a glance may be.
            let found = self.inner.parts.store.find(Find::One(session)).await;
            let head = found.ok().and_then(|mut found| found.pop());
            head.map(|head| (head.place, head.participant))
        };
        let Some((place, participant)) = stood else {
            let mut plan = Plan::default();
            if self.inner.parts.store.has(session).await? {
                // Nothing tells any more where something of it was posted.
                let id = EffectId::mint(self.inner.parts.ids.as_ref());
                plan.left.push(Left::unrecorded(id, Reader::Participant));
            }
            return Ok(plan);
        };
        let plan = self.plan_removal((session, &place), state).await?;
        Ok(if ASKED_BY.contains(&by) {
            let (id, now) =
                (EffectId::mint(self.inner.parts.ids.as_ref()), self.inner.parts.clock.now());
            plan.with_receipt(id, (session, now), (&place, &participant.user))
        } else {
            plan
        })
    }

    async fn begin_report(
        &self,
        (session, known): (SessionId, Option<&SessionView>),
        (receipt, by): (&str, &str),
        plan: &Plan,
    ) -> Result<Report, Error> {
        let is_removal = |effect: &&Effect| matches!(effect.act, Act::Remove { .. });
        let report = Report {
            receipt: receipt.to_owned(),
            by: by.to_owned(),
            at: self.inner.parts.clock.now(),
            planned: plan.count,
            left: plan.left.clone(),
            sent: known.map_or(0, |view| view.state.artifacts.len()),
            notice: None,
            pending: plan.effects.iter().filter(is_removal).count(),
            causes: Vec::new(),
        };
        self.keep_report(session, &report, known.map(|view| &*view.state)).await?;
        Ok(report)
    }

    /// What is to be removed outside where only a part of a session goes.
    pub(super) async fn removals(&self, state: &State) -> Result<Vec<Effect>, Error> {
        Ok(self.plan_removal((state.session, &state.place), Some(state)).await?.effects)
    }

    /// Removes what lies beside the store once a session, or its files, are gone from there.
    pub(super) async fn clean_up(&self, session: SessionId) -> Result<(), Error> {
        self.inner.pipeline.forget(session);
        self.inner.overdue.forget(session);
        self.inner.change_feed.tell(Changed { session, seq: 0 });
        self.inner.queued.notify_one();
        self.erase_files(session).await
    }

    pub(super) async fn erase_files(&self, session: SessionId) -> Result<(), Error> {
        let erased = self.inner.parts.artifacts.erase(session).await;
        erased.inspect_err(|_| self.inner.stuck.note(session)).map_err(unreachable)
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
        known: Option<&SessionView>,
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
        let from = known.map(|view| &view.state.place);
        let tenant = from.and_then(|place| self.inner.limits.tenants.at(place));
        let place = match (tenant, from) {
            (Some(tenant), _) => nowhere(Platform::Web, tenant.name.clone()),
            (None, Some(place)) => nowhere(place.platform, String::new()),
            (None, None) => nowhere(Platform::Web, String::new()),
        };
        let effect = |alias: &String| {
            let id = EffectId::mint(self.inner.parts.ids.as_ref());
            let to = Recipient::Webhook { alias: alias.clone() };
            let act =
                Act::Webhook { event: ERASED.to_owned(), body: body.clone(), linked: Vec::new() };
            Effect::new(id, (session, place.clone()), (to, act), now)
        };
        hooks.into_iter().map(effect).collect()
    }
}

/// A place that says nothing of anybody: an effect that outlives its session must not know where that was, but whose web
/// hooks it is for. On the page, the workspace is the tenant's name.
const fn nowhere(platform: Platform, workspace: String) -> Place {
    Place { platform, workspace, channel: String::new(), thread: None }
}

fn unreachable(error: blobs::Error) -> Error {
    Error::Store(store::Error::Unavailable(Arc::new(error)))
}
