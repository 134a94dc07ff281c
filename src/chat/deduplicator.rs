//! Says something once that an event brings about outside any conversation, however often the event is delivered.
//!
//! Platforms deliver an event again when they missed its acknowledgement, and tell of one message by two events. What goes
//! into a conversation is recognised by the engine, which keeps the key of each event with the session. A greeting has no
//! session, so it is claimed here under the key of its event:
//!
//! 1. [`Deduplicator::claim`] stores that it is about to be said. Of two deliveries at the same moment, one gets the claim.
//! 2. It is said.
//! 3. [`Deduplicator::say`] stores that it was said. If the process died in between, the next delivery says it.
//!
//! ```text
//! slack/once/a   1793628300+8c1f0a2be71d90ff 1793628311-02b7e15a60c4d3e9   when, `+` if it was said, a digest of the key
//! ```
//!
//! A record holds at most [`ENTRIES`], and an entry is dropped after [`KEPT`], so the records never grow without bound. A
//! digest identifies nobody.

use std::{array, collections::BTreeMap, fmt::Write as _, sync::Arc};

use chrono::TimeDelta;
use sha2::{Digest as _, Sha256};
use tokio::sync::{MappedMutexGuard, Mutex, MutexGuard};

use crate::{
    base::clock::Clock,
    model::session::Platform,
    store::{self, Note, Store},
};

/// Records among which keys are spread, so that each write is small.
const RECORDS: usize = 16;

/// Most entries of a record; the oldest goes first.
const ENTRIES: usize = 256;

/// How long an entry is kept: Slack delivers an event again for a day at most, Discord for a few minutes.
const KEPT: TimeDelta = TimeDelta::hours(24);

/// Remembers what was said, in the notes of a store. One process owns the store, so a lock in memory makes it atomic.
#[derive(Debug)]
pub struct Deduplicator {
    platform: Platform,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// Read when they are first needed.
    records: [Mutex<Option<Record>>; RECORDS],
}

/// Entries by the digest of their key.
#[derive(Debug, Clone, Default, PartialEq)]
struct Record(BTreeMap<u64, Entry>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Entry {
    /// In seconds since 1970.
    at: i64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Said,
    /// This process is saying it.
    InHand,
    /// An earlier process was about to say it, or saying it failed.
    Open,
}

impl Deduplicator {
    /// A deduplicator for one platform, which keeps its records in the notes of a store.
    pub fn new(platform: Platform, store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { platform, store, clock, records: array::from_fn(|_| Mutex::default()) }
    }

    /// Whether the caller may say it now. Durable when it returns.
    pub async fn claim(&self, key: &str) -> Result<bool, store::Error> {
        self.enter(key, State::InHand).await
    }

    /// Whether the caller may say it now in the answer to the event, with which it counts as said. Durable when it
    /// returns.
    pub async fn claim_answer(&self, key: &str) -> Result<bool, store::Error> {
        self.enter(key, State::Said).await
    }

    /// Whether it was said, or is being said.
    pub(crate) async fn is_claimed(&self, key: &str) -> Result<bool, store::Error> {
        let digest = digest(key);
        let record = self.open(digest).await?;
        Ok(record.is_taken(digest, self.now()))
    }

    /// Says something unless it was said before. `say` tells whether it arrived.
    pub async fn say(&self, key: &str, say: impl Future<Output = bool>) {
        match self.claim(key).await {
            Ok(true) => {
                let state = if say.await { State::Said } else { State::Open };
                self.settle(key, state).await;
            }
            Ok(false) => {}
            // That nothing can be saved must be said too.
            Err(error) => {
                tracing::warn!(%error, "what is said now may be said again");
                say.await;
            }
        }
    }

    async fn enter(&self, key: &str, state: State) -> Result<bool, store::Error> {
        let (digest, at) = (digest(key), self.now());
        let mut record = self.open(digest).await?;
        if record.is_taken(digest, at) {
            return Ok(false);
        }
        let mut next = record.clone();
        next.insert(digest, Entry { at, state });
        self.write(digest, &next).await?;
        *record = next;
        Ok(true)
    }

    async fn settle(&self, key: &str, state: State) {
        let digest = digest(key);
        let Ok(mut record) = self.open(digest).await else { return };
        if let Some(entry) = record.0.get_mut(&digest) {
            entry.state = state;
        }
        // One that failed looks the same in the store as one that was never tried.
        if state == State::Said
            && let Err(error) = self.write(digest, &record).await
        {
            tracing::warn!(%error, "what was said may be said again after a restart");
        }
    }

    async fn open(&self, digest: u64) -> Result<MappedMutexGuard<'_, Record>, store::Error> {
        let mut record = self.records[slot(digest)].lock().await;
        if record.is_none() {
            let noted = self.store.noted(&self.name(digest)).await?;
            let text = noted.and_then(|note| note.value).unwrap_or_default();
            *record = Some(Record::parse(&text));
        }
        Ok(MutexGuard::map(record, |record| record.get_or_insert_default()))
    }

    async fn write(&self, digest: u64, record: &Record) -> Result<(), store::Error> {
        let (key, value) = (self.name(digest), Some(record.text()));
        self.store.note(Note { key, session: None, value }).await
    }

    fn name(&self, digest: u64) -> String {
        format!("{}/once/{:x}", self.platform, slot(digest))
    }

    fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }
}

impl Record {
    fn is_taken(&self, digest: u64, now: i64) -> bool {
        self.0.get(&digest).is_some_and(|entry| entry.is_fresh(now) && entry.state != State::Open)
    }

    fn insert(&mut self, digest: u64, entry: Entry) {
        self.0.retain(|_, known| known.is_fresh(entry.at));
        self.0.insert(digest, entry);
        while self.0.len() > ENTRIES {
            let oldest = self.0.iter().min_by_key(|(_, known)| known.at);
            let Some(oldest) = oldest.map(|(digest, _)| *digest) else { return };
            self.0.remove(&oldest);
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (digest, entry) in &self.0 {
            let mark = if entry.state == State::Said { '+' } else { '-' };
            let space = if text.is_empty() { "" } else { " " };
            _ = write!(text, "{space}{}{mark}{digest:016x}", entry.at);
        }
        text
    }

    fn parse(text: &str) -> Self {
        let entry = |word: &str| {
            let ((at, digest), state) = match word.split_once('+') {
                Some(parts) => (parts, State::Said),
                None => (word.rsplit_once('-')?, State::Open),
            };
            let at = at.parse().ok()?;
            Some((u64::from_str_radix(digest, 16).ok()?, Entry { at, state }))
        };
        Self(text.split(' ').filter_map(entry).collect())
    }
}

impl Entry {
    const fn is_fresh(&self, now: i64) -> bool {
        now - self.at < KEPT.num_seconds()
    }
}

fn digest(key: &str) -> u64 {
    let digest = Sha256::digest(key.as_bytes());
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn slot(digest: u64) -> usize {
    usize::try_from(digest % RECORDS as u64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base::clock::FixedClock, store::memory::MemoryStore};

    struct Desk {
        store: Arc<MemoryStore>,
        clock: Arc<FixedClock>,
    }

    impl Desk {
        fn new() -> Self {
            let at = "2026-11-02T10:00:00Z".parse().unwrap();
            Self { store: Arc::default(), clock: Arc::new(FixedClock::new(at)) }
        }

        /// A process on the same store.
        fn process(&self) -> Deduplicator {
            let store = Arc::clone(&self.store) as Arc<dyn Store>;
            Deduplicator::new(Platform::Slack, store, Arc::clone(&self.clock) as Arc<dyn Clock>)
        }
    }

    #[tokio::test]
    async fn a_claim_is_given_once_when_two_ask_at_the_same_moment() {
        let once = Desk::new().process();
        let (left, right) = tokio::join!(once.claim("a"), once.claim("a"));
        assert!(left.unwrap() != right.unwrap());
        assert!(once.claim("b").await.unwrap());
    }

    #[tokio::test]
    async fn a_claim_outlives_its_process_once_it_was_said() {
        let desk = Desk::new();
        let first = desk.process();
        first.say("said", async { true }).await;
        assert!(first.claim("interrupted").await.unwrap());
        assert!(first.claim_answer("answered").await.unwrap());
        let next = desk.process();
        assert!(next.is_claimed("said").await.unwrap());
        assert!(!next.claim("said").await.unwrap());
        assert!(!next.claim("answered").await.unwrap());
        assert!(next.claim("interrupted").await.unwrap(), "nobody has said it");
    }

    #[tokio::test]
    async fn a_claim_is_given_again_when_saying_it_failed() {
        let once = Desk::new().process();
        once.say("a", async { false }).await;
        assert!(!once.is_claimed("a").await.unwrap());
        assert!(once.claim("a").await.unwrap());
    }

    #[tokio::test]
    async fn records_stay_small_whatever_happens() {
        let desk = Desk::new();
        let once = desk.process();
        for n in 0..RECORDS * ENTRIES * 5 / 4 {
            once.claim_answer(&n.to_string()).await.unwrap();
        }
        let notes = desk.store.notes("slack/once/").await.unwrap();
        assert_eq!(notes.len(), RECORDS);
        let entries = |note: &Note| note.value.as_deref().unwrap_or_default().split(' ').count();
        assert!(notes.iter().all(|note| entries(note) <= ENTRIES));
        desk.clock.advance(KEPT);
        assert!(once.claim("0").await.unwrap());
        let notes = desk.store.notes("slack/once/").await.unwrap();
        assert!(notes.iter().any(|note| entries(note) == 1), "what is old was not dropped");
    }
}
