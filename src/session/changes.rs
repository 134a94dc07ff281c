//! What decisions about a session change: all of it is collected here, and becomes one commit.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Deref,
    sync::Arc,
};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::{
    SessionView, Settings, evidence,
    state::State,
    view::{blocks, is_for_deciders},
};
use crate::{
    base::ids::{EffectId, Ids, WaitId},
    flow::LoadedFlow,
    messages::Text,
    model::{
        STORED_VERSION,
        audit::AuditRecord,
        effect::{Act, Effect, PhaseEffectRef, Priority, Recipient},
        transcript::{Audience, Event, Recorded},
        ui::Offered,
    },
    store::{Commit, TimerKind},
};

/// Why the core refuses what a tool or a person proposes; the text is for whoever proposed it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub Text);

/// What is decided of a session and not yet committed, read as the session that it leaves. [`decide`](super::decide) makes
/// it. What a step still has to do goes on from there by the methods: together they are one [`Commit`].
#[derive(Debug)]
pub struct Changes {
    next: SessionView,
    /// The last event before all of this.
    base: u64,
    events: Vec<Recorded>,
    waits: BTreeSet<WaitId>,
    effects: Vec<Effect>,
    timers: BTreeMap<TimerKind, Option<DateTime<Utc>>>,
    audit: Vec<AuditRecord>,
}

/// Nobody can change what is read: that is left to [`Changes::emit`].
impl Deref for Changes {
    type Target = SessionView;

    fn deref(&self) -> &SessionView {
        &self.next
    }
}

impl From<SessionView> for Changes {
    /// Nothing is changed yet.
    fn from(view: SessionView) -> Self {
        Self {
            base: view.state.seq,
            next: view,
            events: Vec::new(),
            waits: BTreeSet::new(),
            effects: Vec::new(),
            timers: BTreeMap::new(),
            audit: Vec::new(),
        }
    }
}

impl Changes {
    /// The changes of a session that begins with the event `first`, which makes `state`.
    pub(super) fn beginning(
        flow: Arc<LoadedFlow>,
        state: State,
        first: Recorded,
        ids: Arc<dyn Ids>,
        now: DateTime<Utc>,
    ) -> Self {
        let view = SessionView::new(flow, state, ids, now, Settings::default());
        Self { base: 0, events: vec![first], ..Self::from(view) }
    }

    /// Sets the settings of this installation.
    #[must_use]
    pub fn within(mut self, settings: Settings) -> Self {
        self.next.settings = settings;
        self
    }

    /// The session as this leaves it.
    pub fn view(&self) -> &SessionView {
        &self.next
    }

    /// The events of this step.
    pub(super) fn new_events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().map(|recorded| &*recorded.event)
    }

    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        let Self { next: _, base: _, events, waits, effects, timers, audit } = self;
        events.is_empty()
            && waits.is_empty()
            && effects.is_empty()
            && timers.is_empty()
            && audit.is_empty()
    }

    /// Everything that this step changes. `dedup` is the key of the inbound event it deals with.
    pub fn into_commit(mut self, dedup: Option<String>) -> Commit {
        let later = self.questions_from().max(self.state.opens_at).filter(|from| *from > self.now);
        let later = later.or_else(|| self.thinks_again_at()).or_else(|| self.listens_until());
        let work = if self.rests() { later } else { Some(self.now) };
        self.set_timer(TimerKind::Work, work);
        self.set_timer(TimerKind::Pause, self.pause_at());
        let head = self.head();
        let Self { next, base, events, waits, effects, timers, audit } = self;
        let waits = waits.iter().filter_map(|id| next.state.wait(*id)).cloned().collect();
        let timers = timers.into_iter().collect();
        // Whose account is charged, and of which period, is not known here.
        let charges = Vec::new();
        Commit { head, expected: base, events, waits, effects, timers, audit, dedup, charges }
    }

    /// Adds an event to the session and to this step.
    pub(super) fn emit(&mut self, event: Event) {
        match &event {
            Event::Asked(wait) => {
                self.waits.insert(wait.id);
            }
            Event::Voted { wait, .. }
            | Event::Edited { wait, .. }
            | Event::Answered { wait, .. }
            | Event::Applied { wait }
            | Event::Closed { wait, .. } => {
                self.waits.insert(*wait);
            }
            _ => {}
        }
        let recorded = Recorded {
            v: STORED_VERSION,
            seq: self.state.seq + 1,
            at: self.now,
            event: Arc::new(event),
        };
        Arc::make_mut(&mut self.next.state).apply(&recorded);
        self.events.push(recorded);
    }

    /// Queues an effect.
    pub(super) fn effect(&mut self, to: Recipient, act: Act) -> EffectId {
        let id = EffectId::mint(&*self.ids);
        let home = (self.state.session, self.state.place.clone());
        self.effects.push(Effect::new(id, home, (to, act), self.now));
        id
    }

    /// What this step has queued so far.
    pub(super) fn queued(&self) -> &[Effect] {
        &self.effects
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
        self.effects.iter_mut().find(|effect| effect.id == id)
    }

    /// Queues an effect that carries out an effect of a phase.
    pub(super) fn carry(
        &mut self,
        (to, act): (Recipient, Act),
        carries: PhaseEffectRef,
    ) -> EffectId {
        let id = self.effect(to, act);
        if let Some(effect) = self.effects.last_mut() {
            effect.carries = Some(carries);
        }
        id
    }

    /// Tells the participant something. A child run talks to nobody.
    pub(super) fn post(&mut self, text: impl Into<Text>) {
        self.post_offering(text, &[]);
    }

    /// Tells the participant something, with commands offered under it. A child run talks to nobody.
    pub(super) fn post_offering(&mut self, text: impl Into<Text>, offers: &[Offered]) {
        if self.is_child() {
            return;
        }
        let (text, offers) = (text.into(), offers.to_vec());
        let act = Act::Post { text: text.clone(), offers: offers.clone(), transcript: false };
        let effect = self.effect(Recipient::Participant, act);
        self.emit(Event::Posted { effect, audience: Audience::Participant, text, offers });
    }

    /// Tells the staff something, in the channel behind `alias`; without one it stands in the transcript only.
    pub(super) fn post_to_staff(&mut self, alias: Option<&str>, text: impl Into<Text>) {
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
            let before = self.effects.extract_if(.., is_progress);
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
        self.timers.insert(kind, at);
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
        self.audit.push(AuditRecord {
            event: event.to_owned(),
            timestamp: self.now,
            session: Some(self.state.session),
            facts: map(facts.into_iter().collect()),
            words: map(words),
        });
    }
}
