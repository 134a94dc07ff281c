//! What a call that failed means for what it was to do.

use std::time::Duration;

use hyper_util::client::legacy;
use serde_json::Value;
use slack_morphism::errors::{SlackClientApiError, SlackClientError};

use super::{
    Method,
    refusals::{WAIT_UNSAID, class},
};
use crate::{
    chat::refusal::Class, gateway::slack::installations::NoToken, model::effect::CauseKind,
};

/// Why a call did not come to an answer. Neither the token nor what was sent is ever in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nothing happened; the same call may be made again after a while: Slack asks to wait, or the bot keeps its own rate.
    #[error("Slack takes no call for {} s", after.as_secs().max(1))]
    Later {
        /// How long.
        after: Duration,
    },
    /// Nothing happened: nobody was reached.
    #[error("Slack cannot be reached")]
    Unreachable,
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
    /// Nothing happened: Slack does not accept the token, which is kept and asked about again.
    #[error("Slack does not accept the token of this workspace")]
    TokenRejected,
    /// The app is not installed there.
    #[error("the app is not installed in this workspace")]
    NotInstalled,
}

impl Failure {
    /// The code with which Slack refused, where it did.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { error, .. } => Some(error),
            Self::Later { .. }
            | Self::Unreachable
            | Self::Unclear { .. }
            | Self::TokenRejected
            | Self::NotInstalled => None,
        }
    }

    /// How long to wait before the same call, where nothing happened and nothing has to be mended but time.
    pub(in crate::gateway::slack) const fn wait(&self) -> Option<Duration> {
        match self {
            Self::Later { after } => Some(*after),
            Self::Unreachable => Some(WAIT_UNREACHABLE),
            _ => None,
        }
    }

    /// What it means for what the call was to do.
    pub(in crate::gateway::slack) fn class(&self) -> Class {
        match self {
            Self::Later { after } => Class::Later { after: *after },
            Self::Unreachable => Class::Blocked(CauseKind::Unreachable),
            Self::Unclear { .. } => Class::Unclear,
            Self::Refused { error, .. } => class(error),
            Self::TokenRejected => Class::Blocked(CauseKind::TokenRejected),
            Self::NotInstalled => Class::Blocked(CauseKind::NotInstalled),
        }
    }

    /// The word for it in metrics.
    pub(super) const fn outcome(&self) -> &'static str {
        match self {
            Self::Later { .. } => "later",
            Self::Unreachable => "unreachable",
            Self::Unclear { .. } => "unclear",
            Self::Refused { .. } => "refused",
            Self::TokenRejected => "token_rejected",
            Self::NotInstalled => "not_installed",
        }
    }
}

impl From<NoToken> for Failure {
    fn from(why: NoToken) -> Self {
        match why {
            NoToken::Rejected => Self::TokenRejected,
            NoToken::NotInstalled => Self::NotInstalled,
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

/// When nobody answered.
const WAIT_UNREACHABLE: Duration = Duration::from_secs(3);

/// Longest wait that is believed.
const WAIT_MAX: Duration = Duration::from_hours(1);

/// What an error of the client library means. Its own words may hold bodies, so they are never passed on.
pub(super) fn trouble(error: &SlackClientError, method: Method) -> Trouble {
    let unclear = |why: String| Trouble::Other(Failure::Unclear { why });
    match error {
        SlackClientError::RateLimitError(limited) => {
            Trouble::Limited(limited.retry_after.unwrap_or(WAIT_UNSAID).min(WAIT_MAX))
        }
        SlackClientError::ApiError(refusal) => refused(refusal),
        SlackClientError::HttpError(http) => match http.status_code.as_u16() {
            502..=504 if method.is_harmless() => Trouble::Other(Failure::Unreachable),
            status @ (408 | 500..=599) => unclear(format!("status {status}")),
            status => Trouble::Other(Failure::Refused {
                error: format!("http_{status}"),
                messages: Vec::new(),
            }),
        },
        SlackClientError::HttpProtocolError(cut) => {
            let cause = cut.cause.as_deref().and_then(|cause| cause.downcast_ref());
            if cause.is_some_and(legacy::Error::is_connect) {
                Trouble::Other(Failure::Unreachable)
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
    match class(&code) {
        Class::Later { after } => Trouble::Limited(after),
        Class::Blocked(CauseKind::TokenRejected) => Trouble::BadToken(code),
        Class::Unclear => Trouble::Other(Failure::Unclear { why: code }),
        _ => Trouble::Other(Failure::Refused { error: code, messages: places(&body) }),
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
