//! What a call that failed means for what it was to do.

use std::time::Duration;

use serde_json::Value;

/// Why a call did not come to an answer. Neither a token nor what was sent is ever in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nobody was reached, so nothing happened.
    #[error("Discord cannot be reached")]
    Unreachable,
    /// Nothing happened; the same call may be made again after a while: Discord asks to wait, or the bot keeps its own
    /// rate.
    #[error("Discord takes no call for {} s", after.as_secs().max(1))]
    Later {
        /// How long.
        after: Duration,
    },
    /// It may have happened: look before doing it again, or do it again where that changes nothing
    /// ([`Request::may_repeat`](crate::gateway::discord::send::Request::may_repeat)).
    #[error("no clear answer from Discord: {why}")]
    Unclear {
        /// Why nobody knows.
        why: String,
    },
    /// Discord said no; the same call is refused again.
    #[error("Discord refused: {code} (status {status}){}", listed(at))]
    Refused {
        /// What Discord says.
        code: Code,
        /// The status of the answer.
        status: u16,
        /// Where in the call the mistake is, with Discord's word for it: `components.0.label: BASE_TYPE_MAX_LENGTH`.
        /// Never what was sent.
        at: Vec<String>,
    },
    /// Discord does not take the bot's token (any more).
    #[error(
        "Discord does not take the bot's token. hint: copy it anew from the developer portal, under Bot"
    )]
    BadToken,
}

impl Failure {
    /// What Discord refused with, where it refused.
    pub const fn code(&self) -> Option<Code> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            Self::Unreachable | Self::Later { .. } | Self::Unclear { .. } | Self::BadToken => None,
        }
    }

    /// Why, for people who know nothing of statuses.
    pub fn in_words(&self) -> String {
        self.code().map_or_else(|| self.to_string(), |code| format!("Discord says: {code}"))
    }

    /// Whether Discord refused with `code`.
    pub fn is(&self, code: Code) -> bool {
        self.code() == Some(code)
    }

    /// The word for it in metrics.
    pub(super) const fn outcome(&self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Later { .. } => "later",
            Self::Unclear { .. } => "unclear",
            Self::Refused { .. } => "refused",
            Self::BadToken => "bad_token",
        }
    }

    /// A call that cannot be made at all: an id in it is none.
    pub(super) const fn no_id() -> Self {
        Self::Refused { code: Code::NoId, status: 0, at: Vec::new() }
    }
}

fn listed(at: &[String]) -> String {
    if at.is_empty() { String::new() } else { format!(": {}", at.join(", ")) }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident $number:literal),+ $(,)?) => {
        /// What Discord refuses with (docs, topics/opcodes-and-status-codes).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$doc])* #[doc = concat!("(", stringify!($number), ")")] $variant,)+
            /// Ours, before anything was sent: something that should be an id is none.
            NoId,
            /// Any other; 0 where Discord names none.
            Other(u32),
        }

        impl Code {
            /// Discord's number; 0 for ours.
            pub const fn number(self) -> u32 {
                match self {
                    $(Self::$variant => $number,)+
                    Self::NoId => 0,
                    Self::Other(number) => number,
                }
            }

            /// Every one with a name of its own.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// What a number means.
            pub const fn of(number: u32) -> Self {
                match number {
                    $($number => Self::$variant,)+
                    number => Self::Other(number),
                }
            }
        }
    };
}

impl Code {
    /// Whether it is the person who cannot be written to.
    pub(crate) const fn is_about_person(self) -> bool {
        matches!(
            self,
            Self::NoDirectMessages | Self::NoCommonServer | Self::UnknownUser | Self::UnknownMember
        )
    }
}

codes! {
    /// The channel or thread is not there (any more).
    UnknownChannel 10003,
    /// The bot is not in the server (any more).
    UnknownGuild 10004,
    /// Nobody of that id is in the server (any more).
    UnknownMember 10007,
    /// The message is not there (any more). For a post: it was sent under this name before, and deleted.
    UnknownMessage 10008,
    /// The role is not there (any more).
    UnknownRole 10011,
    /// There is no such person.
    UnknownUser 10013,
    /// Nothing was answered yet, or the quarter of an hour is over.
    UnknownWebhook 10015,
    /// Three seconds are over, or it is no interaction of ours.
    UnknownInteraction 10062,
    /// The thread has as many members as it can have.
    FullThread 30033,
    /// A message of more than an hour ago was edited too often; post anew.
    OldMessage 30046,
    /// The interaction was answered before.
    AlreadyAnswered 40060,
    /// The bot does not see the channel.
    MissingAccess 50001,
    /// The message is somebody else's.
    NotOurs 50005,
    /// The person takes no direct messages from the bot.
    NoDirectMessages 50007,
    /// The bot lacks a permission, or its role stands too low.
    MissingPermissions 50013,
    /// Not in a channel of this kind.
    WrongChannel 50024,
    /// An interaction's token does not work any more.
    ExpiredToken 50027,
    /// What was sent breaks a rule; `at` says where.
    Invalid 50035,
    /// The person is in no server with the bot any more.
    NoCommonServer 50278,
    /// The thread is archived: open it first.
    Archived 50083,
    /// Who may not read what was written before may not refer to it.
    NoHistory 160_002,
    /// The server's threads are as many as it may have.
    TooManyThreads 160_006,
    /// A thread hangs on this message already.
    HasThread 160_004,
    /// The thread is locked.
    Locked 160_005,
    /// The server's own rules for messages keep it back.
    Moderated 200_000,
    /// The server's own rules for messages keep a name back.
    NameModerated 200_001,
    /// There is an address in it that Discord keeps back.
    BadLink 240_000,
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Other(0) => f.write_str("no code"),
            Self::Other(number) => write!(f, "code {number}"),
            Self::NoId => f.write_str("an id is none"),
            known => write!(f, "{known:?} ({})", known.number()),
        }
    }
}

/// Longest list of places that is kept.
const PLACES_MAX: usize = 20;

/// What a refusal says: its code, and where in the call the mistake is.
pub(super) fn refused(status: u16, body: &Value) -> Failure {
    let number = body["code"].as_u64().and_then(|code| u32::try_from(code).ok());
    let mut at = Vec::new();
    places(&body["errors"], "", &mut at);
    Failure::Refused { code: Code::of(number.unwrap_or(0)), status, at }
}

/// Discord nests what is wrong as the call is nested, and quotes what was sent in its words: only the way there and its
/// own word for the rule are kept.
fn places(errors: &Value, way: &str, into: &mut Vec<String>) {
    let Some(members) = errors.as_object() else { return };
    for (name, inner) in members {
        if into.len() >= PLACES_MAX {
            return;
        }
        if name == "_errors" {
            let code = inner[0]["code"].as_str().unwrap_or_default();
            let code = if is_word(code) { code } else { "?" };
            into.push(format!("{}: {code}", if way.is_empty() { "body" } else { way }));
            continue;
        }
        let name = if is_word(name) { name.as_str() } else { "?" };
        let further = if way.is_empty() { name.to_owned() } else { format!("{way}.{name}") };
        places(inner, &further, into);
    }
}

fn is_word(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.len() <= 60 && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::{Code, Failure, refused};

    #[test]
    fn what_was_sent_is_not_passed_on() {
        let body = json!({ "code": 50035, "message": "Invalid Form Body", "errors": {
            "components": { "0": { "components": { "1": { "label": { "_errors": [
                { "code": "BASE_TYPE_MAX_LENGTH", "message": "`Ada's secret` must be 80 or fewer in length." }] } } } } },
            "data": { "Ada <b>": { "_errors": [{ "code": "of Ada's" }] } } } });
        let failure = refused(400, &body);
        assert!(failure.is(Code::Invalid));
        insta::assert_snapshot!(failure, @"Discord refused: Invalid (50035) (status 400): components.0.components.1.label: BASE_TYPE_MAX_LENGTH, data.?: ?");
    }

    #[test]
    fn a_call_that_was_not_made_blames_nobody() {
        let failure = Failure::Later { after: Duration::from_millis(300) };
        insta::assert_snapshot!(failure, @"Discord takes no call for 1 s");
    }

    #[test]
    fn a_code_that_is_not_known_keeps_its_number() {
        let failure = refused(403, &json!({ "code": 20_016 }));
        assert_eq!(failure.code(), Some(Code::Other(20_016)));
        assert_eq!(refused(404, &json!("nothing")).code(), Some(Code::Other(0)));
        assert_eq!(Code::of(10_008).number(), 10_008);
        assert_eq!(Failure::BadToken.code(), None);
    }
}
