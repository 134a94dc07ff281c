//! What sled gets wrong on its own, and what only an embedded store must stand.

use std::{
    fs,
    sync::atomic::{AtomicU64, Ordering},
};

use anteroom::store::sled::VALUE_MAX;
use futures::future::join_all;

use super::*;

#[tokio::test]
async fn no_value_is_larger_than_sled_keeps_in_its_log() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let long = noise(200_000);
    let step = Commit {
        waits: vec![wait(wait_id(1), session(1), &long)],
        effects: vec![effect(
            effect_id(1),
            session(1),
            Act::Post { text: long.clone().into(), offers: Vec::new(), transcript: false },
        )],
        audit: vec![record(Some(session(1)), &long)],
        ..commit(session(1), 0, &[&long])
    };
    store.commit(step).await.unwrap();

    let entries = store.entries().unwrap();
    // The frame, the effect and the words of the audit record; letters of 32 leave 5 bits of 8.
    assert!(entries.len() > 3 * 30, "{} entries", entries.len());
    assert!(entries.iter().all(|(_, value)| value.len() <= VALUE_MAX));
    assert_eq!(fs::read_dir(dir.path().join("blobs")).unwrap().count(), 0);
}

#[tokio::test]
async fn erasure_leaves_no_key_of_the_session_and_no_word() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let big = "quince jelly ".repeat(2_000);
    let mut step = full(session(0xABCD), 1);
    step.audit.push(record(Some(session(0xABCD)), &big));
    step.waits.push(wait(wait_id(0xEF01), session(0xABCD), &big));
    store.commit(step).await.unwrap();
    for id in [10, 11] {
        store.done(effect_id(id), delivered("quince jelly")).await.unwrap();
    }
    store.erase(whole(session(0xABCD), record(None, ""))).await.unwrap();

    let contains = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|here| here == part);
    let ids = [session(0xABCD).uuid(), wait_id(1).uuid(), wait_id(0xEF01).uuid()];
    for (key, value) in store.entries().unwrap() {
        assert!(!ids.iter().any(|id| contains(&key, id.as_bytes())), "{key:?}");
        assert!(!contains(&value, b"quince"), "{key:?}");
        assert!(
            b"acl".contains(&key[0]),
            "only audit records, checksum and layout are left: {key:?}"
        );
    }
}

#[tokio::test]
async fn sessions_that_commit_at_once_share_syncs() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    // While the first, large one is being written, all the others queue up.
    let large = noise(4_000_000);
    let first = store.commit(commit(session(1_000), 0, &[&large]));
    let others = (0..64).map(|number| store.commit(commit(session(number), 0, &["."])));
    let before = store.syncs();
    let (first, others) = tokio::join!(first, join_all(others));
    first.unwrap();
    others.into_iter().for_each(Result::unwrap);

    let syncs = store.syncs() - before;
    assert!((1..=8).contains(&syncs), "65 commits took {syncs} syncs");
}

#[tokio::test]
async fn of_commits_that_share_a_batch_each_sees_those_before_it() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let large = noise(4_000_000);
    let same = |expected, word: &'static str| Commit {
        dedup: Some("one answer".to_owned()),
        ..commit(session(1), expected, &[word])
    };
    // While the first, large one is being written, all the others queue up.
    let (first, one, again, stale, next) = tokio::join!(
        store.commit(commit(session(1_000), 0, &[&large])),
        store.commit(same(0, "taken")),
        store.commit(same(1, "taken twice")),
        store.commit(commit(session(1), 0, &["too late"])),
        store.commit(commit(session(1), 1, &["next"])),
    );
    first.unwrap();
    one.unwrap();
    assert!(matches!(again, Err(Error::Duplicate)), "{again:?}");
    assert!(matches!(stale, Err(Error::Conflict { expected: 0, found: 1 })), "{stale:?}");
    next.unwrap();
    drop(store);
    let kept = format!("{:?}", open(dir.path()).load(session(1)).await.unwrap().unwrap().events);
    let words = ["taken\"", "taken twice", "too late", "next"].map(|word| kept.contains(word));
    assert_eq!(words, [true, false, false, true], "{kept}");
}

#[tokio::test]
async fn every_acknowledged_commit_was_synced() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    for expected in 0..5 {
        let before = store.syncs();
        store.commit(commit(session(1), expected, &["."])).await.unwrap();
        assert!(store.syncs() > before);
    }
}

#[tokio::test]
async fn what_nobody_waits_for_is_synced_soon_and_an_idle_store_not_at_all() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let effects = vec![post(1, session(1))];
    store.commit(Commit { effects, ..commit(session(1), 0, &["."]) }).await.unwrap();
    let [effect] = store.claim(at(0), ALL).await.unwrap().try_into().unwrap();
    let tell = async |seconds| {
        tell(&store, at(0) + TimeDelta::seconds(seconds)).await;
        store.syncs()
    };
    let before = store.syncs();
    store.done(effect.id, delivered("D1/1.0")).await.unwrap();
    assert_eq!(tell(0).await, before, "another commit may come");
    assert_eq!(tell(1).await, before + 1);
    for seconds in 2..9 {
        assert_eq!(tell(seconds).await, before + 1, "after {seconds} s");
    }
}

#[tokio::test]
async fn what_could_not_be_synced_is_not_acknowledged_and_nothing_more_is_taken() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.commit(commit(session(1), 0, &["kept"])).await.unwrap();
    // A file that cannot be synced, where sled keeps its large values.
    let torn = dir.path().join("blobs/torn");
    std::os::unix::fs::symlink("/nonexistent", &torn).unwrap();

    let effects = vec![post(1, session(2))];
    let lost = store.commit(Commit { effects, ..commit(session(2), 0, &["lost"]) }).await;
    insta::assert_snapshot!(lost.unwrap_err(), @"could not save: the disk reports an error. hint: check the system log for disk errors; move the data directory to a healthy disk; saving goes on by itself when it is over");
    assert!(matches!(store.commit(commit(session(1), 1, &["."])).await, Err(Error::ReadOnly(_))));
    assert!(matches!(store.claim(at(0), ALL).await, Err(Error::ReadOnly(_))));
    fs::remove_file(torn).unwrap();
    assert!(matches!(store.commit(commit(session(1), 1, &["."])).await, Err(Error::ReadOnly(_))));
    drop(store);

    let store = open(dir.path());
    assert_eq!(seq(&store, session(1)).await, Some(1));
    store.commit(commit(session(1), 1, &["again"])).await.unwrap();
}

#[tokio::test]
async fn a_second_opening_is_refused_and_names_the_holder() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let refused = SledStore::open(dir.path(), Arc::new(RandomIds)).unwrap_err();
    let text = refused.to_string();
    let text = text.replace(&*dir.path().to_string_lossy(), "DIR");
    let text = text.replace(&std::process::id().to_string(), "PID");
    insta::assert_snapshot!(text, @"`DIR` is in use by process PID. hint: stop that process, or choose another data directory");
    // The refusal did no harm.
    store.commit(commit(session(1), 0, &["."])).await.unwrap();
    drop(store);
    drop(open(dir.path()));
}

#[tokio::test]
async fn a_refused_opening_leaves_the_holders_files_alone() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let generating = dir.path().join("snap.00000000000000FF.generating");
    fs::write(&generating, "being written").unwrap();
    SledStore::open(dir.path(), Arc::new(RandomIds)).unwrap_err();
    assert!(generating.exists());
    drop(store);
}

/// A directory with one session in it, closed.
pub(super) async fn closed_store() -> TempDir {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.commit(full(session(1), 1)).await.unwrap();
    drop(store);
    // sled writes a snapshot when it opens what is there already.
    drop(open(dir.path()));
    dir
}

#[tokio::test]
async fn a_database_keeps_the_segments_that_it_has() {
    let dir = TempDir::new().unwrap();
    // Of sled's own size, as older programs made it.
    drop(sled::open(dir.path()).unwrap());
    for seq in 0..2 {
        let store = open(dir.path());
        store.commit(commit(session(1), seq, &["."])).await.unwrap();
    }
    let conf = fs::read(dir.path().join("conf")).unwrap();
    assert!(conf.starts_with(b"segment_size: 524288\n"), "{}", String::from_utf8_lossy(&conf));
    let loaded = open(dir.path()).load(session(1)).await.unwrap().unwrap();
    assert_eq!(loaded.events.len(), 2);
}

#[tokio::test]
async fn an_unfinished_snapshot_is_removed() {
    let dir = closed_store().await;
    let generating = dir.path().join("snap.FFFFFFFFFFFFFFFF.generating");
    fs::write(&generating, "half").unwrap();
    let store = open(dir.path());
    assert!(!generating.exists());
    assert_eq!(seq(&store, session(1)).await, Some(2));
}

#[tokio::test]
async fn a_damaged_snapshot_is_set_aside_and_the_data_is_back() {
    let dir = closed_store().await;
    let snapshots: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("/snap."))
        .collect();
    assert!(!snapshots.is_empty());
    for snapshot in &snapshots {
        let bytes = fs::read(snapshot).unwrap();
        fs::write(snapshot, &bytes[..bytes.len() / 2]).unwrap();
    }
    let store = open(dir.path());
    assert_eq!(seq(&store, session(1)).await, Some(2));
    assert_eq!(chain(&store).await.len(), 2);
    for snapshot in snapshots {
        let name = format!("damaged-{}", snapshot.file_name().unwrap().to_string_lossy());
        assert!(dir.path().join(name).exists());
    }
}

#[tokio::test]
async fn it_can_be_closed_and_opened_at_once_many_times() {
    let dir = TempDir::new().unwrap();
    for expected in 0..20 {
        let store = open(dir.path());
        store.commit(commit(session(1), expected, &["."])).await.unwrap();
    }
    assert_eq!(seq(&open(dir.path()), session(1)).await, Some(20));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_never_sees_half_a_commit() {
    let dir = TempDir::new().unwrap();
    let store = Arc::new(open(dir.path()));
    let (last, writer) = (AtomicU64::new(0), Arc::clone(&store));
    let write = async {
        for expected in (0..400).step_by(2) {
            let long = "x".repeat(6_000);
            writer.commit(commit(session(1), expected, &[&long, "."])).await.unwrap();
            last.store(expected + 2, Ordering::SeqCst);
        }
    };
    let read = async {
        while last.load(Ordering::SeqCst) < 400 {
            // An event without its head, or the reverse, would be an error.
            let at_least = last.load(Ordering::SeqCst);
            let seq = seq(store.as_ref(), session(1)).await.unwrap_or(0);
            assert!(seq % 2 == 0 && seq >= at_least, "{seq}");
        }
    };
    tokio::join!(write, read);
}

#[tokio::test]
async fn a_waiting_session_costs_a_few_kilobytes_of_keys_and_values() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let logical = || -> usize {
        store.entries().unwrap().iter().map(|(key, value)| key.len() + value.len()).sum()
    };
    let before = logical();
    store.commit(full(session(1), 1)).await.unwrap();
    let bytes = logical() - before;
    assert!(bytes < 1_500, "{bytes} bytes");
}

#[tokio::test]
async fn small_commits_share_a_frame_and_nothing_is_lost() {
    let dir = TempDir::new().unwrap();
    let mut store = open(dir.path());
    let ours = session(0xABCD);
    let standing = |store: &SledStore| {
        let entries = store.entries().unwrap();
        // Those of later chunks have longer keys.
        entries.iter().filter(|(key, _)| key[0] == b'e' && key.len() == 9).count()
    };
    let asked = wait(wait_id(1), ours, "Which?");
    let lapsed = Wait { status: WaitStatus::Expired { at: at(1) }, ..asked.clone() };
    let other = Wait { status: WaitStatus::Superseded { by: None, at: at(2) }, ..asked.clone() };
    let reworded = Wait { revision: 2, ..wait(wait_id(1), ours, "Which of them?") };
    // The second and the third share the first's frame, which the fourth fills.
    let long = noise(3_000);
    let steps = [("one", &asked), ("two", &lapsed), ("three", &other), (long.as_str(), &lapsed)];
    let steps = steps.into_iter().chain([("five", &other), ("six", &reworded), ("seven", &asked)]);
    let mut frames = Vec::new();
    for ((expected, key), (text, wait)) in (0..).zip('a'..).zip(steps) {
        let step = Commit {
            waits: vec![wait.clone()],
            dedup: Some(key.to_string()),
            ..commit(ours, expected, &[text])
        };
        store.commit(step.clone()).await.unwrap();
        frames.push(standing(&store));

        // As it stands after each, also for a new process.
        assert_eq!(store.wait(wait_id(1)).await.unwrap().unwrap().0, *wait, "{text:.9}");
        drop(store);
        store = open(dir.path());
        assert_eq!(store.wait(wait_id(1)).await.unwrap().unwrap().0, *wait, "{text:.9}");
        let loaded = store.load(ours).await.unwrap().unwrap();
        assert_eq!(loaded.events.len() as u64, expected + 1);
        assert_eq!(loaded.events.last(), step.events.last());
        assert!(matches!(store.commit(step).await, Err(Error::Duplicate)));
    }
    assert_eq!(frames, [1, 1, 1, 1, 2, 2, 2]);

    store.erase(whole(ours, record(None, ""))).await.unwrap();
    for (key, _) in store.entries().unwrap() {
        assert!(
            b"acl".contains(&key[0]),
            "only audit records, checksum and layout are left: {key:?}"
        );
    }
}
