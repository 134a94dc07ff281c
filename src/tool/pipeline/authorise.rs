//! Whether a call may be made now: the phase's list of tools, and who made the call.

use crate::{
    interview::Actor,
    model::transcript::{Call, Origin},
    tool::{ToolError, ToolSpec},
};

/// The one tool that every phase has (S1 §2), and the only one that the engine calls by itself.
const ADVANCE: &str = "next_phase";

/// What a person calls by a command: the next phase, and a review that they want to change.
const BY_PERSON: [&str; 2] = [ADVANCE, "submit_for_validation"];

/// Refuses a call that does not belong to the current phase, that its maker may not make, or that scores people where the
/// flow does not allow it.
pub fn authorise(call: &Call, spec: &ToolSpec, actor: &Actor) -> Result<(), ToolError> {
    if spec.scores_people && !actor.flow().flow.policy.score_people {
        return Err(denied(&call.tool, "the flow does not let people be scored"));
    }
    let (allowed, why) = match &call.origin {
        Origin::Model { .. } => return by_model(call, spec, actor),
        Origin::Step { step } => {
            let written =
                actor.flow().step(step).is_some_and(|(_, written)| written.tool == call.tool);
            (written && !spec.admin_only, "the flow has no such step")
        }
        Origin::Person { may_decide, .. } => (
            BY_PERSON.contains(&call.tool.as_str()) || (spec.admin_only && *may_decide),
            "a person cannot call it directly",
        ),
        Origin::Engine => (call.tool == ADVANCE, "only a flow or a model calls it"),
    };
    if allowed { Ok(()) } else { Err(denied(&call.tool, why)) }
}

fn by_model(call: &Call, spec: &ToolSpec, actor: &Actor) -> Result<(), ToolError> {
    if spec.admin_only && !actor.state().staff {
        return Err(denied(&call.tool, "only staff may call it"));
    }
    let Some(phase) = actor.phase() else { return Err(denied(&call.tool, "no phase is open")) };
    if (call.tool == ADVANCE && !actor.is_child()) || phase.tools.contains(&call.tool) {
        return Ok(());
    }
    if phase.tools.is_empty() {
        return Err(denied(&call.tool, "there are no tools here"));
    }
    let why = format!("in this phase there are `{}`", phase.tools.join("`, `"));
    Err(denied(&call.tool, &why))
}

fn denied(tool: &str, why: &str) -> ToolError {
    ToolError::PermissionDenied(format!("`{tool}` is not available now: {why}"))
}
