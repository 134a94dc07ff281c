//! A bucket beside the rows of a database: new files go to the bucket, and those that the database has from before are
//! found there. The database says which node is active, and owns the keys.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;

use crate::{
    base::ids::SessionId,
    model::file_key::{FileError, FileKey, FileKeys, FileStore, KeyError},
};

/// Keys of a store, with files in a bucket.
#[derive(Debug)]
pub struct WithRows<B> {
    keys: Arc<dyn FileKeys>,
    bucket: B,
}

impl<B: FileStore> WithRows<B> {
    /// Files in `bucket` beside those that the store of `keys` has.
    pub const fn new(keys: Arc<dyn FileKeys>, bucket: B) -> Self {
        Self { keys, bucket }
    }

    fn rows(&self) -> Option<&dyn FileStore> {
        self.keys.files()
    }
}

#[async_trait]
impl<B: FileStore> FileKeys for WithRows<B> {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        self.keys.file_key(session).await
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        self.keys.link_key().await
    }

    fn files(&self) -> Option<&dyn FileStore> {
        Some(self)
    }
}

#[async_trait]
impl<B: FileStore> FileStore for WithRows<B> {
    fn writable(&self) -> Result<(), FileError> {
        self.rows().map_or(Ok(()), FileStore::writable)
    }

    async fn check(&self) -> Result<(), FileError> {
        self.bucket.check().await
    }

    fn hint(&self) -> &'static str {
        self.bucket.hint()
    }

    async fn put_file(
        &self,
        session: Option<SessionId>,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(), FileError> {
        self.writable()?;
        self.bucket.put_file(session, name, bytes).await?;
        // Another node may have become active meanwhile, and have erased the session. It removes the object in time, for
        // there is no key to it; nobody is told that it was kept.
        self.writable()
    }

    async fn file(
        &self,
        session: Option<SessionId>,
        name: &str,
    ) -> Result<Option<Vec<u8>>, FileError> {
        if let Some(found) = self.bucket.file(session, name).await? {
            return Ok(Some(found));
        }
        match self.rows() {
            Some(rows) => rows.file(session, name).await,
            None => Ok(None),
        }
    }

    async fn remove_files(
        &self,
        session: SessionId,
        kept: &BTreeSet<String>,
    ) -> Result<(), FileError> {
        self.writable()?;
        if let Some(rows) = self.rows() {
            rows.remove_files(session, kept).await?;
        }
        self.bucket.remove_files(session, kept).await
    }

    async fn sessions_with_files(&self) -> Result<BTreeSet<SessionId>, FileError> {
        let mut sessions = self.bucket.sessions_with_files().await?;
        if let Some(rows) = self.rows() {
            sessions.append(&mut rows.sessions_with_files().await?);
        }
        Ok(sessions)
    }
}
