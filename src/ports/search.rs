//! The search port: what the web says to a question, with where it says so.
//!
//! Who asks knows no provider: what comes back is hits, each with its address and a piece of its text, and perhaps an
//! answer made of them, in which every supported sentence names its hits. An answer that names none is dropped, for
//! nobody could check it. Titles and pieces of text are written by strangers: they are cut to a length, freed of what
//! cannot be seen, and data to whoever reads them.

mod brave;
mod gemini;
mod searxng;
pub mod text;
mod wire;

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use reqwest::Url;

use self::text::plain;
use crate::{
    base::clock::Clock,
    config::search::{Engine, Searching},
};

/// Most hits of one search.
pub const HITS_MAX: usize = 20;

/// Longest question, in characters: the least that a service takes.
pub const TEXT_MAX: usize = 400;

/// Most entries of an answer that are looked at.
const ENTRIES_MAX: usize = 100;

/// Longest title, in characters.
const TITLE_MAX: usize = 200;

/// Longest piece of text from a hit, in characters.
const SNIPPET_MAX: usize = 500;

/// Longest date as it is told, in characters.
const PUBLISHED_MAX: usize = 40;

/// Longest address of a hit, in bytes.
const ADDRESS_MAX: usize = 2_048;

/// Longest answer, in characters.
const ANSWER_MAX: usize = 8_000;

/// Most sentences of an answer that are told with what supports them.
const CLAIMS_MAX: usize = 40;

/// Searches the web.
#[async_trait]
pub trait Search: fmt::Debug + Send + Sync {
    /// Asks once. Changes nothing anywhere, so it may be repeated; it may cost money each time. Dropping the future ends
    /// the request, and every wait inside is bounded.
    async fn search(&self, query: &Query) -> Result<Found, Error>;
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The question, at most [`TEXT_MAX`] characters.
    pub text: String,
    /// Addresses whose hosts come first where they are among the hits.
    pub urls: Vec<String>,
    /// How many hits are wanted, at most [`HITS_MAX`].
    pub count: usize,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// An answer made of the hits, where the service gives one.
    pub answer: Option<String>,
    /// What supports which part of the answer.
    pub claims: Vec<Claim>,
    /// Where it was found, best first.
    pub hits: Vec<Hit>,
    /// What the service searched for to answer, where it says so.
    pub searched: Vec<String>,
    /// Some of the places where the service looks did not answer.
    pub is_partial: bool,
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Its words, as in the answer.
    pub text: String,
    /// The hits that support it, by their place in [`Found::hits`]; at least one.
    pub hits: Vec<usize>,
}

/// A page on the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// A piece of its text; of an answer's sources, what the answer says after it.
    pub snippet: String,
    /// When it appeared, in the service's words.
    pub published: Option<String>,
}

impl Hit {
    /// A hit as it came, made plain; `None` without an address on the web.
    fn new(title: &str, address: &str, snippet: &str, published: Option<&str>) -> Option<Self> {
        if address.len() > ADDRESS_MAX {
            return None;
        }
        let url = Url::parse(address).ok().filter(is_on_the_web)?;
        let title = plain(title, TITLE_MAX);
        let title = if title.is_empty() { url.host_str()?.to_owned() } else { title };
        let published = published.map(|at| plain(at, PUBLISHED_MAX)).filter(|at| !at.is_empty());
        Some(Self { title, url: url.into(), snippet: plain(snippet, SNIPPET_MAX), published })
    }

    /// Whether it stands on one of these hosts, or on a part of one.
    pub(crate) fn is_on(&self, hosts: &[String]) -> bool {
        let Some(host) = Url::parse(&self.url).ok().and_then(|url| host(&url)) else {
            return false;
        };
        hosts.iter().any(|wanted| {
            host.strip_suffix(wanted.as_str())
                .is_some_and(|above| above.is_empty() || above.ends_with('.'))
        })
    }
}

fn is_on_the_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
}

fn host(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.');
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

/// The hosts that some addresses name, without `www.`; what is no address names none.
pub fn hosts(addresses: &[String]) -> Vec<String> {
    let parse = |address: &String| {
        let address = address.trim();
        let url = Url::parse(address).or_else(|_| Url::parse(&format!("https://{address}")));
        url.ok().filter(is_on_the_web).as_ref().and_then(host)
    };
    addresses.iter().filter_map(parse).collect()
}

impl Found {
    /// What was found in order: each address once, those of the wanted hosts first, so many as were wanted. An answer
    /// that nothing supports is dropped.
    fn settled(self, query: &Query) -> Self {
        let wanted = hosts(&query.urls);
        // The sources of an answer stay all; without one of them it could not be checked.
        let count = if self.answer.is_some() { HITS_MAX } else { query.count.clamp(1, HITS_MAX) };
        let is_first = |at: &usize| {
            let earlier = self.hits[..*at].iter().any(|hit| hit.url == self.hits[*at].url);
            !earlier
        };
        let mut order: Vec<usize> =
            (0..self.hits.len().min(ENTRIES_MAX)).filter(is_first).collect();
        order.sort_by_key(|at| !self.hits[*at].is_on(&wanted));
        order.truncate(count);
        let place = |old: &usize| {
            let url = &self.hits.get(*old)?.url;
            order.iter().position(|at| self.hits[*at].url == *url)
        };
        let mut claims = Vec::new();
        for claim in self.claims.into_iter().take(CLAIMS_MAX) {
            let mut hits: Vec<usize> = claim.hits.iter().filter_map(place).collect();
            hits.sort_unstable();
            hits.dedup();
            let text = plain(&claim.text, SNIPPET_MAX);
            if !hits.is_empty() && !text.is_empty() {
                claims.push(Claim { text, hits });
            }
        }
        let hits = order.iter().map(|at| self.hits[*at].clone()).collect();
        let answer = self.answer.map(|answer| text::lines(&answer, ANSWER_MAX));
        let answer = answer.filter(|answer| !answer.is_empty() && !claims.is_empty());
        let searched = self.searched.iter().map(|query| plain(query, TEXT_MAX));
        let searched = searched.filter(|query| !query.is_empty()).take(HITS_MAX).collect();
        Self { answer, claims, hits, searched, is_partial: self.is_partial }
    }
}

/// Why nothing was searched. Nothing here quotes a service's words, which may quote the question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The network or the service failed in a way that may pass: no connection, a broken one, no answer in time, too
    /// many questions (429), 502, 503.
    #[error("the web search does not answer at the moment")]
    Transient {
        /// Its status, where it gave one.
        status: Option<u16>,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// It does not take the question: the key, the plan or a setting is wrong, or the question is not allowed.
    #[error("the web search refused the question")]
    Refused {
        /// Its status, where it gave one.
        status: Option<u16>,
    },
    /// What came is no answer.
    #[error("the web search answered with {0}")]
    BadAnswer(&'static str),
    /// It cannot be set up as it is written.
    #[error("the web search cannot be set up. hint: check `[search]`")]
    Misconfigured,
}

impl Error {
    /// The word in logs.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Transient { .. } => "transient",
            Self::Refused { .. } => "refused",
            Self::BadAnswer(_) => "bad_answer",
            Self::Misconfigured => "misconfigured",
        }
    }

    /// Its status, where it gave one.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Transient { status, .. } | Self::Refused { status } => *status,
            Self::BadAnswer(_) | Self::Misconfigured => None,
        }
    }
}

/// The configured service. Makes no connection.
pub fn open(searching: &Searching, clock: Arc<dyn Clock>) -> Result<Arc<dyn Search>, Error> {
    let wire = wire::Wire::new(searching, clock)?;
    let language = searching.language.clone();
    Ok(match &searching.engine {
        Engine::Searxng { key } => Arc::new(searxng::Searxng::new(wire, key.as_ref(), language)?),
        Engine::Brave { key } => Arc::new(brave::Brave::new(wire, key, language)?),
        Engine::Gemini { key, model } => Arc::new(gemini::Gemini::new(wire, key, model, language)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(url: &str) -> Hit {
        Hit::new("Title", url, "text", None).unwrap()
    }

    fn query(urls: &[&str], count: usize) -> Query {
        let urls = urls.iter().map(|url| (*url).to_owned()).collect();
        Query { text: "a".to_owned(), urls, count }
    }

    #[test]
    fn wanted_hosts_come_first_and_claims_follow_them() {
        let found = Found {
            answer: Some("One. Two.".to_owned()),
            claims: vec![
                Claim { text: "One.".to_owned(), hits: vec![0, 3] },
                Claim { text: "Two.".to_owned(), hits: vec![9] },
            ],
            hits: vec![
                hit("https://a.org/1"),
                hit("https://notb.org/2"),
                hit("https://www.b.org/3"),
                hit("https://a.org/1"),
                hit("https://docs.b.org/4"),
            ],
            ..Found::default()
        };
        let settled = found.settled(&query(&["b.org"], 2));
        let urls: Vec<&str> = settled.hits.iter().map(|hit| hit.url.as_str()).collect();
        assert_eq!(
            urls,
            [
                "https://www.b.org/3",
                "https://docs.b.org/4",
                "https://a.org/1",
                "https://notb.org/2"
            ]
        );
        assert_eq!(settled.claims, [Claim { text: "One.".to_owned(), hits: vec![2] }]);
        assert_eq!(settled.answer.as_deref(), Some("One. Two."));
    }

    #[test]
    fn an_answer_without_a_source_is_dropped() {
        let found = Found {
            answer: Some("Believe me.".to_owned()),
            hits: vec![hit("https://a.org/"); 3],
            ..Found::default()
        };
        let settled = found.settled(&query(&[], 2));
        assert_eq!((settled.answer, settled.hits.len()), (None, 1));
    }

    #[test]
    fn a_hit_is_plain_and_on_the_web() {
        for address in [
            "javascript:alert(1)",
            "data:text/html,a",
            "/relative",
            "",
            "ftp://a.org",
            "https://ada:secret@a.org/",
        ] {
            assert_eq!(Hit::new("a", address, "b", None), None, "{address}");
        }
        let made = Hit::new("\u{202e}a\u{0}\n b", "https://a.org", &"é ".repeat(900), Some(""));
        let made = made.unwrap();
        assert_eq!((made.title.as_str(), made.published), ("a b", None));
        assert_eq!(made.snippet.chars().count(), SNIPPET_MAX);
        assert_eq!(Hit::new(" ", "https://a.org", "", None).unwrap().title, "a.org");
    }
}
