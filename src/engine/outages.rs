//! What keeps effects from leaving until somebody outside mends it: since when, how many effects, and when it is tried
//! again.
//!
//! One effect at a time probes a cause, at most every [`PROBE`]; the others are answered without a call, so that a token
//! that is revoked costs two calls a minute however many conversations wait. When one gets through, or a gateway learns that
//! the cause is gone, everything that waited leaves in order. Nothing of this is stored: a new process delivers again and
//! is told again.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use metrics::gauge;

use super::Engine;
use crate::{
    base::{ids::EffectId, telemetry::metric},
    model::effect::{Cause, CauseKind, Delivery, Effect},
};

/// Pause between two probes of a cause.
const PROBE: TimeDelta = TimeDelta::seconds(30);

/// Causes that are probed in one go, so that many of them together make no burst.
const PROBES_MAX: usize = 8;

/// Most causes that are known at a time; what is blocked by a further one is tried again by itself.
const CAUSES_MAX: usize = 1_000;

/// Most effects of which it is remembered that they were blocked.
const EFFECTS_MAX: usize = 10_000;

/// A cause for which nothing waits any more is forgotten after this.
const FORGOTTEN: TimeDelta = TimeDelta::minutes(1);

/// Something outside that must be mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// What.
    pub cause: Cause,
    /// Since when it is known.
    pub since: DateTime<Utc>,
    /// How many effects wait for it; those behind them are not counted.
    pub effects: usize,
}

/// All causes of this moment.
#[derive(Debug, Default)]
pub(super) struct Blocked(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    causes: HashMap<Cause, Known>,
    /// What effects were blocked by when they were tried last, where a success of others tells nothing.
    of: HashMap<EffectId, Cause>,
}

#[derive(Debug)]
struct Known {
    since: DateTime<Utc>,
    /// When it is probed next.
    next: DateTime<Utc>,
    /// How often it was probed in vain.
    probes: u32,
    /// The next effect that it concerns is tried.
    is_open: bool,
    /// A gateway noticed it without an effect: it stays until that one says otherwise, or an effect gets through.
    is_reported: bool,
    effects: usize,
    /// Since when nothing waits for it.
    idle_since: Option<DateTime<Utc>>,
}

impl Known {
    fn new(now: DateTime<Utc>) -> Self {
        Self {
            since: now,
            next: now,
            probes: 0,
            is_open: false,
            is_reported: false,
            effects: 0,
            idle_since: None,
        }
    }

    /// Puts the next probe off. Where nobody answers at all, the first probes come sooner: most such times are short.
    fn park(&mut self, kind: CauseKind, now: DateTime<Utc>) {
        let pause = match kind {
            CauseKind::Unreachable => TimeDelta::seconds(2 << self.probes.min(8)).min(PROBE),
            _ => PROBE,
        };
        self.probes = self.probes.saturating_add(1);
        self.next = now + pause;
        self.is_open = false;
    }
}

impl Blocked {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cause by which an effect is certain to fail now; `None` if there is none, or where it probes the cause.
    pub(super) fn covering(&self, effect: &Effect, now: DateTime<Utc>) -> Option<Cause> {
        let mut state = self.lock();
        let causes = state.causes.iter_mut().filter(|(cause, _)| cause.covers(effect));
        let mut covering = None;
        for (cause, known) in causes {
            if !known.is_open && known.next > now {
                covering = Some(cause.clone());
            }
        }
        if covering.is_none() {
            for (cause, known) in state.causes.iter_mut().filter(|(cause, _)| cause.covers(effect))
            {
                known.park(cause.kind, now);
            }
        }
        covering
    }

    /// An effect is blocked; until when it is put back. It is let go before, when the cause is probed or over.
    pub(super) fn note(&self, effect: &Effect, cause: &Cause, now: DateTime<Utc>) -> DateTime<Utc> {
        let mut state = self.lock();
        if state.of.len() < EFFECTS_MAX && !cause.covers(effect) {
            state.of.insert(effect.id, cause.clone());
        }
        if !state.causes.contains_key(cause) && state.causes.len() >= CAUSES_MAX {
            return now + PROBE;
        }
        let known = state.causes.entry(cause.clone()).or_insert_with(|| {
            tracing::warn!(cause = %cause, "deliveries are blocked and wait in the queue. hint: {}", cause.kind.remedy());
            Known::new(now)
        });
        known.idle_since = None;
        if known.next <= now {
            known.park(cause.kind, now);
        }
        now + Effect::PAUSE_MAX
    }

    /// Causes that are over by what came of an effect that was tried.
    pub(super) fn learn(&self, effect: &Effect, delivery: &Delivery) -> Vec<Cause> {
        let mut state = self.lock();
        let depth = match delivery {
            Delivery::Delivered { .. } | Delivery::Failed { .. } => u8::MAX,
            Delivery::Blocked { cause, .. } => cause.kind.depth(),
            Delivery::NotApplicable
            | Delivery::Rehearsed
            | Delivery::Retry { .. }
            | Delivery::Later { .. } => 0,
        };
        let was = if matches!(delivery, Delivery::Blocked { .. }) {
            None
        } else {
            state.of.remove(&effect.id).filter(|_| depth > 0)
        };
        let is_over = |cause: &&Cause| {
            let is_deeper = cause.kind.depth() < depth && cause.covers(effect);
            is_deeper || was.as_ref() == Some(cause)
        };
        let over: Vec<Cause> = state.causes.keys().filter(is_over).cloned().collect();
        for cause in &over {
            state.causes.remove(cause);
        }
        over
    }

    /// Causes that are to be probed now.
    fn due(&self, now: DateTime<Utc>) -> Vec<Cause> {
        let mut state = self.lock();
        let due = state.causes.iter_mut().filter(|(_, known)| known.next <= now);
        let due = due.take(PROBES_MAX).map(|(cause, known)| {
            known.park(cause.kind, now);
            known.is_open = true;
            cause.clone()
        });
        due.collect()
    }

    /// How many effects wait for each cause.
    fn count(&self, counts: Vec<(Cause, usize)>, now: DateTime<Utc>) {
        let mut state = self.lock();
        let counts: HashMap<Cause, usize> = counts.into_iter().collect();
        state.causes.retain(|cause, known| {
            known.effects = counts.get(cause).copied().unwrap_or_default();
            if known.effects > 0 || known.is_reported {
                known.idle_since = None;
                return true;
            }
            *known.idle_since.get_or_insert(now) + FORGOTTEN > now
        });
        for kind in CauseKind::ALL {
            let of_kind = state.causes.iter().filter(|(cause, _)| cause.kind == kind);
            let effects: usize = of_kind.map(|(_, known)| known.effects.max(1)).sum();
            gauge!(metric::BLOCKED, "cause" => kind.name()).set(metric::as_f64(effects));
        }
    }

    fn is_empty(&self) -> bool {
        self.lock().causes.is_empty()
    }
}

impl Engine {
    /// What keeps effects from leaving until somebody outside mends it, the oldest first.
    pub fn outages(&self) -> Vec<Outage> {
        let state = self.inner.blocked.lock();
        let mut outages: Vec<Outage> = state
            .causes
            .iter()
            .map(|(cause, known)| Outage {
                cause: cause.clone(),
                since: known.since,
                effects: known.effects,
            })
            .collect();
        outages.sort_by(|one, other| (one.since, &one.cause).cmp(&(other.since, &other.cause)));
        outages
    }

    /// A gateway noticed without an effect that something outside must be mended. It stays known until
    /// [`Self::mended`], or until an effect that it concerns gets through.
    pub fn report_outage(&self, cause: Cause) {
        let now = self.inner.parts.clock.now();
        let mut state = self.inner.blocked.lock();
        if state.causes.len() < CAUSES_MAX {
            let known = state.causes.entry(cause).or_insert_with(|| Known::new(now));
            known.is_reported = true;
        }
    }

    /// A gateway learned that some causes are gone: what waits for them leaves now, in order. Also where nothing is known
    /// of such a cause any more.
    pub async fn mended(&self, is_over: impl Fn(&Cause) -> bool + Send + Sync) {
        let mut over: Vec<Cause> = {
            let mut state = self.inner.blocked.lock();
            let over = state.causes.extract_if(|cause, _| is_over(cause));
            over.map(|(cause, _)| cause).collect()
        };
        if let Ok(waiting) = self.inner.parts.store.blocked().await {
            let further =
                waiting.into_iter().map(|(cause, _)| cause).filter(|cause| is_over(cause));
            over.extend(further);
        }
        self.hurry(&over).await;
    }

    /// What waited for these leaves now.
    pub(super) async fn hurry(&self, over: &[Cause]) {
        for cause in over {
            match self.inner.parts.store.hurry(cause, usize::MAX).await {
                Ok(effects) => {
                    tracing::info!(%cause, effects, "outage over; sending what was waiting");
                }
                Err(error) => tracing::warn!(%cause, %error, "effects leave later than they could"),
            }
        }
        if !over.is_empty() {
            self.inner.queued.notify_one();
        }
    }

    /// Probes what is due, and counts what waits.
    pub(super) async fn probe(&self) {
        if self.inner.blocked.is_empty() {
            return;
        }
        let now = self.inner.parts.clock.now();
        for cause in self.inner.blocked.due(now) {
            // Where it fails, the next effect of the kind probes it, or the next look at the clock.
            _ = self.inner.parts.store.hurry(&cause, 1).await;
        }
        if let Ok(counts) = self.inner.parts.store.blocked().await {
            self.inner.blocked.count(counts, now);
        }
    }
}
