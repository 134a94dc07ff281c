//! `generate_custom_syllabus`: two days of workshop in which every pain point is the topic of a module.
//!
//! ```json
//! { "title": "Reports without copying", "format": "markdown", "markdown": "# …\n\n## Day 1\n\n### Module 1: …",
//!   "modules": [ { "day": 1, "module": 1, "title": "From mail to table", "covers": ["we copy figures by hand"] } ],
//!   "pdf": { "id": "upload_…", "filename": "syllabus-2026-11-22.pdf" } }
//! ```
//!
//! Days and modules are counted here, and what a module covers stands under its title in the words of the call, so that
//! nobody has to take it on trust.

use std::fmt::Write as _;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::writing::{self, Document, Material, Task, handed};
use crate::{
    model::text::quoted,
    tool::{Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/syllabus.md");

/// Most pain points: two days hold no more.
const POINTS_MAX: usize = 12;

/// Most modules of a day.
const MODULES_MAX: usize = 8;

#[derive(Debug, Deserialize)]
struct Args {
    team_roles: String,
    pain_points: Vec<String>,
    tech_stack: String,
}

/// Writes syllabi.
#[derive(Debug)]
pub(crate) struct GenerateCustomSyllabus(ToolSpec);

impl Default for GenerateCustomSyllabus {
    fn default() -> Self {
        let description = "Generate the syllabus of a two-day workshop in which each pain point of the team is the topic of a \
            module; the participant also gets it as a PDF. Give the pain points in the participant's words.";
        let said = |description: &str| json!({ "type": "string", "minLength": 1, "maxLength": 500, "description": description });
        let parameters = json!({
            "type": "object",
            "required": ["team_roles", "pain_points", "tech_stack"],
            "properties": {
                "team_roles": said("Who takes part, such as \"3 devs, 1 PM\""),
                "pain_points": {
                    "type": "array",
                    "items": { "type": "string", "minLength": 3, "maxLength": 300 },
                    "minItems": 1,
                    "maxItems": POINTS_MAX,
                    "description": "What they want to solve, one each, in their words"
                },
                "tech_stack": said("What they work with, such as \"React/Node.js\"")
            }
        });
        let spec = super::spec("generate_custom_syllabus", description, parameters, Some("doc"));
        Self(writing::writes(spec, "Putting a workshop together…"))
    }
}

#[async_trait]
impl Tool for GenerateCustomSyllabus {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { team_roles, pain_points, tech_stack } = parse_args(args)?;
        let mut points: Vec<String> = Vec::new();
        for point in pain_points {
            let point = point.split_whitespace().collect::<Vec<_>>().join(" ");
            if !points.contains(&point) {
                points.push(point);
            }
        }
        let material = Material::of(cx).await?;
        invented(&material, &points)?;
        let wanted = json!({
            "team_roles": team_roles, "pain_points": points, "tech_stack": tech_stack,
        });
        let complaints = |answer: &Value| {
            let left = points.iter().filter(|point| !covered(answer, point));
            left.map(|point| format!("No module covers `{point}`.")).collect()
        };
        let task = Task {
            name: "syllabus",
            instructions: INSTRUCTIONS,
            wanted: &wanted,
            schema: schema(&points),
            read: &|answer| format!("# {}\n\n{}", writing::line(&answer["title"]), drawn(answer)),
            complaints: &complaints,
        };
        let answer = writing::write(cx, &material, &task).await?;
        let facts = json!({ "modules": modules(&answer) });
        let document = Document {
            kind: "syllabus",
            title: writing::line(&answer["title"]),
            markdown: drawn(&answer),
            facts: facts.as_object().cloned().unwrap_or_default(),
        };
        handed(cx, document).await
    }
}

/// Pain points stand in the syllabus as they are: one with a figure that nobody gave, or with words that nobody said, goes
/// back to who wrote it.
fn invented(material: &Material, points: &[String]) -> Result<(), ToolError> {
    for (at, point) in points.iter().enumerate() {
        let doubts = material.sources().doubts_in_plain(point);
        if let Some(doubt) = doubts.first() {
            let message = format!(
                "`/pain_points/{at}`: `{}` stands nowhere in the conversation. hint: give the pain points in the \
                 participant's words",
                doubt.what
            );
            return Err(ToolError::InvalidParameters(message));
        }
    }
    Ok(())
}

fn schema(points: &[String]) -> Value {
    let module = writing::object(&json!({
        "title": writing::text("Its topic, in one line, without a number", 120),
        "covers": {
            "type": "array",
            "items": { "type": "string", "enum": points },
            "description": "The pain points that it is about, letter by letter"
        },
        "text": writing::text("What people do in it and can do afterwards", 2_000),
    }));
    let day = json!({ "type": "array", "items": module, "minItems": 1, "maxItems": MODULES_MAX });
    writing::object(&json!({
        "title": writing::text("Title of the workshop, in one line", 120),
        "aim": writing::text("What it is for, in a few sentences", 1_000),
        "first_day": day,
        "second_day": day,
    }))
}

/// The modules with the day on which they are.
fn days(answer: &Value) -> impl Iterator<Item = (usize, &Value)> {
    [(1, "first_day"), (2, "second_day")].into_iter().flat_map(move |(day, name)| {
        answer[name].as_array().into_iter().flatten().map(move |module| (day, module))
    })
}

fn covers(module: &Value) -> impl Iterator<Item = &str> {
    module["covers"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Whether a module with a name is about a pain point.
fn covered(answer: &Value, point: &str) -> bool {
    days(answer).any(|(_, module)| {
        !writing::line(&module["title"]).is_empty()
            && covers(module).any(|covered| covered == point)
    })
}

fn modules(answer: &Value) -> Vec<Value> {
    let numbered = days(answer).zip(1..).map(|((day, module), number)| {
        let title = writing::line(&module["title"]);
        json!({ "day": day, "module": number, "title": title, "covers": module["covers"] })
    });
    numbered.collect()
}

fn drawn(answer: &Value) -> String {
    let mut markdown = format!("{}\n\n", answer["aim"].as_str().unwrap_or_default().trim());
    let mut today = 0;
    for ((day, module), number) in days(answer).zip(1..) {
        // Writing to a string cannot fail.
        if day != today {
            today = day;
            _ = write!(markdown, "## Day {day}\n\n");
        }
        _ = write!(markdown, "### Module {number}: {}\n\n", writing::line(&module["title"]));
        let about: Vec<String> = covers(module).map(quoted).collect();
        if !about.is_empty() {
            _ = write!(markdown, "*Covers: {}*\n\n", about.join("; "));
        }
        _ = write!(markdown, "{}\n\n", module["text"].as_str().unwrap_or_default().trim());
    }
    markdown
}
