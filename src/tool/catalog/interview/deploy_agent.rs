//! `deploy_agent`: a child run for one piece of specialised work. To the model it is a tool like any other.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    base::ids::SessionId,
    model::task::Conclusion,
    session::SessionView,
    tool::{
        EffectClass, Outcome, SubtaskRequest, Tool, ToolCx, ToolError, ToolResult, ToolSpec,
        parse_args,
    },
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    agent_type: String,
    input: Value,
}

/// What came of an agent; `result` of a failed one says why.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    agent_id: String,
    status: Status,
    result: Value,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Completed,
    Failed,
}

/// Deploys agents.
#[derive(Debug)]
pub(crate) struct DeployAgent(ToolSpec);

impl Default for DeployAgent {
    fn default() -> Self {
        let description = "Give one piece of specialised work, such as drafting a knowledge card, \
            to an agent and get its result.";
        let spec = ToolSpec::new("deploy_agent", description, EffectClass::Idempotent, schema());
        Self(ToolSpec {
            doing: "Working out the details…", done: "Worked out the details", ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["agentType", "input"],
        "properties": {
            "agentType": {
                "type": "string",
                "enum": [
                    "artifact_ingestion",
                    "code_analysis",
                    "knowledge_card_generation",
                    "writing_sample_analysis"
                ],
                "description": "Which agent to deploy"
            },
            "input": { "type": "object", "description": "Input data for the agent" }
        }
    })
}

#[async_trait]
impl Tool for DeployAgent {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { agent_type, input } = parse_args(args)?;
        cx.read(|view| allow(view, &agent_type))?;
        Ok(Outcome::Subtask(SubtaskRequest {
            kind: "atomic".to_owned(),
            description: format!("Run the agent {}", agent_type.replace('_', " ")),
            inputs: input,
            template_hints: vec![agent_type],
        }))
    }

    fn deliver(&self, child: SessionId, conclusion: &Conclusion) -> Result<Value, ToolError> {
        let (status, result) = match conclusion {
            Conclusion::Completed { output } => (Status::Completed, output.clone()),
            Conclusion::Failed { code, message } => {
                (Status::Failed, json!({ "error": message, "code": code }))
            }
            Conclusion::Cancelled { reason } => {
                (Status::Failed, json!({ "error": reason, "code": "user_cancelled" }))
            }
        };
        let agent_id = format!("agent_{}", child.uuid().simple());
        Ok(json!(Response { agent_id, status, result }))
    }
}

/// The phase may name the agents that it lets be deployed.
fn allow(view: &SessionView, agent: &str) -> Result<(), ToolError> {
    let agents = view.phase().map_or(&[][..], |phase| &phase.agents);
    if agents.is_empty() || agents.iter().any(|allowed| allowed == agent) {
        return Ok(());
    }
    let why =
        format!("`{agent}` is not deployed in this phase; there are `{}`", agents.join("`, `"));
    Err(ToolError::PermissionDenied(why))
}
