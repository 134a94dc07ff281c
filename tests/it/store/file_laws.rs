//! What every place for files promises, on the rows of the database, on buckets of services that others wrote, and on both
//! together.

use std::{collections::BTreeSet, sync::Arc};

use anteroom::{
    base::ids::SessionId,
    config::{Secret, s3::BucketAccess},
    model::file_key::{FileKeys, FileStore},
    store::{
        Store as _,
        bucket::{Bucket, Patience, WithRows},
        postgres::PostgresStore,
    },
};

use super::{commit, open_database, session};
use crate::support::{
    postgres,
    s3::{self, Kind, Service},
};

/// More than one page of a listing and one request that removes.
const MANY: usize = 1_100;

/// Puts so many files in at a time.
const AT_ONCE: usize = 40;

/// A digest as names are, by a number.
fn name(number: usize) -> String {
    format!("{number:064x}")
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from(at * 7 % 251).unwrap()).collect()
}

async fn read(files: &dyn FileStore, session: Option<SessionId>, name: &str) -> Option<Vec<u8>> {
    files.file(session, name).await.unwrap()
}

/// What is kept is found again, under its own name, by whoever it belongs to.
async fn what_is_kept_is_found(files: &dyn FileStore) {
    let (one, two) = (Some(session(1)), Some(session(2)));
    assert_eq!(read(files, one, &name(1)).await, None);
    files.put_file(one, &name(1), b"one".to_vec()).await.unwrap();
    files.put_file(two, &name(1), b"two".to_vec()).await.unwrap();
    files.put_file(None, &name(1), b"flow".to_vec()).await.unwrap();
    assert_eq!(read(files, one, &name(1)).await.unwrap(), b"one");
    assert_eq!(read(files, two, &name(1)).await.unwrap(), b"two");
    assert_eq!(read(files, None, &name(1)).await.unwrap(), b"flow");
    assert_eq!(read(files, one, &name(2)).await, None);
    // Sealed anew, as long as before.
    files.put_file(one, &name(1), b"eno".to_vec()).await.unwrap();
    assert_eq!(read(files, one, &name(1)).await.unwrap(), b"eno");
    files.put_file(one, &name(3), Vec::new()).await.unwrap();
    assert_eq!(read(files, one, &name(3)).await, Some(Vec::new()));
    // As a name with anything in it would be.
    for odd in [".probe", "a b+c&d=é%2F", "a#b?c"] {
        files.put_file(one, odd, odd.as_bytes().to_vec()).await.unwrap();
        assert_eq!(read(files, one, odd).await.unwrap(), odd.as_bytes(), "{odd}");
    }
    let large = bytes(20 * 1024 * 1024);
    files.put_file(one, &name(4), large.clone()).await.unwrap();
    assert!(read(files, one, &name(4)).await.unwrap() == large);
    files.check().await.unwrap();
}

/// Removal takes what is not kept, of one session alone, and may be repeated.
async fn what_is_removed_is_gone(files: &dyn FileStore) {
    assert_eq!(files.sessions_with_files().await.unwrap(), [1, 2].map(session).into());
    let kept = BTreeSet::from([name(3), name(99)]);
    for _ in 0..2 {
        files.remove_files(session(1), &kept).await.unwrap();
        assert_eq!(read(files, Some(session(1)), &name(3)).await, Some(Vec::new()));
        for gone in [&name(1), &name(4), ".probe", "a b+c&d=é%2F", "a#b?c"] {
            assert_eq!(read(files, Some(session(1)), gone).await, None, "{gone}");
        }
    }
    assert_eq!(read(files, Some(session(2)), &name(1)).await.unwrap(), b"two");
    assert_eq!(read(files, None, &name(1)).await.unwrap(), b"flow");
    files.remove_files(session(1), &BTreeSet::new()).await.unwrap();
    assert_eq!(files.sessions_with_files().await.unwrap(), [session(2)].into());
    // One that has none.
    files.remove_files(session(3), &BTreeSet::new()).await.unwrap();
}

/// However many there are.
async fn many_are_removed(files: &dyn FileStore) {
    let names: Vec<String> = (0..MANY).map(name).collect();
    for names in names.chunks(AT_ONCE) {
        let put = |name| files.put_file(Some(session(4)), name, vec![1]);
        futures::future::try_join_all(names.iter().map(|name| put(name))).await.unwrap();
    }
    let kept = BTreeSet::from([name(MANY - 1)]);
    files.remove_files(session(4), &kept).await.unwrap();
    for number in [0, 999, 1_000, MANY - 2] {
        assert_eq!(read(files, Some(session(4)), &name(number)).await, None, "{number}");
    }
    assert_eq!(read(files, Some(session(4)), &name(MANY - 1)).await.unwrap(), [1]);
    files.remove_files(session(4), &BTreeSet::new()).await.unwrap();
    assert_eq!(files.sessions_with_files().await.unwrap(), [session(2)].into());
}

async fn every_law(files: &dyn FileStore) {
    what_is_kept_is_found(files).await;
    what_is_removed_is_gone(files).await;
    many_are_removed(files).await;
}

fn bucket(service: &Service) -> Bucket {
    let settings = service.settings();
    Bucket::new(&settings, settings.access.as_ref().unwrap(), Patience::default()).unwrap()
}

#[tokio::test]
async fn files_in_rows() {
    let Some(options) = postgres::database().await else { return };
    every_law(&open_database(&options)).await;
}

#[tokio::test]
async fn files_in_a_bucket_of_s3rver() {
    let Some(service) = Service::start(Kind::S3rver) else { return };
    every_law(&bucket(&service)).await;
    // What else there is was left as it was.
    assert_eq!(service.objects().len(), 2, "{:?}", service.objects());
}

#[tokio::test]
async fn files_in_a_bucket_of_moto() {
    let Some(service) = Service::start(Kind::Moto) else { return };
    every_law(&bucket(&service)).await;
}

/// A bucket beside the rows of a store.
struct Both {
    store: Arc<PostgresStore>,
    files: WithRows<Bucket>,
    service: Service,
}

impl Both {
    async fn open() -> Option<Self> {
        let (options, service) = (postgres::database().await?, Service::start(Kind::S3rver)?);
        let store = Arc::new(open_database(&options));
        let keys = Arc::clone(&store) as Arc<dyn FileKeys>;
        Some(Self { store, files: WithRows::new(keys, bucket(&service)), service })
    }
}

#[tokio::test]
async fn files_in_a_bucket_beside_rows() {
    let Some(both) = Both::open().await else { return };
    every_law(&both.files).await;
}

#[tokio::test]
async fn files_that_the_database_has_from_before_are_found_and_removed() {
    let Some(Both { store, files, service }) = Both::open().await else { return };
    store.commit(commit(session(1), 0, &["hello"])).await.unwrap();
    store.put_file(Some(session(1)), &name(1), b"before".to_vec()).await.unwrap();
    store.put_file(Some(session(1)), &name(2), b"kept".to_vec()).await.unwrap();
    store.put_file(None, &name(3), b"flow".to_vec()).await.unwrap();
    files.put_file(Some(session(2)), &name(1), b"after".to_vec()).await.unwrap();
    assert_eq!(read(&files, Some(session(1)), &name(1)).await.unwrap(), b"before");
    assert_eq!(read(&files, None, &name(3)).await.unwrap(), b"flow");
    assert_eq!(read(&files, Some(session(2)), &name(1)).await.unwrap(), b"after");
    assert_eq!(read(&*store, Some(session(2)), &name(1)).await, None, "it is in the bucket alone");
    assert_eq!(files.sessions_with_files().await.unwrap(), [1, 2].map(session).into());
    // Sealed anew because the old one was damaged.
    files.put_file(Some(session(1)), &name(1), b"mended".to_vec()).await.unwrap();
    assert_eq!(read(&files, Some(session(1)), &name(1)).await.unwrap(), b"mended");
    files.remove_files(session(1), &BTreeSet::from([name(2)])).await.unwrap();
    assert_eq!(read(&files, Some(session(1)), &name(1)).await, None);
    assert_eq!(read(&files, Some(session(1)), &name(2)).await.unwrap(), b"kept");
    for number in [1, 2] {
        files.remove_files(session(number), &BTreeSet::new()).await.unwrap();
    }
    assert_eq!(files.sessions_with_files().await.unwrap(), BTreeSet::new());
    assert_eq!(service.objects(), Vec::<String>::new());
    let key = files.file_key(session(1)).await.unwrap();
    assert_eq!(key, store.file_key(session(1)).await.unwrap());
}

#[tokio::test]
async fn a_node_that_is_not_active_neither_keeps_nor_removes_files_in_a_bucket() {
    let Some(options) = postgres::database().await else { return };
    let Some(service) = Service::start(Kind::S3rver) else { return };
    let first = Arc::new(open_database(&options));
    first.commit(commit(session(1), 0, &["hello"])).await.unwrap();
    let files = WithRows::new(Arc::clone(&first) as Arc<dyn FileKeys>, bucket(&service));
    files.put_file(Some(session(1)), &name(1), b"in time".to_vec()).await.unwrap();
    let ended = "update store set lease_until = now() - interval '1 second'";
    super::postgres_files::change(&options, ended).await;
    let _second = open_database(&options);
    // It finds out with the next thing that it writes.
    assert!(first.commit(commit(session(1), 1, &["late"])).await.is_err());
    let refused = files.put_file(Some(session(1)), &name(2), b"late".to_vec()).await;
    assert!(refused.unwrap_err().to_string().contains("another node is active"));
    assert!(files.remove_files(session(1), &BTreeSet::new()).await.is_err());
    assert_eq!(read(&files, Some(session(1)), &name(1)).await.unwrap(), b"in time");
    let kept = format!("{}/sessions/{}/{}", s3::PREFIX, session(1), name(1));
    assert_eq!(service.objects(), [kept]);
}

#[tokio::test]
async fn a_wrong_signature_is_told_with_what_to_do() {
    let Some(service) = Service::start(Kind::Moto) else { return };
    let settings = service.settings();
    let BucketAccess { key_id, .. } = settings.access.clone().unwrap();
    let access = BucketAccess { key_id, secret_key: Secret::new("wrong") };
    let wrong = Bucket::new(&settings, &access, Patience::default()).unwrap();
    let told = wrong.check().await.unwrap_err().to_string();
    assert!(told.contains("refuses access (SignatureDoesNotMatch)"), "{told}");
}

#[tokio::test]
async fn a_wrong_key_and_a_missing_bucket_are_told_with_what_to_do() {
    let Some(service) = Service::start(Kind::S3rver) else { return };
    let settings = service.settings();
    let wrong = Bucket::new(&settings, &s3::access("WRONG"), Patience::default()).unwrap();
    let told = wrong.check().await.unwrap_err().to_string();
    assert!(told.contains("refuses access (InvalidAccessKeyId)"), "{told}");
    let url = format!("{}/missing", service.endpoint);
    let settings = anteroom::config::s3::Bucket { name: "missing".to_owned(), url, ..settings };
    let missing = Bucket::new(&settings, &s3::access(s3::KEY), Patience::default()).unwrap();
    for told in [
        missing.check().await.unwrap_err(),
        missing.file(None, &name(1)).await.unwrap_err(),
        missing.sessions_with_files().await.unwrap_err(),
    ] {
        assert!(
            told.to_string().contains("there is no bucket `missing`. hint: create it"),
            "{told}"
        );
    }
}
