//! The outbox as those who deliver see it: what of it may leave is handed out from memory, without asking the thread that
//! writes, which may be waiting for the device. An effect comes into it once the commit that queued it is on the device, so
//! that none leaves whose commit a power cut could take back.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};

use super::{key_store::Slot, read::readable, steps, write_batch::Reader};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::EffectId,
    },
    model::effect::Effect,
    store::{Capacity, Error, queue::Queue},
};

/// How often the committer is told the time while something waits for that, where somebody asks more often.
const TICK: TimeDelta = TimeDelta::milliseconds(200);

/// How often it is told the time otherwise: it then forgets what nobody is busy with, and looks for what is at rest.
const IDLE_TICK: TimeDelta = TimeDelta::seconds(10);

#[derive(Default)]
pub(super) struct Outbox(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    queue: Queue<Slot>,
    /// Effects that cannot be read and have been complained about.
    unreadable: HashSet<EffectId>,
    /// When the committer was told the time last.
    told: Option<DateTime<Utc>>,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes or reads the queue.
    pub(super) fn with<T>(&self, change: impl FnOnce(&mut Queue<Slot>) -> T) -> T {
        change(&mut self.lock().queue)
    }

    /// Whether the committer is to be told the time; it counts as told then. `is_awaited` says that something waits for
    /// it. A time before the last one means that the clock was set back.
    pub(super) fn is_time_to_tell(&self, now: DateTime<Utc>, is_awaited: bool) -> bool {
        let pause = if is_awaited { TICK } else { IDLE_TICK };
        let told = &mut self.lock().told;
        let is_due = told.is_none_or(|told| now < told || now - told >= pause);
        if is_due {
            *told = Some(now);
        }
        is_due
    }

    /// Effects that may leave now, of those whose content is kept in memory; `None` if the next one must be read.
    pub(super) fn claim_kept(&self, now: DateTime<Utc>, capacity: Capacity) -> Option<Vec<Effect>> {
        let must_read = |_, _| Err(Error::unavailable("it must be read"));
        let claimed = self.lock().queue.claim(now, capacity, must_read).ok();
        claimed.inspect(|claimed| hit_claimed(claimed))
    }

    /// Effects that may leave now.
    pub(super) fn claim(
        &self,
        reader: Reader<'_>,
        now: DateTime<Utc>,
        capacity: Capacity,
    ) -> Result<Vec<Effect>, Error> {
        let Inner { queue, unreadable, .. } = &mut *self.lock();
        let claimed = queue.claim(now, capacity, |slot, id| {
            let effect = steps::effect(reader, slot, id).map(|found| Some(found?.1));
            match effect {
                // Said once.
                Err(Error::Unreadable { .. }) if !unreadable.insert(id) => Ok(None),
                other => readable(reader, other),
            }
        });
        claimed.inspect(|claimed| hit_claimed(claimed))
    }
}

fn hit_claimed(claimed: &[Effect]) {
    if !claimed.is_empty() {
        hit(Failpoint::EffectsClaimed);
    }
}
