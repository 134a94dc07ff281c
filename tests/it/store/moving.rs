//! Everything in one store is put into another: between every two backends, and as the whole copy that a command makes.

use std::{
    panic::AssertUnwindSafe,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{CountingIds, RandomIds, SessionId},
    },
    engine::copying::{self, Copied, CopyError, Role, Side, mark_of},
    model::{
        STORED_VERSION,
        audit::{self, AuditRecord, ChainCheck},
        effect::{Act, Delivery},
        file_key::FileKeys,
        posted::{self, Item, Posted, Reader},
        session::{Head, PersonId, Platform, Status},
        transcript::{Event, Recorded},
        usage::{Level, Usage},
        wait::{Wait, WaitStatus},
    },
    ports::artifacts::{Artifacts, extract::Extractor},
    store::{
        Charge, Commit, Erasure, Error, Find, Loaded, Note, Store,
        memory::MemoryStore,
        portable::{Image, Piece, Portable, Secret},
        postgres::PostgresStore,
        sled::SledStore,
    },
};
use futures::FutureExt as _;
use tempfile::TempDir;

use super::{
    ALL, Backend, at, chain, commit, delivered, effect, effect_id, full, head, place, post, record,
    said, session, wait, wait_id, whole,
};
use crate::support::postgres;

/// What the law is about: where things are put.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Memory,
    Sled,
    Postgres,
}

impl Backend {
    fn portable(&self) -> Arc<dyn Portable> {
        match self {
            Self::Memory(store) => Arc::clone(store) as _,
            Self::Sled { store, .. } | Self::Resting { store, .. } => {
                Arc::clone(store.as_ref().unwrap()) as _
            }
            Self::Postgres { store, .. } => Arc::clone(store.as_ref().unwrap()) as _,
        }
    }

    /// Has all that it holds come to rest.
    async fn rests(&self) {
        if let Self::Sled { store: Some(store), .. } = self {
            while store.compact().await.unwrap() {}
        }
    }

    /// One that copies are put into; none where there is no server.
    async fn for_copy(kind: Kind, secret: &Secret) -> Option<Self> {
        let ids = || Arc::new(CountingIds::default());
        Some(match kind {
            Kind::Memory => Self::Memory(Arc::new(MemoryStore::with_secret(ids(), secret))),
            Kind::Sled => {
                let dir = TempDir::new().unwrap();
                let store = SledStore::open_for_copy(dir.path(), ids(), secret).unwrap();
                Self::Sled { dir, store: Some(Arc::new(store)) }
            }
            Kind::Postgres => {
                let options = postgres::database().await?;
                let store = PostgresStore::open_for_copy(&options, ids(), secret).unwrap();
                Self::Postgres { options, store: Some(Arc::new(store)) }
            }
        })
    }
}

/// Puts all of one store into another, each piece twice: the second time changes nothing.
async fn put_all(from: &dyn Portable, to: &dyn Portable) {
    for head in from.sessions(None, usize::MAX).await.unwrap() {
        let image = from.take_out(head.id).await.unwrap().unwrap();
        for _ in 0..2 {
            to.put_in(Piece::Session(Box::new(image.clone()))).await.unwrap();
        }
    }
    let records = from.audit(0, usize::MAX).await.unwrap();
    let middle = records.len() / 2;
    for some in [&records[..middle], &records[..], &records[..]] {
        to.put_in(Piece::Audit(some.to_vec())).await.unwrap();
    }
    let accounts = from.accounts(None, usize::MAX).await.unwrap();
    for _ in 0..2 {
        to.put_in(Piece::Accounts(accounts.clone())).await.unwrap();
    }
    for note in from.notes("").await.unwrap() {
        to.note(note).await.unwrap();
    }
    let last = from.last_effects().await.unwrap();
    to.put_in(Piece::LastEffects(last)).await.unwrap();
}

/// A long conversation: answered and open questions that were shown, keys of many events, timers, notes, a ledger.
async fn long(store: &dyn Store) {
    let one = session(1);
    store.commit(full(one, 1)).await.unwrap();
    store.claim(at(0), ALL).await.unwrap();
    store.done(effect_id(10), delivered("m1")).await.unwrap();
    store.claim(at(0), ALL).await.unwrap();
    let item = Item::Message { at: "m2".to_owned() };
    let posted = Posted { item, reader: Reader::Participant };
    let delivery = Delivery::Delivered { message: Some("m2".to_owned()), posted: vec![posted] };
    store.done(effect_id(11), delivery).await.unwrap();
    let answered =
        Wait { status: WaitStatus::Expired { at: at(1) }, ..wait(wait_id(1), one, "Why?") };
    let step = Commit { waits: vec![answered], ..commit(one, 2, &["answered"]) };
    store.commit(step).await.unwrap();
    for number in 0..70_u64 {
        let asked = wait(wait_id(1_000 + u128::from(number)), one, "And what else?");
        let event = Event::Asked(Box::new(asked.clone())).into();
        let events = vec![Recorded { event, ..said(number + 4, ".") }];
        let step = Commit {
            waits: vec![asked],
            dedup: Some(format!("long-{number}")),
            ..Commit::new(head(one, number + 4), number + 3, events)
        };
        store.commit(step).await.unwrap();
    }
    let retried = Delivery::Retry { not_before: at(20) };
    let step = Commit { effects: vec![post(12, one)], ..commit(one, 73, &["last"]) };
    store.commit(step).await.unwrap();
    store.claim(at(0), ALL).await.unwrap();
    store.done(effect_id(12), retried).await.unwrap();
    let note = |key: &str, session, value: &str| Note {
        key: key.to_owned(),
        session,
        value: Some(value.to_owned()),
    };
    store.note(note("slack/root/1", Some(one), "D024/1690.1")).await.unwrap();
    store.note(note("slack/token", None, "marker")).await.unwrap();
}

/// Everything that a store may hold.
async fn fill(store: &dyn Store) {
    long(store).await;
    let usage = Usage { input: 5, calls: 1, ..Usage::default() };
    let charge = Charge { account: "w 2026-11".to_owned(), usage, told: Level::Low };
    let bob = Head { participant: PersonId::web("bob"), place: place("b"), ..head(session(2), 1) };
    let bob = Head { status: Status::Paused, goes_at: Some(at(61)), ..bob };
    let bob = Commit {
        head: bob,
        charges: vec![charge],
        audit: vec![record(Some(session(2)), "quince"), record(None, "operator")],
        ..commit(session(2), 0, &["hello"])
    };
    store.commit(bob).await.unwrap();
    let child = Head { parent: Some(session(2)), ..head(session(3), 1) };
    store.commit(Commit { head: child, ..commit(session(3), 0, &["."]) }).await.unwrap();
    // One that is gone but for what is said last of it, and one of which a part is.
    store.commit(full(session(4), 4)).await.unwrap();
    let receipt =
        |session| AuditRecord { event: "session_erased".to_owned(), ..record(Some(session), "") };
    let erasure =
        Erasure { effects: vec![post(77, session(4))], ..whole(session(4), receipt(session(4))) };
    store.erase(erasure).await.unwrap();
    store.commit(full(session(5), 5)).await.unwrap();
    let rest = Loaded { head: head(session(5), 1), events: vec![said(1, "what stays")] };
    let erasure = Erasure { rest: Some(rest), ..whole(session(5), receipt(session(5))) };
    store.erase(erasure).await.unwrap();
    let audit = vec![record(Some(session(1)), "the latest"), record(Some(session(1)), "")];
    store.commit(Commit { audit, ..commit(session(1), 74, &["end"]) }).await.unwrap();
}

async fn images(store: &dyn Portable) -> Vec<Image> {
    let mut images = Vec::new();
    for head in store.sessions(None, usize::MAX).await.unwrap() {
        images.push(store.take_out(head.id).await.unwrap().unwrap());
    }
    images
}

/// What everybody who works with a store reads of it.
async fn assert_reads_alike(one: &dyn Store, other: &dyn Store) {
    for number in 1..=6 {
        let session = session(number);
        assert_eq!(one.load(session).await.unwrap(), other.load(session).await.unwrap());
        assert_eq!(one.outbox(session).await.unwrap(), other.outbox(session).await.unwrap());
        let (ours, theirs) = (audit_of(one, session).await, audit_of(other, session).await);
        assert_eq!(ours, theirs);
        let ledger = posted::ledger_of(session);
        assert_eq!(one.noted(&ledger).await.unwrap(), other.noted(&ledger).await.unwrap());
    }
    for number in (1..=5).chain(1_000..1_070) {
        let wait = wait_id(number);
        assert_eq!(one.wait(wait).await.unwrap(), other.wait(wait).await.unwrap());
    }
    let finds = [
        Find::Person(PersonId::web("ada")),
        Find::Person(PersonId::web("bob")),
        Find::Place(place("b")),
        Find::newest(9),
        Find::Paused { after: None, limit: 9 },
        Find::Children { after: None, limit: 9 },
        Find::DueToGo { by: at(999), after: None, limit: 9 },
        Find::RecentlyUpdated {
            platform: Platform::Web,
            is_active: true,
            since: at(0),
            after: None,
            limit: 9,
        },
    ];
    for by in finds {
        let found = one.find(by.clone()).await.unwrap();
        assert!(!found.is_empty(), "{by:?}");
        assert_eq!(found, other.find(by).await.unwrap());
    }
    let due = one.due(at(999), 99).await.unwrap();
    assert!(!due.is_empty());
    assert_eq!(due, other.due(at(999), 99).await.unwrap());
    for key in ["slack/root/1", "slack/token"] {
        let note = one.noted(key).await.unwrap();
        assert!(note.is_some());
        assert_eq!(note, other.noted(key).await.unwrap());
    }
    let balance = one.balance("w 2026-11").await.unwrap();
    assert_eq!(balance.usage.input, 5);
    assert_eq!(balance, other.balance("w 2026-11").await.unwrap());
}

async fn audit_of(store: &dyn Store, session: SessionId) -> Vec<audit::Sealed> {
    let (mut found, mut from) = (Vec::new(), None);
    loop {
        let (page, next) = store.audit_of(session, from).await.unwrap();
        found.extend(page);
        if next.is_none() {
            found.sort_by_key(|sealed| sealed.index);
            return found;
        }
        from = next;
    }
}

pub(super) async fn everything_in_a_store_is_in_every_other_one_that_it_is_put_into(
    backend: &mut Backend,
) {
    fill(&*backend.store()).await;
    let from = backend.portable();
    for kind in [Kind::Memory, Kind::Sled, Kind::Postgres] {
        let Some(mut target) = Backend::for_copy(kind, &from.secret()).await else { continue };
        put_all(&*from, &*target.portable()).await;
        // Read by the process that wrote it, and by the next.
        for _ in 0..2 {
            let to = target.portable();
            let (ours, theirs) = (images(&*from).await, images(&*to).await);
            for (one, other) in ours.iter().zip(&theirs) {
                assert_eq!(one, other, "{kind:?}");
                assert_eq!(one.digest().unwrap(), other.digest().unwrap());
            }
            assert_eq!(ours.len(), theirs.len());
            assert_eq!(chain(&*from).await, chain(&*to).await, "{kind:?}");
            let accounts = from.accounts(None, 9).await.unwrap();
            assert_eq!(accounts, to.accounts(None, 9).await.unwrap());
            assert_eq!(from.last_effects().await.unwrap(), [post(77, session(4))]);
            assert_eq!(to.last_effects().await.unwrap(), [post(77, session(4))]);
            assert_eq!(from.secret(), to.secret());
            assert_eq!(from.link_key().await.unwrap(), to.link_key().await.unwrap());
            assert_reads_alike(&*from, &*to).await;
            drop(to);
            drop(target.restart());
            target.rests().await;
        }
        goes_on(&*target.portable()).await;
    }
}

/// A store that was filled by a copy is one like any other.
async fn goes_on(store: &dyn Portable) {
    for key in ["event-1", "long-0", "long-50", "long-69"] {
        let again = Commit { dedup: Some(key.to_owned()), ..commit(session(9), 0, &["."]) };
        assert!(matches!(store.commit(again).await, Err(Error::Duplicate)), "{key}");
    }
    let last = store.claim(at(0), ALL).await.unwrap();
    assert_eq!(last, [post(77, session(4))], "the other one is put off");
    store.done(effect_id(77), delivered("m77")).await.unwrap();
    let retried = store.claim(at(20), ALL).await.unwrap();
    assert_eq!(retried.iter().map(|effect| effect.attempts).collect::<Vec<_>>(), [1]);
    // It is answered, shown once more, and the chain goes on.
    let open = wait(wait_id(1_050), session(1), "And what else?");
    let closed = Wait { status: WaitStatus::Expired { at: at(2) }, ..open };
    let step = Commit {
        waits: vec![closed.clone()],
        effects: vec![effect(effect_id(500), session(1), Act::Show { wait: closed.id })],
        audit: vec![record(Some(session(1)), "after it moved")],
        ..commit(session(1), 75, &["more"])
    };
    let before = store.audit(0, 999).await.unwrap().len();
    store.commit(step).await.unwrap();
    store.done(effect_id(12), delivered("m12")).await.unwrap();
    assert_eq!(store.claim(at(20), ALL).await.unwrap().len(), 1);
    store.done(effect_id(500), delivered("m500")).await.unwrap();
    let (found, shown) = store.wait(closed.id).await.unwrap().unwrap();
    assert_eq!((found, shown.len()), (closed, 1));
    let sealed = chain(store).await;
    assert_eq!(sealed.len(), before + 1);
    assert_eq!(audit_of(store, session(1)).await.len(), 2 + 2 + 1);
}

pub(super) async fn what_was_erased_stays_erased_in_another_store(backend: &mut Backend) {
    fill(&*backend.store()).await;
    let from = backend.portable();
    for kind in [Kind::Memory, Kind::Sled, Kind::Postgres] {
        let Some(mut target) = Backend::for_copy(kind, &from.secret()).await else { continue };
        put_all(&*from, &*target.portable()).await;
        let to = target.portable();
        let receipt =
            AuditRecord { event: "session_erased".to_owned(), ..record(Some(session(1)), "") };
        to.erase(whole(session(1), receipt)).await.unwrap();
        drop(to);
        let to = target.restart();
        assert_eq!(to.load(session(1)).await.unwrap(), None);
        assert_eq!(to.wait(wait_id(1_050)).await.unwrap(), None);
        assert_eq!(to.outbox(session(1)).await.unwrap(), []);
        assert_eq!(to.noted("slack/root/1").await.unwrap(), None);
        let sealed = chain(&*to).await;
        let mut check = ChainCheck::default();
        for sealed in &sealed {
            check.add(sealed);
        }
        check.finish().unwrap();
        let said = sealed.iter().filter(|sealed| sealed.record.session == Some(session(1)));
        assert!(said.clone().count() > 3 && said.clone().all(|s| s.record.words.is_empty()));
        // Its events may come again.
        let again = Commit { dedup: Some("long-50".to_owned()), ..commit(session(9), 0, &["."]) };
        to.commit(again).await.unwrap();
    }
}

const FLOW: &str = "format = 1\n";

fn side(name: &str, store: Arc<dyn Portable>, folder: &Path) -> Side {
    let clock: Arc<dyn Clock> = Arc::new(FixedClock::new(at(0)));
    let ids = Arc::new(CountingIds::default());
    let keys: Arc<dyn FileKeys> = Arc::<dyn Portable>::clone(&store);
    let artifacts = Artifacts::new(folder, keys, clock, ids, Extractor::new("/nonexistent"));
    Side { store, artifacts: artifacts.unwrap(), name: name.to_owned() }
}

/// Conversations of one word each, with a question and all that goes with it.
async fn crowd(from: &Side, count: u128) {
    from.artifacts.pin_flow(&audit::sha256(FLOW.as_bytes()), FLOW).await.unwrap();
    for number in 1..=count {
        let mut step = full(session(number), number);
        step.head.flow.digest = audit::sha256(FLOW.as_bytes());
        from.store.commit(step).await.unwrap();
    }
}

/// Copies until so many sessions were dealt with, and dies there.
async fn copied_up_to(from: &Side, to: &Side, most: usize) -> Option<Result<Copied, CopyError>> {
    let dealt = AtomicUsize::new(0);
    let advance = |by| {
        assert!(dealt.fetch_add(by, Ordering::Relaxed) + by <= most, "the end of this process");
    };
    let copying = AssertUnwindSafe(copying::copy(from, to, &RandomIds, &advance));
    copying.catch_unwind().await.ok()
}

async fn role(side: &Side) -> Option<Role> {
    mark_of(&*side.store).await.unwrap().map(|mark| mark.role)
}

/// Two stores, the first with 40 conversations.
async fn pair(kinds: [Kind; 2]) -> Option<(Side, Side, [Backend; 2], [TempDir; 2])> {
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let source = match kinds[0] {
        Kind::Memory => Backend::memory(),
        Kind::Sled => Backend::sled(),
        Kind::Postgres => Backend::postgres().await?,
    };
    let from = side("the old one", source.portable(), folders[0].path());
    crowd(&from, 40).await;
    let target = Backend::for_copy(kinds[1], &from.store.secret()).await?;
    let to = side("the new one", target.portable(), folders[1].path());
    Some((from, to, [source, target], folders))
}

const PAIRS: [[Kind; 2]; 3] =
    [[Kind::Sled, Kind::Postgres], [Kind::Postgres, Kind::Sled], [Kind::Memory, Kind::Memory]];

#[tokio::test]
async fn a_copy_that_was_interrupted_goes_on_where_it_was() {
    for kinds in PAIRS {
        let Some((from, to, _stores, _folders)) = pair(kinds).await else { continue };
        // In the middle of the sessions, before the audit log, and while both are compared.
        for (most, there) in [(16, 32), (7, 40), (20, 40)] {
            assert!(copied_up_to(&from, &to, most).await.is_none());
            let ids = to.store.sessions(None, 99).await.unwrap().len();
            assert_eq!(ids, there, "{kinds:?}");
            assert_eq!(
                (role(&from).await, role(&to).await),
                (Some(Role::Source), Some(Role::Target))
            );
        }
        let copied = copied_up_to(&from, &to, usize::MAX).await.unwrap().unwrap();
        assert_eq!((copied.sessions, copied.events, copied.waits), (40, 80, 40));
        assert_eq!((copied.effects, copied.timers, copied.audit_records), (80, 80, 80));
        assert_eq!((copied.flows, copied.seal), (1, chain(&*to.store).await.pop().unwrap().seal));
        assert_eq!(images(&*from.store).await, images(&*to.store).await);
        let flow = to.artifacts.pinned_flow(&audit::sha256(FLOW.as_bytes())).await.unwrap();
        assert_eq!(flow.as_deref(), Some(FLOW));
        assert_eq!((role(&from).await, role(&to).await), (Some(Role::Moved), None));
    }
}

#[tokio::test]
async fn a_store_that_has_moved_is_not_copied_again_until_it_is_reopened() {
    for kinds in PAIRS {
        let Some((from, to, _stores, folders)) = pair(kinds).await else { continue };
        copied_up_to(&from, &to, usize::MAX).await.unwrap().unwrap();
        let again = copied_up_to(&from, &to, usize::MAX).await.unwrap().unwrap_err();
        assert!(again.to_string().contains("was moved to the new one"), "{again}");
        assert!(copying::reopen(&*from.store, "the old one").await.unwrap());
        assert!(!copying::reopen(&*from.store, "the old one").await.unwrap());
        // What was copied before is somebody else's by now.
        let again = copied_up_to(&from, &to, usize::MAX).await.unwrap().unwrap_err();
        assert!(matches!(again, CopyError::Store(Error::Occupied { .. })), "{again}");
        let third = Backend::for_copy(Kind::Memory, &from.store.secret()).await.unwrap();
        let third = side("a third one", third.portable(), folders[1].path());
        copied_up_to(&from, &third, usize::MAX).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_copy_is_not_resumed_once_its_source_was_used_again() {
    let (from, to, _stores, _folders) = pair([Kind::Memory, Kind::Memory]).await.unwrap();
    assert!(copied_up_to(&from, &to, 16).await.is_none());
    let whole = copying::reopen(&*to.store, "the new one").await.unwrap_err();
    assert!(whole.to_string().contains("hasn't finished"), "{whole}");
    copying::reopen(&*from.store, "the old one").await.unwrap();
    let refused = copied_up_to(&from, &to, usize::MAX).await.unwrap().unwrap_err();
    assert!(matches!(refused, CopyError::Store(Error::Occupied { .. })), "{refused}");
    assert_eq!((role(&from).await, role(&to).await), (None, Some(Role::Target)));
}

#[tokio::test]
async fn what_differs_or_is_missing_ends_the_copy() {
    let (from, to, _stores, folders) = pair([Kind::Memory, Kind::Memory]).await.unwrap();
    assert!(copied_up_to(&from, &to, 39).await.is_none());
    let mut step = commit(session(7), 2, &["written by nobody"]);
    step.head.flow.digest = audit::sha256(FLOW.as_bytes());
    to.store.commit(step).await.unwrap();
    let error = copied_up_to(&from, &to, usize::MAX).await.unwrap().unwrap_err();
    assert!(error.to_string().contains(&format!("session `{}`", session(7))), "{error}");
    assert_eq!(role(&to).await, Some(Role::Target));

    // The flow is nowhere any more.
    std::fs::remove_dir_all(folders[0].path().join("flows")).unwrap();
    let anew = Backend::for_copy(Kind::Memory, &from.store.secret()).await.unwrap();
    copying::reopen(&*from.store, "the old one").await.unwrap();
    let folder = TempDir::new().unwrap();
    let anew = side("another one", anew.portable(), folder.path());
    let error = copied_up_to(&from, &anew, usize::MAX).await.unwrap().unwrap_err();
    let CopyError::Damaged(damage) = error else { panic!("{error}") };
    assert!(damage.len() == 1 && damage[0].what.starts_with("flow `f`"), "{damage:?}");
    assert_eq!(role(&anew).await, Some(Role::Target));
}

#[tokio::test]
async fn a_conversation_that_cannot_be_read_ends_the_copy_before_the_audit_log() {
    let (from, to, _stores, _folders) = pair([Kind::Memory, Kind::Memory]).await.unwrap();
    let newer = Recorded { v: STORED_VERSION + 1, ..said(3, "?") };
    let mut head = head(session(7), 3);
    head.flow.digest = audit::sha256(FLOW.as_bytes());
    from.store.commit(Commit::new(head, 2, vec![newer])).await.unwrap();
    let error = copied_up_to(&from, &to, usize::MAX).await.unwrap().unwrap_err();
    let CopyError::Damaged(damage) = error else { panic!("{error}") };
    assert!(damage.len() == 1 && damage[0].what.contains(&session(7).to_string()), "{damage:?}");
    assert_eq!(to.store.sessions(None, 99).await.unwrap().len(), 39);
    assert_eq!(to.store.audit(0, 1).await.unwrap(), []);
    assert_eq!((role(&from).await, role(&to).await), (Some(Role::Source), Some(Role::Target)));
}

#[tokio::test]
async fn a_store_with_data_of_its_own_takes_no_copy() {
    let source = Backend::memory();
    let (ids, secret) = (Arc::new(CountingIds::default()), source.portable().secret());
    let sled = Backend::sled();
    let Backend::Sled { dir, .. } = &sled else { unreachable!() };
    let in_use = SledStore::open_for_copy(dir.path(), Arc::clone(&ids) as _, &secret).unwrap_err();
    assert!(matches!(in_use, Error::Busy { .. }), "{in_use}");
    let Backend::Sled { dir, store } = sled else { unreachable!() };
    drop(store);
    let occupied = SledStore::open_for_copy(dir.path(), Arc::clone(&ids) as _, &secret);
    assert!(matches!(occupied, Err(Error::Occupied { .. })), "{occupied:?}");

    let Some(options) = postgres::database().await else { return };
    let store = super::open_database(&options);
    let leased = PostgresStore::open_for_copy(&options, Arc::clone(&ids) as _, &secret);
    assert!(matches!(leased, Err(Error::Leased { .. })), "{leased:?}");
    // A note that a bot made before its first conversation keeps nobody out.
    let note = Note { key: "slack/x".to_owned(), session: None, value: Some("y".to_owned()) };
    store.note(note).await.unwrap();
    drop(store);
    let store = PostgresStore::open_for_copy(&options, Arc::clone(&ids) as _, &secret).unwrap();
    assert_eq!(store.notes("").await.unwrap(), []);
    store.commit(full(session(1), 1)).await.unwrap();
    drop(store);
    drop(PostgresStore::open_for_copy(&options, Arc::clone(&ids) as _, &secret).unwrap());
    let other = Backend::memory().portable().secret();
    let occupied = PostgresStore::open_for_copy(&options, ids, &other);
    assert!(matches!(occupied, Err(Error::Occupied { .. })), "{occupied:?}");
}
