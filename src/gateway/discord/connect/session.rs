//! How far a session came: kept in the store, so that another process goes on where this one ended.

use std::{collections::BTreeSet, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::store::{self, Note, Store};

/// What names a session and how far it came.
///
/// ```json
/// { "id": "5e7a…", "url": "wss://gateway-us-east1-b.discord.gg", "seq": 42, "shards": 1 }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Session {
    /// Discord's name of it. Only with the token is it of use to anybody.
    pub(super) id: String,
    /// Where it goes on.
    pub(super) url: String,
    /// The last number up to which everything is durable.
    pub(super) seq: u64,
    /// How many connections there were; with another number a session is not the same.
    pub(super) shards: u32,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("seq", &self.seq).finish_non_exhaustive()
    }
}

/// Where one shard's session is kept: a note `discord/session/<shard>`.
#[derive(Debug)]
pub(super) struct Kept {
    store: Arc<dyn Store>,
    key: String,
    shards: u32,
}

impl Kept {
    pub(super) fn new(store: Arc<dyn Store>, shard: u32, shards: u32) -> Self {
        Self { store, key: format!("discord/session/{shard}"), shards }
    }

    /// The session that may be gone on with; `None` if there is none, or where it cannot be read.
    pub(super) async fn load(&self) -> Option<Session> {
        let noted = self.store.noted(&self.key).await;
        let noted = noted.inspect_err(|error| {
            tracing::warn!(%error, "could not read the saved Discord session; starting a new one");
        });
        let session: Session = serde_json::from_str(&noted.ok()??.value?).ok()?;
        (session.shards == self.shards).then_some(session)
    }

    /// Keeps how far it came; `None`: there is none any more. Writing it twice changes nothing, and what a crash loses
    /// of it comes again.
    pub(super) async fn keep(&self, session: Option<&Session>) -> Result<(), store::Error> {
        let value = session.and_then(|session| serde_json::to_string(session).ok());
        self.store.note(Note { key: self.key.clone(), session: None, value }).await
    }
}

/// Which numbers are durable. They are taken side by side, so one may be before another.
#[derive(Debug, Default)]
pub(super) struct Marks {
    in_flight: BTreeSet<u64>,
    highest: u64,
}

impl Marks {
    /// Everything up to `seq` is durable.
    pub(super) const fn at(seq: u64) -> Self {
        Self { in_flight: BTreeSet::new(), highest: seq }
    }

    /// One came.
    pub(super) fn came(&mut self, seq: u64) {
        self.in_flight.insert(seq);
        self.highest = self.highest.max(seq);
    }

    /// One is durable.
    pub(super) fn taken(&mut self, seq: u64) {
        self.in_flight.remove(&seq);
    }

    /// The last number up to which everything is durable.
    pub(super) fn durable(&self) -> u64 {
        self.in_flight.first().map_or(self.highest, |first| first.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::Marks;

    #[test]
    fn the_number_moves_when_everything_before_is_durable() {
        let mut marks = Marks::at(7);
        assert_eq!(marks.durable(), 7);
        for seq in 8..=10 {
            marks.came(seq);
        }
        marks.taken(9);
        marks.taken(10);
        assert_eq!(marks.durable(), 7);
        marks.taken(8);
        assert_eq!(marks.durable(), 10);
    }
}
