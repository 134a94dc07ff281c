//! `get_user_option`: a question with two to six answers to pick from.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    model::ui::{Choice, Choose, Control, Prompt, Reply},
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args, stamp,
    },
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    prompt: String,
    options: Vec<Choice>,
    #[serde(default)]
    allow_multiple: bool,
    required: bool,
}

/// Nothing needs remembering: the reply carries the ids, and the stored prompt vouches for them.
#[derive(Debug, Serialize, Deserialize)]
struct State {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    selected_ids: Vec<String>,
    timestamp: String,
    /// What was typed: the words that named the options, or an answer that picks none.
    #[serde(skip_serializing_if = "Option::is_none")]
    free_text: Option<String>,
}

/// Asks the participant to pick.
#[derive(Debug)]
pub struct GetUserOption(ToolSpec);

impl Default for GetUserOption {
    fn default() -> Self {
        let description = "Ask the participant a question with two to six answers to pick from. \
            Returns the ids of what was picked; `freeText` is what they typed. Where no id comes with it, nothing is \
            chosen: if it asks something or leaves the choice open, respond to it and ask again with the same options.";
        let spec = ToolSpec::new("get_user_option", description, EffectClass::Pure, schema());
        Self(ToolSpec { doing: "Preparing a question…", at_once: true, ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["prompt", "options"],
        "properties": {
            "prompt": { "type": "string", "description": "Question or instruction for the user" },
            "options": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id", "label"],
                    "properties": {
                        "id": { "type": "string" },
                        "label": { "type": "string" },
                        "description": { "type": "string" },
                        "icon": { "type": "string" }
                    }
                },
                "minItems": 2,
                "maxItems": 6
            },
            "allowMultiple": {
                "type": "boolean",
                "default": false,
                "description": "Allow selecting multiple options"
            },
            "required": {
                "type": "boolean",
                "default": true,
                "description": "Is selection required to continue"
            }
        }
    })
}

#[async_trait]
impl Tool for GetUserOption {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { prompt, options, allow_multiple, required } = parse_args(args)?;
        let mut ids = BTreeSet::new();
        if let Some(twice) = options.iter().find(|option| !ids.insert(option.id.as_str())) {
            let text =
                format!("`/options`: expected ids that differ, but `{}` is there twice", twice.id);
            return Err(ToolError::InvalidParameters(text));
        }
        let control =
            Control::Choose(Choose { choices: options, multiple: allow_multiple, required });
        let prompt = Prompt { title: None, body: prompt, control, notes: Vec::new() };
        Ok(Outcome::ask(prompt, json!(State {})))
    }

    async fn resume(&self, cx: &ToolCx<'_>, _state: Value, reply: Reply) -> ToolResult {
        let (selected_ids, free_text) = match reply {
            Reply::Chosen { ids, free_text } => (ids, free_text),
            Reply::Text { text } => (Vec::new(), Some(text)),
            Reply::Skipped => (Vec::new(), None),
            Reply::Filled { .. }
            | Reply::Reviewed { .. }
            | Reply::Uploaded { .. }
            | Reply::Decided { .. }
            | Reply::Confirmed { .. } => return Err(ToolError::Changed),
        };
        let timestamp = stamp(cx.answered_at());
        Ok(Outcome::Immediate(json!(Response { selected_ids, timestamp, free_text })))
    }
}
