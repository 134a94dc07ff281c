//! What an erasure removes on the platform: worked out while the session is still there, carried out by effects that
//! outlive it and know nothing but ids.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use crate::{
    base::ids::{EffectId, SessionId},
    engine::{Engine, Error},
    model::{
        effect::{Act, Effect, Recipient},
        posted::{self, Item, Posted, Reader, Removal},
        report::{Count, Left},
        session::Place,
        wait::Answerers,
    },
    session::State,
    store,
};

/// What is to be removed.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// One effect for each thing, in the order in which they leave.
    pub(super) effects: Vec<Effect>,
    /// How much it is.
    pub(super) count: Count,
    /// What can't be removed, because nobody knows where it is.
    pub(super) left: Vec<Left>,
    /// Threads that were made for the session: a receipt is read there, if they stay.
    rooms: Vec<String>,
}

impl Engine {
    /// Works out what stands outside for a session at `place`.
    pub(super) async fn plan_removal(
        &self,
        (session, place): (SessionId, &Place),
        state: Option<&State>,
    ) -> Result<Plan, Error> {
        let queued = self.inner.parts.store.outbox(session).await?;
        let mut things = self.things_of((session, place), state).await?;
        let mut plan = Plan::default();
        if let Some(unreadable) = things.take(&posted::unreadable()) {
            let effect = EffectId::mint(self.inner.parts.ids.as_ref());
            plan.left.push(Left::unrecorded(effect, unreadable.reader));
        }
        let now = self.inner.parts.clock.now();
        let mut push = |to: Recipient, place: Place, what: Removal| {
            let id = EffectId::mint(self.inner.parts.ids.as_ref());
            let act = Act::Remove { what };
            plan.effects.push(Effect::new(id, (session, place), (to, act), now));
        };
        for thing in folded(things) {
            plan.count = plan.count.and(thing.count());
            if let Item::Room { id } = &thing.posted.item {
                plan.rooms.push(id.clone());
            }
            let to = recipient(&thing.posted.reader);
            push(to, there(place, &thing.posted), thing.into_removal());
        }
        for effect in &queued {
            match &effect.act {
                // Of an erasure of a part before.
                Act::Remove { what } => push(effect.to.clone(), effect.place.clone(), what.clone()),
                _ => {
                    if let Some(trace) = trace(effect) {
                        push(effect.to.clone(), effect.place.clone(), trace);
                    }
                }
            }
        }
        Ok(plan)
    }

    /// Everything that is on the ledger, and what else is known to stand outside: a ledger of an older program is empty.
    async fn things_of(
        &self,
        (session, place): (SessionId, &Place),
        state: Option<&State>,
    ) -> Result<BTreeSet<Posted>, Error> {
        let store = &self.inner.parts.store;
        let mut things = BTreeSet::new();
        for key in [posted::ledger_of(session), posted::aside_of(session)] {
            match store.noted(&key).await {
                Ok(note) => {
                    let ledger = note.and_then(|note| note.value).unwrap_or_default();
                    things.extend(posted::read(&ledger));
                }
                // What can't be read keeps nobody's data.
                Err(store::Error::Unreadable { .. }) => _ = things.insert(posted::unreadable()),
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(gateway) = self.gateway(place.platform) {
            things.extend(gateway.remains(session, place).await);
        }
        let asked = state.map(|state| state.asked.clone()).unwrap_or_default();
        for found in store.waits(asked).await {
            let (wait, shown) = match found {
                Ok(Some(found)) => found,
                Ok(None) => continue,
                Err(store::Error::Unreadable { .. }) => {
                    things.insert(posted::unreadable());
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            things.extend(shown.into_iter().map(|shown| match &wait.answerers {
                Answerers::Participant => Posted {
                    item: Item::Message { at: shown.message },
                    reader: Reader::Participant,
                },
                Answerers::Deciders { alias, .. } => Posted {
                    item: Item::Head { at: shown.message },
                    reader: Reader::Staff(alias.clone()),
                },
            }));
        }
        Ok(things)
    }
}

impl Plan {
    /// Ends it with the receipt for the participant, who is `user` on the platform, of the session that stood at `place`.
    pub(super) fn with_receipt(
        mut self,
        id: EffectId,
        (session, now): (SessionId, DateTime<Utc>),
        (place, user): (&Place, &str),
    ) -> Self {
        if self.effects.is_empty() && self.left.is_empty() {
            return self;
        }
        let rooms = std::mem::take(&mut self.rooms);
        let act = Act::Receipt { user: user.to_owned(), rooms };
        let to = (Recipient::Participant, act);
        self.effects.push(Effect::new(id, (session, place.clone()), to, now));
        self
    }
}

/// A thing with the messages that stand in it, which go with it.
struct Thing {
    posted: Posted,
    within: Vec<String>,
}

impl Thing {
    fn count(&self) -> Count {
        let within = Count { messages: self.within.len(), ..Count::default() };
        Count::of(&self.posted.item).and(within)
    }

    fn into_removal(self) -> Removal {
        let Self { posted, within } = self;
        Removal::Thing { posted, within }
    }
}

/// Things in the order in which they go: what stands alone first, then what others may stand in. Each once; a message
/// that stands in another thing goes with that.
fn folded(things: BTreeSet<Posted>) -> Vec<Thing> {
    let heads: BTreeSet<String> = things.iter().filter_map(|it| head_of(&it.item)).collect();
    let insides: BTreeSet<String> = things.iter().filter_map(|it| inside_of(&it.item)).collect();
    let mut folded: Vec<Thing> = Vec::new();
    let mut within: Vec<(String, String)> = Vec::new();
    for posted in things {
        if let Item::Message { at } = &posted.item {
            if heads.contains(at) {
                continue;
            }
            if let Some((outer, id)) =
                at.split_once('/').filter(|(outer, _)| insides.contains(*outer))
            {
                within.push((outer.to_owned(), id.to_owned()));
                continue;
            }
        }
        folded.push(Thing { posted, within: Vec::new() });
    }
    for thing in &mut folded {
        let Some(inside) = inside_of(&thing.posted.item) else { continue };
        let here = within.iter().filter(|(outer, _)| *outer == inside);
        thing.within = here.map(|(_, id)| id.clone()).collect();
    }
    folded.sort_by_key(|thing| match thing.posted.item {
        Item::Message { .. } => 0,
        Item::File { .. } => 1,
        Item::Head { .. } => 2,
        Item::Room { .. } => 3,
        // Those are no effects.
        Item::Unreadable => 4,
    });
    folded
}

fn head_of(item: &Item) -> Option<String> {
    if let Item::Head { at } = item { Some(at.clone()) } else { None }
}

/// What the channel of those is called that stand in it: a thread of its own, or the one under a message where it has
/// the message's name.
fn inside_of(item: &Item) -> Option<String> {
    match item {
        Item::Room { id } => Some(id.clone()),
        Item::Head { at } => at.split_once('/').map(|(_, message)| message.to_owned()),
        Item::Message { .. } | Item::File { .. } | Item::Unreadable => None,
    }
}

fn recipient(reader: &Reader) -> Recipient {
    match reader {
        Reader::Participant => Recipient::Participant,
        Reader::Staff(alias) | Reader::Everybody(alias) => {
            Recipient::Channel { alias: alias.clone() }
        }
    }
}

/// Where a thing stands: of the conversation's own it is known, of the rest no more than the workspace.
fn there(place: &Place, posted: &Posted) -> Place {
    match posted.reader {
        Reader::Participant => place.clone(),
        Reader::Staff(_) | Reader::Everybody(_) => nowhere(place),
    }
}

fn nowhere(place: &Place) -> Place {
    Place { channel: String::new(), thread: None, ..place.clone() }
}

/// What an effect that is still in the outbox may have posted already: a process may have ended in between.
fn trace(effect: &Effect) -> Option<Removal> {
    let mark = match &effect.act {
        Act::Show { wait } => Some(wait.short()),
        Act::Export { .. } => Some(effect.session.short()),
        Act::Post { .. }
        | Act::Progress { .. }
        | Act::Relay { .. }
        | Act::Hand { .. }
        | Act::Fetch { .. }
        | Act::AddRoles { .. } => None,
        Act::Webhook { .. } | Act::Remove { .. } | Act::Receipt { .. } => return None,
    };
    Some(Removal::Trace { effect: effect.id, since: effect.queued_at, mark })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(item: Item) -> Posted {
        Posted { item, reader: Reader::Participant }
    }

    fn message(at: &str) -> Posted {
        posted(Item::Message { at: at.to_owned() })
    }

    #[test]
    fn messages_go_with_the_thread_that_they_stand_in_and_each_thing_goes_once() {
        let things = [
            message("900/1"),
            message("900/2"),
            message("D1/5"),
            message("100/800"),
            message("800/7"),
            posted(Item::Head { at: "100/800".to_owned() }),
            posted(Item::Room { id: "900".to_owned() }),
            posted(Item::File { id: "F1".to_owned() }),
        ];
        let folded = folded(things.into());
        let text: Vec<String> = folded
            .iter()
            .map(|thing| {
                let item = serde_json::to_string(&thing.posted).unwrap();
                format!("{item} {:?} {:?}", thing.within, thing.count())
            })
            .collect();
        insta::assert_snapshot!(text.join("\n"), @r#"
        {"what":"message","at":"D1/5"} [] Count { messages: 1, files: 0, threads: 0 }
        {"what":"file","id":"F1"} [] Count { messages: 0, files: 1, threads: 0 }
        {"what":"head","at":"100/800"} ["7"] Count { messages: 2, files: 0, threads: 0 }
        {"what":"room","id":"900"} ["1", "2"] Count { messages: 2, files: 0, threads: 1 }
        "#);
    }
}
