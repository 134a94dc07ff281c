//! What can go wrong on the way to Slack.

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The call works; it is one of several of which a later one fails.
    None,
    /// 429, with the seconds to wait.
    TooMany(u64),
    /// 503 before anything happened.
    Broken,
    /// 503 after it happened.
    BrokenAfter,
    /// No answer ever; nothing happened.
    Hang,
    /// No answer ever, though it happened.
    HangAfter,
    /// The connection breaks; nothing happened.
    Cut,
    /// The connection breaks after it happened.
    CutAfter,
    /// Slack says no with these words.
    Says(&'static str),
}

impl Fault {
    /// Whether the call takes effect.
    pub(crate) fn happens(self) -> bool {
        matches!(self, Self::None | Self::BrokenAfter | Self::HangAfter | Self::CutAfter)
    }
}

pub(crate) type Faults = crate::slack::faults::Faults<Fault>;
