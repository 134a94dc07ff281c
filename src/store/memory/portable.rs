//! What the memory gives to another store and takes from it.

use std::{collections::BTreeMap, ops::Bound};

use async_trait::async_trait;

use super::{MemoryStore, State};
use crate::{
    base::ids::SessionId,
    model::{
        audit::{CHAIN_START, Sealed},
        effect::{Effect, Rendering},
        usage::Balance,
        wait::Wait,
    },
    store::{
        Error, Store as _,
        portable::{Image, KeyedDigest, Piece, Portable, Secret, following, in_order, unlinked},
    },
};

#[async_trait]
impl Portable for MemoryStore {
    fn secret(&self) -> Secret {
        Secret(*self.secret.bytes())
    }

    async fn take_out(&self, session: SessionId) -> Result<Option<Image>, Error> {
        let Some(loaded) = self.load(session).await? else { return Ok(None) };
        let effects = self.outbox(session).await?;
        let state = self.state();
        let own = state.timers.iter().filter(|((owner, _), _)| *owner == session);
        let timers = own.map(|((_, kind), at)| (*kind, *at)).collect();
        let own = state.dedup.iter().filter(|(_, owner)| **owner == session);
        let dedup = own.map(|(digest, _)| *digest).collect();
        let notes = state.notes.values().filter(|note| note.session == Some(session));
        let notes = notes.cloned().collect();
        let waits = state.waits_of(session);
        Ok(Some(Image { loaded, waits, effects, timers, dedup, notes }.sorted()))
    }

    async fn accounts(
        &self,
        after: Option<KeyedDigest>,
        limit: usize,
    ) -> Result<Vec<(KeyedDigest, Balance)>, Error> {
        let state = self.state();
        let after = after.map_or(Bound::Unbounded, Bound::Excluded);
        let accounts = state.accounts.range((after, Bound::Unbounded)).take(limit);
        Ok(accounts.map(|(digest, balance)| (*digest, *balance)).collect())
    }

    async fn last_effects(&self) -> Result<Vec<Effect>, Error> {
        let state = self.state();
        let last =
            state.effects.iter().filter(|((owner, _), _)| !state.sessions.contains_key(owner));
        Ok(in_order(last.map(|(_, effect)| effect.clone()).collect()))
    }

    async fn put_in(&self, piece: Piece) -> Result<(), Error> {
        let mut state = self.state();
        match piece {
            Piece::Session(image) => state.put_session(*image),
            Piece::Audit(records) => state.put_audit(&records)?,
            Piece::Accounts(accounts) => state.accounts.extend(accounts),
            Piece::LastEffects(effects) => state.put_effects(effects),
        }
        Ok(())
    }
}

impl State {
    fn waits_of(&self, session: SessionId) -> Vec<(Wait, Vec<Rendering>)> {
        let own = self.waits.values().filter(|wait| wait.session == session);
        let shown = |wait: &Wait| {
            let renderings = self.renderings.get(&wait.id).into_iter().flatten();
            let renderings = renderings
                .map(|(effect, message)| Rendering { effect: *effect, message: message.clone() });
            (wait.clone(), renderings.collect())
        };
        own.map(shown).collect()
    }

    fn put_session(&mut self, image: Image) {
        let session = image.session();
        if self.sessions.contains_key(&session) {
            return;
        }
        let Image { loaded, waits, effects, timers, dedup, notes } = image;
        self.sessions.insert(session, loaded);
        for (wait, renderings) in waits {
            let shown = renderings.into_iter().map(|shown| (shown.effect, shown.message));
            let shown: BTreeMap<_, _> = shown.collect();
            if !shown.is_empty() {
                self.renderings.insert(wait.id, shown);
            }
            self.waits.insert(wait.id, wait);
        }
        self.put_effects(effects);
        self.timers.extend(timers.into_iter().map(|(kind, at)| ((session, kind), at)));
        self.dedup.extend(dedup.into_iter().map(|digest| (digest, session)));
        self.notes.extend(notes.into_iter().map(|note| (note.key.clone(), note)));
    }

    fn put_effects(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.owners.insert(effect.id, effect.session);
            self.effects.insert((effect.session, effect.id), effect);
        }
    }

    fn put_audit(&mut self, records: &[Sealed]) -> Result<(), Error> {
        let records = following(records, self.chain.len() as u64)?;
        let mut previous = self.chain.last().map_or(CHAIN_START, |sealed| &sealed.seal);
        for sealed in records {
            if sealed.previous != previous {
                return Err(unlinked(sealed));
            }
            previous = &sealed.seal;
        }
        self.chain.extend_from_slice(records);
        Ok(())
    }
}
