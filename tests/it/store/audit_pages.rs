//! The audit records of many commits in pages: fewer keys, and nothing else is different.

use std::collections::BTreeMap;

use anteroom::store::sled::repair;

use super::{archive::built_of, shredding::changed, *};

/// Bytes before the sessions of a page: header of a record, last seal, and two counts.
const TABLE: usize = 3 + 32 + 2 + 2;

/// Bytes of each of them.
const ENTRY: usize = 16 + 4 + 8;

fn audited(session: SessionId, expected: u64, words: &str) -> Commit {
    let audit = vec![record(Some(session), words), record(Some(session), "")];
    Commit { audit, ..commit(session, expected, &["."]) }
}

/// What so many sessions commit, one after the other and again; now and then something long.
fn steps(sessions: u128, rounds: u64) -> Vec<Commit> {
    let mut steps = Vec::new();
    for round in 0..rounds {
        for number in 1..=sessions {
            let long = noise(7_000);
            let is_long = (number + u128::from(round)) % 40 == 0;
            let words = if is_long { &long } else { "for a reason" };
            steps.push(audited(session(number), round, words));
        }
    }
    steps
}

async fn commit_all(store: &dyn Store, steps: &[Commit]) {
    for step in steps {
        store.commit(step.clone()).await.unwrap();
    }
}

/// All records, and those of each session, which must hold.
async fn told(store: &dyn Store, sessions: u128) -> Vec<Vec<Sealed>> {
    let mut told = Vec::new();
    let mut all = Vec::new();
    loop {
        let page = store.audit(all.len() as u64, 100).await.unwrap();
        if page.is_empty() {
            break;
        }
        all.extend(page);
    }
    let mut previous = CHAIN_START;
    for (index, sealed) in (0..).zip(&all) {
        assert!(sealed.holds(index, previous), "record {index} does not hold");
        previous = &sealed.seal;
    }
    for number in 1..=sessions {
        let own = export::audit_of(store, session(number)).await.unwrap();
        let wanted: Vec<Sealed> = all
            .iter()
            .filter(|sealed| sealed.record.session == Some(session(number)))
            .cloned()
            .collect();
        assert_eq!(own, wanted, "of session {number}");
        told.push(own);
    }
    told.push(all);
    told
}

/// The keys of the audit chain and the versions of what lies there.
fn versions(store: &SledStore) -> Vec<(Vec<u8>, u8)> {
    let entries = store.entries().unwrap().into_iter();
    entries.filter(|(key, _)| key[0] == b'a').map(|(key, value)| (key, value[0])).collect()
}

/// How many records are pages, and how many are groups after them.
fn pages(store: &SledStore) -> (usize, usize) {
    let records = versions(store).into_iter().filter(|(key, _)| key.len() == 9);
    let (pages, groups): (Vec<_>, Vec<_>) = records.partition(|(_, version)| *version == 3);
    let last = pages.last().map(|(key, _)| key.clone());
    assert!(groups.iter().all(|(key, _)| Some(key) > last.as_ref()), "pages come first");
    (pages.len(), groups.len())
}

/// A closed store whose records lie in pages but for the last few.
async fn paged(steps: &[Commit]) -> TempDir {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    commit_all(&store, steps).await;
    rest(&store).await;
    drop(store);
    dir
}

/// Until all is in pages.
async fn rest(store: &SledStore) {
    while pages(store).1 > 1 {
        store.compact().await.unwrap();
    }
}

#[tokio::test]
async fn old_records_take_few_keys_and_tell_what_they_told() {
    const SESSIONS: u128 = 40;
    let steps = steps(SESSIONS, 12);
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let (first, then) = steps.split_at(100);
    commit_all(&store, first).await;
    let before = told(&store, SESSIONS).await;
    assert!(pages(&store).1 < 256, "as soon as there are enough, without any rest");
    commit_all(&store, then).await;
    store.blocked().await.unwrap();
    let (some, groups) = pages(&store);
    assert!(some > 3 && groups < 256, "{some} pages and {groups} groups");
    let after = told(&store, SESSIONS).await;
    assert_eq!(after[40][..before[40].len()], before[40], "those of before are as they were");
    rest(&store).await;
    assert_eq!(told(&store, SESSIONS).await, after);
    let keys = versions(&store).len();
    assert!(keys * 6 < steps.len(), "{keys} keys for {} commits", steps.len());
    drop(store);

    let store = open(dir.path());
    assert_eq!(told(&store, SESSIONS).await, after);
    // It goes on from there, and is put into pages after these.
    let (before, _) = pages(&store);
    for number in 1..=SESSIONS {
        store.commit(audited(session(number), 12, "later")).await.unwrap();
    }
    let after = told(&store, SESSIONS).await;
    rest(&store).await;
    assert_eq!(told(&store, SESSIONS).await, after);
    assert!(pages(&store).0 > before);
    assert!(after.iter().take(40).all(|own| own.len() == 26));
}

#[tokio::test]
async fn words_in_a_page_go_with_their_session() {
    let dir = paged(&steps(9, 4)).await;
    let store = open(dir.path());
    store.erase(whole(session(5), record(Some(session(5)), ""))).await.unwrap();
    rest(&store).await;
    let told = told(&store, 9).await;
    let had_words = |sealed: &&Sealed| sealed.erased || !sealed.record.words.is_empty();
    for (own, number) in told.iter().zip(1..=9) {
        let words: Vec<_> = own.iter().filter(had_words).collect();
        assert_eq!(words.len(), 4);
        assert!(words.iter().all(|sealed| sealed.erased == (number == 5)), "of session {number}");
    }
    // Of one that is gone, its receipt is the last.
    assert_eq!(told[4].len(), 9);
}

#[tokio::test]
async fn links_in_a_page_that_are_missing_or_lead_astray_hide_nothing() {
    let dir = paged(&steps(7, 40)).await;
    let store = open(dir.path());
    let before = told(&store, 7).await;
    assert!(pages(&store).0 > 4);
    drop(store);
    for link in [9_999, u64::MAX - 1, u64::MAX - 2] {
        let (_copy, store) = changed(dir.path(), |entries| {
            for page in entries.iter_mut().filter(|(key, _)| key[0] == b'a' && key.len() == 9) {
                let page = page.1;
                for entry in 0..usize::from(page[TABLE - 1]) {
                    let at = TABLE + (entry + 1) * ENTRY;
                    page[at - 8..at].copy_from_slice(&u64::to_be_bytes(link));
                }
            }
        });
        assert_eq!(told(&store, 7).await, before, "link {link}");
    }
}

#[tokio::test]
async fn damage_in_a_page_is_found() {
    let dir = paged(&steps(6, 30)).await;
    let store = open(dir.path());
    let before = store.audit(0, usize::MAX).await.unwrap();
    let places: Vec<(Vec<u8>, usize)> =
        store.entries().unwrap().into_iter().map(|(key, value)| (key, value.len())).collect();
    drop(store);
    let pages = places.iter().filter(|(key, _)| key[0] == b'a');
    let (second, length) = pages.clone().nth(1).unwrap();
    let first = u64::from_be_bytes(second[1..9].try_into().unwrap());
    let table = TABLE..TABLE + 6 * ENTRY;
    for place in (0..*length).step_by(97).filter(|place| !table.contains(place)) {
        let (_copy, store) = changed(dir.path(), |entries| {
            entries.get_mut(second).unwrap()[place] ^= 1;
        });
        // Those before it are as they were.
        let sound = store.audit(0, usize::try_from(first).unwrap()).await.unwrap();
        assert_eq!(sound, before[..sound.len()], "byte {place}");
        let damaged = match store.audit(first, usize::MAX).await {
            Err(Error::Unreadable { .. }) => true,
            Err(other) => panic!("{other}"),
            Ok(records) => {
                let mut previous = &before[sound.len() - 1].seal;
                !(first..).zip(&records).all(|(index, sealed)| {
                    let holds = sealed.holds(index, previous);
                    previous = &sealed.seal;
                    holds
                })
            }
        };
        assert!(damaged, "byte {place} of {length}");
        // A page that is missing is missed.
        let (_copy, store) = changed(dir.path(), |entries| {
            entries.remove(second);
        });
        let records = store.audit(0, usize::MAX).await.unwrap();
        assert_ne!(records.len(), before.len());
        assert!(!(0..).zip(&records).all(|(index, sealed)| sealed.index == index));
    }
}

#[tokio::test]
async fn words_of_one_session_that_cannot_be_opened_leave_those_of_others() {
    let dir = paged(&steps(6, 4)).await;
    let store = open(dir.path());
    let before = told(&store, 6).await;
    drop(store);
    let (_copy, store) = changed(dir.path(), |entries| {
        let mut pages = entries.iter_mut().filter(|(key, _)| key[0] == b'a');
        // The last words in the page are those of its last group.
        *pages.next().unwrap().1.last_mut().unwrap() ^= 1;
    });
    assert!(store.audit(0, usize::MAX).await.is_err());
    let mut unread = 0;
    for number in 1..=6 {
        match export::audit_of(&store, session(number)).await {
            Ok(own) => assert_eq!(own, before[usize::try_from(number - 1).unwrap()]),
            Err(_) => unread += 1,
        }
    }
    assert_eq!(unread, 1);
}

#[tokio::test]
async fn what_does_not_hold_goes_into_no_page() {
    let steps = steps(6, 30);
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    // Few enough to be left as they are.
    commit_all(&store, &steps[..100]).await;
    drop(store);
    let wrong = [&b"a"[..], &120_u64.to_be_bytes()].concat();
    let (_copy, store) = changed(dir.path(), |entries| {
        // Its last seal.
        entries.get_mut(&wrong).unwrap()[3] ^= 1;
    });
    let before = store.audit(0, usize::MAX).await.unwrap();
    store.compact().await.unwrap();
    commit_all(&store, &steps[100..]).await;
    store.compact().await.unwrap();
    let after = store.audit(0, usize::MAX).await.unwrap();
    assert_eq!(after[..before.len()], before);
    let mut previous = CHAIN_START;
    let broken = after.iter().zip(0..).find(|(sealed, index)| {
        let holds = sealed.holds(*index, previous);
        previous = &sealed.seal;
        !holds
    });
    assert_eq!(broken.map(|(sealed, _)| sealed.index), Some(120), "told as before");
    let groups = versions(&store).into_iter().find(|(_, version)| *version != 3);
    assert!(groups.is_some_and(|(key, _)| key <= wrong), "and left where it lies");
}

#[tokio::test]
async fn records_of_an_older_program_go_into_pages() {
    let (dir, store) = corpus();
    let before = store.audit(0, usize::MAX).await.unwrap();
    let versions = versions(&store);
    assert!(versions.iter().any(|(_, version)| *version == 1));
    rest(&store).await;
    assert_eq!(store.audit(0, usize::MAX).await.unwrap(), before);
    for head in store.sessions(None, 99).await.unwrap() {
        let own = audit_of(&store, head.id).await;
        assert_eq!(export::audit_of(&store, head.id).await.unwrap(), own);
        store.commit(audited(head.id, head.seq, "after")).await.unwrap();
        assert_eq!(export::audit_of(&store, head.id).await.unwrap().len(), own.len() + 2);
    }
    // A dump of pages makes a store again.
    let (_copy, built) = built_of(&dir, &store);
    let all = store.audit(0, usize::MAX).await.unwrap();
    assert_eq!(built.audit(0, usize::MAX).await.unwrap(), all);
}

#[tokio::test]
async fn a_repair_finds_a_session_without_a_head_by_its_page() {
    let dir = paged(&steps(6, 30)).await;
    let head = [&b"h"[..], session(6).uuid().as_bytes()].concat();
    let mut lost = BTreeMap::new();
    let (copy, store) = changed(dir.path(), |entries| {
        lost.extend(entries.remove_entry(&head));
        let second = entries.keys().filter(|key| key[0] == b'a').nth(1).cloned().unwrap();
        entries.get_mut(&second).unwrap()[TABLE + 6 * ENTRY + 300] ^= 1;
    });
    assert_eq!(lost.len(), 1);
    let first = versions(&store).into_iter().filter(|(key, _)| key.len() == 9).nth(1).unwrap().0;
    let sound = u64::from_be_bytes(first[1..9].try_into().unwrap());
    drop(store);
    let to = TempDir::new().unwrap();
    let to = to.path().join("mended");
    let repaired = repair(copy.path(), &to).unwrap();
    let found = repaired.conversations.iter().find(|one| one.session == session(6)).unwrap();
    assert!(!found.is_whole());
    assert_eq!(found.events.len(), 30, "what was said is handed out");
    assert_eq!(repaired.conversations.iter().filter(|one| one.is_whole()).count(), 5);
    let store = open(&to);
    assert_eq!(store.audit(0, usize::MAX).await.unwrap().len() as u64, sound);
    store.commit(audited(session(1), 30, "after")).await.unwrap();
    rest(&store).await;
    told(&store, 6).await;
}

#[tokio::test]
async fn a_long_history_is_told_in_parts() {
    const GROUPS: u64 = 70;
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    for seq in 0..GROUPS {
        // Each fills a page.
        let audit = vec![record(Some(session(1)), "again"); 130];
        store.commit(Commit { audit, ..commit(session(1), seq, &["."]) }).await.unwrap();
        store.commit(audited(session(2), seq, "other")).await.unwrap();
    }
    let (some, next) = store.audit_of(session(1), None).await.unwrap();
    assert!(next.is_some() && some.len() < 130 * 70);
    assert_eq!(told(&store, 2).await[0].len(), 130 * 70);
}

#[tokio::test]
async fn a_session_whose_head_is_damaged_is_erased_with_the_slot_that_its_page_tells() {
    let dir = paged(&steps(6, 4)).await;
    let head = [&b"h"[..], session(6).uuid().as_bytes()].concat();
    let (_copy, store) = changed(dir.path(), |entries| {
        entries.get_mut(&head).unwrap().truncate(3);
    });
    store.erase(whole(session(6), record(Some(session(6)), ""))).await.unwrap();
    let told = told(&store, 6).await;
    let erased = |own: &[Sealed]| own.iter().filter(|sealed| sealed.erased).count();
    assert_eq!(told.iter().take(6).map(|own| erased(own)).collect::<Vec<_>>(), [0, 0, 0, 0, 0, 4]);
}
