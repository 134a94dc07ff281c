//! The events of a session: transcript, audit trail and recovery log in one append-only list.

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    artifact::Artifact,
    custody::Custody,
    effect::{Handout, Recipient},
    opaque::Opaque,
    session::{FlowPin, PersonId, Place, Status},
    task::Subtask,
    ui::{Offered, Reply},
    usage::Usage,
    wait::{Answerers, Vote, Wait},
    words::Text,
};
use crate::base::ids::{CallId, EffectId, RecordId, SessionId, WaitId};

/// One event in its envelope.
///
/// ```json
/// { "v": 2, "seq": 4, "at": "2026-11-21T09:00:00Z", "event": { "type": "said", … } }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// [`super::STORED_VERSION`] of the writer.
    pub v: u32,
    /// Place in the session, from 1 without gaps.
    pub seq: u64,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// What happened. Never changes, so copies share it.
    pub event: Arc<Event>,
}

/// What can happen in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session began.
    Started(Started),
    /// The participant answered the notice.
    NoticeAnswered {
        /// What they chose.
        choice: NoticeChoice,
        /// SHA-256 of the text they were shown.
        text_sha256: String,
        /// The flow's version and language.
        version: String,
        /// The text's language.
        locale: String,
    },
    /// The session's status changed.
    StatusChanged {
        /// To what.
        to: Status,
        /// Why, for staff.
        reason: String,
    },
    /// Somebody wrote something that answers no wait.
    Said {
        /// Who.
        from: Speaker,
        /// What.
        text: String,
        /// The platform's reference to the message, for edits and deletions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// The open question it was written under and did not answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<WaitId>,
    },
    /// The bot posted something.
    Posted {
        /// The effect that carries it.
        effect: EffectId,
        /// Whom it was for.
        audience: Audience,
        /// What it says.
        text: Text,
        /// What was offered under it as buttons.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        offers: Vec<Offered>,
    },
    /// A tool call began.
    Called(Call),
    /// A wait was opened, or asked again with a higher revision.
    Asked(Box<Wait>),
    /// One of several deciders has voted; the wait stays open.
    Voted {
        /// On which wait.
        wait: WaitId,
        /// The vote; it takes the place of an earlier one of the same person.
        vote: Vote,
    },
    /// Reviewed data was edited; the wait stays open and shows the edited data.
    Edited {
        /// On which wait.
        wait: WaitId,
        /// All of the data as it stands now.
        data: Value,
        /// A remark for whoever asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<String>,
        /// Who edited it.
        by: PersonId,
        /// What other people call them.
        by_name: String,
    },
    /// A wait was answered.
    Answered {
        /// Which.
        wait: WaitId,
        /// The answer.
        reply: Reply,
        /// Who gave it.
        by: PersonId,
        /// What other people call them.
        by_name: String,
        /// How it came.
        via: Via,
    },
    /// A message answered a wait: whoever edits it changes the answer.
    Worded {
        /// Which wait.
        wait: WaitId,
        /// The platform's reference to the message.
        source: String,
    },
    /// The answer of a wait has done its work.
    Applied {
        /// Which.
        wait: WaitId,
    },
    /// A wait ended without an answer.
    Closed {
        /// Which.
        wait: WaitId,
        /// How.
        closing: Closing,
    },
    /// A tool call ended; there is exactly one for each [`Event::Called`].
    Returned {
        /// Which call.
        call: CallId,
        /// What came of it.
        result: CallResult,
    },
    /// A script moved on.
    Stepped {
        /// The phase.
        phase: String,
        /// The step that is done with.
        step: String,
        /// Where the script goes on: a step, or none at the end of the phase.
        next: Option<String>,
    },
    /// A step of a script has set values.
    ValuesSet {
        /// The step.
        step: String,
        /// The values, by name.
        values: Map<String, Value>,
    },
    /// A phase has begun that comes only at a later time: until then nothing is asked.
    PhaseScheduled {
        /// The phase.
        phase: String,
        /// When it comes.
        at: DateTime<Utc>,
    },
    /// Its time has come.
    PhaseOpened {
        /// The phase.
        phase: String,
    },
    /// A file was kept.
    Kept(Artifact),
    /// Data was stored.
    Saved {
        /// The record; the same id again replaces its data.
        record: RecordId,
        /// The flow's name of the data, in `snake_case`.
        data_type: String,
        /// The data.
        data: Value,
        /// The participant approved or modified it in a review.
        reviewed: bool,
    },
    /// An objective's status changed.
    ObjectiveSet {
        /// The objective.
        objective: String,
        /// To what.
        status: ObjectiveStatus,
        /// On whose word.
        by: SetBy,
    },
    /// The model proposed a status for an objective; counts where the flow says `model`.
    Proposed {
        /// The objective.
        objective: String,
        /// The status.
        status: ObjectiveStatus,
    },
    /// Whoever wrote a message has changed it, or taken it away.
    Amended {
        /// The platform's reference to the message, as in [`Event::Said`].
        source: String,
        /// How it reads now; `None` if it was taken away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// A copy of everything was offered to the participant.
    ExportOffered {
        /// The effect that carries it.
        effect: EffectId,
    },
    /// The bot handed something over: a file that it made, or a link.
    Handed {
        /// The effect that carries it.
        effect: EffectId,
        /// What.
        what: Handout,
        /// What stands beside it.
        text: Text,
    },
    /// Something that the bot can do was used with success for the first time in the session.
    CapabilityUsed {
        /// What: `search`, `roi`, `doc`, …
        capability: String,
    },
    /// The phase changed, or the last one ended. Written by the actor alone.
    Advanced {
        /// From where; `None` at the beginning.
        from: Option<String>,
        /// To where; `None` at the end.
        to: Option<String>,
        /// What allowed it.
        grounds: Grounds,
    },
    /// The outcome of `next_phase`, kept for the guard against repeats.
    AdvanceEvaluated {
        /// What was answered.
        outcome: Value,
    },
    /// A person was asked for; the bot keeps quiet.
    HandedOver {
        /// Why, for staff.
        reason: String,
    },
    /// A staff member took over.
    Claimed {
        /// Who.
        by: PersonId,
        /// What other people call them.
        by_name: String,
    },
    /// The bot goes on.
    HandedBack {
        /// On whose word.
        by: PersonId,
    },
    /// An effect of a finished phase was queued, declined, found not applicable, delivered or given up.
    EffectNoted {
        /// The phase.
        phase: String,
        /// Which of its effects, from 0.
        index: usize,
        /// What the effect is, for people: `discord_add_role member`.
        what: String,
        /// What came of it.
        outcome: EffectOutcome,
        /// The effect in the outbox, once it is there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effect: Option<EffectId>,
    },
    /// The team was asked for something, and how far that got.
    TeamAsked {
        /// The effect that asks.
        effect: EffectId,
        /// For what.
        errand: Errand,
        /// The channel, by its alias.
        alias: String,
        /// Who of the team is asked directly in its place, by the platform's own id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        /// Whether anybody there has it.
        reached: AskState,
    },
    /// Something never arrived.
    DeliveryFailed {
        /// The effect.
        effect: EffectId,
        /// What it was to do: `post`.
        what: String,
        /// Whom it was for.
        to: Recipient,
        /// Why, fit for staff.
        reason: String,
    },
    /// A reminder was sent.
    Reminded {
        /// Of which wait.
        wait: WaitId,
        /// The how many-th, from 1.
        count: u32,
    },
    /// The participant wants no more reminders.
    RemindersStopped,
    /// A hold, an erasure that waits for its end, or what retention has removed.
    Custody(Custody),
    /// The model answered: one round of its turn.
    Thought(Thought),
    /// The model could not be asked, or its answer was of no use.
    ThinkingFailed {
        /// `timeout`, `unavailable`, `empty_answer`, …; never what was sent or answered.
        code: String,
        /// The how many-th in a row, from 1.
        count: u32,
        /// When it is asked again; `None` if the script goes on, or a person has been asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again_at: Option<DateTime<Utc>>,
        /// The participant waits for that, and nothing goes on meanwhile.
        #[serde(default, skip_serializing_if = "is_not")]
        in_a_moment: bool,
    },
    /// The script leads the phase from here on: the model cannot.
    ScriptLeads {
        /// The phase.
        phase: String,
        /// Why: the code of a failure, or `budget`.
        because: String,
    },
    /// What came of a call after the model had been told that it was pending; there is at most one.
    Late {
        /// Which call.
        call: CallId,
        /// What came of it.
        result: CallResult,
    },
    /// Something happened between the session and a child run, or the session is one.
    Subtask(Subtask),
    /// A short form of the conversation up to an event: the model's window begins with it.
    Summarised {
        /// The last event that it stands for.
        through: u64,
        /// The short form, made by the model.
        text: String,
        /// What it cost.
        usage: Usage,
    },
    /// Something was used up besides the rounds of the model and its short forms.
    Spent {
        /// What for.
        on: SpentOn,
        /// How much.
        usage: Usage,
    },
}

impl Event {
    /// What its session's workspace pays for it.
    pub fn charge(&self) -> Usage {
        match self {
            Self::Thought(Thought { usage, .. })
            | Self::Summarised { usage, .. }
            | Self::Spent { on: SpentOn::Answer | SpentOn::Call { .. }, usage } => *usage,
            _ => Usage::default(),
        }
    }
}

/// What the model answered in one round.
///
/// ```json
/// { "knew": 11, "round": 1, "text": "", "calls": [{ "id": "c00000001", "tool": "get_user_option", "args": {…} }],
///   "usage": { "input": 1812, "output": 64, "calls": 1, "millis": 2300 } }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thought {
    /// The last event that it knew; what happened after that is news to it.
    pub knew: u64,
    /// Which round of its turn, from 1.
    pub round: u32,
    /// What it says to the participant, `CommonMark`; empty where it says nothing. Posted right after this event, or once
    /// it is known that its calls have not all failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The calls it makes, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Intent>,
    /// What it cost.
    #[serde(default)]
    pub usage: Usage,
    /// What its provider wants back with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Box<Opaque>>,
    /// It was the last of its turn: it could make no calls, and the model is not asked before the participant writes.
    #[serde(default, skip_serializing_if = "is_not")]
    pub last: bool,
    /// Why the model is asked once more although it made no call, or why its words end where they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Gap>,
}

/// What an answer without calls lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gap {
    /// Its end: the answer had become too long. Its words are held until the rest has come.
    Cut,
    /// Anything for the participant to answer: no card is open, and nothing is asked.
    Question,
    /// The call of `next_phase`: all that the phase requires is done.
    NextPhase,
    /// Its end: the participant wrote while it was said. The model goes on with what they wrote.
    Interrupted,
    /// Its end: the participant stopped it. The model goes on with what they do next.
    Stopped,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

/// A call that the model wants made, before anything is checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// Our own name of the call; the provider's is not kept.
    pub id: CallId,
    /// The tool, as the model wrote it.
    pub tool: String,
    /// The arguments; text where they are no JSON.
    pub args: Value,
}

/// What something was used up for, besides the rounds of the model and its short forms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum SpentOn {
    /// An answer of the model that was of no use, or came when nobody wanted it any more.
    Answer,
    /// A tool that asked a model, or worked for long.
    Call {
        /// Which call.
        call: CallId,
    },
    /// A child run, all together, with its own children. Its workspace has paid for it when it ran.
    Child {
        /// Its session.
        session: SessionId,
    },
}

/// How a session began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// The session.
    pub session: SessionId,
    /// What it runs.
    pub flow: FlowPin,
    /// Who is interviewed.
    pub participant: PersonId,
    /// What the platform calls them; personal data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it lives.
    pub place: Place,
    /// A trial run, left out of the numbers.
    #[serde(default)]
    pub test: bool,
    /// Whoever is interviewed is one of the staff: the tools for staff are there for them.
    #[serde(default, skip_serializing_if = "is_not")]
    pub staff: bool,
    /// Their time zone, where the platform knew it: `Europe/Berlin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The contact source that may know how to reach them: `profile`. None where the bot knows no more than their name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact_source: Option<String>,
    /// Who has invited them; `None` if they began by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_by: Option<Inviter>,
}

/// Somebody of the team who has invited somebody to a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inviter {
    /// The person.
    pub person: PersonId,
    /// What they are called.
    pub name: String,
}

/// What the participant chose under the notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeChoice {
    /// Go on with the assistant.
    Accepted,
    /// Talk to a person.
    Human,
    /// Not now.
    Declined,
}

/// Who wrote something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "who", rename_all = "snake_case")]
pub enum Speaker {
    /// The participant.
    Participant,
    /// A staff member, to the participant.
    Staff {
        /// Who.
        by: PersonId,
        /// What other people call them.
        name: String,
    },
    /// Somebody else in the thread; context only, never an answer.
    Bystander {
        /// Who.
        by: PersonId,
        /// What other people call them.
        name: String,
    },
}

/// Who reads something: a post, a card, a page, a copy of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// The person who is interviewed.
    #[default]
    Participant,
    /// Deciders, recruiters, moderators, the operator: they also see how the bot works.
    Staff,
}

impl Answerers {
    /// Who reads a question so that they can answer it. Whether an answer counts is decided when it comes.
    pub const fn audience(&self) -> Audience {
        match self {
            Self::Participant => Audience::Participant,
            Self::Deciders { .. } => Audience::Staff,
        }
    }
}

/// One tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its name within the session.
    pub id: CallId,
    /// The tool.
    pub tool: String,
    /// Its arguments, after defaults were filled in.
    pub args: Value,
    /// The phase in which it was made.
    pub phase: Option<String>,
    /// Who made it.
    pub origin: Origin,
}

/// Who made a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    /// A script step.
    Step {
        /// Its id.
        step: String,
    },
    /// The model, in this round of its turn, from 1.
    Model {
        /// The round.
        round: u32,
    },
    /// A person, by a command.
    Person {
        /// Who.
        by: PersonId,
        /// May decide on the request themselves.
        may_decide: bool,
    },
    /// The engine: a script phase that is through asks for the next one.
    Engine,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CallResult {
    /// The value for the model.
    Ok {
        /// The tool's response.
        value: Value,
    },
    /// The failure as the model is told.
    Err {
        /// `invalid_parameters`, `timeout`, …
        code: String,
        /// What to do about it.
        message: String,
    },
}

impl CallResult {
    /// Whether the call did what it was for: tools also say in their response that they did not.
    pub fn is_success(&self) -> bool {
        match self {
            Self::Ok { value } => value["status"] != "failed" && value["success"] != false,
            Self::Err { .. } => false,
        }
    }
}

/// How an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// A button, menu, form or file.
    Component,
    /// Typed words that matched.
    Typed,
    /// A command.
    Command,
    /// Something that the platform knew already, such as what a server's own onboarding was answered.
    Known,
}

/// How a wait ended without an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Closing {
    /// Nobody answered in time.
    Expired,
    /// It is no longer asked.
    Cancelled {
        /// Why, in words for a person.
        reason: String,
    },
    /// Another wait asks instead.
    Superseded {
        /// Which one, where there is one.
        by: Option<WaitId>,
    },
}

/// How an objective stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectiveStatus {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Met, by stored evidence.
    Completed,
    /// Passed over, by the participant's own word or an override.
    Skipped,
    /// Given up; counts as missing.
    Failed,
    /// Its condition is not true.
    NotApplicable,
}

/// On whose word an objective changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetBy {
    /// Stored evidence.
    Evidence,
    /// The condition that the flow gives it.
    Condition,
    /// The model's proposal, where the flow lets it count.
    Model,
    /// The participant passed it over.
    Participant,
    /// An approved override.
    Override,
}

/// What allowed a phase to change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Grounds {
    /// The notice was accepted and the first phase begins.
    Began,
    /// Every required objective was met.
    CriteriaMet,
    /// A decider approved the override.
    Decision {
        /// The wait that holds the stored decision.
        wait: WaitId,
        /// Who decided.
        by: PersonId,
        /// The objectives that were passed over.
        overrides: Vec<String>,
    },
    /// Someone who may decide asked for it themselves.
    Initiative {
        /// Who.
        by: PersonId,
        /// The objectives that were passed over.
        overrides: Vec<String>,
    },
}

/// What the team is asked for.
///
/// ```json
/// { "errand": "hand_over", "at": "…", "text": "I have asked the team. …" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "errand", rename_all = "snake_case")]
pub enum Errand {
    /// A person is asked for.
    HandOver {
        /// When.
        at: DateTime<Utc>,
        /// What the participant reads once the team has it.
        text: Text,
    },
    /// The team is reminded of that.
    Reminder {
        /// When.
        at: DateTime<Utc>,
    },
    /// A decision.
    Request {
        /// The wait.
        wait: WaitId,
    },
}

/// How far something got that the team was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskState {
    /// Nobody knows yet.
    Pending,
    /// It stands where the team reads.
    Delivered,
    /// It waits until somebody outside mends something.
    Blocked,
    /// It will never get there.
    Failed,
}

/// What came of a phase's effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum EffectOutcome {
    /// It waits for somebody's consent.
    AwaitingApproval,
    /// It is in the outbox.
    Queued,
    /// It happened.
    Delivered,
    /// Nothing to do: this platform has no such thing, or there is no data.
    NotApplicable,
    /// It did not happen: the page shows what Slack or Discord would do.
    Rehearsed,
    /// Consent was refused.
    Declined,
    /// It was given up; the reason is fit for staff.
    Failed {
        /// Why.
        reason: String,
    },
}

impl EffectOutcome {
    /// Whether the effect has been set going: done, on its way, or shown where a rehearsal stands for it.
    pub(crate) const fn is_under_way(&self) -> bool {
        matches!(self, Self::Queued | Self::Delivered | Self::Rehearsed)
    }
}

/// What people wrote as it reads now: messages that were changed or taken away.
#[derive(Debug, Default)]
pub(crate) struct Amendments<'a>(HashMap<&'a str, Option<&'a str>>);

impl<'a> Amendments<'a> {
    /// All that there are.
    pub(crate) fn of(events: &'a [Recorded]) -> Self {
        let amended = events.iter().filter_map(|recorded| match &*recorded.event {
            Event::Amended { source, text } => Some((source.as_str(), text.as_deref())),
            _ => None,
        });
        Self(amended.collect())
    }

    /// How a message reads now that was written as `text`.
    pub(crate) fn read<'t>(&self, text: &'t str, source: Option<&str>) -> &'t str
    where
        'a: 't,
    {
        match source.and_then(|source| self.0.get(source)) {
            None => text,
            Some(Some(changed)) => changed,
            Some(None) => TAKEN_AWAY,
        }
    }
}

/// Stands where somebody took their words away.
pub(crate) const TAKEN_AWAY: &str = "(this message was taken away)";
