//! One conformance suite on every backend, and what only the embedded one must stand.

mod archive;
mod audit_links;
mod audit_pages;
pub(crate) mod bad_times;
mod bucket_requests;
mod file_laws;
mod moving;
mod postgres_alone;
mod postgres_files;
mod postgres_server;
mod rebuild;
mod resting;
mod shredding;
mod sled_alone;

use std::{
    cmp::Reverse,
    fs,
    io::Cursor,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use anteroom::{
    base::ids::{CallId, CountingIds, EffectId, RandomIds, SessionId, WaitId},
    engine::export,
    model::{
        STORED_VERSION,
        audit::{AuditRecord, CHAIN_START, Sealed},
        effect::{Act, Cause, CauseKind, Delivery, Effect, Priority, Recipient},
        posted::{self, Item, Posted, Reader},
        session::{FlowPin, Head, PersonId, Place, Platform, Status},
        transcript::{Event, Recorded, Speaker},
        ui::{Ask, Control, Prompt},
        usage::{Balance, Level, Usage},
        wait::{Answerers, Purpose, Wait, WaitStatus},
    },
    store::{
        Capacity, Charge, Commit, Erasure, Error, Find, Loaded, Note, Store, Timer, TimerKind,
        health::Health,
        memory::MemoryStore,
        postgres::{Options, PostgresStore},
        sled::{KEYS_FILE, SledStore},
    },
};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use self::moving::{
    everything_in_a_store_is_in_every_other_one_that_it_is_put_into,
    what_was_erased_stays_erased_in_another_store,
};
use crate::support::postgres;

/// Room for all that there is.
const ALL: Capacity = Capacity::of_any(9);

/// A backend, and how its process ends and begins again.
enum Backend {
    Memory(Arc<MemoryStore>),
    Sled {
        dir: TempDir,
        store: Option<Arc<SledStore>>,
    },
    /// In which every session comes to rest after each step.
    Resting {
        dir: TempDir,
        store: Option<Arc<SledStore>>,
    },
    Postgres {
        options: Options,
        store: Option<Arc<PostgresStore>>,
    },
}

impl Backend {
    fn memory() -> Self {
        Self::Memory(Arc::default())
    }

    fn sled() -> Self {
        let dir = TempDir::new().unwrap();
        let store = Some(Arc::new(open(dir.path())));
        Self::Sled { dir, store }
    }

    fn resting() -> Self {
        let dir = TempDir::new().unwrap();
        let store = Some(Arc::new(open(dir.path())));
        Self::Resting { dir, store }
    }

    /// None where there is no server.
    async fn postgres() -> Option<Self> {
        let options = postgres::database().await?;
        let store = Some(Arc::new(open_database(&options)));
        Some(Self::Postgres { options, store })
    }

    fn store(&self) -> Arc<dyn Store> {
        match self {
            Self::Postgres { store, .. } => Arc::clone(store.as_ref().unwrap()) as _,
            Self::Resting { store, .. } => {
                Arc::new(resting::Resting(Arc::clone(store.as_ref().unwrap())))
            }
            Self::Memory(store) => Arc::clone(store) as _,
            Self::Sled { store, .. } => Arc::clone(store.as_ref().unwrap()) as _,
        }
    }

    /// What a new process finds.
    fn restart(&mut self) -> Arc<dyn Store> {
        match self {
            Self::Memory(store) => store.restart(),
            Self::Sled { dir, store } | Self::Resting { dir, store } => {
                let old = Arc::into_inner(store.take().unwrap());
                drop(old.expect("nobody else holds the store"));
                *store = Some(Arc::new(open(dir.path())));
            }
            Self::Postgres { options, store } => {
                let old = Arc::into_inner(store.take().unwrap());
                drop(old.expect("nobody else holds the store"));
                *store = Some(Arc::new(open_database(options)));
            }
        }
        self.store()
    }
}

fn open(dir: &Path) -> SledStore {
    SledStore::open(dir, Arc::new(CountingIds::default())).unwrap()
}

fn open_database(options: &Options) -> PostgresStore {
    PostgresStore::open(options, Arc::new(CountingIds::default())).unwrap()
}

macro_rules! on_every_backend {
    ($($law:ident)*) => {
        mod in_memory {
            $(#[tokio::test] async fn $law() { super::$law(&mut super::Backend::memory()).await; })*
        }
        mod in_sled {
            $(#[tokio::test] async fn $law() { super::$law(&mut super::Backend::sled()).await; })*
        }
        mod in_sled_at_rest {
            $(#[tokio::test] async fn $law() { super::$law(&mut super::Backend::resting()).await; })*
        }
        mod in_postgres {
            $(#[tokio::test] async fn $law() {
                if let Some(mut backend) = super::Backend::postgres().await {
                    super::$law(&mut backend).await;
                }
            })*
        }
    };
}

on_every_backend! {
    what_was_committed_is_there_after_a_restart
    a_conflict_leaves_nothing_behind
    a_repeated_event_is_recognised_whatever_else_has_happened
    one_key_deals_with_one_event_across_sessions
    a_commit_that_contradicts_itself_is_refused
    a_large_event_comes_back_whole
    a_wait_can_grow_and_shrink
    timers_are_due_in_order_and_stay_until_they_are_moved_or_cleared
    effects_leave_one_at_a_time_and_in_order
    background_effects_do_not_delay_others
    effects_that_show_the_same_wait_keep_their_order
    progress_keeps_its_order_across_a_restart
    a_blocked_card_is_shown_to_others_meanwhile
    a_blocked_background_effect_keeps_back_background_effects_alone
    a_web_hook_that_is_tried_again_later_keeps_back_that_web_hook_alone
    an_effect_that_failed_comes_back_later
    an_effect_that_only_waits_is_not_counted
    a_blocked_effect_keeps_back_those_for_the_same_recipient_alone
    what_one_cause_blocks_leaves_in_order_once_it_is_hurried
    a_blocked_effect_goes_with_its_session
    an_effect_claimed_by_a_process_that_died_is_handed_out_again
    an_effect_of_an_earlier_process_is_told_from_those_of_this_one
    a_rendering_is_remembered_once
    sessions_are_found_by_place_and_by_person
    sessions_are_listed_page_by_page
    a_session_is_there_until_it_is_erased
    lists_hold_the_sessions_that_belong_to_them
    the_audit_chain_holds
    erasure_leaves_only_a_receipt_and_a_chain_that_holds
    last_effects_outlive_the_session_they_speak_of
    what_stays_of_a_session_begins_anew
    the_key_of_files_is_there_as_long_as_the_session
    notes_are_kept_and_go_with_their_session
    the_audit_records_of_a_session_are_found_among_those_of_others
    a_note_that_was_read_reads_as_it_stands_after_each_change
    what_deliveries_left_outside_is_on_the_ledger_until_the_session_goes
    a_session_of_a_newer_version_is_refused_and_others_run
    of_two_racers_one_wins
    a_store_that_works_says_so
    accounts_are_charged_with_their_commits_or_not_at_all
    everything_in_a_store_is_in_every_other_one_that_it_is_put_into
    what_was_erased_stays_erased_in_another_store
}

fn at(minutes: i64) -> DateTime<Utc> {
    let start = "2026-11-21T09:00:00.123456789Z".parse::<DateTime<Utc>>().unwrap();
    start + TimeDelta::minutes(minutes)
}

fn session(number: u128) -> SessionId {
    SessionId::from_uuid(uuid::Uuid::from_u128(number))
}

fn effect_id(number: u128) -> EffectId {
    EffectId::from_uuid(uuid::Uuid::from_u128(number))
}

fn wait_id(number: u128) -> WaitId {
    WaitId::from_uuid(uuid::Uuid::from_u128(number))
}

fn place(channel: &str) -> Place {
    Place {
        platform: Platform::Web,
        workspace: "local".to_owned(),
        channel: channel.to_owned(),
        thread: None,
    }
}

fn head(session: SessionId, seq: u64) -> Head {
    Head {
        id: session,
        flow: FlowPin { id: "f".to_owned(), version: "1".to_owned(), digest: "0".repeat(64) },
        participant: PersonId::web("ada"),
        name: Some("Ada".to_owned()),
        place: place("c"),
        status: Status::Open,
        phase: None,
        handed_over: false,
        claimed_by: None,
        pending: 0,
        approvals: 0,
        progress: 1.0 / 3.0,
        seq,
        created_at: at(0),
        updated_at: at(0),
        test: false,
        held: false,
        goes_at: None,
        parent: None,
        capabilities: Vec::new(),
        score: None,
        undelivered: 0,
    }
}

fn said(seq: u64, text: &str) -> Recorded {
    let event = Event::Said {
        from: Speaker::Participant,
        text: text.to_owned(),
        source: None,
        about: None,
    };
    Recorded { v: STORED_VERSION, seq, at: at(0), event: event.into() }
}

/// Text of so many bytes that no compressor makes much smaller.
fn noise(bytes: usize) -> String {
    let mut state = 1_u64;
    let letter = |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'A' + u8::try_from(state >> 59).unwrap())
    };
    (0..bytes).map(letter).collect()
}

/// One that appends `texts` after `expected`.
fn commit(session: SessionId, expected: u64, texts: &[&str]) -> Commit {
    let events: Vec<_> = (expected + 1..).zip(texts).map(|(seq, text)| said(seq, text)).collect();
    Commit::new(head(session, expected + events.len() as u64), expected, events)
}

fn wait(id: WaitId, session: SessionId, body: &str) -> Wait {
    Wait {
        id,
        session,
        revision: 1,
        purpose: Purpose::Call { call: CallId::new("c1"), tool: "t".to_owned() },
        state: json!({ "half": 0.1 }),
        prompt: Prompt {
            title: None,
            body: body.to_owned().into(),
            control: Control::Ask(Ask { placeholder: None, max: 100, required: true }),
            notes: Vec::new(),
        }
        .into(),
        answerers: Answerers::Participant,
        quorum: 1,
        votes: Vec::new(),
        digest: "d".to_owned(),
        asked_at: at(0),
        expires_at: None,
        status: WaitStatus::Pending,
    }
}

fn effect(id: EffectId, session: SessionId, act: Act) -> Effect {
    Effect {
        id,
        session,
        place: place("c"),
        to: Recipient::Participant,
        act,
        queued_at: at(0),
        attempts: 0,
        not_before: at(0),
        carries: None,
        asks: false,
        later_since: None,
        priority: Priority::Normal,
    }
}

fn post(id: u128, session: SessionId) -> Effect {
    effect(
        effect_id(id),
        session,
        Act::Post { text: "hello".into(), offers: Vec::new(), transcript: false },
    )
}

/// Tells a store the time, and waits until it has done what it does then.
async fn tell(store: &SledStore, now: DateTime<Utc>) {
    store.claim(now, Capacity::of_any(0)).await.unwrap();
    // What it is asked together with that may be answered first; what it is asked next comes after it.
    for _ in 0..2 {
        store.done(effect_id(u128::MAX), Delivery::NotApplicable).await.unwrap();
    }
}

fn record(session: Option<SessionId>, words: &str) -> AuditRecord {
    let map = |key: &str, value: Value| Map::from_iter([(key.to_owned(), value)]);
    AuditRecord {
        event: "phase_advance_attempt".to_owned(),
        timestamp: at(1),
        session,
        facts: map("progress", json!(0.1 + 0.2)),
        words: if words.is_empty() { Map::new() } else { map("reason", json!(words)) },
    }
}

fn delivered(message: &str) -> Delivery {
    Delivery::delivered(Some(message.to_owned()))
}

async fn seq(store: &dyn Store, session: SessionId) -> Option<u64> {
    store.load(session).await.unwrap().map(|loaded| loaded.head.seq)
}

/// Everything of one session at once.
fn full(session: SessionId, number: u128) -> Commit {
    let timer = |kind, minutes| (kind, Some(at(minutes)));
    Commit {
        waits: vec![wait(wait_id(number), session, "Why?")],
        effects: vec![
            effect(effect_id(number * 10), session, Act::Show { wait: wait_id(number) }),
            post(number * 10 + 1, session),
        ],
        timers: vec![
            timer(TimerKind::Work, 0),
            timer(TimerKind::Remind { wait: wait_id(number) }, 60),
        ],
        audit: vec![record(Some(session), "quince jelly"), record(Some(session), "")],
        dedup: Some(format!("event-{number}")),
        ..commit(session, 0, &["one", "two"])
    }
}

async fn accounts_are_charged_with_their_commits_or_not_at_all(backend: &mut Backend) {
    let store = backend.store();
    let charge = |account: &str, input, told| {
        let usage = Usage { input, calls: 1, cost_micros: Some(input * 2), ..Usage::default() };
        Charge { account: account.to_owned(), usage, told }
    };
    let charged =
        |commit: Commit, charges: &[Charge]| Commit { charges: charges.to_vec(), ..commit };
    let both = [charge("w 2026-11", 5, Level::Low), charge("total 2026-11", 5, Level::Fine)];
    store.commit(charged(full(session(1), 1), &both)).await.unwrap();
    // Neither a repeated event nor a conflict is paid for.
    store.commit(charged(full(session(1), 1), &both)).await.unwrap_err();
    store.commit(charged(commit(session(1), 0, &["."]), &both)).await.unwrap_err();
    let later = [charge("w 2026-11", 7, Level::Fine)];
    store.commit(charged(commit(session(2), 0, &["one"]), &later)).await.unwrap();
    drop(store);

    let store = backend.restart();
    let usage =
        |input, calls| Usage { input, calls, cost_micros: Some(input * 2), ..Usage::default() };
    let one = Balance { usage: usage(12, 2), told: Level::Low };
    assert_eq!(store.balance("w 2026-11").await.unwrap(), one);
    let all = Balance { usage: usage(5, 1), told: Level::Fine };
    assert_eq!(store.balance("total 2026-11").await.unwrap(), all);
    assert_eq!(store.balance("w 2026-12").await.unwrap(), Balance::default());
    // What was paid for stays paid for.
    let erasure = Erasure {
        session: session(1),
        expected: None,
        receipt: record(None, ""),
        effects: Vec::new(),
        rest: None,
    };
    store.erase(erasure).await.unwrap();
    assert_eq!(store.balance("w 2026-11").await.unwrap(), one);
}

async fn a_store_that_works_says_so(backend: &mut Backend) {
    let store = backend.store();
    assert_eq!(store.health(), Health::Well);
    store.commit(full(session(1), 1)).await.unwrap();
    // A refusal of one commit is no trouble of the store.
    store.commit(commit(session(1), 0, &["."])).await.unwrap_err();
    assert_eq!(store.health(), Health::Well);
    drop(store);
    assert_eq!(backend.restart().health(), Health::Well);
}

async fn what_was_committed_is_there_after_a_restart(backend: &mut Backend) {
    let store = backend.store();
    let (first, id) = (session(1), wait_id(1));
    let committed = full(first, 1);
    store.commit(committed.clone()).await.unwrap();
    store.commit(commit(first, 2, &["three"])).await.unwrap();
    drop(store);

    let store = backend.restart();
    let events = [committed.events, vec![said(3, "three")]].concat();
    let loaded = store.load(first).await.unwrap().unwrap();
    assert_eq!(loaded, Loaded { head: head(first, 3), events });
    assert_eq!(store.wait(id).await.unwrap(), Some((committed.waits[0].clone(), vec![])));
    assert_eq!(store.due(at(60), 9).await.unwrap().len(), 2);
    assert_eq!(store.claim(at(0), ALL).await.unwrap(), [committed.effects[0].clone()]);
    assert_eq!(store.audit(0, 9).await.unwrap().len(), 2);
    assert!(matches!(store.commit(full(first, 1)).await, Err(Error::Duplicate)));
    assert!(store.is_known_event("event-1").await.unwrap());
    assert_eq!(store.load(session(2)).await.unwrap(), None);
    assert_eq!(store.wait(wait_id(2)).await.unwrap(), None);
}

async fn a_conflict_leaves_nothing_behind(backend: &mut Backend) {
    let store = backend.store();
    store.commit(commit(session(1), 0, &["one"])).await.unwrap();

    let lost = store.commit(full(session(1), 7)).await;
    assert!(matches!(lost, Err(Error::Conflict { expected: 0, found: 1 })), "{lost:?}");
    let early = store.commit(commit(session(2), 3, &["four"])).await;
    assert!(matches!(early, Err(Error::Conflict { expected: 3, found: 0 })), "{early:?}");

    assert_eq!(seq(store.as_ref(), session(1)).await, Some(1));
    assert_eq!(seq(store.as_ref(), session(2)).await, None);
    assert_eq!(store.wait(wait_id(7)).await.unwrap(), None);
    assert_eq!(store.claim(at(99), ALL).await.unwrap(), []);
    assert_eq!(store.due(at(99), 9).await.unwrap(), []);
    assert_eq!(store.audit(0, 9).await.unwrap(), []);
    // Nor is the event taken for one that was dealt with.
    let again = Commit { dedup: Some("event-7".to_owned()), ..commit(session(1), 1, &["two"]) };
    store.commit(again).await.unwrap();
}

async fn a_repeated_event_is_recognised_whatever_else_has_happened(backend: &mut Backend) {
    let store = backend.store();
    let first = Commit { dedup: Some("Ev1".to_owned()), ..commit(session(1), 0, &["one"]) };
    store.commit(first.clone()).await.unwrap();
    store.commit(commit(session(1), 1, &["two"])).await.unwrap();

    assert!(store.is_known_event("Ev1").await.unwrap());
    assert!(!store.is_known_event("Ev2").await.unwrap());
    let again = store.commit(first).await;
    assert!(matches!(again, Err(Error::Duplicate)), "{again:?}");
    let fitting = Commit { dedup: Some("Ev1".to_owned()), ..commit(session(1), 2, &["one"]) };
    assert!(matches!(store.commit(fitting).await, Err(Error::Duplicate)));
    assert_eq!(seq(store.as_ref(), session(1)).await, Some(2));
}

async fn one_key_deals_with_one_event_across_sessions(backend: &mut Backend) {
    let store = backend.store();
    let start = |number| Commit {
        dedup: Some("click on start".to_owned()),
        ..commit(session(number), 0, &["one"])
    };
    store.commit(start(1)).await.unwrap();
    assert!(matches!(store.commit(start(2)).await, Err(Error::Duplicate)));
    assert_eq!(seq(store.as_ref(), session(2)).await, None);
}

async fn a_commit_that_contradicts_itself_is_refused(backend: &mut Backend) {
    let store = backend.store();
    let gap = Commit { events: vec![said(2, "two")], ..commit(session(1), 0, &["one"]) };
    let head_ahead = Commit { head: head(session(1), 5), ..commit(session(1), 0, &["one"]) };
    let wait = wait(wait_id(1), session(2), "Whose?");
    let astray = Commit { waits: vec![wait], ..commit(session(1), 0, &["one"]) };
    for wrong in [gap, head_ahead, astray] {
        let refused = store.commit(wrong).await;
        assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    }
    assert_eq!(seq(store.as_ref(), session(1)).await, None);
}

async fn a_large_event_comes_back_whole(backend: &mut Backend) {
    let store = backend.store();
    let text = "Zürich – résumé, 履歴書. ".repeat(7_000);
    assert!(text.len() > 200_000);
    store.commit(commit(session(1), 0, &["small", &text, "small"])).await.unwrap();
    drop(store);

    let store = backend.restart();
    let loaded = store.load(session(1)).await.unwrap().unwrap();
    assert_eq!(loaded.events[1], said(2, &text));
    assert_eq!(loaded.events[2], said(3, "small"));
}

async fn a_wait_can_grow_and_shrink(backend: &mut Backend) {
    let store = backend.store();
    for (expected, body) in [(0, "short"), (1, &"long".repeat(5_000)), (2, "short again")] {
        let asked = wait(wait_id(1), session(1), body);
        // The last one counts where a step changes a wait twice.
        let waits = vec![wait(wait_id(1), session(1), &"x".repeat(9_000)), asked.clone()];
        let step = Commit { waits, ..commit(session(1), expected, &["."]) };
        store.commit(step).await.unwrap();
        assert_eq!(store.wait(wait_id(1)).await.unwrap(), Some((asked, vec![])));
    }
}

async fn timers_are_due_in_order_and_stay_until_they_are_moved_or_cleared(backend: &mut Backend) {
    let store = backend.store();
    let remind = TimerKind::Remind { wait: wait_id(1) };
    let expire = TimerKind::Expire { wait: wait_id(1) };
    let set = |session, expected, timers| Commit { timers, ..commit(session, expected, &["."]) };
    let timer = |number, kind, minutes| Timer { session: session(number), kind, at: at(minutes) };
    let old = "1969-07-20T20:17:40Z".parse::<DateTime<Utc>>().unwrap();

    let timers = vec![(remind, Some(at(20))), (expire, Some(at(30))), (TimerKind::Work, Some(old))];
    store.commit(set(session(1), 0, timers)).await.unwrap();
    let timers = vec![(remind, Some(at(10))), (TimerKind::Pause, Some(at(20)))];
    store.commit(set(session(2), 0, timers)).await.unwrap();

    let work = Timer { session: session(1), kind: TimerKind::Work, at: old };
    let both = [work.clone(), timer(2, remind, 10)];
    assert_eq!(store.due(at(10), 9).await.unwrap(), both);
    assert_eq!(
        store.due(at(10), 9).await.unwrap(),
        both,
        "one that was not acted on is read again"
    );
    assert_eq!(store.due(at(30), 1).await.unwrap(), [work]);
    assert_eq!(store.due(old - TimeDelta::nanoseconds(1), 9).await.unwrap(), []);

    // Moved, cleared, cleared though never set, and set and cleared in one step.
    let timers =
        vec![(remind, Some(at(40))), (TimerKind::Work, None), (TimerKind::Unclaimed, None)];
    store.commit(set(session(1), 1, timers)).await.unwrap();
    let timers = vec![(remind, None), (TimerKind::Work, Some(at(0))), (TimerKind::Work, None)];
    store.commit(set(session(2), 1, timers)).await.unwrap();
    drop(store);
    let left = [timer(2, TimerKind::Pause, 20), timer(1, expire, 30), timer(1, remind, 40)];
    assert_eq!(backend.restart().due(at(40), 9).await.unwrap(), left);
}

async fn effects_leave_one_at_a_time_and_in_order(backend: &mut Backend) {
    let store = backend.store();
    let (first, second) = (session(1), session(2));
    let effects = vec![post(1, first), post(3, first)];
    store.commit(Commit { effects, ..commit(first, 0, &["."]) }).await.unwrap();
    let effects = vec![Effect { not_before: at(5), ..post(2, second) }];
    store.commit(Commit { effects, ..commit(second, 0, &["."]) }).await.unwrap();

    assert_eq!(store.claim(at(4), Capacity::of_any(0)).await.unwrap(), []);
    assert_eq!(store.claim(at(4), ALL).await.unwrap(), [post(1, first)]);
    assert_eq!(
        store.claim(at(4), ALL).await.unwrap(),
        [],
        "claimed, and the next one waits for it"
    );
    assert_eq!(store.claim(at(5), ALL).await.unwrap().len(), 1, "another session does not wait");

    store.done(effect_id(1), delivered("m1")).await.unwrap();
    assert_eq!(store.claim(at(5), ALL).await.unwrap(), [post(3, first)]);
    store.done(effect_id(3), Delivery::NotApplicable).await.unwrap();
    store.done(effect_id(2), Delivery::failed("gone".to_owned())).await.unwrap();
    store.done(effect_id(2), delivered("m2")).await.unwrap();
    assert_eq!(store.claim(at(9), ALL).await.unwrap(), []);
    drop(store);
    assert_eq!(backend.restart().claim(at(9), ALL).await.unwrap(), []);
}

/// An effect that nobody waits for.
fn in_background(id: u128, session: SessionId, act: Act) -> Effect {
    Effect { priority: Priority::Background, ..effect(effect_id(id), session, act) }
}

fn progress() -> Act {
    Act::Progress { text: "1 of 2".into() }
}

fn ids(effects: &[Effect]) -> Vec<u128> {
    effects.iter().map(|effect| effect.id.uuid().as_u128()).collect()
}

async fn background_effects_do_not_delay_others(backend: &mut Backend) {
    let store = backend.store();
    let (one, other) = (session(1), session(2));
    let tidying = [1, 2].map(|id| in_background(id, one, progress()));
    let effects = [tidying.to_vec(), vec![post(3, one), post(4, one)]].concat();
    store.commit(Commit { effects, ..commit(one, 0, &["."]) }).await.unwrap();
    let effects = vec![in_background(5, other, progress()), post(6, other)];
    store.commit(Commit { effects, ..commit(other, 0, &["."]) }).await.unwrap();

    // Those that people wait for come first, and leave beside the others of their session.
    assert_eq!(ids(&store.claim(at(0), Capacity { all: 1, background: 1 }).await.unwrap()), [3]);
    let claimed = store.claim(at(0), Capacity { all: 9, background: 1 }).await.unwrap();
    assert_eq!(ids(&claimed), [6, 1], "one in the background");
    assert_eq!(ids(&store.claim(at(0), ALL).await.unwrap()), [5]);
    assert_eq!(store.claim(at(0), ALL).await.unwrap(), [], "each in order among its own");
    store.done(effect_id(1), Delivery::Later { not_before: at(60) }).await.unwrap();
    store.done(effect_id(3), delivered("m3")).await.unwrap();
    assert_eq!(ids(&store.claim(at(0), ALL).await.unwrap()), [4]);
    let claimed = store.claim(at(60), ALL).await.unwrap();
    assert_eq!(ids(&claimed), [1]);
    assert_eq!(claimed[0].priority, Priority::Background, "it is kept with the effect");
}

async fn effects_that_show_the_same_wait_keep_their_order(backend: &mut Backend) {
    let store = backend.store();
    let one = session(1);
    let show = |number| Act::Show { wait: wait_id(number) };
    let effects = vec![
        effect(effect_id(1), one, show(1)),
        in_background(2, one, show(1)),
        effect(effect_id(3), one, show(2)),
        effect(effect_id(4), one, show(1)),
    ];
    store.commit(Commit { effects, ..commit(one, 0, &["."]) }).await.unwrap();
    assert_eq!(ids(&store.claim(at(0), ALL).await.unwrap()), [1], "it is to be closed after it");
    store.done(effect_id(1), Delivery::Later { not_before: at(7) }).await.unwrap();
    assert_eq!(store.claim(at(6), ALL).await.unwrap(), []);
    assert_eq!(ids(&store.claim(at(7), ALL).await.unwrap()), [1]);
    store.done(effect_id(1), delivered("m1")).await.unwrap();
    assert_eq!(ids(&store.claim(at(8), ALL).await.unwrap()), [3, 2]);
    store.done(effect_id(3), delivered("m3")).await.unwrap();
    assert_eq!(store.claim(at(8), ALL).await.unwrap(), [], "it is being closed");
    store.done(effect_id(2), delivered("m1")).await.unwrap();
    assert_eq!(ids(&store.claim(at(8), ALL).await.unwrap()), [4]);
}

async fn progress_keeps_its_order_across_a_restart(backend: &mut Backend) {
    let one = session(1);
    let store = backend.store();
    let effects = vec![post(1, one), in_background(2, one, progress())];
    store.commit(Commit { effects, ..commit(one, 0, &["."]) }).await.unwrap();
    drop(store);

    let store = backend.restart();
    let act = Act::Progress { text: "Step 2 of 3".into() };
    let effects = vec![in_background(3, one, act)];
    store.commit(Commit { effects, ..commit(one, 1, &["."]) }).await.unwrap();
    let mut left = Vec::new();
    for _ in 0..3 {
        for effect in store.claim(at(0), ALL).await.unwrap() {
            store.done(effect.id, delivered("m")).await.unwrap();
            left.extend(ids(&[effect]));
        }
    }
    left.retain(|id| *id != 1);
    assert_eq!(left, [2, 3], "the newest line is edited in last");
}

async fn a_blocked_card_is_shown_to_others_meanwhile(backend: &mut Backend) {
    let store = backend.store();
    let one = session(1);
    let show = |id| effect(effect_id(id), one, Act::Show { wait: wait_id(1) });
    let for_team = to_team(show(1));
    let effects = vec![for_team.clone(), show(2)];
    store.commit(Commit { effects, ..commit(one, 0, &["."]) }).await.unwrap();
    assert_eq!(ids(&store.claim(at(0), ALL).await.unwrap()), [1]);
    store.done(effect_id(1), blocked(&for_team, at(0))).await.unwrap();
    assert_eq!(ids(&store.claim(at(1), ALL).await.unwrap()), [2]);
}

async fn a_web_hook_that_is_tried_again_later_keeps_back_that_web_hook_alone(
    backend: &mut Backend,
) {
    let one = session(1);
    let to_hook = |id, alias: &str| {
        let act =
            Act::Webhook { event: "phase_completed".into(), body: json!({}), linked: Vec::new() };
        Effect { to: Recipient::Webhook { alias: alias.into() }, ..effect(effect_id(id), one, act) }
    };
    let effects = vec![to_hook(1, "crm"), to_hook(2, "crm"), post(3, one), to_hook(4, "pay")];
    let store = backend.store();
    store.commit(Commit { effects, ..commit(one, 0, &["."]) }).await.unwrap();
    assert_eq!(ids(&store.claim(at(0), ALL).await.unwrap()), [1]);
    store.done(effect_id(1), Delivery::Retry { not_before: at(29) }).await.unwrap();
    assert_eq!(ids(&store.claim(at(1), ALL).await.unwrap()), [3], "people do not wait for it");
    store.done(effect_id(3), Delivery::Retry { not_before: at(20) }).await.unwrap();
    assert_eq!(store.claim(at(1), ALL).await.unwrap(), [], "messages keep their order");

    // The same for who comes after a restart.
    drop(store);
    let store = backend.restart();
    assert_eq!(ids(&store.claim(at(20), ALL).await.unwrap()), [3]);
    store.done(effect_id(3), delivered("m3")).await.unwrap();
    assert_eq!(ids(&store.claim(at(21), ALL).await.unwrap()), [4]);
    store.done(effect_id(4), delivered("m4")).await.unwrap();
    assert_eq!(store.claim(at(28), ALL).await.unwrap(), [], "in order to the same");
    assert_eq!(ids(&store.claim(at(29), ALL).await.unwrap()), [1]);
    store.done(effect_id(1), delivered("m1")).await.unwrap();
    assert_eq!(ids(&store.claim(at(29), ALL).await.unwrap()), [2]);
}

async fn a_blocked_background_effect_keeps_back_background_effects_alone(backend: &mut Backend) {
    let store = backend.store();
    let one = session(1);
    let tidying = [1, 3].map(|id| in_background(id, one, progress()));
    let effects = vec![tidying[0].clone(), post(2, one), tidying[1].clone()];
    store.commit(Commit { effects, ..commit(one, 0, &["."]) }).await.unwrap();
    assert_eq!(ids(&store.claim(at(0), ALL).await.unwrap()), [2, 1]);
    store.done(effect_id(1), blocked(&tidying[0], at(0))).await.unwrap();
    store.done(effect_id(2), delivered("m2")).await.unwrap();
    let effects = vec![post(4, one)];
    store.commit(Commit { effects, ..commit(one, 1, &["."]) }).await.unwrap();
    assert_eq!(ids(&store.claim(at(1), ALL).await.unwrap()), [4]);
    assert_eq!(ids(&store.claim(at(60), ALL).await.unwrap()), [1]);
    store.done(effect_id(1), delivered("m1")).await.unwrap();
    assert_eq!(ids(&store.claim(at(60), ALL).await.unwrap()), [3]);
}

async fn an_effect_that_failed_comes_back_later(backend: &mut Backend) {
    let store = backend.store();
    let effects = vec![post(1, session(1)), post(2, session(1))];
    store.commit(Commit { effects, ..commit(session(1), 0, &["."]) }).await.unwrap();
    store.claim(at(0), ALL).await.unwrap();
    store.done(effect_id(1), Delivery::Retry { not_before: at(7) }).await.unwrap();

    assert_eq!(store.claim(at(6), ALL).await.unwrap(), [], "nor may the second one overtake it");
    let again = Effect { attempts: 1, not_before: at(7), ..post(1, session(1)) };
    assert_eq!(store.claim(at(7), ALL).await.unwrap(), [again]);
}

async fn an_effect_that_only_waits_is_not_counted(backend: &mut Backend) {
    let store = backend.store();
    let effects = vec![post(1, session(1)), post(2, session(1))];
    store.commit(Commit { effects, ..commit(session(1), 0, &["."]) }).await.unwrap();
    for minute in [7, 9] {
        store.claim(at(minute), ALL).await.unwrap();
        store.done(effect_id(1), Delivery::Later { not_before: at(minute + 2) }).await.unwrap();
    }
    drop(store);

    let store = backend.restart();
    assert_eq!(store.claim(at(10), ALL).await.unwrap(), [], "nor may the second one overtake it");
    let waits = Effect { not_before: at(11), later_since: Some(at(9)), ..post(1, session(1)) };
    assert_eq!(store.claim(at(11), ALL).await.unwrap(), std::slice::from_ref(&waits));
    // One that was tried meanwhile has waited for nothing.
    store.done(effect_id(1), Delivery::Retry { not_before: at(20) }).await.unwrap();
    let tried = Effect { attempts: 1, not_before: at(20), later_since: None, ..waits };
    assert_eq!(store.claim(at(20), ALL).await.unwrap(), [tried]);
}

fn to_team(effect: Effect) -> Effect {
    Effect { to: Recipient::Channel { alias: "team".to_owned() }, ..effect }
}

/// A channel that is not there, for an hour at most.
fn blocked(effect: &Effect, at: DateTime<Utc>) -> Delivery {
    let cause = Cause::of(CauseKind::ChannelUnavailable, effect);
    Delivery::Blocked { cause, not_before: at + TimeDelta::hours(1) }
}

async fn a_blocked_effect_keeps_back_those_for_the_same_recipient_alone(backend: &mut Backend) {
    let store = backend.store();
    let one = session(1);
    let (first, behind) = (to_team(post(1, one)), to_team(post(3, one)));
    let effects = vec![first.clone(), post(2, one), behind.clone()];
    store.commit(Commit { effects, ..commit(one, 0, &["."]) }).await.unwrap();
    assert_eq!(store.claim(at(0), ALL).await.unwrap(), std::slice::from_ref(&first));
    store.done(effect_id(1), blocked(&first, at(0))).await.unwrap();

    assert_eq!(store.claim(at(1), ALL).await.unwrap(), [post(2, one)]);
    assert_eq!(store.claim(at(1), ALL).await.unwrap(), []);
    store.done(effect_id(2), delivered("m2")).await.unwrap();
    assert_eq!(store.claim(at(59), ALL).await.unwrap(), []);
    let later = vec![post(4, one), to_team(post(5, one))];
    store.commit(Commit { effects: later, ..commit(one, 1, &["."]) }).await.unwrap();
    assert_eq!(store.claim(at(59), ALL).await.unwrap(), [post(4, one)]);
    store.done(effect_id(4), delivered("m4")).await.unwrap();
    drop(store);

    // A new process is told nothing: it tries at once, and nothing was counted.
    let store = backend.restart();
    assert_eq!(store.blocked().await.unwrap(), []);
    assert_eq!(store.claim(at(59), ALL).await.unwrap(), std::slice::from_ref(&first));
    store.done(effect_id(1), blocked(&first, at(59))).await.unwrap();
    assert_eq!(store.claim(at(60), ALL).await.unwrap(), []);
    // Nobody said that it is over: the hour has passed.
    assert_eq!(store.claim(at(119), ALL).await.unwrap(), [first]);
    store.done(effect_id(1), delivered("m1")).await.unwrap();
    assert_eq!(store.claim(at(119), ALL).await.unwrap(), [behind]);
    store.done(effect_id(3), delivered("m3")).await.unwrap();
    assert_eq!(store.claim(at(119), ALL).await.unwrap(), [to_team(post(5, one))]);
}

async fn what_one_cause_blocks_leaves_in_order_once_it_is_hurried(backend: &mut Backend) {
    let store = backend.store();
    let effect = |number: u128| to_team(post(number, session(number)));
    for number in 1..=3 {
        let effects = vec![effect(number), to_team(post(number + 10, session(number)))];
        store.commit(Commit { effects, ..commit(session(number), 0, &["."]) }).await.unwrap();
    }
    store.claim(at(0), ALL).await.unwrap();
    let Delivery::Blocked { cause, .. } = blocked(&effect(1), at(0)) else { unreachable!() };
    for number in [2, 1, 3] {
        store.done(effect_id(number), blocked(&effect(number), at(0))).await.unwrap();
    }
    assert_eq!(store.blocked().await.unwrap(), [(cause.clone(), 3)]);

    assert_eq!(store.hurry(&cause, 1).await.unwrap(), 1);
    assert_eq!(store.claim(at(1), ALL).await.unwrap(), [effect(2)]);
    store.done(effect_id(2), blocked(&effect(2), at(1))).await.unwrap();
    assert_eq!(store.hurry(&cause, 1).await.unwrap(), 1);
    assert_eq!(store.claim(at(2), ALL).await.unwrap(), [effect(1)], "each in its turn");
    store.done(effect_id(1), delivered("m1")).await.unwrap();
    assert_eq!(store.claim(at(2), ALL).await.unwrap(), [to_team(post(11, session(1)))]);
    store.done(effect_id(11), delivered("m11")).await.unwrap();

    assert_eq!(store.hurry(&cause, usize::MAX).await.unwrap(), 2);
    assert_eq!(store.blocked().await.unwrap(), []);
    assert_eq!(store.claim(at(3), ALL).await.unwrap(), [effect(2), effect(3)]);
    assert_eq!(store.hurry(&cause, usize::MAX).await.unwrap(), 0);
}

async fn a_blocked_effect_goes_with_its_session(backend: &mut Backend) {
    let store = backend.store();
    let first = to_team(post(1, session(1)));
    let effects = vec![first.clone()];
    store.commit(Commit { effects, ..commit(session(1), 0, &["."]) }).await.unwrap();
    store.claim(at(0), ALL).await.unwrap();
    store.done(effect_id(1), blocked(&first, at(0))).await.unwrap();
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    assert_eq!(store.blocked().await.unwrap(), []);
    assert_eq!(store.claim(at(999), ALL).await.unwrap(), []);
}

async fn an_effect_claimed_by_a_process_that_died_is_handed_out_again(backend: &mut Backend) {
    let store = backend.store();
    let effects = vec![post(1, session(1))];
    store.commit(Commit { effects, ..commit(session(1), 0, &["."]) }).await.unwrap();
    assert_eq!(store.claim(at(0), ALL).await.unwrap().len(), 1);
    drop(store);
    assert_eq!(backend.restart().claim(at(0), ALL).await.unwrap(), [post(1, session(1))]);
}

async fn an_effect_of_an_earlier_process_is_told_from_those_of_this_one(backend: &mut Backend) {
    let store = backend.store();
    let effects = vec![post(1, session(1)), post(2, session(1))];
    store.commit(Commit { effects, ..commit(session(1), 0, &["."]) }).await.unwrap();
    store.claim(at(0), ALL).await.unwrap();
    let again = Delivery::Later { not_before: at(1) };
    store.done(effect_id(1), again).await.unwrap();
    assert!(![1, 2].map(effect_id).iter().any(|id| store.is_inherited(*id)));
    drop(store);
    let store = backend.restart();
    let effects = vec![post(3, session(1))];
    store.commit(Commit { effects, ..commit(session(1), 1, &["."]) }).await.unwrap();
    let inherited = [1, 2, 3, 4].map(|number| store.is_inherited(effect_id(number)));
    assert_eq!(inherited, [true, true, false, false]);
}

async fn a_rendering_is_remembered_once(backend: &mut Backend) {
    let store = backend.store();
    let show = |id| effect(effect_id(id), session(1), Act::Show { wait: wait_id(1) });
    let opened = wait(wait_id(1), session(1), "Why?");
    let step = Commit {
        waits: vec![opened.clone()],
        effects: vec![show(1), show(2), show(3), post(4, session(1))],
        ..commit(session(1), 0, &["."])
    };
    store.commit(step).await.unwrap();
    for (id, message) in [(1, "m1"), (1, "m9"), (2, "m2"), (3, "m1"), (4, "m4")] {
        store.done(effect_id(id), delivered(message)).await.unwrap();
    }
    let shown = async |store: &dyn Store| {
        let (found, renderings) = store.wait(wait_id(1)).await.unwrap().unwrap();
        let renderings = renderings.into_iter().map(|shown| (shown.effect, shown.message));
        (found, renderings.collect::<Vec<_>>())
    };
    let renderings = [(effect_id(1), "m1".to_owned()), (effect_id(2), "m2".to_owned())];
    assert_eq!(shown(&*store).await, (opened.clone(), renderings.to_vec()));
    // It is closed where it was shown.
    let closed = Wait { status: WaitStatus::Expired { at: at(1) }, ..opened };
    let step = Commit { waits: vec![closed.clone()], ..commit(session(1), 1, &["."]) };
    store.commit(step).await.unwrap();
    assert_eq!(shown(&*store).await, (closed.clone(), renderings.to_vec()));
    drop(store);
    assert_eq!(shown(&*backend.restart()).await, (closed, renderings.to_vec()));
}

async fn sessions_are_found_by_place_and_by_person(backend: &mut Backend) {
    let store = backend.store();
    let at_home = |number: u128, seq, user: &str, channel: &str| Head {
        participant: PersonId::web(user),
        place: place(channel),
        ..head(session(number), seq)
    };
    for (number, user, channel) in [(1, "ada", "a"), (2, "bob", "a"), (3, "ada", "b")] {
        let head = at_home(number, 1, user, channel);
        store.commit(Commit { head, ..commit(session(number), 0, &["."]) }).await.unwrap();
    }
    let found = async |store: &dyn Store, by| -> Vec<SessionId> {
        store.find(by).await.unwrap().iter().map(|head| head.id).collect()
    };
    let ada = || Find::Person(PersonId::web("ada"));
    assert_eq!(found(store.as_ref(), ada()).await, [session(3), session(1)]);
    assert_eq!(found(store.as_ref(), Find::Place(place("a"))).await, [session(2), session(1)]);
    let thread = Place { thread: Some("t".to_owned()), ..place("a") };
    assert_eq!(found(store.as_ref(), Find::Place(thread)).await, []);
    assert_eq!(found(store.as_ref(), Find::One(session(2))).await, [session(2)]);
    assert_eq!(found(store.as_ref(), Find::One(session(4))).await, []);
    let child = Head { parent: Some(session(1)), ..at_home(5, 1, "ada", "a") };
    store.commit(Commit { head: child, ..commit(session(5), 0, &["."]) }).await.unwrap();
    assert_eq!(found(store.as_ref(), Find::One(session(5))).await, []);
    assert_eq!(found(store.as_ref(), ada()).await, [session(3), session(1)]);

    // One that moves is found where it is, not where it was.
    let head = at_home(1, 2, "ada", "b");
    store.commit(Commit { head: head.clone(), ..commit(session(1), 1, &["."]) }).await.unwrap();
    assert_eq!(store.find(Find::One(session(1))).await.unwrap(), [head]);
    drop(store);
    let store = backend.restart();
    assert_eq!(found(store.as_ref(), Find::Place(place("a"))).await, [session(2)]);
    assert_eq!(found(store.as_ref(), Find::Place(place("b"))).await, [session(3), session(1)]);
    assert_eq!(found(store.as_ref(), ada()).await, [session(3), session(1)]);
}

async fn a_session_is_there_until_it_is_erased(backend: &mut Backend) {
    let store = backend.store();
    store.commit(full(session(1), 1)).await.unwrap();
    let child = Head { parent: Some(session(1)), ..head(session(2), 1) };
    store.commit(Commit { head: child, ..commit(session(2), 0, &["."]) }).await.unwrap();
    // Some hundred kilobytes, which lie in many pieces.
    let large = Head { phase: Some(noise(300_000)), ..head(session(3), 1) };
    store.commit(Commit { head: large, ..commit(session(3), 0, &["."]) }).await.unwrap();
    drop(store);

    let store = backend.restart();
    let there = async || {
        let mut there = Vec::new();
        for number in 0..=4 {
            there.push(store.has(session(number)).await.unwrap());
        }
        there
    };
    assert_eq!(there().await, [false, true, true, true, false]);
    let Commit { head, events, .. } = commit(session(1), 0, &["what stays"]);
    let rest = Some(Loaded { head, events });
    store.erase(Erasure { rest, ..whole(session(1), record(None, "")) }).await.unwrap();
    store.erase(whole(session(3), record(None, ""))).await.unwrap();
    assert_eq!(there().await, [false, true, true, false, false]);
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    assert_eq!(there().await, [false, false, true, false, false]);
}

async fn sessions_are_listed_page_by_page(backend: &mut Backend) {
    let store = backend.store();
    for number in [3, 1, 5, 2, 4] {
        // A head of several values must still be one line of the list.
        let head = Head { phase: Some("p".repeat(5_000)), ..head(session(number), 1) };
        store.commit(Commit { head, ..commit(session(number), 0, &["."]) }).await.unwrap();
    }
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let page = store.sessions(after, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        pages.push(page.iter().map(|head| head.id).collect::<Vec<_>>());
    }
    let expected = [vec![session(1), session(2)], vec![session(3), session(4)], vec![session(5)]];
    assert_eq!(pages, expected);

    let newest = store.find(Find::newest(2)).await.unwrap();
    let newest: Vec<_> = newest.iter().map(|head| head.id).collect();
    assert_eq!(newest, [session(5), session(4)]);
}

/// The whole chain, checked from the start.
/// A store of the corpus, which was written by a program that knew neither links nor pages nor lists.
fn corpus() -> (TempDir, SledStore) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/corpus/v1");
    let dir = TempDir::new().unwrap();
    fs::copy(corpus.join(KEYS_FILE), dir.path().join(KEYS_FILE)).unwrap();
    let dump = fs::read(corpus.join("store.dump")).unwrap();
    SledStore::build(dir.path(), &mut Cursor::new(dump)).unwrap();
    let store = open(dir.path());
    (dir, store)
}

/// What [`Find`] should come to, told by the heads of all sessions.
async fn assert_lists(store: &dyn Store) {
    let all = store.sessions(None, usize::MAX).await.unwrap();
    let ids = |heads: &[Head]| heads.iter().map(|head| head.id).collect::<Vec<_>>();
    let wanted = |is_in: &dyn Fn(&&Head) -> bool| {
        let own = all.iter().rev().filter(|head| head.parent.is_none());
        own.filter(is_in).map(|head| head.id).collect::<Vec<_>>()
    };
    let newest = wanted(&|_| true);
    for (before, older) in newest.iter().zip(1..) {
        let found = store.find(Find::Newest { before: Some(*before), limit: 3 }).await.unwrap();
        assert_eq!(ids(&found), newest[older..].iter().copied().take(3).collect::<Vec<_>>());
    }
    let in_pages = async |find: &dyn Fn(Option<SessionId>) -> Find| {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let page = store.find(find(after)).await.unwrap();
            let Some(last) = page.last() else { return found };
            assert!(page.len() <= 2);
            after = Some(last.id);
            found.extend(ids(&page));
        }
    };
    let of = |is_in: &dyn Fn(&&Head) -> bool| {
        all.iter().filter(is_in).map(|head| head.id).collect::<Vec<_>>()
    };
    let children = in_pages(&|after| Find::Children { after, limit: 2 }).await;
    assert_eq!(children, of(&|head| head.parent.is_some()));
    let staff = in_pages(&|after| Find::WantsStaff { after, limit: 2 }).await;
    assert_eq!(staff, of(&|head| head.wants_staff() && head.parent.is_none()));
    let paused = in_pages(&|after| Find::Paused { after, limit: 2 }).await;
    assert_eq!(paused, of(&|head| head.status == Status::Paused && head.parent.is_none()));
    for by in [at(0), at(59), at(60), at(61), at(500), at(10_000)] {
        let (mut due, mut after) = (Vec::new(), None);
        loop {
            let page = store.find(Find::DueToGo { by, after, limit: 3 }).await.unwrap();
            let Some(last) = page.last() else { break };
            assert!(page.len() <= 3);
            after = Some((last.goes_at.unwrap(), last.id));
            due.extend(page);
        }
        let mut wanted: Vec<Head> = all.clone();
        wanted.retain(|head| head.goes_at.is_some_and(|at| at <= by) && head.parent.is_none());
        let hour = |head: &Head| head.goes_at.map(|at| at.timestamp() / 3600);
        assert!(due.is_sorted_by_key(|head| (hour(head), head.id)), "until {by}");
        due.sort_by_key(|head| head.id);
        assert_eq!(ids(&due), ids(&wanted), "until {by}");
    }
    for platform in [Platform::Slack, Platform::Web] {
        for since in [at(-600), at(0), at(59), at(130), at(10_000)] {
            assert_updated(store, (platform, true, since), &all).await;
            assert_updated(store, (platform, false, since), &all).await;
        }
    }
}

/// What [`Find::RecentlyUpdated`] should come to, told by all heads.
async fn assert_updated(
    store: &dyn Store,
    (platform, is_active, since): (Platform, bool, DateTime<Utc>),
    all: &[Head],
) {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let find = Find::RecentlyUpdated { platform, is_active, since, after, limit: 3 };
        let page = store.find(find).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 3);
        after = Some((last.updated_at, last.id));
        found.extend(page);
    }
    let mut wanted: Vec<Head> = all.to_vec();
    wanted.retain(|head| {
        let goes_on = !head.status.is_over() || head.approvals > 0;
        let is_own = head.parent.is_none() && head.place.platform == platform;
        is_own && goes_on == is_active && head.updated_at >= since
    });
    wanted.sort_by_key(|head| Reverse((head.updated_at.timestamp() / 3600, head.id)));
    assert_eq!(found, wanted, "{platform}, {is_active}, since {since}");
}

async fn lists_hold_the_sessions_that_belong_to_them(backend: &mut Backend) {
    const SESSIONS: u64 = 12;
    let mut store = backend.store();
    for round in 0..4 {
        for number in 1..=SESSIONS {
            // One changes in each way in one round or another, and some stay as they are.
            let change = (number * 7 + round * 5) % 11;
            let id = session(number.into());
            let head = Head {
                place: Place {
                    platform: if number % 4 == 0 { Platform::Slack } else { Platform::Web },
                    ..place("c")
                },
                status: match change {
                    3 => Status::Paused,
                    1 | 2 | 6 => Status::Completed,
                    _ => Status::Open,
                },
                updated_at: at(i64::try_from(round * 45 + number * 13).unwrap()),
                handed_over: change > 7,
                claimed_by: (change == 9).then(|| "Grace".to_owned()),
                approvals: u32::from(change == 2),
                goes_at: (change % 3 != 0).then(|| at(i64::try_from(change * 31).unwrap())),
                parent: (number % 5 == 0).then(|| session(1)),
                participant: PersonId::web(if change == 5 { "bob" } else { "ada" }),
                ..head(id, round + 1)
            };
            store.commit(Commit { head, ..commit(id, round, &["."]) }).await.unwrap();
        }
        assert_lists(&*store).await;
        if round == 1 {
            drop(store);
            store = backend.restart();
            assert_lists(&*store).await;
        }
    }
    for number in [2, 5, 7] {
        store.erase(whole(session(number), record(None, ""))).await.unwrap();
        assert_lists(&*store).await;
    }
}

async fn chain(store: &dyn Store) -> Vec<Sealed> {
    let chain = store.audit(0, 1_000).await.unwrap();
    let mut previous = CHAIN_START;
    for (index, sealed) in (0..).zip(&chain) {
        assert!(sealed.holds(index, previous), "record {index} does not hold");
        previous = &sealed.seal;
    }
    chain
}

async fn the_audit_chain_holds(backend: &mut Backend) {
    let store = backend.store();
    let audit = vec![record(Some(session(1)), "first"), record(Some(session(1)), "first")];
    store.commit(Commit { audit, ..commit(session(1), 0, &["."]) }).await.unwrap();
    drop(store);
    let store = backend.restart();
    let audit = vec![record(Some(session(2)), "")];
    store.commit(Commit { audit, ..commit(session(2), 0, &["."]) }).await.unwrap();

    let chain = chain(store.as_ref()).await;
    assert_eq!(chain.len(), 3);
    assert_eq!(chain[1].record, record(Some(session(1)), "first"));
    assert_ne!(chain[0].words_sha256, chain[1].words_sha256, "each has salt of its own");
    assert_eq!(store.audit(1, 1).await.unwrap(), chain[1..2]);
    assert_eq!(store.audit(3, 9).await.unwrap(), []);
}

async fn erasure_leaves_only_a_receipt_and_a_chain_that_holds(backend: &mut Backend) {
    let store = backend.store();
    let (gone, other) = (session(1), session(2));
    store.commit(full(gone, 1)).await.unwrap();
    store.commit(full(other, 2)).await.unwrap();
    assert_eq!(store.claim(at(0), ALL).await.unwrap().len(), 2);
    store.done(effect_id(10), delivered("m1")).await.unwrap();

    let receipt = || AuditRecord { event: "erased".to_owned(), ..record(Some(gone), "") };
    store.erase(whole(gone, receipt())).await.unwrap();
    store.erase(whole(gone, receipt())).await.unwrap();
    // What comes late brings nothing back.
    store.done(effect_id(11), delivered("m2")).await.unwrap();
    drop(store);

    let store = backend.restart();
    assert_eq!(store.load(gone).await.unwrap(), None);
    assert_eq!(store.wait(wait_id(1)).await.unwrap(), None);
    let left: Vec<_> = store.sessions(None, 9).await.unwrap().iter().map(|head| head.id).collect();
    assert_eq!(left, [other]);
    assert_eq!(store.find(Find::Place(place("c"))).await.unwrap(), [head(other, 2)]);
    assert!(store.due(at(99), 9).await.unwrap().iter().all(|timer| timer.session == other));
    let claimed = store.claim(at(99), ALL).await.unwrap();
    assert_eq!(claimed.iter().map(|effect| effect.session).collect::<Vec<_>>(), [other]);

    let chain = chain(store.as_ref()).await;
    let events: Vec<_> = chain.iter().map(|sealed| sealed.record.event.as_str()).collect();
    assert_eq!(events[4..], ["erased", "erased"]);
    assert!(chain[0].erased && chain[0].record.words.is_empty() && chain[0].salt.is_empty());
    assert_eq!(chain[2].record.words, record(None, "quince jelly").words);
    // With the session its dedup keys are gone; it may even begin again.
    store.commit(full(gone, 1)).await.unwrap();
}

fn whole(session: SessionId, receipt: AuditRecord) -> Erasure {
    Erasure { session, expected: None, receipt, effects: Vec::new(), rest: None }
}

async fn last_effects_outlive_the_session_they_speak_of(backend: &mut Backend) {
    let store = backend.store();
    store.commit(full(session(1), 1)).await.unwrap();
    store.claim(at(0), ALL).await.unwrap();
    let last = [post(77, session(1)), post(78, session(1))];
    let erasure = Erasure { effects: last.to_vec(), ..whole(session(1), record(None, "")) };
    let stranger =
        Erasure { effects: vec![post(79, session(2))], ..whole(session(1), record(None, "")) };
    assert!(store.erase(stranger).await.is_err(), "an effect of another session");
    let late = Erasure { expected: Some(1), ..erasure.clone() };
    assert!(matches!(store.erase(late).await, Err(Error::Conflict { expected: 1, found: 2 })));
    assert_eq!(seq(store.as_ref(), session(1)).await, Some(2), "refused whole");

    store.erase(erasure).await.unwrap();
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    drop(store);

    let store = backend.restart();
    assert_eq!(store.load(session(1)).await.unwrap(), None);
    assert_eq!(store.claim(at(0), ALL).await.unwrap(), last[..1]);
    store.done(effect_id(77), Delivery::Retry { not_before: at(5) }).await.unwrap();
    assert_eq!(store.claim(at(0), ALL).await.unwrap(), []);
    assert_eq!(store.claim(at(5), ALL).await.unwrap()[0].attempts, 1);
    store.done(effect_id(77), delivered("told")).await.unwrap();
    assert_eq!(store.claim(at(5), ALL).await.unwrap(), last[1..]);
    store.done(effect_id(78), delivered("told")).await.unwrap();
    assert_eq!(store.claim(at(99), ALL).await.unwrap(), []);
}

async fn what_stays_of_a_session_begins_anew(backend: &mut Backend) {
    let store = backend.store();
    store.commit(full(session(1), 1)).await.unwrap();
    let Commit { head, events, .. } = commit(session(1), 0, &["what stays"]);
    let rest = Loaded { head, events };
    let erasure =
        Erasure { rest: Some(rest.clone()), ..whole(session(1), record(Some(session(1)), "")) };
    let mut gap = erasure.clone();
    gap.rest.as_mut().unwrap().events[0].seq = 2;
    assert!(store.erase(gap).await.is_err(), "events with a gap");

    store.erase(erasure).await.unwrap();
    drop(store);

    let store = backend.restart();
    assert_eq!(store.load(session(1)).await.unwrap(), Some(rest.clone()));
    assert_eq!(store.find(Find::Person(rest.head.participant)).await.unwrap().len(), 1);
    assert_eq!(store.wait(wait_id(1)).await.unwrap(), None);
    assert_eq!(store.due(at(999), 9).await.unwrap(), []);
    assert_eq!(store.claim(at(999), ALL).await.unwrap(), []);
    store.commit(commit(session(1), 1, &["and goes on"])).await.unwrap();
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    assert_eq!(store.load(session(1)).await.unwrap(), None);
}

async fn the_key_of_files_is_there_as_long_as_the_session(backend: &mut Backend) {
    let store = backend.store();
    assert_eq!(store.file_key(session(1)).await.unwrap(), None);
    store.commit(full(session(1), 1)).await.unwrap();
    store.commit(full(session(2), 2)).await.unwrap();
    let key = store.file_key(session(1)).await.unwrap().unwrap();
    let other = store.file_key(session(2)).await.unwrap().unwrap();
    let links = store.link_key().await.unwrap();
    assert!(links != key && links != other);
    assert!(key != other && *key.secret() != [0; 32]);
    drop(store);

    // Files stay where only a part of the session goes, however often, and are read with the key they had.
    let store = backend.restart();
    for _ in 0..2 {
        let Commit { head, events, .. } = commit(session(1), 0, &["what stays"]);
        let rest = Some(Loaded { head, events });
        let part = Erasure { rest, ..whole(session(1), record(Some(session(1)), "")) };
        store.erase(part).await.unwrap();
        store.commit(commit(session(1), 1, &["and goes on"])).await.unwrap();
        assert_eq!(store.file_key(session(1)).await.unwrap().as_ref(), Some(&key));
    }
    drop(store);

    let store = backend.restart();
    assert_eq!(store.file_key(session(1)).await.unwrap(), Some(key.clone()));
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    assert_eq!(store.file_key(session(1)).await.unwrap(), None);
    assert_eq!(store.file_key(session(2)).await.unwrap(), Some(other));
    assert_eq!(store.link_key().await.unwrap(), links);
    // One that begins anew under the same id has another.
    store.commit(commit(session(1), 0, &["again"])).await.unwrap();
    assert_ne!(store.file_key(session(1)).await.unwrap(), Some(key));
}

fn note(key: &str, session: Option<SessionId>, value: &str) -> Note {
    let value = Some(value.to_owned()).filter(|value| !value.is_empty());
    Note { key: key.to_owned(), session, value }
}

async fn notes_are_kept_and_go_with_their_session(backend: &mut Backend) {
    let store = backend.store();
    store.commit(full(session(1), 1)).await.unwrap();
    store.commit(commit(session(2), 0, &["one"])).await.unwrap();
    let long = "long ".repeat(3000);
    for note in [
        note("a/root", Some(session(1)), "D1/1.0"),
        note("a/root", Some(session(1)), "D1/2.0"),
        note("a/other", Some(session(2)), &long),
        note("a/nowhere", Some(session(3)), "no such session"),
        note("b/2", None, "second"),
        note("b/1", None, "first"),
        note("c", None, "gone"),
        note("c", None, ""),
        // It changes hands.
        note("d", None, "nobody's"),
        note("d", Some(session(2)), "somebody's"),
    ] {
        store.note(note).await.unwrap();
    }
    drop(store);

    let store = backend.restart();
    let noted = async |key: &str| store.noted(key).await.unwrap().and_then(|note| note.value);
    assert_eq!(noted("a/root").await.as_deref(), Some("D1/2.0"));
    assert_eq!(noted("a/other").await, Some(long));
    assert_eq!((noted("a/nowhere").await, noted("c").await), (None, None));
    let all = store.notes("b/").await.unwrap();
    assert_eq!(all, [note("b/1", None, "first"), note("b/2", None, "second")]);
    assert_eq!(store.notes("").await.unwrap().len(), 2, "those of a session are not listed");

    // Where a part of a session goes, what is remembered of it stays.
    let Commit { head, events, .. } = commit(session(1), 0, &["what stays"]);
    let rest = Some(Loaded { head, events });
    store.erase(Erasure { rest, ..whole(session(1), record(None, "")) }).await.unwrap();
    assert_eq!(noted("a/root").await.as_deref(), Some("D1/2.0"));
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    assert_eq!(noted("a/root").await, None);
    store.erase(whole(session(2), record(None, ""))).await.unwrap();
    assert_eq!((noted("a/other").await, noted("d").await), (None, None));
    assert_eq!(store.notes("").await.unwrap().len(), 2);
}

async fn the_audit_records_of_a_session_are_found_among_those_of_others(backend: &mut Backend) {
    let store = backend.store();
    let mine = |word: &str| vec![record(Some(session(1)), word), record(Some(session(1)), "more")];
    let first = Commit { audit: mine("first"), ..commit(session(1), 0, &["one"]) };
    store.commit(first).await.unwrap();
    // More than are looked at in one go.
    let others = (2..1200).map(|other| {
        let audit = vec![record(Some(session(other)), "of another")];
        store.commit(Commit { audit, ..commit(session(other), 0, &["one"]) })
    });
    futures::future::try_join_all(others).await.unwrap();
    let last = Commit { audit: mine("last"), ..commit(session(1), 1, &["two"]) };
    store.commit(last).await.unwrap();
    let wanted = audit_of(&*store, session(1)).await;
    assert_eq!(wanted.len(), 4);
    assert_eq!(export::audit_of(&*store, session(1)).await.unwrap(), wanted);
    assert_eq!(export::audit_of(&*store, session(1_200)).await.unwrap(), []);

    // A part of it goes: what was sealed before is still found, with the receipt and with what comes after.
    let Commit { head, events, .. } = commit(session(1), 0, &["what stays"]);
    let rest = Some(Loaded { head, events });
    let receipt = record(Some(session(1)), "");
    // Once more, with a receipt that names nobody.
    for receipt in [receipt.clone(), record(None, "")] {
        let rest = rest.clone();
        store.erase(Erasure { rest, ..whole(session(1), receipt) }).await.unwrap();
    }
    store.commit(Commit { audit: mine("new"), ..commit(session(1), 1, &["two"]) }).await.unwrap();
    let found = export::audit_of(&*store, session(1)).await.unwrap();
    assert_eq!(found, audit_of(&*store, session(1)).await);
    assert_eq!(
        found.iter().map(|sealed| sealed.erased).collect::<Vec<_>>(),
        [true, true, true, true, false, false, false]
    );

    store.erase(whole(session(1), receipt)).await.unwrap();
    let left = export::audit_of(&*store, session(1)).await.unwrap();
    assert_eq!(left.len(), 8, "with the receipts");
    assert!(left.iter().all(|sealed| sealed.record.words.is_empty()));
}

/// The records about a session among all there are.
async fn audit_of(store: &dyn Store, session: SessionId) -> Vec<Sealed> {
    let mut all = store.audit(0, usize::MAX).await.unwrap();
    all.retain(|sealed| sealed.record.session == Some(session));
    all
}

async fn a_note_that_was_read_reads_as_it_stands_after_each_change(backend: &mut Backend) {
    let store = backend.store();
    let noted = async |key: &str| store.noted(key).await.unwrap().and_then(|note| note.value);
    let ledger = posted::ledger_of(session(1));
    assert_eq!((noted("a").await, noted(&ledger).await), (None, None));
    store.note(note("a", Some(session(1)), "no such session yet")).await.unwrap();
    assert_eq!(noted("a").await, None);
    let effects = vec![post(1, session(1))];
    store.commit(Commit { effects, ..commit(session(1), 0, &["one"]) }).await.unwrap();
    for value in ["first", "second"] {
        store.note(note("a", Some(session(1)), value)).await.unwrap();
        assert_eq!(noted("a").await.as_deref(), Some(value));
    }
    let item = Item::Message { at: "D1/1".to_owned() };
    let posted = vec![Posted { item, reader: Reader::Participant }];
    let claimed = store.claim(at(1), ALL).await.unwrap();
    let delivery = Delivery::Delivered { message: None, posted };
    store.done(claimed[0].id, delivery).await.unwrap();
    assert!(noted(&ledger).await.is_some());
    store.note(note("a", Some(session(1)), "")).await.unwrap();
    assert_eq!(noted("a").await, None);
    store.note(note("a", Some(session(1)), "third")).await.unwrap();
    assert_eq!(noted("a").await.as_deref(), Some("third"));
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    assert_eq!((noted("a").await, noted(&ledger).await), (None, None));
}

async fn what_deliveries_left_outside_is_on_the_ledger_until_the_session_goes(
    backend: &mut Backend,
) {
    let posted = |at: &str| Posted {
        item: Item::Message { at: at.to_owned() },
        reader: Reader::Participant,
    };
    let left = |all: &[Posted]| Delivery::Delivered { message: None, posted: all.to_vec() };
    let ledger_of = async |store: &Arc<dyn Store>| {
        let note = store.noted(&posted::ledger_of(session(1))).await.unwrap();
        posted::read(&note.and_then(|note| note.value).unwrap_or_default()).collect::<Vec<_>>()
    };
    let store = backend.store();
    let effects: Vec<Effect> = (1..=4).map(|id| post(id, session(1))).collect();
    store.commit(Commit { effects, ..commit(session(1), 0, &["one"]) }).await.unwrap();
    let tried = [
        Delivery::Retry { not_before: at(0) },
        left(&[posted("D1/1"), posted("D1/2")]),
        left(&[]),
        // Found again after an attempt of which nobody knew.
        left(&[posted("D1/2"), posted("D1/3")]),
    ];
    for delivery in tried {
        let claimed = store.claim(at(1), ALL).await.unwrap();
        store.done(claimed[0].id, delivery.clone()).await.unwrap();
        store.done(claimed[0].id, delivery).await.unwrap();
    }
    drop(store);

    let store = backend.restart();
    assert_eq!(ledger_of(&store).await, [posted("D1/1"), posted("D1/2"), posted("D1/3")]);
    let Commit { head, events, .. } = commit(session(1), 0, &["what stays"]);
    let rest = Some(Loaded { head, events });
    store.erase(Erasure { rest, ..whole(session(1), record(None, "")) }).await.unwrap();
    assert_eq!(ledger_of(&store).await.len(), 3);
    let last =
        Erasure { effects: vec![post(9, session(1))], ..whole(session(1), record(None, "")) };
    store.erase(last).await.unwrap();
    // What an erasure itself sends is on nobody's ledger.
    assert_eq!(store.claim(at(2), ALL).await.unwrap().len(), 1);
    store.done(effect_id(9), left(&[posted("D1/9")])).await.unwrap();
    assert_eq!(ledger_of(&store).await, []);
}

async fn a_session_of_a_newer_version_is_refused_and_others_run(backend: &mut Backend) {
    let store = backend.store();
    let mut newer = commit(session(1), 0, &["one", "two"]);
    newer.events[1].v = STORED_VERSION + 1;
    store.commit(newer).await.unwrap();
    store.commit(commit(session(2), 0, &["one"])).await.unwrap();
    drop(store);

    let store = backend.restart();
    let refused = store.load(session(1)).await.unwrap_err();
    insta::allow_duplicates! {
        insta::assert_snapshot!(refused, @"session `ses_00000000000000000000000000000001` cannot be read: it has version 3, this program reads up to 2. hint: run the newer program");
    }
    assert_eq!(seq(store.as_ref(), session(2)).await, Some(1));
    assert_eq!(store.sessions(None, 9).await.unwrap().len(), 2);
}

async fn of_two_racers_one_wins(backend: &mut Backend) {
    let store = backend.store();
    // Of ten sessions, since one that rests is written as a whole each time.
    for (n, trial) in (1..=10).flat_map(|n| (0..100).map(move |trial| (n, trial))) {
        let racer = |name: &str| {
            let audit = vec![record(Some(session(n)), "")];
            store.commit(Commit { audit, ..commit(session(n), trial, &[name]) })
        };
        let (left, right) = tokio::join!(racer("left"), racer("right"));
        let (winner, loser) = if left.is_ok() { ("left", right) } else { ("right", left) };
        let found = trial + 1;
        assert!(
            matches!(loser, Err(Error::Conflict { expected, found: after })
                if expected == trial && after == found),
            "trial {trial} of session {n}: {loser:?}"
        );
        if trial % 100 == 99 {
            let loaded = store.load(session(n)).await.unwrap().unwrap();
            assert_eq!(loaded.events.last(), Some(&said(found, winner)));
        }
    }
    assert_eq!(store.audit(0, 2_000).await.unwrap().len(), 1_000);
}

/// A child has the files of its parent until it runs its own program, and with them the lock of a store that the parent
/// has closed meanwhile.
#[tokio::test]
async fn a_store_is_opened_again_while_processes_are_started() {
    let dir = tempfile::tempdir().unwrap();
    let (is_over, started) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let starting = thread::spawn({
        let (is_over, started) = (Arc::clone(&is_over), Arc::clone(&started));
        move || {
            while !is_over.load(Ordering::Relaxed) {
                let mut child = Command::new("true").spawn().unwrap();
                child.wait().unwrap();
                started.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let mut opened = Ok(());
    while opened.is_ok() && started.load(Ordering::Relaxed) < 300 {
        opened = SledStore::open(dir.path(), Arc::new(CountingIds::default())).map(drop);
    }
    is_over.store(true, Ordering::Relaxed);
    starting.join().unwrap();
    opened.unwrap();
}
