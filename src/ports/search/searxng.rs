//! `SearXNG`: a search of search engines that one can host oneself. `GET search?q=…&format=json`; the instance must list
//! `json` among its formats, else it answers 403.

use async_trait::async_trait;
use reqwest::header;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Error, Found, Hit, Query, Search,
    wire::{Wire, key_header},
};
use crate::config::Secret;

/// A service that speaks as `SearXNG` does.
#[derive(Debug)]
pub(super) struct Searxng {
    wire: Wire,
    authorization: Option<header::HeaderValue>,
    language: Option<String>,
}

impl Searxng {
    pub(super) fn new(
        wire: Wire,
        key: Option<&Secret>,
        language: Option<String>,
    ) -> Result<Self, Error> {
        let authorization = key.map(|key| key_header("Bearer ", key)).transpose()?;
        Ok(Self { wire, authorization, language })
    }
}

#[derive(Debug, Deserialize)]
struct Answer {
    results: Vec<Value>,
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Item {
    url: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    content: Option<String>,
    #[serde(default, rename = "publishedDate")]
    published: Option<String>,
}

#[async_trait]
impl Search for Searxng {
    async fn search(&self, query: &Query) -> Result<Found, Error> {
        let mut pairs = vec![("q", query.text.as_str()), ("format", "json")];
        if let Some(language) = &self.language {
            pairs.push(("language", language));
        }
        let mut request = self.wire.get("search", &pairs);
        if let Some(key) = &self.authorization {
            request = request.header(header::AUTHORIZATION, key.clone());
        }
        let answer: Answer = serde_json::from_value(self.wire.ask(request).await?)
            .map_err(|_| Error::BadAnswer("JSON of an unknown form"))?;
        // One odd result is no reason to lose the others.
        let items = answer.results.into_iter().filter_map(|item| Item::deserialize(item).ok());
        let hits = items.filter_map(|item| {
            let Item { url, title, content, published } = item;
            let (title, content) = (title.unwrap_or_default(), content.unwrap_or_default());
            Hit::new(&title, &url, &content, published.as_deref())
        });
        let hits = hits.collect();
        let is_partial = !answer.unresponsive_engines.is_empty();
        Ok(Found { hits, is_partial, ..Found::default() }.settled(query))
    }
}
