//! Overrides: in each phase somebody who may lets the participant past what is unmet. What the phase would have asked is
//! not there then, and whatever speaks of it later shows that.

use std::sync::Arc;

use super::{Plan, Rehearsal, Taken, Trouble, casts::Pass};
use crate::{
    engine::{Error, InboundKind},
    flow::LoadedFlow,
    model::{
        flow::Decider,
        session::{PersonId, Platform, Status},
        ui::{Decision, Reply},
        wait::{Purpose, Wait},
    },
    ops::stage::{Stage, answer, decider},
    session::{Command, Responder, State, evidence},
};

/// Most votes on one request.
const VOTES_MAX: usize = 10;

/// The tool that moves on, in whose name requests are made.
const NEXT_PHASE: &str = "next_phase";

/// The first question of a phase of which something is unmet.
#[derive(Debug)]
pub(super) struct Door {
    phase: String,
    /// The answers before it.
    plan: Plan,
}

impl Rehearsal {
    /// Notes where an override could be rehearsed; once for each phase, after the fewest answers.
    pub(super) fn note_door(
        &mut self,
        (room, state): (&Stage, &State),
        flow: &LoadedFlow,
        taken: &[Taken],
    ) {
        let Some(phase) = state.phase().and_then(|id| flow.phase(id)) else { return };
        let is_known = self.doors.iter().any(|door| door.phase == phase.id);
        let is_open = state.status == Status::Open && state.place.platform == Platform::Web;
        if !is_known && is_open && !evidence::missing(state, phase).is_empty() {
            let plan = Plan::after(Arc::new(room.snapshot()), taken);
            self.doors.push(Door { phase: phase.id.clone(), plan });
        }
    }

    /// One conversation for each phase, in which it is passed over; a place that answers alone lead to trouble is told already.
    pub(super) async fn pass_over(&mut self, pass: &Pass<'_>) -> Result<(), Error> {
        for door in std::mem::take(&mut self.doors) {
            let mut overridden = Self::default();
            overridden.converse(pass, &door.plan, Some(&door)).await?;
            for (finding, way) in overridden.findings {
                // Whoever is let past has answered nothing: every text that shows an answer has a hole then.
                if matches!(finding.trouble, Trouble::Hole(_)) {
                    continue;
                }
                let is_told = self.findings.keys().any(|known| known.at == finding.at);
                if !is_told {
                    self.past.entry(finding).or_insert(way);
                }
            }
        }
        Ok(())
    }
}

impl Door {
    /// Lets the participant past the phase, if this is the place for it; `None` if it can't be done.
    pub(super) async fn open(
        &self,
        room: &mut Stage,
        (state, flow): (&State, &LoadedFlow),
        taken: &[Taken],
    ) -> Result<Option<Taken>, Error> {
        if taken.len() != self.plan.choices.len() || state.phase() != Some(&self.phase) {
            return Ok(None);
        }
        let policy = &flow.flow.approvals.overrides;
        let order = InboundKind::Command(Command::Advance { reason: "Rehearsed".to_owned() });
        let asked = match &policy.channel {
            _ if policy.decider == Decider::Participant => room.act(order).await,
            Some(alias) => {
                let rights =
                    Responder::without_rights(PersonId::web("decider0"), "Grace".to_owned());
                let from = Responder { approver_of: vec![alias.clone()], ..rights };
                room.receive(from, order).await
            }
            None => return Ok(None),
        };
        asked?;
        for n in 0..VOTES_MAX {
            let Some(state) = room.state().await? else { return Ok(None) };
            let Some((wait, by)) = request(&state, n) else {
                let has_moved = state.phase() != Some(&self.phase);
                return Ok(has_moved.then(|| self.passed()));
            };
            let reply = Reply::Decided { decision: Decision::Approved, feedback: None };
            room.receive(by, answer(&wait, reply)).await?;
        }
        Ok(None)
    }

    fn passed(&self) -> Taken {
        let labels = vec!["let past by the team".to_owned()];
        Taken { place: self.phase.clone(), labels, choice: 0, before: None }
    }
}

/// The open request to move on, and somebody who has not voted on it.
fn request(state: &State, n: usize) -> Option<(Wait, Responder)> {
    let is_request =
        |wait: &&Wait| matches!(&wait.purpose, Purpose::Call { tool, .. } if tool == NEXT_PHASE);
    let wait = state.pending().find(is_request)?;
    Some((wait.clone(), decider(wait, n + 1)?))
}
