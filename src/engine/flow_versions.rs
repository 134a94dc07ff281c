//! The flows that sessions run: pinned by digest, so that an edit of the file changes no running session.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Engine, Error};
use crate::{
    flow::{Library, LoadedFlow, subtasks::LoadedTask},
    model::session::{FlowPin, Place},
    ports::artifacts::blobs,
    session::Responder,
    store,
};

/// Older versions of flows that are in use, by digest and tenant. As many as there are versions, not sessions.
#[derive(Debug, Default)]
pub(super) struct FlowVersions(Mutex<HashMap<Key, Arc<LoadedFlow>>>);

/// A digest, and the tenant as whose it reads.
type Key = (String, Option<String>);

/// The flow that somebody begins. One that scores people is for staff alone: whoever talks with it sees the scores.
pub(super) fn begun(
    library: &Library,
    id: &str,
    from: &Responder,
) -> Result<Arc<LoadedFlow>, Error> {
    let flow = library.get(id).ok_or_else(|| Error::NoFlow(id.to_owned()))?;
    if flow.flow.policy.score_people && !from.staff {
        return Err(Error::Refused("only the team can begin this: it scores people".to_owned()));
    }
    Ok(flow)
}

impl Engine {
    /// Keeps a flow's file under its digest.
    pub(super) async fn pin(&self, flow: &LoadedFlow) -> Result<FlowPin, Error> {
        let kept = self.inner.parts.artifacts.pin_flow(&flow.digest, &flow.source).await;
        kept.map_err(|error| Error::Store(store::Error::Unavailable(Arc::new(error))))?;
        Ok(FlowPin {
            id: flow.flow.id.clone(),
            version: flow.flow.version.clone(),
            digest: flow.digest.clone(),
        })
    }

    /// The flow of a session: the current file if it is the same, else the pinned one. It reads as it does where the
    /// session runs.
    pub(super) async fn flow(
        &self,
        pin: &FlowPin,
        place: &Place,
    ) -> Result<Arc<LoadedFlow>, Error> {
        let library = &self.inner.parts.library;
        if let Some(flow) = library.at(place, &pin.id).filter(|flow| flow.digest == pin.digest) {
            return Ok(flow);
        }
        let tenant = self.inner.limits.tenants.at(place);
        let key = (pin.digest.clone(), tenant.map(|tenant| tenant.name.clone()));
        let pinned = &self.inner.pinned.0;
        let known = pinned.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(flow) = known {
            return Ok(flow);
        }
        let source = self.pinned_source(pin).await?;
        let flow = library.older(place, &source, &pin.id).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Error::BrokenFlow(problems.join("; "))
        })?;
        let flow = Arc::new(flow);
        let mut pinned = pinned.lock().unwrap_or_else(PoisonError::into_inner);
        pinned.insert(key, Arc::clone(&flow));
        Ok(flow)
    }

    /// What a child run runs: its template if that is the same, else the pinned one.
    pub(super) async fn task_flow(&self, pin: &FlowPin) -> Result<Arc<LoadedFlow>, Error> {
        let task = self.inner.parts.tasks.get(&pin.id);
        if let Some(task) = task.filter(|task| task.run.digest == pin.digest) {
            return Ok(Arc::clone(&task.run));
        }
        let source = self.pinned_source(pin).await?;
        let task = LoadedTask::load(&source, &pin.id).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Error::BrokenFlow(problems.join("; "))
        })?;
        Ok(task.run)
    }

    async fn pinned_source(&self, pin: &FlowPin) -> Result<String, Error> {
        match self.inner.parts.artifacts.pinned_flow(&pin.digest).await {
            Ok(Some(source)) => Ok(source),
            Ok(None) => Err(Error::BrokenFlow(format!("its file {} is gone", pin.digest))),
            Err(damaged @ blobs::Error::Damaged { .. }) => {
                Err(Error::BrokenFlow(damaged.to_string()))
            }
            Err(error) => Err(Error::Store(store::Error::Unavailable(Arc::new(error)))),
        }
    }
}
