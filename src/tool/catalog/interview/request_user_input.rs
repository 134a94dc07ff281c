//! `request_user_input`: a question that is answered in the participant's own words.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    model::ui::{Ask, Control, Prompt, Reply},
    tool::{EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

/// Longest answer, in characters: about six pages, and within what every platform lets people send in pieces.
const ANSWER_MAX: u32 = 20_000;

#[derive(Debug, Deserialize)]
struct Args {
    prompt: String,
}

/// Nothing needs remembering.
#[derive(Debug, Serialize, Deserialize)]
struct State {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    user_input: String,
}

/// Asks the participant to write.
#[derive(Debug)]
pub(crate) struct RequestUserInput(ToolSpec);

impl Default for RequestUserInput {
    fn default() -> Self {
        let description = "Ask the participant one open question and get the answer in their own \
            words. Use it when no list of options fits.";
        let spec = ToolSpec::new("request_user_input", description, EffectClass::Pure, schema());
        Self(ToolSpec { doing: "Preparing a question…", at_once: true, ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "prompt": {
                "type": "string",
                "description": "The question or prompt to show to the user"
            }
        },
        "required": ["prompt"]
    })
}

#[async_trait]
impl Tool for RequestUserInput {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { prompt } = parse_args(args)?;
        let control = Control::Ask(Ask { placeholder: None, max: ANSWER_MAX, required: true });
        let prompt = Prompt { title: None, body: prompt.into(), control, notes: Vec::new() };
        Ok(Outcome::ask(prompt, json!(State {})))
    }

    async fn resume(&self, _cx: &ToolCx<'_>, _state: Value, reply: Reply) -> ToolResult {
        let user_input = match reply {
            Reply::Text { text } => text,
            Reply::Skipped => String::new(),
            Reply::Chosen { .. }
            | Reply::Filled { .. }
            | Reply::Reviewed { .. }
            | Reply::Uploaded { .. }
            | Reply::Decided { .. }
            | Reply::Confirmed { .. } => return Err(ToolError::Changed),
        };
        Ok(Outcome::Immediate(json!(Response { user_input })))
    }
}
