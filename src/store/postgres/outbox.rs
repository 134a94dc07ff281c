//! The outbox of the node that writes: what may leave is handed out from memory, and read where its content is not kept.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use super::{batch::Outgoing, read::Reader};
use crate::{
    base::ids::{EffectId, SessionId},
    model::effect::{Cause, Delivery, Effect},
    store::{Capacity, Error, queue::Queue},
};
use chrono::{DateTime, Utc};

/// What is to leave.
#[derive(Default)]
pub(super) struct Outbox(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    queue: Queue<SessionId>,
    /// Handed out and not done.
    claimed: HashMap<EffectId, Effect>,
    /// When the lease ends without being prolonged.
    holds_until: Option<Instant>,
}

/// What was handed out, and the effect that must be read before there can be more.
type Handed = (Vec<Effect>, Option<(SessionId, EffectId)>);

/// An effect whose content is not in memory.
#[derive(Debug, thiserror::Error)]
#[error("it must be read")]
struct NotKept;

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what lies in the database and is not known: what an earlier process has left, or a batch of which nobody knew
    /// whether it was written.
    pub(super) fn add(&self, effects: Vec<(SessionId, EffectId)>) {
        let queue = &mut self.lock().queue;
        for (session, id) in effects {
            if queue.get(id).is_none() {
                queue.add(session, id);
            }
        }
    }

    pub(super) fn is_inherited(&self, effect: EffectId) -> bool {
        self.lock().queue.is_inherited(effect)
    }

    /// Nothing is handed out after this time: another node may deliver it by then.
    pub(super) fn holds_until(&self, end: Instant) {
        self.lock().holds_until = Some(end);
    }

    /// Whether no other node can have taken over yet, by this one's clock.
    pub(super) fn holds_lease(&self) -> bool {
        self.lock().holds_until.is_some_and(|end| end > Instant::now())
    }

    /// Changes what leaves as a step did that is on the device.
    pub(super) fn apply(&self, outgoing: Outgoing) {
        let inner = &mut *self.lock();
        match outgoing {
            Outgoing::Queued(effects) => {
                for effect in effects {
                    inner.queue.add_known(effect.session, effect);
                }
            }
            Outgoing::Tried(effect, delivery) => {
                inner.claimed.remove(&effect.id);
                match delivery {
                    Delivery::Blocked { cause, not_before } => {
                        inner.queue.park(&effect, cause, not_before);
                    }
                    Delivery::Retry { .. } | Delivery::Later { .. } => inner.queue.defer(effect.id),
                    _ => inner.queue.remove(effect.id),
                }
            }
            Outgoing::Unchanged => {}
        }
    }

    /// Forgets what a session that was erased had to say.
    pub(super) fn forget(&self, session: SessionId) {
        let inner = &mut *self.lock();
        for id in inner.queue.of_session(session) {
            inner.claimed.remove(&id);
            inner.queue.remove(id);
        }
    }

    pub(super) fn hurry(&self, cause: &Cause, most: usize) -> usize {
        self.lock().queue.hurry(cause, most)
    }

    pub(super) fn blocked(&self) -> Vec<(Cause, usize)> {
        self.lock().queue.blocked()
    }

    /// An effect that is still to leave, for who has tried to deliver it.
    pub(super) async fn tried(
        &self,
        reader: &Reader,
        id: EffectId,
    ) -> Result<Option<Effect>, Error> {
        let session = {
            let inner = self.lock();
            if let Some(effect) = inner.claimed.get(&id) {
                return Ok(Some(effect.clone()));
            }
            match inner.queue.get(id) {
                Some((_, Some(held))) => return Ok(Some(Effect::clone(&held))),
                Some((session, None)) => session,
                None => return Ok(None),
            }
        };
        reader.effect(session, id).await
    }

    /// Effects that may leave now.
    pub(super) async fn claim(
        &self,
        reader: &Reader,
        now: DateTime<Utc>,
        capacity: Capacity,
    ) -> Result<Vec<Effect>, Error> {
        let mut known: HashMap<EffectId, Option<Effect>> = HashMap::new();
        let (mut claimed, mut left) = (Vec::new(), capacity);
        loop {
            let (handed, missing) = self.claim_of(&known, now, left)?;
            for effect in &handed {
                left.take(effect.priority);
            }
            claimed.extend(handed);
            let Some((session, id)) = missing else { return Ok(claimed) };
            match reader.effect(session, id).await {
                Ok(effect) => known.insert(id, effect),
                // What is in flight already leaves; the error comes again.
                Err(_) if !claimed.is_empty() => return Ok(claimed),
                Err(error) => return Err(error),
            };
        }
    }

    /// Effects that may leave now, of those that are in memory or `known`, and the one that must be read before there
    /// can be more.
    fn claim_of(
        &self,
        known: &HashMap<EffectId, Option<Effect>>,
        now: DateTime<Utc>,
        capacity: Capacity,
    ) -> Result<Handed, Error> {
        let Inner { queue, claimed, holds_until } = &mut *self.lock();
        if holds_until.is_none_or(|end| end <= Instant::now()) {
            return Ok((Vec::new(), None));
        }
        let mut missing = None;
        let handed = queue.claim(now, capacity, |session, id| {
            known.get(&id).cloned().ok_or_else(|| {
                missing = Some((session, id));
                Error::unavailable(NotKept)
            })
        });
        let handed = match (handed, missing) {
            (Ok(handed), _) => handed,
            (Err(_), Some(_)) => Vec::new(),
            (Err(error), None) => return Err(error),
        };
        claimed.extend(handed.iter().map(|effect| (effect.id, effect.clone())));
        Ok((handed, missing))
    }
}
