//! What the events of a session add up to.

pub(super) mod model_turn;
mod parts;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

pub use self::{
    model_turn::ModelTurn,
    parts::{CallState, Edits, FailedDelivery, Handoff, Record, Words},
};
use super::{retention::RetentionState, subtasks::Subtasks, team_requests::Asking};
use crate::{
    base::ids::{CallId, EffectId, SessionId, WaitId},
    messages::{self, Text},
    model::{
        artifact::Artifact,
        session::{FlowPin, PersonId, Place, Platform, Status},
        transcript::{
            Call, CallResult, Closing, EffectOutcome, Event, Inviter, ObjectiveStatus, Origin,
            Recorded, SetBy, Speaker, Started,
        },
        ui::{Control, Reply},
        wait::{Purpose, Vote, Wait, WaitStatus},
    },
};

/// How the reason of a pause begins whose participant cannot be reached.
pub(super) const OUT_OF_REACH: &str = "out of reach: ";

/// A session as it stands. Made by [`State::fold`] alone; the same events always give the same state.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a thing of its own")]
pub struct State {
    /// The session.
    pub session: SessionId,
    /// What it runs.
    pub flow: FlowPin,
    /// Who is interviewed.
    pub participant: PersonId,
    /// What the platform calls them; personal data.
    pub name: Option<String>,
    /// Where it lives.
    pub place: Place,
    /// A trial run.
    pub test: bool,
    /// Whoever is interviewed was one of the staff when it began.
    pub staff: bool,
    /// Their time zone, where the platform knew it.
    pub time_zone: Option<String>,
    /// The contact source that may know how to reach them.
    pub contact_source: Option<String>,
    /// Who has invited them.
    pub invited_by: Option<Inviter>,
    /// How it stands.
    pub status: Status,
    /// It is paused because nothing reaches the participant.
    pub is_out_of_reach: bool,
    /// Why, as whoever said so put it.
    pub why_out_of_reach: Option<String>,
    /// Sequence number of the last event.
    pub seq: u64,
    /// When the first event happened.
    pub created_at: DateTime<Utc>,
    /// When the last event happened.
    pub updated_at: DateTime<Utc>,
    /// The current phase.
    phase: Option<String>,
    /// The event with which the current phase came.
    pub(super) phase_since: u64,
    /// When the current phase comes, while that lies ahead.
    pub opens_at: Option<DateTime<Utc>>,
    /// The phases that the conversation has been in, with the current one.
    pub visited: BTreeSet<String>,
    /// Every call, by its id, in order of their beginning.
    pub calls: Vec<CallState>,
    /// Every wait, by its id; copies of the state share them.
    pub waits: BTreeMap<WaitId, Arc<Wait>>,
    /// The waits in the order in which they were asked.
    pub asked: Vec<WaitId>,
    /// Objectives that have left `pending`, of all phases.
    pub objectives: BTreeMap<String, (ObjectiveStatus, SetBy)>,
    /// Stored data, oldest first; what is stored again is the newest.
    pub records: Vec<Record>,
    /// Files that were sent, oldest first.
    pub artifacts: Vec<Artifact>,
    /// Files that the bot made, oldest first. They are no evidence of anything.
    pub made: Vec<Artifact>,
    /// What the bot was used for with success, each once.
    pub capabilities: Vec<String>,
    /// What came of script steps, by step: the tool's response, or `{"error": …, "code": …}`.
    pub results: BTreeMap<String, Value>,
    /// What steps have set, by name.
    pub values: Map<String, Value>,
    /// Where the script stands: phase, and the step that comes next (none at its end).
    pub cursor: Option<(String, Option<String>)>,
    /// Participant messages in the current phase.
    pub talked: u32,
    /// Messages and answers of the participant in the whole session.
    pub turns: u32,
    /// Goes up whenever something happens that may change the outcome of `next_phase`.
    pub version: u64,
    /// The last outcome of `next_phase`, with the version at which it was given.
    pub last_advance: Option<(u64, Value)>,
    /// Evaluations of `next_phase` since the participant last did something.
    pub evaluations: u32,
    /// What the model proposed for objectives.
    pub proposed: BTreeMap<String, ObjectiveStatus>,
    /// A person was asked for, or has taken over.
    pub handoff: Option<Handoff>,
    /// What came of the effects of finished phases, with their ids in the outbox.
    pub effects: BTreeMap<(String, usize), (EffectOutcome, Option<EffectId>)>,
    /// Texts written under an open question that did not answer it, by wait.
    pub unmatched: BTreeMap<WaitId, u32>,
    /// What was shown for review before it was edited, and the remark that was saved last, by wait.
    pub edits: BTreeMap<WaitId, Edits>,
    /// Reminders sent, by wait.
    pub reminded: BTreeMap<WaitId, u32>,
    /// The participant wants no reminders.
    pub reminders_stopped: bool,
    /// Since when the bot has been there without a break: the beginning, the end of a pause, or a hand-back.
    pub awake_since: DateTime<Utc>,
    /// What the team was asked for, and how far that got.
    pub asking: BTreeMap<EffectId, Asking>,
    /// What never arrived.
    pub failed: Vec<FailedDelivery>,
    /// What keeps the session, and what of it is gone.
    pub keeping: RetentionState,
    /// What people wrote and may still change, by the platform's reference to the message.
    pub words: BTreeMap<String, Words>,
    /// Questions that were answered by a message, by the platform's reference to it.
    pub worded: BTreeMap<String, WaitId>,
    /// The model's part.
    pub model_turn: ModelTurn,
    /// Child runs, and whether it is one.
    pub subtasks: Subtasks,
}

impl State {
    /// Adds up events; `None` if they do not begin with [`Event::Started`].
    pub fn fold(events: &[Recorded]) -> Option<Self> {
        let (first, rest) = events.split_first()?;
        let Event::Started(started) = &*first.event else { return None };
        let mut state = Self::begin(started, first.at);
        state.seq = first.seq;
        for recorded in rest {
            state.apply(recorded);
        }
        Some(state)
    }

    /// The state right after `started`.
    pub(crate) fn begin(started: &Started, at: DateTime<Utc>) -> Self {
        let started = started.clone();
        Self {
            session: started.session,
            flow: started.flow,
            participant: started.participant,
            name: started.name,
            place: started.place,
            test: started.test,
            staff: started.staff,
            time_zone: started.time_zone,
            contact_source: started.contact_source,
            invited_by: started.invited_by,
            status: Status::Notice,
            is_out_of_reach: false,
            why_out_of_reach: None,
            seq: 1,
            created_at: at,
            updated_at: at,
            phase: None,
            phase_since: 0,
            opens_at: None,
            visited: BTreeSet::new(),
            calls: Vec::new(),
            waits: BTreeMap::new(),
            asked: Vec::new(),
            objectives: BTreeMap::new(),
            records: Vec::new(),
            artifacts: Vec::new(),
            made: Vec::new(),
            capabilities: Vec::new(),
            results: BTreeMap::new(),
            values: Map::new(),
            cursor: None,
            talked: 0,
            turns: 0,
            version: 0,
            last_advance: None,
            evaluations: 0,
            proposed: BTreeMap::new(),
            handoff: None,
            effects: BTreeMap::new(),
            asking: BTreeMap::new(),
            failed: Vec::new(),
            unmatched: BTreeMap::new(),
            edits: BTreeMap::new(),
            worded: BTreeMap::new(),
            reminded: BTreeMap::new(),
            reminders_stopped: false,
            awake_since: at,
            keeping: RetentionState::begin(at),
            words: BTreeMap::new(),
            model_turn: ModelTurn::default(),
            subtasks: Subtasks::default(),
        }
    }

    /// Adds one event. Never fails: an event that does not fit what came before changes nothing but `seq`.
    #[expect(clippy::too_many_lines, reason = "one arm for each event")]
    pub(crate) fn apply(&mut self, recorded: &Recorded) {
        self.seq = recorded.seq;
        self.updated_at = recorded.at;
        let (seq, at) = (recorded.seq, recorded.at);
        self.keeping.apply(recorded);
        self.subtasks.apply(recorded);
        match &*recorded.event {
            // A second beginning means nothing.
            Event::Started(_)
            | Event::NoticeAnswered { .. }
            | Event::Posted { .. }
            | Event::ExportOffered { .. }
            | Event::Custody(_)
            | Event::Subtask(_)
            // The model's part adds these up.
            | Event::Thought(_)
            | Event::ThinkingFailed { .. }
            | Event::ScriptLeads { .. }
            | Event::Summarised { .. }
            | Event::Spent { .. } => {}
            Event::StatusChanged { to, reason } => self.changed(*to, reason, at),
            Event::Said { from, about, source, .. } => self.apply_said(from, *about, (source.as_deref(), seq)),
            Event::Amended { source, text } => self.amended(source, text.is_some(), recorded.seq),
            Event::Called(call) => self.called(call),
            Event::Asked(wait) => self.ask(wait),
            Event::Voted { wait, vote } => self.voted(*wait, vote),
            Event::Worded { wait, source } => _ = self.worded.insert(source.clone(), *wait),
            Event::Edited { wait, data, notes, .. } => self.edited(*wait, data, notes.as_ref()),
            Event::Answered { wait, reply, by, by_name, .. } => {
                self.answered(*wait, reply, (by, by_name), at);
            }
            Event::Applied { wait } => self.applied(*wait),
            Event::Closed { wait, closing } => self.closed(*wait, closing, at),
            Event::Returned { call, result } => self.returned(call, result),
            Event::PhaseScheduled { at, .. } => self.opens_at = Some(*at),
            Event::PhaseOpened { .. } => self.opens_at = None,
            Event::ValuesSet { step, values } => {
                self.version += 1;
                self.results.insert(step.clone(), Value::Object(values.clone()));
                self.values.extend(values.clone());
            }
            Event::Stepped { phase, next, .. } => self.stepped(phase, next.as_ref()),
            Event::Kept(artifact) => self.kept(artifact),
            Event::Handed { what, .. } => self.made.extend(what.file().cloned()),
            Event::CapabilityUsed { capability } => self.capabilities.push(capability.clone()),
            Event::Saved { record, data_type, data, reviewed } => {
                let (data_type, data) = (data_type.clone(), data.clone());
                self.saved(Record { id: *record, data_type, data, reviewed: *reviewed, at });
            }
            Event::ObjectiveSet { objective, status, by } => {
                self.version += 1;
                self.objectives.insert(objective.clone(), (*status, *by));
            }
            Event::Proposed { objective, status } => {
                self.version += 1;
                self.proposed.insert(objective.clone(), *status);
            }
            Event::Advanced { to, .. } => self.advanced(to.as_ref()),
            Event::AdvanceEvaluated { outcome } => {
                self.evaluations += 1;
                self.last_advance = Some((self.version, outcome.clone()));
            }
            Event::HandedOver { reason } => self.handed_over(reason, at),
            Event::Claimed { by, by_name } => self.claimed(by, by_name, at),
            Event::HandedBack { .. } => self.handed_back(at),
            Event::EffectNoted { phase, index, outcome, effect, .. } => {
                self.effects.insert((phase.clone(), *index), (outcome.clone(), *effect));
            }
            Event::TeamAsked { effect, errand, alias, person, reached } => {
                let (errand, alias) = (errand.clone(), alias.clone());
                let (person, reached) = (person.clone(), *reached);
                self.asking.insert(*effect, Asking { errand, alias, person, reached });
            }
            Event::DeliveryFailed { effect, to, reason, .. } => {
                let (to, reason) = (to.clone(), reason.clone());
                self.failed.push(FailedDelivery { effect: *effect, to, reason });
            }
            Event::Reminded { wait, count } => _ = self.reminded.insert(*wait, *count),
            Event::RemindersStopped => self.reminders_stopped = true,
            Event::Late { call, result } => self.came_late(call, result),
        }
        self.model_turn.apply(recorded, self.phase.as_deref(), &self.calls);
    }

    fn voted(&mut self, id: WaitId, vote: &Vote) {
        let Some(wait) = self.waits.get_mut(&id).map(Arc::make_mut) else { return };
        wait.votes.retain(|known| known.by != vote.by);
        wait.votes.push(vote.clone());
        let words = |vote: &Vote| messages::requests::voted(&vote.by_name, vote.approves());
        let mut notes: Vec<Text> = wait.votes.iter().map(words).collect();
        notes.push(messages::requests::quorum(wait.quorum).into());
        Arc::make_mut(&mut wait.prompt).notes = notes;
    }

    /// A form or a button that shows the data as it was before is superseded.
    fn edited(&mut self, id: WaitId, data: &Value, notes: Option<&String>) {
        let Some(wait) = self.pending_mut(id) else { return };
        let Control::Review(review) = &mut Arc::make_mut(&mut wait.prompt).control else { return };
        let draft = review.data.clone();
        review.edit(data.clone());
        wait.revision += 1;
        let edits = self.edits.entry(id).or_insert(Edits { draft, notes: None });
        edits.notes = notes.cloned().or_else(|| edits.notes.take());
    }

    fn answered(
        &mut self,
        wait: WaitId,
        reply: &Reply,
        (by, by_name): (&PersonId, &str),
        at: DateTime<Utc>,
    ) {
        self.version += 1;
        self.evaluations = 0;
        if *by == self.participant {
            self.turns += 1;
        }
        if matches!(reply, Reply::Text { .. }) {
            self.talked += 1;
        }
        if let Some(wait) = self.pending_mut(wait) {
            let (reply, by, by_name) = (reply.clone(), by.clone(), by_name.to_owned());
            wait.status = WaitStatus::Answered { reply, by, by_name, at };
        }
    }

    fn advanced(&mut self, to: Option<&String>) {
        self.version += 1;
        self.evaluations = 0;
        self.talked = 0;
        self.phase = to.cloned();
        self.phase_since = self.seq;
        self.opens_at = None;
        self.visited.extend(to.cloned());
        self.cursor = None;
        self.last_advance = None;
    }

    fn handed_over(&mut self, reason: &str, at: DateTime<Utc>) {
        self.handoff = Some(Handoff { reason: reason.to_owned(), asked_at: at, claimed_by: None });
    }

    fn claimed(&mut self, by: &PersonId, by_name: &str, at: DateTime<Utc>) {
        let asked = || Handoff { reason: String::new(), asked_at: at, claimed_by: None };
        let handoff = self.handoff.get_or_insert_with(asked);
        handoff.claimed_by = Some((by.clone(), by_name.to_owned()));
    }

    fn changed(&mut self, to: Status, reason: &str, at: DateTime<Utc>) {
        self.status = to;
        // Whoever ends a conversation has dealt with what a person was asked for.
        if to == Status::Ended {
            self.handoff = None;
        }
        let why = reason.strip_prefix(OUT_OF_REACH).filter(|_| to == Status::Paused);
        self.is_out_of_reach = why.is_some();
        self.why_out_of_reach = why.map(str::to_owned);
        if matches!(to, Status::Notice | Status::Open) {
            self.awake_since = at;
        }
    }

    fn handed_back(&mut self, at: DateTime<Utc>) {
        self.handoff = None;
        self.awake_since = at;
        self.version += 1;
        self.evaluations = 0;
    }

    fn stepped(&mut self, phase: &str, next: Option<&String>) {
        self.cursor = Some((phase.to_owned(), next.cloned()));
    }

    fn apply_said(
        &mut self,
        from: &Speaker,
        about: Option<WaitId>,
        (source, seq): (Option<&str>, u64),
    ) {
        if let Some(source) = source {
            let by = match from {
                Speaker::Participant => self.participant.clone(),
                Speaker::Staff { by, .. } | Speaker::Bystander { by, .. } => by.clone(),
            };
            self.words.insert(source.to_owned(), Words { seq, by });
        }
        if *from == Speaker::Participant {
            self.turns += 1;
            self.talked += 1;
            self.version += 1;
            self.evaluations = 0;
        }
        if let Some(wait) = about {
            *self.unmatched.entry(wait).or_default() += 1;
        }
    }

    /// What the model has read already, it is told of again; what it has not, it reads as it is now.
    fn amended(&mut self, source: &str, is_there: bool, seq: u64) {
        let Some(words) = self.words.get(source) else { return };
        let (was_read, is_theirs) =
            (words.seq <= self.model_turn.knew, words.by == self.participant);
        if !is_there {
            self.words.remove(source);
        } else if was_read && is_theirs {
            self.model_turn.changed(seq);
        }
        self.version += u64::from(is_theirs);
    }

    fn called(&mut self, call: &Call) {
        if self.call(&call.id).is_none() {
            if matches!(call.origin, Origin::Person { .. }) {
                // Somebody asks for the next phase themselves: the guard against repeats is for the model.
                self.version += 1;
                self.evaluations = 0;
            }
            let call = Arc::new(call.clone());
            let (wait, result, late) = (None, None, None);
            self.calls.push(CallState { call, wait, result, detached: false, late });
        }
    }

    fn ask(&mut self, wait: &Wait) {
        if let Purpose::Call { call, .. } = &wait.purpose
            && let Some(call) = self.calls.iter_mut().find(|c| c.call.id == *call)
        {
            call.wait = Some(wait.id);
            // An answer is to be changed: the call has its result, and what comes now is told beside it.
            call.detached |= call.result.is_some();
            call.late = call.late.take().filter(|_| call.result.is_none());
        }
        match self.waits.insert(wait.id, Arc::new(wait.clone())) {
            None => self.asked.push(wait.id),
            Some(before) => self.take_back(&before),
        }
    }

    /// An answer that is given anew counts once.
    fn take_back(&mut self, before: &Wait) {
        let Some((reply, by, ..)) = before.status.answer() else { return };
        if *by == self.participant {
            self.turns = self.turns.saturating_sub(1);
        }
        if matches!(reply, Reply::Text { .. }) {
            self.talked = self.talked.saturating_sub(1);
        }
    }

    fn applied(&mut self, id: WaitId) {
        let Some(wait) = self.waits.get_mut(&id).map(Arc::make_mut) else { return };
        if let WaitStatus::Answered { reply, by, by_name, at } = wait.status.clone() {
            wait.status = WaitStatus::Applied { reply, by, by_name, at };
        }
    }

    fn closed(&mut self, id: WaitId, closing: &Closing, at: DateTime<Utc>) {
        self.version += 1;
        let Some(wait) = self.pending_mut(id) else { return };
        wait.status = match closing {
            Closing::Expired => WaitStatus::Expired { at },
            Closing::Cancelled { reason } => WaitStatus::Cancelled { reason: reason.clone(), at },
            Closing::Superseded { by } => WaitStatus::Superseded { by: *by, at },
        };
    }

    fn returned(&mut self, id: &CallId, result: &CallResult) {
        let runs = self.subtasks.running(id).is_some_and(|child| child.dismissed.is_none());
        let Some(call) = self.calls.iter_mut().find(|c| c.call.id == *id) else { return };
        if call.result.is_some() {
            return;
        }
        let wait = call.wait.and_then(|id| self.waits.get(&id));
        call.detached = runs || wait.is_some_and(|wait| wait.status.is_pending());
        call.result = Some(Arc::new(result.clone()));
        if let Origin::Step { step } = &call.call.origin {
            self.results.insert(step.clone(), result.to_value());
        }
    }

    fn came_late(&mut self, id: &CallId, result: &CallResult) {
        self.version += 1;
        self.evaluations = 0;
        if let Some(call) = self.calls.iter_mut().find(|c| c.call.id == *id) {
            call.late.get_or_insert_with(|| Arc::new(result.clone()));
            if let (Origin::Step { step }, true) = (&call.call.origin, result.is_success()) {
                self.results.insert(step.clone(), result.to_value());
            }
        }
    }

    fn kept(&mut self, artifact: &Artifact) {
        self.version += 1;
        self.artifacts.push(artifact.clone());
    }

    fn saved(&mut self, record: Record) {
        self.version += 1;
        self.records.retain(|known| known.id != record.id);
        self.records.push(record);
    }

    /// The current phase; `None` before the notice is answered and after the last phase.
    pub fn phase(&self) -> Option<&str> {
        self.phase.as_deref()
    }

    /// A call by its id.
    pub fn call(&self, id: &CallId) -> Option<&CallState> {
        self.calls.iter().find(|c| c.call.id == *id)
    }

    /// Whether a call has asked a person, answered or not.
    pub(crate) fn has_asked(&self, id: &CallId) -> bool {
        self.waits
            .values()
            .any(|wait| matches!(&wait.purpose, Purpose::Call { call, .. } if call == id))
    }

    /// The session under which the files lie: a child run's are those of its root.
    pub(crate) fn files_of(&self) -> SessionId {
        self.subtasks.parent_link.as_ref().map_or(self.session, |own| own.assignment.root)
    }

    /// What staff call the participant: the name in the profile that they approved, otherwise what the platform says.
    pub(crate) fn known_as(&self) -> Option<&str> {
        let name = self.records.iter().rev().filter(|record| record.reviewed).find_map(|record| {
            let is_profile = record.data_type == "applicant_profile";
            let basics =
                record.data.get("basics").or_else(|| is_profile.then_some(&record.data))?;
            basics.get("name")?.as_str().map(str::trim).filter(|name| !name.is_empty())
        });
        name.or(self.name.as_deref())
    }

    /// Who has invited the participant, where a question is the notice that tells them what the conversation is about.
    pub(crate) fn inviter_on(&self, wait: &Wait) -> Option<&Inviter> {
        self.invited_by.as_ref().filter(|_| matches!(wait.purpose, Purpose::Notice))
    }

    /// What messages to the staff call the participant within a sentence.
    pub fn person_in_words(&self) -> String {
        let name = self.name.as_deref().or_else(|| self.known_as());
        match (name, self.participant.platform) {
            (Some(name), _) => name.to_owned(),
            // The id of a browser tells nobody anything.
            (None, Platform::Web) => messages::unnamed::A_PARTICIPANT.to_owned(),
            (None, Platform::Slack | Platform::Discord) => self.participant.to_string(),
        }
    }

    /// Waits that nobody has answered, in the order asked.
    pub fn pending(&self) -> impl Iterator<Item = &Wait> {
        self.asked.iter().filter_map(|id| self.wait(*id)).filter(|wait| wait.status.is_pending())
    }

    /// A wait.
    pub fn wait(&self, id: WaitId) -> Option<&Wait> {
        self.waits.get(&id).map(Arc::as_ref)
    }

    /// A wait to be changed, if nobody has answered it yet.
    fn pending_mut(&mut self, id: WaitId) -> Option<&mut Wait> {
        let wait = self.waits.get_mut(&id).filter(|wait| wait.status.is_pending());
        wait.map(Arc::make_mut)
    }

    /// The record of a kind of data that counts: the newest that the participant approved, or the newest where there
    /// is none.
    pub fn record(&self, data_type: &str) -> Option<&Record> {
        let mut newest = self.records.iter().rev().filter(|r| r.data_type == data_type);
        newest.clone().find(|record| record.reviewed).or_else(|| newest.next())
    }

    /// How an objective stands.
    pub fn objective(&self, id: &str) -> ObjectiveStatus {
        self.objectives.get(id).map_or(ObjectiveStatus::Pending, |(status, _)| *status)
    }
}

impl CallResult {
    /// As the model reads it.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Ok { value } => value.clone(),
            Self::Err { code, message } => serde_json::json!({ "error": message, "code": code }),
        }
    }
}
