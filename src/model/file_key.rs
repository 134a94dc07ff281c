//! The key that a session's files are sealed with, and the port that hands it out.

use std::{collections::BTreeSet, fmt};

use async_trait::async_trait;
use serde::{Deserialize, Serialize, de};

use crate::base::ids::SessionId;

/// Bytes of a key.
pub const LENGTH: usize = 32;

/// What a session's files are sealed with; it goes with the session's own key.
#[derive(Clone, PartialEq, Eq)]
pub struct FileKey([u8; LENGTH]);

impl FileKey {
    /// From random bytes that nobody else has.
    pub const fn new(secret: [u8; LENGTH]) -> Self {
        Self(secret)
    }

    /// The secret itself.
    pub const fn secret(&self) -> &[u8; LENGTH] {
        &self.0
    }
}

impl fmt::Debug for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileKey")
    }
}

impl Serialize for FileKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::audit::hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for FileKey {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digit =
            |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(digit).collect();
        let secret = bytes.and_then(|bytes| bytes.try_into().ok());
        secret.map(Self).ok_or_else(|| de::Error::custom("not a key"))
    }
}

/// Why a key could not be had; for the log.
pub type KeyError = Box<dyn std::error::Error + Send + Sync>;

/// Who owns the keys: the store, which destroys them with their sessions.
#[async_trait]
pub trait FileKeys: fmt::Debug + Send + Sync {
    /// The key of a session's files, the same for as long as the session is there; `None` without a session.
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError>;

    /// What links to files are signed with. It is the store's own and outlives the sessions, so that a link to what was
    /// erased is told from a forged one.
    async fn link_key(&self) -> Result<FileKey, KeyError>;

    /// Where files lie, if the store keeps them, so that every node has them; else they are in the data directory.
    fn files(&self) -> Option<&dyn FileStore> {
        None
    }
}

/// Why a file could not be kept or read; for the log.
pub type FileError = Box<dyn std::error::Error + Send + Sync>;

/// Keeps bytes under names: those of a session's files, sealed by the caller, or of no session.
#[async_trait]
pub trait FileStore: fmt::Debug + Send + Sync {
    /// An error where this node may not keep and remove files, since it is not the active one.
    fn writable(&self) -> Result<(), FileError>;

    /// Whether files can be kept, as far as that can be tried without keeping one.
    async fn check(&self) -> Result<(), FileError>;

    /// What an operator can do where they cannot be kept.
    fn hint(&self) -> &'static str;

    /// Keeps a file, whole or not at all; durable when it returns. Again under the same name, it is replaced by a file
    /// of the same length.
    async fn put_file(
        &self,
        session: Option<SessionId>,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(), FileError>;

    /// A file as it was kept; `None` if there is none of that name.
    async fn file(
        &self,
        session: Option<SessionId>,
        name: &str,
    ) -> Result<Option<Vec<u8>>, FileError>;

    /// Removes the files of a session that are not among `kept`, names. Again: nothing.
    async fn remove_files(
        &self,
        session: SessionId,
        kept: &BTreeSet<String>,
    ) -> Result<(), FileError>;

    /// The sessions that have files.
    async fn sessions_with_files(&self) -> Result<BTreeSet<SessionId>, FileError>;
}
