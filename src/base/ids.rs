//! Identifier newtypes with readable prefixes; the only place that mints them.

use std::{
    fmt,
    str::FromStr,
    sync::atomic::{AtomicU64, Ordering},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

/// Mints identifiers. Injected, so that a test can repeat a run to the letter.
pub trait Ids: fmt::Debug + Send + Sync {
    /// A value that was never handed out before.
    fn fresh(&self) -> Uuid;
}

/// Time-ordered random identifiers (`UUIDv7`).
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl Ids for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "the one place that mints ids")]
    fn fresh(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// Identifiers that count up from one, for tests.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl Clone for CountingIds {
    /// Counts on from here, by itself.
    fn clone(&self) -> Self {
        Self(AtomicU64::new(self.0.load(Ordering::Relaxed)))
    }
}

impl Ids for CountingIds {
    fn fresh(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

/// Text that is not an identifier of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id of the form `{prefix}…`")]
pub struct BadId {
    /// What was given.
    pub text: String,
    /// The prefix that ids of this kind have.
    pub prefix: &'static str,
}

/// Digits of an identifier in text.
const DIGITS: usize = 32;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(Uuid);

        impl $name {
            /// A new identifier.
            pub fn mint(ids: &dyn Ids) -> Self {
                Self(ids.fresh())
            }

            /// The bare value, for compact keys.
            pub const fn uuid(self) -> Uuid {
                self.0
            }

            /// The smallest one whose text may begin with `text`; `None` if no text of one does.
            pub fn first_beginning_with(text: &str) -> Option<Self> {
                let Some(digits) = text.strip_prefix($prefix) else {
                    return $prefix.starts_with(text).then_some(Self(Uuid::nil()));
                };
                let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
                if digits.len() > DIGITS || !digits.chars().all(is_digit) {
                    return None;
                }
                Uuid::try_parse(&format!("{digits:0<DIGITS$}")).ok().map(Self)
            }

            /// Wraps a bare value read from a compact key.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// 22 characters of base64url, for element ids of chat platforms.
            pub fn short(self) -> String {
                URL_SAFE_NO_PAD.encode(self.0.as_bytes())
            }

            /// Reads what [`Self::short`] wrote.
            pub fn from_short(text: &str) -> Option<Self> {
                let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
                Uuid::from_slice(&bytes).ok().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0.simple())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                text.strip_prefix($prefix)
                    .and_then(|rest| Uuid::try_parse(rest).ok())
                    .map(Self)
                    .ok_or_else(|| BadId { text: text.to_owned(), prefix: $prefix })
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadId;

            fn try_from(text: String) -> Result<Self, BadId> {
                text.parse()
            }
        }
    };
}

id!(/// One person's run through one flow: `ses_…`.
    SessionId, "ses_");
id!(/// A suspended call: `wait_…`.
    WaitId, "wait_");
id!(/// Something queued for the outside: `eff_…`; doubles as its idempotency key.
    EffectId, "eff_");
id!(/// What `persist_data` or a review stored: `record_…`.
    RecordId, "record_");
id!(/// A file that somebody sent: `upload_…`.
    ArtifactId, "upload_");

/// Names one tool call within its session. The model chooses it, or the script: `step_rules_1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(String);

impl CallId {
    /// Wraps a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_text_and_short_forms() {
        let id = WaitId::mint(&RandomIds);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(WaitId::from_short(&id.short()), Some(id));
        assert_eq!(id.short().len(), 22);
        assert!("ses_1".parse::<WaitId>().is_err());
    }
}
