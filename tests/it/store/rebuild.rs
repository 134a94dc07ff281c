//! A database that is made anew, since most of its file is unused. The same under the real program, which dies in the
//! middle, is in `tests/program/kill`.

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use anteroom::{
    base::ids::RandomIds,
    store::{
        Error, Store,
        memory::MemoryStore,
        sled::{
            Entry, SledStore,
            fault_injection::{Faults, Touch},
            repair,
        },
    },
};
use tempfile::TempDir;

use super::{
    archive::{refused, rest},
    chain, commit, noise, open,
    resting::{interview, said_of},
    seq, session,
};

/// A device on which even a small database is made anew; one of its touches fails.
#[derive(Debug, Default)]
struct Device {
    /// Which one, after how many of its kind. It breaks everything where there is no kind of error.
    fails: Option<(Touch, usize, Option<ErrorKind>)>,
    /// Databases of which all has been copied.
    copies: AtomicUsize,
    passed: AtomicUsize,
}

impl Device {
    fn failing(touch: Touch, after: usize, kind: Option<ErrorKind>) -> Arc<Self> {
        Arc::new(Self { fails: Some((touch, after, kind)), ..Self::default() })
    }
}

impl Faults for Device {
    fn strike(&self, touch: Touch) -> io::Result<()> {
        if touch == Touch::Copy {
            self.copies.fetch_add(1, Ordering::Relaxed);
        }
        match self.fails {
            Some((fails, after, kind))
                if fails == touch && self.passed.fetch_add(1, Ordering::Relaxed) == after =>
            {
                Err(kind.expect("a device without a kind breaks everything").into())
            }
            _ => Ok(()),
        }
    }

    fn rebuilt_from(&self) -> u64 {
        0
    }
}

fn opened(dir: &Path, device: &Arc<Device>) -> Result<SledStore, Error> {
    SledStore::open_with(dir, Arc::new(RandomIds), Arc::clone(device) as _)
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Sessions in which questions were asked.
const ASKED: u128 = 5;

/// Sessions of which nothing but where they lie in the archive is left in the database.
const LONG: u128 = 100;

/// A store of which most is at rest, its entries, and what is in it, also in memory.
struct Wasteful {
    dir: TempDir,
    entries: Vec<Entry>,
    memory: Arc<MemoryStore>,
}

impl Wasteful {
    async fn new() -> Self {
        let dir = TempDir::new().unwrap();
        // Of sled's own size, as older programs made it: the configuration of the new one is another.
        drop(sled::open(dir.path()).unwrap());
        let (store, memory) = (open(dir.path()), MemoryStore::default());
        let long = noise(250_000);
        let asked = (1..=ASKED).flat_map(|number| interview(number, 4));
        let said = (0..LONG).map(|number| {
            let text = &long[usize::try_from(number).unwrap()..];
            commit(session(1000 + number), 0, &[text])
        });
        for step in asked.chain(said) {
            store.commit(step.clone()).await.unwrap();
            memory.commit(step).await.unwrap();
        }
        rest(&store).await;
        let entries = store.entries().unwrap();
        Self { dir, entries, memory: Arc::new(memory) }
    }

    /// The same once more.
    fn twin(&self) -> Self {
        let dir = TempDir::new().unwrap();
        copy(self.path(), dir.path());
        Self { dir, entries: self.entries.clone(), memory: Arc::clone(&self.memory) }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn bytes(&self) -> u64 {
        fs::metadata(self.path().join("db")).unwrap().len()
    }

    /// Names of all that lies beside the database because it was copied, or because a snapshot did not fit it.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| ["rebuil", "damaged"].iter().any(|begin| name.starts_with(begin)))
            .collect()
    }

    /// Everything is there, and nothing else.
    async fn assert_whole(&self, store: &SledStore, context: &str) {
        assert!(store.entries().unwrap() == self.entries, "{context}: entries differ");
        let said = said_of(&*self.memory, ASKED, 4).await;
        assert_eq!(said_of(store, ASKED, 4).await, said, "{context}");
        for number in [0, LONG - 1].map(|number| session(1000 + number)) {
            let said = self.memory.load(number).await.unwrap();
            assert_eq!(store.load(number).await.unwrap(), said, "{context}");
        }
        assert_eq!(chain(store).await.len(), chain(&*self.memory).await.len(), "{context}");
        store.verify().await.unwrap();
        assert_eq!(self.left(), [""; 0], "{context}");
    }

    /// It is opened once more, and everything is read and compared with the high-water mark before; then it goes on.
    async fn assert_goes_on(&self, context: &str) {
        fs::remove_file(self.path().join("clean-stop")).unwrap();
        let store = open(self.path());
        self.assert_whole(&store, context).await;
        store.commit(commit(session(1), 8, &["and on"])).await.unwrap();
        drop(store);
        assert_eq!(seq(&open(self.path()), session(1)).await, Some(9), "{context}");
    }
}

#[tokio::test]
async fn a_database_that_is_mostly_unused_becomes_small_and_stays_the_same() {
    let wasteful = Wasteful::new().await;
    let before = wasteful.bytes();
    let device = Arc::new(Device::default());
    let store = opened(wasteful.path(), &device).unwrap();
    let after = wasteful.bytes();
    assert!(after * 3 < before, "{after} bytes of {before}");
    wasteful.assert_whole(&store, "made anew").await;
    drop(store);
    assert_eq!(device.copies.load(Ordering::Relaxed), 1);
    let conf = fs::read(wasteful.path().join("conf")).unwrap();
    assert!(conf.starts_with(b"segment_size: 8388608\n"), "{}", String::from_utf8_lossy(&conf));
    wasteful.assert_goes_on("opened again").await;
}

#[tokio::test]
async fn whenever_a_start_ends_that_makes_the_database_anew_nothing_is_lost() {
    let first = Wasteful::new().await;
    let before = first.bytes();
    let mut moved = 0;
    for step in 0.. {
        let wasteful = first.twin();
        let context = format!("after {step} steps");
        let device = Device::failing(Touch::Replace, step, Some(ErrorKind::Other));
        match opened(wasteful.path(), &device) {
            // As the name is not there yet, the old one is as good as before.
            Ok(store) if step == 0 => {
                wasteful.assert_whole(&store, &context).await;
                drop(store);
                assert!(wasteful.bytes() >= before, "{context}");
            }
            // No step is left.
            Ok(_) => break,
            Err(error) => {
                assert!(matches!(error, Error::Unopened { .. }), "{context}: {error}");
                assert_eq!(wasteful.left().len(), 1, "{context}");
                let store = open(wasteful.path());
                wasteful.assert_whole(&store, &context).await;
                drop(store);
                assert!(wasteful.bytes() * 3 < before, "{context}");
                moved += 1;
            }
        }
        wasteful.assert_goes_on(&context).await;
    }
    assert_eq!(moved, 4);
}

#[tokio::test]
async fn a_copy_that_was_not_completed_is_removed() {
    let wasteful = Wasteful::new().await;
    let folder = wasteful.path().join("rebuilding");
    fs::create_dir_all(folder.join("blobs")).unwrap();
    for name in ["db", "conf", "snap.00000000000000FF"] {
        fs::write(folder.join(name), "half").unwrap();
    }
    let store = open(wasteful.path());
    wasteful.assert_whole(&store, "removed").await;
}

#[tokio::test]
async fn a_repair_finds_what_was_moved_in_part() {
    let wasteful = Wasteful::new().await;
    // One file is in its place, the other is not.
    let device = Device::failing(Touch::Replace, 3, Some(ErrorKind::Other));
    opened(wasteful.path(), &device).unwrap_err();
    let repaired = TempDir::new().unwrap();
    let to = repaired.path().join("store");
    let came = repair(wasteful.path(), &to).unwrap();
    assert!(!came.is_cut);
    assert_eq!(came.conversations.len() as u128, ASKED + LONG);
    let said = said_of(&*wasteful.memory, ASKED, 4).await;
    assert_eq!(said_of(&open(&to), ASKED, 4).await, said);
}

#[tokio::test]
async fn a_copy_that_is_older_than_the_database_is_removed() {
    let wasteful = Wasteful::new().await;
    let device = Device::failing(Touch::Replace, 1, Some(ErrorKind::Other));
    opened(wasteful.path(), &device).unwrap_err();
    // A program that knows nothing of it goes on with the old one.
    let [name] = wasteful.left().try_into().unwrap();
    let (folder, aside) = (wasteful.path().join(name), TempDir::new().unwrap());
    fs::rename(&folder, aside.path().join("folder")).unwrap();
    let store = open(wasteful.path());
    store.commit(commit(session(1), 8, &["later"])).await.unwrap();
    drop(store);
    fs::rename(aside.path().join("folder"), &folder).unwrap();
    assert_eq!(seq(&open(wasteful.path()), session(1)).await, Some(9));
    assert_eq!(wasteful.left(), [""; 0]);
}

#[tokio::test]
async fn where_a_copy_cannot_be_made_the_old_database_goes_on() {
    let first = Wasteful::new().await;
    let before = first.bytes();
    // A panic is like one in sled.
    for kind in [Some(ErrorKind::StorageFull), Some(ErrorKind::Other), None] {
        let wasteful = first.twin();
        let store = opened(wasteful.path(), &Device::failing(Touch::Copy, 0, kind)).unwrap();
        let context = format!("{kind:?}");
        wasteful.assert_whole(&store, &context).await;
        drop(store);
        assert!(wasteful.bytes() >= before, "{context}");
        wasteful.assert_goes_on(&context).await;
    }
}

#[tokio::test]
async fn a_database_that_is_in_use_or_small_is_left_alone() {
    let wasteful = Wasteful::new().await;
    let before = wasteful.bytes();
    drop(open(wasteful.path()));
    assert!(wasteful.bytes() >= before, "it is too small to be worth it");

    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let long = noise(1_000_000);
    for number in 0..8 {
        store.commit(commit(session(number), 0, &[&long])).await.unwrap();
    }
    drop(store);
    let device = Arc::new(Device::default());
    let store = opened(dir.path(), &device).unwrap();
    assert_eq!(device.copies.load(Ordering::Relaxed), 0);
    assert_eq!(seq(&store, session(7)).await, Some(1));
}

#[tokio::test]
async fn a_database_that_lost_something_is_refused_before_it_is_made_anew() {
    let wasteful = Wasteful::new().await;
    let db = crate::support::raw_database::open(wasteful.path());
    let (key, _) =
        db.iter().rev().find(|entry| entry.as_ref().unwrap().0[0] == b'z').unwrap().unwrap();
    db.remove(key).unwrap().unwrap();
    db.flush().unwrap();
    drop(db);
    let device = Arc::new(Device::default());
    assert!(opened(wasteful.path(), &device).is_err());
    assert_eq!(device.copies.load(Ordering::Relaxed), 0);
    assert!(refused(wasteful.path()).contains("entries are missing or changed"));
}
