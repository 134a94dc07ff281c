//! Makes a session compact that has come to rest: few keys, and text that is compressed together.
//!
//! What many small commits have left is written once more: their frames as one frame, whose text is compressed as a
//! whole, and their keys without values as members of pages that many sessions share (see `packed_keys`). Where waits
//! were shown goes from a record for each wait into the frame. Nothing of what is stored changes, so nobody waits for it, and
//! a crash before it is on the device costs nothing but the work. A session goes on from there as from anything else.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    mem,
    ops::Range,
    sync::Arc,
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    index_entries, keys, packed_keys,
    read::{self, Cover, Known},
    record_codec::{Belongings, Frame, Kept, Shown, question},
    waits::{self, Frames, Pointer},
    write_batch::{Reader, Record, VERSION, WriteBatch},
};
use crate::{
    base::ids::{SessionId, WaitId},
    model::{STORED_VERSION, effect::Rendering, wait::Wait},
    store::{Error, compression::Level},
};

/// How long nothing may have happened in a session for it to be at rest. Platforms send an event again for some minutes.
const QUIET: TimeDelta = TimeDelta::minutes(10);

/// How often sessions at rest are looked for.
const LOOK: TimeDelta = TimeDelta::seconds(10);

/// How long the committer makes sessions compact while nobody asks for anything else.
pub(super) const SHARE: Duration = Duration::from_millis(100);

/// Bytes of frames that are written as one; a frame of about that size is left as it is.
const MERGED_MAX: usize = 32 * 1024;

/// Dedup keys and waits of one frame, whose record names each.
const NAMES_MAX: usize = 200;

/// The sessions that are not compact, and since when they are quiet.
#[derive(Debug, Default)]
pub(super) struct Restless {
    /// None until somebody has told the time.
    since: HashMap<SessionId, Option<DateTime<Utc>>>,
    due: Vec<SessionId>,
    looked_at: Option<DateTime<Utc>>,
}

impl Restless {
    /// Something has happened in a session.
    pub(super) fn touch(&mut self, session: SessionId) {
        self.since.insert(session, None);
    }

    /// Takes the time into account.
    pub(super) fn tick(&mut self, now: DateTime<Utc>) {
        // A time in the future means that the clock was set back.
        if self.looked_at.is_some_and(|last| last <= now && now - last < LOOK) {
            return;
        }
        self.looked_at = Some(now);
        let due = &mut self.due;
        self.since.retain(|session, since| {
            let since = *since.insert(since.filter(|since| *since <= now).unwrap_or(now));
            let is_due = now - since >= QUIET;
            if is_due {
                due.push(*session);
            }
            !is_due
        });
        self.sort();
    }

    /// Ids are in the order of time, and so are slots: sessions that began together lie together, and sled writes their
    /// neighbours anew with each of them.
    fn sort(&mut self) {
        self.due.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// All are at rest.
    pub(super) fn hurry(&mut self) {
        self.due.extend(mem::take(&mut self.since).into_keys());
        self.sort();
    }

    /// Whether nothing has happened in a session lately.
    pub(super) fn is_at_rest(&self, session: SessionId) -> bool {
        !self.since.contains_key(&session) && !self.due.contains(&session)
    }

    /// Whether none is at rest that is not compact.
    pub(super) const fn is_quiet(&self) -> bool {
        self.due.is_empty()
    }

    /// Whether all are compact.
    pub(super) fn is_empty(&self) -> bool {
        self.since.is_empty() && self.due.is_empty()
    }

    /// One that is at rest, if any. It is forgotten.
    pub(super) fn next(&mut self) -> Option<SessionId> {
        while let Some(session) = self.due.pop() {
            // In others something has happened since they were found.
            if !self.since.contains_key(&session) {
                return Some(session);
            }
        }
        None
    }
}

/// Makes a session compact. One that cannot be read is left as it is. It counts as loose until its records are in the archive.
pub(super) fn compact(stage: &mut WriteBatch<'_>, session: SessionId) -> Result<(), Error> {
    let reader = stage.reader;
    let Some(Known { slot, key, cover }) = read::known(reader, session)? else { return Ok(()) };
    for entry in index_entries::of(reader, &cover.head) {
        pack(stage, &entry)?;
    }
    for entry in reader.keys(&keys::notes_of(slot))? {
        pack(stage, &entry)?;
    }
    let (first, count) = (cover.compact, cover.frames);
    let old = Frames::new(reader, slot, Arc::clone(&key));
    let Some(merging) = Merging::begin(old, first..count)? else { return Ok(()) };
    let (compact, frames) = merging.finish(stage)?;
    let cover = Cover { frames, compact, ..cover };
    let (at, text) = (keys::head(session), serde_json::to_vec(&cover).map_err(Error::unavailable)?);
    let record = Reader::close_text(&key, &at, VERSION, &slot.to_be_bytes(), (&text, Level::High))?;
    stage.put_record(&at, &record)
}

/// Moves a key that holds nothing into a page, if it is there.
fn pack(stage: &mut WriteBatch<'_>, key: &[u8]) -> Result<(), Error> {
    if !stage.has(key)? {
        return Ok(());
    }
    stage.remove(key.to_vec());
    packed_keys::insert(stage, key)
}

/// Frames that become one, or a few.
struct Merging<'a> {
    /// The numbers of those that are not large and compact.
    frames: Range<u32>,
    /// As they are, and what of those before them is asked for.
    old: Frames<'a>,
    new: Vec<(Belongings, Frame)>,
    /// Where an old frame goes: its place in `new`.
    place: BTreeMap<u32, usize>,
    /// Bytes that the last of the new ones has room for.
    room: usize,
}

/// What a frame says of a wait after merging.
struct Placed {
    wait: Wait,
    pointer: Pointer,
    renderings: Vec<Rendering>,
}

impl<'a> Merging<'a> {
    /// Reads the frames with those numbers; `None` if there is nothing to be done.
    fn begin(old: Frames<'a>, frames: Range<u32>) -> Result<Option<Self>, Error> {
        let (new, place) = (Vec::new(), BTreeMap::new());
        let mut this = Self { frames, old, new, place, room: 0 };
        for number in this.frames.clone() {
            let (at, what) = (keys::frame(this.old.slot, number), format!("frame {number}"));
            let record = this.old.reader.record(&at, &what)?;
            let record = record.ok_or_else(|| Error::damaged(&what, "it is missing"))?;
            let opened = read::opened(&this.old.key, &at, &record, &what)?;
            this.add(number, opened, record.body.len());
        }
        Ok((!this.is_compact()?).then_some(this))
    }

    /// Whether writing all of it anew would change nothing.
    fn is_compact(&self) -> Result<bool, Error> {
        let waits = self.waits().into_iter().map(keys::wait);
        let dedup = self.new.iter().flat_map(|(belongings, _)| &belongings.dedup);
        for key in waits.chain(dedup.map(|digest| keys::dedup(*digest))) {
            if self.old.reader.get(&key)?.is_some() {
                return Ok(false);
            }
        }
        Ok(self.old.opened.len() == self.new.len())
    }

    /// Adds an old frame of so many bytes to the new one that has room for it, or begins another.
    fn add(&mut self, number: u32, (belongings, frame): (Belongings, Frame), bytes: usize) {
        let is_full = self.new.last().is_none_or(|(known, _)| {
            bytes > self.room
                || known.dedup.len() + belongings.dedup.len() > NAMES_MAX
                || known.waits.len() + belongings.waits.len() > NAMES_MAX
        });
        if is_full {
            self.room = MERGED_MAX;
            self.new.push(Default::default());
        }
        self.room = self.room.saturating_sub(bytes);
        if let Some((known, merged)) = self.new.last_mut() {
            known.waits.extend(belongings.waits);
            known.dedup.extend(belongings.dedup);
            merged.events.extend(frame.events.iter().cloned());
        }
        self.place.insert(number, self.new.len() - 1);
        self.old.opened.insert(number, frame);
    }

    /// The waits that the frames tell of.
    fn waits(&self) -> BTreeSet<WaitId> {
        let belonging = self.new.iter().flat_map(|(belongings, _)| &belongings.waits).copied();
        let kept = self.old.opened.values().flat_map(|frame| frame.waits.iter().map(Kept::id));
        belonging.chain(kept).collect()
    }

    /// Writes the new frames in place of the old ones: how many need not be looked at again, and how many there are.
    fn finish(mut self, stage: &mut WriteBatch<'_>) -> Result<(u32, u32), Error> {
        for id in self.waits() {
            if let Some(placed) = self.placed(id)? {
                self.keep(stage, placed)?;
            }
        }
        let Range { start: first, end } = self.frames;
        let mut frames = first;
        for (belongings, frame) in &self.new {
            let at = keys::frame(self.old.slot, frames);
            stage.put_record(&at, &self.record(&at, belongings, frame)?)?;
            for digest in &belongings.dedup {
                pack(stage, &keys::dedup(*digest))?;
            }
            frames = frames.saturating_add(1);
        }
        for number in frames..end {
            stage.remove_record(&keys::frame(self.old.slot, number))?;
        }
        // The last one may have room for what comes.
        Ok((frames.saturating_sub(1).max(first), frames))
    }

    fn record(&self, at: &[u8], belongings: &Belongings, frame: &Frame) -> Result<Record, Error> {
        let newest = frame.events.iter().map(|event| event.v).max().unwrap_or(STORED_VERSION);
        let version = u8::try_from(newest.max(STORED_VERSION)).unwrap_or(u8::MAX);
        let text = serde_json::to_vec(frame).map_err(Error::unavailable)?;
        let clear = belongings.encode();
        Reader::close_text(&self.old.key, at, version, &clear, (&text, Level::High))
    }

    /// A wait as it is, and where it was told of; `None` for one that is gone or belongs to another session.
    fn placed(&mut self, id: WaitId) -> Result<Option<Placed>, Error> {
        let Some(noted) = waits::noted(self.old.reader, id)? else { return Ok(None) };
        let pointer = noted.pointer().filter(|pointer| pointer.slot == self.old.slot);
        let Some(pointer) = pointer else { return Ok(None) };
        let (wait, renderings) = self.old.shown(id, &noted, pointer)?;
        Ok(Some(Placed { wait, pointer, renderings }))
    }

    /// Tells of a wait in the new frame that has the question, or in the last where an older one has it.
    fn keep(&mut self, stage: &mut WriteBatch<'_>, placed: Placed) -> Result<(), Error> {
        let Placed { wait, pointer, renderings } = placed;
        let id = wait.id;
        let here = self.place.get(&pointer.whole).copied();
        let place = here.unwrap_or_else(|| self.new.len().saturating_sub(1));
        let number = self.frames.start.saturating_add(u32::try_from(place).unwrap_or(u32::MAX));
        let whole = if here.is_some() { number } else { pointer.whole };
        let Some((_, frame)) = self.new.get_mut(place) else { return Ok(()) };
        let asked = question(&wait);
        if here.is_some() {
            let kept = Frame::in_full(&frame.events, &asked);
            frame.keep(kept);
        }
        if here.is_none() || *asked != wait {
            let (status, votes) = (Box::new(wait.status.clone()), wait.votes.clone());
            frame.keep(Kept::Changed { wait: id, frame: whole, status, votes });
        }
        if !renderings.is_empty() {
            frame.shown.push(Shown { wait: id, renderings });
        }
        let pointer = Pointer { frame: number, whole, ..pointer };
        let at = keys::wait(id);
        stage.remove_all(&at)?;
        packed_keys::remove(stage, &at)?;
        packed_keys::insert(stage, &[at, pointer.encode()].concat())
    }
}
