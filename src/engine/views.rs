//! Sessions as those see them who look on.

use std::{ops::Deref, sync::Arc};

use uuid::Uuid;

use super::{Engine, Error};
use crate::{
    base::ids::SessionId,
    config::Tenants,
    model::session::Head,
    session::SessionView,
    store::{Find, Loaded},
};

/// Sessions that are read at a time where not all are wanted, and how often.
const PAGE: usize = 256;
const PAGES_LOOKED_AT: usize = 64;

/// A session as it is stored, for those who show its history.
#[derive(Debug)]
pub struct Look {
    /// With its events.
    pub loaded: Loaded,
    /// As decisions read it.
    pub view: SessionView,
}

impl Deref for Look {
    type Target = SessionView;

    fn deref(&self) -> &SessionView {
        &self.view
    }
}

impl Engine {
    /// Whose conversations there are.
    pub(crate) fn tenants(&self) -> &Tenants {
        &self.inner.limits.tenants
    }

    /// A session as it stands.
    pub async fn view(&self, session: SessionId) -> Result<SessionView, Error> {
        Ok(self.look(session).await?.view)
    }

    /// A session as it stands, with its events.
    pub async fn look(&self, session: SessionId) -> Result<Look, Error> {
        let loaded = self.inner.parts.store.load(session).await?.ok_or(Error::NoSession)?;
        let flow = match loaded.head.parent {
            Some(_) => self.task_flow(&loaded.head.flow).await?,
            None => self.flow(&loaded.head.flow, &loaded.head.place).await?,
        };
        let state = self.state_of(session, &loaded.events).ok_or(Error::NoSession)?;
        let (ids, now) = (Arc::clone(&self.inner.parts.ids), self.inner.parts.clock.now());
        let view = SessionView::new(flow, state, ids, now, self.settings(&loaded.head.place));
        Ok(Look { loaded, view })
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
            // A page of fewer is not the last: a database leaves out what cannot be read.
            let is_end = page.is_empty();
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

    /// The first sessions whose ids begin with `text`, at most so many, child runs among them. Reads no more than that.
    pub async fn beginning_with(&self, text: &str, most: usize) -> Result<Vec<SessionId>, Error> {
        let Some(first) = SessionId::first_beginning_with(text) else { return Ok(Vec::new()) };
        // Pages begin after an id, so this one is looked for after the one before it.
        let before = first.uuid().as_u128().checked_sub(1);
        let before = before.map(|before| SessionId::from_uuid(Uuid::from_u128(before)));
        let page = self.inner.parts.store.sessions(before, most).await?;
        let ids = page.into_iter().map(|head| head.id);
        Ok(ids.take_while(|id| id.to_string().starts_with(text)).collect())
    }
}
