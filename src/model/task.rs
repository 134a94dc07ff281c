//! Child runs as data: a template as its file says it, and what parent and child keep of one another.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{flow::Uploads, session::FlowPin};
use crate::base::ids::{CallId, SessionId, WaitId};

/// A task template, `format = 1`: what a child run is told, what it may use, and what it must give back.
///
/// These fields hold what is written; [`crate::flow::subtasks`] loads, checks and matches templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Version of this format; 1.
    pub format: u32,
    /// Name of the task: lower case, digits, underscores.
    pub name: String,
    /// Version of the content, for people.
    pub version: String,
    /// Title for people; the participant reads it on the cards of the run.
    pub title: String,
    /// One sentence on what it does; its words lead to it.
    pub description: String,
    /// Words that lead to it.
    pub hints: Vec<String>,
    /// Instructions for the model.
    pub prompt: String,
    /// JSON Schema of what it is given: `builtin:NAME` or the schema itself; anything where there is none.
    #[serde(default)]
    pub input: Option<String>,
    /// JSON Schema of what it gives back: `builtin:NAME` or the schema itself.
    pub output: String,
    /// What the model is told of it as a tool of its own, whose arguments are the input; no tool where there is none.
    #[serde(default)]
    pub tool: Option<String>,
    /// Tools that it may call.
    #[serde(default)]
    pub tools: Vec<String>,
    /// What it may use up.
    #[serde(default)]
    pub budget: TaskBudget,
    /// What files it may ask for.
    #[serde(default)]
    pub uploads: Uploads,
}

/// What a child run may use up, its own child runs included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TaskBudget {
    /// Model calls, but for the one that mends its answer.
    pub rounds: u32,
    /// Tokens, in and out; less where the parent has less left.
    pub tokens: u64,
}

impl Default for TaskBudget {
    fn default() -> Self {
        Self { rounds: 6, tokens: 60_000 }
    }
}

/// Something that happened between a session and a child run of it. The first four stand in the parent, the others in
/// the child.
///
/// ```json
/// { "subtask": "delegated", "call": "c00000001", "child": "ses_…", "task": { "id": "code_analysis", … },
///   "description": "…", "input": {…}, "lineage": [{ "task": "code_analysis", "title": "…", "input": "9f…" }],
///   "tokens": 60000 }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "subtask", rename_all = "snake_case")]
pub enum Subtask {
    /// A call asked for a child run, which is begun next.
    Delegated(Delegation),
    /// The child run exists.
    Begun {
        /// Which.
        child: SessionId,
    },
    /// The child run is not wanted any more.
    Dismissed {
        /// Which.
        child: SessionId,
        /// Why, in words for a person.
        reason: String,
    },
    /// It has been told so.
    Recalled {
        /// Which.
        child: SessionId,
    },
    /// The child run has ended; what came of it is the result of its call.
    Ended {
        /// Which.
        child: SessionId,
        /// `completed`, `failed` or `cancelled`.
        how: String,
    },
    /// What a child run is for; its second event.
    Tasked(Assignment),
    /// A question of the child run is shown in the conversation at its root.
    Raised {
        /// Which.
        wait: WaitId,
    },
    /// What the model gave back does not satisfy the schema; it is shown this and asked once more.
    Refused {
        /// What is wrong.
        complaints: String,
    },
    /// The child run is over.
    Concluded(Conclusion),
    /// The parent knows what came of it.
    Reported,
}

/// What a parent asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delegation {
    /// The call whose result is what comes of it.
    pub call: CallId,
    /// The session that it is.
    pub child: SessionId,
    /// The template, pinned by content.
    pub task: FlowPin,
    /// What is to be done, in words.
    pub description: String,
    /// What with.
    pub input: Value,
    /// The runs it stands under, itself last.
    pub lineage: Vec<Ancestor>,
    /// Tokens that it may use.
    pub tokens: u64,
}

/// What a child run is for, and where it belongs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// The session whose call it answers.
    pub parent: SessionId,
    /// The conversation that it belongs to, where its questions are shown.
    pub root: SessionId,
    /// The call of the root under which it runs.
    pub root_call: CallId,
    /// What is to be done, in words.
    pub description: String,
    /// What with.
    pub input: Value,
    /// The runs it stands under, itself last.
    pub lineage: Vec<Ancestor>,
    /// Tokens that it may use, its own child runs included.
    pub tokens: u64,
    /// What the flow of the conversation forbids to ask about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_ask: Vec<String>,
}

/// One run on the path from a conversation down to a child run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// The template's name.
    pub task: String,
    /// Its title.
    pub title: String,
    /// SHA-256 of the canonical input.
    pub input: String,
}

/// What came of a child run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Conclusion {
    /// It gave back what its template promises.
    Completed {
        /// What.
        output: Value,
    },
    /// It did not.
    Failed {
        /// `invalid_output`, `budget`, `unavailable`, …
        code: String,
        /// What the caller is told.
        message: String,
    },
    /// It was not wanted any more.
    Cancelled {
        /// Why.
        reason: String,
    },
}

impl Conclusion {
    /// The word in events, audit records and transcripts.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Completed { .. } => "completed",
            Self::Failed { .. } => "failed",
            Self::Cancelled { .. } => "cancelled",
        }
    }
}

impl Subtask {
    /// In a sentence, for staff; `None` for what only the program needs to know.
    pub fn words(&self) -> Option<String> {
        Some(match self {
            Self::Delegated(Delegation { task, .. }) => {
                format!("A child run of `{}` was asked for.", task.id)
            }
            Self::Dismissed { reason, .. } => {
                format!("A child run is not wanted any more: {reason}.")
            }
            Self::Ended { how, .. } => format!("A child run ended: {how}."),
            Self::Tasked(Assignment { description, .. }) => format!("The task: {description}"),
            Self::Refused { complaints } => format!("The answer did not fit: {complaints}"),
            Self::Concluded(Conclusion::Failed { message, .. }) => format!("It failed: {message}."),
            Self::Concluded(conclusion) => format!("It is {}.", conclusion.word()),
            Self::Begun { .. } | Self::Recalled { .. } | Self::Raised { .. } | Self::Reported => {
                return None;
            }
        })
    }
}
