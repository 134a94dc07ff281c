//! What happens when a timer fires: reminders, expiry, pause, nobody took over. Deadlines are absolute UTC.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::{Changes, SessionView, quiet_hours::out_of, view::is_for_deciders};
use crate::{
    base::ids::WaitId,
    messages,
    model::{
        flow::{Period, REQUEST},
        session::Status,
        transcript::{CallResult, Closing, Errand, Event},
        ui::Offered,
        wait::{Purpose, Wait},
    },
    store::TimerKind,
};

/// How far reminders of one moment are spread, in milliseconds.
const APART_MAX: u128 = 10 * 60 * 1000;

/// Most reminders of one question; never a third.
const REMINDERS_MAX: usize = 2;

impl Changes {
    /// A timer fired. One that fires late has one catch-up, not one for each time it was due; one
    /// that fires early, because the clock was set back, does nothing.
    pub(super) fn timer(&mut self, kind: TimerKind) {
        match kind {
            // The engine drives the session; the next commit clears or moves the timer.
            TimerKind::Work => {}
            TimerKind::Remind { wait } => self.remind(wait),
            TimerKind::Expire { wait } => self.expire(wait),
            TimerKind::Pause => self.pause(),
            TimerKind::Unclaimed => self.unclaimed(),
        }
    }

    fn remind(&mut self, id: WaitId) {
        let kind = TimerKind::Remind { wait: id };
        let Some(wait) = self.state.waits.get(&id).filter(|wait| wait.status.is_pending()).cloned()
        else {
            self.set_timer(kind, None);
            return;
        };
        let sent = self.state.reminded.get(&id).copied().unwrap_or_default();
        let quiet = self.state.reminders_stopped
            || self.state.handoff.is_some()
            || !matches!(self.state.status, Status::Notice | Status::Open);
        if quiet && !is_for_deciders(&wait) {
            self.set_timer(kind, None);
            return;
        }
        let at = |n: usize| self.reminder_at(&wait, n);
        let passed = (0..REMINDERS_MAX).filter(|n| at(*n).is_some_and(|at| at <= self.now)).count();
        let next = at(passed);
        let count = u32::try_from(passed).unwrap_or(u32::MAX);
        if count > sent {
            self.emit(Event::Reminded { wait: id, count });
            if is_for_deciders(&wait) {
                let title = wait.prompt.heading().unwrap_or_default();
                let alias = match &wait.answerers {
                    crate::model::wait::Answerers::Deciders { alias, .. } => Some(alias.clone()),
                    crate::model::wait::Answerers::Participant => None,
                };
                self.post_to_staff(alias.as_deref(), messages::requests::still_waiting(&title));
            } else {
                self.post_offering(
                    messages::interview::REMINDER,
                    &[Offered::Later, Offered::StopReminders],
                );
            }
            self.show(id);
        }
        self.set_timer(kind, next);
    }

    fn expire(&mut self, id: WaitId) {
        let Some(wait) = self.state.waits.get(&id).filter(|wait| wait.status.is_pending()).cloned()
        else {
            self.set_timer(TimerKind::Expire { wait: id }, None);
            return;
        };
        if wait.expires_at.is_none_or(|at| at > self.now) {
            return;
        }
        let is_request =
            matches!(&wait.purpose, Purpose::Call { tool, .. } if tool == "next_phase");
        let is_decision = matches!(&wait.purpose, Purpose::Call { tool, .. } if tool == REQUEST);
        let result = if is_decision {
            self.decision_expired(&wait)
        } else if is_request {
            let value = Self::request_expired(&wait);
            let facts =
                [("wait", json!(id)), ("status", json!("expired")), ("userDecision", json!(null))];
            self.audit("phase_advance_expired", facts, []);
            CallResult::Ok { value }
        } else if self.has_deadline(&wait) {
            self.post(messages::interview::TOO_LATE);
            CallResult::Ok { value: json!({ "status": "expired" }) }
        } else {
            CallResult::Err {
                code: "expired".to_owned(),
                message: "nobody answered in time".to_owned(),
            }
        };
        self.close(id, Closing::Expired, result);
        if is_request && is_for_deciders(&wait) && self.state.handoff.is_none() {
            self.post(messages::interview::REQUEST_EXPIRED);
        }
    }

    fn pause(&mut self) {
        if self.state.status != Status::Open || self.pause_at().is_none_or(|at| at > self.now) {
            return;
        }
        self.emit(Event::StatusChanged {
            to: Status::Paused,
            reason: "nobody answered for long".to_owned(),
        });
        self.audit("session_paused", [], []);
        self.post(messages::interview::PAUSED);
    }

    fn unclaimed(&mut self) {
        self.set_timer(TimerKind::Unclaimed, None);
        let Some(handoff) =
            self.state.handoff.clone().filter(|handoff| handoff.claimed_by.is_none())
        else {
            return;
        };
        // What was to be said to the team still waits: another message would wait behind it.
        if !self.is_handover_known() {
            return self.say_not_reached();
        }
        let text = messages::staff::not_taken_over(&handoff.reason);
        if let Some(alias) = self.flow.flow.handoff.channel.clone() {
            self.ask_staff(&alias, text, Errand::Reminder { at: self.now });
        } else {
            self.post(messages::interview::UNCLAIMED);
            self.post_to_staff(None, text);
        }
    }
}

impl SessionView {
    /// When the n-th reminder of a wait is due, from 0, moved out of the quiet hours and a little apart from others.
    pub(super) fn reminder_at(&self, wait: &Wait, n: usize) -> Option<DateTime<Utc>> {
        if n >= REMINDERS_MAX || wait.purpose == Purpose::Erase {
            return None;
        }
        let flow = &self.flow.flow;
        let after: Vec<Period> = if is_for_deciders(wait) {
            self.decider_reminders(wait)
        } else {
            flow.pace.remind_after.clone()
        };
        let after = after.get(n)?.delta();
        let at = self.counted_from(wait).checked_add_signed(after)?;
        let zone =
            if is_for_deciders(wait) { self.zone_of_team() } else { self.zone_of_participant() };
        let at = flow.pace.quiet_hours.as_ref().map_or(at, |quiet| out_of(quiet, at, zone));
        at.checked_add_signed(apart(wait.id, after))
    }

    fn has_deadline(&self, wait: &Wait) -> bool {
        let Purpose::Call { call, .. } = &wait.purpose else { return false };
        let step = self.state.call(call).and_then(|known| self.step_of(&known.call));
        step.is_some_and(|step| step.deadline.is_some())
    }
}

/// Up to ten minutes, and at most a tenth of the time they come after, that keep reminders apart which would all be
/// due at once, in the morning or after an outage. The same wait has the same, so that every replay agrees.
fn apart(wait: WaitId, after: TimeDelta) -> TimeDelta {
    let tenth = u128::try_from(after.num_milliseconds() / 10).unwrap_or(0);
    let random = wait.uuid().as_u128() % APART_MAX.min(tenth).max(1);
    TimeDelta::milliseconds(i64::try_from(random).unwrap_or_default())
}
