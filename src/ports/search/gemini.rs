//! A model of Google's that searches and answers: `generateContent` with the tool `google_search`.
//!
//! What comes is an answer, not results: `groundingChunks` are its sources, `groundingSupports` say which of its
//! sentences rest on which. A source's own text is not among it, so a hit's snippet is what the answer says after it. An
//! answer may come without any source; then the model has spoken from memory, and nothing was found.

use async_trait::async_trait;
use futures::future::join_all;
use reqwest::{Url, header};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Claim, ENTRIES_MAX, Error, Found, Hit, Query, Search, hosts,
    wire::{Wire, key_header},
};
use crate::config::Secret;

/// Longest answer that is asked for, in tokens, thoughts included.
const TOKENS_MAX: u32 = 4_096;

/// Where the addresses of sources are that lead to the sources.
const STEPS_HOST: &str = "vertexaisearch.cloud.google.com";

/// What they have in common.
const STEPS_PATH: &str = "/grounding-api-redirect/";

/// A service that speaks as Google's models do.
#[derive(Debug)]
pub(super) struct Gemini {
    wire: Wire,
    key: header::HeaderValue,
    path: String,
    language: Option<String>,
}

impl Gemini {
    pub(super) fn new(
        wire: Wire,
        key: &Secret,
        model: &str,
        language: Option<String>,
    ) -> Result<Self, Error> {
        let path = format!("models/{model}:generateContent");
        Ok(Self { wire, key: key_header("", key)?, path, language })
    }

    fn body(&self, query: &Query) -> Value {
        let mut text = format!(
            "Search the web and answer in a few plain sentences, from what is found alone: {}",
            query.text
        );
        let first = hosts(&query.urls);
        if !first.is_empty() {
            text = format!("{text}\nLook at these sites first: {}", first.join(", "));
        }
        if let Some(language) = &self.language {
            text = format!("{text}\nLanguage of the answer: {language}");
        }
        json!({
            "contents": [{ "role": "user", "parts": [{ "text": text }] }],
            "tools": [{ "google_search": {} }],
            "generationConfig": { "maxOutputTokens": TOKENS_MAX }
        })
    }
}

#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    candidates: Vec<Candidate>,
    #[serde(default, rename = "promptFeedback")]
    feedback: Option<Feedback>,
}

#[derive(Debug, Deserialize)]
struct Feedback {
    #[serde(default, rename = "blockReason")]
    block_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Candidate {
    #[serde(default)]
    content: Content,
    #[serde(default, rename = "finishReason")]
    finish: Option<String>,
    #[serde(default, rename = "groundingMetadata")]
    grounding: Grounding,
}

#[derive(Debug, Default, Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
    /// What it thought on the way.
    #[serde(default)]
    thought: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Grounding {
    #[serde(rename = "webSearchQueries")]
    queries: Vec<String>,
    #[serde(rename = "groundingChunks")]
    chunks: Vec<Chunk>,
    #[serde(rename = "groundingSupports")]
    supports: Vec<Support>,
}

#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    web: Option<Web>,
}

#[derive(Debug, Deserialize)]
struct Web {
    uri: String,
    #[serde(default)]
    title: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Support {
    #[serde(default)]
    segment: Segment,
    #[serde(default)]
    grounding_chunk_indices: Vec<usize>,
}

#[derive(Debug, Default, Deserialize)]
struct Segment {
    #[serde(default)]
    text: String,
}

#[async_trait]
impl Search for Gemini {
    async fn search(&self, query: &Query) -> Result<Found, Error> {
        let request = self.wire.post(&self.path, &self.body(query));
        let request = request.header("x-goog-api-key", self.key.clone());
        let answer: Answer = serde_json::from_value(self.wire.ask(request).await?)
            .map_err(|_| Error::BadAnswer("JSON of an unknown form"))?;
        let is_blocked = answer.feedback.is_some_and(|feedback| feedback.block_reason.is_some());
        let Some(candidate) = answer.candidates.into_iter().next() else {
            let refused = Error::Refused { status: None };
            return Err(if is_blocked { refused } else { Error::BadAnswer("no answer at all") });
        };
        if matches!(
            candidate.finish.as_deref(),
            Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII")
        ) {
            return Err(Error::Refused { status: None });
        }
        let mut found = found(candidate);
        found.hits.truncate(ENTRIES_MAX);
        let hits = found.hits.into_iter().map(|hit| self.resolved(hit));
        found.hits = join_all(hits).await;
        Ok(found.settled(query))
    }
}

impl Gemini {
    /// A source at its own address: the service gives one of its own, which leads there. What cannot be found out stays.
    async fn resolved(&self, hit: Hit) -> Hit {
        let is_step = Url::parse(&hit.url).is_ok_and(|url| {
            let is_theirs = url.scheme() == "https" && url.host_str() == Some(STEPS_HOST);
            (is_theirs || self.wire.is_own(&url)) && url.path().contains(STEPS_PATH)
        });
        if !is_step {
            return hit;
        }
        let next = self.wire.leads_to(&hit.url).await;
        let next = next.and_then(|next| Hit::new(&hit.title, &next, &hit.snippet, None));
        next.unwrap_or(hit)
    }
}

fn found(candidate: Candidate) -> Found {
    let Candidate { content, grounding, .. } = candidate;
    let spoken = content.parts.into_iter().filter(|part| !part.thought);
    let text: String = spoken.map(|part| part.text).collect();
    let Grounding { queries, mut chunks, mut supports } = grounding;
    chunks.truncate(ENTRIES_MAX);
    supports.truncate(ENTRIES_MAX);
    let mut hits = Vec::new();
    // Where a chunk went among the hits; not every chunk is a page on the web.
    let mut places = Vec::new();
    for (index, chunk) in chunks.into_iter().enumerate() {
        let hit = chunk.web.and_then(|web| {
            let rests = supports
                .iter()
                .filter(|support| support.grounding_chunk_indices.contains(&index))
                .map(|support| support.segment.text.as_str());
            let snippet = rests.collect::<Vec<_>>().join(" ");
            Hit::new(web.title.as_deref().unwrap_or_default(), &web.uri, &snippet, None)
        });
        places.push(hit.as_ref().map(|_| hits.len()));
        hits.extend(hit);
    }
    let claims = supports.into_iter().map(|support| {
        let place = |index: usize| places.get(index).copied().flatten();
        let hits = support.grounding_chunk_indices.into_iter().filter_map(place).collect();
        Claim { text: support.segment.text, hits }
    });
    let claims = claims.collect();
    Found { answer: Some(text), claims, hits, searched: queries, is_partial: false }
}
