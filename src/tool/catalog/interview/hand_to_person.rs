//! `hand_to_person`: the model asks for a person of the team, as the participant can by themselves.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    session::{Called, state::Handoff},
    tool::{EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

#[derive(Debug, Deserialize)]
struct Args {
    reason: String,
}

/// Asks for a person.
#[derive(Debug)]
pub(crate) struct HandToPerson(ToolSpec);

impl Default for HandToPerson {
    fn default() -> Self {
        let description = "Hand the conversation to a person of the team. For when the participant \
            asks for a human in any words, is in distress, or wants an answer that only staff can \
            give; not for what you can answer. It ends your turn, and the program tells the \
            participant what came of it.";
        let spec = ToolSpec::new(Handoff::TOOL, description, EffectClass::Pure, schema());
        Self(ToolSpec {
            doing: "Asking the team…",
            changes_session: true,
            at_once: true,
            in_every_phase: true,
            ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["reason"],
        "properties": {
            "reason": {
                "type": "string",
                "minLength": 1,
                "description": "Why, in one short sentence for the colleague who takes over"
            }
        }
    })
}

#[async_trait]
impl Tool for HandToPerson {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { reason } = parse_args(args)?;
        if reason.trim().is_empty() {
            return Err(ToolError::InvalidParameters("`/reason`: expected a sentence".to_owned()));
        }
        Ok(Outcome::Immediate(told(cx.change(|session| session.call_person(&reason)))))
    }
}

/// What the model reads: no more than is known by then.
fn told(called: Called) -> Value {
    let (status, note) = match called {
        Called::Asking => (
            "asking",
            "The team is being asked; nobody has answered yet. The participant is told by the program. You are quiet \
             until the conversation is yours again.",
        ),
        Called::Already => (
            "already_asked",
            "The team was asked before and nobody has come yet. Nothing more was sent.",
        ),
        Called::PersonIsThere => {
            ("person_is_there", "Somebody of the team is in the conversation already.")
        }
        Called::Listed => (
            "listed",
            "No channel of the team is set up, so nobody was called: the request is listed for the team to find.",
        ),
    };
    json!({ "status": status, "note": note })
}
