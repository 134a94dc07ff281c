//! What counts over all buckets: the limit on everything that is done with the bot's token, the address that may be
//! turned away, and what is refused so often that it would be.

use std::{collections::VecDeque, time::Duration};

use tokio::time::Instant;

use super::{MARGIN, Method, SECOND, Scope, Told};
use crate::model::effect::Priority;

/// Part of the rate that is given up when Discord says that it is too much: one of so many.
const STEP: u32 = 5;

/// The part of the rate that calls of background priority may use, in percent.
const BACKGROUND: u32 = 60;

/// How long Discord has to say nothing before a step is taken back.
const RECOVERY: Duration = Duration::from_secs(30);

/// Refused calls in [`REFUSED_WITHIN`] after which nothing is called for a while: at 10,000 Discord turns away the
/// whole address (docs, topics/rate-limits).
pub(super) const REFUSED_MAX: usize = 5_000;

/// Where refused calls are counted.
pub(super) const REFUSED_WITHIN: Duration = Duration::from_mins(10);

/// What counts over all buckets.
#[derive(Debug)]
pub(super) struct Global {
    rate: Rate,
    /// When the last calls were let through.
    last: VecDeque<Instant>,
    /// Nothing is called with the token before.
    paused: Option<Instant>,
    /// Nothing at all is called before.
    turned_away: Option<Instant>,
    /// When calls were refused that Discord counts.
    pub(super) refused: VecDeque<Instant>,
}

/// How many calls in a second.
#[derive(Debug)]
struct Rate {
    /// As configured.
    most: u32,
    now: u32,
    /// When it was changed last.
    changed: Option<Instant>,
}

impl Rate {
    const fn step(&self) -> u32 {
        let step = self.most / STEP;
        if step == 0 { 1 } else { step }
    }

    /// What calls of background priority may use of it: while so many were made in the last second, others go first.
    fn in_background(&self) -> u32 {
        (self.now * BACKGROUND / 100).max(1)
    }

    /// Discord said that it is too much. What left in one go is refused in one go.
    fn down(&mut self, now: Instant) {
        if self.changed.is_some_and(|at| now < at + SECOND) {
            return;
        }
        self.now = self.now.saturating_sub(self.step()).max(self.step());
        self.changed = Some(now);
    }

    /// A step is taken back where Discord has been content for a while.
    fn recover(&mut self, now: Instant) {
        while let Some(at) = self.changed.filter(|at| *at + RECOVERY <= now) {
            self.now = (self.now + self.step()).min(self.most);
            self.changed = (self.now < self.most).then_some(at + RECOVERY);
        }
    }
}

impl Global {
    pub(super) fn new(per_second: u32) -> Self {
        let most = per_second.max(1);
        Self {
            rate: Rate { most, now: most, changed: None },
            last: VecDeque::new(),
            paused: None,
            turned_away: None,
            refused: VecDeque::new(),
        }
    }

    /// Counts a call; or when it may be made. One of background priority leaves a part of the rate to others.
    pub(super) fn ask(
        &mut self,
        method: Method,
        priority: Priority,
        now: Instant,
    ) -> Result<(), Instant> {
        if let Some(until) = self.turned_away.filter(|until| *until > now) {
            return Err(until);
        }
        if method.is_answer() {
            return Ok(());
        }
        if let Some(until) = self.paused.filter(|until| *until > now) {
            return Err(until);
        }
        self.rate.recover(now);
        let within = SECOND + MARGIN;
        while self.last.front().is_some_and(|at| *at + within <= now) {
            self.last.pop_front();
        }
        let most = match priority {
            Priority::Normal => self.rate.now,
            Priority::Background => self.rate.in_background(),
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        // After a step down there may be more of them than may go now: the one that makes room is counted from the end.
        let holding = self.last.len().checked_sub(most).and_then(|first| self.last.get(first));
        if let Some(at) = holding {
            return Err(*at + within);
        }
        self.last.push_back(now);
        Ok(())
    }

    pub(super) fn told(&mut self, method: Method, told: &Told, now: Instant) {
        match told.limited {
            Some((wait, Scope::Global)) if !method.is_answer() => {
                self.paused = self.paused.max(Some(now + wait + MARGIN));
                self.rate.down(now);
                tracing::warn!(?wait, per_second = self.rate.now, "Discord asks for fewer calls");
            }
            Some((wait, Scope::Address)) => {
                self.turned_away = self.turned_away.max(Some(now + wait + MARGIN));
                tracing::error!(?wait, "Discord blocks this IP address; pausing all calls");
            }
            Some(_) | None => {}
        }
        let is_shared = matches!(told.limited, Some((_, Scope::Shared)));
        if matches!(told.status, 401 | 403 | 429) && !is_shared {
            self.refused(now);
        }
    }

    fn refused(&mut self, now: Instant) {
        while self.refused.front().is_some_and(|at| *at + REFUSED_WITHIN <= now) {
            self.refused.pop_front();
        }
        self.refused.push_back(now);
        if self.refused.len() >= REFUSED_MAX
            && let Some(first) = self.refused.front()
        {
            self.paused = self.paused.max(Some(*first + REFUSED_WITHIN));
            tracing::error!(
                refused = self.refused.len(),
                "Discord refused too many calls; pausing all calls so that it doesn't block this IP address"
            );
        }
    }
}
