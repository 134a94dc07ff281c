//! `analyze_website_tech_stack`: what a website is made with, as far as the code of one page shows it.
//!
//! ```json
//! { "url": "https://example.org/", "scanned_at": "2026-01-05T10:00:00Z",
//!   "technologies": [
//!     { "name": "WordPress", "category": "cms", "evidence": [{ "where": "meta generator", "text": "WordPress 6.4" }] },
//!     { "name": "PHP", "category": "language", "implied_by": ["WordPress"] } ],
//!   "observations": { "focus": "ai_opportunities", "found": [], "not_found": ["No live chat …"] },
//!   "limits": "One page was read, as it is sent …" }
//! ```
//!
//! The page is opened by the guarded client alone, and only where the website's `robots.txt` allows it to this program; it
//! may take twelve seconds and two megabytes. Its scripts are not run and no other page is opened, so what was not found
//! may still be there: that is said with every result. What a focus asks for is told as what was and was not found, and
//! nothing is made of it. A call changes nothing here and can be repeated.

pub mod focus;
mod page;
pub mod prints;
pub mod robots;

use std::time::Duration;

use async_trait::async_trait;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::{
    focus::{Focus, Observations},
    page::Page,
    prints::{Detection, Prints},
    robots::Robots,
};
use crate::{
    net::fetch::{Error, Fetched, Fetcher, Head, Limits, Media},
    tool::{
        EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args, stamp,
    },
};

/// What the page may take; with the rules of two sites it stays below the time of an attempt.
const PAGE: Limits = Limits {
    max_bytes: 2 * 1024 * 1024,
    answer: Duration::from_secs(8),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(12),
    wanted: &[Media::Html],
};

/// What a site's rules may take: twice what every reader of them must take in.
const RULES: Limits = Limits {
    max_bytes: 1024 * 1024,
    answer: Duration::from_secs(4),
    idle: Duration::from_secs(4),
    total: Duration::from_secs(5),
    wanted: &[Media::Text, Media::Html],
};

const LIMITS: &str = "One page was read, as it is sent and without running its scripts. What is added later, stands on \
    other pages or is hidden on purpose is not seen.";

#[derive(Debug, Deserialize)]
struct Args {
    url: String,
    focus: Option<Focus>,
}

#[derive(Debug, Serialize)]
struct Response {
    url: String,
    scanned_at: String,
    technologies: Vec<Detection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observations: Option<Observations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    limits: &'static str,
}

/// Looks at websites.
#[derive(Debug)]
pub(crate) struct AnalyzeWebsiteTechStack(ToolSpec);

impl Default for AnalyzeWebsiteTechStack {
    fn default() -> Self {
        let description = "Look at a website that the person named and tell which technologies its code shows, each with \
            the place where it shows. With `focus`, also what of that area was and was not found on the page. Report what \
            was found as observations; the result holds no figures about benefits, so state none.";
        let name = "analyze_website_tech_stack";
        let spec = ToolSpec::new(name, description, EffectClass::Pure, schema());
        Self(ToolSpec {
            doing: "Looking at the website…",
            done: "Looked at the website",
            enveloped: true,
            capability: Some("search"),
            ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["url"],
        "properties": {
            "url": {
                "type": "string",
                "minLength": 1,
                "maxLength": 2048,
                "description": "Address of the website, with or without https://"
            },
            "focus": {
                "type": "string",
                "enum": ["ai_opportunities", "marketing_stack"],
                "description": "Area of which is told what was and was not found"
            }
        }
    })
}

#[async_trait]
impl Tool for AnalyzeWebsiteTechStack {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { url, focus } = parse_args(args)?;
        let fetcher = cx.services.fetcher.as_deref();
        let fetcher = fetcher.ok_or(ToolError::NotConfigured("Opening websites"))?;
        let page = read_allowed(fetcher, &with_scheme(&url)).await?;
        // Two megabytes of code are no work for a thread that others wait for.
        let (url, scanned_at) = (shown(&page.url), stamp(cx.now));
        let seen = tokio::task::spawn_blocking(move || scan(&page.head, &page.bytes, focus)).await;
        let seen = seen.map_err(|_| unexpected())?;
        let (technologies, observations) = seen.map_err(|_| unexpected())?;
        let note = "Nothing that is known here was found. That does not mean that the website uses nothing.";
        let note = technologies.is_empty().then_some(note);
        let limits = LIMITS;
        let response = Response { url, scanned_at, technologies, observations, note, limits };
        Ok(Outcome::Immediate(json!(response)))
    }
}

/// An address as people say it, `example.org`, is one of the web.
fn with_scheme(url: &str) -> String {
    let url = url.trim();
    // A port is no scheme: `example.org:8080`.
    let is_bare = match url.split_once(':') {
        None => true,
        Some((before, after)) => {
            before.contains('.') && after.starts_with(|c: char| c.is_ascii_digit())
        }
    };
    if is_bare && !url.is_empty() { format!("https://{url}") } else { url.to_owned() }
}

/// An address without its query, which may name a person.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.into()
}

/// The page, where the rules of its site allow it; those of the site it leads to as well.
async fn read_allowed(fetcher: &Fetcher, url: &str) -> Result<Fetched, ToolError> {
    let wanted = fetcher.check(url).map_err(failed)?;
    ask_rules(fetcher, &wanted).await?;
    let page = fetcher.get(wanted.as_str(), PAGE).await.map_err(failed)?;
    if page.url != wanted {
        ask_rules(fetcher, &page.url).await?;
    }
    Ok(page)
}

/// Fails where the site's rules forbid a page to this program, or cannot be read (RFC 9309, 2.3.1).
async fn ask_rules(fetcher: &Fetcher, page: &Url) -> Result<(), ToolError> {
    let Ok(rules) = page.join("/robots.txt") else { return Err(failed(Error::Address)) };
    let text = match fetcher.get(rules.as_str(), RULES).await {
        Ok(file) => String::from_utf8_lossy(&file.bytes).into_owned(),
        // There are no rules.
        Err(Error::Missing | Error::SignIn | Error::Unwanted(_) | Error::Disguised) => {
            return Ok(());
        }
        Err(Error::Status(code)) if (400..500).contains(&code) && code != 429 => return Ok(()),
        Err(Error::TooLarge(_)) => return Err(forbidden("are too long to be read")),
        Err(error) => return Err(failed(error)),
    };
    let path = match page.query() {
        Some(query) => format!("{}?{query}", page.path()),
        None => page.path().to_owned(),
    };
    if Robots::read(&text).allow(&path) { Ok(()) } else { Err(forbidden("do not allow it")) }
}

fn forbidden(why: &str) -> ToolError {
    let message = format!(
        "I did not look at that page: the website's rules for programs (robots.txt) {why}. hint: ask the person what they use"
    );
    ToolError::PermissionDenied(message)
}

fn failed(error: Error) -> ToolError {
    let message = error.to_string();
    match error {
        Error::Address | Error::Scheme | Error::Credentials | Error::Port => {
            ToolError::InvalidParameters(message)
        }
        Error::Status(code) if !matches!(code, 408 | 429 | 502..=504) => {
            ToolError::ExecutionFailed(message)
        }
        error if error.is_transient() => ToolError::Transient { message, retry_after: None },
        _ => ToolError::ExecutionFailed(message),
    }
}

fn unexpected() -> ToolError {
    ToolError::ExecutionFailed("the page could not be looked at".to_owned())
}

/// What a page as it was sent shows of how it is made, and of what somebody looks for.
///
/// # Errors
///
/// The fingerprints in the box cannot be read, which a test rules out.
pub fn scan(
    head: &Head,
    html: &[u8],
    focus: Option<Focus>,
) -> Result<(Vec<Detection>, Option<Observations>), prints::BadPrints> {
    let prints = Prints::shipped()?;
    let page = Page::read(&String::from_utf8_lossy(html));
    let technologies = prints.found(head, &page);
    let observations = focus.map(|focus| focus.observe(&technologies, &page));
    Ok((technologies, observations))
}
