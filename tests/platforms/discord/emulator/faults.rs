//! What can go wrong on the way to Discord.

/// How a request fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// 502 before anything happened.
    Broken,
    /// 502 after it happened.
    BrokenAfter,
    /// No answer ever; nothing happened.
    Hang,
    /// No answer ever, though it happened.
    HangAfter,
    /// 429 that no bucket foretold, with the seconds to wait.
    TooMany(u32),
    /// 429 for everything, with the milliseconds to wait.
    Wall(u32),
    /// What stands before Discord turns the address away, with the seconds to wait: 429, and not in JSON.
    Turned(u32),
    /// Discord says no: status, code.
    Says(u16, u32),
}

impl Fault {
    /// Whether the request takes effect.
    pub(crate) fn happens(self) -> bool {
        matches!(self, Self::BrokenAfter | Self::HangAfter)
    }
}

pub(crate) type Faults = crate::discord::faults::Faults<Fault>;
