//! The outbox in the order in which it leaves: of each session the first effect, once it is due, and the next when that
//! is done. What lies on the device counts; this says where to look, so that no delivery looks through all that wait.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use chrono::{DateTime, Utc};

use super::vault::Slot;
use crate::{ids::EffectId, model::effect::Effect, store::Error};

/// Effects of which the content is kept, and not read again when they leave.
const HELD_MAX: usize = 256;

/// What is to leave, by session.
#[derive(Debug, Default)]
pub(super) struct Queue {
    lanes: HashMap<Slot, Lane>,
    of: HashMap<EffectId, Slot>,
    /// Lanes whose first effect may be due.
    ready: BTreeSet<Slot>,
    /// Lanes whose first effect is put off.
    later: BTreeSet<(DateTime<Utc>, Slot)>,
    /// How many effects' content is kept.
    held: usize,
    /// When it was last asked what may leave.
    asked: Option<DateTime<Utc>>,
}

#[derive(Debug, Default)]
struct Lane {
    effects: BTreeMap<EffectId, Option<Arc<Effect>>>,
    /// Handed out and not done.
    claimed: Option<EffectId>,
}

impl Queue {
    /// Adds an effect whose content is on the device.
    pub(super) fn add(&mut self, slot: Slot, id: EffectId) {
        self.put(slot, id, None);
    }

    /// Adds an effect that was just written, and keeps it if there is room.
    pub(super) fn add_known(&mut self, slot: Slot, effect: Effect) {
        let id = effect.id;
        let held = (self.held < HELD_MAX).then(|| Arc::new(effect));
        self.put(slot, id, held);
    }

    fn put(&mut self, slot: Slot, id: EffectId, held: Option<Arc<Effect>>) {
        self.held += usize::from(held.is_some());
        let lane = self.lanes.entry(slot).or_default();
        let is_first = lane.effects.first_key_value().is_none_or(|(first, _)| id < *first);
        let before = lane.effects.insert(id, held);
        self.held -= usize::from(before.flatten().is_some());
        self.of.insert(id, slot);
        // What stands behind another waits for that one.
        if is_first && lane.claimed.is_none() {
            self.ready.insert(slot);
        }
    }

    /// The session of an effect that is still to leave, and its content where that is kept.
    pub(super) fn get(&self, id: EffectId) -> Option<(Slot, Option<Arc<Effect>>)> {
        let slot = *self.of.get(&id)?;
        let held = self.lanes.get(&slot)?.effects.get(&id)?;
        Some((slot, held.clone()))
    }

    /// Takes an effect out: it has left, or is gone with its session.
    pub(super) fn remove(&mut self, id: EffectId) {
        let Some(slot) = self.of.remove(&id) else { return };
        let Some(lane) = self.lanes.get_mut(&slot) else { return };
        let held = lane.effects.remove(&id).flatten();
        self.held -= usize::from(held.is_some());
        if lane.claimed == Some(id) {
            lane.claimed = None;
        }
        if lane.effects.is_empty() {
            self.lanes.remove(&slot);
        } else if lane.claimed.is_none() {
            self.ready.insert(slot);
        }
    }

    /// Puts an effect back that was handed out and has not left: it lies on the device with a new time.
    pub(super) fn put_off(&mut self, id: EffectId) {
        let Some(slot) = self.of.get(&id).copied() else { return };
        let Some(lane) = self.lanes.get_mut(&slot) else { return };
        lane.claimed.take_if(|claimed| *claimed == id);
        if let Some(held) = lane.effects.get_mut(&id) {
            self.held -= usize::from(held.take().is_some());
        }
        self.ready.insert(slot);
    }

    /// Hands out at most `most` effects that may leave now; `read` reads those that are not kept, and says none where
    /// one cannot be read, which keeps back those behind it.
    pub(super) fn claim(
        &mut self,
        now: DateTime<Utc>,
        most: usize,
        mut read: impl FnMut(Slot, EffectId) -> Result<Option<Effect>, Error>,
    ) -> Result<Vec<Effect>, Error> {
        self.look_again(now);
        let mut claimed = Vec::new();
        while claimed.len() < most
            && let Some(slot) = self.ready.first().copied()
        {
            let Some((lane, id)) = self.lanes.get_mut(&slot).and_then(|lane| {
                let first = *lane.effects.first_key_value()?.0;
                lane.claimed.is_none().then_some((lane, first))
            }) else {
                self.ready.remove(&slot);
                continue;
            };
            let held = lane.effects.get(&id).cloned().flatten();
            let effect = match held {
                Some(held) => Some(Effect::clone(&held)),
                None => match read(slot, id) {
                    Ok(read) => read,
                    // What is in hand already leaves; the error comes again.
                    Err(_) if !claimed.is_empty() => break,
                    Err(error) => return Err(error),
                },
            };
            self.ready.remove(&slot);
            match effect {
                Some(effect) if effect.may_leave(now) => {
                    lane.claimed = Some(id);
                    claimed.push(effect);
                }
                Some(effect) => {
                    self.later.insert((effect.not_before, slot));
                }
                None => {}
            }
        }
        Ok(claimed)
    }

    /// Lanes that were put off until now are looked at; all of them when the clock was set back.
    fn look_again(&mut self, now: DateTime<Utc>) {
        if self.asked.is_some_and(|asked| asked > now) {
            self.ready.extend(self.later.iter().map(|(_, slot)| *slot));
            self.later.clear();
        }
        self.asked = Some(now);
        while let Some((at, slot)) = self.later.first().copied()
            && at <= now
        {
            self.later.pop_first();
            self.ready.insert(slot);
        }
    }

    /// Takes over what another one has handed out, where it is still to leave.
    pub(super) fn go_on_from(&mut self, before: &Self) {
        for (slot, lane) in &before.lanes {
            let Some(id) = lane.claimed else { continue };
            if let Some(lane) =
                self.lanes.get_mut(slot).filter(|lane| lane.effects.contains_key(&id))
            {
                lane.claimed = Some(id);
                self.ready.remove(slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;

    use super::*;
    use crate::{
        ids::SessionId,
        model::{
            effect::{Act, Recipient},
            session::{Place, Platform},
        },
    };

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
        let act = Act::Post { text: "Hello".to_owned(), offers: Vec::new() };
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
        numbers(queue.claim(at(second), most, read).unwrap())
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
    fn what_is_put_off_leaves_when_it_is_due_or_the_clock_was_set_back() {
        let mut queue = Queue::default();
        queue.add_known(1, due(10, 60));
        assert_eq!(claim(&mut queue, 0, 9), []);
        assert_eq!(claim(&mut queue, 59, 9), []);
        assert_eq!(claim(&mut queue, 60, 9), [10]);
        queue.put_off(id(10));
        let read = |_, _| Ok(Some(Effect { attempts: 1, ..due(10, 90) }));
        assert_eq!(numbers(queue.claim(at(61), 9, read).unwrap()), []);
        assert_eq!(numbers(queue.claim(at(-90_000), 9, read).unwrap()), [10]);
    }

    #[test]
    fn what_cannot_be_read_keeps_back_its_own_session_alone() {
        let mut queue = Queue::default();
        queue.add(1, id(10));
        queue.add_known(1, due(11, 0));
        queue.add_known(2, due(20, 0));
        assert_eq!(numbers(queue.claim(at(0), 9, |_, _| Ok(None)).unwrap()), [20]);
        assert_eq!(claim(&mut queue, 0, 9), []);
    }

    #[test]
    fn a_reading_that_fails_takes_back_nothing_that_was_handed_out() {
        let mut queue = Queue::default();
        queue.add_known(1, due(10, 0));
        queue.add(2, id(20));
        let fails = |_, _| Err(Error::unavailable("no disk"));
        assert_eq!(numbers(queue.claim(at(0), 9, fails).unwrap()), [10]);
        assert!(queue.claim(at(0), 9, fails).is_err());
        let read = |_, _| Ok(Some(due(20, 0)));
        assert_eq!(numbers(queue.claim(at(0), 9, read).unwrap()), [20]);
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
        again.go_on_from(&queue);
        let read = |_, read: EffectId| Ok(Some(due(read.uuid().as_u128(), 0)));
        assert_eq!(numbers(again.claim(at(0), 9, read).unwrap()), [20]);
        again.remove(id(10));
        assert!(again.get(id(10)).is_none());
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
}
