//! `generate_architecture_diagram`: a flowchart, a sequence, a Gantt chart or a mind map of what was described.
//!
//! ```json
//! { "success": true, "data": { "diagram_type": "flowchart", "code": "flowchart TD\n  a[Ask] --> b[Answer]", "drawn": true,
//!   "file": "flowchart.png" } }
//! { "success": true, "data": { "diagram_type": "gantt", "code": "gantt\n  …", "drawn": false,
//!   "problem": "line 4: invalid date" } }
//! ```
//!
//! A model writes Mermaid; the code is drawn by [`crate::ports::documents::Printer`], in a child process. Code that is wrong, or that
//! is another kind of diagram than was asked for, goes back to the model once with what is wrong with it. If it is wrong
//! again, or nothing comes back, or the picture cannot be kept, the participant gets no picture, and the result has the code
//! alone with the error. A call that is made again has another diagram written.

use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    model::{artifact::Artifact, effect::Handout},
    ports::{
        artifacts::check::Kind,
        documents::{DiagramError, DiagramKind, Printer, SOURCE_MAX},
        llm::{
            Error, Model, Silent,
            chat::{Finish, Message, Request},
            untrusted::fenced,
        },
    },
    session::SessionView,
    tool::{Handed, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

const NAME: &str = "generate_architecture_diagram";

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/diagram.md");

/// Longest description, in characters.
const DESCRIPTION_MAX: usize = 4_000;

/// Longest answer, in tokens: what is longer is not drawn.
const TOKENS_MAX: u32 = 3_000;

/// Longest time that a model is waited for, its second answer included.
const PATIENCE: Duration = Duration::from_secs(45);

/// Longest time for all of it: two pictures may be tried.
const LIMIT: Duration = Duration::from_secs(70);

#[derive(Debug, Deserialize)]
struct Args {
    diagram_type: String,
    content_description: String,
}

/// Draws what was described.
#[derive(Debug)]
pub(crate) struct GenerateArchitectureDiagram {
    spec: ToolSpec,
}

impl Default for GenerateArchitectureDiagram {
    fn default() -> Self {
        let description = "Draw a workflow, an exchange of messages, a plan or a map of thoughts as a picture that the \
            participant gets. Describe only what they told you.";
        let spec = super::spec(NAME, description, schema(), Some("doc"));
        let spec = ToolSpec {
            limit: Some(LIMIT),
            doing: "Drawing a diagram…",
            done: "Drew a diagram",
            ..spec
        };
        Self { spec }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["diagram_type", "content_description"],
        "properties": {
            "diagram_type": {
                "type": "string",
                "enum": DiagramKind::ALL.map(DiagramKind::name),
                "description": "What kind of picture suits it"
            },
            "content_description": {
                "type": "string",
                "minLength": 1,
                "maxLength": DESCRIPTION_MAX,
                "description": "What to draw: its parts, their order, what leads to what"
            }
        }
    })
}

#[async_trait]
impl Tool for GenerateArchitectureDiagram {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { diagram_type, content_description } = parse_args(args)?;
        let kind = DiagramKind::ALL.into_iter().find(|kind| kind.name() == diagram_type);
        let Some(kind) = kind else {
            let message = format!("`/diagram_type`: there is no `{diagram_type}`");
            return Err(ToolError::InvalidParameters(message));
        };
        let Some(model) = &cx.models.interview else {
            return Err(ToolError::NotConfigured("Drawing diagrams"));
        };
        if !cx.read(SessionView::has_means) {
            let message = "this conversation has used up what it may. hint: go on without it";
            return Err(ToolError::ExecutionFailed(message.to_owned()));
        }
        let artist = Artist { model: model.as_ref(), printer: &cx.services.printer, kind };
        let drawn = tokio::time::timeout(PATIENCE, artist.draw(cx, &content_description)).await;
        let (code, picture) = drawn.map_err(|_elapsed| {
            let message = "the diagram was not drawn in time. hint: describe less, or try again";
            ToolError::ExecutionFailed(message.to_owned())
        })??;
        let filename = format!("{}.png", kind.name());
        let made = match picture {
            // The code is written by now: a failure here would have it written once more.
            Ok(picture) => {
                let kept = cx.make(&filename, Kind::Png, picture).await;
                kept.map_err(|error| error.to_string())
            }
            Err(problem) => Err(problem.to_string()),
        };
        Ok(match made {
            Ok(file) => handed(kind, &code, file),
            Err(problem) => Outcome::Immediate(json!({
                "diagram_type": kind.name(), "code": code, "drawn": false, "problem": problem,
            })),
        })
    }
}

fn handed(kind: DiagramKind, code: &str, file: Artifact) -> Outcome {
    let text = match kind {
        DiagramKind::Flowchart => "Here's a flowchart.",
        DiagramKind::Sequence => "Here's how it works, step by step.",
        DiagramKind::Gantt => "Here's the plan.",
        DiagramKind::Mindmap => "Here's a mind map.",
    };
    let value = json!({
        "diagram_type": kind.name(), "code": code, "drawn": true, "file": file.filename,
    });
    let handed = vec![Handed { what: Handout::File { file }, text: text.to_owned() }];
    Outcome::Made { value, handed }
}

struct Artist<'a> {
    model: &'a dyn Model,
    printer: &'a Printer,
    kind: DiagramKind,
}

impl Artist<'_> {
    /// The code, and the picture or what is wrong with the code.
    async fn draw(
        &self,
        cx: &ToolCx<'_>,
        description: &str,
    ) -> Result<(String, Result<Vec<u8>, DiagramError>), ToolError> {
        let wanted = format!(
            "Wanted: a diagram that begins with `{}`, of this: {description}",
            self.kind.keyword()
        );
        let mut messages = vec![
            Message::System(INSTRUCTIONS.trim_end().to_owned()),
            Message::user(fenced("note", &wanted)),
        ];
        let first = self.ask(cx, &messages).await?;
        let problem = match self.picture(&first).await {
            // What is no fault of the code is not mended by changing it.
            drawn @ (Ok(_) | Err(DiagramError::Failed(_))) => return Ok((first.code, drawn)),
            Err(problem) => problem,
        };
        let complaint = format!(
            "Your code cannot be drawn: {problem}. Answer with the whole code once more, put right. It still begins \
             with `{}`.",
            self.kind.keyword()
        );
        messages.push(Message::assistant(first.code.clone(), Vec::new()));
        messages.push(Message::user(fenced("note", &complaint)));
        // The first code with its error is more than nothing.
        let Ok(second) = self.ask(cx, &messages).await else {
            return Ok((first.code, Err(problem)));
        };
        let drawn = self.picture(&second).await;
        Ok((second.code, drawn))
    }

    async fn picture(&self, Written { code, is_cut }: &Written) -> Result<Vec<u8>, DiagramError> {
        if *is_cut {
            // What is there of it may be a diagram, only not the one that was wanted.
            let why = "the code was cut off: it is too long. hint: fewer nodes and arrows";
            return Err(DiagramError::Refused(why.to_owned()));
        }
        if let Some(other) = DiagramKind::of(code).filter(|kind| *kind != self.kind) {
            let why = format!("this is a {}, not a {}", other.name(), self.kind.name());
            return Err(DiagramError::Refused(why));
        }
        self.printer.diagram(code).await
    }

    async fn ask(&self, cx: &ToolCx<'_>, messages: &[Message]) -> Result<Written, ToolError> {
        let request = Request {
            messages: messages.to_vec(),
            max_tokens: Some(TOKENS_MAX),
            // What there is to draw is settled.
            temperature: Some(0.2),
            ..Request::default()
        };
        let answer =
            self.model.chat(&request, &mut Silent).await.map_err(|error| failed(&error))?;
        cx.meter.add(answer.usage);
        if answer.refusal.is_some() || answer.finish == Finish::Filtered {
            let message = "the diagram was not drawn: the model would not. hint: go on without it";
            return Err(ToolError::ExecutionFailed(message.to_owned()));
        }
        Ok(Written { code: code_in(&answer.text), is_cut: answer.finish == Finish::Length })
    }
}

/// What a model wrote.
struct Written {
    code: String,
    /// It could not write all of it.
    is_cut: bool,
}

/// The code in an answer, also where a fence and words stand around it; never more than is drawn, and a bit, so that it
/// is seen to be too long.
fn code_in(text: &str) -> String {
    let fence = "```";
    let inside = text.split_once(fence).and_then(|(_, rest)| {
        let (_, code) = rest.split_once('\n')?;
        Some(code.split_once(fence).map_or(code, |(code, _)| code))
    });
    let code = inside.unwrap_or(text).trim_matches('\n').trim_end();
    let end = code.floor_char_boundary(SOURCE_MAX + 1);
    code[..end].to_owned()
}

/// A failure of the model as one of the tool: what may pass is tried again by the pipeline.
fn failed(error: &Error) -> ToolError {
    let message = "the diagram could not be drawn just now".to_owned();
    match error {
        Error::Transient { retry_after, .. } | Error::RateLimited { retry_after, .. } => {
            ToolError::Transient { message, retry_after: *retry_after }
        }
        Error::Timeout(_) | Error::Cut | Error::Busy | Error::BadAnswer(_) => {
            ToolError::Transient { message, retry_after: None }
        }
        Error::Overflow(_)
        | Error::Refused(_)
        | Error::Misconfigured(_)
        | Error::Exhausted(_)
        | Error::Resting(_)
        | Error::TooLarge { .. }
        | Error::Invalid(_) => ToolError::ExecutionFailed(message),
    }
}

#[cfg(test)]
mod tests {
    use super::code_in;

    #[test]
    fn code_is_found_among_words() {
        assert_eq!(code_in("flowchart TD\n  a --> b\n"), "flowchart TD\n  a --> b");
        let told = "Sure:\n```mermaid\nmindmap\n  root\n```\nThat is it.";
        assert_eq!(code_in(told), "mindmap\n  root");
        assert_eq!(code_in("```\ngantt\n  cut off"), "gantt\n  cut off");
    }
}
