//! After a failed write: trying again until the device takes writes.

use std::sync::{Arc, PoisonError};

use chrono::{DateTime, Utc};

use super::{Bad, Committer};
use crate::store::{
    Error,
    health::{Health, Trouble},
    sled::{
        backoff, database,
        disk::Broken,
        disk_reserve,
        fault_injection::Touch,
        open::{self, Beside},
    },
};

impl Committer {
    /// Tries to write again, if the store is read-only and it is time.
    pub(super) fn mend(&mut self, now: DateTime<Utc>) {
        let pause = backoff::pause(self.setbacks);
        let Some(bad) = &mut self.bad else { return };
        let again = *bad.again.get_or_insert(now + pause);
        // A time that is too far away means that the clock was set back.
        if again > now && again - now <= backoff::PAUSE_MAX {
            return;
        }
        let was = bad.trouble;
        match self.reopen() {
            Ok(()) => {
                self.bad = None;
                self.unsynced = true;
                self.shared.set_health(Health::Well);
                tracing::info!("the store can save again");
            }
            Err(broken) => {
                if broken.trouble == was {
                    tracing::debug!(said = broken.said, "the store is still read-only");
                } else {
                    let hint = broken.trouble.hint();
                    tracing::warn!(why = %broken.trouble, said = broken.said, "the store is still read-only. hint: {hint}");
                }
                self.setbacks = self.setbacks.saturating_add(1);
                let again = Some(now + backoff::pause(self.setbacks));
                self.bad = Some(Bad { trouble: broken.trouble, again });
                self.shared.set_health(Health::ReadOnly(broken.trouble));
            }
        }
    }

    /// Drops the database and opens it again, once the device takes writes, and on a full disk once before, to read.
    /// Readers wait meanwhile. Where it fails after that, there is nothing to read until it succeeds.
    fn reopen(&mut self) -> Result<(), Broken> {
        let room = self.faults.strike(Touch::Probe).and_then(|()| disk_reserve::probe(&self.dir));
        let room = room.map_err(Broken::from);
        let is_full = |room: &Broken| room.trouble == Trouble::Full;
        if room.as_ref().is_err_and(|broken| self.is_fresh || !is_full(broken)) {
            return room;
        }
        let shared = Arc::clone(&self.shared);
        let mut gate = shared.db.write().unwrap_or_else(PoisonError::into_inner);
        // What was not on the device may be gone, and a dump may hold it already.
        shared.touched.spoil();
        shared.recent.clear();
        shared.next_timer.forget();
        self.open = None;
        database::close(std::mem::take(&mut *gate).open);
        disk_reserve::give_back(&self.dir)?;
        let beside =
            Beside { key_store: Arc::clone(&self.key_store), archive: Arc::clone(&shared.archive) };
        let (opened, beside) =
            open::again(&self.dir, &self.faults, Some(&beside)).map_err(|error| match error {
                Error::Unopened { trouble, source, .. } => Broken::new(trouble, &source),
                other => Broken::new(Trouble::Database, &other),
            })?;
        if !Arc::ptr_eq(&beside.key_store, &self.key_store) {
            return Err(Broken::new(Trouble::Database, "the file of keys is another one"));
        }
        gate.open = Some(opened.db.clone());
        shared.db.clear_poison();
        drop(gate);
        self.take(opened)?;
        self.is_fresh = true;
        room?;
        Ok(disk_reserve::make(&self.dir)?)
    }
}
