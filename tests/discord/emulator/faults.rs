//! What can go wrong on the way to Discord.

use std::collections::VecDeque;

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

/// Faults to come, by route: `POST /channels/{channel}/messages`, or `*` for any.
#[derive(Debug, Default)]
pub(crate) struct Faults(VecDeque<(String, usize, Fault)>);

impl Faults {
    pub(crate) fn plan(&mut self, route: &str, times: usize, fault: Fault) {
        self.0.push_back((route.to_owned(), times, fault));
    }

    pub(crate) fn take(&mut self, route: &str) -> Option<Fault> {
        let at = self.0.iter().position(|(planned, ..)| planned == route || planned == "*")?;
        let (_, times, fault) = &mut self.0[at];
        *times -= 1;
        let fault = *fault;
        if *times == 0 {
            self.0.remove(at);
        }
        Some(fault)
    }
}
