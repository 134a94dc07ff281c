//! How a store is doing, and what keeps it from writing.

use std::io;

/// Whether a store takes writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It reads and writes.
    Well,
    /// It refuses every write, and mends itself when the trouble is over. What was acknowledged is safe; reads go on
    /// where they can.
    ReadOnly(Trouble),
}

impl Health {
    /// Whether writes are taken.
    pub const fn is_well(self) -> bool {
        matches!(self, Self::Well)
    }
}

/// What keeps a store from writing, in words without paths or personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// No space, or no more of somebody's share of it.
    #[error("the disk is full")]
    Full,
    /// The file system takes no writes.
    #[error("the file system is read-only")]
    ReadOnly,
    /// Rights are missing.
    #[error("this program may not write there")]
    Denied,
    /// A file stands where a directory must be.
    #[error("a file stands where a directory must be")]
    NoDirectory,
    /// The device does not come back.
    #[error("the disk does not answer in time")]
    Slow,
    /// The device says that it failed.
    #[error("the disk reports an error")]
    Device,
    /// The database refuses, or broke.
    #[error("the database gave up")]
    Database,
}

impl Trouble {
    /// What an operator can do about it; reads on after "hint: ".
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Full => "make room on the disk of the data directory",
            Self::ReadOnly => {
                "mount the file system of the data directory for writing; the system's log says why it is read-only"
            }
            Self::Denied => {
                "give the data directory to the user that runs this program (`chown -R`)"
            }
            Self::NoDirectory => "move it out of the way, or choose another data directory",
            Self::Slow | Self::Device => {
                "look for the disk's errors in the system's log; move the data directory to a sound disk"
            }
            Self::Database => {
                "read this program's log; if it stays so, restore a backup with `anteroom restore`"
            }
        }
    }

    /// What an error of the operating system means.
    pub(crate) fn of(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full,
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => Self::NoDirectory,
            io::ErrorKind::TimedOut => Self::Slow,
            _ => Self::Device,
        }
    }
}
