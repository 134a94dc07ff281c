//! What the embedded store gives to another one.

use async_trait::async_trait;

use super::{
    SledStore,
    jobs::Job,
    keys, notes,
    read::{self, Known},
    steps, waits,
    write_batch::Reader,
};
use crate::{
    base::ids::SessionId,
    model::{effect::Effect, usage::Balance},
    store::{
        Error, Loaded,
        portable::{Image, KeyedDigest, Piece, Portable, Secret, in_order},
    },
};

#[async_trait]
impl Portable for SledStore {
    fn secret(&self) -> Secret {
        Secret(*self.shared.key_store.secret.bytes())
    }

    async fn take_out(&self, session: SessionId) -> Result<Option<Image>, Error> {
        self.read(move |reader| image(reader, session)).await
    }

    async fn accounts(
        &self,
        after: Option<KeyedDigest>,
        limit: usize,
    ) -> Result<Vec<(KeyedDigest, Balance)>, Error> {
        self.read(move |reader| accounts(reader, after, limit)).await
    }

    async fn last_effects(&self) -> Result<Vec<Effect>, Error> {
        self.read(last_effects).await
    }

    async fn put_in(&self, piece: Piece) -> Result<(), Error> {
        self.ask(|reply| Job::PutIn { piece: Box::new(piece), reply }).await
    }
}

fn image(reader: Reader<'_>, session: SessionId) -> Result<Option<Image>, Error> {
    let Some(Known { slot, key, cover }) = read::known(reader, session)? else { return Ok(None) };
    let what = format!("session `{session}`");
    let Some(Loaded { head, events }) = read::load(reader, session)? else { return Ok(None) };
    let (mut waits, mut dedup, mut frames) = (Vec::new(), Vec::new(), None);
    for number in 0..cover.frames {
        let at = keys::frame(slot, number);
        let Some(record) = reader.record(&at, &what)? else { continue };
        let (belongings, _) = read::opened(&key, &at, &record, &what)?;
        dedup.extend(belongings.dedup);
        for wait in belongings.waits {
            let shown = waits::wait(reader, wait, &mut frames)?;
            waits.extend(shown.filter(|(wait, _)| wait.session == session));
        }
    }
    let effects = read::outbox(reader, session)?;
    let (timers, notes) = (cover.timers, notes::of_session(reader, slot)?);
    let loaded = Loaded { head, events };
    Ok(Some(Image { loaded, waits, effects, timers, dedup, notes }.sorted()))
}

fn accounts(
    reader: Reader<'_>,
    after: Option<KeyedDigest>,
    limit: usize,
) -> Result<Vec<(KeyedDigest, Balance)>, Error> {
    let first = match after {
        Some(digest) => keys::after(&keys::account(digest)),
        None => Some(vec![keys::ACCOUNT]),
    };
    let (Some(first), Some(end)) = (first, keys::after(&[keys::ACCOUNT])) else {
        return Ok(Vec::new());
    };
    let mut accounts = Vec::new();
    for entry in reader.range(first, end) {
        if accounts.len() == limit {
            break;
        }
        let (key, _) = entry?;
        if let (true, Some(digest)) =
            (key.len() == keys::base_len(&key), keys::digest_of_account(&key))
        {
            accounts.push((digest, read::balance_at(reader, &key)?));
        }
    }
    Ok(accounts)
}

/// Nothing but the outbox tells of them: what lies there under keys of no session.
fn last_effects(reader: Reader<'_>) -> Result<Vec<Effect>, Error> {
    let mut last = Vec::new();
    for at in reader.records(&[keys::OUTBOX])? {
        let (Some(slot), Some(id)) = (keys::slot_of(&at), keys::effect_of(&at)) else { continue };
        let Some((_, effect)) = steps::effect(reader, slot, id)? else { continue };
        if reader.get(&keys::head(effect.session))?.is_none() {
            last.push(effect);
        }
    }
    Ok(in_order(last))
}
