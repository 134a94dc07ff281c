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
    store::{
        Loaded, Note, rendered,
        working_set::{Part, WorkingSet},
    },
};

/// Bytes of text that are kept of sessions that go on: a thousand of them, half way through. In memory it is about three
/// times as much.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Bytes of text that are kept of sessions that are over.
const OVER_BYTES_MAX: u64 = 1024 * 1024;

/// Bytes of text that are kept of waits that stand open.
const WAIT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Bytes of text that are kept of waits that are settled.
const SETTLED_BYTES_MAX: u64 = 512 * 1024;

/// Bytes of text that are kept of all notes.
const NOTE_BYTES_MAX: u64 = 1024 * 1024;

/// A note that nobody has asked for during so long is forgotten.
const IDLE: Duration = Duration::from_secs(30);

/// Sessions and waits as the last reader or writer left them, and notes as they were read.
pub(super) struct ReadCache {
    sessions: WorkingSet<SessionId, Kept>,
    waits: WorkingSet<WaitId, Shown>,
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
            sessions: WorkingSet::new(BYTES_MAX, OVER_BYTES_MAX),
            waits: WorkingSet::new(WAIT_BYTES_MAX, SETTLED_BYTES_MAX),
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
        self.put(Kept { loaded: Arc::new(loaded.clone()), bytes });
    }

    /// Keeps a wait that was read. The caller still holds off those who write.
    pub(super) fn keep_wait(&self, shown: &(Wait, Vec<Rendering>)) {
        self.put_wait(Shown { shown: Arc::new(shown.clone()), bytes: size(&shown.0) });
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
            self.put_wait(Shown { shown: Arc::new((wait, renderings)), bytes: short(bytes) });
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
        self.put(kept);
    }

    fn put(&self, kept: Kept) {
        let Head { id, status, .. } = kept.loaded.head;
        let bytes = kept.bytes;
        self.sessions.insert(id, (kept, bytes), Part::from(status));
    }

    fn put_wait(&self, known: Shown) {
        let wait = &known.shown.0;
        let (id, part, bytes) = (wait.id, Part::from(wait), known.bytes);
        self.waits.insert(id, (known, bytes), part);
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
        self.put_wait(Shown { shown, bytes });
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

    /// Forgets a session that was erased, and its waits and notes. That a note is not there goes on to be so.
    pub(super) fn erased(&self, session: SessionId) {
        self.forget(session);
        self.waits.retain(|known| known.shown.0.session != session);
        let is_of = |note: &Note| note.session == Some(session);
        self.notes.retain(|CachedNote(note)| !note.as_ref().is_some_and(is_of));
    }

    fn forget(&self, session: SessionId) {
        drop(self.sessions.take(&session));
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;

    fn session(number: u128) -> SessionId {
        SessionId::from_uuid(Uuid::from_u128(number))
    }

    fn wait_id(number: u128) -> WaitId {
        WaitId::from_uuid(Uuid::from_u128(number))
    }

    /// A session that does not say much, as if it had so many bytes of events.
    fn kept(id: SessionId, status: &str, bytes: u32) -> Kept {
        let head = json!({
            "id": id, "flow": { "id": "tour", "version": "1.0.0", "digest": "d" },
            "participant": "web:local/ada", "status": status, "pending": 1, "approvals": 0,
            "place": { "platform": "web", "workspace": "local", "channel": "ada" },
            "progress": 0.5, "seq": 0,
            "created_at": "2026-11-02T00:00:00Z", "updated_at": "2026-11-02T00:00:00Z",
        });
        let head = serde_json::from_value(head).unwrap();
        Kept { loaded: Arc::new(Loaded { head, events: Vec::new() }), bytes }
    }

    fn wait(id: WaitId, session: SessionId, status: &Value) -> (Wait, Vec<Rendering>) {
        let control = json!({ "kind": "confirm", "yes": "Yes", "no": "No", "danger": false });
        let prompt = json!({ "body": "May we begin?", "control": control });
        let wait = json!({
            "id": id, "session": session, "revision": 1, "purpose": { "kind": "notice" },
            "state": null, "digest": "d", "prompt": prompt,
            "answerers": { "who": "participant" }, "asked_at": "2026-11-02T00:00:00Z",
            "standing": status,
        });
        (serde_json::from_value(wait).unwrap(), Vec::new())
    }

    fn note(key: &str, session: Option<SessionId>) -> Note {
        Note { key: key.to_owned(), session, value: Some("value".to_owned()) }
    }

    #[test]
    fn a_thousand_busy_sessions_are_known_while_others_come_and_go() {
        let cache = ReadCache::default();
        for round in 0..3 {
            for n in 0..1_000 {
                cache.put(kept(session(n), "open", 8 * 1024));
                let gone = session(10_000 * (round + 1) + n);
                cache.put(kept(gone, "open", 8 * 1024));
                cache.put(kept(gone, "completed", 8 * 1024));
            }
        }
        assert!((0..1_000).all(|n| cache.head(session(n)).is_some()), "those who are busy");
        assert!(cache.head(session(30_999)).is_some(), "who has just finished");
        assert!(cache.head(session(10_000)).is_none(), "who finished long ago");
    }

    #[test]
    fn an_erasure_forgets_one_session_and_nothing_of_the_others() {
        let cache = ReadCache::default();
        let pending = json!({ "is": "pending" });
        let lapsed = json!({ "is": "expired", "at": "2026-11-03T00:00:00Z" });
        for n in 1..=2 {
            cache.put(kept(session(n), "open", 1));
            cache.keep_wait(&wait(wait_id(n), session(n), &pending));
            cache.keep_wait(&wait(wait_id(10 + n), session(n), &lapsed));
            let key = format!("root/{n}");
            cache.keep_note(key.clone(), Some(note(&key, Some(session(n)))));
        }
        cache.keep_note("team".to_owned(), Some(note("team", None)));
        cache.keep_note("missing".to_owned(), None);

        cache.erased(session(1));
        let sessions = [1, 2].map(|n| cache.get(session(n)).is_some());
        let waits = [1, 11, 2, 12].map(|n| cache.wait(wait_id(n)).is_some());
        let notes = ["root/1", "root/2", "team", "missing"].map(|key| cache.note(key).is_some());
        assert_eq!(sessions, [false, true]);
        assert_eq!(waits, [false, false, true, true]);
        assert_eq!(notes, [false, true, true, true]);
    }
}
