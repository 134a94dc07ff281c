//! Sessions as those see them who look on.

use std::sync::Arc;

use super::{Engine, Error};
use crate::{
    base::ids::SessionId,
    flow::LoadedFlow,
    model::session::Head,
    session::State,
    store::{Find, Loaded},
};

/// Sessions that are read at a time where not all are wanted, and how often.
const PAGE: usize = 256;
const PAGES_LOOKED_AT: usize = 64;

/// A session as somebody sees it who looks on.
#[derive(Debug)]
pub struct Look {
    /// With its events.
    pub loaded: Loaded,
    /// What it runs.
    pub flow: Arc<LoadedFlow>,
    /// What the events add up to.
    pub state: Arc<State>,
    /// It is the model's turn.
    pub thinking: bool,
}

impl Engine {
    /// A session with its flow, for views.
    pub async fn view(&self, session: SessionId) -> Result<(Loaded, Arc<LoadedFlow>), Error> {
        let loaded = self.inner.parts.store.load(session).await?.ok_or(Error::NoSession)?;
        let flow = match loaded.head.parent {
            Some(_) => self.task_flow(&loaded.head.flow).await?,
            None => self.flow(&loaded.head.flow, &loaded.head.place).await?,
        };
        Ok((loaded, flow))
    }

    /// A session with its flow and what its events add up to, for views of it while the bot is at work.
    pub async fn look(&self, session: SessionId) -> Result<Look, Error> {
        let (loaded, flow) = self.view(session).await?;
        let actor = self.hydrate(&loaded, Arc::clone(&flow))?;
        let thinking = actor.is_thinking();
        Ok(Look { loaded, flow, state: actor.shared_state(), thinking })
    }

    /// The newest sessions that are wanted, at most so many, older than one where that is given; and whether there may be
    /// more. A bounded number is looked at, so a page may hold fewer where most belong to others: the last one looked at
    /// comes with it, and the next page begins there.
    pub async fn newest(
        &self,
        (before, limit): (Option<SessionId>, usize),
        is_wanted: impl Fn(&Head) -> bool + Send,
    ) -> Result<(Vec<Head>, Option<SessionId>), Error> {
        let (mut found, mut last) = (Vec::new(), before);
        for _ in 0..PAGES_LOOKED_AT {
            let page = Find::Newest { before: last, limit: PAGE };
            let page = self.inner.parts.store.find(page).await?;
            let is_end = page.len() < PAGE;
            for head in page {
                if found.len() == limit {
                    return Ok((found, last));
                }
                last = Some(head.id);
                if is_wanted(&head) {
                    found.push(head);
                }
            }
            if is_end {
                return Ok((found, None));
            }
        }
        Ok((found, last))
    }
}
