//! Who decides what.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Period;

/// Who decides what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Approvals {
    /// Phases with objectives unmet.
    #[serde(rename = "override")]
    pub overrides: OverridePolicy,
    /// Decisions that `request_decision` asks for, by name.
    #[serde(flatten)]
    pub named: BTreeMap<String, Approval>,
}

/// The tool that asks for one of the named decisions.
pub const REQUEST: &str = "request_decision";

/// A decision about a person that the team is asked for.
///
/// ```toml
/// [approvals.moderator]
/// title     = "Make {{ participant.name }} a moderator?"
/// deciders  = "moderators"
/// quorum    = 2
/// then      = [{ deciders = "leads" }]
/// show      = ["application", "quiz"]
/// expires   = "7d"
/// approved  = "Welcome to the team!"
/// denied    = "The team has decided not to go on this time."
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The request in one line, with `{{ expressions }}`.
    pub title: String,
    /// Alias of those who decide, and of their channel.
    pub deciders: String,
    /// How many of them must decide alike, one vote each.
    #[serde(default = "one")]
    pub quorum: u32,
    /// Who decides after them, in this order, each once those before have approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Stage>,
    /// Data that stands on the card.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<String>,
    /// When the request lapses, counted anew for each stage.
    #[serde(default = "week")]
    pub expires: Period,
    /// When deciders are reminded; twice at most.
    #[serde(default = "a_day_later")]
    pub remind_after: Vec<Period>,
    /// What the participant reads when it is approved, with `{{ expressions }}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
    /// What they read when it is denied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied: Option<String>,
    /// What they read when nobody has decided in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expired: Option<String>,
}

/// One stage of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Alias of those who decide, and of their channel.
    pub deciders: String,
    /// How many of them must decide alike.
    #[serde(default = "one")]
    pub quorum: u32,
}

const fn one() -> u32 {
    1
}

const fn week() -> Period {
    Period::hours(7 * 24)
}

fn a_day_later() -> Vec<Period> {
    vec![Period::hours(24)]
}

impl Approval {
    /// Those who decide at a stage, from 0, and how many of them; `None` after the last.
    pub fn stage(&self, stage: usize) -> Option<(&str, u32)> {
        match stage.checked_sub(1) {
            None => Some((&self.deciders, self.quorum)),
            Some(later) => self.then.get(later).map(|one| (one.deciders.as_str(), one.quorum)),
        }
    }

    /// Everybody who is asked, in order.
    pub fn stages(&self) -> impl Iterator<Item = (&str, u32)> {
        (0..).map_while(|stage| self.stage(stage))
    }
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
