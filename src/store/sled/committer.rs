//! The one thread that writes: it drains the queue, applies each step as a batch of its own, syncs once for all
//! of them and then answers.

use std::{
    collections::HashSet,
    sync::{Arc, atomic::Ordering},
};

use chrono::{DateTime, Utc};
use sled::Db;
use tokio::sync::{mpsc, oneshot};

use super::{Shared, broken, closed, disk::Disk, keys, open::Tip, read::readable, stage::Stage};
use crate::{
    ids::{EffectId, Ids, SessionId},
    model::{
        STORED_VERSION,
        audit::{AuditRecord, Sealed},
        effect::{Delivery, Effect, Rendering},
        session::Head,
        wait::Wait,
    },
    store::{Commit, Error, TimerKind, rendered, salt},
};

/// Most jobs that share a sync; keeps the first of them from waiting for ever.
const GROUP_MAX: usize = 256;

type Reply<T> = oneshot::Sender<Result<T, Error>>;

/// Something for the committer to do.
pub(super) enum Job {
    Commit { commit: Box<Commit>, reply: Reply<()> },
    Erase { session: SessionId, receipt: Box<AuditRecord>, reply: Reply<()> },
    Done { effect: EffectId, delivery: Delivery, reply: Reply<()> },
    Claim { now: DateTime<Utc>, limit: usize, reply: Reply<Vec<Effect>> },
}

pub(super) struct Committer {
    db: Db,
    disk: Disk,
    tip: Tip,
    ids: Arc<dyn Ids>,
    shared: Arc<Shared>,
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
    pub(super) fn new(
        db: Db,
        disk: Disk,
        tip: Tip,
        ids: Arc<dyn Ids>,
        shared: Arc<Shared>,
    ) -> Self {
        Self {
            db,
            disk,
            tip,
            ids,
            shared,
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
            self.work(group);
        }
        self.unsynced = true;
        self.sync();
    }

    fn work(&mut self, group: Vec<Job>) {
        let mut answers = Vec::new();
        let mut claims = Vec::new();
        for job in group {
            match job {
                Job::Commit { commit, reply } => {
                    answers.push((reply, self.writing(|this| this.commit(*commit))));
                }
                Job::Erase { session, receipt, reply } => {
                    answers.push((reply, self.writing(|this| this.erase(session, *receipt))));
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
        match self.disk.sync(&self.db) {
            Ok(()) => {
                self.unsynced = false;
                self.shared.syncs.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => self.fail(&error),
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

    /// Applies a step at once and whole.
    fn apply(&mut self, stage: Stage<'_>) -> Result<(), Error> {
        let batch = stage.into_batch();
        let gate = self.shared.db.write().map_err(|_| closed())?;
        let applied = self.db.apply_batch(batch).map_err(broken);
        drop(gate);
        applied.inspect_err(|error| self.fail(error))
    }

    fn commit(&mut self, commit: Commit) -> Result<(), Error> {
        commit.check()?;
        let session = commit.head.id;
        let db = self.db.clone();
        let mut stage = Stage::new(&db);
        let dedup = commit.dedup.as_deref().map(keys::dedup);
        if let Some(key) = dedup {
            if stage.get(&key)?.is_some() {
                return Err(Error::Duplicate);
            }
            belong(&mut stage, session, key);
        }
        let old: Option<Head> =
            stage.record(&keys::head(session), format_args!("session `{session}`"))?;
        let found = old.as_ref().map_or(0, |head| head.seq);
        if found != commit.expected {
            return Err(Error::Conflict { expected: commit.expected, found });
        }
        put_head(&mut stage, old.as_ref(), &commit.head)?;
        for event in &commit.events {
            stage.put_record(&keys::event(session, event.seq), event.v, event)?;
        }
        for wait in &commit.waits {
            put_wait(&mut stage, wait)?;
        }
        for effect in &commit.effects {
            stage.put_record(&keys::effect(session, effect.id), STORED_VERSION, effect)?;
            stage.put(keys::owner(effect.id), *session.uuid().as_bytes());
        }
        for (kind, at) in commit.timers {
            set_timer(&mut stage, session, kind, at)?;
        }
        let tip = self.seal(&mut stage, commit.audit)?;
        self.apply(stage)?;
        self.tip = tip;
        Ok(())
    }

    fn erase(&mut self, session: SessionId, receipt: AuditRecord) -> Result<(), Error> {
        let db = self.db.clone();
        let mut stage = Stage::new(&db);
        for key in stage.keys(&keys::belongings(session))? {
            stage.remove_all(keys::belonging_of(&key))?;
            stage.remove(key);
        }
        for key in stage.keys(&keys::slots(session))? {
            if let (Some(kind), Some(at)) = (keys::kind_of_slot(&key), stage.get(&key)?) {
                stage.remove(keys::timer(&at, session, kind));
            }
            stage.remove(key);
        }
        for key in stage.keys(&keys::outbox(session))? {
            if let Some(effect) = keys::effect_of(&key) {
                stage.remove(keys::owner(effect));
                self.claimed.remove(&effect);
            }
            stage.remove(key);
        }
        for key in stage.keys(&keys::all_words(session))? {
            if let Some(index) = keys::index_of(&key) {
                erase_words(&mut stage, index)?;
            }
            stage.remove(key);
        }
        stage.remove_all(&keys::events(session))?;
        stage.remove_all(&keys::head(session))?;
        let tip = self.seal(&mut stage, vec![receipt])?;
        self.apply(stage)?;
        self.tip = tip;
        Ok(())
    }

    fn done(&mut self, id: EffectId, delivery: &Delivery) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let db = self.db.clone();
        let mut stage = Stage::new(&db);
        let owner = stage.get(&keys::owner(id))?;
        let owner = owner.and_then(|bytes| uuid::Uuid::from_slice(&bytes).ok());
        if let Some(session) = owner.map(SessionId::from_uuid) {
            let key = keys::effect(session, id);
            let effect: Option<Effect> = stage.record(&key, format_args!("effect `{id}`"))?;
            match (effect, delivery) {
                (Some(mut effect), Delivery::Retry { not_before }) => {
                    effect.attempts += 1;
                    effect.not_before = *not_before;
                    stage.put_record(&key, STORED_VERSION, &effect)?;
                }
                (effect, delivery) => {
                    stage.remove_all(&key)?;
                    stage.remove(keys::owner(id));
                    if let Some(effect) = effect {
                        remember(&mut stage, &effect, delivery)?;
                    }
                }
            }
        }
        self.apply(stage)?;
        self.claimed.remove(&id);
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
            let (Some(session), Some(id)) = (keys::session_of(&first), keys::effect_of(&first))
            else {
                break;
            };
            if first.first() != Some(&keys::OUTBOX) {
                break;
            }
            if !self.claimed.contains(&id)
                && let Some(effect) = self.effect(session, id)?
                && effect.not_before <= now
            {
                self.claimed.insert(id);
                claimed.push(effect);
            }
            from = keys::after(&keys::outbox(session));
        }
        Ok(claimed)
    }

    /// An effect; none where it cannot be read, which is said once and keeps later ones of its session back.
    fn effect(&mut self, session: SessionId, id: EffectId) -> Result<Option<Effect>, Error> {
        let stage = Stage::new(&self.db);
        let what = format_args!("effect `{id}` of session `{session}`").to_string();
        let effect = stage.record(&keys::effect(session, id), what);
        match effect {
            Err(Error::Unreadable { .. }) if !self.unreadable.insert(id) => Ok(None),
            other => readable(other),
        }
    }

    /// Adds records to the chain and says where it goes on once the stage is applied.
    fn seal(&self, stage: &mut Stage<'_>, records: Vec<AuditRecord>) -> Result<Tip, Error> {
        let mut tip = Tip { next: self.tip.next, seal: self.tip.seal.clone() };
        for record in records {
            let salt = salt(self.ids.as_ref(), &record);
            let sealed = Sealed::seal(tip.next, &tip.seal, record, salt);
            if let Some(session) = sealed.record.session
                && !sealed.record.words.is_empty()
            {
                stage.put(keys::words(session, sealed.index), []);
            }
            stage.put_record(&keys::audit(sealed.index), STORED_VERSION, &sealed)?;
            tip = Tip { next: sealed.index + 1, seal: sealed.seal };
        }
        Ok(tip)
    }
}

/// Whoever asked may have gone away; what was done stays done.
fn answer<T>(reply: Reply<T>, result: Result<T, Error>) {
    if reply.send(result).is_err() {
        tracing::debug!("nobody waits for an answer of the store any more");
    }
}

/// Stores an empty entry that goes when the session is erased.
fn belong(stage: &mut Stage<'_>, session: SessionId, key: keys::Key) {
    stage.put(keys::belonging(session, &key), []);
    stage.put(key, []);
}

fn put_head(stage: &mut Stage<'_>, old: Option<&Head>, head: &Head) -> Result<(), Error> {
    let entries = |head: &Head| {
        [keys::at_place(&head.place), keys::of_person(&head.participant)]
            .map(|index| keys::indexed(&index, head.id))
    };
    let current = entries(head);
    for key in old.map(entries).into_iter().flatten().filter(|key| !current.contains(key)) {
        stage.remove(keys::belonging(head.id, &key));
        stage.remove(key);
    }
    for key in current {
        belong(stage, head.id, key);
    }
    stage.put_record(&keys::head(head.id), STORED_VERSION, head)
}

fn put_wait(stage: &mut Stage<'_>, wait: &Wait) -> Result<(), Error> {
    let key = keys::wait(wait.id);
    stage.put_record(&key, STORED_VERSION, wait)?;
    stage.put(keys::belonging(wait.session, &key), []);
    stage.put(keys::belonging(wait.session, &keys::renderings(wait.id)), []);
    Ok(())
}

fn set_timer(
    stage: &mut Stage<'_>,
    session: SessionId,
    kind: TimerKind,
    at: Option<DateTime<Utc>>,
) -> Result<(), Error> {
    let slot = keys::slot(session, kind);
    if let Some(old) = stage.get(&slot)? {
        stage.remove(keys::timer(&old, session, kind));
    }
    match at.map(keys::instant) {
        Some(at) => {
            stage.put(keys::timer(&at, session, kind), []);
            stage.put(slot, at);
        }
        None => stage.remove(slot),
    }
    Ok(())
}

/// Remembers where a wait was shown, once for each message.
fn remember(stage: &mut Stage<'_>, effect: &Effect, delivery: &Delivery) -> Result<(), Error> {
    let Some((wait, message)) = rendered(effect, delivery) else { return Ok(()) };
    let what = format_args!("wait `{wait}`").to_string();
    for key in stage.keys(&keys::renderings(wait))? {
        let known = keys::effect_of(&key).map(|effect| keys::rendering(wait, effect));
        let Some(known) = known else { continue };
        let known: Option<Rendering> = stage.record(&known, &what)?;
        if known.is_some_and(|known| known.message == message) {
            return Ok(());
        }
    }
    let rendering = Rendering { effect: effect.id, message };
    stage.put_record(&keys::rendering(wait, effect.id), STORED_VERSION, &rendering)
}

fn erase_words(stage: &mut Stage<'_>, index: u64) -> Result<(), Error> {
    let key = keys::audit(index);
    let sealed: Option<Sealed> = stage.record(&key, format_args!("audit record {index}"))?;
    let Some(mut sealed) = sealed else { return Ok(()) };
    sealed.erase_words();
    stage.put_record(&key, STORED_VERSION, &sealed)
}
