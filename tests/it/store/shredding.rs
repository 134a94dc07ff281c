//! Erased means gone from the files, and a record that is not what was written is refused, alone.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::PathBuf,
};

use anteroom::{
    model::transcript::Event,
    store::sled::{Entry, KEYS_FILE, reseal},
};

use super::*;
use crate::support::raw_database;

/// Bytes of a slot in the file of keys, and where the first session's is.
const WIDTH: usize = 32;
const FIRST: usize = 2 * WIDTH;

/// What only the participant and those who answered can have said.
const MARKERS: [&str; 7] = [
    "Quillfeather",
    "U0MARKED",
    "C0MARKED",
    "said-marker",
    "prompt-marker",
    "feedback-marker",
    "message-marker",
];

/// A step of session 1 with a marker wherever words or ids of people go.
fn marked() -> Commit {
    let mut step = full(session(1), 1);
    step.head.name = Some("Ada Quillfeather".to_owned());
    step.head.participant = PersonId::web("U0MARKED");
    step.head.place = place("C0MARKED");
    step.events[0] = said(1, "said-marker");
    step.events[1].event =
        Arc::new(Event::Asked(Box::new(wait(wait_id(1), session(1), "prompt-marker"))));
    step.waits = vec![wait(wait_id(1), session(1), "prompt-marker")];
    step.audit = vec![record(Some(session(1)), "feedback-marker")];
    step.dedup = Some("U0MARKED-click".to_owned());
    step
}

/// The files below `dir` that hold these bytes.
fn holding(dir: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read(&path).unwrap().windows(bytes.len()).any(|here| here == bytes) {
                found.push(path);
            }
        }
    }
    found
}

fn keys(dir: &Path) -> Vec<u8> {
    fs::read(dir.join(KEYS_FILE)).unwrap()
}

#[tokio::test]
async fn nothing_that_was_erased_is_in_any_file() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.commit(marked()).await.unwrap();
    store.done(effect_id(10), delivered("message-marker")).await.unwrap();
    store.commit(full(session(2), 2)).await.unwrap();

    // It is there, as the store tells it.
    let told = format!(
        "{:?} {:?} {:?}",
        store.load(session(1)).await.unwrap().unwrap(),
        store.wait(wait_id(1)).await.unwrap().unwrap(),
        chain(&store).await,
    );
    for marker in MARKERS {
        assert!(told.contains(marker), "{marker}");
    }
    // The search finds what is in a file.
    assert!(!holding(dir.path(), wait_id(1).uuid().as_bytes()).is_empty());
    let before = keys(dir.path());
    let key = before[FIRST..FIRST + WIDTH].to_vec();
    assert_eq!(holding(dir.path(), &key), [dir.path().join(KEYS_FILE)]);

    store.erase(whole(session(1), record(Some(session(1)), ""))).await.unwrap();
    for marker in MARKERS {
        assert_eq!(holding(dir.path(), marker.as_bytes()), [] as [PathBuf; 0], "{marker}");
    }
    assert_eq!(holding(dir.path(), &key), [] as [PathBuf; 0]);
    drop(store);
    let store = open(dir.path());
    assert_eq!(store.load(session(1)).await.unwrap(), None);
    for marker in MARKERS {
        assert_eq!(holding(dir.path(), marker.as_bytes()), [] as [PathBuf; 0], "{marker}");
    }
    assert_eq!(holding(dir.path(), &key), [] as [PathBuf; 0]);
    let after = keys(dir.path());
    assert_eq!(after[FIRST..FIRST + WIDTH], [0; WIDTH]);
    assert_eq!(after[FIRST + WIDTH..], before[FIRST + WIDTH..], "no other key was touched");
    assert!(chain(&store).await[0].erased);
    // The other session is whole.
    assert_eq!(seq(&store, session(2)).await, Some(2));
    assert_eq!(chain(&store).await[1].record.words, record(None, "quince jelly").words);
}

#[tokio::test]
async fn an_erasure_that_a_crash_interrupted_is_finished() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.commit(marked()).await.unwrap();
    let before = keys(dir.path());
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    drop(store);
    // The erasure reached the device, the file of keys did not.
    fs::write(dir.path().join(KEYS_FILE), &before).unwrap();
    let db = raw_database::open(dir.path());
    db.insert([&b"x"[..], &2_u32.to_be_bytes()].concat(), &[]).unwrap();
    drop(db);
    reseal(dir.path()).unwrap();

    let store = open(dir.path());
    assert_eq!(keys(dir.path())[FIRST..FIRST + WIDTH], [0; WIDTH]);
    assert!(chain(&store).await[0].erased);
    assert!(store.entries().unwrap().iter().all(|(key, _)| key[0] != b'x'));
    // Whoever comes next gets another slot.
    store.commit(full(session(2), 2)).await.unwrap();
    assert_eq!(keys(dir.path())[FIRST..FIRST + WIDTH], [0; WIDTH]);
}

#[tokio::test]
async fn a_key_is_never_given_twice() {
    let dir = TempDir::new().unwrap();
    for number in 1..=3 {
        let store = open(dir.path());
        store.commit(full(session(number), number)).await.unwrap();
        store.commit(full(session(number + 10), number + 10)).await.unwrap();
        store.erase(whole(session(number + 10), record(None, ""))).await.unwrap();
    }
    let store = open(dir.path());
    let erased: Vec<_> = chain(&store).await.iter().map(|sealed| sealed.erased).collect();
    let round = [false, false, true, false, false];
    assert_eq!(erased, [round, round, round].concat());
    let keys = keys(dir.path());
    let slots: Vec<_> = keys.chunks(WIDTH).skip(2).take(6).collect();
    let zero = [0; WIDTH];
    let shredded: Vec<_> = slots.iter().map(|slot| **slot == zero).collect();
    assert_eq!(shredded, [false, true, false, true, false, true]);
    let mode = fs::metadata(dir.path().join(KEYS_FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_store_without_its_keys_is_refused() {
    let refusal = |dir: &Path| {
        let refused = SledStore::open(dir, Arc::new(RandomIds)).unwrap_err().to_string();
        refused.replace(&*dir.to_string_lossy(), "DIR")
    };
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.commit(full(session(1), 1)).await.unwrap();
    drop(store);
    let file = dir.path().join(KEYS_FILE);
    let kept = fs::read(&file).unwrap();

    fs::remove_file(&file).unwrap();
    insta::assert_snapshot!(refusal(dir.path()), @"file of keys `DIR/keys` cannot be read: since it was closed `keys` is missing; it is damaged (it is missing). hint: restore a backup with `anteroom restore`");
    let other = TempDir::new().unwrap();
    drop(open(other.path()));
    fs::copy(other.path().join(KEYS_FILE), &file).unwrap();
    insta::assert_snapshot!(refusal(dir.path()), @"file of keys `DIR/keys` cannot be read: since it was closed `keys` has 64 bytes, not 2112; it is damaged (it belongs to another database). hint: restore a backup with `anteroom restore`");
    fs::write(&file, &kept[..40]).unwrap();
    insta::assert_snapshot!(refusal(dir.path()), @"file of keys `DIR/keys` cannot be read: since it was closed `keys` has 40 bytes, not 2112; it is damaged (it ends early). hint: restore a backup with `anteroom restore`");
    fs::write(&file, "anything else that is long enough to be a file of keys, but is none")
        .unwrap();
    insta::assert_snapshot!(refusal(dir.path()), @"file of keys `DIR/keys` cannot be read: since it was closed `keys` has 67 bytes, not 2112; it is damaged (it does not begin as one). hint: restore a backup with `anteroom restore`");

    fs::write(&file, &kept).unwrap();
    let layout = |value: &[u8]| {
        let db = raw_database::open(dir.path());
        let old = db.insert(b"l", value).unwrap().unwrap();
        drop(db);
        old.to_vec()
    };
    let current = layout(&[1]);
    insta::assert_snapshot!(refusal(dir.path()), @"database `DIR` cannot be read: its layout is older than 2, from before the first release. hint: choose another data directory");
    layout(&[9, 9]);
    insta::assert_snapshot!(refusal(dir.path()), @"database `DIR` cannot be read: it needs layout 9, which this program lacks. hint: run the newer program");
    layout(&current);
    assert_eq!(seq(&open(dir.path()), session(1)).await, Some(2));
}

/// What reading everything of session 1 comes to, and whether the chain holds; an error of another kind than
/// `Unreadable` is a failure.
async fn look(store: &SledStore) -> Result<(Loaded, Wait, bool), String> {
    fn readable<T>(read: Result<T, Error>) -> Result<T, String> {
        read.map_err(|error| {
            assert!(matches!(error, Error::Unreadable { .. }), "{error:?}");
            error.to_string()
        })
    }
    let loaded = readable(store.load(session(1)).await)?;
    let found = readable(store.wait(wait_id(1)).await)?;
    let records = readable(store.audit(0, 99).await)?;
    let mut previous = CHAIN_START;
    let mut holds = records.len() == 4;
    for (index, sealed) in (0..).zip(&records) {
        holds &= sealed.holds(index, previous);
        previous = &sealed.seal;
    }
    let (found, _) = found.ok_or("the wait is gone")?;
    Ok((loaded.ok_or("the session is gone")?, found, holds))
}

/// Opens a copy of `dir` in which the entries were changed, and the checksums with them.
pub(super) fn changed(
    dir: &Path,
    change: impl FnOnce(&mut BTreeMap<Vec<u8>, Vec<u8>>),
) -> (TempDir, SledStore) {
    let copy = TempDir::new().unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
    }
    if let Ok(archive) = fs::read_dir(dir.join("archive")) {
        fs::create_dir(copy.path().join("archive")).unwrap();
        for segment in archive {
            let segment = segment.unwrap();
            let to = copy.path().join("archive").join(segment.file_name());
            fs::copy(segment.path(), to).unwrap();
        }
    }
    let db = raw_database::open(copy.path());
    let mut entries: BTreeMap<Vec<u8>, Vec<u8>> = db
        .iter()
        .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
        .collect();
    change(&mut entries);
    db.clear().unwrap();
    for (key, value) in entries {
        db.insert(key, value).unwrap();
    }
    drop(db);
    reseal(copy.path()).unwrap();
    let store = open(copy.path());
    (copy, store)
}

/// A closed store of two sessions, and its entries.
async fn two_sessions() -> (TempDir, Vec<Entry>) {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.commit(full(session(1), 1)).await.unwrap();
    store.commit(full(session(2), 2)).await.unwrap();
    let entries = store.entries().unwrap();
    drop(store);
    (dir, entries)
}

#[tokio::test]
async fn a_flipped_bit_is_found_and_harms_nobody_else() {
    let (dir, entries) = two_sessions().await;
    let untouched = look(&open(dir.path())).await.unwrap();
    assert!(untouched.2);
    let (mut refused, mut harmless) = (0, 0);
    // The first of each family is session 1's.
    for family in b"aehw" {
        let (key, value) = entries.iter().find(|(key, _)| key[0] == *family).unwrap();
        for step in 0..8 {
            let bit = step * value.len() * 8 / 8 + step;
            let (_copy, store) = changed(dir.path(), |entries| {
                entries.get_mut(key).unwrap()[bit / 8] ^= 1 << (bit % 8);
            });
            let found = look(&store).await;
            // What of a wait's pointer only spares work may be lost.
            harmless += u32::from(*family != b'w' && found.as_ref().is_ok_and(|f| *f == untouched));
            refused += u32::from(found.is_err());
            assert_eq!(seq(&store, session(2)).await, Some(2), "another session is refused");
            store.commit(commit(session(2), 2, &["goes on"])).await.unwrap();
        }
    }
    assert!(refused >= 16, "{refused}");
    // A bit of a compressed text may say nothing, once in many runs.
    assert!(harmless <= 1, "{harmless}");
}

#[tokio::test]
async fn no_record_can_be_taken_for_another() {
    let (dir, entries) = two_sessions().await;
    for family in b"aeh" {
        let of_family: Vec<_> = entries.iter().filter(|(key, _)| key[0] == *family).collect();
        let [(first, one), (second, two)] = of_family.as_slice() else { panic!("{of_family:?}") };
        let (_copy, store) = changed(dir.path(), |entries| {
            entries.insert(first.clone(), two.clone());
            entries.insert(second.clone(), one.clone());
        });
        let found = look(&store).await;
        assert!(found.is_err() || found.is_ok_and(|found| !found.2), "{}", char::from(*family));
    }
}

#[tokio::test]
async fn a_record_that_is_cut_short_or_missing_is_found() {
    let (dir, entries) = two_sessions().await;
    for family in b"aeh" {
        let (key, value) = entries.iter().find(|(key, _)| key[0] == *family).unwrap();
        for length in [0, 2, 5, value.len() / 2, value.len() - 1] {
            let (_copy, store) = changed(dir.path(), |entries| {
                entries.get_mut(key).unwrap().truncate(length);
            });
            let found = look(&store).await;
            assert!(found.is_err() || found.is_ok_and(|found| !found.2), "{length}");
            assert_eq!(seq(&store, session(2)).await, Some(2));
            // Even so it can be erased.
            store.erase(whole(session(1), record(None, ""))).await.unwrap();
            assert_eq!(store.load(session(1)).await.unwrap(), None);
        }
        let (_copy, store) = changed(dir.path(), |entries| drop(entries.remove(key)));
        let found = look(&store).await;
        assert!(found.is_err() || found.is_ok_and(|found| !found.2));
    }
}

#[tokio::test]
async fn keys_that_are_gone_take_no_space() {
    /// Slots of a block of the file.
    const BLOCK: u128 = 4096 / WIDTH as u128;
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    for number in 1..=3 * BLOCK {
        store.commit(commit(session(number), 0, &["words"])).await.unwrap();
    }
    let file = fs::File::open(dir.path().join(KEYS_FILE)).unwrap();
    let size = || file.metadata().map(|of| (of.len(), of.blocks())).unwrap();
    let (length, blocks) = size();
    // The second block holds the keys of these; of the third, one is left.
    let first = BLOCK - u128::try_from(FIRST / WIDTH).unwrap() + 1;
    let gone = (first..first + 2 * BLOCK - 1).map(session).collect::<Vec<_>>();
    for session in &gone {
        let receipt = AuditRecord { event: "erased".to_owned(), ..record(Some(*session), "") };
        store.erase(whole(*session, receipt)).await.unwrap();
    }
    let has_holes = {
        use rustix::fs::{FallocateFlags, fallocate};
        let probe = tempfile::tempfile_in(dir.path()).unwrap();
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        fallocate(&probe, flags, 0, 4096).is_ok()
    };
    let given_back = if has_holes { 4096 / 512 } else { 0 };
    assert_eq!(size(), (length, blocks - given_back));
    drop(store);

    // What is left is there when it is opened again.
    let store = open(dir.path());
    let left = [1, first - 1, first + 2 * BLOCK - 1, 3 * BLOCK].map(session);
    for session in left {
        assert!(store.load(session).await.unwrap().is_some(), "{session}");
    }
    assert_eq!(store.load(gone[0]).await.unwrap(), None);
}
