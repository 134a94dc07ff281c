//! One task and one bounded queue per active session; nothing for a waiting one.
//!
//! The task decides inbound events in their order, and drives the work beside them: an event that comes while a tool
//! runs is decided and acknowledged at once, and the current step notices by the conflict.

use std::{
    collections::HashMap,
    future::pending,
    panic::AssertUnwindSafe,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use futures::FutureExt as _;
use tokio::sync::{mpsc, oneshot, watch};

use super::{Engine, Error, erasure::Erased};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::SessionId,
    },
    config::Tenant,
    model::{
        effect::{Delivery, Effect},
        team::Team,
        ui::Reply,
        wait::{Purpose, Settlement},
    },
    session::{Inbound, InboundKind, Receipt, SessionView, decide},
    store::{self, TimerKind},
};

/// Longest pause before failed work is tried again.
const PAUSE_MAX: TimeDelta = TimeDelta::seconds(60);

/// Something for a session to do.
#[derive(Debug)]
pub(super) enum TaskCommand {
    /// A person did something.
    Inbound(Box<Inbound>, oneshot::Sender<Result<Receipt, Error>>),
    /// A timer fired.
    Timer(TimerKind),
    /// Something came of an effect, and who of the team may be asked directly where that was nothing; the answer says
    /// whether that is durable.
    Delivered(Box<Effect>, Delivery, Team, oneshot::Sender<Result<(), Error>>),
    /// Somebody who may orders the session erased, by this word for who they are.
    Erase(&'static str, oneshot::Sender<Result<Erased, Error>>),
    /// Somebody who may keeps the session from being erased, for this reason, or no longer does.
    Hold {
        by: String,
        reason: Option<String>,
        answer: oneshot::Sender<Result<Option<Erased>, Error>>,
    },
    /// There is work in progress.
    Work,
    /// Something was kept for as long as was promised.
    LetGo,
}

/// The work of an active session, from one step to the next until it rests.
type Work<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The mailbox of an active session: its commands, in order, up to a bound.
type Mailbox = mpsc::Sender<TaskCommand>;

/// The active sessions.
#[derive(Debug, Default)]
struct Active {
    /// With the tenant, where it is known.
    mailboxes: HashMap<SessionId, (Mailbox, Option<String>)>,
    /// How many each tenant has.
    counts: HashMap<String, usize>,
}

impl Active {
    fn insert(&mut self, session: SessionId, mailbox: Mailbox, tenant: Option<&Tenant>) {
        let tenant = tenant.map(|tenant| tenant.name.clone());
        if let Some(name) = &tenant {
            *self.counts.entry(name.clone()).or_default() += 1;
        }
        self.mailboxes.insert(session, (mailbox, tenant));
    }

    fn remove(&mut self, session: SessionId) {
        let Some((_, Some(tenant))) = self.mailboxes.remove(&session) else { return };
        if let Some(count) = self.counts.get_mut(&tenant) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&tenant);
            }
        }
    }

    fn of(&self, tenant: &Tenant) -> usize {
        self.counts.get(&tenant.name).copied().unwrap_or_default()
    }
}

/// The mailboxes of the active sessions.
#[derive(Debug)]
pub(super) struct SessionTasks {
    current: Mutex<Active>,
    active: watch::Sender<usize>,
    /// Sessions whose work failed: how often in a row, and when it is tried again.
    setbacks: Mutex<HashMap<SessionId, (u32, DateTime<Utc>)>>,
}

impl Default for SessionTasks {
    fn default() -> Self {
        Self {
            current: Mutex::default(),
            active: watch::Sender::new(0),
            setbacks: Mutex::default(),
        }
    }
}

impl SessionTasks {
    fn lock(&self) -> MutexGuard<'_, Active> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no session is active.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().mailboxes.is_empty()
    }

    /// How many sessions are active, and how many jobs are queued for them.
    pub(super) fn load(&self) -> (usize, usize) {
        let current = self.lock();
        let jobs = current.mailboxes.values();
        let jobs = jobs.map(|(mailbox, _)| mailbox.max_capacity() - mailbox.capacity()).sum();
        (current.mailboxes.len(), jobs)
    }

    /// Whether a session is active.
    pub(super) fn is_active(&self, session: SessionId) -> bool {
        self.lock().mailboxes.contains_key(&session)
    }

    /// Whether work that failed before may be tried again.
    pub(super) fn may_try(&self, session: SessionId, now: DateTime<Utc>) -> bool {
        let setbacks = self.setbacks.lock().unwrap_or_else(PoisonError::into_inner);
        // Further off than the longest pause: the clock was set back.
        let is_over = |again: DateTime<Utc>| again <= now || again - now > PAUSE_MAX;
        setbacks.get(&session).is_none_or(|(_, again)| is_over(*again))
    }

    /// Notes how a session's work went. A failure is tried again after a pause that doubles, so that one broken
    /// session does not keep the process busy.
    pub(super) fn went(&self, session: SessionId, well: bool, now: DateTime<Utc>) {
        let mut setbacks = self.setbacks.lock().unwrap_or_else(PoisonError::into_inner);
        if well {
            setbacks.remove(&session);
            return;
        }
        let (failures, again) = setbacks.entry(session).or_insert((0, now));
        let pause = TimeDelta::seconds(1 << (*failures).min(6));
        *again = now + pause.min(PAUSE_MAX);
        *failures += 1;
    }

    /// Resolves when no session is active.
    pub(super) async fn quiet(&self) {
        let mut active = self.active.subscribe();
        // The sender lives as long as `self`.
        _ = active.wait_for(|active| *active == 0).await;
    }

    /// Ends a session's task if its mailbox is empty.
    fn close(&self, session: SessionId, queue: &mpsc::Receiver<TaskCommand>) -> bool {
        let mut current = self.lock();
        if !queue.is_empty() {
            return false;
        }
        current.remove(session);
        self.active.send_replace(current.mailboxes.len());
        true
    }
}

/// Removes the mailbox whatever happens to the task, so that a panic does not leave a session that takes nothing.
struct Leave<'a> {
    tasks: &'a SessionTasks,
    session: SessionId,
    /// Closed in good order; a new task may have begun already.
    closed: bool,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if !self.closed {
            let mut current = self.tasks.lock();
            current.remove(self.session);
            self.tasks.active.send_replace(current.mailboxes.len());
        }
    }
}

impl Engine {
    /// Puts a command into the mailbox of a session, starting its task if it has none.
    pub(super) fn dispatch(&self, session: SessionId, job: TaskCommand) -> Result<(), Error> {
        let inner = &self.inner;
        // What has left is still noted: else it would leave again after the start.
        if inner.closing.is_cancelled() && !matches!(job, TaskCommand::Delivered(..)) {
            return Err(Error::Busy);
        }
        let tenant = self.tenant_of(&job);
        self.dispatch_for(session, job, tenant)
    }

    /// Puts a command into the mailbox of a session of `tenant`, starting its task if it has none and the tenant has
    /// room for one. Also works while the engine closes.
    pub(super) fn dispatch_for(
        &self,
        session: SessionId,
        job: TaskCommand,
        tenant: Option<&Tenant>,
    ) -> Result<(), Error> {
        let inner = &self.inner;
        let mut current = inner.session_tasks.lock();
        if let Some((mailbox, _)) = current.mailboxes.get(&session) {
            return mailbox.try_send(job).map_err(|_| Error::Busy);
        }
        // One tenant's crowd leaves room for the others.
        let is_full = |tenant: &Tenant| current.of(tenant) >= inner.limits.active_of(tenant);
        if current.mailboxes.len() >= inner.limits.active || tenant.is_some_and(is_full) {
            return Err(Error::Busy);
        }
        let (mailbox, jobs) = mpsc::channel(inner.limits.queue);
        mailbox.try_send(job).map_err(|_| Error::Busy)?;
        current.insert(session, mailbox, tenant);
        inner.session_tasks.active.send_replace(current.mailboxes.len());
        drop(current);
        let engine = self.clone();
        inner.tasks.spawn(async move {
            let attended = AssertUnwindSafe(engine.process_commands(session, jobs)).catch_unwind().await;
            if attended.is_err() {
                tracing::error!(session.id = %session, "a session's task panicked; its work will be retried");
                engine.went(session, false);
            }
        });
        Ok(())
    }

    /// Whose a command is, as far as it says so itself: what is read for that would cost more than it saves.
    fn tenant_of(&self, job: &TaskCommand) -> Option<&Tenant> {
        let tenants = &self.inner.limits.tenants;
        let tenant = match job {
            TaskCommand::Inbound(inbound, _) => {
                let person = &inbound.from.person;
                tenants.of(person.platform, &person.workspace)
            }
            // What has left must be noted however busy the tenant is, or it leaves again.
            TaskCommand::Delivered(..)
            | TaskCommand::Timer(_)
            | TaskCommand::Erase(..)
            | TaskCommand::Hold { .. }
            | TaskCommand::Work
            | TaskCommand::LetGo => None,
        };
        tenant.map(Arc::as_ref)
    }

    /// Erases a session on the order of `by` (`operator`, `staff`), between two of its events and never beside one;
    /// see [`Engine::erase`].
    pub async fn order_erasure(
        &self,
        session: SessionId,
        by: &'static str,
    ) -> Result<Erased, Error> {
        let (answer, receipt) = oneshot::channel();
        self.dispatch(session, TaskCommand::Erase(by, answer))?;
        receipt.await.map_err(|_| Error::Busy)?
    }

    /// Places a hold, with the reason, or releases it: nothing of the session is erased while it stands. `by` says on
    /// whose order (`operator`, `staff`). What came of the participant's own order to erase everything, where it had
    /// waited for the end. Between two of the session's events and never beside one: what retention or an erasure has
    /// begun to remove is removed before the hold is placed.
    pub async fn hold(
        &self,
        session: SessionId,
        by: &str,
        reason: Option<&str>,
    ) -> Result<Option<Erased>, Error> {
        let (answer, placed) = oneshot::channel();
        let (by, reason) = (by.to_owned(), reason.map(str::to_owned));
        self.dispatch(session, TaskCommand::Hold { by, reason, answer })?;
        placed.await.map_err(|_| Error::Busy)?
    }

    /// Attends to a session until it rests.
    async fn process_commands(&self, session: SessionId, mut jobs: mpsc::Receiver<TaskCommand>) {
        let mut leave = Leave { tasks: &self.inner.session_tasks, session, closed: false };
        let mut work: Option<Work<'_>> = None;
        // Something was committed, perhaps while the work looked: it may have looked too early.
        let mut again = false;
        loop {
            tokio::select! {
                biased;
                // Cancel-safe: an unreceived job stays queued. `work` is kept across iterations, never dropped half-way.
                job = jobs.recv(), if !jobs.is_empty() || work.is_some() => {
                    let Some(job) = job else { break };
                    again |= self.handle_beside(session, job, &mut work).await;
                }
                () = going_on(&mut work) => {}
            }
            if work.is_none() && std::mem::take(&mut again) {
                work = Some(Box::pin(self.drive(session)));
            }
            if work.is_none() && self.inner.session_tasks.close(session, &jobs) {
                leave.closed = true;
                return;
            }
        }
    }

    /// Deals with one job while the work goes on, which may hold what the job waits for; whether there may be work
    /// afterwards.
    async fn handle_beside(
        &self,
        session: SessionId,
        job: TaskCommand,
        work: &mut Option<Work<'_>>,
    ) -> bool {
        let mut handled = pin!(self.handle(session, job));
        loop {
            tokio::select! {
                biased;
                worked = &mut handled => return worked,
                () = going_on(work) => {}
            }
        }
    }

    /// Deals with one job; whether there may be work afterwards.
    async fn handle(&self, session: SessionId, job: TaskCommand) -> bool {
        match job {
            TaskCommand::Work => {
                // A session that rests has its timer cleared by this; for one with work, nothing changes.
                let woken = self.settle_timer(session).await;
                report(session, "work", &woken);
                woken.is_ok()
            }
            TaskCommand::Inbound(inbound, answer) => {
                hit(Failpoint::InboundTaken);
                let taken = self.take_in(*inbound).await;
                hit(Failpoint::InboundDurable);
                let has_work = matches!(taken, Ok((_, true)));
                // The caller may have gone; what it asked for is durable all the same.
                _ = answer.send(taken.map(|(receipt, _)| receipt));
                has_work
            }
            TaskCommand::Erase(by, answer) => {
                // Whoever ordered it may have gone; it is erased all the same.
                _ = answer.send(self.erase(session, by).await);
                false
            }
            TaskCommand::Hold { by, reason, answer } => {
                _ = answer.send(self.hold_now(session, &by, reason.as_deref()).await);
                false
            }
            TaskCommand::Timer(kind) => {
                hit(Failpoint::TimerDue);
                let fired = self.decide(session, |view| decide::timer(view, kind)).await;
                hit(Failpoint::TimerFired);
                report(session, "timer", &fired);
                if fired.is_err() {
                    self.went(session, false);
                }
                fired.is_ok()
            }
            TaskCommand::LetGo => {
                report(session, "retention", &self.let_go(session).await);
                false
            }
            TaskCommand::Delivered(effect, delivery, team, answer) => {
                let note = |view| decide::delivered(view, &effect, &delivery, &team);
                let noted = self.decide(session, note).await;
                report(session, "delivery", &noted);
                // The outbox may have given up waiting; it reports again.
                _ = answer.send(noted);
                false
            }
        }
    }

    /// Notes how a session's work went.
    pub(super) fn went(&self, session: SessionId, well: bool) {
        self.inner.session_tasks.went(session, well, self.inner.parts.clock.now());
    }

    /// Clears the work timer of a session that rests.
    async fn settle_timer(&self, session: SessionId) -> Result<(), Error> {
        let view = self.view(session).await?;
        if view.rests() {
            match self.commit(view.into(), None).await {
                Ok(()) | Err(store::Error::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Decides an inbound event and commits it; the receipt is handed out after that. With it comes whether there may be
    /// work afterwards.
    async fn take_in(&self, inbound: Inbound) -> Result<(Receipt, bool), Error> {
        let Inbound { key, session, from, what } = inbound;
        let speech = self.speech(session, from.person.platform);
        let decide = |view: SessionView| {
            let tenants = &self.inner.limits.tenants;
            let from = from.within(tenants.rights_hold(&from.person, &view.state.place));
            decide::inbound(view, &from, &what, speech.as_ref())
        };
        let (receipt, left) = match self.decide_and_apply(session, &key, decide).await {
            Ok(decided) => decided,
            Err(Error::Store(store::Error::Duplicate)) => return Ok((Receipt::Duplicate, false)),
            Err(error) => return Err(error),
        };
        if receipt == Receipt::Settled(Settlement::Applied) && is_erasure(&left, &what) {
            let receipt = self.erase_as_asked(session).await?;
            let is_held = matches!(receipt, Receipt::Settled(_));
            return Ok((receipt, is_held));
        }
        let is_taken = matches!(receipt, Receipt::Taken | Receipt::Settled(_));
        let rests = left.rests();
        if is_taken && rests {
            self.went(session, true);
        }
        Ok((receipt, is_taken && !rests))
    }
}

/// Whether an answer that counts was the "yes" to erasing everything.
fn is_erasure(view: &SessionView, what: &InboundKind) -> bool {
    let InboundKind::Answer { wait, reply: Reply::Confirmed { yes: true }, .. } = what else {
        return false;
    };
    view.state.waits.get(wait).is_some_and(|wait| wait.purpose == Purpose::Erase)
}

/// Goes on with the work until it is done; without end where there is none. Cancel-safe: it stays where it is.
async fn going_on(work: &mut Option<Work<'_>>) {
    match work {
        Some(current) => {
            current.await;
            *work = None;
        }
        None => pending().await,
    }
}

/// Logs a failure where it is handled; the work timer brings the session back.
pub(super) fn report<T>(session: SessionId, what: &'static str, result: &Result<T, Error>) {
    if let Err(error) = result {
        tracing::warn!(session.id = %session, what, error = %error, "could not continue a session for now");
    }
}
