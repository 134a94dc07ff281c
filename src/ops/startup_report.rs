//! What a start finds in the store, told once in the log.

use std::sync::Arc;

use chrono::DateTime;
use tokio_util::sync::CancellationToken;

use crate::{
    model::session::Platform,
    store::{self, Find, Store},
};

/// Conversations read at one time.
const PAGE: usize = 500;

/// Conversations that are read in all: reading a million for a line in the log would keep the store busy.
const READ_MAX: usize = 10_000;

/// What there is to go on with. Child runs belong to their conversations and are not counted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Found {
    /// Conversations that were read: those that go on or wait for a decision.
    read: usize,
    /// There are more, which were not read.
    is_partial: bool,
    /// Conversations that are not over.
    open: usize,
    /// Questions and requests in them that stand open.
    questions: u32,
    /// Requests among those, which deciders answer.
    requests: u32,
    /// Conversations that wait for a person of the team, or are with one.
    handed_over: usize,
}

/// Counts what is there and says so; the bot is at work meanwhile, so what has just come may be counted as well. A
/// store that cannot be read has said so itself.
pub(super) async fn tell(store: Arc<dyn Store>, shutdown: CancellationToken) {
    tokio::select! {
        () = shutdown.cancelled() => {}
        found = count(&*store, READ_MAX) => match found {
            Ok(Found { read, is_partial: true, open, questions, requests, handed_over }) => tracing::info!(
                read,
                open,
                questions,
                requests,
                handed_over,
                "resuming conversations; not all were counted"
            ),
            Ok(Found { open, questions, requests, handed_over, .. }) => {
                tracing::info!(open, questions, requests, handed_over, "resuming conversations");
            }
            Err(_) => {}
        }
    }
}

async fn count(store: &dyn Store, read_max: usize) -> Result<Found, store::Error> {
    let mut found = Found::default();
    for platform in [Platform::Slack, Platform::Discord, Platform::Web] {
        let (mut after, since) = (None, DateTime::UNIX_EPOCH);
        loop {
            // One more than is read tells whether there are more.
            let left = read_max - found.read;
            let limit = PAGE.min(left + 1);
            let find = Find::RecentlyUpdated { platform, is_active: true, since, after, limit };
            let mut page = store.find(find).await?;
            found.is_partial |= page.len() > left;
            page.truncate(left);
            let Some(last) = page.last() else { break };
            after = Some((last.updated_at, last.id));
            found.read += page.len();
            for head in page.iter().filter(|head| !head.status.is_over()) {
                found.open += 1;
                found.questions += head.pending;
                found.requests += head.approvals;
                found.handed_over += usize::from(head.handed_over);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        base::ids::{RandomIds, SessionId},
        store::{Commit, memory::MemoryStore},
    };

    /// A conversation with one open question.
    fn open() -> Commit {
        let id = SessionId::mint(&RandomIds);
        let head = json!({
            "id": id, "flow": { "id": "f", "version": "1", "digest": "d" }, "participant": "web:local/ada",
            "place": { "platform": "web", "workspace": "local", "channel": "c" }, "status": "open",
            "pending": 1, "approvals": 0, "progress": 0.0, "seq": 0, "created_at": "2026-11-02T10:00:00Z", "updated_at": "2026-11-02T10:00:00Z",
        });
        Commit::new(serde_json::from_value(head).unwrap(), 0, Vec::new())
    }

    #[tokio::test]
    async fn counting_ends_where_there_is_much() {
        let store = MemoryStore::new(Arc::new(RandomIds));
        for _ in 0..3 {
            store.commit(open()).await.unwrap();
        }
        for (read_max, read, is_partial) in [(2, 2, true), (3, 3, false), (4, 3, false)] {
            let found = count(&store, read_max).await.unwrap();
            let questions = u32::try_from(read).unwrap();
            let expected = Found { read, is_partial, open: read, questions, ..Found::default() };
            assert_eq!(found, expected, "at most {read_max}");
        }
    }
}
