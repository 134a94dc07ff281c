//! Rates and bounds.

use std::{num::NonZeroU32, sync::Arc};

use chrono::TimeDelta;
use chrono_tz::Tz;

use crate::{
    base::ids::SessionId,
    config::{Tenant, Tenants},
    model::{session::Status, transcript::Inviter, usage::Budgets},
};

/// Rates and bounds. They are configuration: a load profile raises the numbers, nothing goes round them.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Events that may wait for one session; the next one is told to try again.
    pub queue: usize,
    /// Sessions worked on at one time; waiting ones cost nothing.
    pub active: usize,
    /// Effects delivered at one time.
    pub deliveries: usize,
    /// What one person may send in a minute.
    pub per_minute: NonZeroU32,
    /// Largest file, in bytes, over all flows.
    pub file_bytes: u64,
    /// Tokens that a request to the model may have before the conversation is shortened, as the provider counts them.
    pub window_tokens: u64,
    /// Messages that come within so long of one another's first are one turn of the model; looked at
    /// every second.
    pub burst: TimeDelta,
    /// Where the team's days begin and end; UTC where nothing is said.
    pub time_zone: Option<Tz>,
    /// A model that leaves the participant nothing to answer is told so once, then the engine goes on by itself.
    pub nudges: bool,
    /// What models may use up.
    pub budgets: Budgets,
    /// Memory for copies of conversations that are made or sent, in MiB: by the sizes of their files.
    pub copies_mib: u32,
    /// Customers whose people, flows and budgets are kept apart.
    pub tenants: Arc<Tenants>,
}

impl Limits {
    /// How many sessions of a tenant are worked on at one time.
    pub(super) fn active_of(&self, tenant: &Tenant) -> usize {
        let own = tenant.active_sessions.and_then(|own| usize::try_from(own).ok());
        own.unwrap_or_else(|| self.active.div_ceil(2))
    }
}

impl Default for Limits {
    fn default() -> Self {
        let per_minute = NonZeroU32::new(240).unwrap_or(NonZeroU32::MIN);
        Self {
            queue: 64,
            active: 256,
            deliveries: 64,
            per_minute,
            file_bytes: 25 * 1024 * 1024,
            window_tokens: 60_000,
            burst: TimeDelta::zero(),
            time_zone: None,
            nudges: true,
            budgets: Budgets::default(),
            copies_mib: 1024,
            tenants: Arc::default(),
        }
    }
}

/// How a conversation begins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beginning<'a> {
    /// What the person wrote when they asked for it: their first words, where the flow has no notice that must be
    /// answered before. A person can be asked for in any case.
    pub words: Option<&'a str>,
    /// It tries the flow out, and is left out of what staff are told of everybody.
    pub is_test: bool,
    /// Their time zone, where the platform knows it: `Europe/Berlin`.
    pub time_zone: Option<&'a str>,
    /// Who has invited them; `None` if they began by themselves.
    pub invited_by: Option<&'a Inviter>,
}

/// A conversation that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    /// Which.
    pub session: SessionId,
    /// How it stood, where the person had it before: then nothing was sent.
    pub before: Option<Status>,
}
