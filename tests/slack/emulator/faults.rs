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

/// Faults to come, and those that last.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    planned: VecDeque<(String, usize, Fault)>,
    lasting: Vec<Lasting>,
}

/// What fails until somebody mends it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Lasting {
    method: String,
    /// In this channel only; everywhere where empty.
    channel: String,
    fault: Fault,
}

impl Faults {
    pub(crate) fn plan(&mut self, method: &str, times: usize, fault: Fault) {
        self.planned.push_back((method.to_owned(), times, fault));
    }

    /// Every call of a method fails from now on, in one channel or, where that is empty, anywhere.
    pub(crate) fn lasting(&mut self, method: &str, channel: &str, fault: Fault) {
        let (method, channel) = (method.to_owned(), channel.to_owned());
        self.lasting.push(Lasting { method, channel, fault });
    }

    /// Forgets what has not happened, and what lasts.
    pub(crate) fn clear(&mut self) {
        self.planned.clear();
        self.lasting.clear();
    }

    pub(crate) fn take(&mut self, method: &str, channel: &str) -> Option<Fault> {
        let fits = |planned: &(String, usize, Fault)| planned.0 == method || planned.0 == "*";
        if let Some(at) = self.planned.iter().position(fits) {
            let (_, times, fault) = &mut self.planned[at];
            *times -= 1;
            let fault = *fault;
            if *times == 0 {
                self.planned.remove(at);
            }
            return Some(fault);
        }
        let holds = |lasting: &&Lasting| {
            (lasting.method == method || lasting.method == "*")
                && (lasting.channel.is_empty() || lasting.channel == channel)
        };
        self.lasting.iter().find(holds).map(|lasting| lasting.fault)
    }
}
