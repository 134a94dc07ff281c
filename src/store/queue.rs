//! The outbox in the order in which it leaves: of each session the first effect, once it is due, and the next when that
//! is done. What lies on the device counts; this says where to look, so that no delivery looks through all that wait.
//!
//! Effects of [background priority](Priority) are a lane of their own beside the session's others. Both lanes leave
//! independently of one another, but for effects that draw the same message, a wait's or the progress line: these keep
//! their order. An effect that was queued by an earlier process is in the normal lane, for its priority is not known
//! before it is read.
//!
//! That an effect is blocked is known here alone and not written: a new process tries it once, and is told again.
//!
//! A web hook that is to be tried again later keeps back only what goes to the same one: whoever receives it may be away
//! for hours, and people do not wait for that.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    ops::Bound::{Excluded, Unbounded},
    sync::Arc,
};

use chrono::{DateTime, Utc};

use super::{Capacity, Error};
use crate::{
    base::ids::{EffectId, WaitId},
    model::effect::{Act, Cause, Effect, Priority, Recipient},
};

/// Effects of which the content is kept, and not read again when they leave.
const HELD_MAX: usize = 256;

/// Names a lane. Lanes of normal priority come first.
type Key<S> = (Priority, S);

/// What stands for a session in the outbox.
pub(super) trait SessionRef: Copy + Ord + Hash {}

impl<S: Copy + Ord + Hash> SessionRef for S {}

/// What is to leave, by session and priority.
#[derive(Debug)]
pub(super) struct Queue<S> {
    lanes: HashMap<Key<S>, Lane>,
    of: HashMap<EffectId, Key<S>>,
    /// Lanes whose next effect may be due.
    ready: BTreeSet<Key<S>>,
    /// The lane of each priority that was looked at last.
    turns: BTreeMap<Priority, Key<S>>,
    /// Lanes whose next effect is put off.
    later: BTreeSet<(DateTime<Utc>, Key<S>)>,
    blocked: Blocked<S>,
    /// How many effects' content is kept.
    held: usize,
    /// When it was last asked what may leave.
    asked: Option<DateTime<Utc>>,
}

impl<S> Default for Queue<S> {
    fn default() -> Self {
        Self {
            lanes: HashMap::new(),
            of: HashMap::new(),
            ready: BTreeSet::new(),
            turns: BTreeMap::new(),
            later: BTreeSet::new(),
            blocked: Blocked { causes: HashMap::new(), next: 0 },
            held: 0,
            asked: None,
        }
    }
}

/// The effects of a session that have the same priority. They leave in order, but for those behind one that is blocked:
/// only those for the same recipient wait for it.
#[derive(Debug, Default)]
struct Lane {
    effects: BTreeMap<EffectId, Entry>,
    /// Handed out and not done.
    claimed: Option<EffectId>,
    /// The first effect of each recipient to whom nothing gets through, or of each web hook that is tried again later.
    parked: Vec<Parked>,
}

#[derive(Debug, Default)]
struct Entry {
    /// The content, where it is kept.
    held: Option<Arc<Effect>>,
    /// Whom it is for, once that is known.
    to: Option<Address>,
    /// What it draws.
    draws: Draws,
    /// This process has queued it.
    is_own: bool,
}

/// Which message of a session an effect draws, for the first time or anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Draws {
    /// It has not been read yet.
    #[default]
    Unknown,
    Nothing,
    Wait(WaitId),
    Progress,
}

impl Draws {
    const fn of(effect: &Effect) -> Self {
        match effect.act {
            Act::Show { wait } => Self::Wait(wait),
            Act::Progress { .. } => Self::Progress,
            _ => Self::Nothing,
        }
    }

    /// Whether both may draw the same message.
    fn may_meet(self, other: Self) -> bool {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => false,
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (one, other) => one == other,
        }
    }
}

/// A digest of a recipient: what stands for them in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Address(u64);

impl Address {
    fn of(to: &Recipient) -> Self {
        let mut hasher = DefaultHasher::new();
        to.hash(&mut hasher);
        Self(hasher.finish())
    }
}

#[derive(Debug)]
struct Parked {
    to: Address,
    effect: EffectId,
    until: DateTime<Utc>,
    /// Where it stands among all that wait for the same cause; `None` if it waits for the time alone.
    ticket: Option<(Arc<Cause>, u64)>,
}

/// Effects by the number under which they were put back.
type Waiting<S> = BTreeMap<u64, (Key<S>, EffectId)>;

/// Effects that are blocked, by what blocks them, in the order in which they were put back.
#[derive(Debug)]
struct Blocked<S> {
    causes: HashMap<Arc<Cause>, Waiting<S>>,
    next: u64,
}

impl<S: SessionRef> Blocked<S> {
    fn add(&mut self, cause: Cause, at: (Key<S>, EffectId)) -> (Arc<Cause>, u64) {
        let cause = match self.causes.get_key_value(&cause) {
            Some((known, _)) => Arc::clone(known),
            None => Arc::new(cause),
        };
        let number = self.next;
        self.next += 1;
        self.causes.entry(Arc::clone(&cause)).or_default().insert(number, at);
        (cause, number)
    }

    fn remove(&mut self, (cause, number): &(Arc<Cause>, u64)) {
        let Some(waiting) = self.causes.get_mut(cause) else { return };
        waiting.remove(number);
        if waiting.is_empty() {
            self.causes.remove(cause);
        }
    }
}

impl Lane {
    fn is_parked(&self, to: Address) -> bool {
        self.parked.iter().any(|parked| parked.to == to)
    }

    /// Lets those leave again of which `is_over` says so.
    fn unpark<S: SessionRef>(
        &mut self,
        blocked: &mut Blocked<S>,
        is_over: impl Fn(&Parked) -> bool,
    ) {
        for parked in self.parked.extract_if(.., |parked| is_over(parked)) {
            if let Some(ticket) = &parked.ticket {
                blocked.remove(ticket);
            }
        }
    }

    /// The next effect that is not behind a blocked one, and what of it is kept. Of those whose recipient is not known,
    /// the first counts as such: it must be read.
    fn next(&self) -> Option<(EffectId, Option<Arc<Effect>>)> {
        let mut free = self.effects.iter().filter(|(_, entry)| {
            let is_behind = entry.to.is_some_and(|to| self.is_parked(to));
            !is_behind
        });
        free.next().map(|(id, entry)| (*id, entry.held.clone()))
    }

    /// Whether it has an effect that must leave before `effect` of the session's other lane: one that may draw the same
    /// message and is older, or is being delivered.
    fn goes_before(&self, effect: EffectId, draws: Draws) -> bool {
        let mut others = self.effects.iter().filter(|(id, entry)| {
            entry.draws.may_meet(draws) && (**id < effect || self.claimed == Some(**id))
        });
        others.next().is_some()
    }
}

/// What a lane has for somebody who asks.
enum Next {
    Effect(Box<Effect>),
    /// Nothing before that time.
    NotBefore(DateTime<Utc>),
    /// Nothing until something happens.
    Nothing,
}

impl<S: SessionRef> Queue<S> {
    /// Adds an effect whose content is on the device: an earlier process may have tried to deliver it.
    pub(super) fn add(&mut self, session: S, id: EffectId) {
        self.put((Priority::Normal, session), id, Entry::default());
    }

    /// Adds an effect that was just written.
    pub(super) fn add_own(&mut self, session: S, id: EffectId) {
        self.put((Priority::Normal, session), id, Entry { is_own: true, ..Entry::default() });
    }

    /// Adds an effect that was just written, and keeps it if there is room.
    pub(super) fn add_known(&mut self, session: S, effect: Effect) {
        let (id, key) = (effect.id, (effect.priority, session));
        let (to, draws) = (Some(Address::of(&effect.to)), Draws::of(&effect));
        let held = (self.held < HELD_MAX).then(|| Arc::new(effect));
        self.put(key, id, Entry { held, to, draws, is_own: true });
    }

    fn put(&mut self, key: Key<S>, id: EffectId, entry: Entry) {
        self.held += usize::from(entry.held.is_some());
        let lane = self.lanes.entry(key).or_default();
        let is_first = lane.effects.first_key_value().is_none_or(|(first, _)| id < *first);
        let before = lane.effects.insert(id, entry);
        self.held -= usize::from(before.is_some_and(|before| before.held.is_some()));
        self.of.insert(id, key);
        // What stands behind another waits for that one, unless it is blocked.
        if (is_first || !lane.parked.is_empty()) && lane.claimed.is_none() {
            self.ready.insert(key);
        }
    }

    /// Whether an effect that is still to leave was queued by an earlier process.
    pub(super) fn is_inherited(&self, id: EffectId) -> bool {
        let lane = self.of.get(&id).and_then(|key| self.lanes.get(key));
        lane.and_then(|lane| lane.effects.get(&id)).is_some_and(|entry| !entry.is_own)
    }

    /// The session of an effect that is still to leave, and its content where that is kept.
    pub(super) fn get(&self, id: EffectId) -> Option<(S, Option<Arc<Effect>>)> {
        let key = *self.of.get(&id)?;
        let entry = self.lanes.get(&key)?.effects.get(&id)?;
        Some((key.1, entry.held.clone()))
    }

    /// The effects of a session that are still to leave.
    #[cfg(feature = "postgres")]
    pub(super) fn of_session(&self, session: S) -> Vec<EffectId> {
        let lanes = [Priority::Normal, Priority::Background].map(|priority| (priority, session));
        let lanes = lanes.iter().filter_map(|key| self.lanes.get(key));
        lanes.flat_map(|lane| lane.effects.keys().copied()).collect()
    }

    /// Takes an effect out: it has left, or is gone with its session.
    pub(super) fn remove(&mut self, id: EffectId) {
        let Some(key) = self.of.remove(&id) else { return };
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        let entry = lane.effects.remove(&id);
        self.held -= usize::from(entry.is_some_and(|entry| entry.held.is_some()));
        lane.claimed.take_if(|claimed| *claimed == id);
        lane.unpark(&mut self.blocked, |parked| parked.effect == id);
        if lane.effects.is_empty() {
            self.lanes.remove(&key);
        }
        self.look_at_both(key);
    }

    /// Puts an effect back that was handed out and has not left: it lies on the device with a new time.
    pub(super) fn defer(&mut self, id: EffectId) {
        let Some(key) = self.of.get(&id).copied() else { return };
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        lane.claimed.take_if(|claimed| *claimed == id);
        lane.unpark(&mut self.blocked, |parked| parked.effect == id);
        if let Some(entry) = lane.effects.get_mut(&id) {
            self.held -= usize::from(entry.held.take().is_some());
        }
        self.look_at_both(key);
    }

    /// Something of a lane is done: the next of it may leave, or what waited for it in the session's other lane.
    fn look_at_both(&mut self, (priority, session): Key<S>) {
        for key in [(priority, session), (priority.other(), session)] {
            if self.lanes.get(&key).is_some_and(|lane| lane.claimed.is_none()) {
                self.ready.insert(key);
            }
        }
    }

    /// Puts an effect back that was handed out and is blocked: it keeps back those behind it for the same recipient.
    pub(super) fn park(&mut self, effect: &Effect, cause: Cause, until: DateTime<Utc>) {
        let (id, to) = (effect.id, Address::of(&effect.to));
        self.defer(id);
        let Some(key) = self.of.get(&id).copied() else { return };
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        if let Some(entry) = lane.effects.get_mut(&id) {
            entry.to = Some(to);
        }
        let ticket = Some(self.blocked.add(cause, (key, id)));
        lane.parked.push(Parked { to, effect: id, until, ticket });
    }

    /// Lets effects that `cause` blocks leave now, at most `most` of them, those first that were put back first.
    pub(super) fn hurry(&mut self, cause: &Cause, most: usize) -> usize {
        let Some(waiting) = self.blocked.causes.get(cause) else { return 0 };
        let first: Vec<(Key<S>, EffectId)> = waiting.values().take(most).copied().collect();
        for (key, id) in &first {
            if let Some(lane) = self.lanes.get_mut(key) {
                lane.unpark(&mut self.blocked, |parked| parked.effect == *id);
                self.ready.insert(*key);
            }
        }
        first.len()
    }

    /// What effects are blocked by, and how many by each.
    pub(super) fn blocked(&self) -> Vec<(Cause, usize)> {
        let causes = self.blocked.causes.iter();
        causes.map(|(cause, waiting)| (Cause::clone(cause), waiting.len())).collect()
    }

    /// The lane that is looked at next: those of normal priority come first, so where one has no room, none behind it has.
    /// Within a priority it goes round-robin, so that a session which always has something to say keeps back no other.
    fn next_ready(&self) -> Option<Key<S>> {
        let first = self.ready.first().copied()?;
        let turn = self.turns.get(&first.0).copied();
        let after = turn.and_then(|turn| self.ready.range((Excluded(turn), Unbounded)).next());
        Some(after.copied().filter(|after| after.0 == first.0).unwrap_or(first))
    }

    /// Hands out effects that may leave now, within `capacity`; `read` reads those that are not kept, and says `None`
    /// if one cannot be read, which keeps back those behind it.
    pub(super) fn claim(
        &mut self,
        now: DateTime<Utc>,
        mut capacity: Capacity,
        mut read: impl FnMut(S, EffectId) -> Result<Option<Effect>, Error>,
    ) -> Result<Vec<Effect>, Error> {
        self.look_again(now);
        let mut claimed = Vec::new();
        while let Some(key) = self.next_ready()
            && capacity.has_room(key.0)
        {
            let next = match self.next_of(key, now, &mut read) {
                Ok(next) => next,
                // What is in flight already leaves; the error comes again.
                Err(_) if !claimed.is_empty() => break,
                Err(error) => return Err(error),
            };
            self.ready.remove(&key);
            self.turns.insert(key.0, key);
            match next {
                Next::Effect(effect) => {
                    if let Some(lane) = self.lanes.get_mut(&key) {
                        lane.claimed = Some(effect.id);
                    }
                    capacity.take(key.0);
                    claimed.push(*effect);
                }
                Next::NotBefore(at) => {
                    self.later.insert((at, key));
                }
                Next::Nothing => {}
            }
        }
        Ok(claimed)
    }

    /// What a lane has to say next.
    fn next_of(
        &mut self,
        key: Key<S>,
        now: DateTime<Utc>,
        read: &mut impl FnMut(S, EffectId) -> Result<Option<Effect>, Error>,
    ) -> Result<Next, Error> {
        let Some(mut lane) = self.lanes.remove(&key) else { return Ok(Next::Nothing) };
        let next = self.next_in(&mut lane, key, now, read);
        self.lanes.insert(key, lane);
        next
    }

    fn next_in(
        &mut self,
        lane: &mut Lane,
        (priority, session): Key<S>,
        now: DateTime<Utc>,
        read: &mut impl FnMut(S, EffectId) -> Result<Option<Effect>, Error>,
    ) -> Result<Next, Error> {
        if lane.claimed.is_some() {
            return Ok(Next::Nothing);
        }
        // One that is to wait for longer than any pause tells that the clock was set back.
        let is_over = |at: DateTime<Utc>| at <= now || at - now > Effect::PAUSE_MAX;
        lane.unpark(&mut self.blocked, |parked| is_over(parked.until));
        while let Some((id, held)) = lane.next() {
            let effect = match held {
                Some(held) => Effect::clone(&held),
                None => match read(session, id)? {
                    Some(effect) => effect,
                    None => return Ok(Next::Nothing),
                },
            };
            let (to, draws) = (Address::of(&effect.to), Draws::of(&effect));
            if let Some(entry) = lane.effects.get_mut(&id) {
                (entry.to, entry.draws) = (Some(to), draws);
            }
            if lane.is_parked(to) {
                continue;
            }
            let other = self.lanes.get(&(priority.other(), session));
            if other.is_some_and(|other| other.goes_before(id, draws)) {
                // Looked at again when that one is done.
                return Ok(Next::Nothing);
            }
            let is_due = effect.may_leave(now);
            if !is_due && matches!(effect.to, Recipient::Webhook { .. }) {
                lane.parked.push(Parked { to, effect: id, until: effect.not_before, ticket: None });
                continue;
            }
            return Ok(if is_due {
                Next::Effect(Box::new(effect))
            } else {
                Next::NotBefore(effect.not_before)
            });
        }
        let until = lane.parked.iter().map(|parked| parked.until).min();
        Ok(until.map_or(Next::Nothing, Next::NotBefore))
    }

    /// Lanes that were put off until now are looked at; all of them when the clock was set back.
    fn look_again(&mut self, now: DateTime<Utc>) {
        if self.asked.is_some_and(|asked| asked > now) {
            self.ready.extend(self.later.iter().map(|(_, key)| *key));
            self.later.clear();
        }
        self.asked = Some(now);
        while let Some((at, key)) = self.later.first().copied()
            && at <= now
        {
            self.later.pop_first();
            self.ready.insert(key);
        }
    }

    /// Takes over what another one has handed out or put back, where it is still to leave.
    pub(super) fn go_on_from(&mut self, before: Self) {
        let mut parked = Vec::new();
        for (key, old) in before.lanes {
            for id in old.effects.keys() {
                self.moves(*id, key);
            }
            let Some(lane) = self.lanes.get_mut(&key) else { continue };
            for (id, before) in old.effects {
                if let Some(entry) = lane.effects.get_mut(&id) {
                    entry.is_own = before.is_own;
                }
            }
            let is_there = |id: &EffectId| lane.effects.contains_key(id);
            parked.extend(old.parked.into_iter().filter(|parked| is_there(&parked.effect)));
            if let Some(id) = old.claimed.filter(is_there) {
                lane.claimed = Some(id);
                self.ready.remove(&key);
            }
        }
        // What waits for the time alone is put aside again when its turn comes.
        let blocked = parked.into_iter().filter_map(|Parked { to, effect, until, ticket }| {
            ticket.map(|(cause, number)| (number, to, effect, until, cause))
        });
        let mut blocked: Vec<_> = blocked.collect();
        blocked.sort_by_key(|(number, ..)| *number);
        for (_, to, effect, until, cause) in blocked {
            let Some(key) = self.of.get(&effect).copied() else { continue };
            let Some(lane) = self.lanes.get_mut(&key) else { continue };
            if let Some(entry) = lane.effects.get_mut(&effect) {
                entry.to = Some(to);
            }
            let ticket = Some(self.blocked.add(Cause::clone(&cause), (key, effect)));
            lane.parked.push(Parked { to, effect, until, ticket });
        }
    }

    /// Moves an effect to the lane that it is known to belong to.
    fn moves(&mut self, id: EffectId, to: Key<S>) {
        let Some(from) = self.of.get(&id).copied().filter(|from| *from != to) else { return };
        let Some(lane) = self.lanes.get_mut(&from) else { return };
        let Some(entry) = lane.effects.remove(&id) else { return };
        if lane.effects.is_empty() {
            self.lanes.remove(&from);
        }
        self.held -= usize::from(entry.held.is_some());
        self.put(to, id, entry);
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;
    use crate::{
        base::ids::SessionId,
        model::{
            effect::{Act, CauseKind, Recipient},
            session::{Place, Platform},
        },
    };

    type Queue = super::Queue<u32>;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(seconds)
    }

    /// An effect that is due at that second.
    fn due(number: u128, second: i64) -> Effect {
        let place = Place {
            platform: Platform::Web,
            workspace: String::new(),
            channel: String::new(),
            thread: None,
        };
        let session = SessionId::from_uuid(Uuid::from_u128(1));
        let act = Act::Post { text: "Hello".into(), offers: Vec::new(), transcript: false };
        let id = EffectId::from_uuid(Uuid::from_u128(number));
        let effect = Effect::new(id, (session, place), (Recipient::Participant, act), at(0));
        Effect { not_before: at(second), ..effect }
    }

    fn id(number: u128) -> EffectId {
        EffectId::from_uuid(Uuid::from_u128(number))
    }

    /// What is handed out then, by number; nothing is to be read.
    fn claim(queue: &mut Queue, second: i64, most: usize) -> Vec<u128> {
        let read = |_, id: EffectId| panic!("{id} is not kept");
        numbers(queue.claim(at(second), Capacity::of_any(most), read).unwrap())
    }

    fn numbers(effects: Vec<Effect>) -> Vec<u128> {
        effects.into_iter().map(|effect| effect.id.uuid().as_u128()).collect()
    }

    #[test]
    fn of_each_session_one_leaves_and_the_next_when_it_is_done() {
        let mut queue = Queue::default();
        for (slot, number) in [(1, 10), (1, 11), (2, 20), (3, 30)] {
            queue.add_known(slot, due(number, 0));
        }
        assert_eq!(claim(&mut queue, 0, 2), [10, 20]);
        assert_eq!(claim(&mut queue, 0, 9), [30]);
        assert_eq!(claim(&mut queue, 0, 9), []);
        queue.remove(id(20));
        assert_eq!(claim(&mut queue, 0, 9), []);
        queue.remove(id(10));
        assert_eq!(claim(&mut queue, 0, 9), [11]);
        queue.remove(id(11));
        queue.remove(id(30));
        assert_eq!((queue.held, queue.lanes.len(), queue.of.len()), (0, 0, 0));
    }

    #[test]
    fn sessions_take_turns_where_there_is_room_for_one() {
        let mut queue = Queue::default();
        for (slot, number) in [(1, 10), (1, 11), (1, 12), (2, 20), (3, 30)] {
            queue.add_known(slot, due(number, 0));
        }
        let mut left = Vec::new();
        while let [number] = claim(&mut queue, 0, 1)[..] {
            left.push(number);
            queue.remove(id(number));
        }
        assert_eq!(left, [10, 20, 30, 11, 12]);
    }

    #[test]
    fn a_deferred_effect_leaves_when_it_is_due_or_the_clock_was_set_back() {
        let mut queue = Queue::default();
        queue.add_known(1, due(10, 60));
        assert_eq!(claim(&mut queue, 0, 9), []);
        assert_eq!(claim(&mut queue, 59, 9), []);
        assert_eq!(claim(&mut queue, 60, 9), [10]);
        queue.defer(id(10));
        let read = |_, _| Ok(Some(Effect { attempts: 5, ..due(10, 90) }));
        assert_eq!(numbers(queue.claim(at(61), Capacity::of_any(9), read).unwrap()), []);
        assert_eq!(numbers(queue.claim(at(-90_000), Capacity::of_any(9), read).unwrap()), [10]);
    }

    /// As when a node whose clock is ahead by less than the longest pause is killed.
    #[test]
    fn an_effect_is_not_late_by_a_clock_that_was_ahead_when_it_was_tried() {
        let mut queue = Queue::default();
        queue.add(1, id(10));
        let claim = |queue: &mut Queue, attempts, second| {
            let read = |_, _| Ok(Some(Effect { attempts, ..due(10, 3_601) }));
            numbers(queue.claim(at(second), Capacity::of_any(9), read).unwrap())
        };
        assert_eq!(claim(&mut queue, 12, 5), [], "its pause is an hour");
        queue.defer(id(10));
        assert_eq!(claim(&mut queue, 1, 5), [10]);
    }

    #[test]
    fn what_cannot_be_read_keeps_back_its_own_session_alone() {
        let mut queue = Queue::default();
        queue.add(1, id(10));
        queue.add_known(1, due(11, 0));
        queue.add_known(2, due(20, 0));
        assert_eq!(
            numbers(queue.claim(at(0), Capacity::of_any(9), |_, _| Ok(None)).unwrap()),
            [20]
        );
        assert_eq!(claim(&mut queue, 0, 9), []);
    }

    #[test]
    fn a_reading_that_fails_takes_back_nothing_that_was_handed_out() {
        let mut queue = Queue::default();
        queue.add_known(1, due(10, 0));
        queue.add(2, id(20));
        let fails = |_, _| Err(Error::unavailable("no disk"));
        assert_eq!(numbers(queue.claim(at(0), Capacity::of_any(9), fails).unwrap()), [10]);
        assert!(queue.claim(at(0), Capacity::of_any(9), fails).is_err());
        let read = |_, _| Ok(Some(due(20, 0)));
        assert_eq!(numbers(queue.claim(at(0), Capacity::of_any(9), read).unwrap()), [20]);
    }

    #[test]
    fn what_is_in_somebodys_hands_stays_theirs_when_the_store_is_opened_again() {
        let mut queue = Queue::default();
        queue.add_known(1, due(10, 0));
        queue.add_known(2, due(20, 0));
        assert_eq!(claim(&mut queue, 0, 1), [10]);
        let mut again = Queue::default();
        for (slot, number) in [(1, 10), (2, 20)] {
            again.add(slot, id(number));
        }
        again.go_on_from(queue);
        let read = |_, read: EffectId| Ok(Some(due(read.uuid().as_u128(), 0)));
        assert_eq!(numbers(again.claim(at(0), Capacity::of_any(9), read).unwrap()), [20]);
        again.remove(id(10));
        assert!(again.get(id(10)).is_none());
    }

    fn to(effect: Effect, alias: &str) -> Effect {
        Effect { to: Recipient::Channel { alias: alias.to_owned() }, ..effect }
    }

    fn cause(effect: &Effect) -> Cause {
        Cause::of(CauseKind::ChannelUnavailable, effect)
    }

    #[test]
    fn a_blocked_effect_keeps_back_those_for_the_same_recipient_alone() {
        let mut queue = Queue::default();
        let staff = to(due(10, 0), "team");
        queue.add_known(1, staff.clone());
        // Read from the device each time, as after a restart.
        queue.add(1, id(11));
        queue.add(1, id(12));
        let mut reads = 0;
        let mut claim = |queue: &mut Queue, second: i64| {
            let claimed = queue.claim(at(second), Capacity::of_any(9), |_, read: EffectId| {
                reads += 1;
                let number = read.uuid().as_u128();
                let effect = due(number, 0);
                Ok(Some(if number == 12 { effect } else { to(effect, "team") }))
            });
            (numbers(claimed.unwrap()), reads)
        };
        assert_eq!(claim(&mut queue, 0), (vec![10], 0));
        queue.park(&staff, cause(&staff), at(60));
        assert_eq!(queue.blocked(), [(cause(&staff), 1)]);
        // The one behind it waits, the participant's leaves.
        assert_eq!(claim(&mut queue, 1), (vec![12], 2));
        queue.remove(id(12));
        assert_eq!(claim(&mut queue, 2), (vec![], 2));
        queue.add_known(1, due(13, 0));
        assert_eq!(claim(&mut queue, 3), (vec![13], 2));
        queue.remove(id(13));
        assert_eq!(claim(&mut queue, 59), (vec![], 2));
        assert_eq!(claim(&mut queue, 60), (vec![10], 3));
        assert_eq!(queue.blocked(), []);
        queue.remove(id(10));
        assert_eq!(claim(&mut queue, 61), (vec![11], 4));
    }

    #[test]
    fn blocked_effects_leave_in_turn_when_they_are_hurried() {
        let mut queue = Queue::default();
        let effects = [1, 2, 3].map(|number| to(due(number * 10, 0), "team"));
        let cause = cause(&effects[0]);
        for (slot, effect) in (1..).zip(&effects) {
            queue.add_known(slot, effect.clone());
        }
        let read = |_, read: EffectId| Ok(Some(to(due(read.uuid().as_u128(), 0), "team")));
        assert_eq!(numbers(queue.claim(at(0), Capacity::of_any(9), read).unwrap()), [10, 20, 30]);
        for number in [2, 0, 1] {
            queue.park(&effects[number], cause.clone(), at(3_600));
        }
        assert_eq!(queue.blocked(), [(cause.clone(), 3)]);
        assert_eq!(queue.hurry(&cause, 1), 1);
        assert_eq!(numbers(queue.claim(at(1), Capacity::of_any(9), read).unwrap()), [30]);
        // Tried in vain, it stands at the end.
        queue.park(&effects[2], cause.clone(), at(3_600));
        assert_eq!(queue.hurry(&cause, 1), 1);
        assert_eq!(numbers(queue.claim(at(2), Capacity::of_any(9), read).unwrap()), [10]);
        // What goes with its session waits for nothing.
        queue.remove(id(20));
        assert_eq!(queue.hurry(&cause, 9), 1);
        assert_eq!(numbers(queue.claim(at(3), Capacity::of_any(9), read).unwrap()), [30]);
        assert_eq!(queue.hurry(&cause, 9), 0);
        assert_eq!(queue.blocked(), []);
        queue.remove(id(10));
        queue.remove(id(30));
        assert_eq!((queue.held, queue.lanes.len(), queue.blocked.causes.len()), (0, 0, 0));
    }

    #[test]
    fn what_is_blocked_stays_so_when_the_store_is_opened_again_by_the_same_process() {
        let mut queue = Queue::default();
        let staff = to(due(10, 0), "team");
        queue.add_known(1, staff.clone());
        assert_eq!(claim(&mut queue, 0, 1), [10]);
        queue.park(&staff, cause(&staff), at(60));
        let mut again = Queue::default();
        again.add(1, id(10));
        again.go_on_from(queue);
        assert_eq!(claim(&mut again, 1, 9), []);
        assert_eq!(again.hurry(&cause(&staff), 9), 1);
    }

    #[test]
    fn no_more_is_kept_in_memory_than_there_is_room_for() {
        let mut queue = Queue::default();
        for number in 0..(2 * HELD_MAX as u128) {
            queue.add_known(1, due(number, 0));
        }
        assert_eq!(queue.held, HELD_MAX);
        for number in 0..(2 * HELD_MAX as u128) {
            queue.remove(id(number));
        }
        assert_eq!(queue.held, 0);
    }

    #[test]
    fn priorities_stay_known_when_the_store_is_opened_again() {
        let mut queue = Queue::default();
        let tidying = |number| Effect { priority: Priority::Background, ..due(number, 0) };
        for effect in [tidying(10), tidying(11), due(12, 0)] {
            queue.add_known(1, effect);
        }
        assert_eq!(claim(&mut queue, 0, 1), [12]);
        assert_eq!(claim(&mut queue, 0, 1), [10]);
        let mut again = Queue::default();
        for number in [10, 11, 12] {
            again.add(1, id(number));
        }
        again.go_on_from(queue);
        assert_eq!(claim(&mut again, 0, 9), [], "both are in somebody's hands");
        again.remove(id(12));
        again.add_known(1, due(13, 0));
        assert_eq!(claim(&mut again, 0, 9), [13]);
        again.remove(id(10));
        let read = |_, read: EffectId| Ok(Some(tidying(read.uuid().as_u128())));
        let claimed = again.claim(at(0), Capacity::of_any(9), read).unwrap();
        assert_eq!(numbers(claimed), [11]);
    }
}
