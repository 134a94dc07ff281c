//! What a piece of another store changes: worked out on a [`WriteBatch`], as steps are.

use std::collections::BTreeMap;

use super::{
    audit_chain::{self, Owner},
    audit_record::Link,
    index_entries,
    jobs::Applied,
    keys, notes,
    read::{self, Cover, Known},
    record_codec::{Belongings, Frame, Kept, question},
    steps::{self, Chain, SessionKey},
    waits::Pointer,
    write_batch::{Reader, Record, VERSION, WriteBatch},
};
use crate::{
    base::ids::{SessionId, WaitId},
    model::{
        STORED_VERSION,
        audit::Sealed,
        effect::{Effect, Rendering},
        transcript::{Event, Recorded},
        usage::Balance,
        wait::Wait,
    },
    store::{
        Error, Loaded,
        compression::Level,
        portable::{Image, KeyedDigest, Piece, following, unlinked},
        sealing::Digest,
    },
};

/// Events of one frame, and dedup keys: no more than it can name.
const FRAME_EVENTS: usize = 64;
const FRAME_DEDUP: usize = read::DEDUP_MAX;

/// Audit records of one group.
const GROUP_MAX: usize = 64;

/// Works out a piece.
pub(super) fn put_in(
    stage: &mut WriteBatch<'_>,
    chain: &mut Chain<'_>,
    piece: Piece,
) -> Result<Applied, Error> {
    match piece {
        Piece::Session(image) => put_session(stage, *image),
        Piece::Audit(records) => put_audit(stage, chain, &records),
        Piece::Accounts(accounts) => put_accounts(stage, &accounts),
        Piece::LastEffects(effects) => put_last_effects(stage, effects),
    }
}

const fn nothing_to_tell() -> Applied {
    Applied::Piece { notes: Vec::new(), effects: Vec::new() }
}

fn put_session(stage: &mut WriteBatch<'_>, image: Image) -> Result<Applied, Error> {
    let reader = stage.reader;
    let session = image.session();
    if stage.has(&keys::head(session))? {
        return Ok(nothing_to_tell());
    }
    let Image { loaded: Loaded { head, events }, waits, effects, timers, dedup, notes } = image;
    let (slot, key) = reader.key_store.fresh()?;
    let session_key = SessionKey { slot, key: &key };
    let mut frames = 0;
    for framed in framed(events, waits, &dedup) {
        put_frame(stage, &session_key, frames, framed)?;
        frames += 1;
    }
    steps::put_effects(stage, &session_key, &effects)?;
    let mut set = Vec::new();
    for (kind, at) in timers {
        steps::set_timer(stage, session, &mut set, kind, Some(at));
    }
    steps::mark_loose(stage, session)?;
    index_entries::put(stage, None, &head)?;
    let names = notes.iter().map(|note| note.key.clone()).collect();
    notes::keep_all(stage, slot, &key, notes)?;
    // Its audit records come after it.
    let (timers, audit) = (set, Link::None);
    let cover = Cover { head, frames, compact: 0, timers, files: None, audit };
    steps::put_cover(stage, &session_key, &cover)?;
    let effects = effects.into_iter().map(|effect| (slot, effect)).collect();
    Ok(Applied::Piece { notes: names, effects })
}

/// What one frame is to hold.
#[derive(Default)]
struct Framed {
    events: Vec<Recorded>,
    waits: Vec<(Wait, Vec<Rendering>)>,
    dedup: Vec<Digest>,
}

/// Shares out what is said of a session to frames: waits to that which asks them. There is always a first one.
fn framed(
    events: Vec<Recorded>,
    waits: Vec<(Wait, Vec<Rendering>)>,
    dedup: &[Digest],
) -> Vec<Framed> {
    let count = events.len().div_ceil(FRAME_EVENTS).max(dedup.len().div_ceil(FRAME_DEDUP)).max(1);
    let mut frames: Vec<Framed> = (0..count).map(|_| Framed::default()).collect();
    let mut asked: BTreeMap<WaitId, usize> = BTreeMap::new();
    for (number, event) in events.into_iter().enumerate() {
        let at = number / FRAME_EVENTS;
        if let Event::Asked(wait) = &*event.event {
            asked.insert(wait.id, at);
        }
        if let Some(frame) = frames.get_mut(at) {
            frame.events.push(event);
        }
    }
    for shown in waits {
        let at = asked.get(&shown.0.id).copied().unwrap_or(0);
        if let Some(frame) = frames.get_mut(at) {
            frame.waits.push(shown);
        }
    }
    for (frame, dedup) in frames.iter_mut().zip(dedup.chunks(FRAME_DEDUP)) {
        frame.dedup = dedup.to_vec();
    }
    frames
}

fn put_frame(
    stage: &mut WriteBatch<'_>,
    SessionKey { slot, key }: &SessionKey<'_>,
    number: u32,
    Framed { events, waits, dedup }: Framed,
) -> Result<(), Error> {
    let mut frame = Frame { events, ..Frame::default() };
    let belongings = Belongings { waits: waits.iter().map(|(wait, _)| wait.id).collect(), dedup };
    for (wait, renderings) in waits {
        let (digest, _) = steps::digest(key, &wait)?;
        let at = keys::wait(wait.id);
        let mut body = Pointer { slot: *slot, frame: number, whole: number, digest }.encode();
        if !renderings.is_empty() {
            body.extend(Reader::close(key, &at, VERSION, &[], &renderings)?.body);
        }
        stage.put_record(&at, &Record { version: VERSION, body })?;
        let asked = question(&wait);
        let kept = Frame::in_full(&frame.events, &asked);
        frame.keep(kept);
        if *asked != wait {
            let (status, votes) = (Box::new(wait.status.clone()), wait.votes.clone());
            frame.keep(Kept::Changed { wait: wait.id, frame: number, status, votes });
        }
    }
    for digest in &belongings.dedup {
        stage.put(keys::dedup(*digest), []);
    }
    let newest = frame.events.iter().map(|event| event.v).max().unwrap_or(STORED_VERSION);
    let version = u8::try_from(newest.max(STORED_VERSION)).unwrap_or(u8::MAX);
    let text = serde_json::to_vec(&frame).map_err(Error::unavailable)?;
    let (at, clear) = (keys::frame(*slot, number), belongings.encode());
    let record = Reader::close_text(key, &at, version, &clear, (&text, Level::Fast))?;
    stage.put_record(&at, &record)
}

/// Adds records to the chain, in groups of one session each, and has the sessions that are there link to them.
fn put_audit(
    stage: &mut WriteBatch<'_>,
    chain: &mut Chain<'_>,
    records: &[Sealed],
) -> Result<Applied, Error> {
    let records = following(records, chain.tip.next)?;
    let mut owners: BTreeMap<SessionId, Option<Known>> = BTreeMap::new();
    for same in records.chunk_by(|one, other| kind_of(one) == kind_of(other)) {
        let session = same.first().and_then(|sealed| sealed.record.session);
        if let Some(session) = session
            && !owners.contains_key(&session)
        {
            owners.insert(session, read::known(stage.reader, session)?);
        }
        let mut known = session.and_then(|session| owners.get_mut(&session)?.as_mut());
        for group in same.chunks(GROUP_MAX) {
            put_group(stage, chain, known.as_deref_mut(), group)?;
        }
    }
    for Known { slot, key, cover } in owners.into_values().flatten() {
        steps::put_cover(stage, &SessionKey { slot, key: &key }, &cover)?;
    }
    Ok(nothing_to_tell())
}

/// What the records of a group have in common.
const fn kind_of(sealed: &Sealed) -> (Option<SessionId>, bool) {
    (sealed.record.session, sealed.erased)
}

fn put_group(
    stage: &mut WriteBatch<'_>,
    chain: &mut Chain<'_>,
    known: Option<&mut Known>,
    group: &[Sealed],
) -> Result<(), Error> {
    let first = chain.tip.next;
    let mut previous = audit_chain::seal_text(&chain.tip);
    for (index, sealed) in (first..).zip(group) {
        if !sealed.holds(index, &previous) {
            return Err(unlinked(sealed));
        }
        previous.clone_from(&sealed.seal);
    }
    let owner = known.as_ref().map(|known| Owner {
        session: known.cover.head.id,
        slot: known.slot,
        key: &known.key,
    });
    let link = known.as_ref().map_or(Link::Unknown, |known| known.cover.audit.before(first));
    let (record, tip) = audit_chain::keep(owner.as_ref(), &chain.tip, (group, link))?;
    chain.tip = tip;
    stage.put_record(&keys::audit(first), &record)?;
    if let Some(known) = known {
        known.cover.audit = Link::At(first);
    }
    Ok(())
}

fn put_accounts(
    stage: &mut WriteBatch<'_>,
    accounts: &[(KeyedDigest, Balance)],
) -> Result<Applied, Error> {
    for (digest, balance) in accounts {
        let body = serde_json::to_vec(balance).map_err(Error::unavailable)?;
        stage.put_record(&keys::account(*digest), &Record { version: VERSION, body })?;
    }
    Ok(nothing_to_tell())
}

/// They are sealed with a key of their own, as an erasure does it.
fn put_last_effects(stage: &mut WriteBatch<'_>, effects: Vec<Effect>) -> Result<Applied, Error> {
    if effects.is_empty() {
        return Ok(nothing_to_tell());
    }
    let (slot, key) = stage.reader.key_store.fresh()?;
    steps::put_effects(stage, &SessionKey { slot, key: &key }, &effects)?;
    let effects = effects.into_iter().map(|effect| (slot, effect)).collect();
    Ok(Applied::Piece { notes: Vec::new(), effects })
}
