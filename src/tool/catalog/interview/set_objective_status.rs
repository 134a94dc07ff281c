//! `set_objective_status`: a proposal of how an objective stands. It never changes the phase.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    model::transcript::ObjectiveStatus,
    tool::{EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    objective_id: String,
    status: ObjectiveStatus,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    objective: Objective,
    phase_status: PhaseStatus,
    /// What is missing, where the proposal did not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Objective {
    id: String,
    new_status: ObjectiveStatus,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhaseStatus {
    current_phase: String,
    progress: f64,
}

/// Proposes how an objective stands.
#[derive(Debug)]
pub(crate) struct SetObjectiveStatus(ToolSpec);

impl Default for SetObjectiveStatus {
    fn default() -> Self {
        let description = "Propose how an objective stands. The application completes objectives \
            from what is stored; the response says how it stands now and what is missing.";
        let spec = ToolSpec::new("set_objective_status", description, EffectClass::Pure, schema());
        Self(ToolSpec {
            doing: "Checking what is still open…",
            changes_session: true,
            at_once: true,
            ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["objectiveId", "status"],
        "properties": {
            "objectiveId": { "type": "string", "description": "ID of the objective to update" },
            "status": {
                "type": "string",
                "enum": ["pending", "in_progress", "completed", "skipped", "failed"],
                "description": "New status"
            }
        }
    })
}

#[async_trait]
impl Tool for SetObjectiveStatus {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { objective_id, status } = parse_args(args)?;
        let report = cx
            .change(|session| session.propose_objective(&objective_id, status))
            .map_err(|why| ToolError::InvalidParameters(why.to_string()))?;
        Ok(Outcome::Immediate(json!(Response {
            objective: Objective { id: report.objective, new_status: report.status },
            phase_status: PhaseStatus { current_phase: report.phase, progress: report.progress },
            note: report.note,
        })))
    }
}
