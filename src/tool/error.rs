//! How a call fails, as the model and the user are told.

use std::time::Duration;

use crate::{model::transcript::CallResult, session::topics::FORBIDDEN};

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The arguments do not fit; the text names the schema path and what was expected.
    #[error("{0}")]
    InvalidParameters(String),
    /// It did not work.
    #[error("{0}")]
    ExecutionFailed(String),
    /// It took too long.
    #[error("no answer within {} seconds", .0.as_secs())]
    Timeout(Duration),
    /// The person cancelled.
    #[error("the user cancelled")]
    UserCancelled,
    /// It is not allowed here.
    #[error("{0}")]
    PermissionDenied(String),
    /// It asks about a topic of the flow's `never_ask`.
    #[error(
        "you must never ask about {0}; nothing was shown. hint: ask something else, or go on without it"
    )]
    ForbiddenQuestion(String),
    /// The operator has not set it up; keeps its fixed sentence.
    #[error("{0} is not configured. Please skip for now.")]
    NotConfigured(&'static str),
    /// What the call remembered is no longer understood: the tool changed since it asked.
    #[error("the tool has changed since it asked. hint: call it again")]
    Changed,
    /// It may work later: the pipeline retries.
    #[error("{message}")]
    Transient {
        /// What went wrong.
        message: String,
        /// When the other side wants to be asked again.
        retry_after: Option<Duration>,
    },
}

impl ToolError {
    /// The code in a tool result.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidParameters(_) => "invalid_parameters",
            Self::ExecutionFailed(_) => "execution_failed",
            Self::Timeout(_) => "timeout",
            Self::UserCancelled => "user_cancelled",
            Self::PermissionDenied(_) => "permission_denied",
            Self::ForbiddenQuestion(_) => FORBIDDEN,
            Self::NotConfigured(_) => "not_configured",
            Self::Changed => "tool_changed",
            Self::Transient { .. } => "transient",
        }
    }
}

impl From<ToolError> for CallResult {
    fn from(error: ToolError) -> Self {
        Self::Err { code: error.code().to_owned(), message: error.to_string() }
    }
}
