//! `extract_document`: reads a file that was sent and drafts records from it.
//!
//! The text is read here in any case ([`crate::artifacts::extract`]). Where a model for documents is configured, it is
//! sent the PDF or the picture itself ([`reading`]) and sees what plain text does not hold: scans, layout, tables. It
//! is waited for as long as [`PATIENCE`]; without its answer the drafts are made of the text alone
//! ([`crate::artifacts::resume`]), and the result says so. Drafts are never stored: a person reviews them first.

mod drafts;
mod reading;

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::reading::{Found, SENT_MAX, Shortfall, Task};
use crate::{
    artifacts::{
        blobs,
        extract::{TWO_COLUMNS, trouble},
        resume::{self, Confidence, Draft},
    },
    ids::ArtifactId,
    interview::Actor,
    model::{
        artifact::{Artifact, Extraction},
        transcript::CallResult,
    },
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
    /// The same with another time for which a model is waited for.
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
        let kinds = return_types.unwrap_or_else(|| Kind::ALL.to_vec());
        let (session, artifact) = cx.with_actor(|actor| {
            find(actor, &artifact_id).map(|artifact| (actor.state().files_of(), artifact))
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
        let response = tokio::task::spawn_blocking(move || match (asked, text) {
            (Ok(found), None) if is_blank(&found) => {
                failed(artifact, &extraction, Shortfall::Unasked)
            }
            (Ok(found), text) => {
                let (derived, quality) = drafts::of_found(&found, &kinds, text.as_deref(), notes);
                let text = text.unwrap_or_else(|| seen(&found));
                read(artifact, &text, pages, Drafted { derived, quality })
            }
            (Err(shortfall), Some(text)) => {
                let drafted = without_model(draft(&text, notes, &kinds), shortfall);
                let mut response = read(artifact, &text, pages, drafted);
                if let Some(words) = simpler(shortfall) {
                    response.message = format!("{} {words}", response.message);
                }
                response
            }
            (Err(shortfall), None) => failed(artifact, &extraction, shortfall),
        });
        let response = response.await.map_err(|_| {
            ToolError::ExecutionFailed("the document could not be understood".to_owned())
        })?;
        Ok(Outcome::Immediate(json!(response)))
    }

    fn came_to(&self, response: &Value) -> Option<String> {
        Some(format!("Found {}", counted(response["derived"].as_object()?)?))
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
        let (session, has_means) =
            cx.with_actor(|actor| (actor.state().session, actor.has_means()));
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

/// Why the drafts hold less than they might; none where nothing more was to be had.
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

/// The same for the participant.
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
    let message = found(&derived, &quality);
    Response { status, artifact_record, derived, quality, message }
}

/// `I found 5 roles and 2 schools.`, and what the person should look at more closely.
fn found(derived: &Map<String, Value>, quality: &Quality) -> String {
    let found = counted(derived)
        .map_or_else(|| nothing_found(derived), |counted| format!("I found {counted}."));
    let doubts = quality.issues.iter().filter_map(|issue| doubt(issue));
    std::iter::once(found.as_str()).chain(doubts).collect::<Vec<_>>().join(" ")
}

/// `5 roles and 2 schools`; none where there is neither.
fn counted(derived: &Map<String, Value>) -> Option<String> {
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
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// What to say where there is neither a role nor a school: only what was looked for can be missing.
fn nothing_found(derived: &Map<String, Value>) -> String {
    let lacks = |kind: Kind| derived.get(kind.name()).is_some_and(Value::is_null);
    let missing: Vec<&str> = [
        (Kind::ApplicantProfile, "contact details"),
        (Kind::SkeletonTimeline, "roles"),
        (Kind::EducationHistory, "schools"),
    ]
    .into_iter()
    .filter_map(|(kind, words)| lacks(kind).then_some(words))
    .collect();
    match missing.as_slice() {
        [] => "I've read your file.".to_owned(),
        [only] => format!("I couldn't find any {only}, so please add them."),
        [first @ .., last] => {
            format!("I couldn't find any {} or {last}, so please add them.", first.join(", "))
        }
    }
}

/// An issue as the person reads it, where they can do something about it.
fn doubt(issue: &str) -> Option<&'static str> {
    Some(match issue {
        TWO_COLUMNS => {
            "It has two columns, so I may have mixed things up. Please check every role."
        }
        LOW_CONFIDENCE => "I'm not sure about some of it. Please check every value.",
        SCANNED => "It's a scan, so I read it from the image. Please check every value.",
        HANDWRITING => "It's handwritten, so I may have misread it. Please check every value.",
        HARD_TO_READ => "It's hard to read. Please check every value.",
        _ => return None,
    })
}

/// The reader says that it guessed.
const LOW_CONFIDENCE: &str = "low confidence: please check every value";
/// Pages that are pictures.
const SCANNED: &str = "scan: read from a picture, please check every value";
/// Pages written by hand.
const HANDWRITING: &str = "handwriting: please check every value";
/// Pages that are faint, crooked or crowded.
const HARD_TO_READ: &str = "hard to read: please check every value";

struct Drafted {
    derived: Map<String, Value>,
    quality: Quality,
}

fn draft(text: &str, notes: Vec<String>, kinds: &[Kind]) -> Drafted {
    let draft = resume::draft(text);
    let derived = kinds.iter().map(|kind| {
        let value = match kind {
            Kind::ApplicantProfile => &draft.applicant_profile,
            Kind::SkeletonTimeline => &draft.skeleton_timeline,
            Kind::EducationHistory => &draft.education_history,
        };
        (kind.name().to_owned(), if is_hollow(value) { Value::Null } else { value.clone() })
    });
    let derived = derived.collect();
    let is_low =
        |(path, sure): (&String, &Confidence)| (*sure == Confidence::Low).then(|| path.clone());
    let quality = Quality {
        extraction_confidence: overall(&draft),
        read_by: ReadBy::Rules,
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
