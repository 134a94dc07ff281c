//! Where the files of several nodes are: in the bucket of the configuration, or where the store keeps them.

use std::sync::Arc;

use crate::{
    chat::doctor::Report,
    config::{Problem, Settings},
    model::file_key::FileKeys,
};

use super::sentence;
#[cfg(feature = "postgres")]
use crate::{
    config::s3,
    model::file_key::FileStore as _,
    store::bucket::{Bucket, Patience, WithRows},
};

/// Adds to the keys of a store where its files are.
pub(super) type AddFiles = Box<dyn FnOnce(Arc<dyn FileKeys>) -> Arc<dyn FileKeys>>;

/// Opens the bucket, where there is one; asks nobody yet.
#[cfg(feature = "postgres")]
pub(super) fn files(settings: &Settings) -> anyhow::Result<AddFiles> {
    let Some(bucket) = &settings.bucket else { return Ok(Box::new(|keys| keys)) };
    let bucket = open(bucket)?;
    Ok(Box::new(|keys| Arc::new(WithRows::new(keys, bucket))))
}

/// Without PostgreSQL there are no files of several nodes.
#[cfg(not(feature = "postgres"))]
pub(super) fn files(settings: &Settings) -> anyhow::Result<AddFiles> {
    if settings.bucket.is_some() {
        return Err(sentence(format!("{LACKS_IT}. hint: {BUILD_IT}")));
    }
    Ok(Box::new(|keys| keys))
}

#[cfg(not(feature = "postgres"))]
const LACKS_IT: &str = "this program was built without PostgreSQL and S3";

#[cfg(not(feature = "postgres"))]
const BUILD_IT: &str =
    "build it with `--features postgres`, or take `[s3]` out of the configuration";

#[cfg(feature = "postgres")]
fn open(bucket: &s3::Bucket) -> anyhow::Result<Bucket> {
    let access = bucket.access.as_ref().ok_or_else(|| {
        sentence(
            "the files are in a bucket, and its access key is not set. hint: set the variables that `[s3]` in the \
             configuration names",
        )
    })?;
    Ok(Bucket::new(bucket, access, Patience::default())?)
}

/// Looks whether files can be kept in the bucket: writes, reads, lists and removes an object.
#[cfg(feature = "postgres")]
pub(super) async fn check(settings: &Settings, report: &mut Report) {
    let Some(bucket) = &settings.bucket else {
        report.checked("no bucket is configured");
        return;
    };
    let tried = match open(bucket) {
        Ok(bucket) => bucket.check().await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match tried {
        Ok(()) => report.checked(format!(
            "bucket `{}`: an object was written, read, listed and removed",
            bucket.name
        )),
        Err(told) => {
            let (message, hint) = told.split_once(". hint: ").unwrap_or((&told, "check `[s3]`"));
            report.problems.push(Problem::whole("bucket", message).hint(hint));
        }
    }
}

/// A program without PostgreSQL has no bucket either.
#[cfg(not(feature = "postgres"))]
pub(super) fn check(settings: &Settings, report: &mut Report) -> std::future::Ready<()> {
    if settings.bucket.is_some() {
        report.problems.push(Problem::whole("bucket", LACKS_IT).hint(BUILD_IT));
    }
    std::future::ready(())
}
