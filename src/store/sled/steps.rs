//! What commit, erase and done change: each works its step out on a [`Stage`] and writes nothing itself.

use chrono::{DateTime, Utc};

use super::{keys, open::Tip, stage::Stage};
use crate::{
    ids::{EffectId, Ids, SessionId},
    model::{
        STORED_VERSION,
        audit::{AuditRecord, Sealed},
        effect::{Delivery, Effect, Rendering},
        session::Head,
        wait::Wait,
    },
    store::{Commit, Erasure, Error, Loaded, TimerKind, rendered, salt},
};

/// The audit chain as a step goes on with it.
pub(super) struct Chain<'a> {
    tip: Tip,
    ids: &'a dyn Ids,
}

impl<'a> Chain<'a> {
    /// From `tip` on; `ids` salts the words of records.
    pub(super) fn new(tip: Tip, ids: &'a dyn Ids) -> Self {
        Self { tip, ids }
    }

    /// Where it goes on once the stage is applied.
    pub(super) fn into_tip(self) -> Tip {
        self.tip
    }

    fn seal(
        &mut self,
        stage: &mut Stage<'_>,
        records: impl IntoIterator<Item = AuditRecord>,
    ) -> Result<(), Error> {
        for record in records {
            let salt = salt(self.ids, &record);
            let sealed = Sealed::seal(self.tip.next, &self.tip.seal, record, salt);
            if let Some(session) = sealed.record.session
                && !sealed.record.words.is_empty()
            {
                stage.put(keys::words(session, sealed.index), []);
            }
            stage.put_record(&keys::audit(sealed.index), STORED_VERSION, &sealed)?;
            self.tip = Tip { next: sealed.index + 1, seal: sealed.seal };
        }
        Ok(())
    }
}

/// Everything that one decision changes; refused where it does not fit what is there.
pub(super) fn commit(
    stage: &mut Stage<'_>,
    chain: &mut Chain<'_>,
    commit: Commit,
) -> Result<(), Error> {
    commit.check()?;
    let session = commit.head.id;
    let dedup = commit.dedup.as_deref().map(keys::dedup);
    if let Some(key) = dedup {
        if stage.get(&key)?.is_some() {
            return Err(Error::Duplicate);
        }
        belong(stage, session, key);
    }
    let old: Option<Head> =
        stage.record(&keys::head(session), format_args!("session `{session}`"))?;
    let found = old.as_ref().map_or(0, |head| head.seq);
    if found != commit.expected {
        return Err(Error::Conflict { expected: commit.expected, found });
    }
    put_head(stage, old.as_ref(), &commit.head)?;
    for event in &commit.events {
        stage.put_record(&keys::event(session, event.seq), event.v, event)?;
    }
    for wait in &commit.waits {
        put_wait(stage, wait)?;
    }
    for effect in &commit.effects {
        put_effect(stage, effect)?;
    }
    for (kind, at) in commit.timers {
        set_timer(stage, session, kind, at)?;
    }
    chain.seal(stage, commit.audit)
}

/// Removes a session, seals the receipt, and puts down what is to stay; the effects that are gone.
pub(super) fn erase(
    stage: &mut Stage<'_>,
    chain: &mut Chain<'_>,
    erasure: Erasure,
) -> Result<Vec<EffectId>, Error> {
    erasure.check()?;
    let session = erasure.session;
    if erasure.expected.is_some() {
        let what = format_args!("session `{session}`").to_string();
        let head: Option<Head> = stage.record(&keys::head(session), what)?;
        erasure.check_seq(head.map_or(0, |head| head.seq))?;
    }
    let Erasure { receipt, effects, rest, .. } = erasure;
    // Without a session, what the outbox holds are the last effects of an erasure before.
    let is_there = !stage.keys(&keys::head(session))?.is_empty();
    let gone = if is_there { forget(stage, session)? } else { Vec::new() };
    if let Some(Loaded { head, events }) = rest {
        put_head(stage, None, &head)?;
        for event in &events {
            stage.put_record(&keys::event(session, event.seq), event.v, event)?;
        }
    }
    for effect in &effects {
        put_effect(stage, effect)?;
    }
    chain.seal(stage, [receipt])?;
    Ok(gone)
}

/// Removes everything of a session, and the words of its audit records; the effects that are gone with it.
fn forget(stage: &mut Stage<'_>, session: SessionId) -> Result<Vec<EffectId>, Error> {
    let mut gone = Vec::new();
    for key in stage.keys(&keys::belongings(session))? {
        stage.remove_all(keys::belonging_of(&key))?;
        stage.remove(key);
    }
    for key in stage.keys(&keys::slots(session))? {
        if let (Some(kind), Some(at)) = (keys::kind_of_slot(&key), stage.get(&key)?) {
            stage.remove(keys::timer(&at, session, kind));
        }
        stage.remove(key);
    }
    for key in stage.keys(&keys::outbox(session))? {
        if let Some(effect) = keys::effect_of(&key) {
            stage.remove(keys::owner(effect));
            gone.push(effect);
        }
        stage.remove(key);
    }
    for key in stage.keys(&keys::all_words(session))? {
        if let Some(index) = keys::index_of(&key) {
            erase_words(stage, index)?;
        }
        stage.remove(key);
    }
    stage.remove_all(&keys::events(session))?;
    stage.remove_all(&keys::head(session))?;
    Ok(gone)
}

/// What came of a delivery.
pub(super) fn done(stage: &mut Stage<'_>, id: EffectId, delivery: &Delivery) -> Result<(), Error> {
    let owner = stage.get(&keys::owner(id))?;
    let owner = owner.and_then(|bytes| uuid::Uuid::from_slice(&bytes).ok());
    if let Some(session) = owner.map(SessionId::from_uuid) {
        let key = keys::effect(session, id);
        let effect: Option<Effect> = stage.record(&key, format_args!("effect `{id}`"))?;
        match (effect, delivery) {
            (Some(mut effect), Delivery::Retry { not_before }) => {
                effect.attempts += 1;
                effect.not_before = *not_before;
                stage.put_record(&key, STORED_VERSION, &effect)?;
            }
            (effect, delivery) => {
                stage.remove_all(&key)?;
                stage.remove(keys::owner(id));
                if let Some(effect) = effect {
                    remember(stage, &effect, delivery)?;
                }
            }
        }
    }
    Ok(())
}

/// Stores an empty entry that goes when the session is erased.
fn belong(stage: &mut Stage<'_>, session: SessionId, key: keys::Key) {
    stage.put(keys::belonging(session, &key), []);
    stage.put(key, []);
}

fn put_head(stage: &mut Stage<'_>, old: Option<&Head>, head: &Head) -> Result<(), Error> {
    let entries = |head: &Head| {
        [keys::at_place(&head.place), keys::of_person(&head.participant)]
            .map(|index| keys::indexed(&index, head.id))
    };
    let current = entries(head);
    for key in old.map(entries).into_iter().flatten().filter(|key| !current.contains(key)) {
        stage.remove(keys::belonging(head.id, &key));
        stage.remove(key);
    }
    for key in current {
        belong(stage, head.id, key);
    }
    stage.put_record(&keys::head(head.id), STORED_VERSION, head)
}

fn put_effect(stage: &mut Stage<'_>, effect: &Effect) -> Result<(), Error> {
    stage.put(keys::owner(effect.id), *effect.session.uuid().as_bytes());
    stage.put_record(&keys::effect(effect.session, effect.id), STORED_VERSION, effect)
}

fn put_wait(stage: &mut Stage<'_>, wait: &Wait) -> Result<(), Error> {
    let key = keys::wait(wait.id);
    stage.put_record(&key, STORED_VERSION, wait)?;
    stage.put(keys::belonging(wait.session, &key), []);
    stage.put(keys::belonging(wait.session, &keys::renderings(wait.id)), []);
    Ok(())
}

fn set_timer(
    stage: &mut Stage<'_>,
    session: SessionId,
    kind: TimerKind,
    at: Option<DateTime<Utc>>,
) -> Result<(), Error> {
    let slot = keys::slot(session, kind);
    if let Some(old) = stage.get(&slot)? {
        stage.remove(keys::timer(&old, session, kind));
    }
    match at.map(keys::instant) {
        Some(at) => {
            stage.put(keys::timer(&at, session, kind), []);
            stage.put(slot, at);
        }
        None => stage.remove(slot),
    }
    Ok(())
}

/// Remembers where a wait was shown, once for each message.
fn remember(stage: &mut Stage<'_>, effect: &Effect, delivery: &Delivery) -> Result<(), Error> {
    let Some((wait, message)) = rendered(effect, delivery) else { return Ok(()) };
    let what = format_args!("wait `{wait}`").to_string();
    for key in stage.keys(&keys::renderings(wait))? {
        let known = keys::effect_of(&key).map(|effect| keys::rendering(wait, effect));
        let Some(known) = known else { continue };
        let known: Option<Rendering> = stage.record(&known, &what)?;
        if known.is_some_and(|known| known.message == message) {
            return Ok(());
        }
    }
    let rendering = Rendering { effect: effect.id, message };
    stage.put_record(&keys::rendering(wait, effect.id), STORED_VERSION, &rendering)
}

fn erase_words(stage: &mut Stage<'_>, index: u64) -> Result<(), Error> {
    let key = keys::audit(index);
    let sealed: Option<Sealed> = stage.record(&key, format_args!("audit record {index}"))?;
    let Some(mut sealed) = sealed else { return Ok(()) };
    sealed.erase_words();
    stage.put_record(&key, STORED_VERSION, &sealed)
}
