//! PostgreSQL, for data that outlives a machine: one node writes at a time, others stand by and take over.
//!
//! - **One writer.** The node that holds the lease writes (`lease`); each write names the number of that lease, so that
//!   a node which was stopped or cut off writes nothing any more once another has taken over. It hands out no effects
//!   either after its lease has ended by its own clock.
//! - **One statement for a batch.** What queues while a statement is on its way goes with the next one (`committer`). A
//!   batch reads what it must know (`write`), is worked out in memory (`batch`), and is written by one statement.
//! - **Sealed.** All that is said in a session is sealed with a key of its own, and that key with the operator's
//!   (`records`). Erasing a session deletes its key; what the database's log and its backups still hold of it can be
//!   read by nobody who doesn't have both an old backup and the operator's key.
//! - **Nothing but the standard.** Neither advisory locks nor notifications are used.

mod batch;
mod committer;
mod files;
mod lease;
mod notes;
mod outbox;
mod put_in;
mod read;
mod recent;
mod records;
mod server;
mod status;
mod take_out;
mod updates;
mod write;

use std::{
    collections::HashMap,
    fmt,
    str::FromStr as _,
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sqlx::{
    Connection as _, PgConnection,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::{mpsc, oneshot},
    task::coop::consume_budget,
    time::timeout,
};

use self::{
    batch::{Step, Tip},
    committer::{Committer, Job, Reply, STATEMENT_MAX},
    lease::Lease,
    outbox::Outbox,
    read::Reader,
    recent::{Item, Recent},
    records::Keyring,
};
pub use self::{
    lease::Standby,
    server::{Server, Weakness, server},
    status::{Change, Node, called, changes, nodes},
};
use super::{
    Capacity, Commit, Erasure, Error, Find, Loaded, Note, Store, Timer,
    health::Health,
    nodes::Reached,
    portable::Secret,
    read_cache::{CachedNote, ReadCache},
    sealing::SECRET,
    unreadable::{Found, Unreadable},
};
use crate::{
    base::ids::{EffectId, Ids, SessionId, WaitId},
    model::{
        audit::Sealed,
        effect::{Cause, Delivery, Effect, Rendering},
        file_key::{FileKey, FileKeys, FileStore, KeyError},
        session::Head,
        usage::Balance,
        wait::Wait,
    },
};

/// Jobs that may queue for the committer; whoever comes later waits for room.
const QUEUE_MAX: usize = 1024;

/// Connections for reading.
const READERS: u32 = 8;

/// How long a reader waits for one of them.
const READER_WAITS: Duration = Duration::from_secs(5);

/// How long anybody waits for an answer, the time for a connection included.
const ANSWER_MAX: Duration = Duration::from_secs(15);

/// How long a transaction may stand still.
const IDLE_MAX: Duration = Duration::from_secs(5);

/// Where the data is and how it is opened.
#[derive(Clone)]
pub struct Options {
    /// `postgres://user:password@host:5432/database`, with the parameters that libpq knows, such as `sslmode`.
    pub url: String,
    /// Seals the keys of sessions; the same on every node.
    pub key: [u8; SECRET],
    /// Names this node to others, for people.
    pub node: String,
    /// How long a node that stands still keeps others from taking over.
    pub lease: Duration,
    /// What happens where another node is active.
    pub standby: Standby,
    /// How the nodes reach one another.
    pub reached: Reached,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("node", &self.node).finish_non_exhaustive()
    }
}

/// Keeps everything in a database, of which it is the only writer.
///
/// Dropping it finishes what is queued and gives the lease back, so that another node can take over at once.
pub struct PostgresStore {
    queue: Option<mpsc::Sender<Job>>,
    committer: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// What the committer and the readers have in common.
struct Shared {
    reader: Reader,
    recent: Recent,
    outbox: Outbox,
    health: Mutex<Health>,
    /// The number of this node's lease.
    fence: i64,
}

impl Shared {
    fn health(&self) -> Health {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was read or written lately, while this is the node that writes.
    fn known(&self) -> Option<&ReadCache> {
        let is_valid = self.health() == Health::Well && self.outbox.holds_lease();
        is_valid.then(|| self.recent.known())
    }

    fn set_health(&self, health: Health) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
    }
}

/// What a node knows once it is the one that writes.
struct Begun {
    runtime: Runtime,
    connection: PgConnection,
    keyring: Keyring,
    lease: Lease,
    tip: Tip,
    /// What an earlier process has left in the outbox.
    queued: Vec<(SessionId, EffectId)>,
    /// When the lease was taken, or a little before.
    began: Instant,
}

impl Begun {
    /// Takes the lease and brings the tables up to date. With the secret of another store, a store that holds nothing gets
    /// that in place of its own.
    fn new(
        wanted: &Options,
        options: &PgConnectOptions,
        copied: Option<&Secret>,
    ) -> Result<Self, Error> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Error::unavailable)?;
        let taken = runtime.block_on(async {
            let mut connection = connected(options).await?;
            let mut keyring = within(lease::prepare(&mut connection, &wanted.key)).await?;
            let (lease, tip, began) = lease::wait_for(options, &mut connection, wanted).await?;
            let migrated = within(async {
                lease::migrate(&mut connection).await?;
                lease::publish(&mut connection, &wanted.reached.own, lease.fence).await
            });
            if let Err(refused) = migrated.await {
                // Best effort: it ends by itself. A node of the right version need not wait for that.
                drop(lease::give_back(&mut connection, lease).await);
                return Err(refused);
            }
            if let Some(secret) = copied {
                let secrets = (&wanted.key, secret);
                match within(lease::adopt(&mut connection, secrets, keyring, lease.fence)).await {
                    Ok(adopted) => keyring = adopted,
                    Err(refused) => {
                        drop(lease::give_back(&mut connection, lease).await);
                        return Err(refused);
                    }
                }
            }
            let queued = within(read::queued(&mut connection)).await?;
            Ok::<_, Error>((connection, keyring, lease, tip, queued, began))
        });
        let (connection, keyring, lease, tip, queued, began) = taken?;
        Ok(Self { runtime, connection, keyring, lease, tip, queued, began })
    }
}

impl PostgresStore {
    /// Opens the store, takes the lease and brings its tables up to date; blocks meanwhile. Must be called within a
    /// runtime. `ids` salts the words of audit records.
    pub fn open(wanted: &Options, ids: Arc<dyn Ids>) -> Result<Self, Error> {
        Self::open_over(wanted, ids, None)
    }

    /// Opens a store that copies are put into from the one that has this secret, as [`Self::open`] does. Ends with
    /// [`Error::Occupied`] if it has sessions or audit records, unless they came from there: opened again with the same
    /// secret, it is as it was left.
    pub fn open_for_copy(
        wanted: &Options,
        ids: Arc<dyn Ids>,
        secret: &Secret,
    ) -> Result<Self, Error> {
        Self::open_over(wanted, ids, Some(secret.clone()))
    }

    fn open_over(
        wanted: &Options,
        ids: Arc<dyn Ids>,
        copied: Option<Secret>,
    ) -> Result<Self, Error> {
        let options = connect_options(wanted)?;
        let (to_begin, with) = (wanted.clone(), options.clone());
        // Within a runtime nothing may wait for another one.
        let begun =
            std::thread::spawn(move || Begun::new(&to_begin, &with, copied.as_ref())).join();
        let begun = begun.map_err(|_| Error::unavailable("opening the database panicked"))??;
        let Begun { runtime, connection, keyring, lease, tip, queued, began } = begun;
        let pool = PgPoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(READER_WAITS)
            .after_connect(|connection, _| Box::pin(limit(connection)))
            .connect_lazy_with(options.clone());
        let reader = Reader { pool, keyring: Arc::new(keyring), unreadable: Found::default() };
        let (outbox, health) = (Outbox::default(), Mutex::new(Health::Well));
        outbox.add(queued);
        outbox.holds_until(began + lease.lasts);
        let (recent, fence) = (Recent::default(), lease.fence);
        let shared = Arc::new(Shared { reader, recent, outbox, health, fence });
        let (queue, jobs) = mpsc::channel(QUEUE_MAX);
        let committer = Committer {
            options,
            connection: Some(connection),
            lease,
            tip,
            known: HashMap::new(),
            ids,
            shared: Arc::clone(&shared),
            prolong_at: began + lease.lasts / 3,
            is_full: false,
        };
        let committer = Some(committer.spawn(runtime, jobs)?);
        Ok(Self { queue: Some(queue), committer, shared })
    }

    /// Hands a job to the committer and waits for what came of it.
    async fn ask(&self, job: impl FnOnce(Reply) -> Job) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(closed)?;
        queue.send(job(reply)).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    async fn step(&self, step: Step) -> Result<(), Error> {
        self.ask(|reply| Job::Step { step, reply }).await
    }
}

fn connect_options(wanted: &Options) -> Result<PgConnectOptions, Error> {
    let options = address(&wanted.url)?.application_name(&status::connection_name(&wanted.node));
    // Poolers refuse this one where nobody tells them otherwise.
    Ok(options.extra_float_digits(None))
}

/// A connection with its limits.
async fn connect(with: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    let mut connection = PgConnection::connect_with(with).await?;
    limit(&mut connection).await?;
    Ok(connection)
}

/// How long statements and transactions may take. It is said once the connection is there: poolers pass no options on.
async fn limit(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let set = sqlx::query(
        "select set_config('statement_timeout', $1, false), \
         set_config('idle_in_transaction_session_timeout', $2, false)",
    );
    let [statement, idle] = [STATEMENT_MAX, IDLE_MAX].map(|limit| limit.as_millis().to_string());
    set.bind(statement).bind(idle).execute(connection).await.map(drop)
}

/// What the driver would take besides isn't meant: addresses of other databases, and a password with a `#` for a host.
fn address(url: &str) -> Result<PgConnectOptions, Error> {
    let parsed = reqwest::Url::parse(url).map_err(|_| Error::NoAddress)?;
    if !matches!(parsed.scheme(), "postgres" | "postgresql") || parsed.fragment().is_some() {
        return Err(Error::NoAddress);
    }
    PgConnectOptions::from_str(url).map_err(|_| Error::NoAddress)
}

#[async_trait]
impl Store for PostgresStore {
    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        self.step(Step::Commit(Box::new(commit))).await
    }

    async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error> {
        // Who asks again and again lets others run all the same.
        consume_budget().await;
        let Shared { reader, recent, .. } = &*self.shared;
        if let Some(loaded) = self.shared.known().and_then(|known| known.get(session)) {
            return Ok(Some(loaded));
        }
        let mark = recent.mark(Item::Session(session));
        let loaded = within(reader.load(session)).await?;
        if let Some(loaded) = &loaded {
            recent.keep(mark, |known| known.keep(loaded));
        }
        Ok(loaded)
    }

    async fn find(&self, by: Find) -> Result<Vec<Head>, Error> {
        if let Find::One(session) = by {
            consume_budget().await;
            if let Some(head) = self.shared.known().and_then(|known| known.head(session)) {
                return Ok(Some(head).filter(|head| head.parent.is_none()).into_iter().collect());
            }
        }
        if let Find::RecentlyUpdated { .. } = by {
            self.shared.reader.date_sessions().await?;
        }
        within(self.shared.reader.find(by)).await
    }

    async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
        consume_budget().await;
        let Shared { reader, recent, .. } = &*self.shared;
        if let Some(shown) = self.shared.known().and_then(|known| known.wait(id)) {
            return Ok(Some(shown));
        }
        let mark = recent.mark(Item::Wait(id));
        let shown = within(reader.wait(id)).await?;
        if let Some(shown) = &shown {
            recent.keep(mark, |known| known.keep_wait(shown));
        }
        Ok(shown)
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
        within(self.shared.reader.due(now, limit)).await
    }

    async fn claim(&self, now: DateTime<Utc>, capacity: Capacity) -> Result<Vec<Effect>, Error> {
        match self.shared.health() {
            Health::Well => {
                let Shared { outbox, reader, .. } = &*self.shared;
                within(outbox.claim(reader, now, capacity)).await
            }
            Health::ReadOnly(trouble) => Err(Error::ReadOnly(trouble)),
        }
    }

    async fn done(&self, effect: EffectId, delivery: Delivery) -> Result<(), Error> {
        let Shared { outbox, reader, .. } = &*self.shared;
        match within(outbox.tried(reader, effect)).await? {
            Some(effect) => self.step(Step::Done { effect: Box::new(effect), delivery }).await,
            None => Ok(()),
        }
    }

    async fn hurry(&self, cause: &Cause, most: usize) -> Result<usize, Error> {
        Ok(self.shared.outbox.hurry(cause, most))
    }

    async fn blocked(&self) -> Result<Vec<(Cause, usize)>, Error> {
        Ok(self.shared.outbox.blocked())
    }

    async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error> {
        within(self.shared.reader.outbox(session)).await
    }

    async fn sessions(&self, after: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error> {
        within(self.shared.reader.sessions(after, limit)).await
    }

    async fn has(&self, session: SessionId) -> Result<bool, Error> {
        within(self.shared.reader.has(session)).await
    }

    async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
        within(self.shared.reader.audit(from, limit)).await
    }

    async fn audit_of(
        &self,
        session: SessionId,
        from: Option<u64>,
    ) -> Result<(Vec<Sealed>, Option<u64>), Error> {
        within(self.shared.reader.audit_of(session, from)).await
    }

    async fn erase(&self, erasure: Erasure) -> Result<(), Error> {
        self.ask(|reply| Job::Erase { erasure: Box::new(erasure), reply }).await
    }

    async fn is_known_event(&self, key: &str) -> Result<bool, Error> {
        within(self.shared.reader.is_known_event(key)).await
    }

    async fn balance(&self, account: &str) -> Result<Balance, Error> {
        within(self.shared.reader.balance(account)).await
    }

    async fn note(&self, note: Note) -> Result<(), Error> {
        self.step(Step::Note(Box::new(note))).await
    }

    async fn noted(&self, key: &str) -> Result<Option<Note>, Error> {
        consume_budget().await;
        let Shared { reader, recent, .. } = &*self.shared;
        if let Some(CachedNote(note)) = self.shared.known().and_then(|known| known.note(key)) {
            return Ok(note);
        }
        let mark = recent.mark(Item::Note(key));
        let note = within(reader.note(key)).await?;
        recent.keep(mark, |known| known.keep_note(key.to_owned(), note.clone()));
        Ok(note)
    }

    async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error> {
        self.shared.reader.notes(prefix).await
    }

    fn unreadable(&self) -> Vec<Unreadable> {
        self.shared.reader.unreadable.all()
    }

    async fn verify(&self) -> Result<(), Error> {
        self.shared.reader.unreadable.clear();
        Ok(())
    }

    fn is_inherited(&self, effect: EffectId) -> bool {
        self.shared.outbox.is_inherited(effect)
    }

    fn is_active(&self) -> bool {
        self.shared.outbox.holds_lease()
    }

    fn health(&self) -> Health {
        self.shared.health()
    }
}

#[async_trait]
impl FileKeys for PostgresStore {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        Ok(within(self.shared.reader.keys_of(session)).await?.map(|keys| keys.files()))
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        Ok(self.shared.reader.keyring.secret.link_key())
    }

    fn files(&self) -> Option<&dyn FileStore> {
        Some(self)
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(committer) = self.committer.take()
            && committer.join().is_err()
        {
            tracing::error!(
                "the store's committer had panicked; what it had not acknowledged may be lost"
            );
        }
    }
}

impl fmt::Debug for PostgresStore {
    // Options and keys are nobody's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").field("health", &self.health()).finish_non_exhaustive()
    }
}

fn closed() -> Error {
    Error::unavailable("the store is closed")
}

/// What comes of a question to the database, or an error where no answer comes: the network may have swallowed it.
async fn within<T>(asked: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let silent = |_| Error::unavailable("the database server does not answer");
    timeout(ANSWER_MAX, asked).await.map_err(silent)?
}

/// A connection; says where it leads where there is none.
async fn connected(with: &PgConnectOptions) -> Result<PgConnection, Error> {
    let why = match timeout(ANSWER_MAX, connect(with)).await {
        Ok(Ok(connection)) => return Ok(connection),
        Ok(Err(sqlx::Error::Io(error))) => error.to_string(),
        Ok(Err(sqlx::Error::Database(error))) => error.message().to_owned(),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it does not answer".to_owned(),
    };
    Err(Error::Unreachable { what: status::named(with), why })
}

/// What an error of the database means for who asked.
fn trouble(error: sqlx::Error) -> Error {
    Error::unavailable(error)
}

/// Whether a statement met another transaction, and may go through if it is tried again.
fn is_race(error: &Error) -> bool {
    let Error::Unavailable(source) = error else { return false };
    let source = source.downcast_ref::<sqlx::Error>().and_then(sqlx::Error::as_database_error);
    let code = source.and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code == "40001" || code == "40P01")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_something_else_is_told_without_the_password() {
        for url in ["postgres://ada:p%23ss@db.example:5432/bot", "postgresql:///bot?host=/run/db"] {
            assert!(address(url).is_ok(), "{url}");
        }
        for url in [
            "foo",
            "mysql://ada:secret@db/bot",
            "postgres://ada:secret/1@db/bot",
            "postgres://ada:1#secret@db/bot",
        ] {
            let error = address(url).unwrap_err();
            assert!(matches!(error, Error::NoAddress), "{url}: {error:?}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
