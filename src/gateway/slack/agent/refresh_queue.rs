//! What of which session is to be looked at, and when.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use tokio::time::Instant;

use super::status::Shown;
use crate::{base::ids::SessionId, gateway::slack::limits};

/// What a session shows.
#[derive(Debug, Clone)]
pub(super) struct Told {
    pub(super) shown: Shown,
    /// Since when the bot has been at work without a word.
    pub(super) since: Instant,
    /// When Slack had taken the status.
    pub(super) at: Instant,
    /// A message was posted at the same time, which may have taken it away.
    pub(super) may_be_gone: bool,
}

/// Sessions with something to look at, and when.
#[derive(Debug, Default)]
pub(super) struct RefreshQueue {
    due: BTreeMap<SessionId, Due>,
    pub(super) busy: BTreeSet<SessionId>,
}

/// When something of a session is to be looked at; each at its own time.
#[derive(Debug, Clone, Copy, Default)]
struct Due {
    status: Option<Instant>,
    words: Option<Instant>,
}

impl Due {
    fn next(self) -> Option<Instant> {
        self.status.into_iter().chain(self.words).min()
    }

    /// Takes out what is due.
    fn take(&mut self, now: Instant) -> Wanted {
        let is_due = |at: &mut Option<Instant>| at.take_if(|at| *at <= now).is_some();
        Wanted { status: is_due(&mut self.status), words: is_due(&mut self.words) }
    }
}

/// What is to be looked at.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    pub(super) status: bool,
    pub(super) words: bool,
}

impl Told {
    /// How long to wait until what is shown is not right any more by itself; `None` if that is not to be.
    pub(super) fn next(&self) -> Option<Duration> {
        let busy_for = self.since.elapsed();
        let is_shown = !self.shown.words.is_empty() && busy_for < limits::STATUS_MAX;
        let late = limits::STATUS_LATE.saturating_sub(busy_for);
        let renewed = limits::STATUS_RENEWED.saturating_sub(self.at.elapsed());
        is_shown.then(|| if late.is_zero() { renewed } else { late.min(renewed) })
    }

    /// Whether it need not be sent again where nothing has changed.
    pub(super) fn is_fresh(&self) -> bool {
        self.shown.words.is_empty()
            || (!self.may_be_gone && self.at.elapsed() < limits::STATUS_RENEWED)
    }

    /// A message was posted: Slack has taken away a status that it had before. Whether one that was on its way meanwhile
    /// stands, nobody knows.
    pub(super) fn posted(&mut self, begun: Instant) {
        if self.at >= begun {
            self.may_be_gone = true;
        } else {
            self.shown.words.clear();
        }
        self.since = Instant::now();
    }
}

impl RefreshQueue {
    pub(super) fn add(&mut self, session: SessionId, at: Instant, wanted: Wanted) {
        if self.due.len() >= limits::AGENDA_MAX && !self.due.contains_key(&session) {
            return;
        }
        let due = self.due.entry(session).or_default();
        let sooner =
            |known: &mut Option<Instant>| *known = Some(known.map_or(at, |known| known.min(at)));
        if wanted.status {
            sooner(&mut due.status);
        }
        if wanted.words {
            sooner(&mut due.words);
        }
    }

    pub(super) fn next(&self) -> Option<(Instant, SessionId)> {
        let free = self.due.iter().filter(|(session, _)| !self.busy.contains(session));
        free.filter_map(|(session, due)| Some((due.next()?, *session))).min()
    }

    /// What of a session is due.
    pub(super) fn take(&mut self, session: SessionId) -> Wanted {
        let Some(due) = self.due.get_mut(&session) else { return Wanted::default() };
        let wanted = due.take(Instant::now());
        if due.next().is_none() {
            self.due.remove(&session);
        }
        wanted
    }
}

pub(super) const STATUS: Wanted = Wanted { status: true, words: false };
pub(super) const WORDS: Wanted = Wanted { status: false, words: true };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::activity::Activity;

    fn told() -> Told {
        let shown = Shown { status: Activity::Processing, words: "Thinking…".to_owned() };
        Told { shown, since: Instant::now(), at: Instant::now(), may_be_gone: false }
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_takes_a_status_away() {
        let mut told = told();
        tokio::time::advance(Duration::from_secs(1)).await;
        told.posted(Instant::now());
        assert_eq!(told.shown.words, "");
        assert!(told.next().is_none());
    }

    /// Else it would stand below the last message until Slack takes it away by itself.
    #[tokio::test(start_paused = true)]
    async fn a_status_that_was_sent_beside_a_message_is_sent_again_or_taken_away() {
        let begun = Instant::now();
        tokio::time::advance(Duration::from_secs(1)).await;
        let mut told = told();
        assert!(told.is_fresh());
        told.posted(begun);
        assert_eq!(told.shown.words, "Thinking…");
        assert!(!told.is_fresh());
    }
}
