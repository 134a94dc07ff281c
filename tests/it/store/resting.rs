//! Sessions at rest: the same store with few keys.

use std::{collections::BTreeMap, sync::Arc};

use anteroom::{
    base::ids::{EffectId, SessionId, WaitId},
    engine::export,
    model::{
        audit::Sealed,
        effect::{Act, Cause, Delivery, Effect, Rendering},
        file_key::{FileKey, FileKeys, KeyError},
        session::{Head, PersonId},
        transcript::Event,
        usage::Balance,
        wait::{Wait, WaitStatus},
    },
    store::{
        Capacity, Commit, Erasure, Error, Find, Loaded, Note, Store, Timer, health::Health,
        memory::MemoryStore, sled::SledStore,
    },
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tempfile::TempDir;

use super::{
    ALL, Backend, assert_lists, at, commit, delivered, effect, effect_id, head, noise, open,
    record, said, session, shredding::changed, tell, wait, wait_id, whole,
};

/// A store in which every session comes to rest after each step.
#[derive(Debug)]
pub(super) struct Resting(pub(super) Arc<SledStore>);

impl Resting {
    async fn rest<T>(&self, done: Result<T, Error>) -> Result<T, Error> {
        if self.0.health() == Health::Well {
            while self.0.compact().await? {}
        }
        done
    }
}

#[async_trait]
impl FileKeys for Resting {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        self.0.file_key(session).await
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        self.0.link_key().await
    }
}

#[async_trait]
impl Store for Resting {
    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        self.rest(self.0.commit(commit).await).await
    }

    async fn is_known_event(&self, key: &str) -> Result<bool, Error> {
        self.0.is_known_event(key).await
    }

    async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error> {
        self.0.load(session).await
    }

    async fn find(&self, by: Find) -> Result<Vec<Head>, Error> {
        self.0.find(by).await
    }

    async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
        self.0.wait(id).await
    }

    async fn waits(&self, ids: Vec<WaitId>) -> Vec<Result<Option<(Wait, Vec<Rendering>)>, Error>> {
        self.0.waits(ids).await
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
        self.0.due(now, limit).await
    }

    async fn claim(&self, now: DateTime<Utc>, capacity: Capacity) -> Result<Vec<Effect>, Error> {
        self.0.claim(now, capacity).await
    }

    async fn done(&self, effect: EffectId, delivery: Delivery) -> Result<(), Error> {
        self.rest(self.0.done(effect, delivery).await).await
    }

    async fn hurry(&self, cause: &Cause, most: usize) -> Result<usize, Error> {
        self.0.hurry(cause, most).await
    }

    async fn blocked(&self) -> Result<Vec<(Cause, usize)>, Error> {
        self.0.blocked().await
    }

    async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error> {
        self.0.outbox(session).await
    }

    async fn sessions(&self, after: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error> {
        self.0.sessions(after, limit).await
    }

    async fn has(&self, session: SessionId) -> Result<bool, Error> {
        self.0.has(session).await
    }

    async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
        self.0.audit(from, limit).await
    }

    async fn audit_of(
        &self,
        session: SessionId,
        from: Option<u64>,
    ) -> Result<(Vec<Sealed>, Option<u64>), Error> {
        self.0.audit_of(session, from).await
    }

    async fn erase(&self, erasure: Erasure) -> Result<(), Error> {
        self.rest(self.0.erase(erasure).await).await
    }

    async fn balance(&self, account: &str) -> Result<Balance, Error> {
        self.0.balance(account).await
    }

    async fn note(&self, note: Note) -> Result<(), Error> {
        self.rest(self.0.note(note).await).await
    }

    async fn noted(&self, key: &str) -> Result<Option<Note>, Error> {
        self.0.noted(key).await
    }

    async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error> {
        self.0.notes(prefix).await
    }

    fn is_inherited(&self, effect: EffectId) -> bool {
        self.0.is_inherited(effect)
    }

    fn health(&self) -> Health {
        self.0.health()
    }
}

/// Steps of one session: it is asked in one and answers in the next.
pub(super) fn interview(number: u128, questions: u64) -> Vec<Commit> {
    let mut steps = Vec::new();
    for question in 0..questions {
        let id = wait_id(number * 1000 + u128::from(question));
        let asked = wait(id, session(number), &format!("Question {question}?"));
        let answered = Wait {
            status: WaitStatus::Cancelled { reason: "answered".to_owned(), at: at(3) },
            ..asked.clone()
        };
        let seq = question * 2 + 1;
        let event = Event::Asked(Box::new(asked.clone())).into();
        let ask = commit(session(number), seq - 1, &[""]);
        let mut events = ask.events.clone();
        events[0].event = event;
        steps.push(Commit {
            events,
            waits: vec![asked],
            effects: vec![effect(
                effect_id(id.uuid().as_u128()),
                session(number),
                Act::Show { wait: id },
            )],
            audit: vec![record(Some(session(number)), "quince jelly")],
            ..ask
        });
        steps.push(Commit {
            waits: vec![answered],
            dedup: Some(format!("event-{number}-{question}")),
            ..commit(session(number), seq, &["an answer"])
        });
    }
    steps
}

/// Keys of each family but those of the audit chain.
fn keys_of(store: &SledStore) -> BTreeMap<char, usize> {
    let mut keys = BTreeMap::new();
    for (key, _) in store.entries().unwrap() {
        *keys.entry(char::from(key[0])).or_default() += 1;
    }
    keys.remove(&'a');
    keys
}

/// Everything that a store says of sessions, their waits and their notes.
pub(super) async fn said_of(store: &dyn Store, sessions: u128, questions: u64) -> Vec<String> {
    let mut said = Vec::new();
    for number in 1..=sessions {
        said.push(format!("{:?}", store.load(session(number)).await.unwrap()));
        // The last one is of nobody.
        let ids = (0..=u128::from(questions)).map(|question| wait_id(number * 1000 + question));
        let together = store.waits(ids.clone().collect()).await;
        for (id, found) in ids.zip(together) {
            let wait = store.wait(id).await.unwrap();
            assert_eq!(found.unwrap(), wait, "with the others, and alone");
            said.push(format!("{wait:?}"));
        }
        said.push(format!("{:?}", store.noted(&format!("a/{number}")).await.unwrap()));
        said.push(format!("{:?}", export::audit_of(store, session(number)).await.unwrap().len()));
    }
    let heads = store.find(Find::Person(PersonId::web("ada"))).await.unwrap();
    said.push(format!("{heads:?}"));
    said
}

#[tokio::test]
async fn a_session_that_rests_for_ten_minutes_has_few_keys_and_all_that_it_had() {
    let dir = TempDir::new().unwrap();
    let (store, memory) = (open(dir.path()), MemoryStore::default());
    for store in [&store as &dyn Store, &memory] {
        for step in interview(1, 20) {
            store.commit(step).await.unwrap();
        }
        while let [effect, ..] = store.claim(at(0), ALL).await.unwrap().as_slice() {
            store.done(effect.id, delivered("D1/1.0")).await.unwrap();
        }
        let note = Note {
            key: "a/1".to_owned(),
            session: Some(session(1)),
            value: Some("D1/2.0".to_owned()),
        };
        store.note(note).await.unwrap();
    }
    let before = keys_of(&store);
    tell(&store, at(1)).await;
    tell(&store, at(10)).await;
    assert_eq!(keys_of(&store), before, "it may go on");

    tell(&store, at(11)).await;
    while store.compact().await.unwrap() {}
    let after = keys_of(&store);
    assert!(before.values().sum::<usize>() > 40, "{before:?}");
    for gone in ['d', 'm', 'n', 'p', 'q', 'w'] {
        assert_eq!(after.get(&gone), None, "{after:?}");
    }
    assert_eq!((after[&'e'], after[&'h'], after[&'k']), (1, 1, before[&'k']), "{after:?}");
    drop(store);

    let store = open(dir.path());
    assert_eq!(said_of(&store, 1, 20).await, said_of(&memory, 1, 20).await);
    let again = store.commit(Commit {
        dedup: Some("event-1-7".to_owned()),
        ..commit(session(2), 0, &["hello"])
    });
    assert!(matches!(again.await, Err(Error::Duplicate)), "an event of a session at rest");
    store.erase(whole(session(1), record(None, ""))).await.unwrap();
    let left: Vec<char> = keys_of(&store).into_keys().collect();
    assert_eq!(left, ['c', 'l', 'r'], "an erasure leaves no packed key either");
}

#[tokio::test]
async fn sessions_that_rest_again_and_again_say_what_others_say() {
    const SESSIONS: u128 = 60;
    const QUESTIONS: u64 = 4;
    let mut backend = Backend::resting();
    let memory = MemoryStore::default();
    let interviews: Vec<_> = (1..=SESSIONS).map(|number| interview(number, QUESTIONS)).collect();
    let turns = interviews[0].len();
    for turn in 0..turns {
        // Not in the order of their ids, so that pages of keys are filled from the middle.
        for number in (1..=SESSIONS).map(|number| number * 37 % 61) {
            let interview = &interviews[usize::try_from(number - 1).unwrap()];
            let step = &interview[turn];
            for store in [&*backend.store() as &dyn Store, &memory] {
                store.commit(step.clone()).await.unwrap();
                if turn == 1 {
                    let key = format!("a/{number}");
                    let value = Some(number.to_string());
                    store.note(Note { key, session: Some(session(number)), value }).await.unwrap();
                }
                for effect in &step.effects {
                    store.done(effect.id, delivered(&format!("D1/{turn}"))).await.unwrap();
                }
            }
        }
    }
    let store = backend.store();
    let wanted = said_of(&memory, SESSIONS, QUESTIONS).await;
    assert_eq!(said_of(&*store, SESSIONS, QUESTIONS).await, wanted);
    for number in (1..=SESSIONS).filter(|number| number % 3 != 0) {
        for store in [&*store, &memory as &dyn Store] {
            store.erase(whole(session(number), record(None, ""))).await.unwrap();
        }
    }
    drop(store);

    let store = backend.restart();
    let wanted = said_of(&memory, SESSIONS, QUESTIONS).await;
    assert_eq!(said_of(&*store, SESSIONS, QUESTIONS).await, wanted);
    for number in 1..=SESSIONS {
        let repeated = store.commit(Commit {
            dedup: Some(format!("event-{number}-0")),
            ..commit(session(1000 + number), 0, &["hello"])
        });
        let is_known = matches!(repeated.await, Err(Error::Duplicate));
        assert_eq!(is_known, number % 3 == 0, "event of session {number}");
    }
}

#[tokio::test]
async fn a_question_from_before_the_rest_is_answered_after_it() {
    const QUESTIONS: u128 = 12;
    let dir = TempDir::new().unwrap();
    let (store, memory) = (open(dir.path()), MemoryStore::default());
    let long = noise(20_000);
    let asked: Vec<Wait> = (1000..1000 + QUESTIONS)
        .zip(long.as_bytes().chunks(1600))
        .map(|(id, body)| wait(wait_id(id), session(1), str::from_utf8(body).unwrap()))
        .collect();
    let answered = |wait: &Wait| Wait { status: WaitStatus::Expired { at: at(3) }, ..wait.clone() };
    let answered: Vec<Wait> = asked.iter().map(answered).collect();
    let mut steps = (0..)
        .zip(asked.into_iter().chain(answered))
        .map(|(seq, wait)| Commit { waits: vec![wait], ..commit(session(1), seq, &["."]) });
    for step in steps.by_ref().take(12) {
        store.commit(step.clone()).await.unwrap();
        memory.commit(step).await.unwrap();
    }
    assert!(keys_of(&store)[&'e'] > 6, "each question is in a frame of its own");
    store.compact().await.unwrap();
    assert_eq!(said_of(&store, 1, 12).await, said_of(&memory, 1, 12).await);
    for step in steps {
        store.commit(step.clone()).await.unwrap();
        memory.commit(step).await.unwrap();
    }
    drop(store);
    let store = open(dir.path());
    assert_eq!(said_of(&store, 1, 12).await, said_of(&memory, 1, 12).await);
    store.compact().await.unwrap();
    assert_eq!(said_of(&store, 1, 12).await, said_of(&memory, 1, 12).await);
}

#[tokio::test]
async fn a_long_session_is_made_compact_part_by_part() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let large = noise(60_000);
    let texts = ["one", &large, "three", "four"];
    for (seq, text) in (0..).zip(texts) {
        store.commit(commit(session(1), seq, &[text])).await.unwrap();
    }
    while store.compact().await.unwrap() {}
    let frames = || {
        let entries = store.entries().unwrap();
        entries.into_iter().filter(|(key, _)| key[0] == b'e' && key.len() == 9).collect::<Vec<_>>()
    };
    let first = frames();
    assert_eq!(first.len(), 2, "with the large text, and after it");
    store.commit(commit(session(1), 4, &["five"])).await.unwrap();
    while store.compact().await.unwrap() {}
    let second = frames();
    assert_eq!((second.len(), &second[..1]), (2, &first[..1]), "what is full is left alone");
    assert_ne!(second[1], first[1]);
    let loaded = store.load(session(1)).await.unwrap().unwrap();
    let wanted: Vec<_> = (1..).zip(texts.into_iter().chain(["five"])).collect();
    let wanted: Vec<_> = wanted.into_iter().map(|(seq, text)| said(seq, text)).collect();
    assert_eq!(loaded.events, wanted);
}

#[tokio::test]
async fn what_was_touched_before_a_restart_is_made_compact_after_it() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    for step in interview(1, 3) {
        store.commit(step).await.unwrap();
    }
    drop(store);
    let store = open(dir.path());
    assert_eq!(keys_of(&store)[&'w'], 3);
    tell(&store, at(60)).await;
    tell(&store, at(71)).await;
    while store.compact().await.unwrap() {}
    assert_eq!(keys_of(&store).get(&'w'), None);
    assert_eq!(keys_of(&store).get(&'q'), None);
}

#[tokio::test]
async fn a_store_without_lists_gets_them_when_it_is_opened() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    for number in 1..=300_u32 {
        let head = Head {
            approvals: u32::from(number % 50 == 0),
            goes_at: (number % 3 == 0).then(|| at(i64::from(number))),
            parent: (number % 90 == 0).then(|| session(1)),
            ..head(session(number.into()), 1)
        };
        let step = Commit { head, ..commit(session(number.into()), 0, &["."]) };
        store.commit(step).await.unwrap();
    }
    assert_lists(&store).await;
    let entries = store.entries().unwrap();
    let lists = |key: &[u8]| key[0] == b'i';
    let listed = entries.iter().filter(|(key, _)| lists(key)).count();
    assert_eq!(listed, 97 + 6 + 3 + 297);
    drop(store);
    let (_copy, store) = changed(dir.path(), |entries| {
        entries.retain(|key, _| !lists(key));
        entries.get_mut(&b"l"[..]).unwrap()[0] = 3;
    });
    assert_lists(&store).await;
    let loose =
        |store: &SledStore| store.entries().unwrap().iter().filter(|(key, _)| lists(key)).count();
    assert_eq!(loose(&store), listed);
    while loose(&store) > 0 {
        store.compact().await.unwrap();
    }
    // Now they fill several pages.
    assert_lists(&store).await;
    drop(store);

    let third = [&b"h"[..], session(3).uuid().as_bytes()].concat();
    let (_copy, store) = changed(dir.path(), |entries| {
        entries.get_mut(&third).unwrap().truncate(3);
    });
    store.erase(whole(session(3), record(None, ""))).await.unwrap();
    assert_eq!(loose(&store), listed - 2, "it was due, and nothing but the lists told");
}

#[tokio::test]
async fn sessions_at_rest_get_what_a_store_of_the_layout_before_lacks_in_pages() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path());
    let loose = |store: &SledStore| keys_of(store).get(&'i').copied().unwrap_or_default();
    for number in 1..=300_u32 {
        let head = Head {
            goes_at: (number % 3 == 0).then(|| at(i64::from(number))),
            updated_at: at(i64::from(number * 7 % 300)),
            ..head(session(number.into()), 1)
        };
        let step = Commit { head, ..commit(session(number.into()), 0, &["."]) };
        store.commit(step).await.unwrap();
    }
    while loose(&store) > 0 {
        store.compact().await.unwrap();
    }
    drop(store);
    // The lists by the last update have letters of their own; a member is a letter, a time and a session.
    let (_copy, store) = changed(dir.path(), |entries| {
        entries.retain(|key, page| {
            if key.starts_with(b"zi") {
                let known = page.chunks(29).filter(|member| member[0].is_ascii_lowercase());
                *page = known.flatten().copied().collect();
            }
            !page.is_empty() || !key.starts_with(b"zi")
        });
        entries.get_mut(&b"l"[..]).unwrap()[0] = 4;
    });
    assert_lists(&store).await;
    while store.compact().await.unwrap() {}
    assert_eq!(loose(&store), 0);
    assert_lists(&store).await;
}
