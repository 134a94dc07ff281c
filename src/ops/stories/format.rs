//! A test file as it is written: `*.test.toml`.
//!
//! ```toml
//! flow = "volunteers.toml"
//!
//! [[test]]
//! name = "Somebody who drives is asked for a licence"
//! platforms = ["web", "slack"]
//!
//! [[test.step]]
//! press = "I agree"
//! expect = { asks = "Who are you?" }
//! ```

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::{
    contact::{Contact, Labelled, Name},
    flow::Period,
    session,
};

/// A test file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TestFile {
    /// The flow under test: a file, relative to this one, or the id of a flow that the program has.
    pub(super) flow: String,
    /// Values for the flow's `vars`; they come before those of the configuration.
    #[serde(default)]
    pub(super) vars: BTreeMap<String, String>,
    /// The tests.
    pub(super) test: Vec<Test>,
}

/// A conversation, from the notice on.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    /// What it shows, in words.
    pub(super) name: String,
    /// The name of an earlier test of this file: what is done there is done first, and this one goes on from its end.
    #[serde(default)]
    pub(super) after: Option<String>,
    /// Where it is held; each platform is a test of its own. Everywhere, unless it or the test before it says otherwise.
    #[serde(default)]
    pub(super) platforms: Option<Vec<Platform>>,
    /// Values for the flow's `vars`; they come before those of the file.
    #[serde(default)]
    pub(super) vars: BTreeMap<String, String>,
    /// When it begins; a Monday morning unless it is said.
    #[serde(default)]
    pub(super) begins: Option<DateTime<Utc>>,
    /// What a contact source knows of the participant; without it there is no such source.
    #[serde(default)]
    pub(super) contact: Option<Card>,
    /// What happens, in order.
    pub(super) step: Vec<Step>,
}

impl Platform {
    /// Every one.
    pub(super) const ALL: [Self; 3] = [Self::Web, Self::Slack, Self::Discord];
}

/// Where a conversation is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Platform {
    /// The page.
    Web,
    /// Slack.
    Slack,
    /// Discord.
    Discord,
}

impl From<Platform> for session::Platform {
    fn from(platform: Platform) -> Self {
        match platform {
            Platform::Web => Self::Web,
            Platform::Slack => Self::Slack,
            Platform::Discord => Self::Discord,
        }
    }
}

impl From<session::Platform> for Platform {
    fn from(platform: session::Platform) -> Self {
        match platform {
            session::Platform::Web => Self::Web,
            session::Platform::Slack => Self::Slack,
            session::Platform::Discord => Self::Discord,
        }
    }
}

/// A contact card. An empty one is not found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Card {
    /// Given name.
    given: String,
    /// Family name.
    family: String,
    /// E-mail address.
    email: Option<String>,
    /// Telephone number.
    phone: Option<String>,
    /// Web address.
    url: Option<String>,
    /// Where they work.
    organization: Option<String>,
    /// What they do there.
    job_title: Option<String>,
}

impl Card {
    /// The card as a source returns it; nothing where it is empty.
    pub(super) fn contact(&self) -> Option<Contact> {
        if *self == Self::default() {
            return None;
        }
        let labelled = |value: &Option<String>| {
            let value = value.iter().cloned();
            value.map(|value| Labelled { label: "work".to_owned(), value }).collect()
        };
        Some(Contact {
            name: Name { given: self.given.clone(), family: self.family.clone() },
            email: labelled(&self.email),
            phone: labelled(&self.phone),
            url: labelled(&self.url),
            organization: self.organization.clone(),
            job_title: self.job_title.clone(),
            ..Contact::default()
        })
    }
}

/// One thing that somebody does, what is expected after it, or both.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Step {
    /// The participant presses a button: its label, or the id of an option.
    pub(super) press: Option<String>,
    /// The participant picks several options and sends them: labels or ids.
    pub(super) choose: Option<Vec<String>>,
    /// The participant writes something.
    pub(super) say: Option<String>,
    /// The participant fills in a form or changes a draft, and sends it: values by field, by path or label.
    pub(super) fill: Option<Map<String, Value>>,
    /// The participant sends a file: one beside the test file, or a made-up one of that name where there is none.
    pub(super) upload: Option<String>,
    /// What stands in the made-up file, with `upload`.
    pub(super) content: Option<String>,
    /// Time passes, and what is due happens: `8d`.
    pub(super) wait: Option<Period>,
    /// Somebody who may decides the oldest open request.
    pub(super) decide: Option<Decide>,
    /// Why it is denied, with `decide = "deny"`.
    pub(super) because: Option<String>,
    /// What must be true then.
    pub(super) expect: Option<Expect>,
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decide {
    /// Yes.
    Approve,
    /// No.
    Deny,
}

/// What must be true. Texts are compared without markup, and a part of them is enough.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Expect {
    /// What the participant must have read since the last thing that happened.
    pub(super) reads: Vec<String>,
    /// What the participant must not have read since then.
    pub(super) not_reads: Vec<String>,
    /// What the team must have read since then.
    pub(super) team_reads: Vec<String>,
    /// What was just done is refused, with these words.
    pub(super) refused: Option<String>,
    /// The question that is open.
    pub(super) asks: Option<String>,
    /// What can be pressed now.
    pub(super) offers: Vec<String>,
    /// What can't be pressed now.
    pub(super) not_offers: Vec<String>,
    /// The phase, by its id.
    pub(super) phase: Option<String>,
    /// How the conversation stands.
    pub(super) status: Option<Status>,
    /// Objectives by id, with their status: `completed`, `skipped`, `pending`, …
    pub(super) objectives: BTreeMap<String, String>,
    /// What is stored, by the name of the data; more may be there.
    pub(super) records: Map<String, Value>,
    /// Data that must not be stored.
    pub(super) missing: Vec<String>,
    /// What `set` has remembered; more may be there.
    pub(super) values: Map<String, Value>,
    /// What the program does after a phase, such as `web hook crm`, `role member`, `summary to desk`.
    pub(super) effects: Vec<String>,
    /// What it must not have done.
    pub(super) no_effects: Vec<String>,
    /// What a web hook must have got by now, by its alias; more may be there: `{ crm = { data = { person = { name = "Ada" } } } }`.
    pub(super) hooks: Map<String, Value>,
    /// What no request to a web hook may have held, by its alias: `{ crm = ["data.person.allergies"] }`.
    pub(super) hooks_missing: BTreeMap<String, Vec<String>>,
    /// Events that the audit log must hold, such as `effect_noted`.
    pub(super) audit: Vec<String>,
}

/// How a conversation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    /// The notice is shown and not answered.
    Notice,
    /// It runs.
    Open,
    /// The participant or the script has stopped it.
    Stopped,
    /// Nobody has answered for long.
    Paused,
    /// The participant chose not to take part.
    Declined,
    /// The last phase is done.
    Completed,
    /// The team has ended it.
    Ended,
    /// A person of the team is asked for.
    HandedOver,
    /// Everything was erased.
    Erased,
}

impl Status {
    /// The word in test files.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Open => "open",
            Self::Stopped => "stopped",
            Self::Paused => "paused",
            Self::Declined => "declined",
            Self::Completed => "completed",
            Self::Ended => "ended",
            Self::HandedOver => "handed_over",
            Self::Erased => "erased",
        }
    }
}
