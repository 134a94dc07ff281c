//! Records of sessions at rest, in the archive beside the database.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    sync::Arc,
};

use anteroom::{
    base::ids::RandomIds,
    store::{
        Error, Store,
        memory::MemoryStore,
        sled::{KEYS_FILE, SledStore, repair},
    },
};
use tempfile::TempDir;

use super::{
    at, commit, noise, open, record,
    resting::{interview, said_of},
    session,
    shredding::changed,
    tell, wait_id, whole,
};

/// Has everything come to rest, and what is no longer needed removed.
pub(super) async fn rest(store: &SledStore) {
    // What was written before is on the device after this.
    for minute in [60, 61] {
        while store.compact().await.unwrap() {}
        tell(store, at(minute)).await;
    }
    while store.compact().await.unwrap() {}
}

/// Sessions in which questions were asked, at rest, of a store that is closed; and the same in memory.
async fn rested(sessions: u128) -> (TempDir, MemoryStore) {
    let dir = TempDir::new().unwrap();
    let (store, memory) = (open(dir.path()), MemoryStore::default());
    for step in (1..=sessions).flat_map(|number| interview(number, 4)) {
        store.commit(step.clone()).await.unwrap();
        memory.commit(step).await.unwrap();
    }
    rest(&store).await;
    (dir, memory)
}

/// The segments of the archive of a store.
fn segments(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("archive")).unwrap();
    let mut segments: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    segments
}

/// Where the entries of a segment begin, as `store::sled::archive` describes them.
fn entries(segment: &[u8]) -> Vec<usize> {
    let (mut at, mut found) = (32, Vec::new());
    while let Some([0xa5, key, text @ ..]) = segment.get(at..at + 6) {
        found.push(at);
        let text = u32::from_be_bytes(text.try_into().unwrap()) as usize;
        at += (10 + usize::from(*key) + text).next_multiple_of(16);
    }
    found
}

/// Heads and frames that are in the database itself, and those that are in the archive.
fn records_of(store: &SledStore) -> (usize, usize) {
    let entries = store.entries().unwrap();
    let records = entries.iter().filter(|(key, _)| matches!(key[0], b'e' | b'h'));
    let (elsewhere, here): (Vec<_>, Vec<_>) = records.partition(|(_, value)| value[0] == 0);
    (here.len(), elsewhere.len())
}

/// Why a store cannot be opened.
pub(super) fn refused(dir: &Path) -> String {
    match SledStore::open(dir, Arc::new(RandomIds)) {
        Ok(_) => panic!("it was opened"),
        Err(error @ Error::Unreadable { .. }) => error.to_string(),
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn what_rests_is_in_the_archive_and_goes_on_from_there() {
    let (dir, memory) = rested(5).await;
    let [segment] = segments(dir.path()).try_into().unwrap();
    assert_eq!(entries(&fs::read(&segment).unwrap()).len(), 10, "a head and a frame of each");
    let store = open(dir.path());
    assert_eq!(records_of(&store), (0, 10));
    assert_eq!(said_of(&store, 5, 4).await, said_of(&memory, 5, 4).await);

    let step = commit(session(3), store.load(session(3)).await.unwrap().unwrap().head.seq, &["!"]);
    store.commit(step.clone()).await.unwrap();
    memory.commit(step).await.unwrap();
    assert_eq!(records_of(&store), (2, 8), "its head, and its frame with what is new");
    store.erase(whole(session(4), record(None, ""))).await.unwrap();
    memory.erase(whole(session(4), record(None, ""))).await.unwrap();
    rest(&store).await;
    assert_eq!(records_of(&store), (0, 8));
    drop(store);
    assert_eq!(entries(&fs::read(&segment).unwrap()).len(), 12, "what is new is at the end");
    let store = open(dir.path());
    assert_eq!(said_of(&store, 5, 4).await, said_of(&memory, 5, 4).await);
}

#[tokio::test]
async fn what_a_crash_left_in_the_archive_is_written_over() {
    let (dir, memory) = rested(2).await;
    let [segment] = segments(dir.path()).try_into().unwrap();
    let whole = fs::read(&segment).unwrap();
    // Records were on the device, and what refers to them was not.
    let last = entries(&whole).pop().unwrap();
    fs::write(&segment, [&whole, &whole[last..]].concat()).unwrap();
    let next = segment.with_file_name("00000001");
    fs::write(&next, &whole).unwrap();
    let store = open(dir.path());
    assert!(!next.exists(), "the database knows of no such segment");
    for step in interview(3, 4) {
        store.commit(step.clone()).await.unwrap();
        memory.commit(step).await.unwrap();
    }
    rest(&store).await;
    assert_eq!(said_of(&store, 3, 4).await, said_of(&memory, 3, 4).await);
    assert_eq!(entries(&fs::read(&segment).unwrap()).len(), 6);
}

/// Sessions that fill more than a segment, at rest.
const MANY: u128 = 400;

async fn many() -> (TempDir, SledStore, MemoryStore) {
    let dir = TempDir::new().unwrap();
    let (store, memory) = (open(dir.path()), MemoryStore::default());
    let long = noise(250_000);
    for number in 1..=MANY {
        let text = &long[usize::try_from(number).unwrap()..];
        let step = commit(session(number), 0, &[text]);
        store.commit(step.clone()).await.unwrap();
        memory.commit(step).await.unwrap();
    }
    rest(&store).await;
    (dir, store, memory)
}

/// Every fourth stays.
fn stays(number: u128) -> bool {
    number.is_multiple_of(4)
}

async fn erase_most(store: &SledStore) {
    for number in (1..=MANY).filter(|number| !stays(*number)) {
        store.erase(whole(session(number), record(None, ""))).await.unwrap();
    }
}

async fn assert_others_are_there(store: &SledStore, memory: &MemoryStore, but: &[u128]) {
    for number in (1..=MANY).filter(|number| stays(*number) && !but.contains(number)) {
        let loaded = store.load(session(number)).await.unwrap();
        assert!(loaded == memory.load(session(number)).await.unwrap(), "session {number}");
    }
}

#[tokio::test]
async fn of_a_segment_that_is_half_empty_the_rest_moves_and_the_file_goes() {
    let (dir, store, memory) = many().await;
    let before = segments(dir.path());
    assert!(before.len() > 1, "{before:?}");
    erase_most(&store).await;
    while before[0].exists() {
        rest(&store).await;
    }
    assert_others_are_there(&store, &memory, &[]).await;
    drop(store);
    let store = open(dir.path());
    assert_others_are_there(&store, &memory, &[]).await;
}

#[tokio::test]
async fn a_segment_of_which_some_cannot_be_read_stays() {
    let (dir, store, memory) = many().await;
    let head = [&b"h"[..], session(4).uuid().as_bytes()].concat();
    let stored = store.entries().unwrap();
    let marker = &stored.iter().find(|(key, _)| *key == head).unwrap().1;
    let frame = [&b"e"[..], &marker[31..]].concat();
    drop(store);
    let first = segments(dir.path()).remove(0);
    let mut bytes = fs::read(&first).unwrap();
    // It seems to reach to where the entries of session 9 begin, over those of session 8, which stays.
    let starts = entries(&bytes);
    let at = starts.iter().position(|at| bytes[at + 10..].starts_with(&frame)).unwrap();
    let (from, to) = (starts[at], starts[at + 9]);
    let length = u32::try_from(to - from - 10 - frame.len() - 4).unwrap();
    bytes[from + 2..from + 6].copy_from_slice(&length.to_be_bytes());
    fs::write(&first, bytes).unwrap();
    let store = open(dir.path());
    erase_most(&store).await;
    for _ in 0..3 {
        rest(&store).await;
    }
    assert!(first.exists());
    assert!(matches!(store.load(session(4)).await, Err(Error::Unreadable { .. })));
    assert_others_are_there(&store, &memory, &[4]).await;
}

#[tokio::test]
async fn a_store_whose_archive_is_not_its_own_or_not_all_there_is_refused() {
    let (dir, _) = rested(2).await;
    let (other, _) = rested(2).await;
    let [segment] = segments(dir.path()).try_into().unwrap();
    let whole = fs::read(&segment).unwrap();

    fs::remove_file(&segment).unwrap();
    assert_eq!(why(dir.path()), damaged("`DIR/archive/00000000` is missing"));
    fs::copy(&segments(other.path())[0], &segment).unwrap();
    assert_eq!(why(dir.path()), damaged("`DIR/archive/00000000` belongs to another store"));
    fs::write(&segment, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(why(dir.path()), damaged("`DIR/archive/00000000` ends early"));
    fs::write(&segment, &whole).unwrap();
    drop(open(dir.path()));
}

fn damaged(how: &str) -> String {
    format!(
        "database `DIR` cannot be read: it is damaged: {how}. Nothing was changed. hint: restore a backup with `anteroom \
         restore`, or recover what can still be read with `anteroom repair --to DIR`"
    )
}

/// Why a store cannot be opened, without its path.
fn why(dir: &Path) -> String {
    refused(dir).replace(&dir.display().to_string(), "DIR")
}

#[tokio::test]
async fn a_changed_record_is_found_and_others_can_be_read() {
    let (dir, memory) = rested(3).await;
    let [segment] = segments(dir.path()).try_into().unwrap();
    let mut bytes = fs::read(&segment).unwrap();
    // The head and the frame of one session.
    for entry in &entries(&bytes)[..2] {
        bytes[entry + 40] ^= 1;
    }
    fs::write(&segment, bytes).unwrap();
    let store = open(dir.path());
    let mut unread = Vec::new();
    for number in 1..=3 {
        match store.load(session(number)).await {
            Ok(loaded) => assert_eq!(loaded, memory.load(session(number)).await.unwrap()),
            Err(error) => unread.push(error.to_string()),
        }
    }
    assert_eq!(unread.len(), 1);
    let mut waits = store.waits([1, 2, 3].map(|number| wait_id(number * 1000)).into()).await;
    waits.retain(Result::is_ok);
    assert_eq!(waits.len(), 2);
    assert!(unread[0].contains("the archive holds something else"), "{}", unread[0]);
    drop(store);

    let repaired = TempDir::new().unwrap();
    let to = repaired.path().join("store");
    let conversations = repair(dir.path(), &to).unwrap().conversations;
    assert_eq!(conversations.iter().filter(|one| one.is_whole()).count(), 2);
    let store = open(&to);
    assert_eq!(store.sessions(None, 9).await.unwrap().len(), 2);
    assert_eq!(records_of(&store).1, 4, "those that are whole go over with their archive");
    for head in store.sessions(None, 9).await.unwrap() {
        let loaded = store.load(head.id).await.unwrap();
        assert_eq!(loaded, memory.load(head.id).await.unwrap());
    }
}

#[tokio::test]
async fn without_its_archive_a_store_can_be_repaired_but_for_sessions_at_rest() {
    let (dir, memory) = rested(2).await;
    let store = open(dir.path());
    let step = interview(3, 4).remove(0);
    store.commit(step.clone()).await.unwrap();
    memory.commit(step).await.unwrap();
    drop(store);
    fs::remove_dir_all(dir.path().join("archive")).unwrap();
    let repaired = TempDir::new().unwrap();
    let to = repaired.path().join("store");
    let conversations = repair(dir.path(), &to).unwrap().conversations;
    assert_eq!(conversations.iter().filter(|one| one.is_whole()).count(), 1);
    assert_eq!(conversations.len(), 3, "the others are named");
    let store = open(&to);
    let loaded = store.load(session(3)).await.unwrap();
    assert_eq!(loaded, memory.load(session(3)).await.unwrap());
}

/// A store made of a dump of another one.
pub(super) fn built_of(dir: &TempDir, store: &SledStore) -> (TempDir, SledStore) {
    let mut dump = Vec::new();
    store.dump(&mut dump).unwrap();
    let copy = TempDir::new().unwrap();
    fs::copy(dir.path().join(KEYS_FILE), copy.path().join(KEYS_FILE)).unwrap();
    SledStore::build(copy.path(), &mut Cursor::new(dump)).unwrap();
    let built = open(copy.path());
    (copy, built)
}

#[tokio::test]
async fn a_dump_of_a_damaged_archive_lacks_what_is_damaged_alone() {
    let (dir, memory) = rested(3).await;
    let [segment] = segments(dir.path()).try_into().unwrap();
    let mut bytes = fs::read(&segment).unwrap();
    let first = entries(&bytes)[0];
    bytes[first + 3] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let store = open(dir.path());
    let (copy, built) = built_of(&dir, &store);
    let (_copy, again) = built_of(&copy, &built);
    let mut read = 0;
    for number in 1..=3 {
        if let Ok(loaded) = again.load(session(number)).await {
            assert_eq!(loaded, memory.load(session(number)).await.unwrap());
            read += 1;
        }
    }
    assert_eq!(read, 2);
}

#[tokio::test]
async fn a_dump_holds_what_is_in_the_archive() {
    let (dir, memory) = rested(4).await;
    let store = open(dir.path());
    // What it had at the end of the archive is no longer needed.
    let seq = store.load(session(4)).await.unwrap().unwrap().head.seq;
    let step = commit(session(4), seq, &["after the rest"]);
    store.commit(step.clone()).await.unwrap();
    memory.commit(step).await.unwrap();
    let (_copy, built) = built_of(&dir, &store);
    assert_eq!(records_of(&built), records_of(&store));
    assert_eq!(said_of(&built, 4, 4).await, said_of(&memory, 4, 4).await);
    rest(&built).await;
    assert_eq!(said_of(&built, 4, 4).await, said_of(&memory, 4, 4).await);
}

#[tokio::test]
async fn sessions_of_an_older_program_move_to_the_archive() {
    let (dir, memory) = {
        let dir = TempDir::new().unwrap();
        let (store, memory) = (open(dir.path()), MemoryStore::default());
        for step in (1..=3).flat_map(|number| interview(number, 2)) {
            store.commit(step.clone()).await.unwrap();
            memory.commit(step).await.unwrap();
        }
        (dir, memory)
    };
    // In its layout nothing said that they were to be moved.
    let (copy, store) = changed(dir.path(), |entries| {
        entries.retain(|key, _| key[0] != b'q');
        entries.get_mut(&b"l"[..]).unwrap()[0] = 4;
    });
    assert_eq!(records_of(&store).1, 0);
    rest(&store).await;
    assert_eq!(records_of(&store), (0, 6));
    drop(store);
    let store = open(copy.path());
    assert_eq!(said_of(&store, 3, 2).await, said_of(&memory, 3, 2).await);
}
