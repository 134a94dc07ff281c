//! What a start finds in the store, told once in the log.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::store::{self, Store};

/// Conversations read at one time.
const PAGE: usize = 500;

/// What there is to go on with. Child runs belong to their conversations and are not counted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Found {
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
        found = count(&*store) => if let Ok(Found { open, questions, requests, handed_over }) = found {
            tracing::info!(open, questions, requests, handed_over, "resuming conversations");
        }
    }
}

async fn count(store: &dyn Store) -> Result<Found, store::Error> {
    let mut found = Found::default();
    let mut after = None;
    loop {
        let page = store.sessions(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.id);
        for head in page.iter().filter(|head| head.parent.is_none() && !head.status.is_over()) {
            found.open += 1;
            found.questions += head.pending;
            found.requests += head.approvals;
            found.handed_over += usize::from(head.handed_over);
        }
    }
}
