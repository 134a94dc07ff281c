//! The sessions and waits that are being worked on, as they lie on the device: a turn reads its session a dozen times,
//! and opening its frames costs more than all else that the turn does.
//!
//! A step that is on the device is added before anybody is told that it is. Whoever reads meanwhile is given what was
//! there before it, which they could have read a moment earlier; a decision on it is refused as a conflict. What was
//! read is kept while batches are still held off ([`super::Shared::read`]), so that nothing older takes the place of
//! something newer. When the device fails, all of it is forgotten.

use std::{io, sync::Arc, time::Duration};

use moka::{policy::EvictionPolicy, sync::Cache};
use serde::Serialize;

use crate::{
    base::ids::{SessionId, WaitId},
    model::{
        effect::{Delivery, Effect, Rendering},
        session::Head,
        transcript::Recorded,
        wait::Wait,
    },
    store::{Commit, Loaded, rendered},
};

/// Bytes of text that are kept of all sessions; in memory it is about three times as much.
const BYTES_MAX: u64 = 6 * 1024 * 1024;

/// The same of all waits.
const WAIT_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// A session that nobody has touched for so long waits for a person.
const IDLE: Duration = Duration::from_secs(30);

/// Sessions and waits as the last reader or writer left them.
pub(super) struct ReadCache {
    sessions: Cache<SessionId, Kept>,
    waits: Cache<WaitId, Shown>,
}

#[derive(Clone)]
struct Kept {
    loaded: Arc<Loaded>,
    /// Bytes of its events as text.
    bytes: u32,
}

/// A wait and where it has been shown.
type Shown = Arc<(Wait, Vec<Rendering>)>;

impl Default for ReadCache {
    fn default() -> Self {
        let sessions = Cache::builder()
            .max_capacity(BYTES_MAX)
            .weigher(|_, kept: &Kept| kept.bytes)
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE)
            .build();
        let waits = Cache::builder()
            .max_capacity(WAIT_BYTES_MAX)
            .weigher(|_, shown: &Shown| size(&shown.0))
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE)
            .build();
        Self { sessions, waits }
    }
}

impl ReadCache {
    /// A session as it lies on the device, if it is known.
    pub(super) fn get(&self, session: SessionId) -> Option<Loaded> {
        self.sessions.get(&session).map(|kept| Loaded::clone(&kept.loaded))
    }

    /// A wait as it lies on the device and where it has been shown, if that is known.
    pub(super) fn wait(&self, id: WaitId) -> Option<(Wait, Vec<Rendering>)> {
        self.waits.get(&id).map(|shown| (*shown).clone())
    }

    /// Keeps what was read. The caller still holds off those who write.
    pub(super) fn keep(&self, loaded: &Loaded) {
        let bytes = size(loaded.events.as_slice());
        self.sessions.insert(loaded.head.id, Kept { loaded: Arc::new(loaded.clone()), bytes });
    }

    /// The same of a wait.
    pub(super) fn keep_wait(&self, shown: &(Wait, Vec<Rendering>)) {
        self.waits.insert(shown.0.id, Arc::new(shown.clone()));
    }

    /// Adds a step that is on the device; forgets the session where it does not go on from what is known.
    pub(super) fn go_on(&self, step: Step) {
        let Step { expected, head, events, waits } = step;
        for wait in waits {
            if let Some(known) = self.waits.get(&wait.id) {
                self.waits.insert(wait.id, Arc::new((wait, known.1.clone())));
            }
        }
        let session = head.id;
        let bytes = size(events.as_slice());
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
        self.sessions.insert(session, kept);
    }

    /// Adds a message in which a wait is shown, as soon as it is applied: nothing is lost where that is taken back.
    pub(super) fn delivered(&self, effect: &Effect, delivery: &Delivery) {
        let Some((wait, message)) = rendered(effect, delivery) else { return };
        let Some(known) = self.waits.get(&wait) else { return };
        if known.1.iter().any(|known| known.message == message) {
            return;
        }
        let (wait, mut renderings) = (*known).clone();
        renderings.push(Rendering { effect: effect.id, message });
        renderings.sort_by_key(|rendering| rendering.effect);
        self.waits.insert(wait.id, Arc::new((wait, renderings)));
    }

    /// Forgets a session that was erased, and all waits, of which some were its own.
    pub(super) fn erased(&self, session: SessionId) {
        self.forget(session);
        self.waits.invalidate_all();
    }

    fn forget(&self, session: SessionId) {
        self.sessions.invalidate(&session);
    }

    /// Forgets all of them: what is on the device is not known any more.
    pub(super) fn clear(&self) {
        self.sessions.invalidate_all();
        self.waits.invalidate_all();
    }

    /// Lets go of what nobody has touched lately.
    pub(super) fn tidy(&self) {
        self.sessions.run_pending_tasks();
        self.waits.run_pending_tasks();
    }
}

/// What a commit adds to a session.
pub(super) struct Step {
    pub(super) expected: u64,
    pub(super) head: Head,
    pub(super) events: Vec<Recorded>,
    pub(super) waits: Vec<Wait>,
}

impl Step {
    pub(super) fn of(commit: &Commit) -> Self {
        Self {
            expected: commit.expected,
            head: commit.head.clone(),
            events: commit.events.clone(),
            waits: commit.waits.clone(),
        }
    }
}

/// Bytes of it as text.
fn size(of: &(impl Serialize + ?Sized)) -> u32 {
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
