//! What commit, erase and done change: each works its step out on a [`WriteBatch`] and writes nothing itself.

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Utc};

use super::{
    archive::Marker,
    audit_chain::{self, Owner},
    audit_record::{self, Link, Tip},
    index_entries,
    key_store::Slot,
    keys, notes,
    open_sessions::{OpenSession, OpenSessions},
    packed_keys,
    read::{self, Cover, Known},
    record_codec::{Belongings, Frame, Kept, OpenFrame, question},
    waits::{self, Pointer},
    write_batch::{HEADER, Reader, Record, VERSION, WriteBatch},
};
use crate::{
    base::{
        failpoint::{Failpoint, hit},
        ids::{EffectId, Ids, SessionId},
    },
    model::{
        STORED_VERSION,
        audit::AuditRecord,
        effect::{Delivery, Effect, Rendering},
        wait::Wait,
    },
    store::{
        Charge, Commit, Erasure, Error, Loaded, Note, TimerKind,
        compression::Level,
        left_outside, put_back,
        read_cache::{Step, Written},
        rendered,
        sealing::{Digest, Key},
    },
};

/// The audit chain as a step goes on with it.
pub(super) struct Chain<'a> {
    pub(super) tip: Tip,
    ids: &'a dyn Ids,
}

impl<'a> Chain<'a> {
    /// From `tip` on; `ids` salts the words of records that belong to no session.
    pub(super) fn new(tip: Tip, ids: &'a dyn Ids) -> Self {
        Self { tip, ids }
    }

    /// Where it goes on once the stage is applied.
    pub(super) fn into_tip(self) -> Tip {
        self.tip
    }

    /// Seals records of a session whose latest ones are at `link`; the link to its latest ones then.
    fn seal(
        &mut self,
        stage: &mut WriteBatch<'_>,
        owner: Option<&Owner<'_>>,
        (records, link): (Vec<AuditRecord>, Link),
    ) -> Result<Link, Error> {
        if records.is_empty() {
            return Ok(link);
        }
        let first = self.tip.next;
        let group = (records, link.before(first));
        let (record, tip) = audit_chain::write(self.ids, owner, &self.tip, group)?;
        self.tip = tip;
        stage.put_record(&keys::audit(first), &record)?;
        Ok(Link::At(first))
    }
}

/// What a commit came to.
pub(super) struct Committed {
    /// The session's.
    pub(super) slot: Slot,
    /// What is to leave now.
    pub(super) effects: Vec<Effect>,
    /// What readers know once it is on the device.
    pub(super) step: Step,
    /// The earliest timer that it sets.
    pub(super) timer: Option<DateTime<Utc>>,
}

/// Everything that one decision changes; refused where it does not fit what is there. Where it fails otherwise, `open` may
/// hold what was not written.
pub(super) fn commit(
    stage: &mut WriteBatch<'_>,
    chain: &mut Chain<'_>,
    commit: Commit,
    open: &OpenSessions,
) -> Result<Committed, Error> {
    commit.check()?;
    let reader = stage.reader;
    let session = commit.head.id;
    let dedup = commit.dedup.as_deref().map(|key| reader.key_store.secret.digest(b'd', key));
    if let Some(digest) = dedup
        && packed_keys::has(reader, &keys::dedup(digest))?
    {
        return Err(Error::Duplicate);
    }
    let OpenSession { known, frame } = begin_commit(reader, &commit, open)?;
    let Known { slot, key, cover: old } = known;
    let session_key = SessionKey { slot, key: &key };
    let said = Frame { events: commit.events.clone(), ..Frame::default() };
    let put = put_frame(stage, &session_key, (old.frames, frame), said, &commit.waits, dedup)?;
    put_effects(stage, &session_key, &commit.effects)?;
    let timer = commit.timers.iter().filter_map(|(_, at)| *at).min();
    let mut timers = old.timers;
    for (kind, at) in commit.timers {
        set_timer(stage, session, &mut timers, kind, at);
    }
    let owner = Owner { session, slot, key: &key };
    let audit = chain.seal(stage, Some(&owner), (commit.audit, old.audit))?;
    let is_new = old.frames == 0;
    mark_loose(stage, session)?;
    index_entries::put(stage, (!is_new).then_some(&old.head), &commit.head)?;
    let cover = Cover { head: commit.head.clone(), frames: put.frames, timers, audit, ..old };
    put_cover(stage, &session_key, &cover)?;
    commit.charges.iter().try_for_each(|charge| put_charge(stage, charge))?;
    open.keep(OpenSession { known: Known { slot, key, cover }, frame: put.open });
    let Commit { head, expected, events, effects, .. } = commit;
    let step = Step { expected, head, events, bytes: put.bytes, waits: put.waits };
    Ok(Committed { slot, effects, step, timer })
}

/// Has a session made compact when it comes to rest.
pub(super) fn mark_loose(stage: &mut WriteBatch<'_>, session: SessionId) -> Result<(), Error> {
    let loose = keys::loose(session);
    if !stage.has(&loose)? {
        stage.put(loose, []);
    }
    Ok(())
}

/// The session that a commit goes on with, as it was left by the last one, or a new one.
fn begin_commit(
    reader: Reader<'_>,
    commit: &Commit,
    open: &OpenSessions,
) -> Result<OpenSession, Error> {
    let (session, expected) = (commit.head.id, commit.expected);
    let known = match open.take(session) {
        Some(known) => Some(known),
        None => read::known(reader, session)?.map(|known| {
            hit(Failpoint::OpenDropped);
            OpenSession { known, frame: None }
        }),
    };
    let found = known.as_ref().map_or(0, |open| open.known.cover.head.seq);
    if found != expected {
        if let Some(known) = known {
            open.keep(known);
        }
        return Err(Error::Conflict { expected, found });
    }
    if let Some(known) = known {
        return Ok(known);
    }
    let (slot, key) = reader.key_store.fresh()?;
    let head = commit.head.clone();
    let (timers, audit) = (Vec::new(), Link::None);
    // Ids are not used again, so the audit chain holds nothing of a new session.
    let cover = Cover { head, frames: 0, compact: 0, timers, files: None, audit };
    Ok(OpenSession { known: Known { slot, key, cover }, frame: None })
}

/// Adds to an account. One that cannot be read begins anew: no conversation stands still for it.
fn put_charge(stage: &mut WriteBatch<'_>, charge: &Charge) -> Result<(), Error> {
    let reader = stage.reader;
    let balance = read::readable(reader, read::balance(reader, &charge.account).map(Some))?;
    let balance = balance.unwrap_or_default().charged(charge.usage, charge.told);
    let body = serde_json::to_vec(&balance).map_err(Error::unavailable)?;
    let at = read::account(reader, &charge.account);
    stage.put_record(&at, &Record { version: VERSION, body })
}

pub(super) fn put_cover(
    stage: &mut WriteBatch<'_>,
    SessionKey { slot, key }: &SessionKey<'_>,
    cover: &Cover,
) -> Result<(), Error> {
    let at = keys::head(cover.head.id);
    let record = Reader::close(key, &at, VERSION, &slot.to_be_bytes(), cover)?;
    stage.put_record(&at, &record)
}

pub(super) fn put_effects(
    stage: &mut WriteBatch<'_>,
    SessionKey { slot, key }: &SessionKey<'_>,
    effects: &[Effect],
) -> Result<(), Error> {
    for effect in effects {
        let at = keys::effect(*slot, effect.id);
        let record = Reader::close(key, &at, VERSION, &[], effect)?;
        stage.put_record(&at, &record)?;
    }
    Ok(())
}

pub(super) struct SessionKey<'a> {
    pub(super) slot: Slot,
    pub(super) key: &'a Key,
}

/// What a commit has put into frames.
struct Put {
    /// How many there are then.
    frames: u32,
    /// The one that the next commit goes on with, if it is known.
    open: Option<OpenFrame>,
    /// Bytes of text.
    bytes: usize,
    waits: Vec<Written>,
}

/// Stores what a commit says of events and waits beside `frames` frames: in none where it says nothing, or in the last
/// where it goes on with that. A session always has a first one, by which its slot is known to be taken.
#[expect(clippy::too_many_arguments, reason = "each is another part of the commit")]
fn put_frame(
    stage: &mut WriteBatch<'_>,
    session_key: &SessionKey<'_>,
    (frames, open): (u32, Option<OpenFrame>),
    said: Frame,
    waits: &[Wait],
    dedup: Option<Digest>,
) -> Result<Put, Error> {
    let SessionKey { slot, key } = session_key;
    let reader = stage.reader;
    if said.events.is_empty() && waits.is_empty() && dedup.is_none() && frames > 0 {
        return Ok(Put { frames, open, bytes: 0, waits: Vec::new() });
    }
    let open = match open {
        Some(open) => open,
        None => read::open_frame(reader, key, *slot, frames)?,
    };
    let OpenFrame { number, mut belongings, mut frame, length: before } = open;
    frame.events.extend(said.events);
    belongings.dedup.extend(dedup);
    let written = put_waits(stage, session_key, number, (&mut frame, &mut belongings), waits)?;
    if let Some(digest) = dedup {
        stage.put(keys::dedup(digest), []);
    }
    let newest = frame.events.iter().map(|event| event.v).max().unwrap_or(STORED_VERSION);
    let version = u8::try_from(newest.max(STORED_VERSION)).unwrap_or(u8::MAX);
    let at = keys::frame(*slot, number);
    let text = serde_json::to_vec(&frame).map_err(Error::unavailable)?;
    let clear = belongings.encode();
    // What rests is compressed harder, all of it together.
    let record = Reader::close_text(key, &at, version, &clear, (&text, Level::Fast))?;
    let is_full =
        record.body.len() >= read::FRAME_FULL || belongings.dedup.len() >= read::DEDUP_MAX;
    stage.put_record(&at, &record)?;
    let open = if is_full {
        OpenFrame { number: number + 1, ..OpenFrame::default() }
    } else {
        OpenFrame { number, belongings, frame, length: text.len() }
    };
    let bytes = text.len().saturating_sub(before);
    Ok(Put { frames: number + 1, open: Some(open), bytes, waits: written })
}

/// Notes in a frame, and where they are found by their ids, the waits that a commit opens or changes.
fn put_waits(
    stage: &mut WriteBatch<'_>,
    SessionKey { slot, key }: &SessionKey<'_>,
    number: u32,
    (frame, belongings): (&mut Frame, &mut Belongings),
    waits: &[Wait],
) -> Result<Vec<Written>, Error> {
    let reader = stage.reader;
    let mut written = Vec::new();
    let mut seen = BTreeSet::new();
    // The last one counts where a step changes a wait twice.
    for wait in waits.iter().rev().filter(|wait| seen.insert(wait.id)) {
        let at = keys::wait(wait.id);
        let old = waits::record(reader, wait.id)?;
        // One that another session left behind, or that nobody can read, is written anew.
        let old = old.and_then(|record| Some((Pointer::decode(&record.body)?, record)));
        let old = old.filter(|(pointer, _)| pointer.slot == *slot);
        let (digest, bytes) = digest(key, wait)?;
        let mut pointer = Pointer { slot: *slot, frame: number, whole: number, digest };
        let kept = match &old {
            Some((old, _)) if old.digest == digest => {
                pointer.whole = old.whole;
                Kept::Changed {
                    wait: wait.id,
                    frame: old.whole,
                    status: Box::new(wait.status.clone()),
                    votes: wait.votes.clone(),
                }
            }
            _ => Frame::in_full(&frame.events, wait),
        };
        let mut body = pointer.encode();
        match &old {
            Some((_, record)) => body.extend(record.body.iter().skip(Pointer::LENGTH)),
            None => belongings.waits.push(wait.id),
        }
        stage.put_record(&at, &Record { version: VERSION, body })?;
        frame.keep(kept);
        written.push(Written { wait: wait.clone(), is_new: old.is_none(), bytes });
    }
    Ok(written)
}

/// A digest of what a wait asks, and bytes of its text.
pub(super) fn digest(key: &Key, wait: &Wait) -> Result<([u8; 8], usize), Error> {
    let question = serde_json::to_vec(&*question(wait)).map_err(Error::unavailable)?;
    let digest = key.digest(&question);
    Ok((digest.first_chunk().copied().unwrap_or_default(), question.len()))
}

/// What went with a session, and what is there instead.
#[derive(Debug, Default)]
pub(super) struct Gone {
    /// What was in the outbox.
    pub(super) effects: Vec<EffectId>,
    /// The key to shred, once the step is on the device.
    pub(super) slot: Option<Slot>,
    /// What gateways remembered of it.
    notes: Vec<Note>,
    /// The slot of what stays and of the last effects, if any.
    pub(super) anew: Option<Slot>,
}

/// Removes a session, seals the receipt, and puts down what is to stay, under a key of its own.
pub(super) fn erase(
    stage: &mut WriteBatch<'_>,
    chain: &mut Chain<'_>,
    erasure: Erasure,
) -> Result<Gone, Error> {
    erasure.check()?;
    let reader = stage.reader;
    let session = erasure.session;
    let known = read::known(reader, session);
    if erasure.expected.is_some() {
        let known = known.as_ref().map_err(Clone::clone)?;
        erasure.check_seq(known.as_ref().map_or(0, |known| known.cover.head.seq))?;
    }
    let known = match known {
        Err(Error::Unreadable { .. }) => None,
        known => known?,
    };
    let link = known.as_ref().map_or(Link::Unknown, |known| known.cover.audit);
    // Files that stay are not sealed anew: their key goes on in what stays.
    let files = known.map(|known| known.files());
    let Erasure { receipt, effects, rest, .. } = erasure;
    let audit = if receipt.session == Some(session) {
        chain.seal(stage, None, (vec![receipt], link))?
    } else {
        chain.seal(stage, None, (vec![receipt], Link::Unknown))?;
        link
    };
    // Without a session, what the outbox holds are the last effects of an erasure before.
    let mut gone = forget(stage, session)?;
    if rest.is_some() || !effects.is_empty() {
        let (slot, key) = reader.key_store.fresh()?;
        let session_key = SessionKey { slot, key: &key };
        if let Some(Loaded { head, events }) = rest {
            let frame = Frame { events, ..Frame::default() };
            put_frame(stage, &session_key, (0, None), frame, &[], None)?;
            index_entries::put(stage, None, &head)?;
            let timers = Vec::new();
            let cover = Cover { head, frames: 1, compact: 0, timers, files, audit };
            put_cover(stage, &session_key, &cover)?;
            notes::keep_all(stage, slot, &key, std::mem::take(&mut gone.notes))?;
        }
        put_effects(stage, &session_key, &effects)?;
        gone.anew = Some(slot);
    }
    Ok(gone)
}

/// Removes everything of a session, even of one that nobody can read; what is gone with it.
fn forget(stage: &mut WriteBatch<'_>, session: SessionId) -> Result<Gone, Error> {
    let reader = stage.reader;
    let mut gone = Gone::default();
    let at = keys::head(session);
    gone.slot = slot_of(reader, session)?;
    match read::known(reader, session) {
        Ok(Some(known)) => {
            for (kind, at) in known.cover.timers {
                stage.remove(keys::timer(&keys::instant(at), session, kind));
            }
            for key in index_entries::of(reader, &known.cover.head) {
                packed_keys::remove_key(stage, &key)?;
            }
        }
        Ok(None) => {}
        Err(Error::Unreadable { .. }) => sweep(stage, session)?,
        Err(error) => return Err(error),
    }
    if let Some(slot) = gone.slot {
        for key in reader.records(&keys::frames(slot))? {
            let body = readable_body(reader, &key)?;
            let (belongings, _) = Belongings::decode(&body).unwrap_or_default();
            for wait in belongings.waits {
                stage.remove_all(&keys::wait(wait))?;
                packed_keys::remove(stage, &keys::wait(wait))?;
            }
            for digest in belongings.dedup {
                packed_keys::remove_key(stage, &keys::dedup(digest))?;
            }
        }
        for key in reader.records(&keys::outbox(slot))? {
            gone.effects.extend(keys::effect_of(&key));
        }
        gone.notes = notes::take_all(stage, slot)?;
        stage.remove_all(&keys::outbox(slot))?;
        stage.remove_all(&keys::frames(slot))?;
        stage.put(keys::doomed(slot), []);
    }
    stage.remove(keys::loose(session));
    stage.remove_all(&at)?;
    Ok(gone)
}

/// The slot of a session whose head has lost it, as the audit chain tells it.
fn slot_in_the_ledger(reader: Reader<'_>, session: SessionId) -> Result<Option<Slot>, Error> {
    for key in reader.records(&[keys::AUDIT])?.into_iter().rev() {
        let Ok(Some(group)) = reader.record(&key, "audit record") else { continue };
        let mut owners = audit_record::owners_of(&group).into_iter().rev();
        if let Some((_, slot)) = owners.find(|(owner, slot)| *owner == session && *slot > 0) {
            return Ok(Some(slot));
        }
    }
    Ok(None)
}

/// The slot of a session, also of one whose head can't be read; `None` if there is no such session.
fn slot_of(reader: Reader<'_>, session: SessionId) -> Result<Option<Slot>, Error> {
    let Some(first) = reader.get(&keys::head(session))? else { return Ok(None) };
    let in_clear = || first.get(HEADER..)?.first_chunk().map(|slot| Slot::from_be_bytes(*slot));
    match Marker::decode(&first).map_or_else(in_clear, |marker| marker.slot) {
        Some(slot) => Ok(Some(slot)),
        None => slot_in_the_ledger(reader, session),
    }
}

/// The body of a record as far as it can be read: where its rest is missing that is the first chunk, and nothing where the
/// archive lacks it.
fn readable_body(reader: Reader<'_>, at: &[u8]) -> Result<Vec<u8>, Error> {
    match reader.record(at, "record") {
        Err(Error::Unreadable { .. }) => {}
        record => return Ok(record?.map(|record| record.body).unwrap_or_default()),
    }
    let first = reader.get(at)?.filter(|first| Marker::decode(first).is_none());
    Ok(first.and_then(|first| Some(first.get(HEADER..)?.to_vec())).unwrap_or_default())
}

/// Removes timers and index entries of a session whose head does not tell which it has: looks at all there are.
fn sweep(stage: &mut WriteBatch<'_>, session: SessionId) -> Result<(), Error> {
    let reader = stage.reader;
    for key in reader.keys(&[keys::TIMER])? {
        if keys::timer_of(&key).is_some_and(|(_, owner, _)| owner == session) {
            stage.remove(key);
        }
    }
    for family in [keys::AT_PLACE, keys::OF_PERSON, keys::LISTED] {
        let mut entries = reader.keys(&[family])?;
        entries.extend(packed_keys::scan(reader, &[family])?);
        for key in entries.iter().filter(|key| keys::session_of_entry(key) == Some(session)) {
            packed_keys::remove_key(stage, key)?;
        }
    }
    Ok(())
}

/// Takes an attempt to deliver into account; the effect, if it was still there. It is read unless it is `held`.
pub(super) fn done(
    stage: &mut WriteBatch<'_>,
    (slot, id): (Slot, EffectId),
    held: Option<Arc<Effect>>,
    delivery: &Delivery,
) -> Result<Option<Arc<Effect>>, Error> {
    let reader = stage.reader;
    let (key, known) = if let Some(held) = held {
        (reader.key(slot, format_args!("effect `{id}`"))?, held)
    } else {
        let Some((key, read)) = effect(reader, slot, id)? else { return Ok(None) };
        (key, Arc::new(read))
    };
    let at = keys::effect(slot, id);
    match put_back(&known, delivery) {
        Some(again) if again == *known => {}
        Some(again) => {
            let record = Reader::close(&key, &at, VERSION, &[], &again)?;
            stage.put_record(&at, &record)?;
        }
        None => {
            stage.remove_record(&at)?;
            remember(stage, &key, &known, delivery)?;
            notes::add_posted(stage, (slot, &key), known.session, left_outside(delivery))?;
            if stage.has(&keys::head(known.session))? {
                mark_loose(stage, known.session)?;
            }
        }
    }
    Ok(Some(known))
}

/// An effect in the outbox and the key of its session.
pub(super) fn effect(
    reader: Reader<'_>,
    slot: Slot,
    id: EffectId,
) -> Result<Option<(Arc<Key>, Effect)>, Error> {
    let at = keys::effect(slot, id);
    let what = format_args!("effect `{id}`").to_string();
    let Some(record) = reader.record(&at, &what)? else { return Ok(None) };
    let key = reader.key(slot, &what)?;
    let effect = Reader::open(&key, &at, &record, 0, &what)?;
    Ok(Some((key, effect)))
}

/// Remembers where a wait was shown, once for each message.
fn remember(
    stage: &mut WriteBatch<'_>,
    key: &Key,
    effect: &Effect,
    delivery: &Delivery,
) -> Result<(), Error> {
    let Some((wait, message)) = rendered(effect, delivery) else { return Ok(()) };
    let reader = stage.reader;
    let at = keys::wait(wait);
    let Some(record) = waits::record(reader, wait)? else { return Ok(()) };
    let mut renderings = waits::renderings(key, wait, &record)?;
    if renderings.iter().any(|known| known.message == message) {
        return Ok(());
    }
    renderings.push(Rendering { effect: effect.id, message });
    renderings.sort_by_key(|rendering| rendering.effect);
    let sealed = Reader::close(key, &at, VERSION, &[], &renderings)?;
    let pointer = record.body.get(..Pointer::LENGTH).unwrap_or_default();
    let body = [pointer, &sealed.body].concat();
    stage.put_record(&at, &Record { version: VERSION, body })
}

pub(super) fn set_timer(
    stage: &mut WriteBatch<'_>,
    session: SessionId,
    timers: &mut Vec<(TimerKind, DateTime<Utc>)>,
    kind: TimerKind,
    at: Option<DateTime<Utc>>,
) {
    if let Some(place) = timers.iter().position(|(set, _)| *set == kind) {
        let (_, old) = timers.remove(place);
        stage.remove(keys::timer(&keys::instant(old), session, kind));
    }
    if let Some(at) = at {
        stage.put(keys::timer(&keys::instant(at), session, kind), []);
        timers.push((kind, at));
    }
}
