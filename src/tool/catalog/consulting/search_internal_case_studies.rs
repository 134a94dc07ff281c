//! `search_internal_case_studies`: what was done for others, by the folder that the operator keeps.
//!
//! ```json
//! { "matches": [ { "file": "subtitles.md", "title": "Subtitles overnight", "industry": "Media",
//!     "results": ["40 hours a week saved"], "passage": "A production house …" } ], "searched": 12 }
//! ```
//!
//! Passages and results are given word by word. Where nothing matches, `matches` is empty and `note` says so, with the
//! industries that there are; nothing is made up in its place.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args};

/// Most case studies of an answer.
const MOST: usize = 3;

#[derive(Debug, Deserialize)]
struct Args {
    query: String,
    industry: Option<String>,
}

/// Searches case studies.
#[derive(Debug)]
pub(crate) struct SearchInternalCaseStudies(ToolSpec);

impl Default for SearchInternalCaseStudies {
    fn default() -> Self {
        let description = "Search our own case studies for a use case. Tell only what the passages say, in whose words, and \
            say so where nothing was found.";
        let parameters = json!({
            "type": "object",
            "required": ["query"],
            "properties": {
                "query": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 500,
                    "description": "Use case or industry to look for"
                },
                "industry": {
                    "type": "string",
                    "maxLength": 100,
                    "description": "Only case studies of this industry"
                }
            }
        });
        let spec =
            super::spec("search_internal_case_studies", description, parameters, Some("search"));
        Self(ToolSpec { doing: "Looking through case studies…", ..spec })
    }
}

#[async_trait]
impl Tool for SearchInternalCaseStudies {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { query, industry } = parse_args(args)?;
        let Some(cases) = cx.services.cases.as_ref().filter(|cases| !cases.is_empty()) else {
            return Err(ToolError::NotConfigured("The folder of case studies"));
        };
        let matches = cases.search(&query, industry.as_deref(), MOST);
        let mut value = json!({ "matches": matches, "searched": cases.len() });
        if matches.is_empty() {
            let known: Vec<&str> = cases.industries().into_iter().collect();
            value["note"] = json!(format!(
                "no case study matches; there are some of these industries: {}. Say that there is none.",
                known.join(", ")
            ));
        }
        Ok(Outcome::Immediate(value))
    }
}
