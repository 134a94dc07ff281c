//! Drives a session from one step to the next until it rests. Each is committed; those that are made at once share a
//! commit.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::TimeDelta;

use super::{CONFLICTS_MAX, Engine, Error, Look, session_task::report};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::{CallId, SessionId, WaitId},
    },
    model::{
        transcript::{Call, CallResult, SpentOn},
        ui::Reply,
        usage::Usage,
        wait::{Purpose, Wait, WaitStatus},
    },
    session::{Changes, Next},
    store,
    tool::{EffectClass, Outcome, pipeline::Ended},
};

/// Steps between two acts of a person; more is a flow that runs in a circle.
const STEPS_MAX: usize = 200;

/// Calls that share a commit; more is a flow that runs in a circle.
const TOGETHER_MAX: usize = 16;

/// Shortest work of a tool that counts as used up.
const WORK_MIN: TimeDelta = TimeDelta::seconds(1);

/// What a step came to.
pub(super) enum Step {
    /// Go on.
    Done,
    /// Nothing is left to do.
    Rest,
}

impl Engine {
    /// Drives a session until it rests, or the engine closes. A failure leaves the work timer set: the session is
    /// taken up again later.
    pub(super) async fn drive(&self, session: SessionId) {
        for _ in 0..STEPS_MAX {
            if self.inner.closing.is_cancelled() {
                return;
            }
            // Boxed, because it has room for the longest of all steps.
            match Box::pin(self.step(session)).await {
                Ok(Step::Done) | Err(Error::Store(store::Error::Conflict { .. })) => {}
                Ok(Step::Rest) => return self.went(session, true),
                Err(Error::NoSession) => {
                    // Erased while a tool ran: what that came to must not be served again either.
                    self.inner.pipeline.forget(session);
                    return self.went(session, true);
                }
                Err(error) => {
                    self.went(session, false);
                    return report::<()>(session, "step", &Err(error));
                }
            }
        }
        self.went(session, false);
        tracing::error!(session.id = %session, "a session takes step after step without coming to rest");
    }

    async fn step(&self, session: SessionId) -> Result<Step, Error> {
        let Look { loaded, view } = self.look(session).await?;
        match view.next() {
            Next::Erase => _ = self.erase_as_asked(session).await?,
            Next::Rest => return Ok(Step::Rest),
            Next::Think { last } => {
                if view.is_child() && !self.is_wanted(&view).await? {
                    return Ok(Step::Done);
                }
                return self.think(&view, &loaded, last).await;
            }
            Next::Begin { child } => self.begin_child(&view, child).await?,
            Next::Recall { child } => self.recall_child(&view, child).await?,
            Next::Raise { wait } => self.raise(&view, wait).await?,
            Next::Report => self.report(&view).await?,
            Next::Round(calls) => self.round(view.into(), calls).await?,
            Next::Resume { wait } => return self.resume(view.into(), wait).await,
            Next::Recover { call } => Box::pin(self.recover_call(view.into(), &call)).await?,
            Next::Arrange => return self.go_on(view.into()).await,
            Next::Call(call) if self.is_at_once(&call.tool) => {
                return self.go_on(view.into()).await;
            }
            Next::Call(call) => Box::pin(self.make(view.into(), call)).await?,
        }
        Ok(Step::Done)
    }

    /// An answer has come: what it was for goes on.
    async fn resume(&self, mut changes: Changes, id: WaitId) -> Result<Step, Error> {
        let Some(wait) = changes.state.waits.get(&id).cloned() else { return Ok(Step::Done) };
        match &wait.purpose {
            Purpose::Erase if is_yes(&wait) => {
                self.erase_as_asked(wait.session).await?;
                return Ok(Step::Done);
            }
            Purpose::Notice | Purpose::Begin { .. } | Purpose::Effect { .. } | Purpose::Erase => {
                changes.apply_own(id);
            }
            Purpose::Child { child, wait: inner, .. } => {
                let told = self.tell_child(*child, *inner, (&wait, &changes.state)).await?;
                changes.passed_on(id);
                if !told {
                    changes.child_lost(*child);
                }
            }
            Purpose::Call { call, tool } => {
                changes = self.resume_call(changes, &wait, call).await;
                if !self.is_at_once(tool) {
                    // What it took to get there is not put at risk by what comes next.
                    self.commit(changes, None).await?;
                    hit(Failpoint::AnswerApplied);
                    return Ok(Step::Done);
                }
            }
        }
        let step = self.go_on(changes).await?;
        hit(Failpoint::AnswerApplied);
        Ok(step)
    }

    /// Finishes the call that an answered wait belongs to. Where there is no such call, nothing changes.
    async fn resume_call(&self, changes: Changes, wait: &Wait, call: &CallId) -> Changes {
        let Some(known) = changes.state.call(call).map(|known| Arc::clone(&known.call)) else {
            return changes;
        };
        let now = self.inner.parts.clock.now();
        let shared = Mutex::new(changes);
        let Ended { result, cost } = self.inner.pipeline.resume(&known, wait, &shared, now).await;
        hit(Failpoint::AnswerRan);
        let mut changes = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        worked(&mut changes, call, (self.inner.parts.clock.now() - now, cost));
        self.conclude(&mut changes, call, result);
        let status = changes.state.waits.get(&wait.id).map(|wait| &wait.status);
        if matches!(status, Some(WaitStatus::Answered { .. })) {
            // The call had its result already: the answer has nothing left to do.
            changes.apply_own(wait.id);
        }
        changes
    }

    /// Carries out what an answer of this step leads to, as far as that is done at once: it reaches nothing outside, so it
    /// shares the commit of the answer.
    pub(super) async fn apply_at_once(&self, changes: Changes) -> Changes {
        let Next::Resume { wait } = changes.next() else { return changes };
        let Some(wait) = changes.state.waits.get(&wait).cloned() else { return changes };
        match &wait.purpose {
            Purpose::Call { call, tool } if self.is_at_once(tool) => {
                let changes = self.resume_call(changes, &wait, call).await;
                self.call_at_once(changes).await.0
            }
            _ => changes,
        }
    }

    /// Commits, together with what comes next as long as it is done at once, by the session itself or by a call: that
    /// reaches nothing outside, so that one commit loses nothing that two would keep.
    async fn go_on(&self, changes: Changes) -> Result<Step, Error> {
        let (changes, made) = self.call_at_once(changes).await;
        let rests = matches!(changes.next(), Next::Rest);
        self.commit(changes, None).await?;
        if made {
            hit(Failpoint::CallRecorded);
        }
        // Nobody has written since it was loaded, or the commit would have been refused: it rests as it stands.
        Ok(if rests { Step::Rest } else { Step::Done })
    }

    /// Does what comes next as long as it is done at once; whether there was a call among it.
    async fn call_at_once(&self, mut changes: Changes) -> (Changes, bool) {
        let now = self.inner.parts.clock.now();
        let mut made = false;
        for _ in 0..TOGETHER_MAX {
            let call = match changes.next() {
                Next::Call(call) if self.is_at_once(&call.tool) => call,
                Next::Arrange => {
                    changes.arrange();
                    continue;
                }
                _ => break,
            };
            hit(Failpoint::CallMade);
            made = true;
            changes.begin(&call);
            let shared = Mutex::new(changes);
            let ended = self.inner.pipeline.execute(&call, &shared, now).await;
            hit(Failpoint::CallRan);
            changes = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.conclude(&mut changes, &call.id, ended.result);
        }
        (changes, made)
    }

    pub(super) fn is_at_once(&self, tool: &str) -> bool {
        self.inner.parts.toolbox.get(tool).is_some_and(|tool| tool.spec().at_once)
    }

    /// A call that began and left no result: a person ordered it, or a crash came between.
    async fn recover_call(&self, mut changes: Changes, id: &CallId) -> Result<(), Error> {
        let Some(known) = changes.state.call(id).cloned() else { return Ok(()) };
        let class =
            self.inner.parts.toolbox.get(&known.call.tool).map(|tool| tool.spec().effect_class);
        match class {
            Some(EffectClass::AtMostOnce) => {
                changes.outcome_unknown(id);
                self.commit(changes, None).await?;
                Ok(())
            }
            Some(EffectClass::Pure | EffectClass::Idempotent | EffectClass::Reconcile) | None => {
                self.execute(changes, Arc::unwrap_or_clone(known.call)).await
            }
        }
    }

    /// Makes a new call; one that reaches outside is noted as begun before it does.
    async fn make(&self, mut changes: Changes, call: Call) -> Result<(), Error> {
        let session = changes.state.session;
        changes.begin(&call);
        hit(Failpoint::CallMade);
        let class = self.inner.parts.toolbox.get(&call.tool).map(|tool| tool.spec().effect_class);
        match class {
            Some(EffectClass::Pure) | None => self.execute(changes, call).await,
            Some(EffectClass::Idempotent | EffectClass::Reconcile | EffectClass::AtMostOnce) => {
                self.commit(changes, None).await?;
                hit(Failpoint::CallBegun);
                let view = self.view(session).await?;
                self.execute(view.into(), call).await
            }
        }
    }

    async fn execute(&self, changes: Changes, call: Call) -> Result<(), Error> {
        let now = self.inner.parts.clock.now();
        let (session, before) = (changes.state.session, changes.state.seq);
        let shared = Mutex::new(changes);
        let Ended { result, cost } = self.inner.pipeline.execute(&call, &shared, now).await;
        hit(Failpoint::CallRan);
        let took = self.inner.parts.clock.now() - now;
        let mut changes = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        let stands_alone = changes.state.seq == before;
        worked(&mut changes, &call.id, (took, cost));
        self.conclude(&mut changes, &call.id, result.clone());
        match self.commit(changes, None).await {
            Err(store::Error::Conflict { .. }) if stands_alone => {
                self.conclude_later(session, &call, (result, took, cost)).await
            }
            other => {
                hit(Failpoint::CallRecorded);
                Ok(other?)
            }
        }
    }

    /// Somebody wrote while the tool ran: what it came to counts all the same, and nothing is run twice for it. Only
    /// for a tool that changed nothing in the session, since those changes were decided on what is gone.
    pub(super) async fn conclude_later(
        &self,
        session: SessionId,
        call: &Call,
        (result, took, cost): (Result<Outcome, CallResult>, TimeDelta, Usage),
    ) -> Result<(), Error> {
        for _ in 0..CONFLICTS_MAX {
            let mut changes = Changes::from(self.view(session).await?);
            let is_wanted = match changes.state.call(&call.id) {
                // The same question asked by another process stays the one that is open.
                Some(known) => known.result.is_none() && !changes.state.has_asked(&call.id),
                None => match changes.next() {
                    Next::Call(wanted) => wanted == *call,
                    Next::Round(calls) => calls.iter().any(|wanted| wanted.id == call.id),
                    Next::Resume { .. }
                    | Next::Recover { .. }
                    | Next::Begin { .. }
                    | Next::Recall { .. }
                    | Next::Raise { .. }
                    | Next::Report
                    | Next::Arrange
                    | Next::Think { .. }
                    | Next::Erase
                    | Next::Rest => false,
                },
            };
            if !is_wanted {
                return Ok(());
            }
            changes.begin(call);
            worked(&mut changes, &call.id, (took, cost));
            self.conclude(&mut changes, &call.id, result.clone());
            match self.commit(changes, None).await {
                Err(store::Error::Conflict { .. }) => {}
                other => return Ok(other?),
            }
        }
        Err(Error::Busy)
    }
}

/// Adds the time that a tool has worked, and what models have cost that it asked by itself, to what the session used up.
/// Quick ones that cost nothing are not worth an event each.
pub(super) fn worked(changes: &mut Changes, call: &CallId, (took, cost): (TimeDelta, Usage)) {
    if took >= WORK_MIN || !cost.is_nothing() {
        let usage = Usage { millis: millis(took), ..cost };
        changes.spend(SpentOn::Call { call: call.clone() }, usage);
    }
}

/// Whole milliseconds; 0 if the clock was set back meanwhile.
pub(super) fn millis(took: TimeDelta) -> u64 {
    u64::try_from(took.num_milliseconds()).unwrap_or(0)
}

fn is_yes(wait: &Wait) -> bool {
    matches!(wait.status.answer(), Some((Reply::Confirmed { yes: true }, ..)))
}
