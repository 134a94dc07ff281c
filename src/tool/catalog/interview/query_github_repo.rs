//! `query_github_repo`: what a repository shows of somebody's work. Not configured until the
//! design below is agreed.
//!
//! Design brief:
//! - **Scopes.** Public repositories only, by a GitHub App of the operator with `metadata: read` and `contents: read`;
//!   no personal token of the participant, no organisation access, nothing that can write.
//! - **Token storage.** The App's private key comes from a file named in the configuration, on a Mac from the
//!   Keychain; installation tokens live one hour and in memory only, as a `SecretString`, never in store or log.
//! - **Rates.** 5,000 requests an hour for an App; at most 20 a session, conditional requests with `ETag`s, results kept
//!   five minutes, `Retry-After` and `x-ratelimit-reset` honoured, one request at a time (GitHub's secondary limits).
//! - **Failure.** Private or missing: the participant is told that the repository cannot be seen and may send files.
//!   Rate limited: told that it can be tried again later. Not set up: a fixed sentence. The interview goes on each time.

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::tool::{EffectClass, Tool, ToolCx, ToolError, ToolResult, ToolSpec};

/// Says that repositories cannot be read here.
#[derive(Debug)]
pub(crate) struct QueryGithubRepo(ToolSpec);

impl Default for QueryGithubRepo {
    fn default() -> Self {
        let description = "Look at a GitHub repository that the participant named, for evidence \
            of their work.";
        let spec = ToolSpec::new("query_github_repo", description, EffectClass::Pure, schema());
        Self(ToolSpec {
            doing: "Looking at the repository…",
            done: "Looked at the repository",
            ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["repoUrl"],
        "properties": {
            "repoUrl": { "type": "string", "description": "GitHub repository URL" }
        }
    })
}

#[async_trait]
impl Tool for QueryGithubRepo {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, _cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        Err(ToolError::NotConfigured("GitHub analysis"))
    }
}
