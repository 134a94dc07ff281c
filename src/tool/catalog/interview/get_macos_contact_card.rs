//! `get_macos_contact_card`: the participant's contact details from the configured sources.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    base::ids::SessionId,
    model::{
        artifact::Artifact,
        contact::Contact,
        ui::{Ask, Control, Prompt, Reply},
    },
    ports::contacts::{Fetched, Wanted},
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args,
        parse_state,
    },
};

/// Longest name or address that names a card, in characters; an e-mail address has at most 254.
const SPECIFIC_MAX: u32 = 254;

/// Most vCard files that one look-up reads, newest first.
const VCARDS_MAX: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    card_type: CardType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CardType {
    Me,
    Specific,
}

#[derive(Debug, Serialize, Deserialize)]
struct State {
    card_type: CardType,
}

#[derive(Debug, Serialize)]
struct Response {
    contact: Option<Box<Contact>>,
    status: &'static str,
    /// Why there is no card, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Looks contact details up.
#[derive(Debug)]
pub(crate) struct GetMacosContactCard(ToolSpec);

impl Default for GetMacosContactCard {
    fn default() -> Self {
        let description = "Import contact details of the participant from the sources that are \
            set up. `specific` asks them which card.";
        let spec =
            ToolSpec::new("get_macos_contact_card", description, EffectClass::Pure, schema());
        Self(ToolSpec {
            doing: "Looking up your contact card…",
            done: "Looked up your contact card",
            ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "cardType": {
                "type": "string",
                "enum": ["me", "specific"],
                "default": "me",
                "description": "Which contact card to fetch"
            }
        }
    })
}

#[async_trait]
impl Tool for GetMacosContactCard {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { card_type } = parse_args(args)?;
        if card_type == CardType::Me {
            return Ok(Outcome::Immediate(json!(fetch(cx, None).await?)));
        }
        let prompt = Prompt {
            title: None,
            body: "Which contact card shall I use? Write the name or the e-mail address on it."
                .into(),
            control: Control::Ask(Ask { placeholder: None, max: SPECIFIC_MAX, required: false }),
            notes: Vec::new(),
        };
        Ok(Outcome::ask(prompt, json!(State { card_type })))
    }

    async fn resume(&self, cx: &ToolCx<'_>, state: Value, reply: Reply) -> ToolResult {
        let State { card_type: _ } = parse_state(state)?;
        let response = match reply {
            Reply::Text { text } => fetch(cx, Some(text)).await?,
            Reply::Skipped => Response {
                contact: None,
                status: "not_found",
                reason: Some("the participant named no card".to_owned()),
            },
            Reply::Chosen { .. }
            | Reply::Filled { .. }
            | Reply::Reviewed { .. }
            | Reply::Uploaded { .. }
            | Reply::Decided { .. }
            | Reply::Confirmed { .. } => return Err(ToolError::Changed),
        };
        Ok(Outcome::Immediate(json!(response)))
    }
}

async fn fetch(cx: &ToolCx<'_>, specific: Option<String>) -> Result<Response, ToolError> {
    let (session, person, display_name, files) = cx.read(|view| {
        let state = &view.state;
        let files: Vec<Artifact> =
            state.artifacts.iter().rev().filter(|file| is_vcard(file)).cloned().collect();
        (state.session, state.participant.clone(), state.name.clone(), files)
    });
    let vcards = read(cx, session, &files).await?;
    let wanted = Wanted { person, display_name, specific, vcards };
    Ok(match cx.contacts.fetch(&wanted).await {
        Fetched::Card(contact) => {
            Response { contact: Some(contact), status: "fetched", reason: None }
        }
        Fetched::PermissionDenied { reason } => {
            Response { contact: None, status: "permission_denied", reason: Some(reason) }
        }
        Fetched::NotFound { reason } => {
            Response { contact: None, status: "not_found", reason: Some(reason) }
        }
    })
}

fn is_vcard(file: &Artifact) -> bool {
    let name = file.filename.to_ascii_lowercase();
    matches!(file.content_type.as_str(), "text/vcard" | "text/x-vcard" | "text/directory")
        || name.rsplit_once('.').is_some_and(|(_, end)| end == "vcf" || end == "vcard")
}

async fn read(
    cx: &ToolCx<'_>,
    session: SessionId,
    files: &[Artifact],
) -> Result<Vec<Vec<u8>>, ToolError> {
    let mut vcards = Vec::new();
    for file in files.iter().take(VCARDS_MAX) {
        let bytes = cx.artifacts.read(session, file).await.map_err(|_| ToolError::Transient {
            message: "the files of this conversation cannot be read just now".to_owned(),
            retry_after: None,
        })?;
        vcards.extend(bytes);
    }
    Ok(vcards)
}
