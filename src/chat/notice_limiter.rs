//! How often somebody is told that something did not work.

use std::num::NonZeroU32;

use governor::{Quota, RateLimiter, clock::DefaultClock, state::keyed::HashMapStateStore};

/// How often one person is told in a minute.
const PER_MINUTE: u32 = 10;

/// People of whom it is remembered without a look at who can be forgotten.
const KEPT: usize = 1_000;

/// Who has been told how often, in this process.
#[derive(Debug)]
pub struct NoticeLimiter {
    told: RateLimiter<(String, String), HashMapStateStore<(String, String)>, DefaultClock>,
}

impl NoticeLimiter {
    /// Nobody has been told anything.
    pub fn new() -> Self {
        let per_minute = NonZeroU32::new(PER_MINUTE).unwrap_or(NonZeroU32::MIN);
        Self { told: RateLimiter::keyed(Quota::per_minute(per_minute)) }
    }

    /// Whether somebody may be told once more; a yes counts as told.
    pub fn may_tell(&self, workspace: &str, user: &str) -> bool {
        // Who has been told nothing for long is forgotten.
        if self.told.len() > KEPT {
            self.told.retain_recent();
        }
        self.told.check_key(&(workspace.to_owned(), user.to_owned())).is_ok()
    }
}

impl Default for NoticeLimiter {
    fn default() -> Self {
        Self::new()
    }
}
