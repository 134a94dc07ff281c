//! Where a device can go wrong: asked before it is touched, so that tests can have it fail.

use std::{fmt, io, time::Duration};

/// A touch of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// The database is about to be opened.
    Open,
    /// A batch is about to be applied.
    Write,
    /// A batch has been applied in memory; nobody knows how much of it will reach the device.
    Written,
    /// What was applied is about to be synced.
    Sync,
    /// The last part of the database is about to be copied into a new one.
    Copy,
    /// The next step is about to be taken by which that takes the place of the old one.
    Replace,
    /// A read-only store tries whether it can write again.
    Probe,
}

/// What can go wrong with a device.
pub trait Faults: fmt::Debug + Send + Sync {
    /// An error here is taken for one of the device.
    fn strike(&self, touch: Touch) -> io::Result<()>;

    /// How long a sync may take before the device counts as broken.
    fn patience(&self) -> Duration {
        Duration::from_secs(30)
    }

    /// How many bytes the database's file must have before it is made anew where most of it is unused.
    fn rebuilt_from(&self) -> u64 {
        64 * 1024 * 1024
    }
}

/// Nothing but what really goes wrong.
#[derive(Debug)]
pub(crate) struct NoFaults;

impl Faults for NoFaults {
    fn strike(&self, _touch: Touch) -> io::Result<()> {
        Ok(())
    }
}
