//! A dump of the store shows one moment, however much is written meanwhile.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anteroom::{
    base::ids::{RandomIds, SessionId},
    model::{
        audit::AuditRecord,
        session::{FlowPin, Head, PersonId, Place, Platform, Status},
        transcript::{Event, Recorded},
    },
    store::{
        Commit, Erasure, Store, TimerKind,
        sled::{Dumped, Entry, SledStore},
    },
};
use chrono::DateTime;
use serde_json::{Map, json};

/// Bytes that a dump of this test holds at least, in MB: `DUMP_MB=100` measures what people wait.
fn size() -> usize {
    let found = std::env::vars().find(|(key, _)| key == "DUMP_MB");
    found.map_or(1, |(_, value)| value.parse().unwrap())
}

/// The step `seq` of a session: one event, one audit record, a timer that moves.
pub(super) fn step(id: SessionId, seq: u64, words: &str) -> Commit {
    let at = DateTime::UNIX_EPOCH + Duration::from_secs(seq);
    let text = |text: &str| text.to_owned();
    let head = Head {
        id,
        flow: FlowPin { id: text("f"), version: text("1"), digest: text("d") },
        participant: PersonId::web("ada"),
        name: None,
        place: Place {
            platform: Platform::Web,
            workspace: text("local"),
            channel: id.to_string(),
            thread: None,
        },
        status: Status::Open,
        phase: None,
        handed_over: false,
        claimed_by: None,
        pending: 0,
        approvals: 0,
        progress: 0.0,
        seq,
        created_at: DateTime::UNIX_EPOCH,
        updated_at: at,
        test: false,
        goes_at: None,
        parent: None,
        held: false,
        capabilities: Vec::new(),
        score: None,
        undelivered: 0,
    };
    let event = Event::StatusChanged { to: Status::Open, reason: text(words) };
    Commit {
        head,
        expected: seq - 1,
        events: vec![Recorded { seq, at, v: 1, event: event.into() }],
        waits: Vec::new(),
        effects: Vec::new(),
        timers: vec![(TimerKind::Work, Some(at))],
        audit: vec![AuditRecord {
            event: text("step"),
            timestamp: at,
            session: Some(id),
            facts: Map::from_iter([(text("seq"), json!(seq))]),
            words: Map::new(),
        }],
        dedup: Some(format!("{id}/{seq}")),
        charges: Vec::new(),
    }
}

/// Writes among which the store goes on: half of the first pass of the smallest dump, so that a later pass sees it all.
const DISTURBED: usize = 1000;

/// Takes what is written, and between two writes lets the store go on.
struct Disturbing<'a, F: FnMut()> {
    bytes: Vec<u8>,
    writes: usize,
    disturb: F,
    _store: &'a SledStore,
}

impl<F: FnMut()> Write for Disturbing<'_, F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        if self.writes.is_multiple_of(200) && self.writes < DISTURBED {
            (self.disturb)();
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

#[test]
#[expect(clippy::print_stderr, reason = "the figure is wanted")]
fn a_dump_shows_one_moment_while_the_store_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let store = SledStore::open(&dir.path().join("store"), Arc::new(RandomIds)).unwrap();
    let words = "w".repeat(3000);
    let sessions: Vec<SessionId> = (0..20).map(|_| SessionId::mint(&RandomIds)).collect();
    let steps = (size() as u64 * 1_000_000 / 3000 / sessions.len() as u64).max(5);
    block_on(futures::future::join_all(sessions.iter().map(|id| async {
        for seq in 1..=steps {
            store.commit(step(*id, seq, &words)).await.unwrap();
        }
    })));

    // Every disturbance goes on with one session, ends another for good, and begins a new one.
    let mut next = steps + 1;
    let mut alive = sessions.clone();
    let began = Instant::now();
    let mut out = Disturbing {
        bytes: Vec::new(),
        writes: 0,
        _store: &store,
        disturb: || {
            let going = alive[0];
            block_on(store.commit(step(going, next, "more"))).unwrap();
            next += 1;
            if alive.len() > 5
                && let Some(gone) = alive.pop()
            {
                let receipt = step(gone, 1, "").audit.remove(0);
                erase(&store, gone, receipt);
            }
            block_on(store.commit(step(SessionId::mint(&RandomIds), 1, "new"))).unwrap();
        },
    };
    let dumped = store.dump(&mut out).unwrap();
    eprintln!(
        "{} frames, {} kB in {:?}; writers waited {} µs at most",
        dumped.frames,
        out.bytes.len() / 1000,
        began.elapsed(),
        dumped.longest_wait_us
    );
    let bytes = out.bytes;
    assert!(alive.len() < sessions.len() && next > steps + 1, "nothing happened meanwhile");

    is_the_same_again(&store, dir.path(), &dumped, &bytes);
}

/// A store made of the dump is the one that it was taken of; one made of a part of it is none.
fn is_the_same_again(store: &SledStore, dir: &Path, dumped: &Dumped, bytes: &[u8]) {
    let kept = dir.join("store/keys");
    let again = dir.join("again");
    std::fs::create_dir(&again).unwrap();
    if kept.exists() {
        std::fs::copy(kept, again.join("keys")).unwrap();
    }
    let contents = SledStore::build(&again, &mut &*bytes).unwrap();
    // Nothing is written after the last pass here, so the moment is now.
    let again = SledStore::open(&again, Arc::new(RandomIds)).unwrap();
    assert!(everything(&again) == everything(store), "the copy differs");
    assert_eq!(contents.sessions.len() as u64, dumped.sessions);
    let heads = block_on(again.sessions(None, 10_000)).unwrap();
    assert_eq!(heads.len() as u64, dumped.sessions);
    for head in &heads {
        assert!(block_on(again.load(head.id)).unwrap().is_some());
    }
    let chain = block_on(again.audit(0, 1_000_000)).unwrap();
    assert_eq!(chain.len() as u64, dumped.audit_records);
    assert_eq!(chain.last().unwrap().seal, dumped.seal);
    for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
        let cut = SledStore::build(&dir.join(format!("cut-{cut}")), &mut &bytes[..cut]);
        assert!(cut.is_err());
    }
}

/// Everything stored, but for how many batches it took.
fn everything(store: &SledStore) -> Vec<Entry> {
    let mut entries = store.entries().unwrap();
    for (_, tally) in entries.iter_mut().filter(|(key, _)| key == b"c") {
        tally.drain(..8);
    }
    entries
}

fn erase(store: &SledStore, session: SessionId, receipt: AuditRecord) {
    let (effects, rest) = (Vec::new(), None);
    block_on(store.erase(Erasure { session, expected: None, receipt, effects, rest })).unwrap();
}
