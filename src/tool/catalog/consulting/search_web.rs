//! `search_web`: what the web says to a question, with where it says so.
//!
//! ```json
//! { "query": "…", "searched_at": "2026-01-05T10:00:00Z",
//!   "answer": "…", "claims": [{ "text": "…", "sources": [1] }],
//!   "results": [{ "source": 1, "title": "…", "url": "https://…", "snippet": "…", "published": "2026-01-04" }],
//!   "note": "…" }
//! ```
//!
//! `answer`, `claims`, `published` and `note` are left out where there is none. Titles and snippets are written by strangers
//! and are told as plain text. The same question within five minutes is answered without asking again; a call changes
//! nothing and can be repeated.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    ports::search::{self, Error, Found, Hit, Query, text::plain},
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args, stamp,
    },
};

/// Hits that are asked for.
const COUNT: usize = 8;

/// Most addresses that come first.
const URLS_MAX: usize = 5;

#[derive(Debug, Deserialize)]
struct Args {
    query: String,
    #[serde(default)]
    urls: Vec<String>,
}

/// What was found, as the model reads it.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    query: String,
    searched_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    claims: Vec<Supported>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searched_for: Vec<String>,
    pub(super) results: Vec<Source>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) note: String,
}

#[derive(Debug, Serialize)]
struct Supported {
    text: String,
    sources: Vec<usize>,
}

/// A page that can be cited by its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Source {
    /// From 1.
    #[serde(rename = "source")]
    pub(super) number: usize,
    pub(super) title: String,
    pub(super) url: String,
    pub(super) snippet: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) published: Option<String>,
}

impl Source {
    /// The hit at a place, which counts from 0.
    pub(super) fn new(at: usize, hit: Hit) -> Self {
        let Hit { title, url, snippet, published } = hit;
        Self { number: at + 1, title, url, snippet, published }
    }
}

/// Searches the web.
#[derive(Debug)]
pub(crate) struct SearchWeb(ToolSpec);

impl Default for SearchWeb {
    fn default() -> Self {
        let description = "Search the web for current information. Name the sources of what you take from the result, by \
            their addresses; where it says that nothing was found, say so instead of answering from memory.";
        let spec = ToolSpec::new("search_web", description, EffectClass::Pure, schema());
        Self(ToolSpec { cacheable: true, ..searching(spec) })
    }
}

/// What all tools have in common that search.
pub(super) fn searching(spec: ToolSpec) -> ToolSpec {
    ToolSpec {
        doing: "Searching the web…",
        done: "Searched the web",
        enveloped: true,
        capability: Some("search"),
        ..spec
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": search::TEXT_MAX,
                "description": "What to search for"
            },
            "urls": {
                "type": "array",
                "items": { "type": "string" },
                "maxItems": URLS_MAX,
                "description": "Addresses whose sites come first among the results"
            }
        }
    })
}

#[async_trait]
impl Tool for SearchWeb {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { query, urls } = parse_args(args)?;
        for (at, url) in urls.iter().enumerate() {
            if search::hosts(std::slice::from_ref(url)).is_empty() {
                let why = format!("`/urls/{at}`: expected an address such as https://example.org");
                return Err(ToolError::InvalidParameters(why));
            }
        }
        let query = named("query", &query, search::TEXT_MAX)?;
        Ok(Outcome::Immediate(json!(searched(cx, query, urls).await?)))
    }
}

/// An argument as one plain line; it must hold something.
pub(super) fn named(name: &str, text: &str, max: usize) -> Result<String, ToolError> {
    let line = plain(text, max);
    if line.chars().any(char::is_alphanumeric) {
        return Ok(line);
    }
    Err(ToolError::InvalidParameters(format!("`/{name}`: expected words")))
}

/// Searches and tells what was found.
pub(super) async fn searched(
    cx: &ToolCx<'_>,
    query: String,
    urls: Vec<String>,
) -> Result<Told, ToolError> {
    let found = found(cx, Query { text: query.clone(), urls: urls.clone(), count: COUNT }).await?;
    let wanted = search::hosts(&urls);
    let note = note(&found, &wanted);
    let Found { answer, claims, hits, searched, .. } = found;
    let claims = claims.into_iter().map(|claim| {
        let sources = claim.hits.iter().map(|at| at + 1).collect();
        Supported { text: claim.text, sources }
    });
    Ok(Told {
        query,
        searched_at: stamp(cx.now),
        answer,
        claims: claims.collect(),
        searched_for: searched,
        results: hits.into_iter().enumerate().map(|(at, hit)| Source::new(at, hit)).collect(),
        note,
    })
}

/// Asks the service that is configured.
pub(super) async fn found(cx: &ToolCx<'_>, query: Query) -> Result<Found, ToolError> {
    let service = cx.services.search.as_deref();
    let service = service.ok_or(ToolError::NotConfigured("Web search"))?;
    service.search(&query).await.map_err(|error| failed(&error))
}

fn note(found: &Found, wanted: &[String]) -> String {
    let mut notes = Vec::new();
    if found.hits.is_empty() {
        notes.push("Nothing was found.");
    } else if !wanted.is_empty() && !found.hits.iter().any(|hit| hit.is_on(wanted)) {
        notes.push("None of the results is from the addresses that were to come first.");
    }
    if found.is_partial {
        notes.push(
            "Some of the places that were searched did not answer, so something may be missing.",
        );
    }
    notes.join(" ")
}

fn failed(error: &Error) -> ToolError {
    let message = error.to_string();
    match error {
        Error::Transient { retry_after, .. } => {
            ToolError::Transient { message, retry_after: *retry_after }
        }
        Error::Refused { .. } | Error::BadAnswer(_) => ToolError::ExecutionFailed(message),
        Error::Misconfigured => ToolError::NotConfigured("Web search"),
    }
}
