//! What the two snapshot tools share: the newest picture that the person shared as such, what was seen in it before, and
//! a fresh look by a model.
//!
//! The picture and every text in it are data. What was seen without a question is kept: the result of the call that looked
//! names the picture by its digest, and the next call without a question gives the same words without asking anybody. A
//! question (`focus_prompt`) is looked at anew each time.
//!
//! **People are not judged.** A question about what somebody feels, how they are, how old they are or who they are is
//! declined. Reading moods from faces is left out on purpose: inferring emotions of people at work from their pictures is
//! forbidden in the European Union (Regulation 2024/1689, Art. 5 (1)(f)), and a picture shared to show a screen or a sketch
//! was not shared for that.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::writing;
use crate::{
    model::{artifact::Artifact, transcript::CallResult},
    ports::llm::{
        Model, Silent,
        chat::{Blob, Finish, Form, Message, Part, Request},
        json::extract_object,
        untrusted::fenced,
    },
    session::State,
    tool::{
        Outcome, ToolCx, ToolError, ToolResult, ToolSpec, parse_args, pipeline::validate::Checker,
        stamp,
    },
};

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/snapshot.md");

/// Longest time that a model is waited for, its second answer included.
const PATIENCE: Duration = Duration::from_secs(45);

/// Longest time for all of it: the picture is loaded before.
const LIMIT: Duration = Duration::from_mins(1);

/// Longest description, in characters.
const SEEN_MAX: usize = 4_000;

/// Longest answer, in tokens.
const TOKENS_MAX: u32 = 1_500;

/// A kind of picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    /// The tool.
    pub(super) tool: &'static str,
    /// What such a picture is asked for as.
    pub(super) upload_type: &'static str,
    /// What it is called to people.
    pub(super) name: &'static str,
}

#[derive(Debug, Deserialize)]
struct Args {
    focus_prompt: Option<String>,
    #[serde(rename = "summaryOnly", default)]
    summary_only: bool,
}

/// The tool's own time limit.
pub(super) fn looks(spec: ToolSpec) -> ToolSpec {
    ToolSpec { limit: Some(LIMIT), doing: "Looking at the picture…", ..spec }
}

/// The parameters.
pub(super) fn parameters(focus: &str) -> Value {
    json!({
        "type": "object",
        "properties": {
            "focus_prompt": { "type": "string", "maxLength": 1000, "description": focus },
            "summaryOnly": { "type": "boolean", "description": "Leave out the picture's id" }
        }
    })
}

/// Looks at the newest picture of this kind.
pub(super) async fn look(cx: &ToolCx<'_>, sight: Sight, args: Value) -> ToolResult {
    let Args { focus_prompt, summary_only } = parse_args(args)?;
    let (picture, known) = cx.read(|view| {
        let state = &view.state;
        let picture = newest(state, sight);
        let known = picture.as_ref().and_then(|picture| seen_before(state, sight, picture));
        (picture, known)
    });
    let Some(picture) = picture else {
        let Sight { upload_type, name, .. } = sight;
        let message = format!(
            "nobody has shared a {name} yet. hint: ask for one with `get_user_upload` and the uploadType `{upload_type}`; \
             they send it as a file"
        );
        return Err(ToolError::ExecutionFailed(message));
    };
    let analysis = match (&focus_prompt, known) {
        (None, Some(known)) => known,
        (focus, _) => fresh(cx, &picture, focus.as_deref()).await?,
    };
    let mut value = json!({
        "analysis": analysis,
        "capturedAt": stamp(picture.kept_at),
        "hasImage": true,
        "imageSha256": picture.sha256,
    });
    if let Some(focus) = focus_prompt {
        value["focus"] = json!(focus);
    }
    if !summary_only {
        value["artifactId"] = json!(picture.id);
    }
    Ok(Outcome::Immediate(value))
}

fn newest(state: &State, sight: Sight) -> Option<Artifact> {
    let is_one = |file: &&Artifact| {
        file.upload_type == sight.upload_type && file.content_type.starts_with("image/")
    };
    state.artifacts.iter().rev().find(is_one).cloned()
}

/// What an earlier call saw in this picture without a question.
fn seen_before(state: &State, sight: Sight, picture: &Artifact) -> Option<String> {
    state.calls.iter().rev().filter(|call| call.call.tool == sight.tool).find_map(|call| {
        let Some(CallResult::Ok { value }) = call.result.as_deref() else { return None };
        let data = value.get("data").unwrap_or(value);
        let is_it = data["imageSha256"] == picture.sha256.as_str() && data.get("focus").is_none();
        data["analysis"].as_str().filter(|_| is_it).map(str::to_owned)
    })
}

async fn fresh(
    cx: &ToolCx<'_>,
    picture: &Artifact,
    focus: Option<&str>,
) -> Result<String, ToolError> {
    let Some(model) = &cx.models.vision else {
        return Err(ToolError::NotConfigured("Looking at pictures"));
    };
    writing::has_means(cx)?;
    let session = cx.read(|view| view.state.files_of());
    let bytes = cx.artifacts.read(session, picture).await.map_err(|_| ToolError::Transient {
        message: "the files of this conversation cannot be read just now".to_owned(),
        retry_after: None,
    })?;
    let Some(bytes) = bytes else {
        let message = "the picture is not kept any more. hint: ask for it once more";
        return Err(ToolError::ExecutionFailed(message.to_owned()));
    };
    let image = Part::Image { media_type: picture.content_type.clone(), bytes: Blob(bytes.into()) };
    let wanted = match focus {
        Some(focus) => fenced("note", &format!("focus: {focus}")),
        None => fenced("note", "No focus: describe what is to be seen."),
    };
    let messages = vec![
        Message::System(INSTRUCTIONS.trim_end().to_owned()),
        Message::User(vec![Part::Text(wanted), image]),
    ];
    match tokio::time::timeout(PATIENCE, seen(model.as_ref(), cx, messages)).await {
        Ok(seen) => seen,
        Err(_elapsed) => {
            let message = "nobody could look at the picture in time. hint: try again later";
            Err(ToolError::ExecutionFailed(message.to_owned()))
        }
    }
}

/// What the model sees; an answer that does not fit is asked for once more.
async fn seen(
    model: &dyn Model,
    cx: &ToolCx<'_>,
    mut messages: Vec<Message>,
) -> Result<String, ToolError> {
    let schema = writing::object(&json!({
        "analysis": writing::text("What is to be seen", SEEN_MAX),
        "declined": { "type": "boolean", "description": "The question was about people's inner life or identity" },
    }));
    let checker = Checker::compile(schema.clone()).map_err(ToolError::ExecutionFailed)?;
    for _ in 0..2 {
        let request = Request {
            messages: messages.clone(),
            form: Form::Json { name: "snapshot".to_owned(), schema: schema.clone() },
            max_tokens: Some(TOKENS_MAX),
            // What is to be seen is no matter of taste.
            temperature: Some(0.0),
            ..Request::default()
        };
        let answer = model.chat(&request, &mut Silent).await.map_err(|error| {
            tracing::warn!(because = error.word(), "a picture could not be looked at");
            match writing::failed(&error) {
                ToolError::Transient { retry_after, .. } => {
                    ToolError::Transient { message: BLIND.to_owned(), retry_after }
                }
                _ => ToolError::ExecutionFailed(BLIND.to_owned()),
            }
        })?;
        cx.meter.add(answer.usage);
        if answer.refusal.is_some() || answer.finish == Finish::Filtered {
            let message =
                "the picture was not looked at: the model would not. hint: go on without it";
            return Err(ToolError::ExecutionFailed(message.to_owned()));
        }
        let is_cut = answer.finish == Finish::Length;
        let value =
            extract_object(&answer.text).ok().filter(|value| checker.check(value).is_empty());
        if let Some(value) = value.filter(|_| !is_cut) {
            let analysis = value["analysis"].as_str().unwrap_or_default().trim().to_owned();
            if value["declined"] == true {
                return Err(ToolError::PermissionDenied(format!(
                    "people are not judged by pictures: what they feel, how they are or who they are is not looked at. {analysis}"
                )));
            }
            return Ok(analysis);
        }
        if !answer.text.trim().is_empty() {
            let text: String = answer.text.chars().take(SEEN_MAX).collect();
            messages.push(Message::assistant(text, Vec::new()));
        }
        let complaint = if is_cut {
            "Your answer was cut off: it was too long. Be brief. Send the whole JSON object once more, and nothing else."
        } else {
            "This is not the promised JSON object. Send it once more, whole, and nothing else."
        };
        messages.push(Message::user(fenced("note", complaint)));
    }
    Err(ToolError::ExecutionFailed(
        "the picture was looked at and nothing of use came of it. hint: try again later".to_owned(),
    ))
}

const BLIND: &str = "the picture could not be looked at just now";
