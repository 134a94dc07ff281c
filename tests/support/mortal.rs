//! A process's own hold on a store, which can be cut at any commit: what a kill leaves is what the store below has.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use anteroom::{
    base::ids::{EffectId, SessionId, WaitId},
    model::{
        audit::Sealed,
        effect::{Cause, Delivery, Effect, Rendering},
        file_key::{FileKey, FileKeys, KeyError},
        session::Head,
        usage::Balance,
        wait::Wait,
    },
    store::{Capacity, Commit, Erasure, Error, Find, Loaded, Note, Store, Timer, health::Health},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Where a process dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Death {
    /// Right before the n-th commit reaches the disk, from 1.
    Before(usize),
    /// Right after.
    After(usize),
}

/// The store as one process sees it.
#[derive(Debug)]
pub(crate) struct Mortal {
    disk: Arc<dyn Store>,
    dead: AtomicBool,
    commits: AtomicUsize,
    loads: AtomicUsize,
    heads: AtomicUsize,
    staff_lists: AtomicUsize,
    waits: AtomicUsize,
    death: Mutex<Option<Death>>,
    /// Commits for which there is room.
    room: AtomicUsize,
    conflicts: AtomicUsize,
    mute: AtomicUsize,
    /// How often it is still said that effects may leave.
    allowed: AtomicUsize,
    /// Keys of notes, and ids of sessions and waits, that are damaged.
    damaged: Mutex<BTreeSet<String>>,
    /// Every commit that reached the disk, in order.
    pub(crate) committed: Mutex<Vec<Commit>>,
}

impl Mortal {
    pub(crate) fn new(disk: Arc<dyn Store>, death: Option<Death>) -> Self {
        Self {
            disk,
            dead: AtomicBool::new(false),
            commits: AtomicUsize::new(0),
            loads: AtomicUsize::new(0),
            heads: AtomicUsize::new(0),
            staff_lists: AtomicUsize::new(0),
            waits: AtomicUsize::new(0),
            death: Mutex::new(death),
            room: AtomicUsize::new(usize::MAX),
            conflicts: AtomicUsize::new(0),
            mute: AtomicUsize::new(0),
            allowed: AtomicUsize::new(usize::MAX),
            damaged: Mutex::default(),
            committed: Mutex::default(),
        }
    }

    /// That of the next process; what is damaged stays so.
    pub(crate) fn next(&self, disk: Arc<dyn Store>) -> Self {
        let damaged = Mutex::new(self.damaged.lock().unwrap().clone());
        Self { damaged, ..Self::new(disk, None) }
    }

    /// Damages a note, a session or a wait.
    pub(crate) fn damage(&self, key: String) {
        self.damaged.lock().unwrap().insert(key);
    }

    /// Ends the process: nothing it does counts any more.
    pub(crate) fn kill(&self) {
        self.dead.store(true, Ordering::SeqCst);
    }

    /// The process dies right before the n-th commit from now, from 1.
    pub(crate) fn die_before(&self, n: usize) {
        *self.death.lock().unwrap() = Some(Death::Before(self.tried() + n));
    }

    /// The process dies right after the n-th commit from now, from 1.
    pub(crate) fn die_after(&self, n: usize) {
        *self.death.lock().unwrap() = Some(Death::After(self.tried() + n));
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// The disk is full, or has room again.
    pub(crate) fn fill(&self, full: bool) {
        self.room.store(if full { 0 } else { usize::MAX }, Ordering::SeqCst);
    }

    /// The disk is full after so many more commits.
    pub(crate) fn full_after(&self, commits: usize) {
        self.room.store(commits, Ordering::SeqCst);
    }

    /// The next commits find that somebody else was faster.
    pub(crate) fn conflict(&self, times: usize) {
        self.conflicts.store(times, Ordering::SeqCst);
    }

    /// The next deliveries cannot be noted.
    pub(crate) fn mute(&self, times: usize) {
        self.mute.store(times, Ordering::SeqCst);
    }

    /// So often from now it is said that effects may leave, and then that another process has taken over.
    pub(crate) fn allow(&self, times: usize) {
        self.allowed.store(times, Ordering::SeqCst);
    }

    /// Commits that were tried.
    pub(crate) fn tried(&self) -> usize {
        self.commits.load(Ordering::SeqCst)
    }

    /// Whole sessions that were loaded.
    pub(crate) fn loads(&self) -> usize {
        self.loads.load(Ordering::SeqCst)
    }

    /// Sessions that were read at a glance.
    pub(crate) fn heads(&self) -> usize {
        self.heads.load(Ordering::SeqCst)
    }

    /// How often what waits for the team was read.
    pub(crate) fn staff_lists(&self) -> usize {
        self.staff_lists.load(Ordering::SeqCst)
    }

    /// Waits that were read one by one.
    pub(crate) fn waits_alone(&self) -> usize {
        self.waits.load(Ordering::SeqCst)
    }

    fn sound(&self, key: &str) -> Result<(), Error> {
        if self.damaged.lock().unwrap().contains(key) {
            return Err(Error::Unreadable { what: key.to_owned(), why: "damaged".to_owned() });
        }
        Ok(())
    }

    fn counted(&self, heads: Vec<Head>) -> Vec<Head> {
        self.heads.fetch_add(heads.len(), Ordering::SeqCst);
        heads
    }

    fn alive(&self) -> Result<&dyn Store, Error> {
        if self.is_dead() { Err(unavailable("the process is dead")) } else { Ok(&*self.disk) }
    }
}

fn unavailable(why: &str) -> Error {
    Error::Unavailable(Arc::from(Box::<dyn std::error::Error + Send + Sync>::from(why.to_owned())))
}

#[async_trait]
impl FileKeys for Mortal {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        self.alive()?.file_key(session).await
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        self.alive()?.link_key().await
    }
}

#[async_trait]
impl Store for Mortal {
    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        let disk = self.alive()?;
        let n = self.commits.fetch_add(1, Ordering::SeqCst) + 1;
        let spend = |room: usize| match room {
            0 => None,
            usize::MAX => Some(room),
            _ => Some(room - 1),
        };
        if self.room.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend).is_err() {
            return Err(unavailable("no space left on device"));
        }
        let conflicts = self.conflicts.load(Ordering::SeqCst);
        if conflicts > 0 {
            self.conflicts.store(conflicts - 1, Ordering::SeqCst);
            let expected = commit.expected;
            return Err(Error::Conflict { expected, found: expected + 1 });
        }
        if *self.death.lock().unwrap() == Some(Death::Before(n)) {
            self.kill();
            return Err(unavailable("killed before the commit"));
        }
        let kept = commit.clone();
        disk.commit(commit).await?;
        self.committed.lock().unwrap().push(kept);
        if *self.death.lock().unwrap() == Some(Death::After(n)) {
            self.kill();
            return Err(unavailable("killed after the commit"));
        }
        Ok(())
    }

    async fn is_known_event(&self, key: &str) -> Result<bool, Error> {
        self.alive()?.is_known_event(key).await
    }

    async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error> {
        self.loads.fetch_add(1, Ordering::SeqCst);
        self.sound(&session.to_string())?;
        self.alive()?.load(session).await
    }

    async fn find(&self, by: Find) -> Result<Vec<Head>, Error> {
        if matches!(by, Find::WantsStaff { after: None, .. }) {
            self.staff_lists.fetch_add(1, Ordering::SeqCst);
        }
        let mut found = self.alive()?.find(by).await?;
        found.retain(|head| self.sound(&head.id.to_string()).is_ok());
        Ok(self.counted(found))
    }

    async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
        self.waits.fetch_add(1, Ordering::SeqCst);
        self.alive()?.wait(id).await
    }

    async fn waits(&self, ids: Vec<WaitId>) -> Vec<Result<Option<(Wait, Vec<Rendering>)>, Error>> {
        match self.alive() {
            Ok(disk) => {
                let found = disk.waits(ids.clone()).await.into_iter();
                found.zip(ids).map(|(found, id)| self.sound(&id.to_string()).and(found)).collect()
            }
            Err(error) => vec![Err(error)],
        }
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
        self.alive()?.due(now, limit).await
    }

    async fn claim(&self, now: DateTime<Utc>, capacity: Capacity) -> Result<Vec<Effect>, Error> {
        self.alive()?.claim(now, capacity).await
    }

    async fn done(&self, effect: EffectId, delivery: Delivery) -> Result<(), Error> {
        let mute = |left: usize| left.checked_sub(1);
        if self.mute.fetch_update(Ordering::SeqCst, Ordering::SeqCst, mute).is_ok() {
            return Err(unavailable("no space left on device"));
        }
        self.alive()?.done(effect, delivery).await
    }

    async fn hurry(&self, cause: &Cause, most: usize) -> Result<usize, Error> {
        self.alive()?.hurry(cause, most).await
    }

    async fn blocked(&self) -> Result<Vec<(Cause, usize)>, Error> {
        self.alive()?.blocked().await
    }

    async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error> {
        self.alive()?.outbox(session).await
    }

    async fn sessions(&self, after: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error> {
        Ok(self.counted(self.alive()?.sessions(after, limit).await?))
    }

    async fn has(&self, session: SessionId) -> Result<bool, Error> {
        self.alive()?.has(session).await
    }

    async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
        self.alive()?.audit(from, limit).await
    }

    async fn audit_of(
        &self,
        session: SessionId,
        from: Option<u64>,
    ) -> Result<(Vec<Sealed>, Option<u64>), Error> {
        self.alive()?.audit_of(session, from).await
    }

    async fn erase(&self, erasure: Erasure) -> Result<(), Error> {
        self.alive()?.erase(erasure).await
    }

    async fn balance(&self, account: &str) -> Result<Balance, Error> {
        self.alive()?.balance(account).await
    }

    async fn note(&self, note: Note) -> Result<(), Error> {
        self.alive()?.note(note).await
    }

    async fn noted(&self, key: &str) -> Result<Option<Note>, Error> {
        self.sound(key)?;
        self.alive()?.noted(key).await
    }

    async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error> {
        self.alive()?.notes(prefix).await
    }

    fn is_inherited(&self, effect: EffectId) -> bool {
        self.disk.is_inherited(effect)
    }

    fn is_active(&self) -> bool {
        let spend = |left: usize| if left == usize::MAX { Some(left) } else { left.checked_sub(1) };
        self.allowed.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend).is_ok()
    }

    fn health(&self) -> Health {
        self.disk.health()
    }
}
