//! Who is interviewed, where, with which flow, and how far they are.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::base::ids::SessionId;

/// A chat platform, or the local playground.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Platform {
    /// Slack.
    Slack,
    /// Discord.
    Discord,
    /// The playground on loopback.
    Web,
}

impl Platform {
    /// The name in files and ids: `slack`, `discord`, `web`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Discord => "discord",
            Self::Web => "web",
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A person on one platform: `slack:T01/U01`. Never an e-mail address, never a display name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct PersonId {
    /// Where the person is known.
    pub platform: Platform,
    /// Slack workspace or Discord guild; `local` on the web.
    pub workspace: String,
    /// The platform's own user id.
    pub user: String,
}

impl PersonId {
    /// A person on the playground.
    pub fn web(user: impl Into<String>) -> Self {
        Self { platform: Platform::Web, workspace: "local".to_owned(), user: user.into() }
    }
}

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.platform, self.workspace, self.user)
    }
}

impl Serialize for PersonId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Text that names no person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a person. hint: write `platform:workspace/user`, for example `slack:T01/U01`"
)]
pub struct BadPerson(pub String);

impl FromStr for PersonId {
    type Err = BadPerson;

    fn from_str(text: &str) -> Result<Self, BadPerson> {
        let bad = || BadPerson(text.to_owned());
        let (platform, rest) = text.split_once(':').ok_or_else(bad)?;
        let (workspace, user) = rest.split_once('/').ok_or_else(bad)?;
        let platform = match platform {
            "slack" => Platform::Slack,
            "discord" => Platform::Discord,
            "web" => Platform::Web,
            _ => return Err(bad()),
        };
        if workspace.is_empty() || user.is_empty() {
            return Err(bad());
        }
        Ok(Self { platform, workspace: workspace.to_owned(), user: user.to_owned() })
    }
}

impl TryFrom<String> for PersonId {
    type Error = BadPerson;

    fn try_from(text: String) -> Result<Self, BadPerson> {
        text.parse()
    }
}

/// Where a session lives.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The platform.
    pub platform: Platform,
    /// Slack workspace or Discord guild; `local` on the web.
    pub workspace: String,
    /// Channel or direct message; on the web the session's own id.
    pub channel: String,
    /// Thread within the channel, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// The flow a session runs, pinned by content: an edit of the file changes no running session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowPin {
    /// The flow's `id`.
    pub id: String,
    /// The flow's `version`, for people.
    pub version: String,
    /// SHA-256 of the file, in hex; the file is kept under this name.
    pub digest: String,
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The notice is shown and not answered.
    Notice,
    /// The interview runs.
    Open,
    /// The participant said stop, or a script branch did; may be resumed.
    Stopped,
    /// Nobody answered for long (`pace.expire_after`); resumes with the next message.
    Paused,
    /// The participant chose not to take part.
    Declined,
    /// The last phase is done.
    Completed,
    /// A staff member ended it.
    Ended,
}

impl Head {
    /// A person was asked for, and nobody of the team has come yet.
    pub(crate) const fn wants_a_person(&self) -> bool {
        self.handed_over && self.claimed_by.is_none()
    }

    /// Somebody of the team has something to do: to take over, or to decide.
    pub const fn wants_staff(&self) -> bool {
        self.wants_a_person() || self.approvals > 0
    }

    /// It goes on, or waits for a decision, which outlives its end.
    pub const fn is_active(&self) -> bool {
        !self.status.is_over() || self.approvals > 0
    }
}

impl Status {
    /// The word in files, logs and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Open => "open",
            Self::Stopped => "stopped",
            Self::Paused => "paused",
            Self::Declined => "declined",
            Self::Completed => "completed",
            Self::Ended => "ended",
        }
    }

    /// Nothing goes on until the participant wants it to.
    pub(crate) const fn rests(self) -> bool {
        matches!(self, Self::Stopped | Self::Paused | Self::Declined)
    }

    /// It has ended; a new session may begin at its place.
    pub const fn is_over(self) -> bool {
        match self {
            Self::Completed | Self::Ended => true,
            Self::Notice | Self::Open | Self::Stopped | Self::Paused | Self::Declined => false,
        }
    }
}

/// A session at a glance: what lists and indexes need without reading its events.
///
/// ```json
/// { "id": "ses_…", "flow": { "id": "community-welcome", "version": "1.0.0", "digest": "…" },
///   "participant": "web:local/ada", "name": "Ada", "place": { "platform": "web", … },
///   "status": "open", "phase": "phase_1_rules", "handed_over": false, "pending": 1, "approvals": 0,
///   "progress": 0.5, "seq": 12, "created_at": "…", "updated_at": "…", "test": false }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// The session.
    pub id: SessionId,
    /// What it runs.
    pub flow: FlowPin,
    /// Who is interviewed.
    pub participant: PersonId,
    /// The name in their approved profile, otherwise what the platform calls them, for staff; personal data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it lives.
    pub place: Place,
    /// How it stands.
    pub status: Status,
    /// The current phase; `None` before the notice is answered and after the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// A person has been asked to take over, or has.
    #[serde(default)]
    pub handed_over: bool,
    /// Who of the team has taken over, by name; the assistant keeps quiet until they hand back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// Waits that stand open, whoever may answer them.
    pub pending: u32,
    /// Of those, the ones that deciders must answer.
    pub approvals: u32,
    /// Required objectives completed or skipped ÷ required, in the current phase.
    pub progress: f64,
    /// Sequence number of the last event.
    pub seq: u64,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When its last event happened.
    pub updated_at: DateTime<Utc>,
    /// A trial run, left out of the numbers.
    #[serde(default)]
    pub test: bool,
    /// Nothing of it may be erased.
    #[serde(default, skip_serializing_if = "is_not")]
    pub held: bool,
    /// When the next part of it goes by the flow's retention; `None` if nothing is left to go, or it is held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goes_at: Option<DateTime<Utc>>,
    /// The session whose call it answers, where it is a child run. Such a one is in no list of people's conversations:
    /// it is found through its parent, and goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// What the bot was used for with success, in the order of first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// The points of a lead, 0 to 100, in flows that have a rule for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<u8>,
    /// Messages, files and the like that never arrived.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undelivered: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_survives_its_text_form() {
        let person: PersonId = "slack:T01/U01".parse().unwrap();
        assert_eq!(person.to_string(), "slack:T01/U01");
        assert!("ada@example.org".parse::<PersonId>().is_err());
    }
}
