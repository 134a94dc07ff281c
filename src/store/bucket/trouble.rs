//! What is wrong with a bucket, and what to do about it. What a service says is shortened to its code: it may repeat parts
//! of the request.

use std::iter;

use object_store::client::HttpError;

use super::connector::cause;

/// Longest code of a service that is repeated.
const CODE_MAX: usize = 64;

/// Why a file could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such object.
    #[error("there is no such object")]
    NoObject,
    /// The key is wrong, or not for this.
    #[error(
        "the bucket `{bucket}` refuses access ({code}). hint: check the access key and its permissions, and this machine's clock"
    )]
    Refused {
        /// Its name.
        bucket: String,
        /// The service's word.
        code: String,
    },
    /// There is no such bucket.
    #[error(
        "there is no bucket `{bucket}`. hint: create it, or check `bucket`, `region` and `endpoint` under `[s3]`"
    )]
    NoBucket {
        /// Its name.
        bucket: String,
    },
    /// It is in another region.
    #[error(
        "the bucket `{bucket}` is somewhere else ({code}). hint: check `region` and `endpoint` under `[s3]`"
    )]
    Elsewhere {
        /// Its name.
        bucket: String,
        /// The service's word.
        code: String,
    },
    /// The service cannot be reached.
    #[error(
        "the bucket `{bucket}` cannot be reached: {cause}. hint: check `endpoint` under `[s3]`, and the network"
    )]
    Unreachable {
        /// Its name.
        bucket: String,
        /// Why.
        cause: String,
    },
    /// It takes too long.
    #[error(
        "the bucket `{bucket}` does not answer in time. hint: check the service and the network"
    )]
    Late {
        /// Its name.
        bucket: String,
    },
    /// The service fails.
    #[error(
        "the bucket `{bucket}` answers with an error ({code}). hint: look in the log of the service"
    )]
    Failed {
        /// Its name.
        bucket: String,
        /// The service's word.
        code: String,
    },
    /// What was put there is not found.
    #[error(
        "the bucket `{bucket}` does not return what was put there. hint: use a service that lists and returns objects as soon as they are stored"
    )]
    Odd {
        /// Its name.
        bucket: String,
    },
    /// Requests cannot be made at all.
    #[error("the client for the bucket `{bucket}` cannot be made: {cause}. hint: check `[s3]`")]
    Client {
        /// Its name.
        bucket: String,
        /// Why.
        cause: String,
    },
}

impl Error {
    pub(super) fn client(bucket: &str, error: &(dyn std::error::Error + 'static)) -> Self {
        Self::Client { bucket: bucket.to_owned(), cause: cause(error) }
    }

    pub(super) fn of(bucket: &str, error: &object_store::Error) -> Self {
        use object_store::Error as Told;
        let bucket = bucket.to_owned();
        let text = error.to_string();
        let code = code(&text);
        let named = |usual: &str| code.clone().unwrap_or_else(|| usual.to_owned());
        match (error, code.as_deref()) {
            (_, Some("NoSuchBucket")) => Self::NoBucket { bucket },
            (
                _,
                Some(
                    "PermanentRedirect"
                    | "AuthorizationHeaderMalformed"
                    | "IllegalLocationConstraintException",
                ),
            ) => Self::Elsewhere { bucket, code: named("redirect") },
            (Told::NotFound { .. }, _) => Self::NoObject,
            (_, Some("AccessDenied")) | (Told::PermissionDenied { .. }, _) => {
                Self::Refused { bucket, code: named("403") }
            }
            (Told::Unauthenticated { .. }, _) => Self::Refused { bucket, code: named("401") },
            _ => match transport(error) {
                Some(cause) => Self::Unreachable { bucket, cause },
                None if text.contains("redirect") || text.contains("status code: 3") => {
                    Self::Elsewhere { bucket, code: named("redirect") }
                }
                None => Self::Failed { bucket, code: named(status(&text).unwrap_or("no code")) },
            },
        }
    }
}

/// Why there was no answer, where there was none.
fn transport(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut all = iter::successors(Some(error), |&error| error.source());
    let http = all.find_map(|error| error.downcast_ref::<HttpError>())?;
    Some(cause(http))
}

/// `…<Code>SlowDown</Code>…` as `SlowDown`, and so `… (code: SlowDown)`, of an object that is not removed.
fn code(text: &str) -> Option<String> {
    let within = |before, after| Some(text.split_once(before)?.1.split_once(after)?.0);
    let code = within("<Code>", "</Code>").or_else(|| within("(code: ", ")"))?;
    let is_word = code.len() <= CODE_MAX && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_word && !code.is_empty()).then(|| code.to_owned())
}

/// `… status code: 503 Service Unavailable: …` as `503`.
fn status(text: &str) -> Option<&str> {
    text.split_once("status code: ")?
        .1
        .get(..3)
        .filter(|code| code.bytes().all(|byte| byte.is_ascii_digit()))
}
