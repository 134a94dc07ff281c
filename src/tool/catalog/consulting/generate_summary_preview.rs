//! `generate_summary_preview`: a summary of the conversation as Markdown and as a PDF.
//!
//! ```json
//! { "title": "Reports by hand", "format": "markdown", "markdown": "# Reports by hand\n\n…", "written_by": "model",
//!   "pdf": { "id": "upload_…", "filename": "summary-2026-11-22.pdf" } }
//! ```
//!
//! Without a model it lists what was said and recorded, by code, and says that it is a list: `"written_by": "list"`.

use std::fmt::Write as _;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::writing::{self, Document, Material, Task, handed};
use crate::{
    model::text::quoted,
    tool::{Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

const INSTRUCTIONS: &str = include_str!("../../../../manifests/prompts/consulting/summary.md");

/// Longest message in a list, in characters.
const LISTED_MAX: usize = 300;

/// What people call what a tool came to.
const CALLED: &[(&str, &str)] = &[
    ("analyze_competitor_gap", "Competitors"),
    ("analyze_website_tech_stack", "Website"),
    ("calculate_roi", "Return on investment"),
    ("calculate_similarity", "Text comparison"),
    ("capture_screen_snapshot", "Screenshot"),
    ("capture_webcam_snapshot", "Webcam photo"),
    ("extract_document", "Document"),
    ("extract_skills", "Skills"),
    ("fetch_url", "Web page"),
    ("get_dashboard_stats", "Lead figures"),
    ("get_location", "Location"),
    ("get_macos_contact_card", "Contact card"),
    ("get_stock_price", "Share price"),
    ("get_weather", "Weather"),
    ("query_github_repo", "GitHub repository"),
    ("search_companies_by_location", "Local companies"),
    ("search_internal_case_studies", "Case studies"),
    ("search_web", "Web search"),
    ("simulate_cost_of_inaction", "Cost of the hours"),
];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    #[serde(default)]
    include_recommendations: bool,
    #[serde(default)]
    include_next_steps: bool,
}

/// Writes summaries.
#[derive(Debug)]
pub(crate) struct GenerateSummaryPreview(ToolSpec);

impl Default for GenerateSummaryPreview {
    fn default() -> Self {
        let description = "Generate a summary of the conversation, which the participant also gets as a PDF. Every \
            figure in it was said or calculated by a tool.";
        let parameters = json!({
            "type": "object",
            "properties": {
                "includeRecommendations": { "type": "boolean", "description": "With recommendations" },
                "includeNextSteps": { "type": "boolean", "description": "With next steps" }
            }
        });
        let spec =
            super::spec("generate_summary_preview", description, parameters, Some("exportPdf"));
        Self(writing::writes(spec, "Writing a summary…"))
    }
}

#[async_trait]
impl Tool for GenerateSummaryPreview {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { include_recommendations, include_next_steps } = parse_args(args)?;
        let material = Material::of(cx).await?;
        if material.is_empty() {
            let message = "there is nothing to sum up yet: nobody has said anything";
            return Err(ToolError::ExecutionFailed(message.to_owned()));
        }
        if cx.models.interview.is_none() && cx.models.extract.is_none() {
            return handed(cx, listed(&material)).await;
        }
        let wanted = json!({
            "recommendations": include_recommendations, "next_steps": include_next_steps,
        });
        let mut members = json!({
            "title": writing::text("What it is about, in one line", 120),
            "overview": writing::part("The summary"),
        });
        if include_recommendations {
            members["recommendations"] =
                writing::part("Recommendations, each with what it rests on");
        }
        if include_next_steps {
            members["next_steps"] = writing::part("What was agreed to come next");
        }
        let read = |answer: &Value| {
            let body = writing::parts(answer, &["overview", "recommendations", "next_steps"]);
            format!("# {}\n\n{body}", writing::line(&answer["title"]))
        };
        let task = Task {
            name: "summary",
            instructions: INSTRUCTIONS,
            wanted: &wanted,
            schema: writing::object(&members),
            read: &read,
            complaints: &writing::nothing,
        };
        let answer = writing::write(cx, &material, &task).await?;
        let facts = json!({ "written_by": "model" });
        let document = Document {
            kind: "summary",
            title: writing::line(&answer["title"]),
            markdown: writing::parts(&answer, &["overview", "recommendations", "next_steps"]),
            facts: facts.as_object().cloned().unwrap_or_default(),
        };
        handed(cx, document).await
    }
}

/// What was said and recorded, one after the other.
fn listed(material: &Material) -> Document {
    let mut markdown =
        "This is a list of what was said and recorded, without a summary.\n\n".to_owned();
    let mut section = |heading: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            // Writing to a string cannot fail.
            _ = write!(markdown, "## {heading}\n\n{}\n\n", lines.join("\n"));
        }
    };
    let said = material.by_participant().map(|text| {
        let short: String = text.chars().take(LISTED_MAX).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        format!("- {}{more}", quoted(&short).replace('\n', " "))
    });
    section("What you said", said.collect());
    let mut found = Vec::new();
    for (name, value) in material.results().iter().chain(material.records()) {
        let name = called(name);
        // What shows how it was worked out says more than its figures do.
        if let Some(steps) = value["arithmetic"].as_array() {
            let steps = steps.iter().filter_map(Value::as_str);
            let steps: Vec<String> = steps.map(|step| format!("\n  - {}", quoted(step))).collect();
            found.push(format!("- {name}:{}", steps.concat()));
            continue;
        }
        let mut lines = Vec::new();
        scalars(value, "", &mut lines);
        if !lines.is_empty() {
            found.push(format!("- {name}: {}", lines.join("; ")));
        }
    }
    section("What was found and recorded", found);
    let mut facts = Map::new();
    facts.insert("written_by".to_owned(), json!("list"));
    Document { kind: "summary", title: "What was said and recorded".to_owned(), markdown, facts }
}

/// The result of a tool, or a record, as people call it.
fn called(name: &str) -> String {
    let known = CALLED.iter().find(|(tool, _)| *tool == name);
    known.map_or_else(|| in_words(name), |(_, words)| (*words).to_owned())
}

/// `hours_per_week` and `hoursPerWeek` as `hours per week`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(if c == '_' { ' ' } else { c }.to_lowercase());
    }
    words
}

/// The numbers and short texts of a value, with their names.
fn scalars(value: &Value, name: &str, lines: &mut Vec<String>) {
    /// More are no list for people.
    const MOST: usize = 12;
    if lines.len() >= MOST {
        return;
    }
    match value {
        Value::Number(number) => {
            let number = number.to_string();
            let number = number.strip_suffix(".0").unwrap_or(&number);
            lines.push(format!("{} {number}", in_words(name)));
        }
        Value::String(text) if text.len() <= LISTED_MAX && !text.is_empty() => {
            lines.push(format!("{} {}", in_words(name), quoted(text).replace('\n', " ")));
        }
        Value::Object(members) => {
            for (name, member) in members {
                let is_id =
                    name == "id" || name.ends_with("Id") || name.to_lowercase().ends_with("sha256");
                if !is_id {
                    scalars(member, name, lines);
                }
            }
        }
        // Lists and what leads to a figure are the tool's to show.
        Value::Array(_) | Value::String(_) | Value::Bool(_) | Value::Null => {}
    }
}
