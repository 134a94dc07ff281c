//! Brave's web search: `GET web/search?q=…&count=…` with the header `X-Subscription-Token`.

use async_trait::async_trait;
use reqwest::header;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Error, Found, HITS_MAX, Hit, Query, Search,
    text::unmarked,
    wire::{Wire, key_header},
};
use crate::config::Secret;

/// A service that speaks as Brave's does.
#[derive(Debug)]
pub(super) struct Brave {
    wire: Wire,
    token: header::HeaderValue,
    language: Option<String>,
}

impl Brave {
    pub(super) fn new(wire: Wire, key: &Secret, language: Option<String>) -> Result<Self, Error> {
        Ok(Self { wire, token: key_header("", key)?, language })
    }
}

/// Where nothing was found, `web` is left out.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    web: Option<Web>,
}

#[derive(Debug, Deserialize)]
struct Web {
    #[serde(default)]
    results: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Item {
    url: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    page_age: Option<String>,
    #[serde(default)]
    age: Option<String>,
}

#[async_trait]
impl Search for Brave {
    async fn search(&self, query: &Query) -> Result<Found, Error> {
        // More than is wanted, so that those of the wanted hosts may be among them.
        let count = if query.urls.is_empty() { query.count.clamp(1, HITS_MAX) } else { HITS_MAX };
        let count = count.to_string();
        let mut pairs =
            vec![("q", query.text.as_str()), ("count", count.as_str()), ("result_filter", "web")];
        pairs.push(("text_decorations", "false"));
        if let Some(language) = &self.language {
            pairs.push(("search_lang", language));
        }
        let request = self.wire.get("web/search", &pairs);
        let request = request.header("x-subscription-token", self.token.clone());
        let answer: Answer = serde_json::from_value(self.wire.ask(request).await?)
            .map_err(|_| Error::BadAnswer("JSON of an unknown form"))?;
        let results = answer.web.map(|web| web.results).unwrap_or_default();
        let items = results.into_iter().filter_map(|item| Item::deserialize(item).ok());
        let hits = items.filter_map(|item| {
            let title = unmarked(item.title.as_deref().unwrap_or_default());
            let text = unmarked(item.description.as_deref().unwrap_or_default());
            // The exact date before `2 days ago`, which soon is wrong.
            let published = item.page_age.or(item.age);
            Hit::new(&title, &item.url, &text, published.as_deref())
        });
        Ok(Found { hits: hits.collect(), ..Found::default() }.settled(query))
    }
}
