//! `get_image_from_user`: one picture from the participant.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::get_user_upload::{extension, uploads_of_phase};
use crate::{
    base::ids::ArtifactId,
    model::{
        artifact::Artifact,
        ui::{Control, Prompt, Reply, Upload},
    },
    tool::{EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

/// Pictures that can be kept without their metadata.
const PICTURES: [&str; 4] = ["png", "jpg", "webp", "gif"];

/// Bytes in a megabyte as flows count it.
const MEGABYTE: u64 = 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    image_type: String,
    prompt: Option<String>,
}

/// Nothing needs remembering: kept files are in the session.
#[derive(Debug, Serialize, Deserialize)]
struct State {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    image: Option<Image>,
    status: &'static str,
    /// Words instead of a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    free_text: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Image {
    id: ArtifactId,
    storage_url: String,
}

/// Asks the participant for a picture.
#[derive(Debug)]
pub(crate) struct GetImageFromUser(ToolSpec);

impl Default for GetImageFromUser {
    fn default() -> Self {
        let description = "Ask the participant for one picture, such as a certificate. \
            Only where the flow takes pictures; they may pass it over.";
        let spec = ToolSpec::new("get_image_from_user", description, EffectClass::Pure, schema());
        Self(ToolSpec { doing: "Preparing an upload…", at_once: true, ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["imageType"],
        "properties": {
            "imageType": {
                "type": "string",
                "enum": ["profile", "certificate", "portfolio", "other"],
                "description": "Purpose of the image"
            },
            "prompt": { "type": "string", "description": "Instructions for the user" }
        }
    })
}

#[async_trait]
impl Tool for GetImageFromUser {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { image_type, prompt } = parse_args(args)?;
        let uploads = cx.read(uploads_of_phase);
        let takes = |name: &&String| PICTURES.contains(&extension(name).as_str());
        let accept: Vec<String> = uploads.accept.iter().filter(takes).cloned().collect();
        if accept.is_empty() {
            let text = "this phase takes no pictures".to_owned();
            return Err(ToolError::PermissionDenied(text));
        }
        let body = prompt.unwrap_or_else(|| match image_type.as_str() {
            "profile" => "Please send a picture of yourself.".to_owned(),
            "other" => "Please send a picture.".to_owned(),
            name => format!("Please send a picture of your {name}."),
        });
        let control = Control::Upload(Upload {
            upload_type: image_type,
            accept,
            max_bytes: uploads.max_mb * MEGABYTE,
            max_files: 1,
            required: false,
        });
        let prompt = Prompt { title: None, body: body.into(), control, notes: Vec::new() };
        Ok(Outcome::ask(prompt, json!(State {})))
    }

    async fn resume(&self, cx: &ToolCx<'_>, _state: Value, reply: Reply) -> ToolResult {
        let (ids, free_text) = match reply {
            Reply::Uploaded { artifacts } => (artifacts, None),
            Reply::Text { text } => (Vec::new(), Some(text)),
            Reply::Skipped => (Vec::new(), None),
            Reply::Chosen { .. }
            | Reply::Filled { .. }
            | Reply::Reviewed { .. }
            | Reply::Decided { .. }
            | Reply::Confirmed { .. } => return Err(ToolError::Changed),
        };
        let image = cx.read(|view| {
            let wanted = |artifact: &&Artifact| ids.contains(&artifact.id);
            let artifact = view.state.artifacts.iter().find(wanted)?;
            Some(Image { id: artifact.id, storage_url: artifact.url() })
        });
        let status = if image.is_some() { "uploaded" } else { "skipped" };
        Ok(Outcome::Immediate(json!(Response { image, status, free_text })))
    }
}
