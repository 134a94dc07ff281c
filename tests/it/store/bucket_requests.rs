//! What is asked of an S3-compatible service, and what becomes of answers that are late, cut off, refused or in pieces.

use std::{collections::BTreeSet, time::Duration};

use anteroom::{
    base::ids::SessionId,
    config::{
        Secret,
        s3::{self, BucketAccess},
    },
    model::file_key::FileStore as _,
    store::bucket::{Bucket, Patience},
};

use super::session;
use crate::support::{
    free_port::free_port,
    provider::{Ending, Provider, Reply},
};

const SECRET: &str = "marker-secret-of-the-bucket";
const KEY_ID: &str = "MARKERKEYID";

/// A bucket at an address.
fn bucket_at(url: &str, patience: Patience) -> Bucket {
    let settings = s3::Bucket {
        name: "files".to_owned(),
        region: "eu-central-1".to_owned(),
        url: url.to_owned(),
        prefix: "bots/anteroom".to_owned(),
        access: None,
    };
    let access = BucketAccess { key_id: Secret::new(KEY_ID), secret_key: Secret::new(SECRET) };
    Bucket::new(&settings, &access, patience).unwrap()
}

/// A service that gives these answers, and a bucket in it. Nobody is patient here.
async fn service(replies: &[Reply]) -> (Provider, Bucket) {
    let service = Provider::start(replies).await;
    let patience =
        Patience { request: Duration::from_secs(20), pause: Duration::from_millis(1), repeats: 3 };
    let bucket = bucket_at(&service.url, patience);
    (service, bucket)
}

fn object(bytes: &str) -> Reply {
    let length = bytes.len().to_string();
    Reply::new(200, "application/octet-stream", bytes.to_owned()).with("content-length", &length)
}

fn xml(status: u16, body: &str) -> Reply {
    let body = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{body}");
    Reply::new(status, "application/xml", body)
}

fn error(status: u16, code: &str) -> Reply {
    // Services repeat parts of the request.
    let body = format!(
        "<Error><Code>{code}</Code><Message>No.</Message><AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId></Error>"
    );
    xml(status, &body)
}

/// A page of a listing, with where the next one is.
fn page(entries: &str, next: Option<&str>) -> Reply {
    let next = next.map(|token| format!("<NextContinuationToken>{token}</NextContinuationToken>"));
    let next = next.unwrap_or_default();
    xml(200, &format!("<ListBucketResult>{entries}{next}</ListBucketResult>"))
}

fn folder(number: u128) -> String {
    let session = session(number);
    format!("<CommonPrefixes><Prefix>bots/anteroom/sessions/{session}/</Prefix></CommonPrefixes>")
}

fn listed(session: SessionId, name: &str) -> String {
    format!(
        "<Contents><Key>bots/anteroom/sessions/{session}/{name}</Key><Size>1</Size>\
         <LastModified>2026-11-02T10:00:00.000Z</LastModified><ETag>\"1\"</ETag></Contents>"
    )
}

#[tokio::test]
async fn a_listing_is_followed_from_page_to_page() {
    let odd =
        "<CommonPrefixes><Prefix>bots/anteroom/sessions/lost+found/</Prefix></CommonPrefixes>";
    let first = format!("{}{odd}{}", folder(1), folder(2));
    let pages = [page(&first, Some("a/b+c=")), page(&folder(3), None)];
    let (service, bucket) = service(&pages).await;
    let found = bucket.sessions_with_files().await.unwrap();
    assert_eq!(found, BTreeSet::from([session(1), session(2), session(3)]));
    let seen = service.seen();
    let paths: Vec<&str> = seen.iter().map(|seen| seen.path.as_str()).collect();
    let [first, second] = paths[..] else { panic!("{paths:?}") };
    assert!(
        first.contains("prefix=bots%2Fanteroom%2Fsessions%2F&")
            || first.ends_with("prefix=bots%2Fanteroom%2Fsessions%2F"),
        "{first}"
    );
    assert!(first.contains("delimiter=%2F") && first.contains("list-type=2"), "{first}");
    assert!(second.contains("continuation-token=a%2Fb%2Bc%3D"), "{second}");
    let signed = seen[1].headers["authorization"].to_str().unwrap();
    assert!(signed.starts_with("AWS4-HMAC-SHA256 Credential=MARKERKEYID/"), "{signed}");
    assert!(signed.contains("/eu-central-1/s3/aws4_request"), "{signed}");
}

#[tokio::test]
async fn files_of_all_pages_are_removed_but_for_those_that_are_kept() {
    let first = [listed(session(1), "one"), listed(session(1), "kept")].concat();
    let gone = "<DeleteResult><Deleted><Key>one</Key></Deleted></DeleteResult>";
    let pages =
        [page(&first, Some("more")), page(&listed(session(1), "two"), None), xml(200, gone)];
    let (service, bucket) = service(&pages).await;
    bucket.remove_files(session(1), &BTreeSet::from(["kept".to_owned()])).await.unwrap();
    let seen = service.seen();
    assert_eq!(seen.len(), 3);
    assert!(seen[2].path.ends_with("?delete"), "{}", seen[2].path);
    let body = String::from_utf8(seen[2].raw.to_vec()).unwrap();
    let key = |name: &str| format!("<Key>bots/anteroom/sessions/{}/{name}</Key>", session(1));
    assert!(body.contains(&key("one")) && body.contains(&key("two")), "{body}");
    assert!(!body.contains("kept"), "{body}");
}

#[tokio::test]
async fn an_object_that_is_not_removed_is_an_error() {
    let refused = format!(
        "<DeleteResult><Error><Key>bots/anteroom/sessions/{}/one</Key><Code>AccessDenied</Code>\
         <Message>No.</Message></Error></DeleteResult>",
        session(1)
    );
    let pages = [page(&listed(session(1), "one"), None), xml(200, &refused)];
    let (_service, bucket) = service(&pages).await;
    let told = bucket.remove_files(session(1), &BTreeSet::new()).await.unwrap_err().to_string();
    assert!(told.contains("refuses access (AccessDenied)"), "{told}");
}

#[tokio::test]
async fn what_a_service_cannot_do_just_now_is_asked_again() {
    let troubles = [error(500, "InternalError"), error(503, "SlowDown"), error(429, "TooMany")];
    let (busy, bucket) = service(&[&troubles[..], &[object("hello")]].concat()).await;
    assert_eq!(bucket.file(None, "name").await.unwrap(), Some(b"hello".to_vec()));
    assert_eq!(busy.seen().len(), 4);

    let put = Reply::new(200, "text/plain", "").with("etag", "\"1\"");
    let (busy, bucket) = service(&[error(503, "SlowDown"), put]).await;
    bucket.put_file(Some(session(1)), "name", b"hello".to_vec()).await.unwrap();
    let seen = busy.seen();
    assert_eq!(seen.len(), 2);
    for seen in seen {
        assert!(seen.path.ends_with(&format!("/sessions/{}/name", session(1))), "{}", seen.path);
        assert_eq!(&seen.raw[..], b"hello");
    }

    let (broken, bucket) = service(&[error(503, "SlowDown")]).await;
    let told = bucket.file(None, "name").await.unwrap_err().to_string();
    assert!(told.contains("answers with an error (SlowDown)"), "{told}");
    assert_eq!(broken.seen().len(), 4, "not for ever");
}

#[tokio::test]
async fn a_refusal_is_told_at_once_with_what_to_do() {
    let told = [
        (
            error(403, "SignatureDoesNotMatch"),
            "refuses access (SignatureDoesNotMatch). hint: check the access key",
        ),
        (error(403, "AccessDenied"), "refuses access (AccessDenied)"),
        (error(401, "Unauthorized"), "refuses access (Unauthorized)"),
        (error(404, "NoSuchBucket"), "there is no bucket `files`. hint: create it"),
        (error(301, "PermanentRedirect"), "is somewhere else"),
        (error(400, "AuthorizationHeaderMalformed"), "hint: check `region`"),
        (error(400, "InvalidRequest"), "answers with an error (InvalidRequest)"),
    ];
    for (reply, words) in told {
        let (refusing, bucket) = service(&[reply]).await;
        let told = bucket.file(Some(session(1)), "name").await.unwrap_err();
        assert!(told.to_string().contains(words), "{told}");
        let all = format!("{told} {told:?}");
        assert!(!all.contains(SECRET) && !all.contains(KEY_ID), "{all}");
        assert_eq!(refusing.seen().len(), 1, "{words}");
    }
    let (_missing, bucket) = service(&[error(404, "NoSuchKey")]).await;
    assert_eq!(bucket.file(None, "name").await.unwrap(), None);
}

#[tokio::test]
async fn a_file_that_is_cut_off_or_endless_is_none() {
    let short = || Reply::new(200, "text/plain", "hell").with("content-length", "5");
    for cut in [short(), short().ending(1, Ending::Cut)] {
        let (service, bucket) = service(&[cut]).await;
        let told = bucket.file(None, "name").await.unwrap_err().to_string();
        assert!(told.contains("the bucket `files` cannot be reached"), "{told}");
        assert_eq!(service.seen().len(), 4, "it may have been the network");
    }
    let endless = Reply::new(200, "text/plain", "").ending(0, Ending::Giant);
    let (_service, bucket) = service(&[endless]).await;
    let told = bucket.file(None, "name").await.unwrap_err().to_string();
    assert!(told.contains("the answer is too large"), "{told}");
}

#[tokio::test]
async fn nobody_waits_for_ever() {
    for ending in [Ending::Silence, Ending::Stall] {
        let stalled = Reply::new(200, "text/plain", "hell").with("content-length", "5");
        let service = Provider::start(&[stalled.ending(1, ending)]).await;
        let patience = Patience {
            request: Duration::from_millis(200),
            pause: Duration::from_millis(1),
            repeats: 1,
        };
        let bucket = bucket_at(&service.url, patience);
        let told = bucket.file(None, "name").await.unwrap_err().to_string();
        assert!(told.contains("cannot be reached: it does not answer in time"), "{told}");
        assert_eq!(service.seen().len(), 2);
    }
}

#[tokio::test]
async fn a_service_that_is_not_there_is_told_without_names_of_files() {
    let patience = Patience { pause: Duration::from_millis(1), repeats: 1, ..Patience::default() };
    let bucket = bucket_at(&format!("http://127.0.0.1:{}/files", free_port()), patience);
    let told = bucket.put_file(Some(session(1)), "marker-name", Vec::new()).await.unwrap_err();
    let told = format!("{told} {told:?}");
    assert!(told.contains("the bucket `files` cannot be reached: Connection refused"), "{told}");
    assert!(!told.contains("marker-name"), "{told}");
    let shown = format!("{bucket:?}");
    assert!(shown.contains("files") && !shown.contains(SECRET), "{shown}");
    let told = bucket.check().await.unwrap_err().to_string();
    assert!(told.contains("hint: check `endpoint` under `[s3]`"), "{told}");
}
