//! What only the store of several nodes must stand: other nodes, and a network between it and its data.

use std::{
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anteroom::{
    base::ids::{CountingIds, SessionId},
    model::{
        audit::{AuditRecord, ChainCheck},
        effect::{Act, Delivery},
        node::{Addresses, Part},
        posted::{self, Item, Posted, Reader},
        session::Platform,
        usage::{Level, Usage},
        wait::Wait,
    },
    store::{
        Charge, Commit, Erasure, Error, Find, Note, Store, TimerKind,
        health::{Health, Trouble},
        nodes::Reached,
        postgres::{Options, PostgresStore, Standby, changes, nodes},
    },
};
use sqlx::{Connection as _, PgConnection, Row as _};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, tcp::OwnedReadHalf, tcp::OwnedWriteHalf},
    task::JoinSet,
};

use super::{
    ALL, at, commit, delivered, effect, effect_id, head, note, open_database, post, record,
    session, wait, wait_id,
};
use crate::support::postgres;

/// An empty database, where there is a server.
macro_rules! database {
    () => {
        match postgres::database().await {
            Some(options) => options,
            None => return,
        }
    };
}

async fn query(options: &Options, statement: &'static str) -> Vec<sqlx::postgres::PgRow> {
    let mut connection = PgConnection::connect(&options.url).await.unwrap();
    sqlx::query(statement).fetch_all(&mut connection).await.unwrap()
}

/// One that takes all of a session, however it stands.
fn erasure(session: SessionId) -> Erasure {
    let receipt = AuditRecord { event: "session_erased".to_owned(), ..record(Some(session), "") };
    Erasure { session, expected: None, receipt, effects: Vec::new(), rest: None }
}

fn try_open(options: &Options) -> Result<PostgresStore, Error> {
    PostgresStore::open(options, Arc::new(CountingIds::default()))
}

#[tokio::test]
async fn one_node_is_active_and_another_takes_over_when_it_stops() {
    let options = database!();
    let active = open_database(&options);
    active.commit(commit(session(1), 0, &["first"])).await.unwrap();
    match try_open(&options) {
        Err(Error::Leased { node }) => assert_eq!(node, "test"),
        other => panic!("{other:?}"),
    }
    let standby = Options { standby: Standby::Waits, node: "second".to_owned(), ..options };
    let waiting = tokio::task::spawn_blocking(move || try_open(&standby).unwrap());
    drop(active);
    let second = waiting.await.unwrap();
    second.commit(commit(session(1), 1, &["second"])).await.unwrap();
    assert_eq!(second.load(session(1)).await.unwrap().unwrap().events.len(), 2);
}

#[tokio::test]
async fn a_node_that_stood_still_writes_and_delivers_nothing_once_another_has_taken_over() {
    let options = database!();
    let first = open_database(&options);
    let step = Commit { effects: vec![post(1, session(1))], ..commit(session(1), 0, &["first"]) };
    first.commit(step).await.unwrap();
    // As the database sees it when a node stands still for longer than its lease.
    query(&options, "update store set lease_until = now() - interval '1 second'").await;
    let second = open_database(&options);
    assert_eq!(second.claim(at(1), ALL).await.unwrap().len(), 1);

    let refused = first.commit(commit(session(1), 1, &["too late"])).await;
    assert!(matches!(refused, Err(Error::ReadOnly(Trouble::TakenOver))), "{refused:?}");
    assert_eq!(first.health(), Health::ReadOnly(Trouble::TakenOver));
    assert!(first.claim(at(1), ALL).await.is_err());
    assert!(first.done(effect_id(1), delivered("m")).await.is_err());
    assert!(first.erase(erasure(session(1))).await.is_err());
    assert_eq!(second.load(session(1)).await.unwrap().unwrap().events.len(), 1);
    assert_eq!(second.outbox(session(1)).await.unwrap().len(), 1);
    second.commit(commit(session(1), 1, &["in time"])).await.unwrap();
    assert_eq!(loaded(&first, 1).await, 2, "what it remembers is not shown any more");
    drop(first);
    assert_eq!(
        second.health(),
        Health::Well,
        "the first has given nothing back that was not its own"
    );
}

const END_CONNECTIONS: &str = "select pg_terminate_backend(pid) from pg_stat_activity \
    where application_name like 'anteroom/%' and datname = current_database()";

#[tokio::test]
async fn steps_go_on_when_the_server_ends_connections() {
    let options = database!();
    let store = Arc::new(open_database(&options));
    let mut writers = JoinSet::new();
    for number in 1..=4 {
        let (store, options) = (Arc::clone(&store), options.clone());
        writers.spawn(async move {
            for seq in 0..50 {
                store.commit(commit(session(number), seq, &["."])).await.unwrap();
                if seq % 10 == 5 {
                    query(&options, END_CONNECTIONS).await;
                }
            }
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended.unwrap();
    }
    for number in 1..=4 {
        assert_eq!(loaded(&store, number).await, 50);
    }
    assert_eq!(store.health(), Health::Well);
}

/// While others read, and bring from the database what is old by the time they have it: a note is read anew after each
/// change.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_was_told_that_a_step_is_saved_reads_it() {
    let options = database!();
    let store = Arc::new(open_database(&options));
    let mut tasks = JoinSet::new();
    for number in 1..=4 {
        let writes = Arc::clone(&store);
        tasks.spawn(async move {
            for seq in 0..60 {
                let note = Note {
                    key: format!("key {number}"),
                    session: None,
                    value: Some(seq.to_string()),
                };
                let asked = wait(wait_id(number), session(number), &seq.to_string());
                let step = Commit { waits: vec![asked], ..commit(session(number), seq, &["."]) };
                writes.commit(step).await.unwrap();
                writes.note(note).await.unwrap();
                let events = writes.load(session(number)).await.unwrap().unwrap().events.len();
                assert_eq!(u64::try_from(events).unwrap(), seq + 1);
                let (asked, _) = writes.wait(wait_id(number)).await.unwrap().unwrap();
                assert!(format!("{asked:?}").contains(&format!("\"{seq}\"")), "{seq}: {asked:?}");
                let noted = writes.noted(&format!("key {number}")).await.unwrap().unwrap();
                assert_eq!(noted.value, Some(seq.to_string()));
            }
        });
        for _ in 0..2 {
            let reads = Arc::clone(&store);
            tasks.spawn(async move {
                for _ in 0..200 {
                    drop(reads.load(session(number)).await.unwrap());
                    drop(reads.wait(wait_id(number)).await.unwrap());
                    drop(reads.noted(&format!("key {number}")).await.unwrap());
                }
            });
        }
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
}

/// How many events a session has. Readers are told when the server has ended their connection, and ask again.
async fn loaded(store: &PostgresStore, number: u128) -> usize {
    for _ in 0..20 {
        if let Ok(Some(loaded)) = store.load(session(number)).await {
            return loaded.events.len();
        }
    }
    panic!("session {number} cannot be read");
}

#[tokio::test]
async fn an_effect_under_way_is_not_put_back_once_its_session_is_erased() {
    let options = database!();
    let store = open_database(&options);
    let step = Commit { effects: vec![post(1, session(1))], ..commit(session(1), 0, &["."]) };
    store.commit(step).await.unwrap();
    assert_eq!(store.claim(at(0), ALL).await.unwrap().len(), 1);
    let last = vec![post(2, session(1))];
    let erased = store.erase(Erasure { effects: last, ..erasure(session(1)) });
    let again = store.done(effect_id(1), Delivery::Later { not_before: at(0) });
    let (erased, again) = tokio::join!(erased, again);
    erased.unwrap();
    again.unwrap();
    assert_eq!(store.outbox(session(1)).await.unwrap(), [post(2, session(1))]);
    let claimed = store.claim(at(0), ALL).await.unwrap();
    assert_eq!(claimed, [post(2, session(1))]);
    // What the erasure itself has to say is put back.
    let later = Delivery::Later { not_before: at(1) };
    store.done(effect_id(2), later).await.unwrap();
    assert_eq!(store.claim(at(1), ALL).await.unwrap().len(), 1);
}

/// Between the store and the server: loses answers when it is told to, or says something else in place of one.
struct Network {
    /// Where the store finds the database.
    options: Options,
    faults: Arc<Faults>,
    _running: JoinSet<()>,
}

#[derive(Default)]
struct Faults {
    /// The next answer is lost, and its connection with it.
    loses: AtomicBool,
    /// After that nothing gets through any more.
    stays_away: AtomicBool,
    /// Nothing gets through.
    is_away: AtomicBool,
    /// Said in place of the next answer, with which its connection ends.
    says: Mutex<Option<Vec<u8>>>,
}

impl Faults {
    /// An error in place of the next answer, as the server or a pooler before it tells that the connection is gone.
    fn say(&self, severity: &str, code: &str) {
        let fields = format!("S{severity}\0V{severity}\0C{code}\0Mthe server has gone\0\0");
        let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
        *self.says.lock().unwrap() = Some([b"E", &length[..], fields.as_bytes()].concat());
    }
}

impl Network {
    async fn to(database: &Options) -> Self {
        let (host, name) = database.url.rsplit_once('/').unwrap();
        let server: u16 = host.rsplit_once(':').unwrap().1.parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let options = Options {
            url: format!("postgres://anteroom@127.0.0.1:{port}/{name}"),
            lease: Duration::from_secs(1),
            ..database.clone()
        };
        let faults = Arc::<Faults>::default();
        let (mut running, between) = (JoinSet::new(), Arc::clone(&faults));
        running.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                if between.is_away.load(Ordering::SeqCst) {
                    continue;
                }
                let between = Arc::clone(&between);
                connections.spawn(async move {
                    let server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    tokio::select! {
                        () = pass(from_client, to_server, None) => {}
                        () = pass(from_server, to_client, Some(&between)) => {}
                    }
                });
            }
        });
        Self { options, faults, _running: running }
    }
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, faults: Option<&Faults>) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let said = faults.and_then(|faults| faults.says.lock().unwrap().take());
        if let Some(said) = said {
            to.write_all(&said).await.unwrap();
            return;
        }
        if let Some(faults) = faults
            && faults.loses.swap(false, Ordering::SeqCst)
        {
            let stays_away = faults.stays_away.load(Ordering::SeqCst);
            faults.is_away.store(stays_away, Ordering::SeqCst);
            return;
        }
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_whose_answer_is_lost_is_applied_once() {
    let network = Network::to(&database!()).await;
    let store = open_database(&network.options);
    store.commit(commit(session(1), 0, &["."])).await.unwrap();
    for seq in 1..10 {
        // The session is known by now, so the next answer is that of the write, or of the question for the dedup key.
        network.faults.loses.store(true, Ordering::SeqCst);
        let dedup = (seq % 2 == 0).then(|| format!("event {seq}"));
        let audit = vec![record(Some(session(1)), "words")];
        store.commit(Commit { audit, dedup, ..commit(session(1), seq, &["."]) }).await.unwrap();
        assert!(!network.faults.loses.load(Ordering::SeqCst), "an answer was lost");
    }
    assert_eq!(loaded(&store, 1).await, 10);
    network.faults.loses.store(true, Ordering::SeqCst);
    store.erase(erasure(session(1))).await.unwrap();
    assert!(store.load(session(1)).await.unwrap().is_none());
    let mut chain = ChainCheck::default();
    for sealed in store.audit(0, 99).await.unwrap() {
        chain.add(&sealed);
    }
    assert_eq!((chain.records(), chain.finish()), (10, Ok(())), "with one receipt");
}

/// A pooler says that it has lost the server, a server that it ends all connections: an error, and the step was written.
/// The next one must not pass for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_after_one_whose_answer_was_an_error_is_written_too() {
    let network = Network::to(&database!()).await;
    let store = open_database(&network.options);
    store.commit(commit(session(1), 0, &["."])).await.unwrap();
    let mut seq = 1;
    for (severity, code) in
        [("ERROR", "08P01"), ("FATAL", "08P01"), ("PANIC", "58030"), ("ERROR", "XX000")]
    {
        // The statement is known to the server by now, so the next answer is that of the write.
        network.faults.say(severity, code);
        for _ in 0..3 {
            let done = store.commit(commit(session(1), seq, &["."])).await;
            assert!(done.is_ok(), "{severity} {code}: {done:?}");
            seq += 1;
            assert_eq!(written(&network.options).await, seq, "{severity} {code}");
        }
    }
    assert_eq!(store.health(), Health::Well);
}

/// How many steps the database holds.
async fn written(options: &Options) -> u64 {
    let rows = query(options, "select count(*) as steps from event").await;
    u64::try_from(rows[0].get::<i64, _>("steps")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_the_server_breaks_over_is_refused_and_others_go_on() {
    let options = database!();
    let store = open_database(&options);
    store.commit(commit(session(1), 0, &["."])).await.unwrap();
    query(
        &options,
        "create function breaks() returns trigger language plpgsql as \
         $$ begin raise exception 'index is broken' using errcode = 'XX002'; end $$",
    )
    .await;
    query(
        &options,
        "create trigger breaks before insert on timer for each row execute function breaks()",
    )
    .await;
    let timers = vec![(TimerKind::Work, Some(at(1)))];
    let refused = store.commit(Commit { timers, ..commit(session(1), 1, &["."]) }).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    store.commit(commit(session(1), 1, &["."])).await.unwrap();
    assert_eq!((written(&options).await, store.health()), (2, Health::Well));
}

/// Nothing is tried over and over, and nothing leaves that nobody could note, until something was written.
#[tokio::test(flavor = "multi_thread")]
async fn while_the_servers_disk_is_full_nothing_is_acknowledged_or_sent() {
    const FULL: Health = Health::ReadOnly(Trouble::DatabaseFull);
    let options = Options { lease: Duration::from_secs(3), ..database!() };
    let store = open_database(&options);
    let step = Commit { effects: vec![post(1, session(1))], ..commit(session(1), 0, &["."]) };
    store.commit(step).await.unwrap();
    for statement in [
        "create function full_disk() returns trigger language plpgsql as \
         $$ begin raise exception 'no space left on device' using errcode = 'disk_full'; end $$",
        "create trigger full_disk before insert on event for each row execute function full_disk()",
        "create trigger full_disk before insert on file for each row execute function full_disk()",
    ] {
        query(&options, statement).await;
    }
    for _ in 0..2 {
        let began = Instant::now();
        let refused = store.commit(commit(session(1), 1, &["."])).await;
        assert!(matches!(refused, Err(Error::ReadOnly(Trouble::DatabaseFull))), "{refused:?}");
        assert!(began.elapsed() < options.lease / 2, "{:?}", began.elapsed());
        let until = Instant::now() + options.lease;
        while Instant::now() < until {
            assert_eq!(store.health(), FULL);
            assert!(store.claim(at(0), ALL).await.is_err());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    // What nobody tries is found out all the same.
    query(&options, "drop function full_disk cascade").await;
    let until = Instant::now() + 2 * options.lease;
    while store.health() == FULL {
        assert!(Instant::now() < until);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    store.commit(commit(session(1), 1, &["."])).await.unwrap();
    assert_eq!((store.health(), store.claim(at(0), ALL).await.unwrap().len()), (Health::Well, 1));
    assert!(query(&options, "select from file").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_server_is_away_nothing_is_acknowledged_and_all_goes_on_when_it_is_back() {
    let network = Network::to(&database!()).await;
    let store = open_database(&network.options);
    store.commit(commit(session(1), 0, &["."])).await.unwrap();
    network.faults.stays_away.store(true, Ordering::SeqCst);
    network.faults.loses.store(true, Ordering::SeqCst);
    let step = Commit { effects: vec![post(1, session(1))], ..commit(session(1), 1, &["."]) };
    let refused = store.commit(step).await;
    assert!(matches!(refused, Err(Error::ReadOnly(Trouble::Unreachable))), "{refused:?}");
    assert_eq!(store.health(), Health::ReadOnly(Trouble::Unreachable));
    assert!(store.claim(at(0), ALL).await.is_err());

    network.faults.is_away.store(false, Ordering::SeqCst);
    let next = || commit(session(2), 0, &["."]);
    while let Err(refused) = store.commit(next()).await {
        assert!(matches!(refused, Error::ReadOnly(Trouble::Unreachable)), "{refused:?}");
    }
    assert_eq!(store.health(), Health::Well);
    // It was written, though nobody could say so, and what it sends leaves.
    assert_eq!(loaded(&store, 1).await, 2);
    assert_eq!(store.claim(at(0), ALL).await.unwrap().len(), 1);
}

/// Whether any file below `dir` holds `marker`.
fn holds(dir: &Path, marker: &str) -> bool {
    fs::read_dir(dir).unwrap().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, marker);
        }
        // Files come and go while the server runs.
        let bytes = fs::read(&path).unwrap_or_default();
        bytes.windows(marker.len()).any(|window| window == marker.as_bytes())
    })
}

#[tokio::test]
async fn nothing_that_people_said_is_in_clear_in_the_database_or_its_log() {
    const MARKER: &str = "Quittenmarmelade";
    let options = database!();
    let store = open_database(&options);
    let asked: Wait = wait(wait_id(1), session(1), MARKER);
    let mut named = head(session(1), 1);
    named.name = Some(MARKER.to_owned());
    let act = Act::Post { text: MARKER.into(), offers: Vec::new(), transcript: false };
    let step = Commit {
        head: named,
        waits: vec![asked],
        effects: vec![effect(effect_id(1), session(1), act)],
        audit: vec![record(Some(session(1)), MARKER)],
        dedup: Some(MARKER.to_owned()),
        ..commit(session(1), 0, &[MARKER])
    };
    store.commit(step).await.unwrap();
    let note =
        |session| Note { key: format!("web/{MARKER}"), session, value: Some(MARKER.to_owned()) };
    store.note(note(Some(session(1)))).await.unwrap();
    store.note(Note { key: format!("of nobody {MARKER}"), ..note(None) }).await.unwrap();
    // It is found where it stands in clear, so that a search that finds nothing says something.
    query(&options, "create table marked as select 'Zwetschgenröster'::text as word").await;
    query(&options, "checkpoint").await;
    assert!(holds(&postgres::data(), "Zwetschgenröster"));
    assert!(!holds(&postgres::data(), MARKER));

    store.erase(erasure(session(1))).await.unwrap();
    let left = query(
        &options,
        "select (select count(*) from session) + (select count(*) from event) + (select count(*) from wait) \
         + (select count(*) from effect) + (select count(*) from dedup) + (select count(words) from audit) as rows",
    )
    .await;
    assert_eq!(left[0].get::<i64, _>("rows"), 0, "with its keys, all that they sealed is gone");
    assert!(store.noted(&format!("web/{MARKER}")).await.unwrap().is_none());
}

#[tokio::test]
async fn a_session_that_is_damaged_keeps_nobody_elses_steps_back() {
    let options = database!();
    let store = open_database(&options);
    for number in 1..=3 {
        store.commit(commit(session(number), 0, &["."])).await.unwrap();
    }
    drop(store);
    query(
        &options,
        "update session set keys = decode('00', 'hex') \
         where id = '00000000-0000-0000-0000-000000000001'",
    )
    .await;
    let store = open_database(&options);
    for seq in 1..20 {
        // What comes while the first is on its way goes together.
        let (first, damaged, other) = tokio::join!(
            store.commit(commit(session(3), seq, &["."])),
            store.commit(commit(session(1), 1, &["."])),
            store.commit(commit(session(2), seq, &["."])),
        );
        assert!(matches!(damaged, Err(Error::Unreadable { .. })), "{damaged:?}");
        assert_eq!((first.is_ok(), other.is_ok()), (true, true));
    }
    assert!(store.load(session(1)).await.is_err());
    assert_eq!(store.unreadable().len(), 1);
    assert_eq!(store.find(Find::newest(9)).await.unwrap().len(), 2);

    store.erase(erasure(session(1))).await.unwrap();
    assert!(store.load(session(1)).await.unwrap().is_none());
}

/// What was posted for a session, where a question is shown, what an account has: each is written anew, and said to be
/// damaged.
#[tokio::test]
async fn what_a_step_only_adds_to_keeps_it_back_from_nothing_when_it_is_damaged() {
    let options = database!();
    let store = open_database(&options);
    let shows = |id| effect(effect_id(id), session(1), Act::Show { wait: wait_id(1) });
    let charges = || {
        let (usage, told) = (Usage::default(), Level::default());
        vec![Charge { account: "team".to_owned(), usage, told }]
    };
    let step = Commit {
        waits: vec![wait(wait_id(1), session(1), ".")],
        effects: vec![shows(1), shows(2), shows(3)],
        charges: charges(),
        ..commit(session(1), 0, &["."])
    };
    store.commit(step).await.unwrap();
    let item = Item::Message { at: "D1/1".to_owned() };
    let posted = vec![Posted { item, reader: Reader::Participant }];
    let delivered = Delivery::Delivered { message: Some("D1/1".to_owned()), posted };
    for id in [1, 2] {
        store.claim(at(1), ALL).await.unwrap();
        store.done(effect_id(id), delivered.clone()).await.unwrap();
        for damage in [
            "update note set body = ''",
            "update shown set body = ''",
            "update account set body = ''",
        ] {
            query(&options, damage).await;
        }
    }
    store.claim(at(1), ALL).await.unwrap();
    store.done(effect_id(3), delivered.clone()).await.unwrap();
    assert_eq!(store.outbox(session(1)).await.unwrap(), [], "all have left");
    // An erasure must not pass for complete.
    let ledger = store.noted(&posted::ledger_of(session(1))).await.unwrap().unwrap();
    let said: Vec<_> = posted::read(&ledger.value.unwrap()).map(|it| it.item).collect();
    assert_eq!(said, [Item::Unreadable, Item::Message { at: "D1/1".to_owned() }]);
    let step = Commit { charges: charges(), ..commit(session(1), 1, &["."]) };
    let other = Commit { charges: charges(), ..commit(session(2), 0, &["."]) };
    store.commit(step).await.unwrap();
    store.commit(other).await.unwrap();
    let damaged: Vec<_> = store.unreadable().into_iter().map(|it| it.what).collect();
    let id = session(1);
    assert_eq!(
        damaged,
        [
            "account".to_owned(),
            format!("what was posted for session `{id}`"),
            format!("where a question of session `{id}` was shown"),
        ]
    );
}

/// What a start asks for does not depend on how much else was noted in the years before: of a note of another kind, not
/// even the damage is found.
#[tokio::test]
async fn notes_of_one_kind_are_read_without_the_others() {
    let options = database!();
    let store = open_database(&options);
    store.note(note("erasure/1", None, "done")).await.unwrap();
    query(&options, "create table other as select digest from note").await;
    store.note(note("desk/install/1", None, "a token")).await.unwrap();
    // As an older version has left them.
    query(&options, "update note set family = null").await;
    let installs = [note("desk/install/1", None, "a token")];
    assert_eq!(store.notes("desk/install/").await.unwrap(), installs);
    assert!(query(&options, "select from note where family is null").await.is_empty());

    query(&options, "update note set body = '' where digest in (select digest from other)").await;
    assert_eq!(store.notes("desk/install/").await.unwrap(), installs);
    assert_eq!(store.unreadable(), [], "it was not read");
    assert_eq!(store.notes("erasure/").await.unwrap(), []);
    assert_eq!(store.unreadable().len(), 1);
}

/// When they were updated stands in their heads alone, which are sealed.
#[tokio::test]
async fn sessions_of_older_versions_are_found_by_their_last_update() {
    let options = database!();
    let store = open_database(&options);
    for number in 1..=3 {
        store.commit(commit(session(number), 0, &["."])).await.unwrap();
    }
    let older = "update session set platform = null, is_active = null, updated_at = null, updated_hour = null";
    query(&options, older).await;
    let (platform, since, after) = (Platform::Web, at(0), None);
    let find = Find::RecentlyUpdated { platform, is_active: true, since, after, limit: 2 };
    let found = store.find(find).await.unwrap();
    let found: Vec<_> = found.iter().map(|head| head.id).collect();
    assert_eq!(found, [session(3), session(2)]);
    assert!(query(&options, "select from session where updated_hour is null").await.is_empty());
}

#[tokio::test]
async fn a_node_with_another_key_reads_nothing() {
    let options = database!();
    drop(open_database(&options));
    let stranger = Options { key: [8; 32], ..options.clone() };
    let refused = try_open(&stranger).unwrap_err().to_string();
    assert!(refused.contains("sealed with another key"), "{refused}");
    assert!(refused.contains("hint:"), "{refused}");
    // It has not taken the lease either.
    let store = open_database(&options);
    assert_eq!(store.claim(at(0), ALL).await.unwrap(), []);
    store.done(effect_id(7), Delivery::NotApplicable).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_are_listed_with_the_active_one_first() {
    let options = database!();
    assert!(nodes(&options).await.is_err(), "there are no tables yet");
    let one = open_database(&options);
    one.commit(commit(session(1), 0, &["."])).await.unwrap();
    let two = Options { node: "Zwölf".to_owned(), standby: Standby::Waits, ..options.clone() };
    let waiting = tokio::task::spawn_blocking(move || open_database(&two));
    let found = loop {
        let found = nodes(&options).await.unwrap();
        if found.len() == 2 {
            break found;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!((found[0].name.as_str(), found[0].is_active), (options.node.as_str(), true));
    // The server keeps plain letters.
    assert_eq!((found[1].name.as_str(), found[1].is_active), ("Zw?lf", false));
    for node in &found {
        assert_eq!(node.version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
        assert_eq!(node.address.as_deref(), Some("127.0.0.1"));
        assert!(node.since.is_some());
    }
    drop(one);
    let _two = waiting.await.unwrap();
    let found = nodes(&options).await.unwrap();
    assert_eq!((found[0].name.as_str(), found[0].is_active), ("Zw?lf", true));
}

/// `PgBouncer`, unless it is told otherwise, takes these parameters when a connection begins and no others.
const OF_A_POOLER: [&str; 6] =
    ["user", "database", "application_name", "client_encoding", "DateStyle", "TimeZone"];

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_asks_for_nothing_that_a_pooler_refuses() {
    let options = database!();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let pooled =
        Options { url: format!("postgres://anteroom@127.0.0.1:{port}/bot"), ..options.clone() };
    let mut asking = JoinSet::new();
    asking.spawn(async move { nodes(&pooled).await });
    let (mut client, _) = listener.accept().await.unwrap();
    let mut encryption = [0; 8];
    client.read_exact(&mut encryption).await.unwrap();
    client.write_all(b"N").await.unwrap();
    let length = client.read_u32().await.unwrap();
    let mut asked = vec![0; usize::try_from(length).unwrap() - 4];
    client.read_exact(&mut asked).await.unwrap();
    drop(client);
    let words: Vec<_> = asked[4..].split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let names: Vec<_> = words.chunks(2).map(|pair| &*pair[0]).filter(|it| !it.is_empty()).collect();
    assert!(names.iter().all(|name| OF_A_POOLER.contains(name)), "{words:?}");
    assert!(asking.join_next().await.unwrap().unwrap().is_err());

    // Its limits are there all the same.
    let store = open_database(&options);
    for statement in [
        "create table limits (what text)",
        "create function notes_limits() returns trigger language plpgsql as $$ begin \
         insert into limits values (current_setting('statement_timeout')), \
         (current_setting('idle_in_transaction_session_timeout')); return new; end $$",
        "create trigger notes before insert on event for each row execute function notes_limits()",
    ] {
        query(&options, statement).await;
    }
    store.commit(commit(session(1), 0, &["."])).await.unwrap();
    let limits = query(&options, "select what from limits").await;
    let limits: Vec<String> = limits.iter().map(|row| row.get("what")).collect();
    assert_eq!(limits, ["5s", "5s"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_of_a_newer_version_are_left_alone() {
    let options = database!();
    assert!(changes(&options).await.unwrap().iter().all(|change| !change.is_applied));
    drop(open_database(&options));
    assert!(changes(&options).await.unwrap().iter().all(|c| c.is_applied && c.is_known));
    query(
        &options,
        "insert into _sqlx_migrations (version, description, success, checksum, execution_time) values (99, 'later', true, '', 0)",
    )
    .await;
    let refused = try_open(&options).err().unwrap().to_string();
    assert!(refused.contains("a newer version has changed the tables"), "{refused}");
    let last = changes(&options).await.unwrap().pop().unwrap();
    assert_eq!((last.number, last.name.as_str(), last.is_known), (99, "later", false));
    // Nobody has to wait for its lease.
    query(&options, "delete from _sqlx_migrations where version = 99").await;
    drop(open_database(&options));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_waits_learns_where_the_active_one_is_reached() {
    let options = database!();
    let own = Addresses::default().with(Part::Web, "10.0.0.5:4747".to_owned());
    let reached = Reached { own: own.clone(), ..Reached::default() };
    let one = open_database(&Options { reached, ..options.clone() });
    let reached = Reached::default();
    let mut active = reached.active.subscribe();
    let two =
        Options { node: "second".to_owned(), standby: Standby::Waits, reached, ..options.clone() };
    let waiting = tokio::task::spawn_blocking(move || open_database(&two));
    let known = active.wait_for(Option::is_some).await.unwrap().clone().unwrap();
    assert_eq!((known.name.as_str(), &known.addresses), (options.node.as_str(), &own));
    // As an older version leaves the tables: nobody says anything, and nobody fails.
    query(&options, "alter table store drop column addresses").await;
    let known = active.wait_for(|known| known.as_ref().unwrap().addresses != own).await;
    assert_eq!(known.unwrap().clone().unwrap().addresses, Addresses::default());
    query(&options, "alter table store add column addresses text").await;
    query(&options, "update store set addresses = '{\"web\":\"10.0.0.5:4747\"}'").await;
    drop(active.wait_for(|known| known.as_ref().unwrap().addresses == own).await.unwrap());
    drop(one);
    let _two = waiting.await.unwrap();
    // It is reached nowhere, and does not leave the address of the other one.
    let rows = query(&options, "select addresses from store").await;
    assert_eq!(rows[0].get::<Option<String>, _>("addresses"), None);
}
