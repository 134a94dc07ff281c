//! How nodes with one store reach one another over HTTP.

use tokio::sync::watch;

use crate::model::node::{ActiveNode, Addresses};

/// Where this node is reached, and where the active one is.
#[derive(Debug, Clone, Default)]
pub struct Reached {
    /// Where this node is reached; published while it is the active one.
    pub own: Addresses,
    /// The active node while this one waits; `None` until it is known.
    pub active: watch::Sender<Option<ActiveNode>>,
}

impl Reached {
    /// Another node is active.
    pub fn tell(&self, active: ActiveNode) {
        self.active.send_if_modified(|known| {
            let is_new = known.as_ref() != Some(&active);
            *known = Some(active);
            is_new
        });
    }
}
