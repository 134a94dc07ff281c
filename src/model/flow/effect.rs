//! What the engine does after a phase.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When an effect of a phase happens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// When the phase is done.
    #[default]
    Completed,
    /// When the participant stops in it.
    Stopped,
    /// When a decision that was asked for in it is approved.
    Approved,
    /// When it is denied.
    Denied,
    /// When nobody has decided in time.
    Expired,
}

impl Moment {
    /// Whether it is the one that effects have which name none.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) const fn is_completed(&self) -> bool {
        matches!(self, Self::Completed)
    }
}

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
        /// When it happens.
        #[serde(default, skip_serializing_if = "Moment::is_completed")]
        on: Moment,
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
        /// When it happens.
        #[serde(default, skip_serializing_if = "Moment::is_completed")]
        on: Moment,
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
        /// When it happens.
        #[serde(default, skip_serializing_if = "Moment::is_completed")]
        on: Moment,
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
        /// When it happens.
        #[serde(default, skip_serializing_if = "Moment::is_completed")]
        on: Moment,
        /// Only if this expression is true then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
    /// Posts approved data in the participant's name: its field `text`, or else all of its fields. Fields with `visible_to`
    /// are left out.
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
        /// When it happens.
        #[serde(default, skip_serializing_if = "Moment::is_completed")]
        on: Moment,
        /// Only if this expression is true then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        when: Option<String>,
    },
}

impl PhaseEffect {
    /// What it does, in a few words: `role member`.
    pub fn in_words(&self) -> String {
        match self {
            Self::PostSummary { channel, .. } => format!("summary to {channel}"),
            Self::Webhook { url_from, .. } => format!("web hook {url_from}"),
            Self::DiscordAddRole { role, .. } => format!("role {role}"),
            Self::DiscordAddRolesFrom { map, .. } => {
                let roles: Vec<&str> = map.values().map(String::as_str).collect();
                format!("roles from {}", roles.join(", "))
            }
            Self::DiscordPost { channel, data, .. } => format!("post {data} to {channel}"),
        }
    }

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

    /// When it happens.
    pub const fn on(&self) -> Moment {
        match self {
            Self::PostSummary { on, .. }
            | Self::Webhook { on, .. }
            | Self::DiscordAddRole { on, .. }
            | Self::DiscordAddRolesFrom { on, .. }
            | Self::DiscordPost { on, .. } => *on,
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
