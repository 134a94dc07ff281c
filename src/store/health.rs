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
    #[error("permission denied")]
    Denied,
    /// A file stands where a directory must be.
    #[error("a file stands where a directory must be")]
    NoDirectory,
    /// The system has no memory, or no thread, to spare.
    #[error("the system is out of memory")]
    Memory,
    /// The process has as many files open as it may.
    #[error("too many files are open")]
    Files,
    /// The device does not come back.
    #[error("the disk does not answer in time")]
    Slow,
    /// The device says that it failed.
    #[error("the disk reports an error")]
    Device,
    /// The database server has no space.
    #[error("the disk of the database server is full")]
    DatabaseFull,
    /// The database server cannot be reached.
    #[error("the database server does not answer")]
    Unreachable,
    /// Another node has taken over.
    #[error("another node has taken over")]
    TakenOver,
    /// The database refuses, or broke.
    #[error("the database gave up")]
    Database,
}

impl Trouble {
    /// What an operator can do about it; reads on after "hint: ".
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Full => "free up space on the disk of the data directory",
            Self::ReadOnly => {
                "remount the file system of the data directory as writable; the system log says why it is read-only"
            }
            Self::Denied => {
                "give the user that runs this program access to the data directory (`chown -R`, `chmod -R u+rwX`)"
            }
            Self::NoDirectory => "move it away, or choose another data directory",
            Self::Memory => {
                "free up memory, or raise the limit of this program (`ulimit -v`, or `MemoryMax` in systemd)"
            }
            Self::Files => {
                "raise the limit of open files (`ulimit -n`, or `LimitNOFILE` in systemd)"
            }
            Self::Slow | Self::Device => {
                "check the system log for disk errors; move the data directory to a healthy disk"
            }
            Self::DatabaseFull => {
                "free up space on the disk of the database server; saving goes on by itself then"
            }
            Self::Unreachable => {
                "check that the database server runs and can be reached from here (`psql` with the same address)"
            }
            Self::TakenOver => "start this node again; it then stands by until the other one stops",
            Self::Database => {
                "check this program's log; if it keeps happening, restore a backup with `anteroom restore`"
            }
        }
    }

    /// What an error of the operating system means.
    pub(crate) fn of(error: &io::Error) -> Self {
        use rustix::io::Errno;
        if let Some(Errno::MFILE | Errno::NFILE) = Errno::from_io_error(error) {
            return Self::Files;
        }
        match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full,
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::PermissionDenied => Self::Denied,
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => Self::NoDirectory,
            io::ErrorKind::TimedOut => Self::Slow,
            // The second is what a thread that cannot be started fails with.
            io::ErrorKind::OutOfMemory | io::ErrorKind::WouldBlock => Self::Memory,
            // The database wraps some errors of the system into words of its own.
            io::ErrorKind::Other if error.to_string().contains("Permission") => Self::Denied,
            _ => Self::Device,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_system_leads_to_a_fitting_hint() {
        let of = |number| Trouble::of(&io::Error::from_raw_os_error(number));
        let errno = |errno: rustix::io::Errno| of(errno.raw_os_error());
        assert_eq!(errno(rustix::io::Errno::ACCESS), Trouble::Denied);
        assert_eq!(errno(rustix::io::Errno::PERM), Trouble::Denied);
        assert_eq!(errno(rustix::io::Errno::NOMEM), Trouble::Memory);
        assert_eq!(errno(rustix::io::Errno::AGAIN), Trouble::Memory);
        assert_eq!(errno(rustix::io::Errno::MFILE), Trouble::Files);
        assert_eq!(errno(rustix::io::Errno::NFILE), Trouble::Files);
        assert_eq!(errno(rustix::io::Errno::NOSPC), Trouble::Full);
        assert_eq!(errno(rustix::io::Errno::IO), Trouble::Device);
        let wrapped = io::Error::other("could not open `db`: Permission denied");
        assert_eq!(Trouble::of(&wrapped), Trouble::Denied);
    }
}
