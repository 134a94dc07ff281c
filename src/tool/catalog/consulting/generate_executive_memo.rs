//! `generate_executive_memo`: one page for the person who decides.
//!
//! It speaks of money to a CFO, of the company to a CEO, of technology to a CTO, with the figures that tools came to before.
//!
//! ```json
//! { "title": "A workshop for the reporting team", "format": "markdown", "markdown": "# …", "target_audience": "CFO",
//!   "key_blocker": "budget", "pdf": { "id": "upload_…", "filename": "memo-2026-11-22.pdf" } }
//! ```

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::writing::{self, Document, Material, Task, handed};
use crate::tool::{Tool, ToolCx, ToolResult, ToolSpec, parse_args};

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/memo.md");

/// Its parts, in their order.
const PARTS: [&str; 4] = ["situation", "proposal", "answer", "decision"];

/// Longest memo, in words: what stands on one page.
const WORDS_MAX: usize = 420;

#[derive(Debug, Deserialize)]
struct Args {
    target_audience: String,
    key_blocker: String,
    proposed_solution: String,
}

/// Writes memos.
#[derive(Debug)]
pub(crate) struct GenerateExecutiveMemo(ToolSpec);

impl Default for GenerateExecutiveMemo {
    fn default() -> Self {
        let description = "Generate a memo of one page that puts the matter before a CFO, CEO or CTO; the participant \
            also gets it as a PDF. Have the return and the cost of waiting calculated before where money is the question.";
        let parameters = json!({
            "type": "object",
            "required": ["target_audience", "key_blocker", "proposed_solution"],
            "properties": {
                "target_audience": {
                    "type": "string",
                    "enum": ["CFO", "CEO", "CTO"],
                    "description": "Who decides"
                },
                "key_blocker": {
                    "type": "string",
                    "enum": ["budget", "timing", "security"],
                    "description": "What holds the matter up"
                },
                "proposed_solution": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 500,
                    "description": "What is proposed, such as \"2-Day In-House Workshop\""
                }
            }
        });
        let spec = super::spec("generate_executive_memo", description, parameters, None);
        Self(writing::writes(spec, "Writing a memo…"))
    }
}

#[async_trait]
impl Tool for GenerateExecutiveMemo {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { target_audience, key_blocker, proposed_solution } = parse_args(args)?;
        let material = Material::of(cx).await?;
        let wanted = json!({
            "target_audience": target_audience, "key_blocker": key_blocker, "proposed_solution": proposed_solution,
        });
        let read = |answer: &Value| {
            format!("# {}\n\n{}", writing::line(&answer["title"]), writing::parts(answer, &PARTS))
        };
        let complaints = |answer: &Value| {
            let words = read(answer).split_whitespace().count();
            let told = format!("{words} words are more than one page: write at most {WORDS_MAX}.");
            if words > WORDS_MAX { vec![told] } else { Vec::new() }
        };
        let task = Task {
            name: "memo",
            instructions: INSTRUCTIONS,
            wanted: &wanted,
            schema: writing::object(&json!({
                "title": writing::text("Its subject, in one line", 120),
                "situation": writing::part("What it is about, in a few sentences"),
                "proposal": writing::part("What is proposed"),
                "answer": writing::part("What there is to say to the blocker, for this reader"),
                "decision": writing::part("What the reader is asked to decide"),
            })),
            read: &read,
            complaints: &complaints,
        };
        let answer = writing::write(cx, &material, &task).await?;
        let facts = json!({ "target_audience": target_audience, "key_blocker": key_blocker });
        let document = Document {
            kind: "memo",
            title: writing::line(&answer["title"]),
            markdown: writing::parts(&answer, &PARTS),
            facts: facts.as_object().cloned().unwrap_or_default(),
        };
        handed(cx, document).await
    }
}
