//! Delivers what is queued for the outside: at least once, in order per session, each under its own id.

use std::{
    panic::AssertUnwindSafe,
    sync::{MutexGuard, PoisonError},
    time::Duration,
};

use chrono::TimeDelta;
use futures::{FutureExt as _, StreamExt as _, stream};
use tokio::{sync::oneshot, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::{Engine, Error, desk::Job};
use crate::drill::{Point, pass};
use crate::ids::EffectId;
use crate::model::effect::{Act, Delivery, Effect, Recipient};

/// How often the outbox is looked at without being told.
const LOOK: Duration = Duration::from_secs(1);

/// Effects taken in one go.
const BATCH: usize = 64;

/// Longest time that one delivery may take.
const DELIVERY_LIMIT: Duration = Duration::from_secs(30);

/// Attempts after which an effect is given up, about a day with the pauses between them.
const ATTEMPTS_MAX: u32 = 24;

impl Engine {
    /// Delivers until told to stop; what is on its way then arrives before this returns. One that takes its time keeps
    /// nothing back but what its own session has to say after it.
    pub(super) async fn keep_delivering(&self, stop: &CancellationToken) {
        let mut under_way = JoinSet::new();
        while !stop.is_cancelled() {
            let free = self.inner.limits.deliveries.saturating_sub(under_way.len()).min(BATCH);
            let claimed = if free > 0 { self.claim(free).await } else { Vec::new() };
            let may_be_more = free > 0 && claimed.len() == free;
            for effect in claimed {
                let engine = self.clone();
                under_way.spawn(async move { engine.deliver(effect).await });
            }
            if may_be_more && under_way.len() < self.inner.limits.deliveries {
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                // What its session has to say next may leave now.
                Some(_) = under_way.join_next() => {}
                // Told or not, it looks again soon: an effect may be due by time.
                _ = tokio::time::timeout(LOOK, self.inner.queued.notified()) => {}
            }
        }
        while under_way.join_next().await.is_some() {}
    }

    /// Delivers what may leave now; how many effects were tried.
    pub async fn deliver_due(&self) -> usize {
        let claimed = self.claim(BATCH).await;
        let count = claimed.len();
        stream::iter(claimed)
            .for_each_concurrent(self.inner.limits.deliveries, |effect| self.deliver(effect))
            .await;
        count
    }

    /// Effects that may leave now, in hand until they are done.
    async fn claim(&self, most: usize) -> Vec<Effect> {
        let now = self.inner.parts.clock.now();
        let store = &self.inner.parts.store;
        if !store.health().is_well() && store.claim(now, 0).await.is_err() {
            // It has been told the time, and said in the log why nothing leaves.
            return Vec::new();
        }
        let unnoted = std::mem::take(&mut *self.unnoted());
        for (effect, delivery) in unnoted {
            self.done(effect, delivery).await;
        }
        match store.claim(now, most).await {
            Ok(claimed) => {
                self.inner.late.look(&claimed, now);
                claimed
            }
            Err(error) => {
                tracing::error!(error = %error, "the outbox could not be read");
                Vec::new()
            }
        }
    }

    async fn deliver(&self, effect: Effect) {
        pass(Point::EffectDue);
        let attempt = AssertUnwindSafe(self.attempt(&effect)).catch_unwind();
        let delivery = match tokio::time::timeout(DELIVERY_LIMIT, attempt).await {
            Ok(Ok(delivery)) => delivery,
            Ok(Err(_)) => {
                tracing::error!(session.id = %effect.session, effect.id = %effect.id, "a gateway panicked");
                self.later(&effect)
            }
            Err(_) => self.later(&effect),
        };
        pass(Point::EffectLeft);
        let delivery = match delivery {
            Delivery::Retry { .. } if effect.attempts + 1 >= ATTEMPTS_MAX => {
                Delivery::Failed { reason: "given up after many attempts".to_owned() }
            }
            other => other,
        };
        if let Delivery::Failed { reason } = &delivery {
            tracing::warn!(session.id = %effect.session, effect.id = %effect.id, reason, "an effect failed for good");
        }
        let is_final = !matches!(delivery, Delivery::Retry { .. });
        let delivery =
            if effect.carries.is_some() && is_final && !self.note(&effect, &delivery).await {
                // It is delivered again, which its id makes harmless, and noted then.
                self.later(&effect)
            } else {
                delivery
            };
        pass(Point::EffectNoted);
        self.inner.late.tried(&effect, &delivery);
        self.done(effect.id, delivery).await;
    }

    /// Has the store forget an effect. Where that fails it is tried again with the next look: the effect stays claimed
    /// until then, and those of its session behind it.
    async fn done(&self, effect: EffectId, delivery: Delivery) {
        if let Err(error) = self.inner.parts.store.done(effect, delivery.clone()).await {
            tracing::warn!(effect.id = %effect, error = %error, "a delivery could not be noted");
            self.unnoted().push((effect, delivery));
        }
    }

    fn unnoted(&self) -> MutexGuard<'_, Vec<(EffectId, Delivery)>> {
        self.inner.unnoted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the session note what came of a phase's effect, before the outbox forgets it; whether that is durable.
    async fn note(&self, effect: &Effect, delivery: &Delivery) -> bool {
        let (answer, noted) = oneshot::channel();
        let job = Job::Delivered(effect.id, delivery.clone(), answer);
        if self.dispatch(effect.session, job).is_err() {
            return false;
        }
        let noted = tokio::time::timeout(DELIVERY_LIMIT, noted).await;
        matches!(noted, Ok(Ok(Ok(()) | Err(Error::NoSession))))
    }

    async fn attempt(&self, effect: &Effect) -> Delivery {
        if let (Recipient::Webhook { alias }, Act::Webhook { event, body }) =
            (&effect.to, &effect.act)
        {
            let Some(target) = self.inner.parts.webhooks.get(alias) else {
                return Delivery::NotApplicable;
            };
            let now = self.inner.parts.clock.now();
            let later = self.later(effect);
            return self
                .inner
                .webhooks
                .send(target, effect.id, (event, body), now)
                .await
                .unwrap_or(later);
        }
        let Some(gateway) = self.inner.gateways.get(&effect.place.platform) else {
            return Delivery::NotApplicable;
        };
        let Act::Show { wait } = effect.act else { return gateway.deliver(effect, None).await };
        match self.inner.parts.store.wait(wait).await {
            Ok(Some((wait, shown))) => gateway.deliver(effect, Some((&wait, &shown))).await,
            // Erased meanwhile: there is nothing to show.
            Ok(None) => Delivery::NotApplicable,
            Err(_) => self.later(effect),
        }
    }

    /// Again, after a pause that doubles.
    fn later(&self, effect: &Effect) -> Delivery {
        let seconds = 1_i64 << effect.attempts.min(12);
        let pause = TimeDelta::seconds(seconds).min(Effect::PAUSE_MAX);
        Delivery::Retry { not_before: self.inner.parts.clock.now() + pause }
    }
}
