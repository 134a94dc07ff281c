//! What can go wrong on the way to Slack.

use std::collections::VecDeque;

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
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
        matches!(self, Self::BrokenAfter | Self::HangAfter | Self::CutAfter)
    }
}

/// Faults to come.
#[derive(Debug, Default)]
pub(crate) struct Faults(VecDeque<(String, usize, Fault)>);

impl Faults {
    pub(crate) fn plan(&mut self, method: &str, times: usize, fault: Fault) {
        self.0.push_back((method.to_owned(), times, fault));
    }

    /// Forgets what has not happened.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn take(&mut self, method: &str) -> Option<Fault> {
        let fits = |planned: &(String, usize, Fault)| planned.0 == method || planned.0 == "*";
        let at = self.0.iter().position(fits)?;
        let (_, times, fault) = &mut self.0[at];
        *times -= 1;
        let fault = *fault;
        if *times == 0 {
            self.0.remove(at);
        }
        Some(fault)
    }
}
