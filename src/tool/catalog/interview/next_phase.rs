//! `next_phase`: asks for the next phase. The session alone changes it.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    model::ui::Reply,
    session::{Evaluation, Suspension},
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, Waiting, parse_args,
    },
};

#[derive(Debug, Deserialize)]
struct Args {
    overrides: Vec<String>,
    reason: Option<String>,
}

/// Asks for the next phase.
#[derive(Debug)]
pub(crate) struct NextPhase(ToolSpec);

impl Default for NextPhase {
    fn default() -> Self {
        let description = "Ask to go on to the next phase. With required objectives unmet, list \
            them in `overrides` and give a `reason`; people decide.";
        let spec = ToolSpec::new("next_phase", description, EffectClass::Pure, schema());
        Self(ToolSpec {
            doing: "Checking whether we can go on…",
            changes_session: true,
            at_once: true,
            ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["overrides"],
        "properties": {
            "overrides": {
                "type": "array",
                "description": "List of unmet objectives the LLM proposes to bypass",
                "items": { "type": "string" },
                "default": []
            },
            "reason": {
                "type": "string",
                "description": "Justification for advancing, especially when proposing overrides"
            }
        }
    })
}

#[async_trait]
impl Tool for NextPhase {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { overrides, reason } = parse_args(args)?;
        Ok(outcome(cx.change(|session| session.next_phase(cx.call, &overrides, reason.as_deref()))))
    }

    async fn resume(&self, cx: &ToolCx<'_>, _state: Value, reply: Reply) -> ToolResult {
        match reply {
            // The stored decision counts, not what is handed in here.
            Reply::Decided { .. } => Ok(outcome(cx.change(|session| session.decided(cx.call)))),
            Reply::Chosen { .. }
            | Reply::Filled { .. }
            | Reply::Reviewed { .. }
            | Reply::Uploaded { .. }
            | Reply::Text { .. }
            | Reply::Confirmed { .. }
            | Reply::Skipped => Err(ToolError::Changed),
        }
    }
}

fn outcome(evaluation: Evaluation) -> Outcome {
    match evaluation {
        Evaluation::Outcome(value) => Outcome::Immediate(value),
        Evaluation::Ask(ask) => {
            let Suspension { prompt, state, answerers, expires_at } = *ask;
            Outcome::Waiting(Box::new(Waiting { prompt, state, answerers, expires_at }))
        }
    }
}
