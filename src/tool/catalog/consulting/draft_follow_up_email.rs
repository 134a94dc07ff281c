//! `draft_follow_up_email`: a letter to send after the conversation. It is written, never sent.
//!
//! ```json
//! { "email": "Subject: Your reports\n\nHello …", "subject": "Your reports", "body": "Hello …",
//!   "recipient": "client", "tone": "professional" }
//! ```

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::writing::{self, Material, Task};
use crate::tool::{Outcome, Tool, ToolCx, ToolResult, ToolSpec, parse_args};

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/email.md");

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    recipient: String,
    tone: String,
    include_summary: Option<bool>,
}

/// Drafts e-mails.
#[derive(Debug)]
pub(crate) struct DraftFollowUpEmail(ToolSpec);

impl Default for DraftFollowUpEmail {
    fn default() -> Self {
        let description =
            "Draft a follow-up e-mail about the conversation. It is only a draft: nothing is sent.";
        let parameters = json!({
            "type": "object",
            "required": ["recipient", "tone"],
            "properties": {
                "recipient": {
                    "type": "string",
                    // The third is an alias of the fourth.
                    "enum": ["client", "team", "farzad", "owner"],
                    "description": "Who reads it: the client, the team, or the owner of the offers"
                },
                "tone": {
                    "type": "string",
                    "enum": ["professional", "casual", "technical"],
                    "description": "How it is written"
                },
                "includeSummary": {
                    "type": "boolean",
                    "description": "With a few sentences on what was talked about; they are there if left out"
                }
            }
        });
        let spec = super::spec("draft_follow_up_email", description, parameters, Some("doc"));
        Self(writing::writes(spec, "Drafting an e-mail…"))
    }
}

#[async_trait]
impl Tool for DraftFollowUpEmail {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { recipient, tone, include_summary } = parse_args(args)?;
        let recipient = if recipient == "farzad" { "owner".to_owned() } else { recipient };
        let wanted = json!({
            "recipient": recipient, "tone": tone, "includeSummary": include_summary.unwrap_or(true),
        });
        let material = Material::of(cx).await?;
        let task = Task {
            name: "email",
            instructions: INSTRUCTIONS,
            wanted: &wanted,
            schema: writing::object(&json!({
                "subject": writing::text("Subject, one line", 150),
                "body": writing::text("The letter, from greeting to sign-off", 6_000),
            })),
            read: &|answer| {
                let body = answer["body"].as_str().unwrap_or_default();
                format!("{}\n\n{body}", writing::line(&answer["subject"]))
            },
            complaints: &|answer| {
                let body = answer["body"].as_str().unwrap_or_default();
                let has_gap = body.contains('[') && body.contains(']') && !body.contains("](");
                let told = "Leave no placeholders in brackets.".to_owned();
                if has_gap { vec![told] } else { Vec::new() }
            },
        };
        let answer = writing::write(cx, &material, &task).await?;
        let (subject, body) =
            (writing::line(&answer["subject"]), answer["body"].as_str().unwrap_or_default().trim());
        Ok(Outcome::Immediate(json!({
            "email": format!("Subject: {subject}\n\n{body}"),
            "subject": subject,
            "body": body,
            "recipient": recipient,
            "tone": tone,
        })))
    }
}
