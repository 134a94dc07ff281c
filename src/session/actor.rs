//! The sole mutator of a session: decides, and collects what one step changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Deref,
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use serde_json::{Map, Value};

use super::{
    evidence, script,
    state::{CallState, Handoff, State},
};
use crate::{
    base::ids::{CallId, EffectId, Ids, SessionId, WaitId},
    flow::LoadedFlow,
    model::{
        STORED_VERSION,
        audit::AuditRecord,
        effect::{Act, Effect, PhaseEffectRef, Priority, Recipient},
        flow::Phase,
        session::{Head, PersonId, Status},
        transcript::{Audience, Call, Event, Origin, Recorded, Started},
        ui::Offered,
        usage::Budgets,
        wait::{Answerers, Purpose, Wait, WaitStatus},
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
    /// Something is due for which no tool is run: see to it with [`Actor::arrange`].
    Arrange,
    /// Nothing until a person acts or a timer fires.
    Rest,
}

/// Why the core refuses what a tool or a person proposes; the text is for whoever proposed it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// A session in the hands of the one who may change it: reads by [`Actor::state`], changes by the methods, ends
/// with [`Actor::into_commit`].
#[derive(Debug)]
pub struct Actor {
    pub(super) flow: Arc<LoadedFlow>,
    pub(super) state: Current,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) now: DateTime<Utc>,
    /// A model is configured.
    pub(super) has_model: bool,
    /// How long the participant may be writing on before the model is asked.
    pub(super) burst: TimeDelta,
    /// Where the team's days begin and end.
    pub(super) time_zone: Option<Tz>,
    /// A model that leaves nothing to answer is nudged.
    pub(super) nudges: bool,
    /// What the operator allows.
    pub(super) budgets: Budgets,
    base: u64,
    draft: Draft,
}

/// The session as it stands. Everybody may read it; only [`Actor::emit`] changes it, by an event, and in a copy where
/// others are looking at it.
#[derive(Debug)]
pub(super) struct Current(Arc<State>);

impl Deref for Current {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

/// What one step changes, besides the state.
#[derive(Debug, Default)]
struct Draft {
    events: Vec<Recorded>,
    waits: BTreeSet<WaitId>,
    effects: Vec<Effect>,
    timers: BTreeMap<TimerKind, Option<DateTime<Utc>>>,
    audit: Vec<AuditRecord>,
}

impl Actor {
    /// Begins a session: the notice is asked, or the first phase begins where the flow has none. The notice says
    /// whether a model will read along.
    pub fn start(
        flow: Arc<LoadedFlow>,
        started: Started,
        ids: Arc<dyn Ids>,
        now: DateTime<Utc>,
        has_model: bool,
    ) -> Self {
        let event = Event::Started(started.clone());
        let first = Recorded { v: STORED_VERSION, seq: 1, at: now, event: Arc::new(event) };
        let state = State::begin(&started, now);
        let mut actor = Self::beginning(flow, state, first, ids, now).with_model(has_model);
        let facts = [("flow", started.flow.id.into()), ("digest", started.flow.digest.into())];
        actor.audit("session_started", facts, []);
        actor.open_session();
        actor
    }

    /// Takes a stored session up; none if its events make no session.
    pub fn load(
        flow: Arc<LoadedFlow>,
        loaded: &Loaded,
        ids: Arc<dyn Ids>,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let state = State::fold(&loaded.events)?;
        Some(Self::over(flow, state, ids, now))
    }

    /// Over a session that begins with this event, which makes this state.
    pub(super) fn beginning(
        flow: Arc<LoadedFlow>,
        state: State,
        first: Recorded,
        ids: Arc<dyn Ids>,
        now: DateTime<Utc>,
    ) -> Self {
        let draft = Draft { events: vec![first], ..Draft::default() };
        Self { base: 0, draft, ..Self::over(flow, state, ids, now) }
    }

    /// Over a session as it stands.
    pub fn over(
        flow: Arc<LoadedFlow>,
        state: impl Into<Arc<State>>,
        ids: Arc<dyn Ids>,
        now: DateTime<Utc>,
    ) -> Self {
        let state = Current(state.into());
        let base = state.seq;
        let (budgets, draft) = (Budgets::default(), Draft::default());
        let burst = TimeDelta::zero();
        let time_zone = None;
        let (has_model, nudges) = (false, true);
        Self { flow, state, ids, now, has_model, burst, time_zone, nudges, budgets, base, draft }
    }

    /// The session as it stands, with what this step has changed so far.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The same, to be kept: what this step still changes is not in it.
    pub fn shared_state(&self) -> Arc<State> {
        Arc::clone(&self.state.0)
    }

    /// The flow it runs.
    pub fn flow(&self) -> &Arc<LoadedFlow> {
        &self.flow
    }

    /// The current phase; none before the first and after the last.
    pub fn phase(&self) -> Option<&Phase> {
        self.flow.phase(self.state.phase()?)
    }

    /// The events of this step.
    pub(super) fn new_events(&self) -> impl Iterator<Item = &Event> {
        self.draft.events.iter().map(|recorded| &*recorded.event)
    }

    /// Whether this step has changed anything.
    pub fn is_changed(&self) -> bool {
        let Draft { events, waits, effects, timers, audit } = &self.draft;
        !(events.is_empty()
            && waits.is_empty()
            && effects.is_empty()
            && timers.is_empty()
            && audit.is_empty())
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

    /// Everything that this step changes. `dedup` is the key of the inbound event it deals with.
    pub fn into_commit(mut self, dedup: Option<String>) -> Commit {
        let later = self.questions_from().max(self.state.opens_at).filter(|from| *from > self.now);
        let later = later.or_else(|| self.thinks_again_at()).or_else(|| self.listens_until());
        let work = if self.rests() { later } else { Some(self.now) };
        self.set_timer(TimerKind::Work, work);
        self.set_timer(TimerKind::Pause, self.pause_at());
        let head = self.head();
        let Draft { events, waits, effects, timers, audit } = self.draft;
        let waits = waits.iter().filter_map(|id| self.state.wait(*id)).cloned().collect();
        let timers = timers.into_iter().collect();
        // Whose account is charged, and of which period, is not known here.
        let charges = Vec::new();
        Commit { head, expected: self.base, events, waits, effects, timers, audit, dedup, charges }
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

    /// Adds an event to the session and to this step.
    pub(super) fn emit(&mut self, event: Event) {
        match &event {
            Event::Asked(wait) => {
                self.draft.waits.insert(wait.id);
            }
            Event::Voted { wait, .. }
            | Event::Edited { wait, .. }
            | Event::Answered { wait, .. }
            | Event::Applied { wait }
            | Event::Closed { wait, .. } => {
                self.draft.waits.insert(*wait);
            }
            _ => {}
        }
        let recorded = Recorded {
            v: STORED_VERSION,
            seq: self.state.seq + 1,
            at: self.now,
            event: Arc::new(event),
        };
        Arc::make_mut(&mut self.state.0).apply(&recorded);
        self.draft.events.push(recorded);
    }

    /// Who did something, for an audit record. The participant is never named there: records outlive an erasure.
    pub(super) fn named(&self, person: &PersonId) -> String {
        if *person == self.state.participant {
            "participant".to_owned()
        } else {
            person.to_string()
        }
    }

    /// Queues an effect.
    pub(super) fn effect(&mut self, to: Recipient, act: Act) -> EffectId {
        let id = EffectId::mint(&*self.ids);
        let home = (self.state.session, self.state.place.clone());
        self.draft.effects.push(Effect::new(id, home, (to, act), self.now));
        id
    }

    /// What this step has queued so far.
    pub(super) fn queued(&self) -> &[Effect] {
        &self.draft.effects
    }

    /// The session is told what comes of an effect that this step has queued.
    pub(super) fn mark_asking(&mut self, id: EffectId) {
        if let Some(effect) = self.queued_mut(id) {
            effect.asks = true;
        }
    }

    /// Queues an effect of this step otherwise than by its act.
    fn prioritise(&mut self, id: EffectId, priority: Priority) {
        if let Some(effect) = self.queued_mut(id) {
            effect.priority = priority;
        }
    }

    fn queued_mut(&mut self, id: EffectId) -> Option<&mut Effect> {
        self.draft.effects.iter_mut().find(|effect| effect.id == id)
    }

    /// Queues an effect that carries out an effect of a phase.
    pub(super) fn carry(
        &mut self,
        (to, act): (Recipient, Act),
        carries: PhaseEffectRef,
    ) -> EffectId {
        let id = self.effect(to, act);
        if let Some(effect) = self.draft.effects.last_mut() {
            effect.carries = Some(carries);
        }
        id
    }

    /// Tells the participant something. A child run talks to nobody.
    pub(super) fn post(&mut self, text: impl Into<String>) {
        self.post_offering(text, &[]);
    }

    /// The same, with commands offered under it.
    pub(super) fn post_offering(&mut self, text: impl Into<String>, offers: &[Offered]) {
        if self.is_child() {
            return;
        }
        let (text, offers) = (text.into(), offers.to_vec());
        let act = Act::Post { text: text.clone(), offers: offers.clone(), transcript: false };
        let effect = self.effect(Recipient::Participant, act);
        self.emit(Event::Posted { effect, audience: Audience::Participant, text, offers });
    }

    /// Tells the staff something, in the channel behind `alias`; without one it stands in the transcript only.
    pub(super) fn post_to_staff(&mut self, alias: Option<&str>, text: impl Into<String>) {
        if self.is_child() {
            return;
        }
        let text = text.into();
        let effect = match alias {
            Some(alias) => {
                let to = Recipient::Channel { alias: alias.to_owned() };
                self.effect(
                    to,
                    Act::Post { text: text.clone(), offers: Vec::new(), transcript: false },
                )
            }
            None => EffectId::mint(&*self.ids),
        };
        let (audience, offers) = (Audience::Staff, Vec::new());
        self.emit(Event::Posted { effect, audience, text, offers });
    }

    /// Shows a wait, or redraws every rendering of it. A question that would talk over a person is held until they
    /// hand back. What a child run asks is shown at its root.
    pub(super) fn show(&mut self, id: WaitId) {
        if self.is_child() {
            return;
        }
        let Some(wait) = self.state.waits.get(&id) else { return };
        let talks_over = self.state.handoff.is_some() && wait.status.is_pending() && blocks(wait);
        if talks_over && !is_for_deciders(wait) {
            return;
        }
        let (to, is_pending) = (Recipient::of(&wait.answerers), wait.status.is_pending());
        let tidies_up = to == Recipient::Participant && !is_pending;
        let shown = self.effect(to, Act::Show { wait: id });
        if tidies_up {
            self.prioritise(shown, Priority::Background);
        }
        // Where their channel takes nothing, what is meant for it waits.
        for user in self.directly_asked(id) {
            self.effect(Recipient::Person { user }, Act::Show { wait: id });
        }
    }

    /// Shows how far the session is: for the first time before the first question, later by an edit that nobody waits
    /// for. Whatever changes it in one step is shown once.
    pub(super) fn show_progress(&mut self, is_first: bool) {
        let line = evidence::progress_shown(&self.state, &self.flow);
        if let Some(text) = line.filter(|_| !self.is_child()) {
            let is_progress = |effect: &mut Effect| matches!(effect.act, Act::Progress { .. });
            let before = self.draft.effects.extract_if(.., is_progress);
            let is_first =
                before.last().is_some_and(|b| b.priority == Priority::Normal) || is_first;
            let shown = self.effect(Recipient::Participant, Act::Progress { text });
            if is_first {
                self.prioritise(shown, Priority::Normal);
            }
        }
    }

    /// Sets a timer, or clears it.
    pub(super) fn set_timer(&mut self, kind: TimerKind, at: Option<DateTime<Utc>>) {
        self.draft.timers.insert(kind, at);
    }

    /// Adds an audit record; `facts` hold ids and decisions, `words` free text that can be erased.
    pub(super) fn audit<'a, const W: usize>(
        &mut self,
        event: &str,
        facts: impl IntoIterator<Item = (&'a str, Value)>,
        words: [(&str, Value); W],
    ) {
        let map = |pairs: Vec<(&str, Value)>| -> Map<String, Value> {
            pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
        };
        let words = words.into_iter().filter(|(_, value)| !value.is_null()).collect();
        self.draft.audit.push(AuditRecord {
            event: event.to_owned(),
            timestamp: self.now,
            session: Some(self.state.session),
            facts: map(facts.into_iter().collect()),
            words: map(words),
        });
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
