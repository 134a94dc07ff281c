//! `extract_action_items`: what was agreed or is to be done, from the last messages.
//!
//! ```json
//! { "items": ["Ada sends the list of reports by Friday"], "priority": "medium", "nextMeetingNeed": true }
//! ```

use async_trait::async_trait;
use serde_json::{Value, json};

use super::writing::{self, Material, Task};
use crate::tool::{Outcome, Tool, ToolCx, ToolResult, ToolSpec};

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/action_items.md");

/// Most items: more are a protocol.
const ITEMS_MAX: usize = 20;

/// Extracts action items.
#[derive(Debug)]
pub(crate) struct ExtractActionItems(ToolSpec);

impl Default for ExtractActionItems {
    fn default() -> Self {
        let description = "Extract action items, outcomes and next steps from the conversation. For the end of it; it \
            knows only what was said.";
        let parameters = json!({ "type": "object", "properties": {} });
        let spec = super::spec("extract_action_items", description, parameters, Some("doc"));
        Self(writing::writes(spec, "Writing down what was agreed…"))
    }
}

#[async_trait]
impl Tool for ExtractActionItems {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        let material = Material::of(cx).await?;
        let item = writing::text("One item, one sentence", 400);
        let schema = writing::object(&json!({
            "items": { "type": "array", "items": item, "maxItems": ITEMS_MAX },
            "priority": { "type": "string", "enum": ["high", "medium", "low"] },
            "nextMeetingNeed": { "type": "boolean" },
        }));
        let task = Task {
            name: "action_items",
            instructions: INSTRUCTIONS,
            wanted: &json!({ "items": true }),
            schema,
            read: &|answer| {
                let items = answer["items"].as_array().into_iter().flatten();
                items.filter_map(Value::as_str).collect::<Vec<_>>().join("\n\n")
            },
            complaints: &writing::nothing,
        };
        Ok(Outcome::Immediate(writing::write(cx, &material, &task).await?))
    }
}
