//! What a start finds in the store, told once in the log.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::store::{self, Store};

/// Conversations read at one time.
const PAGE: usize = 500;

/// Conversations that are read in all: there is no index of those that are open, and reading a million for a line in the
/// log would keep the store busy.
const READ_MAX: usize = 10_000;

/// What there is to go on with. Child runs belong to their conversations and are not counted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Found {
    /// Conversations that were read, oldest first.
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
                "resuming conversations; only the oldest were counted"
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
    let mut after = None;
    loop {
        // One more than is read tells whether there are more.
        let left = read_max - found.read;
        let mut page = store.sessions(after, PAGE.min(left + 1)).await?;
        found.is_partial = page.len() > left;
        page.truncate(left);
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.id);
        found.read += page.len();
        for head in page.iter().filter(|head| head.parent.is_none() && !head.status.is_over()) {
            found.open += 1;
            found.questions += head.pending;
            found.requests += head.approvals;
            found.handed_over += usize::from(head.handed_over);
        }
    }
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
