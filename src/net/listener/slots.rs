//! The slots of a listener: what each connection does just now, and which one makes room for a new one.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::refused;

/// A connection is not evicted before it has waited for so long. An honest client sends its headers with the last packet
/// of the handshake; without this, a crowd that connects in one moment would evict itself.
const PATIENCE: Duration = Duration::from_millis(100);

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waits for a further request.
    Idle,
    /// Waits for the rest of a request's headers.
    Headers,
    /// Waits for the rest of a body of which nobody knows who sends it.
    UnverifiedBody,
    /// A request is being answered.
    Working,
    /// The answer is made, and on its way to the client.
    Flushing,
}

struct Open {
    phase: Phase,
    /// When it began to wait for its client. Bytes that come do not change it, or dribbling would help.
    since: Instant,
    /// A platform has signed the request.
    is_verified: bool,
    /// A body was not read to its end.
    has_unread: bool,
    admission: Option<OwnedSemaphorePermit>,
    evicted: CancellationToken,
}

impl Open {
    const fn can_be_evicted(&self) -> bool {
        match self.phase {
            Phase::Idle | Phase::Headers | Phase::UnverifiedBody => true,
            Phase::Working => false,
            // Whoever does not read refusals and health checks must not keep a slot with them.
            Phase::Flushing => !self.is_verified && self.admission.is_none(),
        }
    }
}

/// The slots of a listener.
pub(super) struct Slots {
    free: Arc<Semaphore>,
    open: Mutex<BTreeMap<u64, Open>>,
    last: AtomicU64,
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = self.free.available_permits();
        f.debug_struct("Slots").field("free", &free).finish_non_exhaustive()
    }
}

impl Slots {
    pub(super) fn new(connections: usize) -> Arc<Self> {
        let free = Arc::new(Semaphore::new(connections));
        Arc::new(Self { free, open: Mutex::default(), last: AtomicU64::new(0) })
    }

    /// A slot for a new connection, once there is one: another connection is evicted where that is needed.
    pub(super) async fn take(self: &Arc<Self>) -> Slot {
        let mut again = Instant::now();
        let permit = loop {
            let free = Arc::clone(&self.free).acquire_owned();
            match timeout_at(again, free).await {
                // The semaphore is never closed; without a permit the connection would only be uncounted.
                Ok(permit) => break permit.ok(),
                Err(_) => again = self.evict(Instant::now()),
            }
        };
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        let evicted = CancellationToken::new();
        let open = Open {
            phase: Phase::Headers,
            since: Instant::now(),
            is_verified: false,
            has_unread: false,
            admission: None,
            evicted: evicted.clone(),
        };
        self.lock().insert(id, open);
        Slot { client: Client { slots: Arc::clone(self), id }, evicted, _permit: permit }
    }

    /// Evicts the connection that has waited longest for its client, if that is long enough. Returns when to look
    /// again.
    fn evict(&self, now: Instant) -> Instant {
        let mut all = self.lock();
        let waiting = all.iter().filter(|(_, open)| open.can_be_evicted());
        let longest =
            waiting.min_by_key(|(_, open)| open.since).map(|(id, open)| (*id, open.since));
        match longest {
            Some((id, since)) if since + PATIENCE <= now => {
                if let Some(open) = all.remove(&id) {
                    open.evicted.cancel();
                    refused("evicted");
                }
                now + PATIENCE
            }
            Some((_, since)) => since + PATIENCE,
            // All are in flight. What is done from now on has not waited long enough before that.
            None => now + PATIENCE,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Open>> {
        // Nothing panics while it is held.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slot of a connection; dropping it frees it.
#[derive(Debug)]
pub(super) struct Slot {
    client: Client,
    evicted: CancellationToken,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Slot {
    pub(super) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns once the connection must make room.
    pub(super) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.client.slots.lock().remove(&self.client.id);
    }
}

/// The connection by which a request came: an extension of every request that a listener hands on.
#[derive(Debug, Clone)]
pub struct Client {
    slots: Arc<Slots>,
    id: u64,
}

impl Client {
    /// Waits for the body of a request of which nobody knows yet who sends it: until [`Self::verified`] the connection
    /// may be evicted.
    pub(crate) fn unverified(&self) {
        self.change(|open| open.phase = Phase::UnverifiedBody);
    }

    /// The request is one of those that must be answered; false where its connection was evicted meanwhile.
    #[must_use]
    pub fn verified(&self) -> bool {
        let changed = self.change(|open| {
            open.phase = Phase::Working;
            open.is_verified = true;
        });
        changed.is_some()
    }

    /// The headers of a request have come; `None` if the connection was evicted meanwhile.
    pub(super) fn begin(&self) -> Option<Working> {
        self.change(|open| {
            open.phase = Phase::Working;
            open.is_verified = false;
            open.has_unread = false;
        })?;
        Some(Working(self.clone()))
    }

    /// Keeps the place of an admitted request until its answer is with the client.
    pub(super) fn hold(&self, place: OwnedSemaphorePermit) {
        self.change(|open| open.admission = Some(place));
    }

    /// A byte has come.
    pub(super) fn touch(&self) {
        self.change(|open| {
            if open.phase == Phase::Idle {
                open.phase = Phase::Headers;
                open.since = Instant::now();
            }
        });
    }

    /// Nothing is left to be written.
    pub(super) fn flushed(&self) {
        self.change(|open| {
            if open.phase == Phase::Flushing {
                open.phase = Phase::Idle;
                open.since = Instant::now();
                open.admission = None;
            }
        });
    }

    /// When it began to wait for headers, where it does.
    pub(super) fn headers_since(&self) -> Option<Instant> {
        self.change(|open| (open.phase == Phase::Headers).then_some(open.since)).flatten()
    }

    /// The body of the request was dropped before its end.
    pub(super) fn leaves_unread(&self) {
        self.change(|open| open.has_unread = true);
    }

    /// Whether the client may still be sending what nobody reads.
    pub(super) fn has_unread(&self) -> bool {
        self.change(|open| open.has_unread).unwrap_or_default()
    }

    /// None where the connection was evicted.
    fn change<T>(&self, change: impl FnOnce(&mut Open) -> T) -> Option<T> {
        self.slots.lock().get_mut(&self.id).map(change)
    }
}

/// A request that is being answered, until its answer is made.
#[derive(Debug)]
pub(super) struct Working(Client);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.change(|open| {
            open.phase = Phase::Flushing;
            open.since = Instant::now();
        });
    }
}
