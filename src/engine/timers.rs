//! Fires what is due by the clock. A process that was down fires once what came due meanwhile.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Notify;

use super::{Engine, metrics, session_task::TaskCommand};
use crate::{
    base::ids::SessionId,
    store::{self, Timer, TimerKind},
};

/// How often the clock is looked at.
const TICK: Duration = Duration::from_secs(1);

/// A clock that goes back by less is being adjusted, not set.
const STEP_MIN: TimeDelta = TimeDelta::seconds(1);

/// Timers fired in one go; the rest follows with the next look.
const BATCH: usize = 256;

/// Timers looked at for that many, where those of sessions that cannot go on just now stand before them.
const LOOKED_AT: usize = 64 * BATCH;

impl Engine {
    /// Looks at the clock until it is dropped, and has those who deliver look at the outbox. What removes files may wait for
    /// a disk or a bucket, and keeps no timer waiting.
    pub(super) async fn run_scheduler(&self) {
        let (timers, sweeps) = (Notify::new(), Notify::new());
        let tick = async {
            let mut ticks = tokio::time::interval(TICK);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                // All at once, so that an idle bot wakes once.
                for waiting in [&timers, &sweeps, &self.inner.queued] {
                    waiting.notify_one();
                }
            }
        };
        tokio::join!(tick, self.run_timers(&timers), self.run_sweeps(&sweeps));
    }

    async fn run_sweeps(&self, ticks: &Notify) {
        loop {
            ticks.notified().await;
            self.sweep().await;
        }
    }

    async fn run_timers(&self, ticks: &Notify) {
        let mut last = self.inner.parts.clock.now();
        let mut early = self.set_ahead(last).await;
        loop {
            ticks.notified().await;
            let now = self.inner.parts.clock.now();
            if now < last - STEP_MIN {
                tracing::warn!(back_ms = (last - now).num_milliseconds(), "the clock was set back");
                early = self.set_ahead(now).await;
            }
            last = now;
            self.take_up(&mut early);
            self.run_due().await;
            // Who has been quiet for long is forgotten, so that memory does not grow with everybody who ever wrote.
            self.inner.pace.retain_recent();
            self.inner.states.tidy();
        }
    }

    /// What a start after a crash begins with: takes up what was in flight, and fires what came due meanwhile. A start
    /// that finds more than it may work on at one time leaves the rest to the next looks at the clock.
    pub async fn recover(&self) {
        let mut early = self.set_ahead(self.inner.parts.clock.now()).await;
        self.take_up(&mut early);
        self.run_due().await;
    }

    /// Sessions with work in progress whose timer stands in the future: it was set before the clock was set back, and
    /// would be late by the step. Their timers stand before those of the waiting ones, so a bounded look finds them.
    async fn set_ahead(&self, now: DateTime<Utc>) -> Vec<SessionId> {
        let timers = match self.inner.parts.store.due(DateTime::<Utc>::MAX_UTC, LOOKED_AT).await {
            Ok(timers) => timers,
            Err(error) => {
                tracing::error!(error = %error, "could not read timers");
                return Vec::new();
            }
        };
        let is_ahead = |timer: &Timer| timer.kind == TimerKind::Work && timer.at > now;
        timers.into_iter().filter(is_ahead).map(|timer| timer.session).collect()
    }

    /// Has sessions go on with their work; those for which there is no room stay. One that sleeps until its timer
    /// sleeps on.
    fn take_up(&self, sessions: &mut Vec<SessionId>) {
        sessions.retain(|session| self.dispatch(*session, TaskCommand::Work).is_err());
    }

    /// Fires the timers that are due now; how many there were.
    pub async fn run_due(&self) -> usize {
        if !self.inner.parts.store.health().is_well() {
            // What they would bring about could not be saved. They stay, and fire when it can.
            return 0;
        }
        let now = self.inner.parts.clock.now();
        let due = match self.ready(now).await {
            Ok(due) => due,
            Err(error) => {
                tracing::error!(error = %error, "could not read timers");
                return 0;
            }
        };
        let mut fired = 0;
        for Timer { session, kind, .. } in due {
            let job = match kind {
                TimerKind::Work => TaskCommand::Work,
                TimerKind::Remind { .. }
                | TimerKind::Expire { .. }
                | TimerKind::Pause
                | TimerKind::Unclaimed => TaskCommand::Timer(kind),
            };
            // A full queue means that the session is busy: the timer stays and comes again.
            if self.dispatch(session, job).is_ok() {
                metrics::timer(kind);
                fired += 1;
            }
        }
        fired
    }

    /// Timers that are due and whose sessions may be tried: those that failed a moment ago, or are being worked on,
    /// do not stand in the way of others.
    async fn ready(&self, now: DateTime<Utc>) -> Result<Vec<Timer>, store::Error> {
        let tasks = &self.inner.session_tasks;
        let mut look = BATCH;
        loop {
            let mut due = self.inner.parts.store.due(now, look).await?;
            let is_all = due.len() < look;
            due.retain(|Timer { session, kind, .. }| {
                let in_flight = *kind == TimerKind::Work && tasks.is_active(*session);
                !in_flight && tasks.may_try(*session, now)
            });
            if is_all || due.len() >= BATCH || look >= LOOKED_AT {
                due.truncate(BATCH);
                return Ok(due);
            }
            look *= 4;
        }
    }
}
