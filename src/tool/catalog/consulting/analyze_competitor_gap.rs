//! `analyze_competitor_gap`: what public sources say others in an industry do with AI, beside what a person says of their own
//! organisation, with the source of every statement.
//!
//! ```json
//! { "industry": "retail", "searched_at": "2026-01-05T10:00:00Z",
//!   "competitors": [{ "who": "Example Ltd", "claim": "Example Ltd has begun …", "sources": [1] }],
//!   "signals": [{ "claim": "…", "sources": [2] }], "comparison": [{ "claim": "…", "sources": [1, 2] }],
//!   "estimate": { "months_low": 6, "months_high": 12, "basis": "…", "sources": [1] },
//!   "unknown": ["…"], "sources": [{ "source": 1, "title": "…", "url": "https://…", "snippet": "…" }], "note": "…" }
//! ```
//!
//! Three searches find the sources, a model writes the statements, and code checks each of them: it must cite sources that
//! there are, and hold no figure that neither its sources nor the person gave. What does not stand is sent back once, then
//! left out. An estimate in months is there only where a source with a date supports it, and is an estimate. Without a
//! model, or without an answer of use, the sources are told alone, and that is said. A call changes nothing here; one that
//! is made again costs its searches and the model anew.

mod claims;

use std::{collections::BTreeSet, time::Duration};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use self::claims::{Claims, Task};
use super::search_web::{Source, found, named, searching};
use crate::{
    ports::search::Query,
    session::SessionView,
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args, stamp,
    },
};

/// Longest time for an attempt: three searches, and the model.
const LIMIT: Duration = Duration::from_secs(110);

/// How long the searches may take together.
const SEARCHING: Duration = Duration::from_secs(50);

/// How long the model is waited for, both rounds together; then the sources are told alone.
const PATIENCE: Duration = Duration::from_secs(50);

/// Hits of each search.
const COUNT: usize = 6;

/// Most sources of one call.
const SOURCES_MAX: usize = 15;

/// Longest name of an industry, in characters.
const INDUSTRY_MAX: usize = 100;

/// Longest description of an organisation, in characters.
const STATE_MAX: usize = 2_000;

#[derive(Debug, Deserialize)]
struct Args {
    industry: String,
    client_current_state: String,
}

/// Compares with what others do.
#[derive(Debug)]
pub(crate) struct AnalyzeCompetitorGap {
    spec: ToolSpec,
    patience: Duration,
}

impl AnalyzeCompetitorGap {}

impl Default for AnalyzeCompetitorGap {
    fn default() -> Self {
        let description = "Find what public sources say about the use of AI in an industry, and set it beside what the \
            person told of their own organisation. Tell each statement with the address of its source, an estimate only \
            as an estimate with its basis, and nothing that the result does not hold.";
        let name = "analyze_competitor_gap";
        let spec = ToolSpec::new(name, description, EffectClass::Pure, schema());
        let spec = ToolSpec { limit: Some(LIMIT), ..searching(spec) };
        Self { spec, patience: PATIENCE }
    }
}

fn schema() -> Value {
    let words = |max: usize, description: &str| json!({ "type": "string", "minLength": 1, "maxLength": max, "description": description });
    json!({
        "type": "object",
        "required": ["industry", "client_current_state"],
        "properties": {
            "industry": words(INDUSTRY_MAX, "Industry to look at"),
            "client_current_state": words(STATE_MAX, "What the person said they do today, in their words")
        }
    })
}

/// What is searched for.
fn queries(industry: &str) -> [String; 3] {
    [
        format!("{industry} companies using AI examples"),
        format!("{industry} AI product launch announcement press release"),
        format!("{industry} company hiring AI engineer job posting"),
    ]
}

#[async_trait]
impl Tool for AnalyzeCompetitorGap {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { industry, client_current_state } = parse_args(args)?;
        let industry = named("industry", &industry, INDUSTRY_MAX)?;
        let state = named("client_current_state", &client_current_state, STATE_MAX)?;
        let (sources, is_partial) = sources(cx, &industry).await?;
        let mut notes = Vec::new();
        if is_partial {
            notes.push("Not every search was answered, so something may be missing.");
        }
        let mut value = json!({ "industry": industry, "searched_at": stamp(cx.now) });
        if sources.is_empty() {
            notes.push("Nothing was found, so nothing can be said about others in this industry.");
        } else {
            let task = Task { industry: &industry, state: &state, sources: &sources };
            match self.ask(cx, &task).await {
                Ok(claims) => {
                    notes.extend(claims.note());
                    claims.tell(&mut value);
                }
                Err(why) => notes.push(why),
            }
        }
        value["sources"] = json!(sources);
        if !notes.is_empty() {
            value["note"] = json!(notes.join(" "));
        }
        Ok(Outcome::Immediate(value))
    }
}

impl AnalyzeCompetitorGap {
    /// The statements of a model; why there are none, where there are none.
    async fn ask(&self, cx: &ToolCx<'_>, task: &Task<'_>) -> Result<Claims, &'static str> {
        let model = cx.models.extract.as_ref().or(cx.models.interview.as_ref());
        let model = model.ok_or(
            "There is no model that could compare, so these are the sources alone: tell what they say, source by source.",
        )?;
        if !cx.read(SessionView::has_means) {
            return Err(
                "What this conversation may use is used up, so these are the sources alone.",
            );
        }
        let asked = tokio::time::timeout(self.patience, task.ask(model.as_ref(), cx.meter)).await;
        let asked = asked.unwrap_or(Err("patience"));
        asked.map_err(|why| {
            tracing::warn!(because = why, "sources are told without a comparison");
            "A comparison could not be made, so these are the sources alone: tell what they say, source by source."
        })
    }
}

/// What was found, each page once, and whether something is missing. Fails where nothing could be asked at all.
async fn sources(cx: &ToolCx<'_>, industry: &str) -> Result<(Vec<Source>, bool), ToolError> {
    let (mut hits, mut known) = (Vec::new(), BTreeSet::new());
    let (mut is_partial, mut answered) = (false, false);
    let until = tokio::time::Instant::now() + SEARCHING;
    let mut failure = None;
    // One after the other: services allow so many in a second.
    for text in queries(industry) {
        let asked = found(cx, Query { text, urls: Vec::new(), count: COUNT });
        let late = ToolError::Transient {
            message: "the web search does not answer at the moment".to_owned(),
            retry_after: None,
        };
        match tokio::time::timeout_at(until, asked).await.unwrap_or(Err(late)) {
            Ok(found) => {
                answered = true;
                is_partial |= found.is_partial;
                hits.extend(found.hits.into_iter().filter(|hit| known.insert(hit.url.clone())));
            }
            // Without a service the others fail alike.
            Err(error @ ToolError::NotConfigured(_)) => return Err(error),
            Err(error) => {
                is_partial = true;
                failure.get_or_insert(error);
            }
        }
    }
    if let Some(error) = failure.filter(|_| !answered) {
        return Err(error);
    }
    hits.truncate(SOURCES_MAX);
    let sources = hits.into_iter().enumerate().map(|(at, hit)| Source::new(at, hit));
    Ok((sources.collect(), is_partial))
}
