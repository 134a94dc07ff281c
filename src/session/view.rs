//! A session as it stands: what every decision about it reads, and everybody who shows it.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde_json::Value;

use super::{
    evidence, script,
    state::{CallState, Handoff, State},
};
use crate::{
    base::ids::{CallId, Ids, SessionId, WaitId},
    flow::LoadedFlow,
    model::{
        flow::Phase,
        session::{Head, PersonId, Status},
        transcript::{Call, Origin},
        usage::Budgets,
        wait::{Answerers, Purpose, Wait, WaitStatus},
    },
};

/// What a session needs next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// A wait was answered and not yet applied: run `resume` of its tool, or what the engine drew it for.
    Resume {
        /// Which.
        wait: WaitId,
    },
    /// A call began and left no result: it was ordered by a person, or a crash came between. By effect class.
    Recover {
        /// Which.
        call: CallId,
    },
    /// Make this call.
    Call(Call),
    /// The hold has ended for which the participant's erasure waited: carry it out.
    Erase,
    /// Make these calls of the model's: their results go back together, in this order.
    Round(Vec<Call>),
    /// A call asked for a child run: see to it that it exists.
    Begin {
        /// Which.
        child: SessionId,
    },
    /// A child run is not wanted any more: tell it so.
    Recall {
        /// Which.
        child: SessionId,
    },
    /// This child run asks somebody: show the question at its root.
    Raise {
        /// Which.
        wait: WaitId,
    },
    /// This child run is over: tell its parent.
    Report,
    /// The model's turn.
    Think {
        /// For the last time before the participant writes again: no tools, and a person is offered.
        last: bool,
    },
    /// Something is due for which no tool is run: see to it with [`Changes::arrange`](super::Changes::arrange).
    Arrange,
    /// Nothing until a person acts or a timer fires.
    Rest,
}

/// What the installation has and allows, as far as decisions depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// A model is configured. Without one, scripts lead.
    pub has_model: bool,
    /// How long the participant may be writing on before the model is asked.
    pub burst: TimeDelta,
    /// Where the team's days begin and end; UTC where nothing is said.
    pub time_zone: Option<Tz>,
    /// A model that leaves nothing to answer is nudged.
    pub nudges: bool,
    /// What models may use up.
    pub budgets: Budgets,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            has_model: false,
            burst: TimeDelta::zero(),
            time_zone: None,
            nudges: true,
            budgets: Budgets::default(),
        }
    }
}

/// A session at one moment. Cheap to clone; nothing changes it, for what is decided later makes another one.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// The flow it runs.
    pub flow: Arc<LoadedFlow>,
    /// What its events add up to.
    pub state: Arc<State>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) now: DateTime<Utc>,
    pub(super) settings: Settings,
}

impl SessionView {
    /// What must not be asked about: what the flow of the conversation says, in its child runs, too.
    pub(crate) fn never_ask(&self) -> &[String] {
        match &self.state.subtasks.parent_link {
            Some(own) => &own.assignment.never_ask,
            None => &self.flow.flow.policy.never_ask,
        }
    }

    /// A session as it stands at `now`.
    pub fn new(
        flow: Arc<LoadedFlow>,
        state: impl Into<Arc<State>>,
        ids: Arc<dyn Ids>,
        now: DateTime<Utc>,
        settings: Settings,
    ) -> Self {
        Self { flow, state: state.into(), ids, now, settings }
    }

    /// The current phase; `None` before the first and after the last.
    pub fn phase(&self) -> Option<&Phase> {
        self.flow.phase(self.state.phase()?)
    }

    /// What the session needs next.
    pub fn next(&self) -> Next {
        let state = &self.state;
        if state.keeping.erasure_asked && state.keeping.hold.is_none() {
            return Next::Erase;
        }
        let held = self.is_held();
        let is_answered = |wait: &&Wait| {
            let is_due = !held || wait.purpose == Purpose::Erase;
            is_due && matches!(wait.status, WaitStatus::Answered { .. })
        };
        let mut asked = state.asked.iter().filter_map(|id| state.wait(*id));
        if let Some(wait) = asked.find(is_answered) {
            return Next::Resume { wait: wait.id };
        }
        if let Some(wait) = self.untold() {
            return Next::Resume { wait };
        }
        if let Some(next) = self.next_of_children() {
            return next;
        }
        let is_adrift = |call: &&CallState| {
            let wait = call.wait.and_then(|id| state.waits.get(&id));
            let is_ordered = wait.is_none() && matches!(call.call.origin, Origin::Person { .. });
            call.result.is_none()
                && state.subtasks.running(&call.call.id).is_none()
                && wait.is_none_or(|wait| !wait.status.is_pending())
                && (!held || is_ordered)
        };
        if let Some(call) = state.calls.iter().find(is_adrift) {
            return Next::Recover { call: call.call.id.clone() };
        }
        if let Some(own) = &state.subtasks.parent_link {
            return self.next_of_child(own);
        }
        if self.owes_goodbye() {
            return Next::Think { last: true };
        }
        let is_awake = self.state.status == Status::Open && self.state.handoff.is_none();
        if is_awake && self.is_due_to_open() {
            return Next::Arrange;
        }
        let Some(phase) = self.phase().filter(|_| self.goes_on()) else { return Next::Rest };
        if self.waits_to_begin().is_some() {
            return Next::Rest;
        }
        if self.model_leads(phase) {
            let next = self.next_in_turn();
            let is_early = matches!(next, Next::Think { .. }) && self.listens_until().is_some();
            return if is_early { Next::Rest } else { next };
        }
        if self.is_held_up() || self.awaits_child() {
            return Next::Rest;
        }
        self.next_in(phase)
    }

    /// Whether new questions may be asked now.
    pub(super) fn goes_on(&self) -> bool {
        let too_early = self.state.opens_at.is_some()
            || self.questions_from().is_some_and(|from| from > self.now);
        self.state.status == Status::Open && self.state.handoff.is_none() && !too_early
    }

    fn next_in(&self, phase: &Phase) -> Next {
        if phase.step.is_empty() && !phase.objective.is_empty() {
            // A phase that needs a model waits for people where there is none.
            return Next::Rest;
        }
        if let Some(step) = script::upcoming(&self.state, &self.flow, phase) {
            if !step.set.is_empty() {
                return Next::Arrange;
            }
            let origin = Origin::Step { step: step.id.clone() };
            let Ok(args) = script::arguments(&self.state, &self.flow, step) else {
                return Next::Arrange;
            };
            return Next::Call(self.call(&format!("step_{}", step.id), &step.tool, args, origin));
        }
        let args = serde_json::json!({ "overrides": [] });
        Next::Call(self.call("advance", "next_phase", args, Origin::Engine))
    }

    /// Answers are kept and what they lead to is held: while a person has been asked for or is there, since the bot
    /// would talk over them, and after "stop", until the conversation goes on.
    pub(super) fn is_held(&self) -> bool {
        match self.state.status {
            Status::Stopped => true,
            Status::Notice | Status::Open | Status::Paused => self.state.handoff.is_some(),
            Status::Declined | Status::Completed | Status::Ended => false,
        }
    }

    /// A call under a name that was not used before.
    pub(super) fn call(&self, stem: &str, tool: &str, args: Value, origin: Origin) -> Call {
        let used = self.state.calls.iter().filter(|c| is_named_after(&c.call.id, stem)).count();
        Call {
            id: CallId::new(format!("{stem}_{}", used + 1)),
            tool: tool.to_owned(),
            args,
            phase: self.state.phase().map(str::to_owned),
            origin,
        }
    }

    pub(super) fn head(&self) -> Head {
        let state = &self.state;
        let count = |waits: usize| u32::try_from(waits).unwrap_or(u32::MAX);
        Head {
            id: state.session,
            flow: state.flow.clone(),
            participant: state.participant.clone(),
            name: state.known_as().map(str::to_owned),
            place: state.place.clone(),
            status: state.status,
            phase: state.phase().map(str::to_owned),
            handed_over: state.handoff.is_some(),
            claimed_by: state.handoff.as_ref().and_then(Handoff::claimed_by).map(str::to_owned),
            pending: count(state.pending().count()),
            approvals: count(state.pending().filter(|wait| is_for_deciders(wait)).count()),
            progress: self.phase().map_or(1.0, |phase| evidence::progress(state, phase)),
            seq: state.seq,
            created_at: state.created_at,
            updated_at: state.updated_at,
            test: state.test,
            held: state.keeping.hold.is_some(),
            goes_at: self.next_goes_at(),
            parent: state.subtasks.parent_link.as_ref().map(|own| own.assignment.parent),
            capabilities: state.capabilities.clone(),
            score: self.flow.flow.lead.as_ref().map(|lead| evidence::points(state, lead)),
            undelivered: count(state.failed.len()),
        }
    }

    /// When the session pauses: counted from the oldest open question, not from the last message.
    pub(super) fn pause_at(&self) -> Option<DateTime<Utc>> {
        let patience = self.flow.flow.pace.expire_after.delta();
        let waits =
            self.state.status == Status::Open && self.state.handoff.is_none() && !self.is_child();
        let asked = self.state.pending().find(|wait| blocks(wait) && !is_for_deciders(wait));
        asked
            .filter(|_| waits)
            .and_then(|wait| self.counted_from(wait).checked_add_signed(patience))
    }

    /// Since when a question has been open to its answerer: the participant's is not while the bot sleeps or a person
    /// has taken over.
    pub(super) fn counted_from(&self, wait: &Wait) -> DateTime<Utc> {
        if is_for_deciders(wait) {
            return wait.asked_at;
        }
        wait.asked_at.max(self.state.awake_since)
    }

    /// Who did something, for an audit record. The participant is never named there: records outlive an erasure.
    pub(super) fn named(&self, person: &PersonId) -> String {
        if *person == self.state.participant {
            "participant".to_owned()
        } else {
            person.to_string()
        }
    }
}

/// `step_rules_2` is named after `step_rules`; `step_rules_extra_1` is not.
fn is_named_after(id: &CallId, stem: &str) -> bool {
    let rest = id.as_str().strip_prefix(stem).and_then(|rest| rest.strip_prefix('_'));
    rest.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Whether the conversation stands still until this wait is answered.
pub(super) fn blocks(wait: &Wait) -> bool {
    match wait.purpose {
        Purpose::Call { .. } | Purpose::Child { .. } | Purpose::Notice | Purpose::Begin { .. } => {
            true
        }
        Purpose::Erase | Purpose::Effect { .. } => false,
    }
}

/// Whether others than the participant answer it.
pub(super) fn is_for_deciders(wait: &Wait) -> bool {
    match wait.answerers {
        Answerers::Deciders { .. } => true,
        Answerers::Participant => false,
    }
}
