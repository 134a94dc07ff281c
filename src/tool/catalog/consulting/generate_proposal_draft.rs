//! `generate_proposal_draft`: the draft of a proposal as Markdown and as a PDF.
//!
//! ```json
//! { "title": "Fewer reports by hand", "format": "markdown", "markdown": "# Fewer reports by hand\n\n## How it is today\n\n…",
//!   "pdf": { "id": "upload_…", "filename": "proposal-2026-11-22.pdf" } }
//! ```

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use super::writing::{self, Document, Material, Task, handed};
use crate::tool::{Tool, ToolCx, ToolError, ToolResult, ToolSpec};

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/proposal.md");

/// Its parts, in their order.
const PARTS: [&str; 6] = ["situation", "goals", "approach", "scope", "open_points", "next_steps"];

/// Drafts proposals.
#[derive(Debug)]
pub(crate) struct GenerateProposalDraft(ToolSpec);

impl Default for GenerateProposalDraft {
    fn default() -> Self {
        let description = "Generate the draft of a proposal from what was discussed, which the participant also gets as a \
            PDF. Have returns and costs calculated before: it holds no other figures.";
        let parameters = json!({ "type": "object", "properties": {} });
        let spec =
            super::spec("generate_proposal_draft", description, parameters, Some("exportPdf"));
        Self(writing::writes(spec, "Drafting a proposal…"))
    }
}

#[async_trait]
impl Tool for GenerateProposalDraft {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        let material = Material::of(cx).await?;
        if material.is_empty() {
            let message = "there is nothing to propose yet: nobody has said what they need";
            return Err(ToolError::ExecutionFailed(message.to_owned()));
        }
        let read = |answer: &Value| {
            format!("# {}\n\n{}", writing::line(&answer["title"]), writing::parts(answer, &PARTS))
        };
        let task = Task {
            name: "proposal",
            instructions: INSTRUCTIONS,
            wanted: &json!({ "proposal": true }),
            schema: writing::object(&json!({
                "title": writing::text("What it is about, in one line", 120),
                "situation": writing::part("How it is today, as they said it"),
                "goals": writing::part("What they want to reach"),
                "approach": writing::part("What would be done, in steps"),
                "scope": writing::part("What belongs to it and what does not"),
                "open_points": writing::part("What must be found out first"),
                "next_steps": writing::part("What comes next, if they want to"),
            })),
            read: &read,
            complaints: &writing::nothing,
        };
        let answer = writing::write(cx, &material, &task).await?;
        let document = Document {
            kind: "proposal",
            title: writing::line(&answer["title"]),
            markdown: writing::parts(&answer, &PARTS),
            facts: Map::new(),
        };
        handed(cx, document).await
    }
}
