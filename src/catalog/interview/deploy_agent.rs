//! `deploy_agent`: a child run for one piece of specialised work (S0 §9). Not configured until there are child runs.

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{
    model::ui::Reply,
    tool::{EffectClass, Tool, ToolCx, ToolError, ToolResult, ToolSpec},
};

/// Says that agents cannot be deployed here.
#[derive(Debug)]
pub struct DeployAgent(ToolSpec);

impl Default for DeployAgent {
    fn default() -> Self {
        let description = "Hand one piece of specialised work, such as drafting a knowledge card, \
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

    async fn execute(&self, _cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        Err(ToolError::NotConfigured("Running agents"))
    }

    async fn resume(&self, _cx: &ToolCx<'_>, _state: Value, _reply: Reply) -> ToolResult {
        Err(ToolError::Changed)
    }
}
