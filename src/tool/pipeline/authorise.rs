//! Whether a call may be made now: the phase's list of tools, and who made the call.

use crate::{
    model::transcript::{Call, Origin},
    session::SessionView,
    tool::{ToolError, ToolSpec, Toolbox},
};

/// The tool by which every phase ends, and the only one that the engine calls by itself.
const ADVANCE: &str = "next_phase";

/// What a person calls by a command: the next phase, and a review that they want to change.
const BY_PERSON: [&str; 2] = [ADVANCE, "submit_for_validation"];

/// Whether the maker of a call may know that there is this tool: one for staff is unknown to everybody else.
pub fn knows(call: &Call, spec: &ToolSpec, view: &SessionView) -> bool {
    let is_staff = match &call.origin {
        Origin::Model { .. } => view.state.staff,
        Origin::Person { may_decide, .. } => *may_decide,
        Origin::Step { .. } | Origin::Engine => false,
    };
    is_staff || !spec.admin_only
}

/// Refuses a call of a tool that its maker [`knows`], where it does not belong to the current phase, where they may not make
/// it, or where it scores people and the flow does not allow that.
pub fn authorise(
    call: &Call,
    spec: &ToolSpec,
    view: &SessionView,
    toolbox: &Toolbox,
) -> Result<(), ToolError> {
    if spec.scores_people && !view.flow.flow.policy.score_people {
        return Err(denied(&call.tool, "the flow does not let people be scored"));
    }
    let (allowed, why) = match &call.origin {
        Origin::Model { .. } => return by_model(call, spec, view, toolbox),
        Origin::Step { step } => {
            let written =
                view.flow.step(step).is_some_and(|(_, written)| written.tool == call.tool);
            (written, "the flow has no such step")
        }
        Origin::Person { .. } => (
            BY_PERSON.contains(&call.tool.as_str()) || spec.admin_only,
            "a person cannot call it directly",
        ),
        Origin::Engine => (call.tool == ADVANCE, "only a flow or a model calls it"),
    };
    if allowed { Ok(()) } else { Err(denied(&call.tool, why)) }
}

fn by_model(
    call: &Call,
    spec: &ToolSpec,
    view: &SessionView,
    toolbox: &Toolbox,
) -> Result<(), ToolError> {
    let Some(phase) = view.phase() else { return Err(denied(&call.tool, "no phase is open")) };
    let is_everywhere = (call.tool == ADVANCE || spec.in_every_phase) && !view.is_child();
    if is_everywhere || phase.tools.contains(&call.tool) {
        return Ok(());
    }
    let is_known =
        |name: &&str| toolbox.get(name).is_none_or(|tool| knows(call, tool.spec(), view));
    let there: Vec<&str> = phase.tools.iter().map(String::as_str).filter(is_known).collect();
    if there.is_empty() {
        return Err(denied(&call.tool, "there are no tools here"));
    }
    let why = format!("in this phase there are `{}`", there.join("`, `"));
    Err(denied(&call.tool, &why))
}

fn denied(tool: &str, why: &str) -> ToolError {
    ToolError::PermissionDenied(format!("`{tool}` is not available now: {why}"))
}
