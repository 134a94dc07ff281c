//! What the engine does after a phase.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the engine does after a phase, once per session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum PhaseEffect {
    /// Posts the named data to a staff channel.
    PostSummary {
        /// Channel alias.
        channel: String,
        /// Data to include.
        include: Vec<String>,
        /// Alias of those who must consent first.
        #[serde(default)]
        approval: Option<String>,
        /// Only if this expression is true then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// Sends the named data to a web hook, signed and retried.
    Webhook {
        /// Alias in `[webhooks]`.
        url_from: String,
        /// Data to include.
        include: Vec<String>,
        /// Alias of those who must consent first.
        #[serde(default)]
        approval: Option<String>,
        /// Only if this expression is true then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// Gives a role.
    DiscordAddRole {
        /// Role alias.
        role: String,
        /// Alias of those who must consent first.
        #[serde(default)]
        approval: Option<String>,
        /// Only if this expression is true then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// Gives roles by the answer to a step.
    DiscordAddRolesFrom {
        /// The step.
        step: String,
        /// Role alias by option id.
        map: BTreeMap<String, String>,
        /// Alias of those who must consent first.
        #[serde(default)]
        approval: Option<String>,
        /// Only if this expression is true then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// Posts approved data in the participant's name.
    DiscordPost {
        /// Channel alias.
        channel: String,
        /// The data.
        data: String,
        /// Mentions them.
        #[serde(default)]
        mention_participant: bool,
        /// Alias of those who must consent first.
        #[serde(default)]
        approval: Option<String>,
        /// Only if this expression is true then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
}

impl PhaseEffect {
    /// Alias of those who must consent first.
    pub fn approval(&self) -> Option<&str> {
        match self {
            Self::PostSummary { approval, .. }
            | Self::Webhook { approval, .. }
            | Self::DiscordAddRole { approval, .. }
            | Self::DiscordAddRolesFrom { approval, .. }
            | Self::DiscordPost { approval, .. } => approval.as_deref(),
        }
    }

    /// Only if this expression is true.
    pub fn when(&self) -> Option<&str> {
        match self {
            Self::PostSummary { when, .. }
            | Self::Webhook { when, .. }
            | Self::DiscordAddRole { when, .. }
            | Self::DiscordAddRolesFrom { when, .. }
            | Self::DiscordPost { when, .. } => when.as_deref(),
        }
    }
}
