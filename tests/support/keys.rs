//! Keys of files for tests without a store: every session has one.

use anteroom::{
    base::ids::SessionId,
    model::{
        audit::sha256,
        file_key::{FileKey, FileKeys, KeyError, LENGTH},
    },
};
use async_trait::async_trait;

/// Gives each session a key that follows from its id.
#[derive(Debug)]
pub(crate) struct AnyKeys;

#[async_trait]
impl FileKeys for AnyKeys {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        let digest = sha256(session.uuid().as_bytes());
        let secret: [u8; LENGTH] = digest.as_bytes()[..LENGTH].try_into()?;
        Ok(Some(FileKey::new(secret)))
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        Ok(FileKey::new([7; LENGTH]))
    }
}
