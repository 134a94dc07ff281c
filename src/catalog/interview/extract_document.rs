//! `extract_document`: reads a file that was sent and drafts records from it (DESIGN §10.6, BEHAVIOUR §6).

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    artifacts::{
        extract::trouble,
        resume::{self, Confidence, Draft},
    },
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

impl Kind {
    const ALL: [Self; 3] = [Self::ApplicantProfile, Self::SkeletonTimeline, Self::EducationHistory];
}

#[derive(Debug, Serialize)]
struct Response {
    status: Status,
    artifact_record: ArtifactRecord,
    derived: Map<String, Value>,
    quality: Quality,
    /// What to tell the participant (BEHAVIOUR J1, F2).
    message: String,
}

/// `partial`: read, but not everything that was asked for stands in it.
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

impl ArtifactRecord {
    fn new(artifact: Artifact, extracted_content: String, metadata: Value) -> Self {
        let Artifact { id, filename, content_type, size_bytes, sha256, .. } = artifact;
        Self { id, filename, content_type, size_bytes, sha256, extracted_content, metadata }
    }
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
        let spec = ToolSpec::new(NAME, description, EffectClass::Pure, schema());
        Self(ToolSpec { doing: "Reading your file…", ..spec })
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
        let kinds = return_types.unwrap_or_else(|| Kind::ALL.to_vec());
        let Extraction::Text { text, pages, notes } = extraction else {
            return Ok(Outcome::Immediate(json!(failed(artifact, &extraction))));
        };
        // Half a megabyte of somebody's text is no work for a thread that others wait for.
        let response = tokio::task::spawn_blocking(move || {
            let drafted = draft(&text, notes, &kinds);
            read(artifact, &text, pages, drafted)
        });
        let response = response.await.map_err(|_| {
            ToolError::ExecutionFailed("the document could not be understood".to_owned())
        })?;
        Ok(Outcome::Immediate(json!(response)))
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

/// The answer for a document whose text could not be read; the words are for the participant.
fn failed(artifact: Artifact, extraction: &Extraction) -> Response {
    let issue = match extraction {
        Extraction::Text { .. } => "text",
        Extraction::NoText => "unparsable_no_text",
        Extraction::Locked => "password_required",
        Extraction::Unreadable { .. } => "unreadable",
    };
    let message = trouble(&artifact.filename, extraction).unwrap_or_default();
    let quality = Quality { issues: vec![issue.to_owned()], ..Quality::default() };
    let artifact_record = ArtifactRecord::new(artifact, String::new(), json!({}));
    Response { status: Status::Failed, artifact_record, derived: Map::new(), quality, message }
}

/// The answer for a document that was read, with what stands in it as records.
fn read(artifact: Artifact, text: &str, pages: Option<u32>, drafted: Drafted) -> Response {
    let Drafted { derived, mut quality } = drafted;
    let extracted: String = text.chars().take(TEXT_MAX).collect();
    if extracted.len() < text.len() {
        quality.issues.push(format!("only the first {TEXT_MAX} characters are given here"));
    }
    let metadata = pages.map_or_else(|| json!({}), |pages| json!({ "pages": pages }));
    let artifact_record = ArtifactRecord::new(artifact, extracted, metadata);
    let status = if derived.values().any(Value::is_null) { Status::Partial } else { Status::Ok };
    let message = found(&derived);
    Response { status, artifact_record, derived, quality, message }
}

/// `Read. Found 5 roles and 2 schools.`
fn found(derived: &Map<String, Value>) -> String {
    let count = |record: &str, list: &str| {
        derived.get(record).and_then(|record| record[list].as_array()).map_or(0, Vec::len)
    };
    let roles = count("skeleton_timeline", "work") + count("skeleton_timeline", "volunteer");
    let schools = count("education_history", "education");
    let several = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{count} {word}s")),
    };
    let parts: Vec<String> =
        several(roles, "role").into_iter().chain(several(schools, "school")).collect();
    match parts.as_slice() {
        [] => "Read.".to_owned(),
        parts => format!("Read. Found {}.", parts.join(" and ")),
    }
}

struct Drafted {
    derived: Map<String, Value>,
    quality: Quality,
}

fn draft(text: &str, notes: Vec<String>, kinds: &[Kind]) -> Drafted {
    let draft = resume::draft(text);
    let derived = kinds.iter().map(|kind| {
        let (name, value) = match kind {
            Kind::ApplicantProfile => ("applicant_profile", &draft.applicant_profile),
            Kind::SkeletonTimeline => ("skeleton_timeline", &draft.skeleton_timeline),
            Kind::EducationHistory => ("education_history", &draft.education_history),
        };
        (name.to_owned(), if is_hollow(value) { Value::Null } else { value.clone() })
    });
    let derived = derived.collect();
    let is_low =
        |(path, sure): (&String, &Confidence)| (*sure == Confidence::Low).then(|| path.clone());
    let quality = Quality {
        extraction_confidence: overall(&draft),
        low_confidence: draft.confidence.iter().filter_map(is_low).collect(),
        issues: notes.into_iter().chain(draft.issues).collect(),
    };
    Drafted { derived, quality }
}

/// The mean over everything that was found, two decimals; 0 if nothing was.
fn overall(draft: &Draft) -> f64 {
    let count = u32::try_from(draft.confidence.len()).unwrap_or(u32::MAX);
    if count == 0 {
        return 0.0;
    }
    let sum: f64 = draft
        .confidence
        .values()
        .map(|sure| match sure {
            Confidence::Low => 0.3,
            Confidence::Medium => 0.7,
            Confidence::High => 1.0,
        })
        .sum();
    (sum / f64::from(count) * 100.0).round() / 100.0
}

/// Nothing stands in it.
fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.iter().all(is_hollow),
        Value::Object(members) => members.values().all(is_hollow),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
