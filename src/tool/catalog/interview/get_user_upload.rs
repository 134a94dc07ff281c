//! `get_user_upload`: files from the participant.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::with_enum;
use crate::{
    base::ids::ArtifactId,
    flow::LoadedFlow,
    model::{
        flow::Uploads,
        ui::{Control, Prompt, Reply, Upload},
    },
    session::SessionView,
    tool::{EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

/// What is asked for where the call names no formats.
const FORMATS: [&str; 4] = ["pdf", "docx", "txt", "md"];

/// Bytes in a megabyte as flows count it.
const MEGABYTE: u64 = 1024 * 1024;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    upload_type: String,
    prompt: Option<String>,
    accepted_formats: Vec<String>,
    /// Without it, the question can't be passed over.
    #[serde(default)]
    required: bool,
}

/// Nothing needs remembering: kept files are in the session.
#[derive(Debug, Serialize, Deserialize)]
struct State {}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    uploads: Vec<Uploaded>,
    status: &'static str,
    /// Words instead of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    free_text: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Uploaded {
    id: ArtifactId,
    filename: String,
    storage_url: String,
    /// Always empty: text is read by `extract_document`.
    extracted_text: String,
}

/// Asks the participant for files.
#[derive(Debug)]
pub(crate) struct GetUserUpload(ToolSpec);

impl Default for GetUserUpload {
    fn default() -> Self {
        let description = "Ask the participant to send one or more files, such as a résumé. \
            Returns ids to give to `extract_document`; they may pass it over.";
        let spec = ToolSpec::new("get_user_upload", description, EffectClass::Pure, schema());
        let for_scripts = json!({ "required": { "type": "boolean" } });
        Self(ToolSpec { doing: "Preparing an upload…", at_once: true, for_scripts, ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["uploadType"],
        "properties": {
            "uploadType": {
                "type": "string",
                "enum": ["resume", "coverletter", "portfolio", "transcript", "certificate", "other"],
                "description": "Expected file type"
            },
            "prompt": { "type": "string", "description": "Instructions for the user" },
            "acceptedFormats": {
                "type": "array",
                "items": { "type": "string" },
                "default": FORMATS,
                "description": "Allowed file extensions"
            }
        }
    })
}

#[async_trait]
impl Tool for GetUserUpload {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn parameters_for(&self, flow: &LoadedFlow) -> Value {
        with_enum(&self.0.parameters, "uploadType", flow.upload_types())
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { upload_type, prompt, accepted_formats, required } = parse_args(args)?;
        let uploads = cx.read(uploads_of_phase);
        let accept = accepted(&accepted_formats, &uploads)?;
        let body = prompt.unwrap_or_else(|| format!("Please send {}.", words_for(&upload_type)));
        let control = Control::Upload(Upload {
            upload_type,
            accept,
            max_bytes: uploads.max_mb * MEGABYTE,
            max_files: uploads.max_files,
            // No model makes anybody hand a file over: only a script can require one.
            required,
        });
        let prompt = Prompt { title: None, body: body.into(), control, notes: Vec::new() };
        Ok(Outcome::ask(prompt, json!(State {})))
    }

    async fn resume(&self, cx: &ToolCx<'_>, _state: Value, reply: Reply) -> ToolResult {
        let (ids, status, free_text) = match reply {
            Reply::Uploaded { artifacts } => (artifacts, "uploaded", None),
            Reply::Text { text } => (Vec::new(), "skipped", Some(text)),
            Reply::Skipped => (Vec::new(), "skipped", None),
            Reply::Chosen { .. }
            | Reply::Filled { .. }
            | Reply::Reviewed { .. }
            | Reply::Decided { .. }
            | Reply::Confirmed { .. } => return Err(ToolError::Changed),
        };
        let uploads = cx.read(|view| uploaded(view, &ids));
        Ok(Outcome::Immediate(json!(Response { uploads, status, free_text })))
    }
}

/// What files the current phase takes.
pub(super) fn uploads_of_phase(view: &SessionView) -> Uploads {
    view.phase().map(|phase| phase.uploads.clone()).unwrap_or_default()
}

/// What is asked for and the phase takes; a call that named no formats gets all that the phase takes rather than none.
fn accepted(asked: &[String], uploads: &Uploads) -> Result<Vec<String>, ToolError> {
    let asked: Vec<String> = asked.iter().map(|name| extension(name)).collect();
    let both: Vec<String> =
        uploads.accept.iter().filter(|name| asked.contains(&extension(name))).cloned().collect();
    if !both.is_empty() {
        return Ok(both);
    }
    if asked == FORMATS && !uploads.accept.is_empty() {
        return Ok(uploads.accept.clone());
    }
    let taken = uploads.accept.join("`, `");
    let text = format!("`/acceptedFormats`: expected some of what this phase takes: `{taken}`");
    Err(ToolError::InvalidParameters(text))
}

/// An extension as flows write it: `.JPEG` is `jpg`.
pub(super) fn extension(name: &str) -> String {
    let name = name.trim().trim_start_matches('.').to_ascii_lowercase();
    if name == "jpeg" { "jpg".to_owned() } else { name }
}

fn uploaded(view: &SessionView, ids: &[ArtifactId]) -> Vec<Uploaded> {
    let artifacts = &view.state.artifacts;
    ids.iter()
        .filter_map(|id| artifacts.iter().find(|artifact| artifact.id == *id))
        .map(|artifact| Uploaded {
            id: artifact.id,
            filename: artifact.filename.clone(),
            storage_url: artifact.url(),
            extracted_text: String::new(),
        })
        .collect()
}

fn words_for(upload_type: &str) -> String {
    match upload_type {
        "resume" => "your résumé".to_owned(),
        "coverletter" => "your cover letter".to_owned(),
        "other" => "a file".to_owned(),
        name => format!("your {}", name.replace(['_', '-'], " ")),
    }
}
