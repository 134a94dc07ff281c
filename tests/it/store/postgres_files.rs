//! Files in the database: every node has them, and nobody reads them there.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{CountingIds, SessionId},
    },
    model::{
        artifact::Artifact,
        file_key::{FileKey, FileKeys, KeyError},
    },
    ports::artifacts::{
        Artifacts,
        blobs::{Condition, Error},
        check::Kind,
        extract::Extractor,
    },
    store::{
        Store,
        postgres::{Options, PostgresStore},
    },
};
use async_trait::async_trait;
use sqlx::{Connection as _, PgConnection, Row as _};
use tempfile::TempDir;

use super::{commit, open_database, session};
use crate::support::postgres;

const MARKER: &str = "The moon is made of green cheese.";

/// A text of more than two pieces.
fn text() -> Vec<u8> {
    MARKER.repeat(80_000).into_bytes()
}

fn artifacts(folder: &Path, keys: Arc<dyn FileKeys>) -> Artifacts {
    let clock: Arc<dyn Clock> = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
    let ids = Arc::new(CountingIds::default());
    Artifacts::new(folder, keys, clock, ids, Extractor::new("/nonexistent")).unwrap()
}

/// A node with a data directory of its own.
struct Node {
    store: Arc<PostgresStore>,
    artifacts: Artifacts,
    folder: TempDir,
}

impl Node {
    fn start(options: &Options) -> Self {
        let (store, folder) = (Arc::new(open_database(options)), tempfile::tempdir().unwrap());
        let artifacts = artifacts(folder.path(), Arc::clone(&store) as Arc<dyn FileKeys>);
        Self { store, artifacts, folder }
    }

    async fn keep(&self, number: u128, bytes: Vec<u8>) -> Artifact {
        let kept = self.artifacts.make(session(number), "notes.md", Kind::Markdown, bytes);
        kept.await.unwrap()
    }

    /// Files in its data directory.
    fn own_files(&self) -> usize {
        let files = walk(self.folder.path());
        files.into_iter().filter(|file| fs::metadata(file).unwrap().len() > 0).count()
    }
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

async fn count(options: &Options, statement: &'static str) -> i64 {
    let mut connection = PgConnection::connect(&options.url).await.unwrap();
    sqlx::query(statement).fetch_one(&mut connection).await.unwrap().get(0)
}

pub(super) async fn change(options: &Options, statement: &'static str) -> u64 {
    let mut connection = PgConnection::connect(&options.url).await.unwrap();
    sqlx::query(statement).execute(&mut connection).await.unwrap().rows_affected()
}

#[tokio::test]
async fn a_node_that_takes_over_has_the_files_and_flows_of_the_one_before() {
    let Some(options) = postgres::database().await else { return };
    let first = Node::start(&options);
    first.store.commit(commit(session(1), 0, &["hello"])).await.unwrap();
    let kept = first.keep(1, text()).await;
    let empty = first.keep(1, Vec::new()).await;
    // The same again is the same file.
    first.keep(1, text()).await;
    first.artifacts.pin_flow(FLOW_DIGEST, FLOW).await.unwrap();
    assert_eq!(first.own_files(), 0);
    assert_eq!(count(&options, "select count(*) from file").await, 3 + 1 + 1);
    drop(first);

    let second = Node::start(&options);
    assert_eq!(second.artifacts.read(session(1), &kept).await.unwrap(), Some(text()));
    assert_eq!(second.artifacts.read(session(1), &empty).await.unwrap(), Some(Vec::new()));
    assert_eq!(second.artifacts.inspect(session(1), &kept).await.unwrap(), Condition::Whole);
    let flow = second.artifacts.pinned_flow(FLOW_DIGEST).await.unwrap();
    assert_eq!(flow.as_deref(), Some(FLOW));
    assert_eq!(second.artifacts.sessions().await.unwrap(), BTreeSet::from([session(1)]));
}

const FLOW: &str = "format = 1\n";
const FLOW_DIGEST: &str = "a1af1bccf46862c1ce45d1064094b00a0808329540e06a44bcedd8c921849f1e";

#[tokio::test]
async fn nobody_reads_a_file_in_the_database_and_one_that_was_changed_is_told() {
    let Some(options) = postgres::database().await else { return };
    let node = Node::start(&options);
    for number in [1, 2] {
        node.store.commit(commit(session(number), 0, &["hello"])).await.unwrap();
    }
    let kept = node.keep(1, text()).await;
    let marked = "select count(*) from file where position('green cheese'::bytea in data) > 0";
    assert_eq!(count(&options, marked).await, 0);
    let mut connection = PgConnection::connect(&options.url).await.unwrap();
    let names = sqlx::query("select distinct name from file").fetch_all(&mut connection).await;
    let names: Vec<String> = names.unwrap().iter().map(|row| row.get("name")).collect();
    assert!(!names.contains(&kept.sha256), "the digest tells what was sent");
    // Somebody with access to the database gives it to another conversation.
    let moved = "update file set session = (select id from session order by id desc limit 1)";
    assert_eq!(change(&options, moved).await, 3);
    assert_eq!(node.artifacts.read(session(1), &kept).await.unwrap(), None);
    let theirs = node.artifacts.read(session(2), &kept).await.unwrap();
    assert_eq!(theirs, None, "its name is another one there");
    // Or changes a byte, or takes a piece away.
    let again = node.keep(1, text()).await;
    let flipped = "update file set data = set_byte(data, 700, get_byte(data, 700) # 1) \
        where piece = 1 and session = (select id from session order by id limit 1)";
    assert_eq!(change(&options, flipped).await, 1);
    let read = node.artifacts.read(session(1), &again).await;
    assert!(matches!(read, Err(Error::Damaged { .. })), "{read:?}");
    // What is sent again takes the place of the damaged one.
    node.keep(1, text()).await;
    assert_eq!(node.artifacts.read(session(1), &again).await.unwrap(), Some(text()));
    assert_eq!(change(&options, "delete from file where piece = 2").await, 2);
    let read = node.artifacts.read(session(1), &again).await;
    assert!(matches!(read, Err(Error::Damaged { .. })), "{read:?}");
}

#[tokio::test]
async fn files_go_with_their_session_and_those_that_are_kept_stay() {
    let Some(options) = postgres::database().await else { return };
    let node = Node::start(&options);
    for number in [1, 2] {
        node.store.commit(commit(session(number), 0, &["hello"])).await.unwrap();
    }
    let (kept, gone) = (node.keep(1, text()).await, node.keep(1, b"another".to_vec()).await);
    let others = node.keep(2, text()).await;
    let stays = BTreeSet::from([kept.sha256.clone()]);
    node.artifacts.retain(session(1), stays).await.unwrap();
    assert_eq!(node.artifacts.read(session(1), &kept).await.unwrap(), Some(text()));
    assert_eq!(node.artifacts.read(session(1), &gone).await.unwrap(), None);
    for _ in 0..2 {
        node.artifacts.erase(session(1)).await.unwrap();
    }
    assert_eq!(node.artifacts.read(session(1), &kept).await.unwrap(), None);
    assert_eq!(node.artifacts.read(session(2), &others).await.unwrap(), Some(text()));
    assert_eq!(node.artifacts.sessions().await.unwrap(), BTreeSet::from([session(2)]));
}

/// Keys of the store, with files in the data directory as earlier versions had them.
#[derive(Debug)]
struct Earlier(Arc<PostgresStore>);

#[async_trait]
impl FileKeys for Earlier {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        self.0.file_key(session).await
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        self.0.link_key().await
    }
}

#[tokio::test]
async fn files_that_an_earlier_version_kept_in_the_data_directory_are_found_and_taken_over() {
    let Some(options) = postgres::database().await else { return };
    let node = Node::start(&options);
    node.store.commit(commit(session(1), 0, &["hello"])).await.unwrap();
    let earlier = Arc::new(Earlier(Arc::clone(&node.store)));
    let before = artifacts(node.folder.path(), earlier);
    let kept = before.make(session(1), "notes.md", Kind::Markdown, text()).await.unwrap();
    before.pin_flow(FLOW_DIGEST, FLOW).await.unwrap();
    assert_eq!(node.own_files(), 2);

    assert_eq!(node.artifacts.sessions().await.unwrap(), BTreeSet::from([session(1)]));
    assert_eq!(node.artifacts.read(session(1), &kept).await.unwrap(), Some(text()));
    assert_eq!(node.artifacts.pinned_flow(FLOW_DIGEST).await.unwrap().as_deref(), Some(FLOW));
    drop(before);
    let options_of_next = options.clone();
    drop(node);
    let next = Node::start(&options_of_next);
    assert_eq!(next.artifacts.read(session(1), &kept).await.unwrap(), Some(text()));
    assert_eq!(next.artifacts.pinned_flow(FLOW_DIGEST).await.unwrap().as_deref(), Some(FLOW));
}

#[tokio::test]
async fn a_large_file_may_take_longer_than_other_statements() {
    let Some(options) = postgres::database().await else { return };
    let node = Node::start(&options);
    node.store.commit(commit(session(1), 0, &["hello"])).await.unwrap();
    let kept = node.keep(1, text()).await;
    for statement in [
        "alter table file rename to stored",
        "create function takes_its_time() returns boolean language plpgsql volatile as $$ begin \
         if current_setting('statement_timeout') <> '1min' then raise exception 'too slow'; end if; \
         return true; end $$",
        "create view file as select * from stored where takes_its_time()",
    ] {
        change(&options, statement).await;
    }
    assert_eq!(node.artifacts.read(session(1), &kept).await.unwrap(), Some(text()));
}

#[tokio::test]
async fn sessions_with_files_are_found_however_many_there_are() {
    let Some(options) = postgres::database().await else { return };
    let node = Node::start(&options);
    node.artifacts.pin_flow(FLOW_DIGEST, FLOW).await.unwrap();
    let many = "insert into file (session, name, piece, data) \
        select gen_random_uuid(), 'notes', piece, '' from generate_series(1, 2500) \
        cross join generate_series(0, 1) as pieces(piece)";
    change(&options, many).await;
    assert_eq!(node.artifacts.sessions().await.unwrap().len(), 5_000);
}

#[tokio::test]
async fn a_node_that_stood_still_keeps_and_removes_no_file_before_it_finds_out() {
    let Some(options) = postgres::database().await else { return };
    let first = Node::start(&options);
    first.store.commit(commit(session(1), 0, &["hello"])).await.unwrap();
    first.keep(1, b"before".to_vec()).await;
    change(&options, "update store set lease_until = now() - interval '1 second'").await;
    let second = Node::start(&options);
    let kept = second.keep(1, b"after".to_vec()).await;
    let refused = first.artifacts.make(session(1), "late.md", Kind::Markdown, b"late".to_vec());
    assert!(matches!(refused.await, Err(Error::Unreachable(_))));
    let refused = first.artifacts.erase(session(1)).await;
    assert!(matches!(refused, Err(Error::Unreachable(_))), "{refused:?}");
    assert_eq!(count(&options, "select count(*) from file").await, 2);
    assert_eq!(second.artifacts.read(session(1), &kept).await.unwrap(), Some(b"after".to_vec()));
}

#[tokio::test]
async fn a_node_that_is_not_active_keeps_no_file() {
    let Some(options) = postgres::database().await else { return };
    let first = Node::start(&options);
    first.store.commit(commit(session(1), 0, &["hello"])).await.unwrap();
    change(&options, "update store set lease_until = now() - interval '1 second'").await;
    let second = Node::start(&options);
    // It finds out with the next thing that it writes.
    assert!(first.store.commit(commit(session(1), 1, &["late"])).await.is_err());
    let refused = first.artifacts.make(session(1), "late.md", Kind::Markdown, b"late".to_vec());
    assert!(matches!(refused.await, Err(Error::Unreachable(_))));
    assert_eq!(count(&options, "select count(*) from file").await, 0);
    second.keep(1, b"in time".to_vec()).await;
}
