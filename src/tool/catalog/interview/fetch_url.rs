//! `fetch_url`: the text of a web page. Not configured until the design below is agreed.
//!
//! Design brief:
//! - **Scopes.** Public pages need none and get none: no cookies, no credentials, never those of the operator or of a
//!   chat platform. Pages behind a sign-in are out of scope; people can send them as files.
//! - **Token storage.** There is no token. Should a reading service with a key be used, the key comes from the
//!   environment or a file (as every secret does), is named in the configuration by `key_env`, and is never stored.
//! - **Reach.** One guarded client: `http` and `https` only, public addresses only, checked after name resolution and
//!   again on every redirect (at most three), 5 MiB, 10 seconds, content sniffed, text extracted in the child process
//!   that reads documents. What a page says is data, fenced before a model sees it.
//! - **Rates.** Ten fetches a session, one at a time to a host, `Retry-After` honoured, results kept five minutes;
//!   `robots.txt` of the host is respected.
//! - **Failure.** The participant is told in the conversation which page could not be read and is asked to paste the
//!   text or to send a file; the model gets an error with a code and the interview goes on.

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::tool::{EffectClass, Tool, ToolCx, ToolError, ToolResult, ToolSpec};

/// Says that web pages cannot be read here.
#[derive(Debug)]
pub(crate) struct FetchUrl(ToolSpec);

impl Default for FetchUrl {
    fn default() -> Self {
        let description = "Read the text of a web page that the participant named.";
        let spec = ToolSpec::new("fetch_url", description, EffectClass::Pure, schema());
        Self(ToolSpec { doing: "Opening the page…", done: "Opened the page", ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["url"],
        "properties": {
            "url": { "type": "string", "format": "uri", "description": "URL to fetch" }
        }
    })
}

#[async_trait]
impl Tool for FetchUrl {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        Err(ToolError::NotConfigured("Fetching web pages"))
    }
}
