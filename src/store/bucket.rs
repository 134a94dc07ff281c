//! Files in a bucket of an S3-compatible service: one object for each, sealed by whoever keeps it.
//!
//! | object | |
//! |---|---|
//! | `PREFIX/sessions/SESSION/NAME` | a file of a session |
//! | `PREFIX/flows/SHA256` | a flow as sessions began it |
//! | `PREFIX/probe/UUID` | written and removed to see whether files can be kept |
//!
//! [`object_store`] signs requests, follows listings from page to page, removes a thousand objects with one request, and
//! repeats what failed. It speaks over our own client ([`connector`]). An object is there whole or not at all, and durable
//! when the service has answered.

mod connector;
mod trouble;
mod with_rows;

use std::{collections::BTreeSet, fmt, time::Duration};

use async_trait::async_trait;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{
    BackoffConfig, ObjectStore as _, ObjectStoreExt as _, PutPayload, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    path::Path,
};
use tokio::time::timeout;
use uuid::Uuid;

use self::connector::Connector;
pub use self::{trouble::Error, with_rows::WithRows};
use crate::{
    base::ids::SessionId,
    config::s3,
    model::file_key::{FileError, FileStore},
};

/// How long anything may take that concerns the files of one session, repeats included.
const FILE_MAX: Duration = Duration::from_mins(1);

/// How long a listing of all sessions may take.
const LISTING_MAX: Duration = Duration::from_mins(10);

/// How long a look whether files can be kept may take.
const CHECK_MAX: Duration = Duration::from_secs(15);

/// What a probe says.
const PROBE: &[u8] = b"probe";

/// How patient requests are.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Longest time for one request and its answer.
    pub request: Duration,
    /// The first pause before it is repeated; later ones are longer.
    pub pause: Duration,
    /// How often it is repeated.
    pub repeats: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self { request: Duration::from_secs(30), pause: Duration::from_millis(100), repeats: 3 }
    }
}

/// Keeps files in a bucket. It knows of no other node: [`WithRows`] does.
pub struct Bucket {
    objects: AmazonS3,
    name: String,
    sessions: Path,
    flows: Path,
    probes: Path,
}

impl Bucket {
    /// The bucket of the settings; asks nobody yet.
    pub fn new(
        settings: &s3::Bucket,
        access: &s3::BucketAccess,
        patience: Patience,
    ) -> Result<Self, Error> {
        let retry = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: patience.pause,
                max_backoff: Duration::from_secs(3),
                base: 2.0,
            },
            max_retries: patience.repeats,
            retry_timeout: FILE_MAX,
        };
        let connector = Connector::new(&settings.url, patience.request);
        let connector = connector.map_err(|error| Error::client(&settings.name, &error))?;
        let objects = AmazonS3Builder::new()
            .with_bucket_name(&settings.name)
            .with_region(&settings.region)
            // The address of the bucket itself, whatever style it is in.
            .with_virtual_hosted_style_request(true)
            .with_endpoint(&settings.url)
            .with_access_key_id(access.key_id.expose())
            .with_secret_access_key(access.secret_key.expose())
            .with_retry(retry)
            .with_http_connector(connector)
            .build()
            .map_err(|error| Error::client(&settings.name, &error))?;
        let below = |folder: &str| {
            let parts = settings.prefix.split('/').filter(|part| !part.is_empty());
            parts.chain([folder]).collect::<Path>()
        };
        Ok(Self {
            objects,
            name: settings.name.clone(),
            sessions: below("sessions"),
            flows: below("flows"),
            probes: below("probe"),
        })
    }

    /// Its name, for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn folder(&self, session: SessionId) -> Path {
        self.sessions.clone().join(session.to_string())
    }

    fn path(&self, session: Option<SessionId>, name: &str) -> Path {
        session.map_or_else(|| self.flows.clone(), |session| self.folder(session)).join(name)
    }

    /// Does something with the bucket, within a time; says what is wrong where it fails.
    async fn within<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, Error> {
        match timeout(limit, work).await {
            Ok(done) => done.map_err(|error| Error::of(&self.name, &error)),
            Err(_) => Err(Error::Late { bucket: self.name.clone() }),
        }
    }

    async fn get(&self, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        let read = self.within(FILE_MAX, async {
            let found = self.objects.get(path).await?;
            found.bytes().await
        });
        match read.await {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(Error::NoObject) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn remove(&self, paths: Vec<Path>) -> object_store::Result<()> {
        let paths = stream::iter(paths.into_iter().map(Ok)).boxed();
        self.objects.delete_stream(paths).try_for_each(|_| std::future::ready(Ok(()))).await
    }

    /// Everything that is done with files, with one of its own.
    async fn probe(&self) -> object_store::Result<bool> {
        let path = self.probes.clone().join(Uuid::new_v4().to_string());
        self.objects.put(&path, PutPayload::from_static(PROBE)).await?;
        let read = self.objects.get(&path).await?.bytes().await?;
        let listed = self.objects.list(Some(&self.probes)).map_ok(|found| found.location);
        let listed: Vec<Path> = listed.try_collect().await?;
        self.remove(vec![path.clone()]).await?;
        Ok(read == PROBE && listed.contains(&path))
    }
}

#[async_trait]
impl FileStore for Bucket {
    fn writable(&self) -> Result<(), FileError> {
        Ok(())
    }

    async fn check(&self) -> Result<(), FileError> {
        match self.within(CHECK_MAX, self.probe()).await {
            Ok(true) => Ok(()),
            Ok(false) | Err(Error::NoObject) => {
                Err(Error::Odd { bucket: self.name.clone() }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn hint(&self) -> &'static str {
        "run `anteroom doctor s3`, which says what is wrong with the bucket"
    }

    async fn put_file(
        &self,
        session: Option<SessionId>,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(), FileError> {
        if bytes.len() > connector::ANSWER_MAX {
            return Err("the file is too large".into());
        }
        let path = self.path(session, name);
        let put = self.objects.put(&path, PutPayload::from(bytes));
        self.within(FILE_MAX, put).await?;
        Ok(())
    }

    async fn file(
        &self,
        session: Option<SessionId>,
        name: &str,
    ) -> Result<Option<Vec<u8>>, FileError> {
        Ok(self.get(&self.path(session, name)).await?)
    }

    async fn remove_files(
        &self,
        session: SessionId,
        kept: &BTreeSet<String>,
    ) -> Result<(), FileError> {
        let folder = self.folder(session);
        let removed = self.within(FILE_MAX, async {
            let listed = self.objects.list(Some(&folder)).map_ok(|found| found.location);
            let mut gone: Vec<Path> = listed.try_collect().await?;
            gone.retain(|path| path.filename().is_none_or(|name| !kept.contains(name)));
            self.remove(gone).await
        });
        Ok(removed.await?)
    }

    async fn sessions_with_files(&self) -> Result<BTreeSet<SessionId>, FileError> {
        let listed = self.objects.list_with_delimiter(Some(&self.sessions));
        let folders = self.within(LISTING_MAX, listed).await?.common_prefixes;
        // Whatever else lies there is not ours.
        Ok(folders.iter().filter_map(|folder| folder.filename()?.parse().ok()).collect())
    }
}

impl fmt::Debug for Bucket {
    // The key is nobody's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucket").field("name", &self.name).finish_non_exhaustive()
    }
}
