//! A flow as its TOML file says it: phases, objectives, script steps, effects. Data, not code.
//!
//! These types hold what is written; [`crate::flow`] loads, checks and resolves them.

mod approvals;
mod effect;
mod fields;
mod opening;
mod step;

use std::{collections::BTreeMap, fmt, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::{
    approvals::{Approval, Approvals, Decider, OnExpire, OverridePolicy, REQUEST, Stage},
    effect::{Moment, PhaseEffect},
    fields::{DataField, FieldType, InOrder, Reader},
    opening::Opening,
    step::{ELSE, Step, WHEN, has_points},
};

/// A flow file, `format = 1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Version of this format; 1.
    pub format: u32,
    /// Name of the flow: lower case, digits, hyphens.
    pub id: String,
    /// Version of the content, for people.
    pub version: String,
    /// Title for people.
    pub title: String,
    /// One sentence for lists.
    #[serde(default)]
    pub summary: String,
    /// Language of the texts.
    #[serde(default = "english")]
    pub locale: String,
    /// Names of values that the operator supplies under `[vars]`; notices and prompts use them as `{{name}}`, texts with
    /// expressions as `{{ vars.name }}`.
    #[serde(default)]
    pub vars: Vec<String>,
    /// How a session begins and where it runs, by platform.
    #[serde(default)]
    pub start: Start,
    /// What is shown before anything else.
    #[serde(default)]
    pub notice: Option<Notice>,
    /// The interviewer's manner, for the model.
    #[serde(default)]
    pub persona: Persona,
    /// What must not be asked or done.
    #[serde(default)]
    pub policy: Policy,
    /// Bounds of a session.
    #[serde(default)]
    pub limits: Limits,
    /// Reminders and patience.
    #[serde(default)]
    pub pace: Pace,
    /// How long things are kept.
    #[serde(default)]
    pub retention: Retention,
    /// Who decides what.
    #[serde(default)]
    pub approvals: Approvals,
    /// Where people are.
    #[serde(default)]
    pub handoff: Handoff,
    /// What may be kept, by its name in `snake_case`.
    #[serde(default)]
    pub data: BTreeMap<String, DataTable>,
    /// What makes a session a lead, with how many points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<Lead>,
    /// The phases, in order.
    #[serde(default)]
    pub phase: Vec<Phase>,
}

/// How many points a lead has: those of the objectives that are completed, added up. Staff see it; no rule of a flow
/// and no model does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lead {
    /// Points by objective; 100 at most together.
    pub points: BTreeMap<String, u8>,
}

fn english() -> String {
    "en".to_owned()
}

const fn yes() -> bool {
    true
}

/// How a session begins, by platform. The web gateway starts any flow.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// On Slack.
    #[serde(default)]
    pub slack: Option<StartSlack>,
    /// On Discord.
    #[serde(default)]
    pub discord: Option<StartDiscord>,
}

/// How a session begins on Slack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartSlack {
    /// Slash commands with which a participant starts.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Staff may invite.
    #[serde(default)]
    pub invite: bool,
    /// "Start" stands on the Home tab.
    #[serde(default)]
    pub app_home: bool,
    /// Where it runs.
    pub place: SlackPlace,
    /// Channel alias, for `channel-thread`.
    #[serde(default)]
    pub parent: Option<String>,
}

/// Where a session runs on Slack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlackPlace {
    /// Direct messages.
    Dm,
    /// A thread in a private channel.
    ChannelThread,
}

/// How a session begins on Discord.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartDiscord {
    /// A message with a Start button can be posted.
    #[serde(default)]
    pub panel: bool,
    /// Its heading.
    #[serde(default)]
    pub panel_title: Option<String>,
    /// Its text.
    #[serde(default)]
    pub panel_text: Option<String>,
    /// Address of a picture on it, `https://…`.
    #[serde(default)]
    pub panel_image: Option<String>,
    /// What is on the picture, for those who do not see it.
    #[serde(default)]
    pub panel_image_alt: Option<String>,
    /// Label of its button; "Start" where it says nothing.
    #[serde(default)]
    pub panel_button: Option<String>,
    /// Opens on join as well; needs the Server Members intent.
    #[serde(default)]
    pub on_join: bool,
    /// Staff may invite members, into a private thread under `parent`.
    #[serde(default)]
    pub invite: bool,
    /// Where it runs.
    pub place: DiscordPlace,
    /// Channel alias under which threads are made.
    #[serde(default)]
    pub parent: Option<String>,
    /// Where it runs when that fails.
    #[serde(default)]
    pub fallback: Option<DiscordPlace>,
}

/// Where a session runs on Discord.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiscordPlace {
    /// Direct messages.
    Dm,
    /// A private thread.
    PrivateThread,
}

/// What is shown before anything else, drawn by the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// Must be accepted before the first question.
    #[serde(default = "yes")]
    pub required: bool,
    /// The text, with `{{vars}}`.
    pub text: String,
    /// The text where no model is configured, so that none is announced; without it the other one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_without_model: Option<String>,
    /// Label of the button that goes on.
    pub accept: String,
    /// Label of the button that asks for a person.
    pub human: String,
    /// Label of the button that declines.
    pub decline: String,
    /// Working days between notice and first question.
    #[serde(default)]
    pub wait_business_days: u32,
}

/// The interviewer's manner.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// Instructions for the model.
    #[serde(default)]
    pub prompt: String,
    /// File with these instructions, instead of `prompt`: `builtin:consulting`, or one beside the flow. It is part of
    /// the flow from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// What must not be asked or done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Tools that score people may be used. Only staff may begin such a flow, for whoever talks with it sees the scores.
    #[serde(default)]
    pub score_people: bool,
    /// Topics that are never asked about.
    #[serde(default)]
    pub never_ask: Vec<String>,
}

/// Bounds of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Model calls per turn.
    pub model_rounds: u32,
    /// Participant turns per session.
    pub turns: u32,
    /// Tokens per session, in and out.
    pub tokens: u64,
    /// Answers in a row that may complete no objective before the model is told to move on; never with 0.
    pub followups: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { model_rounds: 10, turns: 150, tokens: 600_000, followups: 4 }
    }
}

/// A length of time as people write it: `24h`, `14d`, `90m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Period(pub Duration);

impl Period {
    /// So many hours.
    pub const fn hours(hours: u64) -> Self {
        Self(Duration::from_secs(hours * 3600))
    }

    /// As a signed duration, for arithmetic on dates.
    pub fn delta(self) -> chrono::TimeDelta {
        chrono::TimeDelta::from_std(self.0).unwrap_or(chrono::TimeDelta::MAX)
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAY: u64 = 86_400;
        // A year is 365.25 days where it is read, and a month 30.44.
        const YEAR: u64 = 31_557_600;
        const MONTH: u64 = 2_630_016;
        let seconds = self.0.as_secs();
        let (count, unit) = match seconds {
            s if s >= YEAR && s % YEAR == 0 => (s / YEAR, "year"),
            s if s >= DAY && s % DAY == 0 => (s / DAY, "day"),
            s if s >= MONTH && s % MONTH == 0 => (s / MONTH, "month"),
            s if s >= 3600 && s % 3600 == 0 => (s / 3600, "hour"),
            s if s >= 60 && s % 60 == 0 => (s / 60, "minute"),
            s => (s, "second"),
        };
        write!(f, "{count} {unit}{}", if count == 1 { "" } else { "s" })
    }
}

impl From<Period> for String {
    fn from(period: Period) -> Self {
        humantime::format_duration(period.0).to_string().replace(' ', "")
    }
}

impl TryFrom<String> for Period {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        humantime::parse_duration(&text)
            .map(Self)
            .map_err(|_| format!("`{text}` is not a length of time. hint: write `24h` or `14d`"))
    }
}

impl JsonSchema for Period {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Period".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "period" })
    }
}

/// Reminders and patience.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pace {
    /// When an unanswered question is brought up again, counted from the question; at most two.
    pub remind_after: Vec<Period>,
    /// When the session pauses; nothing is lost.
    pub expire_after: Period,
    /// No reminders in these hours of the participant's day.
    pub quiet_hours: Option<QuietHours>,
    /// The time zone of participants of whom none is known, such as `Europe/Berlin`; without it the team's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            remind_after: vec![Period::hours(24), Period::hours(72)],
            expire_after: Period::hours(14 * 24),
            quiet_hours: None,
            time_zone: None,
        }
    }
}

/// Hours of the day, `HH:MM`; may cross midnight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuietHours {
    /// First quiet minute.
    pub from: String,
    /// First minute that is not quiet any more.
    pub to: String,
}

/// How long things are kept, counted from the last thing that somebody did in the conversation, or its end. What
/// comes later than promised, such as a reminder, counts for nothing. Texts have the longest as `{{retention}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// The conversation. It quotes the stored data, so it goes with that at the latest.
    pub transcript: Period,
    /// Files.
    pub uploads: Period,
    /// Stored data.
    pub records: Period,
    /// Decisions and ids, not answers: at least so long. Nothing leaves the chain of audit records by itself.
    pub audit: Period,
}

impl Default for Retention {
    fn default() -> Self {
        let half_a_year = Period::hours(180 * 24);
        Self {
            transcript: half_a_year,
            uploads: half_a_year,
            records: half_a_year,
            audit: Period::hours(1460 * 24),
        }
    }
}

/// Where people are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Handoff {
    /// Channel alias.
    pub channel: Option<String>,
    /// When both sides are told that nobody has taken over.
    pub claim_reminder: Period,
    /// Words and phrases at which a person is asked for at once: of distress, of a lawyer. Upper and lower case are the
    /// same, and a word counts only as a whole.
    pub keywords: Vec<String>,
}

impl Default for Handoff {
    fn default() -> Self {
        Self { channel: None, claim_reminder: Period::hours(4), keywords: Vec::new() }
    }
}

/// Data that may be kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataTable {
    /// `builtin:NAME`, or a file beside the flow.
    #[serde(default)]
    pub schema: Option<String>,
    /// A JSON Schema in the flow itself.
    #[serde(default)]
    pub schema_inline: Option<String>,
    /// What people fill in, field by field, in this order: instead of a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<InOrder<DataField>>,
    /// How much care it needs.
    #[serde(default)]
    pub sensitivity: Sensitivity,
    /// It goes through a review card.
    #[serde(default)]
    pub review: bool,
    /// What a model writes into it is checked against the session before anybody sees it: an object's numbers stand
    /// together, under the same names, in what one call of a tool came to; numbers in its texts come from tools or from what
    /// people wrote; and where an object has `source` and `words`, the words stand word by word in what that tool came to,
    /// or in what people wrote or sent. What does not goes back to the model. A script and a person are not checked.
    #[serde(default)]
    pub evidence: bool,
}

/// How much care data needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sensitivity {
    /// Says nothing about a person.
    None,
    /// Personal data.
    #[default]
    Personal,
    /// Special categories.
    Special,
}

/// A part of the interview.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Its name: `phase_1_core_facts`.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Comes only if this expression is true when its turn comes; else the conversation goes on with the phase after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// When it begins, if not at once: a time after the phase before it, such as `7d` or `5 working days`, or an
    /// expression that gives a date, such as `records.contract.start`; that begins at nine in the morning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Who leads.
    pub mode: Mode,
    /// Who leads when there is no model.
    #[serde(default)]
    pub fallback: Option<Fallback>,
    /// Said when it begins: names of `vars`, and expressions as in the texts of steps. Left out if an expression fails.
    #[serde(default)]
    pub intro: Option<String>,
    /// Comes after another phase only when the participant wants to go on: the intro is a question with the buttons
    /// *Continue* and *Later*.
    #[serde(default)]
    pub ask_first: bool,
    /// Instructions for the model.
    #[serde(default)]
    pub prompt: String,
    /// Tools that may be called.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Agents that `deploy_agent` may deploy.
    #[serde(default)]
    pub agents: Vec<String>,
    /// What files may be sent.
    #[serde(default)]
    pub uploads: Uploads,
    /// The phase after this one, if not the next in the file; only forward.
    #[serde(default)]
    pub next: Option<String>,
    /// What is to be reached.
    #[serde(default)]
    pub objective: Vec<Objective>,
    /// The script.
    #[serde(default)]
    pub step: Vec<Step>,
    /// What the engine does after the phase.
    #[serde(default)]
    pub effect: Vec<PhaseEffect>,
}

impl Phase {
    /// Whether its script can take over from a model.
    pub(crate) fn has_fallback(&self) -> bool {
        self.fallback == Some(Fallback::Script) && !self.step.is_empty()
    }
}

/// Who leads a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The model.
    Interview,
    /// The script.
    Script,
}

/// Who leads when there is no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// The script.
    Script,
}

/// What files may be sent in a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Uploads {
    /// Extensions without the dot.
    pub accept: Vec<String>,
    /// Largest single file, in megabytes of 1,048,576 bytes.
    pub max_mb: u64,
    /// Most files in one answer.
    pub max_files: u32,
}

impl Default for Uploads {
    fn default() -> Self {
        let accept = ["pdf", "docx", "txt", "md"].map(str::to_owned).to_vec();
        Self { accept, max_mb: 10, max_files: 3 }
    }
}

/// Something to be reached in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// Its name; a dotted id is a part of the one before the dot.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// Counts only while this expression is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The phase needs it.
    #[serde(default = "yes")]
    pub required: bool,
    /// Objectives that come first.
    #[serde(default)]
    pub after: Vec<String>,
    /// Who may pass it over.
    #[serde(default)]
    pub skip: Skip,
    /// What counts as reached.
    pub done: Done,
}

/// Who may pass an objective over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// The participant, by saying so.
    Participant,
    /// Nobody but a decider, by override.
    #[default]
    Admin,
    /// Nobody, not even by override.
    Never,
}

/// What counts as reached, evaluated by code over what is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Done {
    /// The model's word counts.
    Model,
    /// The participant approved or modified this data in a review.
    Reviewed(String),
    /// So many records of this data are stored.
    Saved(SavedAtLeast),
    /// A file was sent as this `uploadType`.
    Uploaded(String),
    /// A script step was answered.
    Answered(AnsweredWith),
    /// The participant wrote so many messages in the phase.
    Talked(u32),
    /// All of these.
    All(Vec<Done>),
    /// Any of these.
    Any(Vec<Done>),
}

/// So many records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedAtLeast {
    /// Of this data.
    pub data: String,
    /// How many, at least.
    #[serde(default = "one")]
    pub at_least: u32,
}

const fn one() -> u32 {
    1
}

/// An answered step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnsweredWith {
    /// The step.
    pub step: String,
    /// With one of these option ids; any answer where empty.
    #[serde(default)]
    pub with: Vec<String>,
}
