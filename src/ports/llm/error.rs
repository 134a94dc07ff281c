//! How a call of a model fails, by what can be done about it.

use std::{fmt, time::Duration};

use super::quirks::Quirk;

/// Why there is no answer. A provider's own sentence is in [`Told`], for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The network or the provider failed; the same may work later.
    #[error(
        "the model's provider failed{told}. hint: nothing to do if this passes; else see its status page"
    )]
    Transient {
        /// What it said.
        told: Told,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// Too many requests or tokens in a time.
    #[error(
        "the model's provider asks for fewer requests{told}. hint: lower `concurrent`, or raise the account's limits"
    )]
    RateLimited {
        /// What it said.
        told: Told,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// It took too long.
    #[error("the model {0}. hint: raise `{key}` if it is always so slow", key = .0.key())]
    Timeout(Stage),
    /// The stream ended before the answer did.
    #[error("the model's answer broke off")]
    Cut,
    /// What came is no answer.
    #[error("the model's provider answered with {0}")]
    BadAnswer(Fault),
    /// The conversation is longer than the model can read: send less.
    #[error("the conversation is too long for the model{0}")]
    Overflow(Told),
    /// The provider will not answer this.
    #[error("the model's provider refuses to answer{0}")]
    Refused(Told),
    /// Key, address, model or a setting is wrong; only the operator can help.
    #[error(
        "the model's provider does not take the request{0}. hint: check `base_url`, `model`, the key and `dialect`"
    )]
    Misconfigured(Told),
    /// The account has no money or quota left; only the operator can help.
    #[error("the account with the model's provider is used up{0}. hint: top it up")]
    Exhausted(Told),
    /// Too many calls of this purpose are in flight already.
    #[error(
        "too many calls of the model are in flight. hint: raise `concurrent` if the provider can take it"
    )]
    Busy,
    /// The provider failed so often that it is not asked for a while.
    #[error("the model's provider is left alone for {} s after repeated failures", .0.as_secs())]
    Resting(Duration),
    /// The request is larger than the purpose's bound.
    #[error("the request has {bytes} bytes, more than {max}. hint: raise `request_mb`")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The bound.
        max: usize,
    },
    /// The request is not in order; a mistake of ours.
    #[error("the request to the model is not in order: {0}")]
    Invalid(&'static str),
}

/// Which time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Until there was a connection.
    Connect,
    /// Until the answer began.
    FirstByte,
    /// Between two pieces of it.
    Idle,
    /// For all of it.
    Whole,
}

impl Stage {
    /// The setting that bounds it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::FirstByte => "first_byte",
            Self::Idle => "idle",
            Self::Whole => "whole",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "could not be reached in time",
            Self::FirstByte => "did not begin to answer in time",
            Self::Idle => "stopped in the middle of its answer",
            Self::Whole => "did not finish its answer in time",
        })
    }
}

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is neither JSON nor a stream.
    ContentType,
    /// It is not JSON.
    Json,
    /// It is JSON of another form.
    Shape,
    /// It is larger than the purpose's bound.
    Size,
    /// It has another number of vectors, or other ones, than were asked for.
    Vectors,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ContentType => {
                "something that is no answer. hint: `base_url` must be that of an OpenAI-compatible service"
            }
            Self::Json => "broken JSON",
            Self::Shape => {
                "JSON of an unknown form. hint: `base_url` must be that of an OpenAI-compatible service"
            }
            Self::Size => "more than can be taken in. hint: raise `response_mb` if answers are so long",
            Self::Vectors => {
                "other vectors than were asked for. hint: `model` must be one that places texts"
            }
        })
    }
}

/// What a provider said about a failure. Its sentence is for the operator and holds no words of people: the client
/// takes out what stands in the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// HTTP status.
    pub status: Option<u16>,
    /// Its code or type for the failure, where that is one word.
    pub code: Option<String>,
    /// What it says in words.
    pub said: Option<Box<Said>>,
    /// What can be done about it.
    pub quirk: Option<Quirk>,
    /// How it calls the request.
    pub request_id: Option<String>,
}

/// What a provider says about a failure in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The member of the request that it does not like.
    pub param: Option<String>,
    /// Its sentence, without what people wrote.
    pub sentence: Option<String>,
    /// Its sentence as it came.
    pub(super) raw: Raw,
}

/// A sentence that may quote people, and so is never printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Raw(pub(super) String);

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map(|status| status.to_string());
        let param = self.said.as_ref().and_then(|said| said.param.as_ref());
        let param = param.map(|param| format!("param {param}"));
        let request = self.request_id.as_ref().map(|id| format!("request {id}"));
        let parts: Vec<String> =
            [status, self.code.clone(), param, request].into_iter().flatten().collect();
        if !parts.is_empty() {
            write!(f, " ({})", parts.join(", "))?;
        }
        // A full stop in it would look like one of ours.
        let sentence = self.said.as_ref().and_then(|said| said.sentence.as_ref());
        sentence.map_or(Ok(()), |said| write!(f, ": “{}”", said.trim_end_matches('.')))
    }
}

impl Error {
    /// The word in logs and metrics.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Transient { .. } => "transient",
            Self::RateLimited { .. } => "rate_limited",
            Self::Timeout(Stage::Connect) => "timeout_connect",
            Self::Timeout(Stage::FirstByte) => "timeout_first_byte",
            Self::Timeout(Stage::Idle) => "timeout_idle",
            Self::Timeout(Stage::Whole) => "timeout_whole",
            Self::Cut => "cut",
            Self::BadAnswer(_) => "bad_answer",
            Self::Overflow(_) => "overflow",
            Self::Refused(_) => "refused",
            Self::Misconfigured(_) => "misconfigured",
            Self::Exhausted(_) => "exhausted",
            Self::Busy => "busy",
            Self::Resting(_) => "resting",
            Self::TooLarge { .. } => "too_large",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Whether the same request may succeed if it is sent again soon.
    pub const fn passes(&self) -> bool {
        match self {
            Self::Transient { .. }
            | Self::RateLimited { .. }
            | Self::Timeout(_)
            | Self::Cut
            | Self::BadAnswer(Fault::Json | Fault::Shape | Fault::Vectors) => true,
            Self::BadAnswer(Fault::ContentType | Fault::Size)
            | Self::Overflow(_)
            | Self::Refused(_)
            | Self::Misconfigured(_)
            | Self::Exhausted(_)
            | Self::Busy
            | Self::Resting(_)
            | Self::TooLarge { .. }
            | Self::Invalid(_) => false,
        }
    }

    /// Whether another provider may answer where this one did not: the request itself is not at fault.
    pub(crate) const fn lies_with_provider(&self) -> bool {
        match self {
            Self::Transient { .. }
            | Self::RateLimited { .. }
            | Self::Timeout(_)
            | Self::Cut
            | Self::BadAnswer(_)
            | Self::Misconfigured(_)
            | Self::Exhausted(_)
            | Self::Busy
            | Self::Resting(_) => true,
            Self::Overflow(_) | Self::Refused(_) | Self::TooLarge { .. } | Self::Invalid(_) => {
                false
            }
        }
    }

    /// What the provider said, to be changed; `None` if it said nothing.
    pub(crate) const fn told_mut(&mut self) -> Option<&mut Told> {
        match self {
            Self::Transient { told, .. }
            | Self::RateLimited { told, .. }
            | Self::Overflow(told)
            | Self::Refused(told)
            | Self::Misconfigured(told)
            | Self::Exhausted(told) => Some(told),
            Self::Timeout(_)
            | Self::Cut
            | Self::BadAnswer(_)
            | Self::Busy
            | Self::Resting(_)
            | Self::TooLarge { .. }
            | Self::Invalid(_) => None,
        }
    }

    /// What the provider said, where it said something.
    pub const fn told(&self) -> Option<&Told> {
        match self {
            Self::Transient { told, .. }
            | Self::RateLimited { told, .. }
            | Self::Overflow(told)
            | Self::Refused(told)
            | Self::Misconfigured(told)
            | Self::Exhausted(told) => Some(told),
            Self::Timeout(_)
            | Self::Cut
            | Self::BadAnswer(_)
            | Self::Busy
            | Self::Resting(_)
            | Self::TooLarge { .. }
            | Self::Invalid(_) => None,
        }
    }
}
