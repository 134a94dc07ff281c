//! What the events of the sessions that are being worked on add up to, so that a turn adds them up once.
//!
//! A state is kept with its last event. Events never change and copies of one share it, so the same last event means
//! the same history; where a session has gone on, only what came since is added.

use std::{sync::Arc, time::Duration};

use crate::{
    base::{ids::SessionId, recent::Recent},
    model::transcript::{Event, Recorded},
    session::State,
};

/// Events of all sessions whose states are kept. A state of two hundred events is 150 KB, and made anew in 20 µs: a crowd
/// that has more of them has each made anew once a turn, which costs less than the memory.
const EVENTS_MAX: u64 = 16_000;

/// A session that nobody has touched for so long waits for a person.
const IDLE: Duration = Duration::from_secs(30);

/// States by session.
#[derive(Debug)]
pub(super) struct StateCache(Recent<SessionId, Known>);

#[derive(Debug, Clone)]
struct Known {
    last: Arc<Event>,
    state: Arc<State>,
}

impl Default for StateCache {
    fn default() -> Self {
        Self(Recent::with_age(EVENTS_MAX, IDLE))
    }
}

impl StateCache {
    /// What events add up to; `None` if they make no session.
    pub(super) fn of(&self, session: SessionId, events: &[Recorded]) -> Option<Arc<State>> {
        let last = &events.last()?.event;
        let known = self.0.get(&session);
        if let Some(known) = known.as_ref().filter(|known| Arc::ptr_eq(&known.last, last)) {
            return Some(Arc::clone(&known.state));
        }
        let state = known.and_then(|known| gone_on(&known, events));
        let state = Arc::new(state.or_else(|| State::fold(events))?);
        self.keep(session, last, &state);
        Some(state)
    }

    /// Keeps what the events up to `last` add up to.
    pub(super) fn keep(&self, session: SessionId, last: &Arc<Event>, state: &Arc<State>) {
        let (last, state) = (Arc::clone(last), Arc::clone(state));
        let events = u32::try_from(state.seq).unwrap_or(u32::MAX);
        self.0.insert(session, Known { last, state }, events);
    }

    /// Forgets a session.
    pub(super) fn forget(&self, session: SessionId) {
        self.0.remove(&session);
    }

    /// Lets go of what nobody has touched lately.
    pub(super) fn tidy(&self) {
        self.0.tidy();
    }
}

/// The state with what came since; `None` if these are other events.
fn gone_on(known: &Known, events: &[Recorded]) -> Option<State> {
    let upto = usize::try_from(known.state.seq).ok()?;
    let (before, since) = events.split_at_checked(upto)?;
    Arc::ptr_eq(&before.last()?.event, &known.last).then(|| {
        let mut state = State::clone(&known.state);
        for recorded in since {
            state.apply(recorded);
        }
        state
    })
}
