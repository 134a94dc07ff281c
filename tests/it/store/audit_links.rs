//! The links by which the audit records of one session are found, and what becomes of those that lead astray.

use std::collections::BTreeMap;

use futures::future::try_join_all;

use super::{shredding::changed, *};

/// Entries by key.
type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// Where the link begins in the first value of a group.
const LINK: usize = 3 + 32 + 2 + 16 + 4 + 4;

const OTHERS: u128 = 1_200;

fn audited(session: SessionId, expected: u64, words: &str) -> Commit {
    let audit = vec![record(Some(session), words), record(Some(session), "more")];
    Commit { audit, ..commit(session, expected, &["."]) }
}

/// A closed store with records of session 1 before, among and after those of others.
async fn interleaved(others: u128) -> TempDir {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    store.commit(audited(session(1), 0, "first")).await.unwrap();
    let others = (2..2 + others).map(|other| store.commit(audited(session(other), 0, "other")));
    try_join_all(others).await.unwrap();
    // Of several values.
    store.commit(audited(session(1), 1, &noise(20_000))).await.unwrap();
    store.commit(audited(session(2), 1, "other")).await.unwrap();
    store.commit(audited(session(1), 2, "last")).await.unwrap();
    store.commit(audited(session(3), 1, "other")).await.unwrap();
    drop(store);
    dir
}

/// The first values of the groups of session 1, oldest first.
fn groups(entries: &mut Entries) -> Vec<&mut Vec<u8>> {
    let owner = session(1).uuid();
    let groups = entries.iter_mut().filter(|(key, _)| key[0] == b'a' && key.len() == 9);
    groups.map(|(_, value)| value).filter(|value| value[37..53] == *owner.as_bytes()).collect()
}

/// As a program that knew no links wrote it.
fn unlink(group: &mut Vec<u8>) {
    group[0] = 1;
    group.drain(LINK..LINK + 8);
}

/// That all records of session 1 are found, which are so many, and that the chain holds.
async fn assert_found(store: &SledStore, records: usize, what: &str) {
    let wanted = audit_of(store, session(1)).await;
    assert_eq!(wanted.len(), records, "{what}");
    assert_eq!(export::audit_of(store, session(1)).await.unwrap(), wanted, "{what}");
    chain(store).await;
}

#[tokio::test]
async fn records_of_others_are_not_looked_at() {
    let dir = interleaved(OTHERS).await;
    let store = open(dir.path());
    for seq in 3..6 {
        store.commit(audited(session(1), seq, "again")).await.unwrap();
    }
    for other in 4..200 {
        store.commit(audited(session(other), 1, "other")).await.unwrap();
    }
    let wanted = audit_of(&store, session(1)).await;
    assert_eq!(wanted.len(), 12);
    drop(store);
    let (_copy, store) = changed(dir.path(), |entries| {
        let owner = session(1).uuid();
        let is_own = |value: &Vec<u8>| value.windows(16).any(|id| id == owner.as_bytes());
        let audit = entries.iter_mut().filter(|(key, _)| key[0] == b'a' && key.len() == 9);
        let mut audit: Vec<&mut Vec<u8>> = audit.map(|(_, value)| value).collect();
        // Whoever looks at one of the others fails. The one before holds the seal that a group follows from.
        for at in 0..audit.len() - 1 {
            if !is_own(audit[at]) && !is_own(audit[at + 1]) {
                audit[at].truncate(3);
            }
        }
    });
    assert!(store.audit(0, usize::MAX).await.is_err());
    let (mut found, next) = store.audit_of(session(1), None).await.unwrap();
    assert_eq!(next, None, "all of them at once, as far apart as they are");
    found.sort_by_key(|sealed| sealed.index);
    assert_eq!(found, wanted);
    // One that has none is done at once as well.
    store.commit(commit(session(9_999), 0, &["."])).await.unwrap();
    store.commit(commit(session(9_999), 1, &["."])).await.unwrap();
    assert_eq!(store.audit_of(session(9_999), None).await.unwrap(), (Vec::new(), None));
    // Of one that is gone, or never was, all are looked at.
    assert!(store.audit_of(session(8_888), None).await.is_err());
}

#[tokio::test]
async fn links_that_are_missing_or_lead_astray_hide_nothing() {
    let dir = interleaved(9).await;
    // Session 1 has the records 0 and 1, 20 and 21, 24 and 25; others have what is between, and the last, 26 and 27.
    let links = [2, 20, 22, 24, 26, 99, u64::MAX - 1, u64::MAX - 2];
    for link in links {
        let (_copy, store) = changed(dir.path(), |entries| {
            for group in groups(entries) {
                group[LINK..LINK + 8].copy_from_slice(&link.to_be_bytes());
            }
        });
        assert_found(&store, 6, &format!("link {link}")).await;
    }
    for unlinked in [vec![0], vec![1], vec![2], vec![0, 1, 2]] {
        let (_copy, store) = changed(dir.path(), |entries| {
            for (number, group) in groups(entries).into_iter().enumerate() {
                if unlinked.contains(&number) {
                    unlink(group);
                }
            }
        });
        let what = format!("without {unlinked:?}");
        assert_found(&store, 6, &what).await;
        store.commit(audited(session(1), 3, "after")).await.unwrap();
        assert_found(&store, 8, &what).await;
    }
}

#[tokio::test]
async fn a_head_whose_latest_records_were_lost_finds_those_before() {
    let dir = interleaved(9).await;
    // As a repair leaves it: the last two groups are missing, and their numbers are given again.
    let (_copy, store) = changed(dir.path(), |entries| {
        let groups = entries.keys().filter(|key| key[0] == b'a' && key.len() == 9);
        let lost: Vec<Vec<u8>> = groups.rev().take(2).cloned().collect();
        entries.retain(|key, _| !lost.contains(key));
    });
    assert_found(&store, 4, "cut").await;
    store.commit(audited(session(4), 1, "other")).await.unwrap();
    assert_found(&store, 4, "given to another").await;
    store.commit(audited(session(1), 3, "after")).await.unwrap();
    assert_found(&store, 6, "gone on").await;
}

#[tokio::test]
async fn records_of_an_older_program_are_found_and_new_ones_with_them() {
    let (_dir, store) = corpus();
    let heads = store.sessions(None, 99).await.unwrap();
    assert_eq!(heads.len(), 4);
    assert_lists(&store).await;
    for head in heads {
        let before = audit_of(&store, head.id).await;
        assert!(before.len() > 1, "{}", head.id);
        assert_eq!(export::audit_of(&store, head.id).await.unwrap(), before);
        for step in 0..2 {
            let step = audited(head.id, head.seq + step, "after");
            store.commit(step).await.unwrap();
        }
        let after = audit_of(&store, head.id).await;
        assert_eq!(after.len(), before.len() + 4);
        assert_eq!(export::audit_of(&store, head.id).await.unwrap(), after);
    }
    chain(&store).await;
}
