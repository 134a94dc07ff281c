//! Which conversations wait for the team: read once for all of the staff who look at the same time.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, broadcast},
    time::{Instant, sleep_until},
};

use crate::{
    base::ids::SessionId,
    engine::{Changed, Engine, Error},
    model::session::{Head, Place},
    store::Find,
};

/// Conversations that are read in one go.
const PAGE: usize = 256;

/// A conversation that waits, as far as a list of many has to know it.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    pub(super) session: SessionId,
    /// Where it is, without the channel.
    pub(super) workspace: Place,
}

/// The list of them as it was read last: those first in which a person was asked for, then those that wait longest.
#[derive(Debug, Default)]
pub struct WaitingList(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    /// When reading it began.
    at: Instant,
    /// What has changed since then.
    changes: broadcast::Receiver<Changed>,
    list: Arc<[Waiting]>,
}

impl WaitingList {
    /// The list as it stands after every change that was told until now. However many ask for it, it is read no more often than
    /// once in a `pause`, so that an answer may take that long.
    pub(super) async fn shared(
        &self,
        engine: &Engine,
        pause: Duration,
    ) -> Result<Arc<[Waiting]>, Error> {
        let asked = Instant::now();
        let mut known = self.0.lock().await;
        if let Some(known) = &*known {
            if known.at >= asked || known.changes.is_empty() {
                return Ok(Arc::clone(&known.list));
            }
            sleep_until(known.at + pause).await;
        }
        let (at, changes) = (Instant::now(), engine.watch());
        let list: Arc<[Waiting]> = read(engine).await?.into();
        *known = Some(Known { at, changes, list: Arc::clone(&list) });
        Ok(list)
    }
}

/// The list as it stands.
pub(super) async fn read(engine: &Engine) -> Result<Vec<Waiting>, Error> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = Find::WantsStaff { after, limit: PAGE };
        let page = engine.parts().store.find(page).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        found.extend(page.into_iter().map(in_order));
    }
    found.sort_by_key(|(order, _)| *order);
    Ok(found.into_iter().map(|(_, waiting)| waiting).collect())
}

/// What waits, and what it is ordered by.
fn in_order(head: Head) -> (impl Ord + Copy, Waiting) {
    let order = (!head.wants_a_person(), head.updated_at, head.id);
    let workspace = Place { channel: String::new(), thread: None, ..head.place };
    (order, Waiting { session: head.id, workspace })
}
