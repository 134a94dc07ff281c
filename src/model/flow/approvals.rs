//! Who decides what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Period;

/// Who decides what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Approvals {
    /// Phases with objectives unmet.
    #[serde(rename = "override")]
    pub overrides: OverridePolicy,
}

/// Who may let a phase pass with objectives unmet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OverridePolicy {
    /// Who decides.
    pub decider: Decider,
    /// Alias of the channel and of the entry in `[approvers]`.
    pub channel: Option<String>,
    /// How many must decide alike, one vote each.
    pub quorum: u32,
    /// The participant may decide on their own request, if listed.
    pub allow_self: bool,
    /// When a request lapses.
    pub expires: Period,
    /// When deciders are reminded.
    pub remind_after: Vec<Period>,
    /// What happens then.
    pub on_expire: OnExpire,
}

impl Default for OverridePolicy {
    fn default() -> Self {
        Self {
            decider: Decider::Admin,
            channel: None,
            quorum: 1,
            allow_self: false,
            expires: Period::hours(7 * 24),
            remind_after: vec![Period::hours(24)],
            on_expire: OnExpire::Stay,
        }
    }
}

/// Who decides on an override.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    /// The participant, in a dialog of their own.
    Participant,
    /// Those listed under the alias.
    Admin,
    /// The participant first, then those listed.
    ParticipantThenAdmin,
}

impl Decider {
    /// The word in files and audit records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Participant => "participant",
            Self::Admin => "admin",
            Self::ParticipantThenAdmin => "participant-then-admin",
        }
    }
}

/// What happens when a request lapses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnExpire {
    /// The phase stays open.
    Stay,
}
