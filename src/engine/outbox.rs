//! Delivers what is queued for the outside: at least once, in order per session and priority, each under its own id.

use std::{
    future::poll_fn,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use futures::{FutureExt as _, StreamExt as _, stream};
use tokio::{
    sync::{Semaphore, oneshot},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::{Engine, Error, erasure::ERASED, session_task::TaskCommand};
use crate::base::failpoint::{Failpoint, hit};
use crate::base::ids::EffectId;
use crate::model::{
    effect::{Act, Delivery, Effect, Priority, Recipient},
    team::Team,
};
use crate::store::Capacity;

/// Effects taken in one go.
const BATCH: usize = 64;

/// One of so many deliveries may be one of background priority.
const BACKGROUND_SHARE: usize = 4;

/// Longest time that one delivery may take, beside that of its files.
const DELIVERY_LIMIT: Duration = Duration::from_secs(30);

/// Files for which one delivery has time; messages don't bring more.
const FILES_MAX: u32 = 10;

/// Attempts of which nobody knows what came, after which an effect is given up.
const ATTEMPTS_MAX: u32 = 24;

/// Longest time that an effect is put off because of a rate.
const LATER_MAX: TimeDelta = TimeDelta::days(1);

impl Engine {
    /// Delivers until told to stop; what is on its way then arrives before this returns. One that takes its time keeps
    /// nothing back but what its own session has to say after it.
    pub(super) async fn keep_delivering(&self, stop: &CancellationToken) {
        let most = self.inner.limits.deliveries;
        let mut under_way = UnderWay { deliveries: JoinSet::new(), most };
        let in_background = Arc::new(Semaphore::new((most / BACKGROUND_SHARE).max(1)));
        while !stop.is_cancelled() {
            let free = under_way.free().min(BATCH);
            let background = in_background.available_permits().min(free);
            let capacity = Capacity { all: free, background };
            let claimed = if free > 0 { self.claim(capacity).await } else { Vec::new() };
            let may_be_more = free > 0 && claimed.len() == free;
            for effect in claimed {
                let engine = self.clone();
                // Only this loop takes permits, so there is one.
                let permit = match effect.priority {
                    Priority::Normal => None,
                    Priority::Background => Arc::clone(&in_background).try_acquire_owned().ok(),
                };
                under_way.deliveries.spawn(async move {
                    engine.deliver(effect).await;
                    drop(permit);
                });
            }
            if may_be_more && under_way.free() > 0 {
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                // What its session has to say next may leave now.
                Some(_) = under_way.deliveries.join_next() => {}
                // With each look at the clock as well: an effect may be due by time.
                () = self.inner.queued.notified() => {}
            }
        }
        while under_way.deliveries.join_next().await.is_some() {}
    }

    /// Delivers what may leave now; how many effects were tried.
    pub async fn deliver_due(&self) -> usize {
        let claimed = self.claim(Capacity::of_any(BATCH)).await;
        let count = claimed.len();
        stream::iter(claimed)
            .for_each_concurrent(self.inner.limits.deliveries, |effect| self.deliver(effect))
            .await;
        count
    }

    /// Effects that may leave now, in flight until they are done.
    async fn claim(&self, capacity: Capacity) -> Vec<Effect> {
        let now = self.inner.parts.clock.now();
        let store = &self.inner.parts.store;
        if !store.health().is_well() && store.claim(now, Capacity::of_any(0)).await.is_err() {
            // It has been told the time, and said in the log why nothing leaves.
            return Vec::new();
        }
        let unnoted = std::mem::take(&mut *self.unnoted());
        for (effect, delivery) in unnoted {
            self.done(effect, delivery).await;
        }
        self.probe().await;
        match store.claim(now, capacity).await {
            Ok(claimed) => {
                self.inner.late.look(&claimed, now);
                claimed
            }
            Err(error) => {
                tracing::error!(error = %error, "could not read the outbox");
                Vec::new()
            }
        }
    }

    async fn deliver(&self, effect: Effect) {
        let now = self.inner.parts.clock.now();
        if let Some(cause) = self.inner.blocked.covering(&effect, now) {
            let not_before = self.inner.blocked.note(&effect, &cause, now);
            return self.finish_delivery(&effect, Delivery::Blocked { cause, not_before }).await;
        }
        if effect.priority == Priority::Background {
            hit(Failpoint::LanesBetween);
        }
        hit(Failpoint::EffectDue);
        let turn = self
            .inner
            .in_flight
            .deliver(effect.session, effect.priority, outlives(&effect.act))
            .await;
        let Some(_turn) = turn else {
            // It is gone with its session; if the erasure comes to nothing, it is tried again.
            let not_before = self.inner.parts.clock.now();
            return self.done(effect.id, Delivery::Later { not_before }).await;
        };
        let attempt = AssertUnwindSafe(self.while_allowed(self.attempt(&effect))).catch_unwind();
        let attempt =
            attempt.map(|done| done.map(|done| done.unwrap_or_else(|| self.again(&effect))));
        let delivery = match tokio::time::timeout(limit(&effect.act), attempt).await {
            Ok(Ok(delivery)) => delivery,
            Ok(Err(_)) => {
                tracing::error!(session.id = %effect.session, effect.id = %effect.id, "a gateway panicked");
                self.again(&effect)
            }
            Err(_) => self.again(&effect),
        };
        hit(Failpoint::EffectLeft);
        let delivery = bounded(delivery, &effect, self.inner.parts.clock.now());
        let over = self.inner.blocked.learn(&effect, &delivery);
        self.hurry(&over).await;
        let delivery = self.put_back(&effect, delivery);
        if let Delivery::Failed { reason, .. } = &delivery {
            tracing::warn!(session.id = %effect.session, effect.id = %effect.id, reason, "an effect failed for good");
        }
        self.finish_delivery(&effect, delivery).await;
    }

    /// Goes on with an attempt for as long as this process may deliver, which is asked before each of its steps: one that
    /// waited for its turn while the process stood still does nothing any more.
    async fn while_allowed<T>(&self, attempt: impl Future<Output = T>) -> Option<T> {
        let mut attempt = pin!(attempt);
        poll_fn(|cx| {
            if self.inner.parts.store.is_active() {
                attempt.as_mut().poll(cx).map(Some)
            } else {
                Poll::Ready(None)
            }
        })
        .await
    }

    /// Until when what is blocked stays in the outbox.
    fn put_back(&self, effect: &Effect, delivery: Delivery) -> Delivery {
        match delivery {
            Delivery::Blocked { cause, .. } => {
                let now = self.inner.parts.clock.now();
                let not_before = self.inner.blocked.note(effect, &cause, now);
                Delivery::Blocked { cause, not_before }
            }
            other => other,
        }
    }

    /// Notes what came of an attempt: in the session where that must know, then in the outbox.
    async fn finish_delivery(&self, effect: &Effect, delivery: Delivery) {
        let is_final = delivery.is_final();
        let is_failed = matches!(delivery, Delivery::Failed { .. });
        let is_blocked = matches!(delivery, Delivery::Blocked { .. });
        let is_told = is_failed
            || (is_final && (effect.carries.is_some() || effect.asks))
            || (is_blocked && effect.asks);
        let is_noted = !is_told || self.note(effect, &delivery).await;
        let delivery = if is_final && !is_noted {
            // It is delivered again, which its id makes harmless, and noted then.
            self.again(effect)
        } else {
            delivery
        };
        self.note_removal(effect, &delivery).await;
        hit(Failpoint::EffectNoted);
        self.inner.late.tried(effect, &delivery);
        self.done(effect.id, delivery).await;
    }

    /// Has the store forget an effect. Where that fails it is tried again with the next look: the effect stays claimed
    /// until then, and those of its session behind it.
    async fn done(&self, effect: EffectId, delivery: Delivery) {
        if let Err(error) = self.inner.parts.store.done(effect, delivery.clone()).await {
            tracing::warn!(effect.id = %effect, error = %error, "could not record a delivery");
            self.unnoted().push((effect, delivery));
        } else if delivery.is_final() {
            let gateways = self.inner.gateways.read().unwrap_or_else(PoisonError::into_inner);
            gateways.values().for_each(|gateway| gateway.forget(effect));
        }
    }

    fn unnoted(&self) -> MutexGuard<'_, Vec<(EffectId, Delivery)>> {
        self.inner.unnoted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the session note what came of an effect, before the outbox forgets it; whether that is durable.
    async fn note(&self, effect: &Effect, delivery: &Delivery) -> bool {
        let (answer, noted) = oneshot::channel();
        let is_told = matches!(delivery, Delivery::Delivered { .. });
        let gateway = self.gateway(effect.place.platform);
        let team = match gateway.filter(|_| effect.asks && !is_told) {
            Some(gateway) => gateway.team(&effect.place).await,
            None => Team::default(),
        };
        let job = TaskCommand::Delivered(Box::new(effect.clone()), delivery.clone(), team, answer);
        if self.dispatch(effect.session, job).is_err() {
            return false;
        }
        let noted = tokio::time::timeout(DELIVERY_LIMIT, noted).await;
        matches!(noted, Ok(Ok(Ok(()) | Err(Error::NoSession))))
    }

    async fn attempt(&self, effect: &Effect) -> Delivery {
        let gateway = self.gateway(effect.place.platform);
        if let (Recipient::Webhook { alias }, Act::Webhook { event, body, linked }) =
            (&effect.to, &effect.act)
        {
            let tenant = self.inner.limits.tenants.at(&effect.place);
            let Some(target) = self.inner.parts.webhooks.target(tenant, alias) else {
                gateway.inspect(|gateway| gateway.see_unsent(alias, body));
                return Delivery::NotApplicable;
            };
            let Some(body) = self.with_links(effect.session, body, linked).await else {
                return self.again(effect);
            };
            let now = self.inner.parts.clock.now();
            let sent = self.inner.webhooks.send(target, effect.id, (event, &body), now).await;
            return sent.unwrap_or_else(|| self.again(effect));
        }
        let Some(gateway) = gateway else { return Delivery::NotApplicable };
        let Act::Show { wait } = effect.act else { return gateway.deliver(effect, None).await };
        match self.inner.parts.store.wait(wait).await {
            Ok(Some((wait, shown))) => gateway.deliver(effect, Some((&wait, &shown))).await,
            // Erased meanwhile: there is nothing to show.
            Ok(None) => Delivery::NotApplicable,
            Err(_) => self.again(effect),
        }
    }

    /// Again, after a pause that doubles: nobody knows what came of it.
    fn again(&self, effect: &Effect) -> Delivery {
        let pause = effect.exponential_backoff();
        Delivery::Retry { not_before: self.inner.parts.clock.now() + pause }
    }
}

/// Deliveries that run concurrently, up to a bound.
struct UnderWay {
    deliveries: JoinSet<()>,
    most: usize,
}

impl UnderWay {
    /// How many more may begin. Those that have ended take no room, though nobody has joined them yet.
    fn free(&mut self) -> usize {
        while self.deliveries.try_join_next().is_some() {}
        self.most.saturating_sub(self.deliveries.len())
    }
}

/// Whether an act is about the erasure of its session; all else that was still to be sent is dropped with the session.
fn outlives(act: &Act) -> bool {
    match act {
        Act::Remove { .. } | Act::Receipt { .. } => true,
        Act::Webhook { event, .. } => event == ERASED,
        _ => false,
    }
}

/// Longest time for one attempt. A file that takes too long ends before it, and the person is told.
fn limit(act: &Act) -> Duration {
    let files = match act {
        Act::Fetch { files, .. } => u32::try_from(files.len()).unwrap_or(FILES_MAX),
        Act::Export { .. } | Act::Hand { .. } => 1,
        _ => 0,
    };
    DELIVERY_LIMIT + Effect::FILE_MAX * files.min(FILES_MAX)
}

/// Ends what has been tried often enough, or was put off for long enough. What is blocked is never given up.
fn bounded(delivery: Delivery, effect: &Effect, now: DateTime<Utc>) -> Delivery {
    let is_parked = effect.later_since.is_some_and(|since| now - since >= LATER_MAX);
    let reason = match &delivery {
        Delivery::Retry { .. } if effect.attempts + 1 >= ATTEMPTS_MAX => {
            "given up after many attempts"
        }
        Delivery::Later { .. } if is_parked => "given up: for a day there was no room for it",
        _ => return delivery,
    };
    Delivery::failed(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use serde_json::Value;

    use super::*;

    #[test]
    fn only_the_web_hook_that_tells_of_the_erasure_outlives_it() {
        let hook = |event: &str| {
            let event = event.to_owned();
            outlives(&Act::Webhook { event, body: Value::Null, linked: Vec::new() })
        };
        assert!(hook("session_erased"));
        assert!(!hook("phase_completed"));
    }

    #[tokio::test]
    async fn deliveries_that_have_ended_take_no_room() {
        let mut under_way = UnderWay { deliveries: JoinSet::new(), most: 4 };
        for _ in 0..3 {
            under_way.deliveries.spawn(async {});
        }
        under_way.deliveries.spawn(pending());
        assert_eq!(under_way.free(), 0);
        tokio::task::yield_now().await;
        assert_eq!(under_way.free(), 3);
    }
}
