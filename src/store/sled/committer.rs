//! The one thread that writes: it drains the queue, works out a step for each job, applies them as one batch, syncs
//! once for all of them and then answers.

mod archive;
mod mend;
mod put_in;
mod reveal;
mod shred;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, atomic::Ordering},
    time::Instant,
};

use chrono::{DateTime, TimeDelta, Utc};
use metrics::{gauge, histogram};
use sled::Db;
use tokio::sync::mpsc::{self, error::TryRecvError};

use self::archive::Archiving;
use super::{
    Shared,
    archiver::Archiver,
    audit_pages::{self, AuditPages},
    audit_record::Tip,
    closed,
    compaction::{self, Restless},
    disk::{Barrier, Broken},
    disk_reserve,
    fault_injection::{Faults, Touch},
    group_commit::GroupCommit,
    jobs::{Applied, Group, Job, Reply},
    key_store::{KeyStore, Slot},
    keys, notes,
    open::Writing,
    open_sessions::OpenSessions,
    steps::{self, Chain},
    tree_checksum::TreeChecksum,
    watermark::Mark,
    write_batch::{Reader, WriteBatch, Writes},
};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::{EffectId, Ids},
        telemetry::metric,
    },
    model::effect::{Delivery, Effect},
    store::{
        Commit, Erasure, Error,
        health::{Health, Trouble},
    },
};

/// Most jobs that share a sync; keeps the first of them from waiting for ever.
const GROUP_MAX: usize = 256;

/// How long something may be missing on the device for which nobody waits.
const UNSYNCED_MAX: TimeDelta = TimeDelta::milliseconds(500);

/// Bytes of keys and values of steps after which they are applied, whatever else is to be done: sled holds a batch in
/// buffers of twice that.
const BATCH_BYTES: usize = 256 * 1024;

pub(super) struct Committer {
    dir: PathBuf,
    /// None while it could not be opened again, or not be synced.
    open: Option<Handles>,
    /// Of what is applied.
    checksum: TreeChecksum,
    tip: Tip,
    /// What steps have worked out and is not applied yet, and how long it is.
    ahead: (Writes, usize),
    sessions: Arc<OpenSessions>,
    restless: Restless,
    pages: AuditPages,
    archiving: Archiving,
    ids: Arc<dyn Ids>,
    faults: Arc<dyn Faults>,
    shared: Arc<Shared>,
    key_store: Arc<KeyStore>,
    /// Keys to shred once the erasure that wants it is on the device.
    doomed: Vec<Slot>,
    /// Something was applied that is not on the device yet.
    unsynced: bool,
    /// When somebody told the time last.
    now: Option<DateTime<Utc>>,
    /// Since when something is applied for which nobody waits.
    waits_since: Option<DateTime<Utc>>,
    /// Why nothing is written just now. sled takes no write after one that failed, and after a failed sync the
    /// kernel may have dropped what it could not write and report success next time: only opening again tells what
    /// is there.
    bad: Option<Bad>,
    /// The database has been opened again since the last write that failed. Until then sled may be unable to read what
    /// it no longer holds in memory.
    is_fresh: bool,
    /// How often in a row it failed, or could not be mended; nothing has been synced since.
    setbacks: u32,
}

/// What it takes to write.
struct Handles {
    db: Db,
    barrier: Barrier,
}

/// Bad times.
struct Bad {
    trouble: Trouble,
    /// When mending is tried; `None` until somebody has told the time.
    again: Option<DateTime<Utc>>,
}

impl Committer {
    /// Where the reserve cannot be made, it begins read-only.
    pub(super) fn new(
        dir: &Path,
        opened: Writing,
        ids: Arc<dyn Ids>,
        faults: Arc<dyn Faults>,
        shared: Arc<Shared>,
    ) -> Self {
        let key_store = Arc::clone(&shared.key_store);
        let mut this = Self {
            dir: dir.to_owned(),
            open: None,
            checksum: TreeChecksum::default(),
            tip: Tip::START,
            ahead: (Writes::new(), 0),
            sessions: Arc::default(),
            restless: Restless::default(),
            pages: AuditPages::unknown(),
            archiving: Archiving::default(),
            ids,
            faults,
            shared,
            key_store,
            doomed: Vec::new(),
            // The layout's version may just have been written.
            unsynced: true,
            now: None,
            waits_since: None,
            bad: None,
            is_fresh: true,
            setbacks: 0,
        };
        let ready = this.take(opened).and_then(|()| Ok(disk_reserve::make(&this.dir)?));
        if let Err(broken) = ready {
            this.fail(&broken);
        }
        this
    }

    /// Works until the queue is closed and empty.
    pub(super) fn run(mut self, mut jobs: mpsc::Receiver<Job>, archiver: Archiver) {
        self.archiving.begin(archiver);
        let mut group_commit = GroupCommit::default();
        while let Some(first) = self.next_job(&mut jobs) {
            group_commit.delay();
            let mut group = vec![first];
            while group.len() < GROUP_MAX
                && let Ok(job) = jobs.try_recv()
            {
                group.push(job);
            }
            gauge!(metric::QUEUED, "queue" => "store").set(metric::as_f64(jobs.len()));
            group_commit.record(group.iter().filter_map(Job::session), Instant::now());
            self.work(group);
            self.compact(|| jobs.is_empty());
            self.archive();
        }
        self.unsynced = true;
        self.sync();
        self.shred();
        self.archiving.end();
    }

    /// Waits for a job; while there is none, what is at rest is made compact. None once the queue is closed.
    fn next_job(&mut self, jobs: &mut mpsc::Receiver<Job>) -> Option<Job> {
        while self.bad.is_none() && !self.restless.is_quiet() {
            match jobs.try_recv() {
                Ok(job) => return Some(job),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => {
                    self.compact(|| jobs.is_empty());
                    self.archive();
                }
            }
        }
        jobs.blocking_recv()
    }

    fn work(&mut self, jobs: Vec<Job>) {
        let mut group = Group::default();
        for job in jobs {
            self.take_in(job, &mut group);
            if self.ahead.1 > BATCH_BYTES {
                self.make_lasting(&mut group);
            }
        }
        self.make_lasting(&mut group);
        let Group { answers, dones, ticks, compacts, .. } = group;
        let is_answering = !answers.is_empty();
        for (reply, result) in answers {
            answer(reply, self.refusal().map_or(result, Err));
        }
        if is_answering {
            hit(Failpoint::CommitAnswered);
        }
        let is_done = !dones.is_empty();
        for (reply, result) in dones {
            answer(reply, self.refusal().map_or(result, Err));
        }
        if is_done && self.waits_since.is_some() {
            hit(Failpoint::DoneUnsynced);
        }
        for reply in compacts {
            self.compact(|| true);
            self.archive();
            let is_more = !(self.restless.is_empty() && self.archiving.is_idle());
            answer(reply, self.refusal().map_or(Ok(is_more), Err));
        }
        for (now, reply) in ticks {
            self.mend(now);
            self.sync_late(now);
            self.shared.recent.tidy();
            self.sessions.tidy();
            self.restless.tick(now);
            if let Some(reply) = reply {
                answer(reply, self.refusal().map_or(Ok(()), Err));
            }
        }
    }

    /// Works the step of a job out.
    fn take_in(&mut self, job: Job, group: &mut Group) {
        match job {
            Job::Commit { commit, reply } => {
                hit(Failpoint::CommitTaken);
                let done = self.guarded(|this| this.commit(*commit));
                group.lasting(done, reply);
                group.points.push(Failpoint::CommitApplied);
            }
            Job::Erase { erasure, reply } => {
                hit(Failpoint::EraseTaken);
                let done = self.guarded(|this| this.erase(*erasure));
                group.lasting(done, reply);
                group.points.push(Failpoint::EraseApplied);
            }
            Job::Note { note, reply } => {
                let noted = Applied::Note { key: note.key.clone() };
                let done = self.guarded(|this| this.step(|stage, _| notes::put(stage, *note)));
                group.lasting(done.map(|()| noted), reply);
            }
            // May be lost, so nobody waits for the device.
            Job::Done { effect, delivery, reply } => {
                hit(Failpoint::DoneTaken);
                let done = self.guarded(|this| this.done(effect, &delivery)).map(|known| {
                    group.applied.push(Applied::Delivery { id: effect, known, delivery });
                });
                group.dones.push((reply, done));
                group.points.push(Failpoint::DoneApplied);
            }
            Job::PutIn { piece, reply } => {
                let done = self.guarded(|this| this.put_in(*piece));
                group.lasting(done, reply);
            }
            Job::Tick { now, reply } => {
                self.now = Some(now);
                group.ticks.push((now, reply));
            }
            Job::Archived(archived) => {
                if self.archiving.answered() {
                    // What fails has made the store read-only already.
                    _ = self.guarded(|this| this.archived(archived));
                }
                group.points.push(Failpoint::ArchiveNoted);
            }
            Job::Compact { reply } => {
                self.restless.hurry();
                self.pages.hurry();
                self.shared.recent.clear();
                group.compacts.push(reply);
            }
        }
    }

    /// Applies what the steps have worked out, puts it on the device where somebody counts on that, and has those who
    /// read know of it; until then they read what was there before. Also before `Duplicate` and `Conflict`: they tell of
    /// a commit that may have been in this very group.
    fn make_lasting(&mut self, group: &mut Group) {
        let shared = Arc::clone(&self.shared);
        let settles = || shared.lasting.write().unwrap_or_else(PoisonError::into_inner);
        let is_changed = !self.ahead.0.is_empty();
        let _unsettled = is_changed.then(settles);
        let is_lasting = std::mem::take(&mut group.is_lasting);
        // What fails makes the store read-only, and all who wait are told so.
        self.unsynced |= self.guarded(Self::apply_ahead).is_ok() && is_lasting;
        for point in group.points.drain(..) {
            hit(point);
        }
        if self.unsynced {
            hit(Failpoint::SyncDue);
            self.sync();
            hit(Failpoint::Synced);
        }
        if !is_changed && group.applied.is_empty() {
            return;
        }
        let receipts: Vec<(Slot, EffectId)> = group.applied.iter().flat_map(receipts).collect();
        self.reveal(std::mem::take(&mut group.applied));
        self.shred();
        // A receipt says that the key is gone. What failed is read again with the database.
        if self.bad.is_none() {
            self.shared.outbox.with(|queue| {
                for (slot, effect) in receipts {
                    queue.add_own(slot, effect);
                }
            });
        }
    }

    /// Puts everything on the device, or stops writing.
    fn sync(&mut self) {
        let Some(open) = self.open.as_ref().filter(|_| self.bad.is_none()) else { return };
        let began = Instant::now();
        // Nothing is worked out that is not applied.
        let mark = Mark { checksum: self.checksum, tip: self.tip.clone() };
        match open.barrier.sync(&open.db, mark) {
            Ok(()) => {
                histogram!(metric::SYNC_SECONDS).record(began.elapsed().as_secs_f64());
                (self.unsynced, self.waits_since) = (false, None);
                self.archiving.synced();
                self.shared.is_syncing_late.store(false, Ordering::Relaxed);
                self.setbacks = 0;
                self.shared.syncs.fetch_add(1, Ordering::Relaxed);
            }
            Err(broken) => {
                self.fail(&broken);
            }
        }
    }

    /// Puts on the device what has been waiting for somebody else's sync. While nothing is written there is none.
    fn sync_late(&mut self, now: DateTime<Utc>) {
        // A time in the future means that the clock was set back.
        let is_late = |since| now < since || now - since >= UNSYNCED_MAX;
        if self.waits_since.is_some_and(is_late) {
            self.sync();
        }
    }

    /// Makes the store read-only; the error is for those who wait.
    fn fail(&mut self, broken: &Broken) -> Error {
        let trouble = broken.trouble;
        tracing::error!(
            why = %trouble,
            said = broken.said,
            "nothing can be saved: the store is read-only. hint: {}; saving goes on by itself when it is over",
            trouble.hint()
        );
        self.setbacks = self.setbacks.saturating_add(1);
        self.bad = Some(Bad { trouble, again: None });
        self.is_fresh = false;
        self.ahead = (Writes::new(), 0);
        self.pages = AuditPages::unknown();
        self.sessions.clear();
        self.shared.recent.clear();
        self.shared.next_timer.forget();
        self.shared.set_health(Health::ReadOnly(trouble));
        disk_reserve::unsettle(&self.dir);
        Error::ReadOnly(trouble)
    }

    /// The answer to everything while the store is read-only.
    fn refusal(&self) -> Option<Error> {
        self.bad.as_ref().map(|bad| Error::ReadOnly(bad.trouble))
    }

    /// Runs a step unless the store is read-only; one that panics makes it so.
    fn guarded<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        let stepped = catch_unwind(AssertUnwindSafe(|| step(self)));
        let broken = match &stepped {
            Ok(Ok(_)) => None,
            // Of the device, also beside the database: the file of keys may be what could not be written.
            Ok(Err(error)) => Broken::of(error),
            Err(_) => Some(Broken::new(Trouble::Database, "it panicked")),
        };
        match (broken, stepped) {
            (Some(broken), _) => Err(self.fail(&broken)),
            (None, Ok(stepped)) => stepped,
            (None, Err(_)) => Err(closed()),
        }
    }

    fn take(&mut self, opened: Writing) -> Result<(), Broken> {
        let Writing { db, disk, checksum, tip, outbox, loose, half_empty } = opened;
        self.archiving.reset(half_empty);
        for session in loose {
            self.restless.touch(session);
        }
        self.pages = AuditPages::find(self.reader(&db), &tip);
        (self.checksum, self.tip) = (checksum, tip);
        // Those in somebody's hands stay theirs; those that were erased are nobody's.
        self.shared.outbox.with(|queue| {
            let before = std::mem::replace(queue, outbox);
            queue.go_on_from(before);
        });
        // The opening has shredded what was left to be.
        self.doomed.clear();
        let barrier = Barrier::new(disk, Arc::clone(&self.faults))?;
        self.open = Some(Handles { db, barrier });
        Ok(())
    }

    fn db(&self) -> Result<Db, Error> {
        self.open.as_ref().map(|open| open.db.clone()).ok_or_else(closed)
    }

    fn reader<'a>(&'a self, db: &'a Db) -> Reader<'a> {
        Reader::new(db, &self.key_store, Some(&self.shared.archive))
    }

    /// Works a step out, to be applied with those before it. The chain goes on where the step has left it.
    fn step<T>(
        &mut self,
        step: impl FnOnce(&mut WriteBatch<'_>, &mut Chain<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let db = self.db()?;
        let mut stage = WriteBatch::new(self.reader(&db).with(&self.ahead.0));
        let mut chain = Chain::new(self.tip.clone(), self.ids.as_ref());
        let result = step(&mut stage, &mut chain)?;
        let (tip, writes) = (chain.into_tip(), stage.into_writes());
        self.tip = tip;
        let length = |(at, value): (&Vec<u8>, &Option<Vec<u8>>)| {
            at.len() + value.as_ref().map_or(0, Vec::len)
        };
        self.ahead.1 += writes.iter().map(length).sum::<usize>();
        self.ahead.0.extend(writes);
        Ok(result)
    }

    /// Applies what the steps have worked out, at once and whole.
    fn apply_ahead(&mut self) -> Result<(), Error> {
        let (mut writes, _) = std::mem::take(&mut self.ahead);
        if writes.is_empty() {
            return Ok(());
        }
        let db = self.db()?;
        let mut checksum = self.checksum;
        let batch = self.count_unneeded(&mut writes);
        let batch = batch.and_then(|()| checksum.batch(&db, &writes));
        let (batch, before) =
            batch.map_err(|error| self.fail(&Broken::new(Trouble::Database, &error)))?;
        let write = || {
            self.faults.strike(Touch::Write)?;
            let mut database = self.shared.db.write().unwrap_or_else(PoisonError::into_inner);
            self.shared.touched.note(writes.keys().chain([&keys::checksum()]));
            database.before = Some(before);
            let applied = db.apply_batch(batch);
            drop(database);
            applied?;
            self.faults.strike(Touch::Written)?;
            Ok(())
        };
        write().map_err(|broken: Broken| self.fail(&broken))?;
        self.checksum = checksum;
        self.waits_since = self.waits_since.or(self.now);
        self.shared.is_syncing_late.store(self.waits_since.is_some(), Ordering::Relaxed);
        Ok(())
    }

    fn commit(&mut self, commit: Commit) -> Result<Applied, Error> {
        let sessions = Arc::clone(&self.sessions);
        let done = self.step(|stage, chain| steps::commit(stage, chain, commit, &sessions));
        if !matches!(done, Ok(_) | Err(Error::Duplicate | Error::Conflict { .. })) {
            sessions.clear();
        }
        let steps::Committed { slot, effects, step, timer } = done?;
        self.restless.touch(step.head.id);
        Ok(Applied::Step { step: Box::new(step), slot, effects, timer })
    }

    fn erase(&mut self, erasure: Erasure) -> Result<Applied, Error> {
        let session = erasure.session;
        let last: Vec<EffectId> = erasure.effects.iter().map(|effect| effect.id).collect();
        let gone = self.step(|stage, chain| steps::erase(stage, chain, erasure))?;
        // Nothing of it may be there any more. An attempt of which somebody tells from now on leaves no trace of it.
        drop(self.sessions.take(session));
        self.shared.outbox.with(|queue| {
            for effect in &gone.effects {
                queue.remove(*effect);
            }
        });
        self.doomed.extend(gone.slot);
        Ok(Applied::Erasure { session, gone, last })
    }

    /// The effect, if it was still to leave.
    fn done(
        &mut self,
        effect: EffectId,
        delivery: &Delivery,
    ) -> Result<Option<Arc<Effect>>, Error> {
        let known = self.shared.outbox.with(|queue| queue.get(effect));
        let Some((slot, held)) = known else { return Ok(None) };
        let known = self.step(|stage, _| steps::done(stage, (slot, effect), held, delivery))?;
        if let Some(known) = &known {
            self.restless.touch(known.session);
        }
        Ok(known)
    }

    /// Makes compact what is at rest: one session or page, and more while nobody waits. Sessions that share pages of keys
    /// are applied together.
    fn compact(&mut self, is_idle: impl Fn() -> bool) {
        let began = Instant::now();
        while self.compact_one() {
            if !is_idle() || self.ahead.1 > BATCH_BYTES || began.elapsed() > compaction::SHARE {
                break;
            }
        }
        if self.ahead.0.is_empty() {
            return;
        }
        // What fails has made the store read-only already.
        _ = self.guarded(Self::apply_ahead);
        self.reveal(Vec::new());
    }

    /// Whether there was anything to be made compact.
    fn compact_one(&mut self) -> bool {
        if let Some(from) = self.pages.next(&self.tip) {
            let written = self.guarded(|this| this.step(|stage, _| audit_pages::put(stage, &from)));
            self.pages.go_on(written);
            return true;
        }
        let Some(session) = self.restless.next() else { return false };
        // What a commit goes on with is not what lies there any more.
        drop(self.sessions.take(session));
        let compacted =
            self.guarded(|this| this.step(|stage, _| compaction::compact(stage, session)));
        match compacted {
            Ok(()) => self.archiving.add(session),
            Err(error) => {
                tracing::warn!(%session, %error, "this conversation could not be made compact");
            }
        }
        true
    }
}

/// What is sent after an erasure, with the slot of its key.
fn receipts(applied: &Applied) -> Vec<(Slot, EffectId)> {
    let Applied::Erasure { gone, last, .. } = applied else { return Vec::new() };
    let with_slot = |slot| last.iter().map(|effect| (slot, *effect)).collect();
    gone.anew.map_or_else(Vec::new, with_slot)
}

/// Whoever asked may have gone away; what was done stays done.
fn answer<T>(reply: Reply<T>, result: Result<T, Error>) {
    if reply.send(result).is_err() {
        tracing::debug!("nobody waits for an answer of the store any more");
    }
}
