//! `get_user_option`: a question with two to six answers to pick from.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    messages::{self, Text},
    model::{
        audit::sha256,
        ui::{Choice, Choose, Control, Prompt, Reply},
    },
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
    /// In another order for each conversation.
    #[serde(default)]
    shuffle: bool,
    min_choices: Option<usize>,
    max_choices: Option<usize>,
}

/// What an option is worth in a quiz.
#[derive(Debug, Deserialize)]
struct Worth {
    id: String,
    points: Option<i64>,
    #[serde(default)]
    correct: bool,
}

/// The reply carries the ids, and the stored prompt vouches for them; what they are worth stands nowhere else.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// Points by option, where there are any.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    points: BTreeMap<String, i64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    selected_ids: Vec<String>,
    timestamp: String,
    /// What was typed: the words that named the options, or an answer that picks none.
    #[serde(skip_serializing_if = "Option::is_none")]
    free_text: Option<String>,
    /// What the picked options are worth together, where any is worth something.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<i64>,
}

/// Most options that a step of a flow may give: what the menus of every platform hold in one message.
const OPTIONS_MAX: usize = 100;

/// Asks the participant to pick.
#[derive(Debug)]
pub(crate) struct GetUserOption(ToolSpec);

impl Default for GetUserOption {
    fn default() -> Self {
        let description = "Ask the participant a question with two to six answers to pick from. \
            Returns the ids of what was picked; `freeText` is what they typed. Where no id comes with it, nothing is \
            chosen: if it asks something or leaves the choice open, respond to it and ask again with the same options.";
        let spec = ToolSpec::new("get_user_option", description, EffectClass::Pure, schema());
        let mut options = schema()["properties"]["options"].clone();
        options["maxItems"] = OPTIONS_MAX.into();
        let for_scripts = json!({
            "shuffle": { "type": "boolean" },
            "minChoices": { "type": "integer", "minimum": 1 },
            "maxChoices": { "type": "integer", "minimum": 1 },
            "options": options,
        });
        Self(ToolSpec { doing: "Preparing a question…", at_once: true, for_scripts, ..spec })
    }
}

/// What each option is worth; `correct` alone is one point.
fn worth(args: &Value) -> Result<BTreeMap<String, i64>, ToolError> {
    let options: Vec<Worth> = parse_args(args["options"].clone())?;
    if options.iter().all(|option| option.points.is_none() && !option.correct) {
        return Ok(BTreeMap::new());
    }
    let points =
        |option: Worth| (option.id, option.points.unwrap_or_else(|| i64::from(option.correct)));
    Ok(options.into_iter().map(points).collect())
}

/// The order that one conversation sees: the same for every drawing of the question.
fn shuffled(mut options: Vec<Choice>, seed: &str) -> Vec<Choice> {
    options.sort_by_cached_key(|option| sha256(format!("{seed} {}", option.id).as_bytes()));
    options
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

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let points = worth(&args)?;
        let Args { prompt, options, allow_multiple, required, shuffle, min_choices, max_choices } =
            parse_args(args)?;
        let mut ids = BTreeSet::new();
        if let Some(twice) = options.iter().find(|option| !ids.insert(option.id.as_str())) {
            let text =
                format!("`/options`: expected ids that differ, but `{}` is there twice", twice.id);
            return Err(ToolError::InvalidParameters(text));
        }
        let choices = if shuffle {
            let session = cx.read(|view| view.state.session);
            shuffled(options, &format!("{session} {}", cx.call))
        } else {
            options
        };
        let (least, most) = (min_choices, max_choices);
        let choose = Choose { choices, multiple: allow_multiple, required, least, most };
        let notes = messages::forms::how_many(&choose).into_iter().map(Text::from).collect();
        let prompt =
            Prompt { title: None, body: prompt.into(), control: Control::Choose(choose), notes };
        Ok(Outcome::ask(prompt, json!(State { points })))
    }

    async fn resume(&self, cx: &ToolCx<'_>, state: Value, reply: Reply) -> ToolResult {
        let State { points: worth } = parse_args(state)?;
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
        let sum = |ids: &[String]| {
            ids.iter().filter_map(|id| worth.get(id)).fold(0_i64, |sum, n| sum.saturating_add(*n))
        };
        let points = (!worth.is_empty()).then(|| sum(&selected_ids));
        Ok(Outcome::Immediate(json!(Response { selected_ids, timestamp, free_text, points })))
    }
}
