//! Embedded, on one node: sled 0.34.7 behind one committer thread.
//!
//! What sled does not promise is supplied here:
//! - `flush` is no barrier against a power cut on Linux, so every acknowledgement waits for a `sync_data` on a
//!   second handle of the database file (`committer`, `disk`). All that queued meanwhile shares the next one.
//! - Large values go to files that nothing syncs, so every value is at most [`VALUE_MAX`] bytes (`write_batch`).
//! - A half-written snapshot keeps it from opening, and opening can panic (`database`).
//! - After a failed write it takes no more until it is opened again, and does not say so to everybody who waits
//!   (`committer`, `disk`): then the store is read-only. Reads go on over what is open; when a probe says that the
//!   device takes writes again and there is room (`disk_reserve`), the database is dropped and opened in place.
//! - It cannot tell that its end is missing, and cuts off what it cannot read while it opens. So everything is checked
//!   before (`check`), against digests of the files where the last stop was clean (`clean_stop`), else against a rolling
//!   checksum of all entries (`tree_checksum`) and a high-water mark beside the database (`watermark`).
//! - Reads of several keys are not a snapshot, so batches and reads exclude each other (`Shared`).
//! - It keeps what was deleted in old segments, so what is said of a session is sealed with a key of its own, and
//!   erasing the session overwrites that key (`key_store`).
//! - It gives space back only while more is written, so a bot that starts copies what is in use into a new database where
//!   that is little (`rebuild`).
//!
//! One tree holds everything, which makes one `apply_batch` atomic; `keys` says how it is laid out. What commits
//! say of a session is a record (`record_codec`), what one adds to the audit chain another (`audit_record`), both made small
//! with a dictionary (`compression`). A session that comes to rest is written once more, with few keys (`compaction`), and
//! so are audit records (`audit_pages`); what it consists of moves to files that take no memory for it (`archive`).
//! Sessions that are being worked on are kept as they were read ([`ReadCache`]).

mod archive;
mod archiver;
mod audit_chain;
mod audit_pages;
mod audit_record;
mod backoff;
mod blobs;
mod check;
mod clean_stop;
mod committer;
mod compaction;
mod database;
mod disk;
mod disk_reserve;
mod dump;
pub mod fault_injection;
mod group_commit;
mod index_entries;
mod jobs;
mod key_store;
mod keys;
mod layout;
mod next_timer;
mod notes;
mod open;
mod open_sessions;
mod outbox;
mod packed_keys;
mod put_in;
mod read;
mod rebuild;
mod record;
mod record_codec;
mod repair;
mod reseal;
mod salvage;
mod scratch;
mod session_audit;
mod steps;
mod take_out;
mod texts;
mod tree_checksum;
mod waits;
mod watermark;
mod write_batch;

use std::{
    fmt,
    fs::File,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::JoinHandle,
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sled::Db;
use tokio::{
    sync::{mpsc, oneshot},
    task::coop::consume_budget,
};

use self::{
    archive::Archive,
    archiver::Archiver,
    committer::Committer,
    fault_injection::{Faults, NoFaults},
    jobs::Job,
    key_store::KeyStore,
    next_timer::NextTimer,
    open::{Beside, Opened},
    outbox::Outbox,
    write_batch::{Reader, Writes},
};
pub use self::{
    dump::{Contents, DumpError, Dumped, read_dump},
    key_store::KEYS_FILE,
    repair::{Repaired, repair},
    reseal::reseal,
    salvage::Salvaged,
    write_batch::VALUE_MAX,
};
use super::{
    Capacity, Commit, Erasure, Error, Find, Loaded, Note, Store, Timer,
    health::Health,
    portable::Secret,
    read_cache::{CachedNote, ReadCache},
    unreadable::Unreadable,
};
use crate::{
    base::ids::{EffectId, Ids, SessionId, WaitId},
    model::{
        audit::Sealed,
        effect::{Cause, Delivery, Effect, Rendering},
        file_key::{FileKey, FileKeys, KeyError},
        session::Head,
        usage::Balance,
        wait::Wait,
    },
};

/// Jobs that may queue for the committer; whoever comes later waits for room.
const QUEUE_MAX: usize = 1024;

/// A key and its value, as stored.
pub type Entry = (Vec<u8>, Vec<u8>);

/// Keeps everything in one directory, which it holds alone.
///
/// Dropping it finishes what is queued and lets go of the directory, so that it can be opened again at once.
pub struct SledStore {
    queue: Option<mpsc::Sender<Job>>,
    committer: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
    dir: PathBuf,
    // Declared last: the directory is let go of when nothing uses it any more.
    _lock: File,
}

impl SledStore {
    /// Opens the store in `dir`, which is created where it is missing; `ids` salts the words of audit records.
    ///
    /// Repairs what a crash can leave behind. Refuses a directory that another process holds with [`Error::Busy`].
    /// On a full disk it opens read-only where its reserve has room for that, and mends itself later. A large file of the
    /// database that is mostly unused is made anew.
    pub fn open(dir: &Path, ids: Arc<dyn Ids>) -> Result<Self, Error> {
        Self::open_with(dir, ids, Arc::new(NoFaults))
    }

    /// Like [`Self::open`], for a command, which goes through what there is and ends: it caches fewer pages, and makes nothing
    /// anew.
    pub(crate) fn open_for_command(dir: &Path, ids: Arc<dyn Ids>) -> Result<Self, Error> {
        let faults = Arc::new(NoFaults) as Arc<dyn Faults>;
        let opened = open::open(dir, &faults, database::SMALL_CACHE)?;
        Self::begin(dir, opened, ids, faults)
    }

    /// Opens a store that copies are put into from the one that has this secret. Ends with [`Error::Occupied`] if `dir`
    /// has one of its own: opened again with the same secret, it is as it was left.
    pub fn open_for_copy(dir: &Path, ids: Arc<dyn Ids>, secret: &Secret) -> Result<Self, Error> {
        open::found(dir, secret)?;
        Self::open_for_command(dir, ids)
    }

    /// Like [`Self::open`], over a device that can be made to fail.
    pub fn open_with(
        dir: &Path,
        ids: Arc<dyn Ids>,
        faults: Arc<dyn Faults>,
    ) -> Result<Self, Error> {
        let opened = open::open_and_shrink(dir, &faults)?;
        Self::begin(dir, opened, ids, faults)
    }

    fn begin(
        dir: &Path,
        opened: Opened,
        ids: Arc<dyn Ids>,
        faults: Arc<dyn Faults>,
    ) -> Result<Self, Error> {
        let Opened { writing, beside, lock } = opened;
        let Beside { key_store, archive } = beside;
        let shared = Arc::new(Shared {
            db: RwLock::new(Database { open: Some(writing.db.clone()), before: None }),
            lasting: RwLock::default(),
            key_store,
            archive,
            recent: ReadCache::default(),
            health: Mutex::new(Health::Well),
            syncs: AtomicU64::new(0),
            touched: dump::Touched::default(),
            outbox: Outbox::default(),
            next_timer: NextTimer::default(),
            is_syncing_late: AtomicBool::new(false),
        });
        let (queue, jobs) = mpsc::channel(QUEUE_MAX);
        let archiver = Archiver::begin(&shared, queue.downgrade()).map_err(Error::unavailable)?;
        let committer = Committer::new(dir, writing, ids, faults, Arc::clone(&shared));
        let committer = std::thread::Builder::new()
            .name("store-committer".to_owned())
            .spawn(move || committer.run(jobs, archiver))
            .map_err(Error::unavailable)?;
        let (queue, committer, dir) = (Some(queue), Some(committer), dir.to_owned());
        Ok(Self { queue, committer, shared, dir, _lock: lock })
    }

    /// How often data was synced to the device; grows slower than commits under load.
    pub fn syncs(&self) -> u64 {
        self.shared.syncs.load(Ordering::Relaxed)
    }

    /// Makes sessions compact as if all of them had come to rest, for about a tenth of a second; whether any are left.
    pub async fn compact(&self) -> Result<bool, Error> {
        self.ask(|reply| Job::Compact { reply }).await
    }

    /// Everything in the database, key by key in order, for tests and for a look inside: of sessions at rest it tells where
    /// they lie in the archive. What is personal is sealed and worth nothing without the file of keys ([`KEYS_FILE`]).
    pub fn entries(&self) -> Result<Vec<Entry>, Error> {
        self.shared.read_settled(|reader| {
            let entry = |entry: sled::Result<(sled::IVec, sled::IVec)>| {
                entry.map(|(key, value)| (key.to_vec(), value.to_vec())).map_err(broken)
            };
            reader.tree.iter().map(entry).collect()
        })
    }

    /// Hands a job to the committer and waits for what came of it.
    async fn ask<T>(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Job,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.send(job(reply)).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Reads on a thread that may block: a page may have to come from disk, and a batch that is being applied is
    /// waited for, though never the device.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Reader<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = Arc::clone(&self.shared);
        let read = tokio::task::spawn_blocking(move || shared.read(read));
        read.await.map_err(Error::unavailable)?
    }
}

#[async_trait]
impl Store for SledStore {
    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        self.ask(|reply| Job::Commit { commit: Box::new(commit), reply }).await
    }

    async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error> {
        // Nothing is waited for where it is known; who asks again and again lets others run all the same.
        consume_budget().await;
        if let Some(loaded) = self.shared.recent.get(session) {
            return Ok(Some(loaded));
        }
        let shared = Arc::clone(&self.shared);
        self.read(move |reader| {
            let loaded = read::load(reader, session)?;
            if let Some(loaded) = &loaded {
                shared.recent.keep(loaded);
            }
            Ok(loaded)
        })
        .await
    }

    async fn find(&self, by: Find) -> Result<Vec<Head>, Error> {
        if let Find::One(session) = by {
            consume_budget().await;
            if let Some(head) = self.shared.recent.head(session) {
                return Ok(Some(head).filter(|head| head.parent.is_none()).into_iter().collect());
            }
        }
        self.read(move |reader| read::find(reader, &by)).await
    }

    async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
        consume_budget().await;
        if let Some(shown) = self.shared.recent.wait(id) {
            return Ok(Some(shown));
        }
        let shared = Arc::clone(&self.shared);
        self.read(move |reader| {
            let shown = waits::wait(reader, id, &mut None)?;
            if let Some(shown) = &shown {
                shared.recent.keep_wait(shown);
            }
            Ok(shown)
        })
        .await
    }

    /// Keeps none of them in memory: whoever reads all that a session has seldom does so again soon.
    async fn waits(&self, ids: Vec<WaitId>) -> Vec<Result<Option<(Wait, Vec<Rendering>)>, Error>> {
        let shared = Arc::clone(&self.shared);
        let found = self.read(move |reader| {
            let mut frames = None;
            let found = ids.iter().map(|id| shared.judged(waits::wait(reader, *id, &mut frames)));
            Ok(found.collect())
        });
        found.await.unwrap_or_else(|error| vec![Err(error)])
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
        consume_budget().await;
        if !self.shared.next_timer.may_be_due(now) {
            return Ok(Vec::new());
        }
        let shared = Arc::clone(&self.shared);
        self.read(move |reader| {
            let due = read::due(reader, now, limit)?;
            shared.next_timer.note(read::next_timer(reader)?);
            Ok(due)
        })
        .await
    }

    async fn claim(&self, now: DateTime<Utc>, capacity: Capacity) -> Result<Vec<Effect>, Error> {
        let shared = &self.shared;
        if !shared.health().is_well() {
            self.ask(|reply| Job::Tick { now, reply: Some(reply) }).await?;
        } else if shared.outbox.is_time_to_tell(now, shared.is_syncing_late.load(Ordering::Relaxed))
            && let Some(queue) = &self.queue
        {
            // Nobody waits for the device here; where there is no room, it is told the time soon again.
            _ = queue.try_send(Job::Tick { now, reply: None });
        }
        if let Some(claimed) = shared.outbox.claim_kept(now, capacity) {
            return Ok(claimed);
        }
        let shared = Arc::clone(shared);
        self.read(move |reader| shared.outbox.claim(reader, now, capacity)).await
    }

    async fn done(&self, effect: EffectId, delivery: Delivery) -> Result<(), Error> {
        self.ask(|reply| Job::Done { effect, delivery, reply }).await
    }

    async fn hurry(&self, cause: &Cause, most: usize) -> Result<usize, Error> {
        Ok(self.shared.outbox.with(|queue| queue.hurry(cause, most)))
    }

    async fn blocked(&self) -> Result<Vec<(Cause, usize)>, Error> {
        Ok(self.shared.outbox.with(|queue| queue.blocked()))
    }

    async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error> {
        self.read(move |reader| read::outbox(reader, session)).await
    }

    async fn sessions(&self, after: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error> {
        self.read(move |reader| read::sessions(reader, after, limit)).await
    }

    async fn has(&self, session: SessionId) -> Result<bool, Error> {
        self.read(move |reader| read::has(reader, session)).await
    }

    async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
        self.read(move |reader| read::audit(reader, from, limit)).await
    }

    async fn audit_of(
        &self,
        session: SessionId,
        from: Option<u64>,
    ) -> Result<(Vec<Sealed>, Option<u64>), Error> {
        self.read(move |reader| session_audit::audit_of(reader, session, from)).await
    }

    async fn erase(&self, erasure: Erasure) -> Result<(), Error> {
        self.ask(|reply| Job::Erase { erasure: Box::new(erasure), reply }).await
    }

    async fn is_known_event(&self, key: &str) -> Result<bool, Error> {
        let key = key.to_owned();
        self.read(move |reader| read::is_known_event(reader, &key)).await
    }

    async fn balance(&self, account: &str) -> Result<Balance, Error> {
        let account = account.to_owned();
        self.read(move |reader| read::balance(reader, &account)).await
    }

    async fn note(&self, note: Note) -> Result<(), Error> {
        self.ask(|reply| Job::Note { note: Box::new(note), reply }).await
    }

    async fn noted(&self, key: &str) -> Result<Option<Note>, Error> {
        consume_budget().await;
        if let Some(CachedNote(known)) = self.shared.recent.note(key) {
            return Ok(known);
        }
        let (key, shared) = (key.to_owned(), Arc::clone(&self.shared));
        self.read(move |reader| {
            let note = notes::find(reader, &key)?;
            shared.recent.keep_note(key, note.clone());
            Ok(note)
        })
        .await
    }

    async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error> {
        let prefix = prefix.to_owned();
        self.read(move |reader| notes::all(reader, &prefix)).await
    }

    fn is_inherited(&self, effect: EffectId) -> bool {
        self.shared.outbox.with(|queue| queue.is_inherited(effect))
    }

    fn health(&self) -> Health {
        self.shared.health()
    }

    fn unreadable(&self) -> Vec<Unreadable> {
        self.shared.key_store.unreadable.all()
    }

    async fn verify(&self) -> Result<(), Error> {
        self.shared.key_store.unreadable.clear();
        let (shared, dir) = (Arc::clone(&self.shared), self.dir.clone());
        let check = move || shared.read_settled(|reader| check::sound_keys(reader, &dir));
        tokio::task::spawn_blocking(check).await.map_err(Error::unavailable)?
    }
}

#[async_trait]
impl FileKeys for SledStore {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        Ok(self.read(move |reader| read::file_key(reader, session)).await?)
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        Ok(self.shared.key_store.secret.link_key())
    }
}

impl Drop for SledStore {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(committer) = self.committer.take()
            && committer.join().is_err()
        {
            tracing::error!(
                "the store's committer had panicked; what it had not acknowledged may be lost"
            );
        }
        // Reads under way are waited for; the last handle of the database goes here.
        let mut gate = self.shared.db.write().unwrap_or_else(PoisonError::into_inner);
        database::close(std::mem::take(&mut *gate).open);
        drop(gate);
        if self.shared.health() == Health::Well {
            clean_stop::end(&self.dir);
        }
    }
}

impl fmt::Debug for SledStore {
    // sled's own form would print the data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledStore").field("syncs", &self.syncs()).finish_non_exhaustive()
    }
}

/// What the committer and the readers have in common.
struct Shared {
    /// Held for reading while keys that belong together are read, for writing while a batch is applied or becomes visible.
    db: RwLock<Database>,
    /// Held for writing from the first change of a group until it is on the device.
    lasting: RwLock<()>,
    key_store: Arc<KeyStore>,
    archive: Arc<Archive>,
    recent: ReadCache,
    health: Mutex<Health>,
    syncs: AtomicU64,
    /// What is written while a dump is being taken.
    touched: dump::Touched,
    outbox: Outbox,
    next_timer: NextTimer,
    /// Something is applied that is put on the device when somebody tells the time.
    is_syncing_late: AtomicBool,
}

/// The database as it is read.
#[derive(Default)]
struct Database {
    /// Empty once the store is closed, and while it could not be opened again.
    open: Option<Db>,
    /// What lay there before the last batch, under the keys that it changed, until that batch is on the device: nobody
    /// sees, and so acts on, what a power cut could still take back, and nobody waits for the device to read.
    before: Option<Writes>,
}

impl Shared {
    fn read<T>(&self, read: impl FnOnce(Reader<'_>) -> Result<T, Error>) -> Result<T, Error> {
        // Poisoned means that a batch may have been applied in part: nothing is read until it is opened again.
        let database = self.db.read().map_err(|_| self.refusal())?;
        let tree = database.open.as_ref().ok_or_else(|| self.refusal())?;
        let reader = Reader::new(tree, &self.key_store, Some(&self.archive));
        let reader = database.before.as_ref().map_or(reader, |before| reader.with(before));
        self.judged(read(reader))
    }

    /// What was read, or why not.
    fn judged<T>(&self, found: Result<T, Error>) -> Result<T, Error> {
        match (found, self.health()) {
            // Of a batch that failed, some may be there: what looks damaged may only be unfinished.
            (Err(Error::Unreadable { .. }), Health::ReadOnly(trouble)) => {
                Err(Error::ReadOnly(trouble))
            }
            (found, _) => {
                if let Err(error) = &found {
                    self.key_store.unreadable.note(error);
                }
                found
            }
        }
    }

    /// Reads between two groups, for whoever copies or checks all that is there: what was written is on the device.
    fn read_settled<T>(
        &self,
        read: impl FnOnce(Reader<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _lasting = self.lasting.read().unwrap_or_else(PoisonError::into_inner);
        self.read(read)
    }

    fn health(&self) -> Health {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_health(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }

    /// Why nothing can be read.
    fn refusal(&self) -> Error {
        match self.health() {
            Health::ReadOnly(trouble) => Error::ReadOnly(trouble),
            Health::Well => closed(),
        }
    }
}

/// The store is closed, or its committer is gone.
#[derive(Debug, thiserror::Error)]
#[error("the store is closed")]
struct Closed;

fn closed() -> Error {
    Error::unavailable(Closed)
}

/// What an error of the database means for the caller.
fn broken(error: sled::Error) -> Error {
    match error {
        sled::Error::Corruption { .. } => Error::damaged("database", "corrupt page"),
        sled::Error::CollectionNotFound(_)
        | sled::Error::Unsupported(_)
        | sled::Error::ReportableBug(_)
        | sled::Error::Io(_) => Error::unavailable(error),
    }
}
