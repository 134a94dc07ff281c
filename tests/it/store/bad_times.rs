//! Bad times of the embedded store: a device that fails, by word of a port that tests hold. The real thing, a full
//! disk under the real program, is in `tests/program/full_disk.rs`.

use std::{
    fs,
    io::{self, ErrorKind},
    path::PathBuf,
    sync::{Mutex, mpsc},
    time::Duration,
};

use anteroom::{
    model::posted::ledger_of,
    store::{
        health::Trouble,
        sled::fault_injection::{Faults, Touch},
    },
};
use futures::poll;

use super::{sled_alone::closed_store, *};
use crate::support::raw_database;

/// A device under a test's thumb.
#[derive(Debug, Default)]
pub(crate) struct Weather {
    /// Touches that fail, how often they are let pass before, and how often they fail then.
    storms: Mutex<Vec<Storm>>,
    /// Every touch so far.
    pub(crate) touches: Mutex<Vec<Touch>>,
    /// A sync waits for a word here, where there is one to wait for.
    hold: Mutex<Option<mpsc::Receiver<()>>>,
    /// How long a sync may take; usual where there is none.
    patience: Mutex<Option<Duration>>,
}

#[derive(Debug)]
struct Storm {
    touch: Touch,
    after: usize,
    times: usize,
    kind: Option<ErrorKind>,
}

impl Weather {
    /// From now on these fail, until [`Weather::clear`].
    pub(crate) fn turn(&self, touches: &[Touch], kind: ErrorKind) {
        for touch in touches {
            self.strike_at(*touch, 0, usize::MAX, Some(kind));
        }
    }

    pub(crate) fn clear(&self) {
        self.storms.lock().unwrap().clear();
    }

    /// Panics where there is no `kind`.
    fn strike_at(&self, touch: Touch, after: usize, times: usize, kind: Option<ErrorKind>) {
        self.storms.lock().unwrap().push(Storm { touch, after, times, kind });
    }

    fn count(&self, touch: Touch) -> usize {
        self.touches.lock().unwrap().iter().filter(|other| **other == touch).count()
    }
}

impl Faults for Weather {
    fn strike(&self, touch: Touch) -> io::Result<()> {
        self.touches.lock().unwrap().push(touch);
        if touch == Touch::Sync
            && let Some(hold) = self.hold.lock().unwrap().take()
        {
            hold.recv().unwrap();
        }
        let mut storms = self.storms.lock().unwrap();
        let Some(storm) = storms.iter_mut().find(|storm| storm.touch == touch) else {
            return Ok(());
        };
        if storm.after > 0 {
            storm.after -= 1;
            return Ok(());
        }
        if storm.times == 0 {
            return Ok(());
        }
        storm.times -= 1;
        let kind = storm.kind;
        drop(storms);
        Err(kind.expect("a storm without a kind breaks everything").into())
    }

    fn patience(&self) -> Duration {
        self.patience.lock().unwrap().unwrap_or(Duration::from_mins(5))
    }
}

/// A store, its device and its directory.
struct Coast {
    store: SledStore,
    weather: Arc<Weather>,
    dir: TempDir,
}

impl Coast {
    fn new() -> Self {
        Self::over(Weather::default())
    }

    fn over(weather: Weather) -> Self {
        let dir = TempDir::new().unwrap();
        let weather = Arc::new(weather);
        let store = opened(dir.path(), &weather).unwrap();
        Self { store, weather, dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// What the engine does every second.
    async fn tell(&self, now: DateTime<Utc>) -> Health {
        _ = self.store.claim(now, Capacity::of_any(0)).await;
        self.store.health()
    }
}

fn opened(dir: &Path, weather: &Arc<Weather>) -> Result<SledStore, Error> {
    SledStore::open_with(dir, Arc::new(CountingIds::default()), Arc::clone(weather) as _)
}

fn seconds(seconds: i64) -> DateTime<Utc> {
    at(0) + TimeDelta::seconds(seconds)
}

/// Ten commits, each with a key, an effect and an audit record, by somebody who does not give up.
async fn persist(coast: &Coast) -> usize {
    let mut refused = 0;
    let mut now = at(0);
    for seq in 0..10 {
        loop {
            let step = Commit {
                effects: vec![post(u128::from(seq), session(1))],
                audit: vec![record(Some(session(1)), "because")],
                dedup: Some(format!("key-{seq}")),
                ..commit(session(1), seq, &["once"])
            };
            match coast.store.commit(step).await {
                Ok(()) | Err(Error::Duplicate) => break,
                Err(Error::ReadOnly(_)) => refused += 1,
                Err(error) => panic!("{error}"),
            }
            now += TimeDelta::seconds(15);
            coast.tell(now).await;
        }
    }
    refused
}

#[tokio::test]
async fn whichever_touch_of_the_device_fails_everything_counts_exactly_once() {
    let kinds = [Some(ErrorKind::StorageFull), Some(ErrorKind::Other), None];
    for touch in [Touch::Write, Touch::Written, Touch::Sync] {
        for after in [0, 1, 4, 9] {
            // A panic in the sync thread is like a sync that fails; one in a step is like one in sled.
            for kind in kinds {
                let coast = Coast::new();
                coast.weather.strike_at(touch, after, 1, kind);
                let refused = persist(&coast).await;
                let context = format!("{touch:?} {after} {kind:?}");
                assert_eq!(refused, 1, "{context}");
                assert_eq!(coast.store.health(), Health::Well, "{context}");
                assert_eq!(seq(&coast.store, session(1)).await, Some(10), "{context}");
                let Coast { store, dir, .. } = coast;
                drop(store);
                let store = open(dir.path());
                assert_eq!(seq(&store, session(1)).await, Some(10), "{context}");
                let chain = chain(&store).await;
                assert_eq!(chain.len(), 10, "{context}");
                let mut previous = CHAIN_START;
                for (index, sealed) in (0..).zip(&chain) {
                    assert!(sealed.holds(index, previous), "{context}");
                    previous = &sealed.seal;
                }
                let mut effects = 0;
                while let [effect] = &store.claim(at(9), ALL).await.unwrap()[..] {
                    store.done(effect.id, delivered("m")).await.unwrap();
                    effects += 1;
                }
                assert_eq!(effects, 10, "{context}");
            }
        }
    }
}

#[tokio::test]
async fn a_store_that_cannot_write_says_so_reads_on_and_mends_itself() {
    let coast = Coast::new();
    let store = &coast.store;
    store.commit(full(session(1), 1)).await.unwrap();
    coast.weather.turn(&[Touch::Sync, Touch::Probe], ErrorKind::StorageFull);

    let lost = store.commit(commit(session(1), 2, &["not saved"])).await.unwrap_err();
    insta::assert_snapshot!(lost, @"could not save: the disk is full. hint: free up space on the disk of the data directory; saving goes on by itself when it is over");
    assert_eq!(store.health(), Health::ReadOnly(Trouble::Full));
    // Refused at once: the device is not touched.
    let touches = coast.weather.touches.lock().unwrap().len();
    let refused = [
        store.commit(commit(session(2), 0, &["."])).await,
        store.done(effect_id(10), delivered("m")).await,
        store.erase(whole(session(1), record(None, ""))).await,
    ];
    for refused in refused {
        assert!(matches!(refused, Err(Error::ReadOnly(Trouble::Full))), "{refused:?}");
    }
    assert_eq!(coast.weather.touches.lock().unwrap().len(), touches);
    // Reads go on.
    assert!(store.load(session(1)).await.unwrap().is_some());
    assert!(store.wait(wait_id(1)).await.unwrap().is_some());
    assert_eq!(store.find(Find::Person(PersonId::web("ada"))).await.unwrap().len(), 1);
    assert_eq!(store.due(at(0), 9).await.unwrap().len(), 1);
    assert_eq!(chain(store).await.len(), 2);

    assert_eq!(coast.tell(at(1)).await, Health::ReadOnly(Trouble::Full));
    coast.weather.clear();
    assert_eq!(coast.tell(at(2)).await, Health::Well);
    store.commit(commit(session(2), 0, &["saved"])).await.unwrap();
    assert_eq!(seq(store, session(2)).await, Some(1));
}

#[tokio::test]
async fn mending_is_tried_after_pauses_that_double_up_to_a_bound() {
    let coast = Coast::new();
    coast.weather.turn(&[Touch::Write, Touch::Probe], ErrorKind::StorageFull);
    coast.store.commit(commit(session(1), 0, &["."])).await.unwrap_err();
    let mut tries = Vec::new();
    for second in 0..60 {
        let before = coast.weather.count(Touch::Probe);
        coast.tell(seconds(second)).await;
        if coast.weather.count(Touch::Probe) > before {
            tries.push(second);
        }
    }
    assert_eq!(tries, [0, 1, 3, 7, 15, 30, 45]);
    // A clock that was set back does not keep it waiting.
    let before = coast.weather.count(Touch::Probe);
    coast.tell(seconds(-86_400)).await;
    assert_eq!(coast.weather.count(Touch::Probe), before + 1);
}

#[tokio::test]
async fn a_store_that_fails_again_right_away_is_not_opened_in_a_circle() {
    let coast = Coast::new();
    coast.weather.turn(&[Touch::Write], ErrorKind::Other);
    let mut opened = Vec::new();
    for second in 0..40 {
        coast.store.commit(commit(session(1), 0, &["."])).await.unwrap_err();
        let before = coast.weather.count(Touch::Open);
        coast.tell(seconds(second)).await;
        if coast.weather.count(Touch::Open) > before {
            opened.push(second);
        }
    }
    assert!(opened.len() < 8, "{opened:?}");
    coast.weather.clear();
    coast.tell(at(9)).await;
    coast.store.commit(commit(session(1), 0, &["."])).await.unwrap();
}

#[tokio::test]
async fn an_effect_in_somebodys_hands_is_not_handed_out_again() {
    let coast = Coast::new();
    let store = &coast.store;
    store.commit(full(session(1), 1)).await.unwrap();
    store.commit(full(session(2), 2)).await.unwrap();
    let in_flight = store.claim(at(0), Capacity::of_any(1)).await.unwrap();
    assert_eq!(in_flight.len(), 1);
    coast.weather.strike_at(Touch::Write, 0, 1, Some(ErrorKind::StorageFull));
    store.done(in_flight[0].id, delivered("m")).await.unwrap_err();

    let after = store.claim(at(1), ALL).await.unwrap();
    assert_eq!(store.health(), Health::Well);
    assert_eq!(after.len(), 1);
    assert_ne!(after[0].session, in_flight[0].session);
    // Whoever had it can say now what came of it, and the next one of its session comes.
    store.done(in_flight[0].id, delivered("m")).await.unwrap();
    let next = store.claim(at(2), ALL).await.unwrap();
    assert_eq!(
        next.iter().map(|effect| effect.session).collect::<Vec<_>>(),
        [in_flight[0].session]
    );
}

#[tokio::test]
async fn a_device_that_hangs_is_not_waited_for() {
    let (release, hold) = mpsc::channel();
    let hold = Mutex::new(Some(hold));
    let patience = Mutex::new(Some(Duration::from_millis(50)));
    let coast = Coast::over(Weather { hold, patience, ..Weather::default() });
    let stuck = coast.store.commit(commit(session(1), 0, &["hangs"])).await.unwrap_err();
    insta::assert_snapshot!(stuck, @"could not save: the disk does not answer in time. hint: check the system log for disk errors; move the data directory to a healthy disk; saving goes on by itself when it is over");
    // What hangs still holds the database.
    assert!(matches!(coast.tell(at(1)).await, Health::ReadOnly(_)));
    release.send(()).unwrap();
    assert_eq!(coast.tell(at(2)).await, Health::Well);
    coast.store.load(session(1)).await.unwrap();
}

/// What somebody reads of four sessions: how far each is, what is queued, what is due, how many audit records there are,
/// and how many of the first session.
async fn read(store: &SledStore) -> (Vec<(SessionId, u64)>, Vec<EffectId>, usize, usize, usize) {
    let heads = store.sessions(None, 9).await.unwrap();
    let newest = store.find(Find::Newest { before: None, limit: 9 }).await.unwrap();
    assert!(heads.iter().rev().eq(&newest));
    let (mut sessions, mut queued) = (Vec::new(), Vec::new());
    for number in 1..=4 {
        let loaded = store.load(session(number)).await.unwrap();
        sessions.extend(loaded.map(|loaded| (loaded.head.id, loaded.events.len() as u64)));
        queued.extend(store.outbox(session(number)).await.unwrap().iter().map(|effect| effect.id));
    }
    assert!(heads.iter().map(|head| (head.id, head.seq)).eq(sessions.iter().copied()));
    let due = store.due(at(0), 9).await.unwrap().len();
    let audit = store.audit(0, 99).await.unwrap().len();
    let (of_first, _) = store.audit_of(session(1), None).await.unwrap();
    (sessions, queued, due, audit, of_first.len())
}

fn step(seq: u64, effect: u128, session: SessionId) -> Commit {
    Commit {
        effects: vec![post(effect, session)],
        audit: vec![record(Some(session), "because")],
        timers: vec![(TimerKind::Work, Some(at(0)))],
        ..commit(session, seq, &["words"])
    }
}

fn erasure(of: SessionId) -> Erasure {
    whole(of, AuditRecord { event: "erased".to_owned(), ..record(Some(of), "") })
}

async fn claimed(store: &SledStore) -> Vec<EffectId> {
    let claimed = store.claim(at(0), Capacity::of_any(9)).await.unwrap();
    claimed.iter().map(|effect| effect.id).collect()
}

/// Begins something that is written, on a device whose sync takes until a word is sent.
macro_rules! slowly {
    ($coast:expr, $($write:expr),+) => {{
        let (release, hold) = mpsc::channel();
        *$coast.weather.hold.lock().unwrap() = Some(hold);
        let before = $coast.weather.count(Touch::Sync);
        let mut writes = Box::pin(async { futures::join!($($write),+) });
        while $coast.weather.count(Touch::Sync) == before {
            assert!(poll!(&mut writes).is_pending());
            tokio::task::yield_now().await;
        }
        (release, writes)
    }};
}

#[tokio::test]
async fn nobody_who_reads_waits_for_the_device_or_sees_what_a_power_cut_could_take_back() {
    let coast = Coast::new();
    let store = &coast.store;
    for number in 2..=4 {
        store.commit(step(0, number, session(number))).await.unwrap();
    }
    let before = read(store).await;

    let (release, writes) = slowly!(
        coast,
        store.commit(step(1, 12, session(2))),
        store.commit(step(0, 11, session(1))),
        store.commit(step(1, 13, session(3)))
    );
    assert_eq!(read(store).await, before);
    assert_eq!(claimed(store).await, [2, 3, 4].map(effect_id));
    release.send(()).unwrap();
    let (two, one, three) = writes.await;
    assert!(two.is_ok() && one.is_ok() && three.is_ok());
    let after = read(store).await;
    assert_eq!(after.0, [(1, 1), (2, 2), (3, 2), (4, 1)].map(|(n, seq)| (session(n), seq)));
    assert_eq!(after.1, [11, 2, 12, 3, 13, 4].map(effect_id));
    assert_eq!((after.2, after.3, after.4), (before.2 + 1, before.3 + 3, 1));

    // Somebody who is being erased is read whole until nothing of them can come back.
    let (release, erased) = slowly!(coast, store.erase(erasure(session(1))));
    assert_eq!(read(store).await, after);
    release.send(()).unwrap();
    erased.await.0.unwrap();
    let left = read(store).await;
    assert_eq!((left.0.as_slice(), left.1.as_slice()), (&after.0[1..], &after.1[1..]));
}

#[tokio::test]
async fn what_comes_together_with_an_erasure_leaves_nothing_of_the_session() {
    let coast = Coast::new();
    let store = &coast.store;
    store.commit(step(0, 1, session(1))).await.unwrap();
    assert_eq!(claimed(store).await, [effect_id(1)]);
    let (release, first) = slowly!(coast, store.commit(step(0, 2, session(2))));
    let mut rest = Box::pin(async {
        futures::join!(
            store.commit(step(1, 11, session(1))),
            store.erase(erasure(session(1))),
            store.done(effect_id(1), delivered("D1/1.0"))
        )
    });
    assert!(poll!(&mut rest).is_pending());
    release.send(()).unwrap();
    first.await.0.unwrap();
    let (committed, erased, done) = rest.await;
    assert!(committed.is_ok() && erased.is_ok() && done.is_ok());
    assert_eq!(claimed(store).await, [effect_id(2)], "what is gone does not leave");
    assert_eq!(store.noted(&ledger_of(session(1))).await.unwrap(), None);
    assert_eq!(store.outbox(session(1)).await.unwrap(), []);
}

#[tokio::test]
async fn a_timer_of_a_step_of_which_nobody_knew_whether_it_was_written_is_found() {
    let coast = Coast::new();
    let store = &coast.store;
    assert_eq!(store.due(at(9), 9).await.unwrap(), []);
    coast.weather.strike_at(Touch::Sync, 0, 1, Some(ErrorKind::Other));
    store.commit(step(0, 1, session(1))).await.unwrap_err();
    assert_eq!(coast.tell(at(1)).await, Health::Well);
    let is_there = seq(store, session(1)).await.is_some();
    assert_eq!(store.due(at(9), 9).await.unwrap().len(), usize::from(is_there));

    // None is due before a step is on the device, and all are from then on, also by a clock that was set back.
    let (release, written) = slowly!(coast, store.commit(step(0, 2, session(2))));
    assert_eq!(store.due(at(9), 9).await.unwrap().len(), usize::from(is_there));
    release.send(()).unwrap();
    written.await.0.unwrap();
    assert_eq!(store.due(at(0), 9).await.unwrap().len(), 1 + usize::from(is_there));
    assert_eq!(store.due(at(-1), 9).await.unwrap(), []);
    assert_eq!(store.due(at(0), 9).await.unwrap().len(), 1 + usize::from(is_there));
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_again_tries_again() {
    let coast = Coast::new();
    coast.store.commit(commit(session(1), 0, &["kept"])).await.unwrap();
    coast.weather.strike_at(Touch::Sync, 0, 1, Some(ErrorKind::Other));
    coast.weather.turn(&[Touch::Open], ErrorKind::ReadOnlyFilesystem);
    coast.store.commit(commit(session(1), 1, &["."])).await.unwrap_err();
    assert_eq!(coast.store.health(), Health::ReadOnly(Trouble::Device));

    assert_eq!(coast.tell(at(1)).await, Health::ReadOnly(Trouble::ReadOnly));
    let unread = coast.store.load(session(1)).await.unwrap_err();
    insta::assert_snapshot!(unread, @"could not save: the file system is read-only. hint: remount the file system of the data directory as writable; the system log says why it is read-only; saving goes on by itself when it is over");
    coast.weather.clear();
    assert_eq!(coast.tell(at(2)).await, Health::Well);
    assert!(seq(&coast.store, session(1)).await >= Some(1));
}

#[tokio::test]
async fn room_is_kept_and_made_anew() {
    const SIZE: u64 = 10 * 1024 * 1024;
    let coast = Coast::new();
    let length = |name: &str| fs::metadata(coast.path(name)).map(|metadata| metadata.len()).ok();
    assert_eq!(length("reserve"), Some(SIZE));
    coast.weather.turn(&[Touch::Sync, Touch::Probe], ErrorKind::StorageFull);
    coast.store.commit(commit(session(1), 0, &["."])).await.unwrap_err();
    // Kept while nothing can be done with it, under a name that says what a new process must do first.
    assert_eq!((length("reserve"), length("reserve-unsettled")), (None, Some(SIZE)));
    coast.weather.clear();
    assert_eq!(coast.tell(at(1)).await, Health::Well);
    assert_eq!((length("reserve"), length("reserve-unsettled")), (Some(SIZE), None));
    assert_eq!(length("probe"), None);
}

#[tokio::test]
async fn what_a_failed_sync_left_in_doubt_is_settled_by_the_next_process_too() {
    let coast = Coast::new();
    coast.store.commit(commit(session(1), 0, &["kept"])).await.unwrap();
    coast.weather.turn(&[Touch::Sync, Touch::Probe], ErrorKind::Other);
    coast.store.commit(commit(session(1), 1, &["in doubt"])).await.unwrap_err();
    let Coast { store, dir, .. } = coast;
    drop(store);
    assert!(dir.path().join("reserve-unsettled").exists());

    let store = open(dir.path());
    assert_eq!(store.health(), Health::Well);
    assert!(!dir.path().join("reserve-unsettled").exists());
    assert!(seq(&store, session(1)).await >= Some(1));
}

#[tokio::test]
async fn a_snapshot_torn_in_bad_times_does_not_keep_it_from_mending() {
    let dir = closed_store().await;
    let weather = Arc::new(Weather::default());
    let store = opened(dir.path(), &weather).unwrap();
    weather.strike_at(Touch::Write, 0, 1, Some(ErrorKind::StorageFull));
    store.commit(commit(session(1), 2, &["."])).await.unwrap_err();
    for entry in fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("/snap.") {
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        }
    }
    fs::write(dir.path().join("snap.FFFFFFFFFFFFFFFF.generating"), "half").unwrap();
    store.claim(at(1), Capacity::of_any(0)).await.unwrap();
    assert_eq!(store.health(), Health::Well);
    assert_eq!(seq(&store, session(1)).await, Some(2));
}

/// What an operator reads when the directory cannot be opened.
fn refusal(dir: &Path) -> String {
    let error = SledStore::open(dir, Arc::new(RandomIds)).unwrap_err();
    error.to_string().replace(&*dir.to_string_lossy(), "DIR")
}

#[tokio::test]
async fn a_file_in_the_place_of_the_directory_is_explained() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("store");
    fs::write(&file, "a note").unwrap();
    insta::assert_snapshot!(refusal(&file), @"the data in `DIR` cannot be opened: a file stands where a directory must be. hint: move it away, or choose another data directory, then start again");
    assert_eq!(fs::read(&file).unwrap(), b"a note");
    insta::assert_snapshot!(refusal(&file.join("deeper")), @"the data in `DIR` cannot be opened: a file stands where a directory must be. hint: move it away, or choose another data directory, then start again");
}

#[tokio::test]
async fn a_database_of_a_newer_program_is_explained_and_left_alone() {
    let dir = closed_store().await;
    let set = |layout: &[u8]| {
        let db = raw_database::open(dir.path());
        db.insert(b"l", layout).unwrap().unwrap().to_vec()
    };
    let ours = set(&[9]);
    insta::assert_snapshot!(refusal(dir.path()), @"database `DIR` cannot be read: it needs layout 9, which this program lacks. hint: run the newer program");
    assert_eq!(set(&ours), [9]);
    assert_eq!(seq(&open(dir.path()), session(1)).await, Some(2));
}

#[tokio::test]
async fn a_damaged_database_is_explained_and_names_the_way_back() {
    let spoil: [fn(&Path); 3] = [
        |db| fs::write(db, "").unwrap(),
        |db| fs::write(db, vec![0xA5; 4 * 1024 * 1024]).unwrap(),
        |db| {
            let length = fs::metadata(db).unwrap().len();
            fs::write(db, vec![0; usize::try_from(length).unwrap()]).unwrap();
        },
    ];
    for (number, spoil) in spoil.into_iter().enumerate() {
        for has_snapshot in [true, false] {
            let dir = closed_store().await;
            spoil(&dir.path().join("db"));
            for entry in fs::read_dir(dir.path()).unwrap() {
                let path = entry.unwrap().path();
                if !has_snapshot && path.to_string_lossy().contains("/snap.") {
                    fs::remove_file(path).unwrap();
                }
            }
            let said = refusal(dir.path());
            assert!(
                said.starts_with("database `DIR` cannot be read: since it was closed `db` has"),
                "{number}: {said}"
            );
            assert!(said.contains("it is damaged: "), "{number}: {said}");
            let hint = "Nothing was changed. hint: restore a backup with `anteroom restore`";
            assert!(said.contains(hint), "{number}: {said}");
            // Nobody is sent to a repair that has nothing to start from.
            let is_lost = said.contains("it is empty. ");
            let ending = if is_lost {
                "there is nothing left for `anteroom repair`"
            } else {
                "or recover what can still be read with `anteroom repair --to DIR`"
            };
            assert!(said.ends_with(ending), "{number}: {said}");
            assert!(is_lost || number > 0, "{number}: {said}");
        }
    }
}
