//! The one thread that writes: it drains the queue, applies each step as a batch of its own, syncs once for all
//! of them and then answers.

use std::{
    collections::HashSet,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use chrono::{DateTime, Utc};
use metrics::{gauge, histogram};
use sled::Db;
use tokio::sync::{mpsc, oneshot};

use super::{
    Shared, broken, closed,
    disk::Disk,
    keys,
    ledger::Tip,
    open::Outbox,
    read::readable,
    stage::{Reader, Stage},
    steps::{self, Chain},
    vault::{Slot, Vault},
};
use crate::{
    ids::{EffectId, Ids},
    model::effect::{Delivery, Effect},
    store::{Commit, Erasure, Error},
    telemetry::metric,
};

/// Most jobs that share a sync; keeps the first of them from waiting for ever.
const GROUP_MAX: usize = 256;

type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// Something for the committer to do.
pub(super) enum Job {
    Commit { commit: Box<Commit>, reply: Reply<()> },
    Erase { erasure: Box<Erasure>, reply: Reply<()> },
    Done { effect: EffectId, delivery: Delivery, reply: Reply<()> },
    Claim { now: DateTime<Utc>, limit: usize, reply: Reply<Vec<Effect>> },
}

/// What the thread takes over from the opening.
pub(super) struct Writing {
    pub(super) db: Db,
    pub(super) disk: Disk,
    pub(super) tip: Tip,
    pub(super) outbox: Outbox,
}

pub(super) struct Committer {
    db: Db,
    disk: Disk,
    tip: Tip,
    ids: Arc<dyn Ids>,
    shared: Arc<Shared>,
    vault: Arc<Vault>,
    /// Whose the effects in the outbox are.
    outbox: Outbox,
    /// Keys to shred once the erasure that wants it is on the device.
    doomed: Vec<Slot>,
    /// Effects handed out and not done; a new process begins with none.
    claimed: HashSet<EffectId>,
    /// Effects that cannot be read and have been complained about.
    unreadable: HashSet<EffectId>,
    /// Something was applied that is not on the device yet.
    unsynced: bool,
    /// Why nothing is written any more. After a failed sync the kernel may have dropped what it could not write
    /// and report success next time, so only opening again tells what is there.
    failed: Option<Error>,
}

impl Committer {
    pub(super) fn new(opened: Writing, ids: Arc<dyn Ids>, shared: Arc<Shared>) -> Self {
        let Writing { db, disk, tip, outbox } = opened;
        let vault = Arc::clone(&shared.vault);
        Self {
            db,
            disk,
            tip,
            ids,
            shared,
            vault,
            outbox,
            doomed: Vec::new(),
            claimed: HashSet::new(),
            unreadable: HashSet::new(),
            // The layout's version may just have been written.
            unsynced: true,
            failed: None,
        }
    }

    /// Works until the queue is closed and empty.
    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        while let Some(first) = jobs.blocking_recv() {
            let mut group = vec![first];
            while group.len() < GROUP_MAX
                && let Ok(job) = jobs.try_recv()
            {
                group.push(job);
            }
            gauge!(metric::QUEUED, "queue" => "store").set(metric::as_f64(jobs.len()));
            self.work(group);
        }
        self.unsynced = true;
        self.sync();
        self.shred();
    }

    fn work(&mut self, group: Vec<Job>) {
        let mut answers = Vec::new();
        let mut claims = Vec::new();
        for job in group {
            match job {
                Job::Commit { commit, reply } => {
                    answers.push((reply, self.writing(|this| this.commit(*commit))));
                }
                Job::Erase { erasure, reply } => {
                    answers.push((reply, self.writing(|this| this.erase(*erasure))));
                }
                // May be lost, so nobody waits for the device.
                Job::Done { effect, delivery, reply } => {
                    answer(reply, self.done(effect, &delivery));
                }
                Job::Claim { now, limit, reply } => claims.push((now, limit, reply)),
            }
        }
        // Also before `Duplicate` and `Conflict`: they tell of a commit that may have been in this very group.
        if self.unsynced {
            self.sync();
        }
        self.shred();
        for (reply, result) in answers {
            answer(reply, self.failed.clone().map_or(result, Err));
        }
        // Only now, so that no effect leaves whose commit a power cut could take back.
        for (now, limit, reply) in claims {
            let claimed = self.claim(now, limit);
            answer(reply, claimed);
        }
    }

    /// Puts everything on the device, or stops writing for good.
    fn sync(&mut self) {
        if self.failed.is_some() {
            return;
        }
        let began = Instant::now();
        match self.disk.sync(&self.db) {
            Ok(()) => {
                histogram!(metric::SYNC_SECONDS).record(began.elapsed().as_secs_f64());
                self.unsynced = false;
                self.shared.syncs.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => self.fail(&error),
        }
    }

    /// Overwrites the keys of sessions whose erasure is on the device; before that a power cut could bring back a
    /// session without a key. What is left undone is done when the store is opened again.
    fn shred(&mut self) {
        if self.doomed.is_empty() || self.failed.is_some() {
            return;
        }
        let doomed = std::mem::take(&mut self.doomed);
        let shredded = self.vault.shred(&doomed).and_then(|()| {
            let vault = Arc::clone(&self.vault);
            let db = self.db.clone();
            let mut stage = Stage::new(Reader { tree: &db, vault: &vault });
            for slot in doomed {
                stage.remove(keys::doomed(slot));
            }
            // Lost in a crash it is done again.
            self.apply(stage)
        });
        if let Err(error) = shredded {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &Error) {
        let source = std::error::Error::source(error).map(ToString::to_string);
        tracing::error!(
            %error,
            source,
            "the store could not write and accepts nothing more. hint: make room, then start again"
        );
        self.failed = Some(error.clone());
    }

    /// Runs a step that counts only once it is on the device.
    fn writing(&mut self, step: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => step(self).inspect(|()| self.unsynced = true),
        }
    }

    /// Works a step out and applies it; the chain goes on where the step has left it only once it is applied.
    fn step<T>(
        &mut self,
        step: impl FnOnce(&mut Stage<'_>, &mut Chain<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let db = self.db.clone();
        let vault = Arc::clone(&self.vault);
        let ids = Arc::clone(&self.ids);
        let mut stage = Stage::new(Reader { tree: &db, vault: &vault });
        let mut chain = Chain::new(self.tip.clone(), ids.as_ref());
        let result = step(&mut stage, &mut chain)?;
        let tip = chain.into_tip();
        self.apply(stage)?;
        self.tip = tip;
        Ok(result)
    }

    /// Applies a batch at once and whole.
    fn apply(&mut self, stage: Stage<'_>) -> Result<(), Error> {
        let batch = stage.into_batch();
        let gate = self.shared.db.write().map_err(|_| closed())?;
        let applied = self.db.apply_batch(batch).map_err(broken);
        drop(gate);
        applied.inspect_err(|error| self.fail(error))
    }

    fn commit(&mut self, commit: Commit) -> Result<(), Error> {
        let effects: Vec<EffectId> = commit.effects.iter().map(|effect| effect.id).collect();
        let slot = self.step(|stage, chain| steps::commit(stage, chain, commit))?;
        self.outbox.extend(effects.into_iter().map(|effect| (effect, slot)));
        Ok(())
    }

    fn erase(&mut self, erasure: Erasure) -> Result<(), Error> {
        let last: Vec<EffectId> = erasure.effects.iter().map(|effect| effect.id).collect();
        let gone = self.step(|stage, chain| steps::erase(stage, chain, erasure))?;
        for effect in gone.effects {
            self.outbox.remove(&effect);
            self.claimed.remove(&effect);
        }
        if let Some(slot) = gone.anew {
            self.outbox.extend(last.into_iter().map(|effect| (effect, slot)));
        }
        self.doomed.extend(gone.slot);
        Ok(())
    }

    fn done(&mut self, effect: EffectId, delivery: &Delivery) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if let Some(slot) = self.outbox.get(&effect).copied() {
            self.step(|stage, _| steps::done(stage, slot, effect, delivery))?;
            if !matches!(delivery, Delivery::Retry { .. }) {
                self.outbox.remove(&effect);
            }
        }
        self.claimed.remove(&effect);
        Ok(())
    }

    fn claim(&mut self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Effect>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut claimed = Vec::new();
        let mut from = Some(vec![keys::OUTBOX]);
        while let Some(key) = from.take()
            && claimed.len() < limit
        {
            let Some(first) = self.db.range(key..).keys().next() else { break };
            let first = first.map_err(broken)?;
            if first.first() != Some(&keys::OUTBOX) {
                break;
            }
            let (Some(slot), Some(id)) = (keys::slot_of(&first), keys::effect_of(&first)) else {
                break;
            };
            if !self.claimed.contains(&id)
                && let Some(effect) = self.effect(slot, id)?
                && effect.not_before <= now
            {
                self.claimed.insert(id);
                claimed.push(effect);
            }
            from = keys::after(&keys::outbox(slot));
        }
        Ok(claimed)
    }

    /// An effect; none where it cannot be read, which is said once and keeps later ones of its session back.
    fn effect(&mut self, slot: Slot, id: EffectId) -> Result<Option<Effect>, Error> {
        let effect = steps::effect(Reader { tree: &self.db, vault: &self.vault }, slot, id);
        let effect = effect.map(|found| found.map(|(_, effect)| effect));
        match effect {
            Err(Error::Unreadable { .. }) if !self.unreadable.insert(id) => Ok(None),
            other => readable(other),
        }
    }
}

/// Whoever asked may have gone away; what was done stays done.
fn answer<T>(reply: Reply<T>, result: Result<T, Error>) {
    if reply.send(result).is_err() {
        tracing::debug!("nobody waits for an answer of the store any more");
    }
}
