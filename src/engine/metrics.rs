//! What happens, counted. Labels are closed sets; see [`metric`].

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use metrics::{counter, gauge, histogram};
use serde_json::Value;

use super::{Error, InboundKind, Receipt};
use crate::{
    base::{
        ids::{EffectId, SessionId},
        telemetry::metric,
    },
    model::{
        audit::AuditRecord,
        effect::{Delivery, Effect},
        session::Platform,
        usage::Usage,
    },
    store::{self, Commit, TimerKind},
};

/// What a person did came to something.
pub(super) fn inbound(platform: Platform, what: &'static str, outcome: &'static str) {
    counter!(metric::INBOUND, "platform" => platform.name(), "what" => what, "outcome" => outcome)
        .increment(1);
}

/// What became of something that a person did.
pub(super) fn outcome(received: &Result<Receipt, Error>) -> &'static str {
    match received {
        Ok(Receipt::Taken) => "taken",
        Ok(Receipt::Settled(settlement)) => {
            counter!(metric::SETTLEMENTS, "outcome" => settlement.word()).increment(1);
            "settled"
        }
        Ok(Receipt::Duplicate) => "duplicate",
        Ok(Receipt::Refused(_)) => "refused",
        Ok(Receipt::Erased { .. }) => {
            counter!(metric::SETTLEMENTS, "outcome" => "applied").increment(1);
            "erased"
        }
        Err(error) => {
            if matches!(error, Error::Busy) {
                refusal("busy");
            }
            failure(error)
        }
    }
}

/// A start, the first thing that a person does.
pub(super) fn failure(error: &Error) -> &'static str {
    match error {
        Error::NoSession => "no_session",
        Error::NoFlow(_) => "no_flow",
        Error::Held(_) => "held",
        Error::Refused(_) => "refused",
        Error::BrokenFlow(_) => "broken_flow",
        Error::Store(_) => "not_saved",
        Error::Busy => "busy",
    }
}

/// Something was not taken.
pub(super) fn refusal(why: &'static str) {
    counter!(metric::REFUSALS, "why" => why).increment(1);
}

/// A commit came back from the store.
pub(super) fn commit(committed: &Result<(), store::Error>, took: Duration) {
    let outcome = match committed {
        Ok(()) => "ok",
        Err(store::Error::Conflict { .. }) => "conflict",
        Err(store::Error::Duplicate) => "duplicate",
        Err(_) => "failed",
    };
    counter!(metric::COMMITS, "outcome" => outcome).increment(1);
    histogram!(metric::COMMIT_SECONDS).record(took.as_secs_f64());
}

/// Something a commit says of a budget, for the operator.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Warning {
    session: SessionId,
    scope: &'static str,
    is_used_up: bool,
    used: String,
}

/// What a commit says of budgets. It is told once the commit is durable: once for each, whatever happens.
pub(super) fn warnings(commit: &Commit) -> Vec<Warning> {
    let warning = |record: &AuditRecord| {
        let is_used_up = match record.event.as_str() {
            "budget_low" => false,
            "budget_used_up" => true,
            _ => return None,
        };
        let scope = match record.facts.get("scope").and_then(Value::as_str)? {
            "turn" => "turn",
            "session" => "session",
            "workspace" => "workspace",
            _ => "total",
        };
        let used = record.facts.get("used").and_then(Value::as_str).unwrap_or_default();
        Some(Warning { session: commit.head.id, scope, is_used_up, used: used.to_owned() })
    };
    commit.audit.iter().filter_map(warning).collect()
}

impl Warning {
    /// Tells the operator.
    fn tell(&self) {
        let Self { session, scope, is_used_up, used } = self;
        let level = if *is_used_up { "used_up" } else { "low" };
        counter!(metric::BUDGETS, "scope" => *scope, "level" => level).increment(1);
        tracing::warn!(
            session.id = %session, budget.scope = scope, budget.used = %used,
            "{}", if *is_used_up { "a budget is used up" } else { "a budget is 80% used" }
        );
    }
}

/// Tells the operator what a commit says of budgets, and counts what an interview cost that it has ended.
pub(super) fn tell(warnings: &[Warning], ended: Option<Usage>) {
    warnings.iter().for_each(Warning::tell);
    if let Some(micros) = ended.and_then(|spent| spent.cost_micros) {
        let micros = u32::try_from(micros).unwrap_or(u32::MAX);
        histogram!(metric::INTERVIEW_COST_DOLLARS).record(f64::from(micros) / 1e6);
    }
}

/// A timer fired.
pub(super) fn timer(kind: TimerKind) {
    let timer = match kind {
        TimerKind::Work => "work",
        TimerKind::Remind { .. } => "remind",
        TimerKind::Expire { .. } => "expire",
        TimerKind::Pause => "pause",
        TimerKind::Unclaimed => "unclaimed",
    };
    counter!(metric::TIMERS, "timer" => timer).increment(1);
}

impl InboundKind {
    /// The name in metrics.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "answer",
            Self::Said { .. } => "said",
            Self::Amended { .. } => "amended",
            Self::Offered { .. } => "offered",
            Self::Sent { .. } => "sent",
            Self::Lost { .. } => "lost",
            Self::Back => "back",
            Self::MayHaveRoles { .. } => "may_have_roles",
            Self::Command(_) => "command",
        }
    }
}

/// An effect that is tried again this long after its time has gone some other way, an erasure for instance.
const FORGOTTEN: TimeDelta = TimeDelta::minutes(5);

/// Since when an effect waits, and when it is due.
type Since = (DateTime<Utc>, DateTime<Utc>);

/// Effects that failed and are tried again: since when they wait, and when they are due.
#[derive(Debug, Default)]
pub(super) struct Late(Mutex<HashMap<EffectId, Since>>);

impl Late {
    /// Most effects that are remembered; beyond that the age is a lower bound.
    const MAX: usize = 10_000;

    fn lock(&self) -> MutexGuard<'_, HashMap<EffectId, Since>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says how things stand, `claimed` being on their way now.
    pub(super) fn look(&self, claimed: &[Effect], now: DateTime<Utc>) {
        let mut late = self.lock();
        late.retain(|_, (_, due)| *due + FORGOTTEN > now);
        let waiting = late.values().map(|(since, _)| *since);
        let oldest = waiting.chain(claimed.iter().map(|effect| effect.queued_at)).min();
        let age = oldest.map_or(0.0, |since| (now - since).as_seconds_f64().max(0.0));
        gauge!(metric::OLDEST_SECONDS).set(age);
        gauge!(metric::RETRYING).set(metric::as_f64(late.len()));
    }

    /// An attempt came to something.
    pub(super) fn tried(&self, effect: &Effect, delivery: &Delivery) {
        let mut late = self.lock();
        let outcome = match delivery {
            Delivery::Delivered { .. } => "delivered",
            Delivery::NotApplicable => "not_applicable",
            Delivery::Rehearsed => "rehearsed",
            Delivery::Failed { .. } => "failed",
            Delivery::Retry { .. } => "retry",
            Delivery::Later { .. } => "later",
            Delivery::Blocked { .. } => "blocked",
        };
        if let Delivery::Retry { not_before } | Delivery::Later { not_before } = delivery {
            if late.len() < Self::MAX {
                late.insert(effect.id, (effect.queued_at, *not_before));
            }
        } else {
            late.remove(&effect.id);
        }
        let act = effect.act.name();
        counter!(metric::EFFECTS, "act" => act, "delivery" => outcome).increment(1);
    }
}
