//! `extract_document`: reads a file that was sent and drafts records from it (DESIGN §10.6, BEHAVIOUR §6).

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    ids::ArtifactId,
    interview::Actor,
    model::{
        artifact::{Artifact, Extraction},
        transcript::CallResult,
        ui::Reply,
    },
    tool::{EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

/// Most text that goes into the result, in characters: what a model can use of one document.
const TEXT_MAX: usize = 30_000;

/// The name by which the model, scripts and [`doubts`] find results.
const NAME: &str = "extract_document";

#[derive(Debug, Deserialize)]
struct Args {
    artifact_id: String,
    return_types: Option<Vec<Kind>>,
}

/// What can be drafted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    ApplicantProfile,
    SkeletonTimeline,
    EducationHistory,
}

#[derive(Debug, Serialize)]
struct Response {
    status: Status,
    artifact_record: ArtifactRecord,
    derived: Map<String, Value>,
    quality: Quality,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    Partial,
    Failed,
}

#[derive(Debug, Serialize)]
struct ArtifactRecord {
    id: ArtifactId,
    filename: String,
    content_type: String,
    size_bytes: u64,
    sha256: String,
    extracted_content: String,
    metadata: Value,
}

#[derive(Debug, Default, Serialize)]
struct Quality {
    /// From 0 to 1, how much of the draft needs no closer look.
    extraction_confidence: f64,
    /// Codes and words for what a person should look at.
    issues: Vec<String>,
    /// Paths within the derived records that are guesses.
    low_confidence: Vec<String>,
}

/// Reads files.
#[derive(Debug)]
pub struct ExtractDocument(ToolSpec);

impl Default for ExtractDocument {
    fn default() -> Self {
        let description = "Read a file that the participant sent and draft profile, timeline and \
            education from it. Show every draft with `submit_for_validation`.";
        Self(ToolSpec::new(NAME, description, EffectClass::Pure, schema()))
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["artifact_id"],
        "properties": {
            "artifact_id": {
                "type": "string",
                "description": "Id of an uploaded file"
            },
            "return_types": {
                "type": "array",
                "items": {
                    "type": "string",
                    "enum": ["applicant_profile", "skeleton_timeline", "education_history"]
                },
                "description": "What to draft; everything if left out"
            }
        }
    })
}

#[async_trait]
impl Tool for ExtractDocument {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { artifact_id, return_types } = parse_args(args)?;
        let (session, artifact) = cx.with_actor(|actor| {
            find(actor, &artifact_id).map(|artifact| (actor.state().session, artifact))
        })?;
        let extraction = cx.artifacts.extract(session, &artifact).await.map_err(|_| {
            let message = "the files of this conversation cannot be read just now".to_owned();
            ToolError::Transient { message, retry_after: None }
        })?;
        let kinds = return_types.filter(|kinds| !kinds.is_empty()).unwrap_or_else(|| {
            vec![Kind::ApplicantProfile, Kind::SkeletonTimeline, Kind::EducationHistory]
        });
        Ok(Outcome::Immediate(json!(respond(artifact, extraction, &kinds))))
    }

    async fn resume(&self, _cx: &ToolCx<'_>, _state: Value, _reply: Reply) -> ToolResult {
        Err(ToolError::Changed)
    }
}

/// Paths that documents of this session left doubtful: `basics.name`, `work.0`.
pub(super) fn doubts(actor: &Actor) -> Vec<String> {
    let last = actor.state().calls.iter().rev().find_map(|call| match &call.result {
        Some(CallResult::Ok { value }) if call.call.tool == NAME => Some(value),
        _ => None,
    });
    let paths = last.and_then(|value| value.pointer("/quality/low_confidence"));
    let paths = paths.and_then(Value::as_array).into_iter().flatten();
    paths.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn find(actor: &Actor, id: &str) -> Result<Artifact, ToolError> {
    let id = id.trim();
    let id = id.strip_prefix("artifact:").unwrap_or(id);
    let artifacts = &actor.state().artifacts;
    let found = artifacts.iter().find(|artifact| artifact.id.to_string() == id);
    found.cloned().ok_or_else(|| {
        let known: Vec<String> = artifacts.iter().map(|file| format!("`{}`", file.id)).collect();
        let known = if known.is_empty() { "none was sent".to_owned() } else { known.join(", ") };
        ToolError::InvalidParameters(format!("`/artifact_id`: expected the id of a file: {known}"))
    })
}

fn respond(artifact: Artifact, extraction: Extraction, _kinds: &[Kind]) -> Response {
    let (status, text, issues) = match extraction {
        Extraction::Text { text, notes, .. } => (Status::Partial, text, notes),
        Extraction::NoText => {
            (Status::Failed, String::new(), vec!["unparsable_no_text".to_owned()])
        }
        Extraction::Locked => (Status::Failed, String::new(), vec!["password_required".to_owned()]),
        Extraction::Unreadable { reason } => (Status::Failed, String::new(), vec![reason]),
    };
    let Artifact { id, filename, content_type, size_bytes, sha256, .. } = artifact;
    let extracted_content = text.chars().take(TEXT_MAX).collect();
    let metadata = json!({});
    Response {
        status,
        artifact_record: ArtifactRecord {
            id,
            filename,
            content_type,
            size_bytes,
            sha256,
            extracted_content,
            metadata,
        },
        derived: Map::new(),
        quality: Quality { issues, ..Quality::default() },
    }
}
