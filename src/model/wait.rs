//! A suspended tool call as data.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    session::PersonId,
    ui::{Decision, FieldError, Prompt, Reply},
};
use crate::base::ids::{CallId, SessionId, WaitId};

/// All that is needed to finish a suspended call, perhaps days later and in another process.
///
/// ```json
/// { "id": "wait_…", "session": "ses_…", "revision": 1,
///   "purpose": { "kind": "call", "call": "step_rules_1", "tool": "get_user_option" },
///   "state": { "offered": ["accept"] }, "prompt": { … }, "answerers": { "who": "participant" },
///   "digest": "…", "asked_at": "…", "expires_at": null, "standing": { "is": "pending" } }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wait {
    /// Names the wait in buttons and in the store.
    pub id: WaitId,
    /// The session it belongs to.
    pub session: SessionId,
    /// Goes up when the same question is asked again with other content; answers to an older one are superseded.
    pub revision: u32,
    /// What the answer is for.
    pub purpose: Purpose,
    /// What the tool chose to remember; only that tool reads it. Never a secret.
    pub state: Value,
    /// What is shown, and against which an answer is checked, even if the tool has changed since. Copies share it.
    pub prompt: Arc<Prompt>,
    /// Who may answer.
    pub answerers: Answerers,
    /// How many must decide alike; 1 for everything but a decision of several.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub quorum: u32,
    /// Votes cast before the quorum is reached, one per person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// SHA-256 of tool and canonical arguments: the same call again returns this wait.
    pub digest: String,
    /// When it was asked.
    pub asked_at: DateTime<Utc>,
    /// When it lapses; `None` waits for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// Open, answered, applied or closed; stored as `standing`.
    #[serde(rename = "standing")]
    pub status: WaitStatus,
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_one(quorum: &u32) -> bool {
    *quorum == 1
}

/// One decider's vote. A later one of the same person takes its place until the quorum is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// Who.
    pub by: PersonId,
    /// What other people call them.
    pub by_name: String,
    /// What they decided.
    pub decision: Decision,
    /// Their words for the interviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
}

impl Vote {
    /// Denials with and without words are the same side.
    pub fn approves(&self) -> bool {
        self.decision == Decision::Approved
    }
}

/// What the answer to a wait is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Purpose {
    /// A tool call is suspended on it.
    Call {
        /// The call.
        call: CallId,
        /// The tool whose `resume` takes the answer.
        tool: String,
    },
    /// A child run asks; its own wait takes the answer.
    Child {
        /// The call of this session under which the child runs.
        call: CallId,
        /// The child run that asks, perhaps a child of a child.
        child: SessionId,
        /// Its wait.
        wait: WaitId,
    },
    /// The notice at the very beginning, drawn by the engine.
    Notice,
    /// Whether to go on with a phase now or later, drawn by the engine.
    Begin {
        /// The phase.
        phase: String,
    },
    /// "Erase everything?", drawn by the engine.
    Erase,
    /// An effect of a finished phase needs somebody's consent.
    Effect {
        /// The phase.
        phase: String,
        /// Which of its effects, from 0.
        index: usize,
    },
}

/// Who may answer a wait. The policy is stored with the question: rights are checked against it *and* against
/// the roles at the time of the click.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "who", rename_all = "snake_case")]
pub enum Answerers {
    /// The participant alone.
    Participant,
    /// Those whom the operator lists under `alias`.
    Deciders {
        /// Alias in `[approvers]` and of the channel the card is posted to.
        alias: String,
        /// The participant may decide on their own request, if listed.
        allow_self: bool,
    },
}

impl Answerers {
    /// Who may answer, in words: `the recruiting approvers`.
    pub fn who(&self) -> String {
        match self {
            Self::Participant => "the person who was asked".to_owned(),
            Self::Deciders { alias, .. } => format!("the {}", deciders(alias)),
        }
    }
}

/// Those who decide under an alias, in words: `recruiting approvers`.
///
/// An alias names a channel and the people who decide there at once. Where it is called after the channel
/// (`recruiting_approvals`, as in the shipped flows) people are not called approvals but approvers; any other alias is
/// taken to name people (`desk`, `hiring_managers`).
pub fn deciders(alias: &str) -> String {
    let words = alias.replace(['_', '-', '.'], " ");
    match words.strip_suffix("approvals") {
        Some(of) => format!("{of}approvers"),
        None => words,
    }
}

/// How a wait stands. It leaves `Pending` once, and never comes back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum WaitStatus {
    /// Nobody has answered.
    Pending,
    /// Answered and not yet applied: the work of a resume, safe across a crash.
    Answered {
        /// The answer.
        reply: Reply,
        /// Who gave it.
        by: PersonId,
        /// What other people call them.
        by_name: String,
        /// When.
        at: DateTime<Utc>,
    },
    /// The answer has done its work.
    Applied {
        /// The answer.
        reply: Reply,
        /// Who gave it.
        by: PersonId,
        /// What other people call them.
        by_name: String,
        /// When it was given.
        at: DateTime<Utc>,
    },
    /// Nobody answered in time.
    Expired {
        /// When it lapsed.
        at: DateTime<Utc>,
    },
    /// It is no longer asked.
    Cancelled {
        /// Why, in words for a person.
        reason: String,
        /// When.
        at: DateTime<Utc>,
    },
    /// Another wait asks instead.
    Superseded {
        /// Which one, where there is one.
        by: Option<WaitId>,
        /// When.
        at: DateTime<Utc>,
    },
}

impl WaitStatus {
    /// Nobody has answered yet.
    pub const fn is_pending(&self) -> bool {
        matches!(self, Self::Pending)
    }

    /// The answer and who gave it, once there is one.
    pub const fn answer(&self) -> Option<(&Reply, &PersonId, &String, DateTime<Utc>)> {
        match self {
            Self::Answered { reply, by, by_name, at }
            | Self::Applied { reply, by, by_name, at } => Some((reply, by, by_name, *at)),
            Self::Pending
            | Self::Expired { .. }
            | Self::Cancelled { .. }
            | Self::Superseded { .. } => None,
        }
    }
}

/// What became of an attempt to answer a wait. A closed list; each has words for the person who lost.
#[derive(Debug, Clone, PartialEq)]
pub enum Settlement {
    /// The answer counts.
    Applied,
    /// Somebody was faster, perhaps the same person.
    AlreadySettled {
        /// Who.
        by: PersonId,
        /// What other people call them.
        by_name: String,
        /// When.
        at: DateTime<Utc>,
        /// What they answered, in words: `Approved`.
        choice: String,
    },
    /// The person may not answer this.
    NotAllowed {
        /// Who may, in words: `the recruiting approvers`.
        who_may: String,
    },
    /// Too late.
    Expired,
    /// A newer question took its place.
    Superseded,
    /// It is no longer asked.
    Cancelled,
    /// There is no such question.
    Unknown,
    /// The answer does not fit the question; it stays open.
    Invalid {
        /// What is wrong, field by field.
        errors: Vec<FieldError>,
    },
}

impl Settlement {
    /// The word in audit records and metrics.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::AlreadySettled { .. } => "already_settled",
            Self::NotAllowed { .. } => "not_allowed",
            Self::Expired => "expired",
            Self::Superseded => "superseded",
            Self::Cancelled => "cancelled",
            Self::Unknown => "unknown",
            Self::Invalid { .. } => "invalid",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deciders_are_people_whatever_their_alias_names() {
        assert_eq!(deciders("recruiting_approvals"), "recruiting approvers");
        assert_eq!(deciders("approvals"), "approvers");
        assert_eq!(deciders("hiring_managers"), "hiring managers");
    }
}
