//! `extract_document`: reads a file that was sent and drafts records from it.
//!
//! The text is read here in any case ([`crate::ports::artifacts::extract`]). Where a model for documents is configured, it is
//! sent the PDF or the picture itself ([`reading`]) and sees what plain text does not hold: scans, layout, tables. It
//! is waited for as long as [`PATIENCE`]; without its answer the drafts are made of the text alone
//! ([`crate::ports::artifacts::resume`]), and the result says so. Drafts are never stored: a person reviews them first.

mod drafts;
mod reading;
mod rules;
mod told;

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::{
    reading::{Found, SENT_MAX, Shortfall, Task},
    rules::Known,
};
use crate::{
    base::ids::ArtifactId,
    model::{
        artifact::{Artifact, Extraction},
        transcript::CallResult,
    },
    ports::artifacts::{blobs, extract::trouble, resume},
    session::SessionView,
    tool::{EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

/// Most text that goes into the result, in characters: what a model can use of one document.
const TEXT_MAX: usize = 30_000;

/// Longest time that a model is waited for, its second answer included.
const PATIENCE: Duration = Duration::from_secs(45);

/// Longest time for all of it: the text is read before.
const LIMIT: Duration = Duration::from_secs(75);

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

    /// Its name among the drafts.
    const fn name(self) -> &'static str {
        match self {
            Self::ApplicantProfile => "applicant_profile",
            Self::SkeletonTimeline => "skeleton_timeline",
            Self::EducationHistory => "education_history",
        }
    }

    /// The schema in the box that such a record fits.
    const fn schema(self) -> &'static str {
        match self {
            Self::ApplicantProfile => "applicant_profile",
            Self::SkeletonTimeline => "skeleton_timeline",
            Self::EducationHistory => "education",
        }
    }
}

#[derive(Debug, Serialize)]
struct Response {
    status: Status,
    artifact_record: ArtifactRecord,
    derived: Map<String, Value>,
    quality: Quality,
    /// What to tell the participant.
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
    /// How the drafts were made.
    read_by: ReadBy,
    /// Codes and words for what a person should look at.
    issues: Vec<String>,
    /// Paths within the derived records that are guesses.
    low_confidence: Vec<String>,
}

/// How drafts were made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ReadBy {
    /// A model has seen the document.
    Model,
    /// From its plain text, by rules.
    #[default]
    Rules,
}

/// Reads files.
#[derive(Debug)]
pub struct ExtractDocument {
    spec: ToolSpec,
    patience: Duration,
}

impl ExtractDocument {
    /// Sets how long it waits for a model.
    #[must_use]
    pub fn patient_for(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

impl Default for ExtractDocument {
    fn default() -> Self {
        let description = "Read a file that the participant sent and draft profile, timeline and \
            education from it. Show every draft with `submit_for_validation`.";
        let spec = ToolSpec::new(NAME, description, EffectClass::Pure, schema());
        let spec = ToolSpec {
            limit: Some(LIMIT),
            doing: "Reading your file…",
            done: "Read your file",
            ..spec
        };
        Self { spec, patience: PATIENCE }
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
        &self.spec
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { artifact_id, return_types } = parse_args(args)?;
        let wants_all = return_types.is_none();
        let kinds = return_types.unwrap_or_else(|| Kind::ALL.to_vec());
        let (session, artifact, known) = cx.read(|view| {
            let artifact = find(view, &artifact_id)?;
            Ok((view.state.files_of(), artifact, Known::of(view)))
        })?;
        let extraction = cx.artifacts.extract(session, &artifact).await.map_err(unreadable)?;
        let (text, pages, mut notes) = match &extraction {
            Extraction::Text { text, pages, notes } => (Some(text.clone()), *pages, notes.clone()),
            Extraction::NoText | Extraction::Locked | Extraction::Unreadable { .. } => {
                (None, None, Vec::new())
            }
        };
        let asked = self.ask(cx, &artifact, &extraction, &kinds).await?;
        if asked.as_ref().is_ok_and(|found| found.cut) {
            notes.push(format!("long document: only its first {SENT_MAX} characters were read"));
        }
        // Half a megabyte of somebody's text is no work for a thread that others wait for.
        let response = tokio::task::spawn_blocking(move || {
            let plain = text.as_deref().map(resume::draft);
            let extras = plain.as_ref().filter(|_| wants_all).map(rules::extras);
            let mut response = match (asked, text, plain) {
                (Ok(found), None, _) if is_blank(&found) => {
                    failed(artifact, &extraction, Shortfall::Unasked)
                }
                (Ok(found), text, _) => {
                    let (derived, mut quality) =
                        drafts::of_found(&found, &kinds, text.as_deref(), notes);
                    known.compare(&derived, &mut quality);
                    let text = text.unwrap_or_else(|| seen(&found));
                    read(artifact, &text, pages, Drafted { derived, quality })
                }
                (Err(shortfall), Some(text), Some(plain)) => {
                    let mut drafted = without_model(rules::draft(&plain, notes, &kinds), shortfall);
                    known.compare(&drafted.derived, &mut drafted.quality);
                    let mut response = read(artifact, &text, pages, drafted);
                    if let Some(words) = simpler(shortfall) {
                        response.message = format!("{} {words}", response.message);
                    }
                    response
                }
                (Err(shortfall), ..) => failed(artifact, &extraction, shortfall),
            };
            response.derived.extend(extras.into_iter().flatten());
            response
        });
        let response = response.await.map_err(|_| {
            ToolError::ExecutionFailed("the document could not be understood".to_owned())
        })?;
        Ok(Outcome::Immediate(json!(response)))
    }

    fn came_to(&self, response: &Value) -> Option<String> {
        Some(format!("Found {}", told::in_short(response["derived"].as_object()?)?))
    }
}

/// Paths that documents of this session left doubtful: `basics.name`, `work.0`.
pub(super) fn doubts(view: &SessionView) -> Vec<String> {
    let last = view.state.calls.iter().rev().find_map(|call| match call.result.as_deref() {
        Some(CallResult::Ok { value }) if call.call.tool == NAME => Some(value),
        _ => None,
    });
    let paths = last.and_then(|value| value.pointer("/quality/low_confidence"));
    let paths = paths.and_then(Value::as_array).into_iter().flatten();
    paths.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn find(view: &SessionView, id: &str) -> Result<Artifact, ToolError> {
    let id = id.trim();
    let id = id.strip_prefix("artifact:").unwrap_or(id);
    let artifacts = &view.state.artifacts;
    let found = artifacts.iter().find(|artifact| artifact.id.to_string() == id);
    found.cloned().ok_or_else(|| {
        let known: Vec<String> = artifacts.iter().map(|file| format!("`{}`", file.id)).collect();
        let known = if known.is_empty() { "none was sent".to_owned() } else { known.join(", ") };
        ToolError::InvalidParameters(format!("`/artifact_id`: expected the id of a file: {known}"))
    })
}

fn unreadable(_: blobs::Error) -> ToolError {
    let message = "the files of this conversation cannot be read just now".to_owned();
    ToolError::Transient { message, retry_after: None }
}

impl ExtractDocument {
    /// Has a model read the document, where there is one and it can.
    async fn ask(
        &self,
        cx: &ToolCx<'_>,
        artifact: &Artifact,
        extraction: &Extraction,
        kinds: &[Kind],
    ) -> Result<Result<Found, Shortfall>, ToolError> {
        let Some(model) = &cx.models.extract else { return Ok(Err(Shortfall::Unasked)) };
        let (session, has_means) = cx.read(|view| (view.state.session, view.has_means()));
        if !has_means {
            return Ok(Err(Shortfall::Budget));
        }
        let bytes = match cx.artifacts.read(session, artifact).await {
            // As gone as an erased one.
            Err(blobs::Error::Damaged { .. }) => None,
            read => read.map_err(unreadable)?,
        };
        let Some(task) = Task::new(artifact, bytes, extraction, kinds) else {
            return Ok(Err(Shortfall::Unasked));
        };
        Ok(task.done_by(model.as_ref(), self.patience, cx.meter).await)
    }
}

/// The text that a model has read, as plain as any other.
fn seen(found: &Found) -> String {
    let plain = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { ' ' } else { c };
    let text: String = found.text.as_deref().unwrap_or_default().chars().map(plain).collect();
    text.trim().to_owned()
}

/// A picture with nothing to read in it.
fn is_blank(found: &Found) -> bool {
    seen(found).is_empty() && found.drafts.values().all(is_hollow)
}

/// Why the drafts hold less than they might; `None` if nothing more was to be had.
const fn issue(shortfall: Shortfall) -> Option<&'static str> {
    match shortfall {
        Shortfall::Unasked => None,
        Shortfall::Budget => Some(
            "plain text only: this conversation has used up what it may, so the pages were not looked at",
        ),
        Shortfall::Silent => Some("plain text only: the pages could not be looked at just now"),
        Shortfall::Useless => Some("plain text only: looking at the pages gave nothing of use"),
    }
}

/// Why the drafts hold less than they might, in words for the participant; `None` if nothing more was to be had.
const fn simpler(shortfall: Shortfall) -> Option<&'static str> {
    match shortfall {
        Shortfall::Unasked => None,
        Shortfall::Budget | Shortfall::Silent | Shortfall::Useless => {
            Some("I could only read its plain text this time, so please check the details closely.")
        }
    }
}

fn without_model(mut drafted: Drafted, shortfall: Shortfall) -> Drafted {
    drafted.quality.issues.extend(issue(shortfall).map(str::to_owned));
    drafted
}

/// The answer for a document whose text could not be read; the words are for the participant.
fn failed(artifact: Artifact, extraction: &Extraction, shortfall: Shortfall) -> Response {
    let code = match extraction {
        Extraction::Text { .. } => "text",
        Extraction::NoText => "unparsable_no_text",
        Extraction::Locked => "password_required",
        Extraction::Unreadable { .. } => "unreadable",
    };
    let mut message = trouble(&artifact.filename, extraction).unwrap_or_default();
    let more = issue(shortfall);
    if more.is_some() {
        message.push_str(
            " I couldn't read its pages as images this time; a file with selectable text works.",
        );
    }
    let issues = [code].into_iter().chain(more).map(str::to_owned).collect();
    let quality = Quality { issues, ..Quality::default() };
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
    let message = told::found(&derived, &quality);
    Response { status, artifact_record, derived, quality, message }
}

struct Drafted {
    derived: Map<String, Value>,
    quality: Quality,
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
