//! Which phase comes next.

use super::{Actor, script};
use crate::model::flow::Phase;

impl Actor {
    /// The phase that comes after this one, or first of all: the next whose condition holds.
    pub(super) fn following(&self, phase: Option<&str>) -> Option<&Phase> {
        let flow = &self.flow;
        let mut next = phase.map_or_else(|| flow.flow.phase.first(), |id| flow.after(id));
        while let Some(phase) = next {
            if script::applies(&self.state, flow, phase.when.as_deref()) {
                return next;
            }
            next = flow.after(&phase.id);
        }
        None
    }
}
