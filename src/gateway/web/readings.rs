//! Who of the staff has read which conversation lately, so that a live page that connects again leaves no record of it each
//! time.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    base::{ids::SessionId, recent::Recent},
    model::session::PersonId,
};

/// How long a record stands for what the same person reads.
const STANDS: TimeDelta = TimeDelta::minutes(10);

/// Readings that are remembered; one that is forgotten costs a record more.
const KEPT: u64 = 10_000;

/// When a record was left last, by who read and what.
#[derive(Debug)]
pub struct Readings(Recent<(PersonId, SessionId), DateTime<Utc>>);

impl Default for Readings {
    fn default() -> Self {
        Self(Recent::new(KEPT))
    }
}

impl Readings {
    /// A record was left now.
    pub(super) fn note(&self, by: PersonId, session: SessionId, now: DateTime<Utc>) {
        self.0.insert((by, session), now, 1);
    }

    /// Whether the record that was left last stands for what is read now.
    pub(super) fn stands(&self, by: PersonId, session: SessionId, now: DateTime<Utc>) -> bool {
        self.0.get(&(by, session)).is_some_and(|at| (now - at).abs() < STANDS)
    }
}
