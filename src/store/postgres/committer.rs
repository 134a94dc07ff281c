//! The one thread that writes. What queues while a batch is on its way goes with the next one, so that many steps share
//! one statement and one sync of the database's log.
//!
//! When the connection breaks while a batch is on its way, nobody knows whether it was written. Each batch has a number
//! of its own: the next connection tells which one came last, and the batch is written again if it was not.

use std::{
    collections::HashMap,
    mem,
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use sqlx::{
    Connection as _, PgConnection,
    postgres::{PgConnectOptions, PgDatabaseError, PgSeverity},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::{sleep, timeout},
};

use super::{
    Shared,
    batch::{Known, Outgoing, Picture, Step, Tip, Wanted},
    connect, is_race,
    lease::{self, Lease},
    read, trouble, write,
};
use crate::{
    base::ids::{Ids, SessionId},
    store::{
        Erasure, Error,
        health::{Health, Trouble},
    },
};

/// Steps that go in one batch.
const BATCH_MAX: usize = 128;

/// Sessions of which the keys and the last event are remembered, each of about a kilobyte.
const KNOWN_MAX: usize = 1024;

/// Longest time that one statement may take.
pub(super) const STATEMENT_MAX: Duration = Duration::from_secs(5);

/// How often a connection is tried anew in bad times.
const TRIES_EVERY: Duration = Duration::from_millis(500);

/// How often a batch that met another one is written again.
const RETRIES: usize = 3;

pub(super) type Reply = oneshot::Sender<Result<(), Error>>;

/// Something for the committer to do.
pub(super) enum Job {
    Step { step: Step, reply: Reply },
    Erase { erasure: Box<Erasure>, reply: Reply },
}

/// What the committer works with.
pub(super) struct Committer {
    pub(super) options: PgConnectOptions,
    /// None after it broke.
    pub(super) connection: Option<PgConnection>,
    pub(super) lease: Lease,
    pub(super) tip: Tip,
    pub(super) known: HashMap<SessionId, Known>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) shared: Arc<Shared>,
    /// When the lease is prolonged next, if nothing is written until then.
    pub(super) prolong_at: Instant,
    /// The server had no space when something was written last.
    pub(super) is_full: bool,
}

/// Why a batch was not written.
enum Failure {
    /// Nothing was written, for this reason.
    Refused(Error),
    /// The connection broke: it may have been written.
    Unsure(Trouble),
    /// It may have been written. Where it wasn't, this is why, and it would not be at the next try either.
    Doubtful(Error),
    /// Another node writes now.
    Fenced,
}

impl Failure {
    fn of(error: sqlx::Error) -> Self {
        let Some(told) = error.as_database_error() else {
            return Self::Unsure(Trouble::Unreachable);
        };
        let severity = told.try_downcast_ref::<PgDatabaseError>().map(PgDatabaseError::severity);
        let code = told.code().unwrap_or_default();
        match (&*code, code.get(..2).unwrap_or_default()) {
            // Division by zero, which is what the statement does where it is not this node's turn.
            ("22012", _) => Self::Fenced,
            ("53100", _) => Self::Unsure(Trouble::DatabaseFull),
            _ if matches!(severity, Some(PgSeverity::Fatal | PgSeverity::Panic)) => {
                Self::Unsure(Trouble::Unreachable)
            }
            // The server stops or has become a replica: another one will answer. Or a pooler has lost the server.
            ("25006", _) | (_, "08") => Self::Unsure(Trouble::Unreachable),
            (code, _) if code.starts_with("57P") => Self::Unsure(Trouble::Unreachable),
            // What the statement itself is to blame for, another transaction, or the time it took.
            ("40001" | "40P01" | "57014", _) | (_, "22" | "23" | "42") => {
                Self::Refused(trouble(error))
            }
            _ => Self::Doubtful(trouble(error)),
        }
    }
}

impl Committer {
    /// Runs on a thread of its own until nobody has anything for it to do.
    pub(super) fn spawn(
        self,
        runtime: tokio::runtime::Runtime,
        jobs: mpsc::Receiver<Job>,
    ) -> Result<JoinHandle<()>, Error> {
        let thread = std::thread::Builder::new().name("store-committer".to_owned());
        thread.spawn(move || runtime.block_on(self.run(jobs))).map_err(Error::unavailable)
    }

    async fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut next = None;
        loop {
            let job = if let Some(job) = next.take() {
                Some(job)
            } else {
                tokio::select! {
                    job = jobs.recv() => match job {
                        Some(job) => Some(job),
                        None => break,
                    },
                    () = tokio::time::sleep_until(self.prolong_at.into()) => None,
                }
            };
            match job {
                None => self.prolong().await,
                Some(Job::Erase { erasure, reply }) => {
                    let done = self.erase(*erasure).await;
                    // Who no longer waits has been told that the outcome is not known.
                    _ = reply.send(done);
                }
                Some(Job::Step { step, reply }) => {
                    let mut steps = vec![(step, reply)];
                    while steps.len() < BATCH_MAX {
                        match jobs.try_recv() {
                            Ok(Job::Step { step, reply }) => steps.push((step, reply)),
                            Ok(other) => {
                                next = Some(other);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    self.steps(steps).await;
                }
            }
        }
        if let Some(mut connection) = self.connection.take() {
            _ = timeout(STATEMENT_MAX, lease::give_back(&mut connection, self.lease)).await;
            _ = timeout(STATEMENT_MAX, connection.close()).await;
        }
    }

    /// Works out and writes a batch, and answers everybody in it.
    async fn steps(&mut self, steps: Vec<(Step, Reply)>) {
        let (steps, replies): (Vec<Step>, Vec<Reply>) = steps.into_iter().unzip();
        match self.written(&steps).await {
            Ok(results) => {
                for ((result, step), reply) in results.into_iter().zip(steps).zip(replies) {
                    let done = result.map(|outgoing| {
                        self.shared.recent.add(step);
                        self.shared.outbox.apply(outgoing);
                    });
                    _ = reply.send(done);
                }
            }
            Err(error) => {
                for reply in replies {
                    _ = reply.send(Err(error.clone()));
                }
            }
        }
    }

    /// What came of each step, once those that were not refused are on the device.
    async fn written(&mut self, steps: &[Step]) -> Result<Vec<Result<Outgoing, Error>>, Error> {
        let mut wanted = Wanted::default();
        for step in steps {
            wanted.add(&self.shared.reader.keyring, step);
        }
        self.batch(&wanted, |picture| {
            let results: Vec<_> = steps.iter().map(|step| picture.apply(step)).collect();
            let is_anything_written = results.iter().any(Result::is_ok);
            Ok((results, is_anything_written))
        })
        .await
    }

    /// Reads what is `wanted`, has a batch worked out from it, and writes that where there is anything to write.
    async fn batch<T>(
        &mut self,
        wanted: &Wanted,
        work_out: impl Fn(&mut Picture) -> Result<(T, bool), Error>,
    ) -> Result<T, Error> {
        let mut retries = RETRIES;
        loop {
            self.ready().await?;
            let tried = match self.picture(wanted).await {
                Ok(mut picture) => {
                    let (done, is_anything_written) = work_out(&mut picture)?;
                    if !is_anything_written {
                        return Ok(done);
                    }
                    self.write(&picture).await.map(|()| (picture, done))
                }
                Err(Failure::Refused(error)) => return Err(error),
                // Nothing was written: what was read is read again.
                Err(_) if retries > 0 => {
                    retries -= 1;
                    self.connection = None;
                    continue;
                }
                Err(Failure::Doubtful(error)) => {
                    self.connection = None;
                    return Err(error);
                }
                Err(Failure::Unsure(bad)) => return Err(self.unwell(bad)),
                Err(Failure::Fenced) => return Err(self.unwell(Trouble::TakenOver)),
            };
            match tried {
                Ok((picture, done)) => {
                    self.settle(picture);
                    return Ok(done);
                }
                Err(error) if is_race(&error) && retries > 0 => {
                    retries -= 1;
                    self.known.clear();
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// What a batch is worked out from.
    async fn picture(&mut self, wanted: &Wanted) -> Result<Picture, Failure> {
        let Some(connection) = &mut self.connection else {
            return Err(Failure::Unsure(Trouble::Unreachable));
        };
        let with = (Arc::clone(&self.shared.reader.keyring), Arc::clone(&self.ids));
        let tip = self.tip.next().map_err(Failure::Refused)?;
        let read = write::picture(connection, with, wanted, (&self.known, tip));
        match timeout(STATEMENT_MAX, read).await {
            Ok(Ok(picture)) => {
                let picture = picture.map_err(Failure::Refused)?;
                self.report(&picture.damaged);
                Ok(picture)
            }
            Ok(Err(error)) => Err(Failure::of(error)),
            Err(_) => Err(Failure::Unsure(Trouble::Slow)),
        }
    }

    /// Says once what is damaged that no step needs.
    fn report(&self, damaged: &[Error]) {
        let found = &self.shared.reader.unreadable;
        for error in damaged.iter().filter(|error| found.note(error)) {
            tracing::error!(%error, "something stored is damaged, and is written anew");
        }
    }

    /// Remembers what a batch has changed.
    fn settle(&mut self, picture: Picture) {
        if self.is_full {
            self.has_room();
        }
        let Picture { sessions, tip, .. } = picture;
        self.tip = tip;
        if self.known.len() >= KNOWN_MAX {
            self.known.clear();
        }
        self.known.extend(sessions);
    }

    /// Writes a batch, and finds out whether it is there where the connection breaks meanwhile.
    async fn write(&mut self, picture: &Picture) -> Result<(), Error> {
        let (began, mut is_again) = (Instant::now(), false);
        loop {
            let failure = match self.try_write(picture).await {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            let (bad, refusal) = match failure {
                Failure::Refused(error) => return Err(error),
                Failure::Fenced => (Trouble::TakenOver, None),
                Failure::Unsure(bad) => (bad, None),
                Failure::Doubtful(error) => (Trouble::Unreachable, Some(error)),
            };
            self.connection = None;
            if mem::replace(&mut is_again, true) {
                sleep(TRIES_EVERY).await;
            }
            loop {
                // By then another node may have taken over.
                if began.elapsed() > self.lease.lasts {
                    return Err(self.unwell(bad));
                }
                match self.reconnect().await {
                    Ok(Some(tip)) if tip == self.tip => match refusal {
                        Some(error) => return Err(error),
                        None if bad == Trouble::DatabaseFull => return Err(self.unwell(bad)),
                        None => break,
                    },
                    Ok(Some(tip)) if tip == picture.tip => return Ok(()),
                    Ok(_) => return Err(self.unwell(Trouble::TakenOver)),
                    Err(_) => sleep(TRIES_EVERY).await,
                }
            }
        }
    }

    async fn try_write(&mut self, picture: &Picture) -> Result<(), Failure> {
        let Some(connection) = &mut self.connection else {
            return Err(Failure::Unsure(Trouble::Unreachable));
        };
        let (began, turn) = (Instant::now(), (self.lease, self.tip.batch));
        let batch = (&picture.writes, &picture.tip);
        let written = async {
            match picture.deletion {
                Some(deletion) => write::delete_and_write(connection, deletion, turn, batch).await,
                None => write::write(connection, turn, batch).await,
            }
        };
        match timeout(STATEMENT_MAX, written).await {
            Ok(Ok(())) => {
                self.prolonged(began);
                Ok(())
            }
            Ok(Err(error)) => Err(Failure::of(error)),
            Err(_) => Err(Failure::Unsure(Trouble::Slow)),
        }
    }

    /// Erases a session, in a batch of its own.
    async fn erase(&mut self, erasure: Erasure) -> Result<(), Error> {
        erasure.check()?;
        let session = erasure.session;
        let mut wanted = Wanted::default();
        wanted.sessions.insert(session);
        let (queued, is_deleted) = self
            .batch(&wanted, |picture| {
                let queued = picture.erase(&erasure)?;
                Ok(((queued, picture.deletion.is_some()), true))
            })
            .await?;
        if erasure.rest.is_none() {
            self.known.remove(&session);
        }
        self.shared.recent.erased(session);
        if is_deleted {
            self.shared.outbox.forget(session);
        }
        self.shared.outbox.apply(queued);
        Ok(())
    }

    /// There is a connection, and this node may write.
    async fn ready(&mut self) -> Result<(), Error> {
        if self.shared.health() == Health::ReadOnly(Trouble::TakenOver) {
            return Err(Error::ReadOnly(Trouble::TakenOver));
        }
        if self.connection.is_some() {
            return Ok(());
        }
        match self.reconnect().await {
            // Of a batch that nobody followed up any more, it is known now whether it was written.
            Ok(Some(tip)) => {
                self.tip = tip;
                self.known.clear();
                self.shared.recent.clear();
                self.queued().await?;
                // A lease takes no space: that it was prolonged says nothing of what people say.
                let is_well = !self.is_full;
                let full = Health::ReadOnly(Trouble::DatabaseFull);
                self.shared.set_health(if is_well { Health::Well } else { full });
                Ok(())
            }
            Ok(None) => Err(self.unwell(Trouble::TakenOver)),
            Err(error) => Err(self.unwell(match Failure::of(error) {
                Failure::Unsure(bad) => bad,
                _ => Trouble::Unreachable,
            })),
        }
    }

    /// Adds what a batch has queued whose answer never came.
    async fn queued(&mut self) -> Result<(), Error> {
        let Some(connection) = &mut self.connection else { return Ok(()) };
        let queued = timeout(STATEMENT_MAX, read::queued(connection)).await;
        let Ok(Ok(queued)) = queued else {
            return Err(self.unwell(Trouble::Unreachable));
        };
        self.shared.outbox.add(queued);
        Ok(())
    }

    /// Connects anew and prolongs the lease; how far the store is, if it is still this node's.
    async fn reconnect(&mut self) -> Result<Option<Tip>, sqlx::Error> {
        let began = Instant::now();
        let connected = async {
            let mut connection = connect(&self.options).await?;
            let tip = lease::prolong(&mut connection, self.lease).await?;
            Ok::<_, sqlx::Error>((connection, tip))
        };
        let connected = timeout(STATEMENT_MAX, connected).await;
        let (connection, tip) = connected.unwrap_or(Err(sqlx::Error::PoolTimedOut))?;
        self.connection = Some(connection);
        if tip.is_some() {
            self.prolonged(began);
        }
        Ok(tip)
    }

    /// Prolongs the lease where nothing is written, and mends what is broken.
    async fn prolong(&mut self) {
        let lasts = self.lease.lasts;
        let began = Instant::now();
        self.prolong_at = began + lasts / 3;
        let Some(connection) = &mut self.connection else {
            self.prolong_at = began + TRIES_EVERY;
            // What it comes to is to be read from the health.
            _ = self.ready().await;
            return;
        };
        match timeout(STATEMENT_MAX, lease::prolong(connection, self.lease)).await {
            Ok(Ok(Some(tip))) if tip == self.tip => {
                self.prolonged(began);
                self.shared.recent.known().tidy();
                self.look_for_room().await;
            }
            Ok(Ok(None)) => drop(self.unwell(Trouble::TakenOver)),
            // Also where a batch that was given up has reached the server after all: everything is read anew.
            Ok(Ok(Some(_)) | Err(_)) | Err(_) => {
                self.connection = None;
                self.prolong_at = Instant::now();
            }
        }
    }

    /// Finds out whether there is space again, where there was none and nobody writes.
    async fn look_for_room(&mut self) {
        let Some(connection) = self.connection.as_mut().filter(|_| self.is_full) else { return };
        match timeout(STATEMENT_MAX, write::try_room(connection)).await {
            Ok(Ok(())) => self.has_room(),
            // If the connection is what broke, it is found out with the lease.
            Ok(Err(_)) => {}
            Err(_) => self.connection = None,
        }
    }

    fn has_room(&mut self) {
        self.is_full = false;
        self.shared.set_health(Health::Well);
    }

    fn prolonged(&mut self, began: Instant) {
        self.prolong_at = began + self.lease.lasts / 3;
        self.shared.outbox.holds_until(began + self.lease.lasts);
    }

    /// The store takes no writes until a new connection says that it does.
    fn unwell(&mut self, bad: Trouble) -> Error {
        self.connection = None;
        self.is_full |= bad == Trouble::DatabaseFull;
        if self.shared.health() != Health::ReadOnly(bad) {
            tracing::warn!(trouble = %bad, "the database takes no writes. hint: {}", bad.hint());
        }
        self.shared.set_health(Health::ReadOnly(bad));
        Error::ReadOnly(bad)
    }
}
