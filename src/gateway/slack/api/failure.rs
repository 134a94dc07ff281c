//! What a call that failed means for what it was to do.

use std::time::Duration;

use hyper_util::client::legacy;
use serde_json::Value;
use slack_morphism::errors::{SlackClientApiError, SlackClientError};

/// Why a call did not come to an answer. Neither the token nor what was sent is ever in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nothing happened; the same call may be made again after a while: Slack asks to wait, the bot keeps its own rate, or
    /// nobody was reached.
    #[error("Slack takes no call for {} s, or was not reached", after.as_secs().max(1))]
    Later {
        /// How long.
        after: Duration,
    },
    /// It may have happened: look before doing it again.
    #[error("no clear answer from Slack: {why}")]
    Unclear {
        /// Why nobody knows.
        why: String,
    },
    /// Slack said no; the same call is refused again.
    #[error("Slack refused: {error}")]
    Refused {
        /// Slack's code: `channel_not_found`.
        error: String,
        /// Where in the call the mistake is, as JSON pointers, and which scope is missing: no content.
        messages: Vec<String>,
    },
    /// The app is not installed there, or its token is not valid any more.
    #[error("the app is not installed in this workspace")]
    NotInstalled,
}

impl Failure {
    /// The code with which Slack refused, where it did.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { error, .. } => Some(error),
            Self::Later { .. } | Self::Unclear { .. } | Self::NotInstalled => None,
        }
    }

    /// The word for it in metrics.
    pub(super) const fn outcome(&self) -> &'static str {
        match self {
            Self::Later { .. } => "later",
            Self::Unclear { .. } => "unclear",
            Self::Refused { .. } => "refused",
            Self::NotInstalled => "not_installed",
        }
    }
}

/// How a call failed, before anybody has drawn conclusions about the token.
#[derive(Debug)]
pub(super) enum Trouble {
    /// 429, and how long to wait.
    Limited(Duration),
    /// The token is not good (any more): Slack's code.
    BadToken(String),
    /// Anything else.
    Other(Failure),
}

/// When Slack does not say how long to wait.
const WAIT_UNSAID: Duration = Duration::from_secs(5);

/// When nobody answered.
const WAIT_UNREACHABLE: Duration = Duration::from_secs(3);

/// Longest wait that is believed.
const WAIT_MAX: Duration = Duration::from_hours(1);

/// Codes that speak of the token.
const BAD_TOKEN: [&str; 7] = [
    "account_inactive",
    "app_uninstalled",
    "invalid_auth",
    "not_authed",
    "token_expired",
    "token_revoked",
    "team_access_not_granted",
];

/// Codes after which "it is possible some aspect of the operation succeeded" (docs.slack.dev).
const UNCLEAR: [&str; 5] = [
    "fatal_error",
    "internal_error",
    "request_timeout",
    "service_unavailable",
    "team_added_to_org",
];

/// What an error of the client library means. Its own words may hold bodies, so they are never passed on.
pub(super) fn trouble(error: &SlackClientError) -> Trouble {
    let unclear = |why: String| Trouble::Other(Failure::Unclear { why });
    match error {
        SlackClientError::RateLimitError(limited) => {
            Trouble::Limited(limited.retry_after.unwrap_or(WAIT_UNSAID).min(WAIT_MAX))
        }
        SlackClientError::ApiError(refusal) => refused(refusal),
        SlackClientError::HttpError(http) => match http.status_code.as_u16() {
            status @ (408 | 500..=599) => unclear(format!("status {status}")),
            status => Trouble::Other(Failure::Refused {
                error: format!("http_{status}"),
                messages: Vec::new(),
            }),
        },
        SlackClientError::HttpProtocolError(cut) => {
            let cause = cut.cause.as_deref().and_then(|cause| cause.downcast_ref());
            if cause.is_some_and(legacy::Error::is_connect) {
                Trouble::Other(Failure::Later { after: WAIT_UNREACHABLE })
            } else {
                unclear("the connection was cut".to_owned())
            }
        }
        SlackClientError::ProtocolError(_) => unclear("the answer is not JSON".to_owned()),
        SlackClientError::EndOfStream(_)
        | SlackClientError::SystemError(_)
        | SlackClientError::SocketModeProtocolError(_) => {
            unclear("the answer broke off".to_owned())
        }
    }
}

fn refused(refusal: &SlackClientApiError) -> Trouble {
    let body = refusal.http_response_body.as_deref().unwrap_or_default();
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let code = code(&refusal.code);
    if matches!(code.as_str(), "ratelimited" | "rate_limited") {
        Trouble::Limited(WAIT_UNSAID)
    } else if BAD_TOKEN.contains(&code.as_str()) {
        Trouble::BadToken(code)
    } else if UNCLEAR.contains(&code.as_str()) {
        Trouble::Other(Failure::Unclear { why: code })
    } else {
        Trouble::Other(Failure::Refused { error: code, messages: places(&body) })
    }
}

/// A code is a word; anything else is not passed on.
fn code(written: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !written.is_empty() && written.len() <= 80 && written.chars().all(is_word) {
        written.to_owned()
    } else {
        "unknown_error".to_owned()
    }
}

/// `response_metadata.messages` quote what was sent; only their pointers are kept. A missing scope is named.
fn places(body: &Value) -> Vec<String> {
    let messages = body["response_metadata"]["messages"].as_array();
    let pointers = messages.into_iter().flatten().filter_map(Value::as_str).filter_map(|message| {
        let (_, after) = message.split_once("[json-pointer:")?;
        let (pointer, _) = after.split_once(']')?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/_-.".contains(c);
        pointer.chars().all(is_plain).then(|| pointer.to_owned())
    });
    let scopes = body["needed"]
        .as_str()
        .filter(|needed| needed.chars().all(|c| c.is_ascii_alphanumeric() || ".:,_ ".contains(c)));
    pointers.chain(scopes.map(|scopes| format!("needed: {scopes}"))).take(20).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{code, places};

    #[test]
    fn what_was_sent_is_not_passed_on() {
        let body = json!({"error": "invalid_blocks", "needed": "chat:write", "response_metadata": {"messages": [
            "[ERROR] must be less than 76 characters: `Ada's secret` [json-pointer:/blocks/0/elements/1/text]",
            "[ERROR] no more than 50 items allowed",
        ]}});
        assert_eq!(places(&body), ["/blocks/0/elements/1/text", "needed: chat:write"]);
        assert_eq!(code("Sorry, <b>Ada</b>"), "unknown_error");
    }
}
