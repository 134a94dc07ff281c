//! The sole mutator of a session: decides, and collects what one step changes.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{
    commands::Command,
    settle::{Answer, Responder},
    state::State,
};
use crate::{
    flows::LoadedFlow,
    ids::{CallId, Ids, RecordId, WaitId},
    model::{
        artifact::Artifact,
        effect::PhaseEffectRef,
        transcript::{Call, CallResult, EffectOutcome, ObjectiveStatus, Started, Via},
        wait::Settlement,
    },
    store::{Commit, Loaded, TimerKind},
};

/// What a session needs next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// A wait was answered and not yet applied: run `resume` of its tool, or what the engine drew it for.
    Resume {
        /// Which.
        wait: WaitId,
    },
    /// A call began and left no result: a crash came between. By effect class.
    Recover {
        /// Which.
        call: CallId,
    },
    /// Make this call.
    Call(Call),
    /// The model's turn.
    Think,
    /// Nothing until a person acts or a timer fires.
    Rest,
}

/// Why the core refuses what a tool proposes; the text goes to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// What a stored record came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedRecord {
    /// The record.
    pub id: RecordId,
    /// It is new; otherwise it replaced or equals what was there.
    pub created: bool,
}

/// How an objective stands after a proposal (S0 §10).
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectiveReport {
    /// The objective.
    pub objective: String,
    /// Its status now, which may differ from the proposed one.
    pub status: ObjectiveStatus,
    /// What is missing, where the proposal did not count.
    pub note: Option<String>,
    /// The current phase.
    pub phase: String,
    /// Required objectives completed or skipped ÷ required, two decimals; 1.0 with none.
    pub progress: f64,
}

/// A session in the hands of the one who may change it: reads by [`Actor::state`], changes by the methods, ends
/// with [`Actor::into_commit`].
#[derive(Debug)]
pub struct Actor {
    flow: Arc<LoadedFlow>,
    state: State,
    ids: Arc<dyn Ids>,
    now: DateTime<Utc>,
}

impl Actor {
    /// Begins a session: the notice is asked, or the first phase begins where the flow has none.
    pub fn start(
        flow: Arc<LoadedFlow>,
        started: Started,
        ids: Arc<dyn Ids>,
        now: DateTime<Utc>,
    ) -> Self {
        todo!()
    }

    /// Takes a stored session up; none if its events make no session.
    pub fn load(
        flow: Arc<LoadedFlow>,
        loaded: &Loaded,
        ids: Arc<dyn Ids>,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        todo!()
    }

    /// The session as it stands, with what this step has changed so far.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The flow it runs.
    pub fn flow(&self) -> &Arc<LoadedFlow> {
        &self.flow
    }

    /// What the session needs next.
    pub fn next(&self) -> Next {
        todo!()
    }

    /// Whether this step has changed anything.
    pub fn is_changed(&self) -> bool {
        todo!()
    }

    /// Everything that this step changes. `dedup` is the key of the inbound event it deals with.
    pub fn into_commit(self, dedup: Option<String>) -> Commit {
        todo!()
    }

    /// Settles a wait, if it may be settled.
    pub fn settle(&mut self, answer: Answer) -> Settlement {
        todo!()
    }

    /// Hears a message: a command, an answer to an open question, or words that are kept.
    pub fn hear(&mut self, from: &Responder, text: &str, source: Option<String>) {
        todo!()
    }

    /// Carries out a command; the refusal is for the person who gave it. `Export` and the erasure itself are the
    /// engine's: here they only leave their trace.
    pub fn command(&mut self, from: &Responder, command: Command, via: Via) -> Result<(), Refusal> {
        todo!()
    }

    /// Takes in files that were checked and kept, as the answer to `wait` where given, otherwise to the one upload
    /// that waits.
    pub fn receive_files(
        &mut self,
        from: &Responder,
        wait: Option<WaitId>,
        files: Vec<Artifact>,
    ) -> Settlement {
        todo!()
    }

    /// A timer fired.
    pub fn timer(&mut self, kind: TimerKind) {
        todo!()
    }

    /// Notes that a call begins; committed before a call that is not pure is executed.
    pub fn begin(&mut self, call: &Call) {
        todo!()
    }

    /// Suspends a call on a person.
    pub fn suspend(&mut self, call: &CallId, waiting: Suspension) -> WaitId {
        todo!()
    }

    /// Ends a call with its one result; a second result changes nothing.
    pub fn finish(&mut self, call: &CallId, result: CallResult) {
        todo!()
    }

    /// Does what the answer to a wait of the engine's own (notice, effect, erasure) asks for.
    pub fn apply_own(&mut self, wait: WaitId) {
        todo!()
    }

    /// Notes what came of a phase's effect that had left through the outbox.
    pub fn note_effect(&mut self, which: &PhaseEffectRef, outcome: EffectOutcome) {
        todo!()
    }

    /// Stores data (S0 §11). The same data of the same type again gives the same record.
    pub fn save_record(
        &mut self,
        data_type: &str,
        data: Value,
        reviewed: bool,
    ) -> Result<SavedRecord, Refusal> {
        todo!()
    }

    /// Keeps a file's description.
    pub fn keep(&mut self, artifact: Artifact) {
        todo!()
    }

    /// The model, or a participant's skip, proposes a status (S0 §10, DESIGN §10.30).
    pub fn propose_objective(
        &mut self,
        objective: &str,
        status: ObjectiveStatus,
    ) -> Result<ObjectiveReport, Refusal> {
        todo!()
    }

    /// `next_phase` (S1 §3): the outcome, or what to ask whom.
    pub fn next_phase(
        &mut self,
        call: &CallId,
        overrides: &[String],
        reason: Option<&str>,
    ) -> Evaluation {
        todo!()
    }

    /// Applies the decision on a suspended `next_phase` call: the outcome for the model.
    pub fn decided(&mut self, call: &CallId) -> Value {
        todo!()
    }
}

/// What a suspended call asks; the engine makes it from [`crate::tool::Waiting`], which this layer does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspension {
    /// What to show.
    pub prompt: crate::model::ui::Prompt,
    /// What the tool remembers.
    pub state: Value,
    /// Who may answer.
    pub answerers: crate::model::wait::Answerers,
    /// When it lapses; none for the flow's patience alone.
    pub expires_at: Option<DateTime<Utc>>,
}

/// What `next_phase` came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Evaluation {
    /// Answered at once: `approved`, `blocked`, or the last outcome again.
    Outcome(Value),
    /// A person must decide.
    Ask(Box<Suspension>),
}
