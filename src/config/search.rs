//! Which service searches the web.

use std::{path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;

use super::secret::Secret;
use crate::model::flow::Period;

/// The service that searches the web, as written. Without it nothing is searched, and the tools say so.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Which kind of service it is.
    pub provider: Provider,
    /// Where it is: an `https` address, or `http` on this machine. What has one known place may leave it out.
    #[serde(default)]
    pub base_url: Option<String>,
    /// Variable with the key.
    #[serde(default)]
    pub key_env: Option<String>,
    /// File with the key.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
    /// The model that answers, as the service calls it; for `gemini` alone.
    #[serde(default)]
    pub model: Option<String>,
    /// The language in which is searched: `en`, `de`.
    #[serde(default)]
    pub language: Option<String>,
    /// Longest time for a connection.
    #[serde(default = "Search::connect")]
    pub connect: Period,
    /// Longest time for all of an answer.
    #[serde(default = "Search::whole")]
    pub whole: Period,
}

/// A kind of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// `SearXNG`, which one can host oneself.
    Searxng,
    /// Brave's web search.
    Brave,
    /// A model of Google's that searches and answers.
    Gemini,
}

impl Search {
    const fn connect() -> Period {
        Period(Duration::from_secs(5))
    }

    const fn whole() -> Period {
        Period(Duration::from_secs(15))
    }
}

/// The service as the program uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searching {
    /// What is spoken with it.
    pub engine: Engine,
    /// Where it is, without a slash at the end.
    pub base_url: String,
    /// The language in which is searched.
    pub language: Option<String>,
    /// Longest time for a connection.
    pub connect: Duration,
    /// Longest time for all of an answer.
    pub whole: Duration,
}

/// A kind of service with all that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Engine {
    /// `SearXNG`.
    Searxng {
        /// Shown to what stands before it, where something does.
        key: Option<Secret>,
    },
    /// Brave.
    Brave {
        /// The subscription's token.
        key: Secret,
    },
    /// Gemini.
    Gemini {
        /// The account's key.
        key: Secret,
        /// Which model answers.
        model: String,
    },
}
