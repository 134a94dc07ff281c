//! Content-addressed files.

/// Why a file could not be kept or read; the source is for the log.
#[derive(Debug, thiserror::Error)]
#[error(
    "could not reach the stored files. hint: check free space and rights of the data directory"
)]
pub struct Error(#[source] pub Box<dyn std::error::Error + Send + Sync>);
