//! The sessions and waits that are being worked on, as they lie on the device: a turn reads its session a dozen times,
//! and opening its frames costs more than all else that the turn does.
//!
//! A step that is on the device is added before anybody is told that it is. Whoever reads meanwhile is given what was
//! there before it, which they could have read a moment earlier; a decision on it is refused as a conflict. What was
//! read is kept only where nothing newer can have been added since: the embedded store holds batches off until then,
//! the one in a database counts changes. When the device fails, all of it is forgotten.

use std::{io, sync::Arc, time::Duration};

use serde::Serialize;

use crate::{
    base::{
        ids::{SessionId, WaitId},
        recent::Recent,
    },
    model::{
        effect::{Delivery, Effect, Rendering},
        session::Head,
        transcript::Recorded,
        wait::Wait,
    },
    store::{Loaded, Note, rendered},
};

/// Bytes of text that are kept of all sessions; in memory it is about three times as much.
const BYTES_MAX: u64 = 6 * 1024 * 1024;

/// Bytes of text that are kept of all waits.
const WAIT_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// Bytes of text that are kept of all notes.
const NOTE_BYTES_MAX: u64 = 1024 * 1024;

/// A session that nobody has touched for so long waits for a person.
const IDLE: Duration = Duration::from_secs(30);

/// Sessions and waits as the last reader or writer left them, and notes as they were read.
pub(super) struct ReadCache {
    sessions: Recent<SessionId, Kept>,
    waits: Recent<WaitId, Shown>,
    /// By their keys.
    notes: Recent<String, CachedNote>,
}

#[derive(Clone)]
struct Kept {
    loaded: Arc<Loaded>,
    /// Bytes of its events as text.
    bytes: u32,
}

/// A wait and where it has been shown.
#[derive(Clone)]
struct Shown {
    shown: Arc<(Wait, Vec<Rendering>)>,
    /// Bytes of the wait as text.
    bytes: u32,
}

/// The note under a key; `None` if there is no such note.
#[derive(Clone)]
pub(super) struct CachedNote(pub(super) Option<Note>);

impl Default for ReadCache {
    fn default() -> Self {
        Self {
            sessions: Recent::with_age(BYTES_MAX, IDLE),
            waits: Recent::with_age(WAIT_BYTES_MAX, IDLE),
            notes: Recent::with_age(NOTE_BYTES_MAX, IDLE),
        }
    }
}

impl ReadCache {
    /// A session as it lies on the device, if it is known.
    pub(super) fn get(&self, session: SessionId) -> Option<Loaded> {
        self.sessions.get(&session).map(|kept| Loaded::clone(&kept.loaded))
    }

    /// A session at a glance, as it lies on the device, if it is known.
    pub(super) fn head(&self, session: SessionId) -> Option<Head> {
        self.sessions.get(&session).map(|kept| kept.loaded.head.clone())
    }

    /// A wait as it lies on the device and where it has been shown, if that is known.
    pub(super) fn wait(&self, id: WaitId) -> Option<(Wait, Vec<Rendering>)> {
        self.waits.get(&id).map(|known| (*known.shown).clone())
    }

    /// Keeps what was read. The caller still holds off those who write.
    pub(super) fn keep(&self, loaded: &Loaded) {
        let bytes = size(loaded.events.as_slice());
        let kept = Kept { loaded: Arc::new(loaded.clone()), bytes };
        self.sessions.insert(loaded.head.id, kept, bytes);
    }

    /// Keeps a wait that was read. The caller still holds off those who write.
    pub(super) fn keep_wait(&self, shown: &(Wait, Vec<Rendering>)) {
        let bytes = size(&shown.0);
        self.waits.insert(shown.0.id, Shown { shown: Arc::new(shown.clone()), bytes }, bytes);
    }

    /// Adds a step that is on the device; forgets the session where it does not go on from what is known.
    pub(super) fn go_on(&self, step: Step) {
        let Step { expected, head, events, bytes, waits } = step;
        for Written { wait, is_new, bytes } in waits {
            let renderings = match self.waits.get(&wait.id) {
                _ if is_new => Vec::new(),
                Some(known) => known.shown.1.clone(),
                None => continue,
            };
            let (id, bytes, shown) = (wait.id, short(bytes), Arc::new((wait, renderings)));
            self.waits.insert(id, Shown { shown, bytes }, bytes);
        }
        let (session, bytes) = (head.id, short(bytes));
        let kept = match self.sessions.get(&session) {
            None if expected == 0 => Kept { loaded: Arc::new(Loaded { head, events }), bytes },
            Some(kept) if kept.loaded.head.seq == expected => {
                let mut all = Vec::with_capacity(kept.loaded.events.len() + events.len());
                all.extend_from_slice(&kept.loaded.events);
                all.extend(events);
                let loaded = Arc::new(Loaded { head, events: all });
                Kept { loaded, bytes: kept.bytes.saturating_add(bytes) }
            }
            Some(_) => return self.forget(session),
            None => return,
        };
        let bytes = kept.bytes;
        self.sessions.insert(session, kept, bytes);
    }

    /// Adds a message in which a wait is shown, as soon as it is applied: nothing is lost where that is taken back.
    pub(super) fn delivered(&self, effect: &Effect, delivery: &Delivery) {
        let Some((wait, message)) = rendered(effect, delivery) else { return };
        let Some(known) = self.waits.get(&wait) else { return };
        if known.shown.1.iter().any(|known| known.message == message) {
            return;
        }
        let Shown { mut shown, bytes } = known;
        let (_, renderings) = Arc::make_mut(&mut shown);
        renderings.push(Rendering { effect: effect.id, message });
        renderings.sort_by_key(|rendering| rendering.effect);
        self.waits.insert(wait, Shown { shown, bytes }, bytes);
    }

    /// A note, where it is known what is under that key.
    pub(super) fn note(&self, key: &str) -> Option<CachedNote> {
        self.notes.get(key)
    }

    /// Keeps what was read under a key. The caller still holds off those who write.
    pub(super) fn keep_note(&self, key: String, note: Option<Note>) {
        let text = note.as_ref().and_then(|note| Some(note.value.as_ref()?.len()));
        let bytes = short(key.len() + text.unwrap_or_default());
        self.notes.insert(key, CachedNote(note), bytes);
    }

    /// Forgets a note that was changed.
    pub(super) fn noted(&self, key: &str) {
        self.notes.remove(key);
    }

    /// Forgets a session that was erased, and all waits and notes, of which some were its own.
    pub(super) fn erased(&self, session: SessionId) {
        self.forget(session);
        self.waits.clear();
        self.notes.clear();
    }

    fn forget(&self, session: SessionId) {
        self.sessions.remove(&session);
    }

    /// Forgets all of them: what is on the device is not known any more.
    pub(super) fn clear(&self) {
        self.sessions.clear();
        self.waits.clear();
        self.notes.clear();
    }

    /// Lets go of what nobody has touched lately.
    pub(super) fn tidy(&self) {
        self.sessions.tidy();
        self.waits.tidy();
        self.notes.tidy();
    }
}

/// What a commit adds to a session.
pub(super) struct Step {
    pub(super) expected: u64,
    pub(super) head: Head,
    pub(super) events: Vec<Recorded>,
    /// Of the events, as text.
    pub(super) bytes: usize,
    pub(super) waits: Vec<Written>,
}

/// A wait that a commit has opened or changed.
pub(super) struct Written {
    pub(super) wait: Wait,
    /// It was not there before, so it has not been shown either.
    pub(super) is_new: bool,
    /// Of what it asks, as text.
    pub(super) bytes: usize,
}

fn short(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Bytes of it as text.
pub(super) fn size(of: &(impl Serialize + ?Sized)) -> u32 {
    let mut count = Count(0);
    // Counting does not fail.
    _ = of.serialize(&mut serde_json::Serializer::new(&mut count));
    count.0
}

/// Counts what is written to it.
struct Count(u32);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
